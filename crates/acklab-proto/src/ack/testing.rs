//! A receiver for tests: plays a table of arrivals to a policy and lists what it acknowledged.

use super::request::AckOption;
use super::{AckDecision, AckPolicy, AckReason, Arrival, Build};
use crate::registry::{Entry, Params, Value};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Payload bytes of a full segment in the tables.
pub(super) const MSS: u32 = 1448;

/// One row's stimulus.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A full segment in order.
    Full,
    /// A shorter one in order.
    Small(u32),
    /// In order, with PSH.
    Push(u32),
    /// Above a gap.
    Early,
    /// In order, and the gap behind it stays.
    PartFill,
    /// In order, and no gap is left.
    Fill,
    /// Received before.
    Duplicate,
    /// In order, and the ECN echo changed.
    Ecn,
    /// A full segment in order that enlarged the window on offer.
    Grew,
    /// In order while the window cannot move.
    Stuck,
    /// A full segment in order in which the sender asks for something.
    Ask(AckOption),
    /// This end sends data, which acknowledges all there is.
    SendData,
}

/// The arrival that `what` stands for, at time zero, nothing else being unacknowledged.
pub(super) fn arrival(what: What) -> Arrival {
    let (len, in_order, had_gap, has_gap) = match what {
        What::Small(n) | What::Push(n) => (n, true, false, false),
        What::Early => (MSS, false, true, true),
        What::PartFill => (MSS, true, true, true),
        What::Fill => (MSS, true, true, false),
        What::Duplicate => (MSS, false, false, false),
        _ => (MSS, true, false, false),
    };
    Arrival {
        now: Instant::ZERO,
        len,
        in_order,
        had_gap,
        has_gap,
        duplicate: matches!(what, What::Duplicate),
        push: matches!(what, What::Push(_)),
        ecn_change: matches!(what, What::Ecn),
        unacked: if in_order { u64::from(len) } else { 0 },
        rcv_mss: MSS,
        window_can_move: !matches!(what, What::Stuck),
        moves_unread: !matches!(what, What::Stuck),
        rtt: None,
        start: 1,
        next: 1 + u64::from(len),
        ask: match what {
            What::Ask(option) => Some(option),
            _ => None,
        },
    }
}

/// A policy and what a receiver knows.
pub(super) struct Bench {
    pub(super) policy: Box<dyn AckPolicy>,
    pub(super) rtt: Option<Span>,
    unacked: u64,
    sent: Vec<(u64, AckReason)>,
}

impl Bench {
    /// The policy of `entry` with some parameters set.
    pub(super) fn new(entry: &'static Entry<Build>, set: &[(&str, Value)]) -> Self {
        let mut params = Params::defaults(entry.params);
        for (name, value) in set {
            params.set(entry.params, name, *value).unwrap();
        }
        Self {
            policy: (entry.build)(&params),
            rtt: None,
            unacked: 0,
            sent: Vec::new(),
        }
    }

    /// The same with an RTT estimate.
    pub(super) fn with_rtt(mut self, rtt: Span) -> Self {
        self.rtt = Some(rtt);
        self
    }

    /// Plays rows of (microsecond, stimulus), then lets the timers run until `until`; what was
    /// acknowledged when and why.
    pub(super) fn play(mut self, rows: &[(u64, What)], until: u64) -> Vec<(u64, AckReason)> {
        for &(at, what) in rows {
            self.run_timers(at);
            self.one(at, what);
        }
        self.run_timers(until);
        self.sent
    }

    fn one(&mut self, at: u64, what: What) {
        let now = us(at);
        if matches!(what, What::SendData) {
            self.policy.on_data_sent(now);
            self.unacked = 0;
            return self.policy.on_ack_sent(now);
        }
        if matches!(what, What::Grew) {
            self.policy.on_window_grown();
        }
        let mut a = arrival(what);
        self.unacked += a.unacked;
        (a.now, a.unacked, a.rtt) = (now, self.unacked, self.rtt);
        match self.policy.on_data(&a) {
            AckDecision::Now(why) => self.ack(at, why),
            AckDecision::At(t) => assert_eq!(self.policy.next_timeout(), Some(t)),
            AckDecision::Hold => {}
        }
    }

    fn run_timers(&mut self, until: u64) {
        while let Some(t) = self.policy.next_timeout().filter(|t| *t <= us(until)) {
            if let Some(why) = self.policy.on_timeout(t) {
                self.ack(t.as_nanos() / 1000, why);
            }
        }
    }

    fn ack(&mut self, at: u64, why: AckReason) {
        self.unacked = 0;
        self.sent.push((at, why));
        self.policy.on_ack_sent(us(at));
    }
}

/// `n` full segments, one each `gap` microseconds from time zero.
pub(super) fn stream(n: u64, gap: u64) -> Vec<(u64, What)> {
    (0..n).map(|i| (i * gap, What::Full)).collect()
}

fn us(t: u64) -> Instant {
    Instant::from_nanos(t * 1000)
}
