//! The mistakes that a segment can have, in words.

use core::fmt;

/// Why a segment cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// The payload has another length than the segment says.
    PayloadLength {
        /// Bytes the segment claims.
        segment: u32,
        /// Bytes given.
        given: usize,
    },
    /// The options need more than the 40 bytes a header has for them.
    OptionsTooLong {
        /// Bytes needed.
        needed: usize,
    },
    /// Longer than an IPv4 packet can carry.
    SegmentTooLong {
        /// Bytes needed.
        needed: usize,
    },
    /// The buffer is too short.
    NoRoom {
        /// Bytes needed.
        needed: usize,
        /// Bytes there are.
        given: usize,
    },
    /// A window scale beyond 14 (RFC 7323 section 2.3).
    WindowScale {
        /// The shift.
        shift: u8,
    },
    /// A requested ACK rate beyond seven bits.
    AckRate {
        /// R.
        rate: u8,
    },
    /// A requested or announced ACK delay beyond three bytes.
    AckDelay {
        /// Microseconds.
        us: u32,
    },
}

/// Why bytes are not a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// Too short for a header.
    Truncated {
        /// Bytes there are.
        given: usize,
        /// Bytes the header takes.
        needed: usize,
    },
    /// The data offset field points into the fixed header.
    DataOffset {
        /// Its value, in 32-bit words.
        words: u8,
    },
    /// Longer than an IPv4 packet can carry.
    SegmentTooLong {
        /// Bytes there are.
        given: usize,
    },
    /// Damaged on the way, or meant for other addresses.
    Checksum {
        /// The header's value.
        found: u16,
        /// The right value.
        expected: u16,
    },
    /// An option reaches beyond the header, or its length byte is missing.
    OptionOverrun {
        /// Kind of the option.
        kind: u8,
        /// Where it begins, in bytes from the start of the segment.
        at: usize,
    },
    /// An option's length is not one its kind can have.
    OptionLength {
        /// Kind of the option.
        kind: u8,
        /// Its length byte.
        length: u8,
        /// Where it begins, in bytes from the start of the segment.
        at: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::PayloadLength { segment, given } => write!(
                f,
                "the segment says {segment} bytes of payload, but {given} were given"
            ),
            Self::OptionsTooLong { needed } => {
                write!(f, "the options take {needed} bytes; a TCP header has 40")
            }
            Self::SegmentTooLong { needed } => {
                write!(f, "a segment of {needed} bytes; IPv4 carries 65515")
            }
            Self::NoRoom { needed, given } => {
                write!(
                    f,
                    "the segment takes {needed} bytes; the buffer has {given}"
                )
            }
            Self::WindowScale { shift } => {
                write!(f, "a window scale of {shift}; RFC 7323 allows 14")
            }
            Self::AckRate { rate } => {
                write!(f, "a requested ACK rate of {rate}; TARR has seven bits")
            }
            Self::AckDelay { us } => {
                write!(f, "an ACK delay of {us} us; the option has three bytes")
            }
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { given, needed } => {
                write!(f, "{given} bytes; the TCP header takes {needed}")
            }
            Self::DataOffset { words } => write!(
                f,
                "a data offset of {words} words; a TCP header has at least 5"
            ),
            Self::SegmentTooLong { given } => {
                write!(f, "a segment of {given} bytes; IPv4 carries 65515")
            }
            Self::Checksum { found, expected } => write!(
                f,
                "checksum {found:#06x}, but header, payload and addresses give {expected:#06x}"
            ),
            Self::OptionOverrun { kind, at } => write!(
                f,
                "TCP option {kind} at byte {at} reaches beyond the header"
            ),
            Self::OptionLength { kind, length, at } => write!(
                f,
                "TCP option {kind} at byte {at} has length {length}, which it cannot have"
            ),
        }
    }
}

impl core::error::Error for EncodeError {}
impl core::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn messages_name_what_was_found_and_what_would_be_right() {
        let found = DecodeError::Checksum {
            found: 0x12,
            expected: 0xabcd,
        };
        assert_eq!(
            found.to_string(),
            "checksum 0x0012, but header, payload and addresses give 0xabcd"
        );
        let option = DecodeError::OptionLength {
            kind: 8,
            length: 9,
            at: 22,
        };
        assert!(option.to_string().contains("option 8 at byte 22"));
        let long = EncodeError::OptionsTooLong { needed: 48 };
        assert!(long.to_string().contains("48") && long.to_string().contains("40"));
    }
}
