//! From a plan to a network.

use super::{Network, Parts, Store, air};
use crate::plan::{
    DisciplinePlan, FlowPlan, ImpairPlan, JitterPlan, LinkPlan, LossPlan, Plan, QueuePlan,
};
use crate::record::Observer;
use acklab_path::ack_filter::chain::Chain;
use acklab_path::impair::{ImpairConfig, JitterConfig, LinkStreams, LossConfig, PausesConfig};
use acklab_path::link::{Link, LinkConfig, Queue};
use acklab_path::packet::FlowId;
use acklab_path::qdisc::device::OverDevice;
use acklab_path::qdisc::registry::Room;
use acklab_path::qdisc::{Limit, QueueDisc, pfifo};
use acklab_units::Rate;

impl<S: Store, O: Observer> Network<S, O> {
    /// The network of `plan` at time zero, with the routes of its flows; its driver has `sources` sources
    /// of events of its own.
    pub fn of_plan(plan: &Plan, seed: u64, sources: usize, store: S, observer: O) -> Self {
        let mut network = Self::new(parts(plan, seed), sources, store, observer);
        for flow in &plan.flows {
            check_route(plan, flow, &flow.forward, flow.src, flow.dst);
            check_route(plan, flow, &flow.reverse, flow.dst, flow.src);
            network.add_flow(&flow.forward, &flow.reverse);
        }
        for (air, medium) in network.media.iter_mut().zip(&plan.media) {
            for (flow, category) in (0..).map(FlowId).zip(&medium.categories) {
                air.categorise(flow, *category);
            }
        }
        network
    }
}

fn parts(plan: &Plan, seed: u64) -> Parts {
    let mut stacks = plan
        .flows
        .iter()
        .filter_map(|f| Some(f.transport.tcp()?.config.dialect()))
        .peekable();
    let arrivals_first = stacks.peek().is_some() && stacks.all(|d| d.arrivals_first);
    let ports = air::ports(plan);
    let build = |(i, l): (usize, &LinkPlan)| {
        if ports.get(i).is_some_and(Option::is_some) {
            return Link::into_medium(filters(l));
        }
        let link = link(i, plan, seed);
        if arrivals_first {
            link.with_arrivals_first()
        } else {
            link
        }
    };
    Parts {
        links: plan.links.iter().enumerate().map(build).collect(),
        media: air::media(plan, seed),
        ports,
    }
}

/// A plan with a broken route is a bug in whoever made it.
fn check_route(plan: &Plan, flow: &FlowPlan, route: &[usize], from: usize, to: usize) {
    assert!(!route.is_empty(), "flow {:?} has an empty route", flow.name);
    let mut at = from;
    for link in route.iter().map(|i| &plan.links[*i]) {
        assert_eq!(
            link.from, at,
            "route of {:?} breaks at {:?}",
            flow.name, link.name
        );
        at = link.to;
    }
    assert_eq!(at, to, "route of {:?} ends at the wrong node", flow.name);
}

fn filters(plan: &LinkPlan) -> Chain {
    let filters = plan.filters.iter().map(|f| (f.entry.build)(&f.params));
    Chain::new(filters).unwrap_or_else(|c| panic!("filters of {:?}: {c:?}", plan.name))
}

fn link(i: usize, of: &Plan, seed: u64) -> Link {
    let plan = &of.links[i];
    let config = LinkConfig {
        rate: plan.rate,
        delay: plan.delay,
        overhead: plan.overhead,
        impair: impair(&plan.impair),
    };
    let queue = queue(i, of, seed);
    let filters = filters(plan);
    let mut streams = LinkStreams::new(seed, &plan.name);
    if let Some(pauses) = &plan.impair.pauses {
        streams = streams.with_pauses_of(seed, &pauses.of);
    }
    let link = Link::new(&config, queue, filters, streams);
    match &plan.trace {
        None => link,
        Some(t) => link.with_trace(t.trace.clone()),
    }
}

fn queue(i: usize, of: &Plan, seed: u64) -> Queue {
    let plan = &of.links[i];
    let Some(d) = &plan.discipline else {
        return Queue::Pfifo(pfifo::Config {
            limit: limit(plan.queue),
            mark: plan.mark.map(limit),
        });
    };
    let path = format!("link/{}/qdisc", plan.name);
    let above = discipline(d, of, &[i], Room::new(limit(plan.queue), seed, path));
    Queue::Discipline(match d.device {
        0 => above,
        device => Box::new(OverDevice::new(above, device)),
    })
}

/// A discipline for what goes over `links`, which are of one rate, or of none that is known.
pub(super) fn discipline(
    plan: &DisciplinePlan,
    of: &Plan,
    links: &[usize],
    room: Room,
) -> Box<dyn QueueDisc> {
    let rates = || links.iter().map(|l| of.links[*l].rate);
    let rate = rates()
        .next()
        .filter(|r| *r < Rate::MAX && rates().all(|other| other == *r));
    let room = room.before(rate, largest(of, links));
    (plan.entry.build.make)(&plan.params, room)
}

/// Bytes of the largest packet of the flows that cross any of `links`.
fn largest(plan: &Plan, links: &[usize]) -> Option<u32> {
    let crosses = |f: &&FlowPlan| {
        let mut way = f.forward.iter().chain(&f.reverse);
        way.any(|l| links.contains(l))
    };
    let flows = plan.flows.iter().filter(crosses);
    flows.map(|f| f.transport.full_packet()).max()
}

pub(super) fn limit(plan: QueuePlan) -> Limit {
    match plan {
        QueuePlan::Packets(n) => Limit::Packets(n),
        QueuePlan::Bytes(n) => Limit::Bytes(n),
    }
}

fn impair(plan: &ImpairPlan) -> ImpairConfig {
    ImpairConfig {
        loss: match plan.loss {
            LossPlan::None => LossConfig::None,
            LossPlan::Bernoulli(p) => LossConfig::Bernoulli(p),
            LossPlan::Periodic(n) => LossConfig::Periodic(n),
            LossPlan::GilbertElliott {
                p,
                r,
                loss_good,
                loss_bad,
            } => LossConfig::GilbertElliott {
                p,
                r,
                loss_good,
                loss_bad,
            },
            LossPlan::Outage { from, until, every } => LossConfig::Outage { from, until, every },
        },
        loss_place: plan.loss_place,
        ce: plan.ce,
        jitter: match plan.jitter {
            JitterPlan::None => JitterConfig::None,
            JitterPlan::Uniform(span) => JitterConfig::Uniform(span),
            JitterPlan::LogNormal { median, p99, max } => {
                JitterConfig::LogNormal { median, p99, max }
            }
        },
        detour: plan.detour,
        pauses: plan.pauses.as_ref().map(|p| PausesConfig {
            length: p.length,
            gap: p.gap,
        }),
        reorder: plan.reorder,
        reorder_delay: plan.reorder_delay,
        duplicate: plan.duplicate,
    }
}
