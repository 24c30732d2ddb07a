//! The BBR that was designed with TACK: "receiver-based BBR" of the journal version (IEEE/ACM ToN
//! 29(6), 2021, section VI-D).
//!
//! Its clock is the interval between two TACKs, `1 / f` of Eq. 3, not the round trip: the receiver
//! measures the delivery rate once per interval, so the phases of the gain cycle and the window of the
//! maximum are counted in intervals.
//!
//! | mode | pacing gain | ends |
//! |---|---|---|
//! | STARTUP | 2.89 | three rounds without 25 % growth |
//! | DRAIN | 0.35 | in flight at or below one BDP |
//! | PROBE_BW | 4 intervals of 1.25, 4 of 0.75, the rest of 1 | never |
//! | PROBE_RTT | a packet per interval | 200 ms or an RTT, the longer |
//!
//! STARTUP and DRAIN are version 1's, from which the journal starts. Loss changes nothing but after a
//! timeout. Where TCP acknowledges instead, the same code runs; it takes the latest two ACKs for the
//! latest two intervals.

mod control;
mod cycle;
mod params;
mod probe_rtt;
#[cfg(test)]
mod tests;

pub use params::{ENTRY, PARAMS};

use super::bbr::{AppLimited, MaxFilter, Ratio, Rounds, round_up};
use super::{Ack, CcInit};
use crate::rng::{self, Rng};
use acklab_units::{Instant, Rate, Span};
use params::Config;

/// Pacing gain of STARTUP (`bbr_high_gain`, 2/ln 2).
const HIGH_GAIN: Ratio = Ratio::per_256(739);
/// Pacing gain of DRAIN, its inverse (`bbr_drain_gain`).
const DRAIN_GAIN: Ratio = Ratio::per_256(88);
/// The window in BDPs, before the share for the interval (ToN VI-D: `2 + 1 / (RTT_min f)`).
const CWND_GAIN: Ratio = Ratio::new(2, 1);
/// Growth per round that keeps STARTUP going (`bbr_full_bw_thresh`), and the rounds without.
const FULL_BW_THRESH: Ratio = Ratio::new(5, 4);
const FULL_BW_CNT: u32 = 3;
/// Packets below which the window never falls (`bbr_cwnd_min_target`).
const MIN_CWND: u64 = 4;

/// The modes, with the names of version 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// A sender with this controller.
#[derive(Debug)]
pub struct BbrTack {
    config: Config,
    mss: u64,
    initial_cwnd: u64,
    started: bool,
    mode: Mode,
    rounds: Rounds,
    /// BW_max, over intervals.
    bw: MaxFilter<Rate>,
    /// The sample before the latest.
    previous: Option<Rate>,
    full_bw: Rate,
    full_rounds: u32,
    full: bool,
    min_rtt: Option<Span>,
    min_rtt_stamp: Instant,
    /// When the minimum was last lowered or looked for.
    probe_stamp: Instant,
    probe_rtt_until: Option<Instant>,
    /// Intervals that have passed, and when the one under way began.
    ticks: u64,
    tick_at: Instant,
    /// The interval at which the gain cycle began.
    cycle_began: u64,
    app_limited: AppLimited,
    srtt: Span,
    cwnd: u64,
    /// No interval is shorter.
    shortest: Span,
    rng: Rng,
}

impl BbrTack {
    /// A sender in STARTUP with the initial window.
    fn new(config: Config, init: CcInit) -> Self {
        Self {
            mss: u64::from(init.mss),
            initial_cwnd: init.initial_cwnd,
            started: false,
            mode: Mode::Startup,
            rounds: Rounds::default(),
            bw: MaxFilter::new(config.window, Rate::ZERO),
            previous: None,
            full_bw: Rate::ZERO,
            full_rounds: 0,
            full: false,
            min_rtt: None,
            min_rtt_stamp: Instant::ZERO,
            probe_stamp: Instant::ZERO,
            probe_rtt_until: None,
            ticks: 0,
            tick_at: Instant::ZERO,
            cycle_began: 0,
            app_limited: AppLimited::default(),
            srtt: Span::ZERO,
            cwnd: init.initial_cwnd,
            shortest: Span::from_nanos(1),
            rng: rng::stream(init.seed, "bbr-tack"),
            config,
        }
    }

    fn start(&mut self, now: Instant) {
        if !self.started {
            self.started = true;
            self.min_rtt_stamp = now;
            self.probe_stamp = now;
            self.tick_at = now;
        }
    }

    /// BW_max.
    fn max_bw(&self) -> Rate {
        self.bw.max()
    }

    /// `1 / f` of Eq. 3: the longer of `L MSS / bw` and `RTT_min / beta`; `None` while neither is known.
    fn interval(&self) -> Option<Span> {
        let timed = self.min_rtt? / self.config.beta;
        let bw = self.max_bw();
        if bw == Rate::ZERO {
            return Some(timed);
        }
        let counted = bw.serialisation(self.config.packets * self.mss);
        Some(timed.max(counted).max(self.shortest))
    }

    /// Counts the intervals that have passed by now.
    fn advance(&mut self, now: Instant) {
        let Some(interval) = self.interval().filter(|i| !i.is_zero()) else {
            return;
        };
        let passed = now.saturating_since(self.tick_at).as_nanos() / interval.as_nanos();
        self.ticks += passed;
        self.tick_at = self.tick_at.saturating_add(interval.saturating_mul(passed));
    }

    /// "Bytes of the last two TACK intervals, times f / 2": the mean of two samples. One that the
    /// application limits is left out unless it shows more than was known.
    fn update_bw(&mut self, ack: &Ack) {
        let Some(rate) = ack.rate.rate() else {
            self.rounds.skip();
            return;
        };
        self.rounds.update(ack.rate.prior_delivered, ack.delivered);
        let previous = self.previous.replace(rate).unwrap_or(rate);
        let mean = Rate::from_bps(previous.as_bps() / 2 + rate.as_bps() / 2);
        let limited = ack.rate.is_app_limited || self.app_limited.covers(ack.rate.prior_delivered);
        if !limited || mean > self.max_bw() {
            self.bw.update(self.ticks, mean);
        }
    }

    /// The pipe is full once three rounds have each failed to raise the rate by a quarter
    /// (`bbr_check_full_bw_reached`).
    fn check_full(&mut self, ack: &Ack) {
        if self.full || !self.rounds.is_start() || ack.rate.is_app_limited {
            return;
        }
        if self.max_bw() >= FULL_BW_THRESH.of_rate(self.full_bw) {
            self.full_bw = self.max_bw();
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.full = self.full_rounds >= FULL_BW_CNT;
    }

    fn change_mode(&mut self, ack: &Ack) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && ack.inflight <= self.bdp(Ratio::ONE) {
            self.enter_probe_bw();
        }
        self.check_probe_rtt(ack);
        if self.mode == Mode::ProbeRtt {
            self.app_limited.mark(ack.delivered, ack.inflight);
        }
    }

    /// `gain` times the bandwidth-delay product, in bytes.
    fn bdp(&self, gain: Ratio) -> u64 {
        let volume = self
            .min_rtt
            .map_or(self.initial_cwnd, |rtt| self.max_bw().bytes_in(rtt));
        gain.of(volume)
    }

    /// The window that the model asks for: "cwnd_gain = 2 + 1 / (RTT_min f)" BDPs, which is the window
    /// of version 1 and what arrives in an interval. A window is sent in whole packets and acknowledged by
    /// L of them at least, so it is rounded up; where that is less than a probe needs, the probe has two
    /// packets more (`bbr_quantization_budget`, where L is 2).
    fn target(&self) -> u64 {
        let gain = if self.full { CWND_GAIN } else { HIGH_GAIN };
        let interval = self.interval().unwrap_or(Span::ZERO);
        let volume = self.bdp(gain) + self.max_bw().bytes_in(interval);
        let whole = round_up(volume, self.config.packets * self.mss);
        let probe = if self.is_probing() { 2 * self.mss } else { 0 };
        (whole + probe).max(MIN_CWND * self.mss)
    }

    /// The window goes to the target by no more than what was delivered (`bbr_set_cwnd`).
    fn set_cwnd(&mut self, ack: &Ack) {
        let target = self.target();
        if self.full {
            self.cwnd = (self.cwnd + ack.newly_delivered).min(target);
        } else if self.cwnd < target || ack.delivered < self.initial_cwnd {
            self.cwnd += ack.newly_delivered;
        }
        self.cwnd = self.cwnd.max(MIN_CWND * self.mss);
    }

    /// "MSS f": a packet per interval, below which the rate never falls.
    fn least_rate(&self) -> Rate {
        self.interval().map_or(Rate::ZERO, |interval| {
            Rate::from_bytes_over(self.mss, interval)
        })
    }

    fn pacing_gain(&self) -> Ratio {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBw => self.cycle_gain(),
            Mode::ProbeRtt => self.probe_rtt_gain(),
        }
    }

    /// "max(gain BW_max, MSS f)"; before a sample, the window over the RTT.
    fn rate(&self) -> Rate {
        if self.max_bw() == Rate::ZERO {
            let rtt = match (self.srtt, self.min_rtt) {
                (srtt, _) if !srtt.is_zero() => srtt,
                (_, min) => min.unwrap_or(super::bbr::NOMINAL_RTT),
            };
            return HIGH_GAIN.of_rate(Rate::from_bytes_over(self.cwnd, rtt));
        }
        let rate = self.pacing_gain().of_rate(self.max_bw());
        // Per-packet samples of a start-up may lag behind the window.
        rate.max(self.least_rate())
    }
}
