//! Where a network keeps what is in its packets: the contract.

use acklab_path::link::LinkDriver;
use acklab_path::packet::{Packet, PacketId};
use acklab_proto::datagram::Datagram;
use core::fmt::Debug;

/// The input of a store.
pub trait Content {
    /// How links, filters and observers see it.
    fn datagram(&self) -> &Datagram;

    /// Bytes of the IP packet.
    fn size(&self) -> u32;
}

impl Content for &Datagram {
    #[inline]
    fn datagram(&self) -> &Datagram {
        self
    }

    #[inline]
    fn size(&self) -> u32 {
        self.ip_len()
    }
}

/// A store of packets under way. Each has a place, and a position in the network's table of routes.
/// The places of packets that are gone are used again.
///
/// The part shared with a link's driver stands there: what a packet is to those on its way, a
/// second copy of it, and that it was dropped.
pub trait Store: LinkDriver {
    /// The input.
    type Item<'a>: Content;
    /// The output.
    type Taken: Debug;

    /// Keeps a packet that starts at that position.
    fn insert(&mut self, item: Self::Item<'_>, position: u32) -> PacketId;

    /// Takes out a packet that has arrived, with the mark that it bears.
    fn take(&mut self, packet: Packet) -> Self::Taken;

    /// Where a packet is in the table of routes.
    fn position(&self, id: PacketId) -> u32;

    /// Moves a packet on by one hop and returns its new position.
    fn step(&mut self, id: PacketId) -> u32;

    /// Where all packets are, in no order.
    fn positions(&self) -> impl Iterator<Item = u32>;

    /// Whether a packet bears CE as far as is known here: since it was put in, or since
    /// [`Store::note_mark`].
    fn is_marked(&self, id: PacketId) -> bool;

    /// A packet bears CE.
    fn note_mark(&mut self, id: PacketId);

    /// Whether a packet is nothing but feedback ([`Datagram::is_pure_feedback`]).
    fn is_pure_ack(&self, id: PacketId) -> bool {
        self.datagram(id).is_pure_feedback()
    }

    /// Packets under way.
    fn live(&self) -> u64;

    /// Places: the most packets that were ever under way at once.
    fn places(&self) -> usize;

    /// Bytes of memory that the store occupies.
    fn bytes(&self) -> usize;

    /// Panics unless every packet that was put in was taken out, dropped or is under way.
    fn check(&self);
}
