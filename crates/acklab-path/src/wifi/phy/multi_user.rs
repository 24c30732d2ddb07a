//! PPDUs of several users: HE MU, from the access point, and HE TB, which a Trigger frame calls for
//! (27.3.4 and 27.4.3 of 802.11ax).

use super::preamble::training_fields;
use super::{Band, Format, Guard, HePadding, Mode, Phy, PpduRules, Width};
use acklab_units::Span;

/// Legacy preamble, RL-SIG and HE-SIG-A: L- 20, RL-SIG 4, HE-SIG-A 8 us (27.3.4).
const BEFORE_SIG_B: Span = Span::from_micros(20 + 4 + 8);
/// HE-STF of an HE MU PPDU.
const MU_STF: Span = Span::from_micros(4);
/// HE-STF of an HE TB PPDU, which is twice as long.
const TB_STF: Span = Span::from_micros(8);
/// A symbol of HE-SIG-B.
const SIG_B_SYMBOL: Span = Span::from_micros(4);
/// CRC and tail behind each block of HE-SIG-B.
const CRC_AND_TAIL: u32 = 4 + 6;
/// A user field of HE-SIG-B.
const USER_FIELD: u32 = 21;

/// The MCS of HE-SIG-B, 0 to 5 (27.3.11.8.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SigBMcs(u8);

impl SigBMcs {
    /// That MCS; `None` above 5.
    pub const fn new(mcs: u8) -> Option<Self> {
        if mcs <= 5 { Some(Self(mcs)) } else { None }
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Data bits of a symbol: 52 subcarriers of each 20 MHz.
    const fn data_bits(self) -> u32 {
        [26, 52, 78, 104, 156, 208][self.0 as usize]
    }
}

/// Users in each of the two content channels of HE-SIG-B, which alternate over 20 MHz; a channel of
/// 20 MHz has only the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SigBUsers {
    width: Width,
    users: [u32; 2],
}

impl SigBUsers {
    /// `users` on equal resource units across the channel, spread evenly over the content channels.
    pub const fn even(width: Width, users: u32) -> Self {
        let users = match width {
            Width::Mhz20 => [users, 0],
            _ => [users.div_ceil(2), users / 2],
        };
        Self { width, users }
    }

    /// So many in each content channel.
    pub const fn of(width: Width, users: [u32; 2]) -> Self {
        Self { width, users }
    }

    /// Bits of the common field: 8 for each 20 MHz that the content channel speaks of, one for the
    /// resource unit in the middle of 80 MHz, CRC and tail (27.3.11.8.2).
    const fn common_bits(self) -> u32 {
        let allocation = match self.width {
            Width::Mhz20 | Width::Mhz40 => 8,
            Width::Mhz80 => 2 * 8 + 1,
            Width::Mhz160 => 4 * 8 + 1,
        };
        allocation + CRC_AND_TAIL
    }

    /// Bits of one content channel: user fields go in pairs, each pair with CRC and tail.
    const fn bits(self, users: u32) -> u32 {
        self.common_bits() + users * USER_FIELD + users.div_ceil(2) * CRC_AND_TAIL
    }

    /// Symbols of HE-SIG-B: the longer content channel decides.
    pub const fn symbols(self, mcs: SigBMcs) -> u32 {
        let [first, second] = self.users;
        let most = if first > second { first } else { second };
        self.bits(most).div_ceil(mcs.data_bits())
    }
}

impl PpduRules {
    /// Length of an HE MU PPDU in front of its data.
    pub fn mu_preamble(&self, users: SigBUsers, mcs: SigBMcs, streams: u8, guard: Guard) -> Span {
        let sig_b = SIG_B_SYMBOL * u64::from(users.symbols(mcs));
        BEFORE_SIG_B + sig_b + MU_STF + self.training(streams, guard)
    }

    /// Length of an HE TB PPDU in front of its data. Guard intervals of 1.6 and 3.2 us only (the GI
    /// And HE-LTF Type subfield of 9.3.1.22).
    pub fn tb_preamble(&self, streams: u8, guard: Guard) -> Span {
        BEFORE_SIG_B + TB_STF + self.training(streams, guard)
    }

    fn training(&self, streams: u8, guard: Guard) -> Span {
        self.he_ltf.symbol(guard) * training_fields(streams)
    }
}

/// The data field of a PPDU of several users, which is as long as that of the user who needs most: all
/// have its number of symbols and its pre-FEC padding factor (27.3.12.2 and 27.3.13).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedData {
    symbols: u32,
    /// Quarters of the last symbol that are filled.
    quarters: u32,
    symbol: Span,
    padding: HePadding,
    /// Silence at the end at 2.4 GHz.
    silence: Span,
}

impl SharedData {
    /// So many symbols, all full, with the guard interval of `mode`: what a Trigger frame demands.
    pub fn full(rules: &PpduRules, band: Band, mode: Mode, symbols: u32) -> Self {
        Self {
            symbols,
            quarters: 4,
            symbol: Span::from_nanos(u64::from(mode.symbol_nanos())),
            padding: rules.he_padding,
            silence: band.signal_extension(Format::He),
        }
    }

    /// For `users`, the mode and the PSDU in bytes of each; `None` without users. All have HE with one
    /// guard interval.
    pub fn of(rules: &PpduRules, band: Band, users: &[(Mode, u32)]) -> Option<Self> {
        let end = |(mode, psdu): &(Mode, u32)| {
            debug_assert_eq!(mode.format(), Format::He);
            let timing = rules.timing(band, *mode);
            (timing.symbols(*psdu), timing.quarters(*psdu))
        };
        let (symbols, quarters) = users.iter().map(end).max()?;
        let full = Self::full(rules, band, users[0].0, symbols);
        Some(Self { quarters, ..full })
    }

    /// Symbols.
    pub const fn symbols(&self) -> u32 {
        self.symbols
    }

    /// Length, with the packet extension and the silence behind it.
    pub fn duration(&self) -> Span {
        let extension = self.padding.extension(self.quarters);
        self.symbol * u64::from(self.symbols) + extension + self.silence
    }
}

impl Phy {
    /// See [`PpduRules::mu_preamble`].
    pub fn mu_preamble(&self, users: SigBUsers, mcs: SigBMcs, streams: u8, guard: Guard) -> Span {
        self.rules().mu_preamble(users, mcs, streams, guard)
    }

    /// See [`PpduRules::tb_preamble`].
    pub fn tb_preamble(&self, streams: u8, guard: Guard) -> Span {
        self.rules().tb_preamble(streams, guard)
    }

    /// See [`SharedData::of`].
    pub fn shared_data(&self, users: &[(Mode, u32)]) -> Option<SharedData> {
        SharedData::of(self.rules(), self.band(), users)
    }

    /// See [`SharedData::full`].
    pub fn shared_symbols(&self, mode: Mode, symbols: u32) -> SharedData {
        SharedData::full(self.rules(), self.band(), mode, symbols)
    }
}

/// A cycle of uplink OFDMA, in the terms of Eq. 1 of Shrestha et al., *TCP BBR Performance over Wi-Fi 6*:
/// t_s = d_tfr + d_bsr + d_tf + d_ppdu + d_mb + 4 d_sifs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriggerCycle {
    /// The Trigger frame that asks for buffer status (BSRP; the paper's TF-R).
    pub poll: Span,
    /// The buffer status reports.
    pub reports: Span,
    /// The Basic Trigger frame.
    pub trigger: Span,
    /// The HE TB PPDUs with data.
    pub data: Span,
    /// The Multi-STA BlockAck.
    pub answer: Span,
}

impl TriggerCycle {
    /// From the first bit of the poll to the last of the answer.
    pub fn duration(&self, sifs: Span) -> Span {
        self.poll + self.reports + self.trigger + self.data + self.answer + sifs * 4
    }
}
