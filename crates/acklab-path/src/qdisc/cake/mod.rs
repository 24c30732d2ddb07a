//! CAKE (Hoiland-Jorgensen et al. 2018; Linux `net/sched/sch_cake.c`): a shaper without bursts, tins by
//! codepoint, flows that take turns within hosts, and COBALT on each queue.
//!
//! Two parts of CAKE stand elsewhere: its ACK filter is [`crate::ack_filter::cake`], in front of any
//! queue, and packets are single segments, so that there is nothing for `split-gso` to split. A
//! codepoint stays as it is (no `wash`), and there is no address translation to look behind (no `nat`).

mod autorate;
mod chain;
mod cobalt;
mod hash;
mod heap;
mod isolation;
mod overhead;
pub mod params;
mod shaper;
pub mod stats;
#[cfg(test)]
mod tests;
mod tin;
mod tins;

use super::classes::{Counts, Row};
use super::fq_codel::flows::truesize;
use super::slab::{Slab, Waiting};
use super::{Enqueue, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use acklab_proto::rng::Rng;
use acklab_units::{Instant, Rate};
use alloc::vec::Vec;
use autorate::Autorate;
use heap::Heap;
use params::Config;
pub use params::ENTRY;
use shaper::Shaper;
use stats::{TinRow, WholeRow};
use tin::Tin;

/// `average` after one more `sample`, of weight `2^-shift` (`cake_ewma`).
fn ewma(average: u64, sample: u64, shift: u32) -> u64 {
    average - (average >> shift) + (sample >> shift)
}

/// Of a packet of which nobody knows where it waits.
const NOWHERE: (u8, u32) = (u8::MAX, 0);

/// The queue.
#[derive(Debug)]
pub struct Cake {
    config: Config,
    shaper: Option<Shaper>,
    autorate: Option<Autorate>,
    tins: Vec<Tin>,
    /// The tin whose turn it is, where no shaper counts time.
    current: usize,
    slab: Slab,
    /// Tin and flow that the packet of that number joined last, for filters.
    joined: Vec<(u8, u32)>,
    /// The queues by their bytes, from the first time on that the memory is full.
    heap: Option<Heap>,
    memory: u64,
    memory_limit: u64,
    memory_used: u64,
    overlimits: u64,
    /// IP bytes that left.
    sent: u64,
    sizes: [(u64, u64); 2],
    rng: Rng,
    stats: Stats,
    evicted: Vec<(Packet, DropReason)>,
}

impl Cake {
    /// An empty one.
    pub(crate) fn new(config: Config, rng: Rng) -> Self {
        let tins = 0..config.mode.tins();
        let share = |tin| {
            config
                .mode
                .share(tin, config.rate, config.law, config.frame)
        };
        Self {
            config,
            shaper: config.rate.map(Shaper::new),
            autorate: config.autorate.then(|| Autorate::new(config.rate)),
            tins: tins
                .map(|tin| Tin::new(share(tin), config.isolation))
                .collect(),
            current: 0,
            slab: Slab::default(),
            joined: Vec::new(),
            heap: None,
            memory: 0,
            memory_limit: config.memory(config.rate),
            memory_used: 0,
            overlimits: 0,
            sent: 0,
            sizes: [(u64::MAX, 0); 2],
            rng,
            stats: Stats::default(),
            evicted: Vec::new(),
        }
    }

    /// What `tc -s qdisc show` prints above the tins.
    fn whole(&self) -> WholeRow {
        let seen = |(least, most): (u64, u64)| (least <= most).then_some((least, most));
        let capacity = self.autorate.map(|a| a.capacity());
        WholeRow {
            packets: self.stats.dequeued,
            bytes: self.sent,
            dropped: self.stats.dropped_inside,
            overlimits: self.overlimits,
            backlog: (self.stats.bytes, self.stats.packets),
            memory_used: self.memory_used,
            memory_limit: self.memory_limit,
            capacity: capacity.or(self.config.rate),
            network_sizes: seen(self.sizes[0]).map(|(a, b)| (a as u32, b as u32)),
            adjusted_sizes: seen(self.sizes[1]),
        }
    }

    /// The rows of its tins, from the lowest class up.
    fn tin_rows(&self) -> impl Iterator<Item = TinRow> {
        self.config.mode.order().iter().map(|(tin, name)| {
            let tin = &self.tins[*tin];
            tin.counters.row(name, &tin.share, tin.backlog)
        })
    }

    /// The shaper has another rate from now on.
    fn reshape(&mut self, now: Instant, rate: Rate) {
        match &mut self.shaper {
            Some(shaper) => shaper.pace(rate),
            None => {
                let mut shaper = Shaper::new(rate);
                shaper.on_first(now);
                self.shaper = Some(shaper);
            }
        }
        for (i, tin) in self.tins.iter_mut().enumerate() {
            let c = &self.config;
            tin.reshare(c.mode.share(i, Some(rate), c.law, c.frame));
        }
        self.memory_limit = self.config.memory(Some(rate));
    }

    /// Time that was not used before a pause is gone.
    fn wake(&mut self, now: Instant, tin: usize) {
        let tin = &mut self.tins[tin];
        if tin.backlog > 0 {
            return;
        }
        tin.next = tin.next.max(now);
        if self.stats.packets == 0
            && let Some(shaper) = &mut self.shaper
        {
            self.overlimits += u64::from(shaper.on_first(now));
        }
    }

    fn join(&mut self, now: Instant, (at, flow): (usize, u32), packet: Packet) {
        self.note_joined(packet.id, (at as u8, flow));
        let size = u64::from(packet.size);
        let adjusted = self.config.framing.bytes(packet.size);
        for ((least, most), size) in self.sizes.iter_mut().zip([size, adjusted]) {
            (*least, *most) = ((*least).min(size), (*most).max(size));
        }
        let tin = &mut self.tins[at];
        let queue = &mut tin.flows[flow as usize];
        self.slab.push(&mut queue.list, Waiting::new(now, packet));
        queue.bytes += size;
        tin.backlog += size;
        tin.counters.packets += 1;
        tin.counters.bytes += size;
        tin.counters.longest = tin.counters.longest.max(packet.size);
        if let Some(heap) = &mut self.heap {
            heap.set(at, queue.number, queue.bytes);
            heap.on_joined(at, queue.number);
        }
        self.memory += truesize(packet.size);
        self.stats.on_joined(packet);
    }

    /// Nobody asks for a link layer's own packets by number.
    fn note_joined(&mut self, id: PacketId, place: (u8, u32)) {
        if id.is_own() {
            return;
        }
        let at = id.0 as usize;
        if at >= self.joined.len() {
            self.joined.resize(at + 1, NOWHERE);
        }
        self.joined[at] = place;
    }

    /// Takes the packet at the head of a flow.
    fn pop(&mut self, (tin, flow): (usize, u32)) -> Option<Waiting> {
        let queue = &mut self.tins[tin].flows[flow as usize];
        let head = self.slab.pop(&mut queue.list)?;
        self.on_left((tin, flow), head.packet);
        Some(head)
    }

    fn on_left(&mut self, (at, flow): (usize, u32), packet: Packet) {
        let size = u64::from(packet.size);
        let tin = &mut self.tins[at];
        let queue = &mut tin.flows[flow as usize];
        queue.bytes -= size;
        if let Some(heap) = &mut self.heap {
            heap.set(at, queue.number, queue.bytes);
            heap.on_left(at, queue.number);
        }
        tin.backlog -= size;
        self.memory -= truesize(packet.size);
        self.stats.on_left(packet);
    }

    /// A packet was sent, or `dropped`: its time on the line is used up. Returns its counted bytes.
    fn charge(&mut self, now: Instant, tin: usize, packet: Packet, dropped: bool) -> i64 {
        let bytes = self.config.framing.bytes(packet.size);
        if let Some(shaper) = &mut self.shaper {
            shaper.charge(bytes, dropped);
            self.tins[tin].charge(now, bytes);
        }
        bytes as i64
    }

    /// Drops from the head of the fattest queue while packets take too much memory (`cake_drop`).
    fn overflow(&mut self, now: Instant) {
        while self.memory > self.memory_limit
            && let Some(fattest) = self.fattest()
            && let Some(gone) = self.pop(fattest)
        {
            let tin = &mut self.tins[fattest.0];
            let flow = &mut tin.flows[fattest.1 as usize];
            let woken = flow.cobalt.on_full(now, &tin.share.times);
            tin.counters.unresponsive += u32::from(woken);
            tin.counters.drops += 1;
            self.stats.dropped_inside += 1;
            if self.config.ingress {
                self.charge(now, fattest.0, gone.packet, true);
            }
            self.evicted.push((gone.packet, DropReason::QueueFull));
        }
        self.evicted.reverse();
    }

    /// The flow with most bytes.
    fn fattest(&mut self) -> Option<(usize, u32)> {
        let tins = &self.tins;
        let heap = self.heap.get_or_insert_with(|| {
            let mut heap = Heap::new();
            for (i, tin) in tins.iter().enumerate() {
                tin.flows
                    .iter()
                    .for_each(|f| heap.set(i, f.number, f.bytes));
            }
            heap
        });
        let (tin, queue) = heap.top();
        Some((tin, self.tins[tin].flow_at(queue)?))
    }

    /// The tin that sends next.
    fn choose(&mut self, now: Instant) -> Option<usize> {
        if self.shaper.is_some() {
            self.by_schedule(now)
        } else {
            self.by_turn()
        }
    }

    /// The highest class within its threshold, or else the one that will be soonest.
    fn by_schedule(&self, now: Instant) -> Option<usize> {
        let busy = self.tins.iter().enumerate().filter(|(_, t)| t.is_busy());
        let wait = |tin: &Tin| tin.next.saturating_since(now);
        // Of several within their thresholds the last, which is the highest.
        busy.min_by_key(|(i, tin)| (wait(tin), core::cmp::Reverse(*i)))
            .map(|(i, _)| i)
    }

    /// Classes take turns by their quanta.
    fn by_turn(&mut self) -> Option<usize> {
        if !self.tins.iter().any(Tin::is_busy) {
            return None;
        }
        loop {
            let tin = &mut self.tins[self.current];
            if tin.deficit >= 0 && tin.is_busy() {
                return Some(self.current);
            }
            if tin.deficit <= 0 {
                tin.deficit += i64::from(tin.share.quantum);
            }
            self.current = (self.current + 1) % self.tins.len();
        }
    }

    /// The next packet of the tin; `None` if a queue was empty, or a drop used up the time.
    fn serve(
        &mut self,
        now: Instant,
        tin: usize,
        first: &mut bool,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        while let Some(flow) = self.tins[tin].turn(first, &mut self.rng) {
            loop {
                let Some(mut head) = self.pop((tin, flow)) else {
                    self.tins[tin].on_empty(flow, now);
                    return None;
                };
                if !self.signal(now, (tin, flow), &mut head) {
                    return Some(self.send(now, (tin, flow), head));
                }
                self.stats.dropped_inside += 1;
                self.tins[tin].counters.drops += 1;
                dropped(head.packet, DropReason::Aqm);
                if self.config.ingress {
                    let bytes = self.charge(now, tin, head.packet, true);
                    self.spend((tin, flow), bytes);
                    break;
                }
            }
        }
        None
    }

    /// Whether COBALT wants the packet dropped, and others wait behind it.
    fn signal(&mut self, now: Instant, (tin, flow): (usize, u32), head: &mut Waiting) -> bool {
        let tin = &mut self.tins[tin];
        let bulk = if self.config.ingress {
            tin.counters.bulk
        } else {
            0
        };
        let queue = &mut tin.flows[flow as usize];
        let before = head.packet.ecn;
        let late = (&mut head.packet, head.since);
        let times = &tin.share.times;
        let signal = queue
            .cobalt
            .signal(now, times, late, u64::from(bulk), &mut self.rng);
        let drop = signal.drop && !queue.list.is_empty();
        if !drop {
            tin.counters.marks += u64::from(signal.marked);
            self.stats.marked += u64::from(head.packet.ecn != before);
        }
        drop
    }

    fn spend(&mut self, (tin, flow): (usize, u32), bytes: i64) {
        let tin = &mut self.tins[tin];
        tin.flows[flow as usize].deficit -= bytes;
        tin.deficit -= bytes;
    }

    fn send(&mut self, now: Instant, at: (usize, u32), head: Waiting) -> Packet {
        self.tins[at.0].counters.on_delay(now - head.since);
        let bytes = self.charge(now, at.0, head.packet, false);
        self.spend(at, bytes);
        self.heap.iter_mut().for_each(Heap::on_sent);
        self.stats.dequeued += 1;
        self.sent += u64::from(head.packet.size);
        self.stats.check();
        head.packet
    }

    fn place(&self, id: PacketId) -> Option<(usize, u32)> {
        let (tin, flow) = *self.joined.get(id.0 as usize)?;
        let known = (tin, flow) != NOWHERE;
        known.then_some((usize::from(tin), flow))
    }
}

impl QueueDisc for Cake {
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue {
        debug_assert!(self.evicted.is_empty(), "evicted packets were not fetched");
        let tin = self.config.mode.tin(label.dscp);
        let flow = self.tins[tin].flow_of(&label);
        self.wake(now, tin);
        self.join(now, (tin, flow), packet);
        let rate = self.autorate.as_mut();
        if let Some(rate) = rate.and_then(|a| a.on_arrival(now, packet.size)) {
            self.reshape(now, rate);
        }
        self.tins[tin].on_joined(flow, &mut self.rng);
        self.memory_used = self.memory_used.max(self.memory);
        self.overflow(now);
        self.stats.check();
        match self.evicted.pop() {
            None => Enqueue::Queued,
            Some((victim, reason)) => Enqueue::Evicted(victim, reason),
        }
    }

    fn evicted(&mut self) -> Option<(Packet, DropReason)> {
        self.evicted.pop()
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        let mut first = true;
        while self.stats.packets > 0 {
            if self.shaper.is_some_and(|s| s.opens() > now) {
                self.overlimits += 1;
                return None;
            }
            let tin = self.choose(now)?;
            let next = self.serve(now, tin, &mut first, dropped);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Only an ACK filter takes packets out.
    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let (tin, flow) = self.place(id)?;
        let queue = self.tins[tin].flows.get_mut(flow as usize)?;
        let gone = self.slab.remove(&mut queue.list, id)?;
        self.on_left((tin, flow), gone.packet);
        if let Some(shaper) = self.shaper.as_mut().filter(|_| self.config.ingress) {
            shaper.charge(self.config.framing.bytes(gone.packet.size), true);
        }
        self.tins[tin].counters.ack_drops += 1;
        self.stats.dropped_inside += 1;
        self.stats.check();
        Some(gone.packet)
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let (tin, flow) = self.place(id)?;
        let list = &self.tins[tin].flows.get(flow as usize)?.list;
        let old = self.slab.replace(list, id, now, by)?;
        self.note_joined(by.id, (tin as u8, flow));
        self.tins[tin].counters.ack_drops += 1;
        self.stats.on_replaced(old, by);
        self.stats.check();
        Some(old)
    }

    fn next_ready(&self) -> Option<Instant> {
        let waits = self.stats.packets > 0;
        self.shaper.filter(|_| waits).map(|s| s.opens())
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn classes(&self) -> Vec<Row> {
        let row = |name: &str, counts| Row {
            name: name.into(),
            counts,
        };
        let tins = self.tin_rows().map(|t| row(t.name, Counts::Tin(t)));
        let whole = row(ENTRY.name, Counts::Whole(self.whole()));
        core::iter::once(whole).chain(tins).collect()
    }
}
