//! The engine as the driver of its links: keeps packets, and tells the observer.

use super::Arena;
use crate::record::{LinkFact, Observer};
use acklab_path::ack_filter::ForwardReason;
use acklab_path::link::LinkDriver;
use acklab_path::packet::{DropReason, Packet, PacketId, PacketStore};
use acklab_proto::segment::Segment;
use acklab_units::{Instant, Span};

/// What one link deals with.
#[derive(Debug)]
pub struct Tap<'a, O> {
    /// The packets under way.
    pub arena: &'a mut Arena,
    /// Who watches.
    pub observer: &'a mut O,
    /// The link's number.
    pub link: usize,
}

impl<O: Observer> Tap<'_, O> {
    #[inline]
    fn tell(&mut self, at: Instant, packet: Packet, fact: LinkFact) {
        if O::ACTIVE {
            self.observer
                .on_link(at, self.link, packet, self.arena, fact);
        }
    }
}

impl<O: Observer> PacketStore for Tap<'_, O> {
    #[inline]
    fn segment(&self, id: PacketId) -> Segment {
        self.arena.segment(id)
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        let copy = self.arena.duplicate(packet);
        if O::ACTIVE {
            self.observer.on_copied(packet.id, copy.id);
        }
        copy
    }
}

impl<O: Observer> LinkDriver for Tap<'_, O> {
    const WATCHES: bool = O::ACTIVE;

    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.tell(now, packet, LinkFact::Dropped(reason));
        self.arena.on_drop(now, packet, reason);
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
