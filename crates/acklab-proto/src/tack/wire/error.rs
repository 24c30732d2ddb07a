//! Errors of packets, in words.

use core::fmt;

/// Why a packet cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// Control frames, payload or connection id have another length than the packet says.
    Length {
        /// Which of them.
        part: &'static str,
        /// Bytes the packet claims.
        claimed: usize,
        /// Bytes given.
        given: usize,
    },
    /// The buffer is too short.
    NoRoom {
        /// Bytes needed.
        needed: usize,
        /// Bytes there are.
        given: usize,
    },
    /// A number length that the header cannot say.
    NumberLength {
        /// The length in bytes.
        bytes: u8,
    },
}

/// Why bytes are not a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// Something ends before it is complete.
    Truncated {
        /// Bytes there are.
        given: usize,
        /// Bytes it takes.
        needed: usize,
    },
    /// Another version of the format.
    Version {
        /// The version.
        version: u8,
    },
    /// A bit that must be zero is not.
    Reserved {
        /// The byte with that bit.
        byte: u8,
    },
    /// A frame that this version does not know.
    UnknownFrame {
        /// Its type.
        kind: u8,
    },
    /// A frame stands in a packet that cannot carry it.
    Misplaced {
        /// Its type.
        kind: u8,
    },
    /// A field has a value that it cannot have.
    OutOfRange {
        /// Its name in the layout.
        field: &'static str,
        /// The value.
        value: u64,
    },
    /// A packet without a frame.
    Empty,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length {
                part,
                claimed,
                given,
            } => write!(
                f,
                "the packet says {claimed} bytes of {part}, but {given} were given"
            ),
            Self::NoRoom { needed, given } => {
                write!(f, "the packet takes {needed} bytes; the buffer has {given}")
            }
            Self::NumberLength { bytes } => write!(
                f,
                "a packet number of {bytes} bytes; a header has 1 to 4, or 8"
            ),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { given, needed } => {
                write!(f, "{needed} bytes expected, {given} are left")
            }
            Self::Version { version } => write!(
                f,
                "version {version} of the format; this end speaks version {}",
                super::VERSION
            ),
            Self::Reserved { byte } => write!(f, "a reserved bit is set in {byte:#04x}"),
            Self::UnknownFrame { kind } => write!(f, "no frame has the type {kind:#04x}"),
            Self::Misplaced { kind } => {
                write!(f, "a frame of type {kind:#04x} cannot stand in this packet")
            }
            Self::OutOfRange { field, value } => write!(f, "{field} cannot be {value}"),
            Self::Empty => f.write_str("a packet without a frame"),
        }
    }
}

impl core::error::Error for EncodeError {}
impl core::error::Error for DecodeError {}
