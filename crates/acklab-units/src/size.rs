//! Sizes in bytes, and the three ways to limit a queue.
//!
//! `kB`, `MB`, `GB` are powers of 1000 and `KiB`, `MiB`, `GiB` powers of 1024. Lower-case `k`, `kb`,
//! `m`, `mb`, `g`, `gb` are tc's and mean powers of 1024, as they do there. Everything in between
//! (`KB`, `K`, `Mb`) is refused.

use crate::parse::{Grammar, QuantityError, Unit, split, write_decimal};
use core::fmt;
use core::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bytes(pub u64);

/// How much a queue holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// So many packets.
    Packets(u32),
    /// So many bytes.
    Bytes(Bytes),
    /// So many bandwidth-delay products, in millionths; what one is depends on the path.
    MicroBdp(u64),
}

const SIZE: Grammar = Grammar {
    name: "a size",
    example: "64 KiB",
    usual_unit: "B",
    unit: size_unit,
};

const BDP: Grammar = Grammar {
    name: "a queue limit",
    example: "1 BDP",
    usual_unit: "packets",
    unit: |u| {
        if u.eq_ignore_ascii_case("bdp") {
            Unit::Is(1_000_000)
        } else {
            Unit::Unknown
        }
    },
};

const PACKETS: Grammar = Grammar {
    name: "a queue limit",
    example: "40 packets",
    usual_unit: "packets",
    unit: |u| match u {
        "p" | "pkt" | "pkts" | "packet" | "packets" => Unit::Is(1),
        _ => Unit::Unknown,
    },
};

/// Like [`SIZE`], but messages speak of queue limits.
const BYTE_LIMIT: Grammar = Grammar {
    name: "a queue limit",
    example: "40 packets\", \"64 KiB\" or \"1 BDP",
    usual_unit: "packets",
    unit: size_unit,
};

fn size_unit(unit: &str) -> Unit {
    const K: u64 = 1 << 10;
    Unit::Is(match unit {
        "B" | "byte" | "bytes" | "b" => 1,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" | "kib" | "k" | "kb" => K,
        "MiB" | "mib" | "m" | "mb" => K * K,
        "GiB" | "gib" | "g" | "gb" => K * K * K,
        "K" | "KB" | "Kb" => return ambiguous("kB", "KiB"),
        "M" | "Mb" => return ambiguous("MB", "MiB"),
        "G" | "Gb" => return ambiguous("GB", "GiB"),
        _ => return Unit::Unknown,
    })
}

fn ambiguous(decimal: &'static str, binary: &'static str) -> Unit {
    Unit::Ambiguous([(decimal, "powers of 1000"), (binary, "powers of 1024")])
}

impl FromStr for Bytes {
    type Err = QuantityError;

    /// Reads `64 KiB`, `1448 B`, `10 MB`, tc's `64k`.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        SIZE.parse_whole(text).map(Self)
    }
}

impl fmt::Display for Bytes {
    /// Exact: what is printed reads back as the same size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: &[(&str, u64)] = &[
            ("GiB", 1 << 30),
            ("MiB", 1 << 20),
            ("GB", 1_000_000_000),
            ("MB", 1_000_000),
            ("KiB", 1 << 10),
            ("kB", 1_000),
        ];
        let whole = |scale: u64| self.0 != 0 && self.0.is_multiple_of(scale);
        let (name, scale) = UNITS.iter().find(|u| whole(u.1)).unwrap_or(&("B", 1));
        write!(f, "{} {name}", self.0 / scale)
    }
}

impl FromStr for Limit {
    type Err = QuantityError;

    /// Reads `40 packets`, `40p`, `64 KiB` or `1.5 BDP`.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (_, unit) = split(text);
        if let Unit::Is(_) = (PACKETS.unit)(unit) {
            let n = PACKETS.parse_whole(text)?;
            return u32::try_from(n)
                .map(Self::Packets)
                .map_err(|_| PACKETS.too_large(text));
        }
        if let Unit::Is(_) = (BDP.unit)(unit) {
            return BDP.parse(text).map(Self::MicroBdp);
        }
        BYTE_LIMIT.parse_whole(text).map(|b| Self::Bytes(Bytes(b)))
    }
}

impl fmt::Display for Limit {
    /// Exact: what is printed reads back as the same limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(n) => write!(f, "{n} packet{}", if *n == 1 { "" } else { "s" }),
            Self::Bytes(b) => b.fmt(f),
            Self::MicroBdp(n) => {
                write_decimal(f, *n, 1_000_000)?;
                f.write_str(" BDP")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Problem;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn sizes_mean_what_their_spelling_says() {
        let b = |t: &str| t.parse::<Bytes>().unwrap().0;
        assert_eq!((b("1448 B"), b("1448 bytes")), (1448, 1448));
        assert_eq!((b("64 KiB"), b("64k"), b("64kb")), (65_536, 65_536, 65_536));
        assert_eq!((b("10 MB"), b("10 MiB")), (10_000_000, 10_485_760));
        assert_eq!(b("1.5 kB"), 1500);
    }

    #[test]
    fn a_size_between_the_conventions_is_refused() {
        for text in ["64 KB", "64 K", "64 Kb"] {
            let e = text.parse::<Bytes>().unwrap_err();
            assert_eq!(e.problem, Problem::Ambiguous, "{text}");
            assert!(e.hint().contains("\"64 KiB\" for powers of 1024"), "{e}");
        }
    }

    #[test]
    fn queues_are_limited_in_packets_bytes_or_products() {
        let l = |t: &str| t.parse::<Limit>();
        assert_eq!(l("40 packets"), Ok(Limit::Packets(40)));
        assert_eq!(l("40p"), Ok(Limit::Packets(40)));
        assert_eq!(l("64 KiB"), Ok(Limit::Bytes(Bytes(65_536))));
        assert_eq!(l("1.5 BDP"), Ok(Limit::MicroBdp(1_500_000)));
        let bare = l("40").unwrap_err();
        assert_eq!(bare.hint(), "write \"40 packets\", for example");
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(v in 0..u64::MAX, shift in 0u32..64) {
            let b = Bytes(v >> shift);
            prop_assert_eq!(b.to_string().parse::<Bytes>(), Ok(b));
            for limit in [Limit::Packets(v as u32), Limit::Bytes(b), Limit::MicroBdp(b.0)] {
                prop_assert_eq!(limit.to_string().parse::<Limit>(), Ok(limit));
            }
        }
    }
}
