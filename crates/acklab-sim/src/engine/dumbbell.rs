//! Plans for tests and benches: flows over a dumbbell.

use crate::plan::{
    AppPlan, FlowPlan, ImpairPlan, LinkPlan, Plan, QueuePlan, RecordPlan, TcpPlan, TransportPlan,
};
use acklab_proto::ack::AckPolicy;
use acklab_proto::cc::{CcInit, CongestionControl};
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Entry, Params};
use acklab_proto::tcp::TcpConfig;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_units::{Instant, Rate, Span};
use std::sync::Arc;

/// Flows from the left to the right over one bottleneck, with fast links on both sides of it.
#[derive(Clone, Copy, Debug)]
pub struct Dumbbell {
    /// Number of flows.
    pub flows: usize,
    /// Whether each flow has access links of its own; otherwise they share one on each side.
    pub own_access: bool,
    /// Links that the bottleneck consists of, one behind the other.
    pub hops: usize,
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// Delay of the bottleneck, one way, in all.
    pub delay: Span,
    /// Packets that may wait at each link.
    pub queue: u32,
    /// Length of the run.
    pub length: Span,
}

impl Default for Dumbbell {
    /// One flow at 10 Mbit/s and 44 ms RTT for a minute.
    fn default() -> Self {
        Self {
            flows: 1,
            own_access: false,
            hops: 1,
            rate: Rate::from_bps(10_000_000),
            delay: Span::from_millis(20),
            queue: 100,
            length: Span::from_secs(60),
        }
    }
}

/// Access links are this much faster than the bottleneck.
const ACCESS_FACTOR: u64 = 10;
/// Nodes 0 and 1 are the bottleneck's ends.
const LEFT: usize = 0;
const RIGHT: usize = 1;

impl Dumbbell {
    /// The plan, with bulk flows whose transport is up to whoever runs it.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan {
            name: "dumbbell".into(),
            nodes: vec!["left".into(), "right".into()],
            links: Vec::new(),
            media: Vec::new(),
            flows: Vec::new(),
            stop: Instant::ZERO + self.length,
            measure_from: Instant::ZERO,
            record: RecordPlan::default(),
            warmup: Instant::ZERO + self.length.mul_div(1, 2),
        };
        self.add_bottleneck(&mut plan);
        for i in 0..self.flows {
            self.add_flow(&mut plan, i);
        }
        plan
    }

    fn add_bottleneck(&self, plan: &mut Plan) {
        let delay = self.delay / self.hops as u64;
        let mut from = LEFT;
        for hop in 1..=self.hops {
            let to = if hop == self.hops {
                RIGHT
            } else {
                plan.nodes.push(format!("hop{hop}"));
                plan.nodes.len() - 1
            };
            self.connect(plan, from, to, self.rate, delay);
            from = to;
        }
    }

    fn connect(&self, plan: &mut Plan, from: usize, to: usize, rate: Rate, delay: Span) -> usize {
        connect(plan, (from, to), rate, delay, self.queue)
    }

    fn access(&self, plan: &mut Plan, name: String, hub: usize) -> usize {
        plan.nodes.push(name);
        let rate = self.rate.mul_div(ACCESS_FACTOR, 1);
        let node = plan.nodes.len() - 1;
        self.connect(plan, node, hub, rate, Span::from_millis(1))
    }

    fn add_flow(&self, plan: &mut Plan, i: usize) {
        let (near, far) = if i == 0 || self.own_access {
            let near = self.access(plan, format!("source{i}"), LEFT);
            (near, self.access(plan, format!("sink{i}"), RIGHT))
        } else {
            let last = plan.links.len();
            (last - 4, last - 2)
        };
        plan.flows.push(FlowPlan {
            name: format!("flow{i}"),
            src: plan.links[near].from,
            dst: plan.links[far].from,
            forward: route(near, (0..self.hops).map(|hop| 2 * hop), far + 1),
            reverse: route(far, (0..self.hops).rev().map(|hop| 2 * hop + 1), near + 1),
            start: Instant::ZERO,
            start_jitter: Span::from_secs(1),
            dscp: Dscp::DEFAULT,
            app: AppPlan::Bulk {
                bytes: None,
                until: None,
            },
            transport: TransportPlan::Tcp(TcpPlan {
                config: Arc::new(TcpConfig::default()),
                cc: no_choice().0,
                ack: no_choice().1,
            }),
        });
    }
}

/// Links `2n` and `2n + 1`: there and back.
pub(super) fn connect(
    plan: &mut Plan,
    (a, b): (usize, usize),
    rate: Rate,
    delay: Span,
    queue: u32,
) -> usize {
    let first = plan.links.len();
    for (from, to) in [(a, b), (b, a)] {
        plan.links.push(LinkPlan {
            name: format!("{}->{}", plan.nodes[from], plan.nodes[to]),
            from,
            to,
            rate,
            trace: None,
            delay,
            overhead: 0,
            queue: QueuePlan::Packets(queue),
            discipline: None,
            mark: None,
            filters: Vec::new(),
            impair: ImpairPlan::default(),
        });
    }
    first
}

/// Placeholders for a controller and an ACK policy until whoever runs the plan chooses them.
pub(super) fn no_choice() -> (CcChoice, AckChoice) {
    let cc = CcChoice {
        entry: &NO_CONTROLLER,
        params: Params::defaults(&[]),
    };
    let ack = AckChoice {
        entry: &NO_POLICY,
        params: Params::defaults(&[]),
    };
    (cc, ack)
}

fn route(first: usize, middle: impl Iterator<Item = usize>, last: usize) -> Vec<usize> {
    [first].into_iter().chain(middle).chain([last]).collect()
}

fn no_controller(_: &Params, _: CcInit) -> Box<dyn CongestionControl> {
    panic!("this plan is for transports without congestion control")
}

fn no_policy(_: &Params) -> Box<dyn AckPolicy> {
    panic!("this plan is for transports without ACK policies")
}

static NO_CONTROLLER: Entry<acklab_proto::cc::Build> = Entry {
    name: "none",
    aliases: &[],
    summary: "No congestion control.",
    source: "none",
    params: &[],
    build: no_controller,
};

static NO_POLICY: Entry<acklab_proto::ack::Build> = Entry {
    name: "none",
    aliases: &[],
    summary: "No ACK policy.",
    source: "none",
    params: &[],
    build: no_policy,
};
