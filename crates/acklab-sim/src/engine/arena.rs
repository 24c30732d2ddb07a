//! Where the segments of packets under way are kept.

use acklab_path::link::LinkDriver;
use acklab_path::packet::{DropReason, Packet, PacketId, PacketStore};
use acklab_proto::segment::Segment;
use acklab_units::Instant;

/// Marks a free place in `hops`.
const FREE: u32 = u32::MAX;

/// A slab of segments. Places are reused, the one freed last first, so a run needs as many as there
/// are packets under way at its busiest moment.
#[derive(Debug, Default)]
pub struct Arena {
    segments: Vec<Segment>,
    /// Position in the route table. Apart from the segments: forwarding needs nothing else.
    hops: Vec<u32>,
    free: Vec<u32>,
    created: u64,
    delivered: u64,
    dropped: u64,
}

impl Arena {
    /// Stores a segment that starts at route position `hop`.
    #[inline]
    pub fn insert(&mut self, segment: Segment, hop: u32) -> PacketId {
        self.created += 1;
        if let Some(i) = self.free.pop() {
            self.segments[i as usize] = segment;
            self.hops[i as usize] = hop;
            return PacketId(i);
        }
        self.segments.push(segment);
        self.hops.push(hop);
        PacketId((self.segments.len() - 1) as u32)
    }

    /// Takes out a packet that has arrived. Its place is free, but keeps its content until the next
    /// insertion.
    #[inline]
    pub fn take(&mut self, packet: Packet) -> &Segment {
        self.delivered += 1;
        self.release(packet.id);
        let segment = &mut self.segments[packet.id.0 as usize];
        segment.ecn = packet.ecn;
        segment
    }

    /// Moves a packet on by one hop and returns its new position in the route table.
    #[inline]
    pub fn step(&mut self, id: PacketId) -> u32 {
        let hop = &mut self.hops[id.0 as usize];
        debug_assert_ne!(*hop, FREE);
        *hop += 1;
        *hop
    }

    /// Packets under way.
    pub fn live(&self) -> u64 {
        (self.segments.len() - self.free.len()) as u64
    }

    /// Places: the most packets that were ever under way at once.
    pub fn places(&self) -> usize {
        self.segments.len()
    }

    /// Bytes that the arena occupies.
    pub fn bytes(&self) -> usize {
        self.segments.capacity() * size_of::<Segment>()
            + (self.hops.capacity() + self.free.capacity()) * 4
    }

    /// Panics unless every packet that was made was delivered, dropped or is under way.
    pub fn check(&self) {
        assert_eq!(
            self.created,
            self.delivered + self.dropped + self.live(),
            "packets appeared or vanished"
        );
    }

    #[inline]
    fn release(&mut self, id: PacketId) {
        debug_assert_ne!(self.hops[id.0 as usize], FREE, "{id:?} freed twice");
        self.hops[id.0 as usize] = FREE;
        self.free.push(id.0);
    }
}

impl PacketStore for Arena {
    fn segment(&self, id: PacketId) -> &Segment {
        &self.segments[id.0 as usize]
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        let i = packet.id.0 as usize;
        let id = self.insert(self.segments[i], self.hops[i]);
        Packet { id, ..packet }
    }
}

impl LinkDriver for Arena {
    fn on_drop(&mut self, _now: Instant, packet: Packet, _reason: DropReason) {
        self.dropped += 1;
        self.release(packet.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_path::packet::FlowId;
    use acklab_proto::segment::Ecn;

    fn packet(id: PacketId) -> Packet {
        Packet {
            id,
            size: 40,
            flow: FlowId(0),
            ecn: Ecn::Ce,
        }
    }

    #[test]
    fn places_are_reused_and_marks_reach_the_segment() {
        let mut a = Arena::default();
        let first = a.insert(Segment::default(), 5);
        assert_eq!(a.step(first), 6);
        let copy = a.duplicate(packet(first));
        assert_eq!(a.step(copy.id), 7);
        assert_eq!(a.take(packet(first)).ecn, Ecn::Ce);
        a.on_drop(Instant::ZERO, copy, DropReason::RandomLoss);
        assert_eq!(a.insert(Segment::default(), 0), copy.id);
        assert_eq!((a.live(), a.places()), (1, 2));
        a.check();
    }
}
