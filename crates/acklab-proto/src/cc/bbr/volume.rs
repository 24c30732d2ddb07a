//! Bandwidth times delay, in whole packets.

use super::Ratio;
use acklab_units::{Rate, Span};

/// `x` bytes rounded up to whole packets of `mss` bytes.
pub const fn round_up(x: u64, mss: u64) -> u64 {
    x.div_ceil(mss).saturating_mul(mss)
}

/// `x` bytes rounded down to whole units of `unit` bytes; [`u64::MAX`], which stands for "no bound",
/// stays as it is.
pub const fn round_down(x: u64, unit: u64) -> u64 {
    if x == u64::MAX { x } else { x - x % unit }
}

/// `ceil(bw * min_rtt * gain)` in bytes, rounded up to whole packets of `mss` bytes.
///
/// Rounding up avoids a feedback in which a window just below the BDP measures a bandwidth just
/// below the true one.
pub fn bdp(bw: Rate, min_rtt: Span, gain: Ratio, mss: u64) -> u64 {
    if bw == Rate::ZERO || min_rtt.is_zero() {
        return 0;
    }
    let bytes = bw.bytes_in(min_rtt).max(1);
    round_up(gain.of_ceil(bytes), mss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_packets_stay_whole() {
        assert_eq!(round_up(0, 1448), 0);
        assert_eq!(round_up(1448, 1448), 1448);
        assert_eq!(round_up(1449, 1448), 2896);
        assert_eq!(round_down(2895, 1448), 1448);
        assert_eq!(round_down(2895, 1), 2895);
        assert_eq!(round_down(u64::MAX, 1448), u64::MAX);
    }

    /// 11.584 Mbit/s of 1448-byte packets are one packet a millisecond.
    #[test]
    fn forty_eight_milliseconds_at_a_packet_each() {
        let bw = Rate::from_bps(11_584_000);
        let rtt = Span::from_millis(48);
        assert_eq!(bdp(bw, rtt, Ratio::ONE, 1448), 48 * 1448);
        assert_eq!(bdp(bw, rtt, Ratio::new(5, 4), 1448), 60 * 1448);
        assert_eq!(bdp(bw, rtt, Ratio::new(2, 1), 1448), 96 * 1448);
    }

    #[test]
    fn a_fraction_of_a_packet_counts_as_one() {
        assert_eq!(
            bdp(
                Rate::from_bps(1000),
                Span::from_micros(10),
                Ratio::ONE,
                1448
            ),
            1448
        );
    }
}
