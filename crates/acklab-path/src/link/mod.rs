//! One direction of a line: ACK filter, queue, serialiser, impairments, delay.
//!
//! A link is driven by three calls: [`Link::offer`] puts a packet in, [`Link::advance`] hands out
//! what has reached the far end, [`Link::next_wakeup`] says when to ask again. However many packets
//! are on their way, a link needs one pending wake.
//!
//! **No event for the end of a transmission.** A first-in-first-out transmitter of fixed rate
//! decides about a packet's departure when it arrives: `start = max(now, busy_until)`. With a
//! drop-tail queue that is all there is to know ([`computed`]). With another discipline, or where
//! packets may overtake each other, a real queue is served as late as possible, but with the
//! instants at which the service happens ([`queued`]): whoever looks at the link brings it up to
//! date first.
//!
//! **At one instant** the order is: services that begin, the filter's timer, arrivals. It follows
//! that the packet in service never counts against a queue limit, and that the two ways of
//! computing agree packet for packet.

#[cfg(test)]
mod chains;
mod computed;
mod delay_line;
mod entrance;
mod fifo;
mod filtering;
#[cfg(test)]
mod late;
mod port;
mod queued;
mod stats;
#[cfg(test)]
mod tests;
pub mod trace;
mod transmitter;

pub use port::PortCall;
pub use stats::LinkStats;

use crate::ack_filter::chain::Chain;
use crate::ack_filter::{FilterStats, ForwardReason};
use crate::impair::{FarEnd, Fate, ImpairConfig, LinkStreams, Pauses};
use crate::packet::{DropReason, Packet, PacketStore};
use crate::qdisc::{self, QueueDisc, pfifo};
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use computed::Computed;
use entrance::Entrance;
use port::Port;
use queued::{Around, Queued};
use trace::{Opportunities, Trace};
use transmitter::Transmitter;

/// The fixed properties of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConfig {
    /// Bits per second; [`Rate::MAX`] = takes no time.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Link-layer bytes added to every IP packet when it is serialised.
    pub overhead: u32,
    /// Impairments.
    pub impair: ImpairConfig,
}

/// The queue in front of a transmitter.
#[derive(Debug)]
pub enum Queue {
    /// Drop-tail: the link computes departures in advance where it can.
    Pfifo(pfifo::Config),
    /// Any discipline, always asked.
    Discipline(Box<dyn QueueDisc>),
}

/// The services that a link needs from its driver.
pub trait LinkDriver: PacketStore {
    /// `packet` is gone, for `reason`; its place in the store is free again. At a pause this comes
    /// in advance, with the instant at which the pause ends.
    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason);

    /// Whether the driver wants to hear what follows.
    const WATCHES: bool = false;

    /// `packet` joined the queue.
    fn on_queued(&mut self, _now: Instant, _packet: Packet) {}

    /// `packet` left the queue after `sojourn`: its transmission begins `at`. Where departures are
    /// computed in advance the call comes in advance; elsewhere it may come late.
    fn on_left(&mut self, _at: Instant, _packet: Packet, _sojourn: Span) {}

    /// The ACK filter keeps `packet`.
    fn on_held(&mut self, _now: Instant, _packet: Packet) {}

    /// The ACK filter lets `packet` go on.
    fn on_released(&mut self, _now: Instant, _packet: Packet, _reason: ForwardReason) {}
}

/// One direction of a line.
///
/// In the order of use and from the beginning of a cache line on: where there are thousands of
/// links, each packet finds its link's memory cold.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Link {
    line: Line,
    filters: Option<Box<Chain>>,
    entrance: Option<Box<Entrance>>,
    far_end: Option<Box<FarEnd>>,
    stats: LinkStats,
}

#[derive(Debug)]
enum Line {
    Computed(Computed),
    Queued(Box<Queued>),
    Port(Box<Port>),
}

/// Nothing where there is no filter: such links are the most.
fn boxed(filters: Chain) -> Option<Box<Chain>> {
    (!filters.is_empty()).then(|| Box::new(filters))
}

/// The schedule of a link's pauses at its exit, if it has any.
fn pauses(impair: &ImpairConfig, streams: &LinkStreams) -> Option<Box<Pauses>> {
    let config = impair.pauses?;
    Some(Box::new(Pauses::new(config, streams.pauses.clone())))
}

impl Link {
    /// An idle link.
    pub fn new(
        config: &LinkConfig,
        queue: Queue,
        filters: impl Into<Chain>,
        streams: LinkStreams,
    ) -> Self {
        let filters: Chain = filters.into();
        let watched = filters.watches_queue();
        let tx = Transmitter::new(config.rate, config.overhead);
        let entrance = Entrance::new(&config.impair, &streams).map(Box::new);
        let far_end = FarEnd::new(&config.impair, &streams).map(Box::new);
        let line = match queue {
            Queue::Pfifo(queue) if !watched && config.impair.keeps_order() => {
                Line::Computed(Computed::new(tx, queue, config, streams))
            }
            Queue::Pfifo(queue) => Line::Queued(Box::new(Queued::new(
                tx,
                Box::new(pfifo::Pfifo::new(queue)),
                config,
                streams,
            ))),
            Queue::Discipline(q) => Line::Queued(Box::new(Queued::new(tx, q, config, streams))),
        };
        Self {
            line,
            entrance,
            far_end,
            filters: boxed(filters),
            stats: LinkStats::default(),
        }
    }

    /// A packet arrives at the near end. Says whether [`Link::next_wakeup`] may have changed.
    #[inline]
    pub fn offer<D: LinkDriver>(&mut self, now: Instant, packet: Packet, driver: &mut D) -> bool {
        self.stats.offered += 1;
        let admitted = match &mut self.entrance {
            None => Some(now),
            Some(entrance) => entrance.admits(now, &mut self.stats),
        };
        let Some(now) = admitted else {
            self.drop(now, packet, DropReason::RandomLoss, driver);
            self.check();
            return false;
        };
        let mut moved = true;
        match (&self.filters, &mut self.line) {
            // By far the most frequent case, without a call.
            (None, Line::Computed(line)) => {
                if !line.offer(now, packet, &mut self.stats) {
                    self.drop(now, packet, DropReason::QueueFull, driver);
                    moved = false;
                } else {
                    moved = line.len() == 1;
                    line.tell(now, packet, driver);
                }
            }
            (None, Line::Queued(_) | Line::Port(_)) => self.enqueue(now, packet, driver),
            (Some(_), _) => self.offer_to_filters(now, packet, driver),
        }
        self.check();
        moved
    }

    /// The next packet that has reached the far end at or before `now`; to be called until `None`. What
    /// happens inside happens at its own instant, however late the call comes.
    #[inline]
    pub fn advance<D: LinkDriver>(&mut self, now: Instant, driver: &mut D) -> Option<Packet> {
        self.look(now);
        self.catch_up(now, driver);
        loop {
            let (at, mut packet) = match &mut self.line {
                Line::Computed(line) => line.pop(now),
                Line::Queued(line) => line.pop(now),
                Line::Port(_) => None,
            }?;
            match self.far_end.as_mut().map(|f| f.judge(at, &mut packet)) {
                Some(Fate::Lost) => {
                    self.drop(at, packet, DropReason::RandomLoss, driver);
                    continue;
                }
                Some(Fate::Marked) => self.stats.marked += 1,
                Some(Fate::Passed) | None => {}
            }
            self.stats.on_delivered(packet);
            self.check();
            return Some(packet);
        }
    }

    /// When [`Link::advance`] must be called next; it may turn out that nothing has arrived.
    #[inline]
    pub fn next_wakeup(&self) -> Option<Instant> {
        let line = match &self.line {
            Line::Computed(line) => line.next_wakeup(),
            Line::Queued(line) => line.next_wakeup(),
            Line::Port(_) => None,
        };
        let Some(filters) = &self.filters else {
            return line;
        };
        Instant::earliest(line, filters.next_wakeup())
    }

    /// Counters. Services up to the last call are in.
    pub fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// Counters of the filters together, if there are any.
    pub fn filter_stats(&self) -> Option<FilterStats> {
        self.filters.as_ref().map(|f| f.stats())
    }

    /// Counters of each filter, in the order in which an acknowledgement meets them.
    pub fn filters(&self) -> impl Iterator<Item = FilterStats> {
        self.filters.iter().flat_map(|f| f.members())
    }

    /// The discipline's counters; `None` where departures are computed in advance.
    pub fn qdisc_stats(&self) -> Option<qdisc::Stats> {
        match &self.line {
            Line::Computed(_) | Line::Port(_) => None,
            Line::Queued(line) => Some(line.qdisc_stats()),
        }
    }

    /// The counters that the discipline keeps of each of its tins or classes.
    pub fn classes(&self) -> Vec<qdisc::classes::Row> {
        match &self.line {
            Line::Computed(_) | Line::Port(_) => Vec::new(),
            Line::Queued(line) => line.classes(),
        }
    }

    /// Packets and bytes waiting for the transmitter at `now`, the one in service not counted.
    /// Of what leads to a medium those in its queue, by the last [`Link::set_port_waiting`].
    pub fn waiting<D: LinkDriver>(&mut self, now: Instant, driver: &mut D) -> (u32, u64) {
        self.look(now);
        self.catch_up(now, driver);
        match &mut self.line {
            Line::Computed(line) => line.waiting(now),
            Line::Queued(line) => line.waiting(),
            Line::Port(port) => port.waiting,
        }
    }

    /// How long a packet of `size` bytes takes from the head of the queue to the far end, without
    /// jitter.
    pub fn latency(&self, size: u32) -> Span {
        match &self.line {
            Line::Computed(line) => line.latency(size),
            Line::Queued(line) => line.latency(size),
            Line::Port(_) => Span::ZERO,
        }
    }

    /// Lets the line follow `trace` instead of the rate of its configuration.
    #[must_use]
    pub fn with_trace(mut self, trace: Arc<Trace>) -> Self {
        self.transmitter().follow(Opportunities::new(trace));
        self
    }

    fn transmitter(&mut self) -> &mut Transmitter {
        match &mut self.line {
            Line::Computed(line) => line.transmitter(),
            Line::Queued(line) => line.transmitter(),
            Line::Port(_) => panic!("what leads to a medium has no transmitter of its own"),
        }
    }

    /// Lets a packet that arrives at the very instant at which a service begins find the queue as it
    /// was before. Usually the place is free by then; in ns-3 what has been under way longer comes
    /// first, and on most paths that is the packet. A line that follows a trace stays as it is.
    #[must_use]
    pub fn with_arrivals_first(mut self) -> Self {
        if matches!(self.line, Line::Port(_)) || self.transmitter().is_traced() {
            return self;
        }
        match &mut self.line {
            Line::Computed(line) => line.arrivals_first = true,
            Line::Queued(line) => line.arrivals_first = true,
            Line::Port(_) => {}
        }
        self
    }

    /// How long the transmitter has been busy from the start to `now`; of a trace, the part of the
    /// time that the used part of its capacity stands for.
    pub fn busy(&self, now: Instant) -> Span {
        match &self.line {
            Line::Computed(line) => line.busy(now, self.stats.booked),
            Line::Queued(line) => line.busy(now, self.stats.booked),
            Line::Port(_) => self.stats.booked,
        }
    }

    /// Packets inside: held by the filter, waiting, in service or on their way, or doomed to be dropped at the
    /// end of a pause that they met.
    pub fn inside(&self) -> u64 {
        let held = self.filters.as_ref().map_or(0, |f| f.stats().held);
        let line = match &self.line {
            Line::Computed(line) => line.len(),
            Line::Queued(line) => line.len(),
            Line::Port(port) => port.inside as usize,
        };
        u64::from(held) + line as u64 + self.doomed()
    }

    /// Runs everything that happened inside up to `now`.
    #[inline]
    fn catch_up<D: LinkDriver>(&mut self, now: Instant, driver: &mut D) {
        if self.filters.is_some() || matches!(self.line, Line::Queued(_)) {
            self.run_filter_timer(now, driver);
            self.serve(now, driver);
        }
    }

    fn serve<D: LinkDriver>(&mut self, now: Instant, driver: &mut D) {
        if let Line::Queued(line) = &mut self.line {
            let around = &mut Around {
                watcher: self.filters.as_mut().and_then(|f| f.watcher()),
                entrance: self.entrance.as_deref_mut(),
                stats: &mut self.stats,
                driver,
            };
            line.serve(now, around);
        }
    }

    fn enqueue<D: LinkDriver>(&mut self, now: Instant, packet: Packet, driver: &mut D) {
        match &mut self.line {
            Line::Computed(line) => {
                if !line.offer(now, packet, &mut self.stats) {
                    self.drop(now, packet, DropReason::QueueFull, driver);
                } else {
                    line.tell(now, packet, driver);
                }
            }
            Line::Queued(line) => {
                let around = &mut Around {
                    watcher: self.filters.as_mut().and_then(|f| f.watcher()),
                    entrance: self.entrance.as_deref_mut(),
                    stats: &mut self.stats,
                    driver,
                };
                line.offer(now, packet, around);
            }
            Line::Port(port) => port.offer(packet),
        }
    }

    /// Conservation: what came in went out, was dropped, or is inside.
    #[inline]
    fn check(&self) {
        debug_assert_eq!(
            self.stats.offered + self.stats.duplicated,
            self.stats.delivered + self.stats.dropped() + self.inside(),
            "packets appeared or vanished"
        );
    }
}
