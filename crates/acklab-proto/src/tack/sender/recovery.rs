//! Episodes of losses: the controller's facts, and their ends (RFC 6675, Linux's states).

use super::Sender;
use super::digest::Digest;
use crate::cc::{EcnEcho, Loss, RecoveryExit, RecoveryPhase, Rto};
use crate::rate::Transmission;
use crate::stats::Stats;
use acklab_units::Instant;

impl Sender {
    /// Marks what the report has shown to be lost.
    pub(super) fn mark_found(&mut self, now: Instant, d: &mut Digest, stats: &mut Stats) {
        for i in 0..self.found.len() {
            let id = self.found[i];
            let Some(r) = self.board.lose(id) else {
                continue;
            };
            self.rates.lost += u64::from(r.len());
            d.lost += u64::from(r.len());
            stats.lost_segs += 1;
            self.credit += u64::from(r.len());
            self.undo.on_told(r.number <= d.largest);
            d.repair_lost |= r.was_repeated() && r.number >= self.reduced_at;
            let event = self.rates.loss_of(now, &r, self.board.inflight());
            self.cc.on_segment_lost(&event);
        }
        self.found.clear();
    }

    /// Ends an episode that is over and begins the one that the report calls for: at most one
    /// reduction for each window of data, and one more where a repair that left after the reduction is
    /// lost, too (RFC 5681 section 4.3). Without it a full queue can drop the repair of one gap again and
    /// again while the window stays as it is.
    pub(super) fn change_phase(&mut self, now: Instant, d: &Digest, stats: &mut Stats) {
        if self.in_episode() && self.una >= self.high_seq {
            let from = self.phase;
            self.phase = RecoveryPhase::Open;
            self.credit = 0;
            self.undo.end();
            self.cc.on_recovery_exit(&RecoveryExit {
                now,
                inflight: self.board.inflight(),
                from,
            });
        }
        if self.board.lost_segments() > 0 {
            if matches!(self.phase, RecoveryPhase::Open | RecoveryPhase::Cwr) {
                self.enter_recovery(now, d, stats);
            } else if self.phase == RecoveryPhase::Recovery && d.repair_lost {
                self.reduce(now, d);
            }
        } else if d.ce > 0 && self.ecn && self.phase == RecoveryPhase::Open {
            self.enter_cwr(now, stats);
        }
    }

    fn enter_recovery(&mut self, now: Instant, d: &Digest, stats: &mut Stats) {
        if self.phase == RecoveryPhase::Open {
            self.high_seq = self.nxt;
            self.undo.begin();
            self.reduce(now, d);
        }
        stats.recoveries += 1;
        self.phase = RecoveryPhase::Recovery;
    }

    fn reduce(&mut self, now: Instant, d: &Digest) {
        self.prr.start(self.cwnd_segments());
        self.reduced_at = self.board.next_number();
        self.cc.on_loss(&Loss {
            now,
            inflight: self.board.inflight(),
            prior_inflight: d.prior_inflight,
            outstanding: self.nxt - self.una,
            snd_nxt: self.nxt,
            delivered: self.rates.delivered,
        });
    }

    /// The peer reports marks: reduce once per window (RFC 3168 section 6.1.2).
    fn enter_cwr(&mut self, now: Instant, stats: &mut Stats) {
        self.prr.start(self.cwnd_segments());
        self.high_seq = self.nxt;
        self.reduced_at = self.board.next_number();
        self.cc.on_ecn(&EcnEcho {
            now,
            inflight: self.board.inflight(),
            outstanding: self.nxt - self.una,
            snd_nxt: self.nxt,
        });
        stats.ecn_reductions += 1;
        self.phase = RecoveryPhase::Cwr;
    }

    /// The retransmission timer expired: nothing is heard, so everything under way is given up.
    pub(super) fn enter_loss(&mut self, now: Instant, stats: &mut Stats) {
        let first = self.phase != RecoveryPhase::Loss || self.retries == 0;
        let was_open = self.phase == RecoveryPhase::Open;
        let prior_inflight = self.board.inflight();
        let Self {
            board, rates, cc, ..
        } = self;
        board.lose_all(|r| {
            rates.lost += u64::from(r.len());
            stats.lost_segs += 1;
            cc.on_segment_lost(&rates.loss_of(now, r, 0));
        });
        if first {
            self.undo.end();
        }
        if was_open {
            self.undo.on_timeout(self.board.next_number());
        }
        self.cc.on_rto(&Rto {
            now,
            prior_inflight,
            inflight: self.board.inflight(),
            outstanding: self.nxt - self.una,
            first,
            snd_nxt: self.nxt,
            delivered: self.rates.delivered,
        });
        self.phase = RecoveryPhase::Loss;
        self.high_seq = self.nxt;
        self.credit = 0;
    }
}
