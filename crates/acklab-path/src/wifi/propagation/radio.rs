//! Transmitters and receivers: powers and noise.

use crate::wifi::phy::{Mode, Width};

/// Boltzmann's constant times 290 K in dBm per hertz: 10 log10(1.380649e-23 * 290 * 1000).
const THERMAL_DBM_PER_HZ: f64 = -173.975_1;

/// The radio of a station.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Radio {
    /// Transmit power in dBm.
    pub power_dbm: f64,
    /// Antenna gain in dB, sending and receiving.
    pub antenna_db: f64,
    /// Noise that the receiver adds, in dB.
    pub noise_figure_db: f64,
    /// A PPDU of 20 MHz is noticed from this power on, in dBm; wider ones from as much more as they
    /// are wider. A station receives no PPDU that it does not notice.
    pub detects_dbm: f64,
}

impl Default for Radio {
    /// 40 mW, 7 dB of noise (what ns-3 uses), and the sensitivity that 17.3.10.6 demands of a clear
    /// channel assessment.
    fn default() -> Self {
        Self {
            power_dbm: 16.0206,
            antenna_db: 0.0,
            noise_figure_db: 7.0,
            detects_dbm: -82.0,
        }
    }
}

impl Radio {
    /// Noise in dBm over the bandwidth of `mode`.
    pub fn noise_dbm(&self, mode: Mode) -> f64 {
        let bandwidth = f64::from(mode.bandwidth_hz());
        THERMAL_DBM_PER_HZ + 10.0 * libm::log10(bandwidth) + self.noise_figure_db
    }

    /// The power in dBm from which on a PPDU of `width` is noticed: 3 dB more for each doubling
    /// (17.3.10.6, 19.3.19.5, 21.3.18.5).
    pub fn detects_from(&self, width: Width) -> f64 {
        self.detects_dbm + 3.0 * f64::from(width as u8)
    }
}

/// The sum of two powers in dBm.
pub fn add_dbm(a: f64, b: f64) -> f64 {
    let (more, less) = if a >= b { (a, b) } else { (b, a) };
    if less == f64::NEG_INFINITY {
        return more;
    }
    more + 10.0 * libm::log10(1.0 + libm::pow(10.0, (less - more) / 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::phy::Guard;
    use acklab_units::Rate;

    /// -173.975 + 10 log10(20e6) = -100.965, + 7; 80 MHz: + 6.02; DSSS, 22 MHz: + 0.414.
    #[test]
    fn noise_fills_the_bandwidth() {
        let noise = |mode| Radio::default().noise_dbm(mode);
        let narrow = Mode::he(0, 1, Width::Mhz20, Guard::Ns800).unwrap();
        let wide = Mode::he(0, 1, Width::Mhz80, Guard::Ns800).unwrap();
        let dsss = Mode::legacy(Rate::from_bps(1_000_000)).unwrap();
        assert!((noise(narrow) + 93.965).abs() < 1e-3);
        assert!((noise(wide) + 93.965 - 6.021).abs() < 1e-3);
        assert!((noise(dsss) + 93.965 - 0.414).abs() < 1e-3);
    }

    #[test]
    fn wider_signals_must_be_stronger_to_be_noticed() {
        let radio = Radio::default();
        let from = |width| radio.detects_from(width);
        let table = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160].map(from);
        assert_eq!(table, [-82.0, -79.0, -76.0, -73.0]);
    }

    #[test]
    fn powers_add() {
        assert!((add_dbm(-60.0, -60.0) + 56.9897).abs() < 1e-4);
        assert!((add_dbm(-90.0, -60.0) + 59.995_66).abs() < 1e-4);
        assert_eq!(add_dbm(-70.0, f64::NEG_INFINITY), -70.0);
        assert_eq!(
            add_dbm(f64::NEG_INFINITY, f64::NEG_INFINITY),
            f64::NEG_INFINITY
        );
    }
}
