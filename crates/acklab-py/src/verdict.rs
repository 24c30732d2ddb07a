//! A scenario's expectations, held against a run.

use acklab_path::packet::DropReason;
use acklab_sim::record::{FlowSummary, LinkSummary, RunResult};
use acklab_sim::scenario::{Expectations, Metric, Subject};

/// For each expectation whether it was met, and a sentence.
pub(crate) fn verdicts(expect: &Expectations, result: &RunResult) -> Vec<(bool, String)> {
    let of = |e: &acklab_sim::scenario::Expectation| {
        let value = measure(&e.subject, e.metric, result);
        match e.violation(value) {
            None => (true, format!("{e}; it is {}", e.metric.show(value))),
            Some(violation) => (false, violation),
        }
    };
    expect.0.iter().map(of).collect()
}

fn measure(subject: &Subject, metric: Metric, result: &RunResult) -> f64 {
    match subject {
        Subject::Total => total(metric, &result.flows),
        Subject::Flow(name) => {
            let flow = result.flows.iter().find(|f| f.name == *name);
            flow.map_or(f64::NAN, |f| of_flow(metric, f))
        }
        Subject::Link(name) => {
            let link = result.links.iter().find(|l| l.name == *name);
            link.map_or(f64::NAN, |l| of_link(metric, l))
        }
    }
}

fn total(metric: Metric, flows: &[FlowSummary]) -> f64 {
    let goodputs = || flows.iter().map(|f| f.goodput_bps);
    match metric {
        Metric::Jain => {
            let (sum, squares) = goodputs().fold((0.0, 0.0), |(s, q), g| (s + g, q + g * g));
            sum * sum / (flows.len() as f64 * squares)
        }
        Metric::Rtt | Metric::SegmentsPerAck => {
            let sum: f64 = flows.iter().map(|f| of_flow(metric, f)).sum();
            sum / flows.len() as f64
        }
        Metric::Completion => flows
            .iter()
            .map(|f| of_flow(metric, f))
            .fold(0.0, |a, b| if b.is_nan() { b } else { a.max(b) }),
        _ => flows.iter().map(|f| of_flow(metric, f)).sum(),
    }
}

fn of_flow(metric: Metric, f: &FlowSummary) -> f64 {
    match metric {
        Metric::Goodput => f.goodput_bps,
        Metric::Retransmissions => f.retrans.total() as f64,
        Metric::Timeouts => f.rtos as f64,
        Metric::Delivered => f.received_bytes as f64,
        Metric::Rtt => f.srtt_mean.as_secs_f64(),
        Metric::Acks => f.acks_received as f64,
        Metric::SegmentsPerAck => f.segments_per_ack,
        Metric::Completion => f.completion.map_or(f64::NAN, |c| c.as_secs_f64()),
        Metric::Exchanges => f.exchanges as f64,
        Metric::Jain
        | Metric::Utilisation
        | Metric::Drops
        | Metric::Losses
        | Metric::AcksThinned => f64::NAN,
    }
}

fn of_link(metric: Metric, l: &LinkSummary) -> f64 {
    match metric {
        Metric::Utilisation => l.utilisation,
        Metric::Drops => l.stats.dropped_for(DropReason::QueueFull) as f64,
        Metric::Losses => l.stats.dropped_for(DropReason::RandomLoss) as f64,
        Metric::AcksThinned => l.filter.map_or(0.0, |f| f.dropped as f64),
        _ => f64::NAN,
    }
}
