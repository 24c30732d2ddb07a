//! The smallest RTT and PROBE_RTT (`UpdateRTprop`, `CheckProbeRTT`, `HandleProbeRTT`).

use super::{Mode, Ns3Bbr};
use crate::cc::ns3::{Facts, Sample};
use acklab_units::{Instant, Span};

/// `RttWindowLength`.
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// `ProbeRttDuration`.
const PROBE_RTT: Span = Span::from_millis(200);

impl Ns3Bbr {
    /// By the raw samples, in whole milliseconds. An expired minimum gives way to whatever the RTT
    /// is now, before PROBE_RTT has drained the queue.
    pub(super) fn update_min_rtt(&mut self, f: &Facts) {
        self.min_rtt_expired = f.now > self.min_rtt_stamp + MIN_RTT_WINDOW;
        let rtt = f.last_rtt;
        if !rtt.is_zero() && (rtt <= self.min_rtt || self.min_rtt_expired) {
            self.min_rtt = rtt;
            self.min_rtt_stamp = f.now;
        }
    }

    pub(super) fn check_probe_rtt(&mut self, f: &Facts, s: &Sample) {
        if self.mode != Mode::ProbeRtt && self.min_rtt_expired && !self.idle_restart {
            self.mode = Mode::ProbeRtt;
            self.pacing_gain = 1.0;
            self.cwnd_gain = 1.0;
            self.save_cwnd(f.phase);
            self.probe_rtt_done = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.handle_probe_rtt(f);
        }
        if s.delivered > 0 || !s.timed {
            self.idle_restart = false;
        }
    }

    fn handle_probe_rtt(&mut self, f: &Facts) {
        self.app_limited = (self.delivered + f.inflight).max(1);
        if self.probe_rtt_done.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            self.check_probe_rtt_done(f.now);
        } else if f.inflight <= self.min_pipe_cwnd() {
            self.probe_rtt_done = Some(f.now + PROBE_RTT);
            self.probe_rtt_round_done = false;
            self.next_round_delivered = self.delivered;
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        let over = self.probe_rtt_done.is_none_or(|at| now > at);
        if self.probe_rtt_round_done && over {
            self.min_rtt_stamp = now;
            self.restore_cwnd();
            if self.pipe_filled {
                self.enter_probe_bw(now);
            } else {
                self.enter_startup();
            }
        }
    }
}
