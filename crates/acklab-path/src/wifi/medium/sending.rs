//! How one station sends to another now: everything that follows from the mode, worked out once.

use super::{PortConfig, RateConfig};
use crate::wifi::agreement::ACTION;
use crate::wifi::mac::sizes::Assembly;
use crate::wifi::mac::{Content, Limits, sizes};
use crate::wifi::phy::errors::Bits;
use crate::wifi::phy::{ErrorModel, Format, Mode, Phy, PpduTiming};
use crate::wifi::rate::{Ideal, Minstrel, RateControl};
use acklab_proto::rng::Rng;
use acklab_units::Span;

/// Longest PPDU where the standard knows no limit: a second is more than its length field can say.
const ENDLESS: Span = Span::from_secs(1);

/// Sending in one mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub mode: Mode,
    timing: PpduTiming,
    short: PpduTiming,
    /// How Block Ack Requests and answers to data are sent.
    pub control: Mode,
    pub rts_mode: Mode,
    pub cts_mode: Mode,
    pub ack: Span,
    pub block_ack: Span,
    pub rts: Span,
    pub cts: Span,
    /// The CTS that protects data, and how long it lasts.
    protection: Option<(Mode, Span)>,
    /// ACK and Block Ack with as many transport ACKs in them as there may be.
    longest_ack: Span,
    longest_block_ack: Span,
    /// Answers are reserved for with as many transport ACKs in them as there may be.
    reserves_longest: bool,
    /// How long the beginning of an answer to data is waited for, and that of a CTS.
    timeout: Span,
    pub cts_timeout: Span,
    request: Span,
    /// ADDBA frames are sent like this whatever the mode.
    pub action: ActionSending,
    /// Without a transmission opportunity that ends.
    limits: Limits,
    /// The channel that each bit meets, if that does not depend on the signal.
    pub bits: Option<Bits>,
}

/// Sending ADDBA frames: at the lowest basic rate, as ns-3's `WifiRemoteStationManager::GetDataTxVector` has it
/// for management frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActionSending {
    pub mode: Mode,
    pub answer_mode: Mode,
    lasts: Span,
    pub answer: Span,
    timeout: Span,
}

impl ActionSending {
    fn new(phy: &Phy) -> Self {
        let mode = phy.slowest();
        let answer_mode = phy.response_mode(mode);
        Self {
            mode,
            answer_mode,
            lasts: phy.duration(mode, ACTION),
            answer: phy.duration(answer_mode, sizes::ACK),
            timeout: phy.ack_timeout(answer_mode),
        }
    }
}

impl Sending {
    pub fn new(phy: &Phy, mode: Mode, config: &PortConfig) -> Self {
        Self::with_actions(phy, mode, config, ActionSending::new(phy))
    }

    /// The same to the same station in another `mode`.
    pub fn changed(&self, phy: &Phy, mode: Mode, config: &PortConfig) -> Self {
        Self::with_actions(phy, mode, config, self.action)
    }

    fn with_actions(phy: &Phy, mode: Mode, config: &PortConfig, action: ActionSending) -> Self {
        let a = &config.aggregation;
        let timing = phy.timing(mode);
        let control = phy.response_mode(mode);
        let short = phy.timing(control);
        let rts_mode = phy.rts_mode(mode);
        let cts_mode = phy.response_mode(rts_mode);
        let protection = phy.protection_of(mode);
        let longest = phy.max_time(mode).unwrap_or(ENDLESS);
        let carried = config
            .carries_acks
            .map_or(0, |c| u32::from(c.most) * c.bytes);
        let limits = Limits {
            max_psdu: timing.max_psdu(longest),
            strict: false,
            ampdu: a.ampdu,
            amsdu: a.amsdu,
            max_mpdu: a.max_mpdu,
            window: a.window,
            spacing: bytes_in(mode, a.spacing),
            overhead: a.overhead,
            always_delimited: matches!(mode.format(), Format::Vht | Format::He),
        };
        Self {
            mode,
            timing,
            short,
            control,
            rts_mode,
            cts_mode,
            ack: short.duration(sizes::ACK),
            block_ack: short.duration(sizes::block_ack(a.window)),
            longest_ack: short.duration(sizes::ACK + carried),
            longest_block_ack: short.duration(sizes::block_ack(a.window) + carried),
            reserves_longest: config.carries_acks.is_some_and(|c| c.reserve),
            rts: phy.duration(rts_mode, sizes::RTS),
            cts: phy.duration(cts_mode, sizes::CTS),
            protection: protection.map(|m| (m, phy.duration(m, sizes::CTS))),
            timeout: phy.ack_timeout(control),
            cts_timeout: phy.cts_timeout(cts_mode),
            request: short.duration(sizes::BLOCK_ACK_REQ),
            action,
            limits,
            bits: match config.errors {
                ErrorModel::Snr => None,
                steady => Some(steady.bits(mode, 0.0)),
            },
        }
    }

    /// Length of a PPDU with a PSDU of so many bytes.
    #[inline(always)]
    pub fn data(&self, content: Content, bytes: u32) -> Span {
        match content {
            Content::Bar(_) => self.request,
            Content::Action(_) => self.action.lasts,
            Content::Single | Content::Ampdu => self.timing.duration(bytes),
        }
    }

    /// `over` and one more MPDU, of a PSDU that fits.
    #[inline(always)]
    pub fn with(&self, over: Assembly, bytes: u32) -> Assembly {
        over.with(bytes, &self.limits).expect("what is sent fits")
    }

    /// Bytes of a PSDU up to the end of one more MPDU after `over`.
    pub fn length_with(&self, over: Assembly, bytes: u32) -> u32 {
        self.with(over, bytes).bytes(&self.limits)
    }

    /// Length of the answer.
    pub fn answer(&self, content: Content) -> Span {
        match content {
            Content::Single => self.ack,
            Content::Action(_) => self.action.answer,
            Content::Ampdu | Content::Bar(_) => self.block_ack,
        }
    }

    /// The protection before a PSDU, and how long that lasts. ADDBA frames need none: the lowest
    /// basic rate is one that everybody reads.
    pub fn protection(&self, content: Content) -> Option<(Mode, Span)> {
        match content {
            Content::Action(_) => None,
            Content::Single | Content::Ampdu | Content::Bar(_) => self.protection,
        }
    }

    /// How long the beginning of an answer is waited for.
    pub fn timeout(&self, content: Content) -> Span {
        match content {
            Content::Action(_) => self.action.timeout,
            Content::Single | Content::Ampdu | Content::Bar(_) => self.timeout,
        }
    }

    /// The time that data reserve for their answer: nobody knows yet how many ACKs it will carry.
    pub fn reserved_answer(&self, content: Content) -> Span {
        if self.reserves_longest {
            self.longest_answer(content)
        } else {
            self.answer(content)
        }
    }

    /// Length of the answer with as many transport ACKs in it as there may be.
    fn longest_answer(&self, content: Content) -> Span {
        match content {
            Content::Single => self.longest_ack,
            Content::Action(_) => self.action.answer,
            Content::Ampdu | Content::Bar(_) => self.longest_block_ack,
        }
    }

    /// Length of an answer of so many bytes.
    #[inline]
    pub fn answer_of(&self, bytes: u32) -> Span {
        self.short.duration(bytes)
    }

    /// Length of an exchange: data, `gap`, answer.
    pub fn exchange(&self, content: Content, bytes: u32, gap: Span) -> Span {
        self.data(content, bytes) + gap + self.longest_answer(content)
    }

    /// The sizes that may be sent at once within `room`.
    pub fn limits(&self, room: Room) -> Limits {
        let mut limits = self.limits;
        if !room.left.is_zero() {
            limits.max_psdu = limits.max_psdu.min(self.longest(room));
        }
        if room.probe {
            limits.max_psdu = 1;
        }
        limits
    }

    /// The longest PSDU within `room`, with what announces it if it is long enough for that.
    fn longest(&self, room: Room) -> u32 {
        let fits = |besides| {
            let data = room
                .left
                .saturating_sub(room.gap + self.longest_block_ack + besides);
            self.timing.max_psdu(data)
        };
        let protection = self.protection.filter(|_| room.first);
        let before = protection.map_or(Span::ZERO, |(_, lasts)| lasts + room.gap);
        match room.rts_from {
            None => fits(before),
            Some(least) => {
                let unannounced = fits(before).min(least.saturating_sub(1));
                fits(self.rts + self.cts + room.gap * 2).max(unannounced)
            }
        }
    }
}

/// The rest of a transmission opportunity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// Time; zero = without limit.
    pub left: Span,
    /// From the end of a PPDU to the beginning of its answer, as its sender sees it.
    pub gap: Span,
    /// PSDUs from this many bytes on are announced.
    pub rts_from: Option<u32>,
    /// It is the first PSDU, which may have to be protected.
    pub first: bool,
    /// Only a single MPDU.
    pub probe: bool,
}

/// Bytes that `mode` sends in `span`, rounded up.
fn bytes_in(mode: Mode, span: Span) -> u32 {
    let bits = u128::from(mode.rate().as_bps()) * u128::from(span.as_nanos());
    bits.div_ceil(8_000_000_000) as u32
}

/// The rate control of a port.
///
/// # Panics
/// If there are no modes to choose from.
pub(super) fn rate_control(config: &PortConfig, phy: Phy, rng: Rng) -> RateControl {
    let control = match &config.rate {
        RateConfig::Fixed(mode) => Some(RateControl::Fixed(*mode)),
        RateConfig::Ideal { modes, bytes, loss } => {
            Ideal::new(modes, config.errors, *bytes, *loss).map(RateControl::Ideal)
        }
        RateConfig::Minstrel { modes } => {
            Minstrel::new(modes, phy, rng).map(|m| RateControl::Minstrel(m.into()))
        }
    };
    control.expect("modes to choose from")
}
