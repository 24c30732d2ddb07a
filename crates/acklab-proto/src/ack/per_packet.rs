//! Per-packet: an acknowledgement for every segment.
//!
//! TCP with delayed acknowledgements switched off (Linux `TCP_QUICKACK`; the TACK paper's
//! `L = 1`, its equation 4).

use super::{AckDecision, AckPolicy, AckReason, Arrival, Build};
use crate::registry::Entry;
use acklab_units::Instant;
use alloc::boxed::Box;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "per-packet",
    aliases: &["per_packet"],
    summary: "An ACK for every data segment.",
    source: "RFC 9293 section 3.8.6.3 without delay; TACK paper, equation 4",
    params: &[],
    build: |_| Box::new(PerPacket),
};

/// Acknowledges everything at once.
#[derive(Clone, Copy, Debug)]
struct PerPacket;

impl AckPolicy for PerPacket {
    fn on_data(&mut self, _: &Arrival) -> AckDecision {
        AckDecision::Now(AckReason::EverySegment)
    }

    fn on_timeout(&mut self, _: Instant) -> Option<AckReason> {
        None
    }

    fn on_ack_sent(&mut self, _: Instant) {}

    fn next_timeout(&self) -> Option<Instant> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::testing::{Bench, What};

    static HERE: Entry<Build> = ENTRY;

    #[test]
    fn every_arrival_of_any_kind_is_acknowledged() {
        let rows = [
            (0, What::Full),
            (1, What::Small(1)),
            (2, What::Early),
            (3, What::Fill),
            (4, What::Duplicate),
        ];
        let acks = Bench::new(&HERE, &[]).play(&rows, 1_000_000);
        let times: alloc::vec::Vec<u64> = acks.iter().map(|a| a.0).collect();
        assert_eq!(times, [0, 1, 2, 3, 4]);
        assert!(acks.iter().all(|a| a.1 == AckReason::EverySegment));
    }
}
