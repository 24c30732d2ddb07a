//! The receiving half alone: any segments in any order; what it delivers and reports agrees with a
//! set of offsets.

use crate::{Bytes, config, policy};
use acklab_proto::segment::Ecn;
use acklab_proto::tcp::receiver::{Data, Receiver, SynInfo};
use acklab_units::{Instant, Span};
use std::collections::BTreeSet;

/// Positions are in cells, so that the model stays small.
const CELL: u64 = 100;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let cfg = config(&mut b);
    let mut r = Receiver::new(&cfg, policy(b.u8()));
    let mut now = Instant::ZERO + Span::from_secs(1);
    let syn = SynInfo {
        sack: true,
        window_scale: Some(7),
        mss: 1012,
        ..SynInfo::default()
    };
    r.on_peer_syn(now, syn);
    let _ = r.ack_fields();
    r.on_ack_sent(now, false);
    let mut cells: BTreeSet<u64> = BTreeSet::new();
    let mut read = 0;
    let mut edge = r.window_edge();
    while !b.is_empty() {
        now += Span::from_micros(u64::from(b.u8()) * 40);
        if r.next_timeout().is_some_and(|t| t <= now) {
            r.on_timeout(now);
        }
        let first = u64::from(b.u16()) % 700;
        let n = 1 + u64::from(b.u8()) % 12;
        let kind = b.u8();
        let before = edge;
        let data = Data {
            offset: 1 + first * CELL,
            len: (n * CELL) as u32,
            push: kind & 1 == 1,
            ecn: if kind & 2 == 2 { Ecn::Ce } else { Ecn::Ect0 },
            cwr: kind & 4 == 4,
            ..Data::default()
        };
        r.on_data(now, data);
        // Only whole cells below the promised edge count as taken.
        cells.extend((first..first + n).filter(|c| (c + 1) * CELL < before));
        if kind & 24 != 24 {
            read += r.read(now, u64::from(kind) * 64);
        }
        if r.ack_pending().is_some() || kind & 32 == 32 {
            let f = r.ack_fields();
            let whole = (0..).find(|c| !cells.contains(c)).expect("an end");
            assert!(f.ack > whole * CELL, "in-order data is acknowledged");
            for s in f.blocks() {
                assert!(s.start < s.end);
            }
            r.on_ack_sent(now, false);
        }
        assert!(r.window_edge() >= edge, "the right edge never moves back");
        edge = r.window_edge();
        assert!(read < r.next_expected());
    }
    read += r.read(now, u64::MAX);
    assert_eq!(read + 1, r.next_expected(), "every byte is read once");
}
