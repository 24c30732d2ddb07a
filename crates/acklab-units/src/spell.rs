//! How rates and times are written and read.
//!
//! Rates: `bit/s` with the prefixes k, M, G, T (1000) and Ki, Mi, Gi (1024), in any case and with or
//! without `/s`, so that tc's `10mbit` is read as well; bytes per second with a capital B (`MB/s`,
//! `MiB/s`). Anything that ends in `bps` is refused: for tc it means bytes, for everyone else bits.

use crate::parse::{Grammar, QuantityError, Unit, write_in_units};
use crate::{Instant, Rate, Span};
use core::fmt;
use core::str::FromStr;

const RATE: Grammar = Grammar {
    name: "a rate",
    example: "10 Mbit/s",
    usual_unit: "Mbit/s",
    unit: rate_unit,
};

const TIME: Grammar = Grammar {
    name: "a time",
    example: "20 ms",
    usual_unit: "ms",
    unit: time_unit,
};

const RATE_UNITS: &[(&str, u64)] = &[
    ("Gbit/s", 1_000_000_000),
    ("Mbit/s", 1_000_000),
    ("kbit/s", 1_000),
    ("bit/s", 1),
];

const TIME_UNITS: &[(&str, u64)] = &[
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

fn rate_unit(unit: &str) -> Unit {
    let bare = unit.strip_suffix("/s").unwrap_or(unit);
    if let Some(scale) = bits(bare) {
        return Unit::Is(scale);
    }
    if bare != unit
        && let Some(scale) = bytes(bare)
    {
        return Unit::Is(8 * scale);
    }
    ambiguous_rate(unit)
}

/// `kbit`, `Mbit`, `mibit`, `bits` ... in any case.
fn bits(unit: &str) -> Option<u64> {
    let lower = unit.to_ascii_lowercase();
    let stem = lower.strip_suffix('s').unwrap_or(&lower);
    Some(match stem.strip_suffix("bit")? {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        _ => return None,
    })
}

/// `kB`, `MB`, `MiB` ...: only with a capital B.
fn bytes(unit: &str) -> Option<u64> {
    Some(match unit.strip_suffix('B')? {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    })
}

/// Spellings that some read as bits and others as bytes: `Mbps`, `mb/s`, and a bare `M`.
fn ambiguous_rate(unit: &str) -> Unit {
    let lower = unit.to_ascii_lowercase();
    let prefix = ["bps", "b/s", "b", "/s", ""]
        .iter()
        .find_map(|s| lower.strip_suffix(s))
        .unwrap_or("");
    let (bit, byte) = match prefix {
        "" if lower.starts_with('b') => ("bit/s", "B/s"),
        "k" => ("kbit/s", "kB/s"),
        "m" => ("Mbit/s", "MB/s"),
        "g" => ("Gbit/s", "GB/s"),
        "ki" => ("Kibit/s", "KiB/s"),
        "mi" => ("Mibit/s", "MiB/s"),
        "gi" => ("Gibit/s", "GiB/s"),
        _ => return Unit::Unknown,
    };
    Unit::Ambiguous([(bit, "bits"), (byte, "bytes per second")])
}

fn time_unit(unit: &str) -> Unit {
    Unit::Is(match unit {
        "ns" | "nsec" | "nsecs" => 1,
        "us" | "usec" | "usecs" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" | "msec" | "msecs" => 1_000_000,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000_000_000,
        "min" | "mins" | "minute" | "minutes" => 60_000_000_000,
        "h" | "hour" | "hours" => 3_600_000_000_000,
        "m" | "M" => return Unit::Ambiguous([("ms", "milliseconds"), ("min", "minutes")]),
        _ => return Unit::Unknown,
    })
}

impl FromStr for Rate {
    type Err = QuantityError;

    /// Reads `10 Mbit/s`, `10Mbit`, `10mbit`, `1.25 MB/s` or `unlimited`.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        if text.trim() == "unlimited" {
            return Ok(Self::MAX);
        }
        RATE.parse(text).map(Self::from_bps)
    }
}

impl fmt::Display for Rate {
    /// Exact: what is printed reads back as the same rate.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unlimited() {
            return f.pad("unlimited");
        }
        write_in_units(f, self.as_bps(), RATE_UNITS)
    }
}

impl FromStr for Span {
    type Err = QuantityError;

    /// Reads `20 ms`, `1.5 s`, `100us`, `5 min`.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        TIME.parse(text).map(Self::from_nanos)
    }
}

impl fmt::Display for Span {
    /// Exact: what is printed reads back as the same span, except for [`Span::MAX`] (`forever`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::MAX {
            return f.pad("forever");
        }
        write_in_units(f, self.as_nanos(), TIME_UNITS)
    }
}

impl fmt::Display for Instant {
    /// The time since the start of the run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.saturating_since(Self::ZERO).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Problem;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn bps(text: &str) -> u64 {
        text.parse::<Rate>().unwrap().as_bps()
    }

    fn ns(text: &str) -> u64 {
        text.parse::<Span>().unwrap().as_nanos()
    }

    #[test]
    fn rates_are_read_in_the_spellings_people_use() {
        for text in ["10 Mbit/s", "10Mbit", "10mbit", "10 MBit/s", "1e7 bit/s"] {
            assert_eq!(bps(text), 10_000_000, "{text}");
        }
        assert_eq!(bps("1.25 MB/s"), 10_000_000);
        assert_eq!(bps("512kbit"), 512_000);
        assert_eq!(bps("1 gbit"), 1_000_000_000);
        assert_eq!(bps("1Kibit/s"), 1024);
        assert_eq!("unlimited".parse::<Rate>(), Ok(Rate::MAX));
    }

    #[test]
    fn a_rate_that_could_be_bits_or_bytes_is_refused_with_both_spellings() {
        for text in ["10 Mbps", "10mbps", "10 MBps", "10 Mb/s", "10 M", "10m"] {
            let e = text.parse::<Rate>().unwrap_err();
            assert_eq!(e.problem, Problem::Ambiguous, "{text}");
            assert_eq!(
                e.hint(),
                "write \"10 Mbit/s\" for bits or \"10 MB/s\" for bytes per second"
            );
        }
        let e = "9600 bps".parse::<Rate>().unwrap_err();
        assert_eq!(e.problem, Problem::Ambiguous);
    }

    #[test]
    fn times_are_read_exactly() {
        assert_eq!(ns("20 ms"), 20_000_000);
        assert_eq!(ns("20ms"), 20_000_000);
        assert_eq!(ns("0.1 s"), 100_000_000);
        assert_eq!(ns("0.30000000000000004 s"), 300_000_000);
        assert_eq!(ns("1e-05 s"), 10_000);
        assert_eq!(ns("100 us"), ns("100 µs"));
        assert_eq!(ns("5 min"), 300_000_000_000);
        assert_eq!(ns("-0 s"), 0);
    }

    #[test]
    fn mistakes_are_told_apart() {
        let problem = |t: &str| t.parse::<Span>().unwrap_err().problem;
        assert_eq!(problem("20"), Problem::NoUnit);
        assert_eq!(problem("soon"), Problem::NotANumber);
        assert_eq!(problem(""), Problem::NotANumber);
        assert_eq!(problem("1.2.3 s"), Problem::NotANumber);
        assert_eq!(problem("20 parsec"), Problem::UnknownUnit);
        assert_eq!(problem("5 m"), Problem::Ambiguous);
        assert_eq!(problem("-5 ms"), Problem::Negative);
        assert_eq!(problem("1e30 s"), Problem::TooLarge);
        assert_eq!(problem("0.1 ns"), Problem::TooSmall);
    }

    #[test]
    fn the_largest_unit_that_reads_well_is_printed() {
        assert_eq!(Rate::from_bps(10_000_000).to_string(), "10 Mbit/s");
        assert_eq!(Rate::from_bps(1_234_567).to_string(), "1234.567 kbit/s");
        assert_eq!(Span::from_millis(1500).to_string(), "1.5 s");
        assert_eq!(Span::ZERO.to_string(), "0 s");
        assert_eq!((Instant::ZERO + Span::from_secs(2)).to_string(), "2 s");
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(v: u64, shift in 0u32..64) {
            let v = v >> shift;
            let rate = Rate::from_bps(v);
            prop_assert_eq!(rate.to_string().parse::<Rate>(), Ok(rate));
            let span = Span::from_nanos(v.min(u64::MAX - 1));
            prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span));
        }

        #[test]
        fn no_text_panics(text in "\\PC*", number in "-?[0-9._]{0,45}([eE][-+]?[0-9]{0,6})?", unit in "[a-zA-Z/]{0,6}") {
            let _ = text.parse::<Rate>();
            let both = alloc::format!("{number}{unit}");
            let _ = both.parse::<Span>();
            let _ = both.parse::<Rate>();
        }
    }
}
