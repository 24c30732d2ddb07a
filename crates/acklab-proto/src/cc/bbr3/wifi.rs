//! `bbr3-wifi`: version 3 on a path that delivers in lumps.

use super::lumps::{LEAST_LUMP, Lumps};
use super::params::{self, DRAFT, GOOGLE, overridden, ratio};
use super::{Machine, Profile};
use crate::cc::{Build, CcInit, CongestionControl};
use crate::registry::{Entry, Kind, Param, Params, Value};
use alloc::boxed::Box;

const fn share(name: &'static str, doc: &'static str, default: f64) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Float(0.0, 4.0),
        default: Value::Float(default),
    }
}

/// Its additions to version 3.
const OWN: [Param; 7] = [
    Param {
        name: "source",
        doc: "Whose version 3 it builds on: the IETF draft's, or Google's kernel.",
        kind: Kind::Choice(&[DRAFT, GOOGLE]),
        default: Value::Choice(GOOGLE),
    },
    share(
        "lump_floor",
        "Share of a lump that bounds learnt from losses leave in flight beside the BDP, so that the sender is not silent between two A-MPDUs; 0 = off.",
        1.0,
    ),
    share(
        "lump_headroom",
        "Share of a lump that a probe may have in flight above inflight_hi; 0 = off.",
        1.0,
    ),
    Param {
        name: "lump_gentle",
        doc: "A probe sends at most a lump and two packets a round more than the path delivers.",
        kind: Kind::Bool,
        default: Value::Bool(true),
    },
    share(
        "lump_slack",
        "Share of a lump's time by which an RTT may lie above min_rtt and still postpone PROBE_RTT; 0 = off.",
        1.0,
    ),
    share(
        "lump_burst",
        "Share of a lump that is sent at once; it needs tcp.pacing_quantum = 0. 0 = off, which is better behind a shaper.",
        0.0,
    ),
    Param {
        name: "lump_least",
        doc: "Packets below which acknowledgements in a lump count as none; 4 is a delayed ACK and the two packets that it lets go.",
        kind: Kind::Int(1, 1024),
        default: Value::Int(LEAST_LUMP as i64),
    },
];

/// Of version 3 all but its source.
const TAKEN: usize = params::PARAMS.len() - 1;

const ALL: [Param; OWN.len() + TAKEN] = {
    let mut all = [OWN[0]; OWN.len() + TAKEN];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < OWN.len() {
            OWN[i]
        } else {
            params::PARAMS[i + 1 - OWN.len()]
        };
        i += 1;
    }
    all
};

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "bbr3-wifi",
    aliases: &["bbr3_wifi"],
    summary: "BBR version 3 that knows of aggregation: floors, probes and PROBE_RTT by the size of an A-MPDU",
    source: "acklab; after Shrestha, Pokhrel and Kua, TCP BBR Performance over Wi-Fi 6, sections 5.6 and 6",
    params: &ALL,
    build,
};

fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    let source = if params.choice("source") == GOOGLE {
        Profile::google_v3()
    } else {
        Profile::draft()
    };
    let profile = Profile {
        lumps: lumps(params),
        ..overridden(source, params)
    };
    Box::new(Machine::new(profile, init, ENTRY.name))
}

fn lumps(params: &Params) -> Lumps {
    let off = Lumps::OFF;
    Lumps {
        floor: ratio(params, "lump_floor", off.floor),
        headroom: ratio(params, "lump_headroom", off.headroom),
        gentle: params.bool("lump_gentle"),
        slack: ratio(params, "lump_slack", off.slack),
        burst: ratio(params, "lump_burst", off.burst),
        least: params.int("lump_least") as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_every_parameter_of_version_three() {
        for of_three in params::PARAMS {
            assert!(ALL.iter().any(|p| p.name == of_three.name), "{of_three:?}");
        }
    }

    #[test]
    fn its_defaults_are_the_mechanisms() {
        let p = lumps(&Params::defaults(&ALL));
        assert!(p.gentle && p.floor.of(100) == 100 && p.slack.of(100) == 100);
        assert!(p.burst.is_zero());
        assert_eq!(p.headroom.of(100), 100);
    }

    #[test]
    fn it_builds() {
        let init = CcInit {
            mss: 1448,
            initial_cwnd: 14480,
            seed: 1,
            kernel_units: false,
        };
        let cc = (ENTRY.build)(&Params::defaults(&ALL), init);
        assert_eq!((cc.cwnd(), cc.state()), (14480, "STARTUP"));
        assert_eq!(cc.send_quantum(), None);
    }
}
