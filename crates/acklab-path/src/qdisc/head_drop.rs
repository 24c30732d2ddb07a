//! First in, first out, with a limit in packets: the oldest packet makes room for a new one.

use super::pfifo::TXQUEUELEN;
use super::registry::{Build, Counts, any_params};
use super::ring::Ring;
use super::{Enqueue, Limit, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::registry::Entry;
use acklab_units::Instant;
use alloc::boxed::Box;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "pfifo-head-drop",
    aliases: &["pfifo_head_drop"],
    summary: "When the queue is full, drops its oldest packet instead of the arriving one, so that the sender learns of the loss sooner.",
    source: "Linux sch_fifo.c, pfifo_tail_enqueue",
    params: &[],
    build: Build {
        limit: Limit::Packets(TXQUEUELEN),
        counts: Counts::Packets,
        check: any_params,
        make: |_, room| Box::new(HeadDrop::new(room.packets())),
    },
};

/// The queue.
#[derive(Debug)]
pub struct HeadDrop {
    limit: u32,
    waiting: Ring,
    stats: Stats,
}

impl HeadDrop {
    /// An empty queue for at most `limit` packets.
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            waiting: Ring::default(),
            stats: Stats::default(),
        }
    }

    fn check(&self) {
        self.stats.check();
        debug_assert_eq!(self.stats.packets as usize, self.waiting.len());
    }
}

impl QueueDisc for HeadDrop {
    /// A queue without room for any packet has no oldest one to drop.
    fn enqueue(&mut self, _now: Instant, packet: Packet, _label: Label) -> Enqueue {
        if self.limit == 0 {
            self.stats.refused += 1;
            return Enqueue::Dropped(DropReason::QueueFull);
        }
        let full = self.stats.packets >= self.limit;
        let oldest = if full { self.waiting.pop() } else { None };
        if let Some(oldest) = oldest {
            self.stats.dropped_inside += 1;
            self.stats.on_left(oldest);
        }
        self.stats.on_joined(packet);
        self.waiting.push(packet);
        self.check();
        match oldest {
            None => Enqueue::Queued,
            Some(oldest) => Enqueue::Evicted(oldest, DropReason::QueueFull),
        }
    }

    fn dequeue(
        &mut self,
        _now: Instant,
        _dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let packet = self.waiting.pop()?;
        self.stats.dequeued += 1;
        self.stats.on_left(packet);
        self.check();
        Some(packet)
    }

    fn front(&self) -> Option<Packet> {
        self.waiting.first()
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let packet = self.waiting.remove(id)?;
        self.stats.dropped_inside += 1;
        self.stats.on_left(packet);
        self.check();
        Some(packet)
    }

    fn replace(&mut self, _now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let old = self.waiting.replace(id, by)?;
        self.stats.on_replaced(old, by);
        self.check();
        Some(old)
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::qdisc::testing::Plain;
    use acklab_proto::segment::Ecn;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn packet(id: u32) -> Packet {
        Packet {
            id: PacketId(id),
            size: 1500,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        }
    }

    proptest! {
        /// The last packets that came wait, in their order; whoever came before them has gone, first
        /// come first gone.
        #[test]
        fn the_newest_stay(limit in 1u32..6, steps in prop::collection::vec(any::<bool>(), 0..60)) {
            let (mut q, mut model) = (HeadDrop::new(limit), VecDeque::new());
            for (id, arrives) in (0..).zip(steps) {
                if arrives {
                    model.push_back(id);
                    let gone = (model.len() > limit as usize).then(|| model.pop_front().unwrap());
                    let expected = gone.map_or(Enqueue::Queued, |id| {
                        Enqueue::Evicted(packet(id), DropReason::QueueFull)
                    });
                    prop_assert_eq!(q.offer(Instant::ZERO, packet(id)), expected);
                } else {
                    let next = q.dequeue(Instant::ZERO, &mut |_, _| unreachable!());
                    prop_assert_eq!(next.map(|p| p.id.0), model.pop_front());
                }
                prop_assert_eq!(q.stats().packets as usize, model.len());
            }
            prop_assert_eq!(q.stats().refused, 0);
        }
    }
}
