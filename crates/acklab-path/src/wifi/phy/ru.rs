//! Resource units: parts of an HE channel that belong to one user each (27.3.2 of 802.11ax).

use super::Width;
use core::fmt;

/// Hertz between two subcarriers of HE: 20 MHz / 256 (27.3.9).
const SPACING_HZ: u32 = 78_125;

/// A resource unit, named by its tones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ru {
    /// 26 tones, 2 MHz.
    Tones26,
    /// 52 tones, 4 MHz.
    Tones52,
    /// 106 tones, 8 MHz.
    Tones106,
    /// 242 tones: 20 MHz.
    Tones242,
    /// 484 tones: 40 MHz.
    Tones484,
    /// 996 tones: 80 MHz.
    Tones996,
    /// Twice 996 tones: 160 MHz.
    Tones1992,
}

impl Ru {
    /// All, ascending.
    pub const ALL: [Self; 7] = [
        Self::Tones26,
        Self::Tones52,
        Self::Tones106,
        Self::Tones242,
        Self::Tones484,
        Self::Tones996,
        Self::Tones1992,
    ];

    /// The resource unit that is the whole channel.
    pub const fn whole(width: Width) -> Self {
        match width {
            Width::Mhz20 => Self::Tones242,
            Width::Mhz40 => Self::Tones484,
            Width::Mhz80 => Self::Tones996,
            Width::Mhz160 => Self::Tones1992,
        }
    }

    /// The resource unit of so many tones; 1992 are 2 x 996.
    pub fn from_tones(tones: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.tones() == tones)
    }

    /// Tones.
    pub const fn tones(self) -> u32 {
        match self {
            Self::Tones26 => 26,
            Self::Tones52 => 52,
            Self::Tones106 => 106,
            Self::Tones242 => 242,
            Self::Tones484 => 484,
            Self::Tones996 => 996,
            Self::Tones1992 => 1992,
        }
    }

    /// Subcarriers that carry data, N_SD (27.3.9); the rest are pilots.
    pub const fn data_subcarriers(self) -> u32 {
        match self {
            Self::Tones26 => 24,
            Self::Tones52 => 48,
            Self::Tones106 => 102,
            Self::Tones242 => 234,
            Self::Tones484 => 468,
            Self::Tones996 => 980,
            Self::Tones1992 => 1960,
        }
    }

    /// Subcarriers that a quarter of a symbol counts for, N_SD,short (27.3.12.2).
    pub(super) const fn short_subcarriers(self) -> u32 {
        match self {
            Self::Tones26 => 6,
            Self::Tones52 => 12,
            Self::Tones106 => 24,
            Self::Tones242 => 60,
            Self::Tones484 => 120,
            Self::Tones996 => 240,
            Self::Tones1992 => 492,
        }
    }

    /// How many of this size a channel has at most (27.3.2.2); zero if it is narrower.
    pub const fn most_in(self, width: Width) -> u32 {
        let in_20 = 1 << width as u32;
        match (self, width) {
            // Nine in 20 MHz, and one more in the middle of each 80 MHz.
            (Self::Tones26, Width::Mhz20 | Width::Mhz40) => 9 * in_20,
            (Self::Tones26, _) => 9 * in_20 + in_20 / 4,
            (Self::Tones52, _) => 4 * in_20,
            (Self::Tones106, _) => 2 * in_20,
            (Self::Tones242, _) => in_20,
            (Self::Tones484, _) => in_20 / 2,
            (Self::Tones996, _) => in_20 / 4,
            (Self::Tones1992, _) => in_20 / 8,
        }
    }

    /// The largest of which the channel has one for each of `users`; `None` if it has fewer of
    /// the smallest.
    pub fn largest_for(users: u32, width: Width) -> Option<Self> {
        let mut from_above = Self::ALL.into_iter().rev();
        from_above.find(|r| r.most_in(width) >= users.max(1))
    }

    /// The resource unit and the number of users that fill the channel: the largest of which no more than
    /// `users` fit, so that none stays empty, and how many that are. With three users at 20 MHz two get 106
    /// tones each, and the third waits (as in ns-3's `GetEqualSizedRusForStations`).
    pub fn filling(users: u32, width: Width) -> (Self, u32) {
        let mut from_below = Self::ALL.into_iter();
        let fits = |r: &Self| (1..=users.max(1)).contains(&r.most_in(width));
        let ru = from_below.find(fits).unwrap_or(Self::whole(width));
        (ru, ru.most_in(width))
    }

    /// Bandwidth in Hz, over which noise is counted.
    pub const fn bandwidth_hz(self) -> u32 {
        self.tones() * SPACING_HZ
    }
}

impl fmt::Display for Ru {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tones1992 => f.write_str("2 x 996 tones"),
            ru => write!(f, "{} tones", ru.tones()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of 27.3.2.2: resource units per channel width.
    #[test]
    fn a_channel_has_as_many_as_the_standard_says() {
        let table = [
            (Ru::Tones26, [9, 18, 37, 74]),
            (Ru::Tones52, [4, 8, 16, 32]),
            (Ru::Tones106, [2, 4, 8, 16]),
            (Ru::Tones242, [1, 2, 4, 8]),
            (Ru::Tones484, [0, 1, 2, 4]),
            (Ru::Tones996, [0, 0, 1, 2]),
            (Ru::Tones1992, [0, 0, 0, 1]),
        ];
        let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
        for (ru, counts) in table {
            assert_eq!(widths.map(|w| ru.most_in(w)), counts, "{ru}");
            assert_eq!(Ru::from_tones(ru.tones()), Some(ru));
        }
    }

    #[test]
    fn users_get_the_largest_of_which_there_are_enough() {
        let of = |users, width| Ru::largest_for(users, width);
        assert_eq!(of(1, Width::Mhz80), Some(Ru::Tones996));
        assert_eq!(of(3, Width::Mhz20), Some(Ru::Tones52));
        assert_eq!(of(9, Width::Mhz20), Some(Ru::Tones26));
        assert_eq!(of(10, Width::Mhz20), None);
        assert_eq!(of(5, Width::Mhz40), Some(Ru::Tones52));
    }

    #[test]
    fn no_resource_unit_stays_empty() {
        let of = |users, width| Ru::filling(users, width);
        assert_eq!(of(1, Width::Mhz80), (Ru::Tones996, 1));
        assert_eq!(of(3, Width::Mhz20), (Ru::Tones106, 2));
        assert_eq!(of(4, Width::Mhz20), (Ru::Tones52, 4));
        assert_eq!(of(8, Width::Mhz20), (Ru::Tones52, 4));
        assert_eq!(of(9, Width::Mhz20), (Ru::Tones26, 9));
        assert_eq!(of(4, Width::Mhz80), (Ru::Tones242, 4));
        assert_eq!(of(80, Width::Mhz160), (Ru::Tones26, 74));
    }

    #[test]
    fn no_channel_is_filled_beyond_its_tones() {
        for ru in Ru::ALL {
            assert!(ru.data_subcarriers() < ru.tones());
            assert!(4 * ru.short_subcarriers() <= ru.tones());
            for width in [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160] {
                let used = ru.most_in(width) * ru.bandwidth_hz();
                assert!(used <= width.mhz() * 1_000_000, "{ru} {width}");
            }
        }
    }
}
