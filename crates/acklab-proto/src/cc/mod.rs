//! Congestion control: the contract.
//!
//! A controller gets facts in the past tense, one struct per stimulus, and returns a
//! window and a pacing rate. It never sees who acknowledges, so each works under TCP and under
//! TACK. Rate sampling, pacing, loss detection and proportional rate reduction live outside.
//!
//! Quantities are bytes; a controller that its source defines in packets divides by
//! [`CcInit::mss`] and keeps packets inside.

#[cfg(test)]
pub(crate) mod ack_clock;
pub mod bbr;
pub mod bbr1;
pub mod bbr2;
pub mod bbr3;
pub mod bbr_tack;
pub mod cubic;
pub mod fixed;
#[cfg(test)]
mod invariants;
pub mod newreno;
pub mod ns3;
pub mod rate;
pub mod registry;
pub mod vegas;

use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;

/// The facts that a controller gets when it is made.
#[derive(Clone, Copy, Debug)]
pub struct CcInit {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Initial window in bytes (RFC 6928: ten segments).
    pub initial_cwnd: u64,
    /// Seed for the controller's own draws, if it makes any.
    pub seed: u64,
    /// Whether to reckon in the kernel's units ([`crate::tcp::TcpConfig::kernel_units`]).
    pub kernel_units: bool,
}

/// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation, Linux `tcp_rate.c`).
///
/// It describes the flight between the sending of the most recently sent segment that this ACK
/// covers, cumulatively or selectively, and this ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Bytes delivered over `interval`; 0 = no sample.
    pub delivered: u64,
    /// The longer of send and ACK interval; zero if the sample is not valid.
    pub interval: Span,
    /// Time over which the data of the sample was sent.
    pub send_interval: Span,
    /// Time over which the ACKs of the sample came in.
    pub ack_interval: Span,
    /// The flow's count of delivered bytes when the segment was sent (`rs.prior_delivered`).
    pub prior_delivered: u64,
    /// The sample was taken while the application limited the sender.
    pub is_app_limited: bool,
    /// The segment had been retransmitted.
    pub is_retrans: bool,
    /// In-flight bytes just after the segment had been sent (`rs.tx_in_flight`).
    pub tx_in_flight: u64,
    /// Bytes marked lost between the sending of that segment and now (`rs.lost`).
    pub lost: u64,
    /// Bytes delivered with CE between the sending of that segment and now (`rs.delivered_ce`).
    pub delivered_ce: u64,
}

impl RateSample {
    /// The delivery rate, or `None` without a valid sample.
    pub fn rate(&self) -> Option<Rate> {
        (self.delivered > 0 && !self.interval.is_zero())
            .then(|| Rate::from_bytes_over(self.delivered, self.interval))
    }
}

/// A segment left.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When, as the sender stamps it: exactly, or with `kernel_units` in whole microseconds.
    pub now: Instant,
    /// When exactly: pacing counts from this (Linux `tcp_wstamp_ns`).
    pub exact: Instant,
    /// Payload bytes.
    pub bytes: u32,
    /// Bytes in flight before it.
    pub prior_inflight: u64,
    /// The sending application had nothing to send for a while, and nothing was in flight
    /// (Linux: `CA_EVENT_TX_START`).
    pub idle_restart: bool,
    /// The flow is marked application-limited.
    pub app_limited: bool,
    /// It is a retransmission.
    pub retransmission: bool,
    /// Offset behind the last byte ever sent, this segment included (`snd_nxt`).
    pub snd_nxt: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
}

/// An acknowledgement arrived and was digested: scoreboard, loss marking and rate sample are done.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When, as the sender stamps it: exactly, or with `kernel_units` in whole microseconds (`tcp_mstamp`).
    pub now: Instant,
    /// When exactly (Linux `tcp_clock_cache`).
    pub exact: Instant,
    /// Bytes newly acknowledged cumulatively (selectively acknowledged before or not).
    pub acked: u64,
    /// Bytes newly delivered: cumulatively or selectively acknowledged for the first time.
    pub newly_delivered: u64,
    /// The same in whole segments, as sent (Linux: `rs->acked_sacked`).
    pub newly_delivered_segments: u32,
    /// Segments cumulatively acknowledged, SACKed before or not.
    pub acked_segments: u32,
    /// Bytes marked lost by this ACK.
    pub newly_lost: u64,
    /// Bytes delivered since the start, this ACK included (`C.delivered`).
    pub delivered: u64,
    /// Bytes marked lost since the start.
    pub lost: u64,
    /// Bytes newly delivered that the receiver reported as CE-marked (accurate to one ACK).
    pub newly_ce: u64,
    /// RTT sample of this ACK, by Karn's rule or timestamps; `None` without one.
    pub rtt: Option<Span>,
    /// RTT sample for delay-based controllers in Linux's `pkts_acked` sense: includes SACKed
    /// segments; `None` without one.
    pub cc_rtt: Option<Span>,
    /// Packets of which `cc_rtt` is the least RTT: one as TCP measures, those of an interval under TACK.
    pub cc_rtt_samples: u32,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// Windowed minimum RTT (Linux: `tcp_min_rtt`); [`Span::MAX`] before the first sample.
    pub min_rtt: Span,
    /// The window in force when the ACK arrived, in bytes: during a reduction that of PRR, which
    /// passes through values on either side of the controller's own.
    pub cwnd: u64,
    /// Bytes in flight after this ACK and its loss marking.
    pub inflight: u64,
    /// Bytes in flight before this ACK.
    pub prior_inflight: u64,
    /// The sample for this ACK.
    pub rate: RateSample,
    /// The last round was limited by the congestion window (Linux: `tcp_is_cwnd_limited`).
    pub cwnd_limited: bool,
    /// The recovery machinery lets this ACK raise the window (Linux: `tcp_may_raise_cwnd` and not
    /// in CWR or Recovery). Controllers that own their recovery ignore it.
    pub may_grow: bool,
    /// The state of recovery.
    pub phase: RecoveryPhase,
    /// The ACK carried ECE (classic ECN echo).
    pub ece: bool,
    /// The cumulative acknowledgement point after this ACK, as stream offset (`snd_una`).
    pub snd_una: u64,
    /// Offset behind the last byte ever sent (`snd_nxt`).
    pub snd_nxt: u64,
    /// The flow is application-limited now.
    pub app_limited: bool,
    /// The ACK was likely delayed: one lone segment came back (google v3 `is_ack_delayed`).
    pub ack_delayed: bool,
}

/// The sender's recovery state, with Linux's names (`tcp_ca_state`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
#[repr(u8)]
pub enum RecoveryPhase {
    /// Nothing unusual.
    #[default]
    Open,
    /// Duplicate ACKs or SACKs seen, nothing marked lost yet.
    Disorder,
    /// Window reduction after an ECN echo (RFC 3168).
    Cwr,
    /// Fast recovery.
    Recovery,
    /// After a retransmission timeout.
    Loss,
}

/// The sender entered fast recovery: a new congestion event (not one per lost segment).
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When.
    pub now: Instant,
    /// Bytes in flight, lost ones no longer counted.
    pub inflight: u64,
    /// Bytes in flight when the ACK that revealed the loss arrived.
    pub prior_inflight: u64,
    /// Bytes sent and not cumulatively acknowledged: `snd_nxt - snd_una`.
    pub outstanding: u64,
    /// Offset behind the last byte ever sent: recovery ends when it is acknowledged.
    pub snd_nxt: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
}

/// One segment was marked lost (also inside recovery, also lost retransmissions).
#[derive(Clone, Copy, Debug)]
pub struct SegmentLost {
    /// When it was marked.
    pub now: Instant,
    /// Payload bytes.
    pub bytes: u32,
    /// In-flight bytes just after it had been sent.
    pub tx_in_flight: u64,
    /// Bytes marked lost between its sending and now, itself included.
    pub lost_since_sent: u64,
    /// Bytes delivered since it had been sent.
    pub delivered_since_sent: u64,
    /// Bytes delivered when it was sent.
    pub prior_delivered: u64,
    /// The flow was application-limited when it was sent.
    pub app_limited: bool,
    /// Bytes in flight now.
    pub inflight: u64,
}

/// The retransmission timer expired.
#[derive(Clone, Copy, Debug)]
pub struct Rto {
    /// When.
    pub now: Instant,
    /// Bytes in flight when it did, before losses were marked.
    pub prior_inflight: u64,
    /// Bytes still in flight after loss marking: segments sent less than an RTT ago are spared.
    pub inflight: u64,
    /// Bytes sent and not cumulatively acknowledged.
    pub outstanding: u64,
    /// It is the first of a series (no back-off yet), or new data was acknowledged since the
    /// last: only then `ssthresh` is lowered (RFC 5681 section 3.1).
    pub first: bool,
    /// Offset behind the last byte ever sent.
    pub snd_nxt: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
}

/// The peer echoed a congestion mark and the sender reacts (at most once a window, RFC 3168
/// section 6.1.2).
#[derive(Clone, Copy, Debug)]
pub struct EcnEcho {
    /// When.
    pub now: Instant,
    /// Bytes in flight.
    pub inflight: u64,
    /// Bytes sent and not cumulatively acknowledged.
    pub outstanding: u64,
    /// Offset behind the last byte ever sent.
    pub snd_nxt: u64,
}

/// The last reduction was found to be spurious (Eifel, DSACK or F-RTO): undo it.
#[derive(Clone, Copy, Debug)]
pub struct Spurious {
    /// When.
    pub now: Instant,
    /// Bytes in flight.
    pub inflight: u64,
    /// The reduction was for a timeout, not for fast recovery.
    pub was_rto: bool,
}

/// Recovery (or CWR, or Loss) ended without being spurious.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryExit {
    /// When.
    pub now: Instant,
    /// Bytes in flight.
    pub inflight: u64,
    /// The phase that ended.
    pub from: RecoveryPhase,
}

/// The flow was idle and starts again, or was limited by the application for longer than an RTO
/// (RFC 5681 section 4.1, Linux `tcp_cwnd_restart`).
#[derive(Clone, Copy, Debug)]
pub struct IdleRestart {
    /// When.
    pub now: Instant,
    /// How long nothing was sent.
    pub idle: Span,
    /// The current retransmission timeout.
    pub rto: Span,
}

/// A congestion controller. Object-safe; every `on_*` but `on_ack`, `on_loss` and `on_rto` has a
/// default that does nothing.
pub trait CongestionControl: core::fmt::Debug + Send {
    /// The handshake measured the path before any data was sent. `now`: when it was complete;
    /// `rtt`: its round-trip time. A flow without a handshake never calls this.
    fn on_handshake_rtt(&mut self, _now: Instant, _rtt: Span) {}

    /// The peer leaves at least so much time between two acknowledgements, however short the path is.
    fn on_shortest_interval(&mut self, _interval: Span) {}

    /// The transport paces each packet, also where [`Self::pacing_rate`] is `None`.
    fn on_paced(&mut self) {}

    /// A segment left.
    fn on_sent(&mut self, _sent: &Sent) {}

    /// An acknowledgement was digested.
    fn on_ack(&mut self, ack: &Ack);

    /// Fast recovery began. `cwnd()` and `ssthresh()` give the target of the reduction; the
    /// sender gets there by proportional rate reduction unless [`Self::owns_recovery`].
    fn on_loss(&mut self, loss: &Loss);

    /// One segment was marked lost.
    fn on_segment_lost(&mut self, _lost: &SegmentLost) {}

    /// The retransmission timer expired.
    fn on_rto(&mut self, rto: &Rto);

    /// A congestion mark was echoed: like a loss, without one (RFC 3168).
    fn on_ecn(&mut self, ecn: &EcnEcho) {
        self.on_loss(&Loss {
            now: ecn.now,
            inflight: ecn.inflight,
            prior_inflight: ecn.inflight,
            outstanding: ecn.outstanding,
            snd_nxt: ecn.snd_nxt,
            delivered: 0,
        });
    }

    /// The last reduction was spurious.
    fn on_spurious(&mut self, _spurious: &Spurious) {}

    /// Recovery ended.
    fn on_recovery_exit(&mut self, _exit: &RecoveryExit) {}

    /// The flow restarts after idle time. The sender has already decided that this counts.
    fn on_idle_restart(&mut self, _restart: &IdleRestart) {}

    /// The window in bytes.
    fn cwnd(&self) -> u64;

    /// The slow-start threshold in bytes; `u64::MAX` before the first reduction or without one.
    fn ssthresh(&self) -> u64;

    /// The rate to pace at; `None` leaves it to the sender (which may pace from window and RTT).
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether the flow must be paced with this controller (BBR).
    fn needs_pacing(&self) -> bool {
        false
    }

    /// Bytes to release at once when pacing; `None` leaves it to the sender.
    fn send_quantum(&self) -> Option<u64> {
        None
    }

    /// Whether the controller sets the window itself during recovery (BBR) instead of the
    /// sender's proportional rate reduction.
    fn owns_recovery(&self) -> bool {
        false
    }

    /// Windows that the send buffer shall hold where it grows with the window (Linux
    /// `sndbuf_expand`).
    fn buffered_windows(&self) -> u64 {
        2
    }

    /// The controller as ns-3's socket calls it, if it is one of ns-3's: the sender of that profile
    /// then makes these calls instead of the `on_*` of this contract.
    fn callbacks(&mut self) -> Option<&mut dyn ns3::Callbacks> {
        None
    }

    /// The controller's state for traces, by the name its source gives it (`slow_start`,
    /// `PROBE_BW_UP`, ...).
    fn state(&self) -> &'static str;

    /// Values for traces: name and value in the source's vocabulary. Called by the recorder only.
    fn trace(&self, _out: &mut dyn FnMut(&'static str, f64)) {}
}

/// How the registry makes a controller.
pub type Build = fn(&crate::registry::Params, CcInit) -> Box<dyn CongestionControl>;

/// The examples of the guide for authors of controllers, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/extending/congestion-controller.md")]
pub struct ExtendingGuide;
