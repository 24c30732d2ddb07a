//! Convolutional code with hard decisions over white Gaussian noise (Pei and Henderson 2010).

use crate::wifi::phy::{CodeRate, Modulation};

/// Number of code words at each distance from the right one, weighted with their wrong bits, of the
/// code (133, 171) and its punctured versions: Frenger, Orten, Ottosson, "Convolutional codes with
/// optimum distance spectrum" (1999), and Haccoun, Bégin, "High-rate punctured convolutional codes"
/// (1989).
struct Spectrum {
    /// The smallest distance.
    free: u32,
    /// From one distance with code words to the next.
    step: u32,
    /// Data bits per period of the puncturing.
    period: f64,
    weights: &'static [f64],
}

const HALF: Spectrum = Spectrum {
    free: 10,
    step: 2,
    period: 1.0,
    weights: &[
        36.0,
        211.0,
        1_404.0,
        11_633.0,
        77_433.0,
        502_690.0,
        3_322_763.0,
        21_292_910.0,
        134_365_911.0,
    ],
};

const TWO_THIRDS: Spectrum = Spectrum {
    free: 6,
    step: 1,
    period: 2.0,
    weights: &[
        3.0,
        70.0,
        285.0,
        1_276.0,
        6_160.0,
        27_128.0,
        117_019.0,
        498_860.0,
        2_103_891.0,
        8_784_123.0,
    ],
};

const THREE_QUARTERS: Spectrum = Spectrum {
    free: 5,
    step: 1,
    period: 3.0,
    weights: &[
        42.0,
        201.0,
        1_492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};

const FIVE_SIXTHS: Spectrum = Spectrum {
    free: 4,
    step: 1,
    period: 5.0,
    weights: &[
        92.0,
        528.0,
        8_694.0,
        79_453.0,
        792_114.0,
        7_375_573.0,
        67_884_974.0,
        610_875_423.0,
        5_427_275_376.0,
        47_664_215_639.0,
    ],
};

impl Spectrum {
    /// Bound of the probability that a decoded bit is wrong when a coded bit is with probability
    /// `p`: half of the sum of weight times D to the distance, per data bit, where D = sqrt(4p(1 -
    /// p)).
    fn union_bound(&self, p: f64) -> f64 {
        let d = libm::sqrt(4.0 * p * (1.0 - p));
        let (factor, mut term) = (power(d, self.step), power(d, self.free));
        let mut sum = 0.0;
        for weight in self.weights {
            sum += weight * term;
            term *= factor;
        }
        sum / (2.0 * self.period)
    }
}

/// `base` to a small whole power.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// Probability that a bit is wrong after decoding, at most 1; `snr` as a ratio.
pub(super) fn bit_error_rate(modulation: Modulation, rate: CodeRate, snr: f64) -> f64 {
    let raw = uncoded(modulation, snr);
    let spectrum = match rate {
        CodeRate::Uncoded => return raw,
        CodeRate::Half => &HALF,
        CodeRate::TwoThirds => &TWO_THIRDS,
        CodeRate::ThreeQuarters => &THREE_QUARTERS,
        CodeRate::FiveSixths => &FIVE_SIXTHS,
    };
    spectrum.union_bound(raw).min(1.0)
}

/// Probability that a coded bit is wrong: erfc(sqrt(snr)) / 2 for BPSK; with Gray mapping of M
/// points in a square (2 / log2 M)(1 - 1/sqrt M) erfc(sqrt(3 snr / (2(M - 1)))), Proakis, "Digital
/// communications", 5.2.
fn uncoded(modulation: Modulation, snr: f64) -> f64 {
    let bits = modulation.bits();
    if bits == 1 {
        return 0.5 * libm::erfc(libm::sqrt(snr));
    }
    let points = f64::from(1u32 << bits);
    let neighbours = 2.0 / f64::from(bits) * (1.0 - 1.0 / libm::sqrt(points));
    neighbours * libm::erfc(libm::sqrt(1.5 * snr / (points - 1.0)))
}
