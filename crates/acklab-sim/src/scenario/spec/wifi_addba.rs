//! How stations come to the block ack agreements that A-MPDUs need.

use super::Qty;
use acklab_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// ADDBA; `None` = off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddbaSpec(pub(crate) Option<AddbaTable>);

/// The set-up of block ack agreements (IEEE 802.11-2020, 10.25.2). Defaults are those of ns-3.44's `QosTxop` and
/// `HtFrameExchangeManager`.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AddbaTable {
    /// MPDUs, sent or not, that are there for a receiver before it is asked for an agreement. Default: 2 with
    /// 802.11n, 1 with 802.11ac and 802.11ax.
    #[schemars(range(min = 1, max = 65_535))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) packets: Option<u32>,
    /// How long the response is waited for once the request is acknowledged. Default: "5 ms".
    pub(crate) response_timeout: Option<Qty<Span>>,
    /// After an attempt that failed, how long none is made. Default: "200 ms".
    pub(crate) failed_timeout: Option<Qty<Span>>,
}

impl<'de> Deserialize<'de> for AddbaSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = AddbaSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a table such as { response_timeout = \"5 ms\" }")
            }

            fn visit_bool<E>(self, on: bool) -> Result<AddbaSpec, E> {
                Ok(AddbaSpec(on.then(AddbaTable::default)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AddbaSpec, A::Error> {
                AddbaTable::deserialize(MapAccessDeserializer::new(map)).map(|t| AddbaSpec(Some(t)))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for AddbaSpec {
    fn schema_name() -> Cow<'static, str> {
        "Addba".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<AddbaTable>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, table] })
    }
}
