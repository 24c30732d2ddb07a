//! Where a link ends at a medium that others share: the filter is the link's, queue and
//! transmission are the medium's.

use super::{Line, Link, LinkDriver, LinkStats, boxed};
use crate::ack_filter::chain::Chain;
use crate::packet::{DropReason, Packet, PacketId};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::collections::VecDeque;

/// The requests to the medium, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortCall {
    /// Take this packet into its queue.
    Queue(Packet),
    /// Drop this packet, which waits in its queue: an ACK filter found it superfluous.
    Remove(PacketId),
    /// Drop this packet, which waits in its queue, and let the other one wait in its place.
    Replace(PacketId, Packet),
}

/// The end of a link at a medium.
#[derive(Debug, Default)]
pub(super) struct Port {
    pub calls: VecDeque<PortCall>,
    /// Packets that the medium has, or will be given.
    pub inside: u64,
    /// Packets and bytes in the medium's queue when it last told of them.
    pub waiting: (u32, u64),
}

impl Port {
    pub fn offer(&mut self, packet: Packet) {
        self.inside += 1;
        self.calls.push_back(PortCall::Queue(packet));
    }

    pub fn remove(&mut self, id: PacketId) {
        self.calls.push_back(PortCall::Remove(id));
    }

    pub fn replace(&mut self, id: PacketId, by: Packet) {
        self.inside += 1;
        self.calls.push_back(PortCall::Replace(id, by));
    }
}

impl Link {
    /// A link into a medium. Whoever drives it carries the calls of [`Link::poll_port`] there, after
    /// every [`Link::offer`] and [`Link::advance`], and tells what becomes of the packets.
    pub fn into_medium(filters: impl Into<Chain>) -> Self {
        Self {
            line: Line::Port(Box::default()),
            entrance: None,
            far_end: None,
            filters: boxed(filters.into()),
            stats: LinkStats::default(),
        }
    }

    /// Whether a packet that arrives now goes straight to the medium, as it does where no filter looks at it
    /// and nothing befalls it before. It is counted then as by [`Link::offer`], and the medium must be
    /// given it without a call.
    #[inline]
    pub fn passes_to_medium(&mut self) -> bool {
        let (None, None, Line::Port(port)) = (&self.filters, &self.entrance, &mut self.line) else {
            return false;
        };
        self.stats.offered += 1;
        port.inside += 1;
        true
    }

    /// The next request to the medium; `None` also if the link does not lead to one.
    #[inline]
    pub fn poll_port(&mut self) -> Option<PortCall> {
        match &mut self.line {
            Line::Port(port) => port.calls.pop_front(),
            Line::Computed(_) | Line::Queued(_) => None,
        }
    }

    /// The medium's queue holds so much for this link.
    pub fn on_port_waiting(&mut self, packets: u32, bytes: u64) {
        self.stats.on_waiting(packets, bytes);
    }

    /// The medium's queue holds so much now, for whoever asks for [`Link::waiting`].
    pub fn set_port_waiting(&mut self, waiting: (u32, u64)) {
        if let Line::Port(port) = &mut self.line {
            port.waiting = waiting;
        }
    }

    /// `packet` left the medium's queue after `sojourn`: its transmission begins `at`.
    pub fn on_port_left<D: LinkDriver>(
        &mut self,
        at: Instant,
        packet: Packet,
        sojourn: Span,
        driver: &mut D,
    ) {
        self.tell_watcher(packet);
        self.stats.on_served(sojourn, Span::ZERO);
        driver.on_left(at, packet, sojourn);
    }

    /// The medium's queue has marked a packet of this link with CE.
    pub fn on_port_marked(&mut self) {
        self.stats.marked += 1;
    }

    /// The medium spent so long on packets of this link.
    pub fn on_port_busy(&mut self, airtime: Span) {
        self.stats.booked = self.stats.booked.saturating_add(airtime);
    }

    /// The medium gave `packet` up.
    pub fn on_port_dropped<D: LinkDriver>(
        &mut self,
        now: Instant,
        packet: Packet,
        reason: DropReason,
        driver: &mut D,
    ) {
        self.tell_watcher(packet);
        self.leave();
        self.drop(now, packet, reason, driver);
    }

    /// The medium has taken `packet` out of its queue, as requested.
    pub fn on_port_removed<D: LinkDriver>(&mut self, now: Instant, packet: Packet, driver: &mut D) {
        self.leave();
        self.drop(now, packet, DropReason::AckThinned, driver);
    }

    /// The medium could not take a packet out of its queue as requested: a hardware queue has
    /// it.
    pub fn on_port_kept(&mut self) {
        self.tell_out_of_reach();
    }

    /// `packet` has crossed the medium.
    pub fn on_port_delivered(&mut self, packet: Packet) {
        self.leave();
        self.stats.on_delivered(packet);
        self.check();
    }

    fn leave(&mut self) {
        if let Line::Port(port) = &mut self.line {
            port.inside -= 1;
        }
    }

    fn tell_watcher(&mut self, packet: Packet) {
        if let Some(f) = self.filters.as_mut().and_then(|f| f.watcher()) {
            f.on_left_queue(packet.id, packet.flow);
        }
    }
}
