//! The reader reads whatever the writer writes, and no input brings it down.

use super::*;
use crate::ack::request::{AckOption, Frequency, MAX_RATE};
use crate::segment::{
    Ecn, Flags, OptionLayout, SackBlock, SackBlocks, Segment, SynOptions, Timestamps,
};
use acklab_units::SeqNum;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const ADDRESSES: Addresses = Addresses {
    source: Ipv4Addr::new(192, 0, 2, 1),
    destination: Ipv4Addr::new(198, 51, 100, 7),
};
const PORTS: Ports = Ports {
    source: 40_000,
    destination: 443,
};

fn sack() -> impl Strategy<Value = SackBlocks> {
    vec(any::<(u32, u32)>(), 0..=3).prop_map(|pairs| {
        let mut blocks = SackBlocks::EMPTY;
        for (start, end) in pairs {
            blocks.push(SackBlock {
                start: SeqNum(start),
                end: SeqNum(end),
            });
        }
        blocks
    })
}

fn ask() -> impl Strategy<Value = AckOption> {
    prop_oneof![
        Just(AckOption::TarrPermitted),
        Just(AckOption::Immediate),
        (0..=MAX_RATE).prop_map(|rate| AckOption::Tarr { rate }),
        (0u32..1 << 24).prop_map(|min_delay_us| AckOption::FrequencyPermitted { min_delay_us }),
        (any::<(u8, u16, u8)>(), 0u32..1 << 24).prop_map(
            |((sequence, threshold, reordering), max_delay_us)| {
                AckOption::Frequency(Frequency {
                    sequence,
                    threshold,
                    reordering,
                    max_delay_us,
                })
            }
        ),
    ]
}

/// Any segment that fits into a header: a SYN has its own options and at most one SACK block.
fn segment() -> impl Strategy<Value = Segment> {
    let numbers = any::<(u32, u32, u16, u8)>();
    let timestamps = option::of(any::<(u32, u32)>());
    let syn = (any::<u16>(), option::of(0u8..=14), any::<bool>());
    (numbers, timestamps, syn, sack(), option::of(ask())).prop_map(
        |((seq, ack, window, flags), ts, syn, sack, ask)| {
            let flags = Flags(flags);
            let is_syn = flags.contains(Flags::SYN);
            let (mss, window_scale, sack_permitted) = syn;
            let syn = SynOptions {
                mss,
                window_scale,
                sack_permitted,
            };
            Segment {
                layout: OptionLayout::Aligned,
                seq: SeqNum(seq),
                ack: SeqNum(ack),
                len: 0,
                window,
                flags,
                ecn: Ecn::NotEct,
                timestamps: ts.map(|(val, ecr)| Timestamps { val, ecr }),
                sack: if is_syn { SackBlocks::EMPTY } else { sack },
                ask: ask.filter(|ask| ask.announces() == is_syn && sack.as_slice().len() < 2),
                syn: if is_syn { syn } else { SynOptions::default() },
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        s in segment(),
        payload in vec(any::<u8>(), 0..1500),
        packed: bool,
    ) {
        let read = Segment { len: payload.len() as u32, ..s };
        let layout = if packed { OptionLayout::Packed } else { OptionLayout::Aligned };
        let segment = Segment { layout, ..read };
        let mut out = [0; 2000];
        let n = encode(&segment, PORTS, &ADDRESSES, &payload, &mut out).unwrap();
        prop_assert_eq!(n as u32 + 20, segment.ip_len());
        let back = decode(&out[..n], &ADDRESSES).unwrap();
        // Bytes do not say how they came to be laid out.
        prop_assert_eq!(back, Decoded { segment: read, ports: PORTS, payload: &payload });
    }

    #[test]
    fn one_wrong_byte_is_found(s in segment(), at in 0usize..20, bits in 1u8..) {
        let mut out = [0; 64];
        let n = encode(&s, PORTS, &ADDRESSES, &[], &mut out).unwrap();
        out[at] ^= bits;
        prop_assert!(decode(&out[..n], &ADDRESSES).is_err());
    }

    /// With the checksum made right, so that options are reached.
    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in vec(any::<u8>(), 0..120)) {
        if bytes.len() >= 20 {
            bytes[12] |= 0x50;
            bytes[16..18].fill(0);
            let sum = tcp_checksum(&ADDRESSES, &bytes);
            bytes[16..18].copy_from_slice(&sum.to_be_bytes());
        }
        if let Ok(read) = decode(&bytes, &ADDRESSES) {
            let mut out = [0; 200];
            let (ports, payload) = (read.ports, read.payload);
            let n = encode(&read.segment, ports, &ADDRESSES, payload, &mut out);
            if let Ok(n) = n {
                prop_assert_eq!(decode(&out[..n], &ADDRESSES), Ok(read));
            }
        }
    }
}
