//! Cost of a hop, with a transport that costs next to nothing.
//!
//! `cargo run --release -p acklab-benches --bin engine [runs] [part of a name]`

use acklab_benches::{ns_per, shortest};
use acklab_sim::engine::dumbbell::Dumbbell;
use acklab_sim::engine::run_with;
use acklab_sim::engine::window::{Window, WindowConfig};
use acklab_sim::record::RunResult;
use acklab_units::{Rate, Span};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static GO: AtomicBool = AtomicBool::new(false);

fn main() {
    let runs = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let runs = runs.unwrap_or(5);
    println!(
        "                                 wall ms    events   data pkts  Mevents/s  ns/hop  ns/pkt  B/flow"
    );
    for ack_every in [1, 2] {
        let what = format!("60 s at 10 Mbit/s, ACK every {ack_every}");
        measure(&what, runs, &Dumbbell::default(), window(64, ack_every));
    }
    for hops in [2, 10, 50] {
        let dumbbell = Dumbbell {
            hops,
            ..Dumbbell::default()
        };
        let what = format!("60 s at 10 Mbit/s, {} hops", hops + 2);
        measure(&what, runs, &dumbbell, window(64, 1));
    }
    for own_access in [false, true] {
        for flows in [1, 10, 100, 1000, 10_000] {
            let access = if own_access { "own" } else { "shared" };
            let what = format!("{flows} flows, {access} access");
            measure(&what, runs, &scaled(flows, own_access), window(8, 1));
        }
    }
}

fn window(window: u64, ack_every: u32) -> WindowConfig {
    WindowConfig {
        window,
        ack_every,
        ..WindowConfig::default()
    }
}

/// 1 Mbit/s per flow, long enough for two million packets in all.
fn scaled(flows: usize, own_access: bool) -> Dumbbell {
    let packets_per_s = 83 * flows as u64;
    Dumbbell {
        flows,
        own_access,
        rate: Rate::from_bps(1_000_000 * flows as u64),
        queue: 1_000_000,
        length: Span::from_secs((2_000_000 / packets_per_s).max(3)),
        ..Dumbbell::default()
    }
}

fn measure(what: &str, runs: usize, dumbbell: &Dumbbell, config: WindowConfig) {
    if !std::env::args()
        .nth(2)
        .is_none_or(|part| what.contains(&part))
    {
        return;
    }
    let plan = dumbbell.plan();
    let run = || run_with(&plan, 1, &GO, |_| Window::new(config)).expect("nobody stops it");
    let (time, result) = shortest(runs, run);
    print(what, time, &result);
}

fn print(what: &str, time: Duration, result: &RunResult) {
    let p = &result.perf;
    println!(
        "{what:<32} {:>7.2} {:>9} {:>11} {:>10.1} {:>7.1} {:>7.1} {:>7}",
        time.as_secs_f64() * 1e3,
        p.events,
        p.data_packets,
        1e3 / ns_per(time, p.events),
        ns_per(time, p.hops),
        ns_per(time, p.data_packets),
        p.bytes_per_flow,
    );
}
