//! The configuration of a medium.

use super::{OfdmaConfig, StationId};
use crate::wifi::agreement::AddbaConfig;
use crate::wifi::contention::SlotRule;
use crate::wifi::mac::{self, sizes};
use crate::wifi::neighbour::ArpConfig;
use crate::wifi::phy::{ErrorModel, Mode, Phy};
use crate::wifi::propagation::{ChannelConfig, Motion, Radio};
use acklab_units::Span;
use alloc::vec::Vec;

/// Access categories (10.2.3.2), the most urgent first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AccessCategory {
    /// AC_VO.
    Voice,
    /// AC_VI.
    Video,
    /// AC_BE.
    BestEffort,
    /// AC_BK.
    Background,
}

impl AccessCategory {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 4] = [Self::Voice, Self::Video, Self::BestEffort, Self::Background];

    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Video => "video",
            Self::BestEffort => "best-effort",
            Self::Background => "background",
        }
    }
}

/// How one access category contends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdcaConfig {
    /// Slots after a SIFS (AIFSN), at least 1.
    pub aifsn: u8,
    /// Smallest contention window.
    pub cw_min: u16,
    /// Largest.
    pub cw_max: u16,
    /// Longest transmission opportunity; zero = one exchange.
    pub txop: Span,
}

impl EdcaConfig {
    /// The standard's defaults for OFDM (802.11-2012 table 8-105: aCWmin 15, aCWmax 1023). hostapd and
    /// Linux's mac80211 have these transmission opportunities still; ns-3.44 has those of
    /// [`EdcaConfig::standard_2020`] for voice and video, and none for the others.
    pub const fn standard(category: AccessCategory) -> Self {
        let (aifsn, cw_min, cw_max, txop) = match category {
            AccessCategory::Voice => (2, 3, 7, 1_504),
            AccessCategory::Video => (2, 7, 15, 3_008),
            AccessCategory::BestEffort => (3, 15, 1023, 0),
            AccessCategory::Background => (7, 15, 1023, 0),
        };
        Self {
            aifsn,
            cw_min,
            cw_max,
            txop: Span::from_micros(txop),
        }
    }

    /// The defaults of 802.11-2020, table 9-155: the same with longer transmission opportunities, which
    /// best effort and background have as well.
    pub const fn standard_2020(category: AccessCategory) -> Self {
        let txop = match category {
            AccessCategory::Voice => 2_080,
            AccessCategory::Video => 4_096,
            AccessCategory::BestEffort | AccessCategory::Background => 2_528,
        };
        Self {
            txop: Span::from_micros(txop),
            ..Self::standard(category)
        }
    }

    /// DCF (10.3): DIFS, and the window of the PHY.
    pub const DCF: Self = Self {
        aifsn: 2,
        cw_min: 15,
        cw_max: 1023,
        txop: Span::ZERO,
    };
}

/// The sizes that one station may send to another at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aggregation {
    /// Longest A-MPDU in bytes; 0 = none, each MPDU is acknowledged by an ACK.
    pub ampdu: u32,
    /// Longest A-MSDU in bytes; 0 = none.
    pub amsdu: u32,
    /// Longest MPDU in bytes.
    pub max_mpdu: u32,
    /// MPDUs that may be unacknowledged under a block ack agreement.
    pub window: u16,
    /// Shortest time between the starts of two MPDUs in an A-MPDU.
    pub spacing: Span,
    /// Header and FCS of a data MPDU.
    pub overhead: u32,
}

impl Aggregation {
    /// No aggregation of any kind.
    pub const NONE: Self = Self {
        ampdu: 0,
        amsdu: 0,
        max_mpdu: 11_454,
        window: 64,
        spacing: Span::ZERO,
        overhead: sizes::QOS_DATA_HEADER + sizes::FCS,
    };

    /// The window of the block ack agreement; 0 = there is none.
    pub(super) fn agreed(&self) -> u16 {
        if self.ampdu == 0 { 0 } else { self.window }
    }
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationConfig {
    /// Its access categories, the most urgent first.
    pub categories: Vec<EdcaConfig>,
    /// The queue of each.
    pub queue: mac::Config,
}

/// How the mode of data is chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum RateConfig {
    /// Always the same.
    Fixed(Mode),
    /// The fastest that loses an MPDU of `bytes` bytes with at most the probability `loss`, by the
    /// signal of the last one that arrived.
    Ideal {
        /// The modes to choose from, at least one.
        modes: Vec<Mode>,
        /// Size of an MPDU.
        bytes: u32,
        /// Probability.
        loss: f64,
    },
    /// Minstrel-HT.
    Minstrel {
        /// The modes to choose from, at least one.
        modes: Vec<Mode>,
    },
}

/// Radios in space.
#[derive(Clone, Debug)]
pub struct RadioConfig {
    /// The paths between stations.
    pub channel: ChannelConfig,
    /// Where each station is, and its radio.
    pub stations: Vec<(Motion, Radio)>,
    /// When a PPDU can be read in spite of others; `None` = never.
    pub capture: Option<Capture>,
}

/// When a receiver reads a PPDU in spite of others that it hears at the same time, by their mean
/// powers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Capture {
    /// It is received this many dB stronger than all others together.
    Ratio(f64),
    /// Over noise and all others together it is as strong as its mode needs for one in ten MPDUs of
    /// 1500 bytes to be lost ([`ErrorModel::Snr`]).
    AsModeNeeds,
}

/// A way from one station to another.
#[derive(Clone, Debug)]
pub struct PortConfig {
    /// The sender.
    pub from: StationId,
    /// To whom.
    pub to: StationId,
    /// How data are sent.
    pub rate: RateConfig,
    /// The sizes sent at once.
    pub aggregation: Aggregation,
    /// PSDUs of this many bytes and more are announced by an RTS; `None` = none are.
    pub rts_from: Option<u32>,
    /// Once its data are acknowledged the sender lets the receiver send data in turn (reverse
    /// direction protocol, 10.29).
    pub grants_reverse: bool,
    /// The errors of MPDUs and control frames that do not collide.
    pub errors: ErrorModel,
    /// The answers to this port's data carry transport ACKs that wait for the way back.
    pub carries_acks: Option<CarriedAcks>,
}

/// Transport ACKs in Block Acks and ACKs: TCP/HACK (Salameh et al., USENIX ATC 2014).
///
/// The receiver of data that knows that more will come keeps pure ACKs for its sender back instead
/// of contending for them, and appends them, compressed, to its next answer, which lasts longer by
/// that. They are there until an answer that carried them has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CarriedAcks {
    /// Bytes of a compressed ACK.
    pub bytes: u32,
    /// Most ACKs in an answer.
    pub most: u16,
    /// How long ACKs are kept back before they contend like other packets.
    pub patience: Span,
    /// Data reserve the air for `most` ACKs in their answer, whether it has them or not. Otherwise for
    /// the answer alone, as radios without it do: who hears the answer is silent anyway.
    pub reserve: bool,
}

impl CarriedAcks {
    /// Four bytes: the paper's ROHC makes an ACK of 52 bytes twelve times smaller. The paper knows
    /// no limits, and says nothing of what is reserved; ours are a Block Ack window of ACKs, and two of the longest PPDUs of 5.484 ms,
    /// after which the promised data may be believed lost.
    pub const HACK: Self = Self {
        bytes: 4,
        most: 64,
        patience: Span::from_micros(2 * 5_484),
        reserve: false,
    };
}

/// From when on a station counts slots whose own transmission was not answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AfterSilence {
    /// An AIFS after the air became quiet, slots before the timeout being lost: it has seen no
    /// frame with an error, so no EIFS binds it (10.3.2.11, 10.3.4.3).
    #[default]
    Quiet,
    /// An AIFS after the timeout, as in ns-3's `ChannelAccessManager`.
    Timeout,
    /// With everybody else, which after a collision is an EIFS: the assumption of Bianchi's model.
    Everybody,
}

/// A radio channel.
#[derive(Clone, Debug)]
pub struct MediumConfig {
    /// The parameters that the stations share.
    pub phy: Phy,
    /// How slots are counted.
    pub slots: SlotRule,
    /// The stations, by number.
    pub stations: Vec<StationConfig>,
    /// The ways, by number.
    pub ports: Vec<PortConfig>,
    /// Which station hears which; `None` = each hears each, or with `radio` each that is near enough, which is
    /// looked at again where stations move.
    pub hears: Option<Vec<Vec<bool>>>,
    /// Where the stations are; needed by [`ErrorModel::Snr`] and [`RateConfig::Ideal`].
    pub radio: Option<RadioConfig>,
    /// After a PPDU that they could not read stations wait for an EIFS (10.3.2.3.7). Models of
    /// saturation mostly leave that out.
    pub eifs: bool,
    /// The wait of stations whose frame could not be read.
    pub after_silence: AfterSilence,
    /// From antenna to antenna.
    pub propagation: Span,
    /// Failures in a row that double the contention window; after one more it starts anew.
    pub retry_limit: u8,
    /// How stations find out their neighbours' addresses. Station 0 is the access point then. `None` =
    /// they know them from the start.
    pub arp: Option<ArpConfig>,
    /// How stations come to the block ack agreements that A-MPDUs need. `None` = they have them from the start.
    pub addba: Option<AddbaConfig>,
    /// Transmissions of several users at once, by the access point, which is station 0 then. `None` = each is of one
    /// user.
    pub ofdma: Option<OfdmaConfig>,
}
