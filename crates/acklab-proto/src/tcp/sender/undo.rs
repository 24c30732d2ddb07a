//! Undoing a reduction that turns out to have been spurious (Eifel: RFC 3522 and 4015; DSACK:
//! RFC 3708; F-RTO: RFC 5682; Linux `tcp_try_undo_*`).

use super::Sender;
use super::digest::Digest;
use crate::cc::{RecoveryExit, RecoveryPhase, Spurious};
use crate::stats::Stats;
use acklab_units::Instant;

/// The memory of the episode that may be undone.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// `snd_una` when the episode began; `None` = nothing to undo.
    pub marker: Option<u64>,
    /// Retransmissions of the episode that no DSACK has called superfluous; -1 = there were none.
    pub retrans: i64,
    /// Timestamp of the first retransmission of the episode.
    pub first_retrans_ts: Option<u32>,
    /// The reduction may be taken back (not after an ECN echo).
    pub allowed: bool,
}

/// The evidence that a reduction was spurious.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Evidence {
    /// DSACKs have called every retransmission superfluous.
    Dsack,
    /// An echo older than the first retransmission, or there was none.
    Eifel,
    /// New data went through after the timeout.
    Frto,
}

impl Sender {
    /// An episode of retransmissions begins.
    #[cold]
    pub(super) fn begin_undo(&mut self) {
        self.undo.marker = Some(self.una);
        let out = i64::from(self.board.retrans.segments) + i64::from(self.tlp_retransmitted);
        self.undo.retrans = if out == 0 { -1 } else { out };
    }

    /// The evidence that no retransmission of the episode was needed.
    fn evidence(&self, undo_on: bool, tsecr: Option<u32>) -> Option<Evidence> {
        if !undo_on || self.undo.marker.is_none() {
            return None;
        }
        if self.undo.retrans == 0 {
            return Some(Evidence::Dsack);
        }
        self.original_was_delayed(tsecr).then_some(Evidence::Eifel)
    }

    /// Eifel: the echo is older than the first retransmission, or there was none. Without SACK an
    /// episode outlasts the repair until something new is acknowledged; that nothing is out by
    /// then is no evidence (Linux 6.16, `tcp_packet_delayed`).
    fn original_was_delayed(&self, tsecr: Option<u32>) -> bool {
        match (self.undo.first_retrans_ts, tsecr) {
            (None, _) => self.sack || self.una < self.high_seq,
            (Some(first), Some(echo)) => (echo.wrapping_sub(first) as i32) < 0,
            (Some(_), None) => false,
        }
    }

    #[cold]
    fn undo_reduction(
        &mut self,
        now: Instant,
        was_rto: bool,
        evidence: Evidence,
        stats: &mut Stats,
    ) {
        if self.undo.allowed {
            stats.undos += 1;
            match evidence {
                Evidence::Dsack => stats.undos_dsack += 1,
                Evidence::Frto => stats.undos_frto += 1,
                Evidence::Eifel => {}
            }
            self.cc.on_spurious(&Spurious {
                now,
                inflight: self.board.inflight(),
                was_rto,
            });
        }
        self.undo.marker = None;
        self.inflated = None;
        self.rack.rearm();
    }

    /// Everything of the episode is acknowledged: undo it if it was spurious, and open. Without
    /// SACK the state is held until more is acknowledged: duplicates that the episode's own
    /// repetitions have caused must not start another (RFC 6582 section 4.1, Linux
    /// `tcp_is_non_sack_preventing_reopen`). Returns whether it is open.
    #[cold]
    pub(super) fn try_undo_recovery(
        &mut self,
        now: Instant,
        on: bool,
        tsecr: Option<u32>,
        stats: &mut Stats,
    ) -> bool {
        let from = self.phase;
        if let Some(evidence) = self.evidence(on, tsecr) {
            self.undo_reduction(now, from == RecoveryPhase::Loss, evidence, stats);
        } else {
            self.rack.on_recovery_end();
        }
        if !self.sack && self.una == self.high_seq {
            self.forget_first_retransmission();
            return false;
        }
        self.phase = RecoveryPhase::Open;
        self.end_reduction(now, from);
        true
    }

    /// The window settles at its target, unless the reduction was undone.
    #[cold]
    pub(super) fn end_reduction(&mut self, now: Instant, from: RecoveryPhase) {
        if from == RecoveryPhase::Cwr || self.undo.marker.is_some() {
            self.cc.on_recovery_exit(&RecoveryExit {
                now,
                inflight: self.board.inflight(),
                from,
            });
        }
        self.undo.marker = None;
        self.forget_first_retransmission();
    }

    /// The stamp of the first retransmission stays as long as one is out: without it the next
    /// episode would look as if nothing had been resent (Linux `tcp_any_retrans_done`).
    pub(super) fn forget_first_retransmission(&mut self) {
        if self.board.retrans.segments == 0 {
            self.undo.first_retrans_ts = None;
        }
    }

    /// A partial ACK in recovery: if it answers an original, segments were reordered rather than
    /// lost. Returns whether the caller should leave it at that.
    #[cold]
    pub(super) fn try_undo_partial(
        &mut self,
        now: Instant,
        on: bool,
        d: &Digest,
        stats: &mut Stats,
    ) -> bool {
        if !on || self.undo.marker.is_none() || !self.original_was_delayed(d.tsecr) {
            return false;
        }
        // A segment that was taken for lost came late: the path reorders (Linux `tcp_try_undo_partial`).
        self.note_reordering(d, d.prior_una);
        // Retransmissions are still out: wait for what they tell.
        if self.board.retrans.segments > 0 {
            return true;
        }
        self.board.unmark_lost();
        self.undo_reduction(now, false, Evidence::Eifel, stats);
        self.phase = self.open_or_disorder();
        true
    }

    /// DSACKs have called every retransmission superfluous.
    #[cold]
    pub(super) fn try_undo_dsack(&mut self, now: Instant, on: bool, stats: &mut Stats) -> bool {
        if !on || self.undo.marker.is_none() || self.undo.retrans != 0 {
            return false;
        }
        self.undo_reduction(now, false, Evidence::Dsack, stats);
        true
    }

    /// After a timeout: `proven` by F-RTO, or by the usual evidence.
    #[cold]
    pub(super) fn try_undo_loss(
        &mut self,
        now: Instant,
        proven: bool,
        on: bool,
        tsecr: Option<u32>,
        stats: &mut Stats,
    ) -> bool {
        let proven = (proven && self.undo.marker.is_some()).then_some(Evidence::Frto);
        let Some(evidence) = proven.or_else(|| self.evidence(on, tsecr)) else {
            return false;
        };
        self.board.unmark_lost();
        self.undo_reduction(now, true, evidence, stats);
        self.retries = 0;
        self.frto = false;
        self.frto_new_data = false;
        // Without SACK the state is held here, too; and a timestamp alone ends it only with the
        // flight.
        let repaired = self.una == self.high_seq;
        if self.sack || (evidence == Evidence::Frto && !repaired) {
            self.phase = RecoveryPhase::Open;
            self.forget_first_retransmission();
        } else if repaired {
            self.forget_first_retransmission();
        }
        true
    }

    /// Open, unless something is missing.
    pub(super) fn open_or_disorder(&self) -> RecoveryPhase {
        let b = &self.board;
        if b.arrived_segments() + b.lost.segments + b.retrans.segments > 0 {
            RecoveryPhase::Disorder
        } else {
            RecoveryPhase::Open
        }
    }
}
