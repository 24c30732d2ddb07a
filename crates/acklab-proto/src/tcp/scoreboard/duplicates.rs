//! Arrivals without SACK: how many are known, not which (Linux `tcp_add_reno_sack`,
//! `tcp_remove_reno_sacks`, `tcp_limit_reno_sacked`).

use super::{Count, Scoreboard};

impl Scoreboard {
    /// One more duplicate ACK: one more segment of `mss` bytes has arrived. Returns whether that is
    /// more than can have: then duplicates do not mean what they should, the path reorders or
    /// doubles segments.
    pub fn count_duplicate(&mut self, mss: u32) -> bool {
        self.set_duplicates(self.dup_acked.segments + 1, mss)
    }

    /// A cumulative ACK covered `n` segments, which the scoreboard has let go: one filled the hole,
    /// the others are what earlier duplicates stood for. Returns whether the duplicates left are
    /// more than what is left outstanding allows.
    pub fn uncount_duplicates(&mut self, n: u32, mss: u32) -> bool {
        let left = self.dup_acked.segments.saturating_sub(n.saturating_sub(1));
        self.set_duplicates(left, mss)
    }

    /// Duplicates counted so far stand for nothing any more.
    pub fn forget_duplicates(&mut self) {
        self.dup_acked = Count::default();
    }

    /// At least one segment is missing, or there would be no duplicates; what is marked lost is
    /// missing, too.
    fn set_duplicates(&mut self, segments: u32, mss: u32) -> bool {
        let holes = self.lost.segments.max(1).min(self.out.segments);
        let most = self.out.segments - holes;
        let too_many = segments > most;
        let segments = segments.min(most);
        // Which ones is unknown: full segments, but no more than there is.
        let bytes = u64::from(segments) * u64::from(mss);
        self.dup_acked = Count {
            segments,
            bytes: bytes.min(self.out.bytes - self.lost.bytes),
        };
        too_many
    }
}

#[cfg(test)]
mod tests {
    use super::super::Record;
    use super::*;
    use acklab_units::Instant;

    fn board(segments: u64) -> Scoreboard {
        let mut b = Scoreboard::default();
        for i in 0..segments {
            b.push(Record::new(1000 * i, 1000, Instant::ZERO));
        }
        b
    }

    #[test]
    fn each_duplicate_takes_a_segment_out_of_flight_but_never_the_hole() {
        let mut b = board(4);
        for left in [3, 2, 1] {
            assert!(!b.count_duplicate(1000));
            assert_eq!(
                (b.inflight_segments(), b.inflight()),
                (left, 1000 * u64::from(left))
            );
        }
        assert!(b.count_duplicate(1000), "a fourth cannot be");
        assert_eq!(b.inflight_segments(), 1);
    }

    /// Of three segments that an ACK covers, one was the hole; two duplicates are accounted for.
    #[test]
    fn a_cumulative_ack_eats_duplicates() {
        let mut b = board(10);
        assert!((0..5).all(|_| !b.count_duplicate(1000)));
        b.ack_to(3000, |_| {});
        assert!(!b.uncount_duplicates(3, 1000));
        assert_eq!((b.dup_acked.segments, b.inflight_segments()), (3, 4));
        b.ack_to(8000, |_| {});
        assert!(!b.uncount_duplicates(5, 1000));
        assert_eq!(b.dup_acked.segments, 0);
    }

    /// The hole was filled alone, and its neighbour, and its neighbour: none of the duplicates
    /// came from where they were thought to.
    #[test]
    fn more_duplicates_than_segments_left_tell_of_reordering() {
        let mut b = board(4);
        assert!((0..3).all(|_| !b.count_duplicate(1000)));
        b.ack_to(1000, |_| {});
        assert!(b.uncount_duplicates(1, 1000));
        assert_eq!(b.inflight_segments(), 1);
    }
}
