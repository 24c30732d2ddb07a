//! Rounds, bounds from loss, the plateau detector and DRAIN (`bbr_update_model`).

use super::{FullPipe, Mode, Ns3Port, UNSET};
use crate::cc::RecoveryPhase;
use crate::cc::ns3::{Facts, Sample};

/// `bbr_full_loss_cnt`.
const FULL_LOSS_EVENTS: u32 = 6;
/// Loss events of a round are counted up to here.
const MOST_LOSS_EVENTS: u32 = 15;
/// Rounds without growth that make a full pipe (`bbr_full_bw_cnt`).
const FULL_BW_ROUNDS: u32 = 3;

impl Ns3Port {
    pub(super) fn update_round(&mut self, s: &Sample) {
        self.round_start = !s.interval.is_zero() && s.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.next_round_delivered = self.delivered;
        }
    }

    /// `bbr_update_latest_delivery_signals`.
    pub(super) fn update_latest(&mut self, s: &Sample) {
        let r = &mut self.round;
        r.loss_start = false;
        if s.interval.is_zero() || s.acked_sacked == 0 {
            return;
        }
        r.bw_latest = r.bw_latest.max(self.sample_bw);
        r.inflight_latest = r.inflight_latest.max(s.delivered);
        if s.prior_delivered >= r.loss_end {
            r.loss_end = self.delivered;
            r.loss_start = true;
        }
    }

    pub(super) fn update_model(&mut self, f: &Facts, s: &Sample) {
        self.update_congestion_signals(s);
        self.check_startup_loss(f, s);
        self.check_full_pipe(s);
        self.check_drain(f);
        self.update_cycle(f, s);
        self.update_min_rtt(f, s);
    }

    fn update_congestion_signals(&mut self, s: &Sample) {
        if s.interval.is_zero() || s.acked_sacked == 0 {
            return;
        }
        if !s.app_limited || self.sample_bw >= self.max_bw() {
            self.max_bw[1] = self.max_bw[1].max(self.sample_bw);
        }
        self.round.lost |= s.lost_change > 0;
        if self.round.loss_start {
            self.adapt_lower_bounds();
            self.round.lost = false;
        }
    }

    /// `bbr_adapt_lower_bounds`: 70 %, but not below what was just delivered.
    fn adapt_lower_bounds(&mut self) {
        if self.is_probing() || !self.round.lost {
            return;
        }
        if self.bw_lo == UNSET {
            self.bw_lo = self.max_bw();
        }
        if self.inflight_lo == UNSET {
            self.inflight_lo = self.window.cwnd;
        }
        self.bw_lo = (self.bw_lo / 100 * 70).max(self.round.bw_latest).max(1);
        self.inflight_lo = (self.inflight_lo / 100 * 70).max(self.round.inflight_latest);
    }

    pub(super) fn reset_lower_bounds(&mut self) {
        self.bw_lo = UNSET;
        self.inflight_lo = UNSET;
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.round.lost = false;
        self.round.bw_latest = 0;
        self.round.inflight_latest = 0;
    }

    /// `bbr_is_inflight_too_high`.
    pub(super) fn is_inflight_too_high(f: &Facts, s: &Sample) -> bool {
        s.lost_change > 0 && f.inflight > 0 && s.lost_change > f.inflight / 100 * 2
    }

    fn check_startup_loss(&mut self, f: &Facts, s: &Sample) {
        if self.mode != Mode::Startup || self.full.reached {
            return;
        }
        if s.lost_change > 0 && self.round.loss_events < MOST_LOSS_EVENTS {
            self.round.loss_events += 1;
        }
        if !self.round.loss_start {
            return;
        }
        if f.phase == RecoveryPhase::Recovery
            && self.round.loss_events >= FULL_LOSS_EVENTS
            && Self::is_inflight_too_high(f, s)
        {
            self.full.reached = true;
            self.upper.inflight_hi = self.inflight(self.max_bw(), 1.0);
            return;
        }
        self.round.loss_events = 0;
    }

    pub(super) fn restart_full_pipe(&mut self, bw: u64) {
        self.full = FullPipe {
            bw,
            reached: self.full.reached,
            ..FullPipe::default()
        };
    }

    /// Growth is judged by every sample, its absence once a round.
    fn check_full_pipe(&mut self, s: &Sample) {
        if self.full.now || s.app_limited {
            return;
        }
        if self.sample_bw as f64 >= self.full.bw as f64 * 1.25 {
            self.restart_full_pipe(self.sample_bw);
        } else if self.round_start {
            self.full.rounds += 1;
            self.full.now = self.full.rounds >= FULL_BW_ROUNDS;
            self.full.reached |= self.full.now;
        }
    }

    /// The threshold at which recovery will end is set here, once.
    fn check_drain(&mut self, f: &Facts) {
        let bdp = self.inflight(self.max_bw(), 1.0);
        if self.mode == Mode::Startup && self.full.reached {
            self.mode = Mode::Drain;
            self.window.ssthresh = bdp;
            self.reset_congestion_signals();
        }
        if self.mode == Mode::Drain && f.inflight <= bdp {
            self.mode = Mode::ProbeBw;
            self.start_down(f.now);
        }
    }
}
