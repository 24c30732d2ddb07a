//! The heap of all queues by their bytes: a full memory drops from the one on its top.
//!
//! Of queues with as many bytes the heap says which is first, and so who pays. Rules of `cake_heapify`,
//! `cake_heapify_up` and `cake_drop` in Linux's `net/sched/sch_cake.c`.

use super::hash::QUEUES;
use alloc::vec;
use alloc::vec::Vec;

/// Tins that a heap has room for (`CAKE_MAX_TINS`).
const TINS: usize = 8;
const SIZE: usize = TINS * QUEUES as usize;
/// Departures after the last drop until which the heap is kept in order.
const KEPT: u16 = 65_535;

/// The heap. A queue is known by its place in a heap that has never been sorted.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    order: Vec<u16>,
    places: Vec<u16>,
    bytes: Vec<u64>,
    kept: u16,
}

impl Heap {
    /// All queues are empty.
    pub fn new() -> Self {
        let all: Vec<u16> = (0..SIZE as u16).collect();
        Self {
            order: all.clone(),
            places: all,
            bytes: vec![0; SIZE],
            kept: 0,
        }
    }

    fn name(tin: usize, queue: u32) -> usize {
        queue as usize * TINS + tin
    }

    /// Queue `queue` of a tin has `bytes` now.
    pub fn set(&mut self, tin: usize, queue: u32, bytes: u64) {
        self.bytes[Self::name(tin, queue)] = bytes;
    }

    /// A packet has joined a queue.
    pub fn on_joined(&mut self, tin: usize, queue: u32) {
        if self.kept > 0 {
            self.rise(self.places[Self::name(tin, queue)].into());
        }
    }

    /// The packet at the head of a queue has left it.
    pub fn on_left(&mut self, tin: usize, queue: u32) {
        if self.kept > 0 {
            self.sink(self.places[Self::name(tin, queue)].into());
        }
    }

    /// A packet was sent.
    pub fn on_sent(&mut self) {
        self.kept = self.kept.saturating_sub(1);
    }

    /// The tin and the queue with most bytes.
    pub fn top(&mut self) -> (usize, u32) {
        if self.kept == 0 {
            (0..SIZE / 2).rev().for_each(|at| self.sink(at));
        }
        self.kept = KEPT;
        let name = usize::from(self.order[0]);
        (name % TINS, (name / TINS) as u32)
    }

    fn at(&self, place: usize) -> u64 {
        self.bytes[usize::from(self.order[place])]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        for at in [a, b] {
            self.places[usize::from(self.order[at])] = at as u16;
        }
    }

    /// To below all that have more.
    fn sink(&mut self, mut at: usize) {
        loop {
            let mut most = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < SIZE && self.at(below) > self.at(most) {
                    most = below;
                }
            }
            if most == at {
                return;
            }
            self.swap(at, most);
            at = most;
        }
    }

    /// To above all that have less.
    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let above = (at - 1) / 2;
            if self.at(at) <= self.at(above) {
                return;
            }
            self.swap(at, above);
            at = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_has_most_bytes() {
        let mut heap = Heap::new();
        let mut bytes = [0u64; 50];
        for step in 0..2000u64 {
            let queue = (step * 7919 % 50) as usize;
            let joins = step % 3 != 0 || bytes[queue] == 0;
            bytes[queue] = if joins {
                bytes[queue] + 1 + step % 5
            } else {
                0
            };
            heap.set(0, queue as u32, bytes[queue]);
            if joins {
                heap.on_joined(0, queue as u32);
            } else {
                heap.on_left(0, queue as u32);
            }
            heap.on_sent();
            let (tin, top) = heap.top();
            assert_eq!(
                (tin, bytes[top as usize]),
                (0, *bytes.iter().max().unwrap())
            );
        }
    }

    /// As in Linux: on top is not the first of several that have as much.
    #[test]
    fn of_equal_queues_the_one_that_is_there_stays_on_top() {
        let mut heap = Heap::new();
        heap.set(0, 7, 1500);
        assert_eq!(heap.top(), (0, 7));
        heap.set(0, 3, 1500);
        heap.on_joined(0, 3);
        assert_eq!(heap.top(), (0, 7));
        heap.set(0, 7, 0);
        heap.on_left(0, 7);
        assert_eq!(heap.top(), (0, 3));
    }
}
