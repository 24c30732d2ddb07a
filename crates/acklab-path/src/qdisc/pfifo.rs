//! First in, first out, drop-tail; limited in packets or in bytes.

use super::{Enqueue, QueueDisc, Stats};
use crate::packet::{DropReason, Packet, PacketId};
use acklab_units::Instant;
use alloc::collections::VecDeque;

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

/// The queue. A link computes the departures of a drop-tail queue in advance where it can and
/// then needs no such value; see [`crate::link`].
#[derive(Debug)]
pub struct Pfifo {
    limit: Limit,
    waiting: VecDeque<Packet>,
    stats: Stats,
}

impl Pfifo {
    /// An empty queue.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            waiting: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    fn left(&mut self, packet: Packet) {
        self.stats.packets -= 1;
        self.stats.bytes -= u64::from(packet.size);
    }

    fn check(&self) {
        let s = &self.stats;
        debug_assert_eq!(
            u64::from(s.packets),
            s.enqueued - s.dequeued - s.dropped_inside
        );
        debug_assert_eq!(s.packets as usize, self.waiting.len());
    }
}

impl QueueDisc for Pfifo {
    fn enqueue(&mut self, _now: Instant, packet: Packet) -> Enqueue {
        let s = &mut self.stats;
        if !self.limit.admits(s.packets, s.bytes, packet.size) {
            s.refused += 1;
            return Enqueue::Dropped(DropReason::QueueFull);
        }
        s.enqueued += 1;
        s.packets += 1;
        s.bytes += u64::from(packet.size);
        self.waiting.push_back(packet);
        self.check();
        Enqueue::Queued
    }

    fn dequeue(
        &mut self,
        _now: Instant,
        _dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let packet = self.waiting.pop_front()?;
        self.stats.dequeued += 1;
        self.left(packet);
        self.check();
        Some(packet)
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let at = self.waiting.iter().position(|p| p.id == id)?;
        let packet = self.waiting.remove(at)?;
        self.stats.dropped_inside += 1;
        self.left(packet);
        self.check();
        Some(packet)
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use acklab_proto::segment::Ecn;
    use std::vec::Vec;

    fn packet(id: u32, size: u32) -> Packet {
        Packet {
            id: PacketId(id),
            size,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        }
    }

    fn drain(q: &mut Pfifo) -> Vec<u32> {
        core::iter::from_fn(|| q.dequeue(Instant::ZERO, &mut |_, _| unreachable!()))
            .map(|p| p.id.0)
            .collect()
    }

    #[test]
    fn the_packet_limit_refuses_the_last_to_come() {
        let mut q = Pfifo::new(Limit::Packets(2));
        let fates: Vec<_> = (0..3)
            .map(|i| q.enqueue(Instant::ZERO, packet(i, 1500)))
            .collect();
        assert_eq!(fates[..2], [Enqueue::Queued, Enqueue::Queued]);
        assert_eq!(fates[2], Enqueue::Dropped(DropReason::QueueFull));
        assert_eq!(drain(&mut q), [0, 1]);
        assert_eq!(q.stats().refused, 1);
    }

    #[test]
    fn the_byte_limit_lets_a_small_packet_in_where_a_large_one_does_not_fit() {
        let mut q = Pfifo::new(Limit::Bytes(1600));
        q.enqueue(Instant::ZERO, packet(0, 1500));
        assert_eq!(
            q.enqueue(Instant::ZERO, packet(1, 101)),
            Enqueue::Dropped(DropReason::QueueFull)
        );
        assert_eq!(q.enqueue(Instant::ZERO, packet(2, 100)), Enqueue::Queued);
        assert_eq!(q.stats().bytes, 1600);
        assert_eq!(drain(&mut q), [0, 2]);
    }

    #[test]
    fn a_packet_can_be_taken_out_of_the_middle() {
        let mut q = Pfifo::new(Limit::Packets(9));
        for i in 0..3 {
            q.enqueue(Instant::ZERO, packet(i, 40));
        }
        assert_eq!(q.remove(PacketId(1)), Some(packet(1, 40)));
        assert_eq!(q.remove(PacketId(1)), None);
        assert_eq!((q.stats().packets, q.stats().bytes), (2, 80));
        assert_eq!(drain(&mut q), [0, 2]);
    }
}
