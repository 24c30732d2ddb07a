//! The parameters that a scenario can set.

use super::profile;
use crate::cc::bbr3::{Machine, overridden};
use crate::cc::{Build, CcInit, CongestionControl};
use crate::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::Span;
use alloc::boxed::Box;

const fn gain(name: &'static str, doc: &'static str) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Float(0.0, 10.0),
        default: Value::Auto,
    }
}

const fn share(name: &'static str, doc: &'static str) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Float(0.0, 1.0),
        default: Value::Auto,
    }
}

const fn span(name: &'static str, doc: &'static str) -> Param {
    let kind = Kind::OptSpan(Span::ZERO, Span::from_secs(3600));
    Param {
        name,
        doc,
        kind,
        default: Value::Auto,
    }
}

/// The parameters that a scenario can set. Unset values are the kernel's.
pub static PARAMS: &[Param] = &[
    Param {
        name: "ecn",
        doc: "Answer ECN marks (v2alpha bbr_ecn_enable, off unless asked for).",
        kind: Kind::Bool,
        default: Value::Bool(false),
    },
    span(
        "ecn_max_rtt",
        "Largest min_rtt at which marks are answered; 5 ms (v2alpha), 0 s = any.",
    ),
    gain(
        "startup_pacing_gain",
        "Pacing gain of STARTUP; 739/256 (v2alpha bbr_high_gain).",
    ),
    gain(
        "startup_cwnd_gain",
        "Window gain of STARTUP and DRAIN; 739/256 (v2alpha).",
    ),
    gain(
        "drain_pacing_gain",
        "Pacing gain of DRAIN; 88/256 (v2alpha bbr_drain_gain).",
    ),
    gain(
        "cwnd_gain",
        "Window gain of PROBE_BW; 2 (v2alpha bbr_cwnd_gain).",
    ),
    gain(
        "probe_down_pacing_gain",
        "Pacing gain of PROBE_BW_DOWN; 0.75 (v2alpha).",
    ),
    gain(
        "probe_up_pacing_gain",
        "Pacing gain of PROBE_BW_UP; 1.25 (v2alpha).",
    ),
    gain(
        "probe_up_cwnd_gain",
        "Window gain of PROBE_BW_UP; 2 (v2alpha bbr_cwnd_gain).",
    ),
    share(
        "loss_thresh",
        "Loss rate of a round at which a probe went too far; 5/256 (v2alpha).",
    ),
    share(
        "beta",
        "What is kept of rate and volume in a round with loss; 180/256 (v2alpha).",
    ),
    share(
        "headroom",
        "Share of inflight_hi left unused while cruising; 38/256 (v2alpha).",
    ),
    gain(
        "extra_acked_gain",
        "Share of extra_acked added to the window; 1, 0 = off (v2alpha).",
    ),
    span(
        "bw_probe_base",
        "Shortest time between probes; 2 s (v2alpha bbr_bw_probe_base_us).",
    ),
    span(
        "bw_probe_rand",
        "Random time on top; 1 s (v2alpha bbr_bw_probe_rand_us).",
    ),
    Param {
        name: "bw_probe_max_rounds",
        doc: "Most rounds between probes, for a fair share with Reno (v2alpha).",
        kind: Kind::Int(1, 255),
        default: Value::Int(63),
    },
    span(
        "probe_rtt_interval",
        "Time between visits to PROBE_RTT; 5 s (v2alpha).",
    ),
    span(
        "probe_rtt_duration",
        "Shortest stay in PROBE_RTT; 200 ms (v2alpha), 0 s = never.",
    ),
    gain(
        "probe_rtt_cwnd_gain",
        "Share of the BDP kept in flight in PROBE_RTT; 0.5 (v2alpha).",
    ),
];

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "bbr2",
    aliases: &["bbrv2"],
    summary: "BBR version 2, Google's alpha release",
    source: "google/bbr branch v2alpha net/ipv4/tcp_bbr2.c",
    params: PARAMS,
    build,
};

fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    Box::new(Machine::new(
        overridden(profile(), params),
        init,
        ENTRY.name,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_values_are_the_kernels() {
        let p = overridden(profile(), &Params::defaults(PARAMS));
        assert_eq!(p.startup_pacing_gain, super::super::HIGH_GAIN);
        assert_eq!(p.probe_down_pacing_gain.of(100), 75);
        assert!(!p.ecn);
    }

    #[test]
    fn every_override_of_the_machine_is_declared() {
        let names: alloc::vec::Vec<_> = PARAMS.iter().map(|p| p.name).collect();
        let of_three = crate::cc::bbr3::PARAMS.iter().map(|p| p.name);
        let missing = of_three
            .filter(|n| *n != "source" && !names.contains(n))
            .count();
        assert_eq!(missing, 0);
    }

    #[test]
    fn the_entry_builds() {
        let init = CcInit {
            mss: 1448,
            initial_cwnd: 14480,
            seed: 1,
            kernel_units: false,
        };
        let cc = (ENTRY.build)(&Params::defaults(PARAMS), init);
        assert_eq!((cc.cwnd(), cc.state()), (14480, "STARTUP"));
    }
}
