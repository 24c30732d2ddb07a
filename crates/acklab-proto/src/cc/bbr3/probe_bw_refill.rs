//! PROBE_BW_REFILL: fill the pipe for one round, so that the probe starts from a full one.

use super::{AckPhase, Machine, State};
use crate::cc::Ack;

impl Machine {
    /// Forgets the short-term model and fills the pipe (`StartProbeBW_REFILL`). `up_rounds`: where
    /// the growth of `inflight_hi` starts, as a power of two.
    pub(super) fn start_probe_bw_refill(&mut self, ack: &Ack, up_rounds: u32) {
        self.begin_probe_bw_refill(ack.delivered, up_rounds);
    }

    /// The same outside an ACK. `delivered`: bytes delivered so far.
    pub(super) fn begin_probe_bw_refill(&mut self, delivered: u64, up_rounds: u32) {
        self.short.reset_lower_bounds();
        self.long.up_rounds = up_rounds;
        self.long.up_acked = 0;
        self.long.stopped_risky_probe = false;
        self.ack_phase = AckPhase::Refilling;
        self.rounds.restart(delivered);
        self.state = State::ProbeBwRefill;
    }

    /// After one round, samples tell of a full pipe: start to probe.
    pub(super) fn check_refill_done(&mut self, ack: &Ack) {
        if self.rounds.is_start() {
            self.long.probe_samples = true;
            self.start_probe_bw_up(ack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;
    use acklab_units::Rate;

    fn refill() -> Feed {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        let ack = feed.last_ack();
        feed.cc.start_probe_bw_refill(&ack, 0);
        feed
    }

    #[test]
    fn lasts_one_round() {
        let mut feed = refill();
        for _ in 0..10 {
            feed.same_round(mbit(10));
            assert_eq!(feed.cc.state, State::ProbeBwRefill);
        }
        assert!(!feed.cc.long.probe_samples);
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwUp);
        assert!(feed.cc.long.probe_samples);
    }

    #[test]
    fn paces_at_the_long_term_bandwidth() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.short.bw_lo = mbit(4);
        feed.cc.short.inflight_lo = 10 * MSS;
        let ack = feed.last_ack();
        feed.cc.start_probe_bw_refill(&ack, 0);
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.pacing.rate(), Rate::from_bps(9_900_000));
        assert!(feed.cc.cwnd > 10 * MSS);
    }

    #[test]
    fn the_bound_applies_without_headroom() {
        let mut feed = refill();
        feed.cc.long.inflight_hi = 60 * MSS;
        feed.tx_in_flight = 10;
        for _ in 0..20 {
            feed.same_round(mbit(10));
        }
        assert_eq!(feed.cc.cwnd, 60 * MSS);
    }

    #[test]
    fn samples_below_the_maximum_do_not_count_when_the_application_is_slow() {
        let mut feed = refill();
        feed.app_limited = true;
        feed.same_round(mbit(2));
        feed.round(mbit(2));
        assert_eq!(feed.cc.max_bw(), mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwUp);
    }
}
