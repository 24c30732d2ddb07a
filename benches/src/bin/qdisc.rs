//! Cost of a packet in each queue discipline: an arrival and a departure, by the number of flows.
//!
//! `cargo run --release -p acklab-benches --bin qdisc [runs] [discipline ...]`
//!
//! Two packets of each flow wait, in shapers 20 in all. A packet of a flow that is drawn arrives each us, and one leaves, so
//! that with many flows each finds its rows cold. Timers run as a link runs them. Nothing waits long
//! enough for a control law to act; shapers are faster than what arrives.

use acklab_benches::{in_turns, ns_per};
use acklab_path::packet::{FlowId, Label, Packet, PacketId};
use acklab_path::qdisc::registry::{Build, Counts, DISCIPLINES, Room};
use acklab_path::qdisc::{Enqueue, Limit, QueueDisc};
use acklab_proto::registry::{Entry, Params};
use acklab_proto::rng::{self, RngCore};
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Span};

const FLOWS: [u32; 3] = [1, 100, 1000];
const PACKETS: u64 = 1_000_000;
/// Packets that wait in a shaper, over the FIFO that it has by default.
const IN_SHAPERS: u32 = 20;
const GAP: Span = Span::from_micros(1);

fn main() {
    let mut args = std::env::args().skip(1);
    let runs = args.next().and_then(|n| n.parse().ok()).unwrap_or(5);
    let names: Vec<_> = args.collect();
    let chosen = |e: &&Entry<_>| names.is_empty() || names.iter().any(|n| n == e.name);
    println!(
        "{:<16} {:>8} {:>8} {:>8}   (ns a packet, by flows)",
        "", FLOWS[0], FLOWS[1], FLOWS[2]
    );
    for entry in DISCIPLINES.iter().filter(chosen) {
        let times = in_turns(runs, &FLOWS, |flows| packets(entry, *flows));
        let times: Vec<_> = times
            .iter()
            .map(|t| format!("{:>8.1}", ns_per(*t, PACKETS)))
            .collect();
        println!("{:<16} {}", entry.name, times.join(" "));
    }
}

fn room(entry: &Entry<Build>, flows: u32) -> Room {
    let packets = 100 * flows + 1000;
    let limit = match entry.build.counts {
        Counts::Bytes => Limit::Bytes(u64::from(packets) * 1500),
        Counts::Inside => entry.build.limit,
        _ => Limit::Packets(packets),
    };
    Room::new(limit, 1, "bench")
}

/// Whatever arrives has the number of what left last.
fn packets(entry: &Entry<Build>, flows: u32) -> u64 {
    let params = Params::defaults(entry.params);
    let mut q: Box<dyn QueueDisc> = (entry.build.make)(&params, room(entry, flows));
    let mut rng = rng::stream(1, "bench");
    let mut now = Instant::ZERO;
    let mut offer = |q: &mut Box<dyn QueueDisc>, now, id| {
        let flow = 2 * (rng.next_u32() % flows);
        let packet = Packet {
            id,
            size: 1500,
            flow: FlowId(flow),
            ecn: Ecn::NotEct,
        };
        assert_eq!(
            q.enqueue(now, packet, Label::of(packet.flow)),
            Enqueue::Queued
        );
    };
    let waiting = match entry.build.counts {
        Counts::Inside => IN_SHAPERS,
        _ => 2 * flows,
    };
    (0..waiting).for_each(|id| offer(&mut q, now, PacketId(id)));
    let mut free = PacketId(waiting);
    for _ in 0..PACKETS {
        now += GAP;
        while let Some(at) = q.next_wakeup().filter(|at| *at <= now) {
            q.on_wakeup(at, &mut |_, _| ());
        }
        offer(&mut q, now, free);
        let mut dropped = None;
        let left = q.dequeue(now, &mut |p, _| dropped = Some(p.id));
        free = left.map(|p| p.id).or(dropped).expect("one waits");
    }
    q.stats().dequeued
}
