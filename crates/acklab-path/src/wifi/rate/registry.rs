//! The rate controls that a scenario can name.

use acklab_proto::registry::{Entry, Kind, Param, Params, Value};

/// How a mode is chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// Always the same.
    Fixed,
    /// The fastest that loses an MPDU of `bytes` bytes with at most the probability `loss`.
    Ideal {
        /// Size of an MPDU.
        bytes: u32,
        /// Probability.
        loss: f64,
    },
    /// By trial.
    Minstrel,
}

/// Makes a rule.
pub type Build = fn(&Params) -> Rule;

/// Every rate control.
pub static CONTROLS: &[Entry<Build>] = &[
    Entry {
        name: "fixed",
        aliases: &[],
        summary: "Always the mode that `mcs` or `rate` says.",
        source: "ns-3 ConstantRateWifiManager",
        params: &[],
        build: |_| Rule::Fixed,
    },
    Entry {
        name: "ideal",
        aliases: &[],
        summary: "The fastest mode that the signal allows, as the last PPDU that arrived had it.",
        source: "ns-3 IdealWifiManager, by packet instead of bit errors",
        params: IDEAL,
        build: |p| Rule::Ideal {
            bytes: p.int("bytes") as u32,
            loss: p.float("loss"),
        },
    },
    Entry {
        name: "minstrel",
        aliases: &["minstrel-ht"],
        summary: "By trial, from what was acknowledged.",
        source: "Linux net/mac80211/rc80211_minstrel_ht.c",
        params: &[],
        build: |_| Rule::Minstrel,
    },
];

const IDEAL: &[Param] = &[
    Param {
        name: "bytes",
        doc: "Size of the MPDU that is to arrive; a full packet of 1500 bytes with its headers.",
        kind: Kind::Int(1, 11_454),
        default: Value::Int(1538),
    },
    Param {
        name: "loss",
        doc: "Most often that it may be lost; a tenth, from where on a faster mode gains less.",
        kind: Kind::Float(1e-9, 0.999),
        default: Value::Float(0.1),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_own_parameter() {
        for entry in CONTROLS {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }

    #[test]
    fn names_build_their_rules() {
        let built = CONTROLS
            .iter()
            .map(|e| (e.build)(&Params::defaults(e.params)));
        let ideal = Rule::Ideal {
            bytes: 1538,
            loss: 0.1,
        };
        assert!(built.eq([Rule::Fixed, ideal, Rule::Minstrel]));
    }
}
