//! The event queue against an indexed heap and against the standard library's heap.
//!
//! Hold model: every source is pending; the next one is woken and asks to be woken again after a
//! random time.
//!
//! `cargo run --release -p acklab-benches --bin queue`

use acklab_benches::heap::Heap;
use acklab_benches::{ns_per, shortest};
use acklab_proto::rng::{self, RngCore};
use acklab_sim::network::queue::{EventQueue, Source};
use acklab_units::Instant;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const STEPS: u64 = 200_000;
const SPREAD_NS: u64 = 1 << 24;

fn main() {
    println!("sources   tournament  indexed heap  std BinaryHeap   (ns per step)");
    for sources in [4, 9, 30, 100, 1000, 10_000, 60_000] {
        let delays = delays();
        let t = [
            shortest(40, || tournament(sources, &delays)),
            shortest(40, || indexed_heap(sources, &delays)),
            shortest(40, || binary_heap(sources, &delays)),
        ];
        assert!(
            t.iter().all(|(_, end)| *end == t[0].1),
            "the queues disagree"
        );
        let [a, b, c] = t.map(|(time, _)| ns_per(time, STEPS));
        println!("{sources:>7} {a:>12.1} {b:>13.1} {c:>15.1}");
    }
}

fn delays() -> Vec<u64> {
    let mut rng = rng::stream(1, "queue");
    (0..1 << 16)
        .map(|_| rng.next_u64() % SPREAD_NS + 1)
        .collect()
}

fn delay(delays: &[u64], step: u64) -> u64 {
    delays[step as usize % delays.len()]
}

fn tournament(sources: u32, delays: &[u64]) -> u64 {
    let mut queue = EventQueue::new(sources as usize, None);
    for s in 0..sources {
        let at = delay(delays, u64::from(s) * 7);
        queue.set(Source(s), Some(Instant::from_nanos(at)));
    }
    let mut now = 0;
    for step in 0..STEPS {
        let (at, source) = queue.peek().expect("all are pending");
        queue.advance_to(at);
        now = at.as_nanos();
        let next = Instant::from_nanos(now + delay(delays, step));
        queue.set(source, Some(next));
    }
    now
}

fn indexed_heap(sources: u32, delays: &[u64]) -> u64 {
    let mut heap = Heap::new(sources as usize);
    for s in 0..sources {
        heap.set(s, delay(delays, u64::from(s) * 7));
    }
    let mut now = 0;
    for step in 0..STEPS {
        let (at, source) = heap.peek().expect("all are pending");
        now = at;
        heap.set(source, now + delay(delays, step));
    }
    now
}

fn binary_heap(sources: u32, delays: &[u64]) -> u64 {
    let mut heap = BinaryHeap::new();
    for s in 0..sources {
        heap.push(Reverse((delay(delays, u64::from(s) * 7), s)));
    }
    let mut now = 0;
    for step in 0..STEPS {
        let mut top = heap.peek_mut().expect("all are pending");
        now = top.0.0;
        top.0.0 = now + delay(delays, step);
    }
    now
}
