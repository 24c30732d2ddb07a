//! Packets on their way, in order of arrival, where some may overtake others.

use crate::packet::Packet;
use acklab_units::Instant;
use alloc::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct DelayLine {
    /// Sorted by arrival; equal arrivals in order of insertion.
    ring: VecDeque<(Instant, Packet)>,
}

impl DelayLine {
    /// Puts a packet on the line. Costs one step per packet that it overtakes: those that were
    /// held back, which are few.
    pub fn insert(&mut self, arrival: Instant, packet: Packet) {
        let overtaken = self
            .ring
            .iter()
            .rev()
            .take_while(|(at, _)| *at > arrival)
            .count();
        self.ring
            .insert(self.ring.len() - overtaken, (arrival, packet));
    }

    /// The next packet that has arrived, and when.
    pub fn pop(&mut self, now: Instant) -> Option<(Instant, Packet)> {
        self.next_arrival().filter(|at| *at <= now)?;
        self.ring.pop_front()
    }

    /// When the next packet arrives.
    pub fn next_arrival(&self) -> Option<Instant> {
        let (at, _) = self.ring.front()?;
        (*at < Instant::MAX).then_some(*at)
    }

    pub fn len(&self) -> usize {
        self.ring.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, PacketId};
    use acklab_proto::segment::Ecn;
    use std::vec::Vec;

    #[test]
    fn packets_come_out_by_arrival_then_by_insertion() {
        let mut line = DelayLine::default();
        for (id, at) in [(0, 10), (1, 50), (2, 20), (3, 50), (4, 20)] {
            let packet = Packet {
                id: PacketId(id),
                size: 40,
                flow: FlowId(0),
                ecn: Ecn::NotEct,
            };
            line.insert(Instant::from_nanos(at), packet);
        }
        assert_eq!(line.pop(Instant::from_nanos(9)), None);
        let out: Vec<_> = core::iter::from_fn(|| line.pop(Instant::from_nanos(50)))
            .map(|(_, p)| p.id.0)
            .collect();
        assert_eq!(out, [0, 2, 4, 1, 3]);
    }
}
