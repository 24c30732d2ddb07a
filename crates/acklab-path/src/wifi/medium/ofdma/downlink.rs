//! Data for several stations at once, and their answers (26.4.4).

use super::super::{Medium, MediumDriver, PpduKind, Use};
use super::launch::{Shape, plain};
use super::state::{DOWN, Ofdma, Phase, User};
use super::{AP, Answers, into};
use crate::wifi::mac::sizes::{self, DELIMITER, padded};
use crate::wifi::mac::triggers::{TriggerKind, block_ack_at_once, trigger};
use crate::wifi::mac::{PeerId, Psdu};
use crate::wifi::neighbour::Message;
use crate::wifi::phy::{Mode, Ru, SharedData, SigBMcs, SigBUsers};
use acklab_units::{Instant, Span};

impl Ofdma {
    /// Serves several stations that the access point has something for under `category`, if there are several
    /// and it pays. Says whether that has begun.
    pub(super) fn begin_down<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        category: u8,
        driver: &mut D,
    ) -> bool {
        // What goes before data goes to one station alone.
        let queue = &mut m.stations[0].categories[usize::from(category)].queue;
        let first = queue.select(now, &mut into(&mut m.drops));
        m.report_drops(now, driver);
        m.await_discipline(now, AP, category);
        let queue = &m.stations[0].categories[usize::from(category)].queue;
        if first.is_none_or(|peer| !queue.has_part_for(now, peer)) {
            return false;
        }
        self.ready.clear();
        for i in 0..self.members.len() {
            if self.has_part(m, now, i, category) {
                self.ready.push(i);
            }
        }
        if self.ready.len() < 2 {
            return false;
        }
        for i in 0..self.ready.len() {
            if let Some(port) = self.members[self.ready[i]].down {
                m.choose_rate(now, port);
            }
        }
        let Some(ru) = self.choose(m, (DOWN, category), self.config.most_users, false) else {
            return false;
        };
        self.build_down(m, now, (category, ru), driver);
        if self.active == 0 {
            return false;
        }
        let port = self.users[0].port;
        self.open(m, now, category, port);
        m.stats[0].multi_user += 1;
        self.send_down(m, now);
        true
    }

    /// Puts the data of those who were chosen together.
    fn build_down<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        (category, ru): (u8, Ru),
        driver: &mut D,
    ) {
        self.active = 0;
        let n = self.ready.len() as u32;
        let extra = match self.answers() {
            Answers::Aggregated => padded(DELIMITER + trigger(TriggerKind::BlockAcks, 1, 0)),
            Answers::Sequence | Answers::MuBar => 0,
        };
        for k in 0..self.ready.len() {
            let member = self.ready[k];
            let Some(port) = self.members[member].down else {
                continue;
            };
            let way = &m.ports[port.0 as usize];
            let Ok(mode) = way.sending.mode.on_ru(ru) else {
                continue;
            };
            let mut limits = way.sending.limits(super::super::sending::Room::default());
            let timing = m.phy.timing(mode);
            let symbols = self.symbols_down(m, category, (n, way.config.aggregation.window), mode);
            let most = timing.bytes_in(symbols).saturating_sub(extra);
            limits.max_psdu = limits.max_psdu.min(most);
            let (peer, station) = (PeerId(way.peer), way.to);
            let unit = k as u16;
            self.add(|psdu| User {
                member,
                station,
                port,
                category,
                unit,
                mode,
                timing,
                limits,
                psdu: psdu.unwrap_or_default(),
                number: 0,
                use_of: Use::Data,
                bytes: 0,
                reading: Default::default(),
                random: false,
                takes_part: true,
                heard: false,
                read: false,
                open: true,
                backlog: 0,
            });
            let u = &mut self.users[self.active - 1];
            let queue = &mut m.stations[0].categories[usize::from(category)].queue;
            queue.build_part(now, peer, &limits, &mut u.psdu, &mut into(&mut m.drops));
            tell_left(m, now, (0, category, peer), &u.psdu, driver);
            m.report_drops(now, driver);
            if u.psdu.is_empty() {
                self.active -= 1;
                continue;
            }
            u.bytes = padded_with(u.psdu.bytes, extra);
            u.use_of = m.use_of((port, category), &u.psdu, driver);
            let retries = u.psdu.mpdus.iter().filter(|m| m.repeated).count();
            m.stats[0].on_data(u.psdu.mpdus.len(), retries);
        }
        m.await_discipline(now, AP, category);
    }

    /// How HE-SIG-B is sent if `slowest` is the slowest mode of its users.
    pub(super) fn sig_b(&self, slowest: Mode) -> SigBMcs {
        let own = SigBMcs::new(slowest.mcs().min(5));
        self.config.sig_b.or(own).unwrap_or_default()
    }

    fn answers(&self) -> Answers {
        self.config
            .downlink
            .map_or(Answers::default(), |d| d.answers)
    }

    /// How many symbols data for `n` stations may last.
    fn symbols_down(&self, m: &Medium, category: u8, (n, window): (u32, u16), mode: Mode) -> u32 {
        let guard = mode.guard().unwrap_or(self.config.guard);
        let sig = SigBUsers::even(mode.width(), n);
        let preamble = m
            .phy
            .mu_preamble(sig, self.sig_b(mode), mode.streams(), guard);
        let longest = m.phy.max_time(mode).unwrap_or(Span::from_micros(5_484));
        let txop = m.stations[0].categories[usize::from(category)].config.txop;
        let left = match txop.is_zero() {
            true => longest,
            false => longest.min(txop.saturating_sub(self.time_for_answers(m, (n, window), mode))),
        };
        self.symbols_within(m, mode, left, preamble)
    }

    /// About what the answers of `n` stations take: exact for equal modes.
    fn time_for_answers(&self, m: &Medium, (n, window): (u32, u16), mode: Mode) -> Span {
        let sifs = m.phy.sifs();
        let control = m.phy.response_mode(mode);
        let alone = m.phy.duration(control, sizes::block_ack(window));
        let request = m.phy.duration(control, sizes::BLOCK_ACK_REQ);
        match self.answers() {
            Answers::Sequence => {
                (alone + sifs) * u64::from(n) + (request + sifs) * u64::from(n - 1)
            }
            Answers::Aggregated => sifs + self.answer_time(m, mode, window),
            Answers::MuBar => {
                let call = trigger(TriggerKind::BlockAcks, n, 0);
                sifs * 2 + m.phy.duration(control, call) + self.answer_time(m, mode, window)
            }
        }
    }

    /// How long a Block Ack on the resource unit of `mode` lasts.
    fn answer_time(&self, m: &Medium, mode: Mode, window: u16) -> Span {
        let mode = self.answer_mode(mode);
        let data = m.phy.shared_data(&[(mode, block_ack_at_once(window))]);
        let preamble = m.phy.tb_preamble(mode.streams(), self.config.guard);
        preamble + data.map_or(Span::ZERO, |d| d.duration())
    }

    /// How a station answers data in `mode` on its resource unit.
    fn answer_mode(&self, mode: Mode) -> Mode {
        let highest = self.config.downlink.map_or(0, |d| d.answer_mcs);
        let mcs = mode.mcs().min(highest);
        let slower = Mode::he(mcs, mode.streams(), mode.width(), self.config.guard);
        let on_ru = slower
            .ok()
            .zip(mode.ru())
            .and_then(|(s, ru)| s.on_ru(ru).ok());
        on_ru.unwrap_or(mode)
    }

    fn send_down(&mut self, m: &mut Medium, now: Instant) {
        self.phase = Phase::DownData;
        let mut lengths = core::mem::take(&mut self.lengths);
        lengths.clear();
        lengths.extend(self.active().iter().map(|u| (u.mode, u.bytes)));
        let data = m
            .phy
            .shared_data(&lengths)
            .map_or(Span::ZERO, |d: SharedData| d.duration());
        self.lengths = lengths;
        let streams = self
            .active()
            .iter()
            .map(|u| u.mode.streams())
            .max()
            .unwrap_or(1);
        let first = self.users[0].mode;
        let guard = first.guard().unwrap_or(self.config.guard);
        let sig = SigBUsers::even(first.width(), self.active as u32);
        let slowest = self
            .active()
            .iter()
            .map(|u| u.mode)
            .min_by_key(|mode| mode.mcs());
        let slowest = slowest.unwrap_or(first);
        let preamble = m.phy.mu_preamble(sig, self.sig_b(slowest), streams, guard);
        let lasts = preamble + data;
        self.lasted = lasts;
        for i in 0..self.active {
            let u = &self.users[i];
            if u.use_of == Use::TransportAck {
                let share = (lasts + m.config.propagation) / self.active as u64;
                m.book_feedback_of((u.port, u.category), &u.psdu, share);
            }
        }
        let reserves =
            self.time_for_answers(m, (self.active as u32, self.window(m)), self.users[0].mode);
        self.launch(
            m,
            now,
            &Shape {
                kind: PpduKind::Data,
                down: true,
                mode: None,
                preamble,
                lasts,
                reserves,
                bytes: None,
            },
        );
    }

    pub(super) fn after_down_data(&mut self, m: &mut Medium, now: Instant) {
        for u in self.active_mut() {
            u.read = u.heard;
        }
        match self.answers() {
            Answers::MuBar => self.pause(m, now, Phase::DownTrigger),
            Answers::Aggregated => {
                self.answer_if_any(m, now);
            }
            Answers::Sequence => {
                self.active_mut()
                    .iter_mut()
                    .for_each(|u| u.takes_part = false);
                self.await_answer(m, now, 0);
            }
        }
    }

    /// Those who have heard that they are called answer after a SIFS.
    fn answer_if_any(&mut self, m: &mut Medium, now: Instant) {
        let mut any = false;
        for i in 0..self.active {
            let heard = self.users[i].heard && self.may_answer(m, i);
            self.users[i].takes_part = heard;
            any |= heard;
        }
        if any {
            self.pause(m, now, Phase::DownAnswers);
        } else {
            self.wait_in_vain(m, now);
        }
    }

    /// Whether a station that was called is free to answer: it has no exchange of its own. A NAV that frames of
    /// its own network have set does not bind it (26.5.2.5), and there is no other network.
    pub(super) fn may_answer(&self, m: &Medium, i: usize) -> bool {
        let station = self.users[i].station;
        m.is_free(station) && !m.air.is_sending(station)
    }

    pub(super) fn send_bar_trigger(&mut self, m: &mut Medium, now: Instant) {
        self.active_mut()
            .iter_mut()
            .for_each(|u| u.takes_part = true);
        let mode = self.common_mode(m, |(_, rts)| rts);
        let bytes = trigger(TriggerKind::BlockAcks, self.active as u32, 0);
        let (preamble, lasts) = plain(m, mode, bytes);
        let reserves = m.phy.sifs() + self.answer_time(m, self.users[0].mode, self.window(m));
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

    pub(super) fn after_bar_trigger(&mut self, m: &mut Medium, now: Instant) {
        self.answer_if_any(m, now);
    }

    pub(super) fn send_answers(&mut self, m: &mut Medium, now: Instant) {
        let mut lengths = core::mem::take(&mut self.lengths);
        lengths.clear();
        for i in 0..self.active {
            let mode = self.answer_mode(self.users[i].mode);
            let u = &mut self.users[i];
            u.mode = mode;
            if u.takes_part {
                let window = m.ports[u.port.0 as usize].config.aggregation.window;
                u.bytes = block_ack_at_once(window);
                lengths.push((mode, u.bytes));
            }
        }
        let data = m
            .phy
            .shared_data(&lengths)
            .map_or(Span::ZERO, |d| d.duration());
        let streams = lengths.iter().map(|(mode, _)| mode.streams()).max();
        self.lengths = lengths;
        let preamble = m.phy.tb_preamble(streams.unwrap_or(1), self.config.guard);
        let shape = Shape {
            kind: PpduKind::BlockAck,
            down: false,
            mode: None,
            preamble,
            lasts: preamble + data,
            reserves: Span::ZERO,
            bytes: None,
        };
        self.launch(m, now, &shape);
    }

    pub(super) fn after_answers<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        driver: &mut D,
    ) {
        for i in 0..self.active {
            if self.users[i].takes_part && self.users[i].heard {
                self.settle(m, now, i, true, driver);
            }
        }
        self.finish(m, now, driver);
    }

    /// The answer of that user to its data, or to the request for it, follows if it has read them.
    fn await_answer(&mut self, m: &mut Medium, now: Instant, user: u16) {
        let i = usize::from(user);
        self.phase = Phase::DownAnswer(user);
        if self.users[i].heard && self.may_answer(m, i) {
            self.pause(m, now, Phase::DownAnswer(user));
        } else {
            self.wait_in_vain(m, now);
        }
    }

    /// Only that user has to do with what follows.
    fn only(&mut self, user: u16) {
        for (i, u) in (0..).zip(self.active_mut()) {
            u.takes_part = i == user;
        }
    }

    /// Those of the sequence who come after that user.
    fn rest_of_sequence(&self, m: &Medium, user: u16) -> Span {
        let after = (self.active as u64).saturating_sub(u64::from(user) + 1);
        let sending = &m.ports[self.users[0].port.0 as usize].sending;
        let request = m.phy.duration(sending.control, sizes::BLOCK_ACK_REQ);
        (request + sending.block_ack + m.phy.sifs() * 2) * after
    }

    pub(super) fn send_request(&mut self, m: &mut Medium, now: Instant, user: u16) {
        self.only(user);
        let sending = &m.ports[self.users[usize::from(user)].port.0 as usize].sending;
        let (mode, answer) = (sending.control, sending.block_ack);
        let (preamble, lasts) = plain(m, mode, sizes::BLOCK_ACK_REQ);
        let shape = Shape {
            kind: PpduKind::BlockAckRequest,
            down: true,
            mode: Some(mode),
            preamble,
            lasts,
            reserves: m.phy.sifs() + answer + self.rest_of_sequence(m, user),
            bytes: Some(sizes::BLOCK_ACK_REQ),
        };
        self.launch(m, now, &shape);
    }

    pub(super) fn after_request(&mut self, m: &mut Medium, now: Instant, user: u16) {
        self.await_answer(m, now, user);
    }

    pub(super) fn send_answer(&mut self, m: &mut Medium, now: Instant, user: u16) {
        self.only(user);
        let way = &m.ports[self.users[usize::from(user)].port.0 as usize];
        let bytes = sizes::block_ack(way.config.aggregation.window);
        let mode = way.sending.control;
        let (preamble, lasts) = plain(m, mode, bytes);
        let shape = Shape {
            kind: PpduKind::BlockAck,
            down: false,
            mode: Some(mode),
            preamble,
            lasts,
            reserves: self.rest_of_sequence(m, user),
            bytes: Some(bytes),
        };
        self.launch(m, now, &shape);
    }

    pub(super) fn after_answer<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        user: u16,
        driver: &mut D,
    ) {
        if self.users[usize::from(user)].heard {
            self.settle(m, now, usize::from(user), true, driver);
        }
        self.ask_next(m, now, user, driver);
    }

    /// The user after that one is asked, if there is one.
    pub(super) fn ask_next<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        user: u16,
        driver: &mut D,
    ) {
        if usize::from(user) + 1 < self.active {
            self.pause(m, now, Phase::DownRequest(user + 1));
        } else {
            self.finish(m, now, driver);
        }
    }
}

/// A PSDU of `bytes` with `extra` bytes behind it.
fn padded_with(bytes: u32, extra: u32) -> u32 {
    if extra == 0 {
        bytes
    } else {
        padded(bytes) + extra
    }
}

/// Tells the driver which packets of `psdu` are sent for the first time.
pub(super) fn tell_left<D: MediumDriver>(
    m: &Medium,
    now: Instant,
    (station, category, peer): (usize, u8, PeerId),
    psdu: &Psdu,
    driver: &mut D,
) {
    let queue = &m.stations[station].categories[usize::from(category)].queue;
    for mpdu in psdu.mpdus.iter().filter(|m| m.retries == 0) {
        for (packet, joined) in queue.packets_of(peer, mpdu.seq) {
            if Message::of(packet).is_none() {
                driver.on_left(now, packet, now - joined);
            }
        }
    }
}
