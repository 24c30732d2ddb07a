//! The response to congestion marks, from Google's kernels.
//!
//! It is for marks that mean a shallow queue (DCTCP, L4S): the share of marked data, not the
//! presence of a mark, is what counts. The draft has no ECN response.

use super::{Machine, Profile, State};
use crate::cc::bbr::Ratio;
use crate::cc::{Ack, RecoveryPhase};
use acklab_units::Span;

/// Largest `min_rtt` at which marks are answered (`bbr_ecn_max_rtt_us`): beyond it they come from
/// routers with deep queues.
pub const MAX_RTT: Span = Span::from_millis(5);
/// Weight of a round in the average, in 256ths: a sixteenth (`bbr_ecn_alpha_gain`).
pub const ALPHA_GAIN: u64 = 256 / 16;
/// The average starts at one, so that a flow that meets congestion at once reacts fully
/// (`bbr_ecn_alpha_init`).
pub const ALPHA_INIT: u64 = 256;
/// `inflight_lo` is cut by this share of the average: a third, in 256ths (`bbr_ecn_factor`).
pub const FACTOR: u64 = 256 / 3;
/// Share of marked data at which a probe has gone too far (`bbr_ecn_thresh`).
pub const THRESH: Ratio = Ratio::new(1, 2);
/// Rounds above that share which end STARTUP (`bbr_full_ecn_cnt`).
pub const FULL_ECN_CNT: u32 = 2;
/// Share of `inflight_hi` to grow by in the first round of a probe that follows marks without
/// loss (`bbr_ecn_reprobe_gain`).
pub const REPROBE_GAIN: Ratio = Ratio::new(1, 2);

/// The moving average of the share of marked data.
#[derive(Clone, Debug)]
pub(super) struct EcnAlpha {
    eligible: bool,
    /// In 256ths.
    alpha: u64,
    ce: u64,
    last_delivered: u64,
    last_ce: u64,
    startup_rounds: u32,
}

impl Default for EcnAlpha {
    fn default() -> Self {
        Self {
            eligible: false,
            alpha: ALPHA_INIT,
            ce: 0,
            last_delivered: 0,
            last_ce: 0,
            startup_rounds: 0,
        }
    }
}

impl EcnAlpha {
    /// Whether this flow answers marks.
    pub fn eligible(&self) -> bool {
        self.eligible
    }

    /// The average, from 0 to 1.
    pub fn alpha(&self) -> Ratio {
        Ratio::per_256(self.alpha)
    }

    /// The share that is kept of `inflight_lo` in a round with marks.
    pub fn cut(&self) -> Ratio {
        Ratio::per_256(256 - self.alpha * FACTOR / 256)
    }

    fn learn_eligibility(&mut self, min_rtt: Option<Span>, p: &Profile) {
        let short = p
            .ecn_max_rtt
            .is_none_or(|max| min_rtt.is_some_and(|rtt| rtt <= max));
        self.eligible |= p.ecn && short;
    }

    /// Takes the round's share of marked data into the average, and returns it in 256ths.
    fn update(&mut self, delivered: u64) -> Option<u64> {
        let volume = delivered - self.last_delivered;
        if volume == 0 {
            return None;
        }
        let ratio = 256 * (self.ce - self.last_ce) / volume;
        let alpha = (256 - ALPHA_GAIN) * self.alpha / 256 + ALPHA_GAIN * ratio / 256;
        self.alpha = alpha.min(256);
        self.last_delivered = delivered;
        self.last_ce = self.ce;
        Some(ratio)
    }
}

impl Machine {
    /// Counts marks, and once per round averages them.
    pub(super) fn update_ecn(&mut self, ack: &Ack) {
        self.ecn.ce += ack.newly_ce;
        if self.rounds.is_start() {
            self.ecn
                .learn_eligibility(self.min_rtt.get(), &self.profile);
            let ratio = if self.ecn.eligible {
                self.ecn.update(ack.delivered)
            } else {
                None
            };
            if let Some(ratio) = ratio {
                self.check_ecn_too_high_in_startup(ratio);
            }
        }
        self.short.ecn_in_round |= self.ecn.eligible && (ack.ece || ack.newly_ce > 0);
    }

    /// Two rounds in a row with half the data marked end STARTUP.
    fn check_ecn_too_high_in_startup(&mut self, ratio: u64) {
        if self.full_pipe.reached {
            return;
        }
        let high = ratio >= THRESH.of(256);
        self.ecn.startup_rounds = if high { self.ecn.startup_rounds + 1 } else { 0 };
        if self.ecn.startup_rounds >= FULL_ECN_CNT {
            self.leave_startup_for_congestion();
            self.undo.state = None;
        }
    }

    /// Whether the share of marked data in the flight of this sample is too high.
    pub(super) fn is_marking_too_high(&self, ack: &Ack) -> bool {
        let (ce, delivered) = (ack.rate.delivered_ce, ack.rate.delivered);
        if !self.ecn.eligible || ce == 0 || delivered == 0 {
            return false;
        }
        let limit = THRESH.of(delivered);
        ce > limit || (self.profile.ecn_thresh_inclusive && ce == limit)
    }

    /// After a cycle with marks but no loss, probes again at once. Returns the power of two at
    /// which the growth of `inflight_hi` starts, about half of it.
    pub(super) fn ecn_reprobe_rounds(&self, ack: &Ack) -> Option<u32> {
        let calm = self.short.ecn_in_cycle
            && !self.short.loss_in_cycle
            && ack.phase == RecoveryPhase::Open;
        if !self.ecn.eligible || self.profile.ecn_reprobe_gain.is_zero() || !calm {
            return None;
        }
        debug_assert!(matches!(
            self.state,
            State::ProbeBwDown | State::ProbeBwCruise
        ));
        let packets = self.profile.ecn_reprobe_gain.of(self.long.inflight_hi) / self.mss;
        Some(packets.max(1).ilog2().min(30))
    }

    /// Remembers marks and losses of the cycle, at the end of an ACK.
    pub(super) fn note_cycle(&mut self, ack: &Ack) {
        self.short.loss_in_cycle |= ack.rate.lost > 0;
        self.short.ecn_in_cycle |= ack.rate.delivered_ce > 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;

    const SHORT: Span = Span::from_millis(4);

    fn near(state_up: bool) -> Feed {
        let mut feed = Feed::cruise_at(Profile::draft(), mbit(100), SHORT);
        if state_up {
            feed.enter_up(mbit(100));
        }
        feed.cc.ecn.eligible = true;
        feed
    }

    #[test]
    fn the_average_follows_dctcp() {
        let mut e = EcnAlpha::default();
        let mut delivered = 0;
        for _ in 0..200 {
            delivered += 1000;
            e.ce += 250;
            e.update(delivered);
        }
        assert!(
            (56..=64).contains(&e.alpha),
            "a quarter is 64, integers round down: {}",
            e.alpha
        );
    }

    #[test]
    fn one_round_has_the_weight_of_a_sixteenth() {
        let mut e = EcnAlpha::default();
        e.update(1000);
        assert_eq!(e.alpha, 240);
        e.ce = 1000;
        e.update(2000);
        assert_eq!(e.alpha, 240 * 240 / 256 + 16);
    }

    #[test]
    fn the_cut_is_a_third_of_the_average() {
        assert_eq!(EcnAlpha::default().cut(), Ratio::per_256(171));
        let e = EcnAlpha {
            alpha: 0,
            ..EcnAlpha::default()
        };
        assert_eq!(e.cut().of(1000), 1000);
    }

    #[test]
    fn only_short_paths_answer() {
        for (rtt, eligible) in [(4, true), (5, true), (6, false)] {
            let mut e = EcnAlpha::default();
            e.learn_eligibility(Some(Span::from_millis(rtt)), &Profile::draft());
            assert_eq!(e.eligible, eligible, "{rtt} ms");
        }
        let mut e = EcnAlpha::default();
        e.learn_eligibility(
            Some(SHORT),
            &Profile {
                ecn: false,
                ..Profile::draft()
            },
        );
        assert!(!e.eligible);
        e.learn_eligibility(
            None,
            &Profile {
                ecn_max_rtt: None,
                ..Profile::draft()
            },
        );
        assert!(e.eligible);
    }

    #[test]
    fn a_round_with_marks_lowers_the_short_term_volume_but_not_the_rate() {
        let mut feed = near(false);
        feed.cc.profile.ecn_reprobe_gain = Ratio::new(0, 1);
        let cwnd = feed.cc.cwnd;
        feed.ce = 1;
        feed.same_round(mbit(100));
        feed.ce = 0;
        feed.round(mbit(100));
        let cut = feed.cc.ecn.cut();
        assert!(feed.cc.short.inflight_lo < cwnd);
        assert!(feed.cc.short.inflight_lo >= cut.of(cwnd));
        assert_eq!(feed.cc.short.bw_lo, acklab_units::Rate::MAX);
    }

    #[test]
    fn half_the_data_marked_ends_a_probe() {
        let mut feed = near(true);
        feed.marked_share = Some(Ratio::new(1, 2));
        feed.same_round(mbit(100));
        assert_eq!(
            feed.cc.state,
            State::ProbeBwUp,
            "exactly half is not more than half"
        );
        feed.marked_share = Some(Ratio::percent(51));
        feed.tx_in_flight = 50;
        feed.same_round(mbit(100));
        assert_eq!(feed.cc.state, State::ProbeBwDown);
        assert_eq!(feed.cc.long.inflight_hi, 50 * MSS);
    }

    #[test]
    fn version_two_stops_at_exactly_half() {
        let mut feed = near(true);
        feed.cc.profile.ecn_thresh_inclusive = true;
        feed.marked_share = Some(Ratio::new(1, 2));
        feed.same_round(mbit(100));
        assert_eq!(feed.cc.state, State::ProbeBwDown);
    }

    #[test]
    fn two_marked_rounds_end_startup() {
        let mut feed = Feed::new(Profile::draft());
        feed.rtt = SHORT;
        feed.round(mbit(1));
        for rate in [2, 4, 8] {
            feed.ce = feed.packets;
            feed.round(mbit(rate));
        }
        assert_ne!(feed.cc.state, State::Startup);
        assert!(feed.cc.long.inflight_hi < u64::MAX);
    }

    #[test]
    fn marks_without_loss_lead_to_a_quick_probe() {
        let mut feed = near(false);
        feed.cc.long.inflight_hi = 64 * MSS;
        feed.cc.short.ecn_in_cycle = true;
        feed.same_round(mbit(100));
        assert_eq!(feed.cc.state, State::ProbeBwRefill);
        assert_eq!(feed.cc.long.up_rounds, 5, "half of 64 packets are 2^5");
    }

    #[test]
    fn with_loss_there_is_no_quick_probe() {
        let mut feed = near(false);
        feed.cc.short.ecn_in_cycle = true;
        feed.cc.short.loss_in_cycle = true;
        feed.same_round(mbit(100));
        assert_eq!(feed.cc.state, State::ProbeBwCruise);
    }
}
