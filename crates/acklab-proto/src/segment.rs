//! A TCP segment as a value: header fields and options, payload as a length.
//!
//! The simulator carries lengths only; the socket driver pairs the value with real bytes.

use crate::ack::request::AckOption;
use acklab_units::SeqNum;

/// Bytes of an IPv4 header without options.
pub const IP_HEADER: u32 = 20;
/// Bytes of a TCP header without options.
pub const TCP_HEADER: u32 = 20;
/// Most SACK blocks that fit beside nothing else (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// TCP header flags (RFC 9293 section 3.1, RFC 3168).
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement field is valid.
    pub const ACK: Self = Self(0x10);
    /// Urgent pointer valid (never sent).
    pub const URG: Self = Self(0x20);
    /// ECN echo.
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced.
    pub const CWR: Self = Self(0x80);

    /// Whether every flag of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any flag of `other` is set.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The union of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl core::fmt::Debug for Flags {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        const NAMES: [&str; 8] = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"];
        let mut first = true;
        for (i, n) in NAMES.iter().enumerate() {
            if self.0 & (1 << i) != 0 {
                write!(f, "{}{n}", if first { "" } else { "|" })?;
                first = false;
            }
        }
        if first { f.write_str("-") } else { Ok(()) }
    }
}

/// The ECN codepoint of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECN-capable, codepoint ECT(0).
    Ect0,
    /// ECN-capable, codepoint ECT(1).
    Ect1,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// The codepoint after a router has marked the packet: CE, unless the transport is not
    /// ECN-capable (RFC 3168 section 5).
    #[inline]
    pub const fn marked(self) -> Self {
        match self {
            Self::NotEct => Self::NotEct,
            Self::Ect0 | Self::Ect1 | Self::Ce => Self::Ce,
        }
    }
}

/// The timestamps option (RFC 7323 section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Timestamps {
    /// Clock value of the sender of this segment.
    pub val: u32,
    /// The value being echoed (meaningful with ACK).
    pub ecr: u32,
}

/// One SACK block `[start, end)` (RFC 2018 section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub start: SeqNum,
    /// The sequence number behind the block's last byte.
    pub end: SeqNum,
}

/// Up to four SACK blocks, the most recent first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct SackBlocks {
    len: u8,
    blocks: [SackBlock; MAX_SACK_BLOCKS],
}

impl SackBlocks {
    /// No blocks.
    pub const EMPTY: Self = Self {
        len: 0,
        blocks: [SackBlock {
            start: SeqNum(0),
            end: SeqNum(0),
        }; MAX_SACK_BLOCKS],
    };

    /// Appends a block; a fifth is ignored.
    pub fn push(&mut self, b: SackBlock) {
        if (self.len as usize) < MAX_SACK_BLOCKS {
            self.blocks[self.len as usize] = b;
            self.len += 1;
        }
    }

    /// The blocks, first reported first.
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..self.len as usize]
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl core::fmt::Debug for SackBlocks {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// Options that only SYN segments carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct SynOptions {
    /// Maximum segment size (RFC 9293 section 3.7.1); 0 = absent.
    pub mss: u16,
    /// Window scale shift (RFC 7323 section 2); `None` = absent.
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018 section 2).
    pub sack_permitted: bool,
}

/// How the options of a segment are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum OptionLayout {
    /// Each padded to a multiple of four, as Linux has it.
    #[default]
    Aligned,
    /// One after the other, and the whole padded, as ns-3 has it.
    Packed,
}

/// One TCP segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Sequence number of the first payload byte (of the SYN on a SYN).
    pub seq: SeqNum,
    /// Acknowledgement number; meaningful with [`Flags::ACK`].
    pub ack: SeqNum,
    /// Payload bytes.
    pub len: u32,
    /// The window field as it stands on the wire, before scaling.
    pub window: u16,
    /// Header flags.
    pub flags: Flags,
    /// ECN codepoint of the IP header that carries this segment.
    pub ecn: Ecn,
    /// Timestamps option, if present.
    pub timestamps: Option<Timestamps>,
    /// SACK blocks, if any.
    pub sack: SackBlocks,
    /// Options of a SYN.
    pub syn: SynOptions,
    /// The sender's request for the receiver's acknowledgements, or on a SYN, the requests that it honours.
    pub ask: Option<AckOption>,
    /// Layout of the options.
    pub layout: OptionLayout,
}

impl Segment {
    /// Bytes of TCP options, padding included.
    #[inline]
    pub fn options_len(&self) -> u32 {
        let plain = self.sack.is_empty() && self.ask.is_none();
        if plain && !self.flags.contains(Flags::SYN) {
            // Nearly all segments, and in both layouts.
            return if self.timestamps.is_some() { 12 } else { 0 };
        }
        self.many_options_len()
    }

    #[inline(never)]
    fn many_options_len(&self) -> u32 {
        match self.layout {
            OptionLayout::Aligned => self.aligned_options_len(),
            OptionLayout::Packed => self.bare_options_len().next_multiple_of(4),
        }
    }

    /// The request or announcement that goes onto the wire: what belongs on a SYN only there.
    pub(crate) fn ask_on_wire(&self) -> Option<AckOption> {
        let syn = self.flags.contains(Flags::SYN);
        self.ask.filter(|ask| ask.announces() == syn)
    }

    /// Bytes of TCP options without padding.
    pub(crate) fn bare_options_len(&self) -> u32 {
        let opt = |on: bool, len| if on { len } else { 0 };
        let common = opt(self.timestamps.is_some(), 10)
            + self.ask_on_wire().map_or(0, AckOption::bare_len)
            + opt(!self.sack.is_empty(), 2 + 8 * u32::from(self.sack.len));
        let syn = opt(self.syn.mss > 0, 4)
            + opt(self.syn.window_scale.is_some(), 3)
            + opt(self.syn.sack_permitted, 2);
        common + opt(self.flags.contains(Flags::SYN), syn)
    }

    /// As Linux lays them out: timestamps take 12, SACK blocks 4 + 8n, MSS 4, window scale 4,
    /// SACK-permitted 4 unless it shares the timestamps' padding.
    fn aligned_options_len(&self) -> u32 {
        let ts = if self.timestamps.is_some() { 12 } else { 0 };
        let ts = ts + self.ask_on_wire().map_or(0, AckOption::padded_len);
        let sack = if self.sack.is_empty() {
            0
        } else {
            4 + 8 * u32::from(self.sack.len)
        };
        if !self.flags.contains(Flags::SYN) {
            return ts + sack;
        }
        let mss = if self.syn.mss > 0 { 4 } else { 0 };
        let ws = if self.syn.window_scale.is_some() {
            4
        } else {
            0
        };
        let sp = if self.syn.sack_permitted && self.timestamps.is_none() {
            4
        } else {
            0
        };
        ts + sack + mss + ws + sp
    }

    /// Bytes of the IPv4 packet that carries this segment.
    pub fn ip_len(&self) -> u32 {
        IP_HEADER + TCP_HEADER + self.options_len() + self.len
    }

    /// Sequence space the segment occupies: payload plus one each for SYN and FIN.
    pub fn seq_len(&self) -> u32 {
        self.len
            + u32::from(self.flags.contains(Flags::SYN))
            + u32::from(self.flags.contains(Flags::FIN))
    }

    /// Whether the segment is nothing but an acknowledgement: no payload, no SYN, FIN, RST or
    /// URG. It may still carry SACK blocks, ECE or CWR.
    pub fn is_pure_ack(&self) -> bool {
        const OTHER: Flags = Flags(Flags::SYN.0 | Flags::FIN.0 | Flags::RST.0 | Flags::URG.0);
        self.len == 0 && self.flags.contains(Flags::ACK) && !self.flags.intersects(OTHER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_linux_segment_fills_an_ethernet_packet() {
        let s = Segment {
            len: 1448,
            flags: Flags::ACK,
            timestamps: Some(Timestamps::default()),
            ..Segment::default()
        };
        assert_eq!(s.ip_len(), 1500);
        assert_eq!(Segment { len: 0, ..s }.ip_len(), 52);
    }

    /// Header lengths as ns-3.44 was seen to send them.
    #[test]
    fn packed_options_make_the_headers_of_ns3() {
        let plain = Segment {
            flags: Flags::ACK,
            timestamps: Some(Timestamps::default()),
            layout: OptionLayout::Packed,
            ..Segment::default()
        };
        let mut s = plain;
        for header in [32, 40, 48, 56] {
            assert_eq!(s.ip_len() - IP_HEADER, header);
            s.sack.push(SackBlock::default());
        }
        let syn = Segment {
            flags: Flags::SYN,
            syn: SynOptions {
                mss: 0,
                window_scale: Some(7),
                sack_permitted: true,
            },
            ..plain
        };
        assert_eq!(syn.ip_len() - IP_HEADER, 36);
    }

    #[test]
    fn a_linux_syn_has_twenty_bytes_of_options() {
        let s = Segment {
            flags: Flags::SYN,
            timestamps: Some(Timestamps::default()),
            syn: SynOptions {
                mss: 1460,
                window_scale: Some(7),
                sack_permitted: true,
            },
            ..Segment::default()
        };
        assert_eq!(s.options_len(), 20);
        assert_eq!(s.seq_len(), 1);
    }
}
