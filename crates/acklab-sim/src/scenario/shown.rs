//! Values as messages show them: on one line, as they would be written, and not whole if they are long.

use super::doc::{Node, Value};
use std::fmt;

/// The longest value that an error message shows whole.
const SHOWN: usize = 60;

impl fmt::Display for Node {
    /// As TOML would have it on one line, shortened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut whole = String::new();
        self.write(&mut whole);
        match whole.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{}…", &whole[..end]),
            None => f.write_str(&whole),
        }
    }
}

impl Node {
    /// Whether it has tables and is longer than what is shown: a section of the text.
    pub(crate) fn is_section(&self) -> bool {
        let table = |n: &Self| matches!(n.value, Value::Table(_));
        let tables = match &self.value {
            Value::List(items) => items.iter().any(table),
            _ => table(self),
        };
        tables && self.to_string().chars().count() > SHOWN
    }

    /// Appends it as TOML; of what is longer than will be shown, the beginning.
    fn write(&self, out: &mut String) {
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(b) => out.push_str(&b.to_string()),
            Value::Int(i) => out.push_str(&i.to_string()),
            Value::Float(x) => out.push_str(&number(*x)),
            Value::Text(t) => out.push_str(&format!("{t:?}")),
            Value::List(l) => all(("[", "]"), l, out, Self::write),
            Value::Table(t) => all(("{ ", " }"), t, out, |(key, node), out| {
                out.push_str(key);
                out.push_str(" = ");
                node.write(out);
            }),
        }
    }
}

/// A number of this kind: `64.0`, not `64`.
fn number(x: f64) -> String {
    let short = short(x);
    match short.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        true => format!("{short}.0"),
        false => short,
    }
}

/// Items between two brackets, until there are more than will be shown.
fn all<T>(
    (open, close): (&str, &str),
    items: &[T],
    out: &mut String,
    write: impl Fn(&T, &mut String),
) {
    if items.is_empty() {
        out.push_str(open.trim());
        return out.push_str(close.trim());
    }
    out.push_str(open);
    for (i, item) in items.iter().enumerate() {
        if out.chars().count() > SHOWN {
            return;
        }
        out.push_str(if i > 0 { ", " } else { "" });
        write(item, out);
    }
    out.push_str(close);
}

/// A number as it would be written: `1e300` without its zeros, and what is none as in TOML.
pub(crate) fn short(x: f64) -> String {
    /// Below it, zeros in front are no shorter than an exponent.
    const LEAST: f64 = 1e-4;
    /// Above it, digits are more than a number of 64 bits has.
    const MOST: f64 = 1e16;
    match x {
        x if x.is_nan() => "nan".to_string(),
        x if x.is_finite() && x != 0.0 && !(LEAST..MOST).contains(&x.abs()) => format!("{x:e}"),
        x => x.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::doc::parse_toml;
    use super::super::path::Path;
    use super::*;

    #[test]
    fn numbers_are_shown_as_they_would_be_written() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1e15, "1000000000000000"),
            (1e300, "1e300"),
            (-1.5e-7, "-1.5e-7"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn lists_and_tables_are_shown_as_long_as_they_are_short() {
        let shown = |text: &str| {
            let doc = parse_toml(text, "t").unwrap();
            doc.at(&Path::parse("a").unwrap()).unwrap().to_string()
        };
        assert_eq!(shown("a = [[1, -2.5], ['x']]"), "[[1, -2.5], [\"x\"]]");
        assert_eq!(shown("a = { b = [], c = 1e300 }"), "{ b = [], c = 1e300 }");
        let long = shown(&format!("a = [{}]", "7, ".repeat(5000)));
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert!(long.starts_with("[7, 7, ") && long.ends_with('…'), "{long}");
    }
}
