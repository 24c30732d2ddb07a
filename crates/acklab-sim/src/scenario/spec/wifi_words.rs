//! The words and small values of radio channels.

use super::Qty;
use crate::scenario::de::with_hint;
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac::Counts;
use acklab_path::wifi::medium::{AccessCategory, AfterSilence};
use acklab_path::wifi::phy::{Band, Width};
use acklab_units::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, de::value::StrDeserializer};
use std::borrow::Cow;
use std::fmt;

/// An amendment of 802.11.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
pub(crate) enum Standard {
    /// 802.11b: 1 to 11 Mbit/s.
    #[serde(rename = "b", alias = "802.11b")]
    B,
    /// 802.11g: 6 to 54 Mbit/s at 2.4 GHz, and those of b.
    #[serde(rename = "g", alias = "802.11g")]
    G,
    /// 802.11a: 6 to 54 Mbit/s.
    #[serde(rename = "a", alias = "802.11a")]
    A,
    /// 802.11n: HT.
    #[serde(rename = "n", alias = "802.11n")]
    N,
    /// 802.11ac: VHT.
    #[serde(rename = "ac", alias = "802.11ac")]
    Ac,
    /// 802.11ax: HE.
    #[serde(rename = "ax", alias = "802.11ax")]
    Ax,
}

words! {
    /// Frequency band.
    BandWord for Band {
        /// For b, g, n, ax.
        "2.4 GHz" = Ghz2_4,
        /// For a, n, ac, ax.
        "5 GHz" = Ghz5,
        /// For ax.
        "6 GHz" = Ghz6,
    }
}

words! {
    /// Width of a channel.
    WidthWord for Width {
        /// For all.
        "20 MHz" = Mhz20,
        /// For n, ac, ax.
        "40 MHz" = Mhz40,
        /// For ac, ax.
        "80 MHz" = Mhz80,
        /// For ac, ax.
        "160 MHz" = Mhz160,
    }
}

words! {
    /// The preamble of 2, 5.5 and 11 Mbit/s.
    PreambleWord for Preamble {
        /// 192 us with its header.
        "long" = Long,
        /// 96 us with its header.
        "short" = Short,
    }
}

words! {
    /// The protection that keeps stations of 802.11b silent, which cannot read OFDM.
    ProtectionWord for Protection {
        /// Nothing.
        "none" = None,
        /// A CTS that the sender addresses to itself.
        "cts-to-self" = CtsToSelf,
    }
}

/// The preamble of DSSS and CCK (16.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Preamble {
    Long,
    Short,
}

/// Protection for non-ERP receivers (10.27.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protection {
    None,
    CtsToSelf,
}

words! {
    /// How slots are counted.
    SlotsWord for SlotRule {
        /// A slot in which somebody begins to transmit counts.
        "edca" = Edca,
        /// Only slots count that stayed idle.
        "dcf" = Dcf,
    }
}

words! {
    /// From when on a station counts slots whose transmission was not answered.
    AfterSilenceWord for AfterSilence {
        /// From an AIFS after the air became quiet.
        "quiet" = Quiet,
        /// From an AIFS after the timeout, as in ns-3.
        "timeout" = Timeout,
        /// With everybody else, as in Bianchi's model.
        "everybody" = Everybody,
    }
}

words! {
    /// Access category.
    CategoryWord for AccessCategory {
        /// AC_VO.
        "voice" = Voice,
        /// AC_VI.
        "video" = Video,
        /// AC_BE.
        "best-effort" = BestEffort,
        /// AC_BK.
        "background" = Background,
    }
}

words! {
    /// The unit that counts against the limit of a queue.
    CountsWord for Counts {
        /// Packets that were never sent.
        "waiting" = Waiting,
        /// Packets that are not acknowledged.
        "unacknowledged" = Unacknowledged,
        /// Packets that were never sent and MPDUs that are not acknowledged, as in ns-3.
        "mpdus" = Mpdus,
    }
}

/// How long PPDUs last where that is a choice.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DurationsWord {
    /// As 802.11-2020 and 802.11ax-2021 say.
    Standard,
    /// As ns-3.44 has them: short guard intervals unrounded, no VHT-SIG-B, HE-LTFs of 8 us.
    Ns3,
}

/// Errors of MPDUs that do not collide.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ErrorsWord {
    /// Nothing.
    None,
    /// Errors that follow from mode, length and signal-to-noise ratio, as in ns-3's
    /// NistErrorRateModel.
    Snr,
}

/// An edition of 802.11 whose defaults of EDCA hold.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
pub(crate) enum EdcaDefaultsWord {
    /// 802.11-2012, table 8-105, as in hostapd and mac80211: best effort and background send one PPDU.
    #[serde(rename = "2012")]
    Of2012,
    /// 802.11-2020, table 9-155: 2.528 ms for them too, and longer opportunities for the others.
    #[serde(rename = "2020")]
    Of2020,
}

/// A number of transmissions, or the word `none`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TransmissionsOrNone(pub(crate) Option<u32>);

impl<'de> Deserialize<'de> for TransmissionsOrNone {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = TransmissionsOrNone;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of transmissions from 1 to 255, or \"none\"")
            }

            fn visit_i64<E: de::Error>(self, n: i64) -> Result<TransmissionsOrNone, E> {
                u32::try_from(n)
                    .map(|n| TransmissionsOrNone(Some(n)))
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(n), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<TransmissionsOrNone, E> {
                match text {
                    "none" => Ok(TransmissionsOrNone(None)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for TransmissionsOrNone {
    fn schema_name() -> Cow<'static, str> {
        "TransmissionsOrNone".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "const": "none" },
            { "type": "integer", "minimum": 1, "maximum": 255 },
        ] })
    }
}

/// An MCS; whether the standard has it is seen later.
pub(super) fn mcs<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u32>, D::Error> {
    let n = i64::deserialize(d)?;
    u32::try_from(n).map(Some).map_err(|_| {
        let hint = "write 0 to 31 for n, 8 for each stream; 0 to 9 for ac; 0 to 11 for ax";
        de::Error::custom(with_hint(format!("there is no MCS {n}"), hint))
    })
}

/// A contention window; whether it fits the others is seen later.
pub(super) fn window<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u32>, D::Error> {
    let n = i64::deserialize(d)?;
    u32::try_from(n).map(Some).map_err(|_| {
        let hint = "write a power of two less one, 0 to 32767, such as 15";
        de::Error::custom(with_hint("out of range", hint))
    })
}

/// The step after an A-MPDU without an answer.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MissedWord {
    /// A BlockAckReq.
    Request,
    /// The same MPDUs again.
    Repeat,
}

/// From which length on frames are announced.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RtsSpec(pub(crate) Option<u32>);

impl<'de> Deserialize<'de> for RtsSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = RtsSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"off\", \"always\", or a size, such as \"1000 B\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RtsSpec, E> {
                match text {
                    "off" => Ok(RtsSpec(None)),
                    "always" => Ok(RtsSpec(Some(0))),
                    word if word.starts_with(char::is_alphabetic) => {
                        let told = format!("`{word}` is not one of the allowed words");
                        let hint = "write \"off\", \"always\", or a size, such as \"1000 B\"";
                        Err(E::custom(with_hint(told, hint)))
                    }
                    size => {
                        let Qty(Bytes(n)) = Qty::deserialize(StrDeserializer::new(size))?;
                        let told = || {
                            let hint = "write \"off\" if no frame is to be announced";
                            E::custom(with_hint("no frame is so long", hint))
                        };
                        u32::try_from(n)
                            .map(|n| RtsSpec(Some(n)))
                            .map_err(|_| told())
                    }
                }
            }

            // A number lost its unit, as everywhere.
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<RtsSpec, E> {
                self.visit_str(&n.to_string())
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for RtsSpec {
    fn schema_name() -> Cow<'static, str> {
        "Rts".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let size = g.subschema_for::<Qty<Bytes>>();
        json_schema!({ "anyOf": [{ "enum": ["off", "always"] }, size] })
    }
}
