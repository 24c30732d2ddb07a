//! The two windowed maxima of the BBR family.

/// Windowed maximum over a virtual clock, in constant memory.
///
/// Kathleen Nichols' estimator (Linux `lib/win_minmax.c`): keep the best sample of the window and
/// the best ones of its later parts, so that an expiring maximum has a successor at hand. The
/// successors are refreshed after a quarter and after half of the window.
#[derive(Clone, Debug)]
pub struct MaxFilter<T> {
    window: u64,
    best: [Sample<T>; 3],
}

#[derive(Clone, Copy, Debug)]
struct Sample<T> {
    at: u64,
    value: T,
}

impl<T: Copy + Ord> MaxFilter<T> {
    /// An estimator over `window` ticks that starts with `value` at tick 0.
    pub fn new(window: u64, value: T) -> Self {
        Self {
            window,
            best: [Sample { at: 0, value }; 3],
        }
    }

    /// The maximum of the window.
    pub fn max(&self) -> T {
        self.best[0].value
    }

    /// Forgets everything and starts again with `value` at tick `at`.
    pub fn reset(&mut self, at: u64, value: T) {
        self.best = [Sample { at, value }; 3];
    }

    /// Takes a sample measured at tick `at`, never earlier than the one before.
    pub fn update(&mut self, at: u64, value: T) {
        let new = Sample { at, value };
        if value >= self.best[0].value || at - self.best[2].at > self.window {
            self.reset(at, value);
            return;
        }
        if value >= self.best[1].value {
            self.best[1] = new;
            self.best[2] = new;
        } else if value >= self.best[2].value {
            self.best[2] = new;
        }
        self.age(new);
    }

    /// Promotes the successors once the best sample, or its stand-ins, are too old.
    fn age(&mut self, new: Sample<T>) {
        let elapsed = new.at - self.best[0].at;
        if elapsed > self.window {
            self.best = [self.best[1], self.best[2], new];
            if new.at - self.best[0].at > self.window {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].at == self.best[0].at && elapsed > self.window / 4 {
            self.best[1] = new;
            self.best[2] = new;
        } else if self.best[2].at == self.best[1].at && elapsed > self.window / 2 {
            self.best[2] = new;
        }
    }
}

/// Maximum over the current bandwidth-probing cycle and the one before (`bw_hi[2]` in the v2 and
/// v3 sources, `MaxBwFilterLen` = 2 cycles in the draft).
#[derive(Clone, Debug, Default)]
pub struct CycleMax<T> {
    previous: T,
    current: T,
}

impl<T: Copy + Ord + Default> CycleMax<T> {
    /// The maximum of both cycles.
    pub fn max(&self) -> T {
        self.previous.max(self.current)
    }

    /// Takes a sample of the current cycle.
    pub fn update(&mut self, value: T) {
        self.current = self.current.max(value);
    }

    /// Begins a new cycle. A cycle without samples does not count: the old window is remembered.
    pub fn advance(&mut self) {
        if self.current != T::default() {
            self.previous = self.current;
            self.current = T::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_sample_takes_over_at_once() {
        let mut f = MaxFilter::new(10, 0);
        f.update(1, 5);
        f.update(2, 9);
        f.update(3, 7);
        assert_eq!(f.max(), 9);
    }

    #[test]
    fn the_maximum_outlives_its_window_by_nothing() {
        let mut f = MaxFilter::new(10, 0);
        f.update(0, 100);
        for t in 1..=10 {
            f.update(t, 50);
            assert_eq!(f.max(), 100, "tick {t} is inside the window");
        }
        f.update(11, 50);
        assert_eq!(f.max(), 50);
    }

    /// A plain windowed maximum never lies below the estimator by more than its coarseness: the
    /// estimate is at least the newest sample and at most the true windowed maximum.
    #[test]
    fn stays_between_the_newest_sample_and_the_true_maximum() {
        let mut f = MaxFilter::new(10, 0u64);
        let mut all = alloc::vec::Vec::new();
        let mut x = 12345u64;
        for t in 0..500u64 {
            x = x
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let v = x >> 56;
            all.push((t, v));
            f.update(t, v);
            let truth = all
                .iter()
                .filter(|s| t - s.0 <= 10)
                .map(|s| s.1)
                .max()
                .unwrap();
            assert!(
                f.max() >= v && f.max() <= truth,
                "tick {t}: {} of {truth}",
                f.max()
            );
        }
    }

    #[test]
    fn silence_longer_than_the_window_forgets_everything() {
        let mut f = MaxFilter::new(10, 0);
        f.update(0, 100);
        f.update(30, 1);
        assert_eq!(f.max(), 1);
        f.reset(31, 7);
        assert_eq!(f.max(), 7);
    }

    #[test]
    fn a_descending_ramp_is_followed_one_window_late() {
        let mut f = MaxFilter::new(10, 0u64);
        for t in 0..100u64 {
            f.update(t, 1000 - t);
            let oldest_allowed = 1000 - t.saturating_sub(10);
            assert!(f.max() <= oldest_allowed && f.max() >= 1000 - t);
        }
    }

    #[test]
    fn cycle_maximum_spans_two_cycles() {
        let mut m = CycleMax::default();
        m.update(10);
        m.advance();
        m.update(6);
        assert_eq!(m.max(), 10, "the previous cycle still counts");
        m.advance();
        assert_eq!(m.max(), 6, "two cycles ago is forgotten");
    }

    #[test]
    fn an_empty_cycle_does_not_forget() {
        let mut m = CycleMax::default();
        m.update(10);
        m.advance();
        m.advance();
        m.advance();
        assert_eq!(m.max(), 10);
    }
}
