//! The recorded events as columns.

use super::Table;
use super::cells::{at, seconds};
use crate::plan::Plan;
use crate::record::packets::{PacketRecord, Packets, TapPoint};
use crate::record::{AckRecord, EventRecord};
use acklab_path::packet::{DropReason, FlowId};
use acklab_proto::datagram::Datagram;
use acklab_proto::segment::{Ecn, Flags, Segment};

pub(super) fn events(rows: &[EventRecord], plan: &Plan) -> Table<'static> {
    let mut t = Table::default();
    let r = || rows.iter();
    t.numbers("time_s", r().map(|e| at(e.at)))
        .coded("flow", r().map(|e| Some(flow_name(plan, e.flow))))
        .coded("event", r().map(|e| Some(e.kind.name())))
        .coded("cause", r().map(|e| e.cause))
        .numbers("value", r().map(|e| e.value));
    t
}

pub(super) fn acks(rows: &[AckRecord], plan: &Plan) -> Table<'static> {
    let mut t = Table::default();
    let r = || rows.iter();
    let link = |l: u32| plan.links[l as usize].name.as_str();
    t.numbers("time_s", r().map(|a| at(a.at)))
        .coded("flow", r().map(|a| Some(flow_name(plan, a.flow))))
        .coded("what", r().map(|a| Some(a.what.name())))
        .coded("reason", r().map(|a| a.what.reason()))
        .coded("link", r().map(|a| a.link.map(link)))
        .numbers("ack_bytes", r().map(|a| a.ack))
        .numbers("segments", r().map(|a| a.segments))
        .numbers("delay_s", r().map(|a| a.delay.map_or(f64::NAN, seconds)));
    t
}

pub(super) fn packets(packets: &Packets, plan: &Plan) -> Table<'static> {
    let mut t = Table::default();
    let r = || packets.iter();
    t.numbers("time_ns", r().map(|p| p.at.as_nanos()))
        .coded("point", r().map(|p| Some(point(plan, p.point))))
        .numbers("packet", r().map(|p| p.packet))
        .coded("flow", r().map(|p| Some(flow_name(plan, p.flow.0 / 2))))
        .coded("direction", r().map(|p| Some(direction(&p))))
        .coded("what", r().map(|p| Some(p.what.name())))
        .coded("reason", r().map(|p| p.reason.map(DropReason::name)))
        .numbers("size", r().map(|p| p.size))
        .numbers("seq", r().map(|p| number(&p)))
        .numbers("ack", r().map(|p| tcp(&p, |s| s.ack.0)))
        .numbers("len", r().map(|p| p.datagram.payload()))
        .numbers("flags", r().map(|p| tcp(&p, |s| s.flags.0)))
        .numbers("window", r().map(|p| tcp(&p, |s| s.window)))
        .numbers(
            "window_bytes",
            windows(packets, plan.flows.len()).into_iter(),
        )
        .coded("ecn", r().map(|p| Some(ecn(p.ecn))))
        .numbers("ts_val", r().map(|p| stamp(&p).0))
        .numbers("ts_ecr", r().map(|p| stamp(&p).1));
    let (mut edges, mut ends) = (Vec::new(), Vec::with_capacity(packets.len()));
    for p in packets.iter() {
        if let Some(segment) = p.datagram.tcp() {
            let blocks = segment.sack.as_slice();
            edges.extend(blocks.iter().flat_map(|b| [b.start.0, b.end.0]));
        }
        ends.push(edges.len() as i64);
    }
    t.lists("sack", edges, ends);
    t
}

/// The windows that the segments offer, in bytes (RFC 7323, 2.2): shifted as the SYN of their
/// direction said, if the SYNs of both directions had the option; that of a SYN itself as it is.
fn windows(packets: &Packets, flows: usize) -> Vec<u64> {
    let ways = (0..2 * flows as u32).map(FlowId);
    let mut shifts: Vec<_> = ways.map(|way| packets.scale_before(way)).collect();
    let mut window = |p: PacketRecord<'_>| {
        let (own, other) = (p.flow.0 as usize, p.flow.0 as usize ^ 1);
        let Some(segment) = p.datagram.tcp() else {
            return 0;
        };
        if segment.flags.contains(Flags::SYN) {
            shifts[own] = segment.syn.window_scale;
            return u64::from(segment.window);
        }
        let shift = shifts[own].filter(|_| shifts[other].is_some());
        u64::from(segment.window) << shift.unwrap_or(0)
    };
    packets.iter().map(&mut window).collect()
}

fn flow_name(plan: &Plan, flow: u32) -> &str {
    &plan.flows[flow as usize].name
}

fn point(plan: &Plan, point: TapPoint) -> &str {
    match point {
        TapPoint::Link(l) => &plan.links[l as usize].name,
        TapPoint::Host(h) => {
            let flow = &plan.flows[(h / 2) as usize];
            let node = if h % 2 == 0 { flow.src } else { flow.dst };
            &plan.nodes[node]
        }
    }
}

fn direction(p: &PacketRecord<'_>) -> &'static str {
    if p.flow.0.is_multiple_of(2) {
        "forward"
    } else {
        "reverse"
    }
}

/// The codepoint as RFC 3168 spells it.
fn ecn(codepoint: Ecn) -> &'static str {
    match codepoint {
        Ecn::NotEct => "Not-ECT",
        Ecn::Ect0 => "ECT(0)",
        Ecn::Ect1 => "ECT(1)",
        Ecn::Ce => "CE",
    }
}

/// Not a number without the option.
fn stamp(p: &PacketRecord<'_>) -> (f64, f64) {
    let both = |t: acklab_proto::segment::Timestamps| (f64::from(t.val), f64::from(t.ecr));
    let timestamps = p.datagram.tcp().and_then(|s| s.timestamps);
    timestamps.map_or((f64::NAN, f64::NAN), both)
}

/// A field of TCP's header; zero in packets of another protocol.
fn tcp<N: Default>(p: &PacketRecord<'_>, field: impl FnOnce(&Segment) -> N) -> N {
    p.datagram.tcp().map_or(N::default(), field)
}

/// TCP's sequence number, TACK's packet number, or the number that an opaque packet carries, modulo
/// 2^32.
fn number(p: &PacketRecord<'_>) -> u32 {
    match p.datagram {
        Datagram::Tcp(segment) => segment.seq.0,
        Datagram::Opaque(opaque) => opaque.number as u32,
        Datagram::Tack(packet) => packet.header.number as u32,
    }
}
