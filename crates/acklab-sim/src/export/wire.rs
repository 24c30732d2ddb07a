//! Simulated packets as IPv4 packets.

use crate::plan::{FlowPlan, Plan};
use crate::record::packets::PacketRecord;
use acklab_proto::codec::{self, Addresses, EncodeError, Ports};
use acklab_proto::datagram::{Datagram, Opaque, UDP_HEADER};
use acklab_proto::segment::{Ecn, IP_HEADER};
use core::net::Ipv4Addr;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, UdpHeader};

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
    ) -> Result<(&[u8], usize), EncodeError> {
        let (addresses, ports) = ends(plan, record.flow.0);
        let (ip, rest) = self.buffer.split_at_mut(IP_HEADER as usize);
        let (length, headers) = match record.datagram {
            Datagram::Tcp(segment) => {
                let payload = &self.payload[..segment.len as usize];
                let length = codec::encode(segment, ports, &addresses, payload, rest)?;
                (length, length - payload.len())
            }
            Datagram::Opaque(opaque) => udp(opaque, ports, &addresses, rest),
            // As long as it was, with its number: what is beside a packet is not recorded.
            Datagram::Tack(packet) => {
                let opaque = Opaque {
                    size: packet.ip_len(),
                    number: packet.header.number,
                    ..Opaque::default()
                };
                udp(&opaque, ports, &addresses, rest)
            }
        };
        ip.copy_from_slice(&header(record, length as u16, &addresses).to_bytes());
        let both = IP_HEADER as usize;
        Ok((&self.buffer[..both + length], both + headers))
    }
}

/// Writes a UDP datagram: the number that the packet carries (8 bytes, the most significant first)
/// and zeros. Returns its length and how much of it a reader needs: header and number.
fn udp(opaque: &Opaque, ports: Ports, addresses: &Addresses, into: &mut [u8]) -> (usize, usize) {
    let length = opaque.size.saturating_sub(IP_HEADER).max(UDP_HEADER) as usize;
    let (header, payload) = into[..length].split_at_mut(UDP_HEADER as usize);
    payload.fill(0);
    let number = opaque.number.to_be_bytes();
    let written = number.len().min(payload.len());
    payload[..written].copy_from_slice(&number[..written]);
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
    (length, UDP_HEADER as usize + written)
}

fn header(record: &PacketRecord<'_>, payload: u16, addresses: &Addresses) -> Ipv4Header {
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
        dscp: IpDscp::try_new(record.datagram.dscp().value()).unwrap_or_default(),
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
