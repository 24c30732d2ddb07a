//! BBR version 3: draft-ietf-ccwg-bbr, and Google's kernel (google/bbr, branch v3).
//!
//! Version 1's model of two numbers becomes a model with bounds. The long-term model is what
//! probing taught: `max_bw` and `inflight_hi`. The short-term model is what loss and marks have
//! taught since the last probe: `bw_lo` and `inflight_lo`. The flow acts on the lesser.
//!
//! | state | pacing gain | window gain | bounds | ends |
//! |---|---|---|---|---|
//! | STARTUP | 2.77 | 2 | | plateau, or six loss events at more than 2 % in a round |
//! | DRAIN | 0.5 | 2 | lo | in flight at the BDP, or three rounds |
//! | PROBE_BW_DOWN | 0.9 | 2 | hi, lo | in flight at the BDP and below the headroom |
//! | PROBE_BW_CRUISE | 1 | 2 | 0.85 hi, lo | min(63, target in flight) rounds, or 2 to 3 s |
//! | PROBE_BW_REFILL | 1 | 2 | hi | one round |
//! | PROBE_BW_UP | 1.25 | 2.25 | hi, growing | plateau, or 2 % loss, or half the data marked |
//! | PROBE_RTT | 1 | 0.5 | 0.85 hi, lo | 200 ms and one round |
//!
//! `inflight_hi` and `inflight_lo`, `bw_lo` are `inflight_longterm`, `inflight_shortterm` and
//! `bw_shortterm` in the newest draft; the names here are the kernel's and the older drafts'.
//! The machine also runs version 2, which differs in a [`Profile`] (see `bbr2`).

mod control;
mod cwnd;
mod drain;
mod ecn;
mod full_pipe;
mod long_term;
mod lumps;
mod min_rtt;
mod ns3port;
mod params;
mod probe_bw;
mod probe_bw_cruise;
mod probe_bw_down;
mod probe_bw_refill;
mod probe_bw_up;
mod probe_rtt;
mod profile;
mod short_term;
mod startup;
mod undo;
pub mod wifi;

#[cfg(test)]
mod appendix;
#[cfg(test)]
pub(crate) mod feed;

pub use lumps::Lumps;
pub use params::{ENTRY, PARAMS, overridden};
pub use profile::{FullPipeRule, LossEvent, Profile, UpExit};

use super::bbr::{AppLimited, Arithmetic, CycleMax, Departure, ExtraAcked, Pacing, Ratio, Rounds};
use super::{Ack, CcInit, RecoveryPhase};
use crate::rng::{self, Rng};
use acklab_units::{Instant, Rate};
use ecn::EcnAlpha;
use full_pipe::FullPipe;
use long_term::LongTerm;
use min_rtt::MinRtt;
use probe_bw::{AckPhase, Clock};
use probe_rtt::Stay;
use short_term::ShortTerm;
use startup::LossEvents;
use undo::Undo;

/// The states, with the four phases of PROBE_BW as states of their own, as in the draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Double the rate each round.
    Startup,
    /// Drain the queue that STARTUP made.
    Drain,
    /// Send slower than the path delivers.
    ProbeBwDown,
    /// Send as fast as the path delivers.
    ProbeBwCruise,
    /// The same without the short-term bounds, to fill the pipe before probing.
    ProbeBwRefill,
    /// Send faster than the path delivers.
    ProbeBwUp,
    /// Halve what is in flight to see the bare round-trip time.
    ProbeRtt,
}

impl State {
    /// Whether it is a phase of PROBE_BW (`IsInAProbeBWState`).
    pub const fn is_probe_bw(self) -> bool {
        matches!(
            self,
            Self::ProbeBwDown | Self::ProbeBwCruise | Self::ProbeBwRefill | Self::ProbeBwUp
        )
    }

    /// Whether the flow looks for bandwidth and therefore does not adapt downwards
    /// (`IsProbingBW`).
    pub const fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::ProbeBwRefill | Self::ProbeBwUp)
    }
}

/// The delivery-rate sample of the ACK in progress.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    bw: Rate,
    valid: bool,
    app_limited: bool,
}

/// A sender with BBR's two-bound model: versions 2 and 3.
#[derive(Debug)]
pub struct Machine {
    profile: Profile,
    mss: u64,
    arithmetic: Arithmetic,
    initial_cwnd: u64,
    started: bool,
    state: State,
    sample: Sample,
    rounds: Rounds,
    max_bw: CycleMax<Rate>,
    min_rtt: MinRtt,
    stay: Stay,
    short: ShortTerm,
    long: LongTerm,
    full_pipe: FullPipe,
    loss_events: LossEvents,
    drain_start_round: u64,
    ack_phase: AckPhase,
    clock: Clock,
    ecn: EcnAlpha,
    extra_acked: ExtraAcked,
    app_limited: AppLimited,
    departure: Departure,
    pacing: Pacing,
    /// The last ACK left the state with a pacing gain above one. The kernel's estimate of what is in flight goes
    /// by this, also when a loss has changed the state since (`bbr_update_gains`).
    was_raising: bool,
    idle_restart: bool,
    phase: RecoveryPhase,
    cwnd: u64,
    prior_cwnd: u64,
    undo: Undo,
    rng: Rng,
}

impl Machine {
    /// A sender in STARTUP with the initial window. `name` separates the random draws of versions.
    pub fn new(profile: Profile, init: CcInit, name: &str) -> Self {
        let mss = u64::from(init.mss);
        let unit = if profile.kernel { mss } else { 1 };
        let arithmetic = Arithmetic::new(mss, unit, profile.kernel && init.kernel_units);
        Self {
            profile,
            mss: u64::from(init.mss),
            arithmetic,
            initial_cwnd: init.initial_cwnd,
            started: false,
            state: State::Startup,
            sample: Sample::default(),
            rounds: Rounds::default(),
            max_bw: CycleMax::default(),
            min_rtt: MinRtt::default(),
            stay: Stay::default(),
            short: ShortTerm::default(),
            long: LongTerm::default(),
            full_pipe: FullPipe::default(),
            loss_events: LossEvents::default(),
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            clock: Clock::default(),
            ecn: EcnAlpha::default(),
            extra_acked: ExtraAcked::new(Instant::ZERO),
            app_limited: AppLimited::default(),
            departure: Departure::new(arithmetic.is_fixed_point()),
            pacing: Pacing::new(
                arithmetic,
                init.initial_cwnd,
                None,
                profile.startup_pacing_gain,
            ),
            was_raising: false,
            idle_restart: false,
            phase: RecoveryPhase::Open,
            cwnd: init.initial_cwnd,
            prior_cwnd: 0,
            undo: Undo::default(),
            rng: rng::stream(init.seed, name),
        }
    }

    /// The state.
    pub fn current_state(&self) -> State {
        self.state
    }

    /// Starts the clocks with the first event: a controller is made before time is known.
    fn start(&mut self, now: Instant) {
        if !self.started {
            self.started = true;
            self.min_rtt.start(now.rounded_down(self.profile.tick));
            self.extra_acked.restart_epoch(now);
        }
    }

    /// The windowed maximum of the delivery rate.
    pub fn max_bw(&self) -> Rate {
        self.max_bw.max()
    }

    /// The bandwidth to act on: the lesser of both models (`BoundBWForModel`).
    pub fn bw(&self) -> Rate {
        self.max_bw().min(self.short.bw_lo)
    }

    /// The unit of volumes, in bytes: the kernels count packets and round fractions of
    /// volumes to whole ones, the draft counts bytes.
    fn unit(&self) -> u64 {
        if self.profile.kernel { self.mss } else { 1 }
    }

    /// Pacing gain of the state.
    pub fn pacing_gain(&self) -> Ratio {
        match self.state {
            State::Startup => self.profile.startup_pacing_gain,
            State::Drain => self.profile.drain_pacing_gain,
            State::ProbeBwDown => self.profile.probe_down_pacing_gain,
            State::ProbeBwUp => self.probe_gain(self.profile.probe_up_pacing_gain),
            State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeRtt => Ratio::ONE,
        }
    }

    /// Window gain of the state.
    pub fn cwnd_gain(&self) -> Ratio {
        match self.state {
            State::Startup | State::Drain => self.profile.startup_cwnd_gain,
            State::ProbeBwUp => self.profile.probe_up_cwnd_gain,
            State::ProbeBwDown | State::ProbeBwCruise | State::ProbeBwRefill => {
                self.profile.cwnd_gain
            }
            State::ProbeRtt if self.profile.kernel => Ratio::ONE,
            State::ProbeRtt => self.profile.probe_rtt_cwnd_gain,
        }
    }

    /// Takes one ACK into the model and moves the state machine (`UpdateModelAndState`).
    fn update_model_and_state(&mut self, ack: &Ack) {
        self.take_sample(ack);
        self.update_round(ack);
        self.update_latest_delivery_signals(ack);
        self.update_congestion_signals(ack);
        self.update_ack_aggregation(ack);
        self.check_startup_high_loss(ack);
        self.check_full_bw_reached();
        self.check_startup_done();
        self.check_drain_done(ack);
        self.update_probe_bw_cycle_phase(ack);
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        self.was_raising = self.pacing_gain().is_above_one();
        self.advance_latest_delivery_signals(ack);
    }

    fn take_sample(&mut self, ack: &Ack) {
        let (delivered, interval) = (ack.rate.delivered, ack.rate.interval);
        let counts = if self.profile.whole_rates {
            self.arithmetic.in_fixed_point()
        } else {
            self.arithmetic
        };
        let bw = counts.sample(delivered, interval, true);
        let covered = self.app_limited.covers(ack.rate.prior_delivered);
        self.sample = Sample {
            bw: bw.unwrap_or(Rate::ZERO),
            valid: bw.is_some(),
            app_limited: ack.rate.is_app_limited || covered,
        };
    }

    /// Counts the round and, once in it, the ECN mark rate (`UpdateRound`).
    fn update_round(&mut self, ack: &Ack) {
        if !self.sample.valid {
            self.rounds.skip();
        } else if self.rounds.update(ack.rate.prior_delivered, ack.delivered) {
            self.clock.count_round();
        }
        self.update_ecn(ack);
    }
}
