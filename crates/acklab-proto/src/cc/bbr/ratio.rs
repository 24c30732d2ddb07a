//! Exact fractions for gains and thresholds.

use acklab_units::{Rate, mul_div, mul_div_ceil};

/// A non-negative fraction, kept exact so that a gain is the number its source prints: the kernel
/// writes 739/256, the draft writes 2.77, and both are representable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    num: u64,
    den: u64,
}

/// Denominator of fractions that come from a user's decimal number.
const DECIMAL_SCALE: f64 = 1e6;

impl Ratio {
    /// One.
    pub const ONE: Self = Self::new(1, 1);

    /// `num / den`; `den` must not be zero.
    pub const fn new(num: u64, den: u64) -> Self {
        assert!(den != 0, "a fraction needs a denominator");
        Self { num, den }
    }

    /// `num / 256`, the fixed point of the kernel sources (`BBR_UNIT` = 256).
    pub const fn per_256(num: u64) -> Self {
        Self::new(num, 256)
    }

    /// `percent / 100`.
    pub const fn percent(percent: u64) -> Self {
        Self::new(percent, 100)
    }

    /// The nearest millionth to `x`; negative numbers and NaN become zero.
    pub fn from_f64(x: f64) -> Self {
        Self::new((x * DECIMAL_SCALE + 0.5) as u64, DECIMAL_SCALE as u64)
    }

    /// The value as a floating-point number, for printing.
    pub fn as_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// `1 - self`, or zero if `self` exceeds one.
    pub const fn complement(self) -> Self {
        Self::new(self.den.saturating_sub(self.num), self.den)
    }

    /// Whether the fraction is zero, which switches a mechanism off.
    pub const fn is_zero(self) -> bool {
        self.num == 0
    }

    /// Whether the fraction exceeds one.
    pub const fn is_above_one(self) -> bool {
        self.num > self.den
    }

    /// `x * self`, rounded down.
    pub const fn of(self, x: u64) -> u64 {
        mul_div(x, self.num, self.den)
    }

    /// `x * self`, rounded up.
    pub const fn of_ceil(self, x: u64) -> u64 {
        mul_div_ceil(x, self.num, self.den)
    }

    /// `x / self`, rounded down; `u64::MAX` when `self` is zero.
    pub const fn divides(self, x: u64) -> u64 {
        if self.num == 0 {
            u64::MAX
        } else {
            Self::new(self.den, self.num).of(x)
        }
    }

    /// `rate * self`, rounded down.
    pub const fn of_rate(self, rate: Rate) -> Rate {
        rate.mul_div(self.num, self.den)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_where_its_name_says() {
        let third = Ratio::new(1, 3);
        assert_eq!(third.of(10), 3);
        assert_eq!(third.of_ceil(10), 4);
        assert_eq!(third.of_ceil(9), 3);
        assert_eq!(third.divides(10), 30);
        assert_eq!(Ratio::new(0, 1).divides(10), u64::MAX);
    }

    #[test]
    fn large_products_do_not_overflow() {
        assert_eq!(Ratio::new(u64::MAX, u64::MAX).of(u64::MAX), u64::MAX);
        assert_eq!(Ratio::new(3, 1).of(u64::MAX), u64::MAX);
    }

    #[test]
    fn complements_and_comparisons() {
        assert_eq!(Ratio::percent(30).complement().of(1000), 700);
        assert_eq!(Ratio::new(5, 4).complement().of(1000), 0);
        assert!(Ratio::new(5, 4).is_above_one() && !Ratio::ONE.is_above_one());
        assert!(Ratio::new(0, 7).is_zero());
    }

    #[test]
    fn user_decimals_become_millionths() {
        assert_eq!(Ratio::from_f64(2.77).of(100), 277);
        assert_eq!(Ratio::from_f64(-1.0).of(100), 0);
        assert_eq!(Ratio::from_f64(0.9).of_rate(Rate::from_bps(10)).as_bps(), 9);
    }

    /// The kernels' gains, written out: 2885/1000 and 277/100 in 256ths, plus one.
    #[test]
    fn kernel_fixed_point_is_exact() {
        assert_eq!(Ratio::per_256(256 * 2885 / 1000 + 1).of(256), 739);
        assert_eq!(Ratio::per_256(256 * 1000 / 2885).of(256), 88);
    }
}
