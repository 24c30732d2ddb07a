//! Stations are polled for their buffer status (BSRP), and report it (26.5.5).

use super::super::{Medium, MediumDriver, PpduKind};
use super::AP;
use super::launch::Shape;
use super::state::{Ofdma, POLL, Phase};
use super::uplink::{backlog, told};
use crate::wifi::mac::triggers::{BUFFER_STATUS, TriggerKind};
use crate::wifi::phy::Ru;
use acklab_units::{Instant, Span};

impl Ofdma {
    /// The stations that are polled, in turn, and those that may answer at random.
    pub(super) fn add_polled(&mut self, m: &mut Medium, now: Instant) -> bool {
        self.active = 0;
        let units = self.random_units_in(false);
        let Some(width) = self.width(m) else {
            return false;
        };
        let n = self.members.len();
        let able = self.members.iter().filter(|m| m.up.is_some()).count() as u32;
        let own = able.min(u32::from(self.config.most_users.saturating_sub(units)));
        let Some(ru) = Ru::largest_for(own + u32::from(units), width) else {
            return false;
        };
        let turn = self.turns[POLL];
        for k in (0..n).map(|k| (turn + k) % n) {
            if self.active as u32 == own {
                break;
            }
            let unit = self.active as u16;
            let ru = self.unit_of(usize::from(unit), ru);
            self.add_up(m, now, k, ru, Some(unit));
            self.turns[POLL] = (k + 1) % n;
        }
        self.random_units = (self.active as u16, units);
        self.add_random(m, now, ru);
        self.active > 0
    }

    fn reports_take(&self, m: &Medium) -> (Span, Span) {
        let preamble = m.phy.tb_preamble(self.streams(), self.config.guard);
        let slowest = self.active().iter().min_by_key(|u| u.mode.rate());
        let data = slowest.and_then(|u| m.phy.shared_data(&[(u.mode, BUFFER_STATUS)]));
        let lasts = preamble + data.map_or(Span::ZERO, |d| d.duration());
        (preamble, lasts)
    }

    pub(super) fn send_poll(&mut self, m: &mut Medium, now: Instant) {
        self.phase = Phase::Poll;
        m.stats[0].polls += 1;
        let reserves = m.phy.sifs() + self.reports_take(m).1;
        self.send_trigger(m, now, TriggerKind::BufferStatus, reserves);
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
            u.backlog = backlog(m, now, u.station);
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
            let u = &mut self.users[i];
            if !u.takes_part {
                continue;
            }
            u.read = u.heard;
            let (member, random, read) = (u.member, u.random, u.heard);
            if read {
                self.members[member].note(now, told(u.backlog));
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
}
