//! A window that never changes, for experiments.

use super::{Ack, CcInit, CongestionControl, Loss, Rto};
use crate::registry::{Kind, Param, Params, Value};
use alloc::boxed::Box;

/// Parameters of `fixed`.
pub const PARAMS: &[Param] = &[Param {
    name: "window",
    doc: "The window in segments; default is Linux's initial window (RFC 6928).",
    kind: Kind::Int(1, 10_000_000),
    default: Value::Int(10),
}];

/// The fixed window.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    cwnd: u64,
}

impl Fixed {
    /// A window of `segments`.
    pub fn new(init: CcInit, segments: u64) -> Self {
        Self {
            cwnd: segments * u64::from(init.mss),
        }
    }
}

/// Makes the controller.
pub fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    Box::new(Fixed::new(init, params.int("window") as u64))
}

impl CongestionControl for Fixed {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, _loss: &Loss) {}

    fn on_rto(&mut self, _rto: &Rto) {}

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    /// The window holds in recovery too.
    fn owns_recovery(&self) -> bool {
        true
    }

    fn state(&self) -> &'static str {
        "fixed"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{self as clock, AckClock, init};

    #[test]
    fn nothing_moves_the_window() {
        let mut cc = Fixed::new(init(10), 33);
        cc.on_ack(&clock::ack(0, 200));
        cc.on_loss(&clock::loss(0, 33));
        cc.on_rto(&clock::rto(0, true));
        cc.on_idle_restart(&clock::idle(900, 200));
        assert_eq!((clock::segments(&cc), cc.owns_recovery()), (33, true));
    }

    #[test]
    fn it_delivers_a_window_per_rtt() {
        let mut run = AckClock::new(build(&Params::defaults(PARAMS), init(10)), 100);
        let got = run.mean_window(10_000);
        assert!((got - 10.0).abs() < 0.1, "{got}");
    }
}
