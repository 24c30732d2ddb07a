//! Cost of recording, as against a run that records nothing: time to run and to free the result.
//!
//! `cargo run --release -p acklab-benches --bin record [runs] [stream]`

use acklab_benches::in_turns;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_sim::engine;
use acklab_sim::engine::dumbbell::Dumbbell;
use acklab_sim::plan::{Plan, RecordPlan, TapPlan};
use acklab_units::Span;
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn main() {
    let runs = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let runs = runs.unwrap_or(20);
    let only = std::env::args().nth(2);
    for (cc, flows) in [("cubic", 1), ("bbr3", 1), ("cubic", 10), ("cubic", 100)] {
        let plan = plan(cc, flows);
        println!("60 s at 10 Mbit/s, {flows} x {cc}");
        let mut choices = choices(&plan);
        choices.retain(|(name, _)| *name == "nothing" || only.as_ref().is_none_or(|o| o == name));
        let times = in_turns(runs, &choices, |(_, record)| {
            let plan = Plan {
                record: record.clone(),
                ..plan.clone()
            };
            engine::run(&plan, 1, &GO).expect("nobody stops it")
        });
        for ((name, _), took) in choices.iter().zip(&times) {
            let times = took.as_secs_f64() / times[0].as_secs_f64();
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
        let tcp = flow.transport.tcp_mut().expect("TCP");
        tcp.cc = CcChoice::named(cc).expect("a controller");
        tcp.ack = AckChoice::named(tcp.config.default_ack_policy()).expect("a policy");
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
                ppdus: true,
                frames: true,
                packets,
                ..none()
            },
        ),
    ]
}
