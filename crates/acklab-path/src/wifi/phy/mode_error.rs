//! Why there is no such mode, and what there is instead.

use super::{Band, Format, Guard, Mode, Ru, Width};
use acklab_units::Rate;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// The reason why a mode is impossible. [`fmt::Display`] says it, [`ModeError::hint`] what is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "fields repeat what was asked for")]
pub enum ModeError {
    /// No channel is so wide.
    UnknownWidth { mhz: u32 },
    /// No format has this guard interval.
    UnknownGuard { ns: u32 },
    /// None of the formats without MCS has this rate.
    UnknownRate { rate: Rate },
    /// The MCS is above the format's last.
    Mcs {
        format: Format,
        mcs: u8,
        highest: u8,
    },
    /// No stream, or more than the format has.
    Streams { format: Format, streams: u8 },
    /// The format has no channels of this width.
    NotThisWide { format: Format, width: Width },
    /// The format has no such guard interval.
    NotThisGuard { format: Format, guard: Guard },
    /// The channel is narrower than the resource unit.
    NoSuchRu { ru: Ru, width: Width },
    /// VHT leaves the combination out, because its coded bits do not divide evenly (21.5).
    LeftOut { mcs: u8, streams: u8, width: Width },
    /// 1 Mbit/s has the long preamble only (16.2.2.3).
    ShortPreamble,
    /// The band does not have the mode.
    NotInBand { mode: Mode, band: Band },
    /// The band does not have the basic rate.
    BasicRate { rate: Rate, band: Band },
    /// Nothing to answer with.
    NoBasicRate,
    /// RTS and control responses are sent in a format that everyone decodes.
    ControlRate { mode: Mode },
    /// A PPDU that stations of 802.11b cannot read does not keep them silent.
    Protection { mode: Mode },
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnknownWidth { mhz } => write!(f, "there is no channel of {mhz} MHz"),
            Self::UnknownGuard { ns } => write!(f, "there is no guard interval of {ns} ns"),
            Self::UnknownRate { rate } => write!(f, "{} is no rate of 802.11b, a or g", Mbit(rate)),
            Self::Mcs {
                format: Format::Ht,
                mcs: mcs @ 32..=76,
                ..
            } => write!(f, "MCS {mcs} of HT is not modelled"),
            Self::Mcs { format, mcs, .. } => write!(f, "{} has no MCS {mcs}", format.name()),
            Self::Streams { format, streams } => {
                write!(f, "{} does not have {streams} streams", format.name())
            }
            Self::NotThisWide { format, width } => {
                write!(f, "{} does not have {width}", format.name())
            }
            Self::NotThisGuard { format, guard } => {
                let name = format.name();
                write!(f, "{name} does not have a guard interval of {guard}")
            }
            Self::NoSuchRu { ru, width } => {
                write!(f, "a channel of {width} has no resource unit of {ru}")
            }
            Self::LeftOut {
                mcs,
                streams,
                width,
            } => {
                let s = if streams == 1 { "" } else { "s" };
                write!(
                    f,
                    "VHT has no MCS {mcs} at {width} with {streams} stream{s}"
                )
            }
            Self::ShortPreamble => f.write_str("1 Mbit/s has no short preamble"),
            Self::NotInBand { mode, band } => write!(f, "{mode} is not used at {band}"),
            Self::BasicRate { rate, band } => write!(f, "{} is no rate at {band}", Mbit(rate)),
            Self::NoBasicRate => f.write_str("there is no basic rate"),
            Self::ControlRate { mode } => {
                write!(f, "{mode} is no rate of control frames")
            }
            Self::Protection { mode } => {
                write!(
                    f,
                    "{mode} protects from nobody, since 802.11b cannot read it"
                )
            }
        }
    }
}

impl core::error::Error for ModeError {}

/// A rate as the standard writes it.
struct Mbit(Rate);

impl fmt::Display for Mbit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbit/s", self.0.as_bps() as f64 / 1e6)
    }
}

impl ModeError {
    /// A mode that is possible.
    pub fn hint(&self) -> String {
        match *self {
            Self::UnknownWidth { .. } => "use 20, 40, 80 or 160 MHz".to_string(),
            Self::UnknownGuard { .. } => "use 400, 800, 1600 or 3200 ns".to_string(),
            Self::UnknownRate { .. } => {
                "use 1, 2, 5.5, 11 or 6, 9, 12, 18, 24, 36, 48, 54 Mbit/s".to_string()
            }
            // 802.11-2020 clause 19.5.
            Self::Mcs {
                format: Format::Ht,
                mcs: 32..=76,
                highest,
            } => format!(
                "use 0 to {highest}; neither 32, the same in both halves of 40 MHz, nor 33 to 76, \
                 whose streams differ in modulation, is here"
            ),
            Self::Mcs { highest, .. } => format!("use 0 to {highest}"),
            Self::Streams { format, .. } => format!("use 1 to {}", format.most_streams()),
            Self::NotThisWide { format, .. } => format!("use {}", listed(format.widths())),
            Self::NotThisGuard { format, .. } if format.is_dsss() => "leave it out".to_string(),
            Self::NotThisGuard { format, .. } => format!("use {}", listed(format.guards())),
            Self::NoSuchRu { width, .. } => {
                let fits = Ru::ALL.into_iter().filter(|r| r.most_in(width) > 0);
                let tones: Vec<String> = fits.map(|r| r.tones().to_string()).collect();
                format!("use {} tones", listed(&tones))
            }
            Self::LeftOut { mcs, .. } => format!("use MCS {} or another width", mcs - 1),
            Self::ShortPreamble => "use the long preamble, or 2 Mbit/s".to_string(),
            Self::NotInBand { band, .. } | Self::BasicRate { band, .. } => {
                format!("at {band} there are {}", band.offers())
            }
            Self::NoBasicRate => "name at least one, such as 6 Mbit/s".to_string(),
            Self::ControlRate { .. } => "use a rate of 802.11b, a or g".to_string(),
            Self::Protection { .. } => "use 1, 2, 5.5 or 11 Mbit/s".to_string(),
        }
    }
}

/// "a, b or c".
fn listed<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn told(error: ModeError) -> String {
        format!("{error}; {}", error.hint())
    }

    #[test]
    fn messages_say_what_is_impossible_and_what_is_possible() {
        let vht9 = Mode::vht(9, 1, Width::Mhz20, Guard::Ns800).unwrap_err();
        assert_eq!(
            told(vht9),
            "VHT has no MCS 9 at 20 MHz with 1 stream; use MCS 8 or another width"
        );
        assert_eq!(
            told(Mode::ht(7, Width::Mhz80, Guard::Ns800).unwrap_err()),
            "HT does not have 80 MHz; use 20 MHz or 40 MHz"
        );
        assert_eq!(
            told(Mode::he(11, 1, Width::Mhz80, Guard::Ns400).unwrap_err()),
            "HE does not have a guard interval of 400 ns; use 800 ns, 1600 ns or 3200 ns"
        );
        assert_eq!(
            told(Mode::he(12, 1, Width::Mhz80, Guard::Ns800).unwrap_err()),
            "HE has no MCS 12; use 0 to 11"
        );
        assert_eq!(
            told(Mode::legacy(Rate::from_bps(7_500_000)).unwrap_err()),
            "7.5 Mbit/s is no rate of 802.11b, a or g; \
             use 1, 2, 5.5, 11 or 6, 9, 12, 18, 24, 36, 48, 54 Mbit/s"
        );
        assert_eq!(
            told(Mode::vht(3, 9, Width::Mhz20, Guard::Ns800).unwrap_err()),
            "VHT does not have 9 streams; use 1 to 8"
        );
    }
}
