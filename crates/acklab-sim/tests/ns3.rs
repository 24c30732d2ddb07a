//! The profile `ns3` against ns-3.44 itself: every run of the reference table, through the scenario
//! language.

use acklab_sim::record::FlowSummary;
use acklab_sim::{engine, scenario};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// The table and how it was made: `validation/README.md`.
const TABLE: &str = include_str!("../../../validation/ns3/wired.csv");

/// A row by its columns' names.
type Row = HashMap<&'static str, &'static str>;

fn rows() -> Vec<Row> {
    let mut lines = TABLE.lines();
    let names: Vec<_> = lines.next().expect("a header").split(',').collect();
    lines
        .map(|line| names.iter().copied().zip(line.split(',')).collect())
        .collect()
}

/// An option of ns-3's program, from the column that repeats a run.
fn option(row: &Row, name: &str, default: &'static str) -> &'static str {
    let of = |word: &'static str| word.strip_prefix("--")?.split_once('=');
    let given = row["args"].split(' ').filter_map(of);
    given
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value)
        .next_back()
        .unwrap_or(default)
}

/// `queue=default` is FqCoDel above a device queue that never fills: the same as without.
fn toml(row: &Row) -> String {
    let number = |name, default| option(row, name, default);
    let thin = number("thin", "1");
    let filter = if thin == "1" {
        String::new()
    } else {
        format!(
            "[topology.bottleneck.reverse]\n\
             ack_filter = {{ name = \"aggregate\", ratio = {thin}, timeout = \"5 ms\" }}\n"
        )
    };
    format!(
        "name = \"ns3\"\n\
         start = \"2 s\"\n\
         duration = \"60 s\"\n\
         [topology]\n\
         preset = \"dumbbell\"\n\
         [topology.access]\n\
         rate = \"100 Mbit/s\"\n\
         delay = \"2 ms\"\n\
         overhead = \"2 B\"\n\
         queue = \"100 packets\"\n\
         [topology.bottleneck]\n\
         rate = \"10 Mbit/s\"\n\
         delay = \"20 ms\"\n\
         overhead = \"2 B\"\n\
         queue = \"{queue} packets\"\n\
         {filter}\
         [tcp]\n\
         profile = \"ns3\"\n\
         send_buffer = \"{buf} B\"\n\
         recv_buffer = \"{buf} B\"\n\
         [[flow]]\n\
         cc = \"{cc}\"\n\
         ack = {{ name = \"delayed\", segments = {delack} }}\n",
        queue = number("devq", "100"),
        buf = number("buf", "131072"),
        cc = number("tcp", "newreno"),
        delack = number("delack", "2"),
    )
}

fn run(row: &Row) -> FlowSummary {
    let loaded = scenario::load_toml(&toml(row), "table", &[]).unwrap_or_else(|e| panic!("{e}"));
    let go = AtomicBool::new(false);
    let mut result = engine::run(&loaded.plan, 1, &go).expect("nobody stops it");
    result.flows.remove(0)
}

fn real(row: &Row, column: &str) -> f64 {
    row[column].parse().expect("a number")
}

/// ns-3's TCP is repeated event by event, so what differs is what is counted at the very end.
#[test]
fn every_run_of_the_table_comes_out_the_same() {
    let mut wrong = Vec::new();
    for row in rows() {
        let ours = run(&row);
        let seconds = 60.0;
        let goodput = ours.received_bytes as f64 * 8.0 / seconds / 1e6;
        let window = ours.cwnd_mean_time.unwrap();
        let near = |ours: f64, theirs: f64, relative: f64| (ours / theirs - 1.0).abs() < relative;
        let same = near(goodput, real(&row, "goodput_mbps"), 1e-4)
            && ours.retrans.total() as f64 == real(&row, "retx_segs")
            && ours.data_segs_out as f64 == real(&row, "tx_segs")
            && near(window, real(&row, "cwnd_mean_seg"), 1e-3);
        if !same {
            wrong.push(format!(
                "{}: {goodput:.4} Mbit/s, {} of {} sent again, window {:.2}; ns-3: {}, {} of {}, {}",
                row["args"],
                ours.retrans.total(),
                ours.data_segs_out,
                window,
                row["goodput_mbps"],
                row["retx_segs"],
                row["tx_segs"],
                row["cwnd_mean_seg"],
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Purpose of the table: a controller that counts ACKs and one that counts segments part ways.
#[test]
fn thinning_tells_new_reno_from_linux_reno() {
    let retransmissions = |cc: &str, thin: &str| {
        let row = rows()
            .into_iter()
            .find(|r| r["tag"] == "thin_droptail40" && r["tcp"] == cc && r["thin"] == thin)
            .expect("a row");
        run(&row).retrans.total()
    };
    assert!(retransmissions("newreno", "8") * 4 < retransmissions("newreno", "1"));
    assert!(retransmissions("linuxreno", "8") > retransmissions("newreno", "8") * 4);
}
