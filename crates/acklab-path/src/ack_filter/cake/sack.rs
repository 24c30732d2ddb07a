//! Which of two acknowledgements tells more by its SACK blocks, as CAKE compares them.

use acklab_proto::segment::{SackBlock, SackBlocks};
use acklab_units::SeqNum;

/// Coverage of an earlier acknowledgement's SACK blocks by those of a later one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coverage {
    /// The earlier one says something that the later one does not, or carries a DSACK.
    Lacks,
    /// Both say the same.
    Same,
    /// The later one says all of it and more.
    More,
}

/// Compares the blocks of an acknowledgement of `ack` with those of a later one.
pub(super) fn coverage(ack: SeqNum, earlier: &SackBlocks, later: &SackBlocks) -> Coverage {
    let repeated = |b: &SackBlock| {
        let dsack = b.start.before(ack);
        !dsack && later.as_slice().iter().any(|l| contains(l, b))
    };
    match (earlier.is_empty(), later.is_empty()) {
        (true, true) => Coverage::Same,
        (true, false) => Coverage::More,
        (false, true) => Coverage::Lacks,
        (false, false) if !earlier.as_slice().iter().all(repeated) => Coverage::Lacks,
        _ if bytes(later) > bytes(earlier) => Coverage::More,
        _ => Coverage::Same,
    }
}

/// By the ends, as in the kernel: of blocks that are inside out, or almost half of all numbers long,
/// that says little.
fn contains(outer: &SackBlock, inner: &SackBlock) -> bool {
    !inner.start.before(outer.start) && !outer.end.before(inner.end)
}

/// The sum of the blocks' lengths; overlapping ones count twice, as they do in CAKE.
fn bytes(blocks: &SackBlocks) -> u32 {
    let one = |b: &SackBlock| b.end.0.wrapping_sub(b.start.0);
    blocks.as_slice().iter().map(one).fold(0, u32::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::sack;
    use super::*;

    #[test]
    fn the_later_must_repeat_every_block() {
        type Blocks = &'static [(u32, u32)];
        let table: [(Blocks, Blocks, Coverage); 9] = [
            (&[], &[], Coverage::Same),
            (&[], &[(20, 30)], Coverage::More),
            (&[(20, 30)], &[], Coverage::Lacks),
            (&[(20, 30)], &[(20, 30)], Coverage::Same),
            (&[(20, 30)], &[(20, 40)], Coverage::More),
            (&[(20, 30)], &[(40, 50), (20, 30)], Coverage::More),
            (&[(20, 40)], &[(20, 30)], Coverage::Lacks),
            (
                &[(20, 30), (40, 50)],
                &[(20, 30), (60, 90)],
                Coverage::Lacks,
            ),
            // A DSACK (below the acknowledgement of 10) is never given up.
            (&[(5, 8)], &[(5, 8)], Coverage::Lacks),
        ];
        for (earlier, later, want) in table {
            let (e, l) = (sack(10, earlier).sack, sack(10, later).sack);
            assert_eq!(coverage(SeqNum(10), &e, &l), want, "{e:?} {l:?}");
        }
    }

    #[test]
    fn blocks_may_wrap() {
        let e = sack(0, &[(u32::MAX - 5, 5)]).sack;
        let l = sack(0, &[(u32::MAX - 5, 9)]).sack;
        let ack = SeqNum(u32::MAX - 10);
        assert_eq!(coverage(ack, &e, &l), Coverage::More);
        assert_eq!(coverage(ack, &l, &e), Coverage::Lacks);
    }
}
