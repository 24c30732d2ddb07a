//! The recovery state machine (Linux `tcp_fastretrans_alert`, RFC 6675, RFC 6582, RFC 5681).

use super::Sender;
use super::digest::Digest;
use crate::cc::{EcnEcho, Loss, RecoveryPhase, Rto};
use crate::stats::Stats;
use crate::tcp::config::{LossDetection, TcpConfig};
use crate::tcp::rack::{Fate, ReorderingContext};
use crate::tcp::scoreboard::Id;
use acklab_units::{Instant, Span};

/// The facts about an ACK that the state machine needs besides its digest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alert {
    /// The cumulative point advanced.
    pub advanced: bool,
    /// The peer echoes a congestion mark.
    pub ece: bool,
    /// It changed nothing but repeated the acknowledgement number (without SACK: a duplicate).
    pub duplicate: bool,
    /// Bytes in flight before this ACK.
    pub prior_inflight: u64,
    /// When it arrived, not rounded to a stamp.
    pub exact: Instant,
}

impl Sender {
    /// Runs the state machine. Returns without touching the window: that comes afterwards.
    pub(super) fn alert(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        d: &mut Digest,
        a: Alert,
        stats: &mut Stats,
    ) {
        if a.ece {
            self.undo.allowed = false;
        }
        if self.phase == RecoveryPhase::Open {
            self.forget_first_retransmission();
        } else if self.una >= self.high_seq && !self.leave_episode(now, cfg, d, stats) {
            return;
        }
        match self.phase {
            RecoveryPhase::Recovery => self.in_recovery(now, cfg, d, a, stats),
            RecoveryPhase::Loss => {
                self.in_loss(now, cfg, d, a, stats);
                let again = self.mark_losses(now, cfg, a.advanced, stats);
                if self.phase == RecoveryPhase::Open || again {
                    self.count_duplicates_in_order(d, a);
                    self.mark_losses(now, cfg, a.advanced, stats);
                    self.in_order(now, a, stats);
                }
            }
            _ => {
                self.count_duplicates_in_order(d, a);
                if self.phase <= RecoveryPhase::Disorder {
                    self.try_undo_dsack(now, cfg.undo, stats);
                }
                self.mark_losses(now, cfg, a.advanced, stats);
                self.in_order(now, a, stats);
            }
        }
    }

    /// Without SACK, outside of an episode: progress means that what duplicates stood for was
    /// reordered, not left behind.
    #[cold]
    fn count_duplicates_in_order(&mut self, d: &mut Digest, a: Alert) {
        if self.sack {
            return;
        }
        if a.advanced {
            self.board.forget_duplicates();
        }
        if a.duplicate {
            self.count_duplicate(d);
        }
    }

    /// Everything sent before the episode began is acknowledged. Returns whether the state machine
    /// should go on.
    #[cold]
    fn leave_episode(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        d: &Digest,
        stats: &mut Stats,
    ) -> bool {
        match self.phase {
            RecoveryPhase::Cwr if self.una > self.high_seq => {
                self.phase = RecoveryPhase::Open;
                self.end_reduction(now, RecoveryPhase::Cwr);
            }
            RecoveryPhase::Recovery => {
                self.inflated = None;
                self.board.forget_duplicates();
                return self.try_undo_recovery(now, cfg.undo, d.tsecr, stats);
            }
            _ => {}
        }
        true
    }

    /// Open, Disorder or CWR, after loss marking.
    fn in_order(&mut self, now: Instant, a: Alert, stats: &mut Stats) {
        if self.board.lost.segments > 0 {
            self.enter_recovery(now, a.prior_inflight, stats);
            return;
        }
        if a.ece && self.ecn && self.phase <= RecoveryPhase::Disorder {
            self.enter_cwr(now, stats);
        }
        if self.phase != RecoveryPhase::Cwr {
            let next = self.open_or_disorder();
            if next != self.phase {
                self.high_seq = self.nxt;
                self.phase = next;
            }
        }
    }

    #[cold]
    fn in_recovery(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        d: &mut Digest,
        a: Alert,
        stats: &mut Stats,
    ) {
        if a.advanced {
            if self.try_undo_partial(now, cfg.undo, d, stats) {
                return;
            }
            self.deflate(d.acked.bytes);
        } else if !self.sack && a.duplicate {
            self.count_duplicate(d);
            self.inflate_by_one();
        }
        if self.try_undo_dsack(now, cfg.undo, stats) {
            self.phase = self.open_or_disorder();
            self.mark_losses(now, cfg, a.advanced, stats);
            self.in_order(now, a, stats);
            return;
        }
        self.mark_losses(now, cfg, a.advanced, stats);
    }

    /// After a timeout (Linux `tcp_process_loss`, F-RTO by RFC 5682 section 3).
    #[cold]
    fn in_loss(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        d: &mut Digest,
        a: Alert,
        stats: &mut Stats,
    ) {
        let recovered = self.una >= self.high_seq;
        if a.advanced && self.try_undo_loss(now, false, cfg.undo, d.tsecr, stats) {
            return;
        }
        self.frto_new_data = false;
        if self.frto {
            if d.original_arrived && self.try_undo_loss(now, true, cfg.undo, d.tsecr, stats) {
                return;
            }
            if self.nxt > self.high_seq {
                if d.sacked > 0 || a.duplicate {
                    self.frto = false;
                }
            } else if a.advanced && !recovered {
                self.high_seq = self.nxt;
                if self.has_new_data() && self.right_edge > self.nxt {
                    self.frto_new_data = true;
                    return;
                }
                self.frto = false;
            }
        }
        if recovered {
            self.try_undo_recovery(now, cfg.undo, d.tsecr, stats);
            self.frto = false;
        } else if !self.sack && a.advanced {
            self.board.forget_duplicates();
        } else if !self.sack && a.duplicate && self.nxt > self.high_seq {
            // New data that F-RTO has sent arrived; it makes room for repetitions.
            self.count_duplicate(d);
        }
    }

    /// Looks for losses by the configured rule. Returns whether a retransmission was found lost.
    #[cold]
    fn mark_losses(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        advanced: bool,
        stats: &mut Stats,
    ) -> bool {
        if !self.sack {
            self.mark_by_newreno(now, advanced, stats);
            return false;
        }
        match cfg.loss_detection {
            LossDetection::Rack => self.mark_by_rack(now, stats).1,
            LossDetection::DupAck => {
                self.mark_by_dup_acks(now, stats);
                false
            }
        }
    }

    /// Without SACK only the head can be known to be lost: by duplicates, and in recovery by a
    /// partial acknowledgement (RFC 6582 section 3.2, Linux `tcp_newreno_mark_lost`).
    fn mark_by_newreno(&mut self, now: Instant, advanced: bool, stats: &mut Stats) {
        let missing = match self.phase {
            RecoveryPhase::Loss => false,
            RecoveryPhase::Recovery => advanced,
            _ => self.board.dup_acked.segments >= self.dup_thresh,
        };
        if !missing {
            return;
        }
        if let (Some(id), Some(head)) = (self.board.head_id(), self.board.head())
            && !head.is_lost()
        {
            self.mark_one(now, id, stats);
        }
    }

    /// The reordering window in force.
    fn reo_wnd(&self) -> Span {
        self.rack.reo_wnd(&ReorderingContext {
            reordering_seen: self.reordering_seen,
            in_recovery: self.phase >= RecoveryPhase::Recovery,
            sacked_segments: self.board.sacked.segments,
            dup_thresh: self.dup_thresh,
            min_rtt: self.rtt.min(),
            srtt: self.rtt.srtt(),
        })
    }

    /// RACK's rule. Returns whether it marked something, and whether a retransmission was among
    /// it. Arms the reordering timer for what is still undecided.
    pub(super) fn mark_by_rack(&mut self, now: Instant, stats: &mut Stats) -> (bool, bool) {
        if !self.rack.take_advanced() {
            return (false, false);
        }
        let wnd = self.reo_wnd();
        let mut wait: Option<Span> = None;
        let (mut any, mut again) = (false, false);
        while let Some(id) = self.first_lost_by_rack(now, wnd, &mut wait) {
            again |= self.board.record(id).is_some_and(|r| r.is_retransmitted());
            self.mark_one(now, id, stats);
            // Whatever it was: a probe may have repeated a segment that had arrived.
            self.board.leave_order(id);
            any = true;
        }
        if let Some(w) = wait {
            self.arm_reordering(now, w);
        }
        (any, again)
    }

    fn first_lost_by_rack(&self, now: Instant, wnd: Span, wait: &mut Option<Span>) -> Option<Id> {
        let mut found = None;
        let mut longest: Option<Span> = None;
        self.board
            .walk_by_time(|id, r| match self.rack.fate(now, r, wnd) {
                Fate::TooNew => false,
                Fate::Lost => {
                    found = Some(id);
                    false
                }
                Fate::Wait(t) => {
                    longest = Some(longest.map_or(t, |x| x.max(t)));
                    true
                }
            });
        if found.is_none() {
            *wait = longest;
        }
        found
    }

    fn mark_by_dup_acks(&mut self, now: Instant, stats: &mut Stats) {
        let thresh = self.dup_thresh;
        let Self {
            board, rates, cc, ..
        } = self;
        let mut lost = 0;
        let inflight = board.inflight();
        board.mark_by_dup_thresh(thresh, |_, r| {
            lost += 1;
            rates.lost += u64::from(r.len);
            cc.on_segment_lost(&rates.loss_of(now, r, inflight));
        });
        stats.lost_segs += lost;
    }

    pub(super) fn mark_one(&mut self, now: Instant, id: Id, stats: &mut Stats) {
        if !self.board.mark_lost(id) {
            return;
        }
        let inflight = self.board.inflight();
        let Some(r) = self.board.record(id) else {
            return;
        };
        stats.lost_segs += 1;
        self.rates.lost += u64::from(r.len);
        self.cc
            .on_segment_lost(&self.rates.loss_of(now, r, inflight));
    }

    /// Fast recovery begins, or goes on from CWR without a second reduction.
    #[cold]
    pub(super) fn enter_recovery(&mut self, now: Instant, prior_inflight: u64, stats: &mut Stats) {
        self.undo.allowed = false;
        self.begin_undo();
        if !matches!(self.phase, RecoveryPhase::Cwr | RecoveryPhase::Recovery) {
            self.undo.allowed = true;
            self.begin_reduction();
            let loss = Loss {
                now,
                inflight: self.board.inflight(),
                prior_inflight,
                outstanding: self.nxt - self.una,
                snd_nxt: self.nxt,
                delivered: self.rates.delivered,
            };
            self.cc.on_loss(&loss);
        }
        stats.recoveries += 1;
        self.phase = RecoveryPhase::Recovery;
        if !self.proportional {
            self.inflate();
        }
    }

    /// Linux `tcp_init_cwnd_reduction`, up to the controller's part.
    #[cold]
    fn begin_reduction(&mut self) {
        self.prr.start(self.cwnd_segments());
        self.high_seq = self.nxt;
        self.tlp_high = None;
        self.cwr_pending = self.ecn;
    }

    /// The peer echoes a mark: reduce once per window (RFC 3168 section 6.1.2).
    #[cold]
    fn enter_cwr(&mut self, now: Instant, stats: &mut Stats) {
        self.undo.allowed = false;
        self.undo.marker = None;
        self.begin_reduction();
        let outstanding = self.nxt - self.una;
        let inflight = self.board.inflight();
        self.cc.on_ecn(&EcnEcho {
            now,
            inflight,
            outstanding,
            snd_nxt: self.nxt,
        });
        stats.ecn_reductions += 1;
        self.phase = RecoveryPhase::Cwr;
    }

    /// A tail loss probe repaired a loss: reduce as for one, at once (RFC 8985 section 7.4.2).
    #[cold]
    pub(super) fn reduce_for_probe(&mut self, now: Instant, stats: &mut Stats) {
        if matches!(self.phase, RecoveryPhase::Cwr | RecoveryPhase::Recovery) {
            return;
        }
        self.begin_reduction();
        let inflight = self.board.inflight();
        self.cc.on_loss(&Loss {
            now,
            inflight,
            prior_inflight: inflight,
            outstanding: self.nxt - self.una,
            snd_nxt: self.nxt,
            delivered: self.rates.delivered,
        });
        stats.recoveries += 1;
        self.undo.marker = None;
        self.end_reduction(now, RecoveryPhase::Cwr);
        self.phase = self.open_or_disorder();
    }

    /// The retransmission timer expired (RFC 6298 section 5, Linux `tcp_enter_loss`).
    #[cold]
    pub(super) fn enter_loss(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        let first = self.phase <= RecoveryPhase::Disorder
            || self.una >= self.high_seq
            || (self.phase == RecoveryPhase::Loss && self.retries == 0);
        let new_recovery = self.phase < RecoveryPhase::Recovery;
        let prior_inflight = self.board.inflight();
        let prior_sacked = self.board.arrived_segments();
        if self.board.head().is_some_and(|h| h.is_sacked()) {
            self.board.renege();
        }
        if first {
            self.undo.allowed = true;
            self.begin_undo();
        }
        self.board.forget_duplicates();
        self.mark_for_timeout(now, cfg, stats);
        if prior_sacked >= self.dup_thresh {
            self.dup_thresh = self.dup_thresh.min(super::DUP_THRESH);
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
        self.inflated = None;
        self.high_seq = self.nxt;
        self.tlp_high = None;
        self.cwr_pending = self.ecn;
        self.frto = cfg.frto && (new_recovery || self.retries > 0);
        self.frto_new_data = false;
    }

    /// Which segments a timeout gives up: the head and everything sent at least one RTT ago. With
    /// the duplicate-ACK rule or without SACK nothing would find the others: everything.
    fn mark_for_timeout(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        let head = self.board.head_id();
        let timed = self.sack && cfg.loss_detection == LossDetection::Rack;
        for id in self.board.ids() {
            let Some(r) = self.board.record(id) else {
                continue;
            };
            let old = !timed || self.rack.older_than_rtt(now, r);
            if !r.is_sacked() && (Some(id) == head || old) {
                self.mark_one(now, id, stats);
            }
        }
    }
}
