//! PROBE_BW: the cycle of its four phases and the clock that starts a probe.

use super::{Machine, State};
use crate::cc::Ack;
use crate::cc::bbr::{Ratio, below};
use acklab_units::{Instant, Span};

/// Window gain of DOWN, CRUISE and REFILL (draft 2.5 `DefaultCwndGain`, `bbr_cwnd_gain`).
pub const CWND_GAIN: Ratio = Ratio::new(2, 1);
/// Most rounds between probes (draft 5.3.3.5.3, `bbr_bw_probe_max_rounds`): a Reno flow at
/// 25 Mbit/s and 30 ms needs 62 rounds from loss to loss.
pub const MAX_ROUNDS: u64 = 63;
/// The count of rounds starts at 0 or 1, at random (`bbr_bw_probe_rand_rounds`).
pub const RAND_ROUNDS: u64 = 2;
/// Shortest time between probes (`bbr_bw_probe_base_us`): that Reno flow needs 1.9 s.
pub const BASE_WAIT: Span = Span::from_secs(2);
/// Random time on top (`bbr_bw_probe_rand_us`).
pub const RAND_WAIT: Span = Span::from_secs(1);

/// The phase of the latest probe that arriving ACKs belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AckPhase {
    /// Nothing: no probe is being acknowledged.
    Init,
    /// Data sent to fill the pipe.
    Refilling,
    /// A probe has begun; its data are not acknowledged yet.
    ProbeStarting,
    /// Data of the probe.
    ProbeFeedback,
    /// The probe is over; the last of its data.
    ProbeStopping,
}

/// Rounds and time since the latest probe.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    /// Rounds since the probe, plus the random start (`rounds_since_probe`).
    pub rounds: u64,
    /// Time to wait (`bw_probe_wait`).
    pub wait: Span,
    /// When the cycle began (`cycle_stamp`).
    pub stamp: Instant,
}

impl Clock {
    /// One more round without a probe.
    pub fn count_round(&mut self) {
        self.rounds = (self.rounds + 1).min(0xFF);
    }

    /// Whether the phase has lasted longer than `span` (`HasElapsedInPhase`).
    pub fn has_elapsed(&self, now: Instant, span: Span) -> bool {
        now > self.stamp.saturating_add(span)
    }
}

impl Machine {
    /// Decides at random when to probe next (`PickProbeWait`): rounds for a fair share with Reno,
    /// time so that spare bandwidth is found at a human scale.
    pub(super) fn pick_probe_wait(&mut self) {
        self.clock.rounds = below(&mut self.rng, RAND_ROUNDS);
        let most = self.profile.bw_probe_rand;
        let extra = if self.arithmetic.is_fixed_point() {
            Span::from_micros(below(&mut self.rng, most.as_micros()))
        } else {
            Span::from_nanos(below(&mut self.rng, most.as_nanos()))
        };
        self.clock.wait = self.profile.bw_probe_base + extra;
    }

    /// Whether a Reno flow with our volume would have probed by now
    /// (`IsRenoCoexistenceProbeTime`): it needs as many rounds as it has packets in flight.
    fn is_reno_coexistence_probe_time(&self) -> bool {
        let reno_rounds = self.target_inflight().div_ceil(self.mss);
        self.clock.rounds >= reno_rounds.min(self.profile.bw_probe_max_rounds)
    }

    /// Starts to probe if it is time (`IsTimeToProbeBW`); returns whether it was.
    pub(super) fn check_time_to_probe_bw(&mut self, ack: &Ack) -> bool {
        if let Some(rounds) = self.ecn_reprobe_rounds(ack) {
            self.start_probe_bw_refill(ack, rounds);
            return true;
        }
        let due = self.clock.has_elapsed(ack.now, self.clock.wait)
            || self.is_reno_coexistence_probe_time();
        if due {
            self.start_probe_bw_refill(ack, 0);
        }
        due
    }

    /// Moves through the phases (`UpdateProbeBWCyclePhase`).
    pub(super) fn update_probe_bw_cycle_phase(&mut self, ack: &Ack) {
        self.long.was_limiting = self.is_limited_by_inflight_hi(ack);
        if !self.full_pipe.reached || self.adapt_long_term_model(ack) {
            return;
        }
        match self.state {
            State::ProbeBwDown => self.check_down_done(ack),
            State::ProbeBwCruise => self.check_cruise_done(ack),
            State::ProbeBwRefill => self.check_refill_done(ack),
            State::ProbeBwUp => self.check_up_done(ack),
            State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    /// Learns from the ACKs of a probe (`AdaptLongTermModel`); returns whether it changed state.
    fn adapt_long_term_model(&mut self, ack: &Ack) -> bool {
        if self.rounds.is_start() && self.advance_ack_phase() {
            self.start_probe_bw_refill(ack, 0);
            return true;
        }
        if self.is_inflight_too_high(ack) {
            self.learn_from_excess(ack);
        } else {
            self.learn_from_success(ack);
        }
        false
    }

    /// A round started: moves the meaning of ACKs on. Returns whether a cautious probe turned out
    /// well and the flow should probe again at once (draft 5.3.3.4.2).
    fn advance_ack_phase(&mut self) -> bool {
        match self.ack_phase {
            AckPhase::ProbeStarting => self.ack_phase = AckPhase::ProbeFeedback,
            AckPhase::ProbeStopping => {
                self.long.probe_samples = false;
                self.ack_phase = AckPhase::Init;
                if self.state.is_probe_bw() && !self.sample.app_limited {
                    self.max_bw.advance();
                }
                return self.state.is_probe_bw()
                    && self.long.stopped_risky_probe
                    && !self.long.prev_probe_too_high;
            }
            AckPhase::Init | AckPhase::Refilling | AckPhase::ProbeFeedback => {}
        }
        false
    }

    /// The flight of this sample was too large. The draft judges losses one by one and leaves only
    /// marks to be judged here.
    fn learn_from_excess(&mut self, ack: &Ack) {
        let judge = self.profile.kernel || self.is_marking_too_high(ack);
        if self.long.probe_samples && judge {
            let (fits, limited) = (ack.rate.tx_in_flight, self.sample.app_limited);
            self.handle_inflight_too_high(fits, limited, ack.now, ack.delivered);
        }
    }

    /// The flight of this sample was fine, so at least as much fits.
    fn learn_from_success(&mut self, ack: &Ack) {
        if self.long.inflight_hi == u64::MAX {
            return;
        }
        self.long.inflight_hi = self.long.inflight_hi.max(ack.rate.tx_in_flight);
        if self.state == State::ProbeBwUp {
            self.probe_inflight_hi_upward(ack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, RTT, mbit};
    use super::*;

    #[test]
    fn the_wait_is_two_to_three_seconds_and_zero_or_one_round() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        let (mut low, mut high, mut ones) = (Span::MAX, Span::ZERO, 0);
        for _ in 0..1000 {
            feed.cc.pick_probe_wait();
            low = low.min(feed.cc.clock.wait);
            high = high.max(feed.cc.clock.wait);
            ones += feed.cc.clock.rounds;
        }
        assert!(low >= BASE_WAIT && low < Span::from_millis(2020), "{low:?}");
        assert!(
            high < BASE_WAIT + RAND_WAIT && high > Span::from_millis(2980),
            "{high:?}"
        );
        assert!((400..600).contains(&ones), "{ones}");
    }

    /// Rounds from one REFILL to the next for a flow at `rate` with `rtt`.
    fn rounds_between_probes(rate: acklab_units::Rate, rtt: Span) -> u64 {
        let mut feed = Feed::cruise_at(Profile::draft(), rate, rtt);
        feed.cc.clock.rounds = 0;
        feed.cc.clock.wait = Span::from_secs(1000);
        let mut rounds = 0;
        while feed.cc.state == State::ProbeBwCruise {
            feed.round(rate);
            rounds += 1;
        }
        assert_eq!(feed.cc.state, State::ProbeBwRefill);
        rounds
    }

    #[test]
    fn small_flows_probe_after_as_many_rounds_as_packets() {
        let bdp = rounds_between_probes(mbit(10), Span::from_millis(24));
        assert_eq!(bdp, 21, "10 Mbit/s and 24 ms are 20.7 packets");
    }

    #[test]
    fn large_flows_probe_after_63_rounds() {
        assert_eq!(
            rounds_between_probes(mbit(1000), Span::from_millis(30)),
            MAX_ROUNDS
        );
    }

    #[test]
    fn slow_rounds_are_cut_short_by_the_wall_clock() {
        let mut feed = Feed::cruise_at(Profile::draft(), mbit(100), Span::from_millis(200));
        let start = feed.cc.clock.stamp;
        while feed.cc.state == State::ProbeBwCruise {
            feed.round(mbit(100));
        }
        let waited = feed.now - start;
        assert!(waited > BASE_WAIT && waited < BASE_WAIT + RAND_WAIT + Span::from_millis(200));
    }

    #[test]
    fn a_cycle_goes_down_cruise_refill_up_down() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.clock.rounds = 200;
        let mut seen = alloc::vec::Vec::new();
        for _ in 0..30 {
            feed.round(mbit(10));
            if seen.last() != Some(&feed.cc.state) {
                seen.push(feed.cc.state);
            }
        }
        let cycle = [
            State::ProbeBwRefill,
            State::ProbeBwUp,
            State::ProbeBwDown,
            State::ProbeBwCruise,
        ];
        assert_eq!(seen[..4], cycle);
    }

    #[test]
    fn the_maximum_forgets_the_cycle_before_last() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        for _ in 0..2 {
            feed.cc.clock.rounds = 200;
            feed.inflight = 4;
            feed.round(mbit(5));
            while feed.cc.state != State::ProbeBwCruise {
                feed.round(mbit(5));
            }
            feed.round(mbit(5));
        }
        assert_eq!(feed.cc.max_bw(), mbit(5));
    }

    #[test]
    fn a_larger_flight_without_loss_raises_the_bound_in_any_phase() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.long.inflight_hi = 30 * MSS;
        feed.tx_in_flight = 35;
        feed.round(mbit(10));
        assert_eq!(feed.cc.long.inflight_hi, 35 * MSS);
        feed.tx_in_flight = 20;
        feed.round(mbit(10));
        assert_eq!(feed.cc.long.inflight_hi, 35 * MSS);
    }

    #[test]
    fn elapsed_means_strictly_longer() {
        let clock = Clock {
            stamp: Instant::ZERO + RTT,
            ..Clock::default()
        };
        assert!(!clock.has_elapsed(Instant::ZERO + RTT * 2, RTT));
        assert!(clock.has_elapsed(Instant::ZERO + RTT * 2 + Span::from_nanos(1), RTT));
    }
}
