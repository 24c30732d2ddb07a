//! The records of a run.

use super::{OrOff, Qty};
use acklab_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The records of a run beside the summaries; by default nothing, which costs nothing.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RecordSpec {
    /// Distance of the samples of the time series, or "off". Default: "off".
    pub(crate) every: Option<OrOff<Span>>,
    /// Events of the senders: states, recoveries, losses, retransmissions. Default: false.
    pub(crate) events: Option<bool>,
    /// Acknowledgements sent, held, merged, dropped, released, received. Default: false.
    pub(crate) acks: Option<bool>,
    /// One-way delay of data and its jitter. Default: false.
    pub(crate) delays: Option<bool>,
    /// Sojourn times in the queues of links. Default: false.
    pub(crate) queues: Option<bool>,
    /// Packets: true for everywhere, or the names of the nodes (at the ends of flows) and
    /// directions of links where to watch. Default: false.
    pub(crate) packets: Option<TapsSpec>,
    /// The PPDUs on the air of radio channels. Default: false.
    pub(crate) ppdus: Option<bool>,
    /// The content of those PPDUs, for captures as of a radio in monitor mode. Default: false.
    pub(crate) frames: Option<bool>,
    /// Of events, acks, packets, ppdus and frames only those from this time of the run on are kept.
    /// Default: 0 s.
    pub(crate) from: Option<Qty<Span>>,
    /// Of these only those up to this time of the run are kept. Default: the end of the run.
    pub(crate) until: Option<Qty<Span>>,
}

/// Where packets are watched.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TapsSpec {
    /// Everywhere, or nowhere.
    All(bool),
    /// At these nodes and links.
    Named(Vec<String>),
}

impl<'de> Deserialize<'de> for TapsSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = TapsSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a list of nodes and links such as [\"left->right\"]")
            }

            fn visit_bool<E: de::Error>(self, all: bool) -> Result<TapsSpec, E> {
                Ok(TapsSpec::All(all))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<TapsSpec, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = seq.next_element()? {
                    names.push(name);
                }
                Ok(TapsSpec::Named(names))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for TapsSpec {
    fn schema_name() -> Cow<'static, str> {
        "Taps".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "boolean" },
                { "type": "array", "items": { "type": "string" } },
            ]
        })
    }
}
