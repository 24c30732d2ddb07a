//! How one station sends to another now: everything that follows from the mode, worked out once.

use super::{PortConfig, RateConfig};
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
    /// How RTS, CTS, Block Ack Requests and answers are sent.
    pub control: Mode,
    pub ack: Span,
    pub block_ack: Span,
    pub rts: Span,
    pub cts: Span,
    request: Span,
    /// Without a transmission opportunity that ends.
    limits: Limits,
    /// What each bit goes through, if that does not depend on the signal.
    pub bits: Option<Bits>,
}

impl Sending {
    pub fn new(phy: &Phy, mode: Mode, config: &PortConfig) -> Self {
        let a = &config.aggregation;
        let timing = phy.timing(mode);
        let control = phy.response_mode(mode);
        let short = phy.timing(control);
        let longest = phy.max_time(mode).unwrap_or(ENDLESS);
        let limits = Limits {
            max_psdu: timing.max_psdu(longest),
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
            control,
            ack: short.duration(sizes::ACK),
            block_ack: short.duration(sizes::block_ack(a.window)),
            rts: short.duration(sizes::RTS),
            cts: short.duration(sizes::CTS),
            request: short.duration(sizes::BLOCK_ACK_REQ),
            limits,
            bits: match config.errors {
                ErrorModel::Snr => None,
                steady => Some(steady.bits(mode, 0.0)),
            },
        }
    }

    /// Length of a PPDU with a PSDU of so many bytes.
    pub fn data(&self, content: Content, bytes: u32) -> Span {
        match content {
            Content::Bar(_) => self.request,
            Content::Single | Content::Ampdu => self.timing.duration(bytes),
        }
    }

    /// `over` and one more MPDU, of a PSDU that fits.
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
            Content::Ampdu | Content::Bar(_) => self.block_ack,
        }
    }

    /// What fits into `left`, or without such a limit where that is zero; a `probe` is a single
    /// MPDU.
    pub fn limits(&self, left: Span, sifs: Span, probe: bool) -> Limits {
        let mut limits = self.limits;
        if !left.is_zero() {
            let data = left.saturating_sub(sifs + self.block_ack);
            limits.max_psdu = limits.max_psdu.min(self.timing.max_psdu(data));
        }
        if probe {
            limits.max_psdu = 1;
        }
        limits
    }
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
