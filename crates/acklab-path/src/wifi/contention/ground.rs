//! Stations that see the medium busy and idle at the same instants.

use super::Contender;
use acklab_units::{Instant, Span};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// The effect on a backoff of a slot boundary at which another station begins to transmit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SlotRule {
    /// It counts (10.23.2.4: at each boundary one of transmit, decrement, nothing).
    #[default]
    Edca,
    /// It does not: only a slot that was idle to its end counts (10.3.4.3).
    Dcf,
}

/// Contenders that wait for the same interframe space.
#[derive(Debug)]
struct Class {
    aifs: Span,
    /// Number of the next boundary, when the medium last became busy.
    clock: u64,
    waiting: BinaryHeap<Reverse<(u64, Contender)>>,
}

/// A contender whose slots lie elsewhere until the medium is busy again.
#[derive(Clone, Copy, Debug)]
struct Apart {
    who: Contender,
    class: u8,
    slots: u64,
    /// Its boundary number zero.
    start: Instant,
}

/// The clock of idle slots that some stations share.
#[derive(Debug, Default)]
pub(super) struct Ground {
    classes: Vec<Class>,
    /// Idle from here on; `None` = busy.
    idle: Option<Instant>,
    /// Beyond the interframe space.
    extra: Span,
    apart: Vec<Apart>,
    started: bool,
    /// When the first contender may transmit, kept up to date: it is read more often than it
    /// changes.
    next: Option<Instant>,
}

impl Class {
    fn start(&self, idle: Instant, extra: Span) -> Instant {
        idle + self.aifs + extra
    }

    /// When the backoff is over that runs out at slot `key`.
    fn turn(&self, key: u64, idle: Instant, extra: Span, slot: Span) -> Instant {
        self.start(idle, extra) + slot * key.saturating_sub(self.clock)
    }
}

/// Boundaries from `start` to `now`, both counted; the first is number zero.
fn boundaries(start: Instant, now: Instant, slot: Span) -> u64 {
    if now < start {
        return 0;
    }
    (now - start).as_nanos() / slot.as_nanos() + 1
}

impl Ground {
    /// The class with this interframe space.
    pub(super) fn class(&mut self, aifs: Span) -> u8 {
        if !self.started {
            self.started = true;
            self.idle = Some(Instant::ZERO);
        }
        let found = self.classes.iter().position(|c| c.aifs == aifs);
        let index = found.unwrap_or_else(|| {
            self.classes.push(Class {
                aifs,
                clock: 0,
                waiting: BinaryHeap::new(),
            });
            self.classes.len() - 1
        });
        index as u8
    }

    pub(super) fn is_idle(&self, now: Instant) -> bool {
        self.idle.is_some_and(|since| since <= now)
    }

    /// Whether nobody transmits.
    pub(super) fn is_quiet(&self) -> bool {
        self.idle.is_some()
    }

    pub(super) fn is_contended(&self) -> bool {
        !self.apart.is_empty() || self.classes.iter().any(|c| !c.waiting.is_empty())
    }

    /// The number of the first boundary at or after `now`.
    pub(super) fn next_boundary(&self, now: Instant, class: u8, slot: Span) -> u64 {
        let class = &self.classes[usize::from(class)];
        let Some(idle) = self.idle else {
            return class.clock;
        };
        let start = class.start(idle, self.extra);
        let gone = now.saturating_since(start).as_nanos();
        class.clock + gone.div_ceil(slot.as_nanos())
    }

    #[inline(always)]
    pub(super) fn push(&mut self, class: u8, key: u64, who: Contender, slot: Span) {
        let class = &mut self.classes[usize::from(class)];
        class.waiting.push(Reverse((key, who)));
        if let Some(idle) = self.idle {
            let at = class.turn(key, idle, self.extra, slot);
            self.next = Some(self.next.map_or(at, |next| next.min(at)));
        }
    }

    pub(super) fn push_apart(
        &mut self,
        class: u8,
        slots: u32,
        who: Contender,
        start: Instant,
        slot: Span,
    ) {
        self.apart.push(Apart {
            who,
            class,
            slots: u64::from(slots),
            start,
        });
        self.next = self.soonest(slot);
    }

    /// Takes `who` out; returns the slot at which its backoff runs out.
    pub(super) fn remove(&mut self, class: u8, who: Contender, slot: Span) -> u64 {
        let key = self.take_out(class, who);
        self.next = self.soonest(slot);
        key
    }

    fn take_out(&mut self, class: u8, who: Contender) -> u64 {
        if let Some(i) = self.apart.iter().position(|a| a.who == who) {
            let apart = self.apart.swap_remove(i);
            return self.classes[usize::from(class)].clock + apart.slots;
        }
        let waiting = &mut self.classes[usize::from(class)].waiting;
        let mut key = 0;
        waiting.retain(|Reverse((k, w))| {
            if *w == who {
                key = *k;
            }
            *w != who
        });
        key
    }

    #[inline(always)]
    pub(super) fn on_busy(&mut self, now: Instant, slot: Span, rule: SlotRule) {
        let Some(idle) = self.idle.take() else {
            return;
        };
        let spent = |start| match rule {
            SlotRule::Edca => boundaries(start, now, slot),
            SlotRule::Dcf => boundaries(start, now, slot).saturating_sub(1),
        };
        for class in &mut self.classes {
            class.clock += spent(class.start(idle, self.extra));
        }
        for apart in self.apart.drain(..) {
            let left = apart.slots.saturating_sub(spent(apart.start));
            let class = &mut self.classes[usize::from(apart.class)];
            class.waiting.push(Reverse((class.clock + left, apart.who)));
        }
        self.extra = Span::ZERO;
        self.next = None;
    }

    pub(super) fn on_idle(&mut self, since: Instant, extra: Span, slot: Span) {
        self.idle = Some(since);
        self.extra = extra;
        self.next = self.soonest(slot);
    }

    /// When the first contender may transmit.
    #[inline]
    pub(super) fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Whether [`Ground::next`] is what would be worked out now.
    pub(super) fn is_up_to_date(&self, slot: Span) -> bool {
        self.next == self.soonest(slot)
    }

    #[inline(always)]
    fn soonest(&self, slot: Span) -> Option<Instant> {
        let idle = self.idle?;
        let shared = self.classes.iter().filter_map(|class| {
            let Reverse((key, _)) = class.waiting.peek()?;
            Some(class.turn(*key, idle, self.extra, slot))
        });
        let apart = self.apart.iter().map(|a| a.start + slot * a.slots);
        shared.chain(apart).min()
    }

    /// Takes out everyone who may transmit at `now`.
    #[inline(always)]
    pub(super) fn pop_due(&mut self, now: Instant, slot: Span, winners: &mut Vec<Contender>) {
        let Some(idle) = self.idle else { return };
        for class in &mut self.classes {
            let gone = boundaries(class.start(idle, self.extra), now, slot);
            while let Some(Reverse((key, who))) = class.waiting.peek().copied()
                && key < class.clock + gone
            {
                class.waiting.pop();
                winners.push(who);
            }
        }
        self.apart.retain(|a| {
            let due = a.start + slot * a.slots <= now;
            if due {
                winners.push(a.who);
            }
            !due
        });
        self.next = self.soonest(slot);
    }
}
