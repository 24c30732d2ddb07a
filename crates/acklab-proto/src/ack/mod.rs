//! When a receiver acknowledges: the policy contract.
//!
//! One file per policy. The receiver tells the policy about each arrival, and the policy answers
//! with a decision; sending, SACK blocks and windows are the receiver's business.

pub mod ack_frequency;
pub mod byte_counting;
mod counted;
pub mod delayed;
pub mod linux;
pub mod per_packet;
pub mod periodic;
pub mod registry;
pub mod request;
pub mod tarr;
#[cfg(test)]
mod testing;
mod urgent;

use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use request::{AckOption, Asking};

/// A data segment that arrived, as far as the question "acknowledge now?" is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When it arrived.
    pub now: Instant,
    /// Payload bytes.
    pub len: u32,
    /// It extended the in-order stream (or filled the gap at its head).
    pub in_order: bool,
    /// Data was waiting out of order before it arrived.
    pub had_gap: bool,
    /// Data is still waiting out of order after it arrived.
    pub has_gap: bool,
    /// Everything in it had been received before.
    pub duplicate: bool,
    /// It carried PSH or FIN.
    pub push: bool,
    /// It carried the CE codepoint or CWR in a way that changed the ECN echo.
    pub ecn_change: bool,
    /// In-order bytes received and not yet acknowledged, this segment included.
    pub unacked: u64,
    /// The receiver's estimate of the sender's full segment size (Linux: `rcv_mss`).
    pub rcv_mss: u32,
    /// The window that could be advertised now is at least as large as the one last advertised
    /// (Linux's condition for an immediate ACK after two segments).
    pub window_can_move: bool,
    /// It is so even before the application has read what has just arrived.
    pub moves_unread: bool,
    /// The receiver's smoothed RTT estimate, if it has one.
    pub rtt: Option<Span>,
    /// Offset of its first byte in the stream; the first byte of all is 1.
    pub start: u64,
    /// The offset expected next, after it arrived.
    pub next: u64,
    /// The sender's request in it.
    pub ask: Option<AckOption>,
}

/// Why an ACK was sent; the recorder can show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum AckReason {
    /// Policy acknowledges every segment.
    EverySegment,
    /// Enough unacknowledged data or segments.
    ByteCount,
    /// The delayed-ACK or periodic timer.
    Timer,
    /// Linux quickack mode.
    Quick,
    /// Out-of-order data, a gap filled, or a duplicate.
    OutOfOrder,
    /// ECN echo changed.
    Ecn,
    /// PSH or FIN.
    Push,
    /// The window opened, or a probe was answered.
    Window,
    /// Part of the handshake or of closing.
    Control,
    /// The acknowledgement rode on data.
    Piggyback,
    /// A TACK: L packets had come, and the interval was over (Eq. 2 of the TACK paper).
    TackPeriodic,
    /// A TACK: L packets had come, and the interval had been over before (Eq. 1).
    TackByteCount,
    /// A TACK for fewer packets than L, by the timer of thin flows.
    TackDelayed,
    /// A TACK for one packet, as in start-up.
    TackStartUp,
    /// A TACK that the sender had asked for, or for a packet that was there already.
    TackNow,
    /// An IACK: packets were lost.
    IackLoss,
    /// An IACK, or a TACK in its place: the window had changed abruptly.
    IackWindow,
    /// An IACK: the first congestion mark after packets without.
    IackMark,
    /// An IACK: the handshake is complete.
    IackConfirm,
    /// The sender asked for it (TARR with R = 0, QUIC's IMMEDIATE_ACK).
    Asked,
}

impl AckReason {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EverySegment => "every_segment",
            Self::ByteCount => "byte_count",
            Self::Timer => "timer",
            Self::Quick => "quick",
            Self::OutOfOrder => "out_of_order",
            Self::Ecn => "ecn",
            Self::Push => "push",
            Self::Window => "window",
            Self::Control => "control",
            Self::Piggyback => "piggyback",
            Self::TackPeriodic => "tack_periodic",
            Self::TackByteCount => "tack_byte_count",
            Self::TackDelayed => "tack_delayed",
            Self::TackStartUp => "tack_start_up",
            Self::TackNow => "tack_now",
            Self::IackLoss => "iack_loss",
            Self::IackWindow => "iack_window",
            Self::IackMark => "iack_mark",
            Self::IackConfirm => "iack_confirm",
            Self::Asked => "asked",
        }
    }
}

/// The decision about an arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckDecision {
    /// Acknowledge immediately.
    Now(AckReason),
    /// Acknowledge at this instant unless something else does so before.
    At(Instant),
    /// Nothing to acknowledge on account of this arrival; an earlier `At` stays in force.
    Hold,
}

/// Decides when to acknowledge. Object-safe.
pub trait AckPolicy: core::fmt::Debug + Send {
    /// A data segment arrived.
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision;

    /// The instant given by the last `At` came, and nothing was sent before. `Some` says send now;
    /// `None` says that the policy has set itself a new time (ask `next_timeout`).
    fn on_timeout(&mut self, now: Instant) -> Option<AckReason>;

    /// An acknowledgement left, for whatever reason (also on data).
    fn on_ack_sent(&mut self, now: Instant);

    /// When [`AckPolicy::on_timeout`] must be called.
    fn next_timeout(&self) -> Option<Instant>;

    /// This end sent data (Linux: leaves quickack for interactive "pingpong" sessions).
    fn on_data_sent(&mut self, _now: Instant) {}

    /// The segment that the next [`AckPolicy::on_data`] reports lets the receiver offer a larger
    /// window than before (Linux `tcp_grow_window`: it stays in quickack while the window grows).
    fn on_window_grown(&mut self) {}

    /// Whether an application that reads more than a full segment of unacknowledged data has it
    /// acknowledged, even if SACK compression holds the ACK of their arrival (Linux `tcp_cleanup_rbuf`).
    fn reader_acknowledges(&self) -> bool {
        false
    }

    /// When a timer expires that nothing waits for any more, because what it was set for has been
    /// acknowledged; it may lie in the past. Linux lets it run, and it ends SACK compression
    /// (`tcp_delack_timer_handler`).
    fn idle_timer(&self) -> Option<Instant> {
        None
    }

    /// This end's request, as a sender, for its peer's acknowledgements. With an answer its SYN
    /// announces that it honours such requests itself. Asked once.
    fn asking(&self) -> Option<Asking> {
        None
    }
}

/// How the registry makes a policy.
pub type Build = fn(&crate::registry::Params) -> Box<dyn AckPolicy>;

/// The examples of the guide for authors of policies, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/extending/ack-policy.md")]
pub struct ExtendingGuide;
