//! The scenario's name, which is the name of a folder too.

use super::super::diagnostics::Report;
use super::super::path::Path;

/// The name of a scenario that has none and comes from no file.
const DEFAULT_NAME: &str = "scenario";

/// The name as written; else that of the file, without its suffix.
pub(crate) fn resolve(written: Option<&str>, report: &mut Report<'_>) -> String {
    let Some(name) = written else {
        return of_file(report.origin()).unwrap_or(DEFAULT_NAME).to_string();
    };
    if let Some(message) = mistake(name) {
        let hint = "it names the result folder: write letters, digits, `-`, `_`".to_string();
        report.error(&Path::root().key("name"), message, hint);
    }
    name.to_string()
}

/// The stem of `origin`, unless that is no file (`<dict>`) or makes no name.
fn of_file(origin: &str) -> Option<&str> {
    let stem = std::path::Path::new(origin).file_stem()?.to_str()?;
    (!origin.starts_with('<') && mistake(stem).is_none()).then_some(stem)
}

fn mistake(name: &str) -> Option<&'static str> {
    match name {
        _ if name.trim().is_empty() => Some("the name is empty"),
        "." | ".." => Some("this is no name but a place"),
        _ if name.contains(['/', '\\']) => Some("a name cannot have path separators"),
        _ if name.contains(char::is_control) => Some("a name cannot have control characters"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::doc::{Node, Value};
    use super::super::super::registries::NEVER;
    use super::*;

    fn from(origin: &str) -> String {
        let doc = Node::new(Value::Null);
        resolve(None, &mut Report::new(origin, &doc, &NEVER))
    }

    #[test]
    fn a_file_names_what_has_no_name() {
        assert_eq!(from("some/where/two-paths.toml"), "two-paths");
        assert_eq!(from("v1.2.json"), "v1.2");
        for none in ["<dict>", "", "/", "..", "a\tb.toml", "a\\b.toml"] {
            assert_eq!(from(none), DEFAULT_NAME, "{none:?}");
        }
    }

    #[test]
    fn folders_can_have_these_names() {
        for name in ["a", "a b", "v1..2", "réseau", "...", "-"] {
            assert_eq!(mistake(name), None, "{name:?}");
        }
        for name in [
            "", " ", ".", "..", "../x", "/x", "a/b", "a\\b", "a\nb", "\0", "\u{7f}",
        ] {
            assert!(mistake(name).is_some(), "{name:?}");
        }
    }
}
