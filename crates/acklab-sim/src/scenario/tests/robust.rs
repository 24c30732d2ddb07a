//! No text, however strange, makes loading panic; whatever loads, reloads.

use super::{DUMBBELL, json, toml, toml_with};
use proptest::prelude::*;

/// Pieces that get far into the language.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "duration",
        "topology",
        "preset",
        "flow",
        "link",
        "node",
        "a",
        "b",
        "name",
        "from",
        "to",
        "count",
        "expect",
        "queue",
        "loss",
        "kind",
        "tcp",
        "=",
        "\"",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        ",",
        ".",
        "\n",
        "'dumbbell'",
        "'1 BDP'",
        "'5 s'",
        "0",
        "-1",
        "1e400",
        "nan",
        "true",
        "99999999999999999999",
        "wifi",
        "stations",
        "'wlan'",
        "hidden",
        "station",
    ];
    prop_oneof![
        3 => prop::sample::select(words.map(String::from).to_vec()),
        1 => "\\PC{0,4}",
    ]
}

fn check(text: &str) {
    if let Ok(scenario) = toml(text) {
        let again = toml(&scenario.resolved).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scenario.resolved, again.resolved);
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        check(&text);
        let _ = json(&text);
    }

    #[test]
    fn almost_scenarios_never_panic(pieces in prop::collection::vec(piece(), 0..40)) {
        check(&pieces.concat());
        check(&pieces.join(" "));
    }

    #[test]
    fn a_damaged_scenario_never_panics(at in 0..DUMBBELL.len(), len in 0usize..30, new in piece()) {
        let end = (at + len).min(DUMBBELL.len());
        check(&format!("{}{new}{}", &DUMBBELL[..at], &DUMBBELL[end..]));
    }

    #[test]
    fn overrides_never_panic(key in "[a-z0-9.\"]{0,20}", value in "\\PC{0,20}", word in piece()) {
        let overrides = [(key.as_str(), value.as_str()), ("flow.0.cc", word.as_str())];
        let _ = toml_with(DUMBBELL, &overrides);
    }
}
