//! The sending half as ns-3.44 has it (`TcpSocketBase` and what it calls), so that runs compare
//! like for like.
//!
//! It is a machine of its own beside the Linux-like [`Sender`](super::sender::Sender): ns-3
//! differs in nearly every rule of recovery, and where it differs from the RFCs the difference
//! decides what a run yields (a lost retransmission, for one, is found by timeout only). Each file
//! says which functions of ns-3 it stands for; the order of the steps is theirs, too, because
//! window, flight and threshold are changed from several places within one ACK.
//!
//! Controllers of ns-3 are called through [`Callbacks`](crate::cc::ns3::Callbacks), others through
//! the ordinary contract.

mod ack;
mod board;
mod control;
mod profile;
mod prr;
mod rate;
mod recovery;
mod resend;
mod rtt;
mod timers;
mod transmit;

#[cfg(test)]
mod tests;

pub use profile::{DIALECT, config};

use super::config::{Pacing, TcpConfig};
use super::sender::Outgoing;
use crate::cc::{CongestionControl, RecoveryPhase};
use crate::pacing::rate_from_window;
use crate::stats::{Snapshot, Stats};
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use board::{Board, Next};
use prr::Prr;
use rate::Rates;
use rtt::Rtt;
use timers::Timer;

/// Duplicate ACKs that start recovery (`ReTxThreshold`).
const DUP_THRESH: u32 = 3;

/// The sending half of a connection. Positions are stream offsets: 0 is the SYN, data starts at 1.
#[derive(Debug)]
pub struct Sender {
    mss: u32,
    sack: bool,
    limited_transmit: bool,
    timestamps: bool,
    ecn: bool,
    cc: Box<dyn CongestionControl>,
    board: Board,
    rtt: Rtt,
    rates: Rates,
    prr: Prr,
    phase: RecoveryPhase,
    /// Everything below is acknowledged (`m_highRxAckMark`).
    una: u64,
    /// The writer knows that everything below has made room.
    released: u64,
    /// Offset behind the last byte ever sent (`m_highTxMark`).
    nxt: u64,
    /// Offset behind the segment sent last (`m_nextTxSequence`).
    next_tx: u64,
    /// Offset behind the last byte the application has handed over.
    app_end: u64,
    fin_queued: bool,
    /// The application wanted to write more than there was room for.
    writer_waits: bool,
    peer_window: u64,
    /// Bytes in flight when they were last counted (`m_bytesInFlight`).
    inflight: u64,
    /// Bytes that the ACK being processed delivered.
    delivered: u64,
    cwnd_limited: bool,
    /// Recovery ends when this is acknowledged; with `recover_active` no other begins before.
    recover: u64,
    recover_active: bool,
    dup_acks: u32,
    first_partial: bool,
    /// The ACK being processed acknowledged a retransmission.
    repaired: bool,
    /// Bytes of short segments that were acknowledged and not counted as a segment yet.
    odd_bytes: u64,
    /// Window of a controller that is not ns-3's while recovery sets it.
    reduced: Option<u64>,
    /// The last window reduction for ECN covers this (`m_ecnEchoSeq`).
    ecn_echo: u64,
    cwr_pending: bool,
    timer: Option<(Timer, Instant)>,
    persist: Span,
    retries: u32,
    gave_up: bool,
    /// Until then pacing lets nothing leave.
    paced_until: Option<Instant>,
    /// When that was settled.
    paced_since: Instant,
    /// Something waits for that.
    pacing_holds: bool,
    /// The sending loop is to run.
    due: bool,
    /// The application wrote, and nothing has been sent since.
    wrote: bool,
    /// When the loop runs on account of that.
    step: Option<Instant>,
    /// The segment that the loop was about to send when it asked the writer for more.
    chosen: Option<Next>,
    /// The segment that recovery sends whatever the window says.
    forced: VecDeque<Outgoing>,
    buffer: u64,
    initial_window: u64,
    pacing: Pacing,
    /// Pacing rate in percent of window over RTT: in slow start, afterwards.
    pacing_ratios: (u32, u32),
}

impl Sender {
    /// A sender that will send its SYN first.
    pub fn new(cfg: &TcpConfig, cc: Box<dyn CongestionControl>) -> Self {
        Self {
            mss: cfg.segment,
            sack: cfg.sack,
            limited_transmit: cfg.limited_transmit,
            timestamps: cfg.timestamps,
            ecn: false,
            cc,
            board: Board::default(),
            rtt: Rtt::new(cfg),
            rates: Rates::default(),
            prr: Prr::default(),
            phase: RecoveryPhase::Open,
            una: 0,
            released: 0,
            nxt: 0,
            next_tx: 0,
            app_end: 1,
            fin_queued: false,
            writer_waits: false,
            peer_window: 0,
            inflight: 0,
            delivered: 0,
            cwnd_limited: false,
            recover: 0,
            recover_active: false,
            dup_acks: 0,
            first_partial: true,
            repaired: false,
            odd_bytes: 0,
            reduced: None,
            ecn_echo: 0,
            cwr_pending: false,
            timer: None,
            persist: timers::PERSIST,
            retries: 0,
            gave_up: false,
            paced_until: None,
            paced_since: Instant::ZERO,
            pacing_holds: false,
            due: false,
            wrote: false,
            step: None,
            chosen: None,
            forced: VecDeque::new(),
            buffer: cfg.send_buffer.max,
            initial_window: u64::from(cfg.segment) * u64::from(cfg.initial_window),
            pacing: cfg.pacing,
            pacing_ratios: (cfg.pacing_ss_ratio, cfg.pacing_ca_ratio),
        }
    }

    /// The result of the handshake: segment size, SACK, timestamps, ECN.
    pub fn negotiate(&mut self, mss: u32, sack: bool, timestamps: bool, ecn: bool) {
        self.mss = mss;
        self.sack = sack;
        self.timestamps = timestamps;
        self.ecn = ecn;
    }

    /// The application offers `bytes` more; returns how many the send buffer took.
    pub fn write(&mut self, bytes: u64) -> u64 {
        debug_assert!(!self.fin_queued, "write after close");
        let room = self.buffer.saturating_sub(self.backlog());
        let taken = room.min(bytes);
        if taken > 0 {
            self.wrote = true;
            self.note_app_limit(taken.min(u64::from(self.mss)));
        }
        self.app_end += taken;
        self.writer_waits = taken < bytes;
        taken
    }

    /// Room was made: whether a writer waits for it.
    pub fn wakes_writer(&mut self) -> bool {
        core::mem::take(&mut self.writer_waits)
    }

    /// `CalculateAppLimited`, at the first `piece` of a write: the application had run dry if less
    /// than a segment waits to be sent and nothing else keeps the sender from sending.
    fn note_app_limit(&mut self, piece: u64) {
        let waiting = (self.app_end + piece).saturating_sub(self.next_tx);
        let window = self.inflight < self.cwnd();
        let repaired = self.board.lost <= self.board.retrans;
        if waiting < u64::from(self.mss) && window && repaired && self.una > 0 {
            self.rates.on_app_limited(self.inflight);
        }
    }

    /// The application will write no more.
    pub fn close(&mut self) {
        self.fin_queued = true;
        self.wrote = true;
    }

    /// Whether a FIN is queued or sent.
    pub fn closing(&self) -> bool {
        self.fin_queued
    }

    /// The peer's SYN has crossed ours, which goes out again to acknowledge it (`ProcessSynSent`).
    pub fn answer_syn(&mut self, stats: &mut Stats) {
        // One that has not left yet will carry the acknowledgement.
        if self.nxt > 0 {
            stats.segs_out += 1;
            self.forced.push_back(Outgoing {
                syn: true,
                ..Outgoing::empty(0)
            });
        }
    }

    /// The window that the peer's SYN allowed.
    pub fn set_window(&mut self, window: u64) {
        self.peer_window = window;
    }

    /// Everything below this offset is acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Up to here the writer may be told that room was made (`NotifySend`): not upon every ACK, so
    /// that in disorder the sender can run out of data.
    pub fn released(&self) -> u64 {
        self.released
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

    /// The window in force, in bytes.
    pub fn cwnd(&self) -> u64 {
        self.reduced.unwrap_or_else(|| self.cc.cwnd())
    }

    /// Counts what is in flight.
    fn pipe(&mut self) -> u64 {
        self.inflight = self.board.pipe();
        self.inflight
    }

    /// Whether there is something that was never sent: data, SYN or FIN.
    fn has_new_data(&self) -> bool {
        self.nxt < self.app_end + u64::from(self.fin_queued)
    }

    /// The rate in force, if the flow is paced at all.
    fn pacing_rate(&self) -> Option<Rate> {
        let paced = match self.pacing {
            Pacing::Never => false,
            Pacing::Always => true,
            Pacing::Auto => self.cc.needs_pacing(),
        };
        if !paced {
            return None;
        }
        self.cc.pacing_rate().or_else(|| {
            let early = self.cwnd() < self.cc.ssthresh() / 2;
            let (slow_start, later) = self.pacing_ratios;
            let percent = if early { slow_start } else { later };
            rate_from_window(self.cwnd().max(self.inflight), self.rtt.srtt(), percent)
        })
    }

    /// The state of the sender.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            cwnd: self.cwnd(),
            ssthresh: self.cc.ssthresh(),
            inflight: self.board.pipe(),
            outstanding: self.nxt - self.una,
            srtt: self.rtt.srtt(),
            rtt: self.rtt.last(),
            min_rtt: Some(self.rtt.min()).filter(|rtt| *rtt < Span::MAX),
            rto: self.rtt.rto(),
            pacing_rate: self.pacing_rate(),
            delivery_rate: self.rates.rate(),
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

    /// When the pacing timer was set, if it is waited for and expires exactly now.
    pub fn pacing_tied(&self, now: Instant) -> Option<Instant> {
        let tied = self.pacing_holds && self.paced_until == Some(now);
        tied.then_some(self.paced_since)
    }

    /// When a timer expires or pacing lets the next segment go.
    pub fn next_timeout(&self) -> Option<Instant> {
        let paced = self.paced_until.filter(|_| self.pacing_holds);
        let timer = self.timer.map(|t| t.1);
        Instant::earliest(Instant::earliest(timer, paced), self.step)
    }
}
