//! The mean of a quantity over time.

use acklab_units::Instant;

/// A step function of time and the area under it.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeMean {
    /// Value and the instant since which it holds; `None` before the first value.
    current: Option<(u64, Instant)>,
    first: Instant,
    area: u128,
}

impl TimeMean {
    /// The quantity is `value` from `now` on.
    #[inline]
    pub fn set(&mut self, now: Instant, value: u64) {
        match &mut self.current {
            Some((held, since)) if *held != value => {
                self.area += u128::from(*held) * u128::from((now - *since).as_nanos());
                (*held, *since) = (value, now);
            }
            Some(_) => {}
            None => {
                self.current = Some((value, now));
                self.first = now;
            }
        }
    }

    /// The mean from the first value to `end`; `None` without one.
    pub fn mean(&self, end: Instant) -> Option<f64> {
        let (value, since) = self.current?;
        let elapsed = end.saturating_since(self.first).as_nanos();
        if elapsed == 0 {
            return Some(value as f64);
        }
        let tail = u128::from(value) * u128::from(end.saturating_since(since).as_nanos());
        Some((self.area + tail) as f64 / elapsed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_weigh_as_long_as_they_hold() {
        let at = Instant::from_nanos;
        let mut m = TimeMean::default();
        assert_eq!(m.mean(at(5)), None);
        m.set(at(10), 4);
        m.set(at(12), 4);
        m.set(at(20), 1);
        assert_eq!(m.mean(at(40)), Some((4.0 * 10.0 + 1.0 * 20.0) / 30.0));
        assert_eq!(m.mean(at(20)), Some(4.0));
    }
}
