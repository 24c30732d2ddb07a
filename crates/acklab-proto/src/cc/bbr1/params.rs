//! The parameters that a scenario can set, and the source's defaults.

use super::{Bbr1, control, ns3};
use crate::cc::bbr::{Ratio, TICK};
use crate::cc::{Build, CcInit, CongestionControl};
use crate::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::Span;
use alloc::boxed::Box;

/// Values that a scenario may change.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Pacing and window gain of STARTUP.
    pub high_gain: Ratio,
    /// Pacing gain of DRAIN.
    pub drain_gain: Ratio,
    /// Window gain of PROBE_BW.
    pub cwnd_gain: Ratio,
    /// Share of the aggregation estimate that is added to the window.
    pub extra_acked_gain: Ratio,
    /// Age at which the minimum RTT is measured anew.
    pub min_rtt_win: Span,
    /// Time spent at the minimum window; zero switches PROBE_RTT off.
    pub probe_rtt_mode: Span,
    /// Whether the policer detector runs.
    pub lt_bw: bool,
    /// Length of the ticks that PROBE_RTT counts (`tcp_jiffies32`); zero = its times are exact.
    pub tick: Span,
}

/// 2/ln 2, the smallest gain that doubles the delivered volume each round, rounded up to 256ths
/// (`bbr_high_gain` = 739/256).
pub const HIGH_GAIN: Ratio = Ratio::per_256(256 * 2885 / 1000 + 1);
/// The inverse of [`HIGH_GAIN`], so that DRAIN takes about a round (`bbr_drain_gain` = 88/256).
pub const DRAIN_GAIN: Ratio = Ratio::per_256(256 * 1000 / 2885);
/// Twice the BDP tolerates delayed and stretched ACKs (`bbr_cwnd_gain`).
pub const CWND_GAIN: Ratio = Ratio::new(2, 1);
/// The whole aggregation estimate is added (`bbr_extra_acked_gain`).
pub const EXTRA_ACKED_GAIN: Ratio = Ratio::ONE;
/// Age of the minimum RTT that triggers PROBE_RTT (`bbr_min_rtt_win_sec`).
pub const MIN_RTT_WIN: Span = Span::from_secs(10);
/// Shortest stay in PROBE_RTT (`bbr_probe_rtt_mode_ms`).
pub const PROBE_RTT_MODE: Span = Span::from_millis(200);

impl Default for Config {
    fn default() -> Self {
        Self {
            high_gain: HIGH_GAIN,
            drain_gain: DRAIN_GAIN,
            cwnd_gain: CWND_GAIN,
            extra_acked_gain: EXTRA_ACKED_GAIN,
            min_rtt_win: MIN_RTT_WIN,
            probe_rtt_mode: PROBE_RTT_MODE,
            lt_bw: true,
            tick: TICK,
        }
    }
}

impl Config {
    /// The defaults, overridden by what `params` sets.
    fn from_params(params: &Params) -> Self {
        let d = Self::default();
        Self {
            high_gain: ratio(params, "high_gain", d.high_gain),
            drain_gain: ratio(params, "drain_gain", d.drain_gain),
            cwnd_gain: ratio(params, "cwnd_gain", d.cwnd_gain),
            extra_acked_gain: ratio(params, "extra_acked_gain", d.extra_acked_gain),
            min_rtt_win: params.span("min_rtt_win").unwrap_or(d.min_rtt_win),
            probe_rtt_mode: params.span("probe_rtt_mode").unwrap_or(d.probe_rtt_mode),
            lt_bw: params.bool("lt_bw"),
            tick: params.span("tick").unwrap_or(d.tick),
        }
    }
}

/// `name` as an exact fraction if it was set; the source's own fraction if not.
fn ratio(params: &Params, name: &str, default: Ratio) -> Ratio {
    match params.value(name) {
        Value::Float(x) => Ratio::from_f64(x),
        _ => default,
    }
}

const fn gain(name: &'static str, doc: &'static str) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Float(0.0, 10.0),
        default: Value::Auto,
    }
}

/// The parameters that a scenario can set.
pub static PARAMS: &[Param] = &[
    Param {
        name: "variant",
        doc: "Whose: linux (tcp_bbr.c) or ns3 (TcpBbr of ns-3.44, to which the other parameters do \
              not apply).",
        kind: Kind::Choice(&["linux", "ns3"]),
        default: Value::Choice("linux"),
    },
    gain(
        "high_gain",
        "Pacing and window gain of STARTUP; 739/256 (Linux bbr_high_gain).",
    ),
    gain(
        "drain_gain",
        "Pacing gain of DRAIN; 88/256 (Linux bbr_drain_gain).",
    ),
    gain(
        "cwnd_gain",
        "Window gain of PROBE_BW; 2 (Linux bbr_cwnd_gain).",
    ),
    gain(
        "extra_acked_gain",
        "Share of extra_acked added to the window; 1, 0 = off (Linux).",
    ),
    Param {
        name: "min_rtt_win",
        doc: "Age of the minimum RTT that triggers PROBE_RTT (Linux bbr_min_rtt_win_sec).",
        kind: Kind::Span(Span::from_millis(1), Span::from_secs(3600)),
        default: Value::Span(MIN_RTT_WIN),
    },
    Param {
        name: "probe_rtt_mode",
        doc: "Shortest stay in PROBE_RTT, 0 = never enter it (Linux bbr_probe_rtt_mode_ms).",
        kind: Kind::Span(Span::ZERO, Span::from_secs(60)),
        default: Value::Span(PROBE_RTT_MODE),
    },
    Param {
        name: "lt_bw",
        doc: "Detect token-bucket policers and pace at the policed rate (Linux bbr_lt_bw_*).",
        kind: Kind::Bool,
        default: Value::Bool(true),
    },
    Param {
        name: "tick",
        doc: "Length of the ticks in which PROBE_RTT counts time, 0 = exact (Linux tcp_jiffies32: 4 ms with HZ = 250).",
        kind: Kind::Span(Span::ZERO, Span::from_millis(10)),
        default: Value::Span(TICK),
    },
];

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "bbr1",
    aliases: &["bbr", "bbrv1"],
    summary: "BBR version 1, as Linux ships it",
    source: "Linux net/ipv4/tcp_bbr.c",
    params: PARAMS,
    build,
};

fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    match params.choice("variant") {
        "ns3" => Box::new(ns3::Ns3Bbr::new(init)),
        _ => control::boxed(Bbr1::new(Config::from_params(params), init)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_gains_are_the_kernels_fractions() {
        let c = Config::from_params(&Params::defaults(PARAMS));
        assert_eq!(
            (c.high_gain, c.drain_gain),
            (Ratio::new(739, 256), Ratio::new(88, 256))
        );
        assert_eq!((c.cwnd_gain, c.extra_acked_gain), (CWND_GAIN, Ratio::ONE));
        assert_eq!(
            (c.min_rtt_win, c.probe_rtt_mode),
            (MIN_RTT_WIN, PROBE_RTT_MODE)
        );
        assert!(c.lt_bw);
    }

    #[test]
    fn a_scenario_overrides() {
        let mut p = Params::defaults(PARAMS);
        p.set(PARAMS, "cwnd_gain", Value::Float(2.5)).unwrap();
        p.set(PARAMS, "lt_bw", Value::Bool(false)).unwrap();
        let c = Config::from_params(&p);
        assert_eq!(c.cwnd_gain.of(1000), 2500);
        assert!(!c.lt_bw);
    }

    #[test]
    fn the_entry_builds_a_paced_controller() {
        let init = CcInit {
            mss: 1448,
            initial_cwnd: 14480,
            seed: 1,
            kernel_units: false,
        };
        let cc = (ENTRY.build)(&Params::defaults(PARAMS), init);
        assert!(cc.needs_pacing() && cc.owns_recovery());
        assert_eq!((cc.cwnd(), cc.state()), (14480, "STARTUP"));
    }
}
