//! The stream: an edge up to which everything is there, and the islands above it.
//!
//! The islands are the paper's acked list, "the blocks of contiguous packets that have been received
//! and queued at the receiver", the gaps below them its unacked list (section 5.1). Lengths only: the
//! bytes are the driver's.

use crate::tack::wire::Block;
use alloc::collections::VecDeque;

/// One island.
#[derive(Clone, Copy, Debug)]
struct Island {
    start: u64,
    end: u64,
    /// Least PKT.SEQ that brought some of it: when the gap below was noticed.
    by: u64,
}

/// Parts of the stream that have arrived.
#[derive(Clone, Debug)]
pub struct Islands {
    next: u64,
    list: VecDeque<Island>,
    held: u64,
    limit: usize,
}

/// Changes by an arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Placed {
    /// How far the edge moved.
    pub advanced: u64,
    /// Offsets that were not there before.
    pub fresh: u64,
}

impl Islands {
    /// Nothing has arrived; at most `limit` islands are kept.
    pub fn new(limit: usize) -> Self {
        Self {
            next: 0,
            list: VecDeque::with_capacity(limit.min(8)),
            held: 0,
            limit: limit.max(1),
        }
    }

    /// The offset expected next.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Offsets above a gap.
    pub const fn held(&self) -> u64 {
        self.held
    }

    /// The offset behind the highest that has arrived.
    pub fn top(&self) -> u64 {
        self.list.back().map_or(self.next, |i| i.end)
    }

    /// Islands.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether `start..end` can be kept: an island more than there may be cannot.
    pub fn has_room(&self, start: u64, end: u64) -> bool {
        self.list.len() < self.limit
            || start <= self.next
            || self.list.iter().any(|i| start <= i.end && i.start <= end)
    }

    /// Places `start..end`, which packet `number` brought.
    pub fn place(&mut self, start: u64, end: u64, number: u64) -> Placed {
        let start = start.max(self.next);
        if start >= end {
            return Placed::default();
        }
        // The islands that it touches become one.
        let from = self.list.partition_point(|i| i.end < start);
        let mut to = from;
        let mut merged = Island {
            start,
            end,
            by: number,
        };
        let mut had = 0;
        while let Some(i) = self.list.get(to).filter(|i| i.start <= end) {
            had += i.end - i.start;
            merged = Island {
                start: merged.start.min(i.start),
                end: merged.end.max(i.end),
                by: merged.by.min(i.by),
            };
            to += 1;
        }
        let fresh = merged.end - merged.start - had;
        let in_order = merged.start <= self.next;
        if from == to && !in_order {
            self.list.insert(from, merged);
        } else {
            if !in_order {
                self.list[from] = merged;
            }
            let keep = from + usize::from(!in_order);
            if keep < to {
                self.list.drain(keep..to);
            }
        }
        self.held += fresh;
        if !in_order {
            return Placed { advanced: 0, fresh };
        }
        let advanced = merged.end - self.next;
        self.held -= advanced;
        self.next = merged.end;
        Placed { advanced, fresh }
    }

    /// The islands, the highest first.
    pub fn downwards(&self) -> impl Iterator<Item = Block> + '_ {
        self.list.iter().rev().map(|i| Block {
            start: i.start,
            end: i.end,
        })
    }

    /// The gaps, the lowest first, each with the PKT.SEQ that showed it.
    pub fn gaps(&self) -> impl Iterator<Item = (Block, u64)> + '_ {
        let below = core::iter::once(self.next).chain(self.list.iter().map(|i| i.end));
        self.list.iter().zip(below).map(|(i, start)| {
            let end = i.start;
            (Block { start, end }, i.by)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Section 5.1: of packets 1 to 10, 1, 4, 5, 6 and 10 arrive: {10}, {4, 6} are acked, {2, 3} and
    /// {7, 9} are not; the first is acknowledged cumulatively here.
    #[test]
    fn the_lists_of_the_papers_example() {
        let mut i = Islands::new(10);
        for n in [1u64, 4, 5, 6, 10] {
            i.place((n - 1) * 1500, n * 1500, n);
        }
        let packets = |b: Block| (b.start / 1500 + 1, b.end / 1500);
        let acked: Vec<_> = i.downwards().map(packets).collect();
        let gaps: Vec<_> = i.gaps().map(|(b, by)| (packets(b), by)).collect();
        assert_eq!(i.next(), 1500);
        assert_eq!(acked, [(10, 10), (4, 6)]);
        assert_eq!(gaps, [((2, 3), 4), ((7, 9), 10)]);
        assert_eq!(
            i.place(1500, 4500, 11),
            Placed {
                advanced: 7500,
                fresh: 3000
            }
        );
        assert_eq!((i.next(), i.held()), (9000, 1500));
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set_of_offsets(parts in prop::collection::vec((0u64..120, 1u64..20), 1..80)) {
            let mut i = Islands::new(1000);
            let mut there = [false; 160];
            for (n, (start, len)) in parts.iter().enumerate() {
                let before = there.iter().filter(|x| **x).count();
                there[*start as usize..(*start + *len) as usize].fill(true);
                let fresh = there.iter().filter(|x| **x).count() - before;
                let edge = i.next();
                let placed = i.place(*start, start + len, n as u64);
                prop_assert_eq!(placed.fresh, fresh as u64);
                let next = there.iter().position(|x| !x).unwrap() as u64;
                prop_assert_eq!((i.next(), i.next() - edge), (next, placed.advanced));
                let above = there[next as usize..].iter().filter(|x| **x).count() as u64;
                prop_assert_eq!(i.held(), above);
                let mut last = i.next();
                for (gap, _) in i.gaps() {
                    prop_assert!(gap.start >= last && !gap.is_empty());
                    prop_assert!((gap.start..gap.end).all(|o| !there[o as usize]));
                    last = gap.end;
                }
                prop_assert_eq!(i.downwards().map(Block::len).sum::<u64>(), above);
            }
        }
    }
}
