//! Static routes: fewest hops, then least delay, then the name that sorts first.

use super::super::diagnostics::Report;
use super::super::steps;
use super::flow::DraftFlow;
use super::topology::Net;
use acklab_units::Span;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Hops, then delay.
type Cost = (u32, Span);

/// Gives every flow its links in both directions; a flow between nodes that are not connected is
/// the user's mistake.
pub(crate) fn lay(flows: &mut [DraftFlow], net: &Net, report: &mut Report<'_>) {
    let mut routes = Routes::new(net);
    for flow in flows {
        if !report.goes_on() {
            break;
        }
        let (src, dst) = (flow.plan.src, flow.plan.dst);
        match (routes.between(src, dst), routes.between(dst, src)) {
            (Some(forward), Some(reverse)) => {
                flow.plan.forward = forward;
                flow.plan.reverse = reverse;
            }
            _ => {
                let (from, to) = (&net.nodes[src], &net.nodes[dst]);
                let message = format!("no path joins `{from}` and `{to}`");
                let hint = "join them by a [[link]], or choose other nodes".to_string();
                report.error(&flow.path, message, hint);
            }
        }
    }
}

/// Routes in a network, remembered by destination.
struct Routes<'a> {
    net: &'a Net,
    into: Vec<Vec<usize>>,
    out_of: Vec<Vec<usize>>,
    costs: HashMap<usize, Vec<Option<Cost>>>,
    /// The link by which the way to a node (first) leaves another: a router may have thousands.
    hops: HashMap<(usize, usize), Option<usize>>,
}

impl<'a> Routes<'a> {
    fn new(net: &'a Net) -> Self {
        let mut into = vec![Vec::new(); net.nodes.len()];
        let mut out_of = into.clone();
        for (i, link) in net.links.iter().enumerate() {
            into[link.plan.to].push(i);
            out_of[link.plan.from].push(i);
        }
        Self {
            net,
            into,
            out_of,
            costs: HashMap::new(),
            hops: HashMap::new(),
        }
    }

    /// The links from `src` to `dst`, or `None` if there is no way.
    fn between(&mut self, src: usize, dst: usize) -> Option<Vec<usize>> {
        // A node that is entered from one node only is found by finding that node: a star with thousands of
        // leaves costs as much as its centre.
        if let [last] = self.into[dst][..] {
            let before = self.net.links[last].plan.from;
            let mut path = if src == before || src == dst {
                Vec::new()
            } else {
                self.towards(src, before)?
            };
            path.extend((src != dst).then_some(last));
            return Some(path);
        }
        self.towards(src, dst)
    }

    fn towards(&mut self, src: usize, dst: usize) -> Option<Vec<usize>> {
        if !self.costs.contains_key(&dst) {
            let costs = self.costs_to(dst);
            self.costs.insert(dst, costs);
        }
        let mut here = src;
        let mut path = Vec::new();
        while here != dst {
            let link = match self.hops.get(&(dst, here)) {
                Some(known) => *known,
                None => {
                    let found = self.next_hop(here, &self.costs[&dst]);
                    self.hops.insert((dst, here), found);
                    found
                }
            }?;
            here = self.net.links[link].plan.to;
            path.push(link);
        }
        Some(path)
    }

    /// The cost of each node to reach `dst` (Dijkstra, backwards).
    fn costs_to(&self, dst: usize) -> Vec<Option<Cost>> {
        let mut costs: Vec<Option<Cost>> = vec![None; self.net.nodes.len()];
        let mut open = BinaryHeap::from([Reverse(((0, Span::ZERO), dst))]);
        while let Some(Reverse((cost, node))) = open.pop() {
            if costs[node].is_some() {
                continue;
            }
            costs[node] = Some(cost);
            for &link in &self.into[node] {
                let plan = &self.net.links[link].plan;
                if costs[plan.from].is_none() {
                    open.push(Reverse((through(cost, plan.delay), plan.from)));
                }
            }
        }
        costs
    }

    fn next_hop(&self, here: usize, costs: &[Option<Cost>]) -> Option<usize> {
        costs[here]?;
        steps::count(self.out_of[here].len());
        let key = |link: &usize| {
            let plan = &self.net.links[*link].plan;
            let rest = costs[plan.to]?;
            let next = self.net.nodes[plan.to].as_str();
            Some((through(rest, plan.delay), next, plan.name.as_str()))
        };
        let reachable = self.out_of[here]
            .iter()
            .copied()
            .filter(|l| key(l).is_some());
        reachable.min_by(|a, b| key(a).cmp(&key(b)))
    }
}

fn through((hops, delay): Cost, more: Span) -> Cost {
    (hops + 1, delay.saturating_add(more))
}
