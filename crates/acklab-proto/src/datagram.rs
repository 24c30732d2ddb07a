//! The packets that can be on a path.
//!
//! A path moves packets without knowing which transport they belong to: it asks how long they are,
//! whether they carry data, whether they are nothing but feedback. Whoever understands one protocol
//! asks for its view and gets `None` where another one is spoken.

use crate::segment::{Ecn, IP_HEADER, Segment};
use crate::tack::wire::{Packet, Space};

/// Bytes of a UDP header (RFC 768).
pub const UDP_HEADER: u32 = 8;

/// The differentiated-services codepoint of an IP header, six bits (RFC 2474).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, PartialOrd, Ord)]
pub struct Dscp(u8);

impl Dscp {
    /// The default class, best effort (CS0).
    pub const DEFAULT: Self = Self(0);

    /// The codepoint of that number; `None` above 63.
    pub const fn new(value: u8) -> Option<Self> {
        if value < 64 { Some(Self(value)) } else { None }
    }

    /// Its number, 0 to 63.
    pub const fn value(self) -> u8 {
        self.0
    }
}

/// Which way the information of an opaque packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Role {
    /// It carries payload.
    #[default]
    Data,
    /// It carries nothing but what its sender has received.
    Feedback,
}

/// A packet whose bytes are somebody else's: a UDP datagram of a measuring tool, or a packet that
/// was captured and is passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Opaque {
    /// Bytes of the IP packet.
    pub size: u32,
    /// Payload bytes in it.
    pub len: u32,
    /// The sender's content: of data its running number from 0, of feedback the packets
    /// that had arrived.
    pub number: u64,
    /// Which way its information goes.
    pub role: Role,
    /// ECN codepoint of the IP header.
    pub ecn: Ecn,
    /// Differentiated-services codepoint of the IP header.
    pub dscp: Dscp,
}

/// One packet above IP, by the protocol that it speaks.
///
/// Flow and hosts are not in it: addresses are the driver's, which tells queues by a label.
///
/// A further transport is a further variant here, and an arm in each of the questions below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Datagram {
    /// TCP (RFC 9293).
    Tcp(Segment),
    /// UDP with bytes that nobody here reads.
    Opaque(Opaque),
    /// TACK, over UDP. Its control frames are the [attachment](crate::endpoint::Endpoint::attachment).
    Tack(Packet),
}

impl Datagram {
    /// Bytes of the IPv4 packet.
    #[inline]
    pub fn ip_len(&self) -> u32 {
        match self {
            Self::Tcp(s) => s.ip_len(),
            Self::Opaque(o) => o.size,
            Self::Tack(p) => p.ip_len(),
        }
    }

    /// Payload bytes.
    #[inline]
    pub const fn payload(&self) -> u32 {
        match self {
            Self::Tcp(s) => s.len,
            Self::Opaque(o) => match o.role {
                Role::Data => o.len,
                Role::Feedback => 0,
            },
            Self::Tack(p) => p.payload(),
        }
    }

    /// Whether it carries payload.
    #[inline]
    pub const fn carries_data(&self) -> bool {
        self.payload() > 0
    }

    /// Whether it is nothing but feedback: it opens and closes nothing and carries no payload.
    #[inline]
    pub fn is_pure_feedback(&self) -> bool {
        match self {
            Self::Tcp(s) => s.is_pure_ack(),
            Self::Opaque(o) => o.role == Role::Feedback,
            // Numbers of eight bytes are the handshake's.
            Self::Tack(p) => p.header.space == Space::Feedback && p.header.number_len < 8,
        }
    }

    /// ECN codepoint of the IP header.
    #[inline]
    pub const fn ecn(&self) -> Ecn {
        match self {
            Self::Tcp(s) => s.ecn,
            Self::Opaque(o) => o.ecn,
            Self::Tack(p) => p.ecn,
        }
    }

    /// The same with that ECN codepoint.
    #[inline]
    #[must_use]
    pub const fn with_ecn(mut self, ecn: Ecn) -> Self {
        match &mut self {
            Self::Tcp(s) => s.ecn = ecn,
            Self::Opaque(o) => o.ecn = ecn,
            Self::Tack(p) => p.ecn = ecn,
        }
        self
    }

    /// Differentiated-services codepoint of the IP header. TCP and TACK here have the default one.
    pub const fn dscp(&self) -> Dscp {
        match self {
            Self::Tcp(_) | Self::Tack(_) => Dscp::DEFAULT,
            Self::Opaque(o) => o.dscp,
        }
    }

    /// IANA's number of the protocol above IP.
    pub const fn protocol(&self) -> u8 {
        match self {
            Self::Tcp(_) => 6,
            Self::Opaque(_) | Self::Tack(_) => 17,
        }
    }

    /// TCP's view; `None` of another protocol.
    #[inline]
    pub const fn tcp(&self) -> Option<&Segment> {
        match self {
            Self::Tcp(s) => Some(s),
            Self::Opaque(_) | Self::Tack(_) => None,
        }
    }
}

impl From<Segment> for Datagram {
    #[inline]
    fn from(segment: Segment) -> Self {
        Self::Tcp(segment)
    }
}

impl Opaque {
    /// Bytes that a UDP datagram of an IP packet of `size` bytes can carry.
    pub const fn room(size: u32) -> u32 {
        size.saturating_sub(IP_HEADER + UDP_HEADER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Flags;

    #[test]
    fn a_path_asks_every_protocol_the_same() {
        let ack = Datagram::from(Segment {
            flags: Flags::ACK,
            ecn: Ecn::Ect0,
            ..Segment::default()
        });
        assert_eq!((ack.ip_len(), ack.payload(), ack.protocol()), (40, 0, 6));
        assert!(ack.is_pure_feedback() && !ack.carries_data() && ack.tcp().is_some());
        let data = Datagram::Opaque(Opaque {
            size: 1500,
            len: Opaque::room(1500),
            dscp: Dscp::new(46).unwrap(),
            ..Opaque::default()
        });
        assert_eq!(
            (data.ip_len(), data.payload(), data.protocol()),
            (1500, 1472, 17)
        );
        assert!(data.carries_data() && !data.is_pure_feedback() && data.tcp().is_none());
        assert_eq!((data.dscp().value(), data.ecn()), (46, Ecn::NotEct));
        assert_eq!(data.with_ecn(Ecn::Ce).ecn(), Ecn::Ce);
        assert_eq!(Dscp::new(64), None);
    }

    /// The moves of packets in and out of a store are on the path that every packet takes.
    #[test]
    fn the_choice_of_a_protocol_costs_no_more_than_a_word() {
        assert!(size_of::<Datagram>() <= size_of::<Segment>() + 8);
    }
}
