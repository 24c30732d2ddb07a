//! The sending half of a connection, by whose rules it goes.

use super::config::TcpConfig;
use super::dialect::SenderRules;
use super::ns3;
use super::sender::{self, AckInfo, Outgoing};
use crate::cc::{CongestionControl, RecoveryPhase};
use crate::stats::{Snapshot, Stats};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;

/// One of the two sending halves. Everything that a connection asks of them, and nothing else.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the common half stands in the connection, without a pointer to follow"
)]
pub enum SendingHalf {
    /// Linux's and the RFCs'.
    Linux(sender::Sender),
    /// ns-3's.
    Ns3(Box<ns3::Sender>),
}

/// Passes a call on to the half that there is.
macro_rules! forward {
    ($self:ident, $half:ident => $call:expr) => {
        match $self {
            Self::Linux($half) => $call,
            Self::Ns3($half) => $call,
        }
    };
}

impl SendingHalf {
    /// The half of the profile's stack; it will send its SYN first.
    pub fn new(cfg: &TcpConfig, cc: Box<dyn CongestionControl>) -> Self {
        let dialect = cfg.profile.dialect();
        debug_assert!(
            dialect.reductions.contains(&cfg.reduction),
            "the sending half of {:?} does not know {:?}",
            cfg.profile,
            cfg.reduction
        );
        match dialect.sender {
            SenderRules::Linux => Self::Linux(sender::Sender::new(cfg, cc)),
            SenderRules::Ns3 => Self::Ns3(Box::new(ns3::Sender::new(cfg, cc))),
        }
    }

    /// The result of the handshake: segment size, SACK, timestamps, ECN.
    pub fn negotiate(&mut self, mss: u32, sack: bool, timestamps: bool, ecn: bool) {
        forward!(self, s => s.negotiate(mss, sack, timestamps, ecn));
    }

    /// The next new segment carries so many bytes of options more than others. ns-3's half makes no
    /// room: there a request waits for a segment that has it.
    pub fn reserve(&mut self, bytes: u32) {
        if let Self::Linux(s) = self {
            s.reserve(bytes);
        }
    }

    /// The peer is being asked to delay acknowledgements up to `delay`.
    pub fn on_delay_asked(&mut self, delay: Span) {
        if let Self::Linux(s) = self {
            s.on_delay_asked(delay);
        }
    }

    /// The peer delays acknowledgements up to `delay`.
    pub fn on_delay_agreed(&mut self, delay: Span) {
        if let Self::Linux(s) = self {
            s.on_delay_agreed(delay);
        }
    }

    /// The application offers `bytes` more; returns how many the send buffer took.
    pub fn write(&mut self, cfg: &TcpConfig, bytes: u64) -> u64 {
        match self {
            Self::Linux(s) => s.write(cfg, bytes),
            Self::Ns3(s) => s.write(bytes),
        }
    }

    /// The application will write no more.
    pub fn close(&mut self) {
        forward!(self, s => s.close());
    }

    /// Whether a FIN is queued or sent.
    pub fn closing(&self) -> bool {
        forward!(self, s => s.closing())
    }

    /// The peer's SYN has crossed ours, which goes out again to acknowledge it.
    pub fn answer_syn(&mut self, stats: &mut Stats) {
        forward!(self, s => s.answer_syn(stats));
    }

    /// The window that the peer's SYN allowed.
    pub fn set_window(&mut self, window: u64) {
        forward!(self, s => s.set_window(window));
    }

    /// Everything below this offset is acknowledged.
    pub fn una(&self) -> u64 {
        forward!(self, s => s.una())
    }

    /// Grows whenever a writer may be told that room was made.
    pub fn released(&self) -> u64 {
        match self {
            Self::Linux(s) => 1 + s.chances(),
            Self::Ns3(s) => s.released(),
        }
    }

    /// Room was made: whether a writer that had found none should try again now.
    pub fn wakes_writer(&mut self, cfg: &TcpConfig) -> bool {
        match self {
            Self::Linux(s) => s.wakes_writer(cfg),
            Self::Ns3(s) => s.wakes_writer(),
        }
    }

    /// The next offset to be sent for the first time.
    pub fn nxt(&self) -> u64 {
        forward!(self, s => s.nxt())
    }

    /// Whether the FIN was sent.
    pub fn fin_sent(&self) -> bool {
        forward!(self, s => s.fin_sent())
    }

    /// Whether the FIN was sent and acknowledged.
    pub fn fin_acked(&self) -> bool {
        forward!(self, s => s.fin_acked())
    }

    /// Bytes handed over and not acknowledged yet.
    pub fn backlog(&self) -> u64 {
        forward!(self, s => s.backlog())
    }

    /// Too many timeouts in a row: the connection is dead.
    pub fn gave_up(&self) -> bool {
        forward!(self, s => s.gave_up())
    }

    /// Smoothed RTT.
    pub fn srtt(&self) -> Span {
        forward!(self, s => s.srtt())
    }

    /// The window in force, in bytes.
    #[inline]
    pub fn cwnd_in_force(&self) -> u64 {
        match self {
            Self::Linux(s) => s.cwnd_in_force(),
            Self::Ns3(s) => s.cwnd(),
        }
    }

    /// The state of the sender.
    pub fn snapshot(&self, cfg: &TcpConfig) -> Snapshot {
        match self {
            Self::Linux(s) => s.snapshot(cfg),
            Self::Ns3(s) => s.snapshot(),
        }
    }

    /// The recovery state.
    #[inline]
    pub fn phase(&self) -> RecoveryPhase {
        forward!(self, s => s.phase())
    }

    /// The controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        forward!(self, s => s.controller())
    }

    /// When a timer expires or pacing lets the next segment go.
    #[inline]
    pub fn next_timeout(&self) -> Option<Instant> {
        forward!(self, s => s.next_timeout())
    }

    /// When a timer was set that is due exactly `now`, if it matters whether it or a segment that
    /// arrives now comes first.
    #[inline]
    pub fn tied_timer(&self, now: Instant) -> Option<Instant> {
        match self {
            Self::Linux(_) => None,
            Self::Ns3(s) => s.pacing_tied(now),
        }
    }

    /// A timer expired, or pacing lets the next segment go.
    pub fn on_timeout(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        forward!(self, s => s.on_timeout(now, cfg, stats));
    }

    /// An acknowledgement arrived. Offsets beyond what was sent must have been refused before.
    #[inline]
    pub fn on_ack(&mut self, now: Instant, cfg: &TcpConfig, a: &AckInfo<'_>, stats: &mut Stats) {
        match self {
            Self::Linux(s) => s.on_ack(now, cfg, a, stats),
            Self::Ns3(s) => s.on_ack(now, a, stats),
        }
    }

    /// The next segment to leave, if any may leave now.
    #[inline]
    pub fn poll_transmit(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        forward!(self, s => s.poll_transmit(now, cfg, stats))
    }
}
