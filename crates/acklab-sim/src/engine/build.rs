//! From a plan to an engine.

use super::{Engine, Host, Hosts};
use crate::app::{App, data_flows_forward};
use crate::network::{Arena, Network};
use crate::plan::{FlowPlan, Plan};
use crate::record::{Observer, Perf, Recorder, TimeMean};
use acklab_proto::rng::{self, RngCore};
use acklab_proto::transport::Transport;
use acklab_units::{Instant, Span};

/// One end of a flow for which a transport is wanted.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The flow.
    pub flow: &'a FlowPlan,
    /// It opens the connection.
    pub active: bool,
    /// Its draws from the root seed.
    pub seeds: FlowSeeds,
}

/// An endpoint's draws from the root seed. Each value comes from a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSeeds {
    /// Initial sequence number, unless the configuration sets one.
    pub isn: u32,
    /// Seed of the congestion controller.
    pub cc: u64,
}

impl FlowSeeds {
    pub(super) fn new(root: u64, flow: &FlowPlan, end: &str) -> Self {
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
        let hosts = hosts(plan, seed, &starts, make);
        let recorder = Recorder::new(plan, &starts);
        let arena = Arena::between(plan.flows.iter().flat_map(|f| [f.src, f.dst]))
            .classed(plan.flows.iter().map(|f| f.dscp));
        let mut network = Network::of_plan(plan, seed, hosts.len() + 1, arena, observer);
        assert!(
            plan.stop <= network.horizon(),
            "a run this long cannot be counted in nanoseconds"
        );
        for (i, host) in hosts.iter().enumerate() {
            network.wake_at(i, host.next_wakeup());
        }
        network.wake_at(hosts.len(), recorder.next_wakeup());
        Self {
            network,
            hosts: Hosts(hosts),
            recorder,
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
        let (near, far) = App::pair(&flow.app, *start, rng);
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
        sender.window = flow.transport.is_reliable().then(TimeMean::default);
        hosts.extend([near, far]);
    }
    hosts
}
