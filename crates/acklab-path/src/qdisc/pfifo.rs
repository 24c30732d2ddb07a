//! First in, first out, drop-tail; limited in packets or in bytes. It can mark by a step.

pub use super::Limit;
use super::registry::{Build, Counts, any_params};
use super::ring::Ring;
use super::{Enqueue, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::registry::Entry;
use acklab_units::Instant;
use alloc::boxed::Box;

/// Linux's default `txqueuelen`, in packets (`DEFAULT_TX_QUEUE_LEN`).
pub const TXQUEUELEN: u32 = 1000;

/// The registry's entry. A link without another discipline computes the same without asking one.
pub const ENTRY: Entry<Build> = Entry {
    name: "pfifo",
    aliases: &[],
    summary: "Drop-tail with a limit in packets: queue = \"40 packets\". The key `mark` of a link adds a marking threshold.",
    source: "Linux sch_fifo.c",
    params: &[],
    build: Build {
        limit: Limit::Packets(TXQUEUELEN),
        counts: Counts::Either,
        check: any_params,
        make: |_, room| Box::new(Pfifo::new(room.limit)),
    },
};

/// The same with a limit in bytes. Linux's default is `tx_queue_len` full frames on Ethernet
/// (`fifo_init`: `tx_queue_len * psched_mtu`).
pub const IN_BYTES: Entry<Build> = Entry {
    name: "bfifo",
    summary: "Drop-tail with a limit in bytes: queue = \"64 KiB\" or \"1 BDP\". The key `mark` of a link adds a marking threshold.",
    build: Build {
        limit: Limit::Bytes(TXQUEUELEN as u64 * 1514),
        counts: Counts::Bytes,
        check: any_params,
        make: |_, room| Box::new(Pfifo::new(room.limit)),
    },
    ..ENTRY
};

/// A drop-tail queue as it is configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// A packet that does not fit is dropped.
    pub limit: Limit,
    /// A packet that would not fit into this is marked with CE if it may be: the single threshold K on the
    /// instantaneous queue of DCTCP (RFC 8257 section 3.1).
    pub mark: Option<Limit>,
}

impl From<Limit> for Config {
    /// A queue that never marks.
    fn from(limit: Limit) -> Self {
        Self { limit, mark: None }
    }
}

impl Config {
    /// Marks `packet` if it finds `packets` packets of `bytes` bytes and that is too much. Says
    /// whether it did; a mark that was there before is not counted again.
    #[inline]
    pub fn mark(&self, packets: u32, bytes: u64, packet: &mut Packet) -> bool {
        match self.mark {
            Some(most) if !most.admits(packets, bytes, packet.size) => packet.mark(),
            _ => false,
        }
    }
}

/// The queue. A link computes the departures of a drop-tail queue in advance where it can and
/// then needs no such value; see [`crate::link`].
#[derive(Debug)]
pub struct Pfifo {
    config: Config,
    waiting: Ring,
    stats: Stats,
}

impl Pfifo {
    /// An empty queue.
    pub fn new(config: impl Into<Config>) -> Self {
        Self {
            config: config.into(),
            waiting: Ring::default(),
            stats: Stats::default(),
        }
    }

    /// The packet that leaves next.
    #[cfg(test)]
    pub(crate) fn first(&self) -> Option<PacketId> {
        self.waiting.first().map(|p| p.id)
    }

    fn check(&self) {
        self.stats.check();
        debug_assert_eq!(self.stats.packets as usize, self.waiting.len());
    }
}

impl QueueDisc for Pfifo {
    fn enqueue(&mut self, _now: Instant, mut packet: Packet, _label: Label) -> Enqueue {
        let s = &mut self.stats;
        if !self.config.limit.admits(s.packets, s.bytes, packet.size) {
            s.refused += 1;
            return Enqueue::Dropped(DropReason::QueueFull);
        }
        s.marked += u64::from(self.config.mark(s.packets, s.bytes, &mut packet));
        s.on_joined(packet);
        self.waiting.push(packet);
        self.check();
        Enqueue::Queued
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
    use std::vec::Vec;

    fn packet(id: u32, size: u32) -> Packet {
        Packet {
            id: PacketId(id),
            size,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        }
    }

    fn drain(q: &mut Pfifo) -> Vec<u32> {
        core::iter::from_fn(|| q.dequeue(Instant::ZERO, &mut |_, _| unreachable!()))
            .map(|p| p.id.0)
            .collect()
    }

    #[test]
    fn the_packet_limit_refuses_the_last_to_come() {
        let mut q = Pfifo::new(Limit::Packets(2));
        let fates: Vec<_> = (0..3)
            .map(|i| q.offer(Instant::ZERO, packet(i, 1500)))
            .collect();
        assert_eq!(fates[..2], [Enqueue::Queued, Enqueue::Queued]);
        assert_eq!(fates[2], Enqueue::Dropped(DropReason::QueueFull));
        assert_eq!(drain(&mut q), [0, 1]);
        assert_eq!(q.stats().refused, 1);
    }

    #[test]
    fn the_byte_limit_lets_a_small_packet_in_where_a_large_one_does_not_fit() {
        let mut q = Pfifo::new(Limit::Bytes(1600));
        q.offer(Instant::ZERO, packet(0, 1500));
        assert_eq!(
            q.offer(Instant::ZERO, packet(1, 101)),
            Enqueue::Dropped(DropReason::QueueFull)
        );
        assert_eq!(q.offer(Instant::ZERO, packet(2, 100)), Enqueue::Queued);
        assert_eq!(q.stats().bytes, 1600);
        assert_eq!(drain(&mut q), [0, 2]);
    }

    /// The mark falls where a drop would if the threshold were the limit.
    #[test]
    fn a_step_marks_what_a_shorter_queue_would_drop() {
        for threshold in [Limit::Packets(2), Limit::Bytes(3000)] {
            let mut q = Pfifo::new(Config {
                limit: Limit::Packets(9),
                mark: Some(threshold),
            });
            let codepoints = [Ecn::Ect0, Ecn::NotEct, Ecn::Ect0, Ecn::NotEct, Ecn::Ect1];
            for ecn in codepoints {
                let packet = Packet {
                    ecn,
                    ..packet(0, 1500)
                };
                assert_eq!(q.offer(Instant::ZERO, packet), Enqueue::Queued);
            }
            let out: Vec<_> =
                core::iter::from_fn(|| q.dequeue(Instant::ZERO, &mut |_, _| unreachable!()))
                    .map(|p| p.ecn)
                    .collect();
            let marked = [Ecn::Ect0, Ecn::NotEct, Ecn::Ce, Ecn::NotEct, Ecn::Ce];
            assert_eq!(out, marked, "{threshold:?}");
            assert_eq!(q.stats().marked, 2);
        }
    }

    #[test]
    fn a_packet_that_was_marked_before_is_not_counted_again() {
        let mut q = Pfifo::new(Config {
            limit: Limit::Packets(9),
            mark: Some(Limit::Packets(0)),
        });
        let packet = Packet {
            ecn: Ecn::Ce,
            ..packet(0, 1500)
        };
        q.offer(Instant::ZERO, packet);
        assert_eq!(q.stats().marked, 0);
    }

    #[test]
    fn a_packet_can_be_taken_out_of_the_middle() {
        let mut q = Pfifo::new(Limit::Packets(9));
        for i in 0..3 {
            q.offer(Instant::ZERO, packet(i, 40));
        }
        assert_eq!(q.remove(PacketId(1)), Some(packet(1, 40)));
        assert_eq!(q.remove(PacketId(1)), None);
        assert_eq!((q.stats().packets, q.stats().bytes), (2, 80));
        assert_eq!(drain(&mut q), [0, 2]);
    }

    #[test]
    fn a_packet_can_take_the_place_of_another() {
        let mut q = Pfifo::new(Limit::Packets(3));
        for i in 0..3 {
            q.offer(Instant::ZERO, packet(i, 40));
        }
        let new = packet(7, 40);
        assert_eq!(
            q.replace(Instant::ZERO, PacketId(1), new),
            Some(packet(1, 40))
        );
        assert_eq!(q.replace(Instant::ZERO, PacketId(1), new), None);
        assert_eq!((q.stats().packets, q.stats().dropped_inside), (3, 1));
        assert_eq!(drain(&mut q), [0, 7, 2]);
    }
}
