//! How many blocks a TACK carries, and which (TACK paper, section 5.1 and appendix A).

use super::islands::Islands;
use crate::tack::config::{Richness, Taming};
use crate::tack::frequency::{Ppm, additional_blocks};
use crate::tack::wire::ListWriter;
use acklab_units::{Rate, Span};
use alloc::vec::Vec;

/// Values that Eq. 6 uses.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Maximum delivery rate.
    pub bw: Rate,
    /// Minimum RTT.
    pub rtt_min: Span,
    /// rho, loss rate of the data path.
    pub rho: Ppm,
    /// rho', loss rate of the ACK path.
    pub rho_ack: Ppm,
}

/// Blocks that each list may have.
pub fn quota(richness: Richness, t: &Taming, l: &Losses) -> u64 {
    match richness {
        Richness::Rich => u64::MAX,
        Richness::Poor => 1,
        Richness::Adaptive { q } => {
            let q = u64::from(q);
            q + additional_blocks(t, l.bw, l.rtt_min, l.rho, l.rho_ack, q)
        }
    }
}

/// Appends both lists in at most `room` bytes: "preferentially the blocks with the largest serial
/// number in the acked list, or the blocks with the smallest serial number in the unacked list".
/// A gap counts only if it was shown by a packet up to `settled`. Neither list takes more than half
/// the room, unless the other leaves it.
pub fn put(
    out: &mut Vec<u8>,
    islands: &Islands,
    settled: u64,
    quota: u64,
    room: usize,
    poor: bool,
) {
    let end = out.len() + room.max(4);
    let cumulative = islands.next();
    let quota = usize::try_from(quota).unwrap_or(usize::MAX);
    // A gap takes about as many bytes as an island, and there are as many of them.
    let mut list = ListWriter::acked(out, cumulative, room / 2);
    if poor {
        // "Reports the smallest out-of-order packets in the receive buffer."
        if let Some(lowest) = islands.downwards().last() {
            list.push(lowest);
        }
    } else {
        for block in islands.downwards().take(quota) {
            if !list.push(block) {
                break;
            }
        }
    }
    let room = end.saturating_sub(out.len());
    let mut list = ListWriter::unacked(out, cumulative, room);
    let reported = islands.gaps().filter(|(_, by)| *by <= settled);
    for (gap, _) in reported.take(quota) {
        if !list.push(gap) {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tack::wire::{Block, Frame, Frames, TackHead};

    /// `n` islands of one packet each, every second packet missing; packet `2 i + 1` has that number.
    fn islands(n: u64) -> Islands {
        let mut i = Islands::new(10_000);
        for k in 0..n {
            i.place((2 * k + 1) * 1000, (2 * k + 2) * 1000, 2 * k + 1);
        }
        i
    }

    fn lists(
        i: &Islands,
        settled: u64,
        quota: u64,
        room: usize,
        poor: bool,
    ) -> (Vec<Block>, Vec<Block>) {
        let mut out = Vec::new();
        Frame::put_tack_head(&TackHead::default(), &mut out);
        let before = out.len();
        put(&mut out, i, settled, quota, room, poor);
        assert!(out.len() - before <= room);
        let Some(Frame::Tack(t)) = Frames::new(&out).next() else {
            panic!("no TACK")
        };
        (t.acked.collect(), t.unacked.collect())
    }

    #[test]
    fn rich_lists_hold_more_than_sack_can() {
        let i = islands(100);
        let (acked, unacked) = lists(&i, 1000, u64::MAX, 1400, false);
        assert_eq!((acked.len(), unacked.len()), (100, 100));
        // Limited by the packet: the largest of the one, the smallest of the other.
        let i = islands(500);
        let (acked, unacked) = lists(&i, 1000, u64::MAX, 1400, false);
        assert!(acked.len() > 100 && unacked.len() > 100);
        assert_eq!(acked[0].end, 1_000_000);
        assert_eq!(unacked[0].start, 0);
    }

    #[test]
    fn poor_lists_have_one_block() {
        let (acked, unacked) = lists(&islands(10), 1000, 1, 1400, true);
        assert_eq!(
            acked,
            [Block {
                start: 1000,
                end: 2000
            }]
        );
        assert_eq!(
            unacked,
            [Block {
                start: 0,
                end: 1000
            }]
        );
    }

    #[test]
    fn a_gap_inside_its_settle_time_is_not_reported() {
        let (acked, unacked) = lists(&islands(10), 5, u64::MAX, 1400, false);
        assert_eq!((acked.len(), unacked.len()), (10, 3));
    }

    #[test]
    fn the_adaptive_quota_follows_eq_6() {
        let t = Taming {
            mss: 1500,
            ..Taming::default()
        };
        let l = |rho, rho_ack| Losses {
            bw: Rate::from_bps(100_000_000),
            rtt_min: Span::from_millis(200),
            rho,
            rho_ack,
        };
        let q = |rho, ack| quota(Richness::Adaptive { q: 4 }, &t, &l(rho, ack));
        assert_eq!((q(10_000, 100_000), q(100_000, 100_000)), (4, 17));
        assert_eq!(quota(Richness::Poor, &t, &l(0, 0)), 1);
    }
}
