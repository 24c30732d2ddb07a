//! One way to send a PSDU: format, rate, streams, width, guard interval.

use super::coding::{self, CodeRate, Modulation};
use super::{Format, Guard, ModeError, Ru, Width};
use acklab_units::Rate;
use core::fmt;

/// How a PSDU is sent. A value that exists is possible: constructors refuse what the standard does
/// not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mode {
    format: Format,
    /// Of the rate within the format, or the MCS of one stream.
    index: u8,
    streams: u8,
    width: Width,
    guard: Guard,
    /// Of HE; the whole channel in other formats.
    ru: Ru,
    short_preamble: bool,
}

/// Rates of DSSS, HR/DSSS and OFDM, ascending, in units of 100 kbit/s.
const LEGACY: [(u32, Format, u8); 12] = [
    (10, Format::Dsss, 0),
    (20, Format::Dsss, 1),
    (55, Format::HrDsss, 0),
    (60, Format::Ofdm, 0),
    (90, Format::Ofdm, 1),
    (110, Format::HrDsss, 1),
    (120, Format::Ofdm, 2),
    (180, Format::Ofdm, 3),
    (240, Format::Ofdm, 4),
    (360, Format::Ofdm, 5),
    (480, Format::Ofdm, 6),
    (540, Format::Ofdm, 7),
];

impl Mode {
    /// The mode of 802.11b, a or g with this rate; 1 to 11 Mbit/s with the long preamble.
    ///
    /// # Errors
    /// [`ModeError::UnknownRate`].
    pub fn legacy(rate: Rate) -> Result<Self, ModeError> {
        let at = LEGACY
            .iter()
            .position(|(r, ..)| u64::from(*r) * 100_000 == rate.as_bps());
        at.map(Self::nth_legacy)
            .ok_or(ModeError::UnknownRate { rate })
    }

    /// The `n`-th of the twelve rates of 802.11b, a and g, ascending.
    pub(super) const fn nth_legacy(n: usize) -> Self {
        let (_, format, index) = LEGACY[n];
        Self {
            format,
            index,
            streams: 1,
            width: Width::Mhz20,
            guard: Guard::Ns800,
            ru: Ru::Tones242,
            short_preamble: false,
        }
    }

    /// The same with the short preamble of 16.2.2.3.
    ///
    /// # Errors
    /// [`ModeError::ShortPreamble`] for 1 Mbit/s. A mode that is not DSSS stays as it is.
    pub fn with_short_preamble(self) -> Result<Self, ModeError> {
        if self.format == Format::Dsss && self.index == 0 {
            return Err(ModeError::ShortPreamble);
        }
        Ok(Self {
            short_preamble: self.format.is_dsss(),
            ..self
        })
    }

    /// HT, mixed format. `mcs` 0 to 31 counts streams in: 8 to 15 have two (19.5).
    ///
    /// # Errors
    /// [`ModeError`] for a mode that HT does not have.
    pub fn ht(mcs: u8, width: Width, guard: Guard) -> Result<Self, ModeError> {
        let format = Format::Ht;
        if mcs > 31 {
            let highest = 31;
            return Err(ModeError::Mcs {
                format,
                mcs,
                highest,
            });
        }
        Self::multi_stream(format, mcs % 8, mcs / 8 + 1, width, guard)
    }

    /// VHT for one user.
    ///
    /// # Errors
    /// [`ModeError`] for a mode that VHT does not have, such as MCS 9 at 20 MHz with one stream.
    pub fn vht(mcs: u8, streams: u8, width: Width, guard: Guard) -> Result<Self, ModeError> {
        let mode = Self::multi_stream(Format::Vht, mcs, streams, width, guard)?;
        if coding::vht_has(mcs, streams, width) {
            Ok(mode)
        } else {
            Err(ModeError::LeftOut {
                mcs,
                streams,
                width,
            })
        }
    }

    /// HE for one user, the whole channel.
    ///
    /// # Errors
    /// [`ModeError`] for a mode that HE does not have.
    pub fn he(mcs: u8, streams: u8, width: Width, guard: Guard) -> Result<Self, ModeError> {
        Self::multi_stream(Format::He, mcs, streams, width, guard)
    }

    /// The same on a part of the channel, as one user of an HE MU or HE TB PPDU. A mode that is not HE stays as
    /// it is.
    ///
    /// # Errors
    /// [`ModeError::NoSuchRu`] if the channel is narrower.
    pub fn on_ru(self, ru: Ru) -> Result<Self, ModeError> {
        if self.format != Format::He {
            return Ok(self);
        }
        if ru.most_in(self.width) == 0 {
            let width = self.width;
            return Err(ModeError::NoSuchRu { ru, width });
        }
        Ok(Self { ru, ..self })
    }

    /// The same mode of HE with another guard interval. A mode that is not HE stays as it is.
    pub fn with_guard(self, guard: Guard) -> Self {
        match self.format {
            Format::He => Self { guard, ..self },
            _ => self,
        }
    }

    fn multi_stream(
        format: Format,
        index: u8,
        streams: u8,
        width: Width,
        guard: Guard,
    ) -> Result<Self, ModeError> {
        let highest = format.highest_mcs();
        if index > highest {
            let mcs = index;
            return Err(ModeError::Mcs {
                format,
                mcs,
                highest,
            });
        }
        if streams == 0 || streams > format.most_streams() {
            return Err(ModeError::Streams { format, streams });
        }
        if !format.widths().contains(&width) {
            return Err(ModeError::NotThisWide { format, width });
        }
        if !format.guards().contains(&guard) {
            return Err(ModeError::NotThisGuard { format, guard });
        }
        Ok(Self {
            format,
            index,
            streams,
            width,
            guard,
            ru: Ru::whole(width),
            short_preamble: false,
        })
    }

    /// The format.
    pub const fn format(self) -> Format {
        self.format
    }

    /// The MCS as the standard counts it, HT over all streams; without MCS the index of the rate.
    pub const fn mcs(self) -> u8 {
        match self.format {
            Format::Ht => self.index + 8 * (self.streams - 1),
            _ => self.index,
        }
    }

    /// Spatial streams.
    pub const fn streams(self) -> u8 {
        self.streams
    }

    /// Channel width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// Resource unit; `None` for what is not HE.
    pub const fn ru(self) -> Option<Ru> {
        match self.format {
            Format::He => Some(self.ru),
            _ => None,
        }
    }

    /// Guard interval; `None` without OFDM.
    pub const fn guard(self) -> Option<Guard> {
        if self.format.is_dsss() {
            None
        } else {
            Some(self.guard)
        }
    }

    /// Whether the preamble is the short one of 802.11b.
    pub const fn has_short_preamble(self) -> bool {
        self.short_preamble
    }

    /// Modulation.
    pub const fn modulation(self) -> Modulation {
        coding::of(self.format, self.index).0
    }

    /// Code rate.
    pub const fn code_rate(self) -> CodeRate {
        coding::of(self.format, self.index).1
    }

    /// Coded bits per OFDM symbol, N_CBPS.
    pub(super) const fn coded_bits(self) -> u32 {
        let subcarriers = match self.format {
            Format::He => self.ru.data_subcarriers(),
            format => coding::data_subcarriers(format, self.width),
        };
        subcarriers * self.modulation().bits() * self.streams as u32
    }

    /// Data bits per OFDM symbol, N_DBPS.
    pub const fn data_bits(self) -> u32 {
        coding::data_bits(self.coded_bits(), self.code_rate())
    }

    /// Convolutional encoders, N_ES.
    pub(super) const fn encoders(self) -> u32 {
        coding::encoders(self.format, self.coded_bits(), self.data_bits())
    }

    /// Length of an OFDM symbol with its guard interval, in nanoseconds: 3.2 us or, HE, 12.8 us
    /// besides the guard interval (17.3.2, 19.3.6, 21.3.6, 27.3.9).
    pub(super) const fn symbol_nanos(self) -> u32 {
        let useful = match self.format {
            Format::He => 12_800,
            _ => 3_200,
        };
        useful + self.guard.nanos()
    }

    /// Bits per second of the PSDU, rounded down.
    pub const fn rate(self) -> Rate {
        if self.format.is_dsss() {
            return Rate::from_bps(self.hundred_kbit() as u64 * 100_000);
        }
        Rate::from_bps(self.data_bits() as u64 * 1_000_000_000 / self.symbol_nanos() as u64)
    }

    /// The rate of DSSS and HR/DSSS in units of 100 kbit/s.
    pub(super) const fn hundred_kbit(self) -> u32 {
        match (self.format, self.index) {
            (Format::Dsss, 0) => 10,
            (Format::Dsss, _) => 20,
            (_, 0) => 55,
            (_, _) => 110,
        }
    }

    /// Whether it is HE on a part of the channel.
    pub const fn is_partial(self) -> bool {
        matches!(self.format, Format::He) && self.ru.tones() != Ru::whole(self.width).tones()
    }

    /// Bandwidth of the signal in Hz, over which noise is counted: DSSS fills 22 MHz (15.4.4.2).
    pub const fn bandwidth_hz(self) -> u32 {
        if self.format.is_dsss() {
            22_000_000
        } else if self.is_partial() {
            self.ru.bandwidth_hz()
        } else {
            self.width.mhz() * 1_000_000
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.format.name();
        let Self { width, guard, .. } = self;
        if self.format.is_legacy() {
            write!(f, "{name} {} Mbit/s", self.rate().as_bps() as f64 / 1e6)?;
            let short = if self.short_preamble { " short" } else { "" };
            return f.write_str(short);
        }
        let (mcs, streams) = (self.mcs(), self.streams);
        write!(f, "{name} MCS{mcs} {width} {streams}x {guard}")?;
        if self.is_partial() {
            write!(f, " {}", self.ru)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn a_mode_is_small() {
        assert!(size_of::<Mode>() <= 8);
    }

    #[test]
    fn modes_are_written_as_people_write_them() {
        let ht = Mode::ht(15, Width::Mhz40, Guard::Ns400).unwrap();
        assert_eq!(format!("{ht}"), "HT MCS15 40 MHz 2x 400 ns");
        assert_eq!((ht.streams(), ht.mcs()), (2, 15));
        let cck = Mode::legacy(Rate::from_bps(5_500_000)).unwrap();
        let cck = cck.with_short_preamble().unwrap();
        assert_eq!(format!("{cck}"), "HR/DSSS 5.5 Mbit/s short");
    }

    #[test]
    fn one_mbit_has_no_short_preamble() {
        let slow = Mode::legacy(Rate::from_bps(1_000_000)).unwrap();
        assert_eq!(slow.with_short_preamble(), Err(ModeError::ShortPreamble));
    }

    #[test]
    fn legacy_rates_are_what_their_modes_say() {
        for (n, (hundred_kbit, ..)) in LEGACY.iter().enumerate() {
            let rate = Rate::from_bps(u64::from(*hundred_kbit) * 100_000);
            let mode = Mode::legacy(rate).unwrap();
            assert_eq!((mode, mode.rate()), (Mode::nth_legacy(n), rate));
        }
    }
}
