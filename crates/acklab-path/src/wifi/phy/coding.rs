//! Modulation and coding of each rate, and what they make of an OFDM symbol: coded bits, data bits,
//! encoders.

use super::{Format, Width};

/// How bits become symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Modulation {
    /// Differential BPSK, 1 Mbit/s (15.4.6.5).
    Dbpsk,
    /// Differential QPSK, 2 Mbit/s (15.4.6.5).
    Dqpsk,
    /// Complementary code keying with 4 bits a symbol, 5.5 Mbit/s (16.3.6.6).
    Cck4,
    /// Complementary code keying with 8 bits a symbol, 11 Mbit/s (16.3.6.6).
    Cck8,
    /// One bit a subcarrier.
    Bpsk,
    /// Two bits a subcarrier.
    Qpsk,
    /// Four bits a subcarrier.
    Qam16,
    /// Six bits a subcarrier.
    Qam64,
    /// Eight bits a subcarrier.
    Qam256,
    /// Ten bits a subcarrier.
    Qam1024,
}

impl Modulation {
    /// Coded bits per subcarrier and stream, N_BPSCS; for DSSS and CCK bits per symbol.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Dbpsk | Self::Bpsk => 1,
            Self::Dqpsk | Self::Qpsk => 2,
            Self::Cck4 | Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Cck8 | Self::Qam256 => 8,
            Self::Qam1024 => 10,
        }
    }
}

/// Data bits per coded bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CodeRate {
    /// No coding.
    Uncoded,
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
    FiveSixths,
}

impl CodeRate {
    /// Numerator and denominator.
    pub const fn ratio(self) -> (u32, u32) {
        match self {
            Self::Uncoded => (1, 1),
            Self::Half => (1, 2),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
            Self::FiveSixths => (5, 6),
        }
    }
}

use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
use Modulation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qpsk};

/// Modulation-dependent parameters of 17.3.2, in the order of the rates 6 to 54 Mbit/s.
const OFDM: [(Modulation, CodeRate); 8] = [
    (Bpsk, Half),
    (Bpsk, ThreeQuarters),
    (Qpsk, Half),
    (Qpsk, ThreeQuarters),
    (Qam16, Half),
    (Qam16, ThreeQuarters),
    (Qam64, TwoThirds),
    (Qam64, ThreeQuarters),
];

/// The MCS tables of 19.5, 21.5 and 27.5, which agree as far as they go.
const MCS: [(Modulation, CodeRate); 12] = [
    (Bpsk, Half),
    (Qpsk, Half),
    (Qpsk, ThreeQuarters),
    (Qam16, Half),
    (Qam16, ThreeQuarters),
    (Qam64, TwoThirds),
    (Qam64, ThreeQuarters),
    (Qam64, FiveSixths),
    (Qam256, ThreeQuarters),
    (Qam256, FiveSixths),
    (Qam1024, ThreeQuarters),
    (Qam1024, FiveSixths),
];

/// Modulation and code rate of the rate or MCS with this index in `format`.
pub(super) const fn of(format: Format, index: u8) -> (Modulation, CodeRate) {
    match (format, index) {
        (Format::Dsss, 0) => (Modulation::Dbpsk, CodeRate::Uncoded),
        (Format::Dsss, _) => (Modulation::Dqpsk, CodeRate::Uncoded),
        (Format::HrDsss, 0) => (Modulation::Cck4, CodeRate::Uncoded),
        (Format::HrDsss, _) => (Modulation::Cck8, CodeRate::Uncoded),
        (Format::Ofdm, i) => OFDM[i as usize],
        (_, i) => MCS[i as usize],
    }
}

/// Subcarriers that carry data, N_SD (timing-related constants of 17.3.2, 19.3.6, 21.3.6,
/// 27.3.9); meaningless without OFDM. Those of HE are its [resource unit's](super::Ru).
pub(super) const fn data_subcarriers(format: Format, width: Width) -> u32 {
    match (format, width) {
        (Format::Ht | Format::Vht, Width::Mhz20) => 52,
        (_, Width::Mhz40) => 108,
        (_, Width::Mhz80) => 234,
        (_, Width::Mhz160) => 468,
        (_, Width::Mhz20) => 48,
    }
}

/// Data bits of a symbol with `coded` bits, N_DBPS; HE rounds down (27.5).
pub(super) const fn data_bits(coded: u32, rate: CodeRate) -> u32 {
    // Not by `ratio`: divisions by constants are cheap, and this is needed for each PPDU.
    match rate {
        CodeRate::Uncoded => coded,
        CodeRate::Half => coded / 2,
        CodeRate::TwoThirds => coded * 2 / 3,
        CodeRate::ThreeQuarters => coded * 3 / 4,
        CodeRate::FiveSixths => coded * 5 / 6,
    }
}

/// Convolutional encoders in parallel, N_ES: each appends six tail bits.
///
/// HT has a second one above 300 Mbit/s (19.3.11.4), which is above 1080 data bits a symbol. VHT
/// takes one per 600 Mbit/s, which is 2160 data bits in 3.6 us, and further ones until coded and
/// data bits divide evenly (tables of 21.5).
pub(super) const fn encoders(format: Format, coded: u32, data: u32) -> u32 {
    match format {
        Format::Ht if data > 1080 => data.div_ceil(1080),
        Format::Vht if data > 2160 => {
            let mut n = data.div_ceil(2160);
            while !coded.is_multiple_of(n) || !data.is_multiple_of(n) {
                n += 1;
            }
            n
        }
        _ => 1,
    }
}

/// Whether VHT has the combination: the tables of 21.5 mark these as not valid.
pub(super) const fn vht_has(mcs: u8, streams: u8, width: Width) -> bool {
    !matches!(
        (width, streams, mcs),
        (Width::Mhz20, 1 | 2 | 4 | 5 | 7 | 8, 9)
            | (Width::Mhz80, 3 | 7, 6)
            | (Width::Mhz80, 6, 9)
            | (Width::Mhz160, 3, 9)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// Coded and data bits of a VHT symbol.
    fn vht_bits(width: Width, streams: u8, mcs: u8) -> (u32, u32) {
        let (modulation, rate) = of(Format::Vht, mcs);
        let coded = data_subcarriers(Format::Vht, width) * modulation.bits() * u32::from(streams);
        (coded, data_bits(coded, rate))
    }

    /// Where one encoder per 600 Mbit/s does not divide, and how many there are then: those that
    /// ns-3 lists from the tables of 21.5, and the last two, which it misses and which follow in
    /// the same way (14976 / 7 and 22464 / 11 are no integers).
    #[test]
    fn uneven_vht_symbols_take_further_encoders() {
        let mut uneven = Vec::new();
        for width in Format::Vht.widths().iter().copied() {
            for (streams, mcs) in (1..=8).flat_map(|s| (0..=9).map(move |m| (s, m))) {
                let (coded, data) = vht_bits(width, streams, mcs);
                if !vht_has(mcs, streams, width) {
                    continue;
                }
                let n = encoders(Format::Vht, coded, data);
                if n != data.div_ceil(2160) {
                    uneven.push((width.mhz(), streams, mcs, n));
                }
            }
        }
        let table = vec![
            (80, 7, 2, 3),
            (80, 7, 7, 6),
            (80, 7, 8, 6),
            (80, 8, 7, 6),
            (160, 4, 7, 6),
            (160, 5, 8, 8),
            (160, 6, 7, 8),
            (160, 7, 4, 6),
            (160, 7, 7, 9),
            (160, 7, 8, 12),
            (160, 7, 9, 12),
            (160, 8, 5, 8),
            (160, 8, 8, 12),
        ];
        assert_eq!(uneven, table);
    }

    /// 19.5: 40 MHz, MCS 21, 22, 23 and 28 to 31 have two encoders, MCS 15
    /// (1080 data bits) has one.
    #[test]
    fn ht_takes_a_second_encoder_above_300_mbit() {
        assert_eq!(encoders(Format::Ht, 1296, 1080), 1);
        assert_eq!(encoders(Format::Ht, 1944, 1296), 2);
        assert_eq!(encoders(Format::Ht, 2592, 2160), 2);
    }

    #[test]
    fn nothing_that_vht_has_leaves_half_a_data_bit() {
        for width in Format::Vht.widths() {
            for (streams, mcs) in (1..=8).flat_map(|s| (0..=9).map(move |m| (s, m))) {
                if vht_has(mcs, streams, *width) {
                    let (coded, data) = vht_bits(*width, streams, mcs);
                    let (num, den) = of(Format::Vht, mcs).1.ratio();
                    assert_eq!(coded * num, data * den, "{mcs} {streams} {width}");
                }
            }
        }
    }
}
