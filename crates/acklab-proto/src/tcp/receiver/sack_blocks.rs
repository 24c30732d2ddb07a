//! Which islands to report, and in which order (RFC 2018, RFC 2883).

use super::reassembly::Extent;
use super::types::SackExtents;
use crate::segment::MAX_SACK_BLOCKS;

/// Blocks that the sender is expected to have seen already: a change further back in the list
/// must not wait (Linux `TCP_SACK_BLOCKS_EXPECTED`).
const EXPECTED: usize = 2;

/// The effect on the list of reporting an island.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noted {
    /// The list is as the sender should know it, but for its first blocks.
    Near,
    /// A block moved up from far back, or pushed the others far back: an ACK that is being held
    /// should leave, or the sender may never learn of some blocks.
    Far,
}

/// The most recently changed islands, and a duplicate to report once.
#[derive(Clone, Copy, Debug, Default)]
pub struct SackList {
    recent: [Extent; MAX_SACK_BLOCKS],
    len: u8,
    duplicate: Option<Extent>,
}

impl SackList {
    fn slice(&self) -> &[Extent] {
        &self.recent[..self.len as usize]
    }

    /// A segment landed in `island`, which may have merged with others: it is reported first.
    pub fn note_island(&mut self, island: Extent) -> Noted {
        let rank = self
            .slice()
            .iter()
            .position(|b| island.covers(*b))
            .unwrap_or(self.len as usize);
        self.keep(|b| !island.covers(b));
        let len = (self.len as usize).min(MAX_SACK_BLOCKS - 1);
        self.recent.copy_within(..len, 1);
        self.recent[0] = island;
        self.len = len as u8 + 1;
        if rank >= EXPECTED {
            Noted::Far
        } else {
            Noted::Near
        }
    }

    /// A segment landed: ns-3's list, in which a block grows only by what the list still knows. What
    /// fell off the end of the list is not reported again when the gap beside it closes.
    pub fn note_segment(&mut self, segment: Extent) {
        let mut first = segment;
        let mut i = 0;
        while i < self.len as usize {
            let block = self.recent[i];
            if block.end == first.start || first.end == block.start {
                first = first.hull(block);
                self.recent.copy_within(i + 1.., i);
                self.len -= 1;
                i = 0;
            } else {
                i += 1;
            }
        }
        let kept = (self.len as usize).min(MAX_SACK_BLOCKS - 1);
        self.recent.copy_within(..kept, 1);
        self.recent[0] = first;
        self.len = kept as u8 + 1;
    }

    /// `part` arrived a second time. Until the next ACK leaves, only what continues the first
    /// such part is added: one ACK carries one DSACK block (RFC 2883 section 4).
    pub fn note_duplicate(&mut self, part: Extent) {
        match &mut self.duplicate {
            None => self.duplicate = Some(part),
            Some(known) if known.touches(part) => *known = known.hull(part),
            Some(_) => {}
        }
    }

    /// Everything below `next` is in order now.
    pub fn on_advance(&mut self, next: u64) {
        if self.len > 0 {
            self.keep(|b| b.end > next);
        }
    }

    /// The blocks of an ACK for `next` that has room for `room` of them; `None` if there are no islands and
    /// no duplicates, as for most ACKs by far.
    #[inline]
    pub fn report(&self, next: u64, room: usize) -> Option<SackExtents> {
        let any = self.len > 0 || self.duplicate.is_some();
        any.then(|| self.blocks(next, room))
    }

    #[inline(never)]
    fn blocks(&self, next: u64, room: usize) -> SackExtents {
        let mut out = SackExtents::default();
        let around = self.around_duplicate(next);
        if let Some(part) = self.duplicate.filter(|d| d.end <= next || around.is_some()) {
            out.push(part);
            around.into_iter().for_each(|b| out.push(b));
        }
        let others = self.slice().iter().filter(|b| Some(**b) != around);
        let left = room.saturating_sub(out.as_slice().len());
        others.take(left).for_each(|b| out.push(*b));
        out
    }

    /// The island that contains a duplicate above `next`. It comes second, or the sender could
    /// not tell the duplicate from a block (RFC 2883 section 4, rule 3); without it the
    /// duplicate is not reported.
    fn around_duplicate(&self, next: u64) -> Option<Extent> {
        let part = self.duplicate.filter(|d| d.end > next)?;
        self.slice().iter().copied().find(|b| b.covers(part))
    }

    /// An ACK with these blocks left: a duplicate is reported once.
    pub fn on_ack_sent(&mut self) {
        self.duplicate = None;
    }

    fn keep(&mut self, wanted: impl Fn(Extent) -> bool) {
        let mut kept = 0;
        for i in 0..self.len as usize {
            if wanted(self.recent[i]) {
                self.recent[kept] = self.recent[i];
                kept += 1;
            }
        }
        self.len = kept as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ext(start: u64, end: u64) -> Extent {
        Extent { start, end }
    }

    #[test]
    fn ns3_forgets_what_fell_off_the_list() {
        let mut l = SackList::default();
        for start in [10, 30, 50, 70, 90] {
            l.note_segment(ext(start, start + 10));
        }
        l.note_segment(ext(20, 30));
        let want = [ext(20, 40), ext(90, 100), ext(70, 80)];
        assert_eq!(
            l.blocks(1, 3).as_slice(),
            want,
            "10..20 is not known any more"
        );
        l.note_segment(ext(40, 50));
        assert_eq!(
            l.blocks(1, 3).as_slice(),
            [ext(20, 60), ext(90, 100), ext(70, 80)]
        );
    }

    #[test]
    fn the_most_recent_island_comes_first() {
        let mut l = SackList::default();
        assert_eq!(l.note_island(ext(10, 20)), Noted::Near);
        assert_eq!(l.note_island(ext(30, 40)), Noted::Near);
        assert_eq!(l.note_island(ext(50, 60)), Noted::Far);
        assert_eq!(
            l.blocks(1, 3).as_slice(),
            [ext(50, 60), ext(30, 40), ext(10, 20)]
        );
        assert_eq!(l.note_island(ext(10, 25)), Noted::Far);
        assert_eq!(
            l.blocks(1, 3).as_slice(),
            [ext(10, 25), ext(50, 60), ext(30, 40)]
        );
        assert_eq!(l.note_island(ext(45, 60)), Noted::Near);
    }

    #[test]
    fn merged_islands_are_one_block() {
        let mut l = SackList::default();
        for s in [10, 30, 50, 70, 90] {
            l.note_island(ext(s, s + 10));
        }
        assert_eq!(l.blocks(1, 4).as_slice().len(), 4);
        l.note_island(ext(50, 80));
        assert_eq!(
            l.blocks(1, 4).as_slice(),
            [ext(50, 80), ext(90, 100), ext(30, 40)]
        );
    }

    #[test]
    fn the_advancing_edge_removes_blocks() {
        let mut l = SackList::default();
        l.note_island(ext(10, 20));
        l.note_island(ext(30, 40));
        l.on_advance(20);
        assert_eq!(l.blocks(1, 4).as_slice(), [ext(30, 40)]);
    }

    /// RFC 2883 section 4.1: the duplicate first, the island that contains it second, once.
    #[test]
    fn a_duplicate_takes_the_first_slot_of_one_ack() {
        let mut l = SackList::default();
        l.note_island(ext(10, 40));
        l.note_duplicate(ext(20, 30));
        l.note_duplicate(ext(30, 35));
        l.note_duplicate(ext(50, 55));
        assert_eq!(l.blocks(1, 3).as_slice(), [ext(20, 35), ext(10, 40)]);
        l.on_ack_sent();
        assert_eq!(l.blocks(1, 3).as_slice(), [ext(10, 40)]);
    }

    #[test]
    fn the_island_around_a_duplicate_comes_second_however_old() {
        let mut l = SackList::default();
        for s in [10, 30, 50, 70] {
            l.note_island(ext(s, s + 10));
        }
        l.note_duplicate(ext(32, 35));
        let wire = [ext(32, 35), ext(30, 40), ext(70, 80)];
        assert_eq!(l.blocks(1, 3).as_slice(), wire);
        l.note_island(ext(90, 100));
        l.note_island(ext(110, 120));
        let wire = [ext(110, 120), ext(90, 100), ext(70, 80)];
        assert_eq!(l.blocks(1, 3).as_slice(), wire);
        l.on_advance(40);
        assert_eq!(l.blocks(40, 3).as_slice()[0], ext(32, 35));
    }
}
