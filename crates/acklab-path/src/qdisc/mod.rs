//! Queue disciplines: the contract. `docs/extending/queue.md` walks through a whole one.

pub mod cake;
pub mod classes;
pub mod codel;
pub mod device;
pub mod fq_codel;
pub mod head_drop;
pub mod pfifo;
pub mod pie;
pub mod red;
pub mod registry;
mod ring;
pub mod shape;
pub(crate) mod slab;
#[cfg(test)]
pub(crate) mod testing;

use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_units::Instant;
use alloc::vec::Vec;

#[doc = include_str!("../../../../docs/extending/queue.md")]
#[cfg(doctest)]
struct Guide;

/// How much may wait. The packet in service does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Packets.
    Packets(u32),
    /// Bytes of IP packets.
    Bytes(u64),
}

impl Limit {
    /// Whether a packet of `size` bytes may join `packets` packets of `bytes` bytes in all.
    #[inline]
    pub const fn admits(self, packets: u32, bytes: u64, size: u32) -> bool {
        match self {
            Self::Packets(most) => packets < most,
            Self::Bytes(most) => bytes + size as u64 <= most,
        }
    }
}

/// The fate of an offered packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enqueue {
    /// It waits.
    Queued,
    /// It was refused.
    Dropped(DropReason),
    /// It waits, and another packet had to go.
    Evicted(Packet, DropReason),
}

/// Counters that always satisfy `queued = enqueued - dequeued - dropped_inside`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Packets accepted.
    pub enqueued: u64,
    /// Packets handed out.
    pub dequeued: u64,
    /// Packets refused on arrival.
    pub refused: u64,
    /// Packets dropped after they had been accepted.
    pub dropped_inside: u64,
    /// Packets marked with CE.
    pub marked: u64,
    /// Those of them that a threshold marked, and no control law (`ce_threshold` of CoDel).
    pub marked_by_threshold: u64,
    /// Packets waiting.
    pub packets: u32,
    /// Bytes waiting.
    pub bytes: u64,
}

impl Stats {
    /// A packet was accepted.
    #[inline]
    pub fn on_joined(&mut self, packet: Packet) {
        self.enqueued += 1;
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    /// A packet no longer waits, for whatever reason.
    #[inline]
    pub fn on_left(&mut self, packet: Packet) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
    }

    /// A packet left its place to another one that is as long.
    #[inline]
    pub fn on_replaced(&mut self, old: Packet, by: Packet) {
        debug_assert_eq!(old.size, by.size, "what takes a place is as long");
        self.enqueued += 1;
        self.dropped_inside += 1;
    }

    /// A packet was marked, by a threshold or by the control law.
    #[inline]
    pub fn on_marked(&mut self, by_threshold: bool) {
        self.marked += 1;
        self.marked_by_threshold += u64::from(by_threshold);
    }

    /// Conservation.
    #[inline]
    pub fn check(&self) {
        let left = self.dequeued + self.dropped_inside;
        debug_assert_eq!(u64::from(self.packets), self.enqueued - left);
    }
}

/// A queue in front of a transmitter. Limits count what waits; the packet in service has left.
///
/// It stands in front of a line ([`crate::link`]), above the queue of a device ([`device`]), above the
/// MAC's queue of a station on a radio channel ([`crate::wifi::mac::queue`]), or inside another
/// discipline. It has no clock: each call says what time it is, and time never runs backwards.
pub trait QueueDisc: core::fmt::Debug + Send {
    /// Offers a packet. `label` says whose it is.
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue;

    /// A further packet that had to go when the last one was offered; to be asked until `None`.
    fn evicted(&mut self) -> Option<(Packet, DropReason)> {
        None
    }

    /// Takes the next packet to transmit. Packets that the discipline drops at this moment go to
    /// `dropped`.
    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet>;

    /// The packet that leaves next, if that is known before it is asked to. A shaper then leaves it where it
    /// is until it has tokens; otherwise it takes it and holds it.
    fn front(&self) -> Option<Packet> {
        None
    }

    /// Removes one waiting packet (for an ACK filter that found it superfluous).
    fn remove(&mut self, id: PacketId) -> Option<Packet>;

    /// Lets `by`, which is as long, take the place of a waiting packet, which comes out (for an ACK
    /// filter that found it superfluous). The place keeps its age.
    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet>;

    /// When a packet may be had although none can be had now (shapers). Asked after a
    /// [`QueueDisc::dequeue`] that gave nothing.
    fn next_ready(&self) -> Option<Instant> {
        None
    }

    /// Until when it would give nothing, and change nothing, if it were asked for a packet again. `None`: only
    /// asking tells. Of use after an arrival, which need not change what was said before it.
    fn quiet_until(&self) -> Option<Instant> {
        None
    }

    /// When [`QueueDisc::on_wakeup`] is to be called (control laws with a timer). Asked after an arrival
    /// and after a wakeup; a timer starts with one of them.
    fn next_wakeup(&self) -> Option<Instant> {
        None
    }

    /// The timer runs out. The call may be made later, with the instant at which it was due, but before
    /// whatever happens after that instant. Drops go to `dropped`; no packet may be had any
    /// earlier for it.
    fn on_wakeup(&mut self, _now: Instant, _dropped: &mut dyn FnMut(Packet, DropReason)) {}

    /// Counters.
    fn stats(&self) -> Stats;

    /// The counters of each of its parts, tins or classes, and those of disciplines inside; none of a
    /// discipline without parts that counts nothing beside [`Stats`]. Asked once, at the end of a run.
    fn classes(&self) -> Vec<classes::Row> {
        Vec::new()
    }
}
