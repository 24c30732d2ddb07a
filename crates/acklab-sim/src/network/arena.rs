//! Where what is in the packets under way is kept.

use super::Store;
use acklab_path::link::LinkDriver;
use acklab_path::packet::{DropReason, Label, Packet, PacketId, PacketStore};
use acklab_proto::ack::request::AckOption;
use acklab_proto::datagram::{Datagram, Dscp, Opaque};
use acklab_proto::segment::{
    Ecn, Flags, OptionLayout, SackBlocks, Segment, SynOptions, Timestamps,
};
use acklab_proto::tack::wire::Packet as TackPacket;
use acklab_units::{Instant, SeqNum};

/// Marks a free place in `hops`.
const FREE: u32 = u32::MAX;
/// The slot's segment has neither SACK blocks nor options of a SYN nor a request about ACKs.
const PLAIN: u32 = u32::MAX;

/// A slab of what is in packets. Places are reused, the one freed last first, so a run needs as many as there
/// are packets under way at its busiest moment.
#[derive(Debug, Default)]
pub struct Arena {
    slots: Vec<Slot>,
    /// Position in the route table. Apart from the segments: forwarding needs nothing else.
    hops: Vec<u32>,
    free: Vec<u32>,
    extras: Extras,
    /// The node of each host.
    nodes: Vec<u32>,
    /// Codepoints by flow; empty if all are the default.
    classes: Vec<Dscp>,
    created: u64,
    delivered: u64,
    dropped: u64,
}

/// The content of a packet, by protocol. Half a cache line: by the time a packet arrives, thousands of
/// others have passed and its slot must come from memory again. Larger contents stand apart.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Slot(Content);

#[derive(Clone, Copy, Debug)]
enum Content {
    Tcp(TcpSlot),
    Opaque(Opaque),
    /// Place in the extras.
    Tack(u32),
}

/// A segment without what few segments have. In this order the enum around it finds room for its tag
/// behind what the other protocols need.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct TcpSlot {
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

/// The parts that few segments have.
type Extra = (SackBlocks, SynOptions, Option<AckOption>);

/// The parts beside the slots.
#[derive(Debug, Default)]
struct Extras {
    places: Vec<Extra>,
    free: Vec<u32>,
    tacks: Vec<TackSlot>,
    free_tacks: Vec<u32>,
    /// Control frames, of the packets that have any: one in a hundred. Buffers are kept for the next.
    controls: Vec<Vec<u8>>,
    free_controls: Vec<u32>,
    /// Control frames of the packet that is put in next, and of the one that was taken out last.
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

/// A packet of TACK, and the place of its control frames or [`PLAIN`].
#[derive(Debug)]
struct TackSlot {
    packet: TackPacket,
    control: u32,
}

impl Extras {
    /// The place of what `segment` has of it.
    #[inline]
    fn insert(&mut self, segment: &Segment) -> u32 {
        let rare = segment.ask.is_some() || segment.syn != SynOptions::default();
        if segment.sack.is_empty() && !rare {
            return PLAIN;
        }
        let extra = (segment.sack, segment.syn, segment.ask);
        if let Some(i) = self.free.pop() {
            self.places[i as usize] = extra;
            return i;
        }
        self.places.push(extra);
        (self.places.len() - 1) as u32
    }

    #[inline]
    fn get(&self, place: u32) -> Extra {
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

    fn insert_tack(&mut self, packet: &TackPacket) -> u32 {
        debug_assert_eq!(self.incoming.len(), usize::from(packet.control));
        let slot = TackSlot {
            packet: *packet,
            control: self.insert_control(),
        };
        if let Some(i) = self.free_tacks.pop() {
            self.tacks[i as usize] = slot;
            return i;
        }
        self.tacks.push(slot);
        (self.tacks.len() - 1) as u32
    }

    /// The place of the control frames that have come in, if there are any.
    fn insert_control(&mut self) -> u32 {
        if self.incoming.is_empty() {
            return PLAIN;
        }
        let i = self.free_controls.pop().unwrap_or_else(|| {
            self.controls.push(Vec::new());
            (self.controls.len() - 1) as u32
        });
        let control = &mut self.controls[i as usize];
        control.clear();
        control.append(&mut self.incoming);
        i
    }

    fn control(&self, place: u32) -> &[u8] {
        match self.tacks[place as usize].control {
            PLAIN => &[],
            i => &self.controls[i as usize],
        }
    }

    fn release_tack(&mut self, place: u32) {
        self.free_tacks.push(place);
        let control = self.tacks[place as usize].control;
        if control != PLAIN {
            self.free_controls.push(control);
        }
    }

    fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Extra>()
            + self.tacks.capacity() * size_of::<TackSlot>()
            + self.controls.capacity() * size_of::<Vec<u8>>()
            + self.controls.iter().map(Vec::capacity).sum::<usize>()
            + self.free_places() * size_of::<u32>()
    }

    fn free_places(&self) -> usize {
        self.free.capacity() + self.free_tacks.capacity() + self.free_controls.capacity()
    }
}

impl TcpSlot {
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
    fn segment(&self, extras: &Extras, ecn: Ecn) -> Segment {
        let (sack, syn, ask) = extras.get(self.extra);
        Segment {
            seq: self.seq,
            ack: self.ack,
            len: self.len,
            window: self.window,
            flags: self.flags,
            ecn,
            timestamps: self.has_timestamps.then_some(self.timestamps),
            sack,
            syn,
            ask,
            layout: self.layout,
        }
    }
}

impl Slot {
    #[inline]
    fn datagram(&self, extras: &Extras) -> Datagram {
        match &self.0 {
            Content::Tcp(slot) => Datagram::Tcp(slot.segment(extras, slot.ecn)),
            Content::Opaque(opaque) => Datagram::Opaque(*opaque),
            Content::Tack(place) => Datagram::Tack(extras.tacks[*place as usize].packet),
        }
    }

    fn ecn(&self, extras: &Extras) -> Ecn {
        match &self.0 {
            Content::Tcp(slot) => slot.ecn,
            Content::Opaque(opaque) => opaque.ecn,
            Content::Tack(place) => extras.tacks[*place as usize].packet.ecn,
        }
    }

    fn set_ecn(&mut self, extras: &mut Extras, ecn: Ecn) {
        match &mut self.0 {
            Content::Tcp(slot) => slot.ecn = ecn,
            Content::Opaque(opaque) => opaque.ecn = ecn,
            Content::Tack(place) => extras.tacks[*place as usize].packet.ecn = ecn,
        }
    }
}

impl Arena {
    /// An empty one for packets between hosts on these nodes: those of flow direction h come from host h
    /// and go to host h ^ 1.
    pub fn between(nodes: impl IntoIterator<Item = usize>) -> Self {
        Self {
            nodes: nodes.into_iter().map(|n| n as u32).collect(),
            ..Self::default()
        }
    }

    /// The same with the codepoints of the flows' packets, flow by flow; what an opaque packet has
    /// written in it goes before.
    pub fn classed(mut self, classes: impl IntoIterator<Item = Dscp>) -> Self {
        self.classes = classes.into_iter().collect();
        if self.classes.iter().all(|c| *c == Dscp::DEFAULT) {
            self.classes = Vec::new();
        }
        self
    }

    /// These bytes go with the packet that is put in next, if that can have any.
    #[inline]
    pub fn attach(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.extras.incoming.clear();
            self.extras.incoming.extend_from_slice(bytes);
        }
    }

    /// The bytes that went with the packet of TACK that was taken out last.
    #[inline]
    pub fn attached(&self) -> &[u8] {
        &self.extras.outgoing
    }
}

impl Store for Arena {
    type Item<'a> = &'a Datagram;
    type Taken = Datagram;

    #[inline]
    fn insert(&mut self, datagram: &Datagram, hop: u32) -> PacketId {
        self.created += 1;
        let slot = Slot(match datagram {
            Datagram::Tcp(segment) => {
                Content::Tcp(TcpSlot::new(segment, self.extras.insert(segment)))
            }
            Datagram::Opaque(opaque) => Content::Opaque(*opaque),
            Datagram::Tack(packet) => Content::Tack(self.extras.insert_tack(packet)),
        });
        if let Some(i) = self.free.pop() {
            self.slots[i as usize] = slot;
            self.hops[i as usize] = hop;
            return PacketId(i);
        }
        self.slots.push(slot);
        self.hops.push(hop);
        PacketId((self.slots.len() - 1) as u32)
    }

    #[inline]
    fn take(&mut self, packet: Packet) -> Datagram {
        self.delivered += 1;
        let slot = &self.slots[packet.id.0 as usize];
        // A segment is put together with its ECN field: changed afterwards it would be moved again.
        let datagram = match &slot.0 {
            Content::Tcp(slot) => Datagram::Tcp(slot.segment(&self.extras, packet.ecn)),
            Content::Opaque(_) => slot.datagram(&self.extras).with_ecn(packet.ecn),
            Content::Tack(place) => {
                let datagram = slot.datagram(&self.extras).with_ecn(packet.ecn);
                let mut outgoing = std::mem::take(&mut self.extras.outgoing);
                outgoing.clear();
                outgoing.extend_from_slice(self.extras.control(*place));
                self.extras.outgoing = outgoing;
                datagram
            }
        };
        self.release(packet.id);
        datagram
    }

    fn is_marked(&self, id: PacketId) -> bool {
        self.slots[id.0 as usize].ecn(&self.extras) == Ecn::Ce
    }

    fn note_mark(&mut self, id: PacketId) {
        self.slots[id.0 as usize].set_ecn(&mut self.extras, Ecn::Ce);
    }

    #[inline]
    fn step(&mut self, id: PacketId) -> u32 {
        let hop = &mut self.hops[id.0 as usize];
        debug_assert_ne!(*hop, FREE);
        *hop += 1;
        *hop
    }

    #[inline]
    fn position(&self, id: PacketId) -> u32 {
        self.hops[id.0 as usize]
    }

    fn positions(&self) -> impl Iterator<Item = u32> {
        self.hops.iter().copied().filter(|hop| *hop != FREE)
    }

    fn live(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    fn places(&self) -> usize {
        self.slots.len()
    }

    fn bytes(&self) -> usize {
        let words = self.hops.capacity() + self.free.capacity();
        self.slots.capacity() * size_of::<Slot>() + self.extras.bytes() + words * size_of::<u32>()
    }

    fn check(&self) {
        assert_eq!(
            self.created,
            self.delivered + self.dropped + self.live(),
            "packets appeared or vanished"
        );
    }
}

impl Arena {
    /// Inlined where packets arrive; who drops one calls it from a cold place.
    #[inline(always)]
    fn release(&mut self, id: PacketId) {
        debug_assert_ne!(self.hops[id.0 as usize], FREE, "{id:?} freed twice");
        self.hops[id.0 as usize] = FREE;
        self.free.push(id.0);
        match &self.slots[id.0 as usize].0 {
            Content::Tcp(slot) => self.extras.release(slot.extra),
            Content::Tack(place) => self.extras.release_tack(*place),
            Content::Opaque(_) => {}
        }
    }
}

impl PacketStore for Arena {
    #[inline]
    fn datagram(&self, id: PacketId) -> Datagram {
        self.slots[id.0 as usize].datagram(&self.extras)
    }

    #[inline]
    fn attachment(&self, id: PacketId) -> &[u8] {
        match self.slots[id.0 as usize].0 {
            Content::Tack(place) => self.extras.control(place),
            Content::Tcp(_) | Content::Opaque(_) => &[],
        }
    }

    /// The hosts are nodes, so that flows between the same two have the same label.
    #[inline]
    fn label(&self, packet: Packet) -> Label {
        let h = packet.flow.0 as usize;
        let unknown = Label::of(packet.flow);
        let node = |h: usize, else_: u32| self.nodes.get(h).copied().unwrap_or(else_);
        Label {
            from: node(h, unknown.from),
            to: node(h ^ 1, unknown.to),
            dscp: match &self.slots[packet.id.0 as usize].0 {
                Content::Opaque(opaque) if opaque.dscp != Dscp::DEFAULT => opaque.dscp,
                _ => self.classes.get(h / 2).copied().unwrap_or_default(),
            },
            ..unknown
        }
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        let datagram = self.datagram(packet.id);
        if let Content::Tack(place) = self.slots[packet.id.0 as usize].0 {
            let mut incoming = std::mem::take(&mut self.extras.incoming);
            incoming.clear();
            incoming.extend_from_slice(self.extras.control(place));
            self.extras.incoming = incoming;
        }
        let id = self.insert(&datagram, self.hops[packet.id.0 as usize]);
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
        let first = a.insert(&Segment::default().into(), 5);
        assert_eq!(a.step(first), 6);
        let copy = a.duplicate(packet(first));
        assert_eq!(a.step(copy.id), 7);
        assert_eq!(a.take(packet(first)).ecn(), Ecn::Ce);
        a.on_drop(Instant::ZERO, copy, DropReason::RandomLoss);
        assert_eq!(a.insert(&Segment::default().into(), 0), copy.id);
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
            let all = [plain, acking, opening].map(|s| (s, a.insert(&s.into(), 0)));
            for (segment, id) in all {
                assert_eq!(a.take(packet(id)), Datagram::Tcp(segment));
            }
        }
        assert_eq!((a.places(), a.extras.places.len()), (3, 2));
    }
    #[test]
    fn opaque_packets_stand_beside_segments() {
        let mut a = Arena::default();
        let opaque = Opaque {
            size: 1500,
            len: 1472,
            number: 7,
            ..Opaque::default()
        };
        let id = a.insert(&Datagram::Opaque(opaque), 0);
        assert_eq!(a.tcp(id), None);
        a.note_mark(id);
        assert!(a.is_marked(id) && !a.is_pure_ack(id));
        let marked = Opaque {
            ecn: Ecn::Ce,
            ..opaque
        };
        assert_eq!(a.take(packet(id)), Datagram::Opaque(marked));
        assert_eq!(size_of::<Slot>(), 32);
        a.check();
    }
}
