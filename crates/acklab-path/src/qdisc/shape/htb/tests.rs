use super::config::ENTRY;
use super::*;
use crate::packet::FlowId;
use crate::qdisc::registry::{At, INSIDE, Room};
use crate::qdisc::testing::{Plain, serve};
use acklab_proto::registry::{Kind, Nested, Param, Params, Value};
use acklab_proto::segment::Ecn;
use acklab_units::{Bytes, Rate, Span};
use proptest::prelude::*;
use std::string::ToString;
use std::vec::Vec;

fn class_params() -> &'static [Param] {
    let classes = ENTRY.params.iter().find(|p| p.name == "classes");
    match classes.unwrap().kind {
        Kind::Tables(params) => params,
        other => panic!("{other:?}"),
    }
}

/// A class in a few words.
struct C {
    name: &'static str,
    parent: &'static str,
    rate: u64,
    ceil: u64,
    prio: i64,
    flow: Option<u32>,
    quantum: u64,
}

const fn c(name: &'static str, parent: &'static str, rate: u64, ceil: u64, flow: Option<u32>) -> C {
    C {
        name,
        parent,
        rate,
        ceil,
        prio: 0,
        flow,
        quantum: 1500,
    }
}

fn values(classes: &[C]) -> Params {
    let specs = class_params();
    let table = |c: &C| {
        let mut t = Params::defaults(specs);
        let mbit = |n| Value::Rate(Rate::from_bps(n * 1_000_000));
        t.set(specs, "rate", mbit(c.rate)).unwrap();
        t.set(specs, "ceil", mbit(c.ceil)).unwrap();
        t.set(specs, "prio", Value::Int(c.prio)).unwrap();
        t.set(specs, "quantum", Value::Size(Bytes(c.quantum)))
            .unwrap();
        let word = |w: &str| Nested::Names([w.to_string()].into(), Vec::new());
        t.nest("name", word(c.name));
        if !c.parent.is_empty() {
            t.nest("parent", word(c.parent));
        }
        if let Some(flow) = c.flow {
            t.nest(
                "flow",
                Nested::Names(["f".to_string()].into(), [flow].into()),
            );
        }
        t
    };
    let mut values = Params::defaults(ENTRY.params);
    values.nest(
        "classes",
        Nested::Tables(classes.iter().map(table).collect()),
    );
    values
}

fn tree(classes: &[C]) -> Box<dyn QueueDisc> {
    let values = values(classes);
    assert_eq!((ENTRY.build.check)(&values), None);
    (ENTRY.build.make)(&values, Room::new(INSIDE, 1, "here"))
}

/// Packets of 1500 bytes that flows send in a second when all are backlogged, in Mbit/s.
fn saturated(classes: &[C], flows: &[u32]) -> Vec<f64> {
    let mut q = tree(classes);
    let (mut id, mut now) = (0, Instant::ZERO);
    let mut sent = std::vec![0u32; 16];
    let end = Instant::ZERO + Span::from_secs(10);
    let mut waiting = std::vec![0; 16];
    while now < end {
        for flow in flows {
            while waiting[*flow as usize] < 20 {
                let packet = Packet {
                    id: PacketId(id % 10_000),
                    size: 1500,
                    flow: FlowId(2 * flow),
                    ecn: Ecn::NotEct,
                };
                id += 1;
                assert_eq!(q.offer(now, packet), Enqueue::Queued);
                waiting[*flow as usize] += 1;
            }
        }
        match q.dequeue(now, &mut |_, _| unreachable!()) {
            Some(p) => {
                sent[p.flow.0 as usize / 2] += 1;
                waiting[p.flow.0 as usize / 2] -= 1;
            }
            None => now = q.next_ready().unwrap(),
        }
    }
    flows
        .iter()
        .map(|f| f64::from(sent[*f as usize]) * 12e-3 / 10.0)
        .collect()
}

fn near(rates: &[f64], expected: &[f64]) {
    for (rate, due) in rates.iter().zip(expected) {
        // Bursts, and the packet that is on credit: 3 of 1500 bytes in ten seconds.
        assert!((rate - due).abs() < 0.0045, "{rates:?} {expected:?}");
    }
}

/// tc-htb(8)'s example of sharing: each has its rate; what nobody uses goes to those who ask, by
/// their quanta; nobody passes its ceiling.
#[test]
fn rates_are_kept_and_the_rest_is_shared() {
    let classes = [
        c("all", "", 10, 10, None),
        c("a", "all", 3, 10, Some(0)),
        c("b", "all", 1, 10, Some(1)),
        c("c", "all", 2, 4, None),
    ];
    near(&saturated(&classes, &[0]), &[10.0]);
    near(&saturated(&classes, &[2]), &[4.0]);
    // 6 of 10 are their own; the three share 4 equally until c reaches its ceiling.
    let thirds = [3.0 + 4.0 / 3.0, 1.0 + 4.0 / 3.0, 2.0 + 4.0 / 3.0];
    near(&saturated(&classes, &[0, 1, 2]), &thirds);
    near(&saturated(&classes, &[0, 1]), &[3.0 + 3.0, 1.0 + 3.0]);
    near(&saturated(&classes, &[0, 2]), &[6.0, 4.0]);
}

#[test]
fn what_is_left_goes_by_quantum_and_by_priority() {
    let weighted = |q0, q1, prio| {
        let mut classes = [
            c("all", "", 10, 10, None),
            c("a", "all", 1, 10, Some(0)),
            c("b", "all", 1, 10, None),
        ];
        (classes[1].quantum, classes[2].quantum, classes[2].prio) = (q0, q1, prio);
        saturated(&classes, &[0, 1])
    };
    near(&weighted(4500, 1500, 0), &[1.0 + 6.0, 1.0 + 2.0]);
    near(&weighted(1500, 1500, 1), &[9.0, 1.0]);
}

/// Whoever borrows from lower down comes first: cousins get nothing of what a subtree has left.
#[test]
fn subtrees_keep_what_is_theirs() {
    let classes = [
        c("all", "", 12, 12, None),
        c("left", "all", 8, 12, None),
        c("right", "all", 4, 12, None),
        c("a", "left", 2, 12, Some(0)),
        c("b", "left", 2, 12, Some(1)),
        c("c", "right", 4, 12, None),
    ];
    near(&saturated(&classes, &[0, 1, 2]), &[4.0, 4.0, 4.0]);
    near(&saturated(&classes, &[0, 2]), &[8.0, 4.0]);
    near(&saturated(&classes, &[2]), &[12.0]);
}

/// A rate of 7 Mbit/s, at which no packet takes whole nanoseconds, holds to the packet.
#[test]
fn a_rate_holds_exactly() {
    let mut q = tree(&[c("all", "", 7, 7, None)]);
    for id in 0..1000 {
        let packet = Packet {
            id: PacketId(id),
            size: 1500,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        assert_eq!(q.offer(Instant::ZERO, packet), Enqueue::Queued);
    }
    let sent = serve(&mut *q, Instant::ZERO);
    // A packet leaves while there are tokens: 1600 bytes let two go, and then 100 bytes are left of two
    // packets' 3000: 999 packets less what the bucket held.
    let (last, _) = sent[999];
    let due = (999 * 12_000 - 1600 * 8) as f64 / 7e6;
    assert!((last.as_secs_f64() - due).abs() < 2e-9, "{last:?} {due}");
}

#[test]
fn mistakes_are_told() {
    let told = |classes: &[C]| (ENTRY.build.check)(&values(classes)).map(|m| m.at);
    let at = |i, key| Some([At::Key("classes"), At::Index(i), At::Key(key)].to_vec());
    assert_eq!(told(&[]), Some([At::Key("classes")].to_vec()));
    assert_eq!(told(&[c("a", "b", 1, 1, None)]), at(0, "parent"));
    assert_eq!(told(&[c("a", "", 2, 1, None)]), at(0, "ceil"));
    assert_eq!(told(&[c("a", "", 1, 1, Some(0))]), at(0, "flow"));
    let twice = [c("a", "", 1, 1, Some(0)), c("a", "", 1, 1, None)];
    assert_eq!(told(&twice), at(1, "name"));
    let inner = [c("a", "", 1, 1, Some(0)), c("b", "a", 1, 1, None)];
    assert_eq!(told(&inner), at(0, "flow"));
    const NAMES: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    let deep: Vec<_> = (0..9)
        .map(|i| c(NAMES[i], if i == 0 { "" } else { NAMES[i - 1] }, 1, 1, None))
        .collect();
    assert_eq!(told(&deep), at(8, "parent"));
    assert_eq!(told(&deep[..8]), None);
}

proptest! {
    /// Whatever comes and goes and is taken out, the books balance, and a flow's packets keep their order.
    #[test]
    fn order_and_books_are_kept(steps in prop::collection::vec((0u8..6, 0u32..4, 0u64..3000), 0..300)) {
        let mut q = tree(&[
            c("all", "", 10, 10, None),
            c("a", "all", 3, 10, Some(0)),
            c("b", "all", 1, 4, Some(1)),
            c("c", "all", 2, 2, None),
        ]);
        let (mut now, mut out) = (Instant::ZERO, 0);
        let mut last = [None; 4];
        for (id, (what, flow, us)) in (0..).zip(steps) {
            now += Span::from_micros(us);
            match what {
                0..3 => {
                    let p = Packet { id: PacketId(id), size: 1500, flow: FlowId(2 * flow), ecn: Ecn::NotEct };
                    prop_assert_eq!(q.offer(now, p), Enqueue::Queued);
                }
                3 => out += u32::from(q.remove(PacketId(id / 2)).is_some()),
                _ => if let Some(p) = q.dequeue(now, &mut |_, _| unreachable!()) {
                    let last = &mut last[p.flow.0 as usize / 2];
                    prop_assert!(last.is_none_or(|l| l < p.id));
                    *last = Some(p.id);
                    out += 1;
                }
            }
            prop_assert_eq!(q.stats().enqueued, u64::from(out + q.stats().packets));
        }
        let left = q.stats().packets as usize;
        prop_assert_eq!(serve(&mut *q, now).len(), left);
    }
}

proptest! {
    /// Whoever does not ask while all is quiet gets the same packets at the same times, and the same counters.
    #[test]
    fn a_request_while_all_is_quiet_changes_nothing(steps in prop::collection::vec((0u32..3, 0u64..3000), 1..300)) {
        let classes = [
            c("all", "", 5, 6, None),
            c("a", "all", 3, 5, Some(0)),
            c("b", "all", 1, 6, Some(1)),
            c("c", "", 2, 2, None),
        ];
        let (mut eager, mut patient) = (tree(&classes), tree(&classes));
        let mut now = Instant::ZERO;
        for (id, (flow, us)) in (0..).zip(steps) {
            now += Span::from_micros(us);
            let p = Packet { id: PacketId(id), size: 1500, flow: FlowId(2 * flow), ecn: Ecn::NotEct };
            prop_assert_eq!(eager.offer(now, p), patient.offer(now, p));
            loop {
                let quiet = patient.quiet_until().is_some_and(|at| at > now);
                let due = eager.dequeue(now, &mut |_, _| unreachable!());
                let next = match quiet {
                    true => None,
                    false => patient.dequeue(now, &mut |_, _| unreachable!()),
                };
                prop_assert_eq!(next, due);
                prop_assert_eq!(patient.next_ready(), eager.next_ready());
                if due.is_none() {
                    break;
                }
            }
        }
        prop_assert_eq!(eager.classes(), patient.classes());
    }
}

/// By hand: two leaves of 4 and 1 Mbit/s under 5 Mbit/s, one of them busy. Its first packet leaves on its own
/// tokens; the burst of 1600 bytes is gone with the second, and then it borrows four in five.
#[test]
fn classes_count_as_tc_does() {
    let classes = [
        c("all", "", 5, 5, None),
        c("busy", "all", 1, 5, Some(0)),
        c("rest", "all", 4, 5, None),
    ];
    let mut q = tree(&classes);
    let packet = |id| Packet {
        id: PacketId(id),
        size: 1500,
        flow: FlowId(0),
        ecn: Ecn::NotEct,
    };
    for id in 0..101 {
        assert_eq!(q.offer(Instant::ZERO, packet(id)), Enqueue::Queued);
    }
    let mut now = Instant::ZERO;
    for _ in 0..100 {
        while q.dequeue(now, &mut |_, _| unreachable!()).is_none() {
            now = q.next_ready().unwrap();
        }
    }
    let rows = q.classes();
    let row = |name: &str| match rows.iter().find(|r| r.name == name).unwrap().counts {
        Counts::Class(class) => class,
        Counts::Whole(_) | Counts::Tin(_) | Counts::Queue(_) => panic!("no class"),
    };
    let (all, busy, rest) = (row("all"), row("busy"), row("rest"));
    assert_eq!((busy.packets, busy.bytes), (100, 150_000));
    assert_eq!((all.packets, all.bytes), (100, 150_000));
    // Whatever the leaf borrows its parent lends; nobody is above the parent.
    assert_eq!(busy.lended + busy.borrowed, 100);
    assert_eq!((all.lended, all.borrowed), (busy.borrowed, 0));
    assert!((19..=22).contains(&busy.lended), "{busy:?}");
    assert_eq!((busy.backlog, all.backlog), ((1500, 1), (0, 0)));
    assert_eq!((busy.turn, all.turn), (Some((0, 1500)), None));
    assert_eq!((all.level, busy.level), (7, 0));
    // A burst covers the first packet, and the second stops the root. That it may send again it notices when a
    // leaf wants to borrow from it.
    assert_eq!((all.overlimits, rest.overlimits), (1 + all.lended, 0));
    assert_eq!(rest.packets, 0);
}

/// A CAKE inside a class and its tins have the name of the class before their own.
#[test]
fn the_tins_inside_a_class_bear_its_name() {
    let mut values = values(&[c("dsl", "", 5, 5, None)]);
    let mut dsl = values.tables("classes")[0].clone();
    let cake = crate::qdisc::cake::ENTRY;
    let block = acklab_proto::registry::Block {
        name: cake.name,
        limit: None,
        params: Params::defaults(cake.params),
    };
    dsl.nest("child", Nested::Block(block));
    values.nest("classes", Nested::Tables([dsl].into()));
    let q = (ENTRY.build.make)(&values, Room::new(INSIDE, 1, "here"));
    let names: Vec<_> = q.classes().into_iter().map(|r| r.name).collect();
    assert_eq!(
        names,
        [
            "dsl",
            "dsl/cake",
            "dsl/Bulk",
            "dsl/Best Effort",
            "dsl/Voice"
        ]
    );
}
