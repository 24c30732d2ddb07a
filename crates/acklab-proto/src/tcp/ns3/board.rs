//! The outstanding segments, as ns-3 keeps them (`TcpTxBuffer`).
//!
//! It differs from RFC 6675 and from Linux where it matters for which segment is sent next: a
//! segment is retransmitted once and never again before a timeout, a retransmission counts as in
//! flight until the segment is cumulatively acknowledged, and segments are counted above a hole
//! from the highest one *most recently* reported.

use super::rate::Stamp;
use acklab_units::Instant;
use alloc::collections::VecDeque;

/// Selectively acknowledged segments above a hole that make it a loss (`m_dupAckThresh`).
const DUP_THRESH: u32 = 3;

/// One outstanding segment (`TcpTxItem`).
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// It carries SYN or FIN, which takes one offset behind the payload.
    pub flag: Flag,
    /// Selectively acknowledged.
    pub sacked: bool,
    /// Considered lost.
    pub lost: bool,
    /// Retransmitted since it was last given up.
    pub retrans: bool,
    /// Last sent.
    pub sent_at: Instant,
    /// The rate sampler's note of that time.
    pub stamp: Stamp,
}

/// The flags that a segment carries beside payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Flag {
    #[default]
    None,
    Syn,
    Fin,
}

impl Item {
    /// Offset behind the segment.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len) + u64::from(self.flag != Flag::None)
    }

    /// Payload bytes, for sums.
    pub fn bytes(&self) -> u64 {
        u64::from(self.len)
    }
}

/// A proposal of [`Board::next`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// The outstanding segment that starts here, again.
    Old(u64),
    /// New data, at most so many bytes.
    New(u64),
}

/// The outstanding segments in order, and sums over their marks in bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub(super) items: VecDeque<Item>,
    /// Everything outstanding.
    pub sent: u64,
    sacked: u64,
    /// Considered lost.
    pub lost: u64,
    /// Retransmitted, whatever became of the retransmission.
    pub retrans: u64,
    /// Start of the segment that counts as the highest one reported, if one is outstanding.
    highest: Option<u64>,
    /// Nothing before this offset is lost and waiting to be retransmitted.
    hint: u64,
    /// Everything below this offset is lost or selectively acknowledged.
    marked_below: u64,
    /// The blocks of the last ACK: what lies inside them is marked already.
    seen: [(u64, u64); 4],
}

impl Board {
    /// Bytes in flight (`BytesInFlight`).
    pub fn pipe(&self) -> u64 {
        self.sent - (self.sacked + self.lost) + self.retrans
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn position(&self, start: u64) -> usize {
        if self.items.front().is_none_or(|f| f.start >= start) {
            return 0;
        }
        self.items.partition_point(|t| t.start < start)
    }

    /// A segment is sent for the first time.
    pub fn push(&mut self, item: Item) {
        debug_assert!(self.items.back().is_none_or(|b| b.end() == item.start));
        if self.hint == item.start {
            self.hint = item.end();
        }
        self.sent += item.bytes();
        self.items.push_back(item);
    }

    /// Marks what lies inside `blocks`, each in turn, and says how many bytes were news. `each`
    /// sees every newly marked segment. News may make segments below count as lost.
    pub fn sack(&mut self, blocks: &[(u64, u64)], mut each: impl FnMut(&mut Item)) -> u64 {
        let before = self.sacked;
        for &(start, end) in blocks {
            let known = self.seen.iter().find(|b| b.0 <= start && b.1 > start);
            let from = known.map_or(start, |b| b.1);
            let mut i = self.items.partition_point(|t| t.end() <= from);
            while let Some(t) = self.items.get(i).filter(|t| t.end() <= end) {
                if t.start >= start && !t.sacked {
                    self.sack_one(i, &mut each);
                }
                i += 1;
            }
        }
        let rest = core::iter::repeat((0, 0));
        for (slot, b) in self.seen.iter_mut().zip(blocks.iter().copied().chain(rest)) {
            *slot = b;
        }
        if self.sacked > before {
            self.mark_lost();
        }
        self.sacked - before
    }

    /// Marks one segment. One that ends where the highest begins takes its place: the count above
    /// a hole then starts lower, as there.
    #[cold]
    fn sack_one(&mut self, i: usize, each: &mut impl FnMut(&mut Item)) {
        let t = &mut self.items[i];
        if t.lost {
            t.lost = false;
            self.lost -= t.bytes();
        }
        t.sacked = true;
        self.sacked += t.bytes();
        if self.highest.is_none_or(|h| h <= t.end()) {
            self.highest = Some(t.start);
        }
        each(t);
    }

    /// `UpdateLostCount`: everything with enough marked segments above it is lost.
    #[cold]
    fn mark_lost(&mut self) {
        let Some(limit) = self.lost_limit() else {
            return;
        };
        let from = self.position(self.marked_below);
        for i in from..self.items.len() {
            if self.items[i].start >= limit {
                break;
            }
            self.lose(i);
        }
        // The head is lost as soon as anything is, wherever the count stops.
        if !self.items.is_empty() {
            self.lose(0);
        }
        self.marked_below = self.marked_below.max(limit);
    }

    /// Where the count of marked segments, from the highest downwards, has reached the threshold.
    fn lost_limit(&self) -> Option<u64> {
        let top = self.position(self.highest?);
        let mut count = 0;
        for i in (1..=top).rev() {
            count += u32::from(self.items[i].sacked);
            if count == DUP_THRESH {
                return Some(self.items[i].start);
            }
        }
        None
    }

    fn lose(&mut self, i: usize) {
        let t = &mut self.items[i];
        if t.lost || t.sacked {
            return;
        }
        t.lost = true;
        self.lost += t.bytes();
        self.hint = self.hint.min(t.start);
    }

    /// Whether the segment at `offset` is lost (`IsLost`): never from the highest reported on.
    pub fn is_lost(&self, offset: u64) -> bool {
        if self.highest.is_none_or(|h| offset >= h) {
            return false;
        }
        let i = self.items.partition_point(|t| t.end() <= offset);
        self.items.get(i).is_some_and(|t| t.lost)
    }

    /// Gives the head up, and a retransmission of it that was out, too (`MarkHeadAsLost`).
    #[cold]
    pub fn lose_head(&mut self) {
        let Some(head) = self.items.front_mut() else {
            return;
        };
        if core::mem::take(&mut head.retrans) {
            self.retrans -= head.bytes();
        }
        self.hint = self.hint.min(head.start);
        self.lose(0);
    }

    /// A timeout gives everything up that is not selectively acknowledged (`SetSentListLost`).
    #[cold]
    pub fn lose_all(&mut self) {
        for i in 0..self.items.len() {
            self.items[i].retrans = false;
            self.lose(i);
        }
        self.retrans = 0;
        self.hint = 0;
        self.marked_below = self.items.back().map_or(0, Item::end);
    }

    /// Without SACK: one more segment has arrived, and the first behind the head that has not is
    /// taken for it (`AddRenoSack`).
    #[cold]
    pub fn sack_next(&mut self) {
        let i = self.items.iter().skip(1).position(|t| !t.sacked);
        if let Some(i) = i {
            self.sack_one(i + 1, &mut |_| {});
            self.highest = Some(self.items[i + 1].start);
        }
    }

    /// Without SACK: a timeout ends the guessing (`ResetRenoSack`).
    #[cold]
    pub fn unsack_all(&mut self) {
        self.items.iter_mut().for_each(|t| t.sacked = false);
        self.sacked = 0;
        self.highest = None;
    }

    /// Whether a segment that ends at `end` was retransmitted and not selectively acknowledged
    /// (`IsRetransmittedDataAcked`).
    pub fn retransmission_ends_at(&self, end: u64) -> bool {
        let i = self.items.partition_point(|t| t.end() < end);
        self.items
            .get(i)
            .is_some_and(|t| t.end() == end && t.retrans && !t.sacked)
    }

    /// Removes what `ack` covers (`DiscardUpTo`); `each` sees every segment that is covered
    /// entirely.
    pub fn discard(&mut self, ack: u64, mut each: impl FnMut(&mut Item)) {
        while let Some(front) = self.items.front() {
            if front.end() > ack {
                break;
            }
            let mut t = self.items.pop_front().expect("front exists");
            self.forget(&t, t.bytes());
            each(&mut t);
        }
        self.trim(ack);
        if self.items.front().is_some_and(|f| f.sacked) {
            self.move_guess();
        }
        self.highest = self.highest.filter(|h| *h > ack);
        self.hint = self.hint.max(ack);
    }

    fn forget(&mut self, t: &Item, bytes: u64) {
        self.sent -= bytes;
        self.sacked -= if t.sacked { bytes } else { 0 };
        self.lost -= if t.lost { bytes } else { 0 };
        self.retrans -= if t.retrans { bytes } else { 0 };
    }

    /// The ACK ends inside the head, which a resegmented retransmission can bring about.
    fn trim(&mut self, ack: u64) {
        let Some(front) = self.items.front().filter(|f| f.start < ack) else {
            return;
        };
        let cut = (ack - front.start).min(front.bytes());
        let front = front.clone();
        self.forget(&front, cut);
        let head = &mut self.items[0];
        head.start = ack;
        head.len -= cut as u32;
    }

    /// The head cannot have arrived, or the ACK would cover it: without SACK a duplicate was taken
    /// for the wrong segment. It stands for a later one, and the head is lost.
    #[cold]
    fn move_guess(&mut self) {
        let head = &mut self.items[0];
        head.sacked = false;
        self.sacked -= head.bytes();
        self.sack_next();
        self.lose_head();
    }

    /// The choice of RFC 6675's `NextSeg` (`NextSeg`): a lost segment below the highest reported,
    /// else new data of which there are `unsent` bytes and for which the peer's `window` has room,
    /// else with `any_hole` a segment below the highest that is neither reported nor lost.
    pub fn next(&mut self, unsent: u64, window: u64, any_hole: bool) -> Option<Next> {
        if let Some(start) = self.next_lost() {
            return Some(Next::Old(start));
        }
        if unsent > 0 {
            return (self.sent < window).then(|| Next::New(window - self.sent));
        }
        let top = self.highest.unwrap_or(u64::MAX);
        let open = |t: &&Item| !t.retrans && !t.sacked && t.start < top;
        let hole = self.items.iter().find(open).filter(|_| any_hole)?;
        Some(Next::Old(hole.start))
    }

    fn next_lost(&mut self) -> Option<u64> {
        if self.items.back().is_none_or(|b| self.hint >= b.end()) {
            return None;
        }
        let from = self.position(self.hint);
        let waiting = |t: &&Item| t.lost && !t.retrans && !t.sacked;
        let Some(t) = self.items.range(from..).find(waiting) else {
            self.hint = self.items.back().map_or(self.hint, Item::end);
            return None;
        };
        self.hint = t.start;
        Some(t.start).filter(|s| self.highest.is_none_or(|h| *s < h))
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
