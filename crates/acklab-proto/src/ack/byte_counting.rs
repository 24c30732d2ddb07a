//! Byte-counting acknowledgements: one for every L full-sized segments.
//!
//! The vocabulary is the TACK paper's (section 4.1, equation 1: frequency = bandwidth / (L * MSS)).
//! L = 1 and L = 2 are what TCP uses, larger L is what its Figures 3 and 10 explore. The paper's
//! byte counting knows no timer; here there is one by default, since without it the end of every
//! transfer would wait for the sender's retransmission timeout.

use super::Build;
use super::counted::{Counted, Unit};
use super::urgent::{OUT_OF_ORDER, PUSH, Urgent};
use crate::registry::{Entry, Kind, Param, Value};
use acklab_units::Span;
use alloc::boxed::Box;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "byte-counting",
    aliases: &["byte_counting"],
    summary: "An ACK for every L full segments, with an optional timer.",
    source: "TACK paper, section 4.1, equation 1",
    params: &[
        Param {
            name: "l",
            doc: "Full segments per ACK, L of the TACK paper (its default is 2).",
            kind: Kind::Int(1, 64),
            default: Value::Int(2),
        },
        Param {
            name: "timeout",
            doc: "Longest delay of an ACK since the first unacknowledged segment, or \"none\" as \
                  in the TACK paper's equation 1; 200 ms as for delayed ACKs.",
            kind: Kind::OptSpan(Span::ZERO, Span::from_secs(10)),
            default: Value::Span(Span::from_millis(200)),
        },
        OUT_OF_ORDER,
        PUSH,
    ],
    build: |params| {
        Box::new(Counted::new(
            params.int("l") as u64,
            Unit::Bytes,
            params.span("timeout"),
            Urgent::from_params(params),
        ))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::AckReason::{ByteCount, OutOfOrder, Timer};
    use crate::ack::testing::{Bench, MSS, What, stream};
    use alloc::vec::Vec;

    static HERE: Entry<Build> = ENTRY;

    fn bench(l: i64) -> Bench {
        Bench::new(&HERE, &[("l", Value::Int(l)), ("timeout", Value::Auto)])
    }

    #[test]
    fn the_frequency_is_equation_1_for_every_l() {
        for l in [1u64, 2, 3, 4, 8, 16, 64] {
            let acks = bench(l as i64).play(&stream(640, 100), 1_000_000);
            assert_eq!(acks.len() as u64, 640 / l, "L = {l}");
            let want: Vec<u64> = (1..=640 / l).map(|i| (i * l - 1) * 100).collect();
            assert!(acks.iter().map(|a| a.0).eq(want), "L = {l}");
        }
    }

    #[test]
    fn bytes_are_counted_whatever_the_segments_are() {
        let rows: Vec<_> = (0..16).map(|i| (i, What::Small(MSS / 4))).collect();
        assert_eq!(
            bench(2).play(&rows, 1_000),
            [(7, ByteCount), (15, ByteCount)]
        );
    }

    #[test]
    fn without_a_timer_the_tail_waits() {
        assert_eq!(bench(8).play(&stream(7, 10), 10_000_000), []);
        let timed = Bench::new(&HERE, &[("l", Value::Int(8))]);
        assert_eq!(
            timed.play(&stream(7, 10), 10_000_000),
            [(200_000, Timer)],
            "counted from the first segment"
        );
    }

    #[test]
    fn disorder_resets_the_count() {
        let rows = [
            (0, What::Full),
            (1, What::Full),
            (2, What::Early),
            (3, What::Full),
            (4, What::Full),
            (5, What::Full),
            (6, What::Full),
        ];
        assert_eq!(bench(4).play(&rows, 100), [(2, OutOfOrder), (6, ByteCount)]);
    }

    #[test]
    fn thinned_disorder_counts_towards_l() {
        let rows: Vec<_> = (0..8).map(|i| (i, What::Early)).collect();
        let thin = Bench::new(
            &HERE,
            &[
                ("l", Value::Int(4)),
                ("out_of_order", Value::Choice("thin")),
            ],
        );
        assert_eq!(thin.play(&rows, 100), [(3, ByteCount), (7, ByteCount)]);
    }
}
