//! The tree as a scenario writes it.

use super::check::check_tree;
use super::class::{Class, KEYS, LEVELS, Match, PRIORITIES};
use super::{Htb, NewLeaf};
use crate::qdisc::QueueDisc;
use crate::qdisc::registry::{Build, Counts, INSIDE, Mistake, Room};
use crate::qdisc::shape::framing::{self, Framing};
use crate::qdisc::shape::tbf::CHILD;
use acklab_proto::registry::{Entry, Kind, Named, Param, Params, Value};
use acklab_units::Rate;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Bytes that may leave at once by default: what tc works out for Ethernet (`htb_parse_class_opt`: one
/// packet of 1600 bytes, and what the rate gives in a tick of a clock of nanoseconds).
const BURST: u64 = 1600;
/// A class sends `rate / 10` bytes in its turn, at least 1000 and at most 200,000 (`r2q`, `htb_change_class`).
const R2Q: u64 = 10;

/// Which packets a class takes, for every tree.
pub(crate) const MATCH: [Param; 4] = [
    Param {
        name: KEYS[0],
        doc: "Accepts the packets of these flows, data and acknowledgements.",
        kind: Kind::Names(Named::Flows),
        default: Value::Auto,
    },
    Param {
        name: KEYS[1],
        doc: "Accepts packets that these nodes have sent.",
        kind: Kind::Names(Named::Nodes),
        default: Value::Auto,
    },
    Param {
        name: KEYS[2],
        doc: "Accepts packets that go to these nodes.",
        kind: Kind::Names(Named::Nodes),
        default: Value::Auto,
    },
    Param {
        name: KEYS[3],
        doc: "Accepts packets with these differentiated-services codepoints.",
        kind: Kind::Names(Named::Dscp),
        default: Value::Auto,
    },
];

/// The name of a class, and the name of the one above.
pub(crate) const TREE: [Param; 2] = [
    Param {
        name: "name",
        doc: "Name by which the key `parent` of others refers to this one.",
        kind: Kind::Name,
        default: Value::Auto,
    },
    Param {
        name: "parent",
        doc: "Name of the one above, from which this one borrows. none: this is a root.",
        kind: Kind::Name,
        default: Value::Auto,
    },
];

const CLASS: &[Param] = &[
    TREE[0],
    TREE[1],
    Param {
        name: "rate",
        doc: "Rate that the class is sure of (tc-htb(8)). Required.",
        kind: Kind::Rate,
        default: Value::Rate(Rate::MAX),
    },
    Param {
        name: "ceil",
        doc: "Highest rate that the class may reach by borrowing (tc-htb(8)). none: `rate`, it never borrows.",
        kind: Kind::OptRate,
        default: Value::Auto,
    },
    Param {
        name: "burst",
        doc: "Bytes that may leave at once at `rate` (tc-htb(8)). Default: 1600 (tc's htb_parse_class_opt).",
        kind: Kind::AutoSize(1, 1 << 30),
        default: Value::Auto,
    },
    Param {
        name: "cburst",
        doc: "Bytes that may leave at once at `ceil` (tc-htb(8)). Default: 1600 (tc's htb_parse_class_opt).",
        kind: Kind::AutoSize(1, 1 << 30),
        default: Value::Auto,
    },
    Param {
        name: "prio",
        doc: "Priority: classes with a smaller number borrow first (tc-htb(8)).",
        kind: Kind::Int(0, PRIORITIES as i64 - 1),
        default: Value::Int(0),
    },
    Param {
        name: "quantum",
        doc: "Bytes that the class sends in its turn (tc-htb(8)). Default: a tenth of its rate in bytes per second (r2q = 10), at least 1000 and at most 200,000.",
        kind: Kind::AutoSize(1, 1 << 30),
        default: Value::Auto,
    },
    MATCH[0],
    MATCH[1],
    MATCH[2],
    MATCH[3],
    CHILD,
];

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "htb",
    aliases: &[],
    summary: "HTB: classes with rates of their own that borrow from the classes above them, up to a ceiling.",
    source: "Linux net/sched/sch_htb.c, tc-htb(8)",
    params: &[
        framing::PARAMS[0],
        framing::PARAMS[1],
        framing::PARAMS[2],
        Param {
            name: "classes",
            doc: "The classes. A packet goes to the first leaf class that accepts it, and to the last one if no other does; `flow`, `from`, `to` and `dscp` stand in for tc's filters. Required.",
            kind: Kind::Tables(CLASS),
            default: Value::Auto,
        },
    ],
    build: Build {
        limit: INSIDE,
        counts: Counts::Inside,
        check,
        make: |values, room| Box::new(make(values, &room)),
    },
};

fn check(values: &Params) -> Option<Mistake> {
    check_tree(values, "classes", &|class| {
        let rate = class.rate("rate").unwrap_or(Rate::MAX);
        if rate.is_unlimited() {
            return Some(("rate", "a class needs a rate", "write rate = \"5 Mbit/s\""));
        }
        let low = class.rate("ceil").is_some_and(|ceil| ceil < rate);
        low.then_some((
            "ceil",
            "the ceiling is below the rate",
            "write the rate or more",
        ))
    })
}

/// A word of the user's own.
pub(super) fn word<'a>(class: &'a Params, key: &str) -> Option<&'a str> {
    class.names(key).first().map(String::as_str)
}

/// Number of the class above.
pub(super) fn parent(classes: &[Params], i: usize) -> Option<usize> {
    let name = word(&classes[i], "parent")?;
    classes[..i]
        .iter()
        .position(|c| word(c, "name") == Some(name))
}

pub(super) fn is_leaf(classes: &[Params], i: usize) -> bool {
    !(i + 1..classes.len()).any(|other| parent(classes, other) == Some(i))
}

/// Classes above.
pub(super) fn depth(classes: &[Params], i: usize) -> usize {
    parent(classes, i).map_or(0, |above| 1 + depth(classes, above))
}

/// One class of a tree, without its place.
pub(crate) struct Shares {
    /// Rate of its own, and bytes that may leave at once.
    pub rate: (Rate, u64),
    /// Ceiling, and bytes that may leave at once.
    pub ceil: (Rate, u64),
    pub prio: u8,
    pub quantum: u32,
}

fn make(values: &Params, room: &Room) -> Htb {
    make_tree(values, "classes", room, ("pfifo", None), &|class| {
        let rate = class.rate("rate").unwrap_or(Rate::MAX);
        let burst = |key| class.size(key).unwrap_or(BURST);
        let own = (rate.as_bps() / 8 / R2Q).clamp(1000, 200_000);
        Shares {
            rate: (rate, burst("burst")),
            ceil: (class.rate("ceil").unwrap_or(rate), burst("cburst")),
            prio: class.int("prio") as u8,
            quantum: class.size("quantum").unwrap_or(own) as u32,
        }
    })
}

/// The discipline in a leaf that names none, and its limit.
pub(crate) type DefaultChild = (&'static str, Option<acklab_units::Limit>);

/// The tree of which `key` has the classes; without any, one class without limit.
pub(crate) fn make_tree(
    values: &Params,
    key: &str,
    room: &Room,
    default: DefaultChild,
    shares: &dyn Fn(&Params) -> Shares,
) -> Htb {
    let framing = Framing::from_values(values);
    let tables = values.tables(key);
    let (mut classes, mut leaves) = (Vec::new(), Vec::new());
    for (i, table) in tables.iter().enumerate() {
        let leaf = is_leaf(tables, i);
        let level = if leaf {
            0
        } else {
            LEVELS - 1 - depth(tables, i)
        };
        let of = shares(table);
        let name = word(table, "name").map_or_else(|| format!("{i}"), ToString::to_string);
        let at = (parent(tables, i), level);
        classes.push(Class::new(name.clone(), at, of.rate, of.ceil));
        if leaf {
            let room = room.inside(&name, INSIDE);
            leaves.push(NewLeaf {
                class: i,
                matches: Match::from_values(table),
                prio: of.prio,
                quantum: of.quantum,
                inside: room.child(table, "child", default),
            });
        }
    }
    if leaves.is_empty() {
        let free = (Rate::MAX, BURST);
        classes.push(Class::new("0".to_string(), (None, 0), free, free));
        let inside: Box<dyn QueueDisc> = room.child(&Params::defaults(&[CHILD]), "child", default);
        let matches = Match::default();
        let (class, prio, quantum) = (0, 0, 1514);
        leaves.push(NewLeaf {
            class,
            matches,
            prio,
            quantum,
            inside,
        });
    }
    Htb::new(framing, classes, leaves)
}
