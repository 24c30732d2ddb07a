//! Names and parameters against a registry, and back to text.

pub(crate) mod elsewhere;
mod nested;

pub(crate) use nested::codepoint;

use super::diagnostics::{Report, suggest};
use super::path::Path;
use super::shown::short;
use super::spec::{Choice, Given, Scalar};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value, find};
use acklab_units::{Bytes, Rate, Span};

/// The entry that `choice` names, with its parameters set. Everything that is wrong is reported.
/// `what` says what it is, for messages: `congestion controller`.
pub(crate) fn choose<B>(
    entries: &'static [Entry<B>],
    what: &str,
    choice: &Choice,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<(&'static Entry<B>, Params)> {
    choose_or(entries, &[], what, choice, path, report)
}

/// The same where `more` words have a meaning too, which the caller has looked for.
pub(crate) fn choose_or<B>(
    entries: &'static [Entry<B>],
    more: &[&'static str],
    what: &str,
    choice: &Choice,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<(&'static Entry<B>, Params)> {
    let Some(entry) = find(entries, &choice.name) else {
        unknown_name(entries, more, what, choice, path, report);
        return None;
    };
    let mut params = Params::defaults(entry.params);
    for (key, scalar) in &choice.params {
        let at = key.split('.').fold(path.clone(), |at, step| at.key(step));
        match entry.params.iter().find(|p| p.name == key) {
            None if elsewhere::is_so(what, entry.name, key, scalar) => {}
            None => match without_name(entry, key) {
                None => {
                    let word = word_of(entry, key, scalar);
                    unknown_param(entry, key, word, what, &at, report);
                }
                Some(p) => {
                    let hint = format!("write {}", describe(p.kind));
                    report.error(&path.key(p.name), "the wrong type of value", hint);
                }
            },
            Some(p) if p.kind.is_nested() => {
                let given = Given::One(scalar.clone());
                let place = (&at, what, entry.name);
                nested::read(entries, p, &given, &mut params, place, report);
            }
            Some(p) => set(&mut params, entry.params, p, scalar, &at, report),
        }
    }
    for (key, given) in &choice.nested {
        let at = path.key(key);
        match entry.params.iter().find(|p| p.name == key) {
            None if is_empty(given) && has_group(entry, key) => {}
            None => unknown_param(entry, key, None, what, &at, report),
            Some(p) => {
                let place = (&at, what, entry.name);
                nested::read(entries, p, given, &mut params, place, report);
            }
        }
    }
    Some((entry, params))
}

/// A table that sets nothing.
fn is_empty(given: &Given) -> bool {
    matches!(given, Given::Table(entries) if entries.is_empty())
}

/// Whether parameters belong together in a table of that name.
fn has_group<B>(entry: &Entry<B>, key: &str) -> bool {
    let mut params = entry.params.iter();
    params.any(|p| {
        p.name
            .split_once('.')
            .is_some_and(|(group, _)| group == key)
    })
}

fn unknown_name<B>(
    entries: &'static [Entry<B>],
    more: &[&'static str],
    what: &str,
    choice: &Choice,
    path: &Path,
    report: &mut Report<'_>,
) {
    if more.contains(&choice.name.as_str()) {
        let hint = format!("write \"{}\" alone", choice.name);
        let message = format!("`{}` takes no parameters", choice.name);
        return report.error(path, message, hint);
    }
    let names = entries
        .iter()
        .flat_map(|e| std::iter::once(&e.name).chain(e.aliases));
    let names = names.chain(more).copied();
    let hint = elsewhere::ack_filter(what, &choice.name)
        .or_else(|| suggest(&choice.name, names, "the names are"));
    let message = format!("there is no {what} called `{}`", choice.name);
    // Of a table, the key `name` is what is wrong.
    let inner = path.key("name");
    let at = if report.has(&inner) { &inner } else { path };
    report.error(at, message, hint);
}

/// The parameter that a table of values was written for, which it cannot be.
fn without_name<B>(entry: &Entry<B>, key: &str) -> Option<&'static Param> {
    let (outer, _) = key.split_once('.')?;
    let mut params = entry.params.iter();
    params.find(|p| p.name == outer && p.kind.is_nested())
}

/// What to write if `key` is a word of one of the parameters, as tc's `besteffort` is one of `diffserv`. A
/// keyword has no value: any other than `true` is of something else.
fn word_of<B>(entry: &Entry<B>, key: &str, scalar: &Scalar) -> Option<String> {
    if !matches!(scalar, Scalar::Bool(true)) {
        return None;
    }
    let has = |p: &&Param| matches!(p.kind, Kind::Choice(words) if words.contains(&key));
    let param = entry.params.iter().find(has)?;
    Some(format!("write {} = \"{key}\"", param.name))
}

/// `word`: what to write instead, if the key is a word of a parameter.
fn unknown_param<B>(
    entry: &Entry<B>,
    key: &str,
    word: Option<String>,
    what: &str,
    at: &Path,
    report: &mut Report<'_>,
) {
    let message = format!("`{}` has no parameter `{key}`", entry.name);
    let names = entry.params.iter().map(|p| p.name);
    let hint = elsewhere::hint(what, entry.name, key, at)
        .or(word)
        .or_else(|| suggest(key, names, "its parameters are"))
        .unwrap_or_else(|| format!("`{}` takes no parameters", entry.name));
    report.error(at, message, hint);
}

fn set(
    params: &mut Params,
    specs: &'static [Param],
    param: &Param,
    scalar: &Scalar,
    at: &Path,
    report: &mut Report<'_>,
) {
    let value = match fit(param.kind, scalar) {
        Ok(value) => value,
        Err((message, hint)) => return report.error(at, message, hint),
    };
    if params.set(specs, param.name, value).is_err() {
        let message = format!("out of range for `{}`", param.name);
        report.error(at, message, format!("write {}", describe(param.kind)));
    }
}

/// The scalar as the registry's value; on failure what is wrong and what would be right.
fn fit(kind: Kind, scalar: &Scalar) -> Result<Value, (String, String)> {
    let mismatch = || {
        Err((
            "the wrong type of value".to_string(),
            format!("write {}", describe(kind)),
        ))
    };
    match (kind, scalar) {
        (Kind::Bool, Scalar::Bool(b)) => Ok(Value::Bool(*b)),
        (Kind::Int(..) | Kind::Float(..), Scalar::Int(i)) => Ok(Value::Int(*i)),
        (Kind::Float(..), Scalar::Float(x)) => Ok(Value::Float(*x)),
        (Kind::OptSpan(..), Scalar::Text(t)) if t == "none" => Ok(Value::Auto),
        (Kind::Span(..) | Kind::OptSpan(..), s) => match written(s) {
            Some(text) => quantity::<Span>(&text).map(Value::Span),
            None => mismatch(),
        },
        (Kind::OptRate, Scalar::Text(t)) if t == "none" => Ok(Value::Auto),
        (Kind::Size(..) | Kind::AutoSize(..), s) => match written(s) {
            Some(text) => quantity::<Bytes>(&text).map(Value::Size),
            None => mismatch(),
        },
        (Kind::Rate | Kind::OptRate, s) => match written(s) {
            Some(text) => quantity::<Rate>(&text).map(Value::Rate),
            None => mismatch(),
        },
        (Kind::Choice(words), Scalar::Text(t)) => match words.iter().find(|w| *w == t) {
            Some(word) => Ok(Value::Choice(word)),
            None => {
                let hint = suggest(t, words.iter().copied(), "write one of");
                Err((
                    format!("`{t}` is not a valid value here"),
                    hint.unwrap_or_default(),
                ))
            }
        },
        _ => mismatch(),
    }
}

/// The text of a scalar that should have been a quantity: a bare number lacks its unit.
fn written(scalar: &Scalar) -> Option<String> {
    match scalar {
        Scalar::Text(t) => Some(t.clone()),
        Scalar::Int(i) => Some(i.to_string()),
        Scalar::Float(x) => Some(short(*x)),
        Scalar::Bool(_) => None,
    }
}

fn quantity<T>(text: &str) -> Result<T, (String, String)>
where
    T: std::str::FromStr<Err = acklab_units::QuantityError>,
{
    text.parse()
        .map_err(|e: acklab_units::QuantityError| (e.to_string(), e.hint().to_string()))
}

/// The values that a parameter accepts, in the words of the scenario language.
pub(crate) fn describe(kind: Kind) -> String {
    match kind {
        Kind::Span(lo, hi) => format!("a time from \"{lo}\" to \"{hi}\""),
        Kind::OptSpan(lo, hi) => format!("a time from \"{lo}\" to \"{hi}\", or \"none\""),
        Kind::Size(lo, hi) | Kind::AutoSize(lo, hi) => {
            format!("a size from \"{}\" to \"{}\"", Bytes(lo), Bytes(hi))
        }
        other => other.describe(),
    }
}

/// A value as the scenario language has it. [`Value::Auto`] is `"none"`, which only a time that
/// may be absent accepts: other parameters that are left to the block are not written at all.
pub(crate) fn show(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => format!("{x:?}"),
        Value::Span(s) => format!("\"{s}\""),
        Value::Rate(r) => format!("\"{r}\""),
        Value::Size(s) => format!("\"{s}\""),
        Value::Choice(c) => format!("\"{c}\""),
        Value::Auto => "\"none\"".to_string(),
    }
}

/// The whole choice as an inline table, reloadable.
pub(crate) fn inline_table(name: &str, specs: &[Param], params: &Params) -> String {
    format!("{{ name = \"{name}\"{} }}", inline_entries(specs, params))
}

/// The parameters, each after a comma.
fn inline_entries(specs: &[Param], params: &Params) -> String {
    let mut text = String::new();
    for (spec, (key, value)) in specs.iter().zip(params.iter()) {
        if spec.kind.is_nested() {
            text.push_str(&nested::show(spec, params));
            continue;
        }
        let absent = matches!(spec.kind, Kind::OptSpan(..) | Kind::OptRate);
        if value != Value::Auto || absent {
            text.push_str(&format!(", {key} = {}", show(value)));
        }
    }
    text
}
