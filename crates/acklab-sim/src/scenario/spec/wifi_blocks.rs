//! Building blocks of radio channels by name, and ACKs in Block Acks.

use super::{Choice, Qty};
use crate::scenario::schema::{
    fading_schema, path_loss_schema, rate_control_schema, station_queue_schema,
};
use acklab_units::{Bytes, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

choice_from!(
    /// Loss over distance.
    PathLossSpec,
    "PathLoss",
    path_loss_schema
);
choice_from!(
    /// Changes of a signal around its mean.
    FadingSpec,
    "Fading",
    fading_schema
);
choice_from!(
    /// How the mode of data is chosen.
    RateControlSpec,
    "RateControl",
    rate_control_schema
);
choice_from!(
    /// How packets wait in a station.
    StationQueueSpec,
    "StationQueue",
    station_queue_schema
);

/// ACKs in the answers to data; `None` = off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HackSpec(pub(crate) Option<HackTable>);

/// TCP/HACK (Salameh et al., USENIX ATC 2014): the receiver of data that knows that more will come
/// keeps its TCP ACKs back and appends them, compressed, to its next Block Ack or ACK.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HackTable {
    /// Bytes of a compressed ACK. Default: "4 B".
    pub(crate) ack_size: Option<Qty<Bytes>>,
    /// Most ACKs in an answer. Default: 64.
    #[schemars(range(min = 1, max = 65_535))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) most: Option<u32>,
    /// How long ACKs are kept back before they contend like other packets. Default: "10968 us", two
    /// of the longest PPDUs.
    pub(crate) patience: Option<Qty<Span>>,
    /// Whether data reserve the air for `most` ACKs in their answer. Default: false, for the answer
    /// without ACKs.
    pub(crate) reserve: Option<bool>,
}

impl<'de> Deserialize<'de> for HackSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = HackSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a table such as { ack_size = \"4 B\", most = 64 }")
            }

            fn visit_bool<E>(self, on: bool) -> Result<HackSpec, E> {
                Ok(HackSpec(on.then(HackTable::default)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HackSpec, A::Error> {
                HackTable::deserialize(MapAccessDeserializer::new(map)).map(|t| HackSpec(Some(t)))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for HackSpec {
    fn schema_name() -> Cow<'static, str> {
        "Hack".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<HackTable>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, table] })
    }
}
