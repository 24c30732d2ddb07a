//! The other thing that Wi-Fi drivers of Android telephones do: a newer ACK takes the place of the one
//! that waits in the driver's queue.
//!
//! Broadcom's driver calls it TCP ACK suppression, mode *replace*. Of each flow it knows one
//! acknowledgement in its queue, the first that joined while it knew none. A further one with a higher number
//! and headers of the same length is written over it and does not join the queue itself: the newer
//! content leaves where, and when, the older one would have. Nothing is held and there is no timer.
//! When the known one leaves, the next acknowledgement that joins is known.
//!
//! Rules of the driver:
//!
//! * **Flags.** Only what has no flag but ACK and no payload takes part: SYN, FIN, RST, PSH, URG, ECE
//!   and CWR queue.
//! * **Duplicates and window updates**, that is equal numbers, queue, and so do lower numbers; the
//!   known one stays known.
//! * **SACK.** The headers must be equally long, that is all. Blocks, and DSACKs, that the newer
//!   acknowledgement does not repeat are lost; with `sack = "keep"` it queues then.
//! * **Timestamps, window, the IP header** are those of the newer one.
//! * **What waits behind the known one** is not looked at: data, duplicates, an ECE of the same flow are
//!   overtaken by the newer number. With `others = "keep"` a flow's order stays: once something
//!   else of it waits behind the known one, that is left alone.
//! * **The table** has four rows; acknowledgements of a fifth flow queue.
//!
//! Facts from `dhd_tcpack_suppress` and `dhd_tcpack_check_xmit` of bcmdhd's `dhd_ip.c`, and
//! `TCPACK_INFO_MAXNUM` of `dhd_ip.h`. The driver has this mode where the chip is behind SDIO or
//! USB, and refuses it behind PCIe, where it has *hold*. Mode *delay*, which also reads data from an
//! SDIO bus before it writes acknowledgements, is not here: there is no such bus.

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use crate::ack_filter::dsack::reports_duplicate;
use crate::ack_filter::flows::Flows;
use crate::ack_filter::{AckFilter, Build, FilterStats, ForwardReason, Verdict};
use crate::packet::{FlowId, Packet, PacketId};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_proto::segment::{Flags, SackBlock, SackBlocks, Segment};
use acklab_units::{Instant, SeqNum};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "android-replace",
    aliases: &[],
    summary: "As Android Wi-Fi drivers: a newer ACK takes the place of the one that waits in the queue.",
    source: "Broadcom bcmdhd, dhd_ip.c, TCPACK_SUP_REPLACE",
    params: &PARAMS,
    build: |params| Box::new(Replace::new(params)),
};

const PARAMS: [Param; 3] = [
    Param {
        name: "flows",
        doc: "Most flows of which an ACK in the queue is known; ACKs of others queue \
              (TCPACK_INFO_MAXNUM).",
        kind: Kind::Int(1, 1_000_000),
        default: Value::Int(4),
    },
    Param {
        name: "others",
        doc: "Others of the flow that wait behind the older ACK: the newer one overtakes them, as in \
              the driver (\"overtake\"), or queues after them (\"keep\").",
        kind: Kind::Choice(&["overtake", "keep"]),
        default: Value::Choice("overtake"),
    },
    Param {
        name: "sack",
        doc: "SACK blocks of the older ACK that the newer one does not repeat: they are lost, as in \
              the driver (\"replace\"), or both ACKs stay (\"keep\").",
        kind: Kind::Choice(&["replace", "keep"]),
        default: Value::Choice("replace"),
    },
];

/// The acknowledgement of a flow in the queue that may be replaced.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: PacketId,
    /// Bytes of the IP packet: it has no payload, so that is the length of its headers.
    size: u32,
    ack: SeqNum,
    sack: SackBlocks,
    reports_duplicate: bool,
}

impl Known {
    fn new(packet: Packet, segment: &Segment) -> Self {
        Self {
            id: packet.id,
            size: packet.size,
            ack: segment.ack,
            sack: segment.sack,
            reports_duplicate: reports_duplicate(segment),
        }
    }

    /// Whether `new` says all of its SACK blocks, or acknowledges them. A block of `new` that is
    /// inside out says nothing: its recipient ignores it.
    fn repeated_by(&self, new: &Self) -> bool {
        let said = |b: &SackBlock| {
            let again = |n: &SackBlock| contains(n, b);
            !new.ack.before(b.end) || new.sack.as_slice().iter().any(again)
        };
        !self.reports_duplicate && self.sack.as_slice().iter().all(said)
    }
}

/// Whether each number of `inner` is in `outer`; none is in a block that is inside out. By lengths,
/// as two ends say little of blocks that are almost half of all numbers long.
fn contains(outer: &SackBlock, inner: &SackBlock) -> bool {
    let long = |b: &SackBlock| i64::from(b.end.distance(b.start));
    let into = i64::from(inner.start.distance(outer.start));
    long(outer) > 0 && into >= 0 && into + long(inner) <= long(outer)
}

/// The filter.
#[derive(Clone, Debug)]
struct Replace {
    most: u32,
    overtakes: bool,
    keeps_sack: bool,
    /// Those of which one is known; a free row has the last one that was.
    known: Flows<Option<Known>>,
    stats: FilterStats,
}

impl Replace {
    fn new(params: &Params) -> Self {
        Self {
            most: params.int("flows") as u32,
            overtakes: params.choice("others") == "overtake",
            keeps_sack: params.choice("sack") == "keep",
            known: Flows::new(),
            stats: FilterStats::default(),
        }
    }

    fn of(&self, flow: FlowId) -> Option<Known> {
        self.known.find(flow).and_then(|at| self.known[at])
    }

    fn set(&mut self, flow: FlowId, known: Option<Known>) {
        match (self.known.find(flow), known) {
            (Some(at), None) => self.known.remove(at),
            (None, None) => {}
            (found, known) => {
                let at = found.unwrap_or_else(|| self.known.insert(flow));
                self.known[at] = known;
            }
        }
    }

    /// Whether `new` is written over `old`.
    fn replaces(&self, old: &Known, new: &Known) -> bool {
        let newer = old.ack.before(new.ack) && old.size == new.size;
        newer && (!self.keeps_sack || old.repeated_by(new))
    }

    /// `packet` joins the end of the queue; `plain` is what it says if it can be replaced.
    fn join(&mut self, packet: Packet, plain: Option<Known>) {
        match self.of(packet.flow) {
            Some(_) if self.overtakes => {}
            Some(_) => self.set(packet.flow, plain),
            None if self.known.len() < self.most as usize => self.set(packet.flow, plain),
            None => {}
        }
    }
}

impl AckFilter for Replace {
    fn on_packet(&mut self, _: Instant, packet: Packet, segment: &Segment, out: &mut Vec<Verdict>) {
        let pure = segment.is_pure_ack();
        self.stats.seen += u64::from(pure);
        self.stats.forwarded += u64::from(pure);
        let plain = pure && segment.flags == Flags::ACK;
        let new = plain.then(|| Known::new(packet, segment));
        if let (Some(old), Some(new)) = (self.of(packet.flow), new)
            && self.replaces(&old, &new)
        {
            self.set(packet.flow, Some(new));
            self.stats.forwarded -= 1;
            self.stats.dropped += 1;
            let (queued, by) = (old.id, packet);
            return out.push(Verdict::Replace { queued, by });
        }
        self.join(packet, new);
        let reason = if plain {
            ForwardReason::Passing
        } else {
            ForwardReason::Untouchable
        };
        out.push(Verdict::Forward(packet, reason));
    }

    fn on_wakeup(&mut self, _: Instant, _: &mut Vec<Verdict>) {}

    fn next_wakeup(&self) -> Option<Instant> {
        None
    }

    fn on_left_queue(&mut self, id: PacketId, flow: FlowId) {
        if self.of(flow).is_some_and(|known| known.id == id) {
            self.set(flow, None);
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
        self.known.rows()
    }
}
