//! How long a PPDU lasts, and how much fits into a time.

use super::rules::quarter_bits;
use super::{Band, Format, HePadding, Mode, PpduRules, ShortGi};
use acklab_units::Span;

/// Bits in front of the PSDU that start the scrambler (17.3.5.2 and in all later formats).
const SERVICE_BITS: u32 = 16;

/// A symbol with the long guard interval, to which short ones are rounded.
const LONG_SYMBOL: u32 = 4_000;

/// Longest PPDU, aPPDUMaxTime (19.4.4, 21.4.4, 27.4.4): what the length in L-SIG can say. `None`
/// for formats whose limit is the length of the PSDU.
pub(super) const fn max_time(format: Format) -> Option<Span> {
    match format {
        Format::Dsss | Format::HrDsss | Format::Ofdm => None,
        Format::Ht | Format::Vht | Format::He => Some(Span::from_micros(5_484)),
    }
}

/// Everything about a mode that lengths depend on, worked out once: a length then costs a division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PpduTiming {
    /// Preamble and silence at the end, in nanoseconds.
    around: u64,
    /// Service and tail bits.
    overhead: u32,
    /// Bits that a byte counts for: 8, and 80 with tenths of bits.
    per_byte: u32,
    /// Bits of a symbol, N_DBPS; without OFDM tenths of a bit in a microsecond.
    bits: u32,
    /// Length of a symbol in nanoseconds.
    symbol: u32,
    /// The data field lasts a multiple of this many nanoseconds, if it is not zero.
    multiple: u32,
    padding: HePadding,
    /// Bits of a quarter of a symbol; counted with padding only.
    quarter: u32,
    max_time: Option<Span>,
    max_psdu: u32,
}

impl PpduRules {
    /// Lengths of PPDUs sent in `mode` at `band`: TXTIME of 16.3.4, 17.4.3, 18.5.3, 19.4.3, 21.4.3,
    /// 27.4.3.
    pub fn timing(&self, band: Band, mode: Mode) -> PpduTiming {
        let format = mode.format();
        let around = self.preamble(mode) + band.signal_extension(format);
        let timing = PpduTiming {
            around: around.as_nanos(),
            overhead: 0,
            per_byte: 80,
            bits: mode.hundred_kbit(),
            symbol: 1_000,
            multiple: 0,
            padding: HePadding::None,
            quarter: 0,
            max_time: max_time(format),
            max_psdu: format.max_psdu(),
        };
        if format.is_dsss() {
            timing
        } else {
            self.of_symbols(mode, timing)
        }
    }

    fn of_symbols(&self, mode: Mode, timing: PpduTiming) -> PpduTiming {
        let (symbol, bits) = (mode.symbol_nanos(), mode.data_bits());
        let timing = PpduTiming {
            per_byte: 8,
            bits,
            symbol,
            ..timing
        };
        if mode.format() == Format::He {
            return PpduTiming {
                overhead: SERVICE_BITS + self.he_coding.tail(mode),
                padding: self.he_padding,
                quarter: quarter_bits(mode),
                ..timing
            };
        }
        let rounds = self.short_gi == ShortGi::WholeLongSymbols && symbol < LONG_SYMBOL;
        PpduTiming {
            overhead: SERVICE_BITS + 6 * mode.encoders(),
            multiple: if rounds { LONG_SYMBOL } else { 0 },
            ..timing
        }
    }
}

impl PpduTiming {
    /// Length of a PPDU with a PSDU of `psdu` bytes, from its first to its last instant in the air.
    #[inline]
    pub fn duration(&self, psdu: u32) -> Span {
        let symbols = self.symbols(psdu);
        let mut data = u64::from(symbols) * u64::from(self.symbol);
        if self.multiple != 0 {
            data = data.next_multiple_of(u64::from(LONG_SYMBOL));
        }
        Span::from_nanos(self.around + data) + self.packet_extension(psdu)
    }

    /// Symbols of a PSDU of `psdu` bytes.
    #[inline]
    pub fn symbols(&self, psdu: u32) -> u32 {
        self.filled(psdu).div_ceil(self.bits)
    }

    /// Length of a symbol.
    pub const fn symbol(&self) -> Span {
        Span::from_nanos(self.symbol as u64)
    }

    /// The largest PSDU in bytes of so many symbols.
    pub fn bytes_in(&self, symbols: u32) -> u32 {
        let bits = u64::from(symbols) * u64::from(self.bits);
        let bytes = bits.saturating_sub(u64::from(self.overhead)) / u64::from(self.per_byte);
        bytes.min(u64::from(self.max_psdu)) as u32
    }

    /// Bits of service, PSDU and tail. 32 bits hold those of the longest PSDU six times.
    fn filled(&self, psdu: u32) -> u32 {
        debug_assert!(psdu < 1 << 25);
        self.overhead + self.per_byte * psdu
    }

    /// Depends on how many quarters of the last symbol are filled: the pre-FEC padding factor of
    /// 27.3.12.2.
    fn packet_extension(&self, psdu: u32) -> Span {
        if self.padding == HePadding::None {
            return Span::ZERO;
        }
        self.padding.extension(self.quarters(psdu))
    }

    /// Quarters of the last symbol that are filled, 1 to 4; HE only.
    pub(super) fn quarters(&self, psdu: u32) -> u32 {
        let excess = self.filled(psdu) % self.bits;
        match excess.div_ceil(self.quarter) {
            0 => 4,
            quarters => quarters.min(4),
        }
    }

    /// The largest PSDU in bytes whose PPDU lasts at most `limit`, at most aPPDUMaxTime, and is not
    /// longer than the format can announce; zero if not even an empty one does.
    pub fn max_psdu(&self, limit: Span) -> u32 {
        let limit = self.max_time.map_or(limit, |most| limit.min(most));
        let Some(left) = limit.as_nanos().checked_sub(self.around) else {
            return 0;
        };
        let bits = match self.padding {
            HePadding::None => self.whole_symbols(left) * u64::from(self.bits),
            _ => self.padded_bits(left),
        };
        let bytes = bits.saturating_sub(u64::from(self.overhead)) / u64::from(self.per_byte);
        bytes.min(u64::from(self.max_psdu)) as u32
    }

    /// Symbols that `left` nanoseconds hold.
    fn whole_symbols(&self, left: u64) -> u64 {
        let left = match self.multiple {
            0 => left,
            multiple => left - left % u64::from(multiple),
        };
        left / u64::from(self.symbol)
    }

    /// Bits of as many symbols as `left` nanoseconds hold, the last one filled as far as its
    /// extension allows.
    ///
    /// The longest extension is longer than a symbol and shorter than two, so two may have to go.
    fn padded_bits(&self, left: u64) -> u64 {
        let (symbol, bits) = (u64::from(self.symbol), u64::from(self.bits));
        let most = left / symbol;
        for n in (most.saturating_sub(2)..=most).rev().filter(|n| *n > 0) {
            for quarters in (1..=4).rev() {
                let extension = self.padding.extension(quarters).as_nanos();
                if n * symbol + extension <= left {
                    let last = match quarters {
                        4 => bits,
                        _ => u64::from(quarters * self.quarter).min(bits - 1),
                    };
                    return (n - 1) * bits + last;
                }
            }
        }
        0
    }
}
