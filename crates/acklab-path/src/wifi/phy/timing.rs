//! The parameters that the stations of a channel share, and the times that follow.

use super::response::Responses;
use super::{Band, BasicRates, Mode, ModeError, PpduRules, PpduTiming, ppdu};
use acklab_units::Span;

/// Length of an Ack in bytes (9.3.1.4), which EIFS is computed from.
const ACK_BYTES: u32 = 14;

/// The parameters that can be chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PhyConfig {
    /// Frequency band.
    pub band: Band,
    /// 9 us instead of 20 us at 2.4 GHz: no station is of 802.11b (18.5.4). The other bands have no
    /// long slot.
    pub short_slot: bool,
    /// The short preamble (16.2.2.3) in front of all that is sent at 2, 5.5 and 11 Mbit/s.
    pub short_preamble: bool,
    /// Rates of control responses.
    pub basic: BasicRates,
    /// Every control response in this mode, whatever is answered; `None` as the standard says.
    pub control: Option<Mode>,
    /// Every RTS in this mode, whatever it announces; `None`: like the answer to what it announces.
    pub rts: Option<Mode>,
    /// A CTS that its sender addresses to itself goes before PPDUs that stations of 802.11b cannot read,
    /// in this mode, which they can read (protection for non-ERP receivers, 10.27.2); `None`: nothing does.
    pub protection: Option<Mode>,
    /// How long PPDUs last.
    pub rules: PpduRules,
}

impl PhyConfig {
    /// The usual choice at `band`: the mandatory rates are basic, slots are short.
    pub fn new(band: Band) -> Self {
        Self {
            band,
            short_slot: true,
            short_preamble: false,
            basic: BasicRates::mandatory(band),
            control: None,
            rts: None,
            protection: None,
            rules: PpduRules::STANDARD,
        }
    }
}

/// The physical layer of a channel.
#[derive(Clone, Copy, Debug)]
pub struct Phy {
    band: Band,
    slot: Span,
    rules: PpduRules,
    short_preamble: bool,
    control: Option<Mode>,
    rts: Option<Mode>,
    protection: Option<Mode>,
    responses: Responses,
    eifs_before_difs: Span,
    slowest: Mode,
}

impl Phy {
    /// A physical layer as `config` says.
    ///
    /// # Errors [`ModeError::BasicRate`] for basic rates that the band does not have,
    /// [`ModeError::ControlRate`] and [`ModeError::NotInBand`] for a control rate or a rate of RTS
    /// that cannot be, [`ModeError::Protection`] for a protection
    /// that stations of 802.11b cannot read.
    pub fn new(config: &PhyConfig) -> Result<Self, ModeError> {
        let PhyConfig { band, rules, .. } = *config;
        if let Some(mode) = config.basic.modes().find(|m| !band.has(*m)) {
            let rate = mode.rate();
            return Err(ModeError::BasicRate { rate, band });
        }
        for mode in [config.control, config.rts].into_iter().flatten() {
            check_control(band, mode)?;
        }
        if let Some(mode) = config.protection {
            check_control(band, mode)?;
            if !mode.format().is_dsss() {
                return Err(ModeError::Protection { mode });
            }
        }
        let as_sent = |mode| with_preamble(mode, config.short_preamble);
        let slowest = slowest_mandatory(config.basic, band);
        let ack = rules.timing(band, slowest).duration(ACK_BYTES);
        Ok(Self {
            band,
            rules,
            slot: slot(config),
            short_preamble: config.short_preamble,
            control: config.control.map(as_sent),
            rts: config.rts.map(as_sent),
            protection: config.protection.map(as_sent),
            responses: Responses::new(config.basic, band),
            eifs_before_difs: band.sifs() + ack,
            slowest,
        })
    }

    /// `mode`, if the band has it, with the preamble that this channel has.
    ///
    /// # Errors
    /// [`ModeError::NotInBand`].
    pub fn admit(&self, mode: Mode) -> Result<Mode, ModeError> {
        let band = self.band;
        if band.has(mode) {
            Ok(with_preamble(mode, self.short_preamble))
        } else {
            Err(ModeError::NotInBand { mode, band })
        }
    }

    /// The band.
    pub const fn band(&self) -> Band {
        self.band
    }

    /// How long PPDUs last where that is a choice.
    pub(super) const fn rules(&self) -> &PpduRules {
        &self.rules
    }

    /// The slowest mandatory rate, which every station decodes: what group-addressed frames are
    /// sent with here.
    pub const fn slowest(&self) -> Mode {
        self.slowest
    }

    /// aSlotTime.
    pub const fn slot(&self) -> Span {
        self.slot
    }

    /// Short interframe space.
    pub const fn sifs(&self) -> Span {
        self.band.sifs()
    }

    /// PCF interframe space, SIFS and a slot (10.3.7): when a TXOP holder takes up again after a
    /// failure.
    pub fn pifs(&self) -> Span {
        self.aifs(1)
    }

    /// DCF interframe space, SIFS and two slots (10.3.7).
    pub fn difs(&self) -> Span {
        self.aifs(2)
    }

    /// Arbitration interframe space, SIFS and `aifsn` slots (10.23.2.4).
    pub fn aifs(&self, aifsn: u8) -> Span {
        self.sifs() + self.slot * u64::from(aifsn)
    }

    /// Extended interframe space of the DCF: SIFS, an Ack at the lowest mandatory rate, DIFS
    /// (10.3.2.3.7).
    ///
    /// The lowest mandatory rate is 1 Mbit/s at 2.4 GHz unless no rate of 802.11b is basic, and 6
    /// Mbit/s elsewhere.
    pub fn eifs(&self) -> Span {
        self.eifs_before_difs + self.difs()
    }

    /// Extended interframe space of the EDCA: EIFS - DIFS + AIFS (10.23.2.4).
    pub fn eifs_of(&self, aifsn: u8) -> Span {
        self.eifs_before_difs + self.aifs(aifsn)
    }

    /// Lengths of PPDUs in `mode`: to be kept where many are needed.
    pub fn timing(&self, mode: Mode) -> PpduTiming {
        self.rules.timing(self.band, mode)
    }

    /// Length of a PPDU that carries `psdu` bytes in `mode`: preamble, PHY headers, data, rounding,
    /// extensions.
    pub fn duration(&self, mode: Mode, psdu: u32) -> Span {
        self.timing(mode).duration(psdu)
    }

    /// Length of the part of a PPDU in front of its data.
    pub fn preamble(&self, mode: Mode) -> Span {
        self.rules.preamble(mode)
    }

    /// The largest PSDU in bytes whose PPDU lasts at most `limit`, within the limits of the format:
    /// aPPDUMaxTime and [`super::Format::max_psdu`]. Zero if nothing fits.
    pub fn max_psdu(&self, mode: Mode, limit: Span) -> u32 {
        self.timing(mode).max_psdu(limit)
    }

    /// The longest PPDU in the format of `mode`, if there is such a limit.
    pub const fn max_time(&self, mode: Mode) -> Option<Span> {
        ppdu::max_time(mode.format())
    }

    /// How an Ack, CTS or BlockAck is sent that answers a frame sent in `mode` (10.6.6.5).
    pub fn response_mode(&self, mode: Mode) -> Mode {
        self.control.unwrap_or_else(|| self.responses.to(mode))
    }

    /// How the RTS is sent that announces a frame in `mode`. Which of the basic rates that is, the
    /// standard leaves open (10.6.6.2); the CTS is the [answer](Self::response_mode) to it. Under
    /// protection both must be frames that everybody reads (10.27.2).
    pub fn rts_mode(&self, mode: Mode) -> Mode {
        let rts = self.rts.or_else(|| self.protection_of(mode));
        rts.unwrap_or_else(|| self.response_mode(mode))
    }

    /// How the CTS is sent that goes before a frame in `mode`, if one does: what stations of 802.11b read
    /// themselves needs none.
    pub fn protection_of(&self, mode: Mode) -> Option<Mode> {
        self.protection.filter(|_| !mode.format().is_dsss())
    }

    /// How long after the end of a frame its sender waits for the beginning of an answer in
    /// `response`: SIFS, a slot, aRxPHYStartDelay (AckTimeout, 10.3.2.11).
    pub fn ack_timeout(&self, response: Mode) -> Span {
        self.aifs(1) + self.rules.rx_start_delay(response)
    }

    /// The same for the answer to an RTS (CTSTimeout, 10.3.2.9).
    pub fn cts_timeout(&self, response: Mode) -> Span {
        self.ack_timeout(response)
    }
}

/// 1 Mbit/s has the long preamble only.
fn with_preamble(mode: Mode, short: bool) -> Mode {
    let shortened = short.then(|| mode.with_short_preamble().ok()).flatten();
    shortened.unwrap_or(mode)
}

fn check_control(band: Band, mode: Mode) -> Result<(), ModeError> {
    if !mode.format().is_legacy() {
        return Err(ModeError::ControlRate { mode });
    }
    if !band.has(mode) {
        return Err(ModeError::NotInBand { mode, band });
    }
    Ok(())
}

/// aSlotTime: 20 us of 16.3.4 or 9 us of 17.4.4, 18.5.4, 19.4.4, 21.4.4, 27.4.4.
fn slot(config: &PhyConfig) -> Span {
    match config.band {
        Band::Ghz2_4 if !config.short_slot => Span::from_micros(20),
        _ => Span::from_micros(9),
    }
}

/// The slowest mandatory rate of the PHYs that the basic rates are of.
fn slowest_mandatory(basic: BasicRates, band: Band) -> Mode {
    let dsss = basic.modes().any(|m| m.format().is_dsss());
    BasicRates::mandatory(band)
        .modes()
        .find(|m| m.format().is_dsss() == dsss)
        .unwrap_or(Mode::nth_legacy(0))
}
