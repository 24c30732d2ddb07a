//! The window during loss recovery.

use super::lt_bw::Progress;
use super::{Bbr1, Mode};
use crate::cc::{Ack, RecoveryPhase, Rto, Spurious};

/// Whether losses are being repaired (`ca_state >= TCP_CA_Recovery`).
fn is_recovery(phase: RecoveryPhase) -> bool {
    matches!(phase, RecoveryPhase::Recovery | RecoveryPhase::Loss)
}

impl Bbr1 {
    /// Remembers the last window that was not cut by recovery or PROBE_RTT (`bbr_save_cwnd`).
    pub(super) fn save_cwnd(&mut self) {
        let good = !is_recovery(self.prev_phase) && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if good {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }

    /// Handles an ACK that enters, leaves or lies in recovery; returns whether it decided the
    /// window (`bbr_set_cwnd_to_recover_or_restore`).
    ///
    /// The first round of recovery conserves packets: as many leave as were delivered. After that
    /// the window grows by what is delivered, so at most two leave for each. Lost packets come off
    /// first. At the end the window from before is restored.
    pub(super) fn recover_or_restore(&mut self, ack: &Ack) -> bool {
        let acked = ack.newly_delivered;
        if ack.newly_lost > 0 {
            self.cwnd = self.cwnd.saturating_sub(ack.newly_lost).max(self.mss);
        }
        let (before, now) = (self.prev_phase, ack.phase);
        if now == RecoveryPhase::Recovery && before != RecoveryPhase::Recovery {
            self.packet_conservation = true;
            self.rounds.restart(ack.delivered);
            self.cwnd = ack.inflight + acked;
        } else if is_recovery(before) && !is_recovery(now) {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.packet_conservation = false;
        }
        self.prev_phase = now;
        if self.packet_conservation {
            self.cwnd = self.cwnd.max(ack.inflight + acked);
        }
        self.packet_conservation
    }

    /// A timeout: one packet goes out beyond those that loss marking spared, the plateau detector forgets its baseline, and the round
    /// ends (`bbr_set_state` with `TCP_CA_Loss`; the window is `tcp_enter_loss`'s).
    pub(super) fn enter_loss(&mut self, rto: &Rto) {
        if rto.first {
            self.save_cwnd();
        }
        self.prev_phase = RecoveryPhase::Loss;
        self.full_pipe.forget_bw();
        self.rounds.force_start();
        self.lt_bw_progress(&Progress {
            now: rto.now,
            delivered: rto.delivered,
            lost: self.lost,
            newly_lost: true,
            app_limited: false,
            round_start: true,
        });
        self.cwnd = rto.inflight + self.mss;
    }

    /// The slow-down was for nothing: look for the full pipe and for policers anew
    /// (`bbr_undo_cwnd`). The window comes back with the next ACK, which ends the recovery.
    pub(super) fn undo(&mut self, spurious: &Spurious, delivered: u64) {
        self.full_pipe.restart();
        self.lt.reset(&Progress {
            now: spurious.now,
            delivered,
            lost: self.lost,
            newly_lost: false,
            app_limited: false,
            round_start: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Feed, mbit};
    use super::*;
    use crate::cc::CongestionControl;
    use acklab_units::Span;

    const MSS: u64 = 1448;
    const STEP: Span = Span::from_millis(1);

    /// A feed in PROBE_BW with 60 packets in flight of which five were just lost.
    fn recovering() -> Feed {
        let mut feed = Feed::probe_bw(mbit(10));
        for _ in 0..40 {
            feed.round(mbit(10));
        }
        feed.inflight = 60;
        feed.newly_lost = 5;
        feed.enter_recovery();
        feed
    }

    #[test]
    fn the_first_round_conserves_packets() {
        let mut feed = recovering();
        feed.packets = 2;
        feed.step_same_round(STEP, mbit(10));
        assert_eq!(feed.cc.cwnd, 62 * MSS);
        assert!(feed.cc.packet_conservation);
        feed.step_same_round(STEP, mbit(10));
        assert_eq!(feed.cc.cwnd, 62 * MSS, "two acknowledged, two may leave");
    }

    #[test]
    fn one_stretch_ack_releases_what_it_acknowledges() {
        for n in [2u64, 16, 200] {
            let mut feed = recovering();
            feed.packets = n;
            feed.step_same_round(STEP, mbit(10));
            assert_eq!(feed.cc.cwnd, (60 + n) * MSS, "one ACK per {n}");
        }
    }

    #[test]
    fn later_rounds_slow_start_up_to_the_target() {
        let mut feed = recovering();
        feed.packets = 2;
        feed.inflight = 20;
        feed.step_same_round(STEP, mbit(10));
        assert_eq!(feed.cc.cwnd, 22 * MSS);
        feed.round(mbit(10));
        assert!(!feed.cc.packet_conservation);
        assert_eq!(feed.cc.cwnd, 24 * MSS);
    }

    #[test]
    fn losses_come_off_the_window() {
        let mut feed = recovering();
        feed.packets = 2;
        feed.inflight = 20;
        feed.step_same_round(STEP, mbit(10));
        feed.round(mbit(10));
        let before = feed.cc.cwnd;
        feed.newly_lost = 7;
        feed.round(mbit(10));
        assert_eq!(feed.cc.cwnd, before - 7 * MSS + 2 * MSS);
    }

    #[test]
    fn the_window_from_before_returns_at_the_end() {
        let mut feed = Feed::probe_bw(mbit(10));
        for _ in 0..40 {
            feed.round(mbit(10));
        }
        let before = feed.cc.cwnd;
        feed.newly_lost = 5;
        feed.inflight = 10;
        feed.enter_recovery();
        feed.step_same_round(STEP, mbit(10));
        assert!(feed.cc.cwnd < before);
        feed.phase = RecoveryPhase::Open;
        feed.step_same_round(STEP, mbit(10));
        assert!(
            feed.cc.cwnd + 4 * MSS >= before,
            "{} after {before}",
            feed.cc.cwnd
        );
    }

    #[test]
    fn a_timeout_leaves_one_packet_and_forgets_the_baseline() {
        let mut feed = recovering();
        let good = feed.cc.prior_cwnd;
        feed.rto();
        assert_eq!(feed.cc.cwnd(), MSS);
        assert!(feed.cc.rounds.is_start());
        assert!(feed.cc.prior_cwnd >= good);
        feed.phase = RecoveryPhase::Loss;
        feed.packets = 1;
        feed.step_same_round(STEP, mbit(10));
        assert_eq!(feed.cc.cwnd, 4 * MSS, "slow start from the minimum");
        assert!(!feed.cc.packet_conservation);
    }

    #[test]
    fn a_spurious_timeout_gives_the_window_back() {
        let mut feed = Feed::probe_bw(mbit(10));
        for _ in 0..40 {
            feed.round(mbit(10));
        }
        let before = feed.cc.cwnd;
        feed.rto();
        let now = feed.now;
        feed.cc.on_spurious(&Spurious {
            now,
            inflight: 0,
            was_rto: true,
        });
        feed.phase = RecoveryPhase::Open;
        feed.step_same_round(STEP, mbit(10));
        assert!(feed.cc.cwnd + 4 * MSS >= before);
    }

    #[test]
    fn saving_inside_recovery_keeps_the_larger_window() {
        let mut feed = recovering();
        feed.step_same_round(STEP, mbit(10));
        let good = feed.cc.prior_cwnd;
        feed.cc.cwnd = 5 * MSS;
        feed.cc.save_cwnd();
        assert_eq!(feed.cc.prior_cwnd, good);
    }
}
