//! PIE (RFC 8033): drops, or marks, arrivals with a probability that follows the queueing delay.
//!
//! Where RFC and Linux differ this is Linux (`sch_pie.c`, `pie.h`): the burst allowance runs down
//! with departures, not with the timer; the delay is that of the last packet that left (RFC 8033
//! section 4.3 allows it), unless the estimator of the drain rate is on (section 5.2, which was the
//! only way in Linux before 5.6); the probability may rise above one. Probabilities are real numbers
//! here, and multiples of 2^-56 there.

mod law;

use super::registry::{Build, Counts, Mistake, Room};
use super::slab::{List, Slab, Waiting};
use super::{Enqueue, Limit, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::registry::{Entry, Kind, Param, Params as Values, Value};
use acklab_proto::rng::{self, Rng};
use acklab_proto::segment::Ecn;
use acklab_units::{Bytes, Instant, Span};
use alloc::boxed::Box;
use law::Pie;

/// The parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Params {
    /// Delay to hold (RFC 8033 section 4.2: QDELAY_REF).
    pub target: Span,
    /// Time between two updates of the probability (T_UPDATE).
    pub tupdate: Span,
    /// Weight of the delay's distance from the target, per second.
    pub alpha: f64,
    /// Weight of the delay's change since the last update, per second.
    pub beta: f64,
    /// Time after an idle phase in which nothing is dropped early (MAX_BURST).
    pub max_burst: Span,
    /// Marks packets that may be marked while the probability is at most a tenth.
    pub ecn: bool,
    /// Small packets are dropped less often, in proportion to their size.
    pub bytemode: bool,
    /// Delay from backlog and drain rate instead of from packets' own times.
    pub dq_rate_estimator: bool,
    /// Bytes of a full packet (`psched_mtu`).
    pub mtu: u32,
}

impl Params {
    /// Linux's `pie_params_init`, which has RFC 8033's; alpha and beta are 2 and 20 sixteenths there.
    pub const DEFAULT: Self = Self {
        target: Span::from_millis(15),
        tupdate: Span::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        max_burst: Span::from_millis(150),
        ecn: false,
        bytemode: false,
        dq_rate_estimator: false,
        mtu: 1500,
    };

    fn from_values(values: &Values) -> Self {
        let span = |name| values.span(name).unwrap_or(Span::ZERO);
        Self {
            target: span("target"),
            tupdate: span("tupdate"),
            alpha: values.float("alpha"),
            beta: values.float("beta"),
            max_burst: span("max_burst"),
            ecn: values.bool("ecn"),
            bytemode: values.bool("bytemode"),
            dq_rate_estimator: values.bool("dq_rate_estimator"),
            mtu: values.size("mtu").map_or(Self::DEFAULT.mtu, |b| b as u32),
        }
    }
}

const TIMES: Kind = Kind::Span(Span::from_micros(1), Span::from_secs(60));

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "pie",
    aliases: &[],
    summary: "PIE: drops arriving packets with a probability that follows the queueing delay.",
    source: "RFC 8033, Linux net/sched/sch_pie.c",
    params: &[
        Param {
            name: "target",
            doc: "Queueing delay that PIE aims for (RFC 8033 section 4.2: QDELAY_REF).",
            kind: TIMES,
            default: Value::Span(Params::DEFAULT.target),
        },
        Param {
            name: "tupdate",
            doc: "Time between two updates of the drop probability (RFC 8033 section 4.2: T_UPDATE). Linux rounds it up to ticks of its clock and waits one tick more: 20 ms at 250 Hz.",
            kind: TIMES,
            default: Value::Span(Params::DEFAULT.tupdate),
        },
        Param {
            name: "alpha",
            doc: "Weight of the difference between delay and target, per second (RFC 8033 section 4.2). tc takes sixteenths: 2.",
            kind: Kind::Float(0.0, 2.0),
            default: Value::Float(Params::DEFAULT.alpha),
        },
        Param {
            name: "beta",
            doc: "Weight of the change of the delay since the last update, per second (RFC 8033 section 4.2). tc takes sixteenths: 20.",
            kind: Kind::Float(0.0, 2.0),
            default: Value::Float(Params::DEFAULT.beta),
        },
        Param {
            name: "max_burst",
            doc: "Time after an idle period in which PIE drops nothing early (RFC 8033 section 4.4: MAX_BURST).",
            kind: Kind::Span(Span::ZERO, Span::from_secs(60)),
            default: Value::Span(Params::DEFAULT.max_burst),
        },
        Param {
            name: "ecn",
            doc: "Marks ECN-capable packets instead of dropping them while the probability is at most 10 % (RFC 8033 section 5.1, tc-pie(8)).",
            kind: Kind::Bool,
            default: Value::Bool(Params::DEFAULT.ecn),
        },
        Param {
            name: "bytemode",
            doc: "Drops small packets less often, in proportion to their size (tc-pie(8)).",
            kind: Kind::Bool,
            default: Value::Bool(Params::DEFAULT.bytemode),
        },
        Param {
            name: "dq_rate_estimator",
            doc: "Computes the delay from backlog and drain rate (RFC 8033 section 5.2, Linux before 5.6) instead of taking it from the last packet that left.",
            kind: Kind::Bool,
            default: Value::Bool(Params::DEFAULT.dq_rate_estimator),
        },
        Param {
            name: "mtu",
            doc: "Bytes of a full packet. While fewer than two full packets wait, PIE drops nothing early (RFC 8033 section 4.1). Linux sets it to the device's MTU plus the link-layer header (psched_mtu), 1514 bytes on Ethernet; acklab counts IP bytes.",
            kind: Kind::Size(64, 1 << 16),
            default: Value::Size(Bytes(Params::DEFAULT.mtu as u64)),
        },
    ],
    build: Build {
        limit: Limit::Packets(1000),
        counts: Counts::Packets,
        check: |values| {
            let idle = values.float("alpha") == 0.0 && values.float("beta") == 0.0;
            idle.then(|| {
                let message = "with alpha and beta of zero nothing is ever dropped early";
                Mistake::in_key(
                    "alpha",
                    message,
                    "write alpha = 0.125 (RFC 8033), or qdisc = \"pfifo\"",
                )
            })
        },
        make: |values, room| {
            let params = Params::from_values(values);
            Box::new(PieQueue::new(params, &room))
        },
    },
};

/// One queue under PIE.
#[derive(Debug)]
pub struct PieQueue {
    params: Params,
    limit: u32,
    slab: Slab,
    list: List,
    pie: Pie,
    /// The next update; `None` while updates change nothing.
    timer: Option<Instant>,
    rng: Rng,
    stats: Stats,
}

impl PieQueue {
    /// An empty queue in `room`.
    pub fn new(params: Params, room: &Room) -> Self {
        Self {
            params,
            limit: room.packets(),
            slab: Slab::default(),
            list: List::default(),
            pie: Pie::new(&params),
            timer: None,
            rng: room.rng(),
            stats: Stats::default(),
        }
    }

    fn refuse(&mut self, reason: DropReason) -> Enqueue {
        self.stats.refused += 1;
        self.pie.on_dropped();
        Enqueue::Dropped(reason)
    }

    /// Updates are due at multiples of their period, whether somebody looks or not.
    fn start_timer(&mut self, now: Instant) {
        let period = self.params.tupdate.as_nanos();
        let next = (now.as_nanos() / period + 1) * period;
        self.timer.get_or_insert(Instant::from_nanos(next));
    }
}

impl QueueDisc for PieQueue {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, _label: Label) -> Enqueue {
        self.start_timer(now);
        if self.stats.packets >= self.limit {
            return self.refuse(DropReason::QueueFull);
        }
        let rng = &mut self.rng;
        let draw = || rng::unit(rng);
        let (backlog, size) = (self.stats.bytes, packet.size);
        if self.pie.drops(&self.params, backlog, size, draw) {
            let marks = self.params.ecn && self.pie.prob <= 0.1;
            let before = packet.ecn;
            if !(marks && before.marked() == Ecn::Ce) {
                return self.refuse(DropReason::Aqm);
            }
            self.stats.marked += u64::from(packet.mark());
            self.pie.on_dropped();
        }
        self.stats.on_joined(packet);
        self.slab.push(&mut self.list, Waiting::new(now, packet));
        self.stats.check();
        Enqueue::Queued
    }

    fn dequeue(
        &mut self,
        now: Instant,
        _dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let head = self.slab.pop(&mut self.list)?;
        self.stats.on_left(head.packet);
        self.stats.dequeued += 1;
        self.stats.check();
        let (size, waited) = (head.packet.size, now - head.since);
        self.pie
            .on_left(&self.params, now, size, waited, self.stats.bytes);
        Some(head.packet)
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let gone = self.slab.remove(&mut self.list, id)?.packet;
        self.stats.on_left(gone);
        self.stats.dropped_inside += 1;
        self.stats.check();
        Some(gone)
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let old = self.slab.replace(&self.list, id, now, by)?;
        self.stats.on_replaced(old, by);
        self.stats.check();
        Some(old)
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.timer
    }

    fn on_wakeup(&mut self, now: Instant, _dropped: &mut dyn FnMut(Packet, DropReason)) {
        self.pie.update(&self.params, self.stats.bytes);
        let rests = self.stats.packets == 0 && self.pie.rests(&self.params);
        self.timer = (!rests).then_some(now + self.params.tupdate);
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

#[cfg(test)]
mod tests;
