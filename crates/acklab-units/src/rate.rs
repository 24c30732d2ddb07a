//! Bits per second, and the two places where bytes, time and rate meet.

use crate::{Span, mul_div};
use core::fmt;

/// A data rate in bits per second. [`Rate::MAX`] means "not limited".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(u64);

/// A byte at a bit per second, in nanoseconds.
const BIT_NANOS: u64 = 8_000_000_000;

impl Rate {
    /// Nothing gets through.
    pub const ZERO: Self = Self(0);
    /// Not limited: serialisation takes no time.
    pub const MAX: Self = Self(u64::MAX);

    /// `b` bits per second.
    pub const fn from_bps(b: u64) -> Self {
        Self(b)
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Whether serialisation at this rate takes no time.
    pub const fn is_unlimited(self) -> bool {
        self.0 == u64::MAX
    }

    /// Time between the departures of `bytes` and of what follows at this pace, in whole nanoseconds rounded
    /// down (Linux `tcp_update_skb_after_send`). A zero rate gives [`Span::MAX`].
    pub const fn spacing(self, bytes: u64) -> Span {
        if self.0 == 0 {
            return Span::MAX;
        }
        Span::from_nanos(mul_div(bytes, BIT_NANOS, self.0))
    }

    /// Time that `bytes` occupy a line of this rate, rounded to the nearest nanosecond.
    ///
    /// This is the only place in which serialisation time is rounded. A zero rate gives
    /// [`Span::MAX`].
    pub const fn serialisation(self, bytes: u64) -> Span {
        if self.0 == u64::MAX {
            return Span::ZERO;
        }
        if self.0 == 0 {
            return Span::MAX;
        }
        // 64 bits hold the product up to 2.3 GB; above that (whole buffers) take the wide way.
        if bytes < 1 << 31 {
            Span::from_nanos((bytes * BIT_NANOS + self.0 / 2) / self.0)
        } else {
            let ns = (bytes as u128 * BIT_NANOS as u128 + self.0 as u128 / 2) / self.0 as u128;
            Span::from_nanos(if ns > u64::MAX as u128 {
                u64::MAX
            } else {
                ns as u64
            })
        }
    }

    /// Whole bytes that pass in `span`, rounded down.
    pub const fn bytes_in(self, span: Span) -> u64 {
        mul_div(self.0, span.as_nanos(), BIT_NANOS)
    }

    /// The rate at which `bytes` pass in `span`, rounded down; [`Rate::MAX`] for an empty span.
    pub const fn from_bytes_over(bytes: u64, span: Span) -> Self {
        if span.is_zero() {
            return Self::MAX;
        }
        Self::limited(mul_div(bytes, BIT_NANOS, span.as_nanos()))
    }

    /// `self * num / den`, rounded down; unlimited stays unlimited.
    pub const fn mul_div(self, num: u64, den: u64) -> Self {
        if self.0 == u64::MAX {
            return self;
        }
        Self::limited(mul_div(self.0, num, den))
    }

    /// The rate of so many bits per second, and not the one without limit.
    const fn limited(bps: u64) -> Self {
        Self(if bps == u64::MAX { u64::MAX - 1 } else { bps })
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unlimited() {
            f.write_str("unlimited")
        } else {
            write!(f, "{} bit/s", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_is_exact_where_it_can_be() {
        assert_eq!(
            Rate::from_bps(10_000_000).serialisation(1500).as_nanos(),
            1_200_000
        );
        assert_eq!(Rate::from_bps(3).serialisation(1).as_nanos(), 2_666_666_667);
        assert_eq!(Rate::MAX.serialisation(1500), Span::ZERO);
        assert_eq!(Rate::ZERO.serialisation(1), Span::MAX);
    }

    #[test]
    fn wide_and_narrow_serialisation_agree() {
        let r = Rate::from_bps(1_000_000_007);
        let n = (1u64 << 31) - 1;
        let wide = (n as u128 * 8_000_000_000 + 500_000_003) / 1_000_000_007;
        assert_eq!(r.serialisation(n).as_nanos() as u128, wide);
    }

    #[test]
    fn bytes_and_rate_are_inverse() {
        let r = Rate::from_bps(10_000_000);
        assert_eq!(r.bytes_in(Span::from_millis(12)), 15_000);
        assert_eq!(Rate::from_bytes_over(15_000, Span::from_millis(12)), r);
    }
}
