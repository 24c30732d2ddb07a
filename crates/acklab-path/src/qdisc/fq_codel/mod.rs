//! FQ-CoDel (RFC 8290): flows are hashed into queues, queues take turns, and CoDel watches each.

pub(crate) mod flows;
pub(crate) mod round_robin;
#[cfg(test)]
mod tests;

use super::classes::Row;
use super::codel;
use super::registry::{Build, Counts, Room, any_params};
use super::slab::Waiting;
use super::{Enqueue, Limit, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_proto::rng::RngCore;
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::vec::Vec;
use flows::{Flows, Shape};

/// An FQ-CoDel queue as it is configured (RFC 8290 section 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Target, interval and ECN.
    pub codel: codel::Params,
    /// Packets that may wait (5.2.3).
    pub limit: u32,
    /// Bytes of memory that they may take, as Linux counts it (tc-fq_codel(8)): 2304 for a packet of
    /// 1500 bytes, 768 for a pure ACK.
    pub memory_limit: u32,
    /// Bytes that a flow may send in a round (5.2.4).
    pub quantum: u32,
    /// Queues that flows are hashed into (5.2.5).
    pub queues: u32,
    /// Most packets that are dropped at once when too many wait (tc-fq_codel(8)).
    pub drop_batch: u32,
    /// Moves flows to other queues (4.1.1); `None`: a flow's number is that of its queue.
    pub perturbation: Option<u32>,
    /// CoDel compares all bytes that wait with `mtu` (Linux `fq_codel_dequeue`), and not those of the packet's flow.
    pub mtu_of_all: bool,
}

impl Config {
    /// The defaults of RFC 8290 section 5.2 and of Linux.
    pub const DEFAULT: Self = Self {
        codel: codel::Params::DEFAULT,
        limit: 10_240,
        memory_limit: 32 << 20,
        quantum: 1514,
        queues: 1024,
        drop_batch: 64,
        perturbation: Some(0),
        mtu_of_all: true,
    };
}

/// Linux raises a quantum that is smaller (`fq_codel_change`).
pub const LINUX_LEAST_QUANTUM: i64 = 256;

/// Room for 28 full packets: less drops what nobody means to drop.
pub(crate) const LEAST_MEMORY: i64 = 65_536;

const OF_CODEL: [Param; 6] = codel::params(true);

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "fq-codel",
    aliases: &["fq_codel"],
    summary: "FQ-CoDel: serves flows in turn, new flows first, and runs CoDel on each flow.",
    source: "RFC 8290, Linux net/sched/sch_fq_codel.c",
    params: &[
        OF_CODEL[0],
        OF_CODEL[1],
        OF_CODEL[2],
        OF_CODEL[3],
        OF_CODEL[4],
        OF_CODEL[5],
        Param {
            name: "quantum",
            doc: "Bytes that a flow may send in each round (RFC 8290 section 5.2.4). Linux takes psched_mtu, 1514 on Ethernet.",
            kind: Kind::Int(1, 1 << 20),
            default: Value::Int(Config::DEFAULT.quantum as i64),
        },
        Param {
            name: "flows",
            doc: "Number of queues that flows are hashed into (RFC 8290 section 5.2.5).",
            kind: Kind::Int(1, 65_536),
            default: Value::Int(Config::DEFAULT.queues as i64),
        },
        Param {
            name: "drop_batch",
            doc: "Largest number of packets that an overflow drops at once (tc-fq_codel(8)).",
            kind: Kind::Int(1, 65_536),
            default: Value::Int(Config::DEFAULT.drop_batch as i64),
        },
        Param {
            name: "memory_limit",
            doc: "Bytes of memory that waiting packets may occupy (tc-fq_codel(8)). As in Linux, a packet of 1500 bytes occupies 2304, an ACK 768.",
            kind: Kind::Int(LEAST_MEMORY, u32::MAX as i64),
            default: Value::Int(Config::DEFAULT.memory_limit as i64),
        },
        Param {
            name: "hash",
            doc: "How a flow gets its queue. perturbed: by a hash that depends on the seed (RFC 8290 section 4.1.1). fixed: by the same hash for every seed. none: in order of arrival, so that flows share a queue only when there are more flows than queues.",
            kind: Kind::Choice(&["perturbed", "fixed", "none"]),
            default: Value::Choice("perturbed"),
        },
        Param {
            name: "mtu_counts",
            doc: "What CoDel compares with mtu. all: the bytes of all flows, as Linux does (fq_codel_dequeue). flow: the bytes of the packet's own flow, as ns-3 does, so that CoDel never drops the only packet of a flow.",
            kind: Kind::Choice(&["all", "flow"]),
            default: Value::Choice("all"),
        },
    ],
    build: Build {
        limit: Limit::Packets(Config::DEFAULT.limit),
        counts: Counts::Packets,
        check: any_params,
        make: |values, room| Box::new(FqCodel::new(Config::from_values(values, &room))),
    },
};

impl Config {
    /// The parameters of a scenario. The ranges of the parameters fit into their fields.
    fn from_values(values: &Params, room: &Room) -> Self {
        Self {
            codel: codel::Params::from_values(values),
            limit: room.packets(),
            memory_limit: values.int("memory_limit") as u32,
            quantum: values.int("quantum") as u32,
            queues: values.int("flows") as u32,
            drop_batch: values.int("drop_batch") as u32,
            perturbation: match values.choice("hash") {
                "fixed" => Some(0),
                "none" => None,
                _ => Some(room.rng().next_u32()),
            },
            mtu_of_all: values.choice("mtu_counts") == "all",
        }
    }
}

/// The queue.
#[derive(Debug)]
pub struct FqCodel {
    params: codel::Params,
    flows: Flows,
    /// The packets that the last arrival evicted and nobody has fetched, latest first.
    evicted: Vec<(Packet, DropReason)>,
    /// Bytes of the packets that left.
    sent: u64,
    /// Packets that had to go because too many waited.
    overflowed: u64,
}

/// The one group of flows.
const ALL: u32 = 0;

impl FqCodel {
    /// An empty queue.
    pub fn new(config: Config) -> Self {
        let shape = Shape {
            queues: config.queues,
            limit: config.limit,
            memory: u64::from(config.memory_limit),
            drop_batch: config.drop_batch.max(1),
            quantum: config.quantum.max(1),
            perturbation: config.perturbation,
            mtu_of_all: config.mtu_of_all,
        };
        Self {
            params: config.codel,
            flows: Flows::new(shape),
            evicted: Vec::new(),
            sent: 0,
            overflowed: 0,
        }
    }
}

impl QueueDisc for FqCodel {
    /// The packet is taken first. If there are too many then, others go, perhaps itself.
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue {
        debug_assert!(self.evicted.is_empty(), "evicted packets were not fetched");
        self.flows
            .enqueue(ALL, label.flow, Waiting::new(now, packet));
        let evicted = &mut self.evicted;
        self.flows.overflow(&mut |p, why| evicted.push((p, why)));
        evicted.reverse();
        self.overflowed += evicted.len() as u64;
        self.flows.stats.check();
        match evicted.pop() {
            None => Enqueue::Queued,
            Some((victim, reason)) => Enqueue::Evicted(victim, reason),
        }
    }

    fn evicted(&mut self) -> Option<(Packet, DropReason)> {
        self.evicted.pop()
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let head = self.flows.dequeue(ALL, now, &self.params, dropped)?;
        self.sent += u64::from(head.packet.size);
        Some(head.packet)
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        self.flows.remove(id).map(|(_, packet)| packet)
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        self.flows.replace(now, id, by)
    }

    fn stats(&self) -> Stats {
        self.flows.stats
    }

    fn classes(&self) -> Vec<Row> {
        Row::of_queue(ENTRY.name, self.flows.stats, self.sent, self.overflowed)
    }
}
