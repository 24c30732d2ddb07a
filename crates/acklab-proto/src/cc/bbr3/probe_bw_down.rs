//! PROBE_BW_DOWN: send slower than the path delivers, to drain what the probe queued.

use super::{AckPhase, Machine, State};
use crate::cc::Ack;
use crate::cc::bbr::Ratio;
use acklab_units::Instant;

/// The draft's pacing gain, the least that lets flows converge to fair shares given the gain of
/// UP (draft 5.3.3.1).
pub const PACING_GAIN: Ratio = Ratio::percent(90);
/// The kernel's (`bbr_pacing_gain[BBR_BW_PROBE_DOWN]`).
pub const PACING_GAIN_KERNEL: Ratio = Ratio::per_256(256 * 91 / 100);

impl Machine {
    /// Starts a new cycle with DOWN (`StartProbeBW_DOWN`).
    pub(super) fn start_probe_bw_down(&mut self, ack: &Ack) {
        self.begin_probe_bw_down(ack.now, ack.delivered);
    }

    /// The same outside an ACK. `delivered`: bytes delivered so far.
    pub(super) fn begin_probe_bw_down(&mut self, now: Instant, delivered: u64) {
        self.short.reset_congestion_signals();
        self.long.acked_per_increment = u64::MAX;
        self.pick_probe_wait();
        self.clock.stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(delivered);
        self.state = State::ProbeBwDown;
    }

    /// Goes on to REFILL if a probe is due already, or to CRUISE once the queue is gone.
    pub(super) fn check_down_done(&mut self, ack: &Ack) {
        if !self.check_time_to_probe_bw(ack) && self.is_time_to_cruise(ack) {
            self.start_probe_bw_cruise();
        }
    }

    /// Whether in-flight data are below the headroom and at most the BDP (`IsTimeToCruise`).
    fn is_time_to_cruise(&self, ack: &Ack) -> bool {
        let inflight = self.inflight_now(ack);
        inflight <= self.inflight_with_headroom()
            && inflight <= self.inflight_target(self.max_bw(), Ratio::ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, RTT, mbit};
    use super::*;
    use acklab_units::{Rate, Span};

    fn down() -> Feed {
        let mut feed = Feed::drain(Profile::draft(), mbit(10));
        feed.inflight = 5;
        feed.round(mbit(10));
        feed.inflight = 60;
        let ack = feed.last_ack();
        feed.cc.start_probe_bw_down(&ack);
        feed.cc.clock.rounds = 0;
        feed
    }

    #[test]
    fn ends_when_in_flight_is_the_bdp() {
        let mut feed = down();
        let target = feed.cc.inflight_target(mbit(10), Ratio::ONE) / MSS;
        feed.inflight = target + 1;
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwDown);
        feed.inflight = target;
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwCruise);
    }

    #[test]
    fn waits_for_the_headroom_too() {
        let mut feed = down();
        feed.cc.long.inflight_hi = 40 * MSS;
        feed.inflight = 35;
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwDown, "85 % of 40 are 34");
        feed.inflight = 34;
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwCruise);
    }

    #[test]
    fn skips_cruising_when_a_probe_is_due() {
        let mut feed = down();
        feed.now += Span::from_secs(3);
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwRefill);
    }

    #[test]
    fn starts_with_a_clean_slate() {
        let mut feed = down();
        feed.cc.short.loss_in_round = true;
        feed.cc.short.ecn_in_cycle = true;
        let ack = feed.last_ack();
        feed.cc.start_probe_bw_down(&ack);
        let s = &feed.cc.short;
        assert!(!s.loss_in_round && !s.ecn_in_cycle && s.bw_latest == Rate::ZERO);
        assert_eq!(feed.cc.ack_phase, AckPhase::ProbeStopping);
        assert_eq!(feed.cc.clock.stamp, feed.now);
    }

    #[test]
    fn paces_at_nine_tenths() {
        let mut feed = down();
        feed.round(mbit(10));
        assert_eq!(feed.cc.pacing.rate(), Rate::from_bps(8_910_000));
    }

    /// After a probe at 1.25 for r rounds the excess 0.25 r BDP drains at 0.1 BDP a round.
    #[test]
    fn closed_form_of_the_time_to_drain_a_probe() {
        let gained = 1.25 - 1.0;
        let rounds = gained / (1.0 - PACING_GAIN.as_f64());
        assert!((rounds - 2.5).abs() < 1e-9);
        assert!(
            RTT.as_secs_f64() * rounds < 2.0,
            "well within the wait at 48 ms"
        );
    }
}
