//! Frequency bands: which modes each has, and its gaps.

use super::{Format, Mode, Width};
use acklab_units::Span;
use core::fmt;

/// A frequency band.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Band {
    /// 2.4 GHz: b, g, n, ax.
    Ghz2_4,
    /// 5 GHz: a, n, ac, ax.
    Ghz5,
    /// 6 GHz: ax, with the rates of a for control frames.
    Ghz6,
}

impl Band {
    /// Short interframe space: aSIFSTime of the PHY characteristics (16.3.4, 17.4.4, 18.5.4,
    /// 19.4.4, 27.4.4).
    pub const fn sifs(self) -> Span {
        match self {
            Self::Ghz2_4 => Span::from_micros(10),
            Self::Ghz5 | Self::Ghz6 => Span::from_micros(16),
        }
    }

    /// Silence that a PPDU with OFDM ends in, so that decoders have the time that SIFS leaves them
    /// at 5 GHz (aSignalExtension: 18.5.4, 19.4.4, 27.4.4).
    pub const fn signal_extension(self, format: Format) -> Span {
        match self {
            Self::Ghz2_4 if !format.is_dsss() => Span::from_micros(6),
            _ => Span::ZERO,
        }
    }

    /// Whether `mode` may be used: DSSS and HT are older than 6 GHz, VHT is for 5 GHz only (21.1),
    /// and 2.4 GHz has no room for 80 MHz.
    pub fn has(self, mode: Mode) -> bool {
        match mode.format() {
            Format::Dsss | Format::HrDsss => self == Self::Ghz2_4,
            Format::Ofdm => true,
            Format::Ht => self != Self::Ghz6,
            Format::Vht => self == Self::Ghz5,
            Format::He => self != Self::Ghz2_4 || mode.width() <= Width::Mhz40,
        }
    }

    /// The channels that [`Band::has`] accepts, for messages.
    pub(super) const fn offers(self) -> &'static str {
        match self {
            Self::Ghz2_4 => "1 to 54 Mbit/s of 802.11b and g, HT, and HE up to 40 MHz",
            Self::Ghz5 => "6 to 54 Mbit/s of 802.11a, HT, VHT and HE",
            Self::Ghz6 => "6 to 54 Mbit/s of 802.11a and HE",
        }
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ghz2_4 => "2.4 GHz",
            Self::Ghz5 => "5 GHz",
            Self::Ghz6 => "6 GHz",
        })
    }
}
