//! QUIC's `ACK_FREQUENCY` on a TCP endpoint (draft-ietf-quic-ack-frequency-14).
//!
//! The sender asks for a count, a longest delay and a reordering threshold; the receiver honours
//! the newest request. Until the first one it acknowledges every second full segment within QUIC's
//! default delay of 25 ms (RFC 9000 sections 13.2.2 and 18.2). When the sender asks is in
//! `tcp/asking.rs`.

use super::request::{AckOption, Asking, Frequency, MAX_DELAY_US};
use super::tarr::{IMMEDIATE, IN_RECOVERY, IN_SLOW_START, PER_RTT, RULE, asking};
use super::{AckDecision, AckPolicy, AckReason, Arrival, Build};
use crate::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// In force before the first request: every second packet, 25 ms (RFC 9000 section 18.2), and
/// disorder at once (draft section 6.2).
const UNASKED: Frequency = Frequency {
    sequence: 0,
    threshold: 1,
    reordering: 1,
    max_delay_us: 25_000,
};

/// Holes that are remembered; of more, those that lie highest are known as one.
const MOST_HOLES: usize = 32;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "ack-frequency",
    aliases: &["ack_frequency"],
    summary: "The sender asks for count, delay and reordering threshold (QUIC's ACK_FREQUENCY).",
    source: "draft-ietf-quic-ack-frequency, in a TCP option of acklab's own",
    params: &[
        RULE,
        Param {
            name: "threshold",
            doc: "Segments that may come without an ACK, of rule \"fixed\"; the next one brings \
                  it, so 1 is every second (ack-eliciting threshold, draft section 4).",
            kind: Kind::Int(1, 1024),
            default: Value::Int(9),
        },
        PER_RTT,
        Param {
            name: "max_delay",
            doc: "Longest delay of an ACK that the sender asks for; \"none\" = the smoothed RTT \
                  over `per_rtt`, so that at least one ACK comes per round trip (draft section \
                  8.1). At least `min_delay`.",
            kind: Kind::OptSpan(Span::ZERO, Span::from_micros(MAX_DELAY_US as u64)),
            default: Value::Auto,
        },
        Param {
            name: "min_delay",
            doc: "Shortest delay that the receiver can keep, announced on the SYN (`min_ack_delay`, \
                  draft section 3); 1 ms as in picoquic (`PICOQUIC_ACK_DELAY_MIN`).",
            kind: Kind::Span(Span::ZERO, Span::from_millis(25)),
            default: Value::Span(Span::from_millis(1)),
        },
        Param {
            name: "reordering",
            doc: "How far out of order a segment may be, in segments, before it is acknowledged at \
                  once; 1 = not at all, 0 = disorder never brings an ACK (draft section 6.2).",
            kind: Kind::Int(0, 255),
            default: Value::Int(1),
        },
        IN_SLOW_START,
        IN_RECOVERY,
        IMMEDIATE,
    ],
    build: |params| Box::new(AckFrequency::new(params)),
};

/// The receiver's side, and what the sender's side asks for.
#[derive(Debug)]
struct AckFrequency {
    asking: Asking,
    min_delay: Span,
    /// The request in force.
    frequency: Frequency,
    asked: bool,
    /// Segments that came since the last acknowledgement.
    pending: u32,
    deadline: Option<Instant>,
    /// Highest offset that arrived.
    highest: u64,
    /// Highest offset that an acknowledgement has reported.
    reported: u64,
    /// The missing ranges below `highest`, lowest first: first offset, and the one behind the last.
    holes: Vec<(u64, u64)>,
}

impl AckFrequency {
    fn new(params: &Params) -> Self {
        let min_delay = params.span("min_delay").unwrap_or(Span::ZERO);
        let announcement = AckOption::FrequencyPermitted {
            min_delay_us: (min_delay.as_nanos() / 1000) as u32,
        };
        // A threshold of n is one acknowledgement for n + 1.
        let fixed = params.int("threshold") as u32 + 1;
        Self {
            asking: Asking {
                max_delay: params.span("max_delay"),
                reordering: params.int("reordering") as u8,
                ..asking(params, announcement, fixed)
            },
            min_delay,
            frequency: UNASKED,
            asked: false,
            pending: 0,
            deadline: None,
            highest: 0,
            reported: 0,
            holes: Vec::with_capacity(MOST_HOLES + 1),
        }
    }

    /// A stale request is ignored (draft section 4), and so is a delay that this end cannot keep:
    /// QUIC closes the connection for it, here the shortest delay stands in.
    fn take(&mut self, request: Frequency) {
        if self.asked && !request.is_newer_than(&self.frequency) {
            return;
        }
        self.asked = true;
        self.frequency = request;
    }

    /// Draft section 6.2: what is missing and was not reported as missing is so far below the highest
    /// arrival, or what has just arrived is so far below what was acknowledged last. Segments stand for
    /// packets: the draft's packet n is the segment that begins n full segments behind the first.
    fn disordered(&mut self, arrival: &Arrival) -> bool {
        self.remember(arrival);
        if self.frequency.reordering == 0 {
            return false;
        }
        let segment = u64::from(arrival.rcv_mss);
        let far = u64::from(self.frequency.reordering) * segment;
        let late = arrival.start + far + segment <= self.reported;
        // An acknowledgement lets the sender declare lost what is so far below its highest segment.
        let told = self.reported.saturating_sub(far);
        let untold = self.holes.iter().find(|(_, end)| *end > told);
        late || untold.is_some_and(|(start, _)| self.highest - told.max(*start) > far)
    }

    /// Holes open above the highest arrival and close as they are filled.
    fn remember(&mut self, arrival: &Arrival) {
        let (start, end) = (arrival.start, arrival.start + u64::from(arrival.len));
        let reached = self.highest.max(arrival.next);
        if start > reached {
            let full = self.holes.len() == MOST_HOLES;
            match self.holes.last_mut().filter(|_| full) {
                Some(last) => last.1 = start,
                None => self.holes.push((reached, start)),
            }
        } else if end < self.highest {
            self.fill(start, end);
        }
        self.holes.retain(|(_, end)| *end > arrival.next);
        self.highest = self.highest.max(end);
    }

    fn fill(&mut self, start: u64, end: u64) {
        let Some(i) = self.holes.iter().position(|h| h.0 <= start && start < h.1) else {
            return;
        };
        let (first, behind) = self.holes[i];
        match (first < start, end < behind) {
            (true, true) if self.holes.len() < MOST_HOLES => {
                self.holes[i].1 = start;
                self.holes.insert(i + 1, (end, behind));
            }
            (true, _) => self.holes[i].1 = start,
            (false, true) => self.holes[i].0 = end,
            (false, false) => {
                self.holes.remove(i);
            }
        }
    }

    fn arm(&mut self, now: Instant) -> AckDecision {
        if self.deadline.is_some() {
            return AckDecision::Hold;
        }
        let at = now + self.frequency.max_delay().max(self.min_delay);
        self.deadline = Some(at);
        AckDecision::At(at)
    }
}

impl AckPolicy for AckFrequency {
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        if let Some(AckOption::Frequency(request)) = arrival.ask {
            self.take(request);
        }
        self.pending += 1;
        let disordered = self.disordered(arrival);
        if arrival.ecn_change {
            return AckDecision::Now(AckReason::Ecn);
        }
        if disordered || arrival.duplicate {
            return AckDecision::Now(AckReason::OutOfOrder);
        }
        if arrival.ask == Some(AckOption::Immediate) {
            return AckDecision::Now(AckReason::Asked);
        }
        if self.pending > u32::from(self.frequency.threshold) {
            return AckDecision::Now(AckReason::ByteCount);
        }
        self.arm(arrival.now)
    }

    fn on_timeout(&mut self, now: Instant) -> Option<AckReason> {
        if self.deadline? > now {
            return None;
        }
        self.deadline = None;
        Some(AckReason::Timer)
    }

    fn on_ack_sent(&mut self, _: Instant) {
        self.pending = 0;
        self.deadline = None;
        self.reported = self.highest;
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.deadline
    }

    fn asking(&self) -> Option<Asking> {
        Some(self.asking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::AckReason::{Asked, ByteCount, OutOfOrder, Timer};
    use crate::ack::testing::{Bench, MSS, What, arrival, stream};

    static HERE: Entry<Build> = ENTRY;

    fn request(sequence: u8, threshold: u16, reordering: u8) -> AckOption {
        AckOption::Frequency(Frequency {
            sequence,
            threshold,
            reordering,
            max_delay_us: 10_000,
        })
    }

    /// The policy's decisions about full segments with these numbers, beginning with 0; `next` is
    /// the number of the first one missing.
    fn decide(p: &mut AckFrequency, n: u64, next: u64, ask: Option<AckOption>) -> AckDecision {
        let mss = u64::from(MSS);
        let decision = p.on_data(&Arrival {
            start: 1 + n * mss,
            next: 1 + next * mss,
            ask,
            ..arrival(What::Full)
        });
        if matches!(decision, AckDecision::Now(_)) {
            p.on_ack_sent(Instant::ZERO);
        }
        decision
    }

    fn policy() -> AckFrequency {
        AckFrequency::new(&Params::defaults(HERE.params))
    }

    #[test]
    fn count_and_delay_hold_from_the_request_on() {
        let mut rows = stream(8, 1_000);
        rows[2].1 = What::Ask(request(1, 3, 1));
        let acks = Bench::new(&HERE, &[]).play(&rows, 90_000);
        let want = [(1_000, ByteCount), (5_000, ByteCount), (16_000, Timer)];
        assert_eq!(acks, want);
    }

    #[test]
    fn an_immediate_request_brings_one_ack() {
        let mut rows = stream(3, 1_000);
        rows[0].1 = What::Ask(AckOption::Immediate);
        let acks = Bench::new(&HERE, &[]).play(&rows, 9_000);
        assert_eq!(acks, [(0, Asked), (2_000, ByteCount)]);
    }

    #[test]
    fn a_stale_request_is_ignored() {
        let mut p = policy();
        decide(&mut p, 0, 1, Some(request(5, 7, 1)));
        decide(&mut p, 1, 2, Some(request(4, 0, 1)));
        assert_eq!(p.frequency.threshold, 7);
    }

    #[test]
    fn a_hole_is_acknowledged_once_it_is_as_far_below_as_the_threshold_says() {
        for reordering in [1, 3] {
            let mut p = policy();
            decide(&mut p, 0, 1, Some(request(1, 100, reordering)));
            // Segment 1 is missing; its hole is `reordering` segments below at segment 1 + that.
            for n in 2..=u64::from(reordering) {
                assert!(!matches!(decide(&mut p, n, 1, None), AckDecision::Now(_)));
            }
            let due = decide(&mut p, 1 + u64::from(reordering), 1, None);
            assert_eq!(due, AckDecision::Now(OutOfOrder), "{reordering}");
            // Reported, so the next one waits.
            let next = decide(&mut p, 2 + u64::from(reordering), 1, None);
            assert!(!matches!(next, AckDecision::Now(_)), "{reordering}");
        }
    }

    /// Segments that arrive, and those of them that bring an acknowledgement.
    fn examples(reordering: u8, arrivals: &[u64]) -> Vec<u64> {
        let mut p = policy();
        p.take(match request(1, 1000, reordering) {
            AckOption::Frequency(f) => f,
            _ => unreachable!("it is one"),
        });
        let mut seen = alloc::collections::BTreeSet::new();
        let mut acks = Vec::new();
        for n in arrivals {
            seen.insert(*n);
            let next = (0..).find(|n| !seen.contains(n)).unwrap();
            if matches!(decide(&mut p, *n, next, None), AckDecision::Now(_)) {
                acks.push(*n);
            }
        }
        acks
    }

    /// Draft section 6.2.1, tables 1 and 2.
    #[test]
    fn the_drafts_examples() {
        assert_eq!(examples(3, &[0, 1, 3, 4, 5, 8, 9, 10]), [5, 9, 10]);
        assert_eq!(examples(5, &[0, 1, 3, 5, 6, 7, 8, 9]), [7, 9]);
        assert_eq!(examples(1, &[0, 1, 3, 4]), [3]);
    }

    /// Draft section 6.2, the second condition: 2 and 3 come when the sender has given them up, 6 does not.
    #[test]
    fn what_comes_after_it_was_given_up_is_acknowledged_at_once() {
        assert_eq!(examples(3, &[0, 1, 4, 5, 7, 2, 3, 6]), [5, 7, 2, 3]);
    }

    #[test]
    fn holes_fill_from_any_side_and_are_bounded() {
        let mut p = policy();
        decide(&mut p, 0, 1, Some(request(1, 1000, 0)));
        decide(&mut p, 9, 1, None);
        let at = |n: u64| 1 + n * u64::from(MSS);
        assert_eq!(p.holes, [(at(1), at(9))]);
        decide(&mut p, 5, 1, None);
        assert_eq!(p.holes, [(at(1), at(5)), (at(6), at(9))]);
        decide(&mut p, 8, 1, None);
        decide(&mut p, 1, 2, None);
        assert_eq!(p.holes, [(at(2), at(5)), (at(6), at(8))]);
        for n in 10..200 {
            decide(&mut p, 2 * n, 2, None);
        }
        assert_eq!(p.holes.len(), MOST_HOLES);
        assert_eq!(p.holes.last().map(|h| h.1), Some(at(398)));
    }

    #[test]
    fn with_threshold_zero_disorder_waits() {
        let mut p = policy();
        decide(&mut p, 0, 1, Some(request(1, 100, 0)));
        for n in 2..60 {
            assert!(!matches!(decide(&mut p, n, 1, None), AckDecision::Now(_)));
        }
    }
}
