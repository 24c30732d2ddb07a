//! PROBE_BW_CRUISE: send as fast as the path delivers, and leave room for others.

use super::{Machine, State};
use crate::cc::Ack;

impl Machine {
    /// Starts to cruise (`StartProbeBW_CRUISE`).
    pub(super) fn start_probe_bw_cruise(&mut self) {
        if self.short.inflight_lo != u64::MAX {
            self.short.inflight_lo = self.short.inflight_lo.min(self.long.inflight_hi);
        }
        self.state = State::ProbeBwCruise;
    }

    /// Cruises until a probe is due.
    pub(super) fn check_cruise_done(&mut self, ack: &Ack) {
        self.check_time_to_probe_bw(ack);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;
    use acklab_units::Rate;

    #[test]
    fn paces_at_the_estimate_less_the_margin() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.round(mbit(10));
        assert_eq!(feed.cc.pacing.rate(), Rate::from_bps(9_900_000));
    }

    #[test]
    fn leaves_fifteen_percent_of_the_bound_unused() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.long.inflight_hi = 60 * MSS;
        feed.tx_in_flight = 10;
        feed.round(mbit(10));
        assert_eq!(feed.cc.cwnd, 51 * MSS);
    }

    #[test]
    fn the_short_term_bound_is_within_the_long_term_one() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.long.inflight_hi = 50 * MSS;
        feed.cc.short.inflight_lo = 80 * MSS;
        feed.cc.start_probe_bw_cruise();
        assert_eq!(feed.cc.short.inflight_lo, 50 * MSS);
        feed.cc.short.inflight_lo = u64::MAX;
        feed.cc.start_probe_bw_cruise();
        assert_eq!(
            feed.cc.short.inflight_lo,
            u64::MAX,
            "an unset bound stays unset"
        );
    }

    #[test]
    fn goes_on_until_the_wait_is_over() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        let wait = feed.cc.clock.wait;
        feed.now = feed.cc.clock.stamp + wait - feed.rtt;
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwCruise);
        feed.round(mbit(10));
        assert_eq!(feed.cc.state, State::ProbeBwRefill);
    }
}
