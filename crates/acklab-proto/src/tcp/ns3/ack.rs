//! An acknowledgement arrives (`DoForwardUp`, `ReceivedAck`, `ProcessAck`).

use super::Sender;
use super::control::AckOutcome;
use crate::cc::RecoveryPhase;
use crate::stats::Stats;
use crate::tcp::sender::AckInfo;
use acklab_units::Instant;

impl Sender {
    /// An acknowledgement arrived. Offsets beyond what was sent must have been refused before.
    pub fn on_ack(&mut self, now: Instant, a: &AckInfo<'_>, stats: &mut Stats) {
        debug_assert!(a.ack <= self.nxt);
        stats.acks_in += 1;
        let echo = a.tsecr.filter(|_| self.timestamps);
        self.rtt.on_ack(now, a.ack, echo);
        if self.una == 0 {
            self.on_handshake(now, a);
            return;
        }
        if a.ack < self.una {
            return;
        }
        self.due = true;
        self.chosen = None;
        self.update_window(now, a);
        let old_una = self.una;
        let mut outcome = AckOutcome {
            acked: a.ack - old_una,
            growth: None,
            cwnd: self.cwnd(),
            prior_lost: self.board.lost,
            prior_inflight: self.inflight,
            ece: a.ece && self.ecn,
        };
        let news = self.digest(now, a, stats);
        self.end_cwr(now);
        self.follow_marks(now, &outcome, stats);
        self.pipe();
        let duplicate = if self.sack {
            news > 0
        } else {
            a.ack == old_una && a.ack < self.nxt && !a.carries_data
        };
        if duplicate {
            stats.dup_acks_in += 1;
        }
        self.process(now, old_una, duplicate, &mut outcome, stats);
        self.repaired = false;
        self.conclude(now, &outcome);
    }

    /// The SYN is acknowledged: the connection is open, and the controller begins.
    #[cold]
    fn on_handshake(&mut self, now: Instant, a: &AckInfo<'_>) {
        if a.ack == 0 {
            return;
        }
        self.peer_window = a.window;
        self.set_phase(now, RecoveryPhase::Open);
        self.board.discard(1, |_| {});
        self.una = 1;
        self.released = 1;
        self.next_tx = 1;
        self.timer = None;
        self.retries = 0;
        let rtt = self.rtt.last();
        if self.cc.callbacks().is_none() && !rtt.is_zero() {
            self.cc.on_handshake_rtt(now, rtt);
        }
        // The ACKed data beyond the SYN: nothing, or the peer's answer to early data.
        self.pipe();
    }

    /// `UpdateWindowSize`: an ACK that repeats may only widen the window.
    fn update_window(&mut self, now: Instant, a: &AckInfo<'_>) {
        if a.ack > self.una || a.carries_data || a.window > self.peer_window {
            self.peer_window = a.window;
        }
        self.watch_zero_window(now);
    }

    /// Scoreboard and counters. Returns the bytes newly reported selectively.
    fn digest(&mut self, now: Instant, a: &AckInfo<'_>, stats: &mut Stats) -> u64 {
        let before = self.rates.delivered;
        let prior_lost = self.board.lost;
        let Self { board, rates, .. } = self;
        let news = if self.sack {
            board.sack(a.blocks, |t| rates.on_delivered(now, t))
        } else {
            0
        };
        stats.lost_segs += self.board.lost.saturating_sub(prior_lost) / u64::from(self.mss);
        self.repaired = self.acknowledges_repair(a.ack);
        let Self { board, rates, .. } = self;
        board.discard(a.ack, |t| rates.on_delivered(now, t));
        stats.bytes_acked += a.ack.min(self.app_end) - self.una.min(self.app_end);
        self.una = a.ack;
        self.delivered = self.rates.delivered - before;
        news
    }

    /// Whether a partial ACK covers a retransmission, looked for at distances of whole segments
    /// from its end.
    fn acknowledges_repair(&self, ack: u64) -> bool {
        if ack <= self.una || ack >= self.recover || self.phase != RecoveryPhase::Recovery {
            return false;
        }
        let segment = u64::from(self.mss);
        (0..(ack - self.una) / segment)
            .any(|i| self.board.retransmission_ends_at(ack - i * segment))
    }

    fn process(
        &mut self,
        now: Instant,
        old_una: u64,
        duplicate: bool,
        outcome: &mut AckOutcome,
        stats: &mut Stats,
    ) {
        let old_dup_acks = self.dup_acks;
        if duplicate {
            self.on_dup_ack(now, outcome, stats);
        }
        let ack = self.una;
        if ack == old_una {
            if ack < self.nxt {
                self.call(now, |c, f| c.pkts_acked(f));
            }
            return;
        }
        let segments = self.count_segments();
        if !duplicate {
            self.dup_acks = 0;
        }
        match self.phase {
            RecoveryPhase::Recovery if ack < self.recover => {
                self.on_partial_ack(now, segments, stats);
            }
            RecoveryPhase::Loss if ack < self.recover => {
                self.call(now, |c, f| c.pkts_acked(f));
                self.grow(now, segments, outcome);
                self.on_progress(now, true);
            }
            RecoveryPhase::Cwr => {
                self.call(now, |c, f| c.pkts_acked(f));
                if segments > 0 {
                    self.reduce(false);
                }
                self.on_progress(now, true);
            }
            _ => self.on_full_ack(now, old_una, old_dup_acks, duplicate, segments, outcome),
        }
    }

    /// The whole segments that an ACK delivered; the odd bytes of short segments add up.
    fn count_segments(&mut self) -> u32 {
        let segment = u64::from(self.mss);
        let mut segments = self.delivered / segment;
        self.odd_bytes += self.delivered % segment;
        if self.odd_bytes >= segment {
            self.odd_bytes -= segment;
            segments += 1;
        }
        segments as u32
    }

    /// Open or Disorder, or the ACK that ends Recovery or Loss.
    fn on_full_ack(
        &mut self,
        now: Instant,
        old_una: u64,
        old_dup_acks: u32,
        duplicate: bool,
        segments: u32,
        outcome: &mut AckOutcome,
    ) {
        let from = self.phase;
        let mut segments = segments;
        match from {
            RecoveryPhase::Disorder => {
                if segments >= old_dup_acks {
                    self.call(now, |c, f| c.pkts_acked(f));
                }
                if !duplicate {
                    self.set_phase(now, RecoveryPhase::Open);
                }
            }
            RecoveryPhase::Recovery => {
                segments = ((self.una - old_una) / u64::from(self.mss)) as u32;
                self.call(now, |c, f| c.pkts_acked(f));
                self.call(now, |c, f| c.complete_cwr(f));
                self.end_episode(now);
                self.dup_acks = 0;
            }
            RecoveryPhase::Loss => {
                segments = ((self.una - self.recover) / u64::from(self.mss)) as u32;
                self.call(now, |c, f| c.pkts_acked(f));
                self.end_episode(now);
            }
            RecoveryPhase::Open | RecoveryPhase::Cwr => {
                self.call(now, |c, f| c.pkts_acked(f));
            }
        }
        if self.una >= self.recover {
            self.recover_active = false;
        }
        if from == RecoveryPhase::Recovery {
            self.call(now, |c, _| {
                let w = c.window();
                w.cwnd = w.ssthresh;
            });
        }
        if self.phase == RecoveryPhase::Open {
            self.grow(now, segments, outcome);
            self.on_progress(now, true);
        }
    }

    #[cold]
    fn end_episode(&mut self, now: Instant) {
        let from = self.phase;
        self.first_partial = true;
        self.set_phase(now, RecoveryPhase::Open);
        self.tell_exit(now, from);
    }

    fn grow(&mut self, now: Instant, segments: u32, outcome: &mut AckOutcome) {
        outcome.growth = Some(segments);
        self.call(now, |c, f| c.increase_window(f, segments));
    }
}
