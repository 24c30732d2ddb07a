//! Where the segments of packets under way are kept.

use acklab_path::link::LinkDriver;
use acklab_path::packet::{DropReason, Packet, PacketId, PacketStore};
use acklab_proto::segment::{
    Ecn, Flags, OptionLayout, SackBlocks, Segment, SynOptions, Timestamps,
};
use acklab_units::{Instant, SeqNum};

/// Marks a free place in `hops`.
const FREE: u32 = u32::MAX;
/// The slot's segment has neither SACK blocks nor options of a SYN.
const PLAIN: u32 = u32::MAX;

/// A slab of segments. Places are reused, the one freed last first, so a run needs as many as there
/// are packets under way at its busiest moment.
#[derive(Debug, Default)]
pub struct Arena {
    slots: Vec<Slot>,
    /// Position in the route table. Apart from the segments: forwarding needs nothing else.
    hops: Vec<u32>,
    free: Vec<u32>,
    extras: Extras,
    created: u64,
    delivered: u64,
    dropped: u64,
}

/// A segment without what few segments have. Half a cache line: by the time a packet arrives,
/// thousands of others have passed and its slot must come from memory again.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Slot {
    seq: SeqNum,
    ack: SeqNum,
    len: u32,
    timestamps: Timestamps,
    /// Place in the extras, or [`PLAIN`].
    extra: u32,
    window: u16,
    flags: Flags,
    ecn: Ecn,
    layout: OptionLayout,
    has_timestamps: bool,
}

/// What stands beside the slots.
#[derive(Debug, Default)]
struct Extras {
    places: Vec<(SackBlocks, SynOptions)>,
    free: Vec<u32>,
}

impl Extras {
    /// The place of what `segment` has of it.
    #[inline]
    fn insert(&mut self, segment: &Segment) -> u32 {
        if segment.sack.is_empty() && segment.syn == SynOptions::default() {
            return PLAIN;
        }
        let extra = (segment.sack, segment.syn);
        if let Some(i) = self.free.pop() {
            self.places[i as usize] = extra;
            return i;
        }
        self.places.push(extra);
        (self.places.len() - 1) as u32
    }

    #[inline]
    fn get(&self, place: u32) -> (SackBlocks, SynOptions) {
        if place == PLAIN {
            return <_>::default();
        }
        self.places[place as usize]
    }

    fn release(&mut self, place: u32) {
        if place != PLAIN {
            self.free.push(place);
        }
    }
}

impl Slot {
    #[inline]
    fn new(segment: &Segment, extra: u32) -> Self {
        Self {
            seq: segment.seq,
            ack: segment.ack,
            len: segment.len,
            timestamps: segment.timestamps.unwrap_or_default(),
            extra,
            window: segment.window,
            flags: segment.flags,
            ecn: segment.ecn,
            layout: segment.layout,
            has_timestamps: segment.timestamps.is_some(),
        }
    }

    #[inline]
    fn segment(&self, extras: &Extras) -> Segment {
        let (sack, syn) = extras.get(self.extra);
        Segment {
            seq: self.seq,
            ack: self.ack,
            len: self.len,
            window: self.window,
            flags: self.flags,
            ecn: self.ecn,
            timestamps: self.has_timestamps.then_some(self.timestamps),
            sack,
            syn,
            layout: self.layout,
        }
    }
}

impl Arena {
    /// Stores a segment that starts at route position `hop`.
    #[inline]
    pub fn insert(&mut self, segment: &Segment, hop: u32) -> PacketId {
        self.created += 1;
        let slot = Slot::new(segment, self.extras.insert(segment));
        if let Some(i) = self.free.pop() {
            self.slots[i as usize] = slot;
            self.hops[i as usize] = hop;
            return PacketId(i);
        }
        self.slots.push(slot);
        self.hops.push(hop);
        PacketId((self.slots.len() - 1) as u32)
    }

    /// Takes out a packet that has arrived.
    #[inline]
    pub fn take(&mut self, packet: Packet) -> Segment {
        self.delivered += 1;
        let segment = self.segment(packet.id);
        self.release(packet.id);
        Segment {
            ecn: packet.ecn,
            ..segment
        }
    }

    /// Whether a packet bears CE as far as is known here: since it was sent, or since
    /// [`Arena::note_mark`].
    pub fn is_marked(&self, id: PacketId) -> bool {
        self.slots[id.0 as usize].ecn == Ecn::Ce
    }

    /// A packet bears CE.
    pub fn note_mark(&mut self, id: PacketId) {
        self.slots[id.0 as usize].ecn = Ecn::Ce;
    }

    /// Moves a packet on by one hop and returns its new position in the route table.
    #[inline]
    pub fn step(&mut self, id: PacketId) -> u32 {
        let hop = &mut self.hops[id.0 as usize];
        debug_assert_ne!(*hop, FREE);
        *hop += 1;
        *hop
    }

    /// Position of a packet in the route table.
    #[inline]
    pub fn position(&self, id: PacketId) -> u32 {
        self.hops[id.0 as usize]
    }

    /// Whether a packet is nothing but an acknowledgement ([`Segment::is_pure_ack`]).
    pub fn is_pure_ack(&self, id: PacketId) -> bool {
        self.segment(id).is_pure_ack()
    }

    /// Packets under way.
    pub fn live(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    /// Places: the most packets that were ever under way at once.
    pub fn places(&self) -> usize {
        self.slots.len()
    }

    /// Bytes that the arena occupies.
    pub fn bytes(&self) -> usize {
        let words = self.hops.capacity() + self.free.capacity() + self.extras.free.capacity();
        self.slots.capacity() * size_of::<Slot>()
            + self.extras.places.capacity() * size_of::<(SackBlocks, SynOptions)>()
            + words * size_of::<u32>()
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
        self.extras.release(self.slots[id.0 as usize].extra);
    }
}

impl PacketStore for Arena {
    #[inline]
    fn segment(&self, id: PacketId) -> Segment {
        self.slots[id.0 as usize].segment(&self.extras)
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        let segment = self.segment(packet.id);
        let id = self.insert(&segment, self.hops[packet.id.0 as usize]);
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
    use acklab_proto::segment::SackBlock;

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
        let first = a.insert(&Segment::default(), 5);
        assert_eq!(a.step(first), 6);
        let copy = a.duplicate(packet(first));
        assert_eq!(a.step(copy.id), 7);
        assert_eq!(a.take(packet(first)).ecn, Ecn::Ce);
        a.on_drop(Instant::ZERO, copy, DropReason::RandomLoss);
        assert_eq!(a.insert(&Segment::default(), 0), copy.id);
        assert_eq!((a.live(), a.places()), (1, 2));
        a.check();
    }

    #[test]
    fn segments_come_out_as_they_went_in() {
        let mut a = Arena::default();
        let mut sack = SackBlocks::EMPTY;
        sack.push(SackBlock {
            start: SeqNum(7),
            end: SeqNum(9),
        });
        let plain = Segment {
            seq: SeqNum(1),
            ack: SeqNum(2),
            len: 3,
            window: 4,
            flags: Flags::ACK,
            ecn: Ecn::Ce,
            layout: OptionLayout::Packed,
            ..Segment::default()
        };
        let acking = Segment {
            sack,
            timestamps: Some(Timestamps { val: 5, ecr: 6 }),
            ..plain
        };
        let opening = Segment {
            syn: SynOptions {
                mss: 1460,
                window_scale: Some(7),
                sack_permitted: true,
            },
            ..plain
        };
        for _ in 0..2 {
            let all = [plain, acking, opening].map(|s| (s, a.insert(&s, 0)));
            for (segment, id) in all {
                assert_eq!(a.take(packet(id)), segment);
            }
        }
        assert_eq!((a.places(), a.extras.places.len()), (3, 2));
    }
}
