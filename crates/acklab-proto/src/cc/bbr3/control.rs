//! The controller's face to the sender.

use super::{Machine, State};
use crate::cc::bbr::{CWND_MIN_TARGET, Ratio};
use crate::cc::{
    Ack, CongestionControl, EcnEcho, Loss, RecoveryExit, Rto, SegmentLost, Sent, Spurious,
};
use acklab_units::{Instant, Rate, Span};

impl Machine {
    /// A flow that the application had limited sends again after silence
    /// (`HandleRestartFromIdle`): pace at the estimate, and leave PROBE_RTT if its time has passed.
    fn restart_from_idle(&mut self, now: Instant, delivered: u64) {
        self.idle_restart = true;
        self.extra_acked.restart_epoch(now);
        if self.state.is_probe_bw() {
            self.pacing
                .set(self.bw(), Ratio::ONE, self.full_pipe.reached);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(now, delivered);
        }
    }
}

impl CongestionControl for Machine {
    fn on_handshake_rtt(&mut self, now: Instant, rtt: Span) {
        self.start(now);
        self.min_rtt
            .start_with(now.rounded_down(self.profile.tick), rtt);
        self.pacing
            .on_rtt(self.cwnd, Some(rtt), self.profile.startup_pacing_gain);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.start(sent.now);
        if sent.idle_restart && sent.app_limited {
            self.restart_from_idle(sent.now, sent.delivered);
        }
        let rate = self.pacing.rate();
        self.departure
            .on_sent(sent.exact, u64::from(sent.bytes), rate);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.start(ack.now);
        self.update_model_and_state(ack);
        let srtt = (!ack.srtt.is_zero()).then_some(ack.srtt);
        self.pacing
            .on_rtt(self.cwnd, srtt, self.profile.startup_pacing_gain);
        self.pacing
            .set(self.bw(), self.pacing_gain(), self.full_pipe.reached);
        self.set_cwnd(ack);
        self.track_recovery(ack.phase);
        self.note_cycle(ack);
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.save_state_upon_loss();
    }

    fn on_segment_lost(&mut self, lost: &SegmentLost) {
        self.save_state_upon_loss();
        self.short
            .note_loss(lost.prior_delivered + lost.delivered_since_sent);
        self.count_lost_range(lost);
        self.handle_lost_packet(lost);
    }

    fn on_rto(&mut self, rto: &Rto) {
        self.start(rto.now);
        self.enter_loss(rto);
    }

    /// Single marks change nothing: their share does, with each ACK.
    fn on_ecn(&mut self, _ecn: &EcnEcho) {}

    fn on_spurious(&mut self, spurious: &Spurious) {
        self.undo_recovery(spurious);
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit) {
        self.leave_recovery(exit);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// BBR has none. Once STARTUP is over the answer lies below every window, so that nobody takes
    /// the flow to be in slow start, where "window-limited" means less than it does here.
    fn ssthresh(&self) -> u64 {
        if self.full_pipe.reached {
            CWND_MIN_TARGET * self.mss
        } else {
            u64::MAX
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pacing.rate())
    }

    fn needs_pacing(&self) -> bool {
        true
    }

    fn send_quantum(&self) -> Option<u64> {
        self.lump_burst()
    }

    fn owns_recovery(&self) -> bool {
        true
    }

    /// `bbr_sndbuf_expand`: the window may grow even in recovery.
    fn buffered_windows(&self) -> u64 {
        3
    }

    fn state(&self) -> &'static str {
        match self.state {
            State::Startup => "STARTUP",
            State::Drain => "DRAIN",
            State::ProbeBwDown => "PROBE_BW_DOWN",
            State::ProbeBwCruise => "PROBE_BW_CRUISE",
            State::ProbeBwRefill => "PROBE_BW_REFILL",
            State::ProbeBwUp => "PROBE_BW_UP",
            State::ProbeRtt => "PROBE_RTT",
        }
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bw", self.bw().as_bps() as f64);
        out("max_bw", self.max_bw().as_bps() as f64);
        out("bw_lo", finite(self.short.bw_lo.as_bps()));
        out(
            "min_rtt",
            self.min_rtt.get().map_or(f64::NAN, Span::as_secs_f64),
        );
        out("inflight_hi", finite(self.long.inflight_hi));
        out("inflight_lo", finite(self.short.inflight_lo));
        out("extra_acked", self.extra_acked.max() as f64);
        out("lump", self.lump() as f64);
        out("pacing_gain", self.pacing_gain().as_f64());
        out("cwnd_gain", self.cwnd_gain().as_f64());
        out("round_count", self.rounds.count() as f64);
        out("ecn_alpha", self.ecn.alpha().as_f64());
    }
}

/// `x`, or infinity if it stands for "unset".
fn finite(x: u64) -> f64 {
    if x == u64::MAX {
        f64::INFINITY
    } else {
        x as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, RTT, mbit};
    use super::*;

    #[test]
    fn the_first_flight_is_paced_at_the_handshakes_rtt() {
        let mut feed = Feed::new(Profile::draft());
        feed.cc.on_handshake_rtt(feed.now, RTT);
        let expected = 277 * 99 * (10 * 1448 * 8) * 1000 / 48 / 10_000;
        assert!(feed.cc.pacing_rate().unwrap().as_bps().abs_diff(expected) < 10);
        assert_eq!(feed.cc.min_rtt.get(), Some(RTT));
    }

    #[test]
    fn a_restart_from_idle_paces_at_the_estimate_and_skips_probe_rtt() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.state = State::ProbeBwUp;
        feed.now += Span::from_secs(6);
        feed.restart_from_idle();
        assert_eq!(feed.cc.pacing_rate(), Some(Rate::from_bps(9_900_000)));
        feed.round(mbit(10));
        assert_ne!(feed.cc.state, State::ProbeRtt);
        assert!(!feed.cc.idle_restart, "over with the first delivery");
    }

    #[test]
    fn is_not_in_slow_start_once_the_pipe_was_full() {
        let feed = Feed::new(Profile::draft());
        assert_eq!(feed.cc.ssthresh(), u64::MAX);
        let feed = Feed::cruise(Profile::draft(), mbit(10));
        assert!(feed.cc.cwnd() >= feed.cc.ssthresh());
    }

    #[test]
    fn unset_bounds_are_infinite_in_traces() {
        let feed = Feed::cruise(Profile::draft(), mbit(10));
        let mut seen = alloc::vec::Vec::new();
        feed.cc.trace(&mut |name, value| seen.push((name, value)));
        assert!(seen.contains(&("inflight_hi", f64::INFINITY)));
        assert!(seen.contains(&("max_bw", 1e7)));
        assert!(seen.contains(&("pacing_gain", 1.0)));
    }

    #[test]
    fn an_ack_without_a_sample_leaves_the_model_alone() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        let mut ack = feed.last_ack();
        ack.rate = crate::cc::RateSample::default();
        ack.newly_delivered = 0;
        let before = (feed.cc.max_bw(), feed.cc.cwnd(), feed.cc.rounds.count());
        feed.cc.on_ack(&ack);
        assert_eq!(
            (feed.cc.max_bw(), feed.cc.cwnd(), feed.cc.rounds.count()),
            before
        );
    }
}
