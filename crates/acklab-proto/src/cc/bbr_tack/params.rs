//! The parameters that a scenario can set.

use super::BbrTack;
use super::cycle::PHASE;
use crate::cc::{Build, CcInit, CongestionControl};
use crate::registry::{Entry, Kind, Param, Params, Value};
use alloc::boxed::Box;

/// How PROBE_RTT looks for a lower minimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Probing {
    /// A packet per interval, every ten seconds.
    Floor,
    /// Three quarters of the rate, every 2.5 seconds.
    Gentle,
}

/// Values that a scenario may change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    /// Intervals of a cycle of PROBE_BW.
    pub cycle: u64,
    /// Intervals of the maximum filter.
    pub window: u64,
    pub probe_rtt: Probing,
    /// beta and L of Eq. 3.
    pub beta: u64,
    pub packets: u64,
}

/// Intervals of the filter beside those of a cycle: the probing phases of two cycles then lie within
/// it (ToN VI-D: 40 for 32, 20 for 16).
const fn window(cycle: u64) -> u64 {
    cycle + cycle / PHASE
}

impl Config {
    fn from_params(p: &Params) -> Self {
        let cycle = match p.choice("cycle") {
            "16" => 16,
            _ => 32,
        };
        Self {
            cycle,
            window: window(cycle),
            probe_rtt: match p.choice("probe_rtt") {
                "gentle" => Probing::Gentle,
                _ => Probing::Floor,
            },
            beta: p.int("beta") as u64,
            packets: p.int("l") as u64,
        }
    }
}

/// The parameters.
pub const PARAMS: &[Param] = &[
    Param {
        name: "cycle",
        doc: "Intervals between TACKs in a cycle of PROBE_BW: 4 of gain 1.25, 4 of 0.75, the rest of 1 \
              (ToN VI-D); the maximum filter is a quarter longer. 16 converges faster (ToN VII-D).",
        kind: Kind::Choice(&["32", "16"]),
        default: Value::Choice("32"),
    },
    Param {
        name: "probe_rtt",
        doc: "How a lower RTT is looked for: a packet per interval after 10 s, or three quarters of \
              the rate after 2.5 s, each for 200 ms or an RTT (ToN VI-D).",
        kind: Kind::Choice(&["floor", "gentle"]),
        default: Value::Choice("floor"),
    },
    Param {
        name: "beta",
        doc: "beta of Eq. 3, as the transport has it: a controller does not see who acknowledges.",
        kind: Kind::Int(2, 64),
        default: Value::Int(4),
    },
    Param {
        name: "l",
        doc: "L of Eq. 3, likewise.",
        kind: Kind::Int(1, 255),
        default: Value::Int(2),
    },
];

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "bbr-tack",
    aliases: &[],
    summary: "The BBR that was designed with TACK: samples, cycle and filter by the interval between \
              two TACKs.",
    source: "Li et al., IEEE/ACM ToN 29(6) 2021, section VI-D; STARTUP and DRAIN of Linux \
             net/ipv4/tcp_bbr.c",
    params: PARAMS,
    build,
};

fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    Box::new(BbrTack::new(Config::from_params(params), init))
}

#[cfg(test)]
pub(super) fn config(words: &[(&str, &'static str)]) -> Config {
    let mut params = Params::defaults(PARAMS);
    for (name, word) in words {
        params.set(PARAMS, name, Value::Choice(word)).unwrap();
    }
    Config::from_params(&params)
}
