//! What recording costs, as against a run that records nothing.
//!
//! `cargo run --release -p acklab-benches --bin record [runs] [stream]`

use acklab_benches::shortest;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_sim::engine;
use acklab_sim::engine::dumbbell::Dumbbell;
use acklab_sim::plan::{Plan, RecordPlan, TapPlan};
use acklab_units::Span;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static GO: AtomicBool = AtomicBool::new(false);

fn main() {
    let runs = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let runs = runs.unwrap_or(20);
    for (cc, flows) in [("cubic", 1), ("bbr3", 1), ("cubic", 10)] {
        let mut plan = plan(cc, flows);
        println!("60 s at 10 Mbit/s, {flows} x {cc}");
        let nothing = time(&plan, runs);
        let only = std::env::args().nth(2);
        let wanted = |name: &str| only.as_ref().is_none_or(|o| o == name);
        for (name, record) in choices(&plan).into_iter().filter(|c| wanted(c.0)) {
            plan.record = record;
            let took = time(&plan, runs);
            let times = took.as_secs_f64() / nothing.as_secs_f64();
            println!(
                "  {name:<10} {:>8.2} ms {times:>6.2}",
                took.as_secs_f64() * 1e3
            );
        }
    }
}

fn plan(cc: &str, flows: usize) -> Plan {
    let dumbbell = Dumbbell {
        flows,
        ..Dumbbell::default()
    };
    let mut plan = dumbbell.plan();
    for flow in &mut plan.flows {
        flow.cc = CcChoice::named(cc).expect("a controller");
        flow.ack = AckChoice::named(flow.tcp.default_ack_policy()).expect("a policy");
    }
    plan
}

/// Each stream alone, then all together.
fn choices(plan: &Plan) -> Vec<(&'static str, RecordPlan)> {
    let every = Some(Span::from_millis(10));
    let packets = Some(TapPlan {
        nodes: vec![true; plan.nodes.len()],
        links: vec![true; plan.links.len()],
    });
    let none = RecordPlan::default;
    vec![
        ("nothing", none()),
        ("series", RecordPlan { every, ..none() }),
        (
            "events",
            RecordPlan {
                events: true,
                ..none()
            },
        ),
        (
            "acks",
            RecordPlan {
                acks: true,
                ..none()
            },
        ),
        (
            "delays",
            RecordPlan {
                delays: true,
                ..none()
            },
        ),
        (
            "queues",
            RecordPlan {
                queues: true,
                ..none()
            },
        ),
        (
            "packets",
            RecordPlan {
                packets: packets.clone(),
                ..none()
            },
        ),
        (
            "all",
            RecordPlan {
                every,
                events: true,
                acks: true,
                delays: true,
                queues: true,
                packets,
            },
        ),
    ]
}

fn time(plan: &Plan, runs: usize) -> Duration {
    shortest(runs, || {
        engine::run(plan, 1, &GO).expect("nobody stops it").perf
    })
    .0
}
