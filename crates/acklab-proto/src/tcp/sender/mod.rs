//! The sending half: window, recovery, retransmission, pacing.
//!
//! One file per concern: [`ack`](self) digestion, the recovery state machine, undo, timers and
//! transmission all work on [`Sender`], in the order Linux's `tcp_ack` has them: what an ACK says
//! is digested against the scoreboard, losses are marked, the window moves, and only then do
//! segments leave, retransmissions first.

mod ack;
mod buffer;
mod digest;
mod inflation;
mod recovery;
mod timers;
mod transmit;
mod undo;

pub use ack::AckInfo;
pub(in crate::tcp) use digest::ts_clock;
pub use timers::Timer;
pub use transmit::Outgoing;

use super::config::{Pacing, Reduction, TcpConfig};
use super::prr::Prr;
use super::rack::Rack;
use super::scoreboard::Scoreboard;
use crate::cc::{CongestionControl, RecoveryPhase};
use crate::pacing::{Pacer, rate_from_window};
use crate::rate::RateSampler;
use crate::rtt::Rtt;
use crate::stats::{Snapshot, Stats};
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;
use buffer::SendBuffer;
use undo::Undo;

/// Linux `tcp_reordering`: duplicate ACKs that mean loss.
const DUP_THRESH: u32 = 3;

/// The sending half of a connection. Positions are stream offsets: 0 is the SYN, data starts at 1.
#[derive(Debug)]
pub struct Sender {
    mss: u32,
    sack: bool,
    sack_sorted: bool,
    /// Of departures and ACKs; zero = exact ([`TcpConfig::kernel_units`]).
    stamp_unit: Span,
    timestamps: bool,
    cc: Box<dyn CongestionControl>,
    board: Scoreboard,
    rtt: Rtt,
    rack: Rack,
    rates: RateSampler,
    prr: Prr,
    pacer: Pacer,
    undo: Undo,
    phase: RecoveryPhase,
    /// Everything below is acknowledged.
    una: u64,
    /// Next offset to send for the first time.
    nxt: u64,
    /// Offset behind the last byte the application has handed over.
    app_end: u64,
    /// The application will write no more: a FIN follows the last byte.
    fin_queued: bool,
    /// Offset behind the last byte the peer allows.
    right_edge: u64,
    /// Where the segment that said so stands in the peer's stream (RFC 9293 `SND.WL1`).
    window_seq: u64,
    peer_window: u64,
    max_window: u64,
    /// Recovery ends when this is acknowledged (Linux `high_seq`, RFC 6675 `RecoveryPoint`).
    high_seq: u64,
    /// F-RTO is deciding whether the timeout was spurious.
    frto: bool,
    /// F-RTO sends new data instead of retransmitting, until the next acknowledgement.
    frto_new_data: bool,
    /// Timeouts in a row without progress (Linux `icsk_retransmits`).
    retries: u32,
    /// How often the timeout has been doubled since an RTT was measured: progress alone does not
    /// end the back-off (RFC 6298 section 5, Linux `icsk_rto`).
    backoff: u32,
    /// How often the interval of window probes is doubled on top of that (Linux `icsk_backoff`).
    probe_backoff: u32,
    timer: Option<(Timer, Instant)>,
    /// End of the flight a tail loss probe was sent for.
    tlp_high: Option<u64>,
    tlp_retransmitted: bool,
    probe: Option<transmit::Probe>,
    dup_thresh: u32,
    reordering_seen: bool,
    /// The last flight was limited by the window (Linux `is_cwnd_limited` and its book-keeping).
    cwnd_limited: bool,
    max_outstanding: u32,
    usage_end: u64,
    validate_pending: bool,
    /// New data left since the last look at whether the window is the limit.
    sent_new: bool,
    /// When data was last sent.
    last_sent: Instant,
    /// Offset behind the last partial segment (Minshall).
    partial_end: u64,
    ecn: bool,
    cwr_pending: bool,
    delivery_rate: Option<Rate>,
    gave_up: bool,
    /// Growth asks whether the window was the limit.
    validates: bool,
    /// The window comes down by proportional rate reduction rather than at once.
    proportional: bool,
    /// Without proportional rate reduction and SACK: the window of fast recovery.
    inflated: Option<u64>,
    /// Duplicates that DSACKs have reported, in segments.
    duplicates_reported: u64,
    /// Pacing holds back something that could go otherwise, until then.
    paced_until: Option<Instant>,
    buffer: SendBuffer,
    /// Bytes of options that the next new segment must leave room for.
    reserve: u32,
    /// Longest delay of an acknowledgement, as requested of the peer.
    peer_delay: Span,
    /// The ACK being digested has set the reordering timer.
    reordering_armed: bool,
}

impl Sender {
    /// `t` as the sender's clock stamps it.
    fn stamp(&self, t: Instant) -> Instant {
        t.rounded_down(self.stamp_unit)
    }

    /// A sender that will send its SYN first.
    pub fn new(cfg: &TcpConfig, cc: Box<dyn CongestionControl>) -> Self {
        Self {
            mss: cfg.segment,
            sack: cfg.sack,
            sack_sorted: cfg.sack_sorted,
            stamp_unit: if cfg.kernel_units {
                Span::from_micros(1)
            } else {
                Span::ZERO
            },
            timestamps: cfg.timestamps,
            cc,
            board: Scoreboard::default(),
            rtt: Rtt::new(cfg.rtt()),
            rack: Rack::default(),
            rates: RateSampler::default(),
            prr: Prr::default(),
            pacer: Pacer::new(cfg.kernel_units),
            undo: Undo::default(),
            phase: RecoveryPhase::Open,
            una: 0,
            nxt: 0,
            app_end: 1,
            fin_queued: false,
            right_edge: 1,
            window_seq: 0,
            peer_window: 0,
            max_window: 0,
            high_seq: 0,
            frto: false,
            frto_new_data: false,
            retries: 0,
            backoff: 0,
            probe_backoff: 0,
            timer: None,
            tlp_high: None,
            tlp_retransmitted: false,
            probe: None,
            dup_thresh: DUP_THRESH,
            reordering_seen: false,
            cwnd_limited: false,
            max_outstanding: 0,
            usage_end: 0,
            validate_pending: false,
            sent_new: false,
            last_sent: Instant::ZERO,
            partial_end: 0,
            ecn: false,
            cwr_pending: false,
            delivery_rate: None,
            gave_up: false,
            validates: cfg.cwnd_validation,
            proportional: cfg.reduction != Reduction::Classic,
            inflated: None,
            duplicates_reported: 0,
            paced_until: None,
            buffer: SendBuffer::default(),
            reserve: 0,
            peer_delay: Span::ZERO,
            reordering_armed: false,
        }
    }

    /// The result of the handshake: segment size, SACK, timestamps, ECN.
    pub fn negotiate(&mut self, mss: u32, sack: bool, timestamps: bool, ecn: bool) {
        self.mss = mss;
        self.sack = sack;
        self.timestamps = timestamps;
        self.ecn = ecn;
    }

    /// The next new segment carries so many bytes of options more than others.
    pub fn reserve(&mut self, bytes: u32) {
        self.reserve = bytes;
    }

    /// The peer is being asked to delay acknowledgements up to `delay`: probes wait as much longer, and
    /// until the request has arrived as long as before (draft-ietf-quic-ack-frequency-14 section 7, RFC
    /// 8985 section 7.2 `max_ack_delay`).
    pub fn on_delay_asked(&mut self, delay: Span) {
        self.peer_delay = self.peer_delay.max(delay);
    }

    /// The peer delays acknowledgements up to `delay`: the request has arrived.
    pub fn on_delay_agreed(&mut self, delay: Span) {
        self.peer_delay = delay;
    }

    /// The application will write no more.
    pub fn close(&mut self) {
        self.fin_queued = true;
    }

    /// Whether a FIN is queued or sent.
    pub fn closing(&self) -> bool {
        self.fin_queued
    }

    /// The peer's SYN has crossed ours, which goes out again to acknowledge it. That is no
    /// retransmission: the answer times the first one (Linux `tcp_send_synack`).
    pub fn answer_syn(&mut self, stats: &mut Stats) {
        // One that has not left yet will carry the acknowledgement.
        if self.nxt > 0 {
            self.probe = Some(transmit::Probe::Syn);
            stats.segs_out += 1;
        }
    }

    /// The window that the peer's SYN allowed.
    pub fn set_window(&mut self, window: u64) {
        self.peer_window = window;
        self.max_window = window;
        self.right_edge = 1 + window;
    }

    /// Everything below this offset is acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// How often a writer that waits may have found room.
    pub fn chances(&self) -> u64 {
        self.buffer.chances()
    }

    /// The next offset to be sent for the first time.
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Whether the FIN was sent and acknowledged.
    pub fn fin_acked(&self) -> bool {
        self.fin_queued && self.una > self.app_end
    }

    /// Whether the FIN was sent.
    pub fn fin_sent(&self) -> bool {
        self.fin_queued && self.nxt > self.app_end
    }

    /// Bytes handed over and not acknowledged yet.
    pub fn backlog(&self) -> u64 {
        self.app_end.saturating_sub(self.una.max(1))
    }

    /// Too many timeouts in a row: the connection is dead.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// Smoothed RTT.
    pub fn srtt(&self) -> Span {
        self.rtt.srtt()
    }

    /// The window in force, in bytes: the controller's, or that of the reduction under way.
    pub fn cwnd(&self) -> u64 {
        if self.reducing() {
            // In segments, so that what is in flight need not be whole segments.
            return self.board.inflight()
                + (i64::from(self.prr.cwnd()) - i64::from(self.board.inflight_segments())).max(0)
                    as u64
                    * u64::from(self.mss);
        }
        self.inflated.unwrap_or_else(|| self.cc.cwnd())
    }

    /// The window in force in whole segments, for traces and for PRR.
    fn cwnd_segments(&self) -> u32 {
        if self.reducing() {
            return self.prr.cwnd();
        }
        whole(self.cwnd(), self.mss)
    }

    /// Where a reduction goes, in segments: the threshold, or the window of a controller that has
    /// none.
    fn reduction_target(&self) -> u32 {
        match self.cc.ssthresh() {
            u64::MAX => whole(self.cc.cwnd(), self.mss),
            ssthresh => whole(ssthresh, self.mss),
        }
    }

    /// Whether proportional rate reduction sets the window now.
    fn reducing(&self) -> bool {
        self.proportional
            && matches!(self.phase, RecoveryPhase::Recovery | RecoveryPhase::Cwr)
            && !self.cc.owns_recovery()
    }

    /// The rate in force, if the flow is paced.
    fn pacing_rate(&self, cfg: &TcpConfig) -> Option<Rate> {
        let paced = match cfg.pacing {
            Pacing::Never => false,
            Pacing::Always => true,
            Pacing::Auto => self.cc.needs_pacing(),
        };
        if paced { self.socket_rate(cfg) } else { None }
    }

    /// The rate that the controller or the window asks for (`sk_pacing_rate`), used or not.
    fn socket_rate(&self, cfg: &TcpConfig) -> Option<Rate> {
        self.cc.pacing_rate().or_else(|| {
            let cwnd = self.cc.cwnd().max(self.board.out.bytes);
            let slow_start = self.cc.cwnd() < self.cc.ssthresh() / 2;
            let pct = if slow_start {
                cfg.pacing_ss_ratio
            } else {
                cfg.pacing_ca_ratio
            };
            rate_from_window(cwnd, self.rtt.srtt(), pct)
        })
    }

    /// The window in force as Linux counts it: whole segments.
    pub fn cwnd_in_force(&self) -> u64 {
        u64::from(self.cwnd_segments()) * u64::from(self.mss)
    }

    /// The state of the sender.
    pub fn snapshot(&self, cfg: &TcpConfig) -> Snapshot {
        Snapshot {
            cwnd: self.cwnd_in_force(),
            ssthresh: self.cc.ssthresh(),
            inflight: self.board.inflight(),
            outstanding: self.nxt - self.una,
            srtt: self.rtt.srtt(),
            rtt: self.rtt.latest(),
            min_rtt: Some(self.rtt.min()).filter(|rtt| *rtt < Span::MAX),
            rto: self.rto(),
            pacing_rate: self.pacing_rate(cfg),
            delivery_rate: self.delivery_rate,
            peer_window: self.peer_window,
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

    /// When a timer expires or pacing lets the next segment go.
    pub fn next_timeout(&self) -> Option<Instant> {
        Instant::earliest(self.timer.map(|t| t.1), self.paced_until)
    }

    /// The conservation law of the sender, checked in debug builds.
    fn check(&self, stats: &Stats) {
        self.board.check();
        debug_assert!(self.una <= self.nxt);
        debug_assert_eq!(self.board.is_empty(), self.una == self.nxt);
        debug_assert!(stats.retrans_segs <= stats.segs_out + 1);
    }
}

/// `bytes` in whole segments, as far as they can be counted.
fn whole(bytes: u64, mss: u32) -> u32 {
    u32::try_from(bytes / u64::from(mss)).unwrap_or(u32::MAX)
}
