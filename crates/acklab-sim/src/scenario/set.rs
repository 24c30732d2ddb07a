//! Values set from outside the text: `--set topology.bottleneck.rate="5 Mbit/s"`.

use super::diagnostics::{Diagnostic, OUTSIDE, Severity, clipped};
use super::doc::{Node, Value, parse_toml_value};
use super::path::{Path, Step};
use std::borrow::Cow;

/// Letters of a key or a value that are shown.
const SHOWN: usize = 160;

/// Sets `key` to `value` in the parsed text, making tables on the way where there are none.
///
/// The value is read as TOML if it is TOML (`4`, `true`, `{ name = "cubic" }`), and otherwise is
/// text (`5 Mbit/s`, `cubic`). The key after the last item of a list appends to it.
pub(crate) fn set(doc: &mut Node, key: &str, value: &str) -> Result<(), Box<Diagnostic>> {
    let refuse = |message: String, hint: &str| {
        Box::new(Diagnostic {
            severity: Severity::Error,
            origin: OUTSIDE.to_string(),
            line: None,
            key: clipped(key.to_string(), SHOWN),
            value: Some(clipped(value.to_string(), SHOWN)),
            because: Vec::new(),
            message: clipped(message, 2 * SHOWN),
            hint: Some(hint.to_string()),
        })
    };
    let Some(path) = Path::parse(key) else {
        let message = format!("`{key}` is not a key");
        return Err(refuse(
            message,
            "write keys like topology.bottleneck.rate or flow.0.cc",
        ));
    };
    let node = match parse_toml_value(value) {
        Some(node) => node,
        // No text of the scenario language begins like that.
        None if value.starts_with(['[', '{']) => {
            return Err(refuse(
                format!("`{value}` is not valid TOML"),
                "put texts inside lists and tables in quotes: '[\"tac\", \"cake\"]'",
            ));
        }
        None => Node::new(Value::Text(value.to_string())),
    };
    let target = descend(doc, &path).map_err(|(message, hint)| refuse(message, &hint))?;
    *target = Node {
        outside: true,
        ..node
    };
    Ok(())
}

type Refusal = (String, Cow<'static, str>);

fn descend<'a>(doc: &'a mut Node, path: &Path) -> Result<&'a mut Node, Refusal> {
    let mut here = doc;
    let mut at = Path::root();
    for step in &path.0 {
        make_room(here, step, &at)?;
        here = here
            .child_mut(step)
            .unwrap_or_else(|| unreachable!("room was made"));
        at.0.push(step.clone());
    }
    Ok(here)
}

/// A missing value, until it gets one.
fn from_outside() -> Node {
    Node {
        outside: true,
        ..Node::new(Value::Null)
    }
}

/// Sees to it that `step` exists in `node`.
fn make_room(node: &mut Node, step: &Step, at: &Path) -> Result<(), Refusal> {
    if matches!(node.value, Value::Null) {
        node.value = match step {
            Step::Key(_) => Value::Table(Vec::new()),
            Step::Index(0) => Value::List(Vec::new()),
            Step::Index(i) => {
                return Err((
                    format!("`{at}` is not there, so it has no item {i}"),
                    "write the list in the scenario; items count from 0".into(),
                ));
            }
        };
    }
    if node.child_mut(step).is_some() {
        return Ok(());
    }
    match (&mut node.value, step) {
        (Value::Table(_), step) => {
            node.insert(step, from_outside());
            Ok(())
        }
        (Value::List(l), Step::Index(i)) if *i == l.len() => {
            l.push(from_outside());
            Ok(())
        }
        (Value::List(l), Step::Index(i)) => Err((
            format!("`{at}` has {} items, so there is no item {i}", l.len()),
            "items count from 0; the number after the last appends one".into(),
        )),
        (Value::List(_), Step::Key(k)) => Err((
            format!("`{at}` is a list, so it has no key `{k}`"),
            "put the number of the item, from 0, before the key: flow.0.cc".into(),
        )),
        (_, _) => Err((
            format!("`{at}` is {node}, not a table"),
            whole(node, step, at),
        )),
    }
}

/// How to set what has parameters only as a table, where a word stands.
fn whole(node: &Node, step: &Step, at: &Path) -> Cow<'static, str> {
    match (&node.value, step) {
        (Value::Text(_), Step::Key(key)) => format!(
            "if it takes parameters, set it whole: --set '{at}={{ name = {node}, {key} = ... }}'"
        )
        .into(),
        _ => format!("set the whole value instead: --set '{at}=...'").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::doc::parse_toml;

    fn after(text: &str, key: &str, value: &str) -> Result<String, String> {
        let mut doc = parse_toml(text, "t").unwrap();
        set(&mut doc, key, value).map_err(|d| d.message)?;
        let node = doc.at(&Path::parse(key).unwrap()).unwrap();
        Ok(node.to_string())
    }

    const FLOWS: &str = "[[flow]]\ncc = 'cubic'\n[[flow]]\ncc = 'vegas'\n";

    #[test]
    fn text_numbers_and_tables_are_told_apart() {
        assert_eq!(after("", "a.b", "5 Mbit/s").unwrap(), "\"5 Mbit/s\"");
        assert_eq!(after("", "a.b", "4").unwrap(), "4");
        assert_eq!(after("", "a.b", "\"4\"").unwrap(), "\"4\"");
        assert_eq!(
            after("", "a", "{ name = 'x' }").unwrap(),
            "{ name = \"x\" }"
        );
    }

    #[test]
    fn list_items_are_numbered() {
        assert_eq!(after(FLOWS, "flow.1.cc", "bbr3").unwrap(), "\"bbr3\"");
        assert_eq!(after(FLOWS, "flow.2.cc", "bbr3").unwrap(), "\"bbr3\"");
        let e = after(FLOWS, "flow.3.cc", "bbr3").unwrap_err();
        assert_eq!(e, "`flow` has 2 items, so there is no item 3");
        let e = after(FLOWS, "flow.cc", "bbr3").unwrap_err();
        assert_eq!(e, "`flow` is a list, so it has no key `cc`");
    }

    #[test]
    fn a_list_can_begin_with_its_first_item_only() {
        assert_eq!(after("", "a.b.0", "tac").unwrap(), "\"tac\"");
        let e = after("", "a.b.1", "cake").unwrap_err();
        assert_eq!(e, "`a.b` is not there, so it has no item 1");
        let e = after("", "a.b", "[tac, cake]").unwrap_err();
        assert_eq!(e, "`[tac, cake]` is not valid TOML");
    }

    #[test]
    fn what_a_key_makes_on_its_way_is_from_outside() {
        let mut doc = parse_toml(FLOWS, "t").unwrap();
        set(&mut doc, "flow.2.tcp.segment", "7").unwrap();
        let outside = |key: &str| doc.is_from_outside(&Path::parse(key).unwrap());
        for (key, is) in [("flow", false), ("flow.1.cc", false), ("flow.2", true)] {
            assert_eq!(outside(key), is, "{key}");
        }
    }

    #[test]
    fn a_key_below_a_text_is_refused() {
        let e = after(FLOWS, "flow.0.cc.beta", "0.5").unwrap_err();
        assert_eq!(e, "`flow.0.cc` is \"cubic\", not a table");
        let e = after(FLOWS, "flow..cc", "x").unwrap_err();
        assert_eq!(e, "`flow..cc` is not a key");
    }
}
