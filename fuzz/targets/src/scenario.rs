//! Any text, as TOML and as JSON: loading never panics, and what loads reloads to the same.
//!
//! The gallery makes a good corpus: `cargo fuzz run scenario scenarios`.

use acklab_sim::scenario::{Scenario, load_json, load_toml};

fn reloads(scenario: &Scenario) {
    match load_toml(&scenario.resolved, "resolved", &[]) {
        Ok(again) => assert_eq!(scenario.resolved, again.resolved),
        Err(errors) => panic!("the resolved scenario does not load:\n{errors}"),
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else {
        return;
    };
    for loaded in [load_toml(text, "fuzz", &[]), load_json(text, "fuzz", &[])] {
        match loaded {
            Ok(scenario) => reloads(&scenario),
            Err(errors) => assert!(!errors.to_string().is_empty()),
        }
    }
}
