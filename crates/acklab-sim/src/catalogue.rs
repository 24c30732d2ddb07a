//! The building blocks that a scenario can name: controllers, ACK policies, filters, queues, parts of radio channels.

use crate::scenario;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::qdisc::Limit;
use acklab_path::qdisc::registry::{Build, Counts, DISCIPLINES};
use acklab_proto::registry::{Entry, Kind, Param, Value, find};
use acklab_units as units;
use serde::Serialize;

/// The kinds of building blocks.
pub const KINDS: [&str; 9] = [
    "transport",
    "cc",
    "ack",
    "filter",
    "qdisc",
    "rate-control",
    "station-queue",
    "path-loss",
    "fading",
];

/// Description of a building block for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// The name in a scenario.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    /// RFC, paper or file that defines it.
    pub source: &'static str,
    /// How much may wait in a queue discipline: the key `queue`, which stands beside `qdisc`. None of other
    /// blocks, and of disciplines that let packets wait in others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Parameter>,
    /// Its parameters. Keys of tables in a list follow the list.
    pub params: Vec<Parameter>,
    /// Parameters that tc or RouterOS has of it, and a scenario has in another place or not at all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
}

/// A parameter that tc or RouterOS has of a building block and a scenario has not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Elsewhere {
    /// The name there, with underscores; that of a table in a list stands behind the list's name and a dot.
    pub name: String,
    /// What to write instead.
    pub hint: &'static str,
    /// The parameters of what is to be written.
    pub params: Vec<Parameter>,
}

/// A parameter of a building block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// The key in a scenario; that of a table in a list stands behind the list's name and a dot.
    pub name: String,
    /// One sentence.
    pub doc: &'static str,
    /// The values that it accepts, in words.
    pub accepts: String,
    /// The same for a control.
    pub kind: Accepted,
    /// The default, in the spelling of scenarios.
    pub default: String,
}

/// The values that a parameter accepts, as far as a control has to know.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Accepted {
    /// On or off.
    Bool,
    /// A whole number.
    Int {
        /// Not less than this.
        min: i64,
        /// Not more than this.
        max: i64,
    },
    /// A real number.
    Float {
        /// Not less than this.
        min: f64,
        /// Not more than this.
        max: f64,
    },
    /// A length of time with its unit.
    Span,
    /// A data rate with its unit.
    Rate,
    /// A size with its unit.
    Size,
    /// One of these words.
    Choice {
        /// The words.
        choices: &'static [&'static str],
    },
    /// A list of tables.
    Tables,
    /// Names, or another block.
    Other,
}

/// The building blocks of one of [`KINDS`], in the order of their registry.
pub fn catalogue(kind: &str) -> Option<Vec<Block>> {
    Some(match kind {
        "transport" => blocks(acklab_proto::transport::registry::TRANSPORTS),
        "cc" => blocks(acklab_proto::cc::registry::CONTROLLERS),
        "ack" => blocks(acklab_proto::ack::registry::POLICIES),
        "filter" => blocks(FILTERS),
        "qdisc" => disciplines(),
        "rate-control" => blocks(acklab_path::wifi::rate::registry::CONTROLS),
        "station-queue" => blocks(acklab_path::wifi::mac::queue::registry::QUEUES),
        "path-loss" => blocks(acklab_path::wifi::propagation::registry::PATH_LOSSES),
        "fading" => blocks(acklab_path::wifi::propagation::registry::FADINGS),
        _ => return None,
    })
}

fn disciplines() -> Vec<Block> {
    let entries = DISCIPLINES.iter().zip(blocks(DISCIPLINES));
    let whole = |(e, block): (&Entry<Build>, Block)| Block {
        queue: queue(e),
        elsewhere: elsewhere(e.name),
        ..block
    };
    entries.map(whole).collect()
}

/// What tc has of the discipline called `name` and a scenario has elsewhere. An ACK filter has the name of the
/// discipline that tc has it in.
fn elsewhere(name: &str) -> Vec<Elsewhere> {
    let filter = find(FILTERS, name).into_iter();
    let filter: Vec<_> = filter.flat_map(|e| e.params.iter()).collect();
    let all = scenario::choice::elsewhere::of(name);
    let of = |e: &scenario::choice::elsewhere::Elsewhere| Elsewhere {
        name: e.name(),
        hint: e.hint,
        params: match e.name().as_str() {
            "ack_filter" => filter.iter().map(|p| parameter(p, "")).collect(),
            _ => Vec::new(),
        },
    };
    all.map(of).collect()
}

/// The key `queue` of disciplines, with the source of its default.
const LIMIT_SOURCES: [(&str, &str); 7] = [
    (
        "pfifo",
        "Limit of the queue, a key beside `qdisc` (Linux: txqueuelen of Ethernet). At the bottleneck of a preset the default is 1 BDP.",
    ),
    (
        "bfifo",
        "Limit of the queue, a key beside `qdisc` (Linux: txqueuelen times psched_mtu).",
    ),
    (
        "pfifo-head-drop",
        "Limit of the queue, a key beside `qdisc` (Linux: txqueuelen of Ethernet).",
    ),
    (
        "codel",
        "Limit of the queue, a key beside `qdisc` (tc-codel(8)).",
    ),
    (
        "fq-codel",
        "Limit of all flows' queues together, a key beside `qdisc` (RFC 8290 section 5.2.3).",
    ),
    (
        "pie",
        "Limit of the queue, a key beside `qdisc` (tc-pie(8)).",
    ),
    (
        "red",
        "Limit of the queue, a key beside `qdisc` (the example of tc-red(8)).",
    ),
];

/// The key `queue` of a discipline.
fn queue(entry: &Entry<Build>) -> Option<Parameter> {
    let accepts = match entry.build.counts {
        Counts::Inside | Counts::Memory => return None,
        Counts::Packets => "packets",
        Counts::Bytes => "a size",
        Counts::Either => "packets, a size or BDP",
    };
    let source = LIMIT_SOURCES.iter().find(|(name, _)| *name == entry.name);
    let doc = source.map_or("Limit of the queue, a key beside `qdisc`.", |(_, doc)| doc);
    let default = match entry.build.limit {
        Limit::Packets(n) => units::Limit::Packets(n),
        Limit::Bytes(n) => units::Limit::Bytes(units::Bytes(n)),
    };
    Some(Parameter {
        name: "queue".to_owned(),
        doc,
        accepts: accepts.to_owned(),
        kind: Accepted::Other,
        default: default.to_string(),
    })
}

fn blocks<B>(entries: &'static [Entry<B>]) -> Vec<Block> {
    let block = |e: &Entry<B>| Block {
        name: e.name,
        aliases: e.aliases,
        summary: e.summary,
        source: e.source,
        queue: None,
        params: e.params.iter().flat_map(with_inner).collect(),
        elsewhere: Vec::new(),
    };
    entries.iter().map(block).collect()
}

/// A parameter, and those of the tables that it is a list of.
fn with_inner(p: &'static Param) -> Vec<Parameter> {
    let inner = match p.kind {
        Kind::Tables(inner) => inner,
        _ => &[],
    };
    let outer = format!("{}.", p.name);
    let inner = inner.iter().map(|key| parameter(key, &outer));
    std::iter::once(parameter(p, "")).chain(inner).collect()
}

fn parameter(p: &Param, outer: &str) -> Parameter {
    Parameter {
        name: format!("{outer}{}", p.name),
        doc: p.doc,
        accepts: p.kind.describe(),
        kind: accepted(p.kind),
        default: spell(p),
    }
}

const fn accepted(kind: Kind) -> Accepted {
    match kind {
        Kind::Bool => Accepted::Bool,
        Kind::Int(min, max) => Accepted::Int { min, max },
        Kind::Float(min, max) => Accepted::Float { min, max },
        Kind::Span(..) | Kind::OptSpan(..) => Accepted::Span,
        Kind::Rate | Kind::OptRate => Accepted::Rate,
        Kind::Size(..) | Kind::AutoSize(..) => Accepted::Size,
        Kind::Choice(choices) => Accepted::Choice { choices },
        Kind::Tables(_) => Accepted::Tables,
        Kind::Block | Kind::Name | Kind::Names(_) => Accepted::Other,
    }
}

/// The text in place of a default where a value has to be written.
const NEEDED: &str = "(needed)";

fn spell(p: &Param) -> String {
    match p.default {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => x.to_string(),
        Value::Span(s) => s.to_string(),
        Value::Rate(r) if r.is_unlimited() => NEEDED.to_owned(),
        Value::Rate(r) => r.to_string(),
        Value::Size(s) => s.to_string(),
        Value::Choice(c) => c.to_owned(),
        Value::Auto if matches!(p.kind, Kind::Tables(_)) => NEEDED.to_owned(),
        Value::Auto if p.kind.is_nested() => "none".to_owned(),
        Value::Auto if matches!(p.kind, Kind::OptSpan(..) | Kind::OptRate) => "none".to_owned(),
        Value::Auto => "automatic".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_blocks_and_each_block_says_what_it_is() {
        for kind in KINDS {
            let blocks = catalogue(kind).unwrap();
            assert!(!blocks.is_empty(), "{kind}");
            for b in &blocks {
                assert!(!b.name.is_empty() && !b.summary.is_empty(), "{b:?}");
                for p in &b.params {
                    assert!(!p.doc.is_empty() && !p.default.is_empty(), "{p:?}");
                }
            }
        }
        assert_eq!(catalogue("controller"), None);
    }

    /// Defaults as docs/scenario.md has them.
    #[test]
    fn disciplines_say_how_much_may_wait() {
        let qdiscs = catalogue("qdisc").unwrap();
        let default = |name: &str| {
            let block = qdiscs.iter().find(|b| b.name == name).unwrap();
            block.queue.as_ref().map(|q| q.default.clone())
        };
        for (name, limit) in [
            ("pfifo", "1000 packets"),
            ("pfifo-head-drop", "1000 packets"),
            ("codel", "1000 packets"),
            ("fq-codel", "10240 packets"),
            ("red", "400 kB"),
        ] {
            assert_eq!(default(name).as_deref(), Some(limit), "{name}");
        }
        for name in ["cake", "tbf", "htb", "queue-tree"] {
            assert_eq!(default(name), None, "{name}");
        }
        assert!(catalogue("cc").unwrap().iter().all(|b| b.queue.is_none()));
    }

    #[test]
    fn what_tc_has_of_cake_and_a_scenario_has_elsewhere() {
        let qdiscs = catalogue("qdisc").unwrap();
        let cake = qdiscs.iter().find(|b| b.name == "cake").unwrap();
        let names: Vec<_> = cake.elsewhere.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["ack_filter", "nat", "split_gso", "wash", "fwmark"]);
        let modes: Vec<_> = cake.elsewhere.iter().flat_map(|e| &e.params).collect();
        assert_eq!(modes.len(), 1);
        assert_eq!(modes[0].accepts, "one of conservative, aggressive");
    }

    #[test]
    fn keys_of_tables_that_a_scenario_has_not_follow_their_list() {
        let qdiscs = catalogue("qdisc").unwrap();
        let of = |name: &str| {
            let block = qdiscs.iter().find(|b| b.name == name).unwrap();
            let names = block.elsewhere.iter().map(|e| e.name.as_str());
            names.collect::<Vec<_>>()
        };
        assert_eq!(of("htb"), ["default", "r2q"]);
        let bursts = ["burst_limit", "burst_threshold", "burst_time"];
        assert_eq!(of("queue-tree"), bursts.map(|key| format!("queues.{key}")));
        assert!(of("codel").is_empty());
    }

    #[test]
    fn every_limit_has_the_source_of_its_default() {
        for (name, _) in LIMIT_SOURCES {
            assert!(find(DISCIPLINES, name).is_some(), "{name}");
        }
        let limited = DISCIPLINES.iter().filter(|e| e.build.counts.has_limit());
        assert_eq!(limited.count(), LIMIT_SOURCES.len());
    }

    #[test]
    fn keys_of_tables_follow_their_list() {
        let qdiscs = catalogue("qdisc").unwrap();
        let htb = qdiscs.iter().find(|b| b.name == "htb").unwrap();
        let list = htb.params.iter().position(|p| p.kind == Accepted::Tables);
        let next = &htb.params[list.unwrap() + 1];
        let outer = format!("{}.", htb.params[list.unwrap()].name);
        assert!(next.name.starts_with(&outer), "{next:?}");
    }
}
