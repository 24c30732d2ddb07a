//! Scenarios that once failed, in `tests/kept`: each runs with the seed that it names, to its end,
//! with overflow checks, and its flow makes progress all the while.

use acklab_sim::engine;
use acklab_sim::scenario::{Scenario, load_json, load_toml};
use acklab_units::{Instant, Span};
use std::sync::atomic::AtomicBool;

/// Name and text of each file.
macro_rules! files {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("kept/", $name)))),*] };
}

const KEPT: [(&str, &str); 10] = files! {
    "no-sack-118.json"
    "no-sack-1307.json"
    "no-sack-185.json"
    "no-sack-217.json"
    "no-sack-302.json"
    "no-sack-35.json"
    "no-sack-3772.json"
    "no-sack-3928.json"
    "no-sack-482.json"
    "no-sack-standing.toml"
};

fn load(name: &str, text: &str) -> Scenario {
    let sampled = [("record.every".to_owned(), "100 ms".to_owned())];
    let loaded = if name.ends_with(".json") {
        load_json(text, name, &sampled)
    } else {
        load_toml(text, name, &sampled)
    };
    loaded.unwrap_or_else(|e| panic!("{e}"))
}

/// The longest time without a byte acknowledged, up to the end of the run or of the flow.
fn longest_standstill(scenario: &Scenario) -> Span {
    let result = engine::run(&scenario.plan, scenario.seed, &AtomicBool::new(false));
    let result = result.expect("nobody stops it");
    let end = result.flows[0].completion;
    let s = &result.series.flows;
    let (mut longest, mut since, mut acked) = (Span::ZERO, Instant::ZERO, 0);
    for (at, sample) in s.times().zip(s.iter()) {
        if end.is_some_and(|end| at - Instant::ZERO > end) {
            break;
        }
        longest = longest.max(at - since);
        if sample.acked_bytes > acked {
            (since, acked) = (at, sample.acked_bytes);
        }
    }
    assert!(acked > 0, "nothing was acknowledged");
    longest
}

/// The applications pause for 50 ms in the mean, the paths lose and reorder: a timeout of a second
/// may pass, no more. Runs that stood still did so for good.
#[test]
fn what_stood_still_or_overflowed_once_moves() {
    for (name, text) in KEPT {
        let longest = longest_standstill(&load(name, text));
        assert!(longest < Span::from_millis(1500), "{name}: {longest:?}");
    }
}
