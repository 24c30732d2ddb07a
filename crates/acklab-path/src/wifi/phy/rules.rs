//! The choices that the standard leaves open about the length of a PPDU, and where ns-3 departs from it.

use super::{Format, Guard, Mode, Modulation, Ru};
use acklab_units::Span;

/// How long a PPDU lasts where that is a choice. Two sets are named; fields may be mixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PpduRules {
    /// Rounding with the short guard interval.
    pub short_gi: ShortGi,
    /// Whether a VHT PPDU for one user has the field VHT-SIG-B, 4 us (21.3.8.3.6: it has).
    pub vht_sig_b: bool,
    /// Length of an HE-LTF symbol.
    pub he_ltf: HeLtf,
    /// Coding of HE, which decides about tail bits.
    pub he_coding: HeCoding,
    /// Padding that HE receivers ask for.
    pub he_padding: HePadding,
}

impl PpduRules {
    /// IEEE 802.11-2020 and 802.11ax-2021, with the receivers that ask for least.
    pub const STANDARD: Self = Self {
        short_gi: ShortGi::WholeLongSymbols,
        vht_sig_b: true,
        he_ltf: HeLtf::Usual,
        he_coding: HeCoding::AsWidthAndRateDemand,
        he_padding: HePadding::None,
    };

    /// ns-3 up to 3.44, seen from the durations in its own test `wifi-tx-duration`: short guard
    /// intervals are not rounded, VHT-SIG-B is not sent to a single user, an HE-LTF symbol
    /// always lasts 8 us.
    pub const NS3: Self = Self {
        short_gi: ShortGi::Exact,
        vht_sig_b: false,
        he_ltf: HeLtf::Always(Span::from_micros(8)),
        he_coding: HeCoding::Convolutional,
        he_padding: HePadding::None,
    };
}

impl Default for PpduRules {
    fn default() -> Self {
        Self::STANDARD
    }
}

/// Where a PPDU with symbols of 3.6 us ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShortGi {
    /// At a multiple of 4 us after the preamble, so that stations which know only the length in
    /// L-SIG agree (19.4.3, 21.4.3).
    WholeLongSymbols,
    /// With the last symbol.
    Exact,
}

/// HE-LTF symbols: 3.2, 6.4 or 12.8 us (1x, 2x, 4x) and a guard interval (27.3.11.10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeLtf {
    /// The types that every HE station has (27.1.1): 2x with 0.8 and 1.6 us, 4x with 3.2 us.
    Usual,
    /// 1x with 0.8 us, which is optional; otherwise as usual.
    Shortest,
    /// 4x with 0.8 and 3.2 us, of which the former is optional; 2x with 1.6 us.
    Longest,
    /// This long with every guard interval.
    Always(Span),
}

impl HeLtf {
    /// Length of one symbol.
    pub const fn symbol(self, guard: Guard) -> Span {
        let nanos = match (self, guard) {
            (Self::Always(span), _) => return span,
            (Self::Shortest, Guard::Ns400 | Guard::Ns800) => 3_200 + 800,
            (Self::Longest, Guard::Ns400 | Guard::Ns800) => 12_800 + 800,
            (Self::Usual, Guard::Ns400 | Guard::Ns800) => 6_400 + 800,
            (_, Guard::Ns1600) => 6_400 + 1_600,
            (_, Guard::Ns3200) => 12_800 + 3_200,
        };
        Span::from_nanos(nanos)
    }
}

/// Channel coding of HE. HT and VHT are taken to use the convolutional code, which is mandatory
/// there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeCoding {
    /// The convolutional code (one encoder, six tail bits) where it is allowed: up to 242 tones, which
    /// are 20 MHz, up to four streams, no 1024-QAM; elsewhere LDPC, which has no tail (27.3.12.5). The symbol that LDPC
    /// now and then needs besides (27.3.12.5.2) is left out.
    AsWidthAndRateDemand,
    /// Six tail bits everywhere.
    Convolutional,
}

impl HeCoding {
    /// Tail bits of an HE PPDU.
    pub(super) fn tail(self, mode: Mode) -> u32 {
        let convolutional = self == Self::Convolutional
            || (mode.ru().is_some_and(|r| r <= Ru::Tones242)
                && mode.streams() <= 4
                && mode.modulation() != Modulation::Qam1024);
        if convolutional { 6 } else { 0 }
    }
}

/// Nominal packet padding: what a receiver wants after a symbol that is full, to decode it in time
/// (27.3.13). It becomes the packet extension, less where the last symbol is not full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HePadding {
    /// 0 us.
    None,
    /// 8 us.
    Us8,
    /// 16 us.
    Us16,
}

impl HePadding {
    /// Packet extension after a last symbol filled to `quarters` (the pre-FEC padding factor, 1 to
    /// 4).
    pub(super) const fn extension(self, quarters: u32) -> Span {
        Span::from_micros(match self {
            Self::None => 0,
            Self::Us8 => 4 * quarters.saturating_sub(2) as u64,
            Self::Us16 => 4 * quarters as u64,
        })
    }
}

/// Data bits that fill a quarter of an HE symbol, N_DBPS,short (27.3.12.2).
pub(super) const fn quarter_bits(mode: Mode) -> u32 {
    debug_assert!(matches!(mode.format(), Format::He));
    let ru = match mode.ru() {
        Some(ru) => ru,
        None => Ru::whole(mode.width()),
    };
    let coded = ru.short_subcarriers() * mode.modulation().bits() * mode.streams() as u32;
    super::coding::data_bits(coded, mode.code_rate())
}
