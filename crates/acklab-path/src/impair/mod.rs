//! Random misbehaviour of a line: loss, marking, jitter, pauses, reordering and duplication.
//!
//! Each kind draws from a stream of its own, so switching one on never moves the draws of another.

mod entry;
mod far_end;
mod jitter;
mod loss;
mod pauses;

pub use entry::Entry;
pub use far_end::{FarEnd, Fate};
pub(crate) use jitter::normal;
pub use jitter::{Detour, Jitter, JitterConfig};
pub use loss::{Loss, LossConfig, LossPlace};
pub use pauses::{Pauses, PausesConfig};

use acklab_proto::rng::{self, Rng, RngCore};
use acklab_units::Span;

/// The impairments of a line, except for loss that is drawn before the queue, after serialisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImpairConfig {
    /// Loss.
    pub loss: LossConfig,
    /// Where it is drawn.
    pub loss_place: LossPlace,
    /// Probability that an ECN-capable packet is marked with CE, judged at the far end.
    pub ce: f64,
    /// Extra delay; order is kept.
    pub jitter: JitterConfig,
    /// A longer way for a time; order is kept.
    pub detour: Option<Detour>,
    /// Times at which nothing enters or leaves; order is kept.
    pub pauses: Option<PausesConfig>,
    /// Probability that a packet is held back by `reorder_delay`, so that later ones overtake it.
    pub reorder: f64,
    /// How long such a packet is held back.
    pub reorder_delay: Span,
    /// Probability that a packet arrives twice.
    pub duplicate: f64,
}

impl ImpairConfig {
    /// Whether packets leave the line once each and in the order in which they entered it.
    pub fn keeps_order(&self) -> bool {
        (self.reorder <= 0.0 || self.reorder_delay.is_zero()) && self.duplicate <= 0.0
    }
}

/// The random streams of one link.
#[derive(Clone, Debug)]
pub struct LinkStreams {
    /// Decides about losses.
    pub loss: Rng,
    /// Decides about marks.
    pub ce: Rng,
    /// Draws extra delays.
    pub jitter: Rng,
    /// Draws the pauses; the two directions of a link have the same one.
    pub pauses: Rng,
    /// Decides who is held back.
    pub reorder: Rng,
    /// Decides who is copied.
    pub duplicate: Rng,
}

impl LinkStreams {
    /// The streams of link `name` under root seed `root`.
    pub fn new(root: u64, name: &str) -> Self {
        let stream = |what: &str| rng::stream(root, &alloc::format!("link/{name}/{what}"));
        Self {
            loss: stream("loss"),
            ce: stream("ce"),
            jitter: stream("jitter"),
            pauses: stream("pauses"),
            reorder: stream("reorder"),
            duplicate: stream("duplicate"),
        }
    }

    /// With the pauses of link `name`, so that both stand still together.
    #[must_use]
    pub fn with_pauses_of(mut self, root: u64, name: &str) -> Self {
        self.pauses = Self::new(root, name).pauses;
        self
    }
}

/// An event of fixed probability with its own stream; draws nothing if it cannot happen.
#[derive(Clone, Debug)]
pub struct Chance {
    probability: f64,
    rng: Rng,
}

impl Chance {
    /// An event that happens with `probability`.
    pub fn new(probability: f64, rng: Rng) -> Self {
        Self { probability, rng }
    }

    /// Whether it happens this time.
    pub fn strikes(&mut self) -> bool {
        self.probability > 0.0 && rng::unit(&mut self.rng) < self.probability
    }
}

/// A uniform draw from `[0, n]`, without a float.
fn up_to(rng: &mut Rng, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * (u128::from(n) + 1)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_come_true_as_often_as_they_say() {
        let mut c = Chance::new(0.2, rng::stream(1, "x"));
        let hits = (0..100_000).filter(|_| c.strikes()).count();
        // Four standard deviations of a binomial are 506.
        assert!((19_494..=20_506).contains(&hits), "{hits}");
    }

    #[test]
    fn uniform_draws_reach_both_ends() {
        let mut r = rng::stream(1, "y");
        let mut seen = [0u32; 4];
        for _ in 0..4000 {
            seen[up_to(&mut r, 3) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (880..=1120).contains(&n)), "{seen:?}");
    }
}
