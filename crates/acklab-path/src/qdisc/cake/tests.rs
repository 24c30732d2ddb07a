use super::*;
use crate::packet::FlowId;
use crate::qdisc::registry::Room;
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Params, Value};
use acklab_proto::segment::Ecn;
use acklab_units::{Bytes, Span};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn cake(set: &[(&str, Value)]) -> Cake {
    let mut values = Params::defaults(ENTRY.params);
    for (name, value) in set {
        values.set(ENTRY.params, name, *value).unwrap();
    }
    let room = Room::new(ENTRY.build.limit, 7, "link/a->b/qdisc");
    Cake::new(Config::from_values(&values, &room), room.rng())
}

fn mbit(n: u64) -> (&'static str, Value) {
    ("bandwidth", Value::Rate(Rate::from_bps(n * 1_000_000)))
}

fn word(name: &'static str, w: &'static str) -> (&'static str, Value) {
    (name, Value::Choice(w))
}

fn packet(id: u32, flow: u32, size: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size,
        flow: FlowId(flow),
        ecn: Ecn::NotEct,
    }
}

fn label(flow: u32, from: u32, to: u32, dscp: u8) -> Label {
    Label {
        flow,
        from,
        to,
        dscp: Dscp::new(dscp).unwrap(),
    }
}

fn at(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

/// Bytes that left of each label, when all of them have a queue that never runs empty and has room for
/// `deep` packets, from the start to `end`.
fn served(q: &mut Cake, labels: &[Label], deep: u32, end: Instant) -> Vec<u64> {
    let mut waiting = std::vec![0u32; labels.len()];
    let mut bytes = std::vec![0u64; labels.len()];
    let (mut now, mut id) = (Instant::ZERO, 0);
    while now < end {
        for (i, label) in labels.iter().enumerate() {
            while waiting[i] < deep {
                waiting[i] += 1;
                id = (id + 1) % 100_000;
                let fate = q.enqueue(now, packet(id, i as u32, 1500), *label);
                assert_eq!(fate, Enqueue::Queued);
            }
        }
        let next = q.dequeue(now, &mut |p, _| waiting[p.flow.0 as usize] -= 1);
        match next {
            Some(p) => {
                waiting[p.flow.0 as usize] -= 1;
                bytes[p.flow.0 as usize] += u64::from(p.size);
            }
            None => now = q.next_ready().expect("packets wait"),
        }
    }
    bytes
}

/// The rate on the line, whatever it is made of, and whatever the sizes of the packets.
#[test]
fn the_rate_holds_with_every_keyword() {
    for (framing, full, small) in overhead::tests::BY_HAND {
        for (rate, odd) in [(10u64, 0), (937, 1)] {
            let bps = rate * 1_000_000 + odd;
            let bandwidth = ("bandwidth", Value::Rate(Rate::from_bps(bps)));
            let mut q = cake(&[bandwidth, word("framing", framing)]);
            let (mut now, mut line, mut id) = (Instant::ZERO, 0, 0);
            for _ in 0..20_000 {
                while q.stats().packets < 4 {
                    id = (id + 1) % 1000;
                    let size = if id % 3 == 0 { 40 } else { 1500 };
                    q.enqueue(now, packet(id, id % 2, size), Label::of(FlowId(id % 2)));
                }
                now = now.max(q.next_ready().unwrap());
                let sent = q.dequeue(now, &mut |_, _| {}).expect("it is time");
                line += if sent.size == 40 { small } else { full };
            }
            let end = q.shaper.unwrap().opens();
            let measured = line as f64 * 8e9 / end.as_nanos() as f64;
            let error = (measured / bps as f64 - 1.0).abs();
            assert!(error < 1e-4, "{framing} at {bps}: {measured}");
        }
    }
}

/// Weighted max-min for queues that are never empty: equal shares per flow, or per host and then per
/// flow. `n` flows of one host against one flow of another.
#[test]
fn shares_are_max_min_per_flow_and_per_host() {
    for n in [1u32, 2, 4, 8, 16, 32] {
        for (mode, one) in [
            ("flows", 1.0 / f64::from(n + 1)),
            ("dual-srchost", 0.5),
            ("triple-isolate", 0.5),
            ("srchost", 0.5),
            // All go to the same host: by destination they are one.
            ("dual-dsthost", 1.0 / f64::from(n + 1)),
            ("hosts", 0.5),
        ] {
            let mut labels: Vec<_> = (0..n).map(|i| label(i, 100, 900, 0)).collect();
            labels.push(label(n, 200, 900, 0));
            let mut q = cake(&[mbit(100), word("isolation", mode)]);
            // Deep enough for a turn, too short for COBALT.
            let bytes = served(&mut q, &labels, 2, at(8_000_000));
            let all: u64 = bytes.iter().sum();
            let share = bytes[n as usize] as f64 / all as f64;
            let expected = if mode == "triple-isolate" && n > 0 {
                // Its destination is busy with all flows: the larger load counts.
                triple(n)
            } else {
                one
            };
            assert!(
                (share / expected - 1.0).abs() < 0.02,
                "{mode} {n}: {share} {expected}"
            );
        }
    }
}

/// With triple isolation the quantum goes by the busier host of the two: here the destination, which
/// all flows share.
fn triple(n: u32) -> f64 {
    1.0 / f64::from(n + 1)
}

/// Each flow its own destination: triple isolation is fair to sources, as the dual mode is.
#[test]
fn triple_isolation_is_fair_to_sources_of_many_destinations() {
    for n in [1u32, 2, 8, 32] {
        let mut labels: Vec<_> = (0..n).map(|i| label(i, 100, 900 + i, 0)).collect();
        labels.push(label(n, 200, 800, 0));
        let mut q = cake(&[mbit(100)]);
        let bytes = served(&mut q, &labels, 2, at(8_000_000));
        let all: u64 = bytes.iter().sum();
        let share = bytes[n as usize] as f64 / all as f64;
        assert!((share - 0.5).abs() < 0.01, "{n}: {share}");
    }
}

/// Voice gets a quarter first, bulk what is left of a sixteenth: beyond its threshold a class goes by
/// when it will be within it again.
#[test]
fn a_class_goes_first_up_to_its_threshold() {
    // EF against best effort, both always there: 1/4 for voice by schedule.
    let labels = [label(0, 1, 2, 46), label(1, 3, 4, 0)];
    let bytes = served(&mut cake(&[mbit(100)]), &labels, 3, at(4_000_000));
    let voice = bytes[0] as f64 / (bytes[0] + bytes[1]) as f64;
    assert!((0.19..=0.26).contains(&voice), "{voice}");
    // Alone it has all.
    let alone = served(&mut cake(&[mbit(100)]), &labels[..1], 3, at(1_000_000));
    assert!(alone[0] as f64 * 8.0 > 99.9e6);
    // In one class the codepoint says nothing.
    let mut q = cake(&[mbit(100), word("diffserv", "besteffort")]);
    let bytes = served(&mut q, &labels, 3, at(4_000_000));
    assert!((bytes[0] as f64 / bytes[1] as f64 - 1.0).abs() < 0.01);
}

/// Without a shaper classes take turns by quantum: 1024 against 256.
#[test]
fn without_a_shaper_classes_have_turns() {
    let mut q = cake(&[]);
    let labels = [label(0, 1, 2, 46), label(1, 3, 4, 0)];
    let mut bytes = [0u64; 2];
    for id in 0..20_000u32 {
        while q.stats().packets < 20 {
            let i = q.tins[2].backlog >= q.tins[0].backlog;
            let flow = usize::from(i);
            q.enqueue(at(0), packet(id, flow as u32, 1500), labels[flow]);
        }
        let p = q.dequeue(at(0), &mut |_, _| {}).unwrap();
        bytes[p.flow.0 as usize] += 1500;
    }
    let ratio = bytes[1] as f64 / bytes[0] as f64;
    assert!((ratio - 4.0).abs() < 0.05, "{ratio}");
}

/// The fattest queue pays, from its head; a flow that sends little loses nothing.
#[test]
fn a_full_memory_drops_the_head_of_the_fattest_queue() {
    let memlimit = ("memlimit", Value::Size(Bytes(100_000)));
    let mut q = cake(&[mbit(1), memlimit]);
    q.enqueue(at(0), packet(0, 0, 1500), Label::of(FlowId(0)));
    let mut gone = Vec::new();
    for id in 1..100 {
        if let Enqueue::Evicted(p, why) =
            q.enqueue(at(0), packet(id, 2, 1500), Label::of(FlowId(2)))
        {
            assert_eq!(why, DropReason::QueueFull);
            gone.push(p.id.0);
        }
    }
    // 43 packets of 2304 bytes fit, and the first is of another flow.
    assert_eq!(gone, (1..=57).collect::<Vec<_>>());
    assert!(q.memory <= 100_000);
}

/// Dropped packets cost time at the exit of the bottleneck, and only there.
#[test]
fn an_ingress_shaper_counts_what_it_drops() {
    let sent = |ingress: bool| {
        let mut q = cake(&[mbit(10), ("ingress", Value::Bool(ingress))]);
        served(&mut q, &[label(0, 1, 2, 0)], 60, at(20_000_000))[0] as f64 * 8.0 / 20e6
    };
    let (egress, ingress) = (sent(false), sent(true));
    assert!((egress - 10.0).abs() < 0.01, "{egress}");
    assert!(
        ingress < 9.5 && ingress > 10.0 * 2.0 / 3.0 - 0.01,
        "{ingress}"
    );
}

#[test]
fn rows_count_as_tc_does() {
    let mut q = cake(&[mbit(10), word("framing", "docsis")]);
    let idle = q.whole();
    assert_eq!((idle.network_sizes, idle.adjusted_sizes), (None, None));
    q.enqueue(at(0), packet(0, 0, 1500), label(0, 1, 2, 46));
    q.enqueue(at(0), packet(1, 1, 40), label(1, 1, 2, 8));
    q.enqueue(at(0), packet(2, 1, 60), label(1, 1, 2, 8));
    q.dequeue(at(1000), &mut |_, _| {});
    // The shaper is busy.
    assert!(q.dequeue(at(1000), &mut |_, _| {}).is_none());
    q.remove(PacketId(1)).unwrap();
    let rows = q.classes();
    let names: Vec<_> = rows.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["cake", "Bulk", "Best Effort", "Voice"]);
    let expected = WholeRow {
        packets: 1,
        bytes: 1500,
        dropped: 1,
        overlimits: 1,
        backlog: (60, 1),
        memory_used: truesize(1500) + truesize(40) + truesize(60),
        memory_limit: 4 << 20,
        capacity: Some(Rate::from_bps(10_000_000)),
        network_sizes: Some((40, 1500)),
        adjusted_sizes: Some((64, 1518)),
    };
    assert_eq!(rows[0].counts, Counts::Whole(expected));
    let [bulk, effort, voice] = q.tin_rows().collect::<Vec<_>>()[..] else {
        panic!("three tins");
    };
    assert_eq!(rows[1].counts, Counts::Tin(bulk));
    assert_eq!((bulk.packets, bulk.ack_drops, bulk.backlog), (2, 1, 60));
    assert_eq!(effort.packets, 0);
    assert_eq!((voice.packets, voice.bytes), (1, 1500));
    // 1 ms, in a mean that takes a 256th.
    assert_eq!(voice.average_delay, Span::from_nanos(1_000_000 >> 8));
}

/// What arrives, not what the shaper does with it.
#[test]
fn the_capacity_is_what_autorate_estimates() {
    let mut q = cake(&[mbit(100), ("autorate_ingress", Value::Bool(true))]);
    let capacity = |q: &Cake| q.whole().capacity.unwrap().as_bps() as f64 / 1e6;
    assert_eq!(capacity(&q), 100.0);
    for i in 0..50_000u64 {
        let hair = if i % 10 == 0 { 10 } else { 0 };
        let now = at(1200 * i + hair);
        q.enqueue(now, packet((i % 1000) as u32, 0, 1500), label(0, 1, 2, 0));
        q.dequeue(now, &mut |_, _| {});
    }
    assert!((capacity(&q) - 10.0).abs() < 0.1, "{}", capacity(&q));
    let none = cake(&[]);
    assert_eq!(none.whole().capacity, None);
}

proptest! {
    /// Conservation, order within flows, limits, and a queue that runs empty in the end.
    #[test]
    fn packets_leave_once_and_in_order(
        shaped in any::<bool>(), ingress in any::<bool>(), mode in 0usize..8, tins in 0usize..5,
        traffic in prop::collection::vec(
            (0u64..40, prop::collection::vec((0u32..40, 40u32..1500, 0u8..64), 0..12), 0usize..8), 1..80),
    ) {
        let modes = ["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost",
            "dual-dsthost", "triple-isolate"];
        let classes = ["besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"];
        let bandwidth = if shaped { mbit(2).1 } else { Value::Auto };
        let mut q = cake(&[
            ("bandwidth", bandwidth), ("ingress", Value::Bool(ingress)),
            word("isolation", modes[mode]), word("diffserv", classes[tins]),
            ("memlimit", Value::Size(Bytes(65_536))),
        ]);
        let (mut now, mut id, mut gone) = (Instant::ZERO, 0u32, 0u32);
        let mut last = BTreeMap::new();
        for (wait, arrivals, departures) in traffic {
            now += Span::from_millis(wait);
            for (flow, size, dscp) in arrivals {
                // A flow has one class.
                let dscp = (dscp & 0x30) | (flow as u8 & 15);
                let l = label(flow * 64 + u32::from(dscp), flow % 5, flow % 7, dscp);
                let p = packet(id, l.flow, size);
                gone += u32::from(q.enqueue(now, p, l) != Enqueue::Queued);
                while q.evicted().is_some() {
                    gone += 1;
                }
                id += 1;
                prop_assert!(q.memory <= 65_536);
            }
            for _ in 0..departures {
                let head = q.dequeue(now, &mut |_, _| gone += 1);
                if let Some(p) = head {
                    gone += 1;
                    let before = last.insert(p.flow, p.id);
                    prop_assert!(before < Some(p.id));
                }
            }
            prop_assert_eq!(id, gone + q.stats().packets);
        }
        for _ in 0..20_000 {
            if q.stats().packets == 0 {
                break;
            }
            now = now.max(q.next_ready().unwrap_or(now));
            q.dequeue(now, &mut |_, _| {});
        }
        prop_assert_eq!((q.stats().packets, q.memory), (0, 0));
        prop_assert!(q.tins.iter().all(|t| t.backlog == 0));
    }
}
