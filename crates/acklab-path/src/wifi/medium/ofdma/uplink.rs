//! Which stations an access point asks or calls, and who answers (26.5.2).

use super::super::{Event, Medium, StationId};
use super::AP;
use super::state::{Member, Ofdma, Phase, User};
use crate::wifi::mac::triggers::BUFFER_STATUS;
use crate::wifi::mac::{PeerId, TxQueue};
use crate::wifi::phy::{Ru, Width};
use acklab_units::Instant;

/// A buffer status has units of 256 octets, and the most is "more than 64768" (9.2.4.5.6).
const UNIT: u64 = 256;
const MOST_UNITS: u64 = 254;

/// The buffer status that a station reports for `bytes`.
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
        self.poll_due || self.knows_any()
    }

    /// Whether some station is known to have something, and is not left to contend for itself.
    fn knows_any(&self) -> bool {
        !self.leaves && self.members.iter().any(Member::has_data_up)
    }

    /// Those who are known to have something become ready.
    pub(super) fn ready_up(&mut self) {
        self.ready.clear();
        let members = self.members.iter().enumerate();
        let known = members.filter(|(_, m)| m.has_data_up());
        self.ready.extend(known.map(|(i, _)| i));
    }

    /// How many stations a Trigger frame can call for data by name.
    pub(super) fn most_called(&self) -> u16 {
        let units = self.random_units_in(true);
        self.config.most_users.saturating_sub(units)
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
        let every = uplink.poll.every;
        let due = self.last_uplink + every;
        // Calls of others do not help whoever rests and had nothing when it was last heard of.
        let silent = |member: &Member| {
            member.reported == 0 && member.heard + every <= now && member.rests(m)
        };
        self.must_ask = self.members.iter().any(silent);
        if due > now && !self.must_ask {
            m.calendar.enter(due, Event::Poll);
            return;
        }
        m.calendar.enter(now + every, Event::Poll);
        self.poll_due = true;
        self.call(m, now);
    }

    /// Data of a station that contended for itself have arrived, with its buffer status.
    pub(super) fn note_backlog(&mut self, m: &mut Medium, now: Instant, holder: StationId) {
        if self.config.uplink.is_none() {
            return;
        }
        let bytes = backlog(m, now, holder);
        if let Some(member) = self.member(holder)
            && member.up.is_some()
        {
            member.note(now, told(bytes));
            if member.reported > 0 && self.phase == Phase::Idle {
                self.weigh(m, now);
            }
        }
    }

    /// Calls those who are known to have something, unless more arrives if they go on contending. What is heard
    /// of them then makes a poll needless.
    fn weigh(&mut self, m: &mut Medium, now: Instant) {
        let Some(uplink) = self.config.uplink else {
            return;
        };
        self.ready_up();
        let own = self.most_called();
        self.leaves = own > 0 && !self.calls_pay(m, uplink.category, own);
        if self.leaves {
            self.last_uplink = now;
            self.note_calls(m);
        } else {
            self.call(m, now);
        }
    }

    /// Asks or calls stations. Says whether that has begun.
    pub(super) fn begin_up(&mut self, m: &mut Medium, now: Instant, category: u8) -> bool {
        let Some(uplink) = self.config.uplink else {
            return false;
        };
        // A station with data may say so on resource units that belong to nobody.
        let by_chance = uplink.random.is_some_and(|r| r.for_data);
        let must = core::mem::take(&mut self.must_ask);
        let asks = must || uplink.poll.always || !(self.knows_any() || by_chance);
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
    pub(super) fn add_up(
        &mut self,
        m: &mut Medium,
        now: Instant,
        member: usize,
        ru: Ru,
        unit: Option<u16>,
    ) {
        let Some(port) = self.members[member].up else {
            return;
        };
        m.choose_rate(now, port);
        let way = &m.ports[port.0 as usize];
        let whole = way.sending.mode.with_guard(self.config.guard);
        let Ok(mode) = whole.on_ru(ru) else { return };
        let limits = way.sending.limits(super::super::sending::Room::default());
        let (station, timing) = (way.from, m.phy.timing(mode));
        let user = User::new(member, (station, port), (mode, timing), limits);
        self.add(User {
            bytes: BUFFER_STATUS,
            unit: unit.unwrap_or(0),
            random: unit.is_none(),
            ..user
        });
    }

    /// Resource units that belong to nobody in Trigger frames that ask for data, or for buffer status.
    pub(super) fn random_units_in(&self, for_data: bool) -> u16 {
        let random = self.config.uplink.and_then(|u| u.random);
        let there = random.filter(|r| r.for_data == for_data);
        there.map_or(0, |r| r.units)
    }

    /// Width of the channel, as the first station that can be called uses it.
    pub(super) fn width(&self, m: &Medium) -> Option<Width> {
        self.members.iter().find_map(|member| {
            let port = member.up?;
            Some(m.ports[port.0 as usize].sending.mode.width())
        })
    }

    /// Everybody else who has something may take a resource unit that belongs to nobody.
    pub(super) fn add_random(&mut self, m: &mut Medium, now: Instant, ru: Ru) {
        if self.random_units.1 == 0 {
            return;
        }
        for k in 0..self.members.len() {
            let called = self.active().iter().any(|u| u.member == k);
            if !called && backlog(m, now, self.members[k].station) > 0 {
                self.add_up(m, now, k, ru, None);
            }
        }
    }

    /// Lets stations answer a Trigger frame: those that have read it, are free, and were called or take
    /// their chance. Says whether there is anybody.
    pub(super) fn respond(&mut self, m: &mut Medium, now: Instant) -> bool {
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
}

/// Whether a queue has something for `peer` that a station sends when it is called.
pub(super) fn has_any(queue: &TxQueue, now: Instant, peer: PeerId) -> bool {
    queue.has_part_for(now, peer) || queue.has_request_for(now, peer)
}

/// Bytes that a station has for its access point and can send when it is called: it does not report what waits for a block
/// ack agreement.
pub(super) fn backlog(m: &Medium, now: Instant, station: StationId) -> u64 {
    let s = usize::from(station.0);
    let mut ways = m.routes[s].iter().map(|p| &m.ports[p.0 as usize]);
    let Some(way) = ways.find(|way| way.to == AP) else {
        return 0;
    };
    let queues = m.stations[s].categories.iter().map(|c| &c.queue);
    let able = queues.filter(|q| has_any(q, now, PeerId(way.peer)));
    able.map(|q| q.backlog_of_all()).sum()
}
