//! Flows and what they carry.

use super::{AckSpec, CategoryWord, CcSpec, DscpSpec, Qty, TcpSpec, TransportSpec};
use crate::plan::WhenFull;
use acklab_units::{Bytes, Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::borrow::Cow;

/// A flow, or several alike.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FlowSpec {
    /// Unique name. Default: "f0", "f1", ... by position. With `count`, "-0", "-1", ... follow.
    #[schemars(length(min = 1))]
    pub(crate) name: Option<String>,
    /// Node that opens the connection and, in bulk, sends. Default in a preset: the sender of the
    /// next pair.
    pub(crate) from: Option<String>,
    /// The other node. Default in a preset: the receiver of the next pair.
    pub(crate) to: Option<String>,
    /// The transport of both ends. Default: "tcp".
    pub(crate) transport: Option<TransportSpec>,
    /// Congestion controller. Default: "cubic".
    pub(crate) cc: Option<CcSpec>,
    /// ACK policy of the receiver. Default: that of the profile.
    pub(crate) ack: Option<AckSpec>,
    /// The application of the flow. Default: "bulk".
    pub(crate) app: Option<AppSpec>,
    /// When the connection is opened, counted from the start of the run. Default: `start`.
    pub(crate) start: Option<Qty<Span>>,
    /// The start is moved by a random time from 0 to this. Default: "0 s".
    pub(crate) start_jitter: Option<Qty<Span>>,
    /// Access category of its packets on radio channels. Default: the channel's.
    pub(crate) category: Option<CategoryWord>,
    /// Differentiated-services codepoint of its packets, in both directions. CAKE's tins and HTB's
    /// classes sort by it. Default: "CS0".
    pub(crate) dscp: Option<DscpSpec>,
    /// Number of flows like this one. Default: 1.
    #[schemars(range(min = 1, max = 10000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) count: Option<u32>,
    /// TCP settings that differ from those of `[tcp]`.
    pub(crate) tcp: TcpSpec,
}

/// The application of a flow: a word, or a table with its `kind`.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AppSpec {
    Bulk(BulkSpec),
    OnOff(OnOffSpec),
    RequestResponse(RequestResponseSpec),
    Video(VideoSpec),
}

/// The application of a flow, with its keys.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "kind", rename = "AppTable")]
#[expect(dead_code, reason = "only its schema is used")]
enum AppTable {
    /// Sends as fast as the connection takes it.
    Bulk(BulkSpec),
    /// Bursts at a constant rate with pauses.
    OnOff(OnOffSpec),
    /// The source asks, the destination answers, again after a pause.
    RequestResponse(RequestResponseSpec),
    /// Frames of a live video; the destination shows them.
    Video(VideoSpec),
}

impl JsonSchema for AppSpec {
    fn schema_name() -> Cow<'static, str> {
        "App".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<AppTable>();
        let words = ["bulk", "on-off", "request-response", "video"];
        json_schema!({ "anyOf": [{ "enum": words }, table] })
    }
}

/// Sends as fast as the connection takes it.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("not" = { "required": ["bytes", "packets"] }))]
pub(crate) struct BulkSpec {
    /// Bytes to send, then close. Default: without end.
    pub(crate) bytes: Option<Qty<Bytes>>,
    /// The same in full segments.
    #[schemars(range(min = 1))]
    pub(crate) packets: Option<u64>,
    /// Stop at this time, counted from the start of the run. Default: never.
    pub(crate) until: Option<Qty<Span>>,
}

/// Bursts at a constant rate with pauses.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OnOffSpec {
    /// Rate while on. Default: "1 Mbit/s".
    pub(crate) rate: Option<Qty<Rate>>,
    /// Mean length of a burst. Default: "1 s".
    pub(crate) on: Option<Qty<Span>>,
    /// Mean length of a pause. Default: "1 s".
    pub(crate) off: Option<Qty<Span>>,
    /// Bytes per write. Default: one segment.
    pub(crate) chunk: Option<Qty<Bytes>>,
    /// Lengths are exponential instead of constant. Default: false.
    pub(crate) random: Option<bool>,
    /// The fate of bytes that find the send buffer full. Default: "keep".
    pub(crate) when_full: Option<WhenFullWord>,
}

words! {
    /// The fate of bytes that find the send buffer full.
    WhenFullWord for WhenFull {
        /// They wait in the application, without limit, and are written as soon as there is room.
        "keep" = Keep,
        /// They are lost and counted (`app_dropped_bytes`).
        "drop" = Drop,
    }
}

/// The source asks, the destination answers, again after a pause.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RequestResponseSpec {
    /// Bytes of a request. Default: "100 B".
    pub(crate) request: Option<Qty<Bytes>>,
    /// Bytes of a response. Default: "10 kB".
    pub(crate) response: Option<Qty<Bytes>>,
    /// Pause between a response and the next request. Default: "0 s".
    pub(crate) think: Option<Qty<Span>>,
    /// Number of exchanges. Default: without end.
    #[schemars(range(min = 1))]
    pub(crate) count: Option<u64>,
}

/// Frames of a live video; the destination shows them.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VideoSpec {
    /// Mean bit rate. Default: "10 Mbit/s".
    pub(crate) rate: Option<Qty<Rate>>,
    /// Frames per second. Default: 60.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) fps: Option<u32>,
    /// Frames from one I frame to the next. Default: those of a second.
    #[schemars(range(min = 1, max = 100000))]
    pub(crate) gop: Option<u32>,
    /// Mean size of an I frame in P frames. Default: 5.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) i_frame: Option<f64>,
    /// Standard deviation of a frame's size over its mean; log-normal. Default: 0.2.
    #[schemars(range(min = 0, max = 10))]
    pub(crate) variation: Option<f64>,
    /// Video that must be there before the first picture; over "rtp", time from the first packet to
    /// it. Default: "100 ms".
    pub(crate) start_up: Option<Qty<Span>>,
    /// Video that must be there before a picture that stands still moves on. Default: as `start_up`.
    pub(crate) rebuffer: Option<Qty<Span>>,
}
