//! BBRv3 as the public port to ns-3 has it (`TcpBbr3` of github.com/Aruuni/ns3-bbrv3, November
//! 2024), with its defects. It is here to find out what a result that was made with it owes to
//! BBRv3 and what to the port.
//!
//! Where it differs from the kernel that it follows:
//!
//! | what | kernel | port |
//! |---|---|---|
//! | aggregation allowance (`extra_acked`) | added to the window | computed, not added |
//! | headroom below `inflight_hi` | 15 % | one byte: `15 / 100` is an integer division |
//! | cut of `inflight_hi` after a bad probe | to 70 % of the target at least | to the target: `30 / 100` is 0 |
//! | window gain of PROBE_BW_UP | 2.25 | 2: `1 / 4` is 0 |
//! | loss that is too high | 2 % of the flight of the lost packet | 2 % of what is in flight now |
//! | a loss starts a loss round | yes | no |
//! | probing for a fair share with Reno | after 63 rounds | never: the count of rounds is a bit |
//! | `inflight_hi` grows | in PROBE_BW_UP | in every state |
//! | STARTUP | gains 2.77 and 2 | 2.89 and 2.89 |
//! | end of PROBE_BW_UP | plateau | plateau, or 1.25 BDP in flight |
//! | window after recovery | as before | the threshold set when DRAIN began (ns-3's socket) |
//! | first `min_rtt` | the handshake's, if no SYN was lost | the latest RTT, even of a SYN sent twice |
//!
//! Numbers are 32 bits wide there; unset bounds are 2^31 - 1.

mod contract;
mod cycle;
mod model;
#[cfg(test)]
mod tests;
mod window;

use crate::cc::CcInit;
use crate::cc::bbr1::ns3::Draws;
use crate::cc::newreno::ns3::ByteWindow;
use crate::cc::ns3::{Facts, Sample};
use acklab_units::{Instant, Rate, Span};

/// An unset bound (`numeric_limits<int>::max()`).
const UNSET: u64 = i32::MAX as u64;
/// `HighGain`; both gains of STARTUP.
const HIGH_GAIN: f64 = 2.89;

/// `BbrMode_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// `BbrPacingGainPhase_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Up,
    Down,
    Cruise,
    Refill,
}

/// `BbrAckPhase_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// The plateau detector.
#[derive(Clone, Copy, Debug, Default)]
struct FullPipe {
    bw: u64,
    rounds: u32,
    now: bool,
    reached: bool,
}

/// The lessons of loss and delivery in a round.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Delivered bytes that end the loss round.
    loss_end: u64,
    loss_start: bool,
    lost: bool,
    loss_events: u32,
    bw_latest: u64,
    inflight_latest: u64,
}

/// `inflight_hi` and how it is raised.
#[derive(Clone, Copy, Debug)]
struct Upper {
    inflight_hi: u64,
    up_rounds: u32,
    up_count: u64,
    up_acks: u64,
    probe_samples: bool,
    too_high: bool,
    stopped_risky: bool,
}

/// The port's `TcpBbr3`.
#[derive(Clone, Debug)]
pub struct Ns3Port {
    window: ByteWindow,
    initial_cwnd: u64,
    initialized: bool,
    has_seen_rtt: bool,
    mode: Mode,
    phase: Phase,
    ack_phase: AckPhase,
    pacing_gain: f64,
    cwnd_gain: f64,
    pacing_rate: Rate,
    /// The cycle before and this one (bit/s).
    max_bw: [u64; 2],
    bw_lo: u64,
    inflight_lo: u64,
    /// The sample of the ACK in progress (bit/s), zero if there is none.
    sample_bw: u64,
    delivered: u64,
    next_round_delivered: u64,
    round_start: bool,
    round: Round,
    full: FullPipe,
    upper: Upper,
    cycle_stamp: Instant,
    probe_wait: Span,
    min_rtt: Span,
    min_rtt_stamp: Instant,
    probe_rtt_min: Span,
    probe_rtt_min_stamp: Instant,
    probe_rtt_done: Option<Instant>,
    probe_rtt_round_done: bool,
    app_limited: bool,
    idle_restart: bool,
    prior_cwnd: u64,
    draws: Draws,
}

impl Ns3Port {
    /// The controller of a new connection.
    pub fn new(init: CcInit) -> Self {
        Self {
            window: ByteWindow::new(init),
            initial_cwnd: init.initial_cwnd,
            initialized: false,
            has_seen_rtt: false,
            mode: Mode::Startup,
            phase: Phase::Cruise,
            ack_phase: AckPhase::Feedback,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: Rate::ZERO,
            max_bw: [0; 2],
            bw_lo: UNSET,
            inflight_lo: UNSET,
            sample_bw: 0,
            delivered: 0,
            next_round_delivered: 0,
            round_start: false,
            round: Round {
                loss_end: 0,
                loss_start: true,
                lost: true,
                loss_events: 0,
                bw_latest: UNSET,
                inflight_latest: 0,
            },
            full: FullPipe::default(),
            upper: Upper {
                inflight_hi: UNSET,
                up_rounds: 0,
                up_count: 0,
                up_acks: 0,
                probe_samples: false,
                too_high: false,
                stopped_risky: false,
            },
            cycle_stamp: Instant::ZERO,
            probe_wait: Span::ZERO,
            min_rtt: Span::MAX,
            min_rtt_stamp: Instant::ZERO,
            probe_rtt_min: Span::MAX,
            probe_rtt_min_stamp: Instant::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            app_limited: false,
            idle_restart: false,
            prior_cwnd: 0,
            draws: Draws::default(),
        }
    }

    /// `bbr_max_bw`, bit/s.
    fn max_bw(&self) -> u64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// `bbr_bw`, bit/s.
    fn bw(&self) -> u64 {
        self.max_bw().min(self.bw_lo)
    }

    fn is_probing(&self) -> bool {
        let phase = matches!(self.phase, Phase::Refill | Phase::Up);
        self.mode == Mode::Startup || (self.mode == Mode::ProbeBw && phase)
    }

    /// `bbr_main`.
    fn main(&mut self, f: &Facts, s: &Sample) {
        self.delivered = s.delivered_total;
        self.update_round(s);
        self.sample_bw = if s.interval.is_zero() || s.delivered == 0 {
            0
        } else {
            s.rate.as_bps()
        };
        self.update_latest(s);
        self.update_model(f, s);
        self.update_gains();
        self.set_pacing_rate(f, self.pacing_gain);
        self.set_cwnd(f, s);
        if self.round.loss_start {
            self.round.bw_latest = self.sample_bw;
            self.round.inflight_latest = s.delivered;
        }
    }
}
