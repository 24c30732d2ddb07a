//! HTB: classes with a rate of their own that borrow from each other up to a ceiling.
//!
//! A class may send while it has tokens of its rate; a leaf that has none borrows from the nearest class
//! above it that has, as long as it and all classes between have tokens of their ceilings. Whoever
//! needs no loan comes first, then whoever borrows from lower down, then the smaller number of
//! `prio`; among equals a round robin by `quantum` decides (`htb_dequeue`, `htb_charge_class`).
//! Tokens are exact here ([`super::bucket`]); modes are worked out when a packet is to be sent instead
//! of being kept in event queues. Only `overlimits` needs the modes that Linux has in its books: it
//! counts the changes into the mode in which a class may not send, and a class notices that it may send
//! again only when somebody looks for a packet on its level (`htb_do_events`).

pub(super) mod check;
pub(super) mod class;
pub(super) mod config;
pub mod stats;
#[cfg(test)]
mod tests;

use crate::packet::{DropReason, Label, Packet, PacketId};
use crate::qdisc::classes::{Counts, Row};
use crate::qdisc::{Enqueue, QueueDisc, Stats};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;
use class::{Class, LEVELS, Match, PRIORITIES};
pub use config::ENTRY;
use stats::ClassRow;

use super::framing::Framing;

const NONE: u16 = u16::MAX;
/// Events that are closer together than this are one: tc gives bursts in ticks (`PSCHED_SHIFT`), so tokens are
/// known no better.
const TICK: Span = Span::from_nanos(64);

/// The tree.
#[derive(Debug)]
pub struct Htb {
    framing: Framing,
    /// Parents come before their children.
    classes: Vec<Class>,
    leaves: Vec<Leaf>,
    /// Where the round robin of a level and priority goes on: number of a leaf.
    turns: [[u16; PRIORITIES]; LEVELS],
    /// The leaf that the packet of that number joined last.
    joined: Vec<u16>,
    /// When it was last asked for a packet.
    asked: Instant,
    /// It had none to give then, although some wait: a timer looks again at each event (`q->watchdog`).
    watching: bool,
    /// When it will have one, if it had none then.
    ready: Option<Instant>,
    /// Before that nothing changes by itself: no class gets tokens, and no discipline inside is to be asked.
    quiet_until: Option<Instant>,
    stats: Stats,
}

/// A class in which packets wait.
#[derive(Debug)]
struct Leaf {
    class: usize,
    matches: Match,
    prio: u8,
    quantum: i64,
    /// The bytes that it may still send in its turn, by the level that it borrows from.
    deficit: [i64; LEVELS],
    inside: Box<dyn QueueDisc>,
    /// Packets in it.
    waiting: u32,
    /// It has just given nothing, although it has packets.
    gave_nothing: bool,
}

/// A leaf's own report.
pub(super) struct NewLeaf {
    pub class: usize,
    pub matches: Match,
    pub prio: u8,
    pub quantum: u32,
    pub inside: Box<dyn QueueDisc>,
}

impl Htb {
    /// Of these classes, parents before their children.
    pub(super) fn new(framing: Framing, classes: Vec<Class>, leaves: Vec<NewLeaf>) -> Self {
        let leaf = |l: NewLeaf| Leaf {
            class: l.class,
            matches: l.matches,
            prio: l.prio,
            quantum: i64::from(l.quantum),
            deficit: [0; LEVELS],
            waiting: 0,
            inside: l.inside,
            gave_nothing: false,
        };
        Self {
            framing,
            classes,
            leaves: leaves.into_iter().map(leaf).collect(),
            turns: [[0; PRIORITIES]; LEVELS],
            joined: Vec::new(),
            asked: Instant::ZERO,
            watching: false,
            ready: None,
            quiet_until: None,
            stats: Stats::default(),
        }
    }

    /// The first leaf that takes a packet of that label.
    fn classify(&self, label: Label) -> Option<usize> {
        self.leaves.iter().position(|l| l.matches.takes(label))
    }

    /// Does something with what is inside a leaf, and takes over what it counts.
    #[inline]
    fn inside<R>(&mut self, leaf: usize, act: impl FnOnce(&mut dyn QueueDisc) -> R) -> R {
        let leaf = &mut self.leaves[leaf];
        let inside = &mut *leaf.inside;
        let before = inside.stats();
        let result = act(inside);
        let after = inside.stats();
        leaf.waiting = after.packets;
        take_over(&mut self.stats, before, after);
        self.stats.check();
        result
    }

    fn note_joined(&mut self, id: PacketId, leaf: usize) {
        if id.is_own() {
            return;
        }
        let at = id.0 as usize;
        if at >= self.joined.len() {
            self.joined.resize(at + 1, NONE);
        }
        self.joined[at] = leaf as u16;
    }

    fn leaf_of(&self, id: PacketId) -> Option<usize> {
        let leaf = *self.joined.get(id.0 as usize)?;
        (leaf != NONE).then_some(usize::from(leaf))
    }

    /// The level that a leaf may borrow from at `now`; its own is the lowest. Otherwise when it may send next.
    fn lender(&self, leaf: &Leaf, now: Instant) -> Result<usize, Instant> {
        let mut at = leaf.class;
        let (mut capped, mut best) = (now, Instant::MAX);
        loop {
            let class = &self.classes[at];
            capped = capped.max(class.may_send_from());
            best = best.min(capped.max(class.has_own_from()));
            if best <= now {
                return Ok(class.level);
            }
            match class.parent {
                Some(parent) => at = parent,
                None => return Err(best),
            }
        }
    }

    /// The leaf whose turn it is, and the level that it borrows from. Otherwise when a leaf may send next; never,
    /// if none has packets.
    fn choose(&self, now: Instant) -> Result<(usize, usize), Instant> {
        let mut best: Option<(usize, u8, bool, usize)> = None;
        let mut ready = Instant::MAX;
        for (i, leaf) in self.leaves.iter().enumerate() {
            debug_assert_eq!(
                leaf.waiting,
                leaf.inside.stats().packets,
                "a leaf lost count"
            );
            if leaf.waiting == 0 {
                continue;
            }
            if leaf.gave_nothing {
                ready = ready.min(leaf.inside.next_ready().unwrap_or(Instant::MAX));
                continue;
            }
            let level = match self.lender(leaf, now) {
                Ok(level) => level,
                Err(at) => {
                    ready = ready.min(at);
                    continue;
                }
            };
            let turn = usize::from(self.turns[level][usize::from(leaf.prio)]);
            // Whoever stands before the turn comes after all others.
            let rank = (level, leaf.prio, i < turn, i);
            if best.is_none_or(|b| rank < b) {
                best = Some(rank);
            }
        }
        best.map(|(level, _, _, i)| (i, level)).ok_or(ready)
    }

    /// Nothing may leave at `now`, nor before `ready`.
    fn on_nothing(&mut self, now: Instant, ready: Instant) {
        self.ready = Some(ready).filter(|at| *at < Instant::MAX);
        self.watching = self.stats.packets > 0;
        if !self.watching {
            return;
        }
        let mut quiet = ready;
        for class in &mut self.classes {
            class.process_events(now);
            quiet = quiet.min(class.next_event());
        }
        let asks_inside = self.leaves.iter().any(|l| l.gave_nothing);
        self.quiet_until = (!asks_inside).then_some(quiet);
    }

    /// The classes up to `level` learn what they may do at `now`.
    fn process_events(&mut self, level: usize, now: Instant) {
        let seen = self.classes.iter_mut().filter(|c| c.level <= level);
        seen.for_each(|c| c.process_events(now));
    }

    /// The events since a look that found nothing, at which a timer has looked again in vain.
    fn process_missed_events(&mut self, now: Instant) {
        let before = now.saturating_sub(TICK);
        if core::mem::take(&mut self.watching) && before > self.asked {
            self.process_events(LEVELS, before);
        }
    }

    /// A packet of `size` bytes leaves a leaf that borrowed from `level`.
    fn charge(&mut self, leaf: usize, level: usize, now: Instant, size: u64) {
        let mut at = Some(self.leaves[leaf].class);
        while let Some(i) = at {
            let class = &mut self.classes[i];
            class.charge(now, size, level);
            at = class.parent;
        }
    }

    fn next_turn(&mut self, i: usize, level: usize, size: u64) {
        let leaf = &mut self.leaves[i];
        let turn = &mut self.turns[level][usize::from(leaf.prio)];
        *turn = i as u16;
        let deficit = &mut leaf.deficit[level];
        *deficit -= size as i64;
        if *deficit < 0 {
            *deficit += leaf.quantum;
            *turn += 1;
        }
    }
}

/// Adds what a discipline inside has counted between `before` and `after`.
fn take_over(all: &mut Stats, before: Stats, after: Stats) {
    all.enqueued += after.enqueued - before.enqueued;
    all.dequeued += after.dequeued - before.dequeued;
    all.refused += after.refused - before.refused;
    all.dropped_inside += after.dropped_inside - before.dropped_inside;
    all.marked += after.marked - before.marked;
    all.packets = all.packets + after.packets - before.packets;
    all.bytes = all.bytes + after.bytes - before.bytes;
}

impl QueueDisc for Htb {
    /// Whatever no class takes is refused; the tree that a scenario writes has a class for the rest.
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue {
        let Some(leaf) = self.classify(label) else {
            self.stats.refused += 1;
            return Enqueue::Dropped(DropReason::QueueFull);
        };
        self.note_joined(packet.id, leaf);
        if self.leaves[leaf].waiting == 0 {
            self.quiet_until = None;
        }
        self.inside(leaf, |q| q.enqueue(now, packet, label))
    }

    fn evicted(&mut self) -> Option<(Packet, DropReason)> {
        self.leaves.iter_mut().find_map(|l| l.inside.evicted())
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        self.process_missed_events(now);
        self.asked = now;
        self.quiet_until = None;
        self.leaves.iter_mut().for_each(|l| l.gave_nothing = false);
        loop {
            let (leaf, level) = match self.choose(now) {
                Ok(turn) => turn,
                Err(ready) => {
                    self.on_nothing(now, ready);
                    return None;
                }
            };
            self.process_events(level, now);
            match self.inside(leaf, |q| q.dequeue(now, dropped)) {
                None => self.leaves[leaf].gave_nothing = true,
                Some(packet) => {
                    let size = self.framing.bytes(packet.size);
                    self.charge(leaf, level, now, size);
                    self.next_turn(leaf, level, size);
                    return Some(packet);
                }
            }
        }
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let leaf = self.leaf_of(id)?;
        self.inside(leaf, |q| q.remove(id))
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        let leaf = self.leaf_of(id)?;
        let old = self.inside(leaf, |q| q.replace(now, id, by))?;
        self.note_joined(by.id, leaf);
        Some(old)
    }

    fn next_ready(&self) -> Option<Instant> {
        self.ready
    }

    fn quiet_until(&self) -> Option<Instant> {
        self.quiet_until
    }

    fn next_wakeup(&self) -> Option<Instant> {
        let timers = self.leaves.iter().filter_map(|l| l.inside.next_wakeup());
        timers.min()
    }

    fn on_wakeup(&mut self, now: Instant, dropped: &mut dyn FnMut(Packet, DropReason)) {
        for leaf in 0..self.leaves.len() {
            if self.leaves[leaf].inside.next_wakeup() == Some(now) {
                self.inside(leaf, |q| q.on_wakeup(now, dropped));
            }
        }
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    /// Each class is followed by the parts of the discipline inside it.
    fn classes(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (i, class) in self.classes.iter().enumerate() {
            let leaf = self.leaves.iter().find(|l| l.class == i);
            let queue = leaf.map_or_else(Stats::default, |l| l.inside.stats());
            let turn = leaf.map(|l| (l.prio, l.quantum as u32));
            rows.push(Row {
                name: class.name.clone(),
                counts: Counts::Class(ClassRow::new(class, turn, queue)),
            });
            let inside = leaf.map_or_else(Vec::new, |l| l.inside.classes());
            rows.extend(inside.into_iter().map(|row| row.inside(&class.name)));
        }
        rows
    }
}
