//! Gains, pacing rate, window, and PROBE_RTT.

use super::{AckPhase, HIGH_GAIN, Mode, Ns3Port, Phase, UNSET};
use crate::cc::RecoveryPhase;
use crate::cc::ns3::{Facts, Sample};
use acklab_units::{Instant, Rate, Span};

/// `bbr_min_rtt_win_sec`.
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// `bbr_probe_rtt_win`.
const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);
/// `bbr_probe_rtt_mode_ms`.
const PROBE_RTT: Span = Span::from_millis(200);
/// `MaxPacingRate` (bit/s).
const MAX_PACING_RATE: u64 = 4_000_000_000;

impl Ns3Port {
    pub(super) fn min_pipe_cwnd(&self) -> u64 {
        4 * self.window.segment
    }

    pub(super) fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match (self.mode, self.phase) {
            (Mode::Startup, _) => (HIGH_GAIN, HIGH_GAIN),
            (Mode::Drain, _) => (1000.0 / 2885.0, 2.0),
            (Mode::ProbeRtt, _) => (1.0, 1.0),
            (Mode::ProbeBw, Phase::Up) => (1.25, 2.0),
            (Mode::ProbeBw, Phase::Down) => (0.91, 2.0),
            (Mode::ProbeBw, _) => (1.0, 2.0),
        };
    }

    /// The initial window over the smallest smoothed RTT, in whole milliseconds.
    pub(super) fn init_pacing_rate(&mut self, min_rtt: Span) {
        let known = min_rtt != Span::MAX;
        self.has_seen_rtt |= known;
        let ms = if known { min_rtt.as_millis().max(1) } else { 1 };
        let nominal = ((self.window.cwnd * 8) as f64 / (ms as f64 * 1e-3)) as u64;
        self.pacing_rate = Rate::from_bps((self.pacing_gain * nominal as f64) as u64);
        self.max_bw[1] = self.max_bw[1].max(nominal);
    }

    pub(super) fn set_pacing_rate(&mut self, f: &Facts, gain: f64) {
        let rate = ((gain * self.bw() as f64 / 100.0 * 99.0) as u64).min(MAX_PACING_RATE);
        if !self.has_seen_rtt && f.min_rtt != Span::MAX {
            self.init_pacing_rate(f.min_rtt);
        }
        if self.full.reached || rate > self.pacing_rate.as_bps() {
            self.pacing_rate = Rate::from_bps(rate);
        }
    }

    /// `bbr_bdp`, bytes.
    fn bdp(&self, bw: u64, gain: f64) -> u64 {
        if self.min_rtt == Span::MAX {
            return self.initial_cwnd;
        }
        (bw as f64 * self.min_rtt.as_secs_f64() * gain / 8.0) as u64
    }

    /// `bbr_inflight`: the BDP and three segments, two more in UP.
    pub(super) fn inflight(&self, bw: u64, gain: f64) -> u64 {
        if self.min_rtt == Span::MAX {
            return self.initial_cwnd;
        }
        let up = self.mode == Mode::ProbeBw && self.phase == Phase::Up;
        self.bdp(bw, gain) + self.window.segment * if up { 5 } else { 3 }
    }

    /// `bbr_inflight_with_headroom`.
    pub(super) fn with_headroom(&self) -> u64 {
        match self.upper.inflight_hi {
            UNSET => UNSET,
            hi => hi.saturating_sub(1).max(self.min_pipe_cwnd()),
        }
    }

    pub(super) fn set_cwnd(&mut self, f: &Facts, s: &Sample) {
        if s.acked_sacked > 0 {
            if f.phase == RecoveryPhase::Recovery {
                let left = self.window.cwnd.saturating_sub(s.lost_change);
                self.window.cwnd = left.max(self.window.segment);
            }
            self.approach_target(s.acked_sacked);
        }
        if self.mode == Mode::ProbeRtt {
            self.window.cwnd = self.window.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    fn approach_target(&mut self, acked: u64) {
        let target = self.inflight(self.bw(), self.cwnd_gain);
        // 32 bits: a recovery that ends before DRAIN sets the window to the unset threshold.
        let grown = u64::from((self.window.cwnd as u32).wrapping_add(acked as u32));
        if self.full.reached {
            self.window.cwnd = grown.min(target);
        } else if self.window.cwnd < target || self.delivered < self.initial_cwnd {
            self.window.cwnd = grown;
        }
        self.window.cwnd = self.window.cwnd.max(self.min_pipe_cwnd());
    }

    /// `bbr_bound_cwnd_for_inflight_model`.
    fn bound_cwnd(&mut self) {
        let cap = match (self.mode, self.phase) {
            (Mode::ProbeBw, Phase::Cruise) | (Mode::ProbeRtt, _) => self.with_headroom(),
            (Mode::ProbeBw, _) => self.upper.inflight_hi,
            (Mode::Startup | Mode::Drain, _) => UNSET,
        };
        let cap = cap.min(self.inflight_lo).max(self.min_pipe_cwnd());
        self.window.cwnd = self.window.cwnd.min(cap);
    }

    pub(super) fn save_cwnd(&mut self, phase: RecoveryPhase) {
        let modulated = phase == RecoveryPhase::Recovery || self.mode == Mode::ProbeRtt;
        let prior = if modulated { self.prior_cwnd } else { 0 };
        self.prior_cwnd = prior.max(self.window.cwnd);
    }

    /// Both minima are of raw samples in whole milliseconds (`bbr_update_min_rtt`).
    pub(super) fn update_min_rtt(&mut self, f: &Facts, s: &Sample) {
        let due = f.now > self.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if f.last_rtt < self.probe_rtt_min || due {
            self.probe_rtt_min = f.last_rtt;
            self.probe_rtt_min_stamp = f.now;
        }
        let expired = f.now > self.min_rtt_stamp + MIN_RTT_WINDOW;
        if self.probe_rtt_min <= self.min_rtt || expired {
            self.min_rtt = self.probe_rtt_min;
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
        if due && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.enter_probe_rtt(f.phase);
        }
        if self.mode == Mode::ProbeRtt {
            self.stay_in_probe_rtt(f);
        }
        if s.delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn enter_probe_rtt(&mut self, phase: RecoveryPhase) {
        self.mode = Mode::ProbeRtt;
        self.save_cwnd(phase);
        self.probe_rtt_done = None;
        self.ack_phase = AckPhase::Stopping;
        self.next_round_delivered = self.delivered;
    }

    fn stay_in_probe_rtt(&mut self, f: &Facts) {
        self.app_limited = true;
        if self.probe_rtt_done.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(f.now);
            }
        } else if f.inflight <= self.probe_rtt_cwnd() {
            self.probe_rtt_done = Some(f.now + PROBE_RTT);
            self.probe_rtt_round_done = false;
            self.next_round_delivered = self.delivered;
        }
    }

    fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp(self.bw(), 0.5).max(self.min_pipe_cwnd())
    }

    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.probe_rtt_done.is_none_or(|at| now <= at) {
            return;
        }
        self.probe_rtt_min_stamp = now;
        self.window.cwnd = self.window.cwnd.max(self.prior_cwnd);
        self.reset_lower_bounds();
        if self.full.reached {
            self.mode = Mode::ProbeBw;
            self.start_down(now);
            self.start_cruise(now);
        } else {
            self.mode = Mode::Startup;
        }
    }
}
