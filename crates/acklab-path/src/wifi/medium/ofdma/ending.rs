//! The end of an exchange of several users.

use super::super::ending::Ending;
use super::super::{Event, Medium, MediumDriver, StationId};
use super::state::{DOWN, Ofdma, Phase, UP};
use super::uplink::told;
use super::{AP, into};
use crate::wifi::mac::bitmap::distance;
use crate::wifi::mac::{Outcome, PeerId};
use acklab_units::Instant;

/// Calls in a row that a station does not answer before it is not called any more, until it is heard of again.
const MOST_SILENT: u8 = 4;

impl Ofdma {
    /// The data of a user were answered, or were not; its queue learns of it.
    pub(super) fn settle<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        i: usize,
        answered: bool,
        driver: &mut D,
    ) {
        if !core::mem::take(&mut self.users[i].open) {
            return;
        }
        let u = &self.users[i];
        let (port, category) = (u.port.0 as usize, usize::from(u.category));
        let way = &mut m.ports[port];
        let outcome = match answered {
            true => {
                let (start, bitmap) = way.recipients[category].block_ack();
                Outcome::BlockAck(start, bitmap)
            }
            false => Outcome::Nothing,
        };
        let is_acked = |seq| match outcome {
            Outcome::BlockAck(start, bitmap) => bitmap.contains(distance(start, seq)),
            _ => false,
        };
        let acked = u.psdu.mpdus.iter().filter(|m| is_acked(m.seq));
        let (count, bytes) = acked.fold((0, 0), |(n, b), m| (n + 1, b + u64::from(m.ip_bytes)));
        let mode = way.sending.mode;
        if !u.psdu.mpdus.is_empty() {
            let sent = u.psdu.mpdus.len() as u32;
            way.rate.on_result(now, mode, sent, count);
        }
        let (from, to, peer, back) = (way.from, way.to, PeerId(way.peer), way.back);
        if from != AP {
            let member = &mut self.members[u.member];
            member.reported = told(u.backlog.saturating_sub(bytes));
        }
        let airtime = self.lasted / self.active as u64;
        let queue = &mut m.stations[usize::from(from.0)].categories[category].queue;
        queue.spend_airtime(peer, airtime);
        queue.on_response(now, peer, &u.psdu, outcome, &mut into(&mut m.drops));
        if let Some(back) = back {
            let peer = PeerId(m.ports[back.0 as usize].peer);
            let queue = &mut m.stations[usize::from(to.0)].categories[category].queue;
            queue.spend_airtime(peer, airtime);
        }
        m.report_drops(now, driver);
        m.await_discipline(now, from, category as u8);
    }

    /// A station that was called has nothing more to do with the exchange.
    pub(super) fn let_go(&mut self, m: &mut Medium, now: Instant, i: usize) {
        let u = &self.users[i];
        let (station, categories) = (
            u.station,
            m.stations[usize::from(u.station.0)].categories.len(),
        );
        if m.stations[usize::from(station.0)].in_reverse {
            for category in 0..categories {
                m.release(now, station, category as u8);
            }
        }
    }

    /// The exchange is over: as a success if anybody has answered.
    pub(super) fn finish<D: MediumDriver>(&mut self, m: &mut Medium, now: Instant, driver: &mut D) {
        let exchange = m.exchange(AP);
        let up = !matches!(
            self.phase,
            Phase::DownData
                | Phase::DownTrigger
                | Phase::DownAnswers
                | Phase::DownRequest(_)
                | Phase::DownAnswer(_)
        );
        let mut answered = self.answered;
        for i in 0..self.active {
            answered |= match up {
                true => self.users[i].read,
                false => !self.users[i].open,
            };
            self.settle(m, now, i, false, driver);
            if up {
                self.after_call_of(m, now, i);
                self.let_go(m, now, i);
            }
        }
        self.note_served(if up { UP } else { DOWN }, self.lasted);
        let edcaf = &mut m.stations[0].categories[usize::from(exchange.category)];
        if answered {
            edcaf.on_success();
        } else {
            m.stats[0].failures += 1;
            edcaf.on_failure(m.config.retry_limit);
        }
        let told = self.phase == Phase::UpAnswer;
        (self.phase, self.was_up, self.active) = (Phase::Idle, up, 0);
        if up {
            self.last_uplink = now;
        }
        self.note_calls(m);
        let ending = match (answered, told) {
            (true, true) => Ending::Told,
            (true, false) => Ending::Answered,
            (false, _) => Ending::Silent,
        };
        m.conclude(now, AP, ending);
        if let Some(uplink) = self.config.uplink {
            m.want(now, AP, uplink.category);
        }
    }

    /// The consequence for a station that has sent data when it was called: the MU EDCA timer if they were
    /// acknowledged, and a new backoff if that was by chance.
    fn after_call_of(&mut self, m: &mut Medium, now: Instant, i: usize) {
        let u = &self.users[i];
        if !u.random {
            let member = &mut self.members[u.member];
            member.silent = if u.read { 0 } else { member.silent + 1 };
            if member.silent == MOST_SILENT {
                (member.silent, member.reported) = (0, 0);
            }
        }
        if !u.takes_part {
            return;
        }
        let (member, station, category) = (u.member, u.station, u.category);
        let acknowledged = u.read && u.heard && self.phase == Phase::UpAnswer;
        if u.random && matches!(self.phase, Phase::UpAnswer | Phase::UpData) {
            let collided = u64::from(!u.read);
            m.stats[usize::from(station.0)].random_collisions += collided;
            self.after_random(member, acknowledged, &mut m.rng.backoff);
        }
        let sent = !self.users[i].psdu.mpdus.is_empty();
        if acknowledged && sent {
            self.start_mu_edca(m, now, member, category);
        }
    }

    fn start_mu_edca(&mut self, m: &mut Medium, now: Instant, member: usize, category: u8) {
        let Some(mu) = self.config.uplink.and_then(|u| u.mu_edca) else {
            return;
        };
        let until = now + mu.timer;
        let member = &mut self.members[member];
        let station = member.station;
        let running = &mut member.mu_edca[usize::from(category)];
        if running.is_none() {
            m.calendar
                .enter(until, Event::MuEdcaEnds(station.0, category));
            let edcaf = &mut m.stations[usize::from(station.0)].categories[usize::from(category)];
            if mu.aifsn == 0 {
                edcaf.rests = true;
            } else {
                edcaf.config.aifsn = mu.aifsn;
                (edcaf.config.cw_min, edcaf.config.cw_max) = (mu.cw_min, mu.cw_max);
                edcaf.cw = mu.cw_min;
                let aifs = m.phy.aifs(mu.aifsn);
                m.contention.set_aifs(now, edcaf.contender, aifs);
            }
        }
        *running = Some(until);
    }
}

impl Medium {
    /// The MU EDCA timer of a station's category has run out, unless it was called again meanwhile.
    #[cold]
    pub(in super::super) fn on_mu_edca_over(
        &mut self,
        now: Instant,
        (station, category): (StationId, u8),
    ) {
        let over = self.with_ofdma(|o, m| {
            let c = usize::from(category);
            let mut members = o.members.iter_mut();
            let member = members.find(|member| member.station == station)?;
            let until = member.mu_edca[c]?;
            if until > now {
                m.calendar
                    .enter(until, Event::MuEdcaEnds(station.0, category));
                return None;
            }
            member.mu_edca[c] = None;
            Some(())
        });
        if over.is_none() {
            return;
        }
        let own = self.config.stations[usize::from(station.0)].categories[usize::from(category)];
        let edcaf = &mut self.stations[usize::from(station.0)].categories[usize::from(category)];
        if !core::mem::take(&mut edcaf.rests) {
            edcaf.config = own;
            edcaf.cw = own.cw_min;
            let aifs = self.phy.aifs(own.aifsn);
            self.contention.set_aifs(now, edcaf.contender, aifs);
        }
        self.want(now, station, category);
    }
}
