//! How rates, times and volumes are multiplied: exactly, or as Linux does.

use super::{PACING_MARGIN_PERCENT, Ratio, round_down, round_up};
use acklab_units::{Rate, Span, mul_div, mul_div_ceil};

/// The kernel's rates are multiples of 2^-24 packets per microsecond (`BW_SCALE`).
const SCALE: u32 = 24;
const UNITS: u64 = 1 << SCALE;
const MICROS: u64 = 1_000_000;

/// Arithmetic with rates.
///
/// Linux counts packets, microseconds and multiples of 2^-24 packets per microsecond, and each step
/// rounds. That is not noise: eight packets in exactly a minimum round trip make a rate whose
/// product with that round trip is a trace above eight packets, and a BDP of nine (`bbr_bdp` rounds
/// up). A [`Rate`] holds such a rate to the whole bit, rounded up, which identifies it.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    mss: u64,
    /// Volumes are whole multiples of this: of packets in the kernels, of bytes in the draft.
    unit: u64,
    fixed_point: bool,
}

impl Arithmetic {
    /// For packets of `mss` bytes, and volumes in multiples of `unit` bytes; `fixed_point`: as Linux.
    pub const fn new(mss: u64, unit: u64, fixed_point: bool) -> Self {
        Self {
            mss,
            unit,
            fixed_point,
        }
    }

    /// Whether this is Linux's.
    pub const fn is_fixed_point(self) -> bool {
        self.fixed_point
    }

    /// The same in Linux's units.
    pub const fn in_fixed_point(self) -> Self {
        Self {
            fixed_point: true,
            ..self
        }
    }

    /// The kernel's number for `rate`.
    const fn units(self, rate: Rate) -> u64 {
        mul_div(rate.as_bps(), UNITS, 8 * MICROS * self.mss)
    }

    /// The rate of a kernel's number.
    const fn rate(self, units: u64) -> Rate {
        Rate::from_bps(mul_div_ceil(units, 8 * MICROS * self.mss, UNITS))
    }

    /// Delivery rate of `delivered` bytes in `interval`; `None` if that is no time. Linux rounds it
    /// down in version 1 (`bbr_update_bw`), and up in version 3 (`bbr_calculate_bw_sample`).
    pub fn sample(self, delivered: u64, interval: Span, up: bool) -> Option<Rate> {
        let micros = interval.as_micros();
        if self.fixed_point && micros > 0 {
            let whole = if up { mul_div_ceil } else { mul_div };
            return Some(self.rate(whole(delivered, UNITS, self.mss * micros)));
        }
        (!interval.is_zero()).then(|| Rate::from_bytes_over(delivered, interval))
    }

    /// `bw * min_rtt * gain` in bytes, rounded up to whole packets (`bbr_bdp`).
    ///
    /// Rounding up avoids a feedback in which a window just below the BDP measures a bandwidth just
    /// below the true one.
    pub fn bdp(self, bw: Rate, min_rtt: Span, gain: Ratio) -> u64 {
        if bw == Rate::ZERO || min_rtt.is_zero() {
            return 0;
        }
        if self.fixed_point {
            let product = self.units(bw).saturating_mul(min_rtt.as_micros());
            return gain.of(product).div_ceil(UNITS).saturating_mul(self.mss);
        }
        let bytes = bw.bytes_in(min_rtt).max(1);
        round_up(gain.of_ceil(bytes), self.mss)
    }

    /// Bytes that `bw` delivers in `span`, rounded down to whole units.
    pub fn volume(self, bw: Rate, span: Span) -> u64 {
        if self.fixed_point {
            let product = self.units(bw).saturating_mul(span.as_micros());
            return (product >> SCALE).saturating_mul(self.mss);
        }
        round_down(bw.bytes_in(span), self.unit)
    }

    /// The share `ratio` of `bw`, rounded down.
    pub fn share(self, ratio: Ratio, bw: Rate) -> Rate {
        if self.fixed_point && bw != Rate::MAX {
            return self.rate(ratio.of(self.units(bw)));
        }
        ratio.of_rate(bw)
    }

    /// Pacing rate for `bw` at `gain`, 1 % less than their product; as Linux in whole bytes per
    /// second (`bbr_rate_bytes_per_sec`).
    pub fn paced(self, bw: Rate, gain: Ratio) -> Rate {
        let percent = 100 - PACING_MARGIN_PERCENT;
        if self.fixed_point {
            let scaled = gain.of(self.units(bw).saturating_mul(self.mss));
            let bytes = mul_div(scaled, MICROS / 100 * percent, UNITS);
            return Rate::from_bps(bytes.max(1).saturating_mul(8));
        }
        gain.of_rate(bw).mul_div(percent, 100)
    }

    /// `volume` bytes in whole units, rounded down.
    pub const fn whole(self, volume: u64) -> u64 {
        round_down(volume, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u64 = 1448;
    const LINUX: Arithmetic = Arithmetic::new(MSS, MSS, true);
    const EXACT: Arithmetic = Arithmetic::new(MSS, 1, false);
    const RTT: Span = Span::from_millis(20);

    /// 8 * 2^24 / 20,000 = 6710.88: up to 6711, whose product with 20,000 is 8.0001 packets, or down
    /// to 6710 and 7.999.
    #[test]
    fn eight_packets_in_a_round_trip() {
        let up = LINUX.sample(8 * MSS, RTT, true).unwrap();
        let down = LINUX.sample(8 * MSS, RTT, false).unwrap();
        assert_eq!([up, down].map(|bw| LINUX.units(bw)), [6711, 6710]);
        assert_eq!(LINUX.bdp(up, RTT, Ratio::ONE), 9 * MSS);
        assert_eq!(LINUX.bdp(down, RTT, Ratio::ONE), 8 * MSS);
        assert_eq!(LINUX.volume(up, RTT), 8 * MSS);
        assert_eq!(LINUX.volume(down, RTT), 7 * MSS);
        let exact = EXACT.sample(8 * MSS, RTT, true).unwrap();
        assert_eq!(EXACT.bdp(exact, RTT, Ratio::ONE), 8 * MSS);
        assert_eq!(EXACT.sample(MSS, Span::ZERO, true), None);
    }

    /// 28 packets in 67.2 ms are 16 in 38.4 ms; a rate rounded down would say 15.
    #[test]
    fn a_rate_rounded_up_is_not_just_below_a_packet() {
        let (long, short) = (Span::from_micros(67_200), Span::from_micros(38_400));
        for (up, packets) in [(false, 15), (true, 16)] {
            let bw = LINUX.sample(28 * MSS, long, up).unwrap();
            assert_eq!(LINUX.volume(bw, short), packets * MSS);
        }
    }

    /// 11.584 Mbit/s of 1448-byte packets are one packet a millisecond.
    #[test]
    fn forty_eight_milliseconds_at_a_packet_each() {
        let bw = Rate::from_bps(11_584_000);
        let rtt = Span::from_millis(48);
        assert_eq!(EXACT.bdp(bw, rtt, Ratio::ONE), 48 * MSS);
        assert_eq!(EXACT.bdp(bw, rtt, Ratio::new(5, 4)), 60 * MSS);
        assert_eq!(EXACT.bdp(bw, rtt, Ratio::new(2, 1)), 96 * MSS);
    }

    #[test]
    fn a_fraction_of_a_packet_counts_as_one() {
        let (bw, rtt) = (Rate::from_bps(1000), Span::from_micros(10));
        assert_eq!(EXACT.bdp(bw, rtt, Ratio::ONE), MSS);
        assert_eq!(LINUX.bdp(bw, rtt, Ratio::ONE), MSS);
        assert_eq!(LINUX.bdp(Rate::ZERO, rtt, Ratio::ONE), 0);
    }

    #[test]
    fn one_percent_is_held_back() {
        let exact = EXACT.paced(Rate::from_bps(8_000_000), Ratio::new(5, 4));
        assert_eq!(exact.as_bps(), 9_900_000);
        // 6711 * 1448 * 320 >> 8 = 12,146,910; times 990,000 >> 24 = 716,772 bytes a second.
        let bw = LINUX.rate(6711);
        assert_eq!(LINUX.paced(bw, Ratio::new(5, 4)).as_bps(), 8 * 716_772);
    }

    #[test]
    fn a_share_is_a_whole_number_of_units() {
        let bw = LINUX.rate(6711);
        assert_eq!(LINUX.units(LINUX.share(Ratio::new(5, 4), bw)), 8388);
        assert_eq!(
            LINUX.share(Ratio::percent(70), Rate::MAX),
            Ratio::percent(70).of_rate(Rate::MAX)
        );
    }

    proptest! {
        #[test]
        fn a_rate_keeps_its_number(units in 0u64..u64::from(u32::MAX), mss in 100u64..9000) {
            let a = Arithmetic::new(mss, mss, true);
            prop_assert_eq!(a.units(a.rate(units)), units);
        }
    }
}
