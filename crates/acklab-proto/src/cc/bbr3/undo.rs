//! Entering, leaving and regretting loss recovery.

use super::{Machine, State};
use crate::cc::{RecoveryExit, RecoveryPhase, Rto, Spurious};
use acklab_units::Rate;

/// The state to return to if the loss turns out to be none.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The state that the loss made the flow leave.
    pub state: Option<State>,
    bw_lo: Rate,
    inflight_lo: u64,
    inflight_hi: u64,
    /// Whether the present loss has been saved for already.
    saved: bool,
}

impl Machine {
    fn in_recovery(&self) -> bool {
        matches!(self.phase, RecoveryPhase::Recovery | RecoveryPhase::Loss)
    }

    /// Remembers the last window that neither recovery nor PROBE_RTT had cut (`SaveCwnd`).
    pub(super) fn save_cwnd(&mut self) {
        let good = !self.in_recovery() && self.state != State::ProbeRtt;
        self.prior_cwnd = if good {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }

    /// Returns to it (`RestoreCwnd`).
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// Saves what an undo restores, once per loss episode: at its first lost segment or at the
    /// entry into recovery, whichever comes first (`SaveStateUponLoss`).
    pub(super) fn save_state_upon_loss(&mut self) {
        if core::mem::replace(&mut self.undo.saved, true) {
            return;
        }
        self.save_cwnd();
        self.undo.state = None;
        self.undo.bw_lo = self.short.bw_lo;
        self.undo.inflight_lo = self.short.inflight_lo;
        self.undo.inflight_hi = self.long.inflight_hi;
    }

    /// A loss episode is over, or an ACK found none: the next loss is a new one.
    pub(super) fn track_recovery(&mut self, phase: RecoveryPhase) {
        self.phase = phase;
        if !self.in_recovery() {
            self.undo.saved = false;
        }
    }

    /// A timeout: one packet goes out beyond those that loss marking spared. The short-term bound starts from the window of before, not
    /// from that one packet.
    pub(super) fn enter_loss(&mut self, rto: &Rto) {
        if rto.first {
            self.save_state_upon_loss();
            self.save_cwnd();
        }
        self.phase = RecoveryPhase::Loss;
        if self.profile.kernel {
            self.full_pipe.restart(Rate::ZERO);
        }
        if !self.state.is_probing() && self.short.inflight_lo == u64::MAX {
            self.short.inflight_lo = self.cwnd.max(self.prior_cwnd);
        }
        self.cwnd = rto.inflight + self.mss;
    }

    /// Recovery ended: the window from before returns, and the next ACK bounds it by the model.
    /// The kernel never cuts it in fast recovery and restores it after a timeout only.
    pub(super) fn leave_recovery(&mut self, exit: &RecoveryExit) {
        if !self.profile.kernel || exit.from == RecoveryPhase::Loss {
            self.restore_cwnd();
        }
        self.undo.state = None;
        self.track_recovery(RecoveryPhase::Open);
    }

    /// The loss was none (`HandleSpuriousLossDetection`): window and bounds return, and a probe
    /// that was broken off for it is taken up again.
    pub(super) fn undo_recovery(&mut self, _spurious: &Spurious) {
        self.restore_cwnd();
        self.short.loss_in_round = false;
        self.full_pipe.restart(Rate::ZERO);
        self.short.bw_lo = self.short.bw_lo.max(self.undo.bw_lo);
        self.short.inflight_lo = self.short.inflight_lo.max(self.undo.inflight_lo);
        self.long.inflight_hi = self.long.inflight_hi.max(self.undo.inflight_hi);
        let left = self.undo.state.take();
        if self.profile.undo_returns_to_state {
            self.return_to(left);
        }
        self.track_recovery(RecoveryPhase::Open);
    }

    fn return_to(&mut self, left: Option<State>) {
        match left {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_pipe.reached = false;
                if self.state != State::ProbeRtt {
                    self.enter_startup();
                }
            }
            Some(State::ProbeBwUp)
                if self.state != State::ProbeBwUp && self.state != State::ProbeRtt =>
            {
                self.begin_probe_bw_refill(self.rounds.delivered(), 0);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;
    use crate::cc::CongestionControl;

    fn spurious(feed: &Feed) -> Spurious {
        Spurious {
            now: feed.now,
            inflight: 0,
            was_rto: false,
        }
    }

    #[test]
    fn a_probe_broken_off_by_mistake_is_taken_up_again() {
        for (profile, state) in [
            (Profile::draft(), State::ProbeBwRefill),
            (Profile::google_v3(), State::ProbeBwDown),
        ] {
            let mut feed = Feed::up(profile, mbit(10));
            feed.lose(10);
            feed.enter_recovery();
            assert_eq!(feed.cc.state, State::ProbeBwDown);
            assert!(feed.cc.long.inflight_hi < u64::MAX);
            let s = spurious(&feed);
            feed.cc.on_spurious(&s);
            assert_eq!(feed.cc.state, state);
            assert_eq!(feed.cc.long.inflight_hi, u64::MAX);
        }
    }

    /// The order of the entry into recovery and of the lost segments must not matter.
    #[test]
    fn the_order_of_the_news_does_not_matter() {
        let mut feed = Feed::up(Profile::draft(), mbit(10));
        feed.enter_recovery();
        feed.lose(10);
        assert_eq!(feed.cc.state, State::ProbeBwDown);
        let s = spurious(&feed);
        feed.cc.on_spurious(&s);
        assert_eq!(feed.cc.state, State::ProbeBwRefill);
        assert_eq!(feed.cc.long.inflight_hi, u64::MAX);
    }

    #[test]
    fn startup_left_by_mistake_is_returned_to() {
        let mut feed = Feed::new(Profile::draft());
        feed.round(mbit(10));
        feed.enter_recovery();
        feed.cc.leave_startup_for_congestion();
        feed.cc.enter_drain();
        let s = spurious(&feed);
        feed.cc.on_spurious(&s);
        assert_eq!(feed.cc.state, State::Startup);
        assert!(!feed.cc.full_pipe.reached);
    }

    #[test]
    fn the_bounds_return_at_least_to_what_they_were() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.long.inflight_hi = 200 * MSS;
        feed.lose(5);
        feed.enter_recovery();
        feed.round(mbit(1));
        feed.round(mbit(1));
        assert!(feed.cc.short.bw_lo < Rate::MAX);
        let s = spurious(&feed);
        feed.cc.on_spurious(&s);
        assert_eq!(feed.cc.short.bw_lo, Rate::MAX);
        assert_eq!(feed.cc.short.inflight_lo, u64::MAX);
        assert_eq!(feed.cc.long.inflight_hi, 200 * MSS);
    }

    #[test]
    fn a_timeout_leaves_one_packet_and_remembers_the_rest() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        let before = feed.cc.cwnd;
        feed.rto();
        assert_eq!(feed.cc.cwnd(), MSS);
        assert_eq!(feed.cc.short.inflight_lo, before);
        let (now, inflight) = (feed.now, 0);
        feed.cc.on_recovery_exit(&RecoveryExit {
            now,
            inflight,
            from: RecoveryPhase::Loss,
        });
        assert_eq!(feed.cc.cwnd(), before);
    }

    #[test]
    fn fast_recovery_does_not_cut_the_window_by_itself() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        let before = feed.cc.cwnd;
        feed.lose(1);
        feed.enter_recovery();
        assert_eq!(feed.cc.cwnd(), before);
    }

    #[test]
    fn a_window_cut_by_recovery_does_not_replace_the_good_one() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.enter_recovery();
        feed.same_round(mbit(10));
        let good = feed.cc.prior_cwnd;
        feed.cc.cwnd = 5 * MSS;
        feed.cc.save_cwnd();
        assert_eq!(feed.cc.prior_cwnd, good);
    }

    #[test]
    fn the_next_episode_is_saved_anew() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.lose(1);
        feed.enter_recovery();
        feed.same_round(mbit(10));
        feed.phase = RecoveryPhase::Open;
        feed.same_round(mbit(10));
        feed.cc.long.inflight_hi = 77 * MSS;
        feed.lose(1);
        assert_eq!(feed.cc.undo.inflight_hi, 77 * MSS);
    }
}
