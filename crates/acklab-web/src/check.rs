//! Mistakes in a scenario, and its resolved form.

use crate::network::Network;
use crate::parts::Answer;
use crate::request::Text;
use acklab_sim::scenario::{Diagnostic, NotLoaded, Scenario, Severity};
use serde::Serialize;
use serde_json::{Value, json};

/// A diagnostic with its place in the text.
#[derive(Debug, Serialize)]
struct Told<'a> {
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    text: String,
}

/// Checks a scenario.
pub(crate) fn check(text: &Text) -> Answer {
    Answer::of(&match text.load(&[]) {
        Ok(scenario) => sound(text, &scenario),
        Err(why) => unsound(text, &why),
    })
}

fn sound(text: &Text, s: &Scenario) -> Value {
    json!({
        "ok": true,
        "diagnostics": told(text, s.warnings.iter()),
        "resolvedToml": s.resolved,
        "network": Network::of(&s.plan),
        "name": s.plan.name,
        "description": s.description,
        "seed": s.seed.to_string(),
        "durationS": s.plan.stop.as_nanos() as f64 / 1e9,
        "recorded": s.plan.record.streams(),
    })
}

/// The answer that says why there is no scenario.
pub(crate) fn unsound(text: &Text, why: &NotLoaded) -> Value {
    match why {
        NotLoaded::Mistakes(all) => json!({ "ok": false, "diagnostics": told(text, all.iter()) }),
        NotLoaded::Stopped => json!({ "failed": why.to_string() }),
    }
}

fn told<'a>(text: &Text, all: impl Iterator<Item = &'a Diagnostic>) -> Vec<Told<'a>> {
    let one = |d: &'a Diagnostic| Told {
        severity: match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        line: d.line,
        column: d.line.and_then(|line| column(&text.toml, line, &d.key)),
        key: &d.key,
        value: d.value.as_deref(),
        message: &d.message,
        hint: d.hint.as_deref(),
        text: d.to_string(),
    };
    all.map(one).collect()
}

/// The column, counted from 1, at which the last word of `key` stands in a line.
fn column(text: &str, line: usize, key: &str) -> Option<usize> {
    let last = key.rsplit('.').next().filter(|word| !word.is_empty())?;
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let is_of_key = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let stands_alone = |at: usize| {
        !line[..at].ends_with(is_of_key) && !line[at + last.len()..].starts_with(is_of_key)
    };
    let mut found = line.match_indices(last).map(|(at, _)| at);
    let at = found.find(|at| stands_alone(*at))?;
    Some(1 + line[..at].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(toml: &str) -> Value {
        let request = json!({ "what": "check", "toml": toml });
        serde_json::from_str(&crate::answer(&request.to_string()).text).unwrap()
    }

    #[test]
    fn a_mistake_has_its_line_and_column_and_what_would_be_right() {
        let toml = "duration = \"1 s\"\n\n[topology]\npreset = \"dumbbell\"\n\n[[flow]]\nname = \"f\"\n  cc = \"qubic\"\n";
        let told = checked(toml);
        assert_eq!(told["ok"], false);
        let all = told["diagnostics"].as_array().unwrap();
        let d = all.iter().find(|d| d["key"] == "flow.0.cc").unwrap();
        assert_eq!((&d["line"], &d["column"]), (&json!(8), &json!(3)), "{d}");
        assert_eq!(d["severity"], "error");
        assert!(d["hint"].as_str().unwrap().contains("cubic"), "{d}");
        assert!(d["text"].as_str().unwrap().starts_with("error: "), "{d}");
    }

    #[test]
    fn a_sound_scenario_resolves_and_what_it_resolves_to_resolves_to_itself() {
        let told = checked(include_str!("../../../scenarios/single-flow.toml"));
        assert_eq!(told["ok"], true, "{told}");
        let resolved = told["resolvedToml"].as_str().unwrap();
        assert_eq!(checked(resolved)["resolvedToml"], resolved);
        assert_eq!(told["network"]["flows"][0]["name"], "bulk");
    }

    #[test]
    fn words_inside_other_words_are_no_keys() {
        assert_eq!(
            column("rate = 1\naccess_rate = { rate = 2 }", 2, "a.rate"),
            Some(17)
        );
        assert_eq!(column("x = 1", 1, ""), None);
        assert_eq!(column("x = 1", 7, "x"), None);
    }
}
