//! The controller's face to the sender.

use super::{Bbr1, Mode};
use crate::cc::bbr::Ratio;
use crate::cc::{Ack, CongestionControl, EcnEcho, Loss, Rto, SegmentLost, Sent, Spurious};
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;

/// `bbr` behind the object-safe trait.
pub(super) fn boxed(bbr: Bbr1) -> Box<dyn CongestionControl> {
    Box::new(bbr)
}

impl Bbr1 {
    /// A flow that the application had limited sends again after silence (`CA_EVENT_TX_START`):
    /// pace at the estimate, no faster, and leave PROBE_RTT if its time has passed.
    fn restart_from_idle(&mut self, now: Instant) {
        self.idle_restart = true;
        self.extra_acked.restart_epoch(now);
        match self.mode {
            Mode::ProbeBw => self.pacing.set(self.bw(), Ratio::ONE, true),
            Mode::ProbeRtt => self.check_probe_rtt_done(now),
            Mode::Startup | Mode::Drain => {}
        }
    }
}

impl CongestionControl for Bbr1 {
    fn on_handshake_rtt(&mut self, now: Instant, rtt: Span) {
        self.start(now);
        self.min_rtt = Some(rtt);
        self.min_rtt_stamp = now.rounded_down(self.config.tick);
        self.pacing
            .on_rtt(self.cwnd, Some(rtt), self.config.high_gain);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.start(sent.now);
        if sent.idle_restart && sent.app_limited {
            self.restart_from_idle(sent.now);
        }
        let rate = self.pacing.rate();
        self.departure
            .on_sent(sent.exact, u64::from(sent.bytes), rate);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.start(ack.now);
        self.update_model(ack);
        let srtt = (!ack.srtt.is_zero()).then_some(ack.srtt);
        self.pacing.on_rtt(self.cwnd, srtt, self.config.high_gain);
        self.pacing
            .set(self.bw(), self.pacing_gain, self.full_pipe.reached());
        self.set_cwnd(ack);
        self.lost = ack.lost;
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.save_cwnd();
    }

    fn on_segment_lost(&mut self, lost: &SegmentLost) {
        self.lost += u64::from(lost.bytes);
    }

    fn on_rto(&mut self, rto: &Rto) {
        self.start(rto.now);
        self.enter_loss(rto);
    }

    /// Congestion marks do not slow version 1 down.
    fn on_ecn(&mut self, _ecn: &EcnEcho) {
        self.save_cwnd();
    }

    fn on_spurious(&mut self, spurious: &Spurious) {
        let delivered = self.rounds.delivered();
        self.undo(spurious, delivered);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pacing.rate())
    }

    fn needs_pacing(&self) -> bool {
        true
    }

    fn owns_recovery(&self) -> bool {
        true
    }

    /// `bbr_sndbuf_expand`: the window may grow even in recovery.
    fn buffered_windows(&self) -> u64 {
        3
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
        out("bw", self.bw().as_bps() as f64);
        out("min_rtt", self.min_rtt.map_or(f64::NAN, Span::as_secs_f64));
        out("pacing_gain", self.pacing_gain.as_f64());
        out("cwnd_gain", self.cwnd_gain.as_f64());
        out("cycle_idx", self.cycle_idx as f64);
        out("extra_acked", self.extra_acked.max() as f64);
        out("round_count", self.rounds.count() as f64);
        out("lt_bw", self.lt.in_use().map_or(0.0, |r| r.as_bps() as f64));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Feed, RTT, mbit};
    use super::*;

    #[test]
    fn the_first_flight_is_paced_at_the_handshakes_rtt() {
        let mut feed = Feed::new();
        let nominal = feed.cc.pacing_rate().unwrap();
        feed.cc.on_handshake_rtt(feed.now, RTT);
        let paced = feed.cc.pacing_rate().unwrap();
        assert_eq!(nominal.as_bps() / paced.as_bps(), RTT.as_millis());
        assert_eq!(feed.cc.min_rtt, Some(RTT));
    }

    #[test]
    fn a_restart_from_idle_paces_at_the_estimate() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.cycle_idx = 0;
        feed.cc.update_gains();
        feed.restart_from_idle();
        assert_eq!(feed.cc.pacing_rate(), Some(Rate::from_bps(9_900_000)));
        assert!(feed.cc.idle_restart);
    }

    #[test]
    fn congestion_marks_change_nothing_visible() {
        let mut feed = Feed::probe_bw(mbit(10));
        let before = (feed.cc.cwnd(), feed.cc.pacing_rate());
        let (now, inflight) = (feed.now, 0);
        feed.cc.on_ecn(&EcnEcho {
            now,
            inflight,
            outstanding: 0,
            snd_nxt: 0,
        });
        assert_eq!((feed.cc.cwnd(), feed.cc.pacing_rate()), before);
    }

    #[test]
    fn the_trace_speaks_the_sources_language() {
        let feed = Feed::probe_bw(mbit(10));
        let mut seen = alloc::vec::Vec::new();
        feed.cc.trace(&mut |name, value| seen.push((name, value)));
        assert!(seen.contains(&("bw", 1e7)));
        assert!(seen.contains(&("min_rtt", 0.048)));
        assert!(seen.iter().any(|(n, _)| *n == "extra_acked"));
    }
}
