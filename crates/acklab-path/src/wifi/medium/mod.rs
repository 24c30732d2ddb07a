//! A radio channel and the stations on it.
//!
//! A medium is driven like a link: [`Medium::offer`] puts a packet into a station's queue,
//! [`Medium::advance`] hands out what has reached the other station, [`Medium::next_wakeup`] says
//! when to ask again. In between it does what the stations do: they contend ([`super::contention`]),
//! assemble what the queue holds into a PSDU ([`super::mac`]), put it on the air and wait for what
//! is answered. There is no event per slot: a frame exchange costs three, whatever number of
//! stations waits for it to end.

mod account;
mod agreements;
mod air;
mod arp;
mod books;
mod build;
mod calendar;
mod carried;
mod config;
mod delivery;
mod disciplines;
mod ears;
mod ending;
mod exchange;
mod feedback;
mod frames;
mod hearing;
mod late;
mod ledger;
mod ofdma;
mod opportunity;
mod overlap;
mod ppdu;
mod reception;
mod sending;
mod station;
mod stats;
#[cfg(test)]
mod tests;

pub use account::{Airtime, Use};

pub use config::{
    AccessCategory, AfterSilence, Aggregation, Capture, CarriedAcks, EdcaConfig, MediumConfig,
    PortConfig, RadioConfig, RateConfig, StationConfig,
};
pub use ofdma::{
    Answers, DownlinkOfdma, MuEdca, OfdmaConfig, Poll, RandomAccess, Scheduler, UplinkOfdma,
};
pub use ppdu::{Frames, Ppdu, PpduKind};
pub use stats::StationStats;

use super::contention::{Contender, Contention};
use super::mac::PeerId;
use super::neighbour::Message;
use super::phy::Phy;
use super::propagation::{Channel, ChannelStreams};
use crate::packet::{DropReason, Label, Packet, PacketId};
use account::Account;
use acklab_proto::rng::{Rng, RngCore};
use acklab_units::{Instant, Span};
use agreements::Agreements;
use air::Air;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arp::Neighbours;
use calendar::{Calendar, Event};
use feedback::FeedbackTime;
use hearing::{LOOK_EVERY, near_enough};
use ofdma::Ofdma;
use station::{Port, Station};

/// A station, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct StationId(pub u16);

/// A way from one station to another, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct PortId(pub u32);

/// Reports of a medium to its driver.
pub trait MediumDriver {
    /// Whether [`MediumDriver::on_frames`] is of interest.
    const WATCHES: bool = false;

    /// `packet` is gone, for `reason`.
    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason);

    /// `packet` joined the queue of its station; told before it is dropped for want of room, but not
    /// of what a discipline refuses.
    fn on_queued(&mut self, _now: Instant, _packet: Packet) {}

    /// `packet` is transmitted for the first time, `sojourn` after it joined the queue; if an answer
    /// carries it, the one that arrives.
    fn on_left(&mut self, now: Instant, packet: Packet, sojourn: Span);

    /// A PPDU has left the air.
    fn on_ppdu(&mut self, _ppdu: &Ppdu) {}

    /// The content of that PPDU, if anyone watches; called before [`MediumDriver::on_ppdu`].
    fn on_frames(&mut self, _ppdu: &Ppdu, _frames: Frames<'_>) {}

    /// Whether `packet` is nothing but an acknowledgement of the transport, so that an answer may
    /// carry it. A guess by its length unless the driver knows better.
    fn is_pure_ack(&self, packet: Packet) -> bool {
        packet.size <= carried::LONGEST_ACK
    }

    /// Whether `packet`, which is longer than any ACK of TCP, is nothing but feedback all the same. Asked
    /// of those only who have said so ([`Medium::expect_long_feedback`]).
    fn is_long_feedback(&self, _packet: Packet) -> bool {
        false
    }

    /// The properties by which queues tell `packet` from others.
    fn label(&self, packet: Packet) -> Label {
        Label::of(packet.flow)
    }
}

/// Streams of random numbers of a medium.
#[derive(Clone, Debug)]
pub struct MediumStreams {
    /// Backoffs.
    pub backoff: Rng,
    /// Errors of the channel.
    pub errors: Rng,
    /// Rate controls draw from streams that start from draws from this one.
    pub rates: Rng,
    /// Shadowing and fading.
    pub channel: ChannelStreams,
    /// Waits before questions for addresses.
    pub neighbours: Rng,
}

/// A radio channel with its stations.
#[derive(Debug)]
pub struct Medium {
    phy: Phy,
    config: MediumConfig,
    contention: Contention,
    /// Station and access category of each contender.
    contenders: Vec<(StationId, u8)>,
    stations: Vec<Station>,
    stats: Vec<StationStats>,
    ports: Vec<Port>,
    /// By station: the port to each of its peers.
    routes: Vec<Vec<PortId>>,
    air: Air,
    calendar: Calendar,
    account: Account,
    channel: Option<Channel>,
    capture: Option<Capture>,
    /// Without it everybody knows everybody.
    neighbours: Option<Box<Neighbours>>,
    /// Without it everybody has agreed to block acks.
    agreements: Option<Box<Agreements>>,
    /// Without it each transmission is of one user.
    ofdma: Option<Box<Ofdma>>,
    /// Disciplines are above queues, so that they may have to be looked after.
    has_disciplines: bool,
    /// When it is looked again who hears whom, if that changes.
    next_look: Option<Instant>,
    /// Exchanges that go on after a SIFS.
    in_sifs: u32,
    /// Exchanges under way.
    under_way: u32,
    exchanges: u32,
    rng: MediumStreams,
    out: VecDeque<Packet>,
    /// The arrivals since the last call, while the caller was late.
    late: VecDeque<Packet>,
    /// The instant up to which everything has happened.
    reached: Instant,
    /// When something happens next. Whoever drives a medium asks after each call, and so does each packet that is
    /// offered.
    due: Option<Instant>,
    winners: Vec<Contender>,
    drops: Vec<(Packet, DropReason)>,
    feedback: FeedbackTime,
    offered: u64,
    left: u64,
}

impl Medium {
    /// A packet for the far end of `port`, under access category number `category` of its station. What
    /// was due before `now` happens first.
    pub fn offer<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        packet: Packet,
        driver: &mut D,
    ) {
        if self.next_wakeup().is_some_and(|due| due < now) {
            self.catch_up(now, driver);
        }
        self.reached = now;
        self.offered += 1;
        if self.neighbours.is_none() || self.knows(now, port, (category, packet), driver) {
            self.admit(now, port, category, packet, driver);
        }
        self.due = self.find_due();
    }

    /// The same for a packet whose addressee is known.
    #[inline(always)]
    fn admit<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        packet: Packet,
        driver: &mut D,
    ) {
        let way = &self.ports[port.0 as usize];
        let (from, peer) = (way.from, PeerId(way.peer));
        let keep = way.promised == Some(category) && driver.is_pure_ack(packet);
        let station = &mut self.stations[usize::from(from.0)];
        let queue = &mut station.categories[usize::from(category)].queue;
        let label = match queue.reads_labels() {
            true => driver.label(packet),
            false => Label::default(),
        };
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let joins = match keep {
            true => queue.enqueue_kept(now, peer, (packet, label), on_drop),
            false => queue.enqueue(now, peer, (packet, label), on_drop),
        };
        if joins {
            driver.on_queued(now, packet);
        }
        self.report_drops(now, driver);
        if keep {
            self.remind(now, port, category);
        }
        self.want(now, from, category);
        self.await_discipline(now, from, category);
        self.note_use(now);
    }

    /// Takes a waiting packet out of the queues of the station that `port` leaves, if it is still
    /// there.
    pub fn remove(&mut self, port: PortId, id: PacketId) -> Option<Packet> {
        let Port { from, .. } = self.ports[port.0 as usize];
        let station = &mut self.stations[usize::from(from.0)];
        let mut queues = station.categories.iter_mut().map(|c| &mut c.queue);
        let gone = queues.find_map(|q| q.remove(id));
        self.left += u64::from(gone.is_some());
        gone
    }

    /// Lets `by`, which is as long and of the same flow, take the place of a waiting packet in the
    /// queues of the station that `port` leaves; that one comes out, if it is still there.
    pub fn replace(
        &mut self,
        now: Instant,
        port: PortId,
        id: PacketId,
        by: Packet,
    ) -> Option<Packet> {
        let Port { from, .. } = self.ports[port.0 as usize];
        let station = &mut self.stations[usize::from(from.0)];
        let mut queues = station.categories.iter_mut().map(|c| &mut c.queue);
        let old = queues.find_map(|q| q.replace(now, id, by))?;
        self.offered += 1;
        self.left += 1;
        self.check(now);
        Some(old)
    }

    /// The next packet that has reached its station at or before `now`; to be called until `None`. What
    /// is due happens at its own instant, however late the call comes.
    ///
    /// Inlined with what an event passes through: it is called twice for each.
    #[inline(always)]
    pub fn advance<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) -> Option<Packet> {
        loop {
            if let Some(packet) = self.out.pop_front() {
                if let Some(message) = Message::of(packet) {
                    self.on_message(self.reached, message, driver);
                    self.note_use(self.reached);
                    self.due = self.find_due();
                    continue;
                }
                self.left += 1;
                self.check(self.reached);
                return Some(packet);
            }
            let due = self.next_wakeup().filter(|due| *due <= now)?;
            self.run_one(due, driver);
            self.due = self.find_due();
        }
    }

    /// Does the next thing that is due at `now`; nothing is before.
    #[inline(always)]
    fn run_one<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        self.reached = now;
        let turn = |c: &Contention| c.next_wakeup().is_some_and(|at| at <= now);
        if self.calendar.lets_start(now) && turn(&self.contention) {
            self.grant(now, driver);
        } else if let Some(event) = self.calendar.pop(now) {
            self.on_event(now, event, driver);
        }
        self.note_use(now);
    }

    /// When [`Medium::advance`] must be called next.
    #[inline]
    pub fn next_wakeup(&self) -> Option<Instant> {
        debug_assert_eq!(self.due, self.find_due(), "something changed unnoticed");
        self.due
    }

    #[inline]
    fn find_due(&self) -> Option<Instant> {
        Instant::earliest(self.calendar.next(), self.contention.next_wakeup())
    }

    /// Inlined for the reason given at [`Medium::advance`].
    #[inline(always)]
    fn on_event<D: MediumDriver>(&mut self, now: Instant, event: Event, driver: &mut D) {
        match event {
            Event::PpduEnds(number) => self.on_ppdu_end(now, number, driver),
            Event::Continue(holder) => self.go_on(now, StationId(holder), driver),
            Event::KeptLong(port, category) => {
                self.lose_patience(now, PortId(port), category, driver);
            }
            Event::Ready(station, category) => {
                self.on_ready(now, StationId(station), category, driver);
            }
            Event::MpduEnds(number) => self.on_mpdu_end(now, number),
            Event::NavTimeout(from, end, until) => {
                let rts = (StationId(from), end, until);
                self.air.on_nav_timeout(now, rts, &mut self.contention);
            }
            Event::Timeout(holder, number) => {
                self.on_timeout(now, StationId(holder), number, driver);
            }
            Event::Ask(port) => self.ask(now, PortId(port), driver),
            Event::Told(port, category, action) => {
                self.on_told(now, (PortId(port), category), action, driver);
            }
            Event::NoResponse(port, category) => {
                self.on_no_response(now, PortId(port), category, driver);
            }
            Event::WaitReply(station) => self.on_wait_over(now, StationId(station), driver),
            Event::Poll => self.on_poll_due(now),
            Event::MuEdcaEnds(station, category) => {
                self.on_mu_edca_over(now, (StationId(station), category));
            }
        }
    }

    /// Lets a station contend if it has something to send and does not yet.
    fn want(&mut self, now: Instant, station: StationId, category: u8) {
        let edcaf = &mut self.stations[usize::from(station.0)].categories[usize::from(category)];
        if edcaf.wants() {
            let (cw, rng) = (edcaf.cw, &mut self.rng.backoff);
            if self.contention.join(now, edcaf.contender, || draw(rng, cw)) {
                edcaf.wants_since = now;
                self.air.ledger.contend(now, station, true);
            }
        }
    }

    #[inline]
    fn report_drops<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        if !self.drops.is_empty() {
            self.tell_of_drops(now, driver);
        }
    }

    #[cold]
    fn tell_of_drops<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        let mut drops = core::mem::take(&mut self.drops);
        for (packet, reason) in drops.drain(..) {
            if let Some(message) = Message::of(packet) {
                self.lose(message);
                continue;
            }
            self.left += 1;
            driver.on_drop(now, packet, reason);
        }
        self.drops = drops;
    }

    /// Stations that move may hear others than before.
    fn look_around(&mut self, now: Instant) {
        if self.next_look.is_none_or(|next| now < next) || !self.air.is_free() {
            return;
        }
        let (n, mode) = (self.stations.len(), self.phy.slowest());
        if let Some(channel) = &self.channel {
            self.air.change(&near_enough(now, channel, n, mode));
        }
        self.next_look = Some(now + LOOK_EVERY);
    }

    /// Some category of `station` may have nothing more to contend for.
    fn note_rest(&mut self, now: Instant, station: StationId) {
        let contends = self.contends(station);
        self.air.ledger.contend(now, station, contends);
    }

    /// Whether a category of `station` waits for its slot.
    fn contends(&self, station: StationId) -> bool {
        let mut all = self.stations[usize::from(station.0)].categories.iter();
        all.any(|c| self.contention.contends(c.contender))
    }
}

/// A backoff: uniform from 0 to `cw`.
fn draw(rng: &mut Rng, cw: u16) -> u32 {
    let range = u64::from(cw) + 1;
    ((u64::from(rng.next_u32()) * range) >> 32) as u32
}
