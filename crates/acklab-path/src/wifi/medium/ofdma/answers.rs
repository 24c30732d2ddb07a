//! How stations answer data for several of them (26.4.4).

use super::super::{Medium, MediumDriver, PpduKind};
use super::Answers;
use super::launch::{Shape, plain};
use super::state::{Ofdma, Phase};
use crate::wifi::mac::sizes;
use crate::wifi::mac::triggers::{TriggerKind, block_ack_at_once, trigger};
use crate::wifi::phy::Mode;
use acklab_units::{Instant, Span};

impl Ofdma {
    /// How data for several are acknowledged.
    pub(super) fn answers(&self) -> Answers {
        self.config
            .downlink
            .map_or(Answers::default(), |d| d.answers)
    }

    /// About what the answers of `n` stations take: exact for equal modes.
    pub(super) fn time_for_answers(&self, m: &Medium, (n, window): (u32, u16), mode: Mode) -> Span {
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
                let call = m.phy.duration(m.phy.rts_mode(mode), call);
                sifs * 2 + call + self.answer_time(m, mode, window)
            }
        }
    }

    /// How long a Block Ack on the resource unit of `mode` lasts.
    fn answer_time(&self, m: &Medium, mode: Mode, window: u16) -> Span {
        let mode = self.answer_mode(self.on_smallest(mode));
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
        let reserves = m.phy.sifs() + self.answer_time(m, self.slowest(), self.window(m));
        self.send_trigger(m, now, TriggerKind::BlockAcks, reserves);
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

    /// Polls the user after that one, if there is one.
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
