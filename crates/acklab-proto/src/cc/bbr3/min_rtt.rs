//! The two minima of the round-trip time.

use super::{Machine, Profile};
use crate::cc::Ack;
use crate::cc::bbr::is_past;
use acklab_units::{Instant, Span};

/// The minimum to compute the BDP with, and the fresher one that schedules PROBE_RTT.
#[derive(Clone, Debug, Default)]
pub(super) struct MinRtt {
    min: Option<Span>,
    stamp: Instant,
    probe_min: Option<Span>,
    probe_stamp: Instant,
    probe_expired: bool,
}

impl MinRtt {
    /// Starts both clocks.
    pub fn start(&mut self, now: Instant) {
        self.stamp = now;
        self.probe_stamp = now;
    }

    /// The handshake's round-trip time is the first sample of both.
    pub fn start_with(&mut self, now: Instant, rtt: Span) {
        self.start(now);
        self.min = Some(rtt);
        self.probe_min = Some(rtt);
    }

    /// The minimum of the last ten seconds.
    pub fn get(&self) -> Option<Span> {
        self.min
    }

    /// Whether PROBE_RTT is due (`probe_rtt_expired`).
    pub fn is_probe_due(&self) -> bool {
        self.probe_expired
    }

    /// PROBE_RTT is over: the next one is due an interval from now.
    pub fn schedule_probe(&mut self, now: Instant) {
        self.probe_stamp = now;
    }

    /// Takes the ACK's sample, if it has one (`UpdateMinRTT`).
    fn update(&mut self, now: Instant, rtt: Option<Span>, delayed: bool, p: &Profile, slack: Span) {
        let due = self.probe_stamp.saturating_add(p.probe_rtt_interval);
        self.probe_expired = is_past(now, due, p.tick);
        if let Some(rtt) = rtt {
            let lower = match self.probe_min {
                Some(min) if p.equal_rtt_postpones => rtt <= min,
                Some(min) => rtt < min,
                None => true,
            };
            if lower || (self.probe_expired && !(delayed && p.kernel)) {
                self.probe_min = Some(rtt);
                self.probe_stamp = now.rounded_down(p.tick);
            } else if !slack.is_zero() && self.probe_min.is_some_and(|min| rtt <= min + slack) {
                self.probe_stamp = now.rounded_down(p.tick);
            }
        }
        self.follow(now, p);
    }

    /// Lets the longer minimum follow the fresher one down, or up once it is too old.
    fn follow(&mut self, now: Instant, p: &Profile) {
        let Some(fresh) = self.probe_min else { return };
        let expired = is_past(now, self.stamp.saturating_add(p.min_rtt_win), p.tick);
        let lower = match self.min {
            Some(min) if p.kernel => fresh <= min,
            Some(min) => fresh < min,
            None => true,
        };
        if lower || expired {
            self.min = Some(fresh);
            self.stamp = self.probe_stamp;
        }
    }
}

impl Machine {
    /// Feeds both minima with the round-trip time of the newest packet this ACK covers.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let rtt = ack.cc_rtt.or(ack.rtt);
        let slack = self.rtt_slack();
        self.min_rtt
            .update(ack.now, rtt, ack.ack_delayed, &self.profile, slack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAFT: Profile = Profile::draft();

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn rtt(ms: u64) -> Option<Span> {
        Some(Span::from_millis(ms))
    }

    #[test]
    fn follows_lower_samples_at_once() {
        let mut m = MinRtt::default();
        m.update(at(0), rtt(50), false, &DRAFT, Span::ZERO);
        m.update(at(10), rtt(40), false, &DRAFT, Span::ZERO);
        m.update(at(20), rtt(60), false, &DRAFT, Span::ZERO);
        assert_eq!(m.get(), rtt(40));
    }

    #[test]
    fn is_due_five_seconds_after_the_last_lower_sample() {
        let mut m = MinRtt::default();
        m.update(at(1000), rtt(40), false, &DRAFT, Span::ZERO);
        m.update(at(6000), rtt(50), false, &DRAFT, Span::ZERO);
        assert!(!m.is_probe_due(), "exactly five seconds are not more");
        m.update(at(6001), rtt(50), false, &DRAFT, Span::ZERO);
        assert!(m.is_probe_due());
        assert_eq!(m.get(), rtt(40), "the longer window still remembers");
    }

    #[test]
    fn an_equal_sample_postpones_only_in_version_two() {
        for equal_rtt_postpones in [true, false] {
            let p = Profile {
                equal_rtt_postpones,
                ..DRAFT
            };
            let mut m = MinRtt::default();
            m.update(at(0), rtt(40), false, &p, Span::ZERO);
            m.update(at(4000), rtt(40), false, &p, Span::ZERO);
            m.update(at(6000), rtt(50), false, &p, Span::ZERO);
            assert_eq!(m.is_probe_due(), !equal_rtt_postpones);
        }
    }

    #[test]
    fn rises_after_ten_seconds() {
        let mut m = MinRtt::default();
        m.update(at(0), rtt(40), false, &DRAFT, Span::ZERO);
        for t in 1..=100 {
            m.update(at(t * 100), rtt(70), false, &DRAFT, Span::ZERO);
            assert_eq!(m.get(), rtt(40), "{} ms", t * 100);
        }
        m.update(at(10_001), rtt(70), false, &DRAFT, Span::ZERO);
        assert_eq!(m.get(), rtt(70));
    }

    #[test]
    fn the_kernel_ignores_delayed_acks_when_it_must_raise() {
        for (p, raised) in [(Profile::google_v3(), false), (DRAFT, true)] {
            let mut m = MinRtt::default();
            m.update(at(0), rtt(40), false, &p, Span::ZERO);
            m.update(at(5001), rtt(90), true, &p, Span::ZERO);
            assert_eq!(m.probe_min == rtt(90), raised);
        }
    }

    #[test]
    fn an_ack_without_a_sample_only_ages() {
        let mut m = MinRtt::default();
        m.update(at(0), None, false, &DRAFT, Span::ZERO);
        assert_eq!(m.get(), None);
        m.update(at(6000), None, false, &DRAFT, Span::ZERO);
        assert!(m.is_probe_due());
    }
}
