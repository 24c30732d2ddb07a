//! PPDU formats with the widths, guard intervals and ranges of MCS that each has.

use super::ModeError;
use core::fmt;

/// How a PPDU is built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// 1 and 2 Mbit/s, spread by an 11-chip Barker sequence (clause 15; 802.11-1997).
    Dsss,
    /// 5.5 and 11 Mbit/s, complementary code keying (clause 16; 802.11b).
    HrDsss,
    /// 6 to 54 Mbit/s (clause 17 at 5 GHz, clause 18 at 2.4 GHz; 802.11a and g).
    Ofdm,
    /// High throughput, mixed format (clause 19; 802.11n).
    Ht,
    /// Very high throughput, one user (clause 21; 802.11ac).
    Vht,
    /// High efficiency, one user (clause 27 of 802.11ax).
    He,
}

impl Format {
    /// The name as the standard has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dsss => "DSSS",
            Self::HrDsss => "HR/DSSS",
            Self::Ofdm => "OFDM",
            Self::Ht => "HT",
            Self::Vht => "VHT",
            Self::He => "HE",
        }
    }

    /// Whether every station decodes it, whatever its generation: what control frames are sent in.
    pub const fn is_legacy(self) -> bool {
        matches!(self, Self::Dsss | Self::HrDsss | Self::Ofdm)
    }

    /// Whether it is of clause 15 or 16.
    pub const fn is_dsss(self) -> bool {
        matches!(self, Self::Dsss | Self::HrDsss)
    }

    /// Whether PSDUs may be A-MPDUs (9.7.1: HT and later).
    pub const fn aggregates(self) -> bool {
        !self.is_legacy()
    }

    /// Channel widths, ascending. DSSS takes the place of 20 MHz.
    pub const fn widths(self) -> &'static [Width] {
        const ALL: &[Width] = &[Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
        match self {
            Self::Dsss | Self::HrDsss | Self::Ofdm => ALL.split_at(1).0,
            Self::Ht => ALL.split_at(2).0,
            Self::Vht | Self::He => ALL,
        }
    }

    /// Guard intervals, ascending (19.3.6, 21.3.6, 27.3.9); none without OFDM.
    pub const fn guards(self) -> &'static [Guard] {
        match self {
            Self::Dsss | Self::HrDsss => &[],
            Self::Ofdm => &[Guard::Ns800],
            Self::Ht | Self::Vht => &[Guard::Ns400, Guard::Ns800],
            Self::He => &[Guard::Ns800, Guard::Ns1600, Guard::Ns3200],
        }
    }

    /// The most spatial streams (HT 19.5, VHT 21.5, HE 27.5).
    pub const fn most_streams(self) -> u8 {
        match self {
            Self::Dsss | Self::HrDsss | Self::Ofdm => 1,
            Self::Ht => 4,
            Self::Vht | Self::He => 8,
        }
    }

    /// The highest MCS of one stream; for formats without MCS the highest index of a rate.
    pub const fn highest_mcs(self) -> u8 {
        match self {
            Self::Dsss | Self::HrDsss => 1,
            Self::Ofdm | Self::Ht => 7,
            Self::Vht => 9,
            Self::He => 11,
        }
    }

    /// The longest PSDU that the PHY header can announce or the standard allows, in bytes:
    /// aPSDUMaxLength of the PHY characteristics (15.3.3, 16.3.4, 17.4.4, 19.4.4, 27.4.4) and for
    /// VHT the longest A-MPDU (9.4.2.157.2: 2^20 - 1).
    pub const fn max_psdu(self) -> u32 {
        match self {
            Self::Dsss | Self::HrDsss | Self::Ofdm => 4_095,
            Self::Ht => 65_535,
            Self::Vht => 1_048_575,
            Self::He => 6_500_631,
        }
    }
}

/// Channel width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 20 MHz.
    Mhz20,
    /// 40 MHz.
    Mhz40,
    /// 80 MHz.
    Mhz80,
    /// 160 MHz (80+80 MHz lasts as long).
    Mhz160,
}

impl Width {
    /// The width of `mhz` megahertz.
    ///
    /// # Errors
    /// [`ModeError::UnknownWidth`] for any other than 20, 40, 80 and 160.
    pub const fn from_mhz(mhz: u32) -> Result<Self, ModeError> {
        match mhz {
            20 => Ok(Self::Mhz20),
            40 => Ok(Self::Mhz40),
            80 => Ok(Self::Mhz80),
            160 => Ok(Self::Mhz160),
            mhz => Err(ModeError::UnknownWidth { mhz }),
        }
    }

    /// Megahertz.
    pub const fn mhz(self) -> u32 {
        20 << self as u32
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", self.mhz())
    }
}

/// Guard interval between OFDM symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guard {
    /// 0.4 us: "short" of HT and VHT.
    Ns400,
    /// 0.8 us: "long" of HT and VHT, the shortest of HE.
    Ns800,
    /// 1.6 us, HE.
    Ns1600,
    /// 3.2 us, HE.
    Ns3200,
}

impl Guard {
    /// The guard interval of `ns` nanoseconds.
    ///
    /// # Errors
    /// [`ModeError::UnknownGuard`] for any other than 400, 800, 1600 and 3200.
    pub const fn from_nanos(ns: u32) -> Result<Self, ModeError> {
        match ns {
            400 => Ok(Self::Ns400),
            800 => Ok(Self::Ns800),
            1600 => Ok(Self::Ns1600),
            3200 => Ok(Self::Ns3200),
            ns => Err(ModeError::UnknownGuard { ns }),
        }
    }

    /// Nanoseconds.
    pub const fn nanos(self) -> u32 {
        400 << self as u32
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns", self.nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_guard_intervals_are_read_back() {
        for width in Format::He.widths() {
            assert_eq!(Width::from_mhz(width.mhz()), Ok(*width));
        }
        for guard in [Format::Ht.guards(), Format::He.guards()].concat() {
            assert_eq!(Guard::from_nanos(guard.nanos()), Ok(guard));
        }
    }

    #[test]
    fn a_width_that_does_not_exist_is_told_with_those_that_do() {
        let error = Width::from_mhz(60).unwrap_err();
        assert_eq!(
            std::format!("{error}; {}", error.hint()),
            "there is no channel of 60 MHz; use 20, 40, 80 or 160 MHz"
        );
    }
}
