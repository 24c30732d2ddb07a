//! For tests: facts with plain defaults, and a small ACK clock that drives a controller.
//!
//! The clock is a sender with endless data, a server with an endless queue, a fixed propagation
//! delay and a receiver that acknowledges every `stretch` segments or `hold` after the first.

use super::{
    Ack, CcInit, CongestionControl, IdleRestart, Loss, RateSample, RecoveryExit, RecoveryPhase,
    Rto, Sent, Spurious,
};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::collections::VecDeque;

/// Payload bytes of a segment in these tests.
pub const MSS: u32 = 1448;

/// A new connection with an initial window of `segments`.
pub fn init(segments: u64) -> CcInit {
    CcInit {
        mss: MSS,
        initial_cwnd: segments * u64::from(MSS),
        seed: 1,
        kernel_units: false,
    }
}

/// The controller's window in whole segments.
pub fn segments(cc: &dyn CongestionControl) -> u64 {
    cc.cwnd() / u64::from(MSS)
}

/// The instant `ms` milliseconds after the start.
pub fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

/// An ACK at `ms` that newly delivers `segments` in a flow limited by its window.
pub fn ack(ms: u64, segments: u32) -> Ack {
    let bytes = u64::from(segments) * u64::from(MSS);
    Ack {
        now: at(ms),
        exact: at(ms),
        acked: bytes,
        newly_delivered: bytes,
        newly_delivered_segments: segments,
        acked_segments: segments,
        newly_lost: 0,
        delivered: bytes,
        lost: 0,
        newly_ce: 0,
        rtt: None,
        cc_rtt: None,
        cc_rtt_samples: 1,
        srtt: Span::ZERO,
        min_rtt: Span::MAX,
        cwnd: bytes,
        inflight: bytes,
        prior_inflight: bytes,
        rate: RateSample::default(),
        cwnd_limited: true,
        may_grow: true,
        phase: RecoveryPhase::Open,
        ece: false,
        snd_una: bytes,
        snd_nxt: 2 * bytes,
        app_limited: false,
        ack_delayed: false,
    }
}

/// A loss at `ms` with `outstanding` segments not acknowledged.
pub fn loss(ms: u64, outstanding: u64) -> Loss {
    let bytes = outstanding * u64::from(MSS);
    Loss {
        now: at(ms),
        inflight: bytes,
        prior_inflight: bytes,
        outstanding: bytes,
        snd_nxt: bytes,
        delivered: 0,
    }
}

/// A timeout at `ms` that gives up all of 40 segments outstanding.
pub fn rto(ms: u64, first: bool) -> Rto {
    let bytes = 40 * u64::from(MSS);
    Rto {
        now: at(ms),
        prior_inflight: bytes,
        inflight: 0,
        outstanding: bytes,
        first,
        snd_nxt: bytes,
        delivered: 0,
    }
}

/// The end of fast recovery at `ms`.
pub fn exit(ms: u64) -> RecoveryExit {
    RecoveryExit {
        now: at(ms),
        inflight: 0,
        from: RecoveryPhase::Recovery,
    }
}

/// The last reduction turns out spurious at `ms`.
pub fn spurious(ms: u64) -> Spurious {
    Spurious {
        now: at(ms),
        inflight: 0,
        was_rto: false,
    }
}

/// A restart after `idle` ms with a retransmission timeout of `rto` ms.
pub fn idle(idle: u64, rto: u64) -> IdleRestart {
    IdleRestart {
        now: at(idle),
        idle: Span::from_millis(idle),
        rto: Span::from_millis(rto),
    }
}

/// A segment sent at `ms` with `prior` segments in flight; `snd_nxt` in segments, itself included.
pub fn sent(ms: u64, prior: u64, snd_nxt: u64) -> Sent {
    Sent {
        now: at(ms),
        exact: at(ms),
        bytes: MSS,
        prior_inflight: prior * u64::from(MSS),
        idle_restart: false,
        app_limited: false,
        retransmission: false,
        snd_nxt: snd_nxt * u64::from(MSS),
        delivered: 0,
    }
}

/// A segment on its way: when it left and when it reaches the receiver.
#[derive(Clone, Copy, Debug)]
struct Flying {
    number: u64,
    sent: Instant,
    arrival: Instant,
}

/// The clock. ACKs take no time on their way back, so that `base` is the whole propagation delay.
pub struct AckClock {
    /// The controller under test.
    pub cc: Box<dyn CongestionControl>,
    /// Segments per ACK.
    pub stretch: u32,
    /// Longest that an ACK is held back.
    pub hold: Span,
    /// Time that a segment occupies the server.
    pub service: Span,
    /// One segment in so many is lost: the ACK that covers it reports a loss instead of growth.
    pub loss_every: Option<u64>,
    /// Now.
    pub now: Instant,
    base: Span,
    flying: VecDeque<Flying>,
    next: u64,
    acked: u64,
    acks: u64,
    server_free: Instant,
    srtt: Span,
    last_cwnds: VecDeque<(u64, u64)>,
}

impl AckClock {
    /// A clock over a path of `base_ms` without a bottleneck.
    pub fn new(cc: Box<dyn CongestionControl>, base_ms: u64) -> Self {
        Self {
            cc,
            stretch: 1,
            hold: Span::from_micros(50),
            service: Span::from_nanos(10),
            loss_every: None,
            now: Instant::ZERO,
            base: Span::from_millis(base_ms),
            flying: VecDeque::new(),
            next: 0,
            acked: 0,
            acks: 0,
            server_free: Instant::ZERO,
            srtt: Span::ZERO,
            last_cwnds: VecDeque::new(),
        }
    }

    /// Delivers `total` segments and says the mean window over the last three quarters of them:
    /// segments delivered per propagation delay.
    pub fn mean_window(&mut self, total: u64) -> f64 {
        self.run(total / 4);
        let (from, start) = (self.acked, self.now);
        self.run(total - total / 4);
        let rounds = (self.now - start).as_secs_f64() / self.base.as_secs_f64();
        (self.acked - from) as f64 / rounds
    }

    /// Delivers `total` segments more.
    pub fn run(&mut self, total: u64) {
        let end = self.acked + total;
        self.fill();
        while self.acked < end {
            self.step();
            self.fill();
        }
    }

    /// Segments in the server and its queue, if every segment of the window is either there or
    /// propagating.
    pub fn queue(&self) -> f64 {
        let flying = self.flying.len() as f64;
        let bdp = self.base.as_secs_f64() / self.service.as_secs_f64();
        (flying - bdp).max(0.0)
    }

    /// Segments acknowledged per ACK so far: less than `stretch` where ACKs were not held for it.
    pub fn ack_ratio(&self) -> f64 {
        self.acked as f64 / self.acks as f64
    }

    /// Lowest and highest window (segments) over the last `n` segments.
    pub fn range_of(&self, n: u64) -> (u64, u64) {
        let recent = || {
            self.last_cwnds
                .iter()
                .filter(|(at, _)| at + n > self.acked)
                .map(|&(_, w)| w)
        };
        (recent().min().unwrap(), recent().max().unwrap())
    }

    fn fill(&mut self) {
        while (self.flying.len() as u64) < segments(&*self.cc) {
            let prior = self.flying.len() as u64;
            self.server_free = self.server_free.max(self.now) + self.service;
            self.flying.push_back(Flying {
                number: self.next,
                sent: self.now,
                arrival: self.server_free + self.base,
            });
            self.next += 1;
            let mut fact = sent(0, prior, self.next);
            fact.now = self.now;
            self.cc.on_sent(&fact);
        }
    }

    /// One ACK: every `stretch` segments, or what came within `hold` of the first.
    fn step(&mut self) {
        let deadline = self.flying[0].arrival + self.hold;
        let prior = self.flying.len() as u64;
        let mut group = 0;
        let mut lossy = false;
        let mut last = self.flying[0];
        while group < self.stretch && self.flying.front().is_some_and(|f| f.arrival <= deadline) {
            last = self.flying.pop_front().unwrap();
            group += 1;
            lossy |= self.loss_every.is_some_and(|n| last.number % n == n - 1);
        }
        let full = group == self.stretch;
        self.now = if full { last.arrival } else { deadline };
        self.acked += u64::from(group);
        self.acks += 1;
        if lossy {
            let mut fact = loss(0, prior);
            fact.now = self.now;
            self.cc.on_loss(&fact);
        }
        let fact = self.describe(group, self.now - last.sent, !lossy, prior);
        self.cc.on_ack(&fact);
        self.last_cwnds.push_back((self.acked, segments(&*self.cc)));
        if self.last_cwnds.len() > 500_000 {
            self.last_cwnds.pop_front();
        }
    }

    fn describe(&mut self, group: u32, rtt: Span, may_grow: bool, prior: u64) -> Ack {
        let mss = u64::from(MSS);
        self.srtt = if self.srtt.is_zero() {
            rtt
        } else {
            (self.srtt * 7 + rtt) / 8
        };
        Ack {
            now: self.now,
            exact: self.now,
            rtt: Some(rtt),
            cc_rtt: Some(rtt),
            srtt: self.srtt,
            may_grow,
            delivered: self.acked * mss,
            snd_una: self.acked * mss,
            snd_nxt: self.next * mss,
            inflight: self.flying.len() as u64 * mss,
            prior_inflight: prior * mss,
            cwnd: self.cc.cwnd(),
            ..ack(0, group)
        }
    }
}
