//! ARP messages, disguised as packets so that they wait, contend and are sent like others.

use crate::packet::{FlowId, Packet, PacketId};
use crate::wifi::medium::StationId;
use acklab_proto::segment::Ecn;

/// An ARP packet for IPv4 over addresses of 48 bits (RFC 826): 2 + 2 + 1 + 1 + 2 + 2 * (6 + 4) bytes.
pub const ARP: u32 = 28;

/// Packets of transports have places below this in their driver's store.
const FIRST_ID: u32 = PacketId::OWN.0;
/// Messages are no packets of any flow.
const FLOW: FlowId = FlowId(u32::MAX);

/// The kind of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A station asks for the access point.
    Request,
    /// The same question from the access point to everybody.
    Relayed,
    /// The access point asks for a station.
    Wanted,
    /// The access point answers a station.
    Reply,
    /// A station answers the access point.
    Report,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Request,
        Self::Relayed,
        Self::Wanted,
        Self::Reply,
        Self::Report,
    ];

    /// Whether it is a question.
    pub const fn asks(self) -> bool {
        matches!(self, Self::Request | Self::Relayed | Self::Wanted)
    }

    /// Whether it is for everybody, so that it is in a group-addressed frame.
    pub const fn is_for_all(self) -> bool {
        matches!(self, Self::Relayed | Self::Wanted)
    }
}

/// An ARP message between the access point and a station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// Its kind.
    pub kind: Kind,
    /// The station that asks, is sought, answers, or is answered.
    pub station: StationId,
}

impl Message {
    /// The message as a packet.
    pub const fn packet(self) -> Packet {
        Packet {
            id: PacketId(FIRST_ID | (self.kind as u32) << 16 | self.station.0 as u32),
            size: ARP,
            flow: FLOW,
            ecn: Ecn::NotEct,
        }
    }

    /// The message that `packet` is, if it is one.
    #[inline]
    pub fn of(packet: Packet) -> Option<Self> {
        let code = packet.id.0.checked_sub(FIRST_ID)?;
        Some(Self {
            kind: Kind::ALL[(code >> 16) as usize],
            station: StationId(code as u16),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_what_it_was_made_of() {
        for kind in Kind::ALL {
            for station in [0, 1, 4999, u16::MAX].map(StationId) {
                let message = Message { kind, station };
                assert_eq!(Message::of(message.packet()), Some(message));
                assert_eq!(message.packet().size, 28);
            }
        }
    }

    #[test]
    fn packets_of_transports_are_no_messages() {
        let packet = |id| Packet {
            id: PacketId(id),
            ..Message {
                kind: Kind::Reply,
                station: StationId(1),
            }
            .packet()
        };
        assert_eq!(Message::of(packet(0)), None);
        assert_eq!(Message::of(packet(FIRST_ID - 1)), None);
    }
}
