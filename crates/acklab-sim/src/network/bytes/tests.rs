//! Bytes come out as they went in, but for the mark.

use super::*;
use crate::engine::tests::rings;
use crate::network::Network;
use crate::record::Nothing;
use acklab_path::packet::FlowId;
use acklab_proto::codec::{self, Addresses, Ports};
use acklab_proto::segment::{Flags, Segment, Timestamps};
use acklab_units::{SeqNum, Span};
use core::net::Ipv4Addr;
use etherparse::Ipv4HeaderSlice;
use proptest::prelude::*;

const ADDRESSES: Addresses = Addresses {
    source: Ipv4Addr::new(10, 0, 0, 1),
    destination: Ipv4Addr::new(192, 168, 7, 9),
};

fn v4(class: u8, protocol: u8, fragment: u16, options: usize, payload: &[u8]) -> Vec<u8> {
    let header = 20 + 4 * options;
    let mut bytes = vec![0x40 | (header / 4) as u8, class];
    bytes.extend(((header + payload.len()) as u16).to_be_bytes());
    bytes.extend([0x12, 0x34]);
    bytes.extend(fragment.to_be_bytes());
    bytes.extend([64, protocol, 0, 0]);
    bytes.extend(ADDRESSES.source.octets());
    bytes.extend(ADDRESSES.destination.octets());
    // No-operation options (RFC 791).
    bytes.extend(std::iter::repeat_n(1, 4 * options));
    let sum = right(&bytes);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes.extend(payload);
    bytes
}

fn v6(class: u8, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x60 | class >> 4, class << 4 | 0x0a, 0xbc, 0xde];
    bytes.extend((payload.len() as u16).to_be_bytes());
    bytes.extend([protocol, 64]);
    bytes.extend((0..32).map(|i| i * 7 + 1));
    bytes.extend(payload);
    bytes
}

/// The checksum that an IPv4 header should have, by somebody else's arithmetic.
fn right(bytes: &[u8]) -> u16 {
    let header = Ipv4HeaderSlice::from_slice(bytes).expect("an IPv4 header");
    header.to_header().calc_header_checksum()
}

fn packet(id: PacketId, size: usize, ecn: Ecn) -> Packet {
    Packet {
        id,
        size: size as u32,
        flow: FlowId(0),
        ecn,
    }
}

fn ecn_of(class: u8) -> Ecn {
    [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(class & 3)]
}

/// `bytes` as they are if a queue has marked them.
fn marked(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes[0] >> 4 == 6 {
        bytes[1] |= 0x30;
        return bytes;
    }
    bytes[1] |= 3;
    let sum = right(&bytes);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

fn packets() -> impl Strategy<Value = Vec<u8>> {
    let payload = proptest::collection::vec(any::<u8>(), 0..200);
    let protocol = prop_oneof![Just(6u8), Just(17), Just(1), any::<u8>()];
    (
        any::<bool>(),
        any::<u8>(),
        protocol,
        0usize..11,
        prop_oneof![Just(0x4000u16), any::<u16>()],
        payload,
    )
        .prop_map(
            |(six, class, protocol, options, fragment, payload)| match six {
                true => v6(class, protocol, &payload),
                false => v4(class, protocol, fragment & 0x7fff, options, &payload),
            },
        )
}

proptest! {
    #[test]
    fn bytes_come_out_as_they_went_in_but_for_the_mark(
        all in proptest::collection::vec((packets(), any::<bool>(), any::<bool>()), 1..30),
    ) {
        let mut store = Bytes::default();
        let ids: Vec<_> = all.iter().map(|(bytes, _, _)| {
            let it = IpPacket::read(bytes.clone()).unwrap();
            assert_eq!(it.size() as usize, bytes.len());
            store.insert(it, 3)
        }).collect();
        for (id, (bytes, mark, copy)) in ids.into_iter().zip(&all) {
            let mut it = packet(id, bytes.len(), store.datagram(id).ecn());
            let class = if bytes[0] >> 4 == 6 { bytes[1] >> 4 } else { bytes[1] };
            prop_assert_eq!(it.ecn, ecn_of(class));
            let changed = *mark && it.mark();
            let due = if changed { marked(bytes) } else { bytes.clone() };
            if *copy {
                let copy = store.duplicate(it);
                prop_assert_eq!(store.take(copy), &due[..]);
            }
            prop_assert_eq!(store.take(it), due);
        }
        store.check();
        prop_assert_eq!((store.live(), store.held), (0, 0));
    }

    /// No bytes make it panic, and what is an IP packet is found whole.
    #[test]
    fn whatever_comes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        if let Ok(it) = IpPacket::read(bytes.clone()) {
            prop_assert!(it.bytes() == bytes && bytes.len() >= 20);
        }
    }

    /// Over random networks whose links mark, lose, copy and overtake.
    #[test]
    fn a_network_changes_nothing_but_the_mark(
        mut plan in rings(),
        sent in proptest::collection::vec((packets(), 0u32..10, 0u64..3_000_000), 1..100),
    ) {
        plan.links.iter_mut().for_each(|l| l.impair.ce = 0.2);
        let mut network = Network::of_plan(&plan, 1, 0, Bytes::default(), Nothing);
        let directions = 2 * plan.flows.len() as u32;
        let mut now = Instant::ZERO;
        for (bytes, flow, gap) in &sent {
            now += Span::from_nanos(*gap);
            let it = IpPacket::read(bytes.clone()).unwrap();
            network.offer(now, FlowId(flow % directions), it);
        }
        let end = Instant::ZERO + Span::from_secs(1000);
        while let Some(a) = network.advance(end) {
            let mut of_flow = sent.iter().filter(|(_, flow, _)| flow % directions == a.flow.0);
            prop_assert!(of_flow.any(|(b, _, _)| a.content == *b
                || a.content == marked(b) && ecn_of_packet(b) != Ecn::NotEct));
        }
        network.check();
        prop_assert_eq!(network.store().live(), 0);
    }
}

fn ecn_of_packet(bytes: &[u8]) -> Ecn {
    ecn_of(if bytes[0] >> 4 == 6 {
        bytes[1] >> 4
    } else {
        bytes[1]
    })
}

#[test]
fn a_segment_is_seen_as_one() {
    let segment = Segment {
        seq: SeqNum(77),
        ack: SeqNum(99),
        len: 11,
        window: 500,
        flags: Flags::ACK,
        timestamps: Some(Timestamps { val: 5, ecr: 6 }),
        ..Segment::default()
    };
    let ports = Ports {
        source: 1,
        destination: 2,
    };
    let mut tcp = vec![0; 100];
    let n = codec::encode(&segment, ports, &ADDRESSES, &[9; 11], &mut tcp).unwrap();
    let seen = |bytes| *IpPacket::read(bytes).unwrap().datagram();
    let due = Datagram::Tcp(segment).with_ecn(Ecn::Ect0);
    assert_eq!(seen(v4(2, 6, 0x4000, 0, &tcp[..n])), due);
    assert_eq!(seen(v6(2, 6, &tcp[..n])), due);
    // The first part of a packet is none, and neither is what a checksum is wrong for the receiver's.
    assert_eq!(seen(v4(2, 6, 0x2000, 0, &tcp[..n])).tcp(), None);
    tcp[16] ^= 0xff;
    assert_eq!(seen(v4(2, 6, 0x4000, 5, &tcp[..n])), due);
    let udp = IpPacket::read(v4(0xb9, 17, 0, 0, &[0; 30])).unwrap();
    assert_eq!((udp.datagram().payload(), udp.dscp().value()), (22, 46));
    assert_eq!(udp.hosts(), [0x0a00_0001, 0xc0a8_0709]);
}

#[test]
fn what_is_no_packet_is_refused_with_a_reason() {
    let whole = v4(0, 17, 0, 0, &[0; 30]);
    let told = |bytes: &[u8]| IpPacket::read(bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(told(&[]), "the packet has 0 bytes and should have 20");
    assert_eq!(
        told(&whole[..49]),
        "the packet has 49 bytes and should have 50"
    );
    assert_eq!(
        told(&[0x50; 40]),
        "the version of IP is 5 and should be 4 or 6"
    );
    assert_eq!(
        told(&[0x44; 40]),
        "an IPv4 header of 16 bytes does not fit its packet"
    );
    assert_eq!(
        told(&[0x60; 39]),
        "the packet has 39 bytes and should have 40"
    );
}
