//! A store that keeps packets as bytes, for a network between real hosts.

mod ip;
#[cfg(test)]
mod tests;

pub use ip::{IpPacket, NotIp};

use super::{Content, Store};
use acklab_path::link::LinkDriver;
use acklab_path::packet::{DropReason, Label, Packet, PacketId, PacketStore};
use acklab_proto::datagram::Datagram;
use acklab_proto::segment::Ecn;
use acklab_units::Instant;

/// IP packets under way, byte for byte, with what links and filters see of them beside. A packet comes out
/// as it went in, but for the mark.
#[derive(Debug, Default)]
pub struct Bytes {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Bytes of memory that the packets hold.
    held: usize,
    created: u64,
    delivered: u64,
    dropped: u64,
}

#[derive(Debug)]
struct Slot {
    /// `None` if the place is free.
    packet: Option<IpPacket>,
    position: u32,
}

impl Bytes {
    fn get(&self, id: PacketId) -> &IpPacket {
        let packet = &self.slots[id.0 as usize].packet;
        packet.as_ref().expect("a packet under way is in its place")
    }

    fn release(&mut self, id: PacketId) -> IpPacket {
        let packet = self.slots[id.0 as usize].packet.take();
        let packet = packet.expect("a packet leaves its place once");
        self.held -= packet.held();
        self.free.push(id.0);
        packet
    }
}

impl Store for Bytes {
    type Item<'a> = IpPacket;
    type Taken = Vec<u8>;

    fn insert(&mut self, packet: IpPacket, position: u32) -> PacketId {
        self.created += 1;
        self.held += packet.held();
        let slot = Slot {
            packet: Some(packet),
            position,
        };
        if let Some(i) = self.free.pop() {
            self.slots[i as usize] = slot;
            return PacketId(i);
        }
        self.slots.push(slot);
        PacketId((self.slots.len() - 1) as u32)
    }

    fn take(&mut self, packet: Packet) -> Vec<u8> {
        self.delivered += 1;
        let mut bytes = self.release(packet.id);
        if packet.ecn == Ecn::Ce {
            bytes.mark();
        }
        bytes.into_bytes()
    }

    fn position(&self, id: PacketId) -> u32 {
        self.slots[id.0 as usize].position
    }

    fn step(&mut self, id: PacketId) -> u32 {
        let slot = &mut self.slots[id.0 as usize];
        debug_assert!(slot.packet.is_some(), "{id:?} is not under way");
        slot.position += 1;
        slot.position
    }

    fn positions(&self) -> impl Iterator<Item = u32> {
        let live = self.slots.iter().filter(|s| s.packet.is_some());
        live.map(|s| s.position)
    }

    fn is_marked(&self, id: PacketId) -> bool {
        self.get(id).datagram().ecn() == Ecn::Ce
    }

    fn note_mark(&mut self, id: PacketId) {
        if let Some(packet) = &mut self.slots[id.0 as usize].packet {
            packet.note_mark();
        }
    }

    fn live(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    fn places(&self) -> usize {
        self.slots.len()
    }

    fn bytes(&self) -> usize {
        let places = self.slots.capacity() * size_of::<Slot>();
        places + self.free.capacity() * size_of::<u32>() + self.held
    }

    fn check(&self) {
        assert_eq!(
            self.created,
            self.delivered + self.dropped + self.live(),
            "packets appeared or vanished"
        );
    }
}

impl PacketStore for Bytes {
    fn datagram(&self, id: PacketId) -> Datagram {
        *self.get(id).datagram()
    }

    /// The hosts are addresses.
    fn label(&self, packet: Packet) -> Label {
        let it = self.get(packet.id);
        let [from, to] = it.hosts();
        Label {
            flow: packet.flow.0,
            from,
            to,
            dscp: it.dscp(),
        }
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        let copy = self.get(packet.id).clone();
        let id = self.insert(copy, self.position(packet.id));
        Packet { id, ..packet }
    }
}

impl LinkDriver for Bytes {
    fn on_drop(&mut self, _now: Instant, packet: Packet, _reason: DropReason) {
        self.dropped += 1;
        self.release(packet.id);
    }
}
