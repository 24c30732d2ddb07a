//! Block fading: the strength of a signal stays for a coherence time and is drawn anew.

use crate::impair::normal;
use acklab_proto::rng::{self, Rng};
use acklab_units::{Instant, Span};
use rand_core::SeedableRng;

/// How strong a signal is around its mean.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Fading {
    /// As strong as its mean.
    #[default]
    None,
    /// Many equal paths: the power is exponential (Rayleigh amplitude).
    Rayleigh {
        /// How long a draw holds; not zero.
        coherence: Span,
    },
    /// Nakagami amplitude (1960): the power has a gamma distribution of shape `m` and mean one. 1
    /// is Rayleigh, more is steadier.
    Nakagami {
        /// At least 0.5.
        m: f64,
        /// How long a draw holds; not zero.
        coherence: Span,
    },
}

impl Fading {
    const fn coherence(self) -> Option<Span> {
        match self {
            Self::None => None,
            Self::Rayleigh { coherence } | Self::Nakagami { coherence, .. } => Some(coherence),
        }
    }

    fn draw_power(self, rng: &mut Rng) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Rayleigh { .. } => exponential(rng),
            Self::Nakagami { m, .. } => gamma(m, rng) / m,
        }
    }
}

/// The fading between two stations. A block's gain depends on seed and number of the block only,
/// not on when or how often it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fader {
    fading: Fading,
    seed: u64,
    /// The block asked for last and its gain.
    last: Option<(u64, f64)>,
}

impl Fader {
    pub fn new(fading: Fading, seed: u64) -> Self {
        Self {
            fading,
            seed,
            last: None,
        }
    }

    /// Gain in dB, 0 on average over power.
    pub fn gain_db(&mut self, now: Instant) -> f64 {
        let Some(coherence) = self.fading.coherence() else {
            return 0.0;
        };
        let block = now.as_nanos() / coherence.as_nanos().max(1);
        match self.last {
            Some((last, gain)) if last == block => gain,
            _ => {
                let mut rng = Rng::seed_from_u64(self.seed.wrapping_add(block));
                let gain = 10.0 * libm::log10(self.fading.draw_power(&mut rng));
                self.last = Some((block, gain));
                gain
            }
        }
    }
}

/// A draw from the exponential distribution with mean one.
fn exponential(rng: &mut Rng) -> f64 {
    -libm::log(1.0 - rng::unit(rng))
}

/// A draw from the gamma distribution with this shape and scale one (Marsaglia and Tsang 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        let boost = libm::pow(1.0 - rng::unit(rng), 1.0 / shape);
        return gamma(shape + 1.0, rng) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if v <= 0.0 {
            continue;
        }
        let u = 1.0 - rng::unit(rng);
        if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const COHERENCE: Span = Span::from_millis(10);

    fn powers(fading: Fading, n: u64) -> Vec<f64> {
        let mut fader = Fader::new(fading, 7);
        (0..n)
            .map(|i| fader.gain_db(Instant::ZERO + COHERENCE * i))
            .map(|db| libm::pow(10.0, db / 10.0))
            .collect()
    }

    /// Mean and variance of the power: 1 and 1/m. With 100,000 draws the standard errors are below
    /// 0.5 % and, for the heavier tails, 3 %.
    #[test]
    fn powers_have_mean_one_and_variance_one_over_m() {
        let coherence = COHERENCE;
        let fadings = [
            (Fading::Rayleigh { coherence }, 1.0),
            (Fading::Nakagami { m: 0.5, coherence }, 0.5),
            (Fading::Nakagami { m: 1.0, coherence }, 1.0),
            (Fading::Nakagami { m: 4.0, coherence }, 4.0),
        ];
        for (fading, m) in fadings {
            let draws = powers(fading, 100_000);
            let n = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / n;
            let variance = draws.iter().map(|p| (p - mean) * (p - mean)).sum::<f64>() / n;
            assert!((mean - 1.0).abs() < 0.02, "{fading:?}: mean {mean}");
            assert!((variance * m - 1.0).abs() < 0.06, "{fading:?}: {variance}");
        }
    }

    /// Of an exponential power 1 - exp(-0.1) = 9.5 % are more than 10 dB below the mean.
    #[test]
    fn rayleigh_fades_deeply_as_often_as_it_should() {
        let coherence = COHERENCE;
        let draws = powers(Fading::Rayleigh { coherence }, 100_000);
        let deep = draws.iter().filter(|p| **p < 0.1).count();
        assert!((9_250..9_780).contains(&deep), "{deep}");
    }

    #[test]
    fn a_gain_holds_for_its_block_and_does_not_depend_on_who_asks() {
        let fading = Fading::Rayleigh {
            coherence: COHERENCE,
        };
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        let mut often = Fader::new(fading, 3);
        let gains: Vec<_> = (0..100).map(|ms| often.gain_db(at(ms))).collect();
        assert_eq!(gains[10], gains[19]);
        assert_ne!(gains[19], gains[20]);
        assert_eq!(Fader::new(fading, 3).gain_db(at(95)), gains[95]);
        assert_ne!(Fader::new(fading, 4).gain_db(at(95)), gains[95]);
    }

    #[test]
    fn without_fading_the_mean_arrives() {
        assert_eq!(Fader::new(Fading::None, 1).gain_db(Instant::ZERO), 0.0);
    }
}
