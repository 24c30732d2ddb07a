//! The plateau detector: has the delivery rate stopped growing?

use super::{FullPipeRule, Machine, State};
use crate::cc::bbr::Ratio;
use acklab_units::Rate;

/// Growth that still counts as growth: by a quarter (draft 5.3.1.2, `bbr_full_bw_thresh`).
pub const FULL_BW_THRESH: Ratio = Ratio::new(5, 4);
/// Rounds without it after which the pipe is full (draft 5.3.1.2, `bbr_full_bw_cnt`).
pub const FULL_BW_CNT: u32 = 3;

/// The detector's baseline, count and verdicts.
#[derive(Clone, Debug, Default)]
pub(super) struct FullPipe {
    /// Bandwidth that must be exceeded by [`FULL_BW_THRESH`] (`full_bw`).
    pub bw: Rate,
    /// Rounds without growth (`full_bw_count`).
    pub rounds: u32,
    /// Full since the detector was last restarted (`full_bw_now`).
    pub now: bool,
    /// Full at any time (`full_bw_reached`).
    pub reached: bool,
}

impl FullPipe {
    /// Starts looking again, from baseline `bw` (`ResetFullBW`).
    pub fn restart(&mut self, bw: Rate) {
        self.bw = bw;
        self.rounds = 0;
        self.now = false;
    }

    /// Takes `bw`; returns whether it is growth.
    fn grows(&mut self, bw: Rate, thresh: Rate) -> bool {
        let grows = bw >= thresh;
        if grows {
            self.restart(bw);
        }
        grows
    }

    /// A round ended without growth.
    fn count_flat_round(&mut self, limit: u32) {
        self.rounds += 1;
        self.now = self.rounds >= limit;
        self.reached |= self.now;
    }
}

impl Machine {
    /// The pipe is full when three rounds that the application did not limit have each failed to
    /// raise the delivery rate by a quarter (`CheckFullBWReached`).
    pub(super) fn check_full_bw_reached(&mut self) {
        if self.sample.app_limited || !self.sample.valid {
            return;
        }
        let growth = self.profile.full_bw_thresh;
        let thresh = self.arithmetic.share(growth, self.full_pipe.bw);
        let round = self.rounds.is_start();
        let (skip, bw) = match self.profile.full_pipe {
            FullPipeRule::MaxBwPerRound => (self.full_pipe.reached || !round, self.max_bw()),
            FullPipeRule::SamplePerRound => (self.full_pipe.now || !round, self.sample.bw),
            FullPipeRule::SamplePerAck => (self.full_pipe.now, self.sample.bw),
        };
        if !skip && !self.full_pipe.grows(bw, thresh) && round {
            self.full_pipe.count_flat_round(self.profile.full_bw_cnt);
        }
    }

    /// Leaves STARTUP when the pipe is full (`CheckStartupDone`).
    pub(super) fn check_startup_done(&mut self) {
        if self.state == State::Startup && self.full_pipe.reached {
            self.enter_drain();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, mbit};
    use super::*;

    fn startup(rule: FullPipeRule) -> Feed {
        Feed::new(Profile {
            full_pipe: rule,
            ..Profile::draft()
        })
    }

    const RULES: [FullPipeRule; 3] = [
        FullPipeRule::MaxBwPerRound,
        FullPipeRule::SamplePerRound,
        FullPipeRule::SamplePerAck,
    ];

    #[test]
    fn three_flat_rounds_after_the_baseline() {
        for rule in RULES {
            let mut feed = startup(rule);
            for _ in 0..3 {
                feed.round(mbit(10));
                assert_eq!(feed.cc.state, State::Startup, "{rule:?}");
            }
            feed.round(mbit(10));
            assert_ne!(feed.cc.state, State::Startup, "{rule:?}");
            assert!(feed.cc.full_pipe.now && feed.cc.full_pipe.reached);
        }
    }

    #[test]
    fn growth_by_a_quarter_starts_over() {
        for rule in RULES {
            let mut feed = startup(rule);
            for bw in [100, 100, 100, 125, 125, 125] {
                feed.round(mbit(bw));
            }
            assert_eq!(feed.cc.state, State::Startup, "{rule:?}");
        }
    }

    #[test]
    fn the_kernel_sees_growth_inside_a_round_and_the_draft_does_not() {
        for (rule, baseline) in [
            (FullPipeRule::SamplePerRound, 10),
            (FullPipeRule::SamplePerAck, 20),
        ] {
            let mut feed = startup(rule);
            feed.round(mbit(10));
            feed.same_round(mbit(20));
            assert_eq!(feed.cc.full_pipe.bw, mbit(baseline), "{rule:?}");
        }
    }

    #[test]
    fn application_limited_rounds_never_fill_the_pipe() {
        for rule in RULES {
            let mut feed = startup(rule);
            feed.round(mbit(10));
            feed.app_limited = true;
            for _ in 0..50 {
                feed.round(mbit(10));
            }
            assert_eq!(feed.cc.state, State::Startup, "{rule:?}");
        }
    }

    #[test]
    fn restarting_keeps_the_verdict_of_a_lifetime() {
        let mut f = FullPipe {
            now: true,
            reached: true,
            rounds: 3,
            bw: mbit(10),
        };
        f.restart(mbit(5));
        assert!(!f.now && f.reached);
        assert_eq!((f.rounds, f.bw), (0, mbit(5)));
    }
}
