//! The representative acknowledgement of each flow, and the two orders in which their times run out.
//!
//! Both times are the same for all flows, so that who came first is due first: a doubly linked list
//! for each is enough, whatever the number of flows. Rows that become free are used again.

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
}

/// What is held of all flows.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
    free: Vec<u32>,
    /// The row of each flow.
    of_flow: Vec<u32>,
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
            of_flow: Vec::new(),
            ends: [EMPTY; 2],
            len: 0,
            most,
        }
    }

    /// Flows of which something is held.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is no room for another flow.
    pub fn is_full(&self) -> bool {
        self.len >= self.most
    }

    /// What is held of a flow.
    pub fn of(&self, flow: FlowId) -> Option<&Held> {
        let row = *self.of_flow.get(flow.0 as usize)?;
        self.rows.get(row as usize).map(|r| &r.held)
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
        let flow = held.packet.flow.0 as usize;
        if flow >= self.of_flow.len() {
            self.of_flow.resize(flow + 1, NIL);
        }
        let row = self.of_flow[flow];
        if row == NIL {
            let row = self.place(held);
            self.of_flow[flow] = row;
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
        let entry = self.of_flow.get_mut(flow.0 as usize)?;
        let row = core::mem::replace(entry, NIL);
        let held = self.rows.get(row as usize)?.held;
        self.unlink(BY_RENEWAL, row);
        self.unlink(BY_AGE, row);
        self.free.push(row);
        self.len -= 1;
        Some(held)
    }

    fn place(&mut self, held: Held) -> u32 {
        let alone = Links {
            before: NIL,
            after: NIL,
        };
        let row = Row {
            held,
            links: [alone; 2],
        };
        match self.free.pop() {
            Some(at) => {
                self.rows[at as usize] = row;
                at
            }
            None => {
                self.rows.push(row);
                (self.rows.len() - 1) as u32
            }
        }
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
