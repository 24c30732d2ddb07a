//! Digesting an acknowledgement, in the order of Linux's `tcp_ack`.

use super::Sender;
use super::digest::{Digest, RttSample, ts_clock};
use super::recovery::Alert;
use crate::cc::{Ack, RateSample, RecoveryPhase};
use crate::stats::Stats;
use crate::tcp::config::TcpConfig;
use crate::tcp::prr::Progress;
use acklab_units::{Instant, Span};

/// Linux `tcp_max_reordering`.
const MAX_REORDERING: u32 = 300;

/// An acknowledgement with its numbers expanded to stream offsets.
#[derive(Clone, Copy, Debug)]
pub struct AckInfo<'a> {
    /// Where the segment that carries it stands in the peer's stream.
    pub seq: u64,
    /// Everything below is acknowledged.
    pub ack: u64,
    /// The window in bytes, scaled.
    pub window: u64,
    /// SACK blocks `[start, end)` as received, a DSACK first.
    pub blocks: &'a [(u64, u64)],
    /// Echoed timestamp.
    pub tsecr: Option<u32>,
    /// ECN echo.
    pub ece: bool,
    /// The segment carries data, SYN or FIN: it cannot be a duplicate ACK.
    pub carries_data: bool,
}

/// RFC 2883's sign: the first block reports a duplicate.
fn dsack_block(a: &AckInfo<'_>) -> Option<(u64, u64)> {
    let first = *a.blocks.first()?;
    let below = first.0 < a.ack;
    let inside = a
        .blocks
        .get(1)
        .is_some_and(|b| first.0 >= b.0 && first.1 <= b.1);
    (below || inside).then_some(first)
}

impl Sender {
    /// An acknowledgement arrived. Offsets beyond what was sent must have been refused before.
    pub fn on_ack(&mut self, exact: Instant, cfg: &TcpConfig, a: &AckInfo<'_>, stats: &mut Stats) {
        debug_assert!(a.ack <= self.nxt);
        let now = self.stamp(exact);
        stats.acks_in += 1;
        self.reordering_armed = false;
        let prior_una = self.una;
        let advanced = a.ack > prior_una;
        let window_moved = self.update_window(a);
        // `tcp_data_snd_check` looks for room after each ACK: SACKed neighbours give some back.
        if advanced || cfg.dialect().send_buffer_of_memory {
            self.buffer.offer();
        }
        if advanced {
            self.una = a.ack;
            self.buffer.on_acked(a.ack);
            self.retries = 0;
        }
        if self.board.is_empty() {
            self.late_dsack(now, cfg, a, prior_una, stats);
            self.after_window_probe();
            return;
        }
        let prior_inflight = self.board.inflight();
        let prior_lost = self.rates.lost;
        let prior_fack = self.board.highest_sacked.max(prior_una);
        let fack = if self.board.sacked.segments > 0 {
            prior_fack
        } else {
            prior_una
        };
        let sacks_need_echo = cfg.dialect().sacks_need_echo;
        let min_rtt = self.rtt.min();
        let mut d = Digest::new(now, min_rtt, self.high_seq, fack, a.tsecr, sacks_need_echo);
        let dsack = self.digest_sack(a, prior_una, &mut d, stats);
        self.digest_cumulative(a.ack, &mut d);
        let duplicate = !advanced && !a.carries_data && !window_moved && d.sacked == 0;
        if duplicate || (!advanced && d.sacked > 0) {
            stats.dup_acks_in += 1;
        }
        if !self.sack && advanced {
            self.eat_duplicates(&mut d);
        }
        d.prior_una = prior_una;
        if let Some(low) = d.reordered {
            self.note_reordering(&d, low);
        }
        stats.bytes_acked += d.acked.bytes;
        let head_sent = self.board.head().map(|r| r.sent_at);
        d.rtt = self.sample_rtt(now, cfg, advanced, &d);
        if d.syn_acked {
            self.begin_data();
        }
        self.rack
            .adapt(self.rates.prior_delivered(), self.rates.delivered);
        self.end_of_probe(now, a.ack, dsack, duplicate, stats);
        let alert = Alert {
            advanced,
            ece: a.ece && self.ecn,
            duplicate,
            prior_inflight,
            exact,
        };
        let dubious = d.sacked > 0
            || dsack
            || alert.ece
            || self.phase != RecoveryPhase::Open
            || (!advanced && !a.carries_data && !window_moved);
        if dubious {
            self.alert(now, cfg, &mut d, alert, stats);
        }
        let progress = d.acked.segments > 0
            || (d.sacked > 0 && d.first_sacked.zip(head_sent).is_some_and(|(s, h)| s < h));
        if progress {
            self.rearm_after_ack(now, cfg);
        }
        let ce = if alert.ece { d.delivered.bytes } else { 0 };
        self.rates.delivered_ce += ce;
        let sample = self
            .rates
            .finish(now, d.delivered.segments > 0, self.rtt.min());
        if let Some(r) = sample.rate() {
            self.delivery_rate = Some(r);
        }
        let newly_lost = self.rates.lost - prior_lost;
        self.move_window(now, &d, alert, sample, newly_lost, ce);
        self.validate_pending = true;
        self.check(stats);
    }

    /// Takes the window over, unless the segment is older than the one that spoke of it last
    /// (RFC 9293 section 3.10.7.4). An ACK of more is not, wherever it stands (Linux
    /// `tcp_may_update_window`), so `SND.WL2` is never above `una`. Returns whether it changed.
    fn update_window(&mut self, a: &AckInfo<'_>) -> bool {
        if a.ack < self.una || (a.ack == self.una && a.seq < self.window_seq) {
            return false;
        }
        self.window_seq = a.seq;
        let moved = a.window != self.peer_window;
        self.peer_window = a.window;
        self.max_window = self.max_window.max(a.window);
        // A peer must not take back what it allowed; if it does, its latest word counts.
        self.right_edge = a.ack + a.window;
        moved
    }

    /// Tags SACKed records. Returns whether the ACK carried a DSACK.
    fn digest_sack(
        &mut self,
        a: &AckInfo<'_>,
        prior_una: u64,
        d: &mut Digest,
        stats: &mut Stats,
    ) -> bool {
        if !self.sack || a.blocks.is_empty() {
            return false;
        }
        let dsack = dsack_block(a);
        if let Some(b) = dsack {
            self.on_dsack(b, prior_una, stats);
        }
        let mut blocks = [(0u64, 0u64); 4];
        let mut n = 0;
        for &(s, e) in a.blocks.iter().skip(usize::from(dsack.is_some())) {
            let s = s.max(self.una.max(a.ack));
            let e = e.min(self.nxt);
            if s < e && n < 4 {
                blocks[n] = (s, e);
                n += 1;
            }
        }
        let blocks = &mut blocks[..n];
        if self.sack_sorted {
            blocks.sort_unstable();
        }
        let Self {
            board, rack, rates, ..
        } = self;
        board.sack(blocks, |r| d.on_sacked(r, rack, rates));
        dsack.is_some()
    }

    #[cold]
    fn on_dsack(&mut self, (start, end): (u64, u64), prior_una: u64, stats: &mut Stats) {
        stats.dsacks_in += 1;
        let dups = (end - start).div_ceil(u64::from(self.mss));
        self.duplicates_reported += dups;
        // More duplicates than there were retransmissions: the network makes them, and they say
        // nothing about what we resent (Linux `tcp_dsack_seen`).
        if self.duplicates_reported > stats.retrans_segs {
            return;
        }
        stats.spurious_retrans += dups;
        if self.reordering_seen && self.tlp_high != Some(end) {
            self.rack.on_dsack();
        }
        let Some(marker) = self.undo.marker else {
            return;
        };
        // Below the old ACK point, or of something still outstanding that was resent.
        let ours = end <= prior_una || self.board.was_resent(start, end);
        if self.undo.retrans > 0 && end > marker && ours {
            self.undo.retrans = (self.undo.retrans - dups as i64).max(0);
        }
    }

    /// Nothing is outstanding any more, but a DSACK may still call the last episode spurious.
    #[cold]
    fn late_dsack(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        a: &AckInfo<'_>,
        prior_una: u64,
        stats: &mut Stats,
    ) {
        if let Some(b) = dsack_block(a).filter(|_| self.sack) {
            self.on_dsack(b, prior_una, stats);
            self.try_undo_dsack(now, cfg.undo, stats);
        }
    }

    fn digest_cumulative(&mut self, ack: u64, d: &mut Digest) {
        let Self {
            board, rack, rates, ..
        } = self;
        board.ack_to(ack, |r| d.on_acked(r, rack, rates));
    }

    /// Without SACK: of what a cumulative ACK covers, one segment filled the hole, and duplicates
    /// have told of the others already (Linux `tcp_remove_reno_sacks`).
    #[cold]
    fn eat_duplicates(&mut self, d: &mut Digest) {
        let told = self.board.dup_acked.segments;
        let told = told.min(d.acked.segments.saturating_sub(1));
        let bytes = (u64::from(told) * u64::from(self.mss)).min(d.delivered.bytes);
        d.delivered.segments -= told;
        d.delivered.bytes -= bytes;
        self.rates.delivered -= bytes;
        if self.board.uncount_duplicates(d.acked.segments, self.mss) {
            self.reordered_without_sack(d.acked.segments);
        }
        // Nothing tells an original from the repetition of another (`tcp_clean_rtx_queue`).
        d.original_arrived &= !d.retrans_acked;
    }

    /// Without SACK: a duplicate says that one more segment has arrived, though not which (Linux
    /// `tcp_add_reno_sack`).
    #[cold]
    pub(super) fn count_duplicate(&mut self, d: &mut Digest) {
        let before = self.board.dup_acked;
        if self.board.count_duplicate(self.mss) {
            self.reordered_without_sack(0);
        }
        let after = self.board.dup_acked;
        let bytes = after.bytes.saturating_sub(before.bytes);
        d.delivered.segments += after.segments.saturating_sub(before.segments);
        d.delivered.bytes += bytes;
        self.rates.delivered += bytes;
    }

    /// There were more duplicates than segments that can have arrived: from now on it takes as
    /// many to mean a loss (Linux `tcp_check_reno_reordering`).
    #[cold]
    fn reordered_without_sack(&mut self, acked: u32) {
        self.dup_thresh = (self.board.out.segments + acked).min(MAX_REORDERING);
        self.reordering_seen = true;
    }

    /// Data arrived below data that had arrived before: the path reorders (Linux
    /// `tcp_check_sack_reordering`).
    #[cold]
    pub(super) fn note_reordering(&mut self, d: &Digest, low: u64) {
        if !self.sack || self.phase == RecoveryPhase::Loss {
            return;
        }
        let extent = d.prior_fack.saturating_sub(low);
        let segments = extent.div_ceil(u64::from(self.mss));
        let segments = segments.min(u64::from(MAX_REORDERING)) as u32;
        self.dup_thresh = self.dup_thresh.max(segments);
        self.reordering_seen = true;
    }

    /// The RTT of this ACK, which the estimators take over (Linux `tcp_ack_update_rtt`). Where Karn's
    /// rule leaves nothing, the timestamp echo speaks, for controllers and the minimum as well. A
    /// measurement ends the back-off, and nothing else does (RFC 6298 section 5).
    fn sample_rtt(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        advanced: bool,
        d: &Digest,
    ) -> Option<RttSample> {
        let exact = d.seq_rtt().zip(d.newest_rtt());
        let by_echo = || {
            let echo = d.tsecr.filter(|_| advanced && self.timestamps)?;
            let ms = ts_clock(now).wrapping_sub(echo);
            let rtt = (ms < u32::MAX / 2).then(|| Span::from_millis(u64::from(ms.max(1))))?;
            Some((rtt, rtt))
        };
        let (oldest, newest) = exact.or_else(by_echo)?;
        // Less than a unit is not nothing (`tcp_update_rtt_min`).
        let (oldest, newest) = (oldest.max(self.stamp_unit), newest.max(self.stamp_unit));
        self.rtt
            .on_min_sample(now, floor(newest, cfg.rtt_granularity));
        let oldest_rtt = floor(oldest, cfg.rtt_granularity);
        if self.rtt.on_sample(oldest_rtt, self.una, self.nxt) {
            self.backoff = 0;
            self.probe_backoff = 0;
        }
        Some(RttSample { oldest, newest })
    }

    /// Linux `tcp_cong_control`: reduce, or let the controller grow.
    fn move_window(
        &mut self,
        now: Instant,
        d: &Digest,
        a: Alert,
        rate: RateSample,
        newly_lost: u64,
        newly_ce: u64,
    ) {
        let reducing = self.reducing();
        if d.syn_acked && d.acked.segments == 1 {
            if let Some(rtt) = d.seq_rtt() {
                self.cc.on_handshake_rtt(now, rtt.max(self.stamp_unit));
            }
            return;
        }
        let many_sacks = self.dup_thresh > super::DUP_THRESH && d.sacked > 0;
        let ack = Ack {
            now,
            exact: a.exact,
            acked: d.acked.bytes,
            newly_delivered: d.delivered.bytes,
            newly_delivered_segments: d.delivered.segments,
            acked_segments: d.acked.segments,
            newly_lost,
            delivered: self.rates.delivered,
            lost: self.rates.lost,
            newly_ce,
            rtt: d.rtt.map(|r| r.oldest),
            cc_rtt: d.rtt.map(|r| r.newest),
            cc_rtt_samples: 1,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            cwnd: u64::from(self.cwnd_segments()) * u64::from(self.mss),
            inflight: self.board.inflight(),
            prior_inflight: a.prior_inflight,
            rate,
            cwnd_limited: self.is_cwnd_limited(),
            may_grow: !reducing && (d.acked.bytes > 0 || many_sacks),
            phase: self.phase,
            ece: a.ece,
            snd_una: self.una,
            snd_nxt: self.nxt,
            app_limited: self.rates.is_app_limited(),
            ack_delayed: d.delivered.segments == 1
                && d.acked.bytes > 0
                && d.acked.bytes < u64::from(self.mss),
        };
        self.cc.on_ack(&ack);
        // The controller comes first: what it learns from the RTT may lower the target (Linux
        // calls `pkts_acked` before `tcp_cwnd_reduction`).
        if reducing {
            self.prr.on_ack(&Progress {
                delivered: d.delivered.segments,
                lost: newly_lost.div_ceil(u64::from(self.mss)) as u32,
                advanced: a.advanced,
                inflight: self.board.inflight_segments(),
                ssthresh: self.reduction_target(),
            });
        }
    }

    /// Linux `tcp_is_cwnd_limited`: the last flight was stopped by the window, or slow start has
    /// not outgrown twice what was used.
    fn is_cwnd_limited(&self) -> bool {
        !self.validates
            || self.cwnd_limited
            || (self.cc.cwnd() < self.cc.ssthresh()
                && self.cc.cwnd() < 2 * u64::from(self.max_outstanding) * u64::from(self.mss))
    }
}

/// `rtt` as a coarser clock would have measured it, at least one tick.
fn floor(rtt: Span, granularity: Span) -> Span {
    match rtt.as_nanos().checked_div(granularity.as_nanos()) {
        None => rtt,
        Some(ticks) => granularity * ticks.max(1),
    }
}
