//! The fastest mode that the signal allows.

use crate::wifi::phy::Mode;
use crate::wifi::phy::errors::ErrorModel;
use crate::wifi::propagation::split_db;
use alloc::vec::Vec;

/// Knows the signal-to-noise ratio at the receiver, and takes the fastest mode in which MPDUs of a
/// given size are lost no more often than a target.
#[derive(Clone, Debug)]
pub struct Ideal {
    /// Ascending by rate, with the least ratio in dB over one hertz, so that widths compare.
    thresholds: Vec<(Mode, f64)>,
    chosen: Mode,
}

impl Ideal {
    /// A choice among `modes` such that MPDUs of `bytes` bytes are lost with at most the
    /// probability `loss` under `errors`. Begins with the slowest. `None` without modes.
    ///
    /// Under an error model that does not look at the signal every mode is as good, and the fastest
    /// is taken.
    pub fn new(modes: &[Mode], errors: ErrorModel, bytes: u32, loss: f64) -> Option<Self> {
        let mut thresholds: Vec<_> = modes
            .iter()
            .map(|m| {
                let required = errors.required_snr_db(*m, bytes, loss);
                let threshold = required.map_or(f64::NEG_INFINITY, |db| db + bandwidth_db(*m));
                (*m, threshold)
            })
            .collect();
        thresholds.sort_by_key(|(m, _)| m.rate());
        let chosen = thresholds.first()?.0;
        Some(Self { thresholds, chosen })
    }

    pub(super) fn choose(&self) -> Mode {
        self.chosen
    }

    /// The signal has this ratio to the noise over the bandwidth of `mode`.
    pub(super) fn on_snr(&mut self, mode: Mode, snr_db: f64) {
        let signal = snr_db + bandwidth_db(mode);
        let enough = |(_, threshold): &&(Mode, f64)| *threshold <= signal;
        if let Some((mode, _)) = self.thresholds.iter().rev().find(enough) {
            self.chosen = *mode;
        } else {
            self.chosen = self.thresholds[0].0;
        }
    }
}

/// How much more noise there is over the bandwidth of `mode` than over one hertz, and how much less
/// signal in one of its streams.
fn bandwidth_db(mode: Mode) -> f64 {
    10.0 * libm::log10(f64::from(mode.bandwidth_hz())) + split_db(mode)
}

#[cfg(test)]
mod tests {
    use super::super::modes;
    use super::*;
    use crate::wifi::phy::{Format, Guard, Width};

    fn ideal(errors: ErrorModel) -> Ideal {
        let modes = modes(Format::Ht, 1, Width::Mhz20, &[Guard::Ns800]);
        Ideal::new(&modes, errors, 1500, 0.1).unwrap()
    }

    fn mcs_at(ideal: &mut Ideal, snr_db: f64) -> u8 {
        let mode = Mode::ht(0, Width::Mhz20, Guard::Ns800).unwrap();
        ideal.on_snr(mode, snr_db);
        ideal.choose().mcs()
    }

    /// ns-3's success of 1500 bytes passes 0.9 in MCS 0 between 3.75 and 4 dB, in MCS 3 between
    /// 13.5 and 13.75 dB, in MCS 7 between 23.75 and 24 dB.
    #[test]
    fn thresholds_are_where_the_loss_is_the_target() {
        let mut ideal = ideal(ErrorModel::Snr);
        let table = [
            (-5.0, 0),
            (4.0, 0),
            (13.5, 2),
            (13.75, 3),
            (23.75, 6),
            (24.0, 7),
            (60.0, 7),
        ];
        for (snr_db, mcs) in table {
            assert_eq!(mcs_at(&mut ideal, snr_db), mcs, "{snr_db} dB");
        }
    }

    /// At 40 MHz there is twice the noise.
    #[test]
    fn widths_compare_by_their_noise() {
        let mut both = modes(Format::Ht, 1, Width::Mhz20, &[Guard::Ns800]);
        both.extend(modes(Format::Ht, 1, Width::Mhz40, &[Guard::Ns800]));
        let mut ideal = Ideal::new(&both, ErrorModel::Snr, 1500, 0.1).unwrap();
        ideal.on_snr(both[0], 24.0);
        // 24 dB at 20 MHz are 21 dB at 40 MHz: MCS 4 with 81 Mbit/s, more than 65 Mbit/s.
        let chosen = ideal.choose();
        assert_eq!((chosen.mcs(), chosen.width()), (4, Width::Mhz40));
        ideal.on_snr(chosen, 24.0);
        assert_eq!(
            (ideal.choose().mcs(), ideal.choose().width()),
            (7, Width::Mhz40)
        );
    }

    /// Two streams need 3 dB more than one.
    #[test]
    fn streams_compare_by_their_share_of_the_power() {
        let both = modes(Format::Ht, 2, Width::Mhz20, &[Guard::Ns800]);
        let mut ideal = Ideal::new(&both, ErrorModel::Snr, 1500, 0.1).unwrap();
        let one = Mode::ht(0, Width::Mhz20, Guard::Ns800).unwrap();
        let mut streams = |snr_db| {
            ideal.on_snr(one, snr_db);
            (ideal.choose().streams(), ideal.choose().rate())
        };
        let single = Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap().rate();
        let double = Mode::ht(15, Width::Mhz20, Guard::Ns800).unwrap().rate();
        // MCS 7 passes between 23.75 and 24 dB.
        assert!(streams(24.0).1 >= single && streams(26.7).1 < double);
        assert_eq!(streams(27.1), (2, double));
    }

    #[test]
    fn without_errors_from_the_signal_the_fastest_is_taken() {
        assert_eq!(mcs_at(&mut ideal(ErrorModel::Ber(1e-6)), -10.0), 7);
    }
}
