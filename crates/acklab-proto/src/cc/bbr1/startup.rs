//! STARTUP: double the rate each round until the pipe is full.

use super::Bbr1;
use crate::cc::Ack;
use crate::cc::bbr::{Arithmetic, Ratio};
use acklab_units::Rate;

/// Growth of the bandwidth that still counts as growth: 1.25 times (`bbr_full_bw_thresh`).
pub const FULL_BW_THRESH: Ratio = Ratio::new(5, 4);
/// Rounds without such growth after which the pipe is taken to be full (`bbr_full_bw_cnt`): one
/// for the receiver to open its window, one to fill it, one to measure.
pub const FULL_BW_CNT: u32 = 3;

/// The plateau detector.
#[derive(Clone, Debug, Default)]
pub(super) struct FullPipe {
    bw: Rate,
    rounds: u32,
    reached: bool,
}

impl FullPipe {
    /// Whether the pipe was ever found full (`full_bw_reached`).
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// Forgets the baseline, after a timeout.
    pub fn forget_bw(&mut self) {
        self.bw = Rate::ZERO;
    }

    /// Forgets baseline and count, after a loss that was none.
    pub fn restart(&mut self) {
        self.bw = Rate::ZERO;
        self.rounds = 0;
    }

    /// A round ended with maximum bandwidth `max_bw`.
    fn on_round(&mut self, max_bw: Rate, arithmetic: Arithmetic) {
        if max_bw >= arithmetic.share(FULL_BW_THRESH, self.bw) {
            self.bw = max_bw;
            self.rounds = 0;
            return;
        }
        self.rounds += 1;
        self.reached = self.rounds >= FULL_BW_CNT;
    }
}

impl Bbr1 {
    /// The pipe is full once three rounds that the application did not limit have each failed to
    /// raise the bandwidth by a quarter (`bbr_check_full_bw_reached`).
    pub(super) fn check_full_bw_reached(&mut self, ack: &Ack) {
        if self.full_pipe.reached || !self.rounds.is_start() || self.is_app_limited(ack) {
            return;
        }
        let max_bw = self.max_bw();
        self.full_pipe.on_round(max_bw, self.arithmetic);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::super::tests::{Feed, mbit};
    use super::*;

    fn rounds(f: &mut FullPipe, bws: &[u64]) {
        for &b in bws {
            f.on_round(Rate::from_bps(b), Arithmetic::new(1448, 1, false));
        }
    }

    #[test]
    fn growth_by_a_quarter_resets_the_count() {
        let mut f = FullPipe::default();
        rounds(&mut f, &[100, 124, 124, 125, 150, 150]);
        assert!(!f.reached(), "125 reset the count that 100 had begun");
        rounds(&mut f, &[155]);
        assert!(f.reached(), "155 is the third round below 156.25");
    }

    #[test]
    fn three_flat_rounds_fill_the_pipe() {
        let mut f = FullPipe::default();
        rounds(&mut f, &[100, 100, 100]);
        assert!(!f.reached());
        rounds(&mut f, &[100]);
        assert!(f.reached());
    }

    #[test]
    fn restarting_asks_for_three_rounds_again() {
        let mut f = FullPipe::default();
        rounds(&mut f, &[100, 100, 100]);
        f.restart();
        rounds(&mut f, &[100, 100, 100]);
        assert!(!f.reached());
    }

    #[test]
    fn only_round_starts_count() {
        let mut feed = Feed::new();
        for _ in 0..3 {
            feed.round(mbit(10));
            feed.same_round(mbit(10));
            feed.same_round(mbit(10));
        }
        assert_eq!(feed.cc.mode, Mode::Startup);
        feed.round(mbit(10));
        assert_ne!(feed.cc.mode, Mode::Startup);
    }

    #[test]
    fn application_limited_rounds_do_not_count() {
        let mut feed = Feed::new();
        feed.round(mbit(10));
        feed.app_limited = true;
        for _ in 0..20 {
            feed.round(mbit(10));
        }
        assert_eq!(feed.cc.mode, Mode::Startup);
    }

    #[test]
    fn the_window_grows_by_what_is_acknowledged() {
        let mut feed = Feed::new();
        let before = feed.cc.cwnd;
        feed.round(mbit(100));
        assert_eq!(feed.cc.cwnd, before + 2 * feed.cc.mss);
    }
}
