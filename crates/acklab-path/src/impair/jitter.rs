//! Extra delay that keeps the order: a random one for each packet, and one for all of a stretch of time.

use super::up_to;
use acklab_proto::rng::{self, Rng};
use acklab_units::{Instant, Span};

/// How extra delay is distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JitterConfig {
    /// None.
    #[default]
    None,
    /// Uniform in `[0, span]`.
    Uniform(Span),
    /// Log-normal, as timers that fire late are: mostly a little, now and then much.
    LogNormal {
        /// Half of the delays are below.
        median: Span,
        /// 99 % of the delays are below; above `median`.
        p99: Span,
        /// Longer delays are cut to this; not below `p99`, so that both quantiles hold.
        max: Span,
    },
}

/// A longer way for a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detour {
    /// Packets take it that would arrive without it at this instant or later ...
    pub from: Instant,
    /// ... and before this one.
    pub until: Instant,
    /// So much later they arrive.
    pub extra: Span,
}

/// The 99 % quantile of the standard normal distribution.
const Z99: f64 = 2.326_347_874_040_841;

/// The parameters of the draws.
#[derive(Clone, Debug)]
enum Delays {
    Uniform(u64),
    /// `min(median * exp(sigma * z), max)` with a standard normal `z`; nanoseconds.
    LogNormal {
        median: f64,
        sigma: f64,
        max: u64,
    },
}

impl Delays {
    fn of(config: JitterConfig) -> Option<Self> {
        match config {
            JitterConfig::None => None,
            JitterConfig::Uniform(span) if span.is_zero() => None,
            JitterConfig::Uniform(span) => Some(Self::Uniform(span.as_nanos())),
            JitterConfig::LogNormal { median, p99, max } => {
                debug_assert!(!median.is_zero() && median < p99 && p99 <= max);
                let (median, p99) = (median.as_nanos() as f64, p99.as_nanos() as f64);
                let (sigma, max) = (libm::log(p99 / median) / Z99, max.as_nanos());
                Some(Self::LogNormal { median, sigma, max })
            }
        }
    }

    fn draw(&self, rng: &mut Rng) -> Span {
        Span::from_nanos(match *self {
            Self::Uniform(span) => up_to(rng, span),
            Self::LogNormal { median, sigma, max } => {
                // A draw too large for the integer becomes the largest one.
                ((median * libm::exp(sigma * normal(rng))) as u64).min(max)
            }
        })
    }
}

/// A standard normal draw (Box and Muller 1958); the second one that the method gives is left.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng::unit(rng)));
    radius * libm::cos(core::f64::consts::TAU * rng::unit(rng))
}

/// Extra delay. A packet never arrives before one that left earlier.
#[derive(Clone, Debug)]
pub struct Jitter {
    delays: Option<Delays>,
    detour: Option<Detour>,
    rng: Rng,
    /// Arrival of the packet before.
    floor: Instant,
}

impl Jitter {
    /// Extra delay as `config` and `detour` say; `None` for none.
    pub fn new(config: JitterConfig, detour: Option<Detour>, rng: Rng) -> Option<Self> {
        let delays = Delays::of(config);
        (delays.is_some() || detour.is_some()).then_some(Self {
            delays,
            detour,
            rng,
            floor: Instant::ZERO,
        })
    }

    /// When a packet arrives that would arrive at `nominal` without extra delay. To be asked once per
    /// packet, in order.
    pub fn arrival(&mut self, nominal: Instant) -> Instant {
        let drawn = self.delays.as_ref().map(|d| d.draw(&mut self.rng));
        let around = self
            .detour
            .filter(|d| d.from <= nominal && nominal < d.until);
        let extra = drawn.unwrap_or(Span::ZERO) + around.map_or(Span::ZERO, |d| d.extra);
        self.floor = self.floor.max(nominal.saturating_add(extra));
        self.floor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn us(us: u64) -> Span {
        Span::from_micros(us)
    }

    fn log_normal(median: u64, p99: u64, max: u64) -> JitterConfig {
        JitterConfig::LogNormal {
            median: us(median),
            p99: us(p99),
            max: us(max),
        }
    }

    fn jitter(config: JitterConfig, seed: u64) -> Jitter {
        Jitter::new(config, None, rng::stream(seed, "j")).unwrap()
    }

    /// Delays of packets so far apart that they never wait for one another, in order of size.
    fn sorted_delays(config: JitterConfig, seed: u64, n: u64) -> Vec<u64> {
        let mut j = jitter(config, seed);
        let mut delays: Vec<_> = (0..n)
            .map(|i| Instant::ZERO + Span::from_secs(3600) * i)
            .map(|nominal| (j.arrival(nominal) - nominal).as_nanos())
            .collect();
        delays.sort_unstable();
        delays
    }

    #[test]
    fn uniform_delays_fill_the_range() {
        let delays = sorted_delays(JitterConfig::Uniform(us(2000)), 1, 10_000);
        assert!(*delays.last().unwrap() <= 2_000_000);
        let mean = delays.iter().sum::<u64>() / 10_000;
        assert!((980_000..=1_020_000).contains(&mean), "{mean}");
    }

    #[test]
    fn log_normal_delays_have_the_quantiles_that_were_asked_for() {
        // A 99 % quantile of 100 000 draws has a standard error of 0.7 % here (sigma is 0.57).
        for seed in 1..4 {
            let delays = sorted_delays(log_normal(100, 377, 1_000_000), seed, 100_000);
            for (at, expected) in [(50_000, 100e3), (99_000, 377e3)] {
                let error = delays[at] as f64 / expected - 1.0;
                assert!(error.abs() < 0.02, "seed {seed}, {at}: {error}");
            }
        }
    }

    #[test]
    fn a_maximum_cuts_and_leaves_the_quantiles_alone() {
        let free = sorted_delays(log_normal(34, 560, 1_000_000), 5, 100_000);
        let cut = sorted_delays(log_normal(34, 560, 700), 5, 100_000);
        assert!(*free.last().unwrap() > 700_000);
        assert_eq!(*cut.last().unwrap(), 700_000);
        assert_eq!((free[50_000], free[99_000]), (cut[50_000], cut[99_000]));
    }

    #[test]
    fn a_dense_train_is_not_reordered() {
        for config in [
            JitterConfig::Uniform(us(5000)),
            log_normal(34, 560, 1_000_000),
        ] {
            let mut j = jitter(config, 2);
            let mut last = Instant::ZERO;
            for i in 0..1000 {
                let at = j.arrival(Instant::from_nanos(i * 1000));
                assert!(at >= last);
                last = at;
            }
        }
    }

    /// Also where it ends: who came the short way waits for those who are still on the long one.
    #[test]
    fn a_detour_makes_its_packets_later_and_lets_none_overtake() {
        let ms = |ms| Instant::ZERO + Span::from_millis(ms);
        let detour = Detour {
            from: ms(10),
            until: ms(20),
            extra: Span::from_millis(5),
        };
        let mut j = Jitter::new(JitterConfig::None, Some(detour), rng::stream(1, "j")).unwrap();
        let due = [9, 10, 19, 20, 23, 24, 30];
        let came = due.map(|at| j.arrival(ms(at)));
        assert_eq!(came, [9, 15, 24, 24, 24, 24, 30].map(ms));
    }

    #[test]
    fn the_same_stream_gives_the_same_delays() {
        let config = log_normal(34, 560, 10_000);
        let draw = |seed| sorted_delays(config, seed, 100);
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn even_the_widest_distribution_stays_below_its_maximum() {
        let half_a_day = 12 * 3600 * 1_000_000;
        let config = JitterConfig::LogNormal {
            median: Span::from_nanos(1),
            p99: us(half_a_day),
            max: us(half_a_day),
        };
        let delays = sorted_delays(config, 3, 10_000);
        assert_eq!(*delays.last().unwrap(), half_a_day * 1000);
    }

    #[test]
    fn no_jitter_is_no_component() {
        for config in [JitterConfig::None, JitterConfig::Uniform(Span::ZERO)] {
            assert!(Jitter::new(config, None, rng::stream(1, "j")).is_none());
        }
    }
}
