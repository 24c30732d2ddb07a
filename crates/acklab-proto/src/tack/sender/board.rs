//! Data under way, by stream offset and by packet number.
//!
//! "The sender has to maintain a two-tuples (SEQ, PKT.SEQ) for each packet. Although retransmissions
//! will have different PKT.SEQs, [...] it is recommended the PKT.SEQ of a packet in the tuples be
//! always replaced and updated by the latest PKT.SEQ of the retransmitted packet" (TACK paper,
//! section 5.1).

use super::record::Record;
use crate::tack::config::RepairOrder;
use acklab_units::Instant;
use alloc::collections::{BinaryHeap, VecDeque};
use core::cmp::Reverse;

/// A number that carries no segment: a PING, or one that was skipped.
const NONE: u64 = u64::MAX;

/// Segments in the order of the stream, and numbers in the order of sending.
#[derive(Clone, Debug)]
pub struct Board {
    records: VecDeque<Record>,
    /// Identity of the first record: identities count up and are never used again.
    base: u64,
    /// Which record each number carried, from `first_number` on.
    numbers: VecDeque<u64>,
    first_number: u64,
    /// Identities of records to be sent again, each behind its place in their order.
    repairs: BinaryHeap<Reverse<(u64, u64)>>,
    order: RepairOrder,
    /// Repairs so far.
    found: u64,
    /// No number below it is under way.
    unsettled: u64,
    inflight: u64,
    inflight_segments: u32,
    lost_segments: u32,
}

impl Board {
    /// Nothing is under way; the first packet will have this number.
    pub fn new(first_number: u64, order: RepairOrder) -> Self {
        Self {
            records: VecDeque::new(),
            base: 0,
            numbers: VecDeque::new(),
            first_number,
            repairs: BinaryHeap::new(),
            order,
            found: 0,
            unsettled: first_number,
            inflight: 0,
            inflight_segments: 0,
            lost_segments: 0,
        }
    }

    /// Bytes that may be under way: sent, and neither delivered nor lost nor settled.
    pub const fn inflight(&self) -> u64 {
        self.inflight
    }

    /// The same in segments.
    pub const fn inflight_segments(&self) -> u32 {
        self.inflight_segments
    }

    /// Segments that wait to be sent again.
    pub const fn lost_segments(&self) -> u32 {
        self.lost_segments
    }

    /// Whether everything is acknowledged.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The number that the next packet has.
    pub fn next_number(&self) -> u64 {
        self.first_number + self.numbers.len() as u64
    }

    /// The lowest number that may still be under way.
    pub const fn oldest_number(&self) -> u64 {
        self.first_number
    }

    /// A number that carries no segment leaves.
    pub fn pass_number(&mut self) -> u64 {
        let number = self.next_number();
        self.numbers.push_back(NONE);
        self.prune();
        number
    }

    /// A new segment leaves.
    pub fn push(&mut self, start: u64, len: u32, fin: bool, now: Instant) -> &mut Record {
        let number = self.next_number();
        self.numbers
            .push_back(self.base + self.records.len() as u64);
        self.count(u64::from(len), true);
        let record = Record::new(start, len, fin, number, now, self.inflight);
        self.records.push_back(record);
        let last = self.records.len() - 1;
        &mut self.records[last]
    }

    fn count(&mut self, bytes: u64, up: bool) {
        if up {
            self.inflight += bytes;
            self.inflight_segments += 1;
        } else {
            self.inflight -= bytes;
            self.inflight_segments -= 1;
        }
    }

    /// A segment leaves again, under a new number.
    pub fn repeat(&mut self, id: u64, now: Instant) -> &mut Record {
        let number = self.next_number();
        self.numbers.push_back(id);
        let i = (id - self.base) as usize;
        let r = self.records[i];
        self.lost_segments -= u32::from(r.is_lost());
        if !r.is_under_way() {
            self.count(u64::from(r.len()), true);
        }
        self.records[i].repeat(number, now, self.inflight);
        self.prune();
        &mut self.records[i]
    }

    /// The record of that identity, while it is kept.
    pub fn record(&self, id: u64) -> Option<&Record> {
        let i = id.checked_sub(self.base)?;
        self.records.get(i as usize)
    }

    /// The record whose latest number is `number`.
    pub fn by_number(&self, number: u64) -> Option<(u64, &Record)> {
        let i = number.checked_sub(self.first_number)?;
        let id = *self.numbers.get(i as usize)?;
        let r = self.record(id)?;
        (r.number == number).then_some((id, r))
    }

    /// The next segment to be sent again.
    pub fn next_repair(&mut self) -> Option<u64> {
        while let Some(&Reverse((_, id))) = self.repairs.peek() {
            if self.record(id).is_some_and(Record::is_lost) {
                return Some(id);
            }
            self.repairs.pop();
        }
        None
    }

    fn queue_repair(&mut self, id: u64) {
        let place = match self.order {
            RepairOrder::Lowest => id,
            RepairOrder::Reported => self.found,
        };
        self.found += 1;
        self.repairs.push(Reverse((place, id)));
    }

    /// The oldest segment that has not arrived, and the newest.
    pub fn last_missing(&self) -> Option<u64> {
        let back = self.records.iter().rev().position(|r| !r.is_delivered())?;
        Some(self.base + (self.records.len() - 1 - back) as u64)
    }

    /// Marks one as lost; returns it if it was not.
    pub fn lose(&mut self, id: u64) -> Option<Record> {
        let i = id.checked_sub(self.base)? as usize;
        let r = *self.records.get(i)?;
        if r.is_delivered() || r.is_lost() {
            return None;
        }
        self.records[i].set_lost(true);
        self.lost_segments += 1;
        if r.is_under_way() {
            self.count(u64::from(r.len()), false);
        }
        self.queue_repair(id);
        Some(r)
    }

    /// Marks everything that has not arrived as lost, to be sent again in the stream's order.
    pub fn lose_all(&mut self, mut on_lost: impl FnMut(&Record)) {
        self.repairs.clear();
        for i in 0..self.records.len() {
            let r = &mut self.records[i];
            if r.is_delivered() {
                continue;
            }
            if !r.is_lost() {
                if r.is_under_way() {
                    self.inflight -= u64::from(r.len());
                    self.inflight_segments -= 1;
                }
                r.set_lost(true);
                self.lost_segments += 1;
                on_lost(r);
            }
            self.queue_repair(self.base + i as u64);
        }
    }

    /// Forgets everything that was sent. Reports of it mean nothing any more.
    pub fn clear(&mut self) {
        self.first_number = self.next_number();
        self.base += self.records.len() as u64;
        self.records.clear();
        self.numbers.clear();
        self.repairs.clear();
        self.unsettled = self.first_number;
        (self.inflight, self.inflight_segments, self.lost_segments) = (0, 0, 0);
    }

    /// Segments that were given up and whose number is above `heard` may be under way after all;
    /// `heard` itself has arrived.
    pub fn revive(&mut self, heard: u64) {
        for r in self.records.iter_mut() {
            if !r.is_lost() || r.number < heard {
                continue;
            }
            r.set_lost(false);
            self.lost_segments -= 1;
            if r.is_under_way() {
                self.inflight += u64::from(r.len());
                self.inflight_segments += 1;
            }
        }
    }

    fn deliver(&mut self, i: usize, on_delivered: &mut impl FnMut(&Record)) {
        let r = self.records[i];
        if r.is_delivered() {
            return;
        }
        self.lost_segments -= u32::from(r.is_lost());
        if r.is_under_way() {
            self.count(u64::from(r.len()), false);
        }
        self.records[i].deliver();
        on_delivered(&r);
    }

    /// Everything below `cumulative` has arrived. `on_gone` hears of each segment that leaves.
    pub fn ack_to(
        &mut self,
        cumulative: u64,
        on_delivered: &mut impl FnMut(&Record),
        mut on_gone: impl FnMut(&Record),
    ) {
        while self.records.front().is_some_and(|r| r.end() <= cumulative) {
            self.deliver(0, on_delivered);
            if let Some(r) = self.records.pop_front() {
                on_gone(&r);
            }
            self.base += 1;
        }
        self.prune();
    }

    /// The segments that lie whole inside `start..end` have arrived.
    pub fn ack_block(&mut self, start: u64, end: u64, on_delivered: &mut impl FnMut(&Record)) {
        let mut i = self.records.partition_point(|r| r.start < start);
        while self.records.get(i).is_some_and(|r| r.end() <= end) {
            self.deliver(i, on_delivered);
            i += 1;
        }
    }

    /// The peer has settled all numbers up to this one: each packet has arrived, or is reported as lost.
    /// A TACK has no room for every block of a path with many gaps, so the fate of some is not known
    /// yet, but none of them is under way: "inflight = sent - received" (journal version, VI-D).
    pub fn settle(&mut self, up_to: u64) {
        let end = (up_to + 1).min(self.next_number());
        for number in self.unsettled.max(self.first_number)..end {
            let Some((id, r)) = self.by_number(number) else {
                continue;
            };
            if r.is_under_way() {
                let (i, len) = ((id - self.base) as usize, u64::from(r.len()));
                self.records[i].settle();
                self.count(len, false);
            }
        }
        self.unsettled = self.unsettled.max(end);
    }

    /// Calls `each` with the segments that lie in `start..end`, as far as they have not arrived.
    pub fn missing_in(&self, start: u64, end: u64, mut each: impl FnMut(u64, &Record)) {
        let mut i = self.records.partition_point(|r| r.end() <= start);
        while let Some(r) = self.records.get(i).filter(|r| r.start < end) {
            if !r.is_delivered() {
                each(self.base + i as u64, r);
            }
            i += 1;
        }
    }

    /// Forgets numbers that mean nothing any more.
    fn prune(&mut self) {
        while let Some(&id) = self.numbers.front() {
            let number = self.first_number;
            let wanted = self
                .record(id)
                .is_some_and(|r| !r.is_delivered() && r.number == number);
            if wanted {
                return;
            }
            self.numbers.pop_front();
            self.first_number += 1;
        }
    }

    /// The law of the board: what is in flight is what was sent and is neither there nor lost nor
    /// settled.
    pub fn check(&self) {
        if cfg!(debug_assertions) && self.records.len() <= 64 {
            let under_way = self.records.iter().filter(|r| r.is_under_way());
            let bytes: u64 = under_way.clone().map(|r| u64::from(r.len())).sum();
            debug_assert_eq!(bytes, self.inflight);
            debug_assert_eq!(under_way.count() as u32, self.inflight_segments);
            let lost = self.records.iter().filter(|r| r.is_lost()).count();
            debug_assert_eq!(lost as u32, self.lost_segments);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn board(n: u64) -> Board {
        let mut b = Board::new(7, RepairOrder::Lowest);
        for i in 0..n {
            b.push(i * 1000, 1000, false, Instant::ZERO);
        }
        b
    }

    #[test]
    fn a_number_leads_to_the_segment_until_it_has_a_newer_one() {
        let mut b = board(3);
        let (id, r) = b.by_number(8).unwrap();
        assert_eq!((id, r.start), (1, 1000));
        assert!(b.lose(id).is_some() && b.lose(id).is_none());
        assert_eq!(
            (b.inflight(), b.lost_segments(), b.next_repair()),
            (2000, 1, Some(1))
        );
        b.repeat(id, Instant::ZERO);
        assert_eq!(
            (b.inflight(), b.lost_segments(), b.next_repair()),
            (3000, 0, None)
        );
        assert!(b.by_number(8).is_none());
        assert_eq!(b.by_number(10).unwrap().0, 1);
        b.check();
    }

    #[test]
    fn acknowledgements_empty_it() {
        let mut b = board(4);
        let mut got = Vec::new();
        b.ack_block(2000, 4000, &mut |r| got.push(r.start));
        b.ack_block(2500, 4000, &mut |r| got.push(r.start));
        assert_eq!(got, [2000, 3000]);
        let mut missing = Vec::new();
        b.missing_in(0, 5000, |id, _| missing.push(id));
        assert_eq!((missing, b.last_missing()), (alloc::vec![0, 1], Some(1)));
        let mut gone = Vec::new();
        b.ack_to(4000, &mut |r| got.push(r.start), |r| gone.push(r.start));
        assert_eq!(got, [2000, 3000, 0, 1000]);
        assert_eq!(gone.len(), 4);
        assert!(b.is_empty() && b.inflight() == 0);
        assert_eq!(b.oldest_number(), b.next_number());
        b.check();
    }

    #[test]
    fn repairs_come_from_below_or_as_they_were_reported() {
        for (order, expected) in [
            (RepairOrder::Lowest, [1, 2, 3]),
            (RepairOrder::Reported, [3, 1, 2]),
        ] {
            let mut b = Board::new(7, order);
            for i in 0..4 {
                b.push(i * 1000, 1000, false, Instant::ZERO);
            }
            for id in [3, 1, 2] {
                b.lose(id);
            }
            let next = || {
                let id = b.next_repair()?;
                b.repeat(id, Instant::ZERO);
                Some(id)
            };
            let sent: Vec<_> = core::iter::from_fn(next).collect();
            assert_eq!(sent, expected);
        }
    }

    /// Settled packets are not under way, whatever later reports say of them.
    #[test]
    fn settled_numbers_leave_the_flight() {
        let mut b = board(5);
        b.ack_block(4000, 5000, &mut |_| {});
        b.settle(9);
        assert_eq!((b.inflight(), b.inflight_segments()), (1000, 1));
        assert!(b.lose(0).is_some());
        assert_eq!((b.inflight(), b.lost_segments()), (1000, 1));
        b.repeat(0, Instant::ZERO);
        b.ack_block(1000, 2000, &mut |_| {});
        assert_eq!((b.inflight(), b.lost_segments()), (2000, 0));
        b.check();
        b.lose_all(|_| {});
        assert_eq!((b.inflight(), b.lost_segments()), (0, 3));
        b.settle(u64::MAX - 1);
        b.check();
    }

    #[test]
    fn what_a_timeout_gave_up_is_revived_above_what_was_heard_of() {
        let mut b = board(5);
        b.lose_all(|_| {});
        b.repeat(0, Instant::ZERO);
        b.revive(9);
        assert_eq!((b.inflight(), b.lost_segments()), (4000, 1));
        assert_eq!(b.next_repair(), Some(1));
        b.repeat(1, Instant::ZERO);
        assert_eq!(b.next_repair(), None);
        b.check();
    }

    #[test]
    fn numbers_without_a_segment_are_forgotten() {
        let mut b = board(1);
        assert_eq!(b.pass_number(), 8);
        assert_eq!(b.pass_number(), 9);
        assert_eq!(b.oldest_number(), 7);
        b.ack_to(1000, &mut |_| {}, |_| {});
        assert_eq!((b.oldest_number(), b.next_number()), (10, 10));
    }
}
