//! The ordinary contract: under a sender that is not ns-3's the calls are made from its facts.

use super::{Mode, Ns3Bbr};
use crate::cc::ns3::{Callbacks, Facts, Sample};
use crate::cc::{Ack, CongestionControl, Loss, RecoveryExit, RecoveryPhase, Rto};
use acklab_units::{Instant, Rate, Span};

impl CongestionControl for Ns3Bbr {
    fn on_handshake_rtt(&mut self, now: Instant, rtt: Span) {
        let f = Facts {
            srtt: rtt,
            min_rtt: rtt,
            ..facts(now)
        };
        self.state_set(&f, RecoveryPhase::Open);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let f = Facts {
            srtt: ack.srtt,
            last_rtt: ack.rtt.unwrap_or(Span::ZERO),
            min_rtt: ack.min_rtt,
            inflight: ack.inflight,
            delivered: ack.newly_delivered,
            phase: ack.phase,
            ..facts(ack.now)
        };
        self.state_set(&f, RecoveryPhase::Open);
        self.cong_control(&f, &sample(ack));
    }

    fn on_loss(&mut self, loss: &Loss) {
        let f = Facts {
            inflight: loss.inflight,
            ..facts(loss.now)
        };
        self.state_set(&f, RecoveryPhase::Recovery);
    }

    fn on_rto(&mut self, rto: &Rto) {
        self.state_set(&facts(rto.now), RecoveryPhase::Loss);
        self.window.cwnd = self.window.segment;
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit) {
        if exit.from == RecoveryPhase::Recovery {
            self.complete_cwr(&facts(exit.now));
            self.window.cwnd = self.window.cwnd.min(self.window.ssthresh);
        }
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.window.reported_ssthresh()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.initialized.then_some(self.pacing_rate)
    }

    fn needs_pacing(&self) -> bool {
        true
    }

    fn send_quantum(&self) -> Option<u64> {
        Some(self.window.segment)
    }

    fn owns_recovery(&self) -> bool {
        true
    }

    fn callbacks(&mut self) -> Option<&mut dyn Callbacks> {
        Some(self)
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
        out("bw", self.bw.best() as f64);
        out("min_rtt", self.min_rtt.as_secs_f64());
        out("pacing_gain", self.pacing_gain);
        out("cwnd_gain", self.cwnd_gain);
        out(
            "extra_acked",
            self.extra_acked.most[0].max(self.extra_acked.most[1]) as f64,
        );
    }
}

/// Nothing but the time.
pub(in crate::cc) fn facts(now: Instant) -> Facts {
    Facts {
        now,
        srtt: Span::ZERO,
        last_rtt: Span::ZERO,
        min_rtt: Span::MAX,
        inflight: 0,
        high_tx: 0,
        next_tx: 0,
        last_acked: 0,
        delivered: 0,
        cwnd_limited: false,
        phase: RecoveryPhase::Open,
    }
}

/// An ordinary ACK, in ns-3's words.
pub(in crate::cc) fn sample(ack: &Ack) -> Sample {
    Sample {
        delivered_total: ack.delivered,
        timed: ack.rate.delivered > 0,
        delivered: ack.rate.delivered,
        interval: ack.rate.interval,
        rate: ack.rate.rate().unwrap_or(Rate::ZERO),
        prior_delivered: ack.rate.prior_delivered,
        app_limited: ack.rate.is_app_limited,
        acked_sacked: ack.newly_delivered,
        lost_change: ack.newly_lost,
        prior_inflight: ack.prior_inflight,
    }
}
