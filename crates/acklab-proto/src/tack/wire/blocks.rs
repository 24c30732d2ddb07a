//! The "acked list" and the "unacked list" of a TACK.
//!
//! "The information carried in TACK contains ranges of packets which are alternately in the 'acked
//! list' and in the 'unacked list'. [...] Limited by MSS, a TACK might not be able to carry all
//! blocks. In principle, TACK should preferentially carry the blocks with the largest serial number
//! in the 'acked list', or the blocks with the smallest serial number in the 'unacked list'"
//! (TACK paper, section 5.1).
//!
//! Blocks are ranges of stream offsets, as in the journal version: a hole in the stream heals when
//! the retransmission arrives, while one in PKT.SEQ never does. Each block is written as its
//! distance from the block before and its length, so each list has its own order.

use super::error::DecodeError;
use super::reader::Reader;
use super::varint;
use alloc::vec::Vec;

/// A range `[start, end)` of stream offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Block {
    /// First offset.
    pub start: u64,
    /// The offset behind the last.
    pub end: u64,
}

impl Block {
    /// Number of offsets.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it holds nothing.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// The acked list: the largest offsets first.
#[derive(Clone, Copy, Debug)]
pub struct Acked<'a> {
    r: Reader<'a>,
    left: u64,
    /// Start of the block before; the first one's distance is counted from the cumulative point.
    above: Option<u64>,
    cumulative: u64,
}

/// The unacked list: the smallest offsets first.
#[derive(Clone, Copy, Debug)]
pub struct Unacked<'a> {
    r: Reader<'a>,
    left: u64,
    below: u64,
}

impl<'a> Acked<'a> {
    /// Reads a list whole, so that iterating later cannot fail.
    pub(super) fn take(r: &mut Reader<'a>, cumulative: u64) -> Result<Self, DecodeError> {
        let left = r.varint()?;
        let list = Self {
            r: *r,
            left,
            above: None,
            cumulative,
        };
        let mut walk = list;
        while walk.left > 0 {
            walk.step()?;
        }
        *r = walk.r;
        Ok(list)
    }

    fn step(&mut self) -> Result<Block, DecodeError> {
        let distance = self.r.varint()?;
        let len = self.r.varint()?;
        let bad = |field, value| Err(DecodeError::OutOfRange { field, value });
        let end = match self.above {
            None => self.cumulative + distance,
            Some(above) => match above.checked_sub(distance) {
                Some(end) if distance > 0 => end,
                _ => return bad("distance of an acked block", distance),
            },
        };
        // Below an acked block there is a gap, or it would belong to what is acknowledged at once.
        let start = match end.checked_sub(len) {
            Some(start) if len > 0 && start > self.cumulative && end <= varint::MAX => start,
            _ => return bad("length of an acked block", len),
        };
        self.left -= 1;
        self.above = Some(start);
        Ok(Block { start, end })
    }
}

impl<'a> Unacked<'a> {
    pub(super) fn take(r: &mut Reader<'a>, cumulative: u64) -> Result<Self, DecodeError> {
        let left = r.varint()?;
        let list = Self {
            r: *r,
            left,
            below: cumulative,
        };
        let mut walk = list;
        while walk.left > 0 {
            walk.step()?;
        }
        *r = walk.r;
        Ok(list)
    }

    fn step(&mut self) -> Result<Block, DecodeError> {
        let start = self.below + self.r.varint()?;
        let len = self.r.varint()?;
        let end = start + len;
        if len == 0 || end > varint::MAX {
            return Err(DecodeError::OutOfRange {
                field: "length of an unacked block",
                value: len,
            });
        }
        self.left -= 1;
        self.below = end;
        Ok(Block { start, end })
    }
}

impl Iterator for Acked<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        if self.left == 0 {
            return None;
        }
        self.step().ok()
    }
}

impl Iterator for Unacked<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        if self.left == 0 {
            return None;
        }
        self.step().ok()
    }
}

/// Appends blocks to a list until a budget of bytes is used up.
#[derive(Debug)]
pub struct ListWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Where the count stands.
    count_at: usize,
    count: u16,
    /// The list ends here at the latest.
    limit: usize,
    /// Origin of the next distance; the flag says that blocks go down.
    from: u64,
    down: bool,
}

/// A count is written in two bytes, before it is known.
const MOST_BLOCKS: u16 = 0x3fff;

impl<'a> ListWriter<'a> {
    /// An acked list above `cumulative` that takes at most `budget` bytes, at least two.
    pub fn acked(out: &'a mut Vec<u8>, cumulative: u64, budget: usize) -> Self {
        Self::new(out, cumulative, budget, true)
    }

    /// An unacked list above `cumulative` that takes at most `budget` bytes, at least two.
    pub fn unacked(out: &'a mut Vec<u8>, cumulative: u64, budget: usize) -> Self {
        Self::new(out, cumulative, budget, false)
    }

    fn new(out: &'a mut Vec<u8>, from: u64, budget: usize, down: bool) -> Self {
        let count_at = out.len();
        out.extend_from_slice(&[0x40, 0]);
        Self {
            count_at,
            count: 0,
            limit: count_at + budget.max(2),
            from,
            down,
            out,
        }
    }

    /// Appends `block`, which lies below the one before in an acked list and above it in an unacked
    /// one; returns whether there was room.
    pub fn push(&mut self, block: Block) -> bool {
        let first = self.count == 0;
        let distance = if self.down && first {
            block.end - self.from
        } else if self.down {
            self.from - block.end
        } else {
            block.start - self.from
        };
        let size = varint::len(distance) + varint::len(block.len());
        if self.out.len() + size > self.limit || self.count == MOST_BLOCKS {
            return false;
        }
        varint::put(self.out, distance);
        varint::put(self.out, block.len());
        self.from = if self.down { block.start } else { block.end };
        self.count += 1;
        let count = (self.count | 0x4000).to_be_bytes();
        self.out[self.count_at..self.count_at + 2].copy_from_slice(&count);
        true
    }

    /// Blocks so far.
    pub const fn count(&self) -> u16 {
        self.count
    }
}
