//! Any text, as TOML and as JSON: loading never panics, and what loads reloads to the same.
//!
//! The gallery makes a good corpus: `cargo fuzz run scenario scenarios`.

#![no_main]

use acklab_sim::scenario::{Scenario, load_json, load_toml};
use libfuzzer_sys::fuzz_target;

fn reloads(scenario: &Scenario) {
    match load_toml(&scenario.resolved, "resolved", &[]) {
        Ok(again) => assert_eq!(scenario.resolved, again.resolved),
        Err(errors) => panic!("the resolved scenario does not load:\n{errors}"),
    }
}

fuzz_target!(|text: &str| {
    for loaded in [load_toml(text, "fuzz", &[]), load_json(text, "fuzz", &[])] {
        match loaded {
            Ok(scenario) => reloads(&scenario),
            Err(errors) => assert!(!errors.to_string().is_empty()),
        }
    }
});
