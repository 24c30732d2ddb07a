//! The sending half: what is under way, what is sent again, and when the next packet leaves.
//!
//! "The sender only retransmits a specific packet once per RTT when the loss is repeatedly notified by
//! both IACKs and TACKs" (TACK paper, section 5.1), and "TACK-based congestion controller should
//! integrate with pacing instead of the burst send pattern" (section 5.3). Losses are the receiver's
//! to find; this half believes no more than what was sent allows ([`claims`]).

mod board;
mod claims;
mod digest;
mod feedback_path;
mod min_filter;
mod record;
mod recovery;
mod report;
mod spurious;
mod stream;
#[cfg(test)]
mod tests;
mod timers;
mod transmit;

pub use claims::Violation;
pub use feedback_path::Freshness;
pub use transmit::Outgoing;

use super::config::{AlphaRtt, Owner, TackConfig, Taming};
use super::receiver::{WindowedMax, span_micros};
use super::wire::{EcnCounts, Sync};
use crate::cc::{CongestionControl, RecoveryPhase};
use crate::pacing::{Pacer, rate_from_window};
use crate::rate::RateSampler;
use crate::rtt::Rtt;
use crate::stats::Snapshot;
use crate::tcp::prr::Prr;
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;
use board::Board;
use claims::Claims;
use feedback_path::{FeedbackPath, Syncing};
use min_filter::MinFilter;
use spurious::Undo;
use timers::Timer;

/// The sending half of a connection. Positions are stream offsets from 0.
#[derive(Debug)]
pub struct Sender {
    mss: u32,
    /// Largest segment that both ends take.
    agreed_mss: u32,
    taming: Taming,
    cc: Box<dyn CongestionControl>,
    board: Board,
    claims: Claims,
    feedback: FeedbackPath,
    syncing: Syncing,
    rtt: Rtt,
    min_rtt: MinFilter,
    rates: RateSampler,
    prr: Prr,
    pacer: Pacer,
    phase: RecoveryPhase,
    /// Everything below is acknowledged.
    una: u64,
    /// Next offset to send for the first time.
    nxt: u64,
    /// Behind all that was ever sent: beyond `nxt` after a return ([`Sender::go_back`]).
    highest: u64,
    /// Offset behind the last byte the application has handed over.
    app_end: u64,
    fin_queued: bool,
    /// Offset behind the last byte the peer allows: it never goes back.
    right_edge: u64,
    max_window: u64,
    /// The episode of losses ends when this is acknowledged.
    high_seq: u64,
    /// The first PKT.SEQ that left after the last reduction.
    reduced_at: u64,
    /// The handshake is complete: data may leave.
    open: bool,
    retries: u32,
    backoff: u32,
    probed: bool,
    timer: Option<(Timer, Instant)>,
    probe: Option<transmit::Probe>,
    pings: u32,
    last_heard: Instant,
    cwnd_limited: bool,
    max_outstanding: u32,
    usage_end: u64,
    validate_pending: bool,
    last_sent: Instant,
    paced_until: Option<Instant>,
    /// The last write found no room, and its writer waits.
    asleep: bool,
    /// The peer's reported rates, for an interval that this end computes.
    peer_bw: WindowedMax,
    delivery_rate: Option<Rate>,
    marks: EcnCounts,
    ecn: bool,
    gave_up: bool,
    /// Bytes that were found lost and may be replaced whatever the window is.
    credit: u64,
    /// Bytes that counted as in flight when the last TACK arrived, before it told of arrivals.
    peak: u64,
    /// `rates.delivered` when arrivals of long before were last told of.
    told_late: u64,
    undo: Undo,
    /// The last packet before silence asks for a TACK.
    asks: bool,
    /// alpha is a part of the smoothed RTT.
    smooth_alpha: bool,
    /// Scratch: what one report has shown to be lost.
    found: Vec<u64>,
}

impl Sender {
    /// A sender whose first packet has the number `first`.
    pub fn new(
        cfg: &TackConfig,
        mut cc: Box<dyn CongestionControl>,
        first: u64,
        seed: u64,
    ) -> Self {
        cc.on_paced();
        Self {
            mss: cfg.mss,
            agreed_mss: cfg.mss,
            taming: cfg.taming,
            cc,
            board: Board::new(first, cfg.repair_order),
            claims: Claims::new(first, cfg.skip_within, seed),
            feedback: FeedbackPath::new(cfg.ack_loss_period),
            syncing: Syncing::default(),
            rtt: Rtt::new(cfg.rtt),
            min_rtt: MinFilter::new(cfg.tau),
            rates: RateSampler::default(),
            prr: Prr::default(),
            pacer: Pacer::default(),
            phase: RecoveryPhase::Open,
            una: 0,
            nxt: 0,
            highest: 0,
            app_end: 0,
            fin_queued: false,
            right_edge: 0,
            max_window: 0,
            high_seq: 0,
            reduced_at: 0,
            open: false,
            retries: 0,
            backoff: 0,
            probed: false,
            timer: None,
            probe: None,
            pings: 0,
            last_heard: Instant::ZERO,
            cwnd_limited: false,
            max_outstanding: 0,
            usage_end: 0,
            validate_pending: false,
            last_sent: Instant::ZERO,
            paced_until: None,
            asleep: false,
            peer_bw: WindowedMax::new(cfg.tau),
            delivery_rate: None,
            marks: EcnCounts::default(),
            ecn: false,
            gave_up: false,
            credit: 0,
            peak: 0,
            told_late: 0,
            undo: Undo::default(),
            asks: cfg.ack_now,
            smooth_alpha: cfg.alpha_rtt == AlphaRtt::Smoothed,
            found: Vec::new(),
        }
    }

    /// The handshake is complete: what both ends have agreed on, and the peer's window.
    pub fn agree(&mut self, now: Instant, mss: u32, taming: Taming, window: u64, ecn: bool) {
        self.mss = mss;
        self.agreed_mss = mss;
        self.taming = taming;
        self.right_edge = window;
        self.max_window = window;
        self.ecn = ecn;
        self.open = true;
        self.last_heard = now;
    }

    /// Payload bytes of a full packet that both ends take.
    pub const fn agreed_mss(&self) -> u32 {
        self.agreed_mss
    }

    /// Full packets have so much payload from now on, as far as both ends take it.
    pub fn set_mss(&mut self, mss: u32) {
        self.mss = mss.min(self.agreed_mss).max(1);
    }

    /// Everything that is not acknowledged is sent anew, in packets of the present size: a path that no longer
    /// carries the larger ones would swallow each repetition (RFC 8899 section 4.4).
    pub fn go_back(&mut self) {
        self.highest = self.highest.max(self.nxt);
        let under_way = self.highest - self.una;
        let segments = under_way.div_ceil(u64::from(self.mss)) + 1;
        self.claims.on_recut(segments, self.highest);
        self.nxt = self.una;
        self.board.clear();
    }

    /// Tells the controller the shortest interval between two TACKs.
    pub fn tell_interval(&mut self, shortest: Span) {
        self.cc.on_shortest_interval(shortest);
    }

    /// "The initial RTT can be computed during handshakes" (section 4.3). `shared`: the peer's handshake
    /// took as long. If it may have taken longer, the first report makes a SYNC.
    pub fn handshake_rtt(&mut self, now: Instant, rtt: Span, shared: bool) {
        self.rtt.on_sample(rtt, self.una, self.nxt);
        self.min_rtt.update(now, rtt);
        self.cc.on_handshake_rtt(now, rtt);
        if shared {
            self.syncing.start(span_micros(rtt));
        }
    }

    /// Everything below this offset is acknowledged.
    pub const fn una(&self) -> u64 {
        self.una
    }

    /// The next offset to be sent for the first time.
    pub const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Too many timeouts in a row.
    pub const fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// Whether an RTT was ever measured.
    pub fn timed(&self) -> bool {
        self.rtt.seen()
    }

    /// The feedback number that the peer's next packet of feedback has.
    pub const fn next_feedback(&self) -> u64 {
        self.feedback.next()
    }

    /// Feedback of that number arrived.
    pub fn on_feedback(&mut self, now: Instant, number: u64) -> Freshness {
        let freshness = self.feedback.on_number(number);
        if freshness != Freshness::Copy {
            self.heard(now);
        }
        freshness
    }

    /// The peer is there.
    pub fn heard(&mut self, now: Instant) {
        self.last_heard = now;
        self.pings = 0;
    }

    /// The minimum RTT; the smoothed one before the first sample of its own.
    pub fn rtt_min(&self) -> Span {
        match self.min_rtt.min() {
            Span::MAX => self.rtt.srtt(),
            min => min,
        }
    }

    /// alpha as the peer has it: what its acknowledgements are late by, at most.
    fn peer_interval(&self) -> Span {
        let t = &self.taming;
        let alpha = self.alpha_rtt() / u64::from(t.beta.max(1));
        t.bounded(alpha)
    }

    /// The RTT that alpha is a part of.
    fn alpha_rtt(&self) -> Span {
        if self.smooth_alpha {
            return self.rtt.srtt().max(self.rtt_min());
        }
        self.rtt_min()
    }

    /// Whether a SYNC is to leave.
    pub const fn sync_due(&self) -> bool {
        self.syncing.due()
    }

    /// The SYNC that leaves now.
    pub fn take_sync(&mut self, now: Instant) -> Option<Sync> {
        self.syncing.take(now)
    }

    fn update_sync(&mut self, now: Instant, cfg: &TackConfig) {
        if !self.rtt.seen() {
            return;
        }
        let rtt_min = self.rtt_min();
        let interval = match (cfg.owner, cfg.alpha_rtt) {
            (Owner::Receiver, AlphaRtt::Minimum) => 0,
            (Owner::Receiver, AlphaRtt::Smoothed) => {
                let beta = u64::from(self.taming.beta.max(1));
                span_micros(self.alpha_rtt() / beta).max(1)
            }
            (Owner::Sender, _) => {
                let rtt = self.alpha_rtt();
                let f = super::frequency::tack(&self.taming, self.peer_bw.max(), rtt);
                span_micros(f.interval()).max(1)
            }
        };
        let again = self.rtt.srtt().saturating_add(self.peer_interval()) * 2;
        let loss = self.feedback.loss_ppm();
        let rtt = span_micros(rtt_min);
        self.syncing
            .update(now, rtt, interval, loss, cfg.sync_percent, again);
    }

    /// The window in force, in bytes: the controller's, or that of the reduction under way.
    pub fn cwnd(&self) -> u64 {
        if self.reducing() {
            let segments = self.board.inflight_segments();
            let more = self.prr.cwnd().saturating_sub(segments);
            return self.board.inflight() + u64::from(more) * u64::from(self.mss);
        }
        self.cc.cwnd()
    }

    fn cwnd_segments(&self) -> u32 {
        if self.reducing() {
            return self.prr.cwnd();
        }
        whole(self.cwnd(), self.mss)
    }

    fn reducing(&self) -> bool {
        matches!(self.phase, RecoveryPhase::Recovery | RecoveryPhase::Cwr)
            && !self.cc.owns_recovery()
    }

    /// The pacing rate: the controller's, or "the CWND distributed over RTT" (section 5.3).
    fn pacing_rate(&self, cfg: &TackConfig) -> Option<Rate> {
        self.cc.pacing_rate().or_else(|| {
            let slow_start = self.cc.cwnd() < self.cc.ssthresh() / 2;
            let percent = if slow_start {
                cfg.pacing_ss_ratio
            } else {
                cfg.pacing_ca_ratio
            };
            rate_from_window(self.cc.cwnd(), self.rtt.srtt(), percent)
        })
    }

    /// The sender's present state.
    pub fn snapshot(&self, cfg: &TackConfig) -> Snapshot {
        Snapshot {
            cwnd: self.cwnd(),
            ssthresh: self.cc.ssthresh(),
            inflight: self.board.inflight(),
            outstanding: self.nxt - self.una,
            srtt: self.rtt.srtt(),
            rtt: self.rtt.latest(),
            min_rtt: Some(self.min_rtt.min()).filter(|rtt| *rtt < Span::MAX),
            rto: self.rtt.rto(),
            pacing_rate: self.pacing_rate(cfg),
            delivery_rate: self.delivery_rate,
            peer_window: self.right_edge.saturating_sub(self.una),
            state: self.cc.state(),
            phase: self.phase,
        }
    }

    /// The recovery state.
    pub const fn phase(&self) -> RecoveryPhase {
        self.phase
    }

    /// The controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.cc
    }

    /// When a timer expires or pacing lets the next packet go.
    pub fn next_timeout(&self) -> Option<Instant> {
        Instant::earliest(self.timer.map(|t| t.1), self.paced_until)
    }
}

/// `bytes` in whole segments, as far as they can be counted.
fn whole(bytes: u64, mss: u32) -> u32 {
    u32::try_from(bytes / u64::from(mss.max(1))).unwrap_or(u32::MAX)
}
