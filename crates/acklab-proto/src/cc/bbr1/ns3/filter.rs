//! Windowed maximum (`WindowedFilter`): three estimates by Kathleen Nichols's algorithm.

/// Length of the window in rounds (`BwWindowLength`).
const WINDOW: u32 = 10;

/// The best bandwidths (bit/s) and the rounds they were seen in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxFilter {
    /// The seed of the filter: as long as it is the best, anything replaces it.
    seed: u64,
    s: [(u64, u32); 3],
}

impl MaxFilter {
    /// Nothing measured; `seed` stands in.
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed,
            s: [(seed, 0); 3],
        }
    }

    pub fn best(&self) -> u64 {
        self.s[0].0
    }

    /// A bandwidth was measured in `round`.
    pub fn update(&mut self, bw: u64, round: u32) {
        let new = (bw, round);
        let age = |s: (u64, u32)| round.wrapping_sub(s.1);
        if self.s[0].0 == self.seed || bw >= self.s[0].0 || age(self.s[2]) > WINDOW {
            self.s = [new; 3];
            return;
        }
        if bw >= self.s[1].0 {
            self.s = [self.s[0], new, new];
        } else if bw >= self.s[2].0 {
            self.s[2] = new;
        }
        if age(self.s[0]) > WINDOW {
            self.s = [self.s[1], self.s[2], new];
            if age(self.s[0]) > WINDOW {
                self.s = [self.s[1], self.s[2], self.s[2]];
            }
        } else if self.s[1].0 == self.s[0].0 && age(self.s[1]) > WINDOW >> 2 {
            self.s = [self.s[0], new, new];
        } else if self.s[2].0 == self.s[1].0 && age(self.s[2]) > WINDOW >> 1 {
            self.s[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_measurement_replaces_the_seed() {
        let mut f = MaxFilter::seeded(100);
        f.update(7, 1);
        assert_eq!(f.best(), 7);
    }

    #[test]
    fn the_best_of_ten_rounds() {
        let mut f = MaxFilter::seeded(1);
        f.update(50, 1);
        for round in 2..=11 {
            f.update(40, round);
            assert_eq!(f.best(), 50, "round {round}");
        }
        f.update(40, 12);
        assert_eq!(f.best(), 40);
    }

    #[test]
    fn an_equal_measurement_renews_the_best() {
        let mut f = MaxFilter::seeded(1);
        for round in 1..=30 {
            f.update(if round % 9 == 0 { 50 } else { 40 }, round);
        }
        assert_eq!(f.best(), 50);
    }
}
