//! Fair queueing with CoDel for each flow, for several groups of flows in one memory.
//!
//! A group is what is scheduled by itself: the whole of a queue discipline, or one station of an
//! access point (a "tin" in `net/fq_impl.h`). The limit is common to all groups.

use super::round_robin::{Member, RoundRobin, Turn};
use crate::packet::{DropReason, Packet, PacketId};
use crate::qdisc::Stats;
use crate::qdisc::codel::{self, Codel};
use crate::qdisc::slab::{List, Slab, Waiting};
use acklab_units::Instant;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// The state that all groups share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Queues that flows of one group are hashed into.
    pub queues: u32,
    /// Packets that may wait in all groups together.
    pub limit: u32,
    /// Bytes of memory that those packets may take, by [`truesize`].
    pub memory: u64,
    /// Most packets that are dropped at once when there are more.
    pub drop_batch: u32,
    /// Bytes that a flow may send in a round.
    pub quantum: u32,
    /// Moves flows to other queues; `None`: flows take queues in the order in which they come to a group.
    pub perturbation: Option<u32>,
    /// CoDel compares the bytes of all groups with `mtu`, and not those of the packet's flow.
    pub mtu_of_all: bool,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    turn: Turn,
    list: List,
    packets: u32,
    bytes: u64,
    codel: Codel,
    group: u32,
}

impl Member for Flow {
    fn turn(&mut self) -> &mut Turn {
        &mut self.turn
    }
}

#[derive(Clone, Debug)]
struct Group {
    round: RoundRobin,
    /// The flow of each queue, once it has one.
    table: Vec<u32>,
    /// Without a hash: when each flow came, from 0.
    came: BTreeMap<u32, u32>,
    packets: u32,
}

/// All queues.
#[derive(Clone, Debug)]
pub(crate) struct Flows {
    shape: Shape,
    slab: Slab,
    flows: Vec<Flow>,
    groups: Vec<Group>,
    /// The flow that the packet of that number joined last: a filter takes packets out by number,
    /// and to look through all flows for one would make it dear where there are many.
    joined: Vec<u32>,
    /// Bytes of memory that waiting packets take.
    memory: u64,
    pub stats: Stats,
}

/// The memory that Linux charges for a packet of `size` bytes in a linear buffer of its own (`truesize`,
/// `SKB_TRUESIZE` in include/linux/skbuff.h): struct sk_buff, 256 bytes in whole cache lines, and a
/// `kmalloc` of a power of two, at least 512, for headroom (`NET_SKB_PAD`, 64), Ethernet header,
/// packet and struct skb_shared_info, 320. Packets of 1500 bytes take 2304, pure ACKs 768, as from
/// drivers that allocate or copy frame by frame.
pub(crate) fn truesize(size: u32) -> u64 {
    const SK_BUFF: u64 = 256;
    const AROUND: u64 = 64 + 14 + 320;
    const LEAST: u64 = 512;
    SK_BUFF + (AROUND + u64::from(size)).next_power_of_two().max(LEAST)
}

/// One flow, lent to its control law.
struct Lent<'a> {
    flow: usize,
    /// Compares the bytes of all flows with `mtu`, and not those of this one.
    all: bool,
    slab: &'a mut Slab,
    flows: &'a mut [Flow],
    group: &'a mut Group,
    memory: &'a mut u64,
    stats: &'a mut Stats,
    dropped: &'a mut dyn FnMut(Packet, DropReason),
}

impl codel::Source for Lent<'_> {
    fn pop(&mut self) -> Option<Waiting> {
        let flow = &mut self.flows[self.flow];
        let head = self.slab.pop(&mut flow.list)?;
        flow.packets -= 1;
        flow.bytes -= u64::from(head.packet.size);
        self.group.packets -= 1;
        *self.memory -= truesize(head.packet.size);
        self.stats.on_left(head.packet);
        Some(head)
    }

    fn bytes(&self) -> u64 {
        if self.all {
            self.stats.bytes
        } else {
            self.flows[self.flow].bytes
        }
    }

    fn drop(&mut self, packet: Packet) {
        self.stats.dropped_inside += 1;
        (self.dropped)(packet, DropReason::Aqm);
    }

    fn on_marked(&mut self, by_threshold: bool) {
        self.stats.on_marked(by_threshold);
    }
}

impl Flows {
    /// No groups, no flows.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            slab: Slab::default(),
            flows: Vec::new(),
            groups: Vec::new(),
            joined: Vec::new(),
            memory: 0,
            stats: Stats::default(),
        }
    }

    /// Packets of a group that wait.
    #[inline]
    pub fn packets(&self, group: u32) -> u32 {
        self.groups.get(group as usize).map_or(0, |g| g.packets)
    }

    /// A packet of `flow` joins a group (RFC 8290 section 4.1). More than the limit may wait afterwards;
    /// see [`Flows::overflow`].
    pub fn enqueue(&mut self, group: u32, flow: u32, waiting: Waiting) {
        let i = self.flow_of(group, flow);
        self.note_joined(waiting.packet.id, i);
        let flow = &mut self.flows[i as usize];
        self.slab.push(&mut flow.list, waiting);
        flow.packets += 1;
        flow.bytes += u64::from(waiting.packet.size);
        self.memory += truesize(waiting.packet.size);
        self.stats.on_joined(waiting.packet);
        let group = &mut self.groups[group as usize];
        group.packets += 1;
        let quantum = i64::from(self.shape.quantum);
        group.round.activate(&mut self.flows, i, Some(quantum));
    }

    /// Nobody asks for a link layer's own packets by number.
    fn note_joined(&mut self, id: PacketId, flow: u32) {
        if id.is_own() {
            return;
        }
        let at = id.0 as usize;
        if at >= self.joined.len() {
            self.joined.resize(at + 1, NONE);
        }
        self.joined[at] = flow;
    }

    /// The queue of a flow. Flows that hash alike share one.
    fn flow_of(&mut self, group: u32, flow: u32) -> u32 {
        let queues = self.shape.queues.max(1);
        while self.groups.len() <= group as usize {
            self.groups.push(Group {
                round: RoundRobin::default(),
                table: alloc::vec![NONE; queues as usize],
                came: BTreeMap::new(),
                packets: 0,
            });
        }
        let there = &mut self.groups[group as usize];
        let spread = match self.shape.perturbation {
            Some(p) => mix(flow ^ p),
            None => {
                let next = there.came.len() as u32;
                *there.came.entry(flow).or_insert(next)
            }
        };
        let entry = &mut there.table[(spread % queues) as usize];
        if *entry == NONE {
            *entry = self.flows.len() as u32;
            self.flows.push(Flow {
                group,
                ..Flow::default()
            });
        }
        *entry
    }

    /// Drops from the head of the flow with most bytes while more than the limit wait, or take more
    /// memory than may be (`fq_tin_enqueue`; `fq_codel_enqueue` tries once) (section 4.1): half of its bytes, but no more than a batch of packets, as `fq_codel_drop` does. The
    /// search goes through all flows, hence the batch.
    pub fn overflow(&mut self, dropped: &mut dyn FnMut(Packet, DropReason)) {
        while (self.stats.packets > self.shape.limit || self.memory > self.shape.memory)
            && let Some(i) = self.fattest()
        {
            let flow = &mut self.flows[i];
            let (half, mut gone, mut n) = (flow.bytes / 2, 0, 0);
            while let Some(head) = self.slab.pop(&mut flow.list) {
                let size = u64::from(head.packet.size);
                flow.packets -= 1;
                flow.bytes -= size;
                self.groups[flow.group as usize].packets -= 1;
                self.memory -= truesize(head.packet.size);
                self.stats.on_left(head.packet);
                self.stats.dropped_inside += 1;
                dropped(head.packet, DropReason::QueueFull);
                gone += size;
                n += 1;
                if n >= self.shape.drop_batch || gone >= half {
                    break;
                }
            }
        }
    }

    /// The first flow with most bytes.
    fn fattest(&self) -> Option<usize> {
        let flows = self.flows.iter().enumerate();
        let waiting = flows.filter(|(_, f)| f.packets > 0);
        let fattest = waiting.max_by_key(|(i, f)| (f.bytes, core::cmp::Reverse(*i)));
        fattest.map(|(i, _)| i)
    }

    /// The next packet of a group (section 4.2).
    pub fn dequeue(
        &mut self,
        group: u32,
        now: Instant,
        params: &codel::Params,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Waiting> {
        let quantum = i64::from(self.shape.quantum);
        let group = self.groups.get_mut(group as usize)?;
        loop {
            let i = group.round.first(&mut self.flows, quantum)? as usize;
            let mut codel = self.flows[i].codel;
            let mut lent = Lent {
                flow: i,
                all: self.shape.mtu_of_all,
                slab: &mut self.slab,
                flows: &mut self.flows,
                group,
                memory: &mut self.memory,
                stats: &mut self.stats,
                dropped,
            };
            let head = codel.dequeue(now, params, &mut lent);
            self.flows[i].codel = codel;
            let Some(head) = head else {
                group.round.dismiss(&mut self.flows);
                continue;
            };
            self.flows[i].turn.deficit -= i64::from(head.packet.size);
            self.stats.dequeued += 1;
            self.stats.check();
            return Some(head);
        }
    }

    /// Takes out one waiting packet.
    pub fn remove(&mut self, id: PacketId) -> Option<(u32, Packet)> {
        let i = *self.joined.get(id.0 as usize)?;
        let flow = self.flows.get_mut(i as usize)?;
        let gone = self.slab.remove(&mut flow.list, id)?;
        flow.packets -= 1;
        flow.bytes -= u64::from(gone.packet.size);
        self.groups[flow.group as usize].packets -= 1;
        self.memory -= truesize(gone.packet.size);
        self.stats.on_left(gone.packet);
        self.stats.dropped_inside += 1;
        self.stats.check();
        Some((flow.group, gone.packet))
    }

    /// Lets `by`, which is of the same flow, take the place of a waiting packet.
    pub fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let i = *self.joined.get(id.0 as usize)?;
        let list = &self.flows.get(i as usize)?.list;
        let old = self.slab.replace(list, id, now, by)?;
        self.note_joined(by.id, i);
        self.stats.on_replaced(old, by);
        self.stats.check();
        Some(old)
    }

    /// Bytes of memory that waiting packets take.
    #[cfg(test)]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Deficit of a flow, and where it waits.
    #[cfg(test)]
    pub fn turn_of(&mut self, group: u32, flow: u32) -> (i64, super::round_robin::Place) {
        let i = self.flow_of(group, flow);
        let turn = &self.flows[i as usize].turn;
        (turn.deficit, turn.place())
    }
}

/// A hash with an avalanche (the finaliser of MurmurHash3).
const fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}
