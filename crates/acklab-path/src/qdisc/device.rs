//! A queue discipline above the queue of a device, which it does not see.
//!
//! As long as the device has room a packet goes through the discipline at once; then the discipline
//! holds what follows. Waiting in the device is waiting that no control law knows of: Linux without
//! byte queue limits, and ns-3's traffic control over a `NetDevice` with its own `DropTailQueue`.

use super::classes::Row;
use super::{Enqueue, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The two queues as one discipline. Its counters are of both together.
#[derive(Debug)]
pub struct OverDevice {
    above: Box<dyn QueueDisc>,
    device: VecDeque<Packet>,
    /// Packets that wait in the device, the one in service not counted.
    room: usize,
    bytes: u64,
    dequeued: u64,
    removed: u64,
    /// Packets that took the place of others in the device.
    replaced: u64,
    /// The packets that the discipline dropped while it passed packets on to the device, latest first.
    dropped: Vec<(Packet, DropReason)>,
}

impl OverDevice {
    /// `above` over a device in which `room` packets can wait.
    pub fn new(above: Box<dyn QueueDisc>, room: u32) -> Self {
        Self {
            above,
            device: VecDeque::with_capacity(room as usize),
            room: room as usize,
            bytes: 0,
            dequeued: 0,
            removed: 0,
            replaced: 0,
            dropped: Vec::new(),
        }
    }

    /// Fills the device.
    fn refill(&mut self, now: Instant, dropped: &mut dyn FnMut(Packet, DropReason)) {
        while self.device.len() < self.room
            && let Some(packet) = self.above.dequeue(now, dropped)
        {
            self.bytes += u64::from(packet.size);
            self.device.push_back(packet);
        }
    }

    fn check(&self) {
        let handed_down = self.above.stats().dequeued;
        let gone = self.dequeued + self.removed;
        debug_assert_eq!(self.device.len() as u64, handed_down - gone);
        self.stats().check();
    }
}

impl QueueDisc for OverDevice {
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue {
        debug_assert!(self.dropped.is_empty(), "dropped packets were not fetched");
        let fate = self.above.enqueue(now, packet, label);
        // In the order in which they are to be told of, the last one first.
        let mut dropped = core::mem::take(&mut self.dropped);
        while let Some(victim) = self.above.evicted() {
            dropped.push(victim);
        }
        self.refill(now, &mut |p, why| dropped.push((p, why)));
        dropped.reverse();
        self.dropped = dropped;
        self.check();
        fate
    }

    fn evicted(&mut self) -> Option<(Packet, DropReason)> {
        self.dropped.pop()
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        if self.device.is_empty() {
            // A discipline that had something to give has given it long ago, unless it is a shaper.
            self.refill(now, dropped);
        }
        let next = self.device.pop_front();
        if let Some(packet) = next {
            self.bytes -= u64::from(packet.size);
            self.dequeued += 1;
        }
        self.refill(now, dropped);
        self.check();
        next
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let Some(at) = self.device.iter().position(|p| p.id == id) else {
            return self.above.remove(id);
        };
        let packet = self.device.remove(at)?;
        self.bytes -= u64::from(packet.size);
        self.removed += 1;
        self.check();
        Some(packet)
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let Some(place) = self.device.iter_mut().find(|p| p.id == id) else {
            return self.above.replace(now, id, by);
        };
        let old = core::mem::replace(place, by);
        debug_assert_eq!(old.size, by.size, "what takes a place is as long");
        self.replaced += 1;
        self.check();
        Some(old)
    }

    fn next_ready(&self) -> Option<Instant> {
        self.above.next_ready()
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.above.next_wakeup()
    }

    fn on_wakeup(&mut self, now: Instant, dropped: &mut dyn FnMut(Packet, DropReason)) {
        self.above.on_wakeup(now, dropped);
    }

    fn stats(&self) -> Stats {
        let above = self.above.stats();
        Stats {
            enqueued: above.enqueued + self.replaced,
            dequeued: self.dequeued,
            dropped_inside: above.dropped_inside + self.removed + self.replaced,
            packets: above.packets + self.device.len() as u32,
            bytes: above.bytes + self.bytes,
            ..above
        }
    }

    fn classes(&self) -> Vec<Row> {
        self.above.classes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::codel::{CodelQueue, Params};
    use super::super::fq_codel::{self, FqCodel};
    use super::super::pfifo::{Limit, Pfifo};
    use super::*;
    use crate::packet::FlowId;
    use crate::qdisc::testing::{Paced, Plain};
    use acklab_proto::segment::Ecn;
    use acklab_units::Span;
    use proptest::prelude::*;
    use std::collections::VecDeque as Model;

    fn packet(id: u32, flow: u32) -> Packet {
        Packet {
            id: PacketId(id),
            size: 1500,
            flow: FlowId(flow),
            ecn: Ecn::NotEct,
        }
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn never(_: Packet, _: DropReason) {
        panic!("nothing is to be dropped here");
    }

    #[test]
    fn a_discipline_sees_only_what_the_device_has_no_room_for() {
        let above = FqCodel::new(fq_codel::Config::DEFAULT);
        let mut q = OverDevice::new(Box::new(above), 2);
        // One flow fills the device; then the other one is not behind it in the discipline.
        for (id, flow) in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1)] {
            assert_eq!(q.offer(at(0), packet(id, flow)), Enqueue::Queued);
        }
        assert_eq!(q.stats().packets, 5);
        let order: Vec<_> = core::iter::from_fn(|| q.dequeue(at(1), &mut never))
            .map(|p| p.id.0)
            .collect();
        assert_eq!(order, [0, 1, 2, 4, 3]);
    }

    /// 40 ms in the device are no reason to drop; the same in the discipline are.
    #[test]
    fn time_in_the_device_is_hidden_from_codel() {
        let drops = |room: u32| {
            let above = CodelQueue::new(Params::DEFAULT, 1000);
            let mut q = OverDevice::new(Box::new(above), room);
            let mut drops = 0;
            for ms in 0..2000 {
                // A standing queue of 40 packets, served at one a millisecond.
                while q.stats().packets < 40 {
                    q.offer(at(ms), packet(ms as u32, 0));
                }
                q.dequeue(at(ms), &mut |_, _| drops += 1);
            }
            drops
        };
        assert_eq!(drops(100), 0);
        assert!(drops(1) > 10);
    }

    #[test]
    fn packets_can_be_taken_out_of_either_queue() {
        let mut q = OverDevice::new(Box::new(Pfifo::new(Limit::Packets(9))), 2);
        (0..4).for_each(|id| {
            q.offer(at(0), packet(id, 0));
        });
        assert_eq!(q.remove(PacketId(3)), Some(packet(3, 0)));
        assert_eq!(q.remove(PacketId(0)), Some(packet(0, 0)));
        assert_eq!(q.remove(PacketId(0)), None);
        let order: Vec<_> = core::iter::from_fn(|| q.dequeue(at(0), &mut never))
            .map(|p| p.id.0)
            .collect();
        assert_eq!(order, [1, 2]);
    }

    #[test]
    fn packets_can_take_places_in_either_queue() {
        let mut q = OverDevice::new(Box::new(Pfifo::new(Limit::Packets(9))), 2);
        (0..4).for_each(|id| {
            q.offer(at(0), packet(id, 0));
        });
        for (old, new) in [(1, 8), (2, 9)] {
            let out = q.replace(at(1), PacketId(old), packet(new, 0));
            assert_eq!(out, Some(packet(old, 0)));
        }
        assert_eq!(q.replace(at(1), PacketId(1), packet(7, 0)), None);
        assert_eq!((q.stats().enqueued, q.stats().dropped_inside), (6, 2));
        let order: Vec<_> = core::iter::from_fn(|| q.dequeue(at(1), &mut never))
            .map(|p| p.id.0)
            .collect();
        assert_eq!(order, [0, 8, 9, 3]);
    }

    /// A device takes what the shaper gives, when it gives it, and has it to send at once.
    #[test]
    fn a_shaper_above_a_device_keeps_its_times() {
        let above = Paced::new(9, Span::from_millis(10), None);
        let mut q = OverDevice::new(Box::new(above), 2);
        (0..4).for_each(|id| {
            q.offer(at(0), packet(id, 0));
        });
        let mut sent = std::vec![];
        for ms in 0..40 {
            sent.extend(q.dequeue(at(ms), &mut never).map(|p| (ms, p.id.0)));
        }
        assert_eq!(sent, [(0, 0), (10, 1), (20, 2), (30, 3)]);
    }

    proptest! {
        /// Two drop-tail queues in a row are one of their joint length.
        #[test]
        fn over_a_device_a_fifo_is_a_longer_fifo(
            room in 1u32..5, limit in 1u32..5, steps in prop::collection::vec(any::<bool>(), 0..60)
        ) {
            let above = Pfifo::new(Limit::Packets(limit));
            let mut q = OverDevice::new(Box::new(above), room);
            let mut model = Model::new();
            for (id, arrives) in (0..).zip(steps) {
                if arrives {
                    let fate = q.offer(at(0), packet(id, 0));
                    let fits = model.len() < (room + limit) as usize;
                    prop_assert_eq!(fate == Enqueue::Queued, fits);
                    if fits {
                        model.push_back(id);
                    }
                } else {
                    let next = q.dequeue(at(0), &mut never);
                    prop_assert_eq!(next.map(|p| p.id.0), model.pop_front());
                }
                prop_assert_eq!(q.stats().packets as usize, model.len());
            }
        }
    }
}
