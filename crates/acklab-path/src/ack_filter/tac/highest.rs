//! The highest number that flows have acknowledged, of as many flows as there is room for.
//!
//! Rows stand in sets of [`WAYS`]; a flow's set follows from its number, so that looking it up takes
//! the same few steps however many there are. In a full set, who said nothing for the longest time
//! is forgotten. Flows that are numbered from 0 and are no more than there is room for never meet.

use crate::packet::FlowId;
use acklab_units::SeqNum;
use alloc::vec::Vec;

/// Rows of a set.
const WAYS: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Row {
    flow: FlowId,
    number: SeqNum,
    /// The count of look-ups when it was looked up last.
    used: u64,
}

/// The table.
#[derive(Debug)]
pub(super) struct Highest {
    rows: Vec<Option<Row>>,
    ways: usize,
    sets: usize,
    clock: u64,
}

impl Highest {
    /// Room for `most` flows, rounded up to whole sets.
    pub fn new(most: u32) -> Self {
        let ways = WAYS.min(most.max(1) as usize);
        Self {
            rows: Vec::new(),
            ways,
            sets: (most.max(1) as usize).div_ceil(ways),
            clock: 0,
        }
    }

    /// The highest number of a flow, if it is known.
    pub fn of(&mut self, flow: FlowId) -> Option<SeqNum> {
        self.clock += 1;
        let clock = self.clock;
        let row = self.set(flow).iter_mut().flatten();
        let row = row.into_iter().find(|r| r.flow == flow)?;
        row.used = clock;
        Some(row.number)
    }

    /// Rows, those that are free included.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Notes it.
    pub fn note(&mut self, flow: FlowId, number: SeqNum) {
        self.clock += 1;
        let row = Row {
            flow,
            number,
            used: self.clock,
        };
        let set = self.set(flow);
        let own = set.iter().position(|r| r.is_some_and(|r| r.flow == flow));
        let at = own.unwrap_or_else(|| {
            let age = |i: &usize| set[*i].map_or(0, |r| r.used);
            (0..set.len()).min_by_key(age).unwrap_or(0)
        });
        set[at] = Some(row);
    }

    /// Forgets a flow.
    pub fn forget(&mut self, flow: FlowId) {
        for row in self.set(flow) {
            *row = row.filter(|r| r.flow != flow);
        }
    }

    /// Where a flow can stand.
    fn set(&mut self, flow: FlowId) -> &mut [Option<Row>] {
        let first = flow.0 as usize % self.sets * self.ways;
        let end = first + self.ways;
        if self.rows.len() < end {
            self.rows.resize(end, None);
        }
        &mut self.rows[first..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_flows_as_there_is_room_for_are_all_known() {
        for most in [1, 2, 3, 5, 4096] {
            let mut table = Highest::new(most);
            for i in 0..most {
                table.note(FlowId(i), SeqNum(i));
            }
            assert!((0..most).all(|i| table.of(FlowId(i)) == Some(SeqNum(i))));
        }
    }

    #[test]
    fn the_quietest_is_forgotten_and_the_table_stays_small() {
        let mut table = Highest::new(4);
        for i in 0..4 {
            table.note(FlowId(i), SeqNum(i));
        }
        table.of(FlowId(0));
        table.note(FlowId(4), SeqNum(4));
        let known = |table: &mut Highest| {
            let all = (0..5).filter(|i| table.of(FlowId(*i)).is_some());
            all.collect::<Vec<u32>>()
        };
        assert_eq!(known(&mut table), [0, 2, 3, 4]);
        table.forget(FlowId(2));
        assert_eq!(known(&mut table), [0, 3, 4]);
        for i in 0..1_000_000 {
            table.note(FlowId(i), SeqNum(i));
        }
        assert_eq!(table.rows.len(), 4);
    }
}
