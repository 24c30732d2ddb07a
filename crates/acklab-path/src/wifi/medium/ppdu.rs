//! PPDUs, and what is in them.

use super::{StationId, Use};
use crate::wifi::agreement::Action;
use crate::wifi::mac::triggers::TriggerKind;
use crate::wifi::mac::{Bitmap, MpduRef};
use crate::wifi::phy::Mode;
use acklab_units::{Instant, Span};

/// The kind of a PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum PpduKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// MPDUs with data.
    Data,
    /// An MPDU for everybody, which nobody acknowledges: a question for an address.
    Group,
    /// Block Ack Request.
    BlockAckRequest,
    /// ADDBA Request.
    AddbaRequest,
    /// ADDBA Response.
    AddbaResponse,
    /// ACK.
    Ack,
    /// Block Ack.
    BlockAck,
    /// Clear to send that its sender addresses to itself before data that stations of 802.11b cannot
    /// read (10.27.2); `to` is who the data are for.
    CtsToSelf,
    /// Trigger frame: calls for HE TB PPDUs (9.3.1.22).
    Trigger,
    /// A QoS Null frame with a buffer status report, in an HE TB PPDU (26.5.5).
    BufferStatus,
    /// Multi-STA BlockAck (9.3.1.8.6).
    MultiBlockAck,
}

impl PpduKind {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rts => "rts",
            Self::Cts => "cts",
            Self::Data => "data",
            Self::Group => "group",
            Self::BlockAckRequest => "bar",
            Self::AddbaRequest => "addba_request",
            Self::AddbaResponse => "addba_response",
            Self::Ack => "ack",
            Self::BlockAck => "block_ack",
            Self::CtsToSelf => "cts_to_self",
            Self::Trigger => "trigger",
            Self::BufferStatus => "buffer_status",
            Self::MultiBlockAck => "multi_block_ack",
        }
    }
}

/// A PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ppdu {
    /// Its kind.
    pub kind: PpduKind,
    /// The sender.
    pub from: StationId,
    /// For whom; if it is for everybody, the station that it matters to.
    pub to: StationId,
    /// The holder of the exchange that it belongs to.
    pub holder: StationId,
    /// Access category of that, by number.
    pub category: u8,
    /// How it is sent.
    pub mode: Mode,
    /// First instant on the air.
    pub start: Instant,
    /// First instant after it.
    pub end: Instant,
    /// Until when those who can read it, and for whom it is not, let the exchange go on.
    pub nav: Instant,
    /// Bytes of the PSDU.
    pub bytes: u32,
    /// MPDUs in it.
    pub mpdus: u16,
    /// Compressed transport ACKs in it ([`super::CarriedAcks`]).
    pub carried: u16,
    /// Its number among the parts of a transmission of several users (OFDMA), from 0 on. What one station
    /// sends to several counts as a PPDU for each of them.
    pub user: u16,
    /// How many parts that has; 1: it has one user.
    pub users: u16,
    /// The use that its time is booked as.
    pub use_of: Use,
    /// The receiver could read nothing of it for another's sake, or nothing more: it does not answer.
    pub garbled: bool,
    /// MPDUs in it that the receiver could not read for another's sake; known when it has ended.
    pub mpdus_spoilt: u16,
    /// How long another kept its receiver from reading; all of its time if it is garbled. Known when
    /// it has ended.
    pub spoilt: Span,
    /// The receiver could read nothing of it, though it heard no other; known when it has ended.
    pub lost: bool,
}

/// The content of a PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frames<'a> {
    /// MPDUs with data, in the order of their numbers; and which of them, from 0 on, the receiver could
    /// not read because another PPDU overlapped them. Of a garbled PPDU it read none, or no more.
    Mpdus(&'a [MpduRef], Bitmap),
    /// A BlockAckReq from that number on.
    Request(u16),
    /// An ADDBA frame, and the window of the way that it is about.
    Action(Action, u16),
    /// A Block Ack: a first number, and what was received from there on.
    BlockAck(u16, Bitmap),
    /// A Trigger frame of that kind.
    Trigger(TriggerKind),
    /// RTS, CTS or ACK, which have nothing in them.
    Control,
}
