//! PROBE_BW: cycle the pacing gain around the estimated bandwidth.

use super::{Bbr1, Mode};
use crate::cc::Ack;
use crate::cc::bbr::{Ratio, below};
use acklab_units::Instant;

/// Phases of a gain cycle (`CYCLE_LEN`).
pub const CYCLE_LEN: usize = 8;
/// Gains of the phases: probe for more, give back what the probe queued, cruise
/// (`bbr_pacing_gain`).
pub const PACING_GAIN: [Ratio; CYCLE_LEN] = [
    Ratio::new(5, 4),
    Ratio::new(3, 4),
    Ratio::ONE,
    Ratio::ONE,
    Ratio::ONE,
    Ratio::ONE,
    Ratio::ONE,
    Ratio::ONE,
];
/// The cycle starts in one of this many phases, at random and never in the draining one, so that
/// flows do not probe in step (`bbr_cycle_rand`).
pub const CYCLE_RAND: u64 = 7;

impl Bbr1 {
    /// Enters PROBE_BW in a random phase (`bbr_reset_probe_bw_mode`).
    pub(super) fn enter_probe_bw(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        self.cycle_idx = CYCLE_LEN - 1 - below(&mut self.rng, CYCLE_RAND) as usize;
        self.advance_cycle_phase(now);
    }

    /// Moves to the next phase when it is time (`bbr_update_cycle_phase`).
    pub(super) fn update_cycle_phase(&mut self, ack: &Ack) {
        if self.mode == Mode::ProbeBw && self.is_next_cycle_phase(ack) {
            self.advance_cycle_phase(ack.now);
        }
    }

    fn advance_cycle_phase(&mut self, now: Instant) {
        self.cycle_idx = (self.cycle_idx + 1) % CYCLE_LEN;
        self.cycle_stamp = now;
    }

    /// Whether the phase has done its work (`bbr_is_next_cycle_phase`).
    ///
    /// Cruising lasts a `min_rtt`. Probing lasts at least that, and until in-flight data reach the
    /// raised BDP or packets are lost. Draining lasts at most that, and ends with the queue.
    fn is_next_cycle_phase(&self, ack: &Ack) -> bool {
        let elapsed = ack.now.saturating_since(self.cycle_stamp);
        let full_length = self.min_rtt.is_none_or(|rtt| elapsed > rtt);
        if self.pacing_gain == Ratio::ONE {
            return full_length;
        }
        let in_network = self.in_network(ack.exact, ack.prior_inflight);
        if self.pacing_gain.is_above_one() {
            let target = self.inflight_target(self.max_bw(), self.pacing_gain);
            return full_length && (ack.newly_lost > 0 || in_network >= target);
        }
        full_length || in_network <= self.inflight_target(self.max_bw(), Ratio::ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Feed, RTT, mbit};
    use super::*;
    use acklab_units::Span;
    use alloc::vec::Vec;

    /// A feed in PROBE_BW, moved on to phase `idx`.
    fn in_phase(idx: usize) -> Feed {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.cycle_idx = idx;
        feed.cc.cycle_stamp = feed.now;
        feed.cc.update_gains();
        feed
    }

    #[test]
    fn gains_of_a_cycle_average_one() {
        let sum: u64 = PACING_GAIN.iter().map(|g| g.of(1000)).sum();
        assert_eq!(sum, 8000);
    }

    #[test]
    fn starts_anywhere_but_in_the_draining_phase() {
        let mut seen = [false; CYCLE_LEN];
        let mut feed = Feed::probe_bw(mbit(10));
        for _ in 0..200 {
            feed.cc.enter_probe_bw(feed.now);
            seen[feed.cc.cycle_idx] = true;
        }
        let starts: Vec<usize> = (0..CYCLE_LEN).filter(|i| seen[*i]).collect();
        assert_eq!(starts, [0, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn cruising_lasts_one_min_rtt() {
        let mut feed = in_phase(3);
        feed.step(RTT, mbit(10));
        assert_eq!(
            feed.cc.cycle_idx, 3,
            "exactly a min_rtt is not longer than one"
        );
        feed.step(Span::from_nanos(1), mbit(10));
        assert_eq!(feed.cc.cycle_idx, 4);
    }

    #[test]
    fn probing_waits_for_the_raised_volume() {
        let mut feed = in_phase(0);
        feed.inflight = 1;
        for _ in 0..5 {
            feed.step(RTT, mbit(10));
        }
        assert_eq!(feed.cc.cycle_idx, 0);
        let target = feed.cc.inflight_target(mbit(10), Ratio::new(5, 4)) / feed.cc.mss;
        feed.inflight = target;
        feed.step(RTT, mbit(10));
        assert_eq!(feed.cc.cycle_idx, 1);
    }

    #[test]
    fn probing_gives_up_at_a_loss_after_one_min_rtt() {
        let mut feed = in_phase(0);
        feed.inflight = 1;
        feed.newly_lost = 1;
        feed.step(RTT / 2, mbit(10));
        assert_eq!(feed.cc.cycle_idx, 0);
        feed.newly_lost = 1;
        feed.step(RTT, mbit(10));
        assert_eq!(feed.cc.cycle_idx, 1);
    }

    #[test]
    fn draining_ends_early_when_the_queue_is_gone() {
        let mut feed = in_phase(1);
        feed.inflight = 500;
        feed.step(RTT / 4, mbit(10));
        assert_eq!(feed.cc.cycle_idx, 1);
        feed.inflight = 10;
        feed.step(RTT / 4, mbit(10));
        assert_eq!(feed.cc.cycle_idx, 2);
    }

    #[test]
    fn draining_never_lasts_longer_than_a_min_rtt() {
        let mut feed = in_phase(1);
        feed.inflight = 5000;
        feed.step(RTT + Span::from_nanos(1), mbit(10));
        assert_eq!(feed.cc.cycle_idx, 2);
    }

    /// Eight phases of a min_rtt each, apart from the two that end on volume.
    #[test]
    fn a_cycle_visits_the_phases_in_order() {
        let mut feed = in_phase(0);
        let mut visited = Vec::new();
        for _ in 0..16 {
            feed.inflight = if feed.cc.cycle_idx == 0 { 500 } else { 10 };
            visited.push(feed.cc.cycle_idx);
            feed.step(RTT + Span::from_millis(1), mbit(10));
        }
        assert_eq!(visited, [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
