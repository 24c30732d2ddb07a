//! How large the peer's full segments are, guessed from what arrives (Linux
//! `tcp_measure_rcv_mss`).

/// First guess: too small is found out at once, too large would delay ACKs (Linux
/// `TCP_MIN_RCVMSS`).
const FIRST_GUESS: u32 = 536;
/// The smallest segment size that is believed when seen twice (Linux `TCP_MIN_MSS`).
const SMALLEST: u32 = 88;

/// The estimate of the sender's full segment size.
#[derive(Clone, Copy, Debug)]
pub struct RcvMss {
    estimate: u32,
    last_small: u32,
    limit: u32,
    /// Bytes of fixed options that count towards a segment's size but not its payload.
    options: u32,
}

impl RcvMss {
    /// `limit` is the largest payload that the peer may send, `options` the bytes of its usual
    /// options.
    pub fn new(limit: u32, options: u32) -> Self {
        Self {
            estimate: limit.clamp(SMALLEST, FIRST_GUESS),
            last_small: 0,
            limit: limit.max(SMALLEST),
            options,
        }
    }

    /// The estimate, in bytes of payload.
    pub const fn bytes(&self) -> u32 {
        self.estimate
    }

    /// A segment with `len` bytes arrived; `last_of_write` if it carried PSH or FIN and may be
    /// short for that reason. Says whether it is the largest so far.
    pub fn on_segment(&mut self, len: u32, last_of_write: bool) -> bool {
        let before = core::mem::take(&mut self.last_small);
        if len >= self.estimate {
            let grew = len.min(self.limit) > self.estimate;
            self.estimate = len.min(self.limit);
            return grew;
        }
        // A smaller size is believed when two segments in a row have it.
        let size = len + self.options;
        if size >= FIRST_GUESS || (size >= SMALLEST && !last_of_write) {
            self.last_small = len;
            if len == before {
                self.estimate = len;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_full_segment_settles_it() {
        let mut m = RcvMss::new(1448, 12);
        assert_eq!(m.bytes(), 536);
        assert!(m.on_segment(1448, false));
        assert!(!m.on_segment(1448, false));
        assert_eq!(m.bytes(), 1448);
    }

    #[test]
    fn one_short_segment_changes_nothing_and_two_equal_ones_do() {
        let mut m = RcvMss::new(1448, 12);
        m.on_segment(1448, false);
        m.on_segment(1000, false);
        m.on_segment(1448, false);
        m.on_segment(1000, false);
        assert_eq!(m.bytes(), 1448);
        m.on_segment(1000, false);
        assert_eq!(m.bytes(), 1000);
    }

    #[test]
    fn short_ends_of_writes_are_not_mistaken_for_small_segments() {
        let mut m = RcvMss::new(1448, 12);
        m.on_segment(1448, false);
        m.on_segment(200, true);
        m.on_segment(200, true);
        assert_eq!(m.bytes(), 1448);
    }
}
