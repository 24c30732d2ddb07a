//! TCP settings: every field of `TcpConfig`, each optional.

use super::Qty;
use crate::scenario::de::with_hint;
use acklab_proto::tcp::Profile;
use acklab_proto::tcp::config::{EcnMode, LossDetection, Pacing, Reduction, RttSamples};
use acklab_units::{Bytes, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// TCP settings. Keys that are left out come from the profile.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TcpSpec {
    /// Where defaults come from. Default: "linux".
    pub(crate) profile: Option<ProfileWord>,
    /// Payload bytes of a full data segment, 1 to 65455.
    #[schemars(range(min = 1, max = 65455))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) segment: Option<u32>,
    /// Timestamps option (RFC 7323).
    pub(crate) timestamps: Option<bool>,
    /// Window scaling (RFC 7323).
    pub(crate) window_scaling: Option<bool>,
    /// Selective acknowledgements (RFC 2018).
    pub(crate) sack: Option<bool>,
    /// Report duplicates by DSACK (RFC 2883).
    pub(crate) dsack: Option<bool>,
    /// Explicit congestion notification (RFC 3168).
    pub(crate) ecn: Option<EcnWord>,
    /// Initial window in segments (RFC 6928).
    #[schemars(range(min = 1, max = 1000000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) initial_window: Option<u32>,
    /// Send buffer: a size (no autotuning), or where autotuning starts and ends.
    pub(crate) send_buffer: Option<BufferSpec>,
    /// Receive buffer: a size (no autotuning), or where autotuning starts and ends.
    pub(crate) recv_buffer: Option<BufferSpec>,
    /// Segments that an autotuned receive buffer has room for beside what the application reads:
    /// 16 in Linux before 6.16, which then acknowledges more segments one by one. Default: 0.
    #[schemars(range(max = 1000000))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) recv_cushion: Option<u32>,
    /// Share of an autotuned receive buffer's memory that full segments fill with data, in 256ths:
    /// 162 where they come over a virtual cable. Default: 160.
    #[schemars(range(min = 1, max = 255))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) recv_share: Option<u32>,
    /// Memory in bytes of the block in which an autotuned receive buffer keeps a segment above a gap, with
    /// the neighbours behind it that fit: 4352 where linear packets come over a virtual cable. Default: 0,
    /// no blocks.
    #[schemars(range(max = 1000000))]
    #[serde(deserialize_with = "super::words::from_zero")]
    pub(crate) recv_block: Option<u32>,
    /// Shortest retransmission timeout.
    pub(crate) min_rto: Option<Qty<Span>>,
    /// Longest retransmission timeout.
    pub(crate) max_rto: Option<Qty<Span>>,
    /// Retransmission timeout before the first RTT sample.
    pub(crate) initial_rto: Option<Qty<Span>>,
    /// RTT estimator.
    pub(crate) rtt_estimator: Option<EstimatorSpec>,
    /// RTT samples are rounded down to a multiple of this; "0 s" is exact.
    pub(crate) rtt_granularity: Option<Qty<Span>>,
    /// Sender and BBR reckon in Linux's units: stamps of whole microseconds, and for BBRv1, BBRv2, and BBRv3 with
    /// `source = "google"`, packets and 2^-24 packets per microsecond. Default: false.
    pub(crate) kernel_units: Option<bool>,
    /// Timers expire on multiples of this after they are set; "0 s" is exact.
    pub(crate) jiffy: Option<Qty<Span>>,
    /// Unanswered timeouts before the connection is given up.
    pub(crate) max_retries: Option<u32>,
    /// How losses are found.
    pub(crate) loss_detection: Option<LossDetectionWord>,
    /// Tail loss probes (RFC 8985 section 7).
    pub(crate) tlp: Option<bool>,
    /// How the window comes down during recovery. Default: "prr"; with profile "ns3" "ns3-prr", the only
    /// one of its sender.
    pub(crate) reduction: Option<ReductionWord>,
    /// F-RTO (RFC 5682).
    pub(crate) frto: Option<bool>,
    /// Undo spurious reductions (Eifel, DSACK).
    pub(crate) undo: Option<bool>,
    /// A partial segment waits while an earlier partial one is unacknowledged (Nagle, Minshall).
    pub(crate) nagle: Option<bool>,
    /// Limited transmit (RFC 3042).
    pub(crate) limited_transmit: Option<bool>,
    /// The window grows only when it was the limit.
    pub(crate) cwnd_validation: Option<bool>,
    /// The window shrinks after idle time.
    pub(crate) idle_restart: Option<bool>,
    /// When to pace.
    pub(crate) pacing: Option<PacingWord>,
    /// Pacing rate in slow start, percent of window over RTT.
    #[schemars(range(min = 1, max = 100000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) pacing_ss_ratio: Option<u32>,
    /// Pacing rate afterwards, percent of window over RTT.
    #[schemars(range(min = 1, max = 100000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) pacing_ca_ratio: Option<u32>,
    /// Segments released at once when paced; 0 leaves it to the controller.
    pub(crate) pacing_quantum: Option<u32>,
    /// Compression of ACKs that carry SACK blocks, or "off".
    pub(crate) sack_compression: Option<CompressionSpec>,
    /// The sender looks at the SACK blocks of an ACK in the order of their numbers, as Linux does, and not in
    /// that of the option. Default: false.
    pub(crate) sack_sorted: Option<bool>,
    /// Sequence number of the SYN. Default: drawn from the seed.
    pub(crate) isn: Option<u32>,
}

words! {
    /// A coherent set of defaults.
    ProfileWord for Profile {
        /// As Linux 6.12 to 6.18.
        "linux" = Linux,
        /// As ns-3.44.
        "ns3" = Ns3,
        /// As the RFCs recommend.
        "rfc" = Rfc,
    }
}

words! {
    /// Explicit congestion notification.
    EcnWord for EcnMode {
        /// Neither asked for nor accepted.
        "off" = Off,
        /// Accepted when the peer asks.
        "passive" = Passive,
        /// Asked for.
        "on" = On,
    }
}

words! {
    /// How many RTT samples the estimator of RFC 6298 takes.
    RttSamplesWord for RttSamples {
        /// That of each acknowledgement.
        "every-ack" = EveryAck,
        /// One for each window of data, as of senders that time one segment at a time.
        "one-per-window" = OnePerWindow,
    }
}

words! {
    /// How losses are found.
    LossDetectionWord for LossDetection {
        /// RACK (RFC 8985).
        "rack" = Rack,
        /// Duplicate ACKs or RFC 6675.
        "dupack" = DupAck,
    }
}

words! {
    /// How the window comes down during recovery.
    ReductionWord for Reduction {
        /// Proportional rate reduction (RFC 9937), as in Linux.
        "prr" = Prr,
        /// Proportional rate reduction as in ns-3: of profile "ns3" only.
        "ns3-prr" = Ns3Prr,
        /// The target at once: RFC 6675 with SACK, window inflation (RFC 5681, RFC 6582) without. Not of
        /// profile "ns3".
        "classic" = Classic,
    }
}

words! {
    /// When to pace.
    PacingWord for Pacing {
        /// Only for controllers that need it.
        "auto" = Auto,
        /// Always.
        "always" = Always,
        /// Never, whatever the controller says.
        "never" = Never,
    }
}

/// RTT estimator: a word, or a table with its `kind`.
#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EstimatorSpec {
    Linux,
    Rfc6298(Rfc6298Spec),
}

/// RFC 6298.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Rfc6298Spec {
    /// Clock granularity `G`. Default: "1 ms".
    pub(crate) granularity: Option<Qty<Span>>,
    /// Which samples count. Default: "every-ack".
    pub(crate) samples: Option<RttSamplesWord>,
}

impl JsonSchema for EstimatorSpec {
    fn schema_name() -> Cow<'static, str> {
        "RttEstimator".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let time = g.subschema_for::<Qty<Span>>();
        let samples = g.subschema_for::<RttSamplesWord>();
        json_schema!({ "anyOf": [
            { "enum": ["linux", "rfc6298"] },
            {
                "type": "object",
                "properties": { "kind": { "const": "linux" } },
                "required": ["kind"],
                "additionalProperties": false,
            },
            {
                "type": "object",
                "properties": { "kind": { "const": "rfc6298" }, "granularity": time, "samples": samples },
                "required": ["kind"],
                "additionalProperties": false,
            },
        ] })
    }
}

/// A socket buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferSpec {
    pub(crate) initial: Bytes,
    pub(crate) max: Bytes,
}

/// A buffer with autotuning.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BufferTable {
    /// Size at the start.
    initial: Qty<Bytes>,
    /// Size that autotuning may reach.
    max: Qty<Bytes>,
}

impl<'de> Deserialize<'de> for BufferSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = BufferSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size, such as \"4 MiB\", or { initial = \"...\", max = \"...\" }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<BufferSpec, E> {
                let size: Bytes = text
                    .parse()
                    .map_err(|e: acklab_units::QuantityError| E::custom(with_hint(&e, e.hint())))?;
                Ok(BufferSpec {
                    initial: size,
                    max: size,
                })
            }

            fn visit_i64<E: de::Error>(self, n: i64) -> Result<BufferSpec, E> {
                self.visit_str(&n.to_string())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BufferSpec, A::Error> {
                let table = BufferTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(BufferSpec {
                    initial: table.initial.0,
                    max: table.max.0,
                })
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for BufferSpec {
    fn schema_name() -> Cow<'static, str> {
        "Buffer".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let size = g.subschema_for::<Qty<Bytes>>();
        let table = g.subschema_for::<BufferTable>();
        json_schema!({ "anyOf": [size, table] })
    }
}

/// Compression of ACKs that carry SACK blocks; `None` = off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompressionSpec(pub(crate) Option<CompressionTable>);

/// Compression of ACKs that carry SACK blocks (Linux `tcp_comp_sack_*`).
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CompressionTable {
    /// Longest delay. Default: "1 ms".
    pub(crate) delay: Option<Qty<Span>>,
    /// Timer slack. Default: "100 us".
    pub(crate) slack: Option<Qty<Span>>,
    /// Share of the RTT that the delay is at most, in per cent. Default: 5.
    #[schemars(range(min = 1, max = 100))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) rtt_percent: Option<u32>,
    /// Whether an ACK that the timer sends bears the present time, and not that of the last arrival. Default: false.
    pub(crate) restamp: Option<bool>,
    /// Most ACKs merged into one. Default: 44.
    #[schemars(range(min = 1))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) count: Option<u32>,
}

impl<'de> Deserialize<'de> for CompressionSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = CompressionSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"off\", or { delay = \"1 ms\", slack = \"100 us\", count = 44 }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<CompressionSpec, E> {
                match text {
                    "off" => Ok(CompressionSpec(None)),
                    _ => Err(E::invalid_type(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CompressionSpec, A::Error> {
                CompressionTable::deserialize(MapAccessDeserializer::new(map))
                    .map(|t| CompressionSpec(Some(t)))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for CompressionSpec {
    fn schema_name() -> Cow<'static, str> {
        "SackCompression".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<CompressionTable>();
        json_schema!({ "anyOf": [{ "const": "off" }, table] })
    }
}
