//! Pacing rate and window (`UpdateControlParameters`).
//!
//! The window is a 32-bit number there and wraps: a recovery that ends before the pipe is full sets
//! it to the initial threshold, 2^32 - 1, and the next ACK makes it very small.

use super::{Mode, Ns3Bbr};
use crate::cc::RecoveryPhase;
use crate::cc::ns3::{Facts, Sample};
use acklab_units::{Rate, Span};

/// The pacing rate stays this far below the estimate.
const PACING_MARGIN: f64 = 0.01;
/// `MaxPacingRate` (bit/s).
const MAX_PACING_RATE: u64 = 4_000_000_000;

impl Ns3Bbr {
    /// The initial window over the RTT, which is taken in whole milliseconds, at least one.
    pub(super) fn init_pacing_rate(&mut self, min_rtt: Span) {
        self.has_seen_rtt = min_rtt != Span::MAX;
        let ms = if self.has_seen_rtt {
            min_rtt.as_millis().max(1)
        } else {
            1
        };
        let nominal = ((self.window.cwnd * 8) as f64 / (ms as f64 * 1e-3)) as u64;
        self.pacing_rate = Rate::from_bps((self.pacing_gain * nominal as f64) as u64);
        self.bw = super::filter::MaxFilter::seeded(nominal);
    }

    /// Before the pipe is full the rate only rises.
    pub(super) fn set_pacing_rate(&mut self, f: &Facts, gain: f64) {
        let rate = (gain * self.bw.best() as f64) as u64;
        let rate = ((rate as f64 * (1.0 - PACING_MARGIN)) as u64).min(MAX_PACING_RATE);
        if !self.has_seen_rtt && f.min_rtt != Span::MAX {
            self.init_pacing_rate(f.min_rtt);
        }
        if self.pipe_filled || rate > self.pacing_rate.as_bps() {
            self.pacing_rate = Rate::from_bps(rate);
        }
    }

    /// `InFlight`: `gain` times the estimated BDP and three segments, and two more while probing.
    pub(super) fn inflight(&self, gain: f64) -> u64 {
        if self.min_rtt == Span::MAX {
            return self.initial_cwnd;
        }
        let segment = self.window.segment;
        let bdp = self.min_rtt.as_secs_f64() * self.bw.best() as f64 / 8.0;
        let probing = self.mode == Mode::ProbeBw && self.cycle_index == 0;
        let extra = if probing { 2 * segment } else { 0 };
        (gain * bdp + (3 * segment) as f64 + extra as f64) as u64
    }

    /// `AckAggregationCwnd`: at most what a tenth of a second carries.
    fn aggregation_cwnd(&self) -> u64 {
        if !self.pipe_filled {
            return 0;
        }
        let most = self.extra_acked.most[0].max(self.extra_acked.most[1]);
        most.min(self.bw.best() / 80)
    }

    pub(super) fn set_cwnd(&mut self, f: &Facts, s: &Sample) {
        if s.acked_sacked > 0 {
            let conserved = f.phase == RecoveryPhase::Recovery && self.conserve(f, s);
            if !conserved {
                self.approach_target(s.acked_sacked);
            }
        }
        if self.mode == Mode::ProbeRtt {
            self.window.cwnd = self.window.cwnd.min(self.min_pipe_cwnd());
        }
    }

    /// `ModulateCwndForRecovery`: less what was lost, and while packets are conserved not below
    /// what is in flight and what has just arrived. Says whether that settles it.
    fn conserve(&mut self, f: &Facts, s: &Sample) -> bool {
        let w = &mut self.window;
        if s.lost_change > 0 {
            let left = (w.cwnd as i32).wrapping_sub(s.lost_change as i32);
            w.cwnd = left.max(w.segment as i32) as u64;
        }
        if self.packet_conservation {
            w.cwnd = w.cwnd.max(f.inflight + s.acked_sacked);
        }
        self.packet_conservation
    }

    fn approach_target(&mut self, acked: u64) {
        self.target_cwnd = self.inflight(self.cwnd_gain) + self.aggregation_cwnd();
        let cwnd = self.window.cwnd;
        let grown = u64::from((cwnd as u32).wrapping_add(acked as u32));
        if self.pipe_filled {
            self.window.cwnd = grown.min(self.target_cwnd);
        } else if cwnd < self.target_cwnd || self.delivered < self.initial_cwnd {
            self.window.cwnd = grown;
        }
        self.window.cwnd = self.window.cwnd.max(self.min_pipe_cwnd());
    }
}
