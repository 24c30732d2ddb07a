//! PROBE_RTT: the rate falls for a while, so that the queue empties and the minimum shows.

use super::params::Probing;
use super::{BbrTack, Mode};
use crate::cc::Ack;
use crate::cc::bbr::Ratio;
use acklab_units::{Instant, Span};

/// Age at which a minimum is forgotten (ToN VI-D: 10 s).
const MIN_RTT_WIN: Span = Span::from_secs(10);
/// Time between two gentle looks (ToN VI-D: 2.5 s), and the gain of one.
const GENTLE_WIN: Span = Span::from_millis(2_500);
const GENTLE_GAIN: Ratio = Ratio::new(3, 4);
/// The shortest look (ToN VI-D: "max(RTT, 200 ms)").
const SHORTEST: Span = Span::from_millis(200);

impl BbrTack {
    /// Takes the sample of this report, and looks for a lower one if none came for long.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        let now = ack.now;
        if self.mode == Mode::ProbeRtt {
            self.check_done(now);
        }
        let win = match self.config.probe_rtt {
            Probing::Floor => MIN_RTT_WIN,
            Probing::Gentle => GENTLE_WIN,
        };
        let due = now > self.probe_stamp.saturating_add(win);
        self.update_min_rtt(ack);
        if due && self.mode == Mode::ProbeBw {
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_until = Some(now.saturating_add(ack.srtt.max(SHORTEST)));
        }
    }

    fn update_min_rtt(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let expired = ack.now > self.min_rtt_stamp.saturating_add(MIN_RTT_WIN);
        if expired || self.min_rtt.is_none_or(|min| rtt <= min) {
            self.min_rtt = Some(rtt);
            self.min_rtt_stamp = ack.now;
            self.probe_stamp = ack.now;
        }
    }

    fn check_done(&mut self, now: Instant) {
        if self.probe_rtt_until.is_some_and(|t| now >= t) {
            self.probe_rtt_until = None;
            self.probe_stamp = now;
            self.min_rtt_stamp = match self.config.probe_rtt {
                Probing::Floor => now,
                Probing::Gentle => self.min_rtt_stamp,
            };
            self.enter_probe_bw();
        }
    }

    /// Zero is the least rate, a packet per interval.
    pub(super) fn probe_rtt_gain(&self) -> Ratio {
        match self.config.probe_rtt {
            Probing::Floor => Ratio::new(0, 1),
            Probing::Gentle => GENTLE_GAIN,
        }
    }
}
