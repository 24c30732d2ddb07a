//! The inputs and outputs of a receiver.

use super::reassembly::Extent;
use crate::ack::request::AckOption;
use crate::segment::{Ecn, MAX_SACK_BLOCKS};
use acklab_units::{Instant, Span};

/// The offers of the peer's SYN (or SYN-ACK).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SynInfo {
    /// It carried the timestamps option.
    pub timestamps: bool,
    /// Its timestamp value; meaningful with `timestamps`.
    pub ts_val: u32,
    /// It carried SACK-permitted.
    pub sack: bool,
    /// Its window scale shift, if the option was there.
    pub window_scale: Option<u8>,
    /// Its maximum segment size in bytes; 0 if the option was absent.
    pub mss: u16,
    /// The handshake agreed on ECN (RFC 3168 section 6.1.1).
    pub ecn: bool,
}

/// A timestamp of ours that came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimestampReply {
    /// The echoed value (`TSecr`).
    pub ecr: u32,
    /// How long ago our clock showed that value, as exact as the clock is.
    pub age: Span,
}

/// A segment with payload or FIN, positions already expanded to stream offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Data {
    /// Stream offset of the first payload byte. The SYN is offset 0, the first byte offset 1.
    pub offset: u64,
    /// Payload bytes.
    pub len: u32,
    /// It carried PSH.
    pub push: bool,
    /// It carried FIN, which takes one offset behind the payload.
    pub fin: bool,
    /// ECN codepoint of the packet.
    pub ecn: Ecn,
    /// It carried CWR.
    pub cwr: bool,
    /// The sender's request for acknowledgements.
    pub ask: Option<AckOption>,
    /// `TSval` of the timestamps option.
    pub ts_val: Option<u32>,
    /// `TSecr` of the timestamps option, with its age.
    pub reply: Option<TimestampReply>,
}

impl Data {
    /// The sequence space that the segment occupies.
    pub const fn extent(&self) -> Extent {
        Extent {
            start: self.offset,
            end: self.offset + self.len as u64 + self.fin as u64,
        }
    }
}

/// The fate of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Verdict {
    /// It brought something new.
    #[default]
    Accepted,
    /// Everything in it was there before.
    Duplicate,
    /// Nothing of it lies in the window; answered with an ACK and dropped (RFC 9293 section
    /// 3.10.7.4).
    OutOfWindow,
    /// Its timestamp is older than one already seen; answered and dropped (PAWS, RFC 7323
    /// section 5).
    OldTimestamp,
}

/// The changes by a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The fate of the segment.
    pub verdict: Verdict,
    /// Payload bytes that became readable in order.
    pub newly_readable: u64,
    /// Offsets that were not there before, in order or not (a FIN counts as one).
    pub fresh: u64,
    /// The part of the segment that lies in the window and above what was in order before: a
    /// driver with real bytes stores exactly this part. Empty when dropped.
    pub taken: Extent,
    /// Everything up to and including the FIN is now there.
    pub fin_reached: bool,
    /// The receive window's limit grew because of this segment (Linux: every such segment renews
    /// quickack mode).
    pub window_grew: bool,
}

/// Up to four SACK blocks in stream offsets, the one to report first at the front.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SackExtents {
    len: u8,
    blocks: [Extent; MAX_SACK_BLOCKS],
}

impl SackExtents {
    /// Appends a block; a fifth is ignored.
    pub fn push(&mut self, block: Extent) {
        if let Some(slot) = self.blocks.get_mut(self.len as usize) {
            *slot = block;
            self.len += 1;
        }
    }

    /// The blocks, first reported first.
    pub fn as_slice(&self) -> &[Extent] {
        &self.blocks[..self.len as usize]
    }
}

/// The acknowledging half of the header of a segment that leaves now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AckFields {
    /// Acknowledgement: the offset expected next.
    pub ack: u64,
    /// The window that the peer will understand, in bytes above `ack`.
    pub window: u64,
    /// The window field on the wire, scaled.
    pub window_field: u16,
    /// SACK blocks, a DSACK block first. `None` = none, as in most: nothing is written for them then.
    pub sack: Option<SackExtents>,
    /// `TSecr` for the timestamps option (`TS.Recent`); 0 without timestamps.
    pub ts_ecr: u32,
    /// The time that `TSval` shows, if that is not the present.
    pub clock: Option<Instant>,
    /// Set ECE.
    pub ece: bool,
}

impl AckFields {
    /// The SACK blocks, first reported first.
    pub fn blocks(&self) -> &[Extent] {
        self.sack.as_ref().map_or(&[], SackExtents::as_slice)
    }
}
