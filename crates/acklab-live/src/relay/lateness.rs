//! How late a driver in real time was: every sample counted, in constant memory.

use acklab_units::Span;
use hdrhistogram::Histogram;

/// Longest lateness that is kept apart from longer ones.
const LONGEST_NS: u64 = 60_000_000_000;
/// Values are kept to three digits.
const DIGITS: u8 = 3;

/// A distribution of spans.
#[derive(Clone, Debug)]
pub struct Lateness(Histogram<u64>);

impl Default for Lateness {
    fn default() -> Self {
        let new = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS);
        Self(new.expect("bounds that a histogram can have"))
    }
}

impl Lateness {
    /// Takes a sample.
    #[inline]
    pub fn push(&mut self, late: Span) {
        self.0.saturating_record(late.as_nanos());
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Their mean; zero without samples.
    pub fn mean(&self) -> Span {
        Span::from_nanos(self.0.mean() as u64)
    }

    /// The value that `share` of the samples do not exceed, to three digits; zero without samples.
    pub fn quantile(&self, share: f64) -> Span {
        Span::from_nanos(self.0.value_at_quantile(share))
    }

    /// The largest sample, to three digits.
    pub fn max(&self) -> Span {
        Span::from_nanos(self.0.max())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_three_digits() {
        let mut l = Lateness::default();
        assert_eq!(
            (l.count(), l.quantile(0.5), l.max()),
            (0, Span::ZERO, Span::ZERO)
        );
        (1..=1000u64).for_each(|us| l.push(Span::from_micros(us)));
        let near = |a: Span, us: u64| a.as_nanos().abs_diff(us * 1000) <= us;
        assert_eq!(l.count(), 1000);
        assert!(near(l.quantile(0.5), 500), "{:?}", l.quantile(0.5));
        assert!(near(l.quantile(0.99), 990) && near(l.max(), 1000));
        l.push(Span::MAX);
        assert!(near(l.max(), LONGEST_NS / 1000));
    }
}
