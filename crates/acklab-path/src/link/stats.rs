//! The counters of a link.

use crate::packet::{DropReason, Packet};
use acklab_units::Span;

/// Room for every [`DropReason`], by its number.
const REASONS: usize = 8;

/// Counters of one link: those that every packet moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LinkStats {
    /// Packets handed out at the far end.
    pub delivered: u64,
    /// Bytes of IP packets handed out at the far end.
    pub delivered_bytes: u64,
    /// Packets that arrived at the near end.
    pub offered: u64,
    /// Packets that were accepted for transmission (in advance where departures are computed).
    pub served: u64,
    /// Total time of all transmissions booked so far; see [`super::Link::busy`].
    pub booked: Span,
    /// Total time that served packets spent waiting.
    pub sojourn_total: Span,
    /// Longest time that a served packet spent waiting.
    pub sojourn_max: Span,
    /// Most bytes that waited at once.
    pub max_waiting_bytes: u64,
    /// Most packets that waited at once, the one in service not counted.
    pub max_waiting: u32,
    /// Copies made by the line.
    pub duplicated: u64,
    /// Packets marked with CE, by the queue or at random.
    pub marked: u64,
    /// Packets held back by the line so that others could overtake.
    pub reordered: u64,
    drops: [u64; REASONS],
}

impl LinkStats {
    /// Packets dropped for `reason`.
    pub fn dropped_for(&self, reason: DropReason) -> u64 {
        self.drops[reason as usize]
    }

    /// Packets dropped for any reason; one that met a pause is dropped and counted at the pause's end, of which
    /// the link's filter and its discipline know before.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().sum()
    }

    /// Mean time that a served packet spent waiting.
    pub fn sojourn_mean(&self) -> Span {
        if self.served == 0 {
            return Span::ZERO;
        }
        self.sojourn_total / self.served
    }

    #[inline]
    pub(super) fn on_dropped(&mut self, reason: DropReason) {
        self.drops[reason as usize] += 1;
    }

    #[inline]
    pub(super) fn on_delivered(&mut self, packet: Packet) {
        self.delivered += 1;
        self.delivered_bytes += u64::from(packet.size);
    }

    #[inline]
    pub(super) fn on_served(&mut self, sojourn: Span, serialisation: Span) {
        self.served += 1;
        self.booked = self.booked.saturating_add(serialisation);
        self.sojourn_total = self.sojourn_total.saturating_add(sojourn);
        self.sojourn_max = self.sojourn_max.max(sojourn);
    }

    #[inline]
    pub(super) fn on_waiting(&mut self, packets: u32, bytes: u64) {
        self.max_waiting = self.max_waiting.max(packets);
        self.max_waiting_bytes = self.max_waiting_bytes.max(bytes);
    }
}
