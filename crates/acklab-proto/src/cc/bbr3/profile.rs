//! Every number and every small rule in which the versions differ.

use super::{Lumps, short_term, startup};
use super::{drain, ecn, full_pipe, long_term, probe_bw, probe_bw_down, probe_bw_up, probe_rtt};
use crate::cc::bbr::{Ratio, TICK};
use acklab_units::Span;

/// When the plateau detector looks, and at what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FullPipeRule {
    /// At the windowed maximum, once per round, until the pipe was full once (v2).
    MaxBwPerRound,
    /// At the latest sample, once per round (the draft).
    SamplePerRound,
    /// At every sample for growth, once per round for its absence (Google v3).
    SamplePerAck,
}

/// The end of PROBE_BW_UP besides loss and marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpExit {
    /// The delivery rate has stopped growing (draft, Google v3).
    Plateau,
    /// A `min_rtt` has passed and this multiple of the BDP is in flight (v2,
    /// `bbr_bw_probe_pif_gain`).
    Queue(Ratio),
}

/// The definition of one loss event of a STARTUP round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossEvent {
    /// A discontiguous range of lost data (the draft).
    Range,
    /// An ACK that revealed losses (the kernels). A stretch ACK counts once.
    Ack,
}

/// The values of one version. Each constant is documented where its state uses it.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Follow the kernel, not the draft, where they differ in detail: in-flight data are taken at
    /// the next departure time and before the ACK; bursts also depend on `min_rtt`.
    pub kernel: bool,
    /// Whether an undone recovery returns to the state it left (the draft only).
    pub undo_returns_to_state: bool,
    /// Pacing gain of STARTUP.
    pub startup_pacing_gain: Ratio,
    /// Window gain of STARTUP and DRAIN.
    pub startup_cwnd_gain: Ratio,
    /// Pacing gain of DRAIN.
    pub drain_pacing_gain: Ratio,
    /// Rounds after which DRAIN ends regardless.
    pub drain_max_rounds: Option<u64>,
    /// Window gain of PROBE_BW.
    pub cwnd_gain: Ratio,
    /// Pacing gain of PROBE_BW_DOWN.
    pub probe_down_pacing_gain: Ratio,
    /// Pacing gain of PROBE_BW_UP.
    pub probe_up_pacing_gain: Ratio,
    /// Window gain of PROBE_BW_UP.
    pub probe_up_cwnd_gain: Ratio,
    /// The end of PROBE_BW_UP.
    pub up_exit: UpExit,
    /// Whether credit towards a higher `inflight_hi` lapses on an ACK that was not window-limited
    /// (v2).
    pub up_credit_lapses: bool,
    /// How the plateau detector works.
    pub full_pipe: FullPipeRule,
    /// Growth that still counts as growth.
    pub full_bw_thresh: Ratio,
    /// Rounds without it.
    pub full_bw_cnt: u32,
    /// Loss events in a round that end STARTUP.
    pub full_loss_cnt: u32,
    /// The definition of a loss event.
    pub loss_event: LossEvent,
    /// Whether the volume delivered in the last round bounds `inflight_hi` from below when loss
    /// ends STARTUP (v3).
    pub startup_keeps_latest: bool,
    /// Loss rate that is too high.
    pub loss_thresh: Ratio,
    /// The share that is kept of bandwidth and volume in a round with loss.
    pub beta: Ratio,
    /// Share of `inflight_hi` left to others while cruising.
    pub headroom: Ratio,
    /// Whether ECN marks are answered at all.
    pub ecn: bool,
    /// Largest `min_rtt` at which they are; no limit if `None`.
    pub ecn_max_rtt: Option<Span>,
    /// Whether a mark rate of exactly the threshold is too high already (v2).
    pub ecn_thresh_inclusive: bool,
    /// Share of `inflight_hi` by which to grow first after a cycle with marks and no loss.
    pub ecn_reprobe_gain: Ratio,
    /// Most rounds between probes.
    pub bw_probe_max_rounds: u64,
    /// Shortest wait between probes.
    pub bw_probe_base: Span,
    /// Randomness on top.
    pub bw_probe_rand: Span,
    /// Age at which `min_rtt` is forgotten.
    pub min_rtt_win: Span,
    /// Time between visits to PROBE_RTT.
    pub probe_rtt_interval: Span,
    /// Whether an RTT that equals the minimum postpones PROBE_RTT (v2).
    pub equal_rtt_postpones: bool,
    /// Shortest stay in PROBE_RTT; zero switches it off.
    pub probe_rtt_duration: Span,
    /// Length of the ticks that PROBE_RTT and the minimum's age count (Google: `tcp_jiffies32`); zero = exact.
    pub tick: Span,
    /// Window gain of PROBE_RTT.
    pub probe_rtt_cwnd_gain: Ratio,
    /// Share of `extra_acked` added to the window.
    pub extra_acked_gain: Ratio,
    /// Burst of one packet below 1.2 Mbit/s (v2).
    pub single_packet_bursts: bool,
    /// Delivery rates are rounded up to multiples of 2^-24 packets per microsecond (Google v3,
    /// `bbr_calculate_bw_sample`).
    pub whole_rates: bool,
    /// The treatment of a path that delivers in lumps (`bbr3-wifi` only).
    pub lumps: Lumps,
}

impl Profile {
    /// draft-ietf-ccwg-bbr, with the ECN response of Google's v3, which the draft leaves open.
    pub const fn draft() -> Self {
        Self {
            kernel: false,
            undo_returns_to_state: true,
            startup_pacing_gain: startup::PACING_GAIN,
            startup_cwnd_gain: startup::CWND_GAIN,
            drain_pacing_gain: drain::PACING_GAIN,
            drain_max_rounds: Some(drain::MAX_ROUNDS),
            cwnd_gain: probe_bw::CWND_GAIN,
            probe_down_pacing_gain: probe_bw_down::PACING_GAIN,
            probe_up_pacing_gain: probe_bw_up::PACING_GAIN,
            probe_up_cwnd_gain: probe_bw_up::CWND_GAIN,
            up_exit: UpExit::Plateau,
            up_credit_lapses: false,
            full_pipe: FullPipeRule::SamplePerRound,
            full_bw_thresh: full_pipe::FULL_BW_THRESH,
            full_bw_cnt: full_pipe::FULL_BW_CNT,
            full_loss_cnt: startup::FULL_LOSS_CNT,
            loss_event: LossEvent::Range,
            startup_keeps_latest: true,
            loss_thresh: long_term::LOSS_THRESH,
            beta: short_term::BETA,
            headroom: long_term::HEADROOM,
            ecn: true,
            ecn_max_rtt: Some(ecn::MAX_RTT),
            ecn_thresh_inclusive: false,
            ecn_reprobe_gain: ecn::REPROBE_GAIN,
            bw_probe_max_rounds: probe_bw::MAX_ROUNDS,
            bw_probe_base: probe_bw::BASE_WAIT,
            bw_probe_rand: probe_bw::RAND_WAIT,
            min_rtt_win: probe_rtt::MIN_RTT_WIN,
            probe_rtt_interval: probe_rtt::INTERVAL,
            equal_rtt_postpones: false,
            probe_rtt_duration: probe_rtt::DURATION,
            probe_rtt_cwnd_gain: probe_rtt::CWND_GAIN,
            extra_acked_gain: Ratio::ONE,
            single_packet_bursts: false,
            whole_rates: false,
            tick: Span::ZERO,
            lumps: Lumps::OFF,
        }
    }

    /// Google's v3 kernel (google/bbr, branch v3).
    pub const fn google_v3() -> Self {
        Self {
            kernel: true,
            undo_returns_to_state: false,
            startup_pacing_gain: startup::PACING_GAIN_KERNEL,
            drain_pacing_gain: drain::PACING_GAIN_KERNEL,
            drain_max_rounds: None,
            probe_down_pacing_gain: probe_bw_down::PACING_GAIN_KERNEL,
            full_pipe: FullPipeRule::SamplePerAck,
            loss_event: LossEvent::Ack,
            loss_thresh: long_term::LOSS_THRESH_KERNEL,
            beta: short_term::BETA_KERNEL,
            headroom: long_term::HEADROOM_KERNEL,
            whole_rates: true,
            tick: TICK,
            ..Self::draft()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table "Summary of Control Behavior in the State Machine" of the draft.
    #[test]
    fn the_drafts_gains() {
        let p = Profile::draft();
        let pacing = [
            p.startup_pacing_gain,
            p.drain_pacing_gain,
            p.probe_down_pacing_gain,
            p.probe_up_pacing_gain,
        ];
        assert_eq!(pacing.map(|g| g.of(100)), [277, 50, 90, 125]);
        let cwnd = [
            p.startup_cwnd_gain,
            p.cwnd_gain,
            p.probe_up_cwnd_gain,
            p.probe_rtt_cwnd_gain,
        ];
        assert_eq!(cwnd.map(|g| g.of(100)), [200, 200, 225, 50]);
    }

    /// The same of the kernel, in its 256ths.
    #[test]
    fn the_kernels_gains() {
        let p = Profile::google_v3();
        let pacing = [
            p.startup_pacing_gain,
            p.drain_pacing_gain,
            p.probe_down_pacing_gain,
            p.probe_up_pacing_gain,
        ];
        assert_eq!(pacing.map(|g| g.of(256)), [710, 88, 232, 320]);
        assert_eq!(
            (p.loss_thresh.of(256), p.beta.of(256), p.headroom.of(256)),
            (5, 180, 38)
        );
    }
}
