//! A filter's rows for flows, found by the flow's number.
//!
//! Memory follows from the most flows that are known at a time, never from their numbers: rows that
//! become free are used again. A row is found in a chain that is picked by multiplicative hashing
//! (Knuth, The Art of Computer Programming, volume 3, section 6.4), which spreads numbers that have
//! a common step, as those of all flows in one direction do.

use crate::packet::FlowId;
use alloc::vec::Vec;

const NIL: u32 = u32::MAX;
/// 2^32 divided by the golden ratio (Knuth, as above).
const GOLDEN: u32 = 0x9E37_79B9;
/// Chains of the smallest table.
const FEWEST: usize = 16;

#[derive(Clone, Debug)]
struct Row<T> {
    flow: FlowId,
    /// The next row of its chain, or of those that are free.
    next: u32,
    value: T,
}

/// Values by flow. A row is known by its place, which it keeps until it is removed.
#[derive(Clone, Debug)]
pub(super) struct Flows<T> {
    rows: Vec<Row<T>>,
    /// The first row of each chain; a power of two of them, at least as many as rows.
    chains: Vec<u32>,
    /// The first free row.
    free: u32,
    len: usize,
}

impl<T: Default> Flows<T> {
    pub fn new() -> Self {
        Self {
            rows: Vec::new(),
            chains: alloc::vec![NIL; FEWEST],
            free: NIL,
            len: 0,
        }
    }

    /// Flows that are known.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Rows, those that are free included.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The place of a flow's row.
    #[inline]
    pub fn find(&self, flow: FlowId) -> Option<usize> {
        let mut at = self.chains[self.chain_of(flow)];
        while let Some(row) = self.rows.get(at as usize) {
            if row.flow == flow {
                return Some(at as usize);
            }
            at = row.next;
        }
        None
    }

    /// Makes a row for a flow that has none. Its value is as the last flow of that row left it, so
    /// that what it has allocated serves again.
    pub fn insert(&mut self, flow: FlowId) -> usize {
        debug_assert!(self.find(flow).is_none(), "a second row");
        self.len += 1;
        let at = self.free as usize;
        if let Some(row) = self.rows.get_mut(at) {
            self.free = row.next;
            row.flow = flow;
            self.link(at);
            return at;
        }
        let at = self.rows.len();
        self.rows.push(Row {
            flow,
            next: NIL,
            value: T::default(),
        });
        if self.rows.len() > self.chains.len() {
            self.grow();
        } else {
            self.link(at);
        }
        at
    }

    /// Frees a row; its value stays for the next flow.
    pub fn remove(&mut self, at: usize) {
        let Row { flow, next, .. } = self.rows[at];
        let chain = self.chain_of(flow);
        let mut before = self.chains[chain];
        if before as usize == at {
            self.chains[chain] = next;
        } else {
            while self.rows[before as usize].next as usize != at {
                before = self.rows[before as usize].next;
            }
            self.rows[before as usize].next = next;
        }
        self.rows[at].next = self.free;
        self.free = at as u32;
        self.len -= 1;
    }

    #[inline]
    fn chain_of(&self, flow: FlowId) -> usize {
        let shift = u32::BITS - self.chains.len().trailing_zeros();
        (flow.0.wrapping_mul(GOLDEN) >> shift) as usize
    }

    fn link(&mut self, at: usize) {
        let chain = self.chain_of(self.rows[at].flow);
        self.rows[at].next = core::mem::replace(&mut self.chains[chain], at as u32);
    }

    /// Twice as many chains. Only called when no row is free.
    fn grow(&mut self) {
        self.chains = alloc::vec![NIL; 2 * self.chains.len()];
        for at in 0..self.rows.len() {
            self.link(at);
        }
    }
}

impl<T> core::ops::Index<usize> for Flows<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        &self.rows[at].value
    }
}

impl<T> core::ops::IndexMut<usize> for Flows<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.rows[at].value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The flow's row, made if there is none.
    fn row(flows: &mut Flows<u32>, flow: u32) -> usize {
        let found = flows.find(FlowId(flow));
        found.unwrap_or_else(|| flows.insert(FlowId(flow)))
    }

    #[test]
    fn memory_follows_from_how_many_are_known_at_a_time() {
        let mut flows = Flows::new();
        for i in 0..100_000u32 {
            let numbers = [i, i.wrapping_mul(0x1_0001), u32::MAX - i];
            for n in numbers {
                let at = row(&mut flows, n);
                flows[at] = n;
            }
            for n in numbers {
                if let Some(at) = flows.find(FlowId(n)) {
                    assert_eq!(flows[at], n);
                    flows.remove(at);
                }
            }
        }
        assert_eq!((flows.len(), flows.rows()), (0, 3));
        assert_eq!(flows.chains.len(), FEWEST);
    }

    /// Numbers with a common step, as those of one direction: no chain is long.
    #[test]
    fn steps_are_spread() {
        for step in [1u32, 2, 16, 1 << 16] {
            let mut flows = Flows::new();
            (0..10_000).for_each(|i| _ = row(&mut flows, i * step));
            let mut longest = 0;
            for &first in &flows.chains {
                let next = |at: &u32| flows.rows.get(*at as usize).map(|r: &Row<u32>| r.next);
                let chain = core::iter::successors(Some(first), next);
                longest = longest.max(chain.take_while(|at| *at != NIL).count());
            }
            assert!(longest <= 4, "{longest} at steps of {step}");
        }
    }

    proptest! {
        #[test]
        fn it_is_a_map(steps in proptest::collection::vec((0u32..90, any::<bool>()), 1..400)) {
            let (mut flows, mut model) = (Flows::new(), BTreeMap::new());
            for (i, (flow, stays)) in (0..).zip(steps) {
                if stays {
                    let at = row(&mut flows, flow);
                    flows[at] = i;
                    model.insert(flow, i);
                } else {
                    let at = flows.find(FlowId(flow));
                    prop_assert_eq!(at.map(|at| flows[at]), model.remove(&flow));
                    at.into_iter().for_each(|at| flows.remove(at));
                }
                prop_assert_eq!(flows.len(), model.len());
                prop_assert!(flows.rows() <= 90);
            }
            for (flow, i) in &model {
                prop_assert_eq!(flows.find(FlowId(*flow)).map(|at| flows[at]), Some(*i));
            }
        }
    }
}
