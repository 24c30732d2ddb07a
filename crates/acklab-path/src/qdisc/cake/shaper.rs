//! The shaper: it knows when the next packet may start, and lets it run into debt.
//!
//! There is no bucket: a packet leaves as soon as the time of those before it is over, and a pause
//! earns nothing. If the calls come late, packets leave until the discipline has caught up, so that
//! the rate holds over time (`cake_advance_shaper`). Dropped packets cost time in ingress mode;
//! the failsafe, at 2/3 of the rate, counts only what was sent, so that drops alone never stop it.

use acklab_units::{Instant, Rate, Span};

const BIT_NANOS: u64 = 8_000_000_000;

/// Below that many bit/s nothing gets slower (`MIN_RATE`, 64 bytes a second).
const LEAST: u64 = 512;

/// A rate that packets are charged at, exact to the nanosecond over any number of packets. (Linux
/// rounds each packet down to a nanosecond.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pace {
    bps: u64,
    /// The remainder of the last division, in bit-nanoseconds.
    rest: u64,
}

impl Pace {
    /// At that rate.
    pub fn new(rate: Rate) -> Self {
        Self {
            bps: rate.as_bps().max(LEAST),
            rest: 0,
        }
    }

    /// How long `bytes` take, and the next nanosecond when enough of them have been left over.
    #[inline]
    pub fn charge(&mut self, bytes: u64) -> Span {
        let work = bytes * BIT_NANOS + self.rest;
        self.rest = work % self.bps;
        Span::from_nanos(work / self.bps)
    }
}

/// The shaper of a whole discipline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shaper {
    pace: Pace,
    next: Instant,
    failsafe: Instant,
}

impl Shaper {
    /// An idle one.
    pub fn new(rate: Rate) -> Self {
        Self {
            pace: Pace::new(rate),
            next: Instant::ZERO,
            failsafe: Instant::ZERO,
        }
    }

    /// Changes the rate of what follows.
    pub fn pace(&mut self, rate: Rate) {
        self.pace = Pace::new(rate);
    }

    /// A packet comes after a pause: what was not used is gone. True if it has to wait.
    pub fn on_first(&mut self, now: Instant) -> bool {
        if self.next < now {
            self.next = now;
            self.failsafe = now;
        }
        self.opens() > now
    }

    /// When the next packet may start.
    #[inline]
    pub fn opens(&self) -> Instant {
        self.next.min(self.failsafe)
    }

    /// A packet that counts for `bytes` was sent, or `dropped`.
    #[inline]
    pub fn charge(&mut self, bytes: u64, dropped: bool) {
        let time = self.pace.charge(bytes);
        self.next += time;
        if !dropped {
            self.failsafe += time + time / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A billion bits, whatever the sizes and however odd the rate.
    #[test]
    fn no_nanosecond_is_lost() {
        for bps in [1_000_000_007, 999_999_937, 10_000_000, 150_000] {
            let mut shaper = Shaper::new(Rate::from_bps(bps));
            let mut bytes = 0;
            for i in 0..100_000u64 {
                let size = 40 + (i * 7919) % 1461;
                shaper.charge(size, false);
                bytes += size;
            }
            let exact = u128::from(bytes) * 8_000_000_000 / u128::from(bps);
            assert_eq!(u128::from(shaper.next.as_nanos()), exact, "{bps}");
        }
    }

    #[test]
    fn a_pause_earns_nothing() {
        let mut shaper = Shaper::new(Rate::from_bps(8_000_000));
        let now = Instant::from_nanos(5_000_000);
        assert!(!shaper.on_first(now));
        shaper.charge(1000, false);
        assert_eq!(shaper.opens(), now + Span::from_millis(1));
        assert!(shaper.on_first(now));
    }

    #[test]
    fn drops_never_stop_it() {
        let mut shaper = Shaper::new(Rate::from_bps(8_000_000));
        shaper.charge(1000, false);
        (0..100).for_each(|_| shaper.charge(1000, true));
        assert_eq!(shaper.opens().as_nanos(), 1_500_000);
    }
}
