//! CAKE's ACK filter: takes superfluous acknowledgements out of the queue.
//!
//! It holds nothing back and has no timer. When a packet of a flow joins the queue, the flow's
//! packets that wait there are searched from the head for pure acknowledgements that the new one
//! makes superfluous. *Conservative* drops the first of them when there are two; *aggressive* also
//! drops a single one, if the new packet follows it directly. At most one is dropped per arrival.
//!
//! Superfluous is an acknowledgement without payload and without flags but ACK, ECE and CWR, whose
//! number, timestamps and SACK blocks the new packet repeats or betters; a duplicate of the new
//! one's number only if the new one has more SACK blocks; never one with a DSACK. ECE and CWR: a
//! candidate is forgotten when a packet with other flags follows it, so the last acknowledgement
//! of each run of equal flags stays.
//!
//! Facts from `cake_ack_filter`, `cake_tcph_may_drop` and `cake_tcph_sack_compare` of Linux's
//! `net/sched/sch_cake.c`, and tc-cake(8). CAKE looks into a queue of its own per flow; here the
//! filter keeps its own list of what it let pass into the queue behind it.

mod sack;

use super::flows::Flows;
use super::{AckFilter, Build, FilterStats, ForwardReason, Verdict};
use crate::packet::{FlowId, Packet, PacketId};
use acklab_proto::registry::{Entry, Kind, Param, Value};
use acklab_proto::segment::{Flags, SackBlocks, Segment, Timestamps};
use acklab_units::{Instant, SeqNum};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use sack::{Coverage, coverage};

/// Flags that are compared instead of forbidding the drop.
const ECHO: Flags = Flags(Flags::ECE.0 | Flags::CWR.0);

/// Places that a flow's row keeps while nothing of it waits.
const KEPT: usize = 32;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "cake",
    aliases: &["ack-filter"],
    summary: "CAKE's ack-filter: drops ACKs from the queue that a later one makes superfluous.",
    source: "Linux net/sched/sch_cake.c, tc-cake(8)",
    params: &[Param {
        name: "mode",
        doc: "\"conservative\" (ack-filter) keeps one superfluous ACK in the queue, \
              \"aggressive\" (ack-filter-aggressive) none that the next ACK follows directly.",
        kind: Kind::Choice(&["conservative", "aggressive"]),
        default: Value::Choice("conservative"),
    }],
    build: |params| {
        Box::new(Cake {
            aggressive: params.choice("mode") == "aggressive",
            flows: Flows::new(),
            stats: FilterStats::default(),
        })
    },
};

/// The filter's record of a packet in the queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: PacketId,
    ack: SeqNum,
    echo: u8,
    timestamps: Option<Timestamps>,
    sack: SackBlocks,
    /// Nothing in its header or size forbids dropping it.
    droppable: bool,
}

impl Waiting {
    fn new(id: PacketId, segment: &Segment) -> Self {
        let flags = Flags(segment.flags.0 & !ECHO.0);
        Self {
            id,
            ack: segment.ack,
            echo: segment.flags.0 & ECHO.0,
            timestamps: segment.timestamps,
            sack: segment.sack,
            droppable: flags == Flags::ACK && segment.len == 0,
        }
    }

    /// Whether `new` says all that this one says.
    fn superfluous(&self, new: &Self) -> bool {
        if !self.droppable || new.ack.before(self.ack) || self.has_newer_timestamp(new) {
            return false;
        }
        match coverage(self.ack, &self.sack, &new.sack) {
            Coverage::Lacks => false,
            Coverage::Same => self.ack != new.ack,
            Coverage::More => true,
        }
    }

    /// A packet without the option counts as zero.
    fn has_newer_timestamp(&self, new: &Self) -> bool {
        let newest = new.timestamps.unwrap_or_default();
        self.timestamps.is_some_and(|t| {
            SeqNum(newest.val).before(SeqNum(t.val)) || SeqNum(newest.ecr).before(SeqNum(t.ecr))
        })
    }
}

/// The packets of a flow in the queue, first to leave first.
#[derive(Clone, Debug, Default)]
struct Flow {
    waiting: VecDeque<Waiting>,
    /// How many of them are droppable: without any there is nothing to search.
    droppable: u32,
}

impl Flow {
    fn push(&mut self, new: Waiting) {
        self.droppable += u32::from(new.droppable);
        self.waiting.push_back(new);
    }

    fn remove(&mut self, id: PacketId) -> Option<Waiting> {
        let i = self.waiting.iter().position(|w| w.id == id)?;
        let gone = self.waiting.remove(i)?;
        self.droppable -= u32::from(gone.droppable);
        Some(gone)
    }

    /// The acknowledgement to drop because of `new`, which is about to join.
    fn victim(&self, new: &Waiting, aggressive: bool) -> Option<PacketId> {
        if self.droppable == 0 {
            return None;
        }
        let mut first: Option<(usize, &Waiting)> = None;
        for (i, here) in self.waiting.iter().enumerate() {
            if first.is_some_and(|(_, f)| f.echo != here.echo) {
                first = None;
            }
            if !here.superfluous(new) {
                continue;
            }
            match first {
                Some((_, f)) => return Some(f.id),
                None => first = Some((i, here)),
            }
        }
        let (i, only) = first?;
        let followed_directly = i + 1 == self.waiting.len() && only.echo == new.echo;
        (aggressive && followed_directly).then_some(only.id)
    }
}

/// The filter.
#[derive(Clone, Debug)]
struct Cake {
    aggressive: bool,
    /// Those of which something waits.
    flows: Flows<Flow>,
    stats: FilterStats,
}

impl Cake {
    /// Waiting packets of a flow.
    fn flow(&mut self, flow: FlowId) -> &mut Flow {
        let found = self.flows.find(flow);
        let at = found.unwrap_or_else(|| self.flows.insert(flow));
        &mut self.flows[at]
    }
}

impl AckFilter for Cake {
    /// The victim leaves first, so that its room serves the newcomer: a full queue cannot then
    /// lose both.
    fn on_packet(&mut self, _: Instant, packet: Packet, segment: &Segment, out: &mut Vec<Verdict>) {
        let aggressive = self.aggressive;
        let flow = self.flow(packet.flow);
        let new = Waiting::new(packet.id, segment);
        let triggers = segment.flags.contains(Flags::ACK) && !segment.flags.intersects(Flags::SYN);
        let victim = flow.victim(&new, aggressive).filter(|_| triggers);
        if let Some(id) = victim {
            flow.remove(id);
            flow.push(new);
            self.stats.forwarded -= 1;
            self.stats.dropped += 1;
            out.push(Verdict::DropQueued(id));
        } else {
            flow.push(new);
        }
        self.stats.seen += u64::from(segment.is_pure_ack());
        self.stats.forwarded += u64::from(segment.is_pure_ack());
        out.push(Verdict::Forward(packet, ForwardReason::Passing));
    }

    fn on_wakeup(&mut self, _: Instant, _: &mut Vec<Verdict>) {}

    fn next_wakeup(&self) -> Option<Instant> {
        None
    }

    fn on_left_queue(&mut self, id: PacketId, flow: FlowId) {
        let Some(at) = self.flows.find(flow) else {
            return;
        };
        let of = &mut self.flows[at];
        of.remove(id);
        if of.waiting.is_empty() {
            of.waiting.shrink_to(KEPT);
            self.flows.remove(at);
        }
    }

    fn on_out_of_reach(&mut self) {
        self.stats.forwarded += 1;
        self.stats.dropped -= 1;
    }

    fn watches_queue(&self) -> bool {
        true
    }

    fn stats(&self) -> FilterStats {
        FilterStats {
            dropped_queued: self.stats.dropped,
            ..self.stats
        }
    }

    fn rows(&self) -> usize {
        self.flows.rows()
    }
}

#[cfg(test)]
mod tests;
