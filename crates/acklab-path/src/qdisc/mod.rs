//! Queue disciplines: the contract.

pub mod codel;
pub mod device;
pub mod fq_codel;
pub mod pfifo;
pub mod registry;
mod ring;
pub(crate) mod slab;

use crate::packet::{DropReason, Packet, PacketId};
use acklab_units::Instant;

/// What became of an offered packet.
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
    /// Packets waiting.
    pub packets: u32,
    /// Bytes waiting.
    pub bytes: u64,
}

impl Stats {
    /// A packet was accepted.
    #[inline]
    pub(crate) fn on_joined(&mut self, packet: Packet) {
        self.enqueued += 1;
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    /// A packet no longer waits, for whatever reason.
    #[inline]
    pub(crate) fn on_left(&mut self, packet: Packet) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
    }

    /// A packet left its place to another one that is as long.
    #[inline]
    pub(crate) fn on_replaced(&mut self, old: Packet, by: Packet) {
        debug_assert_eq!(old.size, by.size, "what takes a place is as long");
        self.enqueued += 1;
        self.dropped_inside += 1;
    }

    /// Conservation.
    #[inline]
    pub(crate) fn check(&self) {
        let left = self.dequeued + self.dropped_inside;
        debug_assert_eq!(u64::from(self.packets), self.enqueued - left);
    }
}

/// A queue in front of a transmitter. Limits count what waits; the packet in service has left.
pub trait QueueDisc: core::fmt::Debug + Send {
    /// Offers a packet.
    fn enqueue(&mut self, now: Instant, packet: Packet) -> Enqueue;

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

    /// Removes one waiting packet (for an ACK filter that found it superfluous).
    fn remove(&mut self, id: PacketId) -> Option<Packet>;

    /// Lets `by`, which is as long, take the place of a waiting packet, which comes out (for an ACK
    /// filter that found it superfluous). The place keeps its age.
    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet>;

    /// When a packet may be had although none can be had now (shapers).
    fn next_ready(&self) -> Option<Instant> {
        None
    }

    /// Counters.
    fn stats(&self) -> Stats;
}
