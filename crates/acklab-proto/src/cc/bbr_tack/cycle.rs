//! PROBE_BW: a cycle of gains, counted in intervals.

use super::{BbrTack, Mode};
use crate::cc::bbr::{Ratio, below};

/// Intervals of each of the two first phases (ToN VI-D). With beta = 4 that is a round trip, the least
/// after which the effect of a rate can be seen.
pub(super) const PHASE: u64 = 4;
const UP: Ratio = Ratio::new(5, 4);
const DOWN: Ratio = Ratio::new(3, 4);

impl BbrTack {
    /// Starts the cycle anywhere but in the phase that drains, so that flows do not probe together
    /// (`bbr_reset_probe_bw_mode`).
    pub(super) fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        let passed = below(&mut self.rng, self.config.cycle - PHASE);
        let offset = if passed < PHASE {
            passed
        } else {
            passed + PHASE
        };
        // Intervals are counted from the start of the flow: there may be fewer than the offset.
        self.ticks += self.config.cycle;
        self.cycle_began = self.ticks - offset;
    }

    /// The phase that probes for more.
    pub(super) fn is_probing(&self) -> bool {
        self.mode == Mode::ProbeBw && self.cycle_gain() == UP
    }

    /// The gain of the interval under way.
    pub(super) fn cycle_gain(&self) -> Ratio {
        match (self.ticks - self.cycle_began) % self.config.cycle / PHASE {
            0 => UP,
            1 => DOWN,
            _ => Ratio::ONE,
        }
    }
}
