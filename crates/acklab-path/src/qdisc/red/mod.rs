//! RED (Floyd and Jacobson 1993, as in Linux): drops, or marks, arrivals by the average queue length.
//!
//! Lengths are bytes. Between the thresholds the gaps between two drops are spread evenly; from the
//! upper one on every packet is dropped (Linux is not "gentle"). Two things are Floyd and
//! Jacobson's where Linux approximates: after an idle time the average falls by `(1 - W)^m`, where
//! Linux has a table of powers of two, and averages are real numbers.

mod law;

use super::registry::{Build, Counts, Mistake, Room};
use super::ring::Ring;
use super::{Enqueue, Limit, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::registry::{Entry, Kind, Param, Params as Values, Value};
use acklab_proto::rng::{self, Rng};
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;
use law::{Action, Law, PROBABILITIES, wlog};

/// The parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Params {
    /// Average bytes at which drops start.
    pub min: f64,
    /// Average bytes at which every packet is dropped.
    pub max: f64,
    /// Probability just below `max`.
    pub probability: f64,
    /// Weight of the queue length in the average, `2^-wlog`.
    pub wlog: u32,
    /// Time of an average packet on the line: how fast the average falls while nothing waits.
    pub packet_time: f64,
    /// Moves the probability so that the average stays in the middle (Floyd, Gummadi and Shenker 2001). On current Linux tc passes the flag where the kernel does not look, and nothing moves.
    pub adaptive: bool,
    /// Marks packets that may be marked.
    pub ecn: bool,
    /// Drops also packets that may be marked from `max` on.
    pub harddrop: bool,
    /// Drops nothing but what does not fit; marks only.
    pub nodrop: bool,
}

/// Time between two of its steps (`red_adaptative_timer`: HZ / 2).
const ADAPTATION: Span = Span::from_millis(500);
const SIZES: Kind = Kind::AutoSize(1, 1 << 30);

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "red",
    aliases: &[],
    summary: "RED: drops arriving packets with a probability that follows the average queue length.",
    source: "Floyd and Jacobson 1993, Linux net/sched/sch_red.c, tc-red(8)",
    params: &[
        Param {
            name: "min",
            doc: "Average queue length at which RED starts to drop packets (tc-red(8)). Default: a third of `max`.",
            kind: SIZES,
            default: Value::Auto,
        },
        Param {
            name: "max",
            doc: "Average queue length at which RED drops every packet (tc-red(8)). Default: three times `min`, or a quarter of `queue` if `min` is not set either (tc's red_parse_opt).",
            kind: SIZES,
            default: Value::Auto,
        },
        Param {
            name: "probability",
            doc: "Drop probability when the average is just below `max` (tc-red(8)).",
            kind: Kind::Float(0.0001, 1.0),
            default: Value::Float(0.02),
        },
        Param {
            name: "avpkt",
            doc: "Size of an average packet in bytes (tc-red(8)).",
            kind: Kind::Int(40, 65_535),
            default: Value::Int(1000),
        },
        Param {
            name: "burst",
            doc: "Number of packets in a burst that RED lets pass; it sets the weight of the average (tc-red(8)). 0: (2 min + max) / (3 avpkt).",
            kind: Kind::Int(0, 100_000),
            default: Value::Int(0),
        },
        Param {
            name: "bandwidth",
            doc: "Rate of the line, by which the average decays while the queue is empty (tc-red(8)). none: the rate of the link, or 10 Mbit/s if the link has none.",
            kind: Kind::OptRate,
            default: Value::Auto,
        },
        Param {
            name: "adaptive",
            doc: "Adapts the probability between 1 and 50 % so that the average stays midway between `min` and `max` (Floyd, Gummadi and Shenker 2001).",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
        Param {
            name: "ecn",
            doc: "Marks ECN-capable packets instead of dropping them (tc-red(8)).",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
        Param {
            name: "harddrop",
            doc: "Drops ECN-capable packets too once the average has reached `max` (tc-red(8)).",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
        Param {
            name: "nodrop",
            doc: "With `ecn`: drops packets that are not ECN-capable only when the queue is full (tc-red(8)).",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
    ],
    build: Build {
        limit: Limit::Bytes(LIMIT),
        counts: Counts::Bytes,
        check,
        make: |values, room| Box::new(Red::new(Params::from_values(values, &room), &room)),
    },
};

/// `min` and `max` in a queue of `limit` bytes, as tc works out those that are left out (`red_parse_opt`).
pub fn thresholds(values: &Values, limit: f64) -> (f64, f64) {
    let [min, max] = ["min", "max"].map(|key| values.size(key).map(|n| n as f64));
    let max = max.unwrap_or_else(|| min.map_or(limit / 4.0, |min| 3.0 * min));
    (min.unwrap_or(max / 3.0), max)
}

/// The limit in the example of tc-red(8).
const LIMIT: u64 = 400_000;

fn check(values: &Values) -> Option<Mistake> {
    let (min, max) = (values.size("min"), values.size("max"));
    if let (Some(min), Some(max)) = (min, max)
        && min >= max
    {
        let hint = "write half of it, or less";
        return Some(Mistake::in_key("min", "`min` is not below `max`", hint));
    }
    let ecn = values.bool("ecn");
    for key in ["harddrop", "nodrop"] {
        if values.bool(key) && !ecn {
            let message = "without marks it changes nothing";
            return Some(Mistake::in_key(
                key,
                message,
                "write ecn = true, or leave it out",
            ));
        }
    }
    None
}

impl Params {
    /// The parameters of a scenario; those left out follow tc (`red_parse_opt`).
    fn from_values(values: &Values, room: &Room) -> Self {
        let limit = match room.limit {
            Limit::Bytes(bytes) => bytes as f64,
            Limit::Packets(n) => f64::from(n) * f64::from(room.packet),
        };
        let avpkt = values.int("avpkt") as f64;
        let (min, max) = thresholds(values, limit);
        let burst = match values.int("burst") {
            0 => (2.0 * min + max) / (3.0 * avpkt),
            n => n as f64,
        };
        let rate = values.rate("bandwidth").or(room.rate);
        let bps = rate.unwrap_or(Rate::from_bps(10_000_000)).as_bps() as f64;
        Self {
            min,
            max: max.max(min + 1.0),
            probability: values.float("probability"),
            wlog: wlog(min, libm::floor(burst), avpkt),
            packet_time: avpkt * 8.0 / bps,
            adaptive: values.bool("adaptive"),
            ecn: values.bool("ecn"),
            harddrop: values.bool("harddrop"),
            nodrop: values.bool("nodrop"),
        }
    }
}

/// One queue under RED.
#[derive(Debug)]
pub struct Red {
    params: Params,
    limit: Limit,
    waiting: Ring,
    law: Law,
    /// The next step of the adaptive variant.
    timer: Option<Instant>,
    rng: Rng,
    stats: Stats,
}

impl Red {
    /// An empty queue in `room`.
    pub fn new(params: Params, room: &Room) -> Self {
        Self {
            params,
            limit: room.limit,
            waiting: Ring::default(),
            law: Law::new(&params),
            timer: None,
            rng: room.rng(),
            stats: Stats::default(),
        }
    }

    fn refuse(&mut self, reason: DropReason) -> Enqueue {
        self.stats.refused += 1;
        Enqueue::Dropped(reason)
    }

    /// Whether a packet to which that happens is dropped; marks it if it passes.
    fn falls_to(&mut self, action: Action, packet: &mut Packet) -> bool {
        let p = &self.params;
        let marks = match action {
            Action::Pass => return false,
            Action::Early => p.ecn,
            Action::Forced => p.ecn && !p.harddrop,
        };
        if marks && packet.ecn.marked() == Ecn::Ce {
            self.stats.marked += u64::from(packet.mark());
            return false;
        }
        !(marks && p.nodrop)
    }
}

impl QueueDisc for Red {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, _label: Label) -> Enqueue {
        if self.params.adaptive {
            let period = ADAPTATION.as_nanos();
            let next = (now.as_nanos() / period + 1) * period;
            self.timer.get_or_insert(Instant::from_nanos(next));
        }
        let rng = &mut self.rng;
        let draw = || rng::unit(rng);
        let backlog = self.stats.bytes;
        let action = self.law.on_arrival(&self.params, now, backlog, draw);
        if self.falls_to(action, &mut packet) {
            return self.refuse(DropReason::Aqm);
        }
        if !self.limit.admits(self.stats.packets, backlog, packet.size) {
            return self.refuse(DropReason::QueueFull);
        }
        self.stats.on_joined(packet);
        self.waiting.push(packet);
        self.stats.check();
        Enqueue::Queued
    }

    fn dequeue(
        &mut self,
        now: Instant,
        _dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let Some(packet) = self.waiting.pop() else {
            self.law.idle_since.get_or_insert(now);
            return None;
        };
        self.stats.dequeued += 1;
        self.stats.on_left(packet);
        self.stats.check();
        Some(packet)
    }

    fn front(&self) -> Option<Packet> {
        self.waiting.first()
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let packet = self.waiting.remove(id)?;
        self.stats.dropped_inside += 1;
        self.stats.on_left(packet);
        self.stats.check();
        Some(packet)
    }

    fn replace(&mut self, _now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let old = self.waiting.replace(id, by)?;
        self.stats.on_replaced(old, by);
        self.stats.check();
        Some(old)
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.timer
    }

    /// The timer rests while nothing waits and the probability is at its least.
    fn on_wakeup(&mut self, now: Instant, _dropped: &mut dyn FnMut(Packet, DropReason)) {
        self.law.adapt(&self.params, now);
        let rests = self.stats.packets == 0 && self.law.probability < PROBABILITIES.0;
        self.timer = (!rests).then_some(now + ADAPTATION);
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

#[cfg(test)]
mod tests;
