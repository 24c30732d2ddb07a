//! The common parts of the three BBR versions: windowed maxima, packet-timed rounds, the aggregation
//! estimate, pacing arithmetic.
//!
//! Nothing here knows a state; the states are in `bbr1`, `bbr2` and `bbr3`.

mod app_limited;
mod arithmetic;
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
pub use arithmetic::Arithmetic;
pub use departure::Departure;
pub use extra_acked::{
    AckedNow, EXTRA_ACKED_MAX, EXTRA_ACKED_WIN_RTTS, EXTRA_ACKED_WIN_RTTS_STARTUP, ExtraAcked,
};
pub use max_filter::{CycleMax, MaxFilter};
pub use pacing::{NOMINAL_RTT, PACING_MARGIN_PERCENT, Pacing};
pub use ratio::Ratio;
pub use round::Rounds;
pub use volume::{round_down, round_up};

use crate::rng::{Rng, RngCore};
use acklab_units::{Instant, Span};

/// Packets kept in flight at the least: two pairs, so that a receiver that acknowledges every
/// second packet never stalls the sender (`bbr_cwnd_min_target`; `MinPipeCwnd` in the draft).
pub const CWND_MIN_TARGET: u64 = 4;

/// Length of a tick of Linux with HZ = 250, by which the kernels count the time of PROBE_RTT (`tcp_jiffies32`).
pub const TICK: Span = Span::from_millis(4);

/// Whether the tick that `now` is in began after `due`.
pub fn is_past(now: Instant, due: Instant, tick: Span) -> bool {
    // Mostly it is not, and needs no division.
    now > due && now.rounded_down(tick) > due
}

/// A uniform draw from `0..n`, as the kernel's `get_random_u32_below`.
pub fn below(rng: &mut Rng, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_over_when_the_next_tick_begins() {
        let at = |us| Instant::ZERO + Span::from_micros(us);
        assert_eq!(at(11_999).rounded_down(TICK), at(8_000));
        assert_eq!(at(11_999).rounded_down(Span::ZERO), at(11_999));
        for (now, exact, ticks) in [
            (8_000, false, false),
            (8_001, true, false),
            (12_000, true, true),
        ] {
            assert_eq!(is_past(at(now), at(8_000), Span::ZERO), exact);
            assert_eq!(is_past(at(now), at(8_000), TICK), ticks);
        }
    }

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
