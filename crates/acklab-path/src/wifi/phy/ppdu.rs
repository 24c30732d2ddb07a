//! The data field: how long a PSDU takes, and how much fits into a time.

use super::rules::quarter_bits;
use super::{Band, Format, Mode, PpduRules, ShortGi};
use acklab_units::Span;

/// Bits in front of the PSDU that start the scrambler (17.3.5.2 and in all later formats).
const SERVICE_BITS: u64 = 16;

/// A symbol with the long guard interval, to which short ones are rounded.
const LONG_SYMBOL: u64 = 4_000;

/// Longest PPDU, aPPDUMaxTime (19.4.4, 21.4.4, 27.4.4): what the length in L-SIG can say. `None`
/// for formats whose limit is the length of the PSDU.
pub(super) const fn max_time(format: Format) -> Option<Span> {
    match format {
        Format::Dsss | Format::HrDsss | Format::Ofdm => None,
        Format::Ht | Format::Vht | Format::He => Some(Span::from_micros(5_484)),
    }
}

/// What a data field of OFDM symbols is made of.
#[derive(Clone, Copy)]
struct Symbols {
    /// Service and tail bits.
    overhead: u64,
    /// N_DBPS.
    bits: u64,
    /// Nanoseconds.
    length: u64,
}

impl Symbols {
    fn of(rules: &PpduRules, mode: Mode) -> Self {
        let tail = match mode.format() {
            Format::He => rules.he_coding.tail(mode),
            _ => 6 * mode.encoders(),
        };
        Self {
            overhead: SERVICE_BITS + u64::from(tail),
            bits: u64::from(mode.data_bits()),
            length: u64::from(mode.symbol_nanos()),
        }
    }

    /// Symbols for `psdu` bytes, N_SYM.
    fn count(self, psdu: u32) -> u64 {
        (self.overhead + 8 * u64::from(psdu)).div_ceil(self.bits)
    }

    /// The most bytes that `bits` data bits hold.
    fn bytes(self, bits: u64) -> u64 {
        bits.saturating_sub(self.overhead) / 8
    }
}

impl PpduRules {
    /// Length of the whole PPDU, from its first to its last instant in the air: TXTIME of 16.3.4,
    /// 17.4.3, 18.5.3, 19.4.3, 21.4.3, 27.4.3.
    pub fn duration(&self, band: Band, mode: Mode, psdu: u32) -> Span {
        self.preamble(mode) + self.data(mode, psdu) + band.signal_extension(mode.format())
    }

    fn data(&self, mode: Mode, psdu: u32) -> Span {
        if mode.format().is_dsss() {
            let us = (80 * u64::from(psdu)).div_ceil(u64::from(mode.hundred_kbit()));
            return Span::from_micros(us);
        }
        let symbols = Symbols::of(self, mode);
        let n = symbols.count(psdu);
        match mode.format() {
            Format::He => {
                Span::from_nanos(n * symbols.length) + self.packet_extension(mode, symbols, psdu)
            }
            _ if self.rounds(symbols) => {
                Span::from_nanos((n * symbols.length).next_multiple_of(LONG_SYMBOL))
            }
            _ => Span::from_nanos(n * symbols.length),
        }
    }

    /// Whether symbols end before a multiple of 4 us and are filled up to it.
    fn rounds(&self, symbols: Symbols) -> bool {
        self.short_gi == ShortGi::WholeLongSymbols && symbols.length < LONG_SYMBOL
    }

    /// Depends on how many quarters of the last symbol are filled: the pre-FEC padding factor of
    /// 27.3.12.2.
    fn packet_extension(&self, mode: Mode, symbols: Symbols, psdu: u32) -> Span {
        let excess = (symbols.overhead + 8 * u64::from(psdu)) % symbols.bits;
        let quarters = match excess.div_ceil(u64::from(quarter_bits(mode))) {
            0 => 4,
            quarters => quarters.min(4),
        };
        self.he_padding.extension(quarters as u32)
    }

    /// The largest PSDU in bytes whose PPDU lasts at most `limit`, at most aPPDUMaxTime, and is not
    /// longer than the format can announce; zero if not even an empty one does.
    pub fn max_psdu(&self, band: Band, mode: Mode, limit: Span) -> u32 {
        let format = mode.format();
        let limit = max_time(format).map_or(limit, |most| limit.min(most));
        let around = self.preamble(mode) + band.signal_extension(format);
        let Some(left) = limit.as_nanos().checked_sub(around.as_nanos()) else {
            return 0;
        };
        let bytes = if format.is_dsss() {
            left / 1_000 * u64::from(mode.hundred_kbit()) / 80
        } else {
            self.bytes_in(mode, left)
        };
        bytes.min(u64::from(format.max_psdu())) as u32
    }

    /// Bytes for which symbols and packet extension take `left` nanoseconds or less.
    fn bytes_in(&self, mode: Mode, left: u64) -> u64 {
        let symbols = Symbols::of(self, mode);
        if mode.format() == Format::He {
            return self.he_bytes_in(mode, symbols, left);
        }
        let left = if self.rounds(symbols) {
            left / LONG_SYMBOL * LONG_SYMBOL
        } else {
            left
        };
        symbols.bytes(left / symbols.length * symbols.bits)
    }

    /// As many symbols as there is time for, the last one filled as far as its extension allows. A
    /// symbol is longer than the widest difference of extensions but shorter than the longest, so
    /// two may have to go.
    fn he_bytes_in(&self, mode: Mode, symbols: Symbols, left: u64) -> u64 {
        let quarter = u64::from(quarter_bits(mode));
        let most = left / symbols.length;
        for n in (most.saturating_sub(2)..=most).rev().filter(|n| *n > 0) {
            for quarters in (1..=4).rev() {
                let extension = self.he_padding.extension(quarters).as_nanos();
                if n * symbols.length + extension <= left {
                    let last = match quarters {
                        4 => symbols.bits,
                        _ => (u64::from(quarters) * quarter).min(symbols.bits - 1),
                    };
                    return symbols.bytes((n - 1) * symbols.bits + last);
                }
            }
        }
        0
    }
}
