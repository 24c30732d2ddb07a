//! CUBIC (RFC 9438), as Linux and as ns-3 have it.

pub mod bictcp;
pub mod hystart;
pub mod hystartpp;
pub mod linux;
pub mod ns3;

use super::{CcInit, CongestionControl};
use crate::registry::{Kind, Param, Params, Value};
use alloc::boxed::Box;

/// How slow start may end before a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlowStartExit {
    /// HyStart, as the variant has it.
    HyStart,
    /// HyStart++ (RFC 9406).
    PlusPlus,
    /// By loss only.
    Off,
}

/// Values of the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Give up bandwidth early when the window shrinks (RFC 9438 section 4.7).
    pub fast_convergence: bool,
    /// Never slower than Reno (RFC 9438 section 4.3).
    pub tcp_friendliness: bool,
    /// How slow start ends.
    pub hystart: SlowStartExit,
    /// Factor of the window after a loss, below 1.
    pub beta: f64,
    /// `C` in segments per cubic second.
    pub c: f64,
    /// The flow is paced.
    pub paced: bool,
}

/// Parameters of `cubic`.
pub const PARAMS: &[Param] = &[
    Param {
        name: "variant",
        doc: "Whose arithmetic: linux (tcp_cubic.c, fixed point) or ns3 (TcpCubic of ns-3.44, \
              floating point).",
        kind: Kind::Choice(&["linux", "ns3"]),
        default: Value::Choice("linux"),
    },
    Param {
        name: "fast_convergence",
        doc: "Remember a lower maximum when the window is shrinking (RFC 9438 section 4.7).",
        kind: Kind::Bool,
        default: Value::Bool(true),
    },
    Param {
        name: "tcp_friendliness",
        doc: "Grow at least as Reno does, the Reno-friendly region (RFC 9438 section 4.3).",
        kind: Kind::Bool,
        default: Value::Bool(true),
    },
    Param {
        name: "hystart",
        doc: "How slow start ends before a loss: linux = HyStart as the variant has it, \
              plusplus = HyStart++ (RFC 9406), off.",
        kind: Kind::Choice(&["linux", "plusplus", "off"]),
        default: Value::Choice("linux"),
    },
    Param {
        name: "beta",
        doc: "Factor of the window after a loss (RFC 9438 section 4.6; Linux rounds it to \
              717/1024).",
        kind: Kind::Float(0.01, 0.99),
        default: Value::Float(0.7),
    },
    Param {
        name: "c",
        doc: "Aggressiveness C in segments per cubic second (RFC 9438 section 5; Linux rounds it \
              to 410/1024).",
        kind: Kind::Float(0.001, 100.0),
        default: Value::Float(0.4),
    },
    Param {
        name: "paced",
        doc: "Tell HyStart that the flow is paced: the ACK train must then be twice as long \
              (sk_pacing_status), and HyStart++ counts whole stretch ACKs (L = infinity). TACK paces each \
              packet and tells it.",
        kind: Kind::Bool,
        default: Value::Bool(false),
    },
];

impl Settings {
    /// Reads the registry's parameters.
    pub fn new(params: &Params) -> Self {
        Self {
            fast_convergence: params.bool("fast_convergence"),
            tcp_friendliness: params.bool("tcp_friendliness"),
            hystart: match params.choice("hystart") {
                "plusplus" => SlowStartExit::PlusPlus,
                "off" => SlowStartExit::Off,
                _ => SlowStartExit::HyStart,
            },
            beta: params.float("beta"),
            c: params.float("c"),
            paced: params.bool("paced"),
        }
    }
}

/// Makes the controller that `variant` names.
pub fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    let settings = Settings::new(params);
    match params.choice("variant") {
        "ns3" => Box::new(ns3::Ns3Cubic::new(init, settings)),
        _ => Box::new(linux::LinuxCubic::new(init, &settings)),
    }
}

#[cfg(test)]
mod tests;
