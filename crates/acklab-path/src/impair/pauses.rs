//! Times at which a whole link stands still.
//!
//! A link that is a program, such as a user-space emulator or a virtual machine's bridge, loses its
//! processor now and then. Nothing enters or leaves until it is back; then everything that is due
//! goes at once. Unlike jitter this makes neighbours late *together*, and both directions at the
//! same time. The program's own work meanwhile (the transmitter, a filter's timer) keeps its
//! ideal times: a pause delays packets, it does not slow the link.

use acklab_proto::rng::{self, Rng};
use acklab_units::{Instant, Span};

/// How often a link stands still, and for how long: both exponential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausesConfig {
    /// Mean length of a pause.
    pub length: Span,
    /// Mean time from the end of a pause to the next one.
    pub gap: Span,
}

/// A schedule of pauses, drawn as time goes on. Two with the same stream are alike.
#[derive(Clone, Debug)]
pub struct Pauses {
    config: PausesConfig,
    rng: Rng,
    start: Instant,
    end: Instant,
}

impl Pauses {
    /// A schedule that begins with a gap at time zero.
    pub fn new(config: PausesConfig, rng: Rng) -> Self {
        let mut pauses = Self {
            config,
            rng,
            start: Instant::ZERO,
            end: Instant::ZERO,
        };
        pauses.draw();
        pauses
    }

    /// When something can pass that would pass at `at` without pauses. To be asked in the order of
    /// `at`.
    pub fn passes(&mut self, at: Instant) -> Instant {
        if at == Instant::MAX {
            return at; // never, with or without pauses
        }
        while self.end <= at {
            self.draw();
        }
        if self.start <= at { self.end } else { at }
    }

    /// The next pause.
    fn draw(&mut self) {
        let gap = exponential(&mut self.rng, self.config.gap);
        let length = exponential(&mut self.rng, self.config.length);
        self.start = self.end.saturating_add(gap);
        self.end = self.start.saturating_add(length);
    }
}

/// An exponential draw of this mean; never zero, so that time goes on.
fn exponential(rng: &mut Rng, mean: Span) -> Span {
    let x = -libm::log(1.0 - rng::unit(rng)) * mean.as_nanos() as f64;
    // A draw too large for the integer becomes the largest one.
    Span::from_nanos((x as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const CONFIG: PausesConfig = PausesConfig {
        length: Span::from_millis(1),
        gap: Span::from_millis(49),
    };

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    /// Lateness of things due every 10 us for `n` of them, in order of size.
    fn sorted_lateness(seed: u64, n: u64) -> Vec<u64> {
        let mut pauses = Pauses::new(CONFIG, rng::stream(seed, "p"));
        let late = |i| (pauses.passes(us(10 * i)) - us(10 * i)).as_nanos();
        let mut late: Vec<_> = (0..n).map(late).collect();
        late.sort_unstable();
        late
    }

    #[test]
    fn the_share_of_late_packets_is_that_of_the_closed_form() {
        // Due at any time: late by more than x with length / (length + gap) * exp(-x / length).
        let late = sorted_lateness(1, 10_000_000);
        for (x, share) in [(0, 0.02), (1_000_000, 0.02 / core::f64::consts::E)] {
            let found = late.iter().filter(|l| **l > x).count() as f64 / late.len() as f64;
            // 2000 pauses: four standard errors of their summed length are 13 %.
            assert!((found / share - 1.0).abs() < 0.13, "{x}: {found} {share}");
        }
    }

    #[test]
    fn who_is_late_in_one_pause_goes_at_its_end() {
        let mut pauses = Pauses::new(CONFIG, rng::stream(2, "p"));
        let (mut ends, mut last) = (0, Instant::ZERO);
        for i in 0..1_000_000 {
            let goes = pauses.passes(us(i));
            assert!(goes >= us(i) && goes >= last, "order");
            ends += u32::from(goes > us(i) && goes != last);
            last = goes;
        }
        // 20 pauses in a second are expected; a deviation of four standard ones is 18.
        assert!((2..=38).contains(&ends), "{ends}");
    }

    #[test]
    fn the_same_stream_gives_the_same_schedule() {
        assert_eq!(sorted_lateness(7, 100_000), sorted_lateness(7, 100_000));
        assert_ne!(sorted_lateness(7, 100_000), sorted_lateness(8, 100_000));
    }

    #[test]
    fn what_never_passes_is_not_waited_for() {
        let mut pauses = Pauses::new(CONFIG, rng::stream(3, "p"));
        assert_eq!(pauses.passes(Instant::MAX), Instant::MAX);
    }
}
