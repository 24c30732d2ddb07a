//! Packets of a Linux 6.18 kernel (10.99.0.1 to port 4433 of 10.99.0.2, read from a TUN
//! device, so that its checksums are complete): the reader must read each as what it is, and the writer must write it
//! again byte for byte.

use super::*;
use crate::segment::{Flags, SackBlock, SackBlocks, Segment, SynOptions, Timestamps};
use acklab_units::SeqNum;
use std::vec;
use std::vec::Vec;

const ADDRESSES: Addresses = Addresses {
    source: Ipv4Addr::new(10, 99, 0, 1),
    destination: Ipv4Addr::new(10, 99, 0, 2),
};
const PORTS: Ports = Ports {
    source: 60_660,
    destination: 4_433,
};
/// Number of the SYN.
const ISN: u32 = 0xfe28_4be8;
/// First byte of the data that the other end sent.
const BASE: u32 = 0xffff_fff1;

fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    let pair = |p: &[u8]| digit(p[0]) << 4 | digit(p[1]);
    text.as_bytes().chunks(2).map(pair).collect()
}

fn check(hex: &str, segment: Segment, payload: &[u8]) {
    let bytes = unhex(hex);
    let read = decode(&bytes, &ADDRESSES).unwrap();
    assert_eq!(read.segment, segment);
    assert_eq!((read.ports, read.payload), (PORTS, payload));
    let mut out = vec![0; bytes.len() + 8];
    let n = encode(&segment, PORTS, &ADDRESSES, payload, &mut out).unwrap();
    assert_eq!(&out[..n], bytes);
    assert_eq!(segment.ip_len() as usize, 20 + n);
}

fn stamped(seq: u32, flags: Flags, (val, ecr): (u32, u32)) -> Segment {
    Segment {
        seq: SeqNum(ISN + seq),
        ack: SeqNum(BASE),
        window: 63,
        flags: Flags::ACK.with(flags),
        timestamps: Some(Timestamps { val, ecr }),
        ..Segment::default()
    }
}

fn blocks(offsets: &[(u32, u32)]) -> SackBlocks {
    let mut blocks = SackBlocks::EMPTY;
    let at = |offset| SeqNum(BASE) + offset;
    for &(start, end) in offsets {
        let (start, end) = (at(start), at(end));
        blocks.push(SackBlock { start, end });
    }
    blocks
}

#[test]
fn a_syn() {
    let segment = Segment {
        ack: SeqNum(0),
        window: 64_240,
        flags: Flags::SYN,
        syn: SynOptions {
            mss: 1460,
            window_scale: Some(10),
            sack_permitted: true,
        },
        ..stamped(0, Flags(0), (0xb3ea_bbcb, 0))
    };
    let hex = "ecf41151fe284be800000000a002faf080360000020405b40402080ab3eabbcb000000000103030a";
    check(hex, segment, &[]);
}

#[test]
fn the_last_step_of_a_handshake() {
    let hex = "ecf41151fe284be9fffffff18010003fa5cd00000101080ab3eabbcb000003e8";
    check(hex, stamped(1, Flags(0), (0xb3ea_bbcb, 1000)), &[]);
}

#[test]
fn data_of_odd_length() {
    let hex = "ecf41151fe284be9fffffff18018003f61bc00000101080ab3eabbfd000003e868656c6c6f";
    let segment = Segment {
        len: 5,
        ..stamped(1, Flags::PSH, (0xb3ea_bbfd, 1000))
    };
    check(hex, segment, b"hello");
}

#[test]
fn three_sack_blocks() {
    let hex = "ecf41151fe284beefffffff1f010003f2e3200000101080ab3eabbfe000003e8\
               0101051a000000550000005f0000002d00000037000000050000000f";
    let segment = Segment {
        sack: blocks(&[(100, 110), (60, 70), (20, 30)]),
        timestamps: Some(Timestamps {
            val: 0xb3ea_bbfe,
            ecr: 1000,
        }),
        ..stamped(6, Flags(0), (0, 0))
    };
    check(&hex.replace(' ', ""), segment, &[]);
}

#[test]
fn a_dsack_in_front_of_two_blocks() {
    let hex = "ecf41151fe284bee0000000ff010003f2e2e00000101080ab3eabbfe000003f5\
               0101051afffffff1fffffffb000000550000005f0000002d00000037";
    let segment = Segment {
        ack: SeqNum(BASE) + 30,
        sack: blocks(&[(0, 10), (100, 110), (60, 70)]),
        ..stamped(6, Flags(0), (0xb3ea_bbfe, 1013))
    };
    check(hex, segment, &[]);
}

#[test]
fn a_fin_and_a_reset_with_options() {
    let tail = "0101080ab3eabbfe000003f501010512000000550000005f0000002d00000037";
    let fin = std::format!("ecf41151fe284bee0000000fd011003f4e2b0000{tail}");
    let rst = std::format!("ecf41151fe284bef0000000fd014003f4e270000{tail}");
    let with = |seq, flags| Segment {
        ack: SeqNum(BASE) + 30,
        sack: blocks(&[(100, 110), (60, 70)]),
        ..stamped(seq, flags, (0xb3ea_bbfe, 1013))
    };
    check(&fin, with(6, Flags::FIN), &[]);
    check(&rst, with(7, Flags::RST), &[]);
}
