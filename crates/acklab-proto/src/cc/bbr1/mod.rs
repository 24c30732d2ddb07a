//! BBR version 1 as Linux ships it (`net/ipv4/tcp_bbr.c`).
//!
//! The controller keeps a model of two numbers, the windowed maximum of the delivery rate and the
//! windowed minimum of the round-trip time, and derives pacing rate and window from them:
//!
//! | mode | pacing gain | window gain | ends |
//! |---|---|---|---|
//! | STARTUP | 2.89 | 2.89 | three rounds without 25 % growth |
//! | DRAIN | 0.35 | 2.89 | in flight at or below one BDP |
//! | PROBE_BW | 1.25, 0.75, six times 1 | 2 | never; a phase lasts about a `min_rtt` |
//! | PROBE_RTT | 1 | window of 4 packets | 200 ms and a round |
//!
//! Loss changes the window only during recovery (packet conservation, then slow start up to twice
//! what is delivered) and, when it looks like a token-bucket policer, the bandwidth (`lt_bw`).
//!
//! Volumes are bytes here and packets in the source; since every step rounds to whole packets
//! where the source does, full-sized packets give the same numbers.

mod control;
mod cwnd;
mod drain;
mod lt_bw;
pub mod ns3;
mod params;
mod probe_bw;
mod probe_rtt;
mod recovery;
mod startup;
#[cfg(test)]
mod tests;

pub use params::{ENTRY, PARAMS};

use super::bbr::{
    AckedNow, AppLimited, Arithmetic, Departure, EXTRA_ACKED_WIN_RTTS, ExtraAcked, MaxFilter,
    Pacing, Ratio, Rounds,
};
use super::{Ack, CcInit, RecoveryPhase};
use crate::rng::{self, Rng};
use acklab_units::{Instant, Rate, Span};
use lt_bw::LtBw;
use params::Config;
use startup::FullPipe;

/// Window length of the bandwidth maximum in rounds (`bbr_bw_rtts`, cycle length plus two).
pub const BW_RTTS: u64 = probe_bw::CYCLE_LEN as u64 + 2;

/// The modes (`enum bbr_mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Ramp up the rate rapidly to fill the pipe.
    Startup,
    /// Drain the queue that Startup made.
    Drain,
    /// Pace around the estimated bandwidth, now and then above it.
    ProbeBw,
    /// Cut in-flight data to the minimum to see the bare round-trip time.
    ProbeRtt,
}

/// A BBRv1 sender.
#[derive(Debug)]
pub struct Bbr1 {
    config: Config,
    mss: u64,
    arithmetic: Arithmetic,
    initial_cwnd: u64,
    started: bool,
    mode: Mode,
    rounds: Rounds,
    bw: MaxFilter<Rate>,
    min_rtt: Option<Span>,
    min_rtt_stamp: Instant,
    probe_rtt_done_stamp: Option<Instant>,
    probe_rtt_round_done: bool,
    cycle_idx: usize,
    cycle_stamp: Instant,
    full_pipe: FullPipe,
    lt: LtBw,
    extra_acked: ExtraAcked,
    app_limited: AppLimited,
    departure: Departure,
    pacing: Pacing,
    pacing_gain: Ratio,
    cwnd_gain: Ratio,
    idle_restart: bool,
    prev_phase: RecoveryPhase,
    packet_conservation: bool,
    cwnd: u64,
    prior_cwnd: u64,
    ssthresh: u64,
    lost: u64,
    rng: Rng,
}

impl Bbr1 {
    /// A sender in STARTUP with the initial window.
    pub fn new(config: Config, init: CcInit) -> Self {
        let arithmetic =
            Arithmetic::new(u64::from(init.mss), u64::from(init.mss), init.kernel_units);
        Self {
            config,
            mss: u64::from(init.mss),
            arithmetic,
            initial_cwnd: init.initial_cwnd,
            started: false,
            mode: Mode::Startup,
            rounds: Rounds::default(),
            bw: MaxFilter::new(BW_RTTS, Rate::ZERO),
            min_rtt: None,
            min_rtt_stamp: Instant::ZERO,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            cycle_idx: 0,
            cycle_stamp: Instant::ZERO,
            full_pipe: FullPipe::default(),
            lt: LtBw::default(),
            extra_acked: ExtraAcked::new(Instant::ZERO),
            app_limited: AppLimited::default(),
            departure: Departure::new(init.kernel_units),
            pacing: Pacing::new(arithmetic, init.initial_cwnd, None, config.high_gain),
            pacing_gain: config.high_gain,
            cwnd_gain: config.high_gain,
            idle_restart: false,
            prev_phase: RecoveryPhase::Open,
            packet_conservation: false,
            cwnd: init.initial_cwnd,
            prior_cwnd: 0,
            ssthresh: u64::MAX,
            lost: 0,
            rng: rng::stream(init.seed, "bbr1"),
        }
    }

    /// Starts the clocks with the first event: a controller is made before time is known.
    fn start(&mut self, now: Instant) {
        if !self.started {
            self.started = true;
            self.min_rtt_stamp = now.rounded_down(self.config.tick);
            self.extra_acked.restart_epoch(now);
        }
    }

    /// Windowed maximum of the delivery rate (`bbr_max_bw`).
    fn max_bw(&self) -> Rate {
        self.bw.max()
    }

    /// The bandwidth to act on: the policed rate if one was found, else the maximum (`bbr_bw`).
    fn bw(&self) -> Rate {
        self.lt.in_use().unwrap_or(self.max_bw())
    }

    /// Takes one ACK into the model, in the order of `bbr_update_model`.
    fn update_model(&mut self, ack: &Ack) {
        self.update_bw(ack);
        self.update_ack_aggregation(ack);
        self.update_cycle_phase(ack);
        self.check_full_bw_reached(ack);
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.update_gains();
    }

    /// Counts the round and takes the delivery-rate sample (`bbr_update_bw`).
    ///
    /// Samples taken while the application limited the flow count only if they raise the maximum.
    fn update_bw(&mut self, ack: &Ack) {
        if ack.rate.interval.is_zero() {
            self.rounds.skip();
            return;
        }
        if self.rounds.update(ack.rate.prior_delivered, ack.delivered) {
            self.packet_conservation = false;
        }
        self.lt_bw_sampling(ack);
        let sample = &ack.rate;
        let bw = self
            .arithmetic
            .sample(sample.delivered, sample.interval, false)
            .unwrap_or(Rate::ZERO);
        if !self.is_app_limited(ack) || bw >= self.max_bw() {
            self.bw.update(self.rounds.count(), bw);
        }
    }

    /// Whether the sample is limited by the application, or by PROBE_RTT.
    fn is_app_limited(&self, ack: &Ack) -> bool {
        ack.rate.is_app_limited || self.app_limited.covers(ack.rate.prior_delivered)
    }

    /// Feeds the aggregation estimate (`bbr_update_ack_aggregation`).
    fn update_ack_aggregation(&mut self, ack: &Ack) {
        if ack.rate.interval.is_zero() {
            return;
        }
        self.extra_acked.update(&AckedNow {
            now: ack.now,
            newly_acked: ack.newly_delivered,
            bw: self.bw(),
            cwnd: self.cwnd,
            mss: self.mss,
            arithmetic: self.arithmetic,
            round_start: self.rounds.is_start(),
            window_rounds: EXTRA_ACKED_WIN_RTTS,
        });
    }

    /// Sets the gains of the mode (`bbr_update_gains`).
    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (self.config.high_gain, self.config.high_gain),
            Mode::Drain => (self.config.drain_gain, self.config.high_gain),
            Mode::ProbeBw if self.lt.in_use().is_some() => (Ratio::ONE, self.config.cwnd_gain),
            Mode::ProbeBw => (probe_bw::PACING_GAIN[self.cycle_idx], self.config.cwnd_gain),
            Mode::ProbeRtt => (Ratio::ONE, Ratio::ONE),
        };
    }
}
