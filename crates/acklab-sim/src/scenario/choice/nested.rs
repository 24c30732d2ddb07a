//! Parameters that are more than one value: blocks inside blocks, lists of tables, names.

use super::super::diagnostics::{Report, suggest};
use super::super::path::Path;
use super::super::spec::{Choice, Given, Scalar};
use super::{choose, describe, elsewhere, inline_entries, quantity, set};
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Block, Entry, Kind, Named, Nested, Param, Params, find};
use acklab_units::Limit;

/// The key of a block that says how much may wait in it.
const LIMIT: &str = "queue";

/// Where a value stands, what its block is for messages, and that block's name.
type Place<'a> = (&'a Path, &'a str, &'static str);

/// Reads what `given` says about `param`; blocks are of `entries`.
pub(super) fn read<B>(
    entries: &'static [Entry<B>],
    param: &'static Param,
    given: &Given,
    params: &mut Params,
    (at, what, name): Place<'_>,
    report: &mut Report<'_>,
) {
    let nested = match (param.kind, given) {
        (Kind::Block, _) => block(entries, given, (at, what), report).map(Nested::Block),
        (Kind::Tables(specs), Given::List(tables)) => {
            let tables = tables.iter().enumerate();
            let read =
                tables.map(|(i, t)| table(entries, specs, t, (&at.index(i), what, name), report));
            Some(Nested::Tables(read.collect()))
        }
        (Kind::Name, Given::One(Scalar::Text(word))) => {
            Some(Nested::Names(vec![word.clone()], Vec::new()))
        }
        (Kind::Names(named), _) => names(named, given, at, report),
        _ => wrong(param.kind, at, report),
    };
    if let Some(nested) = nested {
        params.nest(param.name, nested);
    }
}

fn wrong<T>(kind: Kind, at: &Path, report: &mut Report<'_>) -> Option<T> {
    report.error(
        at,
        "the wrong type of value",
        format!("write {}", describe(kind)),
    );
    None
}

fn block<B>(
    entries: &'static [Entry<B>],
    given: &Given,
    (at, what): (&Path, &str),
    report: &mut Report<'_>,
) -> Option<Block> {
    let (choice, limit) = match given {
        Given::One(Scalar::Text(name)) => (Choice::named(name.clone()), None),
        Given::Table(entries) => named_table(entries, at, report)?,
        _ => return wrong(Kind::Block, at, report),
    };
    let (entry, params) = choose(entries, what, &choice, at, report)?;
    Some(Block {
        name: entry.name,
        limit,
        params,
    })
}

/// A table with a name, and with the limit of a queue.
fn named_table(
    entries: &[(String, Given)],
    at: &Path,
    report: &mut Report<'_>,
) -> Option<(Choice, Option<Limit>)> {
    let mut choice = Choice::named(String::new());
    let mut limit = None;
    for (key, given) in entries {
        match (key.as_str(), given) {
            ("name", Given::One(Scalar::Text(name))) => choice.name.clone_from(name),
            (LIMIT, given) => limit = self::limit(given, &at.key(LIMIT), report),
            _ => choice.take(key.clone(), given.clone()),
        }
    }
    if choice.name.is_empty() {
        let hint = "write name = \"...\"".to_string();
        report.error(at, "a block without a name", hint);
        return None;
    }
    Some((choice, limit))
}

fn limit(given: &Given, at: &Path, report: &mut Report<'_>) -> Option<Limit> {
    let text = match given {
        Given::One(Scalar::Text(text)) => text.clone(),
        Given::One(Scalar::Int(n)) => n.to_string(),
        _ => String::new(),
    };
    match quantity::<Limit>(&text) {
        Ok(Limit::MicroBdp(_)) => {
            let message = "a discipline inside another one does not know the delay of the path";
            let hint = "write a number of packets or bytes, such as \"50 packets\"".to_string();
            report.error(at, message, hint);
        }
        Ok(Limit::Packets(0) | Limit::Bytes(acklab_units::Bytes(0))) => {
            let hint = "write at least \"1 packet\"".to_string();
            report.error(at, "a queue of size 0 drops every packet", hint);
        }
        Ok(limit) => return Some(limit),
        Err((message, hint)) => report.error(at, message, hint),
    }
    None
}

fn table<B>(
    entries: &'static [Entry<B>],
    specs: &'static [Param],
    given: &Given,
    (at, what, name): Place<'_>,
    report: &mut Report<'_>,
) -> Params {
    let mut params = Params::defaults(specs);
    let Given::Table(keys) = given else {
        let hint = "write a table: { ... }".to_string();
        report.error(at, "the wrong type of value", hint);
        return params;
    };
    for (key, given) in keys {
        let here = at.key(key);
        match (specs.iter().find(|p| p.name == key), given) {
            (None, _) => {
                let names = specs.iter().map(|p| p.name);
                let hint = elsewhere::in_table(what, name, key)
                    .or_else(|| suggest(key, names, "its keys are"));
                report.error(&here, format!("there is no key `{key}` here"), hint);
            }
            (Some(p), _) if p.kind.is_nested() => {
                read(entries, p, given, &mut params, (&here, what, name), report);
            }
            (Some(p), Given::One(scalar)) => set(&mut params, specs, p, scalar, &here, report),
            (Some(p), _) => {
                wrong::<()>(p.kind, &here, report);
            }
        }
    }
    params
}

/// Names of flows and nodes get their numbers later, when the scenario is known.
fn names(named: Named, given: &Given, at: &Path, report: &mut Report<'_>) -> Option<Nested> {
    let one = std::slice::from_ref(given);
    let items = match given {
        Given::List(items) => items,
        _ => one,
    };
    let mut names = Vec::new();
    for item in items {
        match item {
            Given::One(Scalar::Text(t)) => names.push(t.clone()),
            Given::One(Scalar::Int(n)) if named == Named::Dscp => names.push(n.to_string()),
            _ => return wrong(Kind::Names(named), at, report),
        }
    }
    let mut numbers = Vec::new();
    if named == Named::Dscp {
        for name in &names {
            match codepoint(name) {
                Some(dscp) => numbers.push(u32::from(dscp.value())),
                None => {
                    let message = format!("there is no codepoint called `{name}`");
                    report.error(at, message, format!("write {}", named.describe()));
                    return None;
                }
            }
        }
    }
    Some(Nested::Names(names, numbers))
}

/// Codepoints by name (RFC 2474, 2597, 3246, 5865, 8622) or number.
pub(crate) fn codepoint(name: &str) -> Option<Dscp> {
    let upper = name.to_ascii_uppercase();
    let digit = |at: usize| upper.as_bytes().get(at).map(|b| b.wrapping_sub(b'0'));
    let value = match (upper.as_str(), upper.len()) {
        ("BE" | "DF", _) => 0,
        ("LE", _) => 1,
        ("EF", _) => 46,
        ("VA", _) => 44,
        (u, 3) if u.starts_with("CS") => digit(2).filter(|n| *n < 8)? * 8,
        (u, 4) if u.starts_with("AF") => {
            let class = digit(2).filter(|n| (1..5).contains(n))?;
            let drop = digit(3).filter(|n| (1..4).contains(n))?;
            class * 8 + drop * 2
        }
        (number, _) => number.parse().ok()?,
    };
    Dscp::new(value)
}

/// `, key = ...`, or nothing where nothing was set.
pub(super) fn show(param: &Param, params: &Params) -> String {
    let Some(nested) = params.nested(param.name) else {
        return String::new();
    };
    let text = match (nested, param.kind) {
        (Nested::Block(block), _) => shown_block(block),
        (Nested::Tables(tables), Kind::Tables(specs)) => {
            let tables: Vec<_> = tables.iter().map(|t| shown_table(specs, t)).collect();
            format!("[{}]", tables.join(", "))
        }
        (Nested::Names(names, _), _) => shown_names(names),
        (Nested::Tables(_), _) => unreachable!("tables are of a kind that has tables"),
    };
    format!(", {} = {text}", param.name)
}

fn shown_block(block: &Block) -> String {
    let name = block.name;
    let limit = block.limit.map(|l| format!(", {LIMIT} = \"{l}\""));
    let entries = find(acklab_path::qdisc::registry::DISCIPLINES, name)
        .map(|entry| inline_entries(entry.params, &block.params));
    let [limit, entries] = [limit, entries].map(Option::unwrap_or_default);
    format!("{{ name = \"{name}\"{limit}{entries} }}")
}

fn shown_table(specs: &[Param], table: &Params) -> String {
    let entries = inline_entries(specs, table);
    format!("{{{} }}", entries.strip_prefix(',').unwrap_or(&entries))
}

fn shown_names(names: &[String]) -> String {
    match names {
        [one] => format!("{one:?}"),
        several => format!("{several:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codepoints_have_names_and_numbers() {
        let all = ["CS0", "CS7", "af11", "AF43", "EF", "LE", "46", "0", "63"];
        let values = all.map(|name| codepoint(name).unwrap().value());
        assert_eq!(values, [0, 56, 10, 38, 46, 1, 46, 0, 63]);
        for name in ["CS8", "AF14", "AF51", "64", "-1", "", "voice", "AF1é"] {
            assert_eq!(codepoint(name), None, "{name}");
        }
    }
}
