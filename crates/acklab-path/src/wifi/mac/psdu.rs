//! The content of one transmission, and its answer.

use super::bitmap::Bitmap;
use crate::wifi::agreement::Action;
use crate::wifi::neighbour::Kind;
use alloc::vec::Vec;

/// One MPDU of a PSDU. Its packets stay with the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MpduRef {
    /// Sequence number.
    pub seq: u16,
    /// Transmissions of it that failed before, and RTSs for it that nobody answered.
    pub retries: u8,
    /// It was on the air before, so that this is a repetition (the Retry subfield, 9.2.4.1.6).
    pub repeated: bool,
    /// MSDUs in it; more than one: an A-MSDU.
    pub msdus: u16,
    /// Bytes, with header and FCS, without delimiter and padding.
    pub bytes: u32,
    /// Bytes of its IP packets.
    pub ip_bytes: u32,
    /// It is nothing but that message between neighbours.
    pub arp: Option<Kind>,
}

/// The kind of a PSDU, which decides how it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// One MPDU: an ACK.
    Single,
    /// An A-MPDU: a block ack (implicit request, 9.2.4.5.4).
    Ampdu,
    /// A BlockAckReq from that number on: a block ack.
    Bar(u16),
    /// An ADDBA frame: an ACK.
    Action(Action),
}

/// A PSDU. The value is used again and again, so that its memory is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Psdu {
    /// Its kind.
    pub content: Content,
    /// Its bytes: with delimiters, padding between MPDUs, headers.
    pub bytes: u32,
    /// Its MPDUs, in the order of their numbers; none in a BlockAckReq or an ADDBA
    /// frame.
    pub mpdus: Vec<MpduRef>,
}

impl Default for Psdu {
    fn default() -> Self {
        Self {
            content: Content::Single,
            bytes: 0,
            mpdus: Vec::new(),
        }
    }
}

impl Psdu {
    /// Nothing is sent; the memory is kept.
    pub fn clear(&mut self) {
        self.mpdus.clear();
        (self.content, self.bytes) = (Content::Single, 0);
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Bytes of IP packets.
    pub fn ip_bytes(&self) -> u32 {
        self.mpdus.iter().map(|m| m.ip_bytes).sum()
    }
}

/// The answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// An ACK for a single MPDU.
    Ack,
    /// A block ack: its starting sequence number and the bitmap from there on.
    BlockAck(u16, Bitmap),
    /// Nothing, although it was sent.
    Nothing,
    /// It was not sent: the RTS remained without a CTS. That counts as a failure (10.22.2.11).
    NotSent,
    /// It was for everybody, who do not answer.
    Unasked,
}
