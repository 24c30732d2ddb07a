//! How neighbours on a radio channel find out each other's addresses.

use super::Qty;
use acklab_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// ARP; `None` = off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArpSpec(pub(crate) Option<ArpTable>);

/// ARP (RFC 826) between the access point, which is an IP router, and its stations. Defaults are those of
/// ns-3.44's `ArpCache` and `ArpL3Protocol`.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArpTable {
    /// The first question after a packet waits for so long first: whole milliseconds below this, all
    /// equally likely. Default: "10 ms".
    pub(crate) jitter: Option<Qty<Span>>,
    /// Between looks at who has not answered. Default: "1 s".
    pub(crate) wait_reply: Option<Qty<Span>>,
    /// Questions after the first one, before a neighbour counts as dead. Default: 3.
    #[schemars(range(min = 0, max = 255))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) retries: Option<u32>,
    /// Packets that wait for one neighbour; further ones are dropped. Default: 3.
    #[schemars(range(min = 1, max = 65_535))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) pending: Option<u32>,
    /// How long an answer holds. Default: "120 s".
    pub(crate) alive: Option<Qty<Span>>,
    /// How long a neighbour that has not answered is not asked again. Default: "100 s".
    pub(crate) dead: Option<Qty<Span>>,
    /// The station that is asked learns the asker's address, as in RFC 826 and Linux. Default: false.
    pub(crate) learns: Option<bool>,
}

impl<'de> Deserialize<'de> for ArpSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = ArpSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a table such as { retries = 3, learns = true }")
            }

            fn visit_bool<E>(self, on: bool) -> Result<ArpSpec, E> {
                Ok(ArpSpec(on.then(ArpTable::default)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ArpSpec, A::Error> {
                ArpTable::deserialize(MapAccessDeserializer::new(map)).map(|t| ArpSpec(Some(t)))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for ArpSpec {
    fn schema_name() -> Cow<'static, str> {
        "Arp".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<ArpTable>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, table] })
    }
}
