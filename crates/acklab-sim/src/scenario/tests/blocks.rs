//! Building blocks for tests, independent of those that exist. They cannot be built.

use crate::scenario::registries::Registries;
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_proto::{ack, cc};
use acklab_units::Span;

const fn param(name: &'static str, kind: Kind, default: Value) -> Param {
    Param {
        name,
        doc: "",
        kind,
        default,
    }
}

const fn entry<B>(name: &'static str, params: &'static [Param], build: B) -> Entry<B> {
    Entry {
        name,
        aliases: &[],
        summary: "",
        source: "",
        params,
        build,
    }
}

const NO_CC: cc::Build = |_, _| unreachable!("not for running");
const NO_ACK: ack::Build = |_| unreachable!("not for running");

/// A filter that keeps ACKs back, as far as a scenario asks.
fn holder(_: &Params) -> Box<dyn acklab_path::ack_filter::AckFilter> {
    let aggregate = &acklab_path::ack_filter::aggregate::ENTRY;
    (aggregate.build)(&Params::defaults(aggregate.params))
}

const BETA: Param = param("beta", Kind::Float(0.1, 0.9), Value::Float(0.7));
const PACED: Param = param("pacing_rate", Kind::Rate, Value::Auto);
const TIMEOUT: Kind = Kind::Span(Span::from_micros(1), Span::from_secs(10));
const FIVE_MS: Value = Value::Span(Span::from_millis(5));

static CC: &[Entry<cc::Build>] = &[
    entry(
        "cubic",
        &[BETA, param("hystart", Kind::Bool, Value::Bool(true)), PACED],
        NO_CC,
    ),
    entry(
        "newreno",
        &[param(
            "growth",
            Kind::Choice(&["abc", "ns3"]),
            Value::Choice("abc"),
        )],
        NO_CC,
    ),
];

static ACK: &[Entry<ack::Build>] = &[
    entry("linux", &[], NO_ACK),
    entry(
        "delayed",
        &[
            param("count", Kind::Int(1, 1000), Value::Int(2)),
            param(
                "timeout",
                Kind::OptSpan(Span::ZERO, Span::from_secs(1)),
                Value::Auto,
            ),
        ],
        NO_ACK,
    ),
];

static FILTER: &[Entry<acklab_path::ack_filter::Build>] = &[entry(
    "aggregate",
    &[
        param("ratio", Kind::Int(1, 1000), Value::Int(2)),
        param("timeout", TIMEOUT, FIVE_MS),
    ],
    holder,
)];

/// A folder with a few traces, good and bad.
fn folder(name: &str) -> Result<String, String> {
    match name {
        "lte.up" | "other/lte.up" | "../lte.up" => Ok("3\n5\n5\n10\n".to_string()),
        "empty" => Ok(String::new()),
        "back" => Ok("3\n2\n".to_string()),
        _ => Err("no such file".to_string()),
    }
}

pub(super) const REGISTRIES: Registries<'static> = Registries {
    transport: acklab_proto::transport::registry::TRANSPORTS,
    files: &folder,
    stop: &crate::scenario::registries::NEVER,
    cc: CC,
    ack: ACK,
    filter: FILTER,
    qdisc: acklab_path::qdisc::registry::DISCIPLINES,
};
