//! Data for several stations at once (26.4.4).

use super::super::{Medium, MediumDriver, PpduKind, Use};
use super::choice::{longest_ppdu, symbols_within};
use super::launch::Shape;
use super::state::{DOWN, Ofdma, Phase, User};
use super::{AP, Answers, into};
use crate::wifi::mac::sizes::{DELIMITER, padded};
use crate::wifi::mac::triggers::{TriggerKind, trigger};
use crate::wifi::mac::{PeerId, Psdu};
use crate::wifi::neighbour::Message;
use crate::wifi::phy::{Mode, Ru, SigBMcs};
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
        // The protection before data goes to one station alone.
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
        let Some(ru) = self.choose(m, (DOWN, category), self.config.most_users) else {
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
        (self.active, self.random_units) = (0, (0, 0));
        let n = self.ready.len() as u32;
        let extra = match self.answers() {
            Answers::Aggregated => DELIMITER + trigger(TriggerKind::BlockAcks, 1, 0),
            Answers::Sequence | Answers::MuBar => 0,
        };
        for k in 0..self.ready.len() {
            let member = self.ready[k];
            let Some(port) = self.members[member].down else {
                continue;
            };
            let way = &m.ports[port.0 as usize];
            let Ok(mode) = way.sending.mode.on_ru(self.unit_of(k, ru)) else {
                continue;
            };
            let mut limits = way.sending.limits(super::super::sending::Room::default());
            let timing = m.phy.timing(mode);
            let symbols = self.symbols_down(m, category, (n, way.config.aggregation.window), mode);
            let most = timing.bytes_in(symbols).saturating_sub(extra);
            limits.max_psdu = limits.max_psdu.min(most);
            let (peer, station) = (PeerId(way.peer), way.to);
            self.add(User {
                category,
                unit: k as u16,
                open: true,
                ..User::new(member, (station, port), (mode, timing), limits)
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

    /// Whether the access point has data for that member that may be a part of a transmission for several.
    fn has_part(&self, m: &Medium, now: Instant, member: usize, category: u8) -> bool {
        let Some(port) = self.members[member].down else {
            return false;
        };
        let peer = PeerId(m.ports[port.0 as usize].peer);
        let queue = &m.stations[0].categories[usize::from(category)].queue;
        queue.has_part_for(now, peer)
    }

    /// The mode of the slowest of those in the exchange.
    pub(super) fn slowest(&self) -> Mode {
        let modes = self.active().iter().map(|u| u.mode);
        let slowest = modes.min_by_key(|mode| mode.mcs());
        slowest.expect("somebody is in the exchange")
    }

    /// How many symbols data for `n` stations may last.
    fn symbols_down(&self, m: &Medium, category: u8, (n, window): (u32, u16), mode: Mode) -> u32 {
        let guard = mode.guard().unwrap_or(self.config.guard);
        let sig = self.sig_b_users(mode.width(), n);
        let preamble = m
            .phy
            .mu_preamble(sig, self.sig_b(mode), mode.streams(), guard);
        let answers = self.time_for_answers(m, (n, window), mode);
        let left = longest_ppdu(m, mode, category, answers);
        symbols_within(m, mode, left, preamble)
    }

    fn send_down(&mut self, m: &mut Medium, now: Instant) {
        self.phase = Phase::DownData;
        let mut lengths = core::mem::take(&mut self.lengths);
        lengths.clear();
        lengths.extend(self.active().iter().map(|u| (u.mode, u.bytes)));
        let data = m
            .phy
            .shared_data(&lengths)
            .map_or(Span::ZERO, |d| d.duration());
        self.lengths = lengths;
        let streams = self.streams();
        let first = self.users[0].mode;
        let guard = first.guard().unwrap_or(self.config.guard);
        let sig = self.sig_b_users(first.width(), self.active as u32);
        let preamble = m
            .phy
            .mu_preamble(sig, self.sig_b(self.slowest()), streams, guard);
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
            self.time_for_answers(m, (self.active as u32, self.window(m)), self.slowest());
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
