//! Digesting a TACK or an IACK: claims are judged, arrivals are noted, losses are marked, the
//! controller gets the facts, and only then do packets leave.

use super::claims::Violation;
use super::digest::Digest;
use super::{Freshness, Sender, whole};
use crate::cc::{Ack, RateSample, RecoveryPhase};
use crate::stats::Stats;
use crate::tack::config::{RateSource, RepairGuard, TackConfig, Timing};
use crate::tack::receiver::micros;
use crate::tack::wire::{EcnCounts, Fastest, Iack, IackReason, Receipt, Tack, TackHead};
use crate::tcp::prr::Progress;
use acklab_units::{Instant, Rate, Span};

/// A departure stamp older than this is none: half of what 32 bits of microseconds hold.
const OLDEST_STAMP: u32 = u32::MAX / 2;

/// The delivery rate that a TACK tells; zero = it has no sample.
#[derive(Clone, Copy, Debug)]
struct Claim {
    rate: Rate,
    app_limited: bool,
}

impl Sender {
    /// A TACK arrived.
    ///
    /// # Errors
    /// If it claims what cannot be.
    pub fn on_tack(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        tack: &Tack<'_>,
        freshness: Freshness,
        stats: &mut Stats,
    ) -> Result<(), Violation> {
        let head = &tack.head;
        let mut d = self.begin(&head.receipt, freshness)?;
        if tack
            .acked
            .clone()
            .next()
            .is_some_and(|b| b.end > self.sent_end())
        {
            return Err(Violation::Unsent);
        }
        stats.acks_in += 1;
        d.rtt = self.time_largest(now, cfg, head);
        d.fastest = head.fastest.and_then(|f| self.time_fastest(now, &f));
        self.take_receipt(&head.receipt, &mut d);
        for block in tack.acked {
            let Self { board, rates, .. } = self;
            board.ack_block(block.start, block.end, &mut |r| d.on_delivered(r, rates));
        }
        for block in tack.unacked {
            self.find_missing(now, cfg, block.start, block.end, head.settled);
        }
        self.take_times(now, &d);
        let claim = Claim {
            rate: Rate::from_bps(head.rate.saturating_mul(8)),
            app_limited: head.app_limited,
        };
        if head.rate > 0 && !head.app_limited {
            self.peer_bw.update(now, claim.rate);
        }
        d.settled = Some(head.settled);
        self.peak = d.prior_inflight;
        self.finish(now, cfg, &mut d, head.ecn.as_ref(), Some(claim), stats)
    }

    /// An IACK arrived. The handshake's confirmation is the endpoint's.
    ///
    /// # Errors
    /// If it claims what cannot be.
    pub fn on_iack(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        iack: &Iack,
        freshness: Freshness,
        stats: &mut Stats,
    ) -> Result<(), Violation> {
        let mut d = self.begin(&iack.receipt, freshness)?;
        stats.acks_in += 1;
        self.take_receipt(&iack.receipt, &mut d);
        let marks = match iack.reason {
            IackReason::Loss { second, largest } => {
                if largest >= self.board.next_number() {
                    return Err(Violation::UnsentNumber);
                }
                self.find_numbers(second, largest);
                None
            }
            IackReason::Mark(counts) => Some(counts),
            IackReason::Window | IackReason::Confirm { .. } => None,
        };
        self.finish(now, cfg, &mut d, marks.as_ref(), None, stats)
    }

    /// Offset behind all that was ever sent.
    fn sent_end(&self) -> u64 {
        self.nxt.max(self.highest)
    }

    fn begin(&mut self, r: &Receipt, freshness: Freshness) -> Result<Digest, Violation> {
        self.claims
            .judge(r, self.sent_end(), self.board.next_number())?;
        if freshness == Freshness::Newest {
            self.right_edge = self.right_edge.max(r.cumulative.saturating_add(r.window));
            self.max_window = self.max_window.max(r.window);
        }
        self.syncing.on_heard(r.sync);
        self.found.clear();
        if freshness == Freshness::Newest {
            let missing = self.claims.missing(r);
            self.undo.on_missing(missing);
            if r.packets > 0 {
                self.undo.on_largest(r.largest, missing);
            }
        }
        self.undo.on_report();
        Ok(Digest {
            prior_inflight: self.board.inflight(),
            largest: if r.packets > 0 { r.largest } else { 0 },
            ..Digest::default()
        })
    }

    fn take_receipt(&mut self, r: &Receipt, d: &mut Digest) {
        if r.cumulative <= self.una {
            return;
        }
        self.una = r.cumulative;
        // The peer had more of it than was known.
        self.nxt = self.nxt.max(self.una);
        d.advanced = true;
        let Self { board, rates, .. } = self;
        let mut gone = Digest::default();
        board.ack_to(r.cumulative, &mut |it| d.on_delivered(it, rates), |it| {
            gone.on_gone(it)
        });
        d.acked = gone.acked;
        d.acked_segments = gone.acked_segments;
    }

    /// "An IACK contains PKT.SEQ = 1 and PKT.SEQ = 3 [...], notifying the sender of the loss of
    /// PKT.SEQ = 2" (section 5.1). A number whose segment has a newer one was repaired already.
    fn find_numbers(&mut self, second: u64, largest: u64) {
        let from = (second + 1).max(self.board.oldest_number());
        for number in from..largest {
            if let Some((id, _)) = self.board.by_number(number) {
                self.found.push(id);
            }
        }
    }

    /// A TACK says that `start..end` is missing. A segment there is lost if its latest number is
    /// among those that the receiver has settled; else that transmission may be on its way, and it
    /// counts as lost when it is old enough ("once per RTT", section 5.1).
    fn find_missing(&mut self, now: Instant, cfg: &TackConfig, start: u64, end: u64, settled: u64) {
        let patience = match cfg.guard {
            // A RTT that grows is ahead of its average; RACK allows a quarter of the minimum, too.
            RepairGuard::SmoothedRtt => self.rtt.srtt().max(self.rtt.latest()) + self.rtt_min() / 4,
            RepairGuard::MinRtt => self.rtt_min(),
            RepairGuard::ProvenOnly => Span::MAX,
        };
        let Self { board, found, .. } = self;
        board.missing_in(start, end, |id, r| {
            let proven = r.number <= settled;
            if !r.is_lost() && (proven || now.saturating_since(r.sent_at) >= patience) {
                found.push(id);
            }
        });
    }

    /// The RTT of the packet with the largest number, by this end's own clock: only the time that the
    /// TACK waited is the peer's word.
    fn time_largest(&self, now: Instant, cfg: &TackConfig, head: &TackHead) -> Option<Span> {
        let (_, r) = self.board.by_number(head.receipt.largest)?;
        if r.is_delivered() || head.receipt.packets == 0 {
            return None;
        }
        let elapsed = now.saturating_since(r.sent_at);
        let hold = match cfg.timing {
            Timing::Legacy => Span::ZERO,
            _ => Span::from_micros(u64::from(head.hold)),
        };
        (hold < elapsed).then(|| elapsed - hold)
    }

    /// "RTT = t1 - t0 - dt" (section 4.3) of the packet that the TACK names. The stamp must be one
    /// that may have left: not after the last packet did.
    fn time_fastest(&self, now: Instant, f: &Fastest) -> Option<Span> {
        let elapsed = micros(now).wrapping_sub(f.stamp);
        let since_last = now.saturating_since(self.last_sent);
        // Stamps are whole microseconds.
        let sent = u64::from(elapsed) + 1 >= since_last.as_micros();
        let rtt = elapsed.checked_sub(f.hold)?;
        (elapsed <= OLDEST_STAMP && sent && rtt > 0).then(|| Span::from_micros(u64::from(rtt)))
    }

    fn take_times(&mut self, now: Instant, d: &Digest) {
        if let Some(rtt) = d.rtt {
            self.rtt.on_sample(rtt, self.una, self.nxt);
            self.backoff = 0;
        }
        if let Some(rtt) = d.fastest {
            self.min_rtt.update(now, rtt);
        }
    }

    fn finish(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        d: &mut Digest,
        marks: Option<&EcnCounts>,
        claim: Option<Claim>,
        stats: &mut Stats,
    ) -> Result<(), Violation> {
        self.claims.on_delivered(d.delivered_segments, self.una)?;
        if let Some(e) = marks {
            self.claims.judge_marks(e)?;
            let new = e.ce.saturating_sub(self.marks.ce);
            self.marks.ce = self.marks.ce.max(e.ce);
            d.ce = new.saturating_mul(u64::from(self.mss)).min(d.delivered);
            self.rates.delivered_ce += d.ce;
            // A mark counts even if the packet that bore it was reported before.
            d.ce = d.ce.max(u64::from(new > 0));
        }
        stats.bytes_acked = self.acked_bytes();
        let duplicate = !d.advanced && d.delivered == 0;
        stats.dup_acks_in += u64::from(duplicate);
        if d.late {
            self.told_late = self.rates.delivered;
        }
        self.undo.on_unsent(d.unsent);
        self.mark_found(now, d, stats);
        if let Some(number) = d.settled {
            self.board.settle(number);
        }
        self.take_back(now, cfg, stats);
        let before = self.phase;
        self.change_phase(now, d, stats);
        let enters = before != self.phase && self.phase == RecoveryPhase::Recovery;
        d.conserved = match claim {
            None if enters && d.delivered > 0 => self.peak.saturating_sub(d.lost + d.delivered),
            _ => 0,
        };
        let sample = match claim {
            Some(claim) => self.sample_rate(now, cfg, d, claim),
            // An IACK tells of a part of what has arrived: the TACK after it would seem to tell of
            // more in less time.
            None => RateSample::default(),
        };
        self.move_window(now, cfg, d, sample);
        self.update_sync(now, cfg);
        self.rearm_after_report(now, d);
        self.validate_pending = true;
        self.board.check();
        debug_assert!(self.una <= self.nxt);
        Ok(())
    }

    /// The rate sample of this report. The receiver's rate replaces the interval, so that volumes and
    /// rounds stay the sender's; it is never above the rate at which the data was sent, nor twice the
    /// rate at which it was acknowledged, whatever the peer says.
    fn sample_rate(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        d: &Digest,
        claim: Claim,
    ) -> RateSample {
        let any = d.delivered_segments > 0;
        let mut sample = self.rates.finish(now, any, self.min_rtt.min());
        let counts = cfg.rate_source == RateSource::Receiver && claim.rate > Rate::ZERO;
        // Data that arrived long before, and had no place in a list, would seem to arrive now by
        // the sender's own clock. The receiver's rate is not concerned, and rounds go on.
        if !counts && sample.prior_delivered < self.told_late {
            sample.interval = Span::ZERO;
        }
        if counts && sample.delivered > 0 {
            let by_claim = claim.rate.serialisation(sample.delivered);
            // Between two TACKs more may arrive than over a whole round trip, but who claims more than
            // twice as much is not believed.
            let least = sample.send_interval.max(sample.ack_interval / 2);
            sample.interval = by_claim.max(least);
            sample.is_app_limited |= claim.app_limited;
        }
        if let Some(rate) = sample.rate() {
            self.delivery_rate = Some(rate);
        }
        sample
    }

    fn move_window(&mut self, now: Instant, cfg: &TackConfig, d: &Digest, rate: RateSample) {
        let reducing = self.reducing();
        let rtt = d.fastest.or(d.rtt);
        // "The minimum OWD during each TACK interval" (section 5.2): the least of all that arrived in it.
        let samples = match cfg.timing {
            Timing::Advanced if d.fastest.is_some() => d.delivered_segments.max(1),
            _ => 1,
        };
        self.cc.on_ack(&Ack {
            now,
            exact: now,
            acked: d.acked,
            newly_delivered: d.delivered,
            newly_delivered_segments: d.delivered_segments,
            acked_segments: d.acked_segments,
            newly_lost: d.lost,
            delivered: self.rates.delivered,
            lost: self.rates.lost,
            newly_ce: d.ce.min(d.delivered),
            rtt,
            cc_rtt: rtt,
            cc_rtt_samples: samples,
            srtt: self.rtt.srtt(),
            min_rtt: self.min_rtt.min(),
            cwnd: u64::from(self.cwnd_segments()) * u64::from(self.mss),
            inflight: self.board.inflight().max(d.conserved),
            prior_inflight: d.prior_inflight,
            rate,
            cwnd_limited: self.is_cwnd_limited(),
            may_grow: !reducing && d.delivered > 0,
            phase: self.phase,
            ece: d.ce > 0,
            snd_una: self.una,
            snd_nxt: self.nxt,
            app_limited: self.rates.is_app_limited(),
            ack_delayed: false,
        });
        if reducing {
            let ssthresh = match self.cc.ssthresh() {
                u64::MAX => self.cc.cwnd(),
                bytes => bytes,
            };
            self.prr.on_ack(&Progress {
                delivered: d.delivered_segments,
                lost: d.lost.div_ceil(u64::from(self.mss)) as u32,
                advanced: d.advanced,
                inflight: self.board.inflight_segments(),
                ssthresh: whole(ssthresh, self.mss),
            });
        }
    }

    /// The last flight was stopped by the window, or slow start has not outgrown twice what was used
    /// (Linux `tcp_is_cwnd_limited`).
    fn is_cwnd_limited(&self) -> bool {
        let used = 2 * u64::from(self.max_outstanding) * u64::from(self.mss);
        self.cwnd_limited || (self.cc.cwnd() < self.cc.ssthresh() && self.cc.cwnd() < used)
    }

    /// Whether an episode of losses or a reduction is under way.
    pub(super) fn in_episode(&self) -> bool {
        self.phase != RecoveryPhase::Open
    }
}
