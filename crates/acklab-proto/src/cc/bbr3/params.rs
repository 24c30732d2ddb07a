//! The parameters that a scenario can set.

use super::ns3port::Ns3Port;
use super::{Machine, Profile};
use crate::cc::bbr::Ratio;
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

/// The word that names the draft.
pub(super) const DRAFT: &str = "draft";
/// The word that names Google's kernel.
pub(super) const GOOGLE: &str = "google";

/// The word that names the public port to ns-3.
const NS3_PORT: &str = "ns3port";

/// The parameters that a scenario can set. Unset values are those of `source`.
pub const PARAMS: &[Param] = &[
    Param {
        name: "source",
        doc: "Whose details: the IETF draft's, those of Google's v3 kernel, or those of the public \
              port to ns-3, defects included, to which the other parameters do not apply.",
        kind: Kind::Choice(&[DRAFT, GOOGLE, NS3_PORT]),
        default: Value::Choice(DRAFT),
    },
    Param {
        name: "ecn",
        doc: "Answer ECN marks as Google's v3 kernel does on routes with ecn_low.",
        kind: Kind::Bool,
        default: Value::Bool(true),
    },
    span(
        "ecn_max_rtt",
        "Largest min_rtt at which marks are answered; 5 ms (Google), 0 s = any.",
    ),
    gain(
        "startup_pacing_gain",
        "Pacing gain of STARTUP; 2.77 (draft).",
    ),
    gain(
        "startup_cwnd_gain",
        "Window gain of STARTUP and DRAIN; 2 (draft).",
    ),
    gain(
        "drain_pacing_gain",
        "Pacing gain of DRAIN; 0.5 (draft), 88/256 (Google).",
    ),
    gain("cwnd_gain", "Window gain of PROBE_BW; 2 (draft)."),
    gain(
        "probe_down_pacing_gain",
        "Pacing gain of PROBE_BW_DOWN; 0.9 (draft), 232/256 (Google).",
    ),
    gain(
        "probe_up_pacing_gain",
        "Pacing gain of PROBE_BW_UP; 1.25 (draft).",
    ),
    gain(
        "probe_up_cwnd_gain",
        "Window gain of PROBE_BW_UP; 2.25 (draft).",
    ),
    share(
        "loss_thresh",
        "Loss rate of a round at which a probe went too far; 0.02 (draft).",
    ),
    share(
        "beta",
        "What is kept of rate and volume in a round with loss; 0.7 (draft).",
    ),
    share(
        "headroom",
        "Share of inflight_hi left unused while cruising; 0.15 (draft).",
    ),
    gain(
        "extra_acked_gain",
        "Share of extra_acked added to the window; 1, 0 = off (Google).",
    ),
    span(
        "bw_probe_base",
        "Shortest time between probes; 2 s (draft).",
    ),
    span("bw_probe_rand", "Random time on top; 1 s (draft)."),
    Param {
        name: "bw_probe_max_rounds",
        doc: "Most rounds between probes, for a fair share with Reno (draft).",
        kind: Kind::Int(1, 255),
        default: Value::Int(super::probe_bw::MAX_ROUNDS as i64),
    },
    span(
        "probe_rtt_interval",
        "Time between visits to PROBE_RTT; 5 s (draft).",
    ),
    span(
        "probe_rtt_duration",
        "Shortest stay in PROBE_RTT; 200 ms (draft), 0 s = never enter it.",
    ),
    gain(
        "probe_rtt_cwnd_gain",
        "Share of the BDP kept in flight in PROBE_RTT; 0.5 (draft).",
    ),
];

/// `profile` with everything that `params` sets. The parameters of [`PARAMS`] other than `source`
/// must be declared.
pub fn overridden(profile: Profile, params: &Params) -> Profile {
    let p = profile;
    Profile {
        ecn: params.bool("ecn"),
        ecn_max_rtt: match params.span("ecn_max_rtt") {
            Some(Span::ZERO) => None,
            set => set.or(p.ecn_max_rtt),
        },
        startup_pacing_gain: ratio(params, "startup_pacing_gain", p.startup_pacing_gain),
        startup_cwnd_gain: ratio(params, "startup_cwnd_gain", p.startup_cwnd_gain),
        drain_pacing_gain: ratio(params, "drain_pacing_gain", p.drain_pacing_gain),
        cwnd_gain: ratio(params, "cwnd_gain", p.cwnd_gain),
        probe_down_pacing_gain: ratio(params, "probe_down_pacing_gain", p.probe_down_pacing_gain),
        probe_up_pacing_gain: ratio(params, "probe_up_pacing_gain", p.probe_up_pacing_gain),
        probe_up_cwnd_gain: ratio(params, "probe_up_cwnd_gain", p.probe_up_cwnd_gain),
        loss_thresh: ratio(params, "loss_thresh", p.loss_thresh),
        beta: ratio(params, "beta", p.beta),
        headroom: ratio(params, "headroom", p.headroom),
        extra_acked_gain: ratio(params, "extra_acked_gain", p.extra_acked_gain),
        probe_rtt_cwnd_gain: ratio(params, "probe_rtt_cwnd_gain", p.probe_rtt_cwnd_gain),
        bw_probe_base: params.span("bw_probe_base").unwrap_or(p.bw_probe_base),
        bw_probe_rand: params.span("bw_probe_rand").unwrap_or(p.bw_probe_rand),
        bw_probe_max_rounds: params.int("bw_probe_max_rounds") as u64,
        probe_rtt_interval: params
            .span("probe_rtt_interval")
            .unwrap_or(p.probe_rtt_interval),
        probe_rtt_duration: params
            .span("probe_rtt_duration")
            .unwrap_or(p.probe_rtt_duration),
        ..p
    }
}

/// `name` as a fraction if it was set; the source's own fraction if not.
pub(super) fn ratio(params: &Params, name: &str, default: Ratio) -> Ratio {
    match params.value(name) {
        Value::Float(x) => Ratio::from_f64(x),
        _ => default,
    }
}

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "bbr3",
    aliases: &["bbrv3"],
    summary: "BBR version 3, by the IETF draft or by Google's kernel",
    source: "draft-ietf-ccwg-bbr; google/bbr branch v3 net/ipv4/tcp_bbr.c",
    params: PARAMS,
    build,
};

fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    if params.choice("source") == NS3_PORT {
        return Box::new(Ns3Port::new(init));
    }
    let google = params.choice("source") == GOOGLE;
    let source = if google {
        Profile::google_v3()
    } else {
        Profile::draft()
    };
    Box::new(Machine::new(overridden(source, params), init, ENTRY.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_values_are_the_sources() {
        let params = Params::defaults(PARAMS);
        for source in [Profile::draft(), Profile::google_v3()] {
            let p = overridden(source, &params);
            assert_eq!(p.startup_pacing_gain, source.startup_pacing_gain);
            assert_eq!((p.beta, p.headroom), (source.beta, source.headroom));
            assert_eq!(p.bw_probe_max_rounds, 63);
            assert_eq!(p.ecn_max_rtt, source.ecn_max_rtt);
        }
    }

    #[test]
    fn a_scenario_overrides() {
        let mut params = Params::defaults(PARAMS);
        for (name, value) in [
            ("beta", Value::Float(0.8)),
            ("ecn", Value::Bool(false)),
            ("ecn_max_rtt", Value::Span(Span::ZERO)),
            ("probe_rtt_interval", Value::Span(Span::from_secs(10))),
            ("bw_probe_max_rounds", Value::Int(30)),
        ] {
            params.set(PARAMS, name, value).unwrap();
        }
        let p = overridden(Profile::draft(), &params);
        assert_eq!(p.beta.of(10), 8);
        assert_eq!((p.ecn, p.ecn_max_rtt), (false, None));
        assert_eq!(p.probe_rtt_interval, Span::from_secs(10));
        assert_eq!(p.bw_probe_max_rounds, 30);
    }

    #[test]
    fn both_sources_build() {
        let init = CcInit {
            mss: 1448,
            initial_cwnd: 14480,
            seed: 1,
            kernel_units: false,
        };
        for source in [DRAFT, GOOGLE] {
            let mut params = Params::defaults(PARAMS);
            params.set(PARAMS, "source", Value::Choice(source)).unwrap();
            let cc = (ENTRY.build)(&params, init);
            assert_eq!((cc.cwnd(), cc.state()), (14480, "STARTUP"));
            assert!(cc.needs_pacing() && cc.owns_recovery());
        }
    }
}
