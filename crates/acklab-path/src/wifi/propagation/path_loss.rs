//! How a signal fades with distance, on average.

use core::f64::consts::PI;

/// Metres per second.
pub(super) const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// Mean loss between two places.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PathLoss {
    /// The same everywhere, in dB.
    Fixed(f64),
    /// Free space (Friis 1946): 20 log10(4 pi d f / c).
    Friis,
    /// `reference_db + 10 exponent log10(d / reference_m)`, and `reference_db` nearer than that.
    LogDistance {
        /// 2 in free space, about 3 indoors.
        exponent: f64,
        /// Where the reference was measured, in metres.
        reference_m: f64,
        /// The loss there, in dB.
        reference_db: f64,
    },
    /// Free space up to a breakpoint, beyond it with exponent 3.5 (IEEE 802.11-03/940r4, which
    /// 802.11ac's 11-09/0308r12 keeps).
    Tgn(Tgn),
}

impl PathLoss {
    /// ns-3's default: exponent 3, and free space at 5.15 GHz to the first
    /// metre.
    pub const NS3: Self = Self::LogDistance {
        exponent: 3.0,
        reference_m: 1.0,
        reference_db: 46.6777,
    };

    /// Loss in dB over `distance` metres at `frequency` hertz; never a gain.
    pub fn db(&self, distance: f64, frequency: f64) -> f64 {
        let loss = match *self {
            Self::Fixed(db) => db,
            Self::Friis => free_space(distance, frequency),
            Self::LogDistance {
                exponent,
                reference_m,
                reference_db,
            } => {
                let ratio = (distance / reference_m).max(1.0);
                reference_db + 10.0 * exponent * libm::log10(ratio)
            }
            Self::Tgn(model) => {
                let near = distance.min(model.breakpoint());
                let beyond = distance.max(near) / near.max(f64::MIN_POSITIVE);
                free_space(near, frequency) + 35.0 * libm::log10(beyond)
            }
        };
        loss.max(0.0)
    }
}

fn free_space(distance: f64, frequency: f64) -> f64 {
    let turns = 4.0 * PI * distance * frequency / SPEED_OF_LIGHT;
    20.0 * libm::log10(turns.max(1.0))
}

/// Environments of the TGn channel models. Their shadowing has a standard deviation of 3 dB up to
/// the breakpoint, and of 4 (B), 5 (C, D) or 6 dB (E, F) beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tgn {
    /// Residential.
    B,
    /// Small office.
    C,
    /// Typical office.
    D,
    /// Large office.
    E,
    /// Large space, indoors or outdoors.
    F,
}

impl Tgn {
    /// Where the line of sight ends, in metres (table I of the document).
    pub const fn breakpoint(self) -> f64 {
        match self {
            Self::B | Self::C => 5.0,
            Self::D => 10.0,
            Self::E => 20.0,
            Self::F => 30.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ns-3.44 with its defaults, transmitting 16.0206 dBm: what arrives at these distances.
    #[test]
    fn losses_are_those_of_ns3() {
        let table = [
            (1.0, -30.657_100, -30.663_328),
            (5.0, -51.626_200, -44.642_728),
            (10.0, -60.657_100, -50.663_328),
            (30.0, -74.970_738, -60.205_753),
            (100.0, -90.657_100, -70.663_328),
        ];
        for (distance, log_distance, friis) in table {
            let at = |model: PathLoss| 16.0206 - model.db(distance, 5.15e9);
            assert!((at(PathLoss::NS3) - log_distance).abs() < 1e-5);
            assert!((at(PathLoss::Friis) - friis).abs() < 1e-5, "{distance}");
        }
    }

    #[test]
    fn tgn_bends_at_the_breakpoint() {
        let loss = |model, d| PathLoss::Tgn(model).db(d, 5.25e9);
        let free = |d| PathLoss::Friis.db(d, 5.25e9);
        assert_eq!(loss(Tgn::D, 8.0), free(8.0));
        // 35 dB a decade beyond 10 m and beyond 30 m.
        assert!((loss(Tgn::D, 100.0) - free(10.0) - 35.0).abs() < 1e-9);
        assert!((loss(Tgn::F, 300.0) - free(30.0) - 35.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_amplifies_however_near() {
        for model in [
            PathLoss::Friis,
            PathLoss::NS3,
            PathLoss::Tgn(Tgn::B),
            PathLoss::Fixed(0.0),
        ] {
            assert!(model.db(0.0, 2.4e9) >= 0.0, "{model:?}");
        }
    }
}
