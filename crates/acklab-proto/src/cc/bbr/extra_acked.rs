//! How aggregated the ACK stream is: `extra_acked`.

use super::Arithmetic;
use acklab_units::{Instant, Rate, Span};

/// Length of one of the two windows of the maximum, in rounds: together they remember 5 to 10
/// rounds (`bbr_extra_acked_win_rtts` in all three kernels; the draft's `ExtraAckedFilterLen` is
/// their sum, 10).
pub const EXTRA_ACKED_WIN_RTTS: u32 = 5;
/// The same in Startup for v2 and v3: remember one to two rounds.
pub const EXTRA_ACKED_WIN_RTTS_STARTUP: u32 = 1;
/// The window never grows by more than the bandwidth carries in this time
/// (`bbr_extra_acked_max_us`).
pub const EXTRA_ACKED_MAX: Span = Span::from_millis(100);
/// Packets after which a sampling epoch is closed whatever its rate
/// (`bbr_ack_epoch_acked_reset_thresh`).
pub const ACK_EPOCH_ACKED_RESET_THRESH: u64 = 1 << 20;

/// The facts of one ACK that the estimator needs.
#[derive(Clone, Copy, Debug)]
pub struct AckedNow {
    /// When the ACK arrived.
    pub now: Instant,
    /// Bytes it newly acknowledged, cumulatively or selectively.
    pub newly_acked: u64,
    /// Estimated bandwidth.
    pub bw: Rate,
    /// Congestion window in bytes.
    pub cwnd: u64,
    /// Packet size in bytes.
    pub mss: u64,
    /// Finds the volume that the bandwidth explains: whole packets in the kernels
    /// (`bbr_update_ack_aggregation`), bytes in the draft.
    pub arithmetic: Arithmetic,
    /// Whether a packet-timed round starts with this ACK.
    pub round_start: bool,
    /// Rounds a window lasts.
    pub window_rounds: u32,
}

/// Windowed maximum of the data acknowledged beyond what the bandwidth explains.
///
/// An epoch compares the bytes acknowledged since its start with `bw * elapsed`. As long as ACKs
/// run ahead the epoch goes on; once they fall behind a new one begins. The excess at its peak is
/// what the path delivered in one lump, and what the sender needs in flight beyond the BDP to keep
/// sending through the silence between lumps.
#[derive(Clone, Debug)]
pub struct ExtraAcked {
    epoch_start: Instant,
    epoch_acked: u64,
    windows: [u64; 2],
    current: usize,
    age_rounds: u32,
}

impl ExtraAcked {
    /// An estimator whose first epoch begins at `now`.
    pub fn new(now: Instant) -> Self {
        Self {
            epoch_start: now,
            epoch_acked: 0,
            windows: [0; 2],
            current: 0,
            age_rounds: 0,
        }
    }

    /// Bytes of excess, the maximum of both windows.
    pub fn max(&self) -> u64 {
        self.windows[0].max(self.windows[1])
    }

    /// Bytes to add to the window: the excess, bounded by [`EXTRA_ACKED_MAX`] at `bw`.
    pub fn cwnd_increment(&self, bw: Rate, arithmetic: Arithmetic) -> u64 {
        self.max().min(arithmetic.volume(bw, EXTRA_ACKED_MAX))
    }

    /// Begins a new epoch, as after an idle period.
    pub fn restart_epoch(&mut self, now: Instant) {
        self.epoch_start = now;
        self.epoch_acked = 0;
    }

    /// Takes an ACK into account.
    pub fn update(&mut self, ack: &AckedNow) {
        if ack.newly_acked == 0 {
            return;
        }
        if ack.round_start {
            self.age(ack.window_rounds);
        }
        let elapsed = ack.now.saturating_since(self.epoch_start);
        let mut expected = ack.arithmetic.volume(ack.bw, elapsed);
        let epoch_is_full =
            self.epoch_acked + ack.newly_acked >= ACK_EPOCH_ACKED_RESET_THRESH * ack.mss;
        if self.epoch_acked <= expected || epoch_is_full {
            self.restart_epoch(ack.now);
            expected = 0;
        }
        self.epoch_acked += ack.newly_acked;
        let extra = (self.epoch_acked - expected).min(ack.cwnd);
        let best = &mut self.windows[self.current];
        *best = (*best).max(extra);
    }

    /// Flips to the other window after `window_rounds` rounds.
    fn age(&mut self, window_rounds: u32) {
        self.age_rounds += 1;
        if self.age_rounds >= window_rounds {
            self.age_rounds = 0;
            self.current ^= 1;
            self.windows[self.current] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    /// 1000 packets of 1000 bytes a second.
    const BW: Rate = Rate::from_bps(8_000_000);
    const EXACT: Arithmetic = Arithmetic::new(MSS, 1, false);

    fn ack(ms: u64, packets: u64) -> AckedNow {
        AckedNow {
            now: Instant::ZERO + Span::from_millis(ms),
            newly_acked: packets * MSS,
            bw: BW,
            cwnd: 1000 * MSS,
            mss: MSS,
            arithmetic: EXACT,
            round_start: false,
            window_rounds: EXTRA_ACKED_WIN_RTTS,
        }
    }

    /// One ACK for n packets each n ms is the bandwidth exactly; the lump itself is the excess.
    #[test]
    fn the_excess_of_a_stretch_ack_is_its_size() {
        for n in [1, 2, 16, 200] {
            let mut e = ExtraAcked::new(Instant::ZERO);
            for i in 1..=50 {
                e.update(&ack(i * n, n));
            }
            assert_eq!(e.max(), n * MSS, "one ACK per {n}");
        }
    }

    #[test]
    fn a_burst_of_small_acks_adds_up() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        for _ in 0..30 {
            e.update(&ack(100, 2));
        }
        assert_eq!(e.max(), 60 * MSS);
    }

    #[test]
    fn data_that_bandwidth_explains_is_not_excess() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        e.update(&ack(10, 20));
        e.update(&ack(20, 20));
        assert_eq!(
            e.max(),
            30 * MSS,
            "40 acknowledged since the epoch began, 10 expected"
        );
        e.update(&ack(120, 1));
        assert_eq!(
            e.max(),
            30 * MSS,
            "the rate fell behind: a new epoch, the maximum stays"
        );
    }

    /// A packet a millisecond is expected; half of one is none to the kernel.
    #[test]
    fn the_kernel_expects_whole_packets() {
        for (unit, excess) in [(MSS, 3 * MSS), (1, 3 * MSS - MSS / 2)] {
            let mut e = ExtraAcked::new(Instant::ZERO);
            for (us, packets) in [(10_000, 2), (10_500, 1)] {
                e.update(&AckedNow {
                    now: Instant::ZERO + Span::from_micros(us),
                    arithmetic: Arithmetic::new(MSS, unit, false),
                    ..ack(0, packets)
                });
            }
            assert_eq!(e.max(), excess);
        }
    }

    #[test]
    fn never_above_the_window() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        e.update(&AckedNow {
            cwnd: 7 * MSS,
            ..ack(1, 200)
        });
        assert_eq!(e.max(), 7 * MSS);
    }

    #[test]
    fn the_increment_is_bounded_by_a_tenth_of_a_second() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        e.update(&ack(1, 900));
        assert_eq!(e.max(), 900 * MSS);
        assert_eq!(e.cwnd_increment(BW, EXACT), 100 * MSS);
    }

    #[test]
    fn remembers_five_to_ten_rounds() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        e.update(&ack(1, 50));
        for round in 1..10 {
            e.update(&AckedNow {
                round_start: true,
                ..ack(round * 1000, 1)
            });
            assert_eq!(e.max(), 50 * MSS, "round {round}");
        }
        e.update(&AckedNow {
            round_start: true,
            ..ack(10_000, 1)
        });
        assert_eq!(e.max(), MSS);
    }

    #[test]
    fn remembers_one_to_two_rounds_in_startup() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        let start = |ms, n| AckedNow {
            round_start: true,
            window_rounds: EXTRA_ACKED_WIN_RTTS_STARTUP,
            ..ack(ms, n)
        };
        e.update(&start(1, 50));
        e.update(&start(1000, 1));
        assert_eq!(e.max(), 50 * MSS);
        e.update(&start(2000, 1));
        assert_eq!(e.max(), MSS);
    }

    #[test]
    fn a_very_long_epoch_is_closed() {
        let mut e = ExtraAcked::new(Instant::ZERO);
        let huge = AckedNow {
            cwnd: u64::MAX,
            ..ack(1, ACK_EPOCH_ACKED_RESET_THRESH - 1)
        };
        e.update(&huge);
        e.update(&AckedNow {
            cwnd: u64::MAX,
            ..ack(2, 5)
        });
        assert_eq!(e.epoch_acked, 5 * MSS);
    }
}
