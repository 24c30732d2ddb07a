//! Expectations against the result of a simulated run.

use super::expect::{Expectation, Expectations, Metric, Subject};
use crate::record::{FlowSummary, LinkSummary, RunResult};
use acklab_path::packet::DropReason;

impl Expectations {
    /// Each expectation with its value in `run`, in the metric's unit.
    pub fn measured<'a>(
        &'a self,
        run: &'a RunResult,
    ) -> impl Iterator<Item = (&'a Expectation, f64)> + 'a {
        self.0
            .iter()
            .map(|e| (e, measure(run, &e.subject, e.metric)))
    }

    /// The expectations that `run` misses, one sentence each.
    pub fn violations(&self, run: &RunResult) -> Vec<String> {
        self.measured(run)
            .filter_map(|(e, value)| e.violation(value))
            .collect()
    }

    /// Of each expectation, whether `run` keeps to it.
    pub fn verdicts<'a>(&'a self, run: &'a RunResult) -> impl Iterator<Item = Verdict> + 'a {
        self.measured(run)
            .map(|(e, value)| match e.violation(value) {
                Some(text) => Verdict { met: false, text },
                None => Verdict {
                    met: true,
                    text: format!("{e}; it is {}", e.metric.show(rounded(value))),
                },
            })
    }
}

/// Whether a run keeps to an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// It does.
    pub met: bool,
    /// The expected and the measured value, in a sentence.
    pub text: String,
}

/// Four significant digits, for people.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The metric of all flows of `run` together, in the metric's unit; not a number if there is no such value.
pub fn of_all_flows(run: &RunResult, metric: Metric) -> f64 {
    measure(run, &Subject::Total, metric)
}

/// The metric of the subject in the metric's unit; not a number if there is no such value.
fn measure(run: &RunResult, subject: &Subject, metric: Metric) -> f64 {
    let found = match subject {
        Subject::Total => Some(of_all(&run.flows, metric)),
        Subject::Flow(name) => {
            let flow = run.flows.iter().find(|f| f.name == *name);
            flow.and_then(|f| of_flow(f, metric))
        }
        Subject::Link(name) => {
            let link = run.links.iter().find(|l| l.name == *name);
            link.and_then(|l| of_link(l, metric))
        }
    };
    found.unwrap_or(f64::NAN)
}

fn of_all(flows: &[FlowSummary], metric: Metric) -> f64 {
    match metric {
        Metric::Jain => jain(flows),
        _ => flows.iter().filter_map(|f| of_flow(f, metric)).sum(),
    }
}

/// Jain's index of the goodputs; flows that all got nothing are treated alike.
fn jain(flows: &[FlowSummary]) -> f64 {
    let sum: f64 = flows.iter().map(|f| f.goodput_bps).sum();
    let squares: f64 = flows.iter().map(|f| f.goodput_bps.powi(2)).sum();
    if squares == 0.0 {
        return 1.0;
    }
    sum * sum / (flows.len() as f64 * squares)
}

fn of_flow(f: &FlowSummary, metric: Metric) -> Option<f64> {
    Some(match metric {
        Metric::Goodput => f.goodput_bps,
        Metric::Delivered => f.received_bytes as f64,
        Metric::Retransmissions => f.retrans.total() as f64,
        Metric::Timeouts => f.rtos as f64,
        Metric::Rtt => f.rtt?.mean.as_secs_f64(),
        Metric::Delay => f.delays.as_ref()?.owd.p95.as_secs_f64(),
        Metric::Acks => f.acks_received as f64,
        Metric::SegmentsPerAck => f.segments_per_ack?,
        Metric::EcnReductions => f.ecn_reductions as f64,
        Metric::Completion => f.completion?.as_secs_f64(),
        Metric::Exchanges => f.exchanges as f64,
        Metric::Jain
        | Metric::Utilisation
        | Metric::Drops
        | Metric::Losses
        | Metric::Marks
        | Metric::AcksThinned => return None,
    })
}

fn of_link(l: &LinkSummary, metric: Metric) -> Option<f64> {
    Some(match metric {
        Metric::Utilisation => l.utilisation,
        Metric::Drops => l.stats.dropped_for(DropReason::QueueFull) as f64,
        Metric::Losses => l.stats.dropped_for(DropReason::RandomLoss) as f64,
        Metric::Marks => l.stats.marked as f64,
        Metric::AcksThinned => l.filter.map_or(0.0, |f| f.dropped as f64),
        _ => return None,
    })
}
