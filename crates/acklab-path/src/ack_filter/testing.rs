//! Segments and packets for the filters' tests.

use super::{AckFilter, Build, Verdict};
use crate::packet::{FlowId, Packet, PacketId};
use acklab_proto::registry::{Entry, Params, Value};
use acklab_proto::segment::{Ecn, Flags, SackBlock, SackBlocks, Segment};
use acklab_units::{Instant, SeqNum};
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

/// What the filter says to packet `id` of `flow` at `us` microseconds.
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
