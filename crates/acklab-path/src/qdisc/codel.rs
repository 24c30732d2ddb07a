//! CoDel (RFC 8289): drops, or marks, at the head when packets have waited too long for too long.
//!
//! [`Codel`] is the control law, for any queue; [`CodelQueue`] is one queue under it. Where RFC and
//! Linux differ the comment says so. ECN as in RFC 8290 section 5.2.6 and `net/codel_impl.h`: a
//! packet that may be marked is marked where it would be dropped, and then passes.

use super::classes::Row;
use super::registry::{Build, Counts, any_params};
use super::slab::{List, Slab, Waiting};
use super::{Enqueue, Limit, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::registry::{Entry, Kind, Param, Params as Values, Value};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Params {
    /// Waiting time that is acceptable as a standing queue (RFC 8289 section 4.4).
    pub target: Span,
    /// How long a queue may be above it before something happens (section 4.3).
    pub interval: Span,
    /// Marks packets that may be marked instead of dropping them.
    pub ecn: bool,
    /// Marks all packets that waited longer and may be marked (RFC 8290 section 5.2.7).
    pub ce_threshold: Option<Span>,
    /// Bytes of a full packet: with no more than these behind it a packet is neither dropped nor marked by the
    /// control law (section 5.3: maxpacket). Linux takes them from the device (`psched_mtu`).
    pub mtu: u32,
    /// Takes the roots of the schedule as Linux does ([`newton`]), and not as the RFC.
    pub newton: bool,
}

impl Params {
    /// The defaults of RFC 8289 section 4 and of Linux's `codel_params_init`, with ECN as in
    /// `fq_codel`.
    pub const DEFAULT: Self = Self {
        target: Span::from_millis(5),
        interval: Span::from_millis(100),
        ecn: true,
        ce_threshold: None,
        mtu: 1500,
        newton: true,
    };
}

/// The shortest target and interval.
pub const LEAST_TIME: Span = Span::from_micros(1);
/// Times that make sense for a control law on queues.
const TIMES: Kind = Kind::Span(LEAST_TIME, Span::from_secs(60));

/// The parameters as a scenario writes them, for every discipline that has them; `ecn` as it is by
/// default.
pub(super) const fn params(ecn: bool) -> [Param; 6] {
    [
        Param {
            name: "target",
            doc: "Queueing delay that is acceptable in the long run (RFC 8289 section 4.4).",
            kind: TIMES,
            default: Value::Span(Params::DEFAULT.target),
        },
        Param {
            name: "interval",
            doc: "How long the queueing delay must stay above `target` before the first drop: about the longest usual round-trip time (RFC 8289 section 4.3).",
            kind: TIMES,
            default: Value::Span(Params::DEFAULT.interval),
        },
        Param {
            name: "ecn",
            doc: "Marks ECN-capable packets instead of dropping them (RFC 8290 section 5.2.6).",
            kind: Kind::Bool,
            default: Value::Bool(ecn),
        },
        Param {
            name: "ce_threshold",
            doc: "Marks every ECN-capable packet that has waited longer than this; none: no such mark (RFC 8290 section 5.2.7).",
            kind: Kind::OptSpan(Span::from_micros(1), Span::from_secs(60)),
            default: Value::Auto,
        },
        Param {
            name: "mtu",
            doc: "Bytes of a full packet. If no more than this waits behind a packet, the control law neither drops nor marks it (RFC 8289 section 5.3: maxpacket). Linux sets it to the device's MTU plus the link-layer header (psched_mtu), 1514 bytes on Ethernet; acklab counts IP bytes. Default: 1500.",
            kind: Kind::AutoSize(0, 1 << 16),
            default: Value::Auto,
        },
        Param {
            name: "roots",
            doc: "How the square roots in the drop schedule are computed. newton: as Linux and ns-3 do, by one Newton step with 16 bits per drop or mark (codel_Newton_step). exact: as in RFC 8289 (section 5.5). With newton the second gap is 0.50 of the interval instead of 0.71, and the third 0.56 instead of 0.58. After a pause the first gaps can be too short as well.",
            kind: Kind::Choice(&["exact", "newton"]),
            default: Value::Choice("newton"),
        },
    ]
}

impl Params {
    /// The parameters of a scenario.
    pub(super) fn from_values(values: &Values) -> Self {
        Self {
            target: values.span("target").unwrap_or(Self::DEFAULT.target),
            interval: values.span("interval").unwrap_or(Self::DEFAULT.interval),
            ecn: values.bool("ecn"),
            ce_threshold: values.span("ce_threshold"),
            mtu: values.size("mtu").map_or(Self::DEFAULT.mtu, |b| b as u32),
            newton: values.choice("roots") == "newton",
        }
    }
}

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "codel",
    aliases: &[],
    summary: "CoDel: drops packets at the head once the queueing delay has been above `target` for an `interval`.",
    source: "RFC 8289, Linux net/sched/sch_codel.c",
    params: &params(false),
    build: Build {
        limit: Limit::Packets(1000),
        counts: Counts::Packets,
        check: any_params,
        make: |values, room| {
            let params = Params::from_values(values);
            Box::new(CodelQueue::new(params, room.packets()))
        },
    },
};

/// The queue that a [`Codel`] watches.
pub(crate) trait Source {
    /// Takes the packet at the head.
    fn pop(&mut self) -> Option<Waiting>;
    /// Bytes that wait.
    fn bytes(&self) -> u64;
    /// The packet, which was taken, is dropped.
    fn drop(&mut self, packet: Packet);
    /// A packet was marked, by `ce_threshold` or by the law.
    fn on_marked(&mut self, by_threshold: bool);
}

/// State of the control law.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Codel {
    /// When the waiting time will have been above target for an interval; `None`: it is below.
    first_above: Option<Instant>,
    drop_next: Instant,
    count: u32,
    last_count: u32,
    /// `2^16 / sqrt(count)` in Linux, which starts it at the root of 1.
    root: u16,
    dropping: bool,
}

/// `2^16 / sqrt(count)` after one Newton step from `root` (`codel_Newton_step`).
fn newton(root: u16, count: u32) -> u16 {
    let root = u64::from(root) << 16;
    let square = (root * root) >> 32;
    let rest = (3u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(square)) >> 2;
    (rest.wrapping_mul(root) >> 47) as u16
}

impl Codel {
    /// The next packet to send (section 5.6).
    pub fn dequeue(
        &mut self,
        now: Instant,
        params: &Params,
        source: &mut impl Source,
    ) -> Option<Waiting> {
        let (mut head, ok_to_drop) = self.pop(now, params, source);
        let mut marked = false;
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                self.root = newton(self.root, self.count);
                if params.ecn && mark(&mut head, false, source) {
                    self.drop_next = self.control_law(self.drop_next, params);
                    marked = true;
                    break;
                }
                let (next, still) = self.replace(head, now, params, source);
                head = next;
                if still {
                    self.drop_next = self.control_law(self.drop_next, params);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            marked = params.ecn && mark(&mut head, false, source);
            if !marked {
                head = self.replace(head, now, params, source).0;
            }
            self.enter_dropping(now, params);
        }
        if !marked && head.is_some_and(|h| params.ce_threshold.is_some_and(|t| now - h.since > t)) {
            mark(&mut head, true, source);
        }
        head
    }

    /// Drops `head` and takes the next one.
    fn replace(
        &mut self,
        head: Option<Waiting>,
        now: Instant,
        params: &Params,
        source: &mut impl Source,
    ) -> (Option<Waiting>, bool) {
        if let Some(head) = head {
            source.drop(head.packet);
        }
        self.pop(now, params, source)
    }

    /// The rate of drops starts where it was when the queue was last brought down, if that is not
    /// long ago (section 5.6).
    fn enter_dropping(&mut self, now: Instant, params: &Params) {
        self.dropping = true;
        let delta = self.count.wrapping_sub(self.last_count);
        let recent = now
            < self
                .drop_next
                .saturating_add(params.interval.saturating_mul(16));
        if delta > 1 && recent {
            self.count = delta;
            self.root = newton(self.root, delta);
        } else {
            self.count = 1;
            self.root = u16::MAX;
        }
        self.last_count = self.count;
        self.drop_next = self.control_law(now, params);
    }

    /// `interval / sqrt(count)` after `t` (section 5.5), rounded down to nanoseconds.
    fn control_law(&self, t: Instant, params: &Params) -> Instant {
        let interval = u128::from(params.interval.as_nanos());
        let gap = if params.newton {
            (interval * u128::from(self.root)) >> 16
        } else {
            (interval.pow(2) / u128::from(self.count.max(1))).isqrt()
        };
        t.saturating_add(Span::from_nanos(gap as u64))
    }

    /// Takes a packet, and says whether it may be dropped (section 5.4).
    fn pop(
        &mut self,
        now: Instant,
        params: &Params,
        source: &mut impl Source,
    ) -> (Option<Waiting>, bool) {
        let Some(head) = source.pop() else {
            self.first_above = None;
            self.dropping = false;
            return (None, false);
        };
        let below = now - head.since < params.target || source.bytes() <= u64::from(params.mtu);
        let ok_to_drop = match self.first_above {
            _ if below => {
                self.first_above = None;
                false
            }
            None => {
                self.first_above = Some(now.saturating_add(params.interval));
                false
            }
            Some(at) => now >= at,
        };
        (Some(head), ok_to_drop)
    }
}

fn mark(head: &mut Option<Waiting>, by_threshold: bool, source: &mut impl Source) -> bool {
    let marked = head.as_mut().is_some_and(|h| h.packet.mark());
    if marked {
        source.on_marked(by_threshold);
    }
    marked
}

/// One queue under CoDel, with room for so many packets.
#[derive(Debug)]
pub struct CodelQueue {
    params: Params,
    limit: u32,
    slab: Slab,
    list: List,
    codel: Codel,
    stats: Stats,
    /// Bytes of the packets that left.
    sent: u64,
}

impl CodelQueue {
    /// An empty queue for at most `limit` packets.
    pub fn new(params: Params, limit: u32) -> Self {
        Self {
            params,
            limit,
            slab: Slab::default(),
            list: List::default(),
            codel: Codel::default(),
            stats: Stats::default(),
            sent: 0,
        }
    }
}

/// The queue, lent to its control law.
struct Lent<'a> {
    slab: &'a mut Slab,
    list: &'a mut List,
    stats: &'a mut Stats,
    dropped: &'a mut dyn FnMut(Packet, DropReason),
}

impl Source for Lent<'_> {
    fn pop(&mut self) -> Option<Waiting> {
        let head = self.slab.pop(self.list)?;
        self.stats.on_left(head.packet);
        Some(head)
    }

    fn bytes(&self) -> u64 {
        self.stats.bytes
    }

    fn drop(&mut self, packet: Packet) {
        self.stats.dropped_inside += 1;
        (self.dropped)(packet, DropReason::Aqm);
    }

    fn on_marked(&mut self, by_threshold: bool) {
        self.stats.on_marked(by_threshold);
    }
}

impl QueueDisc for CodelQueue {
    fn enqueue(&mut self, now: Instant, packet: Packet, _label: Label) -> Enqueue {
        if self.stats.packets >= self.limit {
            self.stats.refused += 1;
            return Enqueue::Dropped(DropReason::QueueFull);
        }
        self.stats.on_joined(packet);
        self.slab.push(&mut self.list, Waiting::new(now, packet));
        Enqueue::Queued
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let mut lent = Lent {
            slab: &mut self.slab,
            list: &mut self.list,
            stats: &mut self.stats,
            dropped,
        };
        let head = self.codel.dequeue(now, &self.params, &mut lent)?;
        self.stats.dequeued += 1;
        self.sent += u64::from(head.packet.size);
        self.stats.check();
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

    fn stats(&self) -> Stats {
        self.stats
    }

    fn classes(&self) -> Vec<Row> {
        Row::of_queue(ENTRY.name, self.stats, self.sent, self.stats.refused)
    }
}

#[cfg(test)]
mod tests;
