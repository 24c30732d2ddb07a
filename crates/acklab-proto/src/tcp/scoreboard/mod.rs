//! Outstanding segments: sent and not yet cumulatively acknowledged.
//!
//! Segments stand in sequence order in a ring; a doubly linked list through the same records keeps
//! them in order of their latest transmission, which is what RACK walks. Both are O(1) at their
//! ends, so an ACK costs what it covers, however large the window.

mod duplicates;
mod order;
mod record;
mod sack;

pub use record::Record;

use alloc::collections::VecDeque;
use order::TimeOrder;

/// A record's stable name: it stays the same while older records leave the ring.
pub type Id = u32;

/// A number of segments and their payload bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Segments.
    pub segments: u32,
    /// Payload bytes.
    pub bytes: u64,
}

impl Count {
    fn add(&mut self, r: &Record) {
        self.segments += 1;
        self.bytes += u64::from(r.len);
    }

    fn sub(&mut self, r: &Record) {
        self.segments -= 1;
        self.bytes -= u64::from(r.len);
    }
}

/// The outstanding segments and their marks.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    ring: VecDeque<Record>,
    /// Name of the record at the front of the ring.
    base: Id,
    order: TimeOrder,
    /// Everything outstanding.
    pub out: Count,
    /// Selectively acknowledged.
    pub sacked: Count,
    /// Marked lost.
    pub lost: Count,
    /// Retransmissions in flight.
    pub retrans: Count,
    /// Without SACK: arrived as duplicate ACKs tell. No record is tagged for them.
    pub dup_acked: Count,
    /// Segments that Linux holds in one buffer with the one before them.
    pub merged: u64,
    /// Offset behind the highest selectively acknowledged byte; 0 = none.
    pub highest_sacked: u64,
    /// No lost and unretransmitted record stands before this one.
    retransmit_hint: Id,
    /// Offset below which the duplicate-ACK rule has marked everything it could.
    dup_marked_below: u64,
    /// The blocks of the last ACK, to recognise what is not news.
    seen_blocks: [(u64, u64); 4],
}

impl Scoreboard {
    /// Bytes in flight: `out - sacked - lost + retrans` (RFC 6675 `pipe`, Linux
    /// `tcp_packets_in_flight`).
    pub fn inflight(&self) -> u64 {
        // Duplicates count full segments, so they may stand for more bytes than there are.
        ((self.out.bytes + self.retrans.bytes) - (self.sacked.bytes + self.lost.bytes))
            .saturating_sub(self.dup_acked.bytes)
    }

    /// The same in segments.
    pub fn inflight_segments(&self) -> u32 {
        (self.out.segments + self.retrans.segments)
            - (self.sacked.segments + self.lost.segments + self.dup_acked.segments)
    }

    /// Segments that have left the network, as far as is known, and are still outstanding (Linux
    /// `sacked_out`).
    pub fn arrived_segments(&self) -> u32 {
        self.sacked.segments + self.dup_acked.segments
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The oldest outstanding segment.
    pub fn head(&self) -> Option<&Record> {
        self.ring.front()
    }

    /// The newest outstanding segment's name.
    pub fn tail_id(&self) -> Option<Id> {
        (!self.ring.is_empty()).then(|| self.base.wrapping_add(self.ring.len() as u32 - 1))
    }

    /// The oldest outstanding segment's name.
    pub fn head_id(&self) -> Option<Id> {
        (!self.ring.is_empty()).then_some(self.base)
    }

    /// The record called `id`, if it is still outstanding.
    pub fn record(&self, id: Id) -> Option<&Record> {
        self.ring.get(id.wrapping_sub(self.base) as usize)
    }

    pub(super) fn record_mut(&mut self, id: Id) -> &mut Record {
        &mut self.ring[id.wrapping_sub(self.base) as usize]
    }

    /// Appends a segment that has just been sent for the first time.
    pub fn push(&mut self, r: Record) {
        debug_assert!(self.ring.back().is_none_or(|b| b.end() == r.start));
        let id = self.base.wrapping_add(self.ring.len() as u32);
        if self.ring.is_empty() {
            self.retransmit_hint = id;
        }
        self.out.add(&r);
        self.ring.push_back(r);
        self.order.push_newest(&mut self.ring, self.base, id);
    }

    /// Removes what lies entirely below `ack` and hands each record to `each`, oldest first.
    /// A record that is only partly covered is trimmed.
    pub fn ack_to(&mut self, ack: u64, mut each: impl FnMut(&Record)) {
        while let Some(front) = self.ring.front() {
            if front.end() > ack {
                break;
            }
            self.order.remove(&mut self.ring, self.base, self.base);
            let r = self.ring.pop_front().expect("front exists");
            self.base = self.base.wrapping_add(1);
            self.out.sub(&r);
            self.forget_marks(&r);
            each(&r);
        }
        self.trim_front(ack);
        self.clamp_hint();
    }

    fn forget_marks(&mut self, r: &Record) {
        self.merged -= u64::from(r.is_merged());
        if r.is_sacked() {
            self.sacked.sub(r);
        }
        if r.is_lost() {
            self.lost.sub(r);
        }
        if r.is_retransmitted() {
            self.retrans.sub(r);
        }
    }

    /// A peer that acknowledges inside a segment (one that splits segments on its own) leaves the
    /// rest outstanding.
    fn trim_front(&mut self, ack: u64) {
        let Some(front) = self.ring.front_mut() else {
            return;
        };
        if front.start >= ack {
            return;
        }
        let n = (ack - front.start).min(u64::from(front.len)) as u32;
        let (sacked, lost, retrans) =
            (front.is_sacked(), front.is_lost(), front.is_retransmitted());
        front.trim(n);
        let n = u64::from(n);
        self.out.bytes -= n;
        self.sacked.bytes -= if sacked { n } else { 0 };
        self.lost.bytes -= if lost { n } else { 0 };
        self.retrans.bytes -= if retrans { n } else { 0 };
    }

    fn clamp_hint(&mut self) {
        if (self.retransmit_hint.wrapping_sub(self.base) as i32) < 0 {
            self.retransmit_hint = self.base;
        }
    }

    /// Marks `id` lost. A retransmission of it that was in flight counts as lost too. Returns
    /// whether that was news.
    pub fn mark_lost(&mut self, id: Id) -> bool {
        let base = self.base;
        let r = &mut self.ring[id.wrapping_sub(base) as usize];
        if r.is_sacked() {
            return false;
        }
        let news = if r.is_lost() {
            if !r.is_retransmitted() {
                return false;
            }
            r.set_retrans(false);
            self.retrans.sub(r);
            true
        } else {
            r.set_lost(true);
            self.lost.add(r);
            if r.is_retransmitted() {
                r.set_retrans(false);
                self.retrans.sub(r);
            }
            true
        };
        self.order.remove(&mut self.ring, base, id);
        if (id.wrapping_sub(self.retransmit_hint) as i32) < 0 {
            self.retransmit_hint = id;
        }
        news
    }

    /// Takes back every loss mark that no retransmission has answered (undo).
    pub fn unmark_lost(&mut self) {
        for i in 0..self.ring.len() {
            let r = &mut self.ring[i];
            if r.is_lost() {
                r.set_lost(false);
                self.lost.sub(r);
                if !r.is_listed() {
                    let id = self.base.wrapping_add(i as u32);
                    self.order.push_oldest(&mut self.ring, self.base, id);
                }
            }
        }
        self.retransmit_hint = self.base;
        self.dup_marked_below = 0;
    }

    /// The first segment that is marked lost and not retransmitted yet.
    pub fn next_lost(&mut self) -> Option<Id> {
        if self.lost.segments == 0 || self.lost.segments <= self.retrans.segments {
            return None;
        }
        let mut id = self.retransmit_hint;
        while let Some(r) = self.record(id) {
            if r.is_lost() && !r.is_retransmitted() && !r.is_sacked() {
                self.retransmit_hint = id;
                return Some(id);
            }
            id = id.wrapping_add(1);
        }
        None
    }

    /// `id` was retransmitted: the caller has stamped the record. With `in_flight` the
    /// retransmission counts as such (a tail loss probe does not).
    pub fn retransmitted(&mut self, id: Id, in_flight: bool) {
        let base = self.base;
        let r = &mut self.ring[id.wrapping_sub(base) as usize];
        r.mark_retransmitted();
        if in_flight && !r.is_retransmitted() {
            r.set_retrans(true);
            self.retrans.add(r);
        }
        self.order.remove(&mut self.ring, base, id);
        self.order.push_newest(&mut self.ring, base, id);
    }

    /// Takes `id` out of the order of transmissions until it is sent again: RACK has judged it.
    pub fn leave_order(&mut self, id: Id) {
        self.order.remove(&mut self.ring, self.base, id);
    }

    /// Visits unacknowledged records in order of their latest transmission, oldest first, until
    /// `visit` says stop. Those selectively acknowledged or marked lost and not retransmitted are not in
    /// the order, unless a tail loss probe has repeated them. The latter are left out even so
    /// (`tcp_rack_detect_loss` skips them), the former are not.
    pub fn walk_by_time(&self, mut visit: impl FnMut(Id, &Record) -> bool) {
        let mut id = self.order.oldest();
        while let Some(r) = id.and_then(|i| self.record(i).map(|r| (i, r))) {
            let given_up = r.1.is_lost() && !r.1.is_retransmitted();
            if !given_up && !visit(r.0, r.1) {
                return;
            }
            id = order::next_of(r.1);
        }
    }

    /// Names of all records, in sequence order.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        let base = self.base;
        (0..self.ring.len() as u32).map(move |i| base.wrapping_add(i))
    }

    /// The identities that must always hold.
    pub fn check(&self) {
        if cfg!(debug_assertions) && self.ring.len() <= 64 {
            let count = |f: &dyn Fn(&Record) -> bool| {
                self.ring
                    .iter()
                    .filter(|r| f(r))
                    .map(|r| u64::from(r.len))
                    .sum::<u64>()
            };
            assert_eq!(self.out.bytes, count(&|_| true));
            assert_eq!(self.sacked.bytes, count(&Record::is_sacked));
            assert_eq!(self.lost.bytes, count(&Record::is_lost));
            assert_eq!(self.retrans.bytes, count(&Record::is_retransmitted));
        }
        debug_assert!(self.arrived_segments() + self.lost.segments <= self.out.segments);
        debug_assert!(self.retrans.segments <= self.out.segments);
    }
}

#[cfg(test)]
mod tests;
