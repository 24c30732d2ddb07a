//! Which mode a station sends to another one in.

mod ideal;
mod minstrel;
mod modes;
pub mod registry;

pub use ideal::Ideal;
pub use minstrel::Minstrel;
pub use modes::modes;

use super::phy::Mode;
use acklab_units::Instant;
use alloc::boxed::Box;

/// How a PPDU is to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// In which mode.
    pub mode: Mode,
    /// Whether it is a trial of a mode that may well fail: to be risked with a single MPDU.
    pub probe: bool,
}

impl Choice {
    const fn sure(mode: Mode) -> Self {
        let probe = false;
        Self { mode, probe }
    }
}

/// The rate control of one station towards one other.
#[derive(Clone, Debug)]
pub enum RateControl {
    /// Always this mode.
    Fixed(Mode),
    /// The fastest mode that the signal allows, which comes by [`RateControl::on_snr`].
    Ideal(Ideal),
    /// By trial, from what was acknowledged.
    Minstrel(Box<Minstrel>),
}

impl RateControl {
    /// How to send the next PPDU, a retransmission or not.
    pub fn choose(&mut self, now: Instant) -> Choice {
        match self {
            Self::Fixed(mode) => Choice::sure(*mode),
            Self::Ideal(ideal) => Choice::sure(ideal.choose()),
            Self::Minstrel(minstrel) => minstrel.choose(now),
        }
    }

    /// Of `sent` MPDUs of a PPDU sent in `mode` `acked` were acknowledged.
    pub fn on_result(&mut self, now: Instant, mode: Mode, sent: u32, acked: u32) {
        if let Self::Minstrel(minstrel) = self {
            minstrel.on_result(now, mode, sent, acked);
        }
    }

    /// The other station receives what is sent in `mode` with this signal-to-noise ratio in dB.
    pub fn on_snr(&mut self, mode: Mode, snr_db: f64) {
        if let Self::Ideal(ideal) = self {
            ideal.on_snr(mode, snr_db);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::phy::{Guard, Width};
    use super::*;

    #[test]
    fn a_fixed_mode_ignores_what_happens() {
        let mode = Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap();
        let mut fixed = RateControl::Fixed(mode);
        fixed.on_result(Instant::ZERO, mode, 64, 0);
        fixed.on_snr(mode, -20.0);
        assert_eq!(fixed.choose(Instant::ZERO), Choice::sure(mode));
    }
}
