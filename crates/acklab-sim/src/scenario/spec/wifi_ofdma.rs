//! Transmissions of several stations at once.

use super::{GuardTime, Qty};
use acklab_path::wifi::medium::{Answers, Scheduler};
use acklab_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// OFDMA; `None` = off.
#[derive(Clone, Debug)]
pub(crate) struct OfdmaSpec(pub(crate) Option<OfdmaTable>);

/// OFDMA of 802.11ax (IEEE 802.11ax-2021, 26.5): the access point sends to several stations at once, and lets
/// several send to it at once.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OfdmaTable {
    /// Whether the access point sends to several stations at once (HE MU PPDUs). Default: true.
    pub(crate) downlink: Option<bool>,
    /// Whether it calls several to send at once (Trigger frames). Default: true.
    pub(crate) uplink: Option<bool>,
    /// The choice of the stations that it serves. Default: "round-robin".
    pub(crate) scheduler: Option<SchedulerWord>,
    /// Most stations served at once; 9 fit into 20 MHz. Default: 4, as in ns-3.
    #[schemars(range(min = 1, max = 74))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) users: Option<u32>,
    /// Tones of the resource units in the order of their frequencies, such as `[106, 26, 106]` in 20 MHz: 26, 52, 106,
    /// 242, 484, 996 or 1992 (2 x 996). Of the stations served at once, whoever has most gets the largest. Default:
    /// equal units, by `users`.
    #[schemars(length(min = 1, max = 74), inner(range(min = 26, max = 1992)))]
    #[serde(deserialize_with = "super::lists::tones")]
    pub(crate) ru_allocation: Option<Vec<u32>>,
    /// How stations acknowledge what they get at once. Default: "aggregated".
    pub(crate) acknowledgements: Option<AnswersWord>,
    /// Highest MCS of Block Acks that are sent at once. Default: 5, as in ns-3.
    #[schemars(range(min = 0, max = 11))]
    #[serde(deserialize_with = "super::wifi_words::mcs")]
    pub(crate) acknowledgement_mcs: Option<u32>,
    /// MCS of HE-SIG-B. Default: that of the slowest station in it, 5 at most.
    #[schemars(range(min = 0, max = 5))]
    #[serde(deserialize_with = "super::wifi_words::mcs")]
    pub(crate) sig_b_mcs: Option<u32>,
    /// Guard interval of what stations send at once: "1600 ns" or "3200 ns". Default: "1600 ns", or
    /// "3200 ns" if stations alone have it, too.
    pub(crate) guard_interval: Option<Qty<GuardTime>>,
    /// Whether stations send and are sent to alone where that gives more bytes per second. Default: true.
    pub(crate) single_user: Option<bool>,
    /// The access point asks stations what they have (BSRP) when for so long it has called nobody, and nobody's data
    /// said that there is more. Default: "10 ms".
    pub(crate) poll: Option<Qty<Span>>,
    /// Whether it also asks before each call. Default: false, it calls those whose data have said that they have
    /// more.
    pub(crate) always_poll: Option<bool>,
    /// Resource units for anybody (UORA). Default: none.
    pub(crate) random_access: Option<RandomAccessTable>,
    /// How stations contend after they were called (MU EDCA). Default: as before.
    pub(crate) mu_edca: Option<MuEdcaTable>,
}

/// Uplink OFDMA random access (26.5.4).
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RandomAccessTable {
    /// Resource units for it, of the `users` of a Trigger frame. Default: 2.
    #[schemars(range(min = 1, max = 74))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) units: Option<u32>,
    /// Smallest OFDMA contention window. Default: 7.
    #[schemars(range(min = 0, max = 127))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) ocw_min: Option<u32>,
    /// Largest. Default: 31.
    #[schemars(range(min = 0, max = 127))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) ocw_max: Option<u32>,
    /// Which Trigger frames have them. Default: "poll".
    #[serde(rename = "in")]
    pub(crate) frames: Option<RandomFramesWord>,
}

/// The MU EDCA Parameter Set (26.2.7), which holds from when a station's data were acknowledged that it was called for.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MuEdcaTable {
    /// AIFSN; 0: the station does not contend. Default: 0.
    #[schemars(range(min = 0, max = 15))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) aifsn: Option<u32>,
    /// Smallest contention window. Default: 15.
    #[schemars(range(min = 0, max = 32_767))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) cw_min: Option<u32>,
    /// Largest. Default: 1023.
    #[schemars(range(min = 0, max = 32_767))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) cw_max: Option<u32>,
    /// How long. Default: "65536 us", eight of the standard's units of 8192 us.
    pub(crate) timer: Option<Qty<Span>>,
}

words! {
    /// Which stations an access point serves when more have data than it can serve at once.
    SchedulerWord for Scheduler {
        /// Those who have waited longest.
        "round-robin" = RoundRobin,
        /// Those who are fast, compared to what they have got.
        "proportional-fair" = ProportionalFair,
        /// Those who have most, and as many of them as give the most bytes per second.
        "backlog" = Backlog,
    }
}

words! {
    /// How data for several stations are acknowledged.
    AnswersWord for Answers {
        /// One after the other, asked by BlockAckReqs.
        "sequence" = Sequence,
        /// At once, after an MU-BAR Trigger frame.
        "mu-bar" = MuBar,
        /// At once, called by a Trigger frame in the data.
        "aggregated" = Aggregated,
    }
}

/// Trigger frames with resource units for anybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RandomFrames {
    Poll,
    Data,
}

words! {
    /// Trigger frames with resource units for anybody.
    RandomFramesWord for RandomFrames {
        /// Those that ask for buffer status: what is sent at random is a report.
        "poll" = Poll,
        /// Those that ask for data.
        "data" = Data,
    }
}

impl<'de> Deserialize<'de> for OfdmaSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = OfdmaSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a table such as { users = 9, uplink = false }")
            }

            fn visit_bool<E>(self, on: bool) -> Result<OfdmaSpec, E> {
                Ok(OfdmaSpec(on.then(OfdmaTable::default)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OfdmaSpec, A::Error> {
                OfdmaTable::deserialize(MapAccessDeserializer::new(map)).map(|t| OfdmaSpec(Some(t)))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for OfdmaSpec {
    fn schema_name() -> Cow<'static, str> {
        "Ofdma".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<OfdmaTable>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, table] })
    }
}
