//! Cost of a data packet over TACK, and over TCP with the same controller.
//!
//! `cargo run --release -p acklab-benches --bin tack [runs]` takes the transports in turns and prints
//! medians. For instructions, which do not waver, run one of them alone:
//!
//! `valgrind --tool=callgrind target/release/tack one (tcp|tack) CONTROLLER (10|100)`
//!
//! and for the memory of flows in a process of its own, heap and all:
//!
//! `target/release/tack many (tcp|tack) CONTROLLER FLOWS`

use acklab_benches::ns_per;
use acklab_proto::cc::registry::CONTROLLERS;
use acklab_proto::registry::{Params, find};
use acklab_proto::tack::{self, TackConfig};
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_sim::engine;
use acklab_sim::engine::dumbbell::Dumbbell;
use acklab_sim::plan::{Plan, TackPlan, TransportPlan};
use acklab_sim::record::RunResult;
use acklab_units::{Rate, Span};
use cpu_time::ProcessTime;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    if let [one, protocol, cc, mbits] = &args[..]
        && one == "one"
    {
        alone(protocol, cc, mbits.parse().expect("Mbit/s"));
        return;
    }
    if let [many, protocol, cc, flows] = &args[..]
        && many == "many"
    {
        crowd(protocol, cc, flows.parse().expect("flows"));
        return;
    }
    let runs = args.first().and_then(|n| n.parse().ok()).unwrap_or(7);
    costs(runs);
    memory();
}

/// One flow, as many bytes as 10 Mbit/s carry in 60 s.
fn line(mbits: u64) -> Dumbbell {
    let rate = Rate::from_bps(mbits * 1_000_000);
    let usual = Dumbbell::default();
    Dumbbell {
        rate,
        queue: usual.queue * (mbits / 10) as u32,
        length: Span::from_secs(600 / mbits),
        ..usual
    }
}

fn plan(dumbbell: &Dumbbell, protocol: &str, cc: &str) -> Plan {
    let mut plan = dumbbell.plan();
    for flow in &mut plan.flows {
        let cc = CcChoice::named(cc).expect("a controller");
        if protocol == "tack" {
            let params = Params::defaults(tack::PARAMS);
            flow.transport = TransportPlan::Tack(TackPlan {
                config: Arc::new(TackConfig::from_params(&params)),
                params,
                cc,
            });
        } else {
            let tcp = flow.transport.tcp_mut().expect("TCP");
            tcp.cc = cc;
            tcp.ack = AckChoice::named(tcp.config.default_ack_policy()).expect("a policy");
        }
    }
    plan
}

fn run(plan: &Plan) -> RunResult {
    engine::run(plan, 1, &GO).expect("nobody stops it")
}

fn alone(protocol: &str, cc: &str, mbits: u64) {
    assert!(find(CONTROLLERS, cc).is_some(), "no controller {cc}");
    let r = run(&plan(&line(mbits), protocol, cc));
    println!(
        "{protocol} {cc}: {} data packets, {} events",
        r.perf.data_packets, r.perf.events
    );
}

const WAYS: [(&str, &str); 6] = [
    ("tcp", "bbr1"),
    ("tack", "bbr1"),
    ("tcp", "cubic"),
    ("tack", "cubic"),
    ("tcp", "bbr3"),
    ("tack", "bbr3"),
];

/// Medians of runs that were taken in turns, in processor time.
fn costs(runs: usize) {
    println!("                      ns/pkt (median)   events/pkt  ACKs/pkt  Mbit/s");
    for mbits in [10, 100] {
        let plans = WAYS.map(|(protocol, cc)| plan(&line(mbits), protocol, cc));
        let mut times = vec![Vec::new(); plans.len()];
        for _ in 0..runs {
            for (plan, times) in plans.iter().zip(&mut times) {
                let start = ProcessTime::now();
                let r = run(plan);
                times.push((start.elapsed(), r.perf.data_packets));
            }
        }
        for (((protocol, cc), plan), mut times) in WAYS.iter().zip(&plans).zip(times) {
            times.sort_unstable();
            let (median, packets) = times[times.len() / 2];
            let r = run(plan);
            println!(
                "{mbits:>4} Mbit/s, {protocol:<4} {cc:<6} {:>10.1} {:>15.2} {:>9.4} {:>8.2}",
                ns_per(median, packets),
                r.perf.events as f64 / packets as f64,
                r.flows[0].acks_sent as f64 / packets as f64,
                r.flows[0].goodput_bps / 1e6,
            );
        }
    }
}

/// 1 Mbit/s per flow over access links of their own.
fn many(flows: usize) -> Dumbbell {
    Dumbbell {
        flows,
        own_access: true,
        rate: Rate::from_bps(1_000_000 * flows as u64),
        queue: 8 * flows as u32 + 8,
        length: Span::from_secs((500_000 / (83 * flows as u64)).max(3)),
        ..Dumbbell::default()
    }
}

/// Most memory that the process has had so far, in bytes (Linux; elsewhere zero).
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM"));
    let kb = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    kb.unwrap_or(0) * 1024
}

fn crowd(protocol: &str, cc: &str, flows: usize) {
    let before = peak_memory();
    let r = run(&plan(&many(flows), protocol, cc));
    let grown = peak_memory() - before;
    println!(
        "{protocol} {cc}, {flows} flows: {} B/flow of the process, {} of hosts and links",
        grown / flows as u64,
        r.perf.bytes_per_flow,
    );
}

fn memory() {
    println!(
        "an end: TCP {} B, TACK {} B",
        size_of::<acklab_proto::tcp::Connection>(),
        size_of::<tack::TackEndpoint>()
    );
    println!("       flows  TCP B/flow  TACK B/flow");
    for flows in [1, 10, 100, 1000] {
        let bytes =
            ["tcp", "tack"].map(|p| run(&plan(&many(flows), p, "bbr1")).perf.bytes_per_flow);
        println!("{flows:>12} {:>11} {:>12}", bytes[0], bytes[1]);
    }
}
