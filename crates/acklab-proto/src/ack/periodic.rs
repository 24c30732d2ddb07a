//! Periodic acknowledgements: one per interval alpha, however much data there is.
//!
//! TACK paper, section 4.1, equation 2: frequency = 1 / alpha. The paper bounds alpha by
//! `RTTmin / beta` (its section 4.2); that is the default here.
//!
//! Three things the equation leaves open are parameters: what the interval is counted from, whether
//! an interval without data is acknowledged too (the equation, taken at its word, does that and the
//! paper calls it a waste), and whether disorder may wait.

use super::urgent::{OUT_OF_ORDER, PUSH, Urgent};
use super::{AckDecision, AckPolicy, AckReason, Arrival, Build};
use crate::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;

/// Longest interval a scenario may ask for.
const ALPHA_MAX: Span = Span::from_secs(10);

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "periodic",
    aliases: &[],
    summary: "One ACK per interval alpha.",
    source: "TACK paper, section 4.1, equation 2",
    params: &[
        Param {
            name: "alpha",
            doc: "Interval between ACKs; \"none\" = smallest RTT seen / beta, and an ACK per \
                  segment until an RTT is known.",
            kind: Kind::OptSpan(Span::from_micros(1), ALPHA_MAX),
            default: Value::Auto,
        },
        Param {
            name: "beta",
            doc: "ACKs per smallest RTT when alpha is \"none\" (TACK paper: 4).",
            kind: Kind::Int(1, 64),
            default: Value::Int(4),
        },
        Param {
            name: "since",
            doc: "What alpha is counted from: the last \"ack\" sent (data after a pause is \
                  acknowledged at once), the first unacknowledged \"data\", or a fixed \"grid\" \
                  that starts with the first data.",
            kind: Kind::Choice(&["ack", "data", "grid"]),
            default: Value::Choice("ack"),
        },
        Param {
            name: "idle",
            doc: "An interval without data: \"silent\", or \"ack\" all the same.",
            kind: Kind::Choice(&["silent", "ack"]),
            default: Value::Choice("silent"),
        },
        OUT_OF_ORDER,
        PUSH,
    ],
    build: |params| Box::new(Periodic::new(params)),
};

/// The start of the interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Since {
    Ack,
    Data,
    Grid,
}

/// Acknowledges at intervals.
#[derive(Clone, Debug)]
struct Periodic {
    alpha: Option<Span>,
    beta: u64,
    since: Since,
    idle_acks: bool,
    urgent: Urgent,
    min_rtt: Option<Span>,
    /// First data: the origin of the grid.
    origin: Option<Instant>,
    last_ack: Option<Instant>,
    deadline: Option<Instant>,
}

impl Periodic {
    fn new(params: &Params) -> Self {
        Self {
            alpha: params.span("alpha"),
            beta: params.int("beta") as u64,
            since: match params.choice("since") {
                "data" => Since::Data,
                "grid" => Since::Grid,
                _ => Since::Ack,
            },
            idle_acks: params.choice("idle") == "ack",
            urgent: Urgent::from_params(params),
            min_rtt: None,
            origin: None,
            last_ack: None,
            deadline: None,
        }
    }

    /// Alpha; `None` while it hangs on an RTT that is not known. Never zero, or a timer would spin.
    fn interval(&self) -> Option<Span> {
        let alpha = self.alpha.or(self.min_rtt.map(|r| r / self.beta))?;
        Some(alpha.max(Span::from_micros(1)))
    }

    fn note(&mut self, arrival: &Arrival) {
        self.origin.get_or_insert(arrival.now);
        if let Some(rtt) = arrival.rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |m| m.min(rtt)));
        }
    }

    /// When data that arrives at `now` is to be acknowledged.
    fn due(&self, now: Instant, alpha: Span) -> Instant {
        match self.since {
            Since::Ack => self.last_ack.map_or(now, |t| (t + alpha).max(now)),
            Since::Data => now + alpha,
            Since::Grid => self.next_tick(now, alpha),
        }
    }

    /// The first point of the grid after `now`.
    fn next_tick(&self, now: Instant, alpha: Span) -> Instant {
        let origin = self.origin.unwrap_or(now);
        let passed = now.saturating_since(origin).as_nanos() / alpha.as_nanos();
        origin + alpha * (passed + 1)
    }

    /// After an acknowledgement: the next one if intervals without data have theirs too.
    fn next_idle(&self, now: Instant) -> Option<Instant> {
        let alpha = self.interval().filter(|_| self.idle_acks)?;
        Some(match self.since {
            Since::Grid => self.next_tick(now, alpha),
            Since::Ack | Since::Data => now + alpha,
        })
    }
}

impl AckPolicy for Periodic {
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.note(arrival);
        if let Some(reason) = self.urgent.reason(arrival) {
            return AckDecision::Now(reason);
        }
        let Some(alpha) = self.interval() else {
            return AckDecision::Now(AckReason::EverySegment);
        };
        if self.deadline.is_some() {
            return AckDecision::Hold;
        }
        let due = self.due(arrival.now, alpha);
        if due <= arrival.now {
            return AckDecision::Now(AckReason::Timer);
        }
        self.deadline = Some(due);
        AckDecision::At(due)
    }

    fn on_timeout(&mut self, now: Instant) -> Option<AckReason> {
        if self.deadline? > now {
            return None;
        }
        self.deadline = None;
        Some(AckReason::Timer)
    }

    fn on_ack_sent(&mut self, now: Instant) {
        self.last_ack = Some(now);
        self.deadline = self.next_idle(now);
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::AckReason::{EverySegment, OutOfOrder, Timer};
    use crate::ack::testing::{Bench, What, stream};

    static HERE: Entry<Build> = ENTRY;
    const ALPHA: (&str, Value) = ("alpha", Value::Span(Span::from_millis(10)));

    fn since(word: &'static str) -> Bench {
        Bench::new(&HERE, &[ALPHA, ("since", Value::Choice(word))])
    }

    #[test]
    fn the_frequency_is_equation_2_at_any_rate() {
        for gap in [10, 100, 1_000, 5_000] {
            let acks = Bench::new(&HERE, &[ALPHA]).play(&stream(1_000_000 / gap, gap), 999_999);
            assert_eq!(acks.len(), 100, "a segment each {gap} us");
        }
    }

    #[test]
    fn a_pause_ends_with_an_ack_a_wait_or_a_tick() {
        let rows = [(0, What::Full), (1_000, What::Full), (33_000, What::Full)];
        let table = [
            ("ack", [0, 10_000, 33_000].as_slice()),
            ("data", &[10_000, 43_000]),
            ("grid", &[10_000, 40_000]),
        ];
        for (word, want) in table {
            let acks = since(word).play(&rows, 200_000);
            assert!(
                acks.iter().map(|a| a.0).eq(want.iter().copied()),
                "{word}: {acks:?}"
            );
        }
    }

    #[test]
    fn idle_intervals_are_silent_unless_asked_for() {
        assert_eq!(
            Bench::new(&HERE, &[ALPHA]).play(&stream(1, 1), 35_000),
            [(0, Timer)]
        );
        for word in ["ack", "data", "grid"] {
            let set = [
                ALPHA,
                ("since", Value::Choice(word)),
                ("idle", Value::Choice("ack")),
            ];
            let acks = Bench::new(&HERE, &set).play(&stream(1, 1), 35_000);
            let first = usize::from(word == "ack");
            assert_eq!(acks.len(), 3 + first, "{word}: {acks:?}");
            assert_eq!(acks[first], (10_000, Timer), "{word}");
        }
    }

    #[test]
    fn alpha_follows_the_smallest_rtt() {
        let bench = Bench::new(&HERE, &[("since", Value::Choice("data"))]);
        let acks = bench
            .with_rtt(Span::from_millis(40))
            .play(&stream(3, 1_000), 100_000);
        assert_eq!(acks, [(10_000, Timer)]);
    }

    #[test]
    fn without_an_rtt_every_segment_is_acknowledged() {
        let acks = Bench::new(&HERE, &[]).play(&stream(3, 1), 100_000);
        assert_eq!(acks, [0, 1, 2].map(|t| (t, EverySegment)));
    }

    #[test]
    fn disorder_jumps_the_queue_and_restarts_the_interval() {
        let rows = [(0, What::Full), (4_000, What::Early), (5_000, What::Early)];
        assert_eq!(
            since("ack").play(&rows, 100_000),
            [(0, Timer), (4_000, OutOfOrder), (5_000, OutOfOrder)]
        );
        let set = [ALPHA, ("out_of_order", Value::Choice("thin"))];
        assert_eq!(
            Bench::new(&HERE, &set).play(&rows, 100_000),
            [(0, Timer), (10_000, Timer)]
        );
    }
}
