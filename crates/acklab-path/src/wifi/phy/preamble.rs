//! Everything in front of the data: training fields and PHY headers.

use super::{Format, Mode, PpduRules};
use acklab_units::Span;

/// Long training fields for this many streams (tables of 19.3.9.4.6, 21.3.8.3.5, 27.3.11.10).
pub(super) const fn training_fields(streams: u8) -> u64 {
    match streams {
        0..=2 => streams as u64,
        3 | 4 => 4,
        5 | 6 => 6,
        _ => 8,
    }
}

/// L-STF 8 us, L-LTF 8 us and L-SIG 4 us: what all OFDM formats begin with (17.3.3).
const LEGACY: Span = Span::from_micros(20);

impl PpduRules {
    /// Length of preamble and PHY header, that is until the data field begins.
    ///
    /// - DSSS, HR/DSSS: 144 + 48 us, short 72 + 24 us (16.2.2).
    /// - OFDM: 20 us (17.3.3).
    /// - HT, mixed format: L- 20, HT-SIG 8, HT-STF 4, HT-LTF 4 each (19.4.3).
    /// - VHT: L- 20, VHT-SIG-A 8, VHT-STF 4, VHT-LTF 4 each, VHT-SIG-B 4 (21.4.3).
    /// - HE, one user: L- 20, RL-SIG 4, HE-SIG-A 8, HE-STF 4, HE-LTF each as its type says
    ///   (27.4.3).
    pub fn preamble(&self, mode: Mode) -> Span {
        let ltfs = training_fields(mode.streams());
        match mode.format() {
            Format::Dsss | Format::HrDsss if mode.has_short_preamble() => Span::from_micros(96),
            Format::Dsss | Format::HrDsss => Span::from_micros(192),
            Format::Ofdm => LEGACY,
            Format::Ht => LEGACY + Span::from_micros(8 + 4 + 4 * ltfs),
            Format::Vht => {
                let sig_b = if self.vht_sig_b { 4 } else { 0 };
                LEGACY + Span::from_micros(8 + 4 + 4 * ltfs + sig_b)
            }
            Format::He => {
                let ltf = mode.guard().map_or(Span::ZERO, |g| self.he_ltf.symbol(g));
                LEGACY + Span::from_micros(4 + 8 + 4) + ltf * ltfs
            }
        }
    }

    /// Time after which a receiver knows that a PPDU has begun: aRxPHYStartDelay, the time to the
    /// end of the first PHY header that all stations read (PLCP header of DSSS, L-SIG of the
    /// others).
    ///
    /// The delays of later formats in the standard reach to the end of their last preamble field.
    /// They matter for responses only, which are sent without them.
    pub fn rx_start_delay(&self, mode: Mode) -> Span {
        if mode.format().is_dsss() {
            self.preamble(mode)
        } else {
            LEGACY
        }
    }
}
