//! A token bucket in exact arithmetic.
//!
//! Tokens are bits of 10^-9: a rate in bit/s times a time in nanoseconds. Income and charges
//! are then whole numbers, and a rate holds exactly over any time. Linux counts nanoseconds
//! of sending and rounds each packet (`psched_l2t_ns`).

use acklab_units::{Instant, Rate, Span};

const PER_BYTE: i128 = 8_000_000_000;

/// Tokens of so many bytes.
pub(crate) const fn bytes(n: u64) -> i128 {
    n as i128 * PER_BYTE
}

/// A bucket never owes more than comes in in that time (`HTB_MBUFFER`).
const MOST_OWED: Span = Span::from_secs(60);

/// Tokens that come in at `rate`.
fn filled(rate: Rate, time: Span) -> i128 {
    i128::from(rate.as_bps()) * i128::from(time.as_nanos())
}

/// The bucket. It is full in the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bucket {
    rate: Rate,
    most: i128,
    /// It never owes more.
    least: i128,
    tokens: i128,
    at: Instant,
    /// From when on it owes nothing, unless something is charged: who asks often need not multiply and divide.
    clear: Instant,
}

impl Bucket {
    /// It fills at `rate` and holds `burst` bytes.
    pub fn new(rate: Rate, burst: u64) -> Self {
        // Tokens that come in while an instant is rounded up to a nanosecond are not lost, even where the bucket
        // holds a single packet.
        let rounding = i128::from(rate.as_bps());
        Self {
            rate,
            most: bytes(burst) + rounding,
            least: -filled(rate, MOST_OWED),
            tokens: bytes(burst),
            at: Instant::ZERO,
            clear: Instant::ZERO,
        }
    }

    /// The rate at which it fills.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Tokens at `now`.
    #[inline]
    pub fn level(&self, now: Instant) -> i128 {
        if self.rate.is_unlimited() {
            return self.most;
        }
        (self.tokens + filled(self.rate, now.saturating_since(self.at))).min(self.most)
    }

    /// Takes the tokens of so many bytes, even if there are fewer.
    #[inline]
    pub fn charge(&mut self, now: Instant, size: u64) {
        self.tokens = (self.level(now) - bytes(size)).max(self.least);
        self.at = now;
        self.clear = self.risen(now, self.tokens, 0);
    }

    /// From when on it owes nothing.
    #[inline]
    pub fn clear(&self) -> Instant {
        self.clear
    }

    /// The first instant from `now` on at which there are `need` tokens; never, if it cannot hold them.
    pub fn ready(&self, now: Instant, need: i128) -> Instant {
        self.risen(now, self.level(now), need)
    }

    /// The same, of a bucket with tokens up to `level` at `now`.
    #[inline]
    fn risen(&self, now: Instant, level: i128, need: i128) -> Instant {
        if level >= need {
            return now;
        }
        if need > self.most || self.rate == Rate::ZERO {
            return Instant::MAX;
        }
        let (missing, rate) = ((need - level) as u128, self.rate.as_bps());
        // A division of 128 bits takes several times as long as one of 64.
        let wait = match u64::try_from(missing) {
            Ok(missing) => missing.div_ceil(rate),
            Err(_) => u64::try_from(missing.div_ceil(u128::from(rate))).unwrap_or(u64::MAX),
        };
        now.saturating_add(Span::from_nanos(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whoever sends as soon as it may never exceeds burst and rate together, and falls short of
        /// them by less than a packet and a nanosecond.
        #[test]
        fn a_rate_holds_exactly(bps in 8_000u64..1_000_000_000_000, sizes in prop::collection::vec(40u64..1500, 1..200)) {
            let mut bucket = Bucket::new(Rate::from_bps(bps), 1500);
            let (mut now, mut sent) = (Instant::ZERO, 0u64);
            for size in sizes {
                now = bucket.ready(now, bytes(size));
                prop_assert!(bucket.level(now) >= bytes(size));
                bucket.charge(now, size);
                let clear = bucket.clear();
                prop_assert!(bucket.level(clear) >= 0);
                prop_assert!(clear == now || bucket.level(clear - Span::from_nanos(1)) < 0);
                sent += size;
                let allowed = bytes(1500) + i128::from(bps) * i128::from(now.as_nanos() + 1);
                prop_assert!(bytes(sent) <= allowed);
                let short = allowed - bytes(sent);
                prop_assert!(now == Instant::ZERO || short < bytes(1500) + 2 * i128::from(bps));
            }
        }
    }

    #[test]
    fn what_it_cannot_hold_is_never_there() {
        let bucket = Bucket::new(Rate::from_bps(1000), 100);
        assert_eq!(bucket.ready(Instant::ZERO, bytes(101)), Instant::MAX);
        assert_eq!(bucket.ready(Instant::ZERO, bytes(100)), Instant::ZERO);
    }
}
