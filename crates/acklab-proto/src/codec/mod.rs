//! TCP segments as bytes on the wire.
//!
//! The header of RFC 9293 section 3.1, the options that [`Segment`](crate::segment::Segment) knows,
//! and the checksum over the IPv4 pseudo header. Encoding lays options out as Linux does, so that a
//! segment is as long on the wire as [`Segment::ip_len`](crate::segment::Segment::ip_len) says;
//! decoding takes any layout, skips options it does not know, and says of a malformed segment what
//! is wrong with it.
//!
//! Fields that a [`Segment`](crate::segment::Segment) lacks are written as zero and ignored when
//! read: the urgent pointer and the reserved bits. The ECN codepoint is the IP header's: decoding
//! leaves it at [`Ecn::NotEct`](crate::segment::Ecn), and the caller fills it in.

mod checksum;
mod error;
mod options;
mod wire;

pub use checksum::tcp_checksum;
pub use error::{DecodeError, EncodeError};
pub use wire::{Decoded, decode, encode, peek};

use core::net::Ipv4Addr;

/// The two IPv4 addresses that the checksum covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Addresses {
    /// Of the segment's sender.
    pub source: Ipv4Addr,
    /// Of its receiver.
    pub destination: Ipv4Addr,
}

/// The two port numbers of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Ports {
    /// Of the segment's sender.
    pub source: u16,
    /// Of its receiver.
    pub destination: u16,
}

#[cfg(test)]
mod captures;
#[cfg(test)]
mod properties;
