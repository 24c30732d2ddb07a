//! The flows that are remembered, as many as there is room for.

use super::super::flows::Flows;
use super::classify::Memory;
use crate::packet::FlowId;

/// Flows that are looked at when one must be forgotten.
const LOOKED_AT: usize = 8;

/// The last ACK of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Remembered {
    memory: Memory,
    /// Packets that had come when its last one came.
    used: u64,
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Known {
    flows: Flows<Remembered>,
    most: usize,
    /// Packets that came.
    clock: u64,
    /// Where the search for a flow to forget goes on.
    hand: usize,
}

impl Known {
    /// Room for `most` flows.
    pub(super) fn new(most: usize) -> Self {
        Self {
            flows: Flows::new(),
            most,
            clock: 0,
            hand: 0,
        }
    }

    /// The place of a flow of which a packet has come; none if all whose turn it is to be forgotten
    /// are not idle.
    #[inline]
    pub(super) fn place(&mut self, flow: FlowId, is_idle: impl Fn(usize) -> bool) -> Option<usize> {
        self.clock += 1;
        let at = match self.flows.find(flow) {
            Some(at) => at,
            None => self.make_room(flow, is_idle)?,
        };
        self.flows[at].used = self.clock;
        Some(at)
    }

    fn make_room(&mut self, flow: FlowId, is_idle: impl Fn(usize) -> bool) -> Option<usize> {
        if self.flows.len() >= self.most {
            let at = self.forgettable(is_idle)?;
            self.flows.remove(at);
        }
        let at = self.flows.insert(flow);
        self.flows[at] = Remembered::default();
        Some(at)
    }

    /// Of a few flows the idle one that was quiet for longest. A few, so that an arrival costs the
    /// same however many there are.
    fn forgettable(&mut self, is_idle: impl Fn(usize) -> bool) -> Option<usize> {
        let (first, rows) = (self.hand, self.flows.rows());
        self.hand = (first + LOOKED_AT) % rows;
        let few = (0..LOOKED_AT.min(rows)).map(|i| (first + i) % rows);
        let idle = few.filter(|at| is_idle(*at));
        idle.min_by_key(|at| self.flows[*at].used)
    }

    /// Memory of the flow at that place.
    #[inline]
    pub(super) fn memory(&mut self, place: usize) -> &mut Memory {
        &mut self.flows[place].memory
    }

    /// Rows, those that are free included.
    pub(super) fn rows(&self) -> usize {
        self.flows.rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_take_turns_in_being_looked_at() {
        let mut known = Known::new(20);
        for flow in 0..20 {
            assert!(known.place(FlowId(flow), |_| false).is_some());
        }
        // Of the first eight, of the second, of the last four and the first again, and so on.
        for (new, gone) in [(20, 0), (21, 8), (22, 1), (23, 4)] {
            known.place(FlowId(new), |_| true);
            assert_eq!(known.flows.find(FlowId(gone)), None, "{gone}");
        }
        assert_eq!(known.place(FlowId(99), |_| false), None);
        assert_eq!((known.flows.len(), known.rows()), (20, 20));
    }
}
