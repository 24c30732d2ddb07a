//! Vegas as Linux has it: hold between `alpha` and `beta` segments in the queue.
//!
//! Idea, `alpha`, `beta` and `gamma`: Brakmo and Peterson, "TCP Vegas: end to end congestion
//! avoidance on a global Internet" (1995). Behaviour: `net/ipv4/tcp_vegas.c` (6.12-6.18), which
//! judges once a round and takes the smallest RTT of the round. Fewer than three ACKs a round
//! make it Reno: the smallest could be a delayed ACK's.

pub mod ns3;

use super::newreno::window::Window;
use super::{
    Ack, CcInit, CongestionControl, IdleRestart, Loss, RecoveryPhase, Rto, Sent, Spurious,
};
use crate::registry::{Kind, Param, Params, Value};
use acklab_units::Span;
use alloc::boxed::Box;

/// Most RTT samples of a round that do not suffice for a judgement.
pub const FEW_SAMPLES: u32 = 2;
/// Smallest window of a judgement (segments).
const MIN_CWND: u32 = 2;
/// No RTT yet (us), as there.
const NO_RTT: u64 = 0x7fff_ffff;

/// Parameters of `vegas`.
pub const PARAMS: &[Param] = &[
    Param {
        name: "variant",
        doc: "Whose arithmetic: linux (tcp_vegas.c) or ns3 (TcpVegas of ns-3.44, on the smoothed \
              RTT).",
        kind: Kind::Choice(&["linux", "ns3"]),
        default: Value::Choice("linux"),
    },
    Param {
        name: "alpha",
        doc: "Grow below so many segments in the queue (Brakmo and Peterson 1995; Linux: 2).",
        kind: Kind::Int(0, 1_000_000),
        default: Value::Int(2),
    },
    Param {
        name: "beta",
        doc: "Shrink above so many segments in the queue (Brakmo and Peterson 1995; Linux: 4).",
        kind: Kind::Int(0, 1_000_000),
        default: Value::Int(4),
    },
    Param {
        name: "gamma",
        doc: "Leave slow start above so many segments in the queue (Brakmo and Peterson 1995; \
              Linux: 1).",
        kind: Kind::Int(0, 1_000_000),
        default: Value::Int(1),
    },
];

/// `alpha`, `beta` and `gamma` in segments.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Grow below.
    pub alpha: u64,
    /// Shrink above.
    pub beta: u64,
    /// Leave slow start above.
    pub gamma: u64,
}

/// Makes the controller that `variant` names.
pub fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    let bound = |name| params.int(name) as u64;
    let bounds = Bounds {
        alpha: bound("alpha"),
        beta: bound("beta"),
        gamma: bound("gamma"),
    };
    match params.choice("variant") {
        "ns3" => Box::new(ns3::Ns3Vegas::new(init, bounds)),
        _ => Box::new(LinuxVegas::new(init, bounds)),
    }
}

/// Linux's `struct vegas`.
#[derive(Clone, Debug)]
pub struct LinuxVegas {
    bounds: Bounds,
    window: Window,
    /// The sender's last observed state.
    phase: RecoveryPhase,
    doing_vegas_now: bool,
    /// The round ends when something behind this offset is acknowledged.
    beg_snd_nxt: u64,
    cnt_rtt: u32,
    /// Smallest RTT of the round (us, plus one as there).
    min_rtt: u64,
    /// Smallest RTT since the start or the last idle time (us, plus one).
    base_rtt: u64,
}

impl LinuxVegas {
    /// The controller of a new connection.
    pub fn new(init: CcInit, bounds: Bounds) -> Self {
        Self {
            bounds,
            window: Window::new(init),
            phase: RecoveryPhase::Open,
            doing_vegas_now: true,
            beg_snd_nxt: 0,
            cnt_rtt: 0,
            min_rtt: NO_RTT,
            base_rtt: NO_RTT,
        }
    }

    /// `tcp_vegas_pkts_acked`.
    fn pkts_acked(&mut self, rtt: Option<Span>) {
        let Some(rtt) = rtt else { return };
        let vrtt = rtt.as_micros() + 1;
        self.base_rtt = self.base_rtt.min(vrtt);
        self.min_rtt = self.min_rtt.min(vrtt);
        self.cnt_rtt += 1;
    }

    /// `tcp_vegas_state`: any phase but Open stops the judgements.
    fn follow(&mut self, phase: RecoveryPhase, snd_nxt: u64) {
        if self.phase == phase {
            return;
        }
        self.phase = phase;
        if phase == RecoveryPhase::Open {
            self.enable(snd_nxt);
        } else {
            self.doing_vegas_now = false;
        }
    }

    fn enable(&mut self, snd_nxt: u64) {
        self.doing_vegas_now = true;
        self.beg_snd_nxt = snd_nxt;
        self.forget_round();
    }

    fn forget_round(&mut self) {
        self.cnt_rtt = 0;
        self.min_rtt = NO_RTT;
    }

    /// `tcp_vegas_cong_avoid`. Only where it falls back to Reno does it ask whether the window was
    /// the limit.
    fn cong_avoid(&mut self, ack: &Ack) {
        if !self.doing_vegas_now {
            self.reno(ack);
        } else if ack.snd_una > self.beg_snd_nxt {
            self.beg_snd_nxt = ack.snd_nxt;
            if self.cnt_rtt <= FEW_SAMPLES {
                self.reno(ack);
            } else {
                self.judge(ack.newly_delivered_segments);
            }
            self.forget_round();
        } else if self.window.in_slow_start() {
            self.window.slow_start(ack.newly_delivered_segments);
        }
    }

    fn reno(&mut self, ack: &Ack) {
        if ack.cwnd_limited {
            self.window.reno_cong_avoid(ack.newly_delivered_segments);
        }
    }

    /// Once a round: compares the window with what base RTT and rate account for.
    fn judge(&mut self, acked: u32) {
        let cwnd = u64::from(self.window.snd_cwnd);
        let diff = cwnd * (self.min_rtt - self.base_rtt) / self.base_rtt;
        if self.window.in_slow_start() {
            if diff > self.bounds.gamma {
                let target = (cwnd * self.base_rtt / self.min_rtt) as u32;
                self.window.snd_cwnd = self.window.snd_cwnd.min(target + 1);
                self.lower_ssthresh();
            } else {
                self.window.slow_start(acked);
            }
        } else if diff > self.bounds.beta {
            self.window.snd_cwnd -= 1;
            self.lower_ssthresh();
        } else if diff < self.bounds.alpha {
            self.window.snd_cwnd += 1;
        }
        self.window.snd_cwnd = self.window.snd_cwnd.max(MIN_CWND);
        self.window.snd_ssthresh = self.window.current_ssthresh();
    }

    /// `tcp_vegas_ssthresh`.
    fn lower_ssthresh(&mut self) {
        self.window.snd_ssthresh = self.window.snd_ssthresh.min(self.window.snd_cwnd);
    }
}

impl CongestionControl for LinuxVegas {
    /// `CA_EVENT_TX_START`: everything measured before idle time is stale, base RTT included.
    fn on_sent(&mut self, sent: &Sent) {
        if sent.prior_inflight == 0 {
            self.base_rtt = NO_RTT;
            let own = if sent.retransmission { 0 } else { sent.bytes };
            self.enable(sent.snd_nxt - u64::from(own));
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.pkts_acked(ack.cc_rtt);
        self.follow(ack.phase, ack.snd_nxt);
        if ack.may_grow {
            self.cong_avoid(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.reduce(self.window.reno_ssthresh());
        self.follow(RecoveryPhase::Recovery, loss.snd_nxt);
    }

    fn on_rto(&mut self, rto: &Rto) {
        let ssthresh = rto.first.then(|| self.window.reno_ssthresh());
        self.window.collapse(ssthresh, rto.inflight);
        self.follow(RecoveryPhase::Loss, rto.snd_nxt);
    }

    fn on_spurious(&mut self, _spurious: &Spurious) {
        self.window.undo();
    }

    /// The first segment sent afterwards starts a round ([`Self::on_sent`]).
    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.window.restart(restart.idle, restart.rto);
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }

    fn state(&self) -> &'static str {
        self.window.state()
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("baseRTT", self.base_rtt as f64);
        out("minRTT", self.min_rtt as f64);
        out("cntRTT", f64::from(self.cnt_rtt));
        out("doing_vegas_now", f64::from(u8::from(self.doing_vegas_now)));
    }
}

#[cfg(test)]
mod tests;
