//! TARR: the sender asks for one ACK per R full segments (draft-ietf-tcpm-ack-rate-request).
//!
//! Until the first request, or if there is none, the receiver acknowledges every second full
//! segment like `delayed`. The delayed-ACK timer, out-of-order data and ECN stay what RFC 5681 and
//! RFC 3168 want. When the sender asks is in `tcp/asking.rs`.

use super::counted::{Counted, Unit};
use super::request::{AckOption, Asking, Count, MAX_RATE};
use super::urgent::{OUT_OF_ORDER, Urgent};
use super::{AckDecision, AckPolicy, AckReason, Arrival, Build};
use crate::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;

/// Full segments per ACK before the first request (RFC 5681 section 4.2).
const UNASKED: u64 = 2;

/// Parameter `rule`, common to the policies that a sender drives.
pub(super) const RULE: Param = Param {
    name: "rule",
    doc: "How the sender chooses what it asks for: \"window\" wants `per_rtt` ACKs per congestion \
          window, \"fixed\" always the same.",
    kind: Kind::Choice(&["window", "fixed"]),
    default: Value::Choice("window"),
};

/// Parameter `per_rtt`.
pub(super) const PER_RTT: Param = Param {
    name: "per_rtt",
    doc: "ACKs per congestion window that rule \"window\" wants; 4 as in picoquic \
          (`picoquic_compute_ack_gap_and_delay`) and as TACK's beta.",
    kind: Kind::Int(1, 64),
    default: Value::Int(4),
};

/// Parameter `in_slow_start`.
pub(super) const IN_SLOW_START: Param = Param {
    name: "in_slow_start",
    doc: "Ask for fewer ACKs in slow start, too; otherwise every second segment is acknowledged \
          until it is over.",
    kind: Kind::Bool,
    default: Value::Bool(false),
};

/// Parameter `in_recovery`.
pub(super) const IN_RECOVERY: Param = Param {
    name: "in_recovery",
    doc: "Keep asking for fewer ACKs during loss recovery; otherwise every second segment is \
          acknowledged until it is over.",
    kind: Kind::Bool,
    default: Value::Bool(true),
};

/// Parameter `immediate`.
pub(super) const IMMEDIATE: Param = Param {
    name: "immediate",
    doc: "Ask for an ACK at once with the last segment before silence and with probes.",
    kind: Kind::Bool,
    default: Value::Bool(true),
};

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "tarr",
    aliases: &[],
    summary: "The sender asks for one ACK per R full segments (TCP option TARR).",
    source: "draft-ietf-tcpm-ack-rate-request; experiment 0x00AC of RFC 6994",
    params: &[
        RULE,
        Param {
            name: "r",
            doc: "R of rule \"fixed\", full segments per ACK; the option has seven bits for it.",
            kind: Kind::Int(1, MAX_RATE as i64),
            default: Value::Int(8),
        },
        PER_RTT,
        IN_SLOW_START,
        IN_RECOVERY,
        IMMEDIATE,
        Param {
            name: "timeout",
            doc: "Longest delay of an ACK since the first unacknowledged segment; 200 ms as for \
                  delayed ACKs, RFC 5681 wants 500 ms at most.",
            kind: Kind::Span(Span::ZERO, Span::from_millis(500)),
            default: Value::Span(Span::from_millis(200)),
        },
        OUT_OF_ORDER,
    ],
    build: |params| Box::new(Tarr::new(params)),
};

/// The receiver's side, and what the sender's side asks for.
#[derive(Debug)]
struct Tarr {
    counted: Counted,
    asking: Asking,
    /// Where in the stream the request in force stood: an older one that comes late is ignored.
    asked_at: u64,
}

impl Tarr {
    fn new(params: &Params) -> Self {
        let urgent = Urgent {
            out_of_order: params.choice(OUT_OF_ORDER.name) == "immediate",
            push: false,
        };
        let timeout = params.span("timeout");
        Self {
            counted: Counted::new(UNASKED, Unit::Bytes, timeout, urgent),
            asking: asking(params, AckOption::TarrPermitted, params.int("r") as u32),
            asked_at: 0,
        }
    }
}

/// The sender's request by the parameters that the driven policies share.
pub(super) fn asking(params: &Params, announcement: AckOption, fixed: u32) -> Asking {
    let per_window = params.int(PER_RTT.name) as u32;
    Asking {
        announcement,
        count: match params.choice(RULE.name) {
            "fixed" => Count::Fixed(fixed),
            _ => Count::PerWindow(per_window),
        },
        max_delay: None,
        parts: per_window,
        reordering: 1,
        in_slow_start: params.bool(IN_SLOW_START.name),
        in_recovery: params.bool(IN_RECOVERY.name),
        immediate: params.bool(IMMEDIATE.name),
    }
}

impl AckPolicy for Tarr {
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        let mut now = false;
        match arrival.ask {
            Some(AckOption::Tarr { rate: 0 }) => now = true,
            Some(AckOption::Tarr { rate }) if arrival.start >= self.asked_at => {
                self.asked_at = arrival.start;
                self.counted.set_quota(u64::from(rate));
            }
            _ => {}
        }
        let decision = self.counted.on_data(arrival);
        match decision {
            AckDecision::Now(_) => decision,
            _ if now => AckDecision::Now(AckReason::Asked),
            _ => decision,
        }
    }

    fn on_timeout(&mut self, now: Instant) -> Option<AckReason> {
        self.counted.on_timeout(now)
    }

    fn on_ack_sent(&mut self, now: Instant) {
        self.counted.on_ack_sent(now);
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.counted.next_timeout()
    }

    fn asking(&self) -> Option<Asking> {
        Some(self.asking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::AckReason::{Asked, ByteCount, OutOfOrder, Timer};
    use crate::ack::testing::{Bench, What, stream};
    use alloc::vec;

    static HERE: Entry<Build> = ENTRY;

    fn rate(rate: u8) -> What {
        What::Ask(AckOption::Tarr { rate })
    }

    #[test]
    fn unasked_it_is_delayed_ack() {
        let acks = Bench::new(&HERE, &[]).play(&stream(4, 1_000), 9_500);
        assert_eq!(acks, [(1_000, ByteCount), (3_000, ByteCount)]);
    }

    #[test]
    fn the_rate_asked_for_holds_from_its_segment_on() {
        let mut rows = stream(9, 1_000);
        rows[2].1 = rate(5);
        let acks = Bench::new(&HERE, &[]).play(&rows, 500_000);
        assert_eq!(
            acks,
            [(1_000, ByteCount), (6_000, ByteCount), (207_000, Timer)]
        );
    }

    #[test]
    fn a_zero_brings_one_ack_and_changes_nothing() {
        let mut rows = stream(7, 1_000);
        rows[0].1 = rate(4);
        rows[1].1 = rate(0);
        let acks = Bench::new(&HERE, &[]).play(&rows, 9_500);
        assert_eq!(acks, [(1_000, Asked), (5_000, ByteCount)]);
    }

    #[test]
    fn disorder_does_not_wait_for_the_count() {
        let rows = vec![(0, rate(100)), (1_000, What::Early)];
        let acks = Bench::new(&HERE, &[]).play(&rows, 9_500);
        assert_eq!(acks, [(1_000, OutOfOrder)]);
    }

    #[test]
    fn a_request_that_comes_late_does_not_undo_a_newer_one() {
        let mut p = Tarr::new(&Params::defaults(HERE.params));
        let at = |start, rate| Arrival {
            ask: Some(AckOption::Tarr { rate }),
            start,
            ..crate::ack::testing::arrival(What::Full)
        };
        p.on_data(&at(5_000, 3));
        p.on_data(&at(1_000, 60));
        assert_eq!(
            p.on_data(&crate::ack::testing::arrival(What::Full)),
            AckDecision::Now(ByteCount)
        );
    }
}
