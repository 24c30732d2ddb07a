//! IP packets as bytes: read as far as a path looks into them, and marked.

use crate::network::Content;
use acklab_proto::codec;
use acklab_proto::datagram::{Datagram, Dscp, Opaque, Role, UDP_HEADER};
use acklab_proto::segment::Ecn;
use core::fmt;

/// Bytes of an IPv6 header.
const IPV6_HEADER: usize = 40;
/// Bytes of an IPv4 header without options.
const IPV4_HEADER: usize = 20;
/// IANA's numbers of protocols.
const TCP: u8 = 6;
const UDP: u8 = 17;

/// Why bytes are no IP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotIp {
    /// There are fewer than the header says, or than a header has.
    Short {
        /// Bytes that there are.
        given: usize,
        /// Bytes that there would have to be.
        needed: usize,
    },
    /// The version is neither 4 nor 6.
    Version(u8),
    /// The header's own length is below 20 bytes, or beyond the packet's.
    Header(usize),
}

impl fmt::Display for NotIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { given, needed } => {
                write!(f, "the packet has {given} bytes and should have {needed}")
            }
            Self::Version(v) => write!(f, "the version of IP is {v} and should be 4 or 6"),
            Self::Header(n) => write!(f, "an IPv4 header of {n} bytes does not fit its packet"),
        }
    }
}

impl core::error::Error for NotIp {}

/// The bytes of an IP packet, and what a path sees in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IpPacket {
    bytes: Vec<u8>,
    datagram: Datagram,
    /// Stand for the addresses of its source and its destination.
    hosts: [u32; 2],
}

/// Where the payload is, and what it is.
struct Layout {
    header: usize,
    end: usize,
    protocol: u8,
    /// It is a part of a packet, or something stands between the headers.
    opaque: bool,
}

impl IpPacket {
    /// Reads an IPv4 (RFC 791) or IPv6 (RFC 8200) packet. A TCP segment is read as one; what is cut off,
    /// malformed, a fragment, or of another protocol is opaque. Checksums are not looked at.
    ///
    /// # Errors
    /// If it is no IP packet, or not a whole one.
    pub fn read(bytes: Vec<u8>) -> Result<Self, NotIp> {
        let short = |needed| NotIp::Short {
            given: bytes.len(),
            needed,
        };
        let layout = match bytes.first().ok_or(short(IPV4_HEADER))? >> 4 {
            4 => v4(bytes.first_chunk().ok_or(short(IPV4_HEADER))?)?,
            6 => v6(bytes.first_chunk().ok_or(short(IPV6_HEADER))?),
            version => return Err(NotIp::Version(version)),
        };
        let payload = bytes.get(layout.header..layout.end);
        let payload = payload.ok_or(short(layout.end))?;
        let datagram = datagram(&layout, payload, traffic_class(&bytes));
        let hosts = hosts(&bytes);
        Ok(Self {
            bytes,
            datagram,
            hosts,
        })
    }

    /// The packet as it is.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes alone.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Numbers that stand for its source and its destination: an IPv4 address, or the four words of an
    /// IPv6 address added up without carry.
    pub fn hosts(&self) -> [u32; 2] {
        self.hosts
    }

    /// Its differentiated services codepoint (RFC 2474).
    pub fn dscp(&self) -> Dscp {
        Dscp::new(traffic_class(&self.bytes) >> 2).unwrap_or_default()
    }

    /// It bears CE (RFC 3168): in the header, whose checksum follows (RFC 1624, equation 3), and in what
    /// a path sees. No effect if it does already.
    pub fn mark(&mut self) {
        self.datagram = self.datagram.with_ecn(Ecn::Ce);
        if self.bytes[0] >> 4 == 6 {
            self.bytes[1] |= 0x30;
            return;
        }
        let word = |b: &[u8], at: usize| u16::from_be_bytes([b[at], b[at + 1]]);
        let before = word(&self.bytes, 0);
        self.bytes[1] |= 0x03;
        let after = word(&self.bytes, 0);
        if before != after {
            let sum = updated(word(&self.bytes, 10), before, after);
            self.bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        }
    }

    /// Only what a path sees bears CE.
    pub(super) fn note_mark(&mut self) {
        self.datagram = self.datagram.with_ecn(Ecn::Ce);
    }

    /// Bytes of memory that the packet holds beside itself.
    pub(super) fn held(&self) -> usize {
        self.bytes.capacity()
    }
}

impl Content for IpPacket {
    fn datagram(&self) -> &Datagram {
        &self.datagram
    }

    fn size(&self) -> u32 {
        self.bytes.len() as u32
    }
}

/// The checksum after a word of what it covers has changed (RFC 1624, equation 3).
fn updated(checksum: u16, before: u16, after: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let sum = (sum & 0xffff) + (sum >> 16);
    !(((sum & 0xffff) + (sum >> 16)) as u16)
}

fn v4(header: &[u8; IPV4_HEADER]) -> Result<Layout, NotIp> {
    let length = usize::from(header[0] & 0x0f) * 4;
    let end = usize::from(u16::from_be_bytes([header[2], header[3]]));
    if length < IPV4_HEADER || length > end {
        return Err(NotIp::Header(length));
    }
    // More fragments follow, or some came before.
    let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff;
    Ok(Layout {
        header: length,
        end,
        protocol: header[9],
        opaque: fragment != 0,
    })
}

fn v6(header: &[u8; IPV6_HEADER]) -> Layout {
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    Layout {
        header: IPV6_HEADER,
        end: IPV6_HEADER + length,
        protocol: header[6],
        opaque: false,
    }
}

/// The octet with codepoint and ECN field; RFC 8200 calls it so.
fn traffic_class(bytes: &[u8]) -> u8 {
    match bytes[0] >> 4 {
        6 => bytes[0] << 4 | bytes[1] >> 4,
        _ => bytes[1],
    }
}

fn hosts(bytes: &[u8]) -> [u32; 2] {
    let word =
        |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    match bytes[0] >> 4 {
        6 => [8, 24].map(|from| (0..4).fold(0, |sum, i| sum ^ word(from + 4 * i))),
        _ => [word(12), word(16)],
    }
}

fn datagram(layout: &Layout, payload: &[u8], class: u8) -> Datagram {
    let ecn = match class & 0x03 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    };
    if layout.protocol == TCP
        && !layout.opaque
        && let Ok(decoded) = codec::peek(payload)
    {
        return Datagram::Tcp(decoded.segment).with_ecn(ecn);
    }
    let header = match layout.protocol {
        UDP if !layout.opaque => UDP_HEADER as usize,
        _ => 0,
    };
    Datagram::Opaque(Opaque {
        size: layout.end as u32,
        len: payload.len().saturating_sub(header) as u32,
        number: 0,
        role: Role::Data,
        ecn,
        dscp: Dscp::new(class >> 2).unwrap_or_default(),
    })
}
