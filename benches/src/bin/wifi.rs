//! Cost of a run of TCP over a radio channel.
//!
//! `cargo run --release -p acklab-benches --bin wifi [runs] [controller] [cases that contain this]`

use acklab_benches::{ns_per, shortest};
use acklab_path::wifi::medium::Aggregation;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_sim::engine;
use acklab_sim::engine::wlan::Wlan;
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn main() {
    let mut args = std::env::args().skip(1);
    let runs = args.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    let cc = args.next().unwrap_or_else(|| "newreno".to_string());
    let only = args.next().unwrap_or_default();
    let measure = |what: &str, runs, wlan: &Wlan, cc: &str| {
        if what.contains(&only) {
            measure(what, runs, wlan, cc);
        }
    };
    println!("                              wall ms    events  data pkts  ns/pkt  Mbit/s  retrans");
    let single = Wlan {
        aggregation: Aggregation::NONE,
        ..Wlan::default()
    };
    let both = Wlan {
        aggregation: Aggregation {
            ampdu: 65_535,
            amsdu: 3839,
            ..Aggregation::NONE
        },
        ..Wlan::default()
    };
    measure("no aggregation", runs, &single, &cc);
    measure("A-MPDU", runs, &Wlan::default(), &cc);
    measure("A-MPDU and A-MSDU", runs, &both, &cc);
    for stations in [1, 2, 5, 10, 20, 30, 100, 1000] {
        let wlan = Wlan {
            stations,
            ..Wlan::default()
        };
        measure(&format!("{stations} stations"), runs, &wlan, &cc);
    }
}

fn measure(what: &str, runs: usize, wlan: &Wlan, cc: &str) {
    let mut plan = wlan.plan().expect("a mode that exists");
    for flow in &mut plan.flows {
        let tcp = flow.transport.tcp_mut().expect("TCP");
        tcp.cc = CcChoice::named(cc).expect("a controller");
        tcp.ack = AckChoice::named(tcp.config.default_ack_policy()).expect("a policy");
    }
    let (time, r) = shortest(runs, || {
        engine::run(&plan, 1, &GO).expect("nobody stops it")
    });
    let p = &r.perf;
    let goodput: f64 = r.flows.iter().map(|f| f.goodput_bps).sum();
    println!(
        "{what:<28} {:>8.2} {:>9} {:>10} {:>7.1} {:>7.2} {:>8}",
        time.as_secs_f64() * 1e3,
        p.events,
        p.data_packets,
        ns_per(time, p.data_packets),
        goodput / 1e6,
        r.flows.iter().map(|f| f.retrans.total()).sum::<u64>(),
    );
}
