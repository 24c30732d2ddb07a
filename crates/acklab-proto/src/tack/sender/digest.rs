//! What one report delivered, gathered record by record.

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
    /// Newly marked.
    pub ce: u64,
    /// The cumulative point advanced.
    pub advanced: bool,
    pub prior_inflight: u64,
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
