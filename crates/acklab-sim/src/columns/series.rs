//! Samples over time.

use super::Table;
use super::cells::{at, known_mbps, known_ms};
use crate::plan::Plan;
use crate::record::{FlowSeries, LinkSeries, Passed};

pub(super) fn of_flows<'a>(s: &'a FlowSeries, plan: &'a Plan) -> Table<'a> {
    let mut t = Table::default();
    let r = || s.iter();
    let flow = |f: u32| &plan.flows[f as usize];
    let segments: Vec<f64> = plan
        .flows
        .iter()
        .map(|f| f64::from(f.transport.payload().max(1)))
        .collect();
    let packets = |bytes: u64, f: u32| bytes as f64 / segments[f as usize];
    let threshold = |b: u64| if b == u64::MAX { f64::NAN } else { b as f64 };
    t.numbers("time_s", s.times().map(at))
        .words("flow", r().map(|f| flow(f.flow).name.as_str()))
        .numbers("cwnd_packets", r().map(|f| packets(f.cwnd, f.flow)))
        .numbers("cwnd_bytes", r().map(|f| f.cwnd))
        .numbers("ssthresh_bytes", r().map(|f| threshold(f.ssthresh)))
        .numbers("inflight_bytes", r().map(|f| f.inflight))
        .numbers("srtt_ms", r().map(|f| known_ms(f.srtt)))
        .numbers("rtt_ms", r().map(|f| known_ms(f.rtt)))
        .numbers("acked_bytes", r().map(|f| f.acked_bytes))
        .numbers("retransmissions", r().map(|f| f.retrans))
        .numbers("pacing_mbps", r().map(|f| known_mbps(f.pacing)))
        .numbers("delivery_mbps", r().map(|f| known_mbps(f.delivery)))
        .numbers("goodput_mbps", s.passed().map(|p| rate(p.read_bytes, p)))
        .numbers("throughput_mbps", s.passed().map(|p| rate(p.sent_bytes, p)))
        .numbers(
            "owd_ms",
            r().map(|f| f.delay.map_or(f64::NAN, |(ns, _)| ns as f64 / 1e6)),
        )
        .numbers(
            "jitter_ms",
            r().map(|f| f.delay.map_or(f64::NAN, |(_, ns)| ns / 1e6)),
        )
        .words("state", r().map(|f| s.states()[f.state as usize]));
    t
}

pub(super) fn of_links<'a>(s: &LinkSeries, plan: &'a Plan) -> Table<'a> {
    let mut t = Table::default();
    t.numbers("time_s", s.time_ns.iter().map(|&n| n as f64 / 1e9))
        .words(
            "link",
            s.link.iter().map(|&l| plan.links[l as usize].name.as_str()),
        )
        .numbers("queue_packets", s.packets.iter().copied())
        .numbers("queue_bytes", s.bytes.iter().copied())
        .numbers("dropped", s.drops.iter().copied())
        .numbers("marks", s.marks.iter().copied())
        .numbers(
            "sojourn_ms",
            s.sojourn_ns
                .iter()
                .map(|n| n.map_or(f64::NAN, |n| n as f64 / 1e6)),
        )
        .numbers("acks_held", s.held.iter().copied());
    t
}

/// Mbit/s between samples; none in the first of a flow.
fn rate(bytes: u64, passed: Passed) -> f64 {
    match passed.interval.as_nanos() {
        0 => f64::NAN,
        ns => bytes as f64 * 8e3 / ns as f64,
    }
}
