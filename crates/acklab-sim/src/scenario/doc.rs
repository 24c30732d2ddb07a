//! The parsed text: one tree for TOML and JSON that remembers lines.

use super::diagnostics::Diagnostic;
use super::path::{Path, Step};
use toml::de::{DeTable, DeValue};

/// A value and the line on which its key (or itself, in a list) stands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Counted from 1; `None` in JSON and for values that were set from outside.
    pub(crate) line: Option<usize>,
    /// Whether it was set from outside, in place of what the text has or lacks.
    pub(crate) outside: bool,
}

/// The common part of TOML and JSON.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    /// JSON's `null`: as if the key were absent.
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    /// Sorted by key.
    Table(Vec<(String, Node)>),
}

/// Where `key` stands in a table, or where it would stand.
fn find(table: &[(String, Node)], key: &str) -> Result<usize, usize> {
    table.binary_search_by(|(k, _)| k.as_str().cmp(key))
}

/// A table of entries in any order.
fn table(entries: impl Iterator<Item = (String, Node)>) -> Value {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Value::Table(entries)
}

impl Node {
    /// A value without a line.
    pub(crate) fn new(value: Value) -> Self {
        Self {
            value,
            line: None,
            outside: false,
        }
    }

    /// Whether `path`, or something around it, was set from outside.
    pub(crate) fn is_from_outside(&self, path: &Path) -> bool {
        let mut here = Some(self);
        let mut steps = path.0.iter();
        while let Some(node) = here {
            if node.outside {
                return true;
            }
            here = steps.next().and_then(|step| node.child(step));
        }
        false
    }

    /// The value at `path`.
    pub(crate) fn at(&self, path: &Path) -> Option<&Self> {
        path.0.iter().try_fold(self, |node, step| node.child(step))
    }

    fn child(&self, step: &Step) -> Option<&Self> {
        match (&self.value, step) {
            (Value::Table(t), Step::Key(k)) => find(t, k).ok().map(|i| &t[i].1),
            (Value::Table(_), Step::Index(i)) => self.child(&Step::Key(i.to_string())),
            (Value::List(l), Step::Index(i)) => l.get(*i),
            _ => None,
        }
    }

    /// The line of `path`, or of what is closest around it.
    pub(crate) fn line_of(&self, path: &Path) -> Option<usize> {
        let here = self.at(path).and_then(|n| n.line);
        here.or_else(|| self.line_of(&path.parent()?))
    }

    /// Takes out the table entry at `path`, or the list around it: later places stay valid.
    pub(crate) fn remove(&mut self, path: &Path) {
        let Some((last, outer)) = path.0.split_last() else {
            return;
        };
        let outer = Path(outer.to_vec());
        let Step::Key(key) = last else {
            return self.remove(&outer);
        };
        let target = outer.0.iter().try_fold(self, |n, s| n.child_mut(s));
        if let Some(Value::Table(t)) = target.map(|n| &mut n.value)
            && let Ok(at) = find(t, key)
        {
            t.remove(at);
        }
    }

    /// The table entry or list item `step`.
    pub(crate) fn child_mut(&mut self, step: &Step) -> Option<&mut Self> {
        match (&mut self.value, step) {
            (Value::Table(t), step) => {
                let at = find(t, &step.as_key()).ok()?;
                Some(&mut t[at].1)
            }
            (Value::List(l), Step::Index(i)) => l.get_mut(*i),
            _ => None,
        }
    }

    /// Adds an entry to a table that does not have it.
    pub(crate) fn insert(&mut self, step: &Step, node: Self) {
        if let Value::Table(t) = &mut self.value
            && let Err(at) = find(t, &step.as_key())
        {
            t.insert(at, (step.as_key().into_owned(), node));
        }
    }
}

/// Syntax errors that are reported one by one: of a file in another language all would be.
const SYNTAX_ERRORS: usize = 5;

/// Reads TOML; the first syntax errors are reported, the others counted.
pub(crate) fn parse_toml(text: &str, origin: &str) -> Result<Node, Vec<Diagnostic>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    if errors.is_empty() {
        return Ok(from_table(table.get_ref(), &lines));
    }
    let told = errors.iter().take(SYNTAX_ERRORS).map(|e| {
        let line = e.span().map(|s| lines.at(s.start));
        // The parser says where, but not what, a second key is.
        let key = e.span().filter(|_| e.message() == "duplicate key");
        let key = key.and_then(|s| text.get(s)).unwrap_or_default();
        let key = format!(" {key}");
        let message = format!("not valid TOML: {}{}", e.message(), key.trim_end());
        Diagnostic::syntax(origin, line, message)
    });
    let more = errors.len().saturating_sub(SYNTAX_ERRORS);
    let rest = (more > 0).then(|| {
        let message = format!("{more} more such errors; is this a scenario file?");
        Diagnostic::syntax(origin, None, message)
    });
    Err(told.chain(rest).collect())
}

/// Reads JSON text.
pub(crate) fn parse_json(text: &str, origin: &str) -> Result<Node, Vec<Diagnostic>> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(v) => Ok(from_json(v)),
        Err(e) => Err(vec![Diagnostic::syntax(
            origin,
            Some(e.line()),
            format!("not valid JSON: {e}"),
        )]),
    }
}

/// Reads one TOML value, such as `{ name = "cubic" }`; `None` if it is not one.
pub(crate) fn parse_toml_value(text: &str) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    let mut node = from_value(value.get_ref(), &Lines::of(""));
    forget_lines(&mut node);
    Some(node)
}

fn forget_lines(node: &mut Node) {
    node.line = None;
    match &mut node.value {
        Value::List(l) => l.iter_mut().for_each(forget_lines),
        Value::Table(t) => t.iter_mut().for_each(|(_, n)| forget_lines(n)),
        _ => {}
    }
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(i, _)| i + 1).collect())
    }

    fn at(&self, offset: usize) -> usize {
        1 + self.0.partition_point(|start| *start <= offset)
    }
}

fn from_table(entries: &DeTable<'_>, lines: &Lines) -> Node {
    let entries = entries.iter().map(|(k, v)| {
        let mut node = from_value(v.get_ref(), lines);
        node.line = Some(lines.at(k.span().start));
        (k.get_ref().to_string(), node)
    });
    Node::new(table(entries))
}

fn from_value(value: &DeValue<'_>, lines: &Lines) -> Node {
    Node::new(match value {
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Integer(i) => i128::from_str_radix(i.as_str(), i.radix())
            .map_or_else(|_| Value::Text(i.as_str().to_string()), Value::Int),
        DeValue::Float(x) => Value::Float(x.as_str().parse().unwrap_or(f64::NAN)),
        // No key takes a date; as text it is refused like any other text.
        DeValue::Datetime(d) => Value::Text(d.to_string()),
        DeValue::Table(t) => return from_table(t, lines),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|v| Node {
                    line: Some(lines.at(v.span().start)),
                    ..from_value(v.get_ref(), lines)
                })
                .collect(),
        ),
    })
}

fn from_json(value: serde_json::Value) -> Node {
    use serde_json::Value as Json;
    Node::new(match value {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(b),
        Json::Number(n) => match n.as_i128() {
            Some(i) => Value::Int(i),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(s) => Value::Text(s),
        Json::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        Json::Object(map) => table(map.into_iter().map(|(k, v)| (k, from_json(v)))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_keys() {
        let text = "a = 1\n\n[b]\nc = [\n 1,\n 2]\n[[d]]\ne = 1\n[[d]]\ne = 2\n";
        let doc = parse_toml(text, "t").unwrap();
        let line = |p: &str| doc.line_of(&Path::parse(p).unwrap());
        assert_eq!(line("a"), Some(1));
        assert_eq!(line("b"), Some(3));
        assert_eq!(line("b.c"), Some(4));
        assert_eq!(line("b.c.1"), Some(6));
        assert_eq!(line("d.1.e"), Some(10));
        assert_eq!(line("b.missing"), Some(3));
    }

    #[test]
    fn both_languages_give_the_same_tree() {
        let mut toml = parse_toml("a = 1\nb = [true, 1.5]\nc = { d = 'x' }", "t").unwrap();
        let json = parse_json(r#"{"a": 1, "b": [true, 1.5], "c": {"d": "x"}}"#, "j").unwrap();
        forget_lines(&mut toml);
        assert_eq!(toml, json);
    }

    #[test]
    fn every_syntax_error_is_found() {
        let errors = parse_toml("a = \nb = 1\nc == 2\n", "t").unwrap_err();
        let lines: Vec<_> = errors.iter().map(|e| e.line).collect();
        assert!(
            lines.contains(&Some(1)) && lines.contains(&Some(3)),
            "{lines:?}"
        );
    }

    #[test]
    fn a_text_in_another_language_is_not_told_line_by_line() {
        let errors = parse_toml(&"root:x:0:0\n".repeat(40), "t").unwrap_err();
        assert_eq!(errors.len(), SYNTAX_ERRORS + 1);
        let rest = &errors[SYNTAX_ERRORS];
        assert!(rest.message.contains("more such errors"), "{rest:?}");
        assert_eq!(rest.line, None);
        let few = parse_toml("a = [\n", "t").unwrap_err();
        assert!(few.iter().all(|e| e.line.is_some()), "{few:?}");
    }

    #[test]
    fn removing_a_list_item_removes_the_list() {
        let mut doc = parse_toml("a = [1, 2]\nb = 1", "t").unwrap();
        doc.remove(&Path::parse("a.1").unwrap());
        assert!(doc.at(&Path::parse("a").unwrap()).is_none());
        assert!(doc.at(&Path::parse("b").unwrap()).is_some());
    }
}
