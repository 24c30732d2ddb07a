//! The textbook alternative to the engine's event queue, for comparison: an indexed 4-ary heap.

/// Children per place.
const ARITY: usize = 4;
/// Not in the heap.
const ABSENT: u32 = u32::MAX;

/// A min-heap of (time, source) with at most one entry per source.
#[derive(Debug)]
pub struct Heap {
    entries: Vec<(u64, u32)>,
    /// Place of each source's entry.
    places: Vec<u32>,
}

impl Heap {
    /// An empty heap for `sources` sources.
    pub fn new(sources: usize) -> Self {
        Self {
            entries: Vec::with_capacity(sources),
            places: vec![ABSENT; sources],
        }
    }

    /// The smallest entry.
    pub fn peek(&self) -> Option<(u64, u32)> {
        self.entries.first().copied()
    }

    /// Makes `time` the entry of `source`.
    pub fn set(&mut self, source: u32, time: u64) {
        let entry = (time, source);
        let at = self.places[source as usize];
        if at == ABSENT {
            self.entries.push(entry);
            self.rise(self.entries.len() - 1, entry);
        } else if entry < self.entries[at as usize] {
            self.rise(at as usize, entry);
        } else {
            self.sink(at as usize, entry);
        }
    }

    fn put(&mut self, at: usize, entry: (u64, u32)) {
        self.entries[at] = entry;
        self.places[entry.1 as usize] = at as u32;
    }

    fn rise(&mut self, mut at: usize, entry: (u64, u32)) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.entries[parent] <= entry {
                break;
            }
            self.put(at, self.entries[parent]);
            at = parent;
        }
        self.put(at, entry);
    }

    fn sink(&mut self, mut at: usize, entry: (u64, u32)) {
        loop {
            let first = at * ARITY + 1;
            let last = (first + ARITY).min(self.entries.len());
            let Some(child) = (first..last).min_by_key(|i| self.entries[*i]) else {
                break;
            };
            if entry <= self.entries[child] {
                break;
            }
            self.put(at, self.entries[child]);
            at = child;
        }
        self.put(at, entry);
    }
}
