//! A pacing rate that never changes, for experiments.

use super::{Ack, CcInit, CongestionControl, Loss, Rto};
use crate::registry::{Kind, Param, Params, Value};
use acklab_units::Rate;
use alloc::boxed::Box;

/// Parameters of `rate`.
pub const PARAMS: &[Param] = &[
    Param {
        name: "rate",
        doc: "Rate of the payload; headers come on top (Linux paces payload: tcp_update_skb_after_send).",
        kind: Kind::Rate,
        default: Value::Rate(Rate::from_bps(10_000_000)),
    },
    Param {
        name: "window",
        doc: "Most segments in flight; the default is never reached.",
        kind: Kind::Int(1, 10_000_000),
        default: Value::Int(1_000_000),
    },
];

/// The fixed rate.
#[derive(Clone, Copy, Debug)]
pub struct FixedRate {
    rate: Rate,
    cwnd: u64,
}

impl FixedRate {
    /// `rate` with at most `segments` in flight.
    pub fn new(init: CcInit, rate: Rate, segments: u64) -> Self {
        Self {
            rate,
            cwnd: segments * u64::from(init.mss),
        }
    }
}

/// Makes the controller.
pub fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    let rate = params.rate("rate").unwrap_or(Rate::MAX);
    Box::new(FixedRate::new(init, rate, params.int("window") as u64))
}

impl CongestionControl for FixedRate {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, _loss: &Loss) {}

    fn on_rto(&mut self, _rto: &Rto) {}

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fn needs_pacing(&self) -> bool {
        true
    }

    /// The rate holds in recovery too.
    fn owns_recovery(&self) -> bool {
        true
    }

    fn state(&self) -> &'static str {
        "rate"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{self as clock, init};

    #[test]
    fn nothing_moves_the_rate() {
        let mut params = Params::defaults(PARAMS);
        let rate = Rate::from_bps(3_000_000);
        params.set(PARAMS, "rate", Value::Rate(rate)).unwrap();
        let mut cc = build(&params, init(10));
        cc.on_loss(&clock::loss(0, 33));
        cc.on_rto(&clock::rto(0, true));
        assert_eq!(cc.pacing_rate(), Some(rate));
        assert!(cc.needs_pacing() && cc.owns_recovery());
        assert_eq!(clock::segments(&*cc), 1_000_000);
    }
}
