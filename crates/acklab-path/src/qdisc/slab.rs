//! Packets of many queues in one memory: each queue is a list of places in it.
//!
//! Places that become free are used again, so nothing is allocated once the most packets that ever
//! wait have waited.

use crate::packet::{Packet, PacketId};
use acklab_units::Instant;
use alloc::vec::Vec;

const NIL: u32 = u32::MAX;

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub packet: Packet,
    /// Since when its place in the queue is taken: order, control laws and lifetimes go by that.
    pub since: Instant,
    /// When it joined the queue: later, if it took the place of another one.
    pub joined: Instant,
}

impl Waiting {
    /// A packet that joins at the end of a queue.
    #[inline]
    pub fn new(now: Instant, packet: Packet) -> Self {
        Self {
            packet,
            since: now,
            joined: now,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    waiting: Waiting,
    next: u32,
}

/// The memory.
#[derive(Clone, Debug)]
pub(crate) struct Slab {
    nodes: Vec<Node>,
    free: u32,
    len: u32,
}

/// One queue, first in first out. Its packets are in the slab that it was used with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List {
    head: u32,
    tail: u32,
}

impl Default for List {
    fn default() -> Self {
        Self {
            head: NIL,
            tail: NIL,
        }
    }
}

impl List {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NIL
    }
}

impl Default for Slab {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            free: NIL,
            len: 0,
        }
    }
}

impl Slab {
    /// Packets in all lists together.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Puts a packet at the end of `list`.
    #[inline]
    pub fn push(&mut self, list: &mut List, waiting: Waiting) {
        let node = Node { waiting, next: NIL };
        let at = self.place(node);
        match list.tail {
            NIL => list.head = at,
            tail => self.nodes[tail as usize].next = at,
        }
        list.tail = at;
        self.len += 1;
    }

    fn place(&mut self, node: Node) -> u32 {
        match self.free {
            NIL => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
            at => {
                self.free = self.nodes[at as usize].next;
                self.nodes[at as usize] = node;
                at
            }
        }
    }

    /// The packet at the head of `list`.
    #[inline]
    pub fn front(&self, list: &List) -> Option<Waiting> {
        (list.head != NIL).then(|| self.nodes[list.head as usize].waiting)
    }

    /// Takes the packet at the head of `list`.
    #[inline]
    pub fn pop(&mut self, list: &mut List) -> Option<Waiting> {
        if list.head == NIL {
            return None;
        }
        let at = list.head;
        list.head = self.nodes[at as usize].next;
        if list.head == NIL {
            list.tail = NIL;
        }
        Some(self.release(at))
    }

    /// Moves the packet at the head of `from` to the end of `to`.
    #[inline]
    pub fn shift(&mut self, from: &mut List, to: &mut List) {
        let at = from.head;
        debug_assert_ne!(at, NIL, "nothing to move");
        from.head = self.nodes[at as usize].next;
        if from.head == NIL {
            from.tail = NIL;
        }
        self.nodes[at as usize].next = NIL;
        match to.tail {
            NIL => to.head = at,
            tail => self.nodes[tail as usize].next = at,
        }
        to.tail = at;
    }

    /// Takes the packet of that number out of `list`.
    pub fn remove(&mut self, list: &mut List, id: PacketId) -> Option<Waiting> {
        let (mut before, mut at) = (NIL, list.head);
        while at != NIL && self.nodes[at as usize].waiting.packet.id != id {
            (before, at) = (at, self.nodes[at as usize].next);
        }
        if at == NIL {
            return None;
        }
        let next = self.nodes[at as usize].next;
        match before {
            NIL => list.head = next,
            before => self.nodes[before as usize].next = next,
        }
        if list.tail == at {
            list.tail = before;
        }
        Some(self.release(at))
    }

    /// Lets `by` take the place of the packet of that number in `list`; that one comes out.
    pub fn replace(
        &mut self,
        list: &List,
        id: PacketId,
        now: Instant,
        by: Packet,
    ) -> Option<Packet> {
        let mut at = list.head;
        while let Some(node) = self.nodes.get_mut(at as usize) {
            let here = &mut node.waiting;
            if here.packet.id == id {
                here.joined = now;
                return Some(core::mem::replace(&mut here.packet, by));
            }
            at = node.next;
        }
        None
    }

    /// The packets of `list`, first to leave first.
    pub fn iter(&self, list: &List) -> impl Iterator<Item = Waiting> + '_ {
        let mut at = list.head;
        core::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.next;
            Some(node.waiting)
        })
    }

    fn release(&mut self, at: u32) -> Waiting {
        let node = &mut self.nodes[at as usize];
        node.next = self.free;
        self.free = at;
        self.len -= 1;
        node.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use acklab_proto::segment::Ecn;
    use std::vec::Vec;

    fn waiting(id: u32) -> Waiting {
        let packet = Packet {
            id: PacketId(id),
            size: 40,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        Waiting::new(Instant::from_nanos(u64::from(id)), packet)
    }

    fn ids(slab: &Slab, list: &List) -> Vec<u32> {
        slab.iter(list).map(|w| w.packet.id.0).collect()
    }

    #[test]
    fn lists_share_the_memory_and_keep_their_order() {
        let (mut slab, mut a, mut b) = (Slab::default(), List::default(), List::default());
        for id in 0..6 {
            slab.push(if id % 2 == 0 { &mut a } else { &mut b }, waiting(id));
        }
        assert_eq!(
            (ids(&slab, &a), ids(&slab, &b)),
            ([0, 2, 4].into(), [1, 3, 5].into())
        );
        slab.shift(&mut a, &mut b);
        assert_eq!(slab.pop(&mut b), Some(waiting(1)));
        assert_eq!(
            (ids(&slab, &a), ids(&slab, &b)),
            ([2, 4].into(), [3, 5, 0].into())
        );
        assert_eq!(slab.len(), 5);
    }

    #[test]
    fn a_free_place_is_used_again() {
        let (mut slab, mut list) = (Slab::default(), List::default());
        for id in 0..1000 {
            slab.push(&mut list, waiting(id));
            slab.push(&mut list, waiting(id));
            slab.pop(&mut list);
            slab.pop(&mut list);
        }
        assert!(list.is_empty());
        assert_eq!((slab.nodes.len(), slab.len()), (2, 0));
    }

    #[test]
    fn a_packet_can_be_taken_out_of_any_place() {
        for (gone, left) in [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])] {
            let (mut slab, mut list) = (Slab::default(), List::default());
            (0..3).for_each(|id| slab.push(&mut list, waiting(id)));
            assert_eq!(slab.remove(&mut list, PacketId(gone)), Some(waiting(gone)));
            assert_eq!(slab.remove(&mut list, PacketId(gone)), None);
            slab.push(&mut list, waiting(9));
            assert_eq!(ids(&slab, &list), [left[0], left[1], 9]);
        }
    }

    #[test]
    fn a_place_keeps_its_age_and_the_packet_has_its_own() {
        let (mut slab, mut list) = (Slab::default(), List::default());
        (0..3).for_each(|id| slab.push(&mut list, waiting(id)));
        let (now, by) = (Instant::from_nanos(50), waiting(9).packet);
        let old = slab.replace(&list, PacketId(1), now, by);
        assert_eq!(old, Some(waiting(1).packet));
        assert_eq!(slab.replace(&list, PacketId(1), now, by), None);
        assert_eq!(ids(&slab, &list), [0, 9, 2]);
        slab.pop(&mut list);
        let taken = slab.pop(&mut list).unwrap();
        assert_eq!((taken.since, taken.joined), (Instant::from_nanos(1), now));
        assert_eq!(slab.len(), 1);
    }
}
