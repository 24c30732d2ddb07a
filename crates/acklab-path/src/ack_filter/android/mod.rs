//! ACK suppression by Wi-Fi drivers of Android telephones: one in three of their own ACKs goes on.
//!
//! Broadcom's driver calls it TCP ACK suppression, mode *hold*: of each flow one acknowledgement is
//! held and counted. A further one whose number is not lower takes its place, and when `ratio` have
//! come the last of them goes on; one with a lower number is dropped. `delay` after the first of them was
//! held, a timer lets go of what there is. Only a small table of flows is kept; others pass.
//!
//! Unlike [TAC](super::tac) it counts duplicates like news, so that fast retransmit sees one in
//! three; the timer does not start anew with each arrival; and SACK blocks are not looked at. What
//! has a flag besides ACK, or payload, passes.
//!
//! Facts from `dhd_tcpack_hold` and `dhd_tcpack_send` of bcmdhd's `dhd_ip.c`, with the constants
//! `DEFAULT_TCPACK_SUPP_RATIO` (3; some builds have 15), `DEFAULT_TCPACK_DELAY_TIME` (10 ms) and
//! `TCPACK_INFO_MAXNUM` (4) of `dhd_ip.h`. The driver looks at the flags first and at its table
//! afterwards, so what passes overtakes what is held of its flow, and the sender sees a number go
//! back, or an ECE whose end comes before its beginning; with `others = "flush"` it leaves first, as
//! in the other filters. Mode *replace*, for another kind of bus, is [`replace`].

pub mod replace;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use super::deadlines::{Deadlines, Ticket};
use super::flows::Flows;
use super::{AckFilter, Build, FilterStats, ForwardReason, Verdict};
use crate::packet::{DropReason, FlowId, Packet};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_proto::segment::{Flags, Segment};
use acklab_units::{Instant, SeqNum, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "android-thin",
    aliases: &[],
    summary: "As Android Wi-Fi drivers: one of three ACKs goes on, at the latest after 10 ms.",
    source: "Broadcom bcmdhd, dhd_ip.c, TCPACK_SUP_HOLD",
    params: &PARAMS,
    build: |params| Box::new(Hold::new(params)),
};

const PARAMS: [Param; 4] = [
    Param {
        name: "ratio",
        doc: "One of so many ACKs of a flow goes on, the last (DEFAULT_TCPACK_SUPP_RATIO); 1 holds \
              nothing.",
        kind: Kind::Int(1, 255),
        default: Value::Int(3),
    },
    Param {
        name: "delay",
        doc: "So long after the first one was held the timer lets go of what there is \
              (DEFAULT_TCPACK_DELAY_TIME).",
        kind: Kind::Span(Span::from_micros(1), Span::from_secs(60)),
        default: Value::Span(Span::from_millis(10)),
    },
    Param {
        name: "flows",
        doc: "Most flows of which something is held; ACKs of others go on at once \
              (TCPACK_INFO_MAXNUM).",
        kind: Kind::Int(1, 1_000_000),
        default: Value::Int(4),
    },
    Param {
        name: "others",
        doc: "What passes (data, further flags): past the held ACK of its flow, as in the driver \
              (\"overtake\"), or after it (\"flush\").",
        kind: Kind::Choice(&["overtake", "flush"]),
        default: Value::Choice("overtake"),
    },
];

/// The acknowledgement held of a flow.
#[derive(Clone, Copy, Debug)]
struct Row {
    packet: Packet,
    ack: SeqNum,
    /// Acknowledgements that it stands for, itself included.
    count: u32,
    /// Of the timer that lets go of it.
    timer: Ticket,
}

/// The filter.
#[derive(Debug)]
struct Hold {
    ratio: u32,
    delay: Span,
    most: u32,
    /// Packets that pass overtake held ones.
    overtakes: bool,
    /// Those of which something is held; a free row has nothing.
    flows: Flows<Option<Row>>,
    timers: Deadlines,
    stats: FilterStats,
}

impl Hold {
    fn new(params: &Params) -> Self {
        Self {
            ratio: params.int("ratio") as u32,
            delay: params.span("delay").unwrap_or(Span::ZERO),
            most: params.int("flows") as u32,
            overtakes: params.choice("others") == "overtake",
            flows: Flows::new(),
            timers: Deadlines::default(),
            stats: FilterStats::default(),
        }
    }

    /// Where what is held of a flow is, and what.
    fn of(&self, flow: FlowId) -> Option<(usize, Row)> {
        let at = self.flows.find(flow)?;
        Some((at, self.flows[at]?))
    }

    /// Takes out what is held there; its timer is no longer in force.
    fn take(&mut self, at: usize) -> Option<Row> {
        let row = self.flows[at].take()?;
        self.flows.remove(at);
        self.stats.held -= 1;
        let flows = &self.flows;
        self.timers.tidy(|at| flows[at].map_or(0, |r| r.timer));
        Some(row)
    }

    /// The first one of a flow is held.
    fn begin(&mut self, now: Instant, packet: Packet, ack: SeqNum) {
        let at = self.flows.insert(packet.flow);
        self.flows[at] = Some(Row {
            packet,
            ack,
            count: 1,
            timer: self.timers.set(now + self.delay, at),
        });
        self.stats.held += 1;
    }

    fn forward(&mut self, packet: Packet, reason: ForwardReason, out: &mut Vec<Verdict>) {
        self.stats.forwarded += 1;
        out.push(Verdict::Forward(packet, reason));
    }

    fn drop(&mut self, packet: Packet, out: &mut Vec<Verdict>) {
        self.stats.dropped += 1;
        out.push(Verdict::Drop(packet, DropReason::AckThinned));
    }

    fn flush(&mut self, flow: FlowId, out: &mut Vec<Verdict>) {
        let found = self.flows.find(flow);
        if let Some(row) = found.and_then(|at| self.take(at)) {
            self.forward(row.packet, ForwardReason::Flush, out);
        }
    }

    /// One more of a flow of which `row` is held, `at` its place.
    fn count(
        &mut self,
        (at, row): (usize, Row),
        (packet, ack): (Packet, SeqNum),
        out: &mut Vec<Verdict>,
    ) {
        if ack.before(row.ack) {
            return self.drop(packet, out);
        }
        self.drop(row.packet, out);
        let count = row.count + 1;
        if count >= self.ratio {
            self.take(at);
            self.forward(packet, ForwardReason::Ratio, out);
        } else {
            self.flows[at] = Some(Row {
                packet,
                ack,
                count,
                ..row
            });
        }
    }

    fn check(&self) {
        let s = &self.stats;
        debug_assert_eq!(s.seen, s.forwarded + s.dropped + u64::from(s.held));
        debug_assert!(s.held <= self.most);
    }
}

impl AckFilter for Hold {
    fn on_packet(
        &mut self,
        now: Instant,
        packet: Packet,
        segment: &Segment,
        out: &mut Vec<Verdict>,
    ) {
        let pure = segment.is_pure_ack();
        self.stats.seen += u64::from(pure);
        if !pure || segment.flags != Flags::ACK {
            if !self.overtakes {
                self.flush(packet.flow, out);
            }
            self.stats.forwarded += u64::from(pure);
            out.push(Verdict::Forward(packet, ForwardReason::Untouchable));
            return self.check();
        }
        match self.of(packet.flow) {
            Some(held) => self.count(held, (packet, segment.ack), out),
            None if self.ratio == 1 || self.stats.held >= self.most => {
                self.forward(packet, ForwardReason::Passing, out);
            }
            None => self.begin(now, packet, segment.ack),
        }
        self.check();
    }

    fn on_wakeup(&mut self, now: Instant, out: &mut Vec<Verdict>) {
        while let Some(at) = self.timers.expired(now)
            && let Some(row) = self.take(at)
        {
            self.stats.timer_releases += 1;
            self.forward(row.packet, ForwardReason::Timeout, out);
        }
        self.check();
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.timers.next()
    }

    fn stats(&self) -> FilterStats {
        self.stats
    }

    fn rows(&self) -> usize {
        self.flows.rows()
    }
}
