//! Duplicate ACKs, fast recovery and congestion marks (`DupAck`, `EnterRecovery`, `EnterCwr`, the
//! partial ACK of `ProcessAck`).

use super::board::Next;
use super::control::AckOutcome;
use super::prr::Step;
use super::{DUP_THRESH, Sender};
use crate::cc::RecoveryPhase;
use crate::stats::Stats;
use acklab_units::Instant;

impl Sender {
    /// An ACK that reported something selectively, whether or not it also advances.
    #[cold]
    pub(super) fn on_dup_ack(&mut self, now: Instant, o: &AckOutcome, stats: &mut Stats) {
        match self.phase {
            RecoveryPhase::Loss => return,
            RecoveryPhase::Recovery => {
                // The data in flight were counted before, and the window follows that.
                if !self.sack {
                    self.board.sack_next();
                }
                self.reduce(true);
                return;
            }
            RecoveryPhase::Open => self.set_phase(now, RecoveryPhase::Disorder),
            RecoveryPhase::Disorder | RecoveryPhase::Cwr => {}
        }
        self.dup_acks += 1;
        if self.phase != RecoveryPhase::Disorder {
            return;
        }
        let counted =
            self.dup_acks == DUP_THRESH && (self.una >= self.recover || !self.recover_active);
        if counted || self.board.is_lost(self.una) {
            self.enter_recovery(now, o, stats);
        } else if !self.sack && self.limited_transmit {
            self.board.sack_next();
        }
    }

    /// The head leaves again at once, whatever the window, even if it was retransmitted before.
    #[cold]
    fn enter_recovery(&mut self, now: Instant, o: &AckOutcome, stats: &mut Stats) {
        if !self.sack {
            self.board.sack_next();
            self.board.lose_head();
        } else if !self.board.is_lost(self.una) {
            self.board.lose_head();
        }
        stats.recoveries += 1;
        self.recover = self.nxt;
        self.recover_active = true;
        self.set_phase(now, RecoveryPhase::Recovery);
        self.lower_ssthresh(now, o.prior_inflight);
        if !self.controller_recovers() {
            self.prr.start(self.inflight);
            self.reduce(true);
        }
        self.resend(now, self.una, self.mss, stats);
    }

    /// Lets proportional rate reduction set the window, if the controller does not.
    #[cold]
    pub(super) fn reduce(&mut self, duplicate: bool) {
        if self.controller_recovers() {
            return;
        }
        let step = Step {
            delivered: self.delivered,
            duplicate,
            repaired: self.repaired,
            inflight: self.inflight,
            ssthresh: self.threshold(),
            segment: self.mss,
        };
        if let Some(cwnd) = self.prr.step(&step) {
            self.set_cwnd(cwnd);
        }
    }

    fn threshold(&mut self) -> u64 {
        let reported = self.cc.ssthresh();
        self.cc
            .callbacks()
            .map_or(reported, |c| c.window().ssthresh)
    }

    /// An ACK within the recovery. It restarts the timer only the first time, so that a lost
    /// retransmission runs into the timeout, however many other segments keep arriving.
    #[cold]
    pub(super) fn on_partial_ack(&mut self, now: Instant, segments: u32, stats: &mut Stats) {
        if !self.sack {
            self.board.lose_head();
        }
        if segments > 0 {
            self.reduce(false);
        }
        let next_end = self.una + u64::from(self.mss);
        if !self.board.retransmission_ends_at(next_end) {
            self.retransmit_something(now, stats);
        }
        self.call(now, |c, f| c.pkts_acked(f));
        let first = core::mem::replace(&mut self.first_partial, false);
        self.on_progress(now, first);
    }

    /// `DoRetransmit`: what would leave next does, without regard to the window; failing that the
    /// head.
    #[cold]
    fn retransmit_something(&mut self, now: Instant, stats: &mut Stats) {
        let unsent = self.app_end - self.nxt.min(self.app_end);
        let next = self.board.next(unsent, self.peer_window, false);
        if let Some(Next::New(room)) = next {
            self.next_tx = self.nxt;
            let len = unsent.min(room).min(u64::from(self.mss)) as u32;
            let out = self.emit_new(now, len, stats);
            self.forced.push_back(out);
            return;
        }
        let start = match next {
            Some(Next::Old(start)) => start,
            _ => self.una,
        };
        self.next_tx = start;
        self.resend(now, start, self.mss, stats);
    }

    #[cold]
    fn resend(&mut self, now: Instant, start: u64, room: u32, stats: &mut Stats) {
        if let Some(out) = self.emit_old(now, start, room, stats) {
            self.forced.push_back(out);
        }
    }

    /// The reduction for a mark ends when everything sent before it is acknowledged.
    pub(super) fn end_cwr(&mut self, now: Instant) {
        if self.phase != RecoveryPhase::Cwr || self.una <= self.recover {
            return;
        }
        self.phase = RecoveryPhase::Open;
        self.tell_exit(now, RecoveryPhase::Cwr);
        if !self.controller_recovers() {
            self.call(now, |c, f| {
                let w = c.window();
                w.cwnd = w.ssthresh;
                c.complete_cwr(f);
            });
        }
    }

    /// The peer echoes a congestion mark: the window comes down, once for what is out.
    pub(super) fn follow_marks(&mut self, now: Instant, o: &AckOutcome, stats: &mut Stats) {
        if !o.ece || o.acked == 0 || self.ecn_echo >= self.una {
            return;
        }
        self.ecn_echo = self.una;
        self.cwr_pending = true;
        if self.phase == RecoveryPhase::Cwr {
            return;
        }
        stats.ecn_reductions += 1;
        self.lower_for_mark(now);
        self.phase = RecoveryPhase::Cwr;
        self.recover = self.nxt;
        if !self.controller_recovers() {
            self.prr.start(self.inflight);
            self.reduce(true);
        }
    }
}
