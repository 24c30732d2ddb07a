//! The network as the driver of its links: keeps packets, and tells the observer.

use super::Store;
use crate::record::{LinkFact, Observer};
use acklab_path::ack_filter::ForwardReason;
use acklab_path::link::LinkDriver;
use acklab_path::packet::{DropReason, Label, Packet, PacketId, PacketStore};
use acklab_proto::datagram::Datagram;
use acklab_units::{Instant, Span};

/// The partners of one link.
#[derive(Debug)]
pub struct Tap<'a, S, O> {
    /// The packets under way.
    pub store: &'a mut S,
    /// The observer.
    pub observer: &'a mut O,
    /// The link's number.
    pub link: usize,
}

impl<S: Store, O: Observer> Tap<'_, S, O> {
    #[inline]
    fn tell(&mut self, at: Instant, packet: Packet, fact: LinkFact) {
        if O::ACTIVE {
            self.observer
                .on_link(at, self.link, packet, &*self.store, fact);
        }
    }
}

impl<S: Store, O: Observer> PacketStore for Tap<'_, S, O> {
    #[inline]
    fn datagram(&self, id: PacketId) -> Datagram {
        self.store.datagram(id)
    }

    fn label(&self, packet: Packet) -> Label {
        self.store.label(packet)
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        let copy = self.store.duplicate(packet);
        if O::ACTIVE {
            self.observer.on_copied(packet.id, copy.id);
        }
        copy
    }
}

impl<S: Store, O: Observer> LinkDriver for Tap<'_, S, O> {
    const WATCHES: bool = O::ACTIVE;

    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.tell(now, packet, LinkFact::Dropped(reason));
        self.store.on_drop(now, packet, reason);
    }

    #[inline]
    fn on_queued(&mut self, now: Instant, packet: Packet) {
        self.tell(now, packet, LinkFact::Queued);
    }

    #[inline]
    fn on_left(&mut self, at: Instant, packet: Packet, sojourn: Span) {
        self.tell(at, packet, LinkFact::Left(sojourn));
    }

    #[inline]
    fn on_held(&mut self, now: Instant, packet: Packet) {
        self.tell(now, packet, LinkFact::Held);
    }

    #[inline]
    fn on_released(&mut self, now: Instant, packet: Packet, reason: ForwardReason) {
        self.tell(now, packet, LinkFact::Released(reason));
    }
}
