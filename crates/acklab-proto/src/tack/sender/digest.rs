//! Deliveries by one report, gathered record by record.

use super::record::Record;
use crate::rate::RateSampler;
use acklab_units::Span;

/// Facts of one report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Digest {
    /// Newly delivered, either way.
    pub delivered: u64,
    pub delivered_segments: u32,
    /// Cumulatively acknowledged, delivered before or not.
    pub acked: u64,
    pub acked_segments: u32,
    /// Newly found lost.
    pub lost: u64,
    /// A repair that left after the last reduction is among them.
    pub repair_lost: bool,
    /// Newly marked.
    pub ce: u64,
    /// The cumulative point advanced.
    pub advanced: bool,
    pub prior_inflight: u64,
    /// What an IACK that begins an episode of losses tells the controller to keep in flight, at least.
    /// A controller that conserves packets (BBR) takes what is in flight then for its window. Between two
    /// TACKs that grows by what arrives unreported, so an IACK soon after a TACK would cut the window by
    /// up to an interval. What was in flight before the last TACK is what a TACK would conserve.
    pub conserved: u64,
    /// The peer has settled all numbers up to this one.
    pub settled: Option<u64>,
    /// Some of it was settled by an earlier report: it arrived then, and is only told of now.
    pub late: bool,
    /// Segments that had been found lost and not been sent again.
    pub unsent: u32,
    /// The largest PKT.SEQ that had arrived.
    pub largest: u64,
    /// RTT of the packet with the largest number, for the smoothed RTT.
    pub rtt: Option<Span>,
    /// RTT of the fastest packet, for the minimum.
    pub fastest: Option<Span>,
}

impl Digest {
    pub fn on_delivered(&mut self, r: &Record, rates: &mut RateSampler) {
        self.delivered += u64::from(r.len());
        self.delivered_segments += 1;
        self.late |= r.is_settled();
        self.unsent += u32::from(r.is_lost());
        rates.on_delivered(r);
    }

    pub fn on_gone(&mut self, r: &Record) {
        self.acked += u64::from(r.len());
        self.acked_segments += 1;
    }
}
