//! DSSS and CCK over white Gaussian noise: IEEE 802.15.4-2003, annex E.4.1.8, bit error rate of
//! 802.11b.

use crate::wifi::phy::Modulation;

/// Probability that a standard normal draw is above `sqrt(x)`.
fn q_sqrt(x: f64) -> f64 {
    0.5 * libm::erfc(libm::sqrt(x / 2.0))
}

/// Distances of CCK code words of 11 Mbit/s, as a multiple of the signal-to-noise ratio, with how
/// many words are so far away.
const CCK8: [(f64, f64); 6] = [
    (4.0, 24.0),
    (6.0, 16.0),
    (8.0, 174.0),
    (10.0, 16.0),
    (12.0, 24.0),
    (16.0, 1.0),
];

/// The same of 5.5 Mbit/s.
const CCK4: [(f64, f64); 2] = [(8.0, 14.0), (16.0, 1.0)];

/// Union bound of the symbol error rate.
fn symbol_error_rate(words: &[(f64, f64)], snr: f64) -> f64 {
    words.iter().map(|(d, n)| n * q_sqrt(d * snr)).sum()
}

/// Probability that a bit is wrong, at most 1/2; `snr` as a ratio. An 11-chip code gains eleven
/// times at one bit a symbol and half of that at two.
pub(super) fn bit_error_rate(modulation: Modulation, snr: f64) -> f64 {
    let rate = match modulation {
        Modulation::Dbpsk => q_sqrt(11.0 * snr),
        Modulation::Cck4 => 8.0 / 15.0 * symbol_error_rate(&CCK4, snr),
        Modulation::Cck8 => 128.0 / 255.0 * symbol_error_rate(&CCK8, snr),
        _ => q_sqrt(5.5 * snr),
    };
    rate.min(0.5)
}
