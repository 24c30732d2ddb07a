//! Links: two directions with a rate, a delay, a queue, and whatever goes wrong on them.

use super::{FiltersSpec, OrNone, Probability, QdiscSpec, Qty};
use acklab_path::impair::LossPlace;
use acklab_units::{Bytes, Limit, Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{EnumAccessDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserializer, EnumAccess, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Declares a table with keys of its own and those that every direction of a link has. (serde
/// cannot flatten a struct and refuse unknown keys at the same time.)
macro_rules! with_direction_keys {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* }) => {
        #[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
        #[serde(deny_unknown_fields, default)]
        $(#[$doc])*
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $ty,)*
            /// Bits per second, "unlimited", or a trace. Default: "unlimited".
            pub(crate) rate: Option<RateSpec>,
            /// Propagation delay. Default: "0 s".
            pub(crate) delay: Option<Qty<Span>>,
            /// Most that waits in front of the transmitter. Default: "1000 packets" (Linux's
            /// txqueuelen); of a preset's bottleneck "1 BDP"; with fq-codel "10240 packets".
            pub(crate) queue: Option<Qty<Limit>>,
            /// The queue discipline. Default: "pfifo", which is drop-tail.
            pub(crate) qdisc: Option<QdiscSpec>,
            /// Packets that can wait in the device below another discipline than "pfifo", unseen by
            /// it. Default: 0.
            #[schemars(range(max = 65_535))]
            pub(crate) device_queue: Option<u32>,
            /// Waiting more than this marks an ECN-capable packet that arrives with CE, as DCTCP
            /// wants it (RFC 8257 section 3.1). Default: "none".
            pub(crate) mark: Option<OrNone<Limit>>,
            /// Link-layer bytes added to every packet when it is serialised. Default: "0 B"; with a
            /// trace "4 B", as mahimahi counts.
            pub(crate) overhead: Option<Qty<Bytes>>,
            /// ACK filter in front of the queue, or a list in the order in which an ACK meets them;
            /// this direction only.
            pub(crate) ack_filter: Option<FiltersSpec>,
            /// Random loss; this direction only.
            pub(crate) loss: Option<LossSpec>,
            /// Probability that an ECN-capable packet is marked with CE; this direction only.
            pub(crate) ce: Option<Probability>,
            /// Extra delay; order is kept. This direction only.
            pub(crate) jitter: Option<JitterSpec>,
            /// A longer way for a time; order is kept. This direction only.
            pub(crate) detour: Option<DetourSpec>,
            /// Packets held back so that others overtake them; this direction only.
            pub(crate) reorder: Option<ReorderSpec>,
            /// Probability that a packet arrives twice; this direction only.
            pub(crate) duplicate: Option<Probability>,
        }
    };
}

with_direction_keys! {
    /// The way back, where it differs. `rate`, `delay`, `queue`, `qdisc`, `device_queue`, `mark` and
    /// `overhead` are those of the way there unless they stand here; everything else is absent unless it
    /// stands here.
    DirectionSpec {
        /// Name of this direction.
        #[schemars(length(min = 1))]
        name: Option<String>,
    }
}

with_direction_keys! {
    /// A link of a preset network. The way there is the one from senders to receivers.
    PresetLinkSpec {
        /// Times at which the link stands still, both directions together. Default: none.
        pauses: Option<PausesSpec>,
        /// The way back, where it differs.
        reverse: DirectionSpec,
    }
}

with_direction_keys! {
    /// A link. The way there is the one from `a` to `b`.
    #[schemars(extend("required" = ["a", "b"]))]
    LinkSpec {
        /// Name of the way there. Default: "a->b".
        #[schemars(length(min = 1))]
        name: Option<String>,
        /// Node at one end.
        a: Option<String>,
        /// Node at the other end.
        b: Option<String>,
        /// Times at which the link stands still, both directions together. Default: none.
        pauses: Option<PausesSpec>,
        /// The way back, where it differs.
        reverse: DirectionSpec,
    }
}

/// The keys that all three tables share, as one direction.
macro_rules! forward_direction {
    ($spec:expr, $name:expr) => {
        DirectionSpec {
            name: $name,
            rate: $spec.rate.clone(),
            delay: $spec.delay,
            queue: $spec.queue,
            qdisc: $spec.qdisc.clone(),
            device_queue: $spec.device_queue,
            mark: $spec.mark,
            overhead: $spec.overhead,
            ack_filter: $spec.ack_filter.clone(),
            loss: $spec.loss.clone(),
            ce: $spec.ce,
            jitter: $spec.jitter,
            detour: $spec.detour,
            reorder: $spec.reorder,
            duplicate: $spec.duplicate,
        }
    };
}

impl PresetLinkSpec {
    /// The way there.
    pub(crate) fn forward(&self) -> DirectionSpec {
        forward_direction!(self, None)
    }
}

impl LinkSpec {
    /// The way there.
    pub(crate) fn forward(&self) -> DirectionSpec {
        forward_direction!(self, self.name.clone())
    }
}

/// Bits per second, or a file to follow.
#[derive(Clone, Debug)]
pub(crate) enum RateSpec {
    Constant(Qty<Rate>),
    Trace(TraceSpec),
}

/// A line whose capacity follows a recording in mahimahi's format.
#[derive(Deserialize, JsonSchema, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceSpec {
    /// The file: one whole number of milliseconds per line, ascending, each a chance to deliver
    /// 1504 bytes. Relative to the scenario's folder.
    pub(crate) trace: String,
}

/// Packets held back so that others overtake them.
#[derive(Deserialize, JsonSchema, Clone, Copy, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReorderSpec {
    /// Probability that a packet is held back.
    pub(crate) probability: Probability,
    /// For how long.
    pub(crate) delay: Qty<Span>,
}

/// Extra delay: a time for a uniform one, or the quantiles of a log-normal one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JitterSpec {
    Uniform(Qty<Span>),
    Quantiles(QuantilesSpec),
}

/// Extra delay with a heavy tail: log-normal through two quantiles.
#[derive(Deserialize, JsonSchema, Clone, Copy, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuantilesSpec {
    /// Half of the delays are below this.
    pub(crate) median: Qty<Span>,
    /// 99 % of the delays are below this; above the median.
    pub(crate) p99: Qty<Span>,
    /// Longer delays are cut to this; not below p99. Default: "12 h".
    #[serde(default)]
    pub(crate) max: Option<Qty<Span>>,
}

/// A longer way for a stretch of time, as after a change of routes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetourSpec {
    /// Packets take it that would arrive from this time of the run on.
    pub(crate) from: Qty<Span>,
    /// How long it lasts. Default: to the end of the run.
    #[serde(default)]
    pub(crate) length: Option<Qty<Span>>,
    /// So much longer it takes.
    pub(crate) delay: Qty<Span>,
}

/// Times at which a link stands still: nothing enters or leaves, then all that is due goes at once.
#[derive(Deserialize, JsonSchema, Clone, Copy, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct PausesSpec {
    /// Mean length of a pause; exponential.
    pub(crate) length: Qty<Span>,
    /// Mean time from the end of a pause to the next one; exponential.
    pub(crate) gap: Qty<Span>,
}

/// Random loss: a probability, or a table with its `kind`.
#[derive(Clone, Debug)]
pub(crate) struct LossSpec(pub(crate) LossModel);

/// A model of random loss.
#[derive(Deserialize, JsonSchema, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "kind")]
pub(crate) enum LossModel {
    /// No loss.
    None,
    /// Each packet on its own.
    Bernoulli(BernoulliSpec),
    /// Every n-th packet, counted from the first.
    Periodic(PeriodicSpec),
    /// Two states, a transition drawn per packet.
    GilbertElliott(GilbertElliottSpec),
    /// Everything, for a stretch of time.
    Outage(OutageSpec),
}

words! {
    /// Where on a link loss is drawn.
    LossPlaceWord for LossPlace {
        /// On arrival, before ACK filter and queue, as Linux netem does: a lost packet takes no place in the
        /// queue and no time on the line.
        "before-queue" = BeforeQueue,
        /// At the far end, as ns-3's error models do: a lost packet has waited and occupied the line.
        "behind-queue" = BehindQueue,
    }
}

/// A stretch of time in which everything is lost, once or again and again.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutageSpec {
    /// The time of the run at which it begins.
    pub(crate) from: Qty<Span>,
    /// How long it lasts.
    pub(crate) length: Qty<Span>,
    /// From its beginning to that of the next one. Default: there is one.
    #[serde(default)]
    pub(crate) every: Option<Qty<Span>>,
    /// Where it is. Default: "behind-queue".
    #[serde(default)]
    pub(crate) r#where: Option<LossPlaceWord>,
}

/// Independent loss.
#[derive(Deserialize, JsonSchema, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct BernoulliSpec {
    /// Probability of loss.
    pub(crate) p: Probability,
    /// Where it is drawn. Default: "behind-queue".
    #[serde(default)]
    pub(crate) r#where: Option<LossPlaceWord>,
}

/// Deterministic loss.
#[derive(Deserialize, JsonSchema, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeriodicSpec {
    /// Every how many packets one is lost; at least 2.
    #[schemars(range(min = 2))]
    pub(crate) every: u64,
    /// Where it is drawn. Default: "behind-queue".
    #[serde(default)]
    pub(crate) r#where: Option<LossPlaceWord>,
}

/// Loss in bursts (Gilbert 1960, Elliott 1963).
#[derive(Deserialize, JsonSchema, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct GilbertElliottSpec {
    /// Probability to go from good to bad.
    pub(crate) p: Probability,
    /// Probability to go from bad to good.
    pub(crate) r: Probability,
    /// Loss probability in the good state. Default: 0.
    #[serde(default)]
    pub(crate) loss_good: Option<Probability>,
    /// Loss probability in the bad state. Default: 1.
    #[serde(default)]
    pub(crate) loss_bad: Option<Probability>,
    /// Where it is drawn. Default: "behind-queue".
    #[serde(default)]
    pub(crate) r#where: Option<LossPlaceWord>,
}

impl<'de> Deserialize<'de> for RateSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = RateSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rate, such as \"10 Mbit/s\", or { trace = \"FILE\" }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RateSpec, E> {
                Qty::deserialize(StrDeserializer::new(text)).map(RateSpec::Constant)
            }

            // A number lost its unit, as everywhere.
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<RateSpec, E> {
                self.visit_str(&n.to_string())
            }

            fn visit_f64<E: de::Error>(self, x: f64) -> Result<RateSpec, E> {
                self.visit_str(&x.to_string())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RateSpec, A::Error> {
                TraceSpec::deserialize(MapAccessDeserializer::new(map)).map(RateSpec::Trace)
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for RateSpec {
    fn schema_name() -> Cow<'static, str> {
        "LinkRate".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let constant = g.subschema_for::<Qty<Rate>>();
        let trace = g.subschema_for::<TraceSpec>();
        json_schema!({ "anyOf": [constant, trace] })
    }
}

impl<'de> Deserialize<'de> for JitterSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = JitterSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time, or a table such as { median = \"30 us\", p99 = \"500 us\" }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<JitterSpec, E> {
                Qty::deserialize(StrDeserializer::new(text)).map(JitterSpec::Uniform)
            }

            // A number lost its unit, as everywhere.
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<JitterSpec, E> {
                self.visit_str(&n.to_string())
            }

            fn visit_f64<E: de::Error>(self, x: f64) -> Result<JitterSpec, E> {
                self.visit_str(&x.to_string())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JitterSpec, A::Error> {
                QuantilesSpec::deserialize(MapAccessDeserializer::new(map))
                    .map(JitterSpec::Quantiles)
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for JitterSpec {
    fn schema_name() -> Cow<'static, str> {
        "Jitter".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let uniform = g.subschema_for::<Qty<Span>>();
        let quantiles = g.subschema_for::<QuantilesSpec>();
        json_schema!({ "anyOf": [uniform, quantiles] })
    }
}

impl<'de> Deserialize<'de> for LossSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = LossSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a probability, or a table such as { kind = \"periodic\", every = 100 }",
                )
            }

            fn visit_f64<E: de::Error>(self, p: f64) -> Result<LossSpec, E> {
                let p = Probability::deserialize(de::value::F64Deserializer::new(p))?;
                Ok(LossSpec(LossModel::Bernoulli(BernoulliSpec {
                    p,
                    r#where: None,
                })))
            }

            fn visit_i64<E: de::Error>(self, p: i64) -> Result<LossSpec, E> {
                self.visit_f64(p as f64)
            }

            fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<LossSpec, A::Error> {
                LossModel::deserialize(EnumAccessDeserializer::new(choice)).map(LossSpec)
            }
        }
        d.deserialize_enum("LossSpec", &[], V)
    }
}

impl JsonSchema for LossSpec {
    fn schema_name() -> Cow<'static, str> {
        "Loss".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let probability = g.subschema_for::<Probability>();
        let model = g.subschema_for::<LossModel>();
        json_schema!({ "anyOf": [probability, { "const": "none" }, model] })
    }
}
