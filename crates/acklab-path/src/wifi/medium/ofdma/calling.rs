//! Stations are called for data, send them, and are answered (26.5.2, 26.4.4.5).

use super::super::{Medium, MediumDriver, PpduKind, Use};
use super::choice::{LEAST_PSDU, USUAL, longest_ppdu, psdu_of_way, symbols_within};
use super::downlink::tell_left;
use super::launch::{Shape, plain};
use super::state::{Ofdma, Phase, UP, User};
use super::uplink::{backlog, has_any, told};
use super::{AP, into};
use crate::wifi::mac::sizes::DELIMITER;
use crate::wifi::mac::triggers::{
    BUFFER_STATUS, TriggerKind, multi_station_block_ack, multi_station_block_ack_of,
};
use crate::wifi::mac::{Content, PeerId};
use crate::wifi::phy::Ru;
use acklab_units::{Instant, Span};

/// Shorter data are not called for in what is left of a transmission opportunity.
const SHORTEST: Span = Span::from_micros(500);

impl Ofdma {
    /// The stations that are called for data, and how long they may send.
    pub(super) fn add_called(&mut self, m: &mut Medium, now: Instant, category: u8) -> bool {
        self.active = 0;
        self.ready_up();
        let units = self.random_units_in(true);
        let own = self.most_called();
        if own == 0 {
            self.ready.clear();
        }
        let mut ru = match self.ready.is_empty() {
            true => None,
            false => self.choose(m, (UP, category), own),
        };
        self.leaves = ru.is_none() && !self.ready.is_empty();
        if units > 0 {
            let all = self.ready.len() as u32 + u32::from(units);
            ru = self.width(m).and_then(|width| Ru::largest_for(all, width));
        }
        let Some(ru) = ru else { return false };
        for k in 0..self.ready.len() {
            let ru = self.unit_of(k, ru);
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
        let left = longest_ppdu(m, first.mode, category, self.around_data(m));
        let most = symbols_within(m, first.mode, left, preamble);
        let needs = |u: &User| {
            // By chance a packet of the usual size.
            let known = match u.random {
                true => USUAL,
                false => self.members[u.member].expected(),
            };
            let psdu = psdu_of_way(&m.ports[u.port.0 as usize], known);
            u.timing.symbols(psdu.max(LEAST_PSDU) as u32)
        };
        let wanted = self.active().iter().map(needs).max().unwrap_or(1);
        self.symbols = wanted.min(most).max(1);
    }

    /// The time before and behind the data in an exchange: the Trigger frame, the answer, two SIFS.
    fn around_data(&self, m: &Medium) -> Span {
        let (mode, bytes) = self.trigger(m, TriggerKind::Basic);
        m.phy.duration(mode, bytes) + m.phy.sifs() + self.answer_takes(m)
    }

    /// SIFS and the longest Multi-STA BlockAck: each resource unit may have lost something.
    fn answer_takes(&self, m: &Medium) -> Span {
        let own = self.active().iter().filter(|u| !u.random).count() as u32;
        let units = own + u32::from(self.random_units.1);
        let mode = self.common_mode(m, |(control, _)| control);
        let bytes = multi_station_block_ack(units, self.window(m));
        m.phy.sifs() + m.phy.duration(mode, bytes)
    }

    /// Whether there is time for data in what is left of a transmission opportunity that is limited.
    pub(super) fn room_for_call(&self, m: &Medium, now: Instant, category: u8) -> bool {
        let edca = m.stations[0].categories[usize::from(category)].config;
        let until = m.exchange(AP).until;
        edca.txop.is_zero() || now + self.around_data(m) + SHORTEST < until
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
        u.backlog = backlog(m, now, u.station);
        let mut all = m.stations[s].categories.iter();
        if let Some(category) = all.position(|c| has_any(&c.queue, now, peer)) {
            u.category = category as u8;
            u.limits.strict = true;
            u.limits.max_psdu = u.timing.bytes_in(self.symbols).min(u.limits.max_psdu);
            let queue = &mut m.stations[s].categories[category].queue;
            queue.build_part(now, peer, &u.limits, &mut u.psdu, &mut into(&mut m.drops));
            u.open = !u.psdu.is_empty();
            tell_left(m, now, (s, u.category, peer), &u.psdu, driver);
            m.report_drops(now, driver);
            m.await_discipline(now, u.station, u.category);
            if matches!(u.psdu.content, Content::Bar(_)) && u.open {
                // Alone in an A-MPDU.
                u.bytes = DELIMITER + u.psdu.bytes;
            } else if u.open {
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
                self.members[u.member].note(now, told(u.backlog));
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
        let is_whole = |u: &User| {
            !matches!(u.psdu.content, Content::Bar(_)) && u.reading.lost_none(u.psdu.mpdus.len())
        };
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
