//! Steps of the searches that loading makes, counted in tests: how they grow with the text says more than a
//! clock, and is the same on every machine.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// A search looks at so many things.
#[inline]
pub(crate) fn count(_things: usize) {
    #[cfg(test)]
    STEPS.with(|s| s.set(s.get() + _things as u64));
}

/// Steps of `work` on this thread.
#[cfg(test)]
pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = STEPS.with(Cell::get);
    let result = work();
    (STEPS.with(Cell::get) - before, result)
}
