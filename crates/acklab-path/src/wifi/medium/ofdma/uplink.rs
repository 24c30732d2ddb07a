//! Stations are asked what they have, are called, send, and are answered (26.5.2).

use super::super::{Medium, MediumDriver, PpduKind, Use};
use super::choice::{USUAL, psdu_of};
use super::downlink::tell_left;
use super::launch::{Shape, plain};
use super::state::{Ofdma, POLL, Phase, UP, User};
use super::{AP, into};
use crate::wifi::mac::PeerId;
use crate::wifi::mac::triggers::{
    BUFFER_STATUS, TriggerKind, multi_station_block_ack, multi_station_block_ack_of, trigger,
};
use crate::wifi::phy::{Mode, Ru, Width};
use acklab_units::{Instant, Span};

/// What a station is granted at least, in bytes of a PSDU: the `UlPsduSize` of ns-3's
/// `RrMultiUserScheduler`.
const LEAST_PSDU: u64 = 500;
/// A buffer status is told in units of 256 octets, and the most is "more than 64768" (9.2.4.5.6).
const UNIT: u64 = 256;
const MOST_UNITS: u64 = 254;

/// What an access point is told of `bytes`.
pub(super) fn told(bytes: u64) -> u64 {
    bytes.div_ceil(UNIT).min(MOST_UNITS) * UNIT
}

impl Ofdma {
    /// Whether there is somebody to call or to ask, under that category.
    pub(super) fn calls_under(&self, category: u8) -> bool {
        let uplink = self.config.uplink;
        uplink.is_some_and(|u| u.category == category) && self.has_calls()
    }

    fn has_calls(&self) -> bool {
        self.poll_due
            || self
                .members
                .iter()
                .any(|m| m.up.is_some() && m.reported > 0)
    }

    /// Tells contention whether there is somebody to call.
    pub(super) fn note_calls(&self, m: &mut Medium) {
        if let Some(uplink) = self.config.uplink {
            let edcaf = &mut m.stations[0].categories[usize::from(uplink.category)];
            edcaf.calls = self.has_calls();
        }
    }

    /// The same, and contends.
    fn call(&self, m: &mut Medium, now: Instant) {
        self.note_calls(m);
        if let Some(uplink) = self.config.uplink {
            m.want(now, AP, uplink.category);
        }
    }

    pub(super) fn on_poll_due(&mut self, m: &mut Medium, now: Instant) {
        let Some(uplink) = self.config.uplink else {
            return;
        };
        let due = self.last_uplink + uplink.poll.every;
        if due > now {
            m.calendar.enter(due, super::Event::Poll);
            return;
        }
        m.calendar
            .enter(now + uplink.poll.every, super::Event::Poll);
        self.poll_due = true;
        self.call(m, now);
    }

    /// Data of a station that contended for itself have arrived, with its buffer status.
    pub(super) fn note_backlog(&mut self, m: &mut Medium, now: Instant, holder: super::StationId) {
        if self.config.uplink.is_none() {
            return;
        }
        let bytes = backlog(m, holder);
        let member = self
            .members
            .iter_mut()
            .find(|member| member.station == holder);
        if let Some(member) = member.filter(|member| member.up.is_some()) {
            member.reported = told(bytes);
            if member.reported > 0 && self.phase == Phase::Idle {
                self.call(m, now);
            }
        }
    }

    /// Asks or calls stations. Says whether that has begun.
    pub(super) fn begin_up(&mut self, m: &mut Medium, now: Instant, category: u8) -> bool {
        let Some(uplink) = self.config.uplink else {
            return false;
        };
        let known = self
            .members
            .iter()
            .any(|m| m.up.is_some() && m.reported > 0);
        // Who has something may say so in data on resource units that belong to nobody.
        let by_chance = uplink.random.is_some_and(|r| r.for_data);
        let asks = uplink.poll.always || !(known || by_chance);
        self.poll_due = false;
        let began = if asks {
            self.add_polled(m, now)
        } else {
            self.add_called(m, now, category)
        };
        if !began {
            return false;
        }
        let port = self.users[0].port;
        self.open(m, now, category, port);
        if asks {
            self.send_poll(m, now);
        } else {
            self.send_call(m, now);
        }
        true
    }

    /// A user for its own resource unit number `unit`, or one that may take a random one.
    fn add_up(&mut self, m: &mut Medium, now: Instant, member: usize, ru: Ru, unit: Option<u16>) {
        let Some(port) = self.members[member].up else {
            return;
        };
        m.choose_rate(now, port);
        let way = &m.ports[port.0 as usize];
        let whole = way.sending.mode.with_guard(self.config.guard);
        let Ok(mode) = whole.on_ru(ru) else { return };
        let limits = way.sending.limits(super::super::sending::Room::default());
        let (station, timing) = (way.from, m.phy.timing(mode));
        self.add(|psdu| User {
            member,
            station,
            port,
            category: 0,
            unit: unit.unwrap_or(0),
            mode,
            timing,
            limits,
            psdu: psdu.unwrap_or_default(),
            number: 0,
            use_of: Use::Control,
            bytes: BUFFER_STATUS,
            reading: Default::default(),
            random: unit.is_none(),
            takes_part: true,
            heard: false,
            read: false,
            open: false,
            backlog: 0,
        });
        let u = &mut self.users[self.active - 1];
        u.psdu.mpdus.clear();
        u.psdu.bytes = 0;
    }

    /// Who is asked, in turn, and who may answer at random.
    fn add_polled(&mut self, m: &mut Medium, now: Instant) -> bool {
        self.active = 0;
        let random = self
            .config
            .uplink
            .and_then(|u| u.random)
            .filter(|r| !r.for_data);
        let units = random.map_or(0, |r| u32::from(r.units));
        let Some(width) = self.width(m) else {
            return false;
        };
        let n = self.members.len();
        let able = self.members.iter().filter(|m| m.up.is_some()).count() as u32;
        let own = able.min(u32::from(self.config.most_users).saturating_sub(units));
        let Some(ru) = Ru::largest_for(own + units, width) else {
            return false;
        };
        let turn = self.turns[POLL];
        for k in (0..n).map(|k| (turn + k) % n) {
            if self.active as u32 == own {
                break;
            }
            let unit = self.active as u16;
            self.add_up(m, now, k, ru, Some(unit));
            self.turns[POLL] = (k + 1) % n;
        }
        self.random_units = (self.active as u16, units as u16);
        self.add_random(m, now, ru);
        self.active > 0
    }

    /// Width of the channel, as the first station that can be called uses it.
    fn width(&self, m: &Medium) -> Option<Width> {
        self.members.iter().find_map(|member| {
            let port = member.up?;
            Some(m.ports[port.0 as usize].sending.mode.width())
        })
    }

    /// Everybody else who has something may take a resource unit that belongs to nobody.
    fn add_random(&mut self, m: &mut Medium, now: Instant, ru: Ru) {
        if self.random_units.1 == 0 {
            return;
        }
        for k in 0..self.members.len() {
            let called = self.active().iter().any(|u| u.member == k);
            if !called && backlog(m, self.members[k].station) > 0 {
                self.add_up(m, now, k, ru, None);
            }
        }
    }

    /// Who is called for data, and how long they may send.
    fn add_called(&mut self, m: &mut Medium, now: Instant, category: u8) -> bool {
        self.active = 0;
        self.ready.clear();
        let members = self.members.iter().enumerate();
        let known = members.filter(|(_, m)| m.up.is_some() && m.reported > 0);
        self.ready.extend(known.map(|(i, _)| i));
        let random = self
            .config
            .uplink
            .and_then(|u| u.random)
            .filter(|r| r.for_data);
        let units = random.map_or(0, |r| r.units);
        let own = self.config.most_users.saturating_sub(units);
        if own == 0 {
            self.ready.clear();
        }
        let mut ru = match self.ready.is_empty() {
            true => None,
            false => self.choose(m, (UP, category), own, true),
        };
        if units > 0 {
            let all = self.ready.len() as u32 + u32::from(units);
            ru = self.width(m).and_then(|width| Ru::largest_for(all, width));
        }
        let Some(ru) = ru else { return false };
        for k in 0..self.ready.len() {
            self.add_up(m, now, self.ready[k], ru, Some(k as u16));
        }
        self.random_units = (self.active as u16, units);
        self.add_random(m, now, ru);
        self.grant_time(m, category);
        self.active > 0
    }

    /// As many symbols as those need who need most, and no more than may be.
    fn grant_time(&mut self, m: &Medium, category: u8) {
        let Some(first) = self.active().first() else {
            return;
        };
        let preamble = m.phy.tb_preamble(self.streams(), self.config.guard);
        let longest = m
            .phy
            .max_time(first.mode)
            .unwrap_or(Span::from_micros(5_484));
        let txop = m.stations[0].categories[usize::from(category)].config.txop;
        let around = self.around_data(m);
        let left = match txop.is_zero() {
            true => longest,
            false => longest.min(txop.saturating_sub(around)),
        };
        let most = self.symbols_within(m, first.mode, left, preamble);
        let needs = |u: &User| {
            let overhead = m.ports[u.port.0 as usize].config.aggregation.overhead;
            // By chance a packet of the usual size.
            let known = match u.random {
                true => USUAL,
                false => self.members[u.member].reported,
            };
            let psdu = match known >= UNIT * MOST_UNITS {
                true => u64::from(u32::MAX >> 8),
                false => psdu_of(known, overhead).max(LEAST_PSDU),
            };
            u.timing.symbols(psdu.min(u64::from(u32::MAX >> 8)) as u32)
        };
        let wanted = self.active().iter().map(needs).max().unwrap_or(1);
        self.symbols = wanted.min(most).max(1);
    }

    fn streams(&self) -> u8 {
        let streams = self.active().iter().map(|u| u.mode.streams());
        streams.max().unwrap_or(1)
    }

    /// What goes before and behind the data in an exchange: the Trigger frame, the answer, two SIFS.
    fn around_data(&self, m: &Medium) -> Span {
        let call = m
            .phy
            .duration(self.trigger_mode(m), self.trigger_bytes(TriggerKind::Basic));
        call + m.phy.sifs() + self.answer_takes(m)
    }

    /// SIFS and Multi-STA BlockAck.
    fn answer_takes(&self, m: &Medium) -> Span {
        let n = self.active().iter().filter(|u| u.takes_part).count() as u32;
        let mode = self.common_mode(m, |(control, _)| control);
        m.phy.sifs()
            + m.phy
                .duration(mode, multi_station_block_ack(n, self.window(m)))
    }

    /// The largest block ack window of those in the exchange.
    pub(super) fn window(&self, m: &Medium) -> u16 {
        let windows = self.active().iter().map(|u| {
            let port = &m.ports[u.port.0 as usize];
            port.config.aggregation.window
        });
        windows.max().unwrap_or(64)
    }

    fn trigger_mode(&self, m: &Medium) -> Mode {
        self.common_mode(m, |(_, rts)| rts)
    }

    /// Random-access resource units of one size that lie side by side share a User Info field.
    fn trigger_bytes(&self, kind: TriggerKind) -> u32 {
        let own = self.active().iter().filter(|u| !u.random).count() as u32;
        trigger(kind, own + u32::from(self.random_units.1 > 0), 0)
    }

    fn send_trigger(&mut self, m: &mut Medium, now: Instant, kind: TriggerKind, reserves: Span) {
        self.active_mut()
            .iter_mut()
            .for_each(|u| u.takes_part = true);
        let (mode, bytes) = (self.trigger_mode(m), self.trigger_bytes(kind));
        let (preamble, lasts) = plain(m, mode, bytes);
        let shape = Shape {
            kind: PpduKind::Trigger,
            down: true,
            mode: Some(mode),
            preamble,
            lasts,
            reserves,
            bytes: Some(bytes),
        };
        self.launch(m, now, &shape);
    }

    fn reports_take(&self, m: &Medium) -> (Span, Span) {
        let preamble = m.phy.tb_preamble(self.streams(), self.config.guard);
        let slowest = self.active().iter().min_by_key(|u| u.mode.rate());
        let data = slowest.and_then(|u| m.phy.shared_data(&[(u.mode, BUFFER_STATUS)]));
        (
            preamble,
            preamble + data.map_or(Span::ZERO, |d| d.duration()),
        )
    }

    fn send_poll(&mut self, m: &mut Medium, now: Instant) {
        self.phase = Phase::Poll;
        m.stats[0].polls += 1;
        let reserves = m.phy.sifs() + self.reports_take(m).1;
        self.send_trigger(m, now, TriggerKind::BufferStatus, reserves);
    }

    /// Who answers a Trigger frame: those who have read it, are free, and were called or take their chance.
    /// Says whether there is anybody.
    fn respond(&mut self, m: &mut Medium, now: Instant) -> bool {
        let mut any = false;
        for i in 0..self.active {
            let mut answers = self.users[i].heard && self.may_answer(m, i);
            if answers && self.users[i].random {
                let unit = self.take_random(self.users[i].member, &mut m.rng.backoff);
                self.users[i].unit = unit.unwrap_or(0);
                answers = unit.is_some();
            }
            let u = &mut self.users[i];
            u.takes_part = answers;
            any |= answers;
            if answers {
                m.stations[usize::from(u.station.0)].in_reverse = true;
                m.air.ledger.engage(now, u.station);
            }
        }
        any
    }

    pub(super) fn after_poll(&mut self, m: &mut Medium, now: Instant) {
        if self.respond(m, now) {
            self.pause(m, now, Phase::Reports);
        } else {
            self.wait_in_vain(m, now);
        }
    }

    pub(super) fn send_reports(&mut self, m: &mut Medium, now: Instant) {
        let (preamble, lasts) = self.reports_take(m);
        for i in 0..self.active {
            let u = &mut self.users[i];
            u.bytes = BUFFER_STATUS;
            u.backlog = backlog(m, u.station);
            if u.takes_part && u.random {
                m.stats[usize::from(u.station.0)].random_accesses += 1;
            }
        }
        let shape = Shape {
            kind: PpduKind::BufferStatus,
            down: false,
            mode: None,
            preamble,
            lasts,
            reserves: Span::ZERO,
            bytes: None,
        };
        self.launch(m, now, &shape);
    }

    /// A report is not answered, so that for random access it counts as answered (26.5.4).
    pub(super) fn after_reports<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        driver: &mut D,
    ) {
        let mut heard = false;
        for i in 0..self.active {
            let u = &self.users[i];
            if !u.takes_part {
                continue;
            }
            let (member, random, read) = (u.member, u.random, u.heard);
            if read {
                self.members[member].reported = told(u.backlog);
            }
            heard |= read;
            self.let_go(m, now, i);
            if random {
                let station = self.members[member].station;
                m.stats[usize::from(station.0)].random_collisions += u64::from(!read);
                self.after_random(member, true, &mut m.rng.backoff);
            }
        }
        let category = m.exchange(AP).category;
        if !heard {
            return self.wait_in_vain(m, now);
        }
        self.answered = true;
        let room = self.room_for_call(m, now, category);
        if room && self.add_called(m, now, category) {
            self.pause(m, now, Phase::Call);
        } else {
            self.finish(m, now, driver);
        }
    }

    /// Whether there is time for data in what is left of a transmission opportunity that is limited.
    fn room_for_call(&self, m: &Medium, now: Instant, category: u8) -> bool {
        let edca = m.stations[0].categories[usize::from(category)].config;
        let until = m.exchange(AP).until;
        edca.txop.is_zero() || now + self.around_data(m) + Span::from_micros(500) < until
    }

    pub(super) fn send_call(&mut self, m: &mut Medium, now: Instant) {
        self.phase = Phase::Call;
        m.stats[0].triggers += 1;
        let (_, lasts) = self.data_take(m);
        let reserves = m.phy.sifs() + lasts + self.answer_takes(m);
        self.send_trigger(m, now, TriggerKind::Basic, reserves);
    }

    /// Preamble and length of the HE TB PPDUs that are called for.
    fn data_take(&self, m: &Medium) -> (Span, Span) {
        let preamble = m.phy.tb_preamble(self.streams(), self.config.guard);
        let mode = self.users[0].mode;
        let data = m.phy.shared_symbols(mode, self.symbols).duration();
        (preamble, preamble + data)
    }

    pub(super) fn after_call(&mut self, m: &mut Medium, now: Instant) {
        if self.respond(m, now) {
            self.pause(m, now, Phase::UpData);
        } else {
            self.wait_in_vain(m, now);
        }
    }

    pub(super) fn send_up_data<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        driver: &mut D,
    ) {
        for i in 0..self.active {
            if self.users[i].takes_part {
                self.build_up(m, now, i, driver);
            }
        }
        let (preamble, lasts) = self.data_take(m);
        self.lasted = lasts;
        for i in 0..self.active {
            let u = &self.users[i];
            if u.takes_part && u.open && u.use_of == Use::TransportAck {
                m.book_feedback_of((u.port, u.category), &u.psdu, lasts + m.config.propagation);
            }
        }
        let reserves = self.answer_takes(m);
        let shape = Shape {
            kind: PpduKind::Data,
            down: false,
            mode: None,
            preamble,
            lasts,
            reserves,
            bytes: None,
        };
        self.launch(m, now, &shape);
    }

    /// Puts together what a station sends: of its most urgent category that has something, as much as fits, or
    /// its buffer status.
    fn build_up<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        i: usize,
        driver: &mut D,
    ) {
        let u = &mut self.users[i];
        let s = usize::from(u.station.0);
        let peer = PeerId(m.ports[u.port.0 as usize].peer);
        u.bytes = BUFFER_STATUS;
        u.backlog = backlog(m, u.station);
        let all = m.stations[s].categories.iter();
        let ready = all
            .map(|c| c.queue.has_part_for(now, peer))
            .position(|has| has);
        if let Some(category) = ready {
            u.category = category as u8;
            u.limits.strict = true;
            u.limits.max_psdu = u.timing.bytes_in(self.symbols).min(u.limits.max_psdu);
            let queue = &mut m.stations[s].categories[category].queue;
            queue.build_part(now, peer, &u.limits, &mut u.psdu, &mut into(&mut m.drops));
            u.open = !u.psdu.is_empty();
            tell_left(m, now, (s, u.category, peer), &u.psdu, driver);
            m.report_drops(now, driver);
            m.await_discipline(now, u.station, u.category);
            if u.open {
                u.bytes = u.psdu.bytes;
                u.use_of = m.use_of((u.port, u.category), &u.psdu, driver);
                let retries = u.psdu.mpdus.iter().filter(|m| m.repeated).count();
                m.stats[s].on_data(u.psdu.mpdus.len(), retries);
                m.stats[s].triggered += 1;
            }
        }
        m.stats[s].random_accesses += u64::from(u.random);
    }

    pub(super) fn after_up_data(&mut self, m: &mut Medium, now: Instant) {
        let mut any = false;
        for i in 0..self.active {
            let u = &mut self.users[i];
            u.read = u.takes_part && u.heard;
            any |= u.read;
            if u.read {
                self.members[u.member].reported = told(u.backlog);
            }
        }
        if any {
            self.pause(m, now, Phase::UpAnswer);
        } else {
            self.wait_in_vain(m, now);
        }
    }

    pub(super) fn send_up_answer(&mut self, m: &mut Medium, now: Instant) {
        let read = self.active().iter().filter(|u| u.read);
        let is_whole = |u: &User| u.reading.lost_none(u.psdu.mpdus.len());
        let whole = read.clone().filter(|u| is_whole(u)).count() as u32;
        let others = read.count() as u32 - whole;
        let mode = self.common_mode(m, |(control, _)| control);
        let bytes = multi_station_block_ack_of(whole, others, self.window(m));
        let (preamble, lasts) = plain(m, mode, bytes);
        let shape = Shape {
            kind: PpduKind::MultiBlockAck,
            down: true,
            mode: Some(mode),
            preamble,
            lasts,
            reserves: Span::ZERO,
            bytes: Some(bytes),
        };
        self.launch(m, now, &shape);
    }

    pub(super) fn after_up_answer<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        driver: &mut D,
    ) {
        for i in 0..self.active {
            let u = &self.users[i];
            if u.takes_part && u.open {
                let answered = u.heard && u.read;
                self.settle(m, now, i, answered, driver);
            }
        }
        self.finish(m, now, driver);
    }
}

/// Bytes that a station has for its access point.
pub(super) fn backlog(m: &Medium, station: super::StationId) -> u64 {
    let categories = m.stations[usize::from(station.0)].categories.iter();
    categories.map(|c| c.queue.backlog_of_all()).sum()
}
