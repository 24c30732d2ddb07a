//! Calls of the controller: by ns-3's contract if it is one of ns-3's, else by the ordinary
//! contract.

use super::Sender;
use super::board::Item;
use super::rate::AckFacts;
use crate::cc::ns3::{Callbacks, Facts, Sample};
use crate::cc::{Ack, EcnEcho, Loss, RateSample, RecoveryExit, RecoveryPhase, Rto, Sent};
use acklab_units::{Instant, Span};

/// The sum of an ACK, for controllers of the ordinary contract.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckOutcome {
    /// Bytes acknowledged cumulatively.
    pub acked: u64,
    /// The window may grow by so many segments.
    pub growth: Option<u32>,
    /// The window when it arrived.
    pub cwnd: u64,
    /// Bytes marked lost before.
    pub prior_lost: u64,
    /// Bytes in flight before.
    pub prior_inflight: u64,
    /// The peer echoed a congestion mark.
    pub ece: bool,
}

impl Sender {
    pub(super) fn facts(&self, now: Instant) -> Facts {
        Facts {
            now,
            srtt: self.rtt.srtt(),
            last_rtt: self.rtt.last(),
            min_rtt: self.rtt.min(),
            inflight: self.inflight,
            high_tx: self.nxt,
            next_tx: self.next_tx,
            last_acked: self.una,
            delivered: self.delivered,
            cwnd_limited: self.cwnd_limited,
            phase: self.phase,
        }
    }

    /// Makes one of ns-3's calls, if the controller takes them.
    pub(super) fn call<R>(
        &mut self,
        now: Instant,
        f: impl FnOnce(&mut dyn Callbacks, &Facts) -> R,
    ) -> Option<R> {
        let facts = self.facts(now);
        self.cc.callbacks().map(|c| f(c, &facts))
    }

    /// Whether the controller sets the window in recovery.
    pub(super) fn controller_recovers(&mut self) -> bool {
        let own = self.cc.owns_recovery();
        self.cc.callbacks().map_or(own, |c| c.has_cong_control())
    }

    /// Recovery, its end or a timeout sets the window.
    pub(super) fn set_cwnd(&mut self, cwnd: u64) {
        match self.cc.callbacks() {
            Some(c) => c.window().cwnd = cwnd,
            None => self.reduced = Some(cwnd),
        }
    }

    /// The state changes.
    #[cold]
    pub(super) fn set_phase(&mut self, now: Instant, to: RecoveryPhase) {
        self.call(now, |c, f| c.state_set(f, to));
        self.phase = to;
    }

    /// A loss (not a timeout) sets the threshold. Without SACK the head, although lost, counts as
    /// in flight for that (`EnterRecovery`).
    #[cold]
    pub(super) fn lower_ssthresh(&mut self, now: Instant, prior_inflight: u64) {
        let head = if self.sack { 0 } else { u64::from(self.mss) };
        let inflight = self.pipe() + head;
        let lowered = self.call(now, |c, f| {
            let ssthresh = c.ss_thresh(&Facts { inflight, ..*f });
            c.window().ssthresh = ssthresh;
        });
        if lowered.is_none() {
            self.cc.on_loss(&Loss {
                now,
                inflight,
                prior_inflight,
                outstanding: self.nxt - self.una,
                snd_nxt: self.nxt,
                delivered: self.rates.delivered,
            });
        }
    }

    /// A congestion mark sets the threshold.
    #[cold]
    pub(super) fn lower_for_mark(&mut self, now: Instant) {
        self.pipe();
        let lowered = self.call(now, |c, f| {
            let ssthresh = c.ss_thresh(f);
            c.window().ssthresh = ssthresh;
        });
        if lowered.is_none() {
            self.cc.on_ecn(&EcnEcho {
                now,
                inflight: self.inflight,
                outstanding: self.nxt - self.una,
                snd_nxt: self.nxt,
            });
        }
    }

    /// A timeout: threshold, state and a window of one segment. `prior_inflight` was in flight
    /// before everything was given up.
    #[cold]
    pub(super) fn collapse(&mut self, now: Instant, prior_inflight: u64) {
        self.inflight = prior_inflight;
        let first = self.phase != RecoveryPhase::Loss;
        let told = self.call(now, |c, f| {
            let ssthresh = c.ss_thresh(f);
            c.window().ssthresh = ssthresh;
        });
        self.set_phase(now, RecoveryPhase::Loss);
        self.pipe();
        if told.is_some() {
            self.set_cwnd(u64::from(self.mss));
            return;
        }
        self.reduced = None;
        self.cc.on_rto(&Rto {
            now,
            prior_inflight,
            inflight: self.inflight,
            outstanding: self.nxt - self.una,
            first,
            snd_nxt: self.nxt,
            delivered: self.rates.delivered,
        });
    }

    /// An episode ends: what a controller of the ordinary contract hears.
    #[cold]
    pub(super) fn tell_exit(&mut self, now: Instant, from: RecoveryPhase) {
        self.reduced = None;
        if self.cc.callbacks().is_none() {
            self.cc.on_recovery_exit(&RecoveryExit {
                now,
                inflight: self.inflight,
                from,
            });
        }
    }

    /// A segment leaves; `prior` was in flight before.
    pub(super) fn tell_sent(&mut self, now: Instant, item: &Item, prior: u64, again: bool) {
        if item.len == 0 || self.cc.callbacks().is_some() {
            return;
        }
        self.cc.on_sent(&Sent {
            now,
            exact: now,
            bytes: item.len,
            prior_inflight: prior,
            idle_restart: prior == 0 && self.rates.is_app_limited(),
            app_limited: self.rates.is_app_limited(),
            retransmission: again,
            snd_nxt: self.nxt,
            delivered: self.rates.delivered,
        });
    }

    /// The ACK is processed: rate sample and, for those that want it, the whole of it.
    pub(super) fn conclude(&mut self, now: Instant, o: &AckOutcome) {
        let sample = self.rates.sample(&AckFacts {
            acked_sacked: self.delivered,
            lost_change: self.board.lost.abs_diff(o.prior_lost),
            prior_inflight: o.prior_inflight,
            min_rtt: self.rtt.min(),
        });
        let told = self.call(now, |c, f| {
            if c.has_cong_control() {
                c.cong_control(f, &sample);
            }
        });
        if told.is_none() {
            self.tell_ack(now, o, &sample);
        }
    }

    fn tell_ack(&mut self, now: Instant, o: &AckOutcome, s: &Sample) {
        let rtt = Some(self.rtt.last()).filter(|r| !r.is_zero());
        let growing = o.growth.is_some();
        let segments = (self.delivered / u64::from(self.mss)) as u32;
        self.cc.on_ack(&Ack {
            now,
            exact: now,
            acked: o.acked,
            newly_delivered: self.delivered,
            newly_delivered_segments: o.growth.unwrap_or(segments),
            acked_segments: (o.acked / u64::from(self.mss)) as u32,
            newly_lost: self.board.lost.saturating_sub(o.prior_lost),
            delivered: self.rates.delivered,
            lost: self.board.lost,
            newly_ce: if o.ece { self.delivered } else { 0 },
            rtt,
            cc_rtt: rtt,
            cc_rtt_samples: 1,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            cwnd: o.cwnd,
            inflight: self.inflight,
            prior_inflight: o.prior_inflight,
            rate: rate_sample(s),
            cwnd_limited: self.cwnd_limited,
            may_grow: growing,
            phase: self.phase,
            ece: o.ece,
            snd_una: self.una,
            snd_nxt: self.nxt,
            app_limited: self.rates.is_app_limited(),
            ack_delayed: false,
        });
    }
}

/// The sample in the terms of the ordinary contract.
fn rate_sample(s: &Sample) -> RateSample {
    RateSample {
        delivered: s.delivered,
        interval: if s.timed { s.interval } else { Span::ZERO },
        send_interval: s.interval,
        ack_interval: s.interval,
        prior_delivered: s.prior_delivered,
        is_app_limited: s.app_limited,
        ..RateSample::default()
    }
}
