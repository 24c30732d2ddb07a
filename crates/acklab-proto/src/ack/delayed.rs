//! Delayed acknowledgements as the RFCs have them.
//!
//! RFC 1122 section 4.2.3.2, RFC 5681 section 4.2, RFC 9293 section 3.8.6.3: at least every second
//! full-sized segment, no later than 500 ms after the first unacknowledged one, at once when data
//! is out of order or fills a gap. ns-3 (`DelAckCount`, `DelAckTimeout`) is the same with segments
//! of any size counted.

use super::Build;
use super::counted::{Counted, Unit};
use super::urgent::{OUT_OF_ORDER, PUSH, Urgent};
use crate::registry::{Entry, Kind, Param, Value};
use acklab_units::Span;
use alloc::boxed::Box;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "delayed",
    aliases: &["delack"],
    summary: "Delayed ACK: every second full segment, or a timer.",
    source: "RFC 9293 section 3.8.6.3, RFC 5681 section 4.2, RFC 1122 section 4.2.3.2",
    params: &[
        Param {
            name: "segments",
            doc: "Full segments per ACK; RFC 5681 allows at most 2, ns-3's default is 2.",
            kind: Kind::Int(1, 64),
            default: Value::Int(2),
        },
        Param {
            name: "count",
            doc: "What is counted: \"bytes\" in units of full segments (RFC 5681), or \
                  \"segments\" of any size (ns-3).",
            kind: Kind::Choice(&["bytes", "segments"]),
            default: Value::Choice("bytes"),
        },
        Param {
            name: "timeout",
            doc: "Longest delay of an ACK since the first unacknowledged segment; 200 ms in most \
                  stacks, RFC 5681 wants 500 ms at most.",
            kind: Kind::Span(Span::ZERO, Span::from_millis(500)),
            default: Value::Span(Span::from_millis(200)),
        },
        Param {
            name: "first",
            doc: "Acknowledge the first segment of a connection at once (ns-3).",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
        OUT_OF_ORDER,
        PUSH,
    ],
    build: |params| {
        let unit = match params.choice("count") {
            "segments" => Unit::Segments,
            _ => Unit::Bytes,
        };
        let counted = Counted::new(
            params.int("segments") as u64,
            unit,
            params.span("timeout"),
            Urgent::from_params(params),
        );
        Box::new(counted.with_eager_start(params.bool("first")))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::AckReason::{ByteCount, Ecn, OutOfOrder, Push, Timer};
    use crate::ack::testing::{Bench, What, stream};

    static HERE: Entry<Build> = ENTRY;

    #[test]
    fn every_second_full_segment_of_a_stream() {
        let acks = Bench::new(&HERE, &[]).play(&stream(10, 1_000), 9_500);
        assert_eq!(acks, [1, 3, 5, 7, 9].map(|ms| (ms * 1_000, ByteCount)));
    }

    #[test]
    fn the_first_segment_need_not_wait() {
        let eager = Bench::new(&HERE, &[("first", Value::Bool(true))]);
        let acks = eager.play(&stream(5, 1_000), 4_500);
        assert_eq!(acks, [0, 2, 4].map(|ms| (ms * 1_000, ByteCount)));
    }

    #[test]
    fn the_odd_segment_waits_for_the_timer() {
        let acks = Bench::new(&HERE, &[]).play(&stream(3, 1_000), 1_000_000);
        assert_eq!(acks, [(1_000, ByteCount), (202_000, Timer)]);
    }

    #[test]
    fn short_segments_count_by_bytes_or_by_number() {
        let rows = [
            (0, What::Small(100)),
            (10, What::Small(100)),
            (20, What::Full),
        ];
        let by_bytes = Bench::new(&HERE, &[]).play(&rows, 1_000_000);
        assert_eq!(by_bytes, [(200_000, Timer)]);
        let by_number = Bench::new(&HERE, &[("count", Value::Choice("segments"))]);
        assert_eq!(
            by_number.play(&rows, 1_000_000),
            [(10, ByteCount), (200_020, Timer)]
        );
    }

    #[test]
    fn disorder_is_reported_at_once() {
        let rows = [
            (0, What::Full),
            (1, What::Early),
            (2, What::Early),
            (3, What::PartFill),
            (4, What::Fill),
            (5, What::Duplicate),
            (6, What::Ecn),
            (7, What::Full),
        ];
        let acks = Bench::new(&HERE, &[]).play(&rows, 1_000);
        let mut want = alloc::vec![];
        want.extend((1..=5).map(|t| (t, OutOfOrder)));
        want.push((6, Ecn));
        assert_eq!(acks, want);
    }

    #[test]
    fn disorder_can_be_thinned_like_the_rest() {
        let rows = [
            (0, What::Full),
            (1, What::Early),
            (2, What::Early),
            (3, What::Duplicate),
            (4, What::Fill),
        ];
        let thin = Bench::new(&HERE, &[("out_of_order", Value::Choice("thin"))]);
        assert_eq!(
            thin.play(&rows, 1_000_000),
            [(1, ByteCount), (3, ByteCount), (200_004, Timer)]
        );
    }

    #[test]
    fn push_waits_unless_told_otherwise() {
        let rows = [(0, What::Push(100))];
        assert_eq!(
            Bench::new(&HERE, &[]).play(&rows, 300_000),
            [(200_000, Timer)]
        );
        let prompt = Bench::new(&HERE, &[("push", Value::Bool(true))]);
        assert_eq!(prompt.play(&rows, 300_000), [(0, Push)]);
    }

    #[test]
    fn data_sent_the_other_way_carries_the_acknowledgement() {
        let rows = [(0, What::Full), (50, What::SendData), (60, What::Full)];
        assert_eq!(
            Bench::new(&HERE, &[]).play(&rows, 1_000_000),
            [(200_060, Timer)]
        );
    }
}
