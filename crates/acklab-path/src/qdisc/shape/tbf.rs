//! TBF: a token bucket over another discipline, with a second bucket for the peak rate if wanted.

use super::bucket::{Bucket, bytes};
use super::framing::{self, Framing};
use crate::packet::{DropReason, Label, Packet, PacketId};
use crate::qdisc::classes::Row;
use crate::qdisc::registry::{Build, Counts, Mistake, Room};
use crate::qdisc::{Enqueue, Limit, QueueDisc, Stats};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Instant, Rate};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "tbf",
    aliases: &[],
    summary: "TBF: limits the rate of another discipline by a token bucket.",
    source: "Linux net/sched/sch_tbf.c, tc-tbf(8)",
    params: &[
        Param {
            name: "rate",
            doc: "Rate of the shaper (tc-tbf(8)). Required.",
            kind: Kind::Rate,
            default: Value::Rate(Rate::MAX),
        },
        Param {
            name: "burst",
            doc: "Size of the bucket: bytes that may leave at once (tc-tbf(8)). TBF refuses larger packets. Default: one packet of the largest expected size.",
            kind: Kind::AutoSize(64, 1 << 30),
            default: Value::Auto,
        },
        Param {
            name: "peakrate",
            doc: "Rate at which a burst leaves (tc-tbf(8)). none: as fast as the line takes it.",
            kind: Kind::OptRate,
            default: Value::Auto,
        },
        Param {
            name: "mtu",
            doc: "Size of the bucket of `peakrate`: bytes that may leave at once above it (tc-tbf(8)). TBF refuses larger packets. Default: one packet of the largest expected size.",
            kind: Kind::AutoSize(64, 1 << 30),
            default: Value::Auto,
        },
        framing::PARAMS[0],
        framing::PARAMS[1],
        framing::PARAMS[2],
        Param {
            name: "latency",
            doc: "Only without `child`: packets wait in a drop-tail queue of rate * latency + burst bytes, or of peakrate * latency + mtu bytes if that is less (tc-tbf(8)). none: the queue holds 1000 packets.",
            kind: Kind::OptSpan(
                acklab_units::Span::from_micros(1),
                acklab_units::Span::from_secs(60),
            ),
            default: Value::Auto,
        },
        CHILD,
    ],
    build: Build {
        limit: super::super::registry::INSIDE,
        counts: Counts::Inside,
        check,
        make: |values, room| Box::new(Tbf::new(values, &room)),
    },
};

/// The discipline inside.
pub(super) const CHILD: Param = Param {
    name: "child",
    doc: "Discipline in which packets wait, with its own limit in `queue`: child = { name = \"fq-codel\", queue = \"1000 packets\" }. none: drop-tail, of 1000 packets in tbf (see `latency`) and htb, of 50 in queue-tree.",
    kind: Kind::Block,
    default: Value::Auto,
};

fn check(values: &Params) -> Option<Mistake> {
    let rate = values.rate("rate").filter(|r| !r.is_unlimited());
    let Some(rate) = rate else {
        let hint = "write rate = \"10 Mbit/s\"";
        return Some(Mistake::in_key("rate", "a shaper needs a rate", hint));
    };
    if values.rate("peakrate").is_some_and(|peak| peak <= rate) {
        let message = "the peak rate is not above the rate";
        let hint = "write a higher one, or leave it out";
        return Some(Mistake::in_key("peakrate", message, hint));
    }
    if values.span("latency").is_some() && values.block("child").is_some() {
        let message = "a child has a limit of its own";
        let hint = "leave `latency` out, and write `queue` in the child";
        return Some(Mistake::in_key("latency", message, hint));
    }
    None
}

/// The shaper.
#[derive(Debug)]
pub struct Tbf {
    framing: Framing,
    bucket: Bucket,
    /// Bucket of the peak rate.
    peak: Option<Bucket>,
    /// Bytes of the largest packet that may pass.
    most: u64,
    child: Box<dyn QueueDisc>,
    /// The packet that leaves next, if the child did not know it without giving it (`qdisc_peek_dequeued`;
    /// where it does, as in Linux' `qdisc_peek_head`, the child's limit still counts it).
    head: Option<Packet>,
    /// When it may leave.
    ready: Instant,
    refused: u64,
    /// Heads that were taken out, and heads whose place another packet took.
    removed: u64,
    replaced: u64,
}

impl Tbf {
    /// An empty one.
    fn new(values: &Params, room: &Room) -> Self {
        let framing = Framing::from_values(values);
        let packet = framing.bytes(room.packet);
        let rate = values.rate("rate").unwrap_or(Rate::MAX);
        let burst = values.size("burst").unwrap_or(packet);
        let mtu = values.size("mtu").unwrap_or(packet);
        let peak = values.rate("peakrate").map(|peak| Bucket::new(peak, mtu));
        let most = if peak.is_some() {
            burst.min(mtu)
        } else {
            burst
        };
        Self {
            framing,
            bucket: Bucket::new(rate, burst),
            peak,
            most,
            child: child(values, (rate, burst), (values.rate("peakrate"), mtu), room),
            head: None,
            ready: Instant::ZERO,
            refused: 0,
            removed: 0,
            replaced: 0,
        }
    }

    /// When a packet of `size` bytes may leave.
    fn ready(&self, now: Instant, size: u64) -> Instant {
        let at = self.bucket.ready(now, bytes(size));
        self.peak
            .map_or(at, |peak| at.max(peak.ready(now, bytes(size))))
    }

    /// The packet that leaves next.
    fn first(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        if self.head.is_none() {
            let known = self.child.front();
            if known.is_some() {
                return known;
            }
            self.head = self.child.dequeue(now, dropped);
        }
        self.head
    }

    fn check(&self) {
        self.stats().check();
    }
}

/// With `latency` as tc works it out (iproute2 `tc/q_tbf.c`, `tbf_parse_opt`).
fn child(
    values: &Params,
    (rate, burst): (Rate, u64),
    (peak, mtu): (Option<Rate>, u64),
    room: &Room,
) -> Box<dyn QueueDisc> {
    match values.span("latency") {
        None => room.child(values, "child", ("pfifo", None)),
        Some(latency) => {
            let limit = rate.bytes_in(latency) + burst;
            let by_peak = peak.map_or(u64::MAX, |peak| peak.bytes_in(latency) + mtu);
            let limit = limit.min(by_peak);
            Box::new(crate::qdisc::pfifo::Pfifo::new(Limit::Bytes(limit)))
        }
    }
}

impl QueueDisc for Tbf {
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue {
        if self.framing.bytes(packet.size) > self.most {
            self.refused += 1;
            return Enqueue::Dropped(DropReason::QueueFull);
        }
        let fate = self.child.enqueue(now, packet, label);
        self.check();
        fate
    }

    fn evicted(&mut self) -> Option<(Packet, DropReason)> {
        self.child.evicted()
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let first = self.first(now, dropped)?;
        let size = self.framing.bytes(first.size);
        self.ready = self.ready(now, size);
        if self.ready > now {
            self.check();
            return None;
        }
        self.bucket.charge(now, size);
        if let Some(peak) = &mut self.peak {
            peak.charge(now, size);
        }
        let head = self
            .head
            .take()
            .or_else(|| self.child.dequeue(now, dropped));
        self.check();
        head
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let head = self.head.take_if(|head| head.id == id);
        self.removed += u64::from(head.is_some());
        let gone = head.or_else(|| self.child.remove(id));
        self.check();
        gone
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        match &mut self.head {
            Some(head) if head.id == id => {
                debug_assert_eq!(head.size, by.size, "what takes a place is as long");
                self.replaced += 1;
                Some(core::mem::replace(head, by))
            }
            _ => self.child.replace(now, id, by),
        }
    }

    fn next_ready(&self) -> Option<Instant> {
        match self.head.or_else(|| self.child.front()) {
            Some(_) => Some(self.ready).filter(|at| *at < Instant::MAX),
            None => self.child.next_ready(),
        }
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.child.next_wakeup()
    }

    fn on_wakeup(&mut self, now: Instant, dropped: &mut dyn FnMut(Packet, DropReason)) {
        self.child.on_wakeup(now, dropped);
    }

    fn stats(&self) -> Stats {
        let child = self.child.stats();
        let head = self.head.map_or((0, 0), |head| (1, u64::from(head.size)));
        Stats {
            enqueued: child.enqueued + self.replaced,
            dequeued: child.dequeued - u64::from(head.0) - self.removed,
            refused: child.refused + self.refused,
            dropped_inside: child.dropped_inside + self.removed + self.replaced,
            packets: child.packets + head.0,
            bytes: child.bytes + head.1,
            ..child
        }
    }

    fn classes(&self) -> Vec<Row> {
        self.child.classes()
    }
}

#[cfg(test)]
mod tests;
