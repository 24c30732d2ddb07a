//! The defects that set the port apart, one test each.

use super::*;
use crate::cc::bbr1::ns3::facts;
use crate::cc::ns3::Callbacks;
use crate::cc::{CongestionControl, RecoveryPhase};

const MSS: u64 = 1448;

fn port() -> Ns3Port {
    Ns3Port::new(CcInit {
        mss: MSS as u32,
        initial_cwnd: 10 * MSS,
        seed: 0,
        kernel_units: false,
    })
}

/// A connection whose handshake took `ms`.
fn begun(ms: u64) -> Ns3Port {
    let mut cc = port();
    cc.on_handshake_rtt(Instant::ZERO, Span::from_millis(ms));
    cc
}

#[test]
fn a_syn_sent_twice_makes_the_pacing_crawl() {
    let (fast, slow) = (begun(48), begun(3048));
    let ratio = fast.pacing_rate().unwrap().as_bps() / slow.pacing_rate().unwrap().as_bps();
    assert_eq!(ratio, 3048 / 48);
    assert_eq!(slow.min_rtt, Span::from_millis(3048));
}

#[test]
fn there_is_no_headroom() {
    let mut cc = begun(48);
    cc.upper.inflight_hi = 40 * MSS;
    assert_eq!(cc.with_headroom(), 40 * MSS - 1);
    cc.upper.inflight_hi = 2 * MSS;
    assert_eq!(cc.with_headroom(), 4 * MSS);
}

#[test]
fn probing_up_has_the_window_gain_of_cruising() {
    let mut cc = begun(48);
    cc.mode = Mode::ProbeBw;
    for (phase, gains) in [
        (Phase::Up, (1.25, 2.0)),
        (Phase::Down, (0.91, 2.0)),
        (Phase::Cruise, (1.0, 2.0)),
    ] {
        cc.phase = phase;
        cc.update_gains();
        assert_eq!((cc.pacing_gain, cc.cwnd_gain), gains, "{phase:?}");
    }
}

#[test]
fn loss_is_judged_by_what_is_in_flight_now() {
    let f = Facts {
        inflight: 50 * MSS,
        ..facts(Instant::ZERO)
    };
    for (lost, high) in [(0, false), (MSS - 48, false), (MSS + 1, true)] {
        let s = Sample {
            lost_change: lost,
            ..Sample::default()
        };
        assert_eq!(Ns3Port::is_inflight_too_high(&f, &s), high, "{lost}");
    }
}

#[test]
fn a_timeout_saves_the_window_and_bounds_it_while_probing() {
    let mut cc = begun(48);
    cc.window.cwnd = 30 * MSS;
    cc.state_set(&facts(Instant::ZERO), RecoveryPhase::Loss);
    assert_eq!((cc.prior_cwnd, cc.inflight_lo), (30 * MSS, 30 * MSS));
    assert!(cc.round_start && cc.full.bw == 0);
}

#[test]
fn a_bad_probe_leaves_the_whole_target() {
    let mut cc = begun(48);
    cc.mode = Mode::ProbeBw;
    cc.phase = Phase::Up;
    cc.window.cwnd = 20 * MSS;
    cc.max_bw = [10_000_000, 10_000_000];
    cc.upper.probe_samples = true;
    let f = Facts {
        inflight: 20 * MSS,
        ..facts(Instant::ZERO)
    };
    let s = Sample {
        lost_change: 5 * MSS,
        prior_inflight: 60 * MSS,
        timed: true,
        interval: Span::from_millis(48),
        ..Sample::default()
    };
    cc.full.reached = true;
    cc.update_cycle(&f, &s);
    assert_eq!(cc.upper.inflight_hi, 20 * MSS);
    assert_eq!(cc.phase, Phase::Down);
    assert!(cc.probe_wait >= Span::from_secs(2) && cc.probe_wait < Span::from_secs(3));
}
