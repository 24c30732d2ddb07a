//! Cost of a run of TCP.
//!
//! `cargo run --release -p acklab-benches --bin tcp [runs] [controller ...]`

use acklab_benches::{ns_per, shortest};
use acklab_proto::registry;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_sim::engine;
use acklab_sim::engine::dumbbell::Dumbbell;
use acklab_sim::plan::Plan;
use acklab_units::{Rate, Span};
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn main() {
    let mut args = std::env::args().skip(1);
    let runs = args.next().and_then(|n| n.parse().ok()).unwrap_or(5);
    let mut names: Vec<_> = args.collect();
    if names.is_empty() {
        names = registry_names();
    }
    println!(
        "                              wall ms    events  data pkts   acks  ns/pkt  Mbit/s  retrans  MB  B/flow"
    );
    for cc in &names {
        measure(
            &format!("60 s at 10 Mbit/s, {cc}"),
            runs,
            &Dumbbell::default(),
            cc,
        );
    }
    let cc = &names[0];
    for own_access in [false, true] {
        for flows in [1, 10, 100, 1000, 10_000] {
            let access = if own_access { "own" } else { "shared" };
            let what = format!("{flows} flows, {access} access");
            measure(&what, runs.min(3), &scaled(flows, own_access), cc);
        }
    }
}

fn registry_names() -> Vec<String> {
    let all = acklab_proto::cc::registry::CONTROLLERS;
    all.iter()
        .map(|e: &registry::Entry<_>| e.name.to_owned())
        .collect()
}

/// 1 Mbit/s per flow, long enough for about 500,000 packets in all.
fn scaled(flows: usize, own_access: bool) -> Dumbbell {
    Dumbbell {
        flows,
        own_access,
        rate: Rate::from_bps(1_000_000 * flows as u64),
        queue: 8 * flows as u32 + 8,
        length: Span::from_secs((500_000 / (83 * flows as u64)).max(3)),
        ..Dumbbell::default()
    }
}

fn plan(dumbbell: &Dumbbell, cc: &str) -> Plan {
    let mut plan = dumbbell.plan();
    for flow in &mut plan.flows {
        let tcp = flow.transport.tcp_mut().expect("TCP");
        tcp.cc = CcChoice::named(cc).expect("a controller");
        tcp.ack = AckChoice::named(tcp.config.default_ack_policy()).expect("a policy");
    }
    plan
}

fn measure(what: &str, runs: usize, dumbbell: &Dumbbell, cc: &str) {
    let plan = plan(dumbbell, cc);
    let (time, r) = shortest(runs, || {
        engine::run(&plan, 1, &GO).expect("nobody stops it")
    });
    let p = &r.perf;
    let sum = |f: fn(&acklab_sim::record::FlowSummary) -> u64| r.flows.iter().map(f).sum::<u64>();
    println!(
        "{what:<28} {:>8.2} {:>9} {:>10} {:>6} {:>7.1} {:>7.2} {:>8} {:>3} {:>7}",
        time.as_secs_f64() * 1e3,
        p.events,
        p.data_packets,
        sum(|f| f.acks_received),
        ns_per(time, p.data_packets),
        r.flows.iter().map(|f| f.goodput_bps).sum::<f64>() / 1e6,
        sum(|f| f.retrans.total()),
        peak_memory_mb(),
        p.bytes_per_flow,
    );
}

/// Most memory that the process has had so far, in megabytes (Linux; elsewhere zero).
fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM"));
    let kb = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    kb.unwrap_or(0) / 1000
}
