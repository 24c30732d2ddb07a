//! The representative acknowledgement of each flow, and the two orders in which their times run out.
//!
//! Both times are the same for all flows, so that who came first is due first: a doubly linked list
//! for each is enough, whatever the number of flows. Rows that become free are used again. A flow's
//! row is found in a chain that its number picks; there are at least as many chains as rows, and none
//! has two as long as flows are numbered from 0 and there is room for all.

use crate::packet::{FlowId, Packet};
use acklab_proto::segment::Segment;
use acklab_units::Instant;
use alloc::vec::Vec;

const NIL: u32 = u32::MAX;

/// A held acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub packet: Packet,
    pub segment: Segment,
    /// Since when something of the flow is held.
    pub since: Instant,
    /// When this one took the place of the one before.
    pub renewed: Instant,
}

/// Neighbours of a row in one order.
#[derive(Clone, Copy, Debug)]
struct Links {
    before: u32,
    after: u32,
}

/// The ends of one order.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

const EMPTY: Ends = Ends {
    first: NIL,
    last: NIL,
};

/// Numbers of the two orders.
const BY_RENEWAL: usize = 0;
const BY_AGE: usize = 1;

#[derive(Clone, Copy, Debug)]
struct Row {
    held: Held,
    links: [Links; 2],
    /// The next row of its chain.
    next: u32,
}

/// What is held of all flows.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
    free: Vec<u32>,
    /// The first row of each chain; a power of two of them, or none before anything was held.
    chains: Vec<u32>,
    ends: [Ends; 2],
    len: u32,
    most: u32,
}

impl Table {
    /// Room for `most` flows.
    pub fn new(most: u32) -> Self {
        Self {
            rows: Vec::new(),
            free: Vec::new(),
            chains: Vec::new(),
            ends: [EMPTY; 2],
            len: 0,
            most,
        }
    }

    /// Flows of which something is held.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Rows, those that are free included.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no room for another flow.
    pub fn is_full(&self) -> bool {
        self.len >= self.most
    }

    /// What is held of a flow.
    pub fn of(&self, flow: FlowId) -> Option<&Held> {
        self.rows.get(self.row_of(flow) as usize).map(|r| &r.held)
    }

    /// The one that was renewed the longest time ago.
    pub fn longest_quiet(&self) -> Option<&Held> {
        self.first(BY_RENEWAL)
    }

    /// The one of whose flow something is held for the longest time.
    pub fn longest_held(&self) -> Option<&Held> {
        self.first(BY_AGE)
    }

    fn first(&self, order: usize) -> Option<&Held> {
        self.rows
            .get(self.ends[order].first as usize)
            .map(|r| &r.held)
    }

    /// Holds it, in place of what is held of its flow, which comes out. Its flow keeps its age.
    pub fn put(&mut self, held: Held) -> Option<Packet> {
        let row = self.row_of(held.packet.flow);
        if row == NIL {
            let row = self.place(held);
            self.append(BY_RENEWAL, row);
            self.append(BY_AGE, row);
            self.len += 1;
            return None;
        }
        let of = &mut self.rows[row as usize].held;
        let since = of.since;
        let old = core::mem::replace(of, Held { since, ..held });
        self.unlink(BY_RENEWAL, row);
        self.append(BY_RENEWAL, row);
        Some(old.packet)
    }

    /// Takes out what is held of a flow.
    pub fn take(&mut self, flow: FlowId) -> Option<Held> {
        let row = self.row_of(flow);
        let Row { held, next, .. } = *self.rows.get(row as usize)?;
        let chain = self.chain_of(flow);
        if self.chains[chain] == row {
            self.chains[chain] = next;
        } else {
            let mut before = self.chains[chain] as usize;
            while self.rows[before].next != row {
                before = self.rows[before].next as usize;
            }
            self.rows[before].next = next;
        }
        self.unlink(BY_RENEWAL, row);
        self.unlink(BY_AGE, row);
        self.free.push(row);
        self.len -= 1;
        Some(held)
    }

    /// The row of a flow, or `NIL`.
    fn row_of(&self, flow: FlowId) -> u32 {
        if self.chains.is_empty() {
            return NIL;
        }
        let mut row = self.chains[self.chain_of(flow)];
        while row != NIL && self.rows[row as usize].held.packet.flow != flow {
            row = self.rows[row as usize].next;
        }
        row
    }

    /// The chain of a flow, if there are any.
    fn chain_of(&self, flow: FlowId) -> usize {
        flow.0 as usize & (self.chains.len() - 1)
    }

    fn place(&mut self, held: Held) -> u32 {
        if self.chains.is_empty() {
            let chains = (self.most.max(1) as usize).next_power_of_two();
            self.chains = alloc::vec![NIL; chains];
        }
        let alone = Links {
            before: NIL,
            after: NIL,
        };
        let chain = self.chain_of(held.packet.flow);
        let row = Row {
            held,
            links: [alone; 2],
            next: self.chains[chain],
        };
        let at = self.free.pop().unwrap_or(self.rows.len() as u32);
        match self.rows.get_mut(at as usize) {
            Some(free) => *free = row,
            None => self.rows.push(row),
        }
        self.chains[chain] = at;
        at
    }

    fn append(&mut self, order: usize, row: u32) {
        let last = core::mem::replace(&mut self.ends[order].last, row);
        self.rows[row as usize].links[order] = Links {
            before: last,
            after: NIL,
        };
        match last {
            NIL => self.ends[order].first = row,
            last => self.rows[last as usize].links[order].after = row,
        }
    }

    fn unlink(&mut self, order: usize, row: u32) {
        let Links { before, after } = self.rows[row as usize].links[order];
        match before {
            NIL => self.ends[order].first = after,
            before => self.rows[before as usize].links[order].after = after,
        }
        match after {
            NIL => self.ends[order].last = before,
            after => self.rows[after as usize].links[order].before = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack_filter::testing::ack;
    use crate::packet::PacketId;
    use acklab_proto::segment::Ecn;

    fn held(flow: u32) -> Held {
        let packet = Packet {
            id: PacketId(flow),
            size: 52,
            flow: FlowId(flow),
            ecn: Ecn::NotEct,
        };
        Held {
            packet,
            segment: ack(0),
            since: Instant::ZERO,
            renewed: Instant::ZERO,
        }
    }

    /// Flow numbers without end, three at a time of one chain, taken out in any order.
    #[test]
    fn memory_follows_from_what_may_be_held() {
        let mut table = Table::new(4);
        for i in 0..100_000 {
            let flows = [12 * i, 12 * i + 4, 12 * i + 8];
            for flow in flows {
                assert!(table.put(held(flow)).is_none() && table.of(FlowId(flow + 12)).is_none());
            }
            for k in 0..3 {
                let flow = FlowId(flows[(i as usize + k) % 3]);
                assert_eq!(table.take(flow).map(|h| h.packet.flow), Some(flow));
                assert!(table.take(flow).is_none());
            }
        }
        assert_eq!(
            (table.len(), table.rows.len(), table.chains.len()),
            (0, 3, 4)
        );
    }
}
