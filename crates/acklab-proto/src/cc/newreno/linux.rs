//! Reno as Linux has it: growth per segment acknowledged.

use super::super::{Ack, CcInit, CongestionControl, IdleRestart, Loss, Rto, Spurious};
use super::window::Window;

/// Linux's `tcp_reno` (`net/ipv4/tcp_cong.c`).
#[derive(Clone, Debug)]
pub struct LinuxReno {
    window: Window,
}

impl LinuxReno {
    /// The controller of a new connection.
    pub fn new(init: CcInit) -> Self {
        Self {
            window: Window::new(init),
        }
    }
}

impl CongestionControl for LinuxReno {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.may_grow && ack.cwnd_limited {
            self.window.reno_cong_avoid(ack.newly_delivered_segments);
        }
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.window.reduce(self.window.reno_ssthresh());
    }

    fn on_rto(&mut self, rto: &Rto) {
        let ssthresh = rto.first.then(|| self.window.reno_ssthresh());
        self.window.collapse(ssthresh, rto.inflight);
    }

    fn on_spurious(&mut self, _spurious: &Spurious) {
        self.window.undo();
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.window.restart(restart.idle, restart.rto);
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }

    fn state(&self) -> &'static str {
        self.window.state()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{self as clock, ack, init, segments};

    fn at(cwnd: u32, ssthresh: u32) -> LinuxReno {
        let mut cc = LinuxReno::new(init(10));
        (cc.window.snd_cwnd, cc.window.snd_ssthresh) = (cwnd, ssthresh);
        cc
    }

    #[test]
    fn one_stretch_ack_of_a_whole_window_doubles_it_in_slow_start() {
        let mut cc = LinuxReno::new(init(10));
        cc.on_ack(&ack(0, 10));
        assert_eq!(segments(&cc), 20);
        cc.on_ack(&ack(1, 20));
        assert_eq!(segments(&cc), 40);
    }

    #[test]
    fn nothing_grows_while_recovery_forbids_it_or_the_window_is_not_the_limit() {
        let mut cc = LinuxReno::new(init(10));
        cc.on_ack(&Ack {
            may_grow: false,
            ..ack(0, 5)
        });
        cc.on_ack(&Ack {
            cwnd_limited: false,
            ..ack(0, 5)
        });
        assert_eq!(segments(&cc), 10);
    }

    #[test]
    fn segments_delivered_count_not_segments_cumulatively_acknowledged() {
        let mut cc = LinuxReno::new(init(10));
        // The hole is filled: nine were SACKed before, one is new.
        cc.on_ack(&Ack {
            acked_segments: 10,
            ..ack(0, 1)
        });
        assert_eq!(segments(&cc), 11);
    }

    #[test]
    fn a_loss_halves_and_the_exit_keeps_the_target() {
        let mut cc = at(82, 41);
        cc.on_loss(&clock::loss(0, 60));
        assert_eq!(segments(&cc), 41);
        assert_eq!(cc.ssthresh(), cc.cwnd());
        cc.on_recovery_exit(&clock::exit(1));
        assert_eq!(segments(&cc), 41);
    }

    #[test]
    fn the_ack_that_ends_recovery_counts_for_congestion_avoidance() {
        let mut cc = at(20, 10);
        cc.on_loss(&clock::loss(0, 15));
        cc.on_recovery_exit(&clock::exit(1));
        cc.on_ack(&ack(1, 11));
        assert_eq!(segments(&cc), 11);
    }

    #[test]
    fn after_a_timeout_slow_start_runs_to_the_lowered_threshold() {
        let mut cc = at(40, 80);
        cc.on_rto(&clock::rto(0, true));
        assert_eq!((segments(&cc), cc.state()), (1, "slow_start"));
        for _ in 0..19 {
            cc.on_ack(&ack(1, 1));
        }
        assert_eq!((segments(&cc), cc.state()), (20, "congestion_avoidance"));
    }

    #[test]
    fn a_spurious_timeout_is_undone() {
        let mut cc = at(40, 80);
        cc.on_rto(&clock::rto(0, true));
        cc.on_spurious(&clock::spurious(1));
        assert_eq!(segments(&cc), 40);
        assert_eq!(cc.ssthresh(), 80 * u64::from(clock::MSS));
    }
}
