//! The set-associative hash: a flow has eight queues to choose from before it shares one.
//!
//! Rules of `cake_hash` in Linux's `net/sched/sch_cake.c`; Hoiland-Jorgensen et al. 2018, section 3.2.

use alloc::boxed::Box;
use alloc::vec;

/// Queues of a tin (`CAKE_QUEUES`).
pub(crate) const QUEUES: u32 = 1024;
/// Queues that a flow may have (`CAKE_SET_WAYS`).
const WAYS: u32 = 8;

/// The counters of the hash, as `tc -s` counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ways {
    /// Packets that found the queue of their flow beside its first choice (`way_inds`).
    pub hits: u64,
    /// Packets that took a queue that was free (`way_miss`).
    pub misses: u64,
    /// Packets that had to share one (`way_cols`).
    pub collisions: u64,
}

/// Where a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// To the queue of its flow, which has packets or a state.
    Active(u32),
    /// To a queue that nobody uses.
    Free(u32),
    /// To a queue of another flow.
    Shared(u32),
}

/// The owner of each queue.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    tags: Box<[u32]>,
    pub ways: Ways,
}

impl Table {
    /// Nobody's.
    pub fn new() -> Self {
        Self {
            tags: vec![0; QUEUES as usize].into(),
            ways: Ways::default(),
        }
    }

    /// The queue of the flow that hashes to `hash`; `active` says which are in use.
    pub fn find(&mut self, hash: u32, active: impl Fn(u32) -> bool) -> Found {
        let first = hash % QUEUES;
        if self.tags[first as usize] == hash && active(first) {
            return Found::Active(first);
        }
        let found = self.search(hash, first, active);
        let (Found::Active(at) | Found::Free(at) | Found::Shared(at)) = found;
        self.tags[at as usize] = hash;
        found
    }

    fn search(&mut self, hash: u32, first: u32, active: impl Fn(u32) -> bool) -> Found {
        if let Some(at) = ways(first).find(|at| self.tags[*at as usize] == hash) {
            self.ways.hits += u64::from(at != first);
            return if active(at) {
                Found::Active(at)
            } else {
                Found::Free(at)
            };
        }
        if let Some(at) = ways(first).find(|at| !active(*at)) {
            self.ways.misses += 1;
            return Found::Free(at);
        }
        self.ways.collisions += 1;
        Found::Shared(first)
    }
}

/// The places that `first` may give way to, itself to begin with.
pub(super) fn ways(first: u32) -> impl Iterator<Item = u32> {
    let (set, way) = (first - first % WAYS, first % WAYS);
    (0..WAYS).map(move |i| set + (way + i) % WAYS)
}

/// Spreads numbers: a bijection with an avalanche (the finaliser of MurmurHash3).
pub(super) const fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Hoiland-Jorgensen et al. 2018, section 3.2: a plain hash loses flows to collisions at once,
    /// 8 ways keep 500 of them apart but for a few.
    #[test]
    fn eight_ways_keep_hundreds_of_flows_apart() {
        let mut table = Table::new();
        let (mut used, mut shared) = (BTreeSet::new(), 0);
        for flow in 0..500u32 {
            match table.find(mix(flow), |at| used.contains(&at)) {
                Found::Active(_) => panic!("a flow of its own"),
                Found::Free(at) => assert!(used.insert(at)),
                Found::Shared(_) => shared += 1,
            }
        }
        let plain: BTreeSet<u32> = (0..500).map(|flow| mix(flow) % QUEUES).collect();
        assert!(shared <= 20, "{shared} of 500 share a queue");
        assert!(500 - plain.len() > 80, "a plain hash has {}", plain.len());
        assert_eq!(table.ways.collisions, shared);
    }

    #[test]
    fn a_flow_finds_its_queue_again() {
        let mut table = Table::new();
        // Both choose queue 5 of their set.
        let (a, b) = (5, 5 + QUEUES);
        assert_eq!(table.find(a, |_| false), Found::Free(5));
        assert_eq!(table.find(b, |at| at == 5), Found::Free(6));
        assert_eq!(table.find(a, |at| at < 7), Found::Active(5));
        assert_eq!(table.find(b, |at| at < 7), Found::Active(6));
        assert_eq!(table.ways.hits, 1);
        // The ninth flow of a set has to share.
        let mut table = Table::new();
        for k in 0..8 {
            assert_eq!(table.find(k * QUEUES, |at| at < k), Found::Free(k));
        }
        assert_eq!(table.find(8 * QUEUES, |_| true), Found::Shared(0));
    }
}
