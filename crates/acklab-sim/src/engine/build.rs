//! From a plan to an engine.

use super::queue::{EventQueue, Source};
use super::routes::Routes;
use super::{Arena, Engine, Host, air};
use crate::app::{App, data_flows_forward};
use crate::plan::{FlowPlan, ImpairPlan, JitterPlan, LinkPlan, LossPlan, Plan, QueuePlan};
use crate::record::{Observer, Perf, Recorder, TimeMean};
use crate::transport::Transport;
use acklab_path::ack_filter::chain::Chain;
use acklab_path::impair::{ImpairConfig, JitterConfig, LinkStreams, LossConfig, PausesConfig};
use acklab_path::link::{Link, LinkConfig, Queue};
use acklab_path::qdisc::device::OverDevice;
use acklab_path::qdisc::pfifo;
use acklab_path::qdisc::registry::Room;
use acklab_proto::rng::{self, RngCore};
use acklab_proto::tcp::Profile;
use acklab_units::{Instant, Span};

/// One end of a flow for which a transport is wanted.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The flow.
    pub flow: &'a FlowPlan,
    /// It opens the connection.
    pub active: bool,
    /// What it may draw from the root seed.
    pub seeds: FlowSeeds,
}

/// What an endpoint takes from the root seed. Each value comes from a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSeeds {
    /// Initial sequence number, unless the configuration sets one.
    pub isn: u32,
    /// Seed of the congestion controller.
    pub cc: u64,
}

impl FlowSeeds {
    fn new(root: u64, flow: &FlowPlan, end: &str) -> Self {
        let name = &flow.name;
        Self {
            isn: rng::stream(root, &format!("flow/{name}/{end}/isn")).next_u32(),
            cc: rng::seed(root, &format!("flow/{name}/{end}/cc")),
        }
    }
}

impl<T: Transport, O: Observer> Engine<T, O> {
    /// An engine at time zero, with transports made by `make`, watched by `observer`.
    pub fn new(plan: &Plan, seed: u64, make: impl FnMut(End<'_>) -> T, observer: O) -> Self {
        let starts: Vec<_> = plan.flows.iter().map(|f| start(f, seed)).collect();
        let ns3 = plan.flows.iter().all(|f| f.tcp.profile == Profile::Ns3);
        let ports = air::ports(plan);
        let build = |(i, l): (usize, &LinkPlan)| {
            if ports.get(i).is_some_and(Option::is_some) {
                return Link::into_medium(filters(l));
            }
            let link = link(l, seed);
            if ns3 {
                link.with_arrivals_first()
            } else {
                link
            }
        };
        let links: Vec<_> = plan.links.iter().enumerate().map(build).collect();
        let hosts = hosts(plan, seed, &starts, make);
        let recorder = Recorder::new(plan, &starts);
        let media = air::media(plan, seed);
        let before_hosts = links.len() + media.len();
        let mut events = EventQueue::new(before_hosts + hosts.len() + 1);
        assert!(
            plan.stop <= events.horizon(),
            "a run this long cannot be counted in nanoseconds"
        );
        for (i, host) in hosts.iter().enumerate() {
            events.set(Source((before_hosts + i) as u32), host.next_wakeup());
        }
        let last = Source((before_hosts + hosts.len()) as u32);
        events.set(last, recorder.next_wakeup());
        Self {
            now: Instant::ZERO,
            events,
            links,
            media,
            ports,
            hosts,
            arena: Arena::default(),
            routes: routes(plan),
            recorder,
            observer,
            perf: Perf::default(),
        }
    }
}

/// The flow's start, moved by a draw from `[0, start_jitter)`.
fn start(flow: &FlowPlan, seed: u64) -> Instant {
    let mut rng = rng::stream(seed, &format!("flow/{}/start", flow.name));
    let jitter = u128::from(flow.start_jitter.as_nanos());
    let draw = (u128::from(rng.next_u64()) * jitter) >> 64;
    flow.start.saturating_add(Span::from_nanos(draw as u64))
}

fn hosts<T: Transport>(
    plan: &Plan,
    seed: u64,
    starts: &[Instant],
    mut make: impl FnMut(End<'_>) -> T,
) -> Vec<Host<T>> {
    let mut hosts = Vec::with_capacity(2 * plan.flows.len());
    for (flow, start) in plan.flows.iter().zip(starts) {
        let rng = rng::stream(seed, &format!("flow/{}/app", flow.name));
        let (near, far) = App::pair(&flow.app, rng);
        let mut end = |active, name| {
            make(End {
                flow,
                active,
                seeds: FlowSeeds::new(seed, flow, name),
            })
        };
        let mut near = Host::new(end(true, "src"), near, Some(*start));
        let mut far = Host::new(end(false, "dst"), far, None);
        let sender = if data_flows_forward(&flow.app) {
            &mut near
        } else {
            &mut far
        };
        sender.window = Some(TimeMean::default());
        hosts.extend([near, far]);
    }
    hosts
}

fn routes(plan: &Plan) -> Routes {
    let mut routes = Routes::default();
    for flow in &plan.flows {
        check_route(plan, flow, &flow.forward, flow.src, flow.dst);
        check_route(plan, flow, &flow.reverse, flow.dst, flow.src);
        routes.push(&flow.forward);
        routes.push(&flow.reverse);
    }
    routes
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

fn link(plan: &LinkPlan, seed: u64) -> Link {
    let config = LinkConfig {
        rate: plan.rate,
        delay: plan.delay,
        overhead: plan.overhead,
        impair: impair(&plan.impair),
    };
    let queue = queue(plan, seed);
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

fn queue(plan: &LinkPlan, seed: u64) -> Queue {
    let Some(d) = &plan.discipline else {
        return Queue::Pfifo(pfifo::Config {
            limit: limit(plan.queue),
            mark: plan.mark.map(limit),
        });
    };
    let QueuePlan::Packets(limit) = plan.queue else {
        unreachable!("queue disciplines count packets");
    };
    let room = Room {
        limit,
        perturbation: rng::stream(seed, &format!("link/{}/qdisc", plan.name)).next_u32(),
    };
    let above = (d.entry.build.make)(&d.params, room);
    Queue::Discipline(match d.device {
        0 => above,
        device => Box::new(OverDevice::new(above, device)),
    })
}

fn limit(plan: QueuePlan) -> pfifo::Limit {
    match plan {
        QueuePlan::Packets(n) => pfifo::Limit::Packets(n),
        QueuePlan::Bytes(n) => pfifo::Limit::Bytes(n),
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
        },
        ce: plan.ce,
        jitter: match plan.jitter {
            JitterPlan::None => JitterConfig::None,
            JitterPlan::Uniform(span) => JitterConfig::Uniform(span),
            JitterPlan::LogNormal { median, p99, max } => {
                JitterConfig::LogNormal { median, p99, max }
            }
        },
        pauses: plan.pauses.as_ref().map(|p| PausesConfig {
            length: p.length,
            gap: p.gap,
        }),
        reorder: plan.reorder,
        reorder_delay: plan.reorder_delay,
        duplicate: plan.duplicate,
    }
}
