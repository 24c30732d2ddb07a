//! A run and what is wanted of it.

use crate::check::unsound;
use crate::network::Network;
use crate::parts::{Answer, Part};
use crate::request::{Captures, Run, Snap};
use crate::tables;
use acklab_sim::columns::Which;
use acklab_sim::engine;
use acklab_sim::export::{monitor, pcapng};
use acklab_sim::record::RunResult;
use acklab_sim::scenario::{Metric, NotLoaded, Scenario, of_all_flows};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

const APPLICATION: &str = concat!("acklab ", env!("CARGO_PKG_VERSION"));

/// Distance of samples where nobody says another.
const SAMPLES: &str = "10 ms";

/// Runs a scenario.
pub(crate) fn run(asked: &Run) -> Answer {
    let Ok(seed) = asked.seed.parse::<u64>() else {
        let why = format!(
            "the seed {:?} is not a whole number from 0 to 2^64 - 1",
            asked.seed
        );
        return Answer::of(&json!({ "failed": why }));
    };
    let scenario = match recording(asked) {
        Ok(scenario) => scenario,
        Err(why) => return Answer::of(&unsound(&asked.text, &why)),
    };
    // A worker has nobody who could set a flag while it runs: whoever waits ends the worker.
    let never = AtomicBool::new(false);
    match engine::run(&scenario.plan, seed, &never) {
        Ok(result) => drawn_up(asked, seed, &scenario, &result),
        Err(why) => Answer::of(&json!({ "failed": why.to_string() })),
    }
}

/// The scenario that records what is wanted beside what it records anyway.
fn recording(asked: &Run) -> Result<Scenario, NotLoaded> {
    let scenario = asked.text.load(&[])?;
    let already = scenario.plan.record.streams();
    let missing = asked
        .record
        .iter()
        .filter(|s| !already.contains(&s.as_str()));
    let mut also: Vec<(String, String)> = missing
        .map(|stream| match stream.as_str() {
            "series" => ("record.every".to_owned(), SAMPLES.to_owned()),
            other => (format!("record.{other}"), "true".to_owned()),
        })
        .collect();
    also.extend(
        asked
            .every
            .iter()
            .map(|e| ("record.every".to_owned(), e.clone())),
    );
    if also.is_empty() {
        return Ok(scenario);
    }
    asked.text.load(&also)
}

fn drawn_up(asked: &Run, seed: u64, scenario: &Scenario, result: &RunResult) -> Answer {
    let plan = &scenario.plan;
    let wanted = |w: &Which| {
        let tables = asked.tables.as_ref();
        tables.is_none_or(|names| names.iter().any(|n| n == w.name()))
    };
    let mut parts = Vec::new();
    let tables: Vec<_> = Which::ALL
        .into_iter()
        .filter(wanted)
        .map(|w| tables::tell(w.name(), w.of(result, plan), &mut parts))
        .collect();
    let captures = captures(&asked.captures, scenario, result, &mut parts);
    let whole = json!({
        "ok": true,
        "seed": asked.seed,
        "tables": tables,
        "summary": summary(scenario, result),
        "network": Network::of(plan),
        "origins": engine::origins(plan, seed),
        "captures": captures,
    });
    Answer::with(&whole, parts)
}

fn summary(scenario: &Scenario, result: &RunResult) -> Value {
    let known = |value: f64| (!value.is_nan()).then_some(value);
    let verdicts = scenario.expect.verdicts(result);
    let verdicts: Vec<_> = verdicts
        .map(|v| json!({ "met": v.met, "text": v.text }))
        .collect();
    let perf = &result.perf;
    json!({
        "name": scenario.plan.name,
        "durationS": scenario.plan.stop.as_nanos() as f64 / 1e9,
        "expectations": verdicts,
        "goodputMbps": of_all_flows(result, Metric::Goodput) / 1e6,
        "fairness": known(of_all_flows(result, Metric::Jain)),
        "cost": {
            "events": perf.events,
            "hops": perf.hops,
            "dataPackets": perf.data_packets,
            "peakPackets": perf.peak_packets,
        },
    })
}

fn captures(
    wanted: &Captures,
    scenario: &Scenario,
    result: &RunResult,
    parts: &mut Vec<Part>,
) -> Vec<Value> {
    let plan = &scenario.plan;
    let mut told = Vec::new();
    let mut keep = |of: &str, write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<u64>| {
        let mut bytes = Vec::new();
        let packets = write(&mut bytes).expect("memory takes everything");
        told.push(json!({ "of": of, "packets": packets, "part": parts.len() }));
        parts.push(Part::Bytes(bytes));
    };
    if let Some(snap) = wanted.packets {
        let snap = match snap {
            Snap::Headers => pcapng::Snap::Headers,
            Snap::Whole => pcapng::Snap::Whole,
        };
        keep("packets", &|out| {
            pcapng::write(out, plan, &result.records.packets, snap, APPLICATION)
        });
    }
    for (number, medium) in plan.media.iter().enumerate().filter(|_| wanted.channels) {
        let channel = monitor::Channel::of(plan, number);
        keep(&medium.name, &|out| {
            let seen = result.records.frames.on(number as u32);
            monitor::write(out, &channel, seen, APPLICATION)
        });
    }
    told
}
