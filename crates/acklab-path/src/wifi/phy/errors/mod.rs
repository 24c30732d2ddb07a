//! Which MPDUs a receiver decodes: from a bit error rate, or from the signal-to-noise ratio.

mod coded;
mod spread;

#[cfg(test)]
mod tests;

use super::Mode;

/// How the fate of an MPDU follows from mode, size and signal.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum ErrorModel {
    /// Every MPDU that does not collide arrives.
    #[default]
    None,
    /// Each bit is wrong with this probability, independently, in every mode.
    Ber(f64),
    /// From the signal-to-noise ratio: for OFDM the union bound of Pei and Henderson, "Validation
    /// of OFDM error rate model in ns-3" (2010), which ns-3 calls NistErrorRateModel; for DSSS and
    /// CCK the formulae of IEEE 802.15.4-2003, annex E.
    Snr,
}

impl ErrorModel {
    /// The channel that a bit sent in `mode` meets at `snr_db`, the ratio of signal to noise and
    /// interference over the bandwidth of the mode, in dB, per stream. To be asked once per PPDU;
    /// its MPDUs share the answer.
    pub fn bits(&self, mode: Mode, snr_db: f64) -> Bits {
        let wrong = match *self {
            Self::None => 0.0,
            Self::Ber(ber) => ber,
            Self::Snr => {
                let snr = libm::exp(snr_db * (core::f64::consts::LN_10 / 10.0));
                if mode.format().is_dsss() {
                    spread::bit_error_rate(mode.modulation(), snr)
                } else {
                    coded::bit_error_rate(mode.modulation(), mode.code_rate(), snr)
                }
            }
        };
        Bits::wrong_with(wrong)
    }

    /// Probability that an MPDU of `bytes` bytes is decoded.
    pub fn mpdu_success(&self, mode: Mode, snr_db: f64, bytes: u32) -> f64 {
        self.bits(mode, snr_db).all_right(bytes)
    }

    /// The smallest signal-to-noise ratio in dB, to a hundredth, at which an MPDU of `bytes` bytes
    /// is lost with at most this probability; `None` if errors do not depend on the signal.
    pub fn required_snr_db(&self, mode: Mode, bytes: u32, loss: f64) -> Option<f64> {
        if *self != Self::Snr {
            return None;
        }
        let enough = |hundredths: i32| {
            self.mpdu_success(mode, f64::from(hundredths) / 100.0, bytes) >= 1.0 - loss
        };
        let (mut low, mut high) = (-2_000, 8_000);
        while high - low > 1 {
            let middle = i32::midpoint(low, high);
            if enough(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(f64::from(high) / 100.0)
    }
}

/// The channel that every bit of a PPDU meets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bits {
    /// Natural logarithm of the probability that a bit is right.
    ln_right: f64,
}

impl Bits {
    fn wrong_with(probability: f64) -> Self {
        let ln_right = if probability < 1.0 {
            libm::log1p(-probability)
        } else {
            f64::NEG_INFINITY
        };
        Self { ln_right }
    }

    /// Whether nothing can go wrong, so that no draw is needed.
    pub fn are_certain(self) -> bool {
        self.ln_right == 0.0
    }

    /// Probability that all bits of `bytes` bytes are right.
    pub fn all_right(self, bytes: u32) -> f64 {
        if bytes == 0 {
            return 1.0;
        }
        libm::exp(self.ln_right * 8.0 * f64::from(bytes))
    }
}
