//! Mean and percentiles of times.

use acklab_units::{Instant, Span};

/// Resolution: 32 bits per sample then reach to 429 s.
const UNIT_NS: u64 = 100;

/// Samples of a time. The mean is exact, percentiles are to 100 ns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quantiles {
    sum: Span,
    samples: Vec<u32>,
}

/// A distribution in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: Span,
    /// Median.
    pub p50: Span,
    /// 95th percentile.
    pub p95: Span,
    /// 99th percentile.
    pub p99: Span,
}

impl Quantiles {
    /// Takes a sample.
    #[inline]
    pub fn push(&mut self, sample: Span) {
        self.sum = self.sum.saturating_add(sample);
        let units = sample.as_nanos() / UNIT_NS;
        self.samples.push(u32::try_from(units).unwrap_or(u32::MAX));
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.samples.len() as u64
    }

    /// Their mean; zero without samples.
    pub fn mean(&self) -> Span {
        if self.samples.is_empty() {
            Span::ZERO
        } else {
            self.sum / self.count()
        }
    }

    /// The smallest sample that at least `percent` per cent of the samples do not exceed (nearest
    /// rank); zero without samples.
    pub fn percentile(&mut self, percent: usize) -> Span {
        if self.samples.is_empty() {
            return Span::ZERO;
        }
        let rank = (self.samples.len() * percent).div_ceil(100).max(1) - 1;
        let (_, value, _) = self.samples.select_nth_unstable(rank);
        Span::from_nanos(u64::from(*value) * UNIT_NS)
    }

    /// The distribution; `None` without samples.
    pub fn distribution(&mut self) -> Option<Distribution> {
        (!self.samples.is_empty()).then(|| Distribution {
            mean: self.mean(),
            p50: self.percentile(50),
            p95: self.percentile(95),
            p99: self.percentile(99),
        })
    }
}

/// The part of a run that means and percentiles of sampled quantities are taken over: from the end
/// of the warm-up to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    pub(super) from: Instant,
    pub(super) to: Instant,
}

impl Sampled {
    #[inline]
    pub(super) fn contains(self, at: Instant) -> bool {
        self.from <= at && at <= self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let mut q = Quantiles::default();
        for ms in (1..=20).rev() {
            q.push(Span::from_millis(ms));
        }
        assert_eq!(q.percentile(50), Span::from_millis(10));
        assert_eq!(q.percentile(95), Span::from_millis(19));
        assert_eq!(q.percentile(100), Span::from_millis(20));
        assert_eq!(q.mean(), Span::from_micros(10_500));
        assert_eq!(Quantiles::default().percentile(50), Span::ZERO);
        assert_eq!(Quantiles::default().distribution(), None);
    }
}
