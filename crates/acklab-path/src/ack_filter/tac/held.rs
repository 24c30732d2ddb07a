//! The representative acknowledgement of each flow, and the two orders in which their times run out.
//!
//! Both times are the same for all flows, so that who came first is due first: a doubly linked list
//! for each is enough, whatever the number of flows.

use super::super::flows::Flows;
use crate::packet::{FlowId, Packet};
use acklab_proto::segment::Segment;
use acklab_units::Instant;

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

impl Default for Links {
    fn default() -> Self {
        Self {
            before: NIL,
            after: NIL,
        }
    }
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

/// A free row holds nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    held: Option<Held>,
    links: [Links; 2],
}

/// The acknowledgements held of all flows.
#[derive(Debug)]
pub(super) struct Table {
    flows: Flows<Row>,
    ends: [Ends; 2],
    most: u32,
}

impl Table {
    /// Room for `most` flows.
    pub fn new(most: u32) -> Self {
        Self {
            flows: Flows::new(),
            ends: [EMPTY; 2],
            most,
        }
    }

    /// Flows of which something is held.
    pub fn len(&self) -> u32 {
        self.flows.len() as u32
    }

    /// Rows, those that are free included.
    pub fn rows(&self) -> usize {
        self.flows.rows()
    }

    /// Whether there is no room for another flow.
    pub fn is_full(&self) -> bool {
        self.len() >= self.most
    }

    /// The acknowledgement held of a flow.
    pub fn of(&self, flow: FlowId) -> Option<&Held> {
        self.held(self.flows.find(flow)?)
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
        match self.ends[order].first {
            NIL => None,
            first => self.held(first as usize),
        }
    }

    fn held(&self, at: usize) -> Option<&Held> {
        self.flows[at].held.as_ref()
    }

    /// Holds it, in place of what is held of its flow, which comes out. Its flow keeps its age.
    pub fn put(&mut self, held: Held) -> Option<Packet> {
        if let Some(at) = self.flows.find(held.packet.flow)
            && let Some(of) = &mut self.flows[at].held
        {
            let since = of.since;
            let old = core::mem::replace(of, Held { since, ..held });
            self.unlink(BY_RENEWAL, at as u32);
            self.append(BY_RENEWAL, at as u32);
            return Some(old.packet);
        }
        let at = self.flows.insert(held.packet.flow);
        self.flows[at].held = Some(held);
        self.append(BY_RENEWAL, at as u32);
        self.append(BY_AGE, at as u32);
        None
    }

    /// Takes out what is held of a flow.
    pub fn take(&mut self, flow: FlowId) -> Option<Held> {
        let at = self.flows.find(flow)?;
        self.unlink(BY_RENEWAL, at as u32);
        self.unlink(BY_AGE, at as u32);
        self.flows.remove(at);
        self.flows[at].held.take()
    }

    fn append(&mut self, order: usize, row: u32) {
        let last = core::mem::replace(&mut self.ends[order].last, row);
        self.flows[row as usize].links[order] = Links {
            before: last,
            after: NIL,
        };
        match last {
            NIL => self.ends[order].first = row,
            last => self.flows[last as usize].links[order].after = row,
        }
    }

    fn unlink(&mut self, order: usize, row: u32) {
        let Links { before, after } = self.flows[row as usize].links[order];
        match before {
            NIL => self.ends[order].first = after,
            before => self.flows[before as usize].links[order].after = after,
        }
        match after {
            NIL => self.ends[order].last = before,
            after => self.flows[after as usize].links[order].before = before,
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

    /// Flow numbers without end, three at a time, taken out in any order.
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
        assert_eq!((table.len(), table.rows()), (0, 3));
    }
}
