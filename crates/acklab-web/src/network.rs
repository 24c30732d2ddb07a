//! A scenario's network, for drawing: nodes, links, radio channels, ways of flows.

use acklab_sim::plan::{FlowPlan, LinkPlan, MediumPlan, Plan, QueuePlan};
use acklab_units::Rate;
use serde::Serialize;

/// A scenario's network. Indices count from 0.
#[derive(Debug, Serialize)]
pub(crate) struct Network<'a> {
    nodes: &'a [String],
    links: Vec<Link<'a>>,
    channels: Vec<Channel<'a>>,
    flows: Vec<Flow<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Link<'a> {
    name: &'a str,
    from: usize,
    to: usize,
    rate_bps: Option<u64>,
    delay_s: f64,
    queue: Queue,
    qdisc: Option<&'static str>,
    filters: Vec<&'static str>,
    channel: Option<usize>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Queue {
    Packets(u32),
    Bytes(u64),
}

#[derive(Debug, Serialize)]
struct Channel<'a> {
    name: &'a str,
    nodes: &'a [usize],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Flow<'a> {
    name: &'a str,
    transport: &'static str,
    cc: &'static str,
    src: usize,
    dst: usize,
    forward: &'a [usize],
    reverse: &'a [usize],
    start_s: f64,
    payload: u32,
}

impl<'a> Network<'a> {
    /// That of `plan`.
    pub(crate) fn of(plan: &'a Plan) -> Self {
        Self {
            nodes: &plan.nodes,
            links: plan
                .links
                .iter()
                .enumerate()
                .map(|(i, l)| link(plan, i, l))
                .collect(),
            channels: plan.media.iter().map(channel).collect(),
            flows: plan.flows.iter().map(flow).collect(),
        }
    }
}

fn link<'a>(plan: &Plan, number: usize, l: &'a LinkPlan) -> Link<'a> {
    Link {
        name: &l.name,
        from: l.from,
        to: l.to,
        rate_bps: (l.rate < Rate::MAX).then(|| l.rate.as_bps()),
        delay_s: l.delay.as_nanos() as f64 / 1e9,
        queue: match l.queue {
            QueuePlan::Packets(n) => Queue::Packets(n),
            QueuePlan::Bytes(n) => Queue::Bytes(n),
        },
        qdisc: l.discipline.as_ref().map(|d| d.entry.name),
        filters: l.filters.iter().map(|f| f.entry.name).collect(),
        channel: plan.media.iter().position(|m| m.links.contains(&number)),
    }
}

fn channel(m: &MediumPlan) -> Channel<'_> {
    Channel {
        name: &m.name,
        nodes: &m.nodes,
    }
}

fn flow(f: &FlowPlan) -> Flow<'_> {
    Flow {
        name: &f.name,
        transport: f.transport.name(),
        cc: f.transport.controller(),
        src: f.src,
        dst: f.dst,
        forward: &f.forward,
        reverse: &f.reverse,
        start_s: f.start.as_nanos() as f64 / 1e9,
        payload: f.transport.payload(),
    }
}
