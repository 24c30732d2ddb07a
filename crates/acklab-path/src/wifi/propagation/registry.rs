//! The path losses and fadings that a scenario can name.

use super::{Fading, PathLoss, Tgn};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::Span;

/// Makes a path loss.
pub type BuildPathLoss = fn(&Params) -> PathLoss;

/// Makes a fading.
pub type BuildFading = fn(&Params) -> Fading;

/// Every path loss, ns-3's default first.
pub static PATH_LOSSES: &[Entry<BuildPathLoss>] = &[
    Entry {
        name: "log-distance",
        aliases: &[],
        summary: "Loss at a reference distance, and 10 `exponent` dB more for each decade beyond it.",
        source: "ns-3 LogDistancePropagationLossModel",
        params: LOG_DISTANCE,
        build: |p| PathLoss::LogDistance {
            exponent: p.float("exponent"),
            reference_m: p.float("reference_m"),
            reference_db: p.float("reference_db"),
        },
    },
    Entry {
        name: "friis",
        aliases: &["free-space"],
        summary: "Free space.",
        source: "Friis 1946",
        params: &[],
        build: |_| PathLoss::Friis,
    },
    Entry {
        name: "tgn",
        aliases: &[],
        summary: "Free space up to a breakpoint, beyond it with exponent 3.5.",
        source: "IEEE 802.11-03/940r4",
        params: TGN,
        build: |p| PathLoss::Tgn(environment(p.choice("environment"))),
    },
    Entry {
        name: "fixed",
        aliases: &[],
        summary: "The same between all stations, wherever they are.",
        source: "ns-3 FixedRssLossModel",
        params: FIXED,
        build: |p| PathLoss::Fixed(p.float("loss_db")),
    },
];

const LOG_DISTANCE: &[Param] = &[
    Param {
        name: "exponent",
        doc: "2 in free space, about 3 indoors; ns-3's default.",
        kind: Kind::Float(0.0, 10.0),
        default: Value::Float(3.0),
    },
    Param {
        name: "reference_m",
        doc: "Where the reference was measured, in metres; nearer there is no less loss.",
        kind: Kind::Float(0.001, 10_000.0),
        default: Value::Float(1.0),
    },
    Param {
        name: "reference_db",
        doc: "Loss there, in dB; free space at 5.15 GHz (ns-3).",
        kind: Kind::Float(0.0, 300.0),
        default: Value::Float(46.6777),
    },
];

const TGN: &[Param] = &[Param {
    name: "environment",
    doc: "Residential (B), small office (C), typical office (D), large office (E), large space (F).",
    kind: Kind::Choice(&["B", "C", "D", "E", "F"]),
    default: Value::Choice("D"),
}];

const FIXED: &[Param] = &[Param {
    name: "loss_db",
    doc: "Loss in dB.",
    kind: Kind::Float(0.0, 300.0),
    default: Value::Float(80.0),
}];

fn environment(word: &str) -> Tgn {
    match word {
        "B" => Tgn::B,
        "C" => Tgn::C,
        "E" => Tgn::E,
        "F" => Tgn::F,
        _ => Tgn::D,
    }
}

/// Every fading.
pub static FADINGS: &[Entry<BuildFading>] = &[
    Entry {
        name: "none",
        aliases: &[],
        summary: "The signal is as strong as its mean.",
        source: "ns-3, unless told otherwise",
        params: &[],
        build: |_| Fading::None,
    },
    Entry {
        name: "rayleigh",
        aliases: &[],
        summary: "Many equal paths: the power is exponential.",
        source: "Rayleigh amplitude, block fading",
        params: &[COHERENCE],
        build: |p| Fading::Rayleigh {
            coherence: coherence(p),
        },
    },
    Entry {
        name: "nakagami",
        aliases: &[],
        summary: "The power has a gamma distribution of shape `m`; 1 is Rayleigh, more is steadier.",
        source: "Nakagami 1960, block fading",
        params: &[
            Param {
                name: "m",
                doc: "Shape: the variance of the power is its inverse.",
                kind: Kind::Float(0.5, 1000.0),
                default: Value::Float(1.0),
            },
            COHERENCE,
        ],
        build: |p| Fading::Nakagami {
            m: p.float("m"),
            coherence: coherence(p),
        },
    },
];

/// A walker at 1 m/s moves half a wavelength of 5 GHz, 3 cm, in 30 ms; what is around moves too.
const COHERENCE: Param = Param {
    name: "coherence",
    doc: "How long a draw holds.",
    kind: Kind::Span(Span::from_micros(1), Span::from_secs(3600)),
    default: Value::Span(Span::from_millis(20)),
};

fn coherence(params: &Params) -> Span {
    params.span("coherence").unwrap_or(Span::from_millis(20))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults<B>(entries: &'static [Entry<B>]) {
        for entry in entries {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }

    #[test]
    fn every_default_fits_its_own_parameter() {
        defaults(PATH_LOSSES);
        defaults(FADINGS);
    }

    #[test]
    fn the_first_path_loss_is_that_of_ns3() {
        let entry = &PATH_LOSSES[0];
        let built = (entry.build)(&Params::defaults(entry.params));
        assert_eq!(built, PathLoss::NS3);
    }

    #[test]
    fn each_environment_has_its_own_breakpoint() {
        let entry = PATH_LOSSES.iter().find(|e| e.name == "tgn").unwrap();
        for (word, model) in [
            ("B", Tgn::B),
            ("C", Tgn::C),
            ("D", Tgn::D),
            ("E", Tgn::E),
            ("F", Tgn::F),
        ] {
            let mut params = Params::defaults(entry.params);
            params
                .set(entry.params, "environment", Value::Choice(word))
                .unwrap();
            assert_eq!((entry.build)(&params), PathLoss::Tgn(model));
        }
    }

    #[test]
    fn fadings_take_their_coherence() {
        for entry in &FADINGS[1..] {
            let mut params = Params::defaults(entry.params);
            let coherence = Span::from_millis(7);
            params
                .set(entry.params, "coherence", Value::Span(coherence))
                .unwrap();
            match (entry.build)(&params) {
                Fading::None => panic!("{} does not fade", entry.name),
                Fading::Rayleigh { coherence: c } | Fading::Nakagami { coherence: c, .. } => {
                    assert_eq!(c, coherence);
                }
            }
        }
    }
}
