//! A real queue discipline in front of the transmitter, and a line on which packets may overtake.
//!
//! The discipline is polled for the instant at which the transmitter becomes free, but the call is
//! made later, when somebody looks: before an arrival, before a delivery. No packet can reach the
//! far end earlier than one propagation delay after its service begins, so that is soon enough for
//! the next wake.

use super::delay_line::DelayLine;
use super::entrance::{Entrance, count_drop};
use super::transmitter::Transmitter;
use super::{LinkConfig, LinkDriver, LinkStats, pauses};
use crate::ack_filter::AckFilter;
use crate::impair::{Chance, Jitter, LinkStreams, Pauses};
use crate::packet::{DropReason, Packet, PacketId};
use crate::qdisc::{self, Enqueue, QueueDisc};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;

#[derive(Debug)]
pub(super) struct Queued {
    tx: Transmitter,
    qdisc: Box<dyn QueueDisc>,
    delay: Span,
    jitter: Option<Jitter>,
    exit: Option<Box<Pauses>>,
    reorder: Chance,
    reorder_delay: Span,
    duplicate: Chance,
    line: DelayLine,
    /// When the discipline is to be asked next; `None` while it has nothing to give.
    service_at: Option<Instant>,
    /// When the discipline's timer runs out.
    timer_at: Option<Instant>,
    /// When the packet of that number joined the queue.
    entered: Vec<Instant>,
    /// Marks of the discipline that are in the link's counters.
    marked: u64,
    /// The packets that the discipline dropped at the last call.
    dropped: Vec<(Packet, DropReason)>,
    /// A packet that arrives when a service begins finds the queue as it was before.
    pub arrivals_first: bool,
}

/// The surroundings of the queue: the filter in front, the link's entrance, its counters, its driver.
pub(super) struct Around<'a, D> {
    pub watcher: Option<&'a mut Box<dyn AckFilter>>,
    pub entrance: Option<&'a mut Entrance>,
    pub stats: &'a mut LinkStats,
    pub driver: &'a mut D,
}

impl<D: LinkDriver> Around<'_, D> {
    fn on_left(&mut self, packet: Packet) {
        if let Some(filter) = &mut self.watcher {
            filter.on_left_queue(packet.id, packet.flow);
        }
    }

    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.on_left(packet);
        count_drop(self.entrance.as_deref_mut(), self.stats, now, reason);
        self.driver.on_drop(now, packet, reason);
    }
}

impl Queued {
    pub fn new(
        tx: Transmitter,
        qdisc: Box<dyn QueueDisc>,
        config: &LinkConfig,
        streams: LinkStreams,
    ) -> Self {
        let impair = &config.impair;
        Self {
            tx,
            qdisc,
            delay: config.delay,
            exit: pauses(impair, &streams),
            jitter: Jitter::new(impair.jitter, impair.detour, streams.jitter),
            reorder: Chance::new(impair.reorder, streams.reorder),
            reorder_delay: impair.reorder_delay,
            duplicate: Chance::new(impair.duplicate, streams.duplicate),
            line: DelayLine::default(),
            service_at: None,
            timer_at: None,
            entered: Vec::new(),
            marked: 0,
            dropped: Vec::new(),
            arrivals_first: false,
        }
    }

    pub fn latency(&self, size: u32) -> Span {
        self.tx.time_for(size) + self.delay
    }

    /// A packet arrives at the queue.
    pub fn offer<D: LinkDriver>(
        &mut self,
        now: Instant,
        packet: Packet,
        around: &mut Around<'_, D>,
    ) {
        let found = if self.arrivals_first {
            now.saturating_sub(Span::from_nanos(1))
        } else {
            now
        };
        self.serve(found, around);
        self.note_entry(now, packet.id);
        let label = around.driver.label(packet);
        let verdict = self.qdisc.enqueue(now, packet, label);
        self.timer_at = self.qdisc.next_wakeup();
        if !matches!(verdict, Enqueue::Dropped(_)) {
            around.driver.on_queued(now, packet);
        }
        let refused = match verdict {
            Enqueue::Queued => None,
            Enqueue::Dropped(reason) => Some((packet, reason)),
            Enqueue::Evicted(victim, reason) => Some((victim, reason)),
        };
        self.dropped.extend(refused);
        while let Some(victim) = self.qdisc.evicted() {
            self.dropped.push(victim);
        }
        self.report_drops(now, around);
        // A service that was due before has not become later; a shaper may have something now.
        let free = self.tx.free_at(now);
        self.service_at = Some(self.service_at.map_or(free, |at| at.min(free)));
        self.serve(now, around);
        let waiting = self.qdisc.stats();
        around.stats.on_waiting(waiting.packets, waiting.bytes);
        self.count_marks(waiting.marked, around.stats);
    }

    /// Runs the services that begin at or before `now`, and the timers of the discipline that run out
    /// by then, each at its instant.
    pub fn serve<D: LinkDriver>(&mut self, now: Instant, around: &mut Around<'_, D>) {
        loop {
            self.run_timers(now, around);
            let Some(at) = self
                .service_at
                .filter(|at| *at <= now && *at < Instant::MAX)
            else {
                return;
            };
            let dropped = &mut self.dropped;
            let next = self.qdisc.dequeue(at, &mut |p, why| dropped.push((p, why)));
            self.report_drops(at, around);
            match next {
                Some(packet) => {
                    around.on_left(packet);
                    self.count_marks(self.qdisc.stats().marked, around.stats);
                    self.transmit(at, packet, around);
                }
                None => self.service_at = self.qdisc.next_ready().filter(|ready| *ready > at),
            }
        }
    }

    /// Runs the timers that run out up to `now` and before the next service.
    #[inline]
    fn run_timers<D: LinkDriver>(&mut self, now: Instant, around: &mut Around<'_, D>) {
        while let Some(at) = self.timer_at
            && at <= now
            && self.service_at.is_none_or(|service| at < service)
        {
            self.run_timer(at, around);
        }
    }

    #[cold]
    fn run_timer<D: LinkDriver>(&mut self, at: Instant, around: &mut Around<'_, D>) {
        let dropped = &mut self.dropped;
        self.qdisc
            .on_wakeup(at, &mut |p, why| dropped.push((p, why)));
        self.report_drops(at, around);
        self.timer_at = self.qdisc.next_wakeup();
        assert!(
            self.timer_at.is_none_or(|next| next > at),
            "timer of a queue discipline stuck at {at:?}"
        );
    }

    /// Takes out a packet that the filter found superfluous; it knows that it has left.
    pub fn remove(&mut self, id: PacketId) -> Option<Packet> {
        self.qdisc.remove(id)
    }

    /// Lets `by` take the place of a packet that the filter found superfluous, which comes out.
    pub fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let old = self.qdisc.replace(now, id, by)?;
        self.note_entry(now, by.id);
        Some(old)
    }

    /// The next packet that has arrived, and when.
    pub fn pop(&mut self, now: Instant) -> Option<(Instant, Packet)> {
        self.line.pop(now)
    }

    pub fn next_wakeup(&self) -> Option<Instant> {
        let arrival = self.line.next_arrival().unwrap_or(Instant::MAX);
        let service = self.service_at.unwrap_or(Instant::MAX);
        let at = arrival.min(service.saturating_add(self.delay));
        (at < Instant::MAX).then_some(at)
    }

    pub fn waiting(&self) -> (u32, u64) {
        let s = self.qdisc.stats();
        (s.packets, s.bytes)
    }

    pub fn classes(&self) -> Vec<qdisc::classes::Row> {
        self.qdisc.classes()
    }

    pub fn qdisc_stats(&self) -> qdisc::Stats {
        self.qdisc.stats()
    }

    pub fn transmitter(&mut self) -> &mut Transmitter {
        &mut self.tx
    }

    pub fn busy(&self, now: Instant, booked: Span) -> Span {
        self.tx.busy(now, booked)
    }

    pub fn len(&self) -> usize {
        self.qdisc.stats().packets as usize + self.line.len()
    }

    fn note_entry(&mut self, now: Instant, id: PacketId) {
        let i = id.0 as usize;
        if i >= self.entered.len() {
            self.entered.resize(i + 1, Instant::ZERO);
        }
        self.entered[i] = now;
    }

    /// Takes over what the discipline has counted so far.
    fn count_marks(&mut self, so_far: u64, stats: &mut LinkStats) {
        stats.marked += so_far - self.marked;
        self.marked = so_far;
    }

    fn report_drops<D: LinkDriver>(&mut self, now: Instant, around: &mut Around<'_, D>) {
        for (packet, reason) in self.dropped.drain(..) {
            around.on_drop(now, packet, reason);
        }
    }

    fn transmit<D: LinkDriver>(&mut self, at: Instant, packet: Packet, around: &mut Around<'_, D>) {
        let service = self.tx.serve(at, packet.size);
        let sojourn = at - self.entered[packet.id.0 as usize];
        around.stats.on_served(sojourn, service.end - service.start);
        around.driver.on_left(at, packet, sojourn);
        self.service_at = Some(self.tx.ready());
        let arrival = self.arrival(service.end, around.stats);
        self.line.insert(arrival, packet);
        if self.duplicate.strikes() {
            around.stats.duplicated += 1;
            self.line.insert(arrival, around.driver.duplicate(packet));
        }
    }

    fn arrival(&mut self, end: Instant, stats: &mut LinkStats) -> Instant {
        let nominal = end.saturating_add(self.delay);
        let mut at = nominal;
        if let Some(jitter) = &mut self.jitter {
            at = jitter.arrival(at);
        }
        if let Some(exit) = &mut self.exit {
            at = exit.passes(at);
        }
        if !self.reorder.strikes() {
            return at;
        }
        stats.reordered += 1;
        at.saturating_add(self.reorder_delay)
    }
}
