//! Random streams that depend only on the root seed and on the name of who draws.

use core::hash::Hasher;
use rand_core::SeedableRng;
use siphasher::sip::SipHasher24;

pub use rand_core::RngCore;

/// The generator behind every random decision (xoshiro256++, Blackman and Vigna 2019).
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of the component at `path` (for example `link/bottleneck/loss`) under `root`.
///
/// The seed is SipHash-2-4 of the path keyed with the root seed: a frozen function, so adding a
/// component never moves the draws of another.
pub fn stream(root: u64, path: &str) -> Rng {
    Rng::seed_from_u64(seed(root, path))
}

/// The 64-bit seed that [`stream`] starts from.
pub fn seed(root: u64, path: &str) -> u64 {
    let mut h = SipHasher24::new_with_keys(root, 0x61_63_6b_6c_61_62);
    h.write(path.as_bytes());
    h.finish()
}

/// A uniform draw from `[0, 1)` with 53 random bits.
pub fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash is part of the file format: results name a seed, and the seed must mean the same
    /// for ever.
    #[test]
    fn the_seed_function_is_frozen() {
        assert_eq!(
            seed(1, "link/bottleneck/loss"),
            seed(1, "link/bottleneck/loss")
        );
        assert_ne!(seed(1, "a"), seed(2, "a"));
        assert_ne!(seed(1, "a"), seed(1, "b"));
    }

    #[test]
    fn unit_draws_stay_below_one() {
        let mut r = stream(7, "x");
        assert!(
            (0..10_000)
                .map(|_| unit(&mut r))
                .all(|u| (0.0..1.0).contains(&u))
        );
    }
}
