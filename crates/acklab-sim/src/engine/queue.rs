//! The event queue: one pending wake per source, in a tournament tree.
//!
//! Sources are numbered when the run is built: links first, then hosts, then the recorder, each in
//! the order of the plan. Events compare by (time, class, number); since the numbers of one class
//! follow those of the class before, (time, number) is the same order, and since a source has at
//! most one pending wake it is total without a sequence number. At one instant, then, packets
//! arrive before timers run, and the recorder looks last.
//!
//! The tree is a tournament between groups of [`FAN`] keys: a leaf per source, and above each group
//! its smallest key. An update writes one leaf and climbs while the group's minimum changes, which
//! for a timer that is not the next one is a single step. The leftmost smallest leaf is the next
//! event, so the order of the numbers comes for free. Nothing is moved, nothing is allocated.

use acklab_units::Instant;

/// Keys per group.
const FAN: usize = 8;
/// Not pending.
const NEVER: u64 = u64::MAX;

/// A source of events, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Source(pub u32);

/// The pending wakes of a fixed set of sources.
#[derive(Debug)]
pub struct EventQueue {
    groups: Vec<[u64; FAN]>,
    /// First group of each level, leaves first, root last.
    levels: Vec<usize>,
    /// Nothing may be scheduled before.
    now: u64,
}

impl EventQueue {
    /// A queue for `sources` sources, none of them pending.
    pub fn new(sources: usize) -> Self {
        let mut levels = Vec::new();
        let mut total = 0;
        let mut width = sources;
        loop {
            width = width.div_ceil(FAN).max(1);
            levels.push(total);
            total += width;
            if width == 1 {
                break;
            }
        }
        Self {
            groups: vec![[NEVER; FAN]; total],
            levels,
            now: 0,
        }
    }

    /// The next event: the earliest wake, among equals that of the lowest number.
    #[inline]
    pub fn peek(&self) -> Option<(Instant, Source)> {
        let mut index = 0;
        let mut key = None;
        for &base in self.levels.iter().rev() {
            let group = &self.groups[base + index];
            let least = *key.get_or_insert_with(|| smallest(group));
            index = index * FAN + first(group, least);
        }
        let key = key.filter(|k| *k != NEVER)?;
        Some((Instant::from_nanos(key), Source(index as u32)))
    }

    /// Moves time on to `now`.
    #[inline]
    pub fn advance_to(&mut self, now: Instant) {
        debug_assert!(self.now <= now.as_nanos(), "time runs backwards");
        self.now = now.as_nanos();
    }

    /// The pending wake of `source`.
    #[inline]
    pub fn pending(&self, source: Source) -> Option<Instant> {
        let key = self.leaf(source);
        (key != NEVER).then(|| Instant::from_nanos(key))
    }

    /// Makes `at` the pending wake of `source`, or leaves it without one.
    ///
    /// # Panics
    /// If `at` lies in the past.
    #[inline]
    pub fn set(&mut self, source: Source, at: Option<Instant>) {
        let key = at.map_or(NEVER, Instant::as_nanos);
        if key != self.leaf(source) {
            self.write(source, key);
        }
    }

    /// Wakes `source` at `at` unless it will be woken before anyway. A timer that is pushed
    /// further and further away costs nothing: it wakes its source early once, and the source
    /// then says when it really wants to be woken.
    ///
    /// # Panics
    /// If `at` lies in the past.
    #[inline]
    pub fn no_later_than(&mut self, source: Source, at: Option<Instant>) {
        if let Some(at) = at
            && at.as_nanos() < self.leaf(source)
        {
            self.write(source, at.as_nanos());
        }
    }

    /// Bytes that the queue occupies.
    pub fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<[u64; FAN]>()
    }

    fn leaf(&self, source: Source) -> u64 {
        let i = source.0 as usize;
        self.groups[i / FAN][i % FAN]
    }

    #[inline]
    fn write(&mut self, source: Source, key: u64) {
        assert!(key >= self.now, "{source:?} scheduled in the past");
        let mut index = source.0 as usize;
        let mut key = key;
        for &base in &self.levels {
            let group = &mut self.groups[base + index / FAN];
            let slot = &mut group[index % FAN];
            if *slot == key {
                return;
            }
            *slot = key;
            key = smallest(group);
            index /= FAN;
        }
    }
}

#[inline]
fn smallest(group: &[u64; FAN]) -> u64 {
    group.iter().copied().fold(NEVER, u64::min)
}

/// The first slot that holds `key`.
#[inline]
fn first(group: &[u64; FAN], key: u64) -> usize {
    let mut mask = 0u32;
    for (i, k) in group.iter().enumerate() {
        mask |= u32::from(*k == key) << i;
    }
    mask.trailing_zeros() as usize % FAN
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(ns: u64) -> Option<Instant> {
        Some(Instant::from_nanos(ns))
    }

    #[test]
    fn equal_times_go_by_number() {
        let mut q = EventQueue::new(100);
        for s in [70, 3, 99, 9] {
            q.set(Source(s), at(5));
        }
        q.set(Source(50), at(4));
        let mut order = Vec::new();
        while let Some((t, s)) = q.peek() {
            q.advance_to(t);
            q.set(s, None);
            order.push(s.0);
        }
        assert_eq!(order, [50, 3, 9, 70, 99]);
    }

    #[test]
    fn a_later_deadline_leaves_the_earlier_wake_in_place() {
        let mut q = EventQueue::new(1);
        q.no_later_than(Source(0), at(10));
        q.no_later_than(Source(0), at(20));
        assert_eq!(q.pending(Source(0)), at(10));
        q.no_later_than(Source(0), at(7));
        assert_eq!(q.peek(), Some((Instant::from_nanos(7), Source(0))));
    }

    #[test]
    #[should_panic(expected = "scheduled in the past")]
    fn the_past_is_closed() {
        let mut q = EventQueue::new(2);
        q.advance_to(Instant::from_nanos(10));
        q.set(Source(1), at(9));
    }

    proptest! {
        /// Against an ordered set of (time, source).
        #[test]
        fn the_tree_agrees_with_an_ordered_set(
            n in 1usize..700,
            steps in proptest::collection::vec((any::<u32>(), 0u64..50, any::<bool>()), 1..500),
        ) {
            let mut q = EventQueue::new(n);
            let mut reference = BTreeSet::new();
            for (pick, delay, pop) in steps {
                let source = Source(pick % n as u32);
                if let Some(old) = q.pending(source) {
                    reference.remove(&(old, source));
                }
                let when = Instant::from_nanos(q.now + delay);
                q.set(source, Some(when));
                reference.insert((when, source));
                prop_assert_eq!(q.peek(), reference.first().copied());
                if pop && let Some((t, s)) = q.peek() {
                    q.advance_to(t);
                    q.set(s, None);
                    reference.pop_first();
                }
                prop_assert_eq!(q.peek(), reference.first().copied());
            }
        }
    }
}
