//! PROBE_BW_UP: send faster than the path delivers, to see whether more fits.

use super::{AckPhase, Machine, State, UpExit};
use crate::cc::Ack;
use crate::cc::bbr::Ratio;

/// Pacing gain (draft 5.3.3.4, `bbr_pacing_gain[BBR_BW_PROBE_UP]`).
pub const PACING_GAIN: Ratio = Ratio::new(5, 4);
/// Window gain, so that the window does not keep the flow from sending faster (draft 5.3.3.4;
/// `bbr_cwnd_gain` plus `bbr_bw_probe_cwnd_gain` quarters).
pub const CWND_GAIN: Ratio = Ratio::new(9, 4);

impl Machine {
    /// Starts to probe, and looks for a plateau from the bandwidth of now (`StartProbeBW_UP`).
    pub(super) fn start_probe_bw_up(&mut self, ack: &Ack) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.rounds.restart(ack.delivered);
        self.clock.stamp = ack.now;
        if self.profile.up_exit == UpExit::Plateau {
            self.full_pipe.restart(self.sample.bw);
        }
        self.state = State::ProbeBwUp;
        self.long.raise_slope(self.cwnd, self.mss, self.unit());
    }

    /// Stops probing if there is nothing to gain or too much to lose; loss and marks stop it
    /// elsewhere.
    pub(super) fn check_up_done(&mut self, ack: &Ack) {
        if self.is_time_to_go_down(ack) {
            self.long.prev_probe_too_high = false;
            self.start_probe_bw_down(ack);
        }
    }

    /// Whether to stop (`IsTimeToGoDown`). After a probe that went too far the next one stops as
    /// soon as it gets there; if nothing is lost by then, another follows at once.
    fn is_time_to_go_down(&mut self, ack: &Ack) -> bool {
        let inflight = self.inflight_now(ack);
        if self.long.prev_probe_too_high && inflight >= self.long.inflight_hi {
            self.long.stopped_risky_probe = true;
            return true;
        }
        match self.profile.up_exit {
            UpExit::Plateau => self.has_reached_plateau(ack),
            UpExit::Queue(gain) => self.has_built_queue(ack, inflight, gain),
        }
    }

    /// Whether the flow filled its window and `inflight_hi` was what limited that.
    pub(super) fn is_limited_by_inflight_hi(&self, ack: &Ack) -> bool {
        ack.cwnd_limited && self.cwnd >= self.long.inflight_hi
    }

    /// The delivery rate stopped growing, and not because `inflight_hi` held it back.
    ///
    /// The sources ask whether it does after this ACK may have raised it. With an ACK for a good
    /// part of the window it always has been raised, and the flow would never count as limited;
    /// so what counts is the bound under which the acknowledged data were sent, except where the
    /// kernel is followed to the letter.
    fn has_reached_plateau(&mut self, ack: &Ack) -> bool {
        let limited = if self.profile.kernel {
            self.is_limited_by_inflight_hi(ack)
        } else {
            self.long.was_limiting
        };
        if limited {
            self.full_pipe.restart(self.sample.bw);
            return false;
        }
        self.full_pipe.now
    }

    /// A `min_rtt` has passed and the flow has as much in flight as the gain asks for.
    fn has_built_queue(&self, ack: &Ack, inflight: u64, gain: Ratio) -> bool {
        let long_enough = self
            .min_rtt
            .get()
            .is_none_or(|rtt| self.clock.has_elapsed(ack.now, rtt));
        long_enough && inflight >= self.inflight_target(self.max_bw(), gain)
    }

    /// Raises `inflight_hi` if the flow uses all of it (`ProbeInflightLongtermUpward`).
    pub(super) fn probe_inflight_hi_upward(&mut self, ack: &Ack) {
        if !ack.cwnd_limited || self.cwnd < self.long.inflight_hi {
            if self.profile.up_credit_lapses {
                self.long.up_acked = 0;
            }
            return;
        }
        self.long.grow(ack.newly_delivered, self.mss);
        if self.rounds.is_start() {
            self.long.raise_slope(self.cwnd, self.mss, self.unit());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, RTT, mbit};
    use super::*;
    use acklab_units::Rate;

    fn up() -> Feed {
        Feed::up(Profile::draft(), mbit(10))
    }

    #[test]
    fn ends_after_three_rounds_without_growth() {
        for profile in [Profile::draft(), Profile::google_v3()] {
            let mut feed = Feed::up(profile, mbit(10));
            for round in 0..3 {
                assert_eq!(feed.cc.state, State::ProbeBwUp, "round {round}");
                feed.round(mbit(10));
            }
            assert_eq!(feed.cc.state, State::ProbeBwDown);
        }
    }

    #[test]
    fn goes_on_while_the_rate_grows() {
        let mut feed = up();
        let mut rate = 10;
        for _ in 0..12 {
            rate = rate * 13 / 10;
            feed.round(mbit(rate));
            assert_eq!(feed.cc.state, State::ProbeBwUp);
        }
        assert_eq!(feed.cc.max_bw(), mbit(rate));
    }

    #[test]
    fn a_bound_that_limits_restarts_the_search_for_a_plateau() {
        let mut feed = up();
        feed.tx_in_flight = 10;
        feed.cc.long.inflight_hi = 40 * MSS;
        feed.packets = 40;
        for _ in 0..4 {
            feed.round(mbit(10));
            feed.same_round(mbit(10));
            assert_eq!(feed.cc.state, State::ProbeBwUp);
            assert!(feed.cc.full_pipe.rounds < 3);
        }
    }

    #[test]
    fn paces_at_five_quarters_with_a_larger_window() {
        let mut feed = up();
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.pacing.rate(), Rate::from_bps(12_375_000));
        assert_eq!(feed.cc.cwnd_gain(), CWND_GAIN);
    }

    #[test]
    fn the_bound_grows_only_when_the_window_is_what_limits() {
        let mut feed = up();
        feed.tx_in_flight = 10;
        feed.cc.long.inflight_hi = 40 * MSS;
        feed.cc.cwnd = 40 * MSS;
        feed.packets = 100;
        feed.cwnd_limited = false;
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.long.inflight_hi, 40 * MSS);
        feed.cwnd_limited = true;
        feed.same_round(mbit(10));
        assert!(feed.cc.long.inflight_hi > 40 * MSS);
    }

    #[test]
    fn version_two_forgets_unused_credit() {
        for (lapses, credit) in [(true, 0), (false, 2 * MSS)] {
            let profile = Profile {
                up_credit_lapses: lapses,
                ..Profile::draft()
            };
            let mut feed = Feed::up(profile, mbit(10));
            feed.tx_in_flight = 10;
            feed.cc.long.inflight_hi = 40 * MSS;
            feed.cc.cwnd = 40 * MSS;
            feed.same_round(mbit(10));
            feed.cwnd_limited = false;
            feed.same_round(mbit(10));
            assert_eq!(feed.cc.long.up_acked, credit);
        }
    }

    #[test]
    fn a_probe_after_one_that_went_too_far_stops_at_the_bound_and_goes_on_if_all_is_well() {
        let mut feed = up();
        feed.tx_in_flight = 10;
        feed.cc.long.inflight_hi = 45 * MSS;
        feed.cc.long.prev_probe_too_high = true;
        feed.inflight = 44;
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwUp);
        feed.inflight = 45;
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwDown);
        assert!(feed.cc.long.stopped_risky_probe && !feed.cc.long.prev_probe_too_high);
        feed.round(mbit(10));
        assert_eq!(
            feed.cc.state,
            State::ProbeBwRefill,
            "no loss in the round: probe again"
        );
    }

    #[test]
    fn the_queue_rule_waits_a_min_rtt_and_for_the_volume() {
        let gain = Ratio::new(5, 4);
        let profile = Profile {
            up_exit: UpExit::Queue(gain),
            ..Profile::draft()
        };
        let mut feed = Feed::up(profile, mbit(10));
        let target = feed.cc.inflight_target(mbit(10), gain) / MSS;
        feed.inflight = target;
        feed.step_same_round(RTT / 2, mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwUp);
        feed.inflight = target - 1;
        feed.step_same_round(RTT, mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwUp);
        feed.inflight = target;
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwDown);
    }
}
