//! PROBE_RTT: drain the path for a moment to see its bare round-trip time.

use super::{Bbr1, Mode};
use crate::cc::Ack;
use crate::cc::bbr::{CWND_MIN_TARGET, is_past};
use acklab_units::Instant;

impl Bbr1 {
    /// Tracks the minimum RTT and runs PROBE_RTT (`bbr_update_min_rtt`).
    ///
    /// If no sample has been below the minimum for ten seconds, the window is cut to four packets.
    /// Once that few are in flight, the mode lasts 200 ms and at least one round; then the window
    /// from before is restored.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let due = self.min_rtt_stamp.saturating_add(self.config.min_rtt_win);
        let expired = is_past(ack.now, due, self.config.tick);
        self.take_rtt(ack, expired);
        if expired
            && !self.config.probe_rtt_mode.is_zero()
            && !self.idle_restart
            && self.mode != Mode::ProbeRtt
        {
            self.enter_probe_rtt();
        }
        if self.mode == Mode::ProbeRtt {
            self.hold_probe_rtt(ack);
        }
        if ack.rate.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// A sample that equals the minimum leaves its age alone (since Linux 5.11; before, it
    /// postponed PROBE_RTT): on a path without a queue, as many losses make it, the minimum is
    /// matched all the time.
    fn take_rtt(&mut self, ack: &Ack, expired: bool) {
        let Some(rtt) = ack.cc_rtt.or(ack.rtt) else {
            return;
        };
        let lower = self.min_rtt.is_none_or(|min| rtt < min);
        if lower || (expired && !ack.ack_delayed) {
            self.min_rtt = Some(rtt);
            self.min_rtt_stamp = ack.now.rounded_down(self.config.tick);
        }
    }

    fn enter_probe_rtt(&mut self) {
        self.mode = Mode::ProbeRtt;
        self.save_cwnd();
        self.probe_rtt_done_stamp = None;
    }

    fn hold_probe_rtt(&mut self, ack: &Ack) {
        self.app_limited.mark(ack.delivered, ack.inflight);
        if self.probe_rtt_done_stamp.is_some() {
            self.probe_rtt_round_done |= self.rounds.is_start();
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(ack.now);
            }
        } else if ack.inflight <= CWND_MIN_TARGET * self.mss {
            let now = ack.now.rounded_down(self.config.tick);
            self.probe_rtt_done_stamp = Some(now.saturating_add(self.config.probe_rtt_mode));
            self.probe_rtt_round_done = false;
            self.rounds.restart(ack.delivered);
        }
    }

    /// Leaves PROBE_RTT once its time is over, for PROBE_BW or, if the pipe was never full, back
    /// to STARTUP (`bbr_check_probe_rtt_done`).
    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        let tick = self.config.tick;
        let over = |done| is_past(now, done, tick);
        if !self.probe_rtt_done_stamp.is_some_and(over) {
            return;
        }
        self.min_rtt_stamp = now.rounded_down(tick);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.full_pipe.reached() {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Feed, RTT, mbit};
    use super::*;
    use crate::cc::bbr::TICK;
    use acklab_units::Span;

    /// A feed in PROBE_BW whose RTT never comes down to the minimum again.
    fn stale() -> Feed {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.rtt = RTT + Span::from_millis(5);
        feed
    }

    /// Steps in rounds of one RTT until the mode is entered; returns when.
    fn until_probe_rtt(feed: &mut Feed) -> Instant {
        for _ in 0..400 {
            feed.step(RTT, mbit(10));
            if feed.cc.mode == Mode::ProbeRtt {
                return feed.now;
            }
        }
        panic!("PROBE_RTT was never entered");
    }

    #[test]
    fn entered_ten_seconds_after_the_minimum() {
        let mut feed = stale();
        let stamp = feed.cc.min_rtt_stamp;
        let at = until_probe_rtt(&mut feed);
        let after = at - stamp;
        assert!(after > Span::from_secs(10) && after <= Span::from_secs(10) + RTT);
        assert_eq!(feed.cc.cwnd, 4 * feed.cc.mss);
    }

    #[test]
    fn matching_the_minimum_does_not_postpone_it() {
        let mut feed = Feed::probe_bw(mbit(10));
        let stamp = feed.cc.min_rtt_stamp;
        let after = until_probe_rtt(&mut feed) - stamp;
        assert!(after > Span::from_secs(10) && after <= Span::from_secs(10) + RTT);
    }

    #[test]
    fn a_lower_sample_postpones_it() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.now += Span::from_secs(5);
        feed.rtt = RTT - Span::from_micros(1);
        feed.step(RTT, mbit(10));
        assert_eq!(feed.cc.min_rtt_stamp, feed.now.rounded_down(TICK));
    }

    #[test]
    fn lasts_200_ms_from_the_moment_the_path_is_drained() {
        let mut feed = stale();
        until_probe_rtt(&mut feed);
        feed.inflight = 20;
        feed.step(RTT, mbit(10));
        assert_eq!(
            feed.cc.probe_rtt_done_stamp, None,
            "20 packets are still in flight"
        );
        feed.inflight = 4;
        feed.step(RTT, mbit(1));
        let drained = feed.now;
        while feed.cc.mode == Mode::ProbeRtt {
            assert_eq!(feed.cc.cwnd, 4 * feed.cc.mss);
            feed.step(Span::from_millis(10), mbit(1));
        }
        let held = feed.now - drained;
        assert!(
            held > Span::from_millis(200) && held <= Span::from_millis(211),
            "{held:?}"
        );
        assert_eq!(feed.cc.mode, Mode::ProbeBw);
    }

    #[test]
    fn the_window_comes_back() {
        let mut feed = stale();
        let before = feed.cc.cwnd;
        until_probe_rtt(&mut feed);
        feed.inflight = 4;
        while feed.cc.mode == Mode::ProbeRtt {
            feed.step(Span::from_millis(50), mbit(1));
        }
        assert!(feed.cc.cwnd >= before, "{} after {before}", feed.cc.cwnd);
    }

    #[test]
    fn low_samples_of_the_mode_are_ignored() {
        let mut feed = stale();
        until_probe_rtt(&mut feed);
        feed.inflight = 4;
        for _ in 0..19 {
            feed.step(Span::from_millis(11), mbit(1));
        }
        assert_eq!(
            feed.cc.max_bw(),
            mbit(10),
            "19 rounds at a tenth of the rate"
        );
    }

    #[test]
    fn returns_to_startup_if_the_pipe_was_never_full() {
        let mut feed = Feed::new();
        feed.round(mbit(1));
        feed.rtt = RTT * 2;
        feed.app_limited = true;
        until_probe_rtt(&mut feed);
        feed.inflight = 1;
        for _ in 0..10 {
            feed.step(RTT, mbit(1));
        }
        assert_eq!(feed.cc.mode, Mode::Startup);
    }

    #[test]
    fn skipped_when_the_flow_restarts_from_idle() {
        let mut feed = stale();
        feed.now += Span::from_secs(11);
        feed.restart_from_idle();
        feed.step(RTT, mbit(10));
        assert_eq!(feed.cc.mode, Mode::ProbeBw);
        assert_eq!(
            feed.cc.min_rtt,
            Some(feed.rtt),
            "the idle path gave a fresh minimum"
        );
    }

    #[test]
    fn a_delayed_ack_does_not_replace_an_expired_minimum() {
        let mut feed = stale();
        feed.now += Span::from_secs(11);
        feed.ack_delayed = true;
        feed.step(RTT, mbit(10));
        assert_eq!(feed.cc.min_rtt, Some(RTT));
    }
}
