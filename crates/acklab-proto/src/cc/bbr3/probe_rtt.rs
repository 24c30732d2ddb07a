//! PROBE_RTT: halve what is in flight for a moment, to see the bare round-trip time.

use super::{AckPhase, Machine, State};
use crate::cc::Ack;
use crate::cc::bbr::{CWND_MIN_TARGET, Ratio, is_past};
use acklab_units::{Instant, Span};

/// Age at which `min_rtt` is forgotten (draft 2.14.1, `bbr_min_rtt_win_sec`).
pub const MIN_RTT_WIN: Span = Span::from_secs(10);
/// Time since the last lower sample after which the state is entered (draft 2.14.2,
/// `bbr_probe_rtt_win_ms`).
pub const INTERVAL: Span = Span::from_secs(5);
/// Shortest stay once in-flight data are down (draft 2.14.2, `bbr_probe_rtt_mode_ms`).
pub const DURATION: Span = Span::from_millis(200);
/// Share of the BDP kept in flight (draft 2.14.2, `bbr_probe_rtt_cwnd_gain`).
pub const CWND_GAIN: Ratio = Ratio::new(1, 2);

/// How far a stay in the state has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Stay {
    done: Option<Instant>,
    round_done: bool,
}

impl Machine {
    /// Enters, holds and leaves the state (`CheckProbeRTT`). A flow that was idle has drained its
    /// share of the queue already and is spared.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.state != State::ProbeRtt
            && self.min_rtt.is_probe_due()
            && !self.profile.probe_rtt_duration.is_zero()
            && !self.idle_restart
        {
            self.enter_probe_rtt(ack);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        if ack.rate.delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn enter_probe_rtt(&mut self, ack: &Ack) {
        self.state = State::ProbeRtt;
        self.save_cwnd();
        self.stay = Stay::default();
        self.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(ack.delivered);
    }

    /// Counts 200 ms and a round from the moment in-flight data are down (`HandleProbeRTT`).
    fn handle_probe_rtt(&mut self, ack: &Ack) {
        self.app_limited.mark(ack.delivered, ack.inflight);
        if self.stay.done.is_some() {
            self.stay.round_done |= self.rounds.is_start();
            if self.stay.round_done {
                self.check_probe_rtt_done(ack.now, ack.delivered);
            }
        } else if ack.inflight <= self.probe_rtt_cwnd() {
            let now = ack.now.rounded_down(self.profile.tick);
            self.stay.done = Some(now.saturating_add(self.profile.probe_rtt_duration));
            self.stay.round_done = false;
            self.rounds.restart(ack.delivered);
        }
    }

    /// Leaves when the time is over (`CheckProbeRTTDone`, `ExitProbeRTT`): straight to CRUISE,
    /// since nothing is left to drain, or back to STARTUP if the pipe was never full.
    pub(super) fn check_probe_rtt_done(&mut self, now: Instant, delivered: u64) {
        let tick = self.profile.tick;
        let over = |done| is_past(now, done, tick);
        if !self.stay.done.is_some_and(over) {
            return;
        }
        self.min_rtt.schedule_probe(now.rounded_down(tick));
        self.restore_cwnd();
        self.short.reset_lower_bounds();
        if self.full_pipe.reached {
            self.begin_probe_bw_down(now, delivered);
            self.start_probe_bw_cruise();
        } else {
            self.enter_startup();
        }
    }

    /// The window of the state: half the BDP, at least four packets (`ProbeRTTCwnd`).
    pub(super) fn probe_rtt_cwnd(&self) -> u64 {
        let half = self.bdp(self.bw(), self.profile.probe_rtt_cwnd_gain);
        half.max(CWND_MIN_TARGET * self.mss)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, RTT, mbit};
    use super::*;

    fn stale(profile: Profile) -> Feed {
        let mut feed = Feed::cruise(profile, mbit(10));
        feed.rtt = RTT + Span::from_millis(5);
        feed
    }

    fn until_probe_rtt(feed: &mut Feed) {
        for _ in 0..300 {
            feed.round(mbit(10));
            if feed.cc.state == State::ProbeRtt {
                return;
            }
        }
        panic!("PROBE_RTT was never entered");
    }

    #[test]
    fn halves_the_window_for_200_ms() {
        for profile in [Profile::draft(), Profile::google_v3()] {
            let mut feed = stale(profile);
            until_probe_rtt(&mut feed);
            assert_eq!(feed.cc.cwnd, feed.cc.probe_rtt_cwnd());
            assert_eq!(feed.cc.cwnd, 21 * MSS, "half of 41.4 packets");
            feed.inflight = 21;
            feed.step(RTT, mbit(5));
            let drained = feed.now;
            while feed.cc.state == State::ProbeRtt {
                feed.step(Span::from_millis(10), mbit(5));
            }
            let held = feed.now - drained;
            assert!(
                held > DURATION && held <= DURATION + Span::from_millis(10),
                "{held:?}"
            );
            assert_eq!(feed.cc.state, State::ProbeBwCruise);
        }
    }

    #[test]
    fn comes_every_five_seconds() {
        let mut feed = stale(Profile::draft());
        until_probe_rtt(&mut feed);
        let first = feed.now;
        feed.inflight = 10;
        while feed.cc.state == State::ProbeRtt {
            feed.round(mbit(5));
        }
        feed.inflight = 41;
        until_probe_rtt(&mut feed);
        let apart = (feed.now - first).as_secs_f64();
        assert!((5.2..5.6).contains(&apart), "{apart}");
    }

    #[test]
    fn a_long_round_is_waited_for() {
        let mut feed = stale(Profile::draft());
        until_probe_rtt(&mut feed);
        feed.inflight = 10;
        feed.step(RTT, mbit(5));
        for _ in 0..10 {
            feed.step_same_round(Span::from_millis(100), mbit(5));
        }
        assert_eq!(feed.cc.state, State::ProbeRtt, "a second, but not a round");
        feed.step(RTT, mbit(5));
        assert_ne!(feed.cc.state, State::ProbeRtt);
    }

    #[test]
    fn the_estimates_survive() {
        let mut feed = stale(Profile::draft());
        let before = feed.cc.cwnd;
        until_probe_rtt(&mut feed);
        feed.inflight = 10;
        while feed.cc.state == State::ProbeRtt {
            feed.step(Span::from_millis(20), mbit(1));
        }
        assert_eq!(feed.cc.max_bw(), mbit(10));
        assert!(
            feed.cc.cwnd + 4 * MSS >= before,
            "{} after {before}",
            feed.cc.cwnd
        );
        assert_eq!(feed.cc.short.inflight_lo, u64::MAX);
    }

    #[test]
    fn switched_off_by_a_zero_duration() {
        let mut feed = stale(Profile {
            probe_rtt_duration: Span::ZERO,
            ..Profile::draft()
        });
        for _ in 0..300 {
            feed.round(mbit(10));
            assert_ne!(feed.cc.state, State::ProbeRtt);
        }
    }

    /// (0.2 * 0.5 + 4.8) / 5: the share of the bandwidth that the draft computes.
    #[test]
    fn closed_form_of_its_price() {
        let (stay, every) = (DURATION.as_secs_f64(), INTERVAL.as_secs_f64());
        let share = (stay * CWND_GAIN.as_f64() + every - stay) / every;
        assert!((share - 0.98).abs() < 1e-12);
    }
}
