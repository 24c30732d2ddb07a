//! Parameters that tc or RouterOS has and a block here has not: where they stand instead, or why there are none.

use super::super::path::{Path, Step};
use super::super::spec::{Choice, Scalar};
use acklab_path::qdisc::Limit;
use acklab_path::qdisc::registry::{Build, Counts, DISCIPLINES};
use acklab_proto::registry::{Entry, find};

/// What messages call the blocks that this table is about: other blocks may have their names.
const WHAT: &str = "queue discipline";

/// What the limit of a queue is called here and in tc.
const LIMITS: [&str; 2] = ["queue", "limit"];
/// How a discipline inside another one is written with its limit.
const CHILD: &str = "write child = { name = \"pfifo\", queue = \"50 packets\" }";

/// A parameter of tc or RouterOS.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    /// The block.
    block: &'static str,
    /// The list of tables in which the parameter stands; empty if it stands in the block itself.
    list: &'static str,
    /// Its name, with underscores.
    key: &'static str,
    /// The value that says what is so in any case: it is accepted, and changes nothing.
    always: Option<bool>,
    /// What to write, or why there is nothing to write.
    pub(crate) hint: &'static str,
}

impl Elsewhere {
    const fn new(block: &'static str, key: &'static str, hint: &'static str) -> Self {
        Self {
            block,
            list: "",
            key,
            always: None,
            hint,
        }
    }

    /// In the tables of `list`.
    const fn in_each(self, list: &'static str) -> Self {
        Self { list, ..self }
    }

    /// With a value that is accepted.
    const fn but(self, always: bool) -> Self {
        Self {
            always: Some(always),
            ..self
        }
    }

    /// Its key, the value of it that is accepted, and the hint; `None` if none is.
    pub(crate) fn accepted(&self) -> Option<(&'static str, bool, &'static str)> {
        Some((self.key, self.always?, self.hint))
    }

    /// The name in the catalogue; that of a key of tables stands behind the list's name and a dot.
    pub(crate) fn name(&self) -> String {
        match self.list {
            "" => self.key.to_string(),
            list => format!("{list}.{}", self.key),
        }
    }
}

/// CoDel's threshold for some packets only.
const SELECTOR: &str = "leave it out: `ce_threshold` marks every ECN-capable packet. To mark only some, give them a \
                        class of their own: an htb class with `flow` or `dscp`, and child = { name = \"fq-codel\", \
                        ce_threshold = \"1 ms\" }";
/// RouterOS' bursts.
const BURST: &str = "leave it out: queues here have no burst limit. `bucket_size`, in seconds of the queue's rate, is \
                     what may leave at once after a pause";

const ELSEWHERE: &[Elsewhere] = &[
    Elsewhere::new(
        "cake",
        "ack_filter",
        "it belongs to the link: write ack_filter = \"cake\" beside `qdisc`, or \
         ack_filter = { name = \"cake\", mode = \"aggressive\" }",
    ),
    Elsewhere::new(
        "cake",
        "nat",
        "leave it out, or write false as tc has it by default (nonat): no address is translated between hosts and \
         this queue, so that every node is a host of its own",
    )
    .but(false),
    Elsewhere::new(
        "cake",
        "split_gso",
        "leave it out, or write true as tc has it by default: there are no super-packets to keep whole, every packet \
         is a single segment",
    )
    .but(true),
    Elsewhere::new(
        "cake",
        "wash",
        "leave it out, or write false as tc has it by default (nowash): packets keep their codepoint, which is the \
         `dscp` of their flow",
    )
    .but(false),
    Elsewhere::new(
        "cake",
        "fwmark",
        "leave it out: there are no firewall marks, and tins go by the `dscp` of flows",
    ),
    Elsewhere::new("fq-codel", "ce_threshold_selector", SELECTOR),
    Elsewhere::new("fq-codel", "ce_threshold_mask", SELECTOR),
    Elsewhere::new(
        "htb",
        "default",
        "leave it out: packets that no other class accepts go to the last leaf class, so write that class last",
    ),
    Elsewhere::new(
        "htb",
        "r2q",
        "leave it out: it is 10, as tc has it by default. For turns of another length write `quantum` in the classes, \
         such as quantum = \"3000 B\"",
    ),
    Elsewhere::new("queue-tree", "burst_limit", BURST).in_each("queues"),
    Elsewhere::new("queue-tree", "burst_threshold", BURST).in_each("queues"),
    Elsewhere::new("queue-tree", "burst_time", BURST).in_each("queues"),
];

/// The parameters that tc or RouterOS has of the block called `name`.
pub(crate) fn of(name: &str) -> impl Iterator<Item = &'static Elsewhere> {
    ELSEWHERE.iter().filter(move |e| e.block == name)
}

/// The one with that key, spelled as there or as here, in the block itself or in any list of it.
fn find_key(name: &str, key: &str) -> Option<&'static Elsewhere> {
    let key = key.replace('-', "_");
    let key = key.strip_prefix("no_").unwrap_or(&key);
    of(name).find(|e| e.key == key || (e.always == Some(false) && key == format!("no{}", e.key)))
}

/// Whether `key = given` in the block called `name` says what is so in any case.
pub(super) fn is_so(what: &str, name: &str, key: &str, given: &Scalar) -> bool {
    let Scalar::Bool(given) = given else {
        return false;
    };
    let mut own = of(name).filter(|e| what == WHAT && e.list.is_empty());
    own.any(|e| e.key == key.replace('-', "_") && e.always == Some(*given))
}

/// What to do about the parameter `key` at `at` that the block called `name`, or a table in a list of it, does not
/// have; spelled as in tc or as here.
pub(super) fn hint(what: &str, name: &str, key: &str, at: &Path) -> Option<String> {
    if what != WHAT {
        return None;
    }
    let known = find_key(name, key).map(|e| e.hint.to_string());
    known.or_else(|| limit(name, key, at))
}

/// The same for the key `key` of a table in a list of that block. A limit belongs to the discipline inside.
pub(super) fn in_table(what: &str, name: &str, key: &str) -> Option<String> {
    if what != WHAT {
        return None;
    }
    let known = find_key(name, key).map(|e| e.hint.to_string());
    known.or_else(|| {
        LIMITS
            .contains(&key)
            .then(|| format!("packets wait in the class's `child`: {CHILD}"))
    })
}

/// Where the limit of a queue stands, which tc calls `limit`.
fn limit(name: &str, key: &str, at: &Path) -> Option<String> {
    if !LIMITS.contains(&key) {
        return None;
    }
    let entry = find(DISCIPLINES, name)?;
    let example = match entry.build.limit {
        Limit::Packets(most) => format!("{most} packets"),
        Limit::Bytes(most) => format!("{most} B"),
    };
    Some(match entry.build.counts {
        Counts::Memory => {
            format!("`{name}` limits the memory that packets occupy: write memlimit = \"4 MB\"")
        }
        Counts::Inside => format!("packets wait in a `child`: {CHILD}"),
        _ if is_inside(at) => format!("the limit is called `queue`: write queue = \"{example}\""),
        _ => format!(
            "the limit stands beside `qdisc`, not in its table: write queue = \"{example}\" in the table that has \
             `qdisc`"
        ),
    })
}

/// Whether the key stands in a discipline inside another one.
fn is_inside(at: &Path) -> bool {
    let outer = at.0.iter().rev().nth(1);
    outer.is_some_and(|step| *step == Step::Key("child".to_string()))
}

/// What to do about a table without `name` whose keys all stand in a table with the name of a discipline:
/// `{ pie = { target = ... } }`.
pub(crate) fn nameless(choice: &Choice) -> Option<String> {
    let flat = choice.params.iter().map(|(key, _)| key.split_once('.'));
    let deep = choice
        .nested
        .iter()
        .map(|(key, _)| Some((key.as_str(), "")));
    let keys: Vec<_> = flat.chain(deep).collect::<Option<_>>()?;
    let (word, _) = keys.first()?;
    let entry = find(DISCIPLINES, word).filter(|_| keys.iter().all(|(w, _)| w == word))?;
    let name = entry.name;
    let limited = keys.iter().any(|(_, key)| LIMITS.contains(key));
    let more = match limited && entry.build.counts.has_limit() {
        true => ", and the limit beside it: queue = \"40 packets\"",
        false => "",
    };
    Some(format!(
        "write the name as a value: qdisc = {{ name = \"{name}\", ... }}{more}"
    ))
}

/// What tc's keyword of CAKE is here, of the ACK filter's name.
pub(super) fn ack_filter(what: &str, name: &str) -> Option<String> {
    if what != "ACK filter" {
        return None;
    }
    let hint = match name.replace('_', "-").as_str() {
        "ack-filter-aggressive" => "write ack_filter = { name = \"cake\", mode = \"aggressive\" }",
        "no-ack-filter" => "write ack_filter = \"none\", or leave it out",
        _ => return None,
    };
    Some(hint.to_string())
}

/// What to write for the key `key` at `at` that is a parameter of disciplines, in a table that has `qdisc` among its
/// keys.
pub(crate) fn as_parameter(key: &str, known: &[&str], at: &Path) -> Option<String> {
    let key = key.replace('-', "_");
    let has = |e: &&Entry<Build>| e.params.iter().any(|p| p.name == key);
    let names: Vec<_> = DISCIPLINES.iter().filter(has).map(|e| e.name).collect();
    let first = names.first().filter(|_| known.contains(&"qdisc"))?;
    let [outer @ .., _] = &at.0[..] else {
        return None;
    };
    let table = Path(outer.to_vec()).key("qdisc");
    Some(format!(
        "`{key}` belongs to the queue discipline (`{}`): write {}, or qdisc = {{ name = \"{first}\", {key} = ... }}",
        names.join("`, `"),
        table.key(&key)
    ))
}

/// What to write for the key `key` that has the name of a discipline, in a table that has `qdisc` among its keys.
pub(crate) fn as_key(key: &str, known: &[&str]) -> Option<String> {
    let entry = find(DISCIPLINES, key).filter(|_| known.contains(&"qdisc"))?;
    let name = entry.name;
    let limit = match entry.build.counts.has_limit() {
        true => ", and its limit beside that: queue = \"40 packets\"",
        false => "",
    };
    Some(format!(
        "a queue discipline is the value of `qdisc`: write qdisc = {{ name = \"{name}\", ... }}{limit}"
    ))
}
