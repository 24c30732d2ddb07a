//! One tin: its flows, whose turn it is, and the time that it has used up.
//!
//! A flow is *sparse* until its first quantum is spent, and goes before *bulk* flows, which take turns.
//! A flow that runs empty stays among the *decaying* ones until its control laws have nothing to
//! remember. Rules of `cake_enqueue` and `cake_dequeue` in Linux's `net/sched/sch_cake.c`.

use super::chain::{Chain, Link, Linked};
use super::cobalt::Cobalt;
use super::hash::{Found, QUEUES, Table};
use super::isolation::{Hosts, Isolation, Pair};
use super::shaper::Pace;
use super::stats::Counters;
use super::tins::Share;
use crate::packet::Label;
use crate::qdisc::slab::List;
use acklab_proto::rng::Rng;
use acklab_units::Instant;
use alloc::vec;
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// Where a flow stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Set {
    /// Nowhere.
    #[default]
    None,
    /// Among the new.
    Sparse,
    /// Among the old, though it has sent less than its quantum: it was empty.
    SparseWait,
    /// Among the old.
    Bulk,
    /// Empty, until it is forgotten.
    Decaying,
}

/// One queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    link: Link,
    pub list: List,
    /// Its place among the queues of the tin.
    pub number: u32,
    pub bytes: u64,
    pub deficit: i64,
    pub cobalt: Cobalt,
    hosts: Pair,
    pub set: Set,
}

impl Linked for Flow {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}

/// The tin.
#[derive(Clone, Debug)]
pub(crate) struct Tin {
    pub share: Share,
    pace: Option<Pace>,
    /// When it will have sent what its threshold allows.
    pub next: Instant,
    /// Bytes of its turn that are left, where no shaper counts time.
    pub deficit: i64,
    isolation: Isolation,
    /// The owner and the flow of each queue; made when the first packet comes.
    table: Option<(Table, Vec<u32>, Hosts)>,
    pub flows: Vec<Flow>,
    new: Chain,
    old: Chain,
    decaying: Chain,
    pub backlog: u64,
    pub counters: Counters,
}

impl Tin {
    /// An empty one.
    pub fn new(share: Share, isolation: Isolation) -> Self {
        Self {
            share,
            pace: share.threshold.map(Pace::new),
            next: Instant::ZERO,
            deficit: 0,
            isolation,
            table: None,
            flows: Vec::new(),
            new: Chain::default(),
            old: Chain::default(),
            decaying: Chain::default(),
            backlog: 0,
            counters: Counters::default(),
        }
    }

    /// It is allowed something else from now on.
    pub fn reshare(&mut self, share: Share) {
        self.share = share;
        self.pace = share.threshold.map(Pace::new);
    }

    /// Whether a flow waits for its turn.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.counters.sparse + self.counters.bulk > 0
    }

    /// The flow of a packet, by number.
    pub fn flow_of(&mut self, label: &Label) -> u32 {
        let isolation = self.isolation;
        let (table, slots, hosts) = self.table.get_or_insert_with(|| {
            let slots = vec![NONE; QUEUES as usize];
            (Table::new(), slots, Hosts::new(isolation))
        });
        let flows = &self.flows;
        let active = |at: u32| {
            let flow = flows.get(slots[at as usize] as usize);
            flow.is_some_and(|f| f.set != Set::None)
        };
        let found = if isolation.is_blind() {
            Found::Active(0)
        } else {
            table.find(isolation.hash(label), active)
        };
        let (Found::Active(at) | Found::Free(at) | Found::Shared(at)) = found;
        let slot = &mut slots[at as usize];
        if *slot == NONE {
            *slot = self.flows.len() as u32;
            self.flows.push(Flow {
                number: at,
                ..Flow::default()
            });
        }
        let i = *slot;
        self.counters.ways = table.ways;
        if !matches!(found, Found::Active(_)) {
            let flow = &mut self.flows[i as usize];
            let bulk = flow.set == Set::Bulk;
            if bulk {
                hosts.on_idle(flow.hosts);
            }
            flow.hosts = hosts.pair(label);
            if bulk {
                hosts.on_busy(flow.hosts);
            }
        }
        i
    }

    fn hosts(&mut self) -> &mut Hosts {
        let (_, _, hosts) = self.table.as_mut().expect("a flow has been seen");
        hosts
    }

    fn quantum(&mut self, i: u32, rng: &mut Rng) -> i64 {
        let (pair, quantum) = (self.flows[i as usize].hosts, self.share.flow_quantum);
        self.hosts().quantum(pair, quantum, rng)
    }

    /// A packet has joined flow `i`.
    pub fn on_joined(&mut self, i: u32, rng: &mut Rng) {
        match self.flows[i as usize].set {
            Set::Sparse | Set::Bulk => {}
            Set::SparseWait => {
                self.counters.sparse -= 1;
                self.enter_bulk(i);
            }
            before => {
                if before == Set::Decaying {
                    self.counters.decaying -= 1;
                    self.decaying.remove(&mut self.flows, i);
                }
                self.new.push(&mut self.flows, i);
                self.counters.sparse += 1;
                let quantum = self.quantum(i, rng);
                let flow = &mut self.flows[i as usize];
                flow.set = Set::Sparse;
                flow.deficit = quantum;
            }
        }
    }

    fn enter_bulk(&mut self, i: u32) {
        self.counters.bulk += 1;
        let flow = &mut self.flows[i as usize];
        flow.set = Set::Bulk;
        let pair = flow.hosts;
        self.hosts().on_busy(pair);
    }

    /// The flow whose turn it is. A pass begins with one that decays, if there is one (`first`).
    pub fn turn(&mut self, first: &mut bool, rng: &mut Rng) -> Option<u32> {
        loop {
            let decaying = self.decaying.first();
            let queued = || self.new.first().or(self.old.first());
            let i = if *first {
                decaying.or_else(queued)?
            } else {
                queued().or(decaying)?
            };
            *first = false;
            if self.flows[i as usize].deficit > 0 {
                return Some(i);
            }
            self.end_turn(i, rng);
        }
    }

    /// Flow `i` has used its turn up: it gets the next one behind all others.
    fn end_turn(&mut self, i: u32, rng: &mut Rng) {
        self.leave(i);
        if self.flows[i as usize].set == Set::Sparse {
            if self.flows[i as usize].list.is_empty() {
                self.flows[i as usize].set = Set::SparseWait;
            } else {
                self.counters.sparse -= 1;
                self.enter_bulk(i);
            }
        }
        let quantum = self.quantum(i, rng);
        self.flows[i as usize].deficit += quantum;
        self.old.push(&mut self.flows, i);
    }

    /// Leaves the chain that it stands first in.
    fn leave(&mut self, i: u32) {
        for chain in [&mut self.new, &mut self.old, &mut self.decaying] {
            if chain.first() == Some(i) {
                chain.remove(&mut self.flows, i);
                return;
            }
        }
        debug_assert!(false, "flow {i} had no turn");
    }

    /// Flow `i` had its turn and was empty.
    pub fn on_empty(&mut self, i: u32, now: Instant) {
        let times = self.share.times;
        let flow = &mut self.flows[i as usize];
        if flow.cobalt.on_empty(now, &times) {
            self.counters.unresponsive -= 1;
        }
        let at_rest = flow.cobalt.is_at_rest(now);
        let (before, pair) = (flow.set, flow.hosts);
        flow.set = if at_rest { Set::None } else { Set::Decaying };
        self.leave(i);
        match before {
            Set::Sparse | Set::SparseWait => self.counters.sparse -= 1,
            Set::Bulk => {
                self.counters.bulk -= 1;
                self.hosts().on_idle(pair);
            }
            Set::Decaying => self.counters.decaying -= 1,
            Set::None => debug_assert!(false, "flow {i} stood nowhere"),
        }
        if !at_rest {
            self.counters.decaying += 1;
            self.decaying.push(&mut self.flows, i);
        }
    }

    /// A packet that counts for `bytes` has used its time.
    pub fn charge(&mut self, now: Instant, bytes: u64) {
        let Some(pace) = &mut self.pace else {
            return;
        };
        let time = pace.charge(bytes);
        if self.next < now {
            self.next += time;
        } else {
            self.next = self.next.max(now + time);
        }
    }

    /// The flow in that place, if one has been there.
    pub fn flow_at(&self, number: u32) -> Option<u32> {
        let (_, slots, _) = self.table.as_ref()?;
        Some(slots[number as usize]).filter(|slot| *slot != NONE)
    }
}
