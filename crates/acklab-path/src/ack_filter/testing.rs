//! Segments and packets for the filters' tests.

use super::{AckFilter, Build, Verdict};
use crate::packet::{FlowId, Packet, PacketId};
use acklab_proto::registry::{Entry, Params, Value};
use acklab_proto::segment::{Ecn, Flags, SackBlock, SackBlocks, Segment, Timestamps};
use acklab_units::{Instant, SeqNum};
use core::ops::Range;
use proptest::collection::vec;
use proptest::prelude::*;
use std::boxed::Box;
use std::vec::Vec;

/// A pure acknowledgement.
pub(super) fn ack(number: u32) -> Segment {
    flagged(number, Flags(0))
}

/// An acknowledgement without payload and with more flags.
pub(super) fn flagged(number: u32, more: Flags) -> Segment {
    Segment {
        ack: SeqNum(number),
        flags: Flags::ACK.with(more),
        ..Segment::default()
    }
}

/// Data with a piggybacked acknowledgement.
pub(super) fn data(number: u32) -> Segment {
    Segment {
        len: 1448,
        ..ack(number)
    }
}

/// A pure acknowledgement with SACK blocks.
pub(super) fn sack(number: u32, blocks: &[(u32, u32)]) -> Segment {
    let mut sack = SackBlocks::EMPTY;
    for &(start, end) in blocks {
        sack.push(SackBlock {
            start: SeqNum(start),
            end: SeqNum(end),
        });
    }
    Segment {
        sack,
        ..ack(number)
    }
}

/// The descriptor of packet `id` of `flow`.
pub(super) fn packet(id: u32, flow: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size: 52,
        flow: FlowId(flow),
        ecn: Ecn::NotEct,
    }
}

/// The filter of `entry` with some parameters set.
pub(super) fn build(
    entry: &'static Entry<Build>,
    set: &[(&'static str, Value)],
) -> Box<dyn AckFilter> {
    let mut params = Params::defaults(entry.params);
    for (name, value) in set {
        params.set(entry.params, name, *value).unwrap();
    }
    (entry.build)(&params)
}

/// The filter's verdicts on packet `id` of `flow` at `us` microseconds.
pub(super) fn offer(
    filter: &mut dyn AckFilter,
    us: u64,
    (id, flow): (u32, u32),
    segment: &Segment,
) -> Vec<Verdict> {
    let mut out = Vec::new();
    filter.on_packet(at(us), packet(id, flow), segment, &mut out);
    out
}

/// Microseconds as an instant.
pub(super) fn at(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

/// The numbers of the packets that go on.
pub(super) fn forwarded(verdicts: &[Verdict]) -> Vec<u32> {
    let one = |v: &Verdict| match v {
        Verdict::Forward(p, _) => Some(p.id.0),
        _ => None,
    };
    verdicts.iter().filter_map(one).collect()
}

/// The numbers of the packets that are lost, here or in the queue behind.
pub(super) fn lost(verdicts: &[Verdict]) -> Vec<u32> {
    let one = |v: &Verdict| match v {
        Verdict::Drop(p, _) => Some(p.id.0),
        Verdict::DropQueued(id) | Verdict::Replace { queued: id, .. } => Some(id.0),
        Verdict::Forward(..) => None,
    };
    verdicts.iter().filter_map(one).collect()
}

/// How long after the packet before (us), which flow, what.
pub(super) type Arrival = (u64, u32, Segment);

/// Arrivals of some flows within half of all numbers, which may be those around the wrap, so that of
/// any two it is clear which is newer: close together, so that there are duplicates, or far apart.
pub(super) fn arrivals(gap: Range<u64>, flows: u32) -> impl Strategy<Value = Vec<Arrival>> {
    let base = prop_oneof![Just(0u32), Just(1 << 31), any::<u32>()];
    let step = prop_oneof![Just(1u32), Just(1448), Just(1 << 21)];
    (base, step).prop_flat_map(move |(base, step)| {
        vec((gap.clone(), 0..flows, segment(base, step)), 1..200)
    })
}

/// Mostly acknowledgements. Up to four SACK blocks: islands, duplicates reported below the number or
/// inside the second block, and blocks that are empty or inside out.
fn segment(base: u32, step: u32) -> impl Strategy<Value = Segment> {
    let number =
        (0u32..400).prop_map(move |n| base.wrapping_add(n.wrapping_sub(200).wrapping_mul(step)));
    let blocks = vec((0u32..12, 0u32..5), 1..5);
    let clock = proptest::option::of(prop_oneof![0u32..3, (u32::MAX - 2)..=u32::MAX]);
    (number, 0u8..24, blocks, clock).prop_map(move |(n, what, blocks, clock)| {
        let far = |k: u32| n.wrapping_add(k.wrapping_mul(step));
        let blocks = blocks.iter().map(|(k, long)| {
            let start = k.wrapping_sub(2);
            (far(start), far(start.wrapping_add(*long).wrapping_sub(1)))
        });
        let blocks: Vec<_> = blocks.collect();
        let segment = match what {
            0 => data(n),
            1 => flagged(n, Flags::FIN),
            2 => flagged(n, Flags::ECE),
            3 => flagged(n, Flags::SYN),
            4..8 => sack(n, &blocks),
            // Alike, so that a newer one can repeat it.
            8 | 9 => sack(n, &[(base.wrapping_sub(step), base)]),
            10 => flagged(n, Flags::CWR),
            11 => flagged(n, Flags::PSH),
            12 => flagged(n, Flags::RST),
            _ => ack(n),
        };
        Segment {
            window: if what == 13 { 0 } else { 500 },
            timestamps: clock.map(|ecr| Timestamps { val: ecr, ecr }),
            ..segment
        }
    })
}
