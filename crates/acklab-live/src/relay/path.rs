//! The network of a scenario as a path for UDP datagrams: without sockets and without a clock.
//!
//! Links count IP packets, so each datagram travels behind the IPv4 and UDP headers that it would have on
//! a wire. A datagram over IPv6 gets the same 28 bytes; its addresses are folded into four bytes each,
//! which fair queues hash.

use acklab_path::link::LinkStats;
use acklab_path::packet::FlowId;
use acklab_proto::datagram::UDP_HEADER;
use acklab_proto::segment::{Ecn, IP_HEADER};
use acklab_sim::network::bytes::IpPacket;
use acklab_sim::network::{Bytes, Network, Store};
use acklab_sim::plan::Plan;
use acklab_sim::record::Nothing;
use acklab_units::{Instant, Span};
use etherparse::{IpNumber, Ipv4Header, UdpHeader};
use std::net::{IpAddr, SocketAddr};

/// Bytes in front of each payload.
const HEADERS: usize = (IP_HEADER + UDP_HEADER) as usize;
/// Bytes that a datagram can carry over IPv4 (RFC 768, RFC 791); over IPv6 there can be 20 more.
pub const MOST: usize = u16::MAX as usize - HEADERS;
/// Hops that the header allows; nothing here counts them.
const TTL: u8 = 64;
/// Buffers that are kept for the next packets.
const SPARE: usize = 4096;

/// Which way a datagram goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Way {
    /// From the client to the server, as the scenario's flow goes from its source to its destination.
    There,
    /// From the server to the client.
    Back,
}

/// A datagram that has crossed the path.
#[derive(Debug)]
pub struct Crossed {
    /// When it was due at the end.
    pub due: Instant,
    /// The flow that it belongs to ([`Path::join`]).
    pub flow: u32,
    /// Which way it went.
    pub way: Way,
    /// The IP packet.
    packet: Vec<u8>,
}

impl Crossed {
    /// Payload of the datagram.
    pub fn payload(&self) -> &[u8] {
        &self.packet[HEADERS..]
    }

    /// The ECN field, with the mark if a queue has set one.
    pub fn ecn(&self) -> Ecn {
        match self.packet[1] & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

/// Addresses and ECN field of a datagram that enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// Its sender.
    pub from: SocketAddr,
    /// To whom it goes.
    pub to: SocketAddr,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// A network with one real flow for each pair of a client and a server.
#[derive(Debug)]
pub struct Path {
    network: Network<Bytes, Nothing>,
    /// Links of each flow of the scenario, there and back.
    ways: Vec<[Vec<usize>; 2]>,
    names: Vec<String>,
    spare: Vec<Vec<u8>>,
    entered: u64,
    crossed: u64,
}

impl Path {
    /// The network of `plan` at time zero, without packets.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let ways = plan.flows.iter();
        let ways = ways.map(|f| [f.forward.clone(), f.reverse.clone()]);
        Self {
            network: Network::of_plan(plan, seed, 0, Bytes::default(), Nothing),
            ways: ways.collect(),
            names: plan.links.iter().map(|l| l.name.clone()).collect(),
            spare: Vec::new(),
            entered: 0,
            crossed: 0,
        }
    }

    /// Flows of the scenario, whose ways can be taken.
    pub fn ways(&self) -> usize {
        self.ways.len()
    }

    /// Adds a flow that goes the way of the scenario's flow number `like`, and returns its number.
    ///
    /// # Panics
    /// If the scenario has no such flow.
    pub fn join(&mut self, like: usize) -> u32 {
        let [there, back] = &self.ways[like];
        let flow = self.network.add_flow(there, back);
        self.network.categorise_like(flow, like as u32);
        flow
    }

    /// Removes a flow. Its packets under way take room and time to the end, and are gone then.
    pub fn part(&mut self, flow: u32) {
        self.network.remove_flow(flow);
    }

    /// The packet of a datagram that is about to enter; `None` if it is longer than an IPv4 packet can be
    /// ([`MOST`]).
    pub fn pack(&mut self, envelope: &Envelope, payload: &[u8]) -> Option<IpPacket> {
        if payload.len() > MOST {
            return None;
        }
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        write_headers(&mut bytes, envelope, payload.len());
        bytes.extend_from_slice(payload);
        Some(IpPacket::read(bytes).expect("the header that was just written is whole"))
    }

    /// A packet enters at `at`. Returns how much later it entered in fact, which is more than nothing
    /// if the network had gone beyond that instant.
    pub fn enter(&mut self, at: Instant, flow: u32, way: Way, packet: IpPacket) -> Span {
        let late = self.network.now().saturating_since(at);
        self.entered += 1;
        self.network.offer(at, direction(flow, way), packet);
        late
    }

    /// The next datagram that was due at the end of the path at or before `now`.
    pub fn leave(&mut self, now: Instant) -> Option<Crossed> {
        let arrival = self.network.advance(now)?;
        self.crossed += 1;
        Some(Crossed {
            due: arrival.at,
            flow: arrival.flow.0 / 2,
            way: if arrival.flow.0.is_multiple_of(2) {
                Way::There
            } else {
                Way::Back
            },
            packet: arrival.content,
        })
    }

    /// Takes the memory of a datagram back for the next one.
    pub fn reuse(&mut self, crossed: Crossed) {
        if self.spare.len() < SPARE {
            self.spare.push(crossed.packet);
        }
    }

    /// When [`Path::leave`] must be called next.
    pub fn next_wakeup(&self) -> Option<Instant> {
        self.network.next_wakeup()
    }

    /// Counters of each link, with its name.
    pub fn links(&self) -> impl Iterator<Item = (&str, LinkStats)> {
        let links = self.network.links().iter().map(|l| *l.stats());
        self.names.iter().map(String::as_str).zip(links)
    }

    /// Where the packets are that entered.
    pub fn balance(&self) -> Balance {
        self.network.check();
        let links = || self.network.links().iter().map(|l| l.stats());
        Balance {
            entered: self.entered,
            copied: links().map(|l| l.duplicated).sum(),
            crossed: self.crossed,
            dropped: links().map(LinkStats::dropped).sum(),
            orphaned: self.network.drained(),
            under_way: self.network.store().live(),
        }
    }
}

/// Where the packets are that entered a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Balance {
    /// Packets that entered.
    pub entered: u64,
    /// Copies that links made.
    pub copied: u64,
    /// Packets that reached the other end.
    pub crossed: u64,
    /// Packets that queues, links and filters dropped.
    pub dropped: u64,
    /// Packets that reached the end after their flow had left.
    pub orphaned: u64,
    /// Packets that are still on the path.
    pub under_way: u64,
}

impl Balance {
    /// Whether each packet is accounted for once.
    pub const fn holds(&self) -> bool {
        let gone = self.crossed + self.dropped + self.orphaned + self.under_way;
        self.entered + self.copied == gone
    }
}

fn direction(flow: u32, way: Way) -> FlowId {
    FlowId(2 * flow + u32::from(way == Way::Back))
}

fn write_headers(into: &mut Vec<u8>, envelope: &Envelope, payload: usize) {
    let udp = payload + UDP_HEADER as usize;
    let mut ip = Ipv4Header::new(
        udp as u16,
        TTL,
        IpNumber::UDP,
        folded(envelope.from.ip()),
        folded(envelope.to.ip()),
    )
    .expect("a datagram fits into an IPv4 packet");
    ip.ecn = etherparse::IpEcn::try_new(ecn_bits(envelope.ecn)).expect("two bits");
    ip.header_checksum = ip.calc_header_checksum();
    into.extend_from_slice(&ip.to_bytes());
    let udp = UdpHeader {
        source_port: envelope.from.port(),
        destination_port: envelope.to.port(),
        length: udp as u16,
        // Zero: none was computed (RFC 768). Nothing on the path looks at it.
        checksum: 0,
    };
    into.extend_from_slice(&udp.to_bytes());
}

const fn ecn_bits(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}

/// An address in four bytes: IPv4 as it is, the four words of IPv6 added up without carry.
fn folded(ip: IpAddr) -> [u8; 4] {
    match ip {
        IpAddr::V4(v4) => v4.octets(),
        IpAddr::V6(v6) => {
            let words = v6.octets();
            core::array::from_fn(|i| words[i] ^ words[i + 4] ^ words[i + 8] ^ words[i + 12])
        }
    }
}
