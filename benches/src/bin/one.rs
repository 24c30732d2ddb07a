//! Cost of a run of one scenario, between two versions of the engine.
//!
//! `target/release/one SCENARIO.toml [runs] [key=value ...]` prints the shortest processor time. For
//! instructions, which repeat where times do not, of the run alone:
//! `valgrind --tool=callgrind --toggle-collect='one::run_once*' target/release/one SCENARIO.toml 1`.
//!
//! Nothing is recorded, and the result is dropped within what is counted.

use acklab_benches::shortest_cpu;
use acklab_sim::engine;
use acklab_sim::scenario::{Scenario, load_toml};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: one SCENARIO.toml [runs] [key=value ...]");
        return ExitCode::FAILURE;
    };
    let mut args = args.peekable();
    let runs = args
        .next_if(|a| !a.contains('='))
        .and_then(|n| n.parse().ok());
    let set: Vec<(String, String)> = args
        .filter_map(|a| {
            a.split_once('=')
                .map(|(k, v)| (k.to_string(), v.to_string()))
        })
        .collect();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) => {
            eprintln!("{path}: {e}");
            return ExitCode::FAILURE;
        }
    };
    let scenario = match load_toml(&text, &path, &set) {
        Ok(scenario) => scenario,
        Err(mistakes) => {
            eprintln!("{mistakes}");
            return ExitCode::FAILURE;
        }
    };
    let (time, events) = shortest_cpu(runs.unwrap_or(5), || run_once(&scenario));
    println!("{:.3} ms, {events} events", time.as_secs_f64() * 1e3);
    ExitCode::SUCCESS
}

/// A name that a profiler finds.
#[inline(never)]
fn run_once(scenario: &Scenario) -> u64 {
    let result = engine::run(&scenario.plan, scenario.seed, &GO).expect("nobody stops it");
    black_box(&result).perf.events
}
