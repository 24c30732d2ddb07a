//! NewReno: additive increase, halving on loss, in five ways of counting ACKs.
//!
//! The worth of one ACK is the question of this laboratory, and implementations answer it
//! differently: Linux counts segments, RFC 3465 bytes up to a limit, ns-3 and ns-2 ACKs. Fast recovery
//! itself is the sender's.

pub mod abc;
pub mod linux;
pub mod ns2;
pub mod ns3;
pub mod window;

use super::{CcInit, CongestionControl};
use crate::registry::{Kind, Param, Params, Value};
use alloc::boxed::Box;

/// Parameters of `newreno`.
pub const PARAMS: &[Param] = &[
    Param {
        name: "growth",
        doc: "What an ACK is worth: linux = segments delivered (tcp_slow_start, \
              tcp_cong_avoid_ai), abc = bytes, at most abc_l segments in slow start (RFC 3465), \
              ns3 = one ACK (ns-3 TcpNewReno), ns3-linux = segments (ns-3 TcpLinuxReno), \
              ns2 = one ACK, and every timeout halves the threshold (ns-2 opencwnd, slowdown).",
        kind: Kind::Choice(&["linux", "abc", "ns3", "ns3-linux", "ns2"]),
        default: Value::Choice("linux"),
    },
    Param {
        name: "abc_l",
        doc: "L of RFC 3465 in segments: most that one ACK adds in slow start with growth = abc \
              (section 2.3 allows 2, 1 is the conservative choice).",
        kind: Kind::Int(1, 1_000_000),
        default: Value::Int(2),
    },
];

/// Parameters of `linuxreno`.
pub const LINUX_RENO_PARAMS: &[Param] = &[Param {
    name: "variant",
    doc: "Whose arithmetic: linux (tcp_cong.c) or ns3 (TcpLinuxReno of ns-3.44).",
    kind: Kind::Choice(&["linux", "ns3"]),
    default: Value::Choice("linux"),
}];

/// Makes the Reno that counts segments, whatever an ACK covers.
pub fn build_linux_reno(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    match params.choice("variant") {
        "ns3" => Box::new(ns3::Ns3Reno::new(init, ns3::Flavour::LinuxReno)),
        _ => Box::new(linux::LinuxReno::new(init)),
    }
}

/// Makes the controller that `growth` names.
pub fn build(params: &Params, init: CcInit) -> Box<dyn CongestionControl> {
    match params.choice("growth") {
        "abc" => Box::new(abc::ByteCounting::new(init, params.int("abc_l") as u64)),
        "ns3" => Box::new(ns3::Ns3Reno::new(init, ns3::Flavour::NewReno)),
        "ns3-linux" => Box::new(ns3::Ns3Reno::new(init, ns3::Flavour::LinuxReno)),
        "ns2" => Box::new(ns2::Ns2Reno::new(init)),
        _ => Box::new(linux::LinuxReno::new(init)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{AckClock, ack, init, segments};

    fn newreno(growth: &'static str) -> Box<dyn CongestionControl> {
        let mut params = Params::defaults(PARAMS);
        params.set(PARAMS, "growth", Value::Choice(growth)).unwrap();
        build(&params, init(10))
    }

    #[test]
    fn linux_reno_counts_segments_in_both_variants() {
        for variant in ["linux", "ns3"] {
            let mut params = Params::defaults(LINUX_RENO_PARAMS);
            let value = Value::Choice(variant);
            params.set(LINUX_RENO_PARAMS, "variant", value).unwrap();
            let mut cc = build_linux_reno(&params, init(10));
            cc.on_ack(&ack(0, 8));
            assert_eq!(segments(&*cc), 18, "{variant}");
        }
    }

    #[test]
    fn one_ack_of_eight_segments_is_worth_eight_two_or_one() {
        let grown = |growth| {
            let mut cc = newreno(growth);
            cc.on_ack(&ack(0, 8));
            segments(&*cc) - 10
        };
        let all = ["linux", "abc", "ns3", "ns3-linux", "ns2"];
        assert_eq!(all.map(grown), [8, 2, 1, 8, 1]);
    }

    /// One loss every 1/p segments and no queue: the mean window is sqrt(3 / 2p) (Mathis et al.
    /// 1997, equation 3 with every segment counted).
    #[test]
    fn the_mean_window_under_periodic_loss_is_the_square_root_law() {
        for stretch in [1, 2, 16, 200] {
            for growth in ["linux", "abc", "ns3-linux"] {
                let mut run = AckClock::new(newreno(growth), 50);
                run.stretch = stretch;
                run.loss_every = Some(5000);
                let got = run.mean_window(1_000_000);
                let law = libm::sqrt(1.5 * 5000.0);
                assert!(
                    (got / law - 1.0).abs() < 0.05,
                    "{growth}, stretch {stretch}: {got} against {law}"
                );
            }
        }
    }

    /// Counting ACKs instead of segments divides the slope by b: sqrt(3 / 2pb).
    #[test]
    fn counting_acks_costs_the_square_root_of_the_ack_ratio() {
        for stretch in [1u32, 2, 4] {
            let mut run = AckClock::new(newreno("ns3"), 50);
            run.stretch = stretch;
            run.loss_every = Some(5000);
            let got = run.mean_window(2_000_000);
            let law = libm::sqrt(1.5 * 5000.0 / run.ack_ratio());
            assert!(
                (got / law - 1.0).abs() < 0.08,
                "stretch {stretch}: {got} against {law}"
            );
        }
    }

    #[test]
    fn the_sawtooth_swings_between_a_window_and_its_half() {
        let mut run = AckClock::new(newreno("linux"), 50);
        run.loss_every = Some(3750);
        run.mean_window(200_000);
        // 3/8 W^2 segments a cycle: 3750 makes W = 100.
        let (low, high) = run.range_of(100_000);
        assert!((48..=52).contains(&low), "{low}");
        assert!((96..=104).contains(&high), "{high}");
    }
}
