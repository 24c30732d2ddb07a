//! The short-term model: what the path carries right now, learnt from loss and marks.

use super::Machine;
use crate::cc::Ack;
use crate::cc::bbr::{Arithmetic, Ratio, round_down};
use acklab_units::Rate;

/// The share that is kept of `bw_lo` and `inflight_lo` in a round with loss (draft 2.7).
pub const BETA: Ratio = Ratio::percent(70);
/// The same in 256ths (`1 - bbr_beta`).
pub const BETA_KERNEL: Ratio = Ratio::per_256(256 - 256 * 30 / 100);

/// Bounds, and the measurements of one round that keep them from falling too far.
#[derive(Clone, Debug)]
pub(super) struct ShortTerm {
    /// Bandwidth that is safe now; [`Rate::MAX`] while nothing speaks against `max_bw`.
    pub bw_lo: Rate,
    /// In-flight bytes that are safe now; `u64::MAX` while nothing speaks against more.
    pub inflight_lo: u64,
    /// Largest delivery rate of the round.
    pub bw_latest: Rate,
    /// Largest delivered volume of the round, in bytes.
    pub inflight_latest: u64,
    /// Delivered bytes that end the loss round.
    pub loss_round_delivered: u64,
    /// Whether a loss round starts with this ACK.
    pub loss_round_start: bool,
    /// Whether the round saw a loss.
    pub loss_in_round: bool,
    /// Whether the round saw a mark that counts.
    pub ecn_in_round: bool,
    /// Whether the PROBE_BW cycle saw a loss.
    pub loss_in_cycle: bool,
    /// Whether the PROBE_BW cycle saw a mark.
    pub ecn_in_cycle: bool,
}

impl Default for ShortTerm {
    fn default() -> Self {
        Self {
            bw_lo: Rate::MAX,
            inflight_lo: u64::MAX,
            bw_latest: Rate::ZERO,
            inflight_latest: 0,
            // The first loss round ends after the first flight.
            loss_round_delivered: 1,
            loss_round_start: false,
            loss_in_round: false,
            ecn_in_round: false,
            loss_in_cycle: false,
            ecn_in_cycle: false,
        }
    }
}

impl ShortTerm {
    /// Nothing speaks against the long-term model (`ResetShortTermModel`).
    pub fn reset_lower_bounds(&mut self) {
        self.bw_lo = Rate::MAX;
        self.inflight_lo = u64::MAX;
    }

    /// Forgets what probing provoked, before a phase that reacts (`ResetCongestionSignals`).
    pub fn reset_congestion_signals(&mut self) {
        self.loss_in_round = false;
        self.ecn_in_round = false;
        self.loss_in_cycle = false;
        self.ecn_in_cycle = false;
        self.bw_latest = Rate::ZERO;
        self.inflight_latest = 0;
    }

    /// A segment was marked lost (`NoteLoss`). The first of a round starts a full loss round, so
    /// that the whole capacity of the path is seen before anything is cut.
    pub fn note_loss(&mut self, delivered: u64) {
        if !self.loss_in_round {
            self.loss_round_delivered = delivered;
        }
        self.loss_in_round = true;
        self.loss_in_cycle = true;
    }

    /// A round with loss: down to `beta`, in whole `unit`s, but not below what the path just
    /// delivered (`InitLowerBounds`, `LossLowerBounds`).
    fn cut_for_loss(&mut self, beta: Ratio, max_bw: Rate, cwnd: u64, a: Arithmetic) {
        if self.bw_lo == Rate::MAX {
            self.bw_lo = max_bw;
        }
        if self.inflight_lo == u64::MAX {
            self.inflight_lo = cwnd;
        }
        self.bw_lo = a
            .share(beta, self.bw_lo)
            .max(self.bw_latest)
            .max(Rate::from_bps(1));
        self.inflight_lo = a.whole(beta.of(self.inflight_lo)).max(self.inflight_latest);
    }
}

impl Machine {
    /// Takes the largest delivery of the round, and sees whether the loss round is over
    /// (`UpdateLatestDeliverySignals`).
    pub(super) fn update_latest_delivery_signals(&mut self, ack: &Ack) {
        self.short.loss_round_start = false;
        if !self.sample.valid || ack.newly_delivered == 0 {
            return;
        }
        self.short.bw_latest = self.short.bw_latest.max(self.sample.bw);
        self.short.inflight_latest = self.short.inflight_latest.max(ack.rate.delivered);
        if ack.rate.prior_delivered >= self.short.loss_round_delivered {
            self.short.loss_round_delivered = ack.delivered;
            self.short.loss_round_start = true;
        }
    }

    /// Takes the bandwidth sample and, once per loss round, adapts downwards
    /// (`UpdateCongestionSignals`).
    pub(super) fn update_congestion_signals(&mut self, ack: &Ack) {
        if !self.sample.valid || ack.newly_delivered == 0 {
            return;
        }
        if !self.sample.app_limited || self.sample.bw >= self.max_bw() {
            self.max_bw.update(self.sample.bw);
        }
        self.short.loss_in_round |= ack.newly_lost > 0;
        if self.short.loss_round_start {
            self.adapt_lower_bounds();
            self.short.loss_in_round = false;
            self.short.ecn_in_round = false;
        }
    }

    /// Adapts to the lesser of what loss and marks suggest; not while probing, which is meant to
    /// provoke both (`AdaptLowerBoundsFromCongestion`).
    fn adapt_lower_bounds(&mut self) {
        if self.state.is_probing() {
            return;
        }
        let mut marked = u64::MAX;
        if self.short.ecn_in_round && self.ecn.eligible() {
            if self.short.inflight_lo == u64::MAX {
                self.short.inflight_lo = self.cwnd;
            }
            marked = round_down(self.ecn.cut().of(self.short.inflight_lo), self.unit());
        }
        if self.short.loss_in_round {
            let (max_bw, arithmetic) = (self.max_bw.max(), self.arithmetic);
            self.short
                .cut_for_loss(self.profile.beta, max_bw, self.cwnd, arithmetic);
        }
        self.short.inflight_lo = self.short.inflight_lo.min(marked);
    }

    /// Begins a new round of measurements (`AdvanceLatestDeliverySignals`).
    pub(super) fn advance_latest_delivery_signals(&mut self, ack: &Ack) {
        if self.short.loss_round_start {
            self.short.bw_latest = self.sample.bw;
            self.short.inflight_latest = ack.rate.delivered;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::feed::{Feed, MSS, mbit};
    use super::super::{Profile, State};
    use super::*;

    const EXACT: Arithmetic = Arithmetic::new(1448, 1, false);

    fn cruising() -> Feed {
        Feed::cruise(Profile::draft(), mbit(10))
    }

    #[test]
    fn a_round_with_loss_cuts_to_seven_tenths() {
        let mut feed = cruising();
        let cwnd = feed.cc.cwnd;
        feed.volume = 1;
        feed.lose(1);
        feed.round(mbit(1));
        feed.round(mbit(1));
        assert_eq!(feed.cc.short.bw_lo, mbit(7).max(feed.cc.short.bw_lo));
        assert!(feed.cc.short.inflight_lo <= BETA.of(cwnd).max(feed.cc.short.inflight_latest));
        assert_eq!(feed.cc.bw(), feed.cc.short.bw_lo);
    }

    #[test]
    fn never_below_what_was_just_delivered() {
        let mut s = ShortTerm {
            bw_latest: mbit(9),
            inflight_latest: 90_000,
            ..ShortTerm::default()
        };
        s.cut_for_loss(BETA, mbit(10), 100_000, EXACT);
        assert_eq!((s.bw_lo, s.inflight_lo), (mbit(9), 90_000));
    }

    /// 69 * 180/256 is 48.5.
    #[test]
    fn the_kernel_cuts_to_whole_packets() {
        for (profile, expected) in [
            (Profile::google_v3(), 48 * MSS),
            (Profile::draft(), BETA.of(69 * MSS)),
        ] {
            let mut feed = Feed::cruise(profile, mbit(10));
            feed.cc.short.inflight_lo = 69 * MSS;
            feed.cc.short.inflight_latest = 0;
            feed.cc.short.loss_in_round = true;
            feed.cc.adapt_lower_bounds();
            assert_eq!(feed.cc.short.inflight_lo, expected);
        }
    }

    #[test]
    fn each_further_round_cuts_again() {
        let mut s = ShortTerm::default();
        for round in 1..=3 {
            s.cut_for_loss(BETA, mbit(1000), 1_000_000, EXACT);
            let left = 1e9 * libm::pow(0.7, f64::from(round));
            assert!((s.bw_lo.as_bps() as f64 - left).abs() < 10.0);
        }
    }

    #[test]
    fn the_cut_waits_for_the_end_of_the_loss_round() {
        let mut feed = cruising();
        feed.lose(3);
        feed.same_round(mbit(10));
        assert_eq!(feed.cc.short.bw_lo, Rate::MAX);
        feed.round(mbit(5));
        assert!(feed.cc.short.bw_lo < Rate::MAX);
    }

    #[test]
    fn many_losses_in_a_round_are_one_cut() {
        let mut feed = cruising();
        feed.volume = 1;
        let cwnd = feed.cc.cwnd;
        for _ in 0..20 {
            feed.lose(1);
        }
        feed.round(mbit(1));
        assert!(feed.cc.short.inflight_lo >= BETA.of(cwnd));
    }

    #[test]
    fn probing_ignores_loss() {
        let mut feed = cruising();
        feed.cc.state = State::ProbeBwRefill;
        feed.lose(1);
        feed.round(mbit(1));
        assert_eq!(feed.cc.short.bw_lo, Rate::MAX);
        assert_eq!(feed.cc.short.inflight_lo, u64::MAX);
    }

    #[test]
    fn refilling_forgets_the_short_term() {
        let mut feed = cruising();
        feed.lose(1);
        feed.round(mbit(1));
        feed.round(mbit(1));
        let ack = feed.last_ack();
        feed.cc.start_probe_bw_refill(&ack, 0);
        assert_eq!(
            (feed.cc.short.bw_lo, feed.cc.short.inflight_lo),
            (Rate::MAX, u64::MAX)
        );
    }

    #[test]
    fn application_limited_samples_only_raise_the_maximum() {
        let mut feed = cruising();
        feed.app_limited = true;
        feed.round(mbit(1));
        assert_eq!(feed.cc.max_bw(), mbit(10));
        feed.round(mbit(30));
        assert_eq!(feed.cc.max_bw(), mbit(30));
    }

    #[test]
    fn one_ack_for_two_hundred_is_one_round() {
        for n in [2, 16, 200] {
            let mut feed = cruising();
            feed.packets = n;
            feed.lose(1);
            feed.round(mbit(10));
            let first = feed.cc.short.inflight_lo;
            feed.same_round(mbit(10));
            assert_eq!(feed.cc.short.inflight_lo, first, "one ACK per {n}");
            assert!(first >= 4 * MSS);
        }
    }
}
