//! Simulated packets as IPv4 packets.

use crate::plan::{FlowPlan, Plan};
use crate::record::packets::PacketRecord;
use acklab_proto::codec::{self, Addresses, Ports};
use acklab_proto::datagram::{Datagram, Dscp, Opaque, UDP_HEADER};
use acklab_proto::segment::{Ecn, IP_HEADER};
use acklab_proto::tack::wire as tack;
use core::net::Ipv4Addr;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, UdpHeader};
use std::io;

/// The port of every flow's passive end; flows that would share all four values use the next.
const SERVICE_PORT: usize = 5001;
/// First of the ephemeral ports (RFC 6335 section 6).
const EPHEMERAL: usize = 49_152;
const EPHEMERALS: usize = 65_536 - EPHEMERAL;
/// RFC 1700's recommended default, and Linux's.
const TIME_TO_LIVE: u8 = 64;

/// Writes packets to one buffer, over and over.
pub(super) struct Wire {
    buffer: Vec<u8>,
    /// Payloads are all zero.
    payload: Vec<u8>,
}

impl Wire {
    pub(super) fn new() -> Self {
        Self {
            buffer: vec![0; 65_536],
            payload: vec![0; 65_536],
        }
    }

    /// The bytes of the IP packet, and how many of them are headers.
    pub(super) fn packet(
        &mut self,
        plan: &Plan,
        record: &PacketRecord<'_>,
    ) -> io::Result<(&[u8], usize)> {
        let (addresses, ports) = ends(plan, record.flow.0);
        let (ip, rest) = self.buffer.split_at_mut(IP_HEADER as usize);
        let (length, headers) = match record.datagram {
            Datagram::Tcp(segment) => {
                let payload = &self.payload[..segment.len as usize];
                let length = codec::encode(segment, ports, &addresses, payload, rest)
                    .map_err(io::Error::other)?;
                (length, length - payload.len())
            }
            Datagram::Opaque(opaque) => {
                let written = opaque_payload(opaque, &mut rest[UDP_HEADER as usize..]);
                udp(written, ports, &addresses, rest)
            }
            Datagram::Tack(packet) => {
                let payload = &self.payload[..packet.payload() as usize];
                let written = tack_payload(packet, record, payload, rest)?;
                udp(written, ports, &addresses, rest)
            }
        };
        let class = plan.flows[(record.flow.0 / 2) as usize].dscp;
        ip.copy_from_slice(&header(record, class, length as u16, &addresses).to_bytes());
        let both = IP_HEADER as usize;
        Ok((&self.buffer[..both + length], both + headers))
    }
}

/// Writes what is in a UDP datagram of unknown content: the number that the packet carries (8 bytes,
/// the most significant first) and zeros. Returns its length and how much of it a reader needs.
fn opaque_payload(opaque: &Opaque, into: &mut [u8]) -> (usize, usize) {
    let length = opaque.size.saturating_sub(IP_HEADER + UDP_HEADER) as usize;
    let payload = &mut into[..length];
    payload.fill(0);
    let number = opaque.number.to_be_bytes();
    let written = number.len().min(payload.len());
    payload[..written].copy_from_slice(&number[..written]);
    (length, written)
}

/// Writes a packet of TACK behind a UDP header, as `docs/reference/tack-wire.md` has it. The
/// connection id is the number of the flow's direction; the AEAD's tag is zero. Returns its length
/// and how much of it a reader needs: what stands in front of a payload, or all.
fn tack_payload(
    packet: &tack::Packet,
    record: &PacketRecord<'_>,
    payload: &[u8],
    into: &mut [u8],
) -> io::Result<(usize, usize)> {
    let mut id = [0; tack::MAX_ID];
    id[tack::MAX_ID - 4..].copy_from_slice(&record.flow.0.to_be_bytes());
    let id = &id[tack::MAX_ID - usize::from(packet.header.id_len).min(tack::MAX_ID)..];
    let room = &mut into[UDP_HEADER as usize..];
    let length =
        tack::encode(packet, id, record.control, payload, room).map_err(io::Error::other)?;
    let behind = match payload.len() {
        0 => 0,
        bytes => bytes + usize::from(packet.header.tag_len),
    };
    Ok((length, length - behind))
}

/// Puts the header in front of a UDP payload of a given length that stands in its place; passes on
/// the length of both, and how much of it a reader needs.
fn udp(
    (length, needed): (usize, usize),
    ports: Ports,
    addresses: &Addresses,
    into: &mut [u8],
) -> (usize, usize) {
    let both = UDP_HEADER as usize + length;
    let (header, payload) = into[..both].split_at_mut(UDP_HEADER as usize);
    let (source, destination) = (addresses.source.octets(), addresses.destination.octets());
    let udp = UdpHeader::with_ipv4_checksum(
        ports.source,
        ports.destination,
        &Ipv4Header {
            protocol: IpNumber::UDP,
            source,
            destination,
            ..Ipv4Header::default()
        },
        payload,
    );
    header.copy_from_slice(&udp.expect("a datagram of at most 65535 bytes").to_bytes());
    (both, UDP_HEADER as usize + needed)
}

/// `class` is the flow's; what an opaque packet has written in it goes before.
fn header(
    record: &PacketRecord<'_>,
    class: Dscp,
    payload: u16,
    addresses: &Addresses,
) -> Ipv4Header {
    let own = record.datagram.dscp();
    let class = if own == Dscp::DEFAULT { class } else { own };
    let mut header = Ipv4Header {
        ecn: match record.ecn {
            Ecn::NotEct => IpEcn::ZERO,
            Ecn::Ect1 => IpEcn::ONE,
            Ecn::Ect0 => IpEcn::TWO,
            Ecn::Ce => IpEcn::THREE,
        },
        total_len: IP_HEADER as u16 + payload,
        // A copy made by a link has the number of its original, as a copy on a wire would.
        identification: record.packet as u16,
        dont_fragment: true,
        time_to_live: TIME_TO_LIVE,
        protocol: IpNumber(record.datagram.protocol()),
        dscp: IpDscp::try_new(class.value()).unwrap_or_default(),
        source: addresses.source.octets(),
        destination: addresses.destination.octets(),
        ..Ipv4Header::default()
    };
    header.header_checksum = header.calc_header_checksum();
    header
}

/// Addresses and ports of a packet of flow direction `flow`.
pub(super) fn ends(plan: &Plan, flow: u32) -> (Addresses, Ports) {
    let index = (flow / 2) as usize;
    let FlowPlan { src, dst, .. } = &plan.flows[index];
    let client = (address(*src), (EPHEMERAL + index % EPHEMERALS) as u16);
    let server = (address(*dst), (SERVICE_PORT + index / EPHEMERALS) as u16);
    let (from, to) = match flow.is_multiple_of(2) {
        true => (client, server),
        false => (server, client),
    };
    let addresses = Addresses {
        source: from.0,
        destination: to.0,
    };
    let ports = Ports {
        source: from.1,
        destination: to.1,
    };
    (addresses, ports)
}

/// The address of a node: 10.0.0.1 is the first.
pub(super) fn address(node: usize) -> Ipv4Addr {
    let [_, a, b, c] = (node as u32 + 1).to_be_bytes();
    Ipv4Addr::new(10, a, b, c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::packets::{Packets, TapPoint};
    use crate::scenario;
    use core::sync::atomic::AtomicBool;
    use std::collections::HashSet;

    /// Watched at the destination and the link back only: some packets are first seen on their arrival.
    const SCENARIO: &str = r#"
        duration = "20 s"
        record = { packets = ["d0", "right->left"] }
        topology = { preset = "dumbbell", bottleneck = { rate = "5 Mbit/s", loss = 0.02, reverse = { loss = 0.2 } } }
        [[flow]]
        name = "a"
        transport = "tack"
        app = { kind = "bulk", bytes = "600 kB" }
        [[flow]]
        name = "b"
        cc = "cubic"
    "#;

    fn recorded() -> (Plan, Packets) {
        let loaded = scenario::load_toml(SCENARIO, "test", &[]);
        let plan = loaded.unwrap().plan;
        let result = crate::engine::run(&plan, 3, &AtomicBool::new(false)).unwrap();
        (plan, result.records.packets)
    }

    /// Every packet of TACK is read back as the value that it was recorded as.
    #[test]
    fn packets_of_tack_are_read_back() {
        let (plan, packets) = recorded();
        let (mut wire, mut frames) = (Wire::new(), HashSet::new());
        let mut arrived = 0;
        for record in packets.iter() {
            let Datagram::Tack(packet) = record.datagram else {
                assert!(record.control.is_empty());
                continue;
            };
            let (bytes, headers) = wire.packet(&plan, &record).unwrap();
            assert_eq!(bytes.len(), record.size as usize);
            let read = tack::decode(&bytes[28..], &shape(packet)).unwrap();
            assert_eq!(
                read.packet,
                tack::Packet {
                    ecn: Ecn::NotEct,
                    ..*packet
                }
            );
            assert_eq!(
                (read.control, read.id),
                (
                    record.control,
                    &[0, 0, 0, 0, 0, 0, 0, record.flow.0 as u8][..]
                )
            );
            // Without payload nothing is left out of a capture of headers.
            let behind = bytes.len() - headers;
            assert_eq!(
                behind,
                if read.payload.is_empty() {
                    0
                } else {
                    read.payload.len() + 16
                }
            );
            frames.extend(tack::Frames::new(read.control).map(|f| name(&f)));
            arrived += usize::from(record.point == TapPoint::Host(1));
        }
        let all = [
            "hello", "accept", "tack", "loss", "confirm", "sync", "close",
        ];
        assert!(all.iter().all(|name| frames.contains(name)), "{frames:?}");
        assert!(arrived > 300, "{arrived}");
    }

    fn shape(packet: &tack::Packet) -> tack::Shape {
        tack::Shape {
            id_len: packet.header.id_len,
            tag_len: packet.header.tag_len,
            next_data: packet.header.number,
            next_feedback: packet.header.number,
            next_seq: packet.data.map_or(0, |d| d.seq),
        }
    }

    fn name(frame: &tack::Frame<'_>) -> &'static str {
        match frame {
            tack::Frame::Ping => "ping",
            tack::Frame::Hello(_) => "hello",
            tack::Frame::Accept(_) => "accept",
            tack::Frame::Tack(_) => "tack",
            tack::Frame::Iack(i) => match i.reason {
                tack::IackReason::Loss { .. } => "loss",
                tack::IackReason::Window => "window",
                tack::IackReason::Confirm { .. } => "confirm",
                tack::IackReason::Mark(_) => "mark",
            },
            tack::Frame::Sync(_) => "sync",
            tack::Frame::Close(_) => "close",
            tack::Frame::Reset(_) => "reset",
        }
    }
}
