//! The controller's face to the sender.

use super::{BbrTack, MIN_CWND, Mode};
use crate::cc::{Ack, CongestionControl, EcnEcho, Loss, Rto, Sent};
use acklab_units::{Instant, Rate, Span};

impl CongestionControl for BbrTack {
    fn on_handshake_rtt(&mut self, now: Instant, rtt: Span) {
        self.start(now);
        self.min_rtt = Some(rtt);
        self.min_rtt_stamp = now;
        self.probe_stamp = now;
    }

    fn on_shortest_interval(&mut self, interval: Span) {
        self.shortest = interval.max(Span::from_nanos(1));
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.start(sent.now);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.start(ack.now);
        self.srtt = ack.srtt;
        self.advance(ack.now);
        self.update_bw(ack);
        self.check_full(ack);
        self.change_mode(ack);
        self.set_cwnd(ack);
    }

    /// Losses say nothing about the rate (version 1).
    fn on_loss(&mut self, _loss: &Loss) {}

    /// Nothing is heard: the window opens again by what is delivered.
    fn on_rto(&mut self, rto: &Rto) {
        self.start(rto.now);
        self.cwnd = MIN_CWND * self.mss;
    }

    /// Congestion marks do not slow it down (version 1).
    fn on_ecn(&mut self, _ecn: &EcnEcho) {}

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate())
    }

    fn needs_pacing(&self) -> bool {
        true
    }

    fn owns_recovery(&self) -> bool {
        true
    }

    fn state(&self) -> &'static str {
        match self.mode {
            Mode::Startup => "STARTUP",
            Mode::Drain => "DRAIN",
            Mode::ProbeBw => "PROBE_BW",
            Mode::ProbeRtt => "PROBE_RTT",
        }
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bw", self.max_bw().as_bps() as f64);
        out("min_rtt", self.min_rtt.map_or(f64::NAN, Span::as_secs_f64));
        out("pacing_gain", self.pacing_gain().as_f64());
        let interval = self.interval().map_or(f64::NAN, Span::as_secs_f64);
        out("tack_interval", interval);
        out("intervals", self.ticks as f64);
    }
}
