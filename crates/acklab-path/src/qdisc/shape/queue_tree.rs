//! The queue tree of RouterOS: HTB in other words.
//!
//! `limit-at` is the rate of a queue, `max-limit` its ceiling, priorities count from 1. The facts are
//! from RouterOS' manual, "Queues" and "HTB": buckets hold `bucket-size` seconds of their rate, a
//! queue without `limit-at` lives on what it borrows, and a queue without a parent may send up to its
//! `max-limit`. The default queue type is a FIFO of 50 packets.

use super::framing;
use super::htb::check::check_tree;
use super::htb::config::{DefaultChild, MATCH, Shares, TREE, make_tree};
use super::tbf::CHILD;
use crate::qdisc::registry::{Build, Counts, INSIDE, Mistake};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Limit, Rate};
use alloc::boxed::Box;

const QUEUE: &[Param] = &[
    TREE[0],
    TREE[1],
    Param {
        name: "max_limit",
        doc: "Highest rate that the queue may reach (RouterOS: max-limit). Required.",
        kind: Kind::Rate,
        default: Value::Rate(Rate::MAX),
    },
    Param {
        name: "limit_at",
        doc: "Rate that the queue is sure of (RouterOS: limit-at). none: without `parent` its `max_limit`, otherwise only what it borrows.",
        kind: Kind::OptRate,
        default: Value::Auto,
    },
    Param {
        name: "priority",
        doc: "Priority: queues with a smaller number borrow first (RouterOS: priority, 8 by default).",
        kind: Kind::Int(1, 8),
        default: Value::Int(8),
    },
    Param {
        name: "bucket_size",
        doc: "Size of the queue's buckets in seconds of their rates: what may leave at once (RouterOS: bucket-size, 0.1 by default).",
        kind: Kind::Float(0.0, 10.0),
        default: Value::Float(0.1),
    },
    MATCH[0],
    MATCH[1],
    MATCH[2],
    MATCH[3],
    CHILD,
];

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "queue-tree",
    aliases: &["queue_tree"],
    summary: "Queue tree of RouterOS: HTB with limit-at, max-limit and priority.",
    source: "RouterOS manual, Queues and HTB; Linux net/sched/sch_htb.c",
    params: &[
        framing::PARAMS[0],
        framing::PARAMS[1],
        framing::PARAMS[2],
        Param {
            name: "queues",
            doc: "The queues. A packet goes to the first queue without children that accepts it, and to the last one if no other does; `flow`, `from`, `to` and `dscp` stand in for packet marks. Required.",
            kind: Kind::Tables(QUEUE),
            default: Value::Auto,
        },
    ],
    build: Build {
        limit: INSIDE,
        counts: Counts::Inside,
        check,
        make: |values, room| Box::new(make_tree(values, "queues", &room, DEFAULT, &shares)),
    },
};

/// The default queue type: a FIFO of 50 packets.
const DEFAULT: DefaultChild = ("pfifo", Some(Limit::Packets(50)));

/// A rate of next to nothing, for queues that live on loans.
const NOTHING: Rate = Rate::from_bps(1);
/// Bytes of a bucket that lets single packets pass.
const LEAST: u64 = 1;

fn check(values: &Params) -> Option<Mistake> {
    check_tree(values, "queues", &|queue| {
        let most = queue.rate("max_limit").unwrap_or(Rate::MAX);
        if most.is_unlimited() {
            let hint = "write max_limit = \"10 Mbit/s\"";
            return Some(("max_limit", "a queue needs a limit", hint));
        }
        let low = queue.rate("limit_at").is_some_and(|own| own > most);
        low.then_some((
            "limit_at",
            "this is above `max_limit`",
            "write `max_limit` or less",
        ))
    })
}

fn shares(queue: &Params) -> Shares {
    let most = queue.rate("max_limit").unwrap_or(Rate::MAX);
    let root = queue.names("parent").is_empty();
    let own = queue
        .rate("limit_at")
        .unwrap_or(if root { most } else { NOTHING });
    let bucket = |rate: Rate| {
        let bytes = rate.as_bps() as f64 / 8.0 * queue.float("bucket_size");
        // To the nearest: 0.0012 s of 10 Mbit/s are 1500 bytes, which a float just misses.
        (rate, ((bytes + 0.5) as u64).max(LEAST))
    };
    Shares {
        rate: bucket(own),
        ceil: bucket(most),
        prio: (queue.int("priority") - 1) as u8,
        quantum: 1514,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, Packet, PacketId};
    use crate::qdisc::registry::Room;
    use crate::qdisc::testing::{Plain, serve};
    use crate::qdisc::{Enqueue, Limit as Room_};
    use acklab_proto::registry::Nested;
    use acklab_proto::segment::Ecn;
    use acklab_units::Instant;

    fn tree(bucket: f64) -> Box<dyn crate::qdisc::QueueDisc> {
        let mut queue = Params::defaults(QUEUE);
        let set = |q: &mut Params, key, value| q.set(QUEUE, key, value).unwrap();
        set(
            &mut queue,
            "max_limit",
            Value::Rate(Rate::from_bps(10_000_000)),
        );
        set(&mut queue, "bucket_size", Value::Float(bucket));
        let mut values = Params::defaults(ENTRY.params);
        values.nest("queues", Nested::Tables([queue].into()));
        assert_eq!(check(&values), None);
        (ENTRY.build.make)(&values, Room::new(Room_::Packets(1), 1, "here"))
    }

    fn fill(q: &mut dyn crate::qdisc::QueueDisc, n: u32) -> usize {
        let packet = |id| Packet {
            id: PacketId(id),
            size: 1500,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        let queued = (0..n).filter(|id| q.offer(Instant::ZERO, packet(*id)) == Enqueue::Queued);
        queued.count()
    }

    /// The paper's tree: 10 Mbit/s, and a FIFO of 50 packets unless something else is said. The bucket
    /// holds a tenth of a second: 125,000 bytes leave at once, and one packet on credit.
    #[test]
    fn a_single_queue_shapes_with_a_bucket_of_a_tenth_of_a_second() {
        let mut q = tree(0.1);
        assert_eq!(fill(&mut *q, 60), 50);
        let sent = serve(&mut *q, Instant::ZERO);
        assert!(sent.iter().all(|(at, _)| *at == Instant::ZERO));
        let mut q = tree(0.0);
        fill(&mut *q, 50);
        let sent = serve(&mut *q, Instant::ZERO);
        // The first goes on credit of a whole bucket, one byte.
        let (last, _) = sent[49];
        assert_eq!(last.as_nanos(), 49 * 1_200_000 - 800);
    }

    #[test]
    fn a_bucket_has_the_nearest_whole_number_of_bytes() {
        let mut q = tree(0.0012);
        fill(&mut *q, 50);
        let sent = serve(&mut *q, Instant::ZERO);
        // A packet of 1500 bytes leaves from the bucket, the next on credit.
        assert_eq!(sent[49].0.as_nanos(), 48 * 1_200_000);
    }
}
