//! Turns the parsed tree into `spec` structs through serde, with errors that know their place.
//!
//! [`read`] does not stop at the first mistake: it reports it, takes the offending entry out and
//! reads again.

use super::choice;
use super::diagnostics::{Report, suggest};
use super::doc::Node;
use super::elsewhere;
use super::path::{Path, Step};
use super::reader::Reader;
use serde::de::{self, DeserializeOwned, Expected};
use std::borrow::Cow;
use std::fmt;

/// More mistakes than this are not looked for: reading starts anew after each.
const MOST_ERRORS: usize = 50;

/// Separates what is wrong from what would be right in the text of a custom error.
const HINT: &str = "\u{1f}";

/// The text of a custom error that carries a hint.
pub(crate) fn with_hint(message: impl fmt::Display, hint: impl fmt::Display) -> String {
    format!("{message}{HINT}{hint}")
}

/// Reads `doc` as far as it can be read and reports the rest. Every field of `T` must be optional.
pub(crate) fn read<T: DeserializeOwned + Default>(doc: &Node, report: &mut Report<'_>) -> T {
    let stop = report.stop();
    // Most texts have no mistake, and then need no copy.
    let mut doc = Cow::Borrowed(doc);
    // Each round takes one entry out; counting rounds ends it even if there is none to take.
    for _ in 0..MOST_ERRORS {
        let mut error = match T::deserialize(Reader { node: &doc, stop }) {
            Ok(value) => return value,
            Err(error) => error,
        };
        if matches!(error.what, What::Stopped) {
            break;
        }
        error.path.reverse();
        let path = Path(std::mem::take(&mut error.path));
        error.what.tell(&path, report);
        if path.0.is_empty() {
            break;
        }
        doc.to_mut().remove(&path);
    }
    T::default()
}

/// Why reading stopped.
#[derive(Debug)]
pub(crate) struct ReadError {
    /// From the inside out: each level appends its own step.
    path: Vec<Step>,
    what: What,
}

#[derive(Debug)]
enum What {
    UnknownKey(String, &'static [&'static str]),
    UnknownWord(String, &'static [&'static str]),
    Missing(&'static str),
    Other(String, Option<String>),
    /// Whoever asked does not want it any more.
    Stopped,
}

impl What {
    fn tell(&self, path: &Path, report: &mut Report<'_>) {
        match self {
            Self::UnknownKey(key, known) => report.error(
                path,
                format!("unknown key `{key}`"),
                of_a_side(key, known)
                    .or_else(|| no_item(key))
                    .or_else(|| choice::elsewhere::as_key(key, known))
                    .or_else(|| elsewhere::belongs(path))
                    .or_else(|| choice::elsewhere::as_parameter(key, known, path))
                    .or_else(|| suggest(key, known.iter().copied(), "the keys here are"))
                    .or_else(nothing_here),
            ),
            Self::UnknownWord(word, known) => report.error(
                path,
                format!("`{word}` is not one of the allowed words"),
                without_unit(word, known)
                    .or_else(|| suggest(word, known.iter().copied(), "write one of")),
            ),
            Self::Missing(key) => {
                report.missing(path, key, &format!("write {key} = ...: it has no default"))
            }
            Self::Other(message, hint) => report.error(path, message.clone(), hint.clone()),
            Self::Stopped => {}
        }
    }
}

/// Where the key of a side stands that is looked for in the table around both.
fn of_a_side(key: &str, known: &[&str]) -> Option<String> {
    let sided = key == "ack_filter" && ["up", "down"].iter().all(|side| known.contains(side));
    let hint = "write it in `down`, for what the access point sends, or in `up`";
    sided.then(|| hint.to_string())
}

/// The only one of the words that begins with `word`, which then is its number without the unit.
fn without_unit(word: &str, known: &[&str]) -> Option<String> {
    let mut meant = known.iter().filter(|k| k.split(' ').next() == Some(word));
    match (meant.next(), meant.next()) {
        (Some(one), None) => Some(format!("did you mean `{one}`?")),
        _ => None,
    }
}

/// A number in place of a key is one of an item.
fn no_item(key: &str) -> Option<String> {
    let number = key.parse::<usize>().is_ok();
    number.then(|| "this is one table, not a list: leave the number out".to_string())
}

fn nothing_here() -> Option<String> {
    Some("this takes no keys".to_string())
}

impl ReadError {
    fn new(what: What) -> Self {
        Self {
            path: Vec::new(),
            what,
        }
    }

    /// Reading was stopped from outside: no mistake.
    pub(crate) fn stopped() -> Self {
        Self::new(What::Stopped)
    }

    /// The error as the level around it sees it.
    pub(crate) fn inside(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.what, f)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        let text = text.to_string();
        let (message, hint) = match text.split_once(HINT) {
            Some((message, hint)) => (message.to_string(), Some(hint.to_string())),
            None => (text, None),
        };
        Self::new(What::Other(message, hint))
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn Expected) -> Self {
        let hint = format!("write {}", in_words(&expected.to_string()));
        Self::new(What::Other(
            format!("{} is not allowed here", kind_of(&found)),
            Some(hint),
        ))
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn Expected) -> Self {
        let hint = format!("write {}", in_words(&expected.to_string()));
        Self::new(What::Other("out of range".to_string(), Some(hint)))
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        Self::new(What::UnknownWord(word.to_string(), known))
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(What::UnknownKey(key.to_string(), known))
    }

    fn missing_field(key: &'static str) -> Self {
        Self::new(What::Missing(key))
    }
}

fn kind_of(found: &de::Unexpected<'_>) -> &'static str {
    use de::Unexpected as U;
    match found {
        U::Bool(_) => "true or false",
        U::Unsigned(_) | U::Signed(_) | U::Float(_) => "a number",
        U::Str(_) => "a text",
        U::Seq => "a list",
        U::Map => "a table",
        _ => "this",
    }
}

/// The expectation of serde's derived code, in the words of the scenario language.
fn in_words(expected: &str) -> String {
    match expected {
        "u16" | "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => "a whole number from 0".to_string(),
        "i32" | "i64" => "a whole number".to_string(),
        "f64" => "a number".to_string(),
        "a boolean" => "true or false".to_string(),
        "a string" => "a text in double quotes".to_string(),
        "a sequence" => "a list".to_string(),
        e if e.starts_with("struct ") || e == "a map" => "a table".to_string(),
        e => e.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::doc::parse_toml;
    use crate::scenario::registries::NEVER;
    use serde::Deserialize;

    #[derive(Deserialize, Default, Debug)]
    #[serde(deny_unknown_fields, default)]
    struct Outer {
        number: Option<u32>,
        choice: Option<Choice>,
        list: Vec<Inner>,
    }

    #[derive(Deserialize, Default, Debug)]
    #[serde(deny_unknown_fields, default)]
    struct Inner {
        word: Option<String>,
    }

    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(rename_all = "kebab-case")]
    enum Choice {
        Plain,
        WithKeys { size: Option<u32> },
    }

    fn errors(text: &str) -> (Outer, Vec<String>) {
        let doc = parse_toml(text, "t").unwrap();
        let mut report = Report::new("t", &doc, &NEVER);
        let outer = read(&doc, &mut report);
        let list = report.finish();
        let told = list.iter().map(|d| format!("{}: {}", d.key, d.message));
        (outer, told.collect())
    }

    #[test]
    fn a_choice_is_a_word_or_a_table_with_its_kind() {
        assert_eq!(errors("choice = 'plain'").0.choice, Some(Choice::Plain));
        let with = |size| Some(Choice::WithKeys { size });
        assert_eq!(errors("choice = 'with-keys'").0.choice, with(None));
        let (outer, _) = errors("choice = { kind = 'with-keys', size = 3 }");
        assert_eq!(outer.choice, with(Some(3)));
    }

    #[test]
    fn all_mistakes_are_found_and_the_rest_is_read() {
        let text = "nummer = 1\nnumber = 7\nchoice = { kind = 'plain', size = 3 }\n\
                    [[list]]\nword = 3\n[[list]]\nwort = 'x'\nword = 'y'\n";
        let (outer, told) = errors(text);
        let expected = [
            "nummer: unknown key `nummer`",
            "choice.size: unknown key `size`",
            "list.0.word: a number is not allowed here",
            "list.1.wort: unknown key `wort`",
        ];
        assert_eq!(told, expected);
        assert_eq!(outer.number, Some(7));
        assert_eq!(outer.list[1].word.as_deref(), Some("y"));
    }

    #[test]
    fn numbers_out_of_range_are_told_the_range() {
        let (_, told) = errors("number = -1");
        assert_eq!(told, ["number: out of range"]);
        let (_, told) = errors("number = 99999999999999999999999");
        assert_eq!(told.len(), 1);
    }
}
