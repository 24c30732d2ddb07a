//! `TcpBbr` as ns-3.44 has it.
//!
//! It follows Linux's file with floating point and differs where a run shows it: the rate samples
//! of ns-3's socket are too high when segments leave in pairs, so that the queue fills up to the
//! window's cap; lost bytes count when they are marked *and* when they are acknowledged; the
//! window falls to the threshold when recovery ends; the aggregation estimate starts anew after
//! 4096 bytes; the place where a gain cycle begins comes from a fixed generator. There is no
//! policer detector. Source: `src/internet/model/tcp-bbr.cc`.

mod contract;
mod control;
mod draws;
mod filter;
mod model;
mod probe_rtt;
#[cfg(test)]
mod tests;

use super::super::newreno::ns3::ByteWindow;
use super::super::ns3::{Callbacks, Facts, Sample};
use super::super::{CcInit, RecoveryPhase};
use acklab_units::{Instant, Rate, Span};
pub(in crate::cc) use contract::{facts, sample};
pub(in crate::cc) use draws::Draws;
use filter::MaxFilter;

/// `HighGain`.
const HIGH_GAIN: f64 = 2.89;
/// Window gain of PROBE_BW.
const CWND_GAIN: f64 = 2.0;
/// `PACING_GAIN_CYCLE`.
const PACING_GAIN: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// `BbrMode_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// `m_extraAcked` and what goes with it.
#[derive(Clone, Copy, Debug, Default)]
struct ExtraAcked {
    /// Largest excess of the last two windows (bytes).
    most: [u64; 2],
    index: usize,
    /// Rounds since the windows last changed.
    rounds: u32,
    epoch: Instant,
    epoch_acked: u64,
}

/// ns-3's `TcpBbr`.
#[derive(Clone, Debug)]
pub struct Ns3Bbr {
    window: ByteWindow,
    initial_cwnd: u64,
    mode: Mode,
    pacing_gain: f64,
    cwnd_gain: f64,
    pacing_rate: Rate,
    bw: MaxFilter,
    initialized: bool,
    /// The pacing rate was initialised from a measured RTT.
    has_seen_rtt: bool,
    // rounds
    delivered: u64,
    next_round_delivered: u64,
    round_count: u32,
    round_start: bool,
    // full pipe
    pipe_filled: bool,
    full_bw: u64,
    full_bw_count: u32,
    // the smallest RTT and PROBE_RTT
    min_rtt: Span,
    min_rtt_stamp: Instant,
    min_rtt_expired: bool,
    probe_rtt_done: Option<Instant>,
    probe_rtt_round_done: bool,
    app_limited: u64,
    idle_restart: bool,
    // gain cycle
    cycle_stamp: Instant,
    cycle_index: usize,
    draws: Draws,
    // window
    prior_cwnd: u64,
    target_cwnd: u64,
    packet_conservation: bool,
    extra_acked: ExtraAcked,
}

impl Ns3Bbr {
    /// The controller of a new connection.
    pub fn new(init: CcInit) -> Self {
        Self {
            window: ByteWindow::new(init),
            initial_cwnd: init.initial_cwnd,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: Rate::ZERO,
            bw: MaxFilter::default(),
            initialized: false,
            has_seen_rtt: false,
            delivered: 0,
            next_round_delivered: 0,
            round_count: 0,
            round_start: false,
            pipe_filled: false,
            full_bw: 0,
            full_bw_count: 0,
            min_rtt: Span::MAX,
            min_rtt_stamp: Instant::ZERO,
            min_rtt_expired: false,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            app_limited: 0,
            idle_restart: false,
            cycle_stamp: Instant::ZERO,
            cycle_index: 0,
            draws: Draws::default(),
            prior_cwnd: 0,
            target_cwnd: 0,
            packet_conservation: false,
            extra_acked: ExtraAcked::default(),
        }
    }

    fn min_pipe_cwnd(&self) -> u64 {
        4 * self.window.segment
    }

    /// The first time that the state becomes Open: the handshake is over.
    fn begin(&mut self, f: &Facts) {
        self.initialized = true;
        if !f.srtt.is_zero() {
            self.min_rtt = f.srtt;
        }
        self.min_rtt_stamp = f.now;
        self.prior_cwnd = self.window.cwnd;
        self.target_cwnd = self.window.cwnd;
        self.extra_acked.epoch = f.now;
        self.enter_startup();
        self.init_pacing_rate(f.min_rtt);
    }

    fn enter_startup(&mut self) {
        self.mode = Mode::Startup;
        self.pacing_gain = HIGH_GAIN;
        self.cwnd_gain = HIGH_GAIN;
    }

    /// `SaveCwnd`.
    fn save_cwnd(&mut self, phase: RecoveryPhase) {
        let modulated = phase == RecoveryPhase::Recovery || self.mode == Mode::ProbeRtt;
        let prior = if modulated { self.prior_cwnd } else { 0 };
        self.prior_cwnd = prior.max(self.window.cwnd);
    }

    /// `RestoreCwnd`.
    fn restore_cwnd(&mut self) {
        self.window.cwnd = self.window.cwnd.max(self.prior_cwnd);
    }
}

impl Callbacks for Ns3Bbr {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }

    fn state_set(&mut self, f: &Facts, to: RecoveryPhase) {
        match to {
            RecoveryPhase::Open if !self.initialized => self.begin(f),
            RecoveryPhase::Loss => {
                self.save_cwnd(f.phase);
                self.round_start = true;
            }
            RecoveryPhase::Recovery => {
                self.save_cwnd(f.phase);
                self.window.cwnd = f.inflight + f.delivered.max(self.window.segment);
                self.packet_conservation = true;
            }
            _ => {}
        }
    }

    /// The threshold only means something when recovery ends.
    fn ss_thresh(&mut self, f: &Facts) -> u64 {
        self.save_cwnd(f.phase);
        self.window.ssthresh
    }

    fn complete_cwr(&mut self, _f: &Facts) {
        self.packet_conservation = false;
        self.restore_cwnd();
    }

    fn tx_start(&mut self, f: &Facts) {
        if self.app_limited == 0 {
            return;
        }
        self.idle_restart = true;
        self.extra_acked.epoch = f.now;
        self.extra_acked.epoch_acked = 0;
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
        self.delivered = s.delivered_total;
        self.update_model(f, s);
        self.set_pacing_rate(f, self.pacing_gain);
        self.set_cwnd(f, s);
    }
}
