//! DRAIN: get rid of the queue that STARTUP made.

use super::{Bbr1, Mode};
use crate::cc::Ack;
use crate::cc::bbr::Ratio;

impl Bbr1 {
    /// Enters DRAIN when the pipe is full and leaves it, perhaps at once, when no more than the
    /// BDP is in flight (`bbr_check_drain`). `ssthresh` is set for whoever looks at it.
    pub(super) fn check_drain(&mut self, ack: &Ack) {
        let target = self.inflight_target(self.max_bw(), Ratio::ONE);
        if self.mode == Mode::Startup && self.full_pipe.reached() {
            self.mode = Mode::Drain;
            self.ssthresh = target;
        }
        if self.mode == Mode::Drain && self.in_network(ack.exact, ack.inflight) <= target {
            self.enter_probe_bw(ack.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::DRAIN_GAIN;
    use super::super::tests::{Feed, mbit};
    use super::*;

    #[test]
    fn drains_at_the_inverse_gain_with_the_window_kept() {
        let mut feed = Feed::full(mbit(10));
        assert_eq!(feed.cc.mode, Mode::Drain);
        assert_eq!(feed.cc.pacing_gain, DRAIN_GAIN);
        assert_eq!(feed.cc.cwnd_gain, super::super::params::HIGH_GAIN);
        assert!(feed.cc.ssthresh < u64::MAX);
        feed.inflight = 500;
        feed.round(mbit(10));
        assert_eq!(feed.cc.mode, Mode::Drain);
    }

    #[test]
    fn ends_when_in_flight_is_the_bdp() {
        let mut feed = Feed::full(mbit(10));
        let target = feed.cc.inflight_target(mbit(10), Ratio::ONE) / feed.cc.mss;
        feed.inflight = target + 1;
        feed.round(mbit(10));
        assert_eq!(feed.cc.mode, Mode::Drain);
        feed.inflight = target;
        feed.round(mbit(10));
        assert_eq!(feed.cc.mode, Mode::ProbeBw);
    }
}
