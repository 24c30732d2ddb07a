//! ns-3's contract, and the ordinary one for other senders.

use super::{Mode, Ns3Port, Phase};
use crate::cc::bbr1::ns3::{facts, sample};
use crate::cc::newreno::ns3::ByteWindow;
use crate::cc::ns3::{Callbacks, Facts, Sample};
use crate::cc::{Ack, CongestionControl, Loss, RecoveryExit, RecoveryPhase, Rto};
use acklab_units::{Instant, Rate, Span};

impl Ns3Port {
    /// The first time that the state becomes Open: the handshake is over.
    fn begin(&mut self, f: &Facts) {
        self.initialized = true;
        if !f.last_rtt.is_zero() {
            self.min_rtt = f.last_rtt;
        }
        self.probe_rtt_min_stamp = f.now;
        self.min_rtt_stamp = f.now;
        self.prior_cwnd = self.window.cwnd;
        self.init_pacing_rate(f.min_rtt);
    }
}

impl Callbacks for Ns3Port {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }

    fn state_set(&mut self, f: &Facts, to: RecoveryPhase) {
        match to {
            RecoveryPhase::Open if !self.initialized => self.begin(f),
            RecoveryPhase::Loss => {
                self.save_cwnd(f.phase);
                self.round_start = true;
                self.restart_full_pipe(0);
                if self.is_probing() && self.inflight_lo == super::UNSET {
                    self.inflight_lo = self.prior_cwnd;
                }
            }
            _ => {}
        }
    }

    fn ss_thresh(&mut self, f: &Facts) -> u64 {
        self.save_cwnd(f.phase);
        self.window.ssthresh
    }

    fn tx_start(&mut self, f: &Facts) {
        if !self.app_limited {
            return;
        }
        self.idle_restart = true;
        match self.mode {
            Mode::ProbeBw => self.set_pacing_rate(f, 1.0),
            Mode::ProbeRtt => self.check_probe_rtt_done(f.now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, f: &Facts, s: &Sample) {
        self.main(f, s);
    }
}

impl CongestionControl for Ns3Port {
    fn on_handshake_rtt(&mut self, now: Instant, rtt: Span) {
        let f = Facts {
            srtt: rtt,
            last_rtt: rtt,
            min_rtt: rtt,
            ..facts(now)
        };
        self.state_set(&f, RecoveryPhase::Open);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let f = Facts {
            srtt: ack.srtt,
            last_rtt: ack.rtt.unwrap_or(self.min_rtt),
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
        self.ss_thresh(&facts(loss.now));
    }

    fn on_rto(&mut self, rto: &Rto) {
        self.state_set(&facts(rto.now), RecoveryPhase::Loss);
        self.window.cwnd = self.window.segment;
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit) {
        if exit.from == RecoveryPhase::Recovery {
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
        match (self.mode, self.phase) {
            (Mode::Startup, _) => "STARTUP",
            (Mode::Drain, _) => "DRAIN",
            (Mode::ProbeRtt, _) => "PROBE_RTT",
            (Mode::ProbeBw, Phase::Up) => "PROBE_BW_UP",
            (Mode::ProbeBw, Phase::Down) => "PROBE_BW_DOWN",
            (Mode::ProbeBw, Phase::Cruise) => "PROBE_BW_CRUISE",
            (Mode::ProbeBw, Phase::Refill) => "PROBE_BW_REFILL",
        }
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bw", self.bw() as f64);
        out("max_bw", self.max_bw() as f64);
        out("min_rtt", self.min_rtt.as_secs_f64());
        out("inflight_hi", self.upper.inflight_hi as f64);
        out("inflight_lo", self.inflight_lo as f64);
        out("pacing_gain", self.pacing_gain);
    }
}
