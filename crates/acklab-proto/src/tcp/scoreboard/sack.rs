//! Selective acknowledgements on the scoreboard (RFC 2018, RFC 6675, Linux
//! `tcp_sacktag_write_queue`).

use super::{Id, Record, Scoreboard};

impl Scoreboard {
    /// Marks everything inside `blocks` (offsets, already clipped to what is outstanding) as
    /// selectively acknowledged. `each` sees every record that was not so before, in sequence
    /// order within a block, before the mark is made; the flag says that it was lost and its
    /// original or retransmission has now arrived.
    ///
    /// Blocks repeat from ACK to ACK; what the previous ACK reported is skipped.
    pub fn sack(&mut self, blocks: &[(u64, u64)], mut each: impl FnMut(&Record)) {
        for &(start, end) in blocks {
            let mut from = start;
            if let Some(&(s, e)) = self
                .seen_blocks
                .iter()
                .find(|b| b.0 <= start && b.1 > start)
            {
                // Everything up to `e` was tagged when that block was seen.
                debug_assert!(s <= start);
                from = e;
            }
            if from < end {
                self.tag(start, from, end, &mut each);
            }
        }
        for (slot, b) in self
            .seen_blocks
            .iter_mut()
            .zip(blocks.iter().copied().chain(core::iter::repeat((0, 0))))
        {
            *slot = b;
        }
    }

    /// Tags what lies inside `[start, end)`, given that everything below `from` was looked at. A
    /// record that the block covers only in part has not arrived as a whole and stays untagged.
    fn tag(&mut self, start: u64, from: u64, end: u64, each: &mut impl FnMut(&Record)) {
        let mut i = self.ring.partition_point(|r| r.end() <= from);
        while let Some(r) = self.ring.get(i) {
            if r.end() > end {
                break;
            }
            if !r.is_sacked() && r.start >= start {
                each(r);
                self.tag_one(i);
            }
            i += 1;
        }
    }

    fn tag_one(&mut self, i: usize) {
        let id = self.base.wrapping_add(i as u32);
        let r = &mut self.ring[i];
        if r.is_lost() {
            r.set_lost(false);
            self.lost.sub(r);
            if r.is_retransmitted() {
                r.set_retrans(false);
                self.retrans.sub(r);
            }
        }
        r.set_sacked();
        self.sacked.add(r);
        self.highest_sacked = self.highest_sacked.max(r.end());
        self.merge(i);
        self.order.remove(&mut self.ring, self.base, id);
    }

    /// A segment that has just been tagged moves into the buffer of a tagged neighbour before it, and
    /// one behind it follows (Linux `tcp_shift_skb_data`). They must be equally long.
    fn merge(&mut self, i: usize) {
        let ring = &mut self.ring;
        let len = ring[i].len;
        let alike = |r: &Record| r.is_sacked() && r.len == len;
        if i == 0 || !alike(&ring[i - 1]) {
            return;
        }
        let behind = ring.get(i + 1).is_some_and(alike);
        for r in ring.range_mut(i..=i + usize::from(behind)) {
            self.merged += u64::from(!r.is_merged());
            r.set_merged();
        }
    }

    /// Whether an outstanding segment inside `[start, end)` was ever retransmitted.
    pub fn was_resent(&self, start: u64, end: u64) -> bool {
        let i = self.ring.partition_point(|r| r.end() <= start);
        self.ring
            .range(i..)
            .take_while(|r| r.start < end)
            .any(Record::ever_retransmitted)
    }

    /// Forgets every selective acknowledgement (the receiver reneged, RFC 2018 section 8).
    pub fn renege(&mut self) {
        for i in 0..self.ring.len() {
            if self.ring[i].is_sacked() {
                let r = &mut self.ring[i];
                r.clear_sacked();
                self.sacked.sub(r);
                let id = self.base.wrapping_add(i as u32);
                self.order.push_newest(&mut self.ring, self.base, id);
            }
        }
        self.highest_sacked = 0;
        self.seen_blocks = [(0, 0); 4];
        self.dup_marked_below = 0;
    }

    /// The duplicate-ACK rule of RFC 6675 (`IsLost`): a segment is lost when `thresh` segments
    /// above it have been selectively acknowledged. Marks what has become lost and hands the names
    /// to `each`.
    pub fn mark_by_dup_thresh(&mut self, thresh: u32, mut each: impl FnMut(Id, &Record)) {
        if self.sacked.segments < thresh {
            return;
        }
        let mut above = 0;
        let mut limit = 0;
        for r in self.ring.iter().rev() {
            if r.is_sacked() {
                above += 1;
                if above == thresh {
                    limit = r.start;
                    break;
                }
            }
        }
        let from = self
            .ring
            .partition_point(|r| r.start < self.dup_marked_below);
        for i in from..self.ring.len() {
            let r = &self.ring[i];
            if r.start >= limit {
                break;
            }
            if !r.is_sacked() && !r.is_lost() && !r.is_retransmitted() {
                let id = self.base.wrapping_add(i as u32);
                each(id, &self.ring[i]);
                self.mark_lost(id);
            }
        }
        self.dup_marked_below = self.dup_marked_below.max(limit);
    }
}
