//! The common parts of the three BBR versions: windowed maxima, packet-timed rounds, the aggregation
//! estimate, pacing arithmetic.
//!
//! Nothing here knows a state; the states are in `bbr1`, `bbr2` and `bbr3`.

mod app_limited;
mod departure;
mod extra_acked;
mod max_filter;
mod pacing;
mod ratio;
mod round;
#[cfg(test)]
pub(crate) mod testing;
mod volume;

pub use app_limited::AppLimited;
pub use departure::Departure;
pub use extra_acked::{
    AckedNow, EXTRA_ACKED_MAX, EXTRA_ACKED_WIN_RTTS, EXTRA_ACKED_WIN_RTTS_STARTUP, ExtraAcked,
};
pub use max_filter::{CycleMax, MaxFilter};
pub use pacing::{NOMINAL_RTT, PACING_MARGIN_PERCENT, Pacing, paced};
pub use ratio::Ratio;
pub use round::Rounds;
pub use volume::{bdp, round_down, round_up};

use crate::rng::{Rng, RngCore};

/// Packets kept in flight at the least: two pairs, so that a receiver that acknowledges every
/// second packet never stalls the sender (`bbr_cwnd_min_target`; `MinPipeCwnd` in the draft).
pub const CWND_MIN_TARGET: u64 = 4;

/// A uniform draw from `0..n`, as the kernel's `get_random_u32_below`.
pub fn below(rng: &mut Rng, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_cover_their_range_and_nothing_else() {
        let mut rng = crate::rng::stream(3, "draws");
        let mut seen = [0u32; 7];
        for _ in 0..7000 {
            seen[below(&mut rng, 7) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert_eq!(below(&mut rng, 1), 0);
    }
}
