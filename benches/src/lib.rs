//! Measuring: the shortest of several runs, because everything that disturbs makes it longer.

#![forbid(unsafe_code)]

pub mod heap;

use std::time::{Duration, Instant};

/// The allocator of the Python package, so that what is measured is what users get.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The shortest of `n` runs of `f`, and what the last run returned.
pub fn shortest<R>(n: usize, mut f: impl FnMut() -> R) -> (Duration, R) {
    let mut timed = || {
        let start = Instant::now();
        let result = f();
        (start.elapsed(), result)
    };
    let mut best = timed();
    for _ in 1..n {
        let (time, result) = timed();
        best = (best.0.min(time), result);
    }
    best
}

/// Nanoseconds per thing.
pub fn ns_per(time: Duration, things: u64) -> f64 {
    time.as_nanos() as f64 / things.max(1) as f64
}
