//! The owner of a turn: flows, hosts, or both.
//!
//! `flows` and the host modes differ in what is hashed. The `dual` modes and `triple-isolate` keep flows
//! apart and divide a flow's quantum by the number of busy flows of its host, so that hosts have equal
//! shares and the flows of each have equal parts of them. Rules of `cake_hash` and
//! `cake_get_flow_quantum` in Linux's `net/sched/sch_cake.c`.

use super::hash::{QUEUES, mix, ways};
use crate::packet::Label;
use acklab_proto::registry::{Kind, Param, Params, Value};
use acklab_proto::rng::{Rng, RngCore};
use alloc::vec;
use alloc::vec::Vec;

const WORDS: &[&str] = &[
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
];

/// The parameter.
pub(super) const PARAM: Param = Param {
    name: "isolation",
    doc: "Who gets an equal share of the rate (tc-cake(8)). flowblind: nobody, all packets of a tin share one queue. srchost and dsthost: each source or each destination. hosts: each pair of source and destination. flows: each flow. dual-srchost and dual-dsthost: each source or each destination, and each flow within it. triple-isolate: each source and each destination, and each flow within them.",
    kind: Kind::Choice(WORDS),
    default: Value::Choice("triple-isolate"),
};

/// The key of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Isolation {
    source: bool,
    destination: bool,
    flows: bool,
    /// Moves flows and hosts to other queues.
    perturbation: u32,
}

impl Isolation {
    /// The parameters of a scenario.
    pub fn from_values(values: &Params, perturbation: u32) -> Self {
        let (source, destination, flows) = match values.choice(PARAM.name) {
            "flowblind" => (false, false, false),
            "srchost" => (true, false, false),
            "dsthost" => (false, true, false),
            "hosts" => (true, true, false),
            "flows" => (false, false, true),
            "dual-srchost" => (true, false, true),
            "dual-dsthost" => (false, true, true),
            _ => (true, true, true),
        };
        Self {
            source,
            destination,
            flows,
            perturbation,
        }
    }

    /// Whether all packets of a tin share a queue.
    pub fn is_blind(&self) -> bool {
        !self.source && !self.destination && !self.flows
    }

    fn source(&self, label: &Label) -> u32 {
        mix(label.from ^ self.perturbation)
    }

    fn destination(&self, label: &Label) -> u32 {
        mix(label.to ^ self.perturbation.rotate_left(16))
    }

    /// The number of the packet's queue.
    pub fn hash(&self, label: &Label) -> u32 {
        if self.flows {
            return mix(label.flow ^ self.perturbation);
        }
        let source = if self.source { self.source(label) } else { 0 };
        let destination = if self.destination {
            self.destination(label)
        } else {
            0
        };
        source ^ destination
    }
}

/// The hosts of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pair {
    source: u16,
    destination: u16,
}

/// A host on one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Host {
    tag: u32,
    busy: u16,
}

/// The busy flows of each host.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    isolation: Isolation,
    sources: Vec<Host>,
    destinations: Vec<Host>,
}

impl Hosts {
    /// Nobody is busy.
    pub fn new(isolation: Isolation) -> Self {
        let side = |counted: bool| {
            let hosts = if counted { QUEUES as usize } else { 0 };
            vec![Host::default(); hosts]
        };
        Self {
            isolation,
            sources: side(isolation.flows && isolation.source),
            destinations: side(isolation.flows && isolation.destination),
        }
    }

    /// The places of a flow's hosts.
    pub fn pair(&mut self, label: &Label) -> Pair {
        Pair {
            source: place(&mut self.sources, self.isolation.source(label)),
            destination: place(&mut self.destinations, self.isolation.destination(label)),
        }
    }

    /// A flow of these hosts is busy.
    pub fn on_busy(&mut self, pair: Pair) {
        for host in self.both(pair) {
            host.busy = host.busy.saturating_add(1);
        }
    }

    /// It is no longer.
    pub fn on_idle(&mut self, pair: Pair) {
        for host in self.both(pair) {
            host.busy = host.busy.saturating_sub(1);
        }
    }

    fn both(&mut self, pair: Pair) -> impl Iterator<Item = &mut Host> {
        let source = self.sources.get_mut(usize::from(pair.source));
        let destination = self.destinations.get_mut(usize::from(pair.destination));
        source.into_iter().chain(destination)
    }

    /// The bytes that a flow of these hosts may send in a round of `quantum` bytes. The draw makes up for what
    /// the division leaves (`cake_get_flow_quantum`).
    pub fn quantum(&self, pair: Pair, quantum: u32, rng: &mut Rng) -> i64 {
        let source = self.sources.get(usize::from(pair.source));
        let destination = self.destinations.get(usize::from(pair.destination));
        let busy = |host: Option<&Host>| host.map_or(1, |h| u64::from(h.busy));
        let load = busy(source).max(busy(destination)).max(1);
        let share = u64::from(quantum) * (65_535 / load);
        ((share + u64::from(rng.next_u32() >> 16)) >> 16) as i64
    }
}

/// The place of the host that hashes to `hash`: its own, or one of a host with nothing busy, or that
/// of another one.
fn place(hosts: &mut [Host], hash: u32) -> u16 {
    if hosts.is_empty() {
        return 0;
    }
    let first = hash % QUEUES;
    let own = ways(first).find(|at| hosts[*at as usize].tag == hash);
    let at = own.unwrap_or_else(|| {
        let free = ways(first).find(|at| hosts[*at as usize].busy == 0);
        let at = free.unwrap_or(first);
        hosts[at as usize].tag = hash;
        at
    });
    at as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_proto::datagram::Dscp;
    use acklab_proto::rng;

    fn isolation(word: &'static str) -> Isolation {
        static SPECS: [Param; 1] = [PARAM];
        let mut values = Params::defaults(&SPECS);
        values
            .set(&SPECS, "isolation", Value::Choice(word))
            .unwrap();
        Isolation::from_values(&values, 0x1234_5678)
    }

    fn label(flow: u32, from: u32, to: u32) -> Label {
        Label {
            flow,
            from,
            to,
            dscp: Dscp::DEFAULT,
        }
    }

    /// Of four packets, which share a queue with the first: same flow, same source, same destination,
    /// same pair of hosts.
    #[test]
    fn what_is_hashed() {
        let first = label(1, 10, 20);
        let others = [
            label(1, 10, 20),
            label(2, 10, 21),
            label(3, 11, 20),
            label(4, 10, 20),
        ];
        for (word, expected) in [
            ("flowblind", [true, true, true, true]),
            ("srchost", [true, true, false, true]),
            ("dsthost", [true, false, true, true]),
            ("hosts", [true, false, false, true]),
            ("flows", [true, false, false, false]),
            ("dual-srchost", [true, false, false, false]),
            ("dual-dsthost", [true, false, false, false]),
            ("triple-isolate", [true, false, false, false]),
        ] {
            let mode = isolation(word);
            let shares = others.map(|o| mode.hash(&o) == mode.hash(&first));
            assert_eq!(shares, expected, "{word}");
        }
    }

    #[test]
    fn a_quantum_is_shared_by_the_busy_flows_of_a_host() {
        let mut rng = rng::stream(1, "hosts");
        for (word, by_source, by_destination) in [
            ("flows", 1, 1),
            ("dual-srchost", 4, 1),
            ("dual-dsthost", 1, 4),
            ("triple-isolate", 4, 4),
        ] {
            for (flows, load) in [
                ([0, 1, 2, 3].map(|i| label(i, 7, 100 + i)), by_source),
                ([0, 1, 2, 3].map(|i| label(i, 100 + i, 7)), by_destination),
            ] {
                let mut hosts = Hosts::new(isolation(word));
                let pairs = flows.map(|l| hosts.pair(&l));
                pairs.iter().for_each(|p| hosts.on_busy(*p));
                let sum: i64 = (0..10_000)
                    .map(|_| hosts.quantum(pairs[0], 1514, &mut rng))
                    .sum();
                let mean = sum as f64 / 1e4;
                assert!((mean - 1514.0 / load as f64).abs() < 1.0, "{word}: {mean}");
                pairs.iter().for_each(|p| hosts.on_idle(*p));
                assert!(hosts.quantum(pairs[0], 1514, &mut rng) >= 1513);
            }
        }
    }
}
