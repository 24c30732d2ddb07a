//! The station whose turn it is by age: a binary heap in which a key can change.

use alloc::vec::Vec;

const ABSENT: u32 = u32::MAX;

/// Smallest key first; among equal keys the smallest number.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    entries: Vec<(u64, u16)>,
    /// Where each number is among the entries.
    place: Vec<u32>,
}

impl Heap {
    /// The number with the smallest key.
    #[inline]
    pub fn first(&self) -> Option<u16> {
        self.entries.first().map(|e| e.1)
    }

    /// Its key.
    #[inline]
    pub fn first_key(&self) -> Option<u64> {
        self.entries.first().map(|e| e.0)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets the key of `number`, or takes it out.
    #[inline]
    pub fn set(&mut self, number: u16, key: Option<u64>) {
        let n = usize::from(number);
        if n >= self.place.len() {
            self.place.resize(n + 1, ABSENT);
        }
        match (self.place[n], key) {
            (ABSENT, None) => {}
            (ABSENT, Some(key)) => {
                self.entries.push((key, number));
                self.settle(self.entries.len() - 1);
            }
            (at, Some(key)) => {
                self.entries[at as usize].0 = key;
                self.settle(at as usize);
            }
            (at, None) => self.take_out(at as usize),
        }
    }

    fn take_out(&mut self, at: usize) {
        let (_, number) = self.entries.swap_remove(at);
        self.place[usize::from(number)] = ABSENT;
        if at < self.entries.len() {
            self.settle(at);
        }
    }

    /// Moves the entry at `at` up or down to where it belongs.
    fn settle(&mut self, mut at: usize) {
        if self.entries.len() == 1 {
            return self.note(at);
        }
        while at > 0 && self.entries[at] < self.entries[(at - 1) / 2] {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        loop {
            let children = 2 * at + 1..(2 * at + 3).min(self.entries.len());
            let smallest = children.min_by_key(|i| self.entries[*i]);
            match smallest.filter(|i| self.entries[*i] < self.entries[at]) {
                Some(child) => {
                    self.swap(at, child);
                    at = child;
                }
                None => break,
            }
        }
        self.note(at);
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.entries.swap(a, b);
        self.note(a);
        self.note(b);
    }

    fn note(&mut self, at: usize) {
        self.place[usize::from(self.entries[at].1)] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against a map that is searched.
        #[test]
        fn the_first_is_the_smallest(steps in prop::collection::vec((0u16..12, prop::option::of(0u64..20)), 0..200)) {
            let (mut heap, mut map) = (Heap::default(), BTreeMap::new());
            for (number, key) in steps {
                heap.set(number, key);
                match key {
                    Some(key) => map.insert(number, key),
                    None => map.remove(&number),
                };
                let first = map.iter().map(|(n, k)| (*k, *n)).min();
                prop_assert_eq!(heap.first(), first.map(|f| f.1));
                prop_assert_eq!(heap.is_empty(), map.is_empty());
            }
        }
    }
}
