//! DRAIN: get rid of the queue that STARTUP made.

use super::{Machine, State};
use crate::cc::Ack;
use crate::cc::bbr::Ratio;

/// The draft's pacing gain: at or below the inverse of STARTUP's window gain, a queue of one BDP
/// is gone within a round (draft 5.3.2).
pub const PACING_GAIN: Ratio = Ratio::percent(50);
/// The kernel's, still version 1's (`bbr_drain_gain`).
pub const PACING_GAIN_KERNEL: Ratio = Ratio::per_256(256 * 1000 / 2885);
/// Rounds after which DRAIN ends even if the BDP was over-estimated (draft 5.3.2).
pub const MAX_ROUNDS: u64 = 3;

impl Machine {
    /// Starts to drain (`EnterDrain`). In the kernel the losses of STARTUP are forgotten here.
    pub(super) fn enter_drain(&mut self) {
        self.state = State::Drain;
        self.drain_start_round = self.rounds.count();
        if self.profile.kernel {
            self.short.reset_congestion_signals();
        }
    }

    /// Ends DRAIN when in-flight data have come down to the BDP, or after three rounds
    /// (`CheckDrainDone`).
    pub(super) fn check_drain_done(&mut self, ack: &Ack) {
        if self.state != State::Drain {
            return;
        }
        let (inflight, bw) = if self.profile.kernel {
            (self.in_network(ack.exact, ack.inflight), self.max_bw())
        } else {
            (ack.inflight, self.bw())
        };
        let rounds = self.rounds.count() - self.drain_start_round;
        let too_long = self
            .profile
            .drain_max_rounds
            .is_some_and(|max| rounds > max);
        if inflight <= self.inflight_target(bw, Ratio::ONE) || too_long {
            self.start_probe_bw_down(ack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;

    #[test]
    fn ends_at_the_bdp() {
        for profile in [Profile::draft(), Profile::google_v3()] {
            let mut feed = Feed::drain(profile, mbit(10));
            let target = feed.cc.inflight_target(mbit(10), Ratio::ONE) / MSS;
            feed.inflight = target + 3;
            feed.round(mbit(10));
            assert_eq!(feed.cc.state, State::Drain);
            feed.inflight = target;
            feed.round(mbit(10));
            assert!(feed.cc.state.is_probe_bw());
        }
    }

    #[test]
    fn the_draft_waits_three_rounds_and_the_kernel_for_ever() {
        for (profile, ends) in [(Profile::draft(), true), (Profile::google_v3(), false)] {
            let mut feed = Feed::drain(profile, mbit(10));
            feed.inflight = 5000;
            for _ in 0..3 {
                feed.round(mbit(10));
                assert_eq!(feed.cc.state, State::Drain);
            }
            feed.round(mbit(10));
            assert_eq!(feed.cc.state != State::Drain, ends);
        }
    }

    #[test]
    fn paces_slowly_and_keeps_the_window() {
        let feed = Feed::drain(Profile::draft(), mbit(10));
        assert_eq!(feed.cc.pacing_gain(), PACING_GAIN);
        assert_eq!(feed.cc.cwnd_gain().of(100), 200);
        assert_eq!(feed.cc.pacing.rate().as_bps(), 4_950_000);
    }

    /// A queue of one BDP at the end of STARTUP (window gain 2) takes half a BDP per round to go.
    #[test]
    fn closed_form_of_the_drain_time() {
        let excess = 2.0 - 1.0;
        let per_round = 1.0 - PACING_GAIN.as_f64();
        assert!(excess / per_round <= MAX_ROUNDS as f64);
    }
}
