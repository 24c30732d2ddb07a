//! In-network ACK filters: the contract.
//!
//! A filter stands in front of a queue, on any hop and in either direction. It sees each packet
//! before the queue does and may hold it, let it pass, or find that an earlier acknowledgement has
//! become superfluous. Data, and acknowledgements that carry more than an acknowledgement, always
//! pass, and what was held for the same flow leaves before them (options that break this on purpose
//! say so). Two can stand at one place ([`chain`]).

pub mod aggregate;
pub mod android;
pub mod cake;
pub mod chain;
mod deadlines;
mod dsack;
mod flows;
pub mod registry;
pub mod tac;
#[cfg(test)]
mod testing;

use crate::packet::{DropReason, FlowId, Packet, PacketId};
use acklab_proto::segment::Segment;
use acklab_units::Instant;
use alloc::vec::Vec;

/// Decision of a filter; the recorder can show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// To the queue, now.
    Forward(Packet, ForwardReason),
    /// Gone, for good. The packet was held by the filter or has just arrived.
    Drop(Packet, DropReason),
    /// A packet that waits in the queue behind the filter is superfluous: take it out and drop it.
    DropQueued(PacketId),
    /// A packet that waits in the queue behind the filter is superfluous: it is dropped, and the one
    /// that has just arrived, which is as long, waits in its place.
    Replace {
        /// The one that waits.
        queued: PacketId,
        /// The one that has arrived.
        by: Packet,
    },
}

impl Verdict {
    /// Whether it says what becomes of the packet of that number.
    pub(crate) fn settles(&self, id: PacketId) -> bool {
        match self {
            Self::Forward(p, _) | Self::Drop(p, _) => p.id == id,
            Self::DropQueued(victim) => *victim == id,
            Self::Replace { by, .. } => by.id == id,
        }
    }
}

/// Why a packet went on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum ForwardReason {
    /// Not an acknowledgement that could be thinned.
    Untouchable,
    /// The ratio is reached.
    Ratio,
    /// The filter's timer.
    Timeout,
    /// Something that must not be overtaken follows.
    Flush,
    /// A duplicate that is passed at once.
    Duplicate,
    /// The filter does not hold (CAKE).
    Passing,
    /// To the place of an older one in the queue.
    Replacing,
}

impl ForwardReason {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Untouchable => "untouchable",
            Self::Ratio => "ratio",
            Self::Timeout => "timeout",
            Self::Flush => "flush",
            Self::Duplicate => "duplicate",
            Self::Passing => "passing",
            Self::Replacing => "replacing",
        }
    }
}

/// Counters: `seen = forwarded + dropped + held` for thinnable acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FilterStats {
    /// Pure acknowledgements that arrived.
    pub seen: u64,
    /// Pure acknowledgements that went on.
    pub forwarded: u64,
    /// Pure acknowledgements that were dropped, from the filter or from the queue behind it.
    pub dropped: u64,
    /// Those of them that were dropped from the queue behind it.
    pub dropped_queued: u64,
    /// Pure acknowledgements waiting in the filter.
    pub held: u32,
    /// Releases by the timer.
    pub timer_releases: u64,
}

/// A filter of acknowledgements.
pub trait AckFilter: core::fmt::Debug + Send {
    /// A packet arrived; verdicts are appended to `out` in the order in which they must be
    /// carried out.
    fn on_packet(
        &mut self,
        now: Instant,
        packet: Packet,
        segment: &Segment,
        out: &mut Vec<Verdict>,
    );

    /// The filter's timer, at or after [`AckFilter::next_wakeup`].
    fn on_wakeup(&mut self, now: Instant, out: &mut Vec<Verdict>);

    /// When [`AckFilter::on_wakeup`] must be called.
    fn next_wakeup(&self) -> Option<Instant>;

    /// A packet that the filter let pass has left the queue behind it, or was dropped there.
    /// Only called if [`AckFilter::watches_queue`].
    fn on_left_queue(&mut self, _id: PacketId, _flow: FlowId) {}

    /// A packet that was to be dropped from the queue, or to give up its place there, is beyond
    /// reach: in a hardware queue. It stays, and what was to take its place joins the queue.
    fn on_out_of_reach(&mut self) {}

    /// Whether the filter picks its victims from the queue behind it (CAKE). Such a queue must be
    /// a real one: the link may not compute departures in advance. Such filters hold nothing and
    /// have no timer.
    fn watches_queue(&self) -> bool {
        false
    }

    /// Counters.
    fn stats(&self) -> FilterStats;

    /// Rows that its largest table by flow has: what its memory follows from, beside what it holds.
    /// Bounded by its option `flows`, or by the most flows that wait behind it at a time.
    fn rows(&self) -> usize;
}

/// How the registry makes a filter.
pub type Build = fn(&acklab_proto::registry::Params) -> alloc::boxed::Box<dyn AckFilter>;

/// The examples of the guide for authors of filters, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/extending/ack-filter.md")]
pub struct ExtendingGuide;
