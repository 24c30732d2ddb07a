//! The event queue: one pending wake per source, in a tournament tree.
//!
//! Sources are numbered when the run is built: links first, then hosts, then the recorder, each in
//! the order of the plan. Events compare by (time, class, number); since the numbers of one class
//! follow those of the class before, (time, number) is the same order, and since a source has at
//! most one pending wake it is total without a sequence number. At one instant, then, packets
//! arrive before timers run, and the recorder looks last.
//!
//! A wake is one word, the time in its high bits and the source in as many low bits as there are
//! sources to tell apart, so that comparing two wakes is comparing two words. Each node of the tree is the
//! smallest of its four children, a leaf is a source, and the root is the next event. Setting a wake writes its
//! leaf and climbs while something changes: a level costs four words that lie side by side and need no
//! decision; nothing is searched, moved or allocated.
//!
//! One source may stand beside the root instead of among the leaves: a radio channel, whose wake changes with
//! nearly every event. Setting its wake is writing one word then.

use acklab_units::Instant;

/// Not pending.
const NEVER: u64 = u64::MAX;
/// Children of a node.
const CHILDREN: usize = 4;
/// Place of the root: the last of its four, so that the children of each node lie in one group.
const ROOT: usize = CHILDREN - 1;
/// Place of the source that stands beside the root, in the same group.
const BESIDE: usize = 0;

/// A source of events, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Source(pub u32);

/// The pending wakes of a fixed set of sources.
#[derive(Debug)]
pub struct EventQueue {
    /// Words by place, in groups of four. The children of the node at place n are group n - 2; the
    /// leaves come last, in the order of the sources.
    tree: Vec<[u64; CHILDREN]>,
    /// Place of the first leaf.
    leaves: usize,
    /// The source that stands beside the root.
    busiest: Option<Source>,
    /// Low bits of a word that hold the source.
    source_bits: u32,
    /// Wakes later than this cannot be told from none.
    horizon: Instant,
    /// Nothing may be scheduled before.
    now: Instant,
}

impl EventQueue {
    /// A queue for `sources` sources, none of them pending. The wake of `busiest` changes most often.
    pub fn new(sources: usize, busiest: Option<Source>) -> Self {
        // One number more than there are sources, so that no wake looks like NEVER.
        let source_bits = usize::BITS - sources.leading_zeros();
        // Each node takes the place of four, which is three words less.
        let nodes = sources.saturating_sub(1).div_ceil(CHILDREN - 1);
        let leaves = ROOT + nodes;
        Self {
            tree: vec![[NEVER; CHILDREN]; (leaves + sources).div_ceil(CHILDREN)],
            leaves,
            busiest,
            source_bits,
            horizon: Instant::from_nanos((NEVER >> source_bits) - 1),
            now: Instant::ZERO,
        }
    }

    /// Wakes later than this cannot be told from none. With ten sources it is 36 years, with a
    /// hundred thousand it is 39 hours.
    pub fn horizon(&self) -> Instant {
        self.horizon
    }

    /// The next event: the earliest wake, among equals that of the lowest number.
    #[inline]
    pub fn peek(&self) -> Option<(Instant, Source)> {
        let word = self.at(ROOT).min(self.at(BESIDE));
        (word != NEVER).then(|| self.unpack(word))
    }

    /// Moves time on to `now`.
    #[inline]
    pub fn advance_to(&mut self, now: Instant) {
        debug_assert!(self.now <= now, "time runs backwards");
        self.now = now;
    }

    /// The pending wake of `source`.
    #[inline]
    pub fn pending(&self, source: Source) -> Option<Instant> {
        let word = self.word(source);
        (word != NEVER).then(|| self.unpack(word).0)
    }

    /// Makes `at` the pending wake of `source`, or leaves it without one.
    ///
    /// # Panics
    /// If `at` lies in the past.
    #[inline]
    pub fn set(&mut self, source: Source, at: Option<Instant>) {
        let word = self.pack(source, at);
        if self.busiest == Some(source) {
            self.tree[0][BESIDE] = word;
        } else if word != self.word(source) {
            self.write(source, word);
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
        let word = self.pack(source, at);
        if word < self.word(source) {
            self.write(source, word);
        }
    }

    /// Bytes that the queue occupies.
    pub fn bytes(&self) -> usize {
        self.tree.capacity() * size_of::<[u64; CHILDREN]>()
    }

    #[inline]
    fn leaf(&self, source: Source) -> usize {
        if self.busiest == Some(source) {
            return BESIDE;
        }
        self.leaves + source.0 as usize
    }

    #[inline]
    fn at(&self, place: usize) -> u64 {
        self.tree[place / CHILDREN][place % CHILDREN]
    }

    #[inline]
    fn word(&self, source: Source) -> u64 {
        self.at(self.leaf(source))
    }

    #[inline]
    fn pack(&self, source: Source, at: Option<Instant>) -> u64 {
        match at {
            Some(at) if at <= self.horizon => {
                assert!(at >= self.now, "{source:?} scheduled in the past");
                at.as_nanos() << self.source_bits | u64::from(source.0)
            }
            _ => NEVER,
        }
    }

    #[inline]
    fn unpack(&self, word: u64) -> (Instant, Source) {
        let source = word & ((1 << self.source_bits) - 1);
        let at = Instant::from_nanos(word >> self.source_bits);
        (at, Source(source as u32))
    }

    #[inline(never)]
    fn write(&mut self, source: Source, word: u64) {
        let mut place = self.leaf(source);
        let mut word = word;
        loop {
            let number = place / CHILDREN;
            let group = &mut self.tree[number];
            if group[place % CHILDREN] == word {
                return;
            }
            group[place % CHILDREN] = word;
            if number == 0 {
                return;
            }
            let [a, b, c, d] = *group;
            word = a.min(b).min(c.min(d));
            place = number + ROOT - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_units::Span;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(ns: u64) -> Option<Instant> {
        Some(Instant::from_nanos(ns))
    }

    #[test]
    fn equal_times_go_by_number() {
        let mut q = EventQueue::new(100, None);
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
        let mut q = EventQueue::new(1, None);
        q.no_later_than(Source(0), at(10));
        q.no_later_than(Source(0), at(20));
        assert_eq!(q.pending(Source(0)), at(10));
        q.no_later_than(Source(0), at(7));
        assert_eq!(q.peek(), Some((Instant::from_nanos(7), Source(0))));
    }

    #[test]
    #[should_panic(expected = "scheduled in the past")]
    fn the_past_is_closed() {
        let mut q = EventQueue::new(2, None);
        q.advance_to(Instant::from_nanos(10));
        q.set(Source(1), at(9));
    }

    #[test]
    fn far_away_is_never() {
        let mut q = EventQueue::new(100_000, None);
        let horizon = q.horizon();
        assert!(horizon > Instant::ZERO + Span::from_secs(39 * 3600));
        let (last, first) = (Source(99_999), Source(0));
        q.set(last, Some(horizon));
        q.set(first, Some(horizon + Span::from_nanos(1)));
        assert_eq!(q.peek(), Some((horizon, last)));
        assert_eq!(q.pending(first), None);
    }

    proptest! {
        /// Against an ordered set of (time, source).
        #[test]
        fn the_tree_agrees_with_an_ordered_set(
            n in 1usize..700,
            busiest in proptest::option::of(0u32..700),
            steps in proptest::collection::vec((any::<u32>(), 0u64..50, any::<bool>()), 1..500),
        ) {
            let mut q = EventQueue::new(n, busiest.map(Source));
            let mut reference = BTreeSet::new();
            for (pick, delay, pop) in steps {
                let source = Source(pick % n as u32);
                if let Some(old) = q.pending(source) {
                    reference.remove(&(old, source));
                }
                let when = q.now + Span::from_nanos(delay);
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
