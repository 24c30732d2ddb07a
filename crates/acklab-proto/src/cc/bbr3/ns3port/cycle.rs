//! The phases of PROBE_BW and what they teach about `inflight_hi`.

use super::{AckPhase, Mode, Ns3Port, Phase, UNSET};
use crate::cc::ns3::{Facts, Sample};
use acklab_units::{Instant, Span};

/// Shortest wait for the next probe; up to a second more is drawn.
const PROBE_WAIT: Span = Span::from_secs(2);
/// The growth of `inflight_hi` doubles for at most this many rounds.
const MOST_UP_ROUNDS: u32 = 30;

impl Ns3Port {
    fn enter_phase(&mut self, now: Instant, phase: Phase) {
        self.cycle_stamp = now;
        self.phase = phase;
    }

    /// `bbr_start_bw_probe_down`. The first draw is for a count that is never looked at.
    pub(super) fn start_down(&mut self, now: Instant) {
        self.reset_congestion_signals();
        self.upper.up_count = UNSET;
        self.draws.unit();
        self.probe_wait = PROBE_WAIT + Span::from_millis((self.draws.unit() * 1000.0) as u64);
        self.ack_phase = AckPhase::Stopping;
        self.next_round_delivered = self.delivered;
        self.enter_phase(now, Phase::Down);
    }

    pub(super) fn start_cruise(&mut self, now: Instant) {
        if self.inflight_lo != UNSET {
            self.inflight_lo = self.inflight_lo.min(self.upper.inflight_hi);
        }
        self.enter_phase(now, Phase::Cruise);
    }

    fn start_refill(&mut self, now: Instant) {
        self.reset_lower_bounds();
        self.upper.up_rounds = 0;
        self.upper.up_acks = 0;
        self.upper.stopped_risky = false;
        self.ack_phase = AckPhase::Refilling;
        self.next_round_delivered = self.delivered;
        self.enter_phase(now, Phase::Refill);
    }

    fn start_up(&mut self, now: Instant) {
        self.upper.probe_samples = true;
        self.ack_phase = AckPhase::Starting;
        self.next_round_delivered = self.delivered;
        self.restart_full_pipe(self.sample_bw);
        self.enter_phase(now, Phase::Up);
        self.raise_slope();
    }

    /// `bbr_update_cycle_phase`.
    pub(super) fn update_cycle(&mut self, f: &Facts, s: &Sample) {
        if !self.full.reached || self.adapt_upper_bounds(f, s) || self.mode != Mode::ProbeBw {
            return;
        }
        match self.phase {
            Phase::Cruise => {
                self.check_probe_time(f.now);
            }
            Phase::Refill if self.round_start => self.start_up(f.now),
            Phase::Refill => {}
            Phase::Up => {
                if self.is_probe_done(s) {
                    self.upper.too_high = false;
                    self.start_down(f.now);
                }
            }
            Phase::Down => {
                if !self.check_probe_time(f.now) && self.is_time_to_cruise(s) {
                    self.start_cruise(f.now);
                }
            }
        }
    }

    fn check_probe_time(&mut self, now: Instant) -> bool {
        let due = now > self.cycle_stamp + self.probe_wait;
        if due {
            self.start_refill(now);
        }
        due
    }

    fn is_probe_done(&mut self, s: &Sample) -> bool {
        if self.upper.too_high && s.prior_inflight >= self.upper.inflight_hi {
            self.upper.stopped_risky = true;
            return true;
        }
        if s.prior_inflight >= self.inflight(self.max_bw(), self.pacing_gain) {
            self.restart_full_pipe(self.sample_bw);
            return true;
        }
        self.full.now
    }

    fn is_time_to_cruise(&self, s: &Sample) -> bool {
        s.prior_inflight <= self.with_headroom()
            && s.prior_inflight <= self.inflight(self.max_bw(), 1.0)
    }

    /// `bbr_adapt_upper_bounds`; says whether it started a probe.
    fn adapt_upper_bounds(&mut self, f: &Facts, s: &Sample) -> bool {
        if self.round_start && self.advance_ack_phase(f.now, s) {
            return true;
        }
        if Self::is_inflight_too_high(f, s) {
            if self.upper.probe_samples {
                self.end_bad_probe(f.now, s);
            }
        } else if self.upper.inflight_hi != UNSET {
            self.upper.inflight_hi = self.upper.inflight_hi.max(f.inflight);
            self.probe_upward(s);
        }
        false
    }

    fn advance_ack_phase(&mut self, now: Instant, s: &Sample) -> bool {
        match self.ack_phase {
            AckPhase::Starting => self.ack_phase = AckPhase::Feedback,
            AckPhase::Stopping => {
                self.upper.probe_samples = false;
                self.ack_phase = AckPhase::Init;
                let probing = self.mode == Mode::ProbeBw;
                if probing && !s.app_limited && self.max_bw[1] > 0 {
                    self.max_bw = [self.max_bw[1], 0];
                }
                if probing && self.upper.stopped_risky && !self.upper.too_high {
                    self.start_refill(now);
                    return true;
                }
            }
            AckPhase::Init | AckPhase::Refilling | AckPhase::Feedback => {}
        }
        false
    }

    /// `bbr_handle_inflight_too_high`: to the target, of which nothing is taken off.
    fn end_bad_probe(&mut self, now: Instant, s: &Sample) {
        self.upper.too_high = true;
        self.upper.probe_samples = false;
        if !s.app_limited {
            self.upper.inflight_hi = self.inflight(self.bw(), 1.0).min(self.window.cwnd);
        }
        if self.mode == Mode::ProbeBw && self.phase == Phase::Up {
            self.start_down(now);
        }
    }

    /// `bbr_probe_inflight_hi_upward`, in every state.
    fn probe_upward(&mut self, s: &Sample) {
        let u = &mut self.upper;
        if self.window.cwnd < u.inflight_hi {
            u.up_acks = 0;
            return;
        }
        u.up_acks += s.acked_sacked;
        // Zero until the first DOWN; the port would divide by it.
        let count = u.up_count.max(1);
        u.inflight_hi += u.up_acks / count * self.window.segment;
        u.up_acks %= count;
        if self.round_start {
            self.raise_slope();
        }
    }

    fn raise_slope(&mut self) {
        let u = &mut self.upper;
        let growth = 1 << u.up_rounds;
        u.up_rounds = (u.up_rounds + 1).min(MOST_UP_ROUNDS);
        u.up_count = (self.window.cwnd / growth).max(1);
    }
}
