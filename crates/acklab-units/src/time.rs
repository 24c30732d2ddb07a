//! Virtual or wall time as integer nanoseconds.

use crate::mul_div;
use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// A point in time: nanoseconds since the start of the run (or of the process, when live).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// A length of time in nanoseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Instant {
    /// The start of time.
    pub const ZERO: Self = Self(0);
    /// Later than every instant that is reached.
    pub const MAX: Self = Self(u64::MAX);

    /// The earlier of two instants of which neither need come.
    #[inline]
    #[must_use]
    pub fn earliest(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The instant `ns` nanoseconds after the start.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for printing and for models that are floating point by definition.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Time passed since `earlier`, or zero if `earlier` lies in the future.
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, clamped to [`Instant::MAX`].
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The latest multiple of `unit` that is not later; zero = exactly this.
    pub const fn rounded_down(self, unit: Span) -> Self {
        match self.0.checked_rem(unit.as_nanos()) {
            Some(since) => Self(self.0 - since),
            None => self,
        }
    }

    /// `self - span`, clamped to [`Instant::ZERO`].
    pub const fn saturating_sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than every span that is measured.
    pub const MAX: Self = Self(u64::MAX);

    /// `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// `s` seconds, rounded to the nearest nanosecond; negative values and NaN become zero.
    pub fn from_secs_f64(s: f64) -> Self {
        Self((s * 1e9 + 0.5) as u64)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whether this is [`Span::ZERO`].
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self + other`, clamped to [`Span::MAX`].
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self * n`, clamped to [`Span::MAX`].
    pub const fn saturating_mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }

    /// `self * num / den`, rounded down, clamped to [`Span::MAX`].
    pub const fn mul_div(self, num: u64, den: u64) -> Self {
        Self(mul_div(self.0, num, den))
    }
}

impl Add<Span> for Instant {
    type Output = Self;
    fn add(self, rhs: Span) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl AddAssign<Span> for Instant {
    fn add_assign(&mut self, rhs: Span) {
        self.0 += rhs.0;
    }
}

impl Sub<Span> for Instant {
    type Output = Self;
    fn sub(self, rhs: Span) -> Self {
        Self(self.0 - rhs.0)
    }
}

/// Panics in debug builds if `rhs` is later: ask [`Instant::saturating_since`] where that may be.
impl Sub for Instant {
    type Output = Span;
    fn sub(self, rhs: Self) -> Span {
        Span(self.0 - rhs.0)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, rhs: Self) {
        self.0 += rhs.0;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        Self(self.0 - rhs.0)
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, rhs: Self) {
        self.0 -= rhs.0;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, rhs: u64) -> Self {
        Self(self.0 * rhs)
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, rhs: u64) -> Self {
        Self(self.0 / rhs)
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "@{}.{:09}s",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:09}s",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_secs_f64(0.1).as_nanos(), 100_000_000);
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(1e-9 * 0.6).as_nanos(), 1);
    }

    #[test]
    fn mul_div_survives_products_beyond_64_bits() {
        let hour = Span::from_secs(3600);
        assert_eq!(hour.mul_div(u64::MAX, u64::MAX), hour);
    }
}
