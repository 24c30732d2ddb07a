//! Measuring: the shortest of several runs, because everything that disturbs makes it longer.
//!
//! Alternatives are measured in turns, in processor time: a machine that is busy for a while then
//! slows all of them down.

#![forbid(unsafe_code)]

pub mod heap;

use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// The allocator of the Python package, so that what is measured is what users get.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The shortest of `n` runs of `f`, and what the last run returned.
pub fn shortest<R>(n: usize, mut f: impl FnMut() -> R) -> (Duration, R) {
    least(n, || {
        let start = Instant::now();
        let result = f();
        (start.elapsed(), result)
    })
}

/// The shortest processor time of `n` runs of `f`, and what the last run returned.
pub fn shortest_cpu<R>(n: usize, mut f: impl FnMut() -> R) -> (Duration, R) {
    least(n, || {
        let start = ProcessTime::now();
        let result = f();
        (start.elapsed(), result)
    })
}

fn least<R>(n: usize, mut timed: impl FnMut() -> (Duration, R)) -> (Duration, R) {
    let mut best = timed();
    for _ in 1..n {
        let (time, result) = timed();
        best = (best.0.min(time), result);
    }
    best
}

/// The shortest processor time of `n` runs of `f` with each of `all`, taken in turns.
pub fn in_turns<T, R>(n: usize, all: &[T], mut f: impl FnMut(&T) -> R) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; all.len()];
    for _ in 0..n {
        for (what, best) in all.iter().zip(&mut best) {
            let start = ProcessTime::now();
            drop(f(what));
            *best = start.elapsed().min(*best);
        }
    }
    best
}

/// Nanoseconds per thing.
pub fn ns_per(time: Duration, things: u64) -> f64 {
    time.as_nanos() as f64 / things.max(1) as f64
}
