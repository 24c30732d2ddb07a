//! STARTUP: double the rate each round, until it stops helping or starts hurting.

use super::{LossEvent, Machine, State};
use crate::cc::bbr::Ratio;
use crate::cc::{Ack, RecoveryPhase, SegmentLost};

/// 4 ln 2, the smallest pacing gain that doubles the rate each round (draft 2.4).
pub const PACING_GAIN: Ratio = Ratio::percent(277);
/// The same in 256ths, rounded up (`bbr_startup_pacing_gain`).
pub const PACING_GAIN_KERNEL: Ratio = Ratio::per_256(256 * 277 / 100 + 1);
/// The smallest window gain that doubles the volume each round (draft 2.5,
/// `bbr_startup_cwnd_gain`).
pub const CWND_GAIN: Ratio = Ratio::new(2, 1);
/// Loss events in one round that end STARTUP if the loss rate is too high as well (draft 5.3.1.3
/// `BBRStartupFullLossCnt`, `bbr_full_loss_cnt`).
pub const FULL_LOSS_CNT: u32 = 6;

/// Counts the loss events of a round.
#[derive(Clone, Debug, Default)]
pub(super) struct LossEvents {
    count: u32,
    range_end: Option<u64>,
}

impl LossEvents {
    /// A segment was marked lost. It extends the range of the one before it if it was sent next.
    ///
    /// The volumes delivered and in flight when a segment had been sent add up to its place in the
    /// order of sending, so two neighbours differ by just the size of the later.
    fn on_segment(&mut self, lost: &SegmentLost) {
        let place = lost.prior_delivered + lost.tx_in_flight;
        let adjoins = self
            .range_end
            .is_some_and(|end| end + u64::from(lost.bytes) == place);
        self.range_end = Some(place);
        self.count += u32::from(!adjoins);
    }

    fn end_round(&mut self) {
        self.count = 0;
        self.range_end = None;
    }
}

impl Machine {
    /// Counts a lost segment, if ranges are what counts.
    pub(super) fn count_lost_range(&mut self, lost: &SegmentLost) {
        if self.profile.loss_event == LossEvent::Range {
            self.loss_events.on_segment(lost);
        }
    }

    /// Ends STARTUP if a whole round of recovery lost more than the threshold in at least six
    /// places (`CheckStartupHighLoss`). The round is awaited so that a single burst is not
    /// mistaken for a full pipe, and to know how much to drain.
    pub(super) fn check_startup_high_loss(&mut self, ack: &Ack) {
        if self.full_pipe.reached {
            return;
        }
        if self.profile.loss_event == LossEvent::Ack && ack.newly_lost > 0 {
            self.loss_events.count += 1;
        }
        if !self.short.loss_round_start {
            return;
        }
        // Some transports leave recovery with the very ACK that ends the round.
        let recovery = match ack.phase {
            RecoveryPhase::Recovery => true,
            RecoveryPhase::Loss => false,
            _ => !self.profile.kernel,
        };
        if recovery
            && self.loss_events.count >= self.profile.full_loss_cnt
            && self.is_inflight_too_high(ack)
        {
            self.leave_startup_for_congestion();
        }
        self.loss_events.end_round();
    }

    /// The queue is too long already: what was delivered last, or the BDP, is what fits.
    pub(super) fn leave_startup_for_congestion(&mut self) {
        if self.state == State::Startup {
            self.undo.state = Some(State::Startup);
        }
        self.full_pipe.now = true;
        self.full_pipe.reached = true;
        let max_bw = self.max_bw();
        let bdp = if self.profile.kernel {
            self.inflight_target(max_bw, Ratio::ONE)
        } else {
            self.bdp(max_bw, Ratio::ONE)
        };
        let latest = if self.profile.startup_keeps_latest {
            self.short.inflight_latest
        } else {
            0
        };
        self.long.inflight_hi = bdp.max(latest);
    }

    /// Returns to STARTUP, from PROBE_RTT or because leaving it was a mistake (`EnterStartup`).
    pub(super) fn enter_startup(&mut self) {
        self.state = State::Startup;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;

    fn lost(place: u64) -> SegmentLost {
        SegmentLost {
            now: acklab_units::Instant::ZERO,
            bytes: MSS as u32,
            tx_in_flight: 50 * MSS,
            lost_since_sent: MSS,
            delivered_since_sent: 0,
            prior_delivered: place * MSS,
            app_limited: false,
            inflight: 0,
        }
    }

    #[test]
    fn adjoining_segments_are_one_event() {
        let mut e = LossEvents::default();
        for place in [10, 11, 12, 20, 22, 23] {
            e.on_segment(&lost(place));
        }
        assert_eq!(e.count, 3, "10-12, 20, 22-23");
    }

    /// A feed in STARTUP whose next round lost `ranges` separate segments out of `flight`.
    fn lossy_round(profile: Profile, ranges: u64, flight: u64) -> Feed {
        let mut feed = Feed::new(profile);
        feed.inflight = flight;
        feed.round(mbit(10));
        feed.round(mbit(20));
        feed.enter_recovery();
        for i in 0..ranges {
            feed.lose_at(1000 + 2 * i, 1);
            feed.newly_lost = 1;
            feed.same_round(mbit(20));
        }
        feed.round(mbit(20));
        feed
    }

    #[test]
    fn six_events_at_more_than_two_percent_end_startup() {
        for profile in [Profile::draft(), Profile::google_v3()] {
            let feed = lossy_round(profile, 7, 100);
            assert!(feed.cc.full_pipe.reached);
            assert_ne!(feed.cc.state, State::Startup);
            assert!(feed.cc.long.inflight_hi < u64::MAX);
        }
    }

    #[test]
    fn five_events_do_not() {
        for profile in [Profile::draft(), Profile::google_v3()] {
            let feed = lossy_round(profile, 5, 100);
            assert_eq!(feed.cc.state, State::Startup);
        }
    }

    #[test]
    fn less_than_two_percent_do_not() {
        let feed = lossy_round(Profile::draft(), 7, 400);
        assert_eq!(feed.cc.state, State::Startup);
    }

    /// One ACK for 200 packets can reveal many holes: the draft counts holes, the kernel ACKs.
    #[test]
    fn a_stretch_ack_with_many_holes() {
        for (profile, leaves) in [(Profile::draft(), true), (Profile::google_v3(), false)] {
            let mut feed = Feed::new(profile);
            feed.inflight = 200;
            feed.round(mbit(10));
            feed.enter_recovery();
            for i in 0..8 {
                feed.lose_at(1000 + 3 * i, 1);
            }
            feed.newly_lost = 8;
            feed.packets = 192;
            feed.same_round(mbit(10));
            feed.round(mbit(20));
            assert_eq!(feed.cc.state != State::Startup, leaves);
        }
    }

    #[test]
    fn after_a_timeout_nothing_ends() {
        let mut feed = Feed::new(Profile::draft());
        feed.round(mbit(10));
        feed.phase = RecoveryPhase::Loss;
        for i in 0..10 {
            feed.lose_at(1000 + 2 * i, 1);
        }
        feed.round(mbit(20));
        assert_eq!(feed.cc.state, State::Startup);
    }

    #[test]
    fn what_was_delivered_bounds_the_verdict_from_below() {
        let mut feed = Feed::new(Profile::draft());
        feed.round(mbit(1));
        feed.cc.short.inflight_latest = 900 * MSS;
        feed.cc.leave_startup_for_congestion();
        assert_eq!(feed.cc.long.inflight_hi, 900 * MSS);
        assert_eq!(feed.cc.undo.state, Some(State::Startup));
    }
}
