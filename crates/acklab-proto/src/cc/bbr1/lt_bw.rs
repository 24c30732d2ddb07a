//! `lt_bw`: the long-term bandwidth of a path behind a token-bucket policer.

use super::{Bbr1, Mode};
use crate::cc::Ack;
use crate::cc::bbr::Ratio;
use acklab_units::{Instant, Rate, Span};

/// Shortest sampling interval in rounds (`bbr_lt_intvl_min_rtts`); four times that is too long.
pub const INTVL_MIN_RTTS: u32 = 4;
/// Lost over delivered above which an interval is lossy: 50/256, about 20 % (`bbr_lt_loss_thresh`).
pub const LOSS_THRESH: Ratio = Ratio::per_256(50);
/// Two intervals agree if their rates differ by at most an eighth (`bbr_lt_bw_ratio`) ...
pub const BW_RATIO: Ratio = Ratio::new(1, 8);
/// ... or by at most 4 kbit/s (`bbr_lt_bw_diff`).
pub const BW_DIFF: Rate = Rate::from_bps(4000);
/// Rounds for which the policed rate is used before probing again (`bbr_lt_bw_max_rtts`).
pub const BW_MAX_RTTS: u32 = 48;

/// The policer detector.
#[derive(Clone, Debug, Default)]
pub(super) struct LtBw {
    sampling: bool,
    using: bool,
    bw: Rate,
    rounds: u32,
    start: Instant,
    start_delivered: u64,
    start_lost: u64,
}

/// The facts of an ACK or a timeout that the detector needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub now: Instant,
    pub delivered: u64,
    pub lost: u64,
    pub newly_lost: bool,
    pub app_limited: bool,
    pub round_start: bool,
}

impl LtBw {
    /// The policed rate, if the path seems to be policed.
    pub fn in_use(&self) -> Option<Rate> {
        self.using.then_some(self.bw)
    }

    /// Starts all over (`bbr_reset_lt_bw_sampling`).
    pub fn reset(&mut self, p: &Progress) {
        self.bw = Rate::ZERO;
        self.using = false;
        self.sampling = false;
        self.begin_interval(p);
    }

    fn begin_interval(&mut self, p: &Progress) {
        self.start = p.now;
        self.start_delivered = p.delivered;
        self.start_lost = p.lost;
        self.rounds = 0;
    }

    /// Counts a round at the policed rate; returns whether it has been used long enough.
    fn count_use(&mut self) -> bool {
        self.rounds += 1;
        self.rounds >= BW_MAX_RTTS
    }

    /// Extends or ends the sampling interval. Intervals begin and end with a loss, when the
    /// policer is out of tokens: only then does delivery run at the token rate.
    fn sample(&mut self, p: &Progress) {
        if !self.sampling {
            if !p.newly_lost {
                return;
            }
            self.begin_interval(p);
            self.sampling = true;
        }
        if p.app_limited {
            self.reset(p);
            return;
        }
        self.rounds += u32::from(p.round_start);
        if self.rounds < INTVL_MIN_RTTS {
            return;
        }
        if self.rounds > 4 * INTVL_MIN_RTTS {
            self.reset(p);
            return;
        }
        if p.newly_lost {
            self.end_interval(p);
        }
    }

    /// Looks at the loss and rate of the interval that just ended.
    fn end_interval(&mut self, p: &Progress) {
        let lost = p.lost.saturating_sub(self.start_lost);
        let delivered = p.delivered.saturating_sub(self.start_delivered);
        let elapsed = p.now.saturating_since(self.start);
        let lossy = delivered > 0 && lost >= LOSS_THRESH.of_ceil(delivered);
        if lossy && elapsed >= Span::from_millis(1) {
            self.compare(Rate::from_bytes_over(delivered, elapsed), p);
        }
    }

    /// Two lossy intervals of the same rate in a row: a policer (`bbr_lt_bw_interval_done`).
    fn compare(&mut self, bw: Rate, p: &Progress) {
        if self.bw > Rate::ZERO {
            let diff = bw.as_bps().abs_diff(self.bw.as_bps());
            if diff <= BW_RATIO.of(self.bw.as_bps()) || diff <= BW_DIFF.as_bps() {
                self.bw = Rate::from_bps(bw.as_bps().midpoint(self.bw.as_bps()));
                self.using = true;
                self.rounds = 0;
                return;
            }
        }
        self.bw = bw;
        self.begin_interval(p);
    }
}

impl Bbr1 {
    /// Runs the detector on an ACK (`bbr_lt_bw_sampling`).
    pub(super) fn lt_bw_sampling(&mut self, ack: &Ack) {
        self.lost = ack.lost;
        let progress = Progress {
            now: ack.now,
            delivered: ack.delivered,
            lost: ack.lost,
            newly_lost: ack.newly_lost > 0,
            app_limited: self.is_app_limited(ack),
            round_start: self.rounds.is_start(),
        };
        self.lt_bw_progress(&progress);
    }

    /// Runs the detector, and leaves the policed rate after 48 rounds.
    pub(super) fn lt_bw_progress(&mut self, p: &Progress) {
        if !self.config.lt_bw {
            return;
        }
        if self.lt.using {
            if self.mode == Mode::ProbeBw && p.round_start && self.lt.count_use() {
                self.lt.reset(p);
                self.enter_probe_bw(p.now);
            }
            return;
        }
        self.lt.sample(p);
        if self.lt.using {
            self.pacing_gain = Ratio::ONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Feed, mbit};
    use super::*;

    /// Drives a detector with one ACK a round of 100 ms; `loss` bytes per `delivered` bytes.
    #[derive(Default)]
    struct Drive {
        lt: LtBw,
        p: Option<Progress>,
    }

    impl Drive {
        fn round(&mut self, delivered: u64, loss: u64) {
            let old = self.p.unwrap_or(Progress {
                now: Instant::ZERO,
                delivered: 0,
                lost: 0,
                newly_lost: false,
                app_limited: false,
                round_start: true,
            });
            let p = Progress {
                now: old.now + Span::from_millis(100),
                delivered: old.delivered + delivered,
                lost: old.lost + loss,
                newly_lost: loss > 0,
                ..old
            };
            self.p = Some(p);
            self.lt.sample(&p);
        }
    }

    #[test]
    fn two_lossy_intervals_of_one_rate_are_a_policer() {
        let mut d = Drive::default();
        d.round(10_000, 3_000);
        for _ in 0..3 {
            d.round(10_000, 3_000);
        }
        assert_eq!(d.lt.in_use(), None, "one interval is not enough");
        for _ in 0..4 {
            d.round(10_000, 3_000);
        }
        assert_eq!(d.lt.in_use(), Some(Rate::from_bps(800_000)));
    }

    #[test]
    fn below_a_fifth_of_loss_it_is_no_policer() {
        let mut d = Drive::default();
        for _ in 0..50 {
            d.round(10_000, 1_900);
        }
        assert_eq!(d.lt.in_use(), None);
    }

    #[test]
    fn rates_must_agree_within_an_eighth() {
        let mut d = Drive::default();
        for i in 0..50 {
            d.round(10_000 << (i / 4 % 2), 6_000);
        }
        assert_eq!(d.lt.in_use(), None);
    }

    #[test]
    fn sampling_waits_for_the_first_loss() {
        let mut d = Drive::default();
        for _ in 0..10 {
            d.round(10_000, 0);
        }
        assert!(!d.lt.sampling);
        d.round(10_000, 1);
        assert!(d.lt.sampling);
    }

    #[test]
    fn an_interval_of_more_than_sixteen_rounds_is_dropped() {
        let mut d = Drive::default();
        d.round(10_000, 3_000);
        for _ in 0..15 {
            d.round(10_000, 0);
        }
        assert!(d.lt.sampling);
        d.round(10_000, 0);
        assert!(!d.lt.sampling);
    }

    #[test]
    fn running_out_of_data_drops_the_interval() {
        let mut d = Drive::default();
        d.round(10_000, 3_000);
        d.p = d.p.map(|p| Progress {
            app_limited: true,
            ..p
        });
        d.round(10_000, 3_000);
        assert!(!d.lt.sampling);
    }

    #[test]
    fn the_policed_rate_is_used_for_48_rounds() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.lt.bw = mbit(2);
        feed.cc.lt.using = true;
        let mut rounds = 0;
        while feed.cc.lt.in_use().is_some() {
            assert_eq!(feed.cc.bw(), mbit(2));
            feed.round(mbit(2));
            rounds += 1;
        }
        assert_eq!(rounds, BW_MAX_RTTS);
        assert_eq!(feed.cc.bw(), feed.cc.max_bw());
    }

    #[test]
    fn the_policed_rate_is_paced_without_probing() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.lt.bw = mbit(2);
        feed.cc.lt.using = true;
        for _ in 0..10 {
            feed.round(mbit(2));
            assert_eq!(feed.cc.pacing_gain, Ratio::ONE);
            assert_eq!(feed.cc.pacing.rate(), Rate::from_bps(1_980_000));
        }
    }
}
