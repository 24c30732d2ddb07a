//! Which bytes of the stream are there: an in-order edge and the islands above it.

use alloc::collections::VecDeque;

/// A half-open range `[start, end)` of stream offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Extent {
    /// First offset.
    pub start: u64,
    /// The offset behind the last one.
    pub end: u64,
}

impl Extent {
    /// Number of offsets.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it holds nothing.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether all of `other` lies inside.
    pub const fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two share an offset or lie side by side.
    pub const fn touches(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// The common part of the two; empty if nothing.
    pub fn intersection(self, other: Self) -> Self {
        Self {
            start: self.start.max(other.start),
            end: self.end.min(other.end),
        }
    }

    /// The smallest extent around both.
    pub fn hull(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// The change by one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Placed {
    /// How far the in-order edge moved.
    pub advanced: u64,
    /// Offsets that were not there before.
    pub fresh: u64,
    /// The first contiguous part that was there before (RFC 2883 section 4 reports one).
    pub duplicate: Option<Extent>,
    /// The island that now contains the segment, if it lies above the in-order edge.
    pub island: Option<Extent>,
    /// Bytes behind the segment that lie in its block, in the order of the stream.
    pub beside: u64,
}

impl Placed {
    fn note_duplicate(&mut self, part: Extent) {
        if !part.is_empty() {
            self.duplicate.get_or_insert(part);
        }
    }
}

/// Capacity that is given back once the islands are gone.
const SPARE_ISLANDS: usize = 64;

/// An island and the blocks of memory that its segments are kept in.
#[derive(Clone, Copy, Debug, Default)]
struct Island {
    extent: Extent,
    blocks: u64,
    /// Bytes in the last block.
    tail: u64,
}

/// The in-order edge and the islands received above it.
///
/// Islands are sorted, disjoint and never touch each other or the edge. Lengths only: the bytes
/// themselves are the driver's.
#[derive(Clone, Debug, Default)]
pub struct Reassembly {
    next: u64,
    islands: VecDeque<Island>,
    held: u64,
    /// Bytes that a block holds; 0 = there are no blocks.
    per_block: u64,
    blocks: u64,
}

impl Reassembly {
    /// Nothing received; `next` is the first offset expected.
    pub const fn new(next: u64) -> Self {
        Self {
            next,
            islands: VecDeque::new(),
            held: 0,
            per_block: 0,
            blocks: 0,
        }
    }

    /// The same, keeping what lies above a gap in blocks that hold `bytes` each. A segment goes into
    /// the block of the one before it if it fits, else into one of its own (Linux
    /// `tcp_ooo_try_coalesce` with a linear packet).
    pub fn with_blocks(self, bytes: u64) -> Self {
        Self {
            per_block: bytes,
            ..self
        }
    }

    /// Bytes that a block holds.
    pub const fn per_block(&self) -> u64 {
        self.per_block
    }

    /// The offset expected next (RCV.NXT).
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Offsets held in islands.
    pub const fn held(&self) -> u64 {
        self.held
    }

    /// Blocks that hold them; 0 without blocks.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// From the edge to the highest offset received.
    pub fn span(&self) -> u64 {
        let top = self.islands.back();
        top.map_or(0, |top| top.extent.end - self.next)
    }

    /// Whether something waits above a gap.
    pub const fn has_gap(&self) -> bool {
        self.held > 0
    }

    /// The islands in ascending order.
    #[cfg(test)]
    pub fn islands(&self) -> impl Iterator<Item = Extent> + '_ {
        self.islands.iter().map(|island| island.extent)
    }

    /// Takes in `segment`.
    #[inline]
    pub fn place(&mut self, segment: Extent) -> Placed {
        if segment.start == self.next && self.held == 0 {
            self.next = segment.end;
            return Placed {
                advanced: segment.len(),
                fresh: segment.len(),
                ..Placed::default()
            };
        }
        self.place_slowly(segment)
    }

    #[cold]
    fn place_slowly(&mut self, segment: Extent) -> Placed {
        let mut placed = Placed::default();
        let old = Extent {
            start: 0,
            end: self.next,
        };
        placed.note_duplicate(segment.intersection(old));
        let rest = Extent {
            start: segment.start.max(self.next),
            end: segment.end,
        };
        if rest.is_empty() {
            return placed;
        }
        if rest.start == self.next {
            self.extend_edge(rest, &mut placed);
        } else {
            self.extend_islands(rest, &mut placed);
        }
        placed
    }

    /// `rest` begins at the edge: swallow the islands that it reaches.
    fn extend_edge(&mut self, rest: Extent, placed: &mut Placed) {
        let mut end = rest.end;
        placed.fresh = rest.len();
        while let Some(&Island { extent, blocks, .. }) = self.islands.front() {
            if extent.start > end {
                break;
            }
            let known = extent.intersection(rest);
            placed.note_duplicate(known);
            placed.fresh -= known.len();
            if blocks == 1
                && extent.start == rest.end
                && rest.len() + extent.len() <= self.per_block
            {
                placed.beside = extent.len();
            }
            self.held -= extent.len();
            self.blocks -= blocks;
            end = end.max(extent.end);
            self.islands.pop_front();
        }
        if self.islands.is_empty() && self.islands.capacity() > SPARE_ISLANDS {
            self.islands = VecDeque::new();
        }
        placed.advanced = end - self.next;
        self.next = end;
    }

    /// `rest` begins above the edge: one island of it and all that it touches.
    fn extend_islands(&mut self, rest: Extent, placed: &mut Placed) {
        let first = self.islands.partition_point(|i| i.extent.end < rest.start);
        let mut behind = first;
        let mut island = rest;
        placed.fresh = rest.len();
        while let Some(&Island { extent, .. }) = self.islands.get(behind) {
            if extent.start > rest.end {
                break;
            }
            let known = extent.intersection(rest);
            placed.note_duplicate(known);
            placed.fresh -= known.len();
            island = island.hull(extent);
            behind += 1;
        }
        let island = self.stored(first, behind, island, placed.fresh);
        self.replace(first, behind, island);
        self.held += placed.fresh;
        placed.island = Some(island.extent);
    }

    /// The island over `extent` that takes the place of `first..behind`, with `fresh` more bytes.
    fn stored(&mut self, first: usize, behind: usize, extent: Extent, fresh: u64) -> Island {
        let mut island = Island {
            extent,
            ..Island::default()
        };
        if self.per_block == 0 {
            return island;
        }
        for other in self.islands.range(first..behind) {
            island.blocks += other.blocks;
            island.tail = other.tail;
        }
        let left = self.islands.get(first).filter(|_| first < behind);
        let left = left
            .filter(|l| l.extent.start == extent.start)
            .map(|l| l.tail);
        let alone = left.is_none_or(|tail| tail + fresh > self.per_block);
        let last = behind <= first + usize::from(left.is_some());
        if fresh > 0 {
            self.blocks += u64::from(alone);
            island.blocks += u64::from(alone);
            if last {
                island.tail = if alone { fresh } else { island.tail + fresh };
            }
        }
        island
    }

    /// Puts `island` where the islands `first..behind` were.
    fn replace(&mut self, first: usize, behind: usize, island: Island) {
        if first == behind {
            self.islands.insert(first, island);
            return;
        }
        self.islands[first] = island;
        if behind > first + 1 {
            self.islands.drain(first + 1..behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn ext(start: u64, end: u64) -> Extent {
        Extent { start, end }
    }

    fn islands(r: &Reassembly) -> Vec<(u64, u64)> {
        r.islands().map(|e| (e.start, e.end)).collect()
    }

    #[test]
    fn in_order_arrivals_never_allocate() {
        let mut r = Reassembly::new(1);
        for i in 0..100 {
            assert_eq!(r.place(ext(1 + i * 10, 11 + i * 10)).advanced, 10);
        }
        assert_eq!(r.islands.capacity(), 0);
    }

    #[test]
    fn filling_a_gap_releases_what_waited() {
        let mut r = Reassembly::new(1);
        assert_eq!(r.place(ext(11, 21)).island, Some(ext(11, 21)));
        assert_eq!(r.place(ext(21, 31)).island, Some(ext(11, 31)));
        assert_eq!(r.place(ext(41, 51)).island, Some(ext(41, 51)));
        let p = r.place(ext(1, 11));
        assert_eq!((p.advanced, p.fresh, p.duplicate), (30, 10, None));
        assert_eq!(islands(&r), [(41, 51)]);
        assert_eq!((r.held(), r.span()), (10, 20));
    }

    #[test]
    fn an_overlap_reports_its_first_known_part() {
        let mut r = Reassembly::new(10);
        r.place(ext(20, 30));
        r.place(ext(40, 50));
        let p = r.place(ext(25, 45));
        assert_eq!(p.duplicate, Some(ext(25, 30)));
        assert_eq!(p.fresh, 10);
        assert_eq!(islands(&r), [(20, 50)]);
        let p = r.place(ext(5, 25));
        assert_eq!((p.duplicate, p.fresh), (Some(ext(5, 10)), 10));
        assert_eq!((p.advanced, r.next()), (40, 50));
    }

    /// Two segments of ten fit into a block.
    #[test]
    fn a_segment_joins_the_block_of_the_one_before_it() {
        let mut r = Reassembly::new(0).with_blocks(25);
        let mut place = |start| {
            r.place(ext(start, start + 10));
            r.blocks()
        };
        // The third needs another block, and the fourth joins it.
        assert_eq!([100, 110, 120, 130].map(&mut place), [1, 1, 2, 2]);
        // The next island has a block of its own, and so has a segment in front of one.
        assert_eq!([200, 190].map(&mut place), [3, 4]);
        // What joins two islands goes to the left one, whose last block is full.
        assert_eq!([150, 140].map(&mut place), [5, 6]);
        assert_eq!(place(160), 6);
    }

    #[test]
    fn a_filled_gap_frees_its_blocks_and_says_what_lies_beside_the_segment() {
        let mut r = Reassembly::new(0).with_blocks(25);
        for start in [10, 30, 40, 60] {
            r.place(ext(start, start + 10));
        }
        assert_eq!(r.blocks(), 3);
        assert_eq!(r.place(ext(0, 10)).beside, 10);
        assert_eq!((r.next(), r.blocks()), (20, 2));
        // Twenty do not fit beside ten.
        assert_eq!(r.place(ext(20, 30)).beside, 0);
        assert_eq!((r.next(), r.blocks()), (50, 1));
        let mut none = Reassembly::new(0);
        none.place(ext(10, 20));
        assert_eq!((none.blocks(), none.place(ext(0, 10)).beside), (0, 0));
    }

    #[test]
    fn memory_goes_back_after_a_large_recovery() {
        let mut r = Reassembly::new(0);
        for i in (0..1000u64).rev() {
            r.place(ext(2 * i + 1, 2 * i + 2));
        }
        assert_eq!(r.held(), 1000);
        r.place(ext(0, 2001));
        assert_eq!(r.next(), 2001);
        assert_eq!((r.held(), r.islands.capacity()), (0, 0));
    }

    proptest! {
        /// Against a bitmap: whatever arrives, edge, islands and counts are those of the set.
        #[test]
        fn is_the_set_of_what_arrived(segments in prop::collection::vec((0u64..200, 0u64..40), 1..60)) {
            let mut r = Reassembly::new(0).with_blocks(40);
            let mut there = [false; 256];
            for (start, len) in segments {
                let seg = ext(start, start + len);
                if seg.is_empty() { continue; }
                let before = r.next();
                let fresh = (start..start + len).filter(|&i| !there[i as usize]).count() as u64;
                there[start as usize..(start + len) as usize].fill(true);
                let placed = r.place(seg);
                prop_assert_eq!(placed.fresh, fresh);
                prop_assert_eq!(placed.duplicate.is_some(), fresh < len);
                let edge = there.iter().position(|t| !t).unwrap() as u64;
                prop_assert_eq!(r.next(), edge);
                prop_assert_eq!(placed.advanced, edge - before);
                let mut last = r.next();
                for i in r.islands() {
                    prop_assert!(i.start > last && !i.is_empty());
                    prop_assert!((i.start..i.end).all(|o| there[o as usize]));
                    last = i.end;
                }
                let held = there[edge as usize..].iter().filter(|&&t| t).count() as u64;
                prop_assert_eq!(r.held(), held);
                prop_assert_eq!(r.blocks() == 0, held == 0);
                prop_assert!(40 * r.blocks() >= held);
            }
        }
    }
}
