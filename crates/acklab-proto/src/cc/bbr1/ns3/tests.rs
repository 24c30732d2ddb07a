//! The controller by its calls, with numbers of the reference runs where there are some.

use super::contract::facts;
use super::*;
use crate::cc::CongestionControl;
use std::vec;

const SEG: u64 = 1448;

fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

/// Open since two seconds, after a handshake of 48 ms.
fn opened() -> Ns3Bbr {
    let mut cc = Ns3Bbr::new(CcInit {
        mss: SEG as u32,
        initial_cwnd: 10 * SEG,
        seed: 0,
        kernel_units: false,
    });
    cc.state_set(&at(2_048), RecoveryPhase::Open);
    cc
}

fn at(ms_now: u64) -> Facts {
    Facts {
        srtt: ms(48),
        last_rtt: ms(48),
        min_rtt: ms(48),
        ..facts(Instant::ZERO + ms(ms_now))
    }
}

/// `acked` bytes arrived; the sample says `bps`.
fn measured(cc: &Ns3Bbr, acked: u64, bps: u64) -> Sample {
    Sample {
        delivered_total: cc.delivered + acked,
        timed: true,
        delivered: acked,
        interval: ms(50),
        rate: Rate::from_bps(bps),
        prior_delivered: cc.next_round_delivered,
        acked_sacked: acked,
        ..Sample::default()
    }
}

/// Rounds at 10 Mbit/s until the pipe counts as full, with `inflight` on the way.
fn filled(inflight: u64) -> Ns3Bbr {
    let mut cc = opened();
    for i in 0..4 {
        let f = Facts {
            inflight,
            ..at(2_100 + 50 * i)
        };
        let s = measured(&cc, 4 * SEG, 10_000_000);
        cc.cong_control(&f, &s);
    }
    cc
}

#[test]
fn the_handshake_seeds_rate_and_filter() {
    let cc = opened();
    assert_eq!(cc.pacing_rate.as_bps(), 6_974_532);
    assert_eq!(cc.bw.best(), 2_413_333);
    assert_eq!((cc.state(), cc.min_rtt), ("STARTUP", ms(48)));
}

#[test]
fn without_a_measured_rtt_a_millisecond_stands_in() {
    let mut cc = Ns3Bbr::new(CcInit {
        mss: SEG as u32,
        initial_cwnd: 10 * SEG,
        seed: 0,
        kernel_units: false,
    });
    cc.state_set(&facts(Instant::ZERO), RecoveryPhase::Open);
    assert_eq!(cc.bw.best(), 115_840_000);
    assert!(!cc.has_seen_rtt);
}

#[test]
fn startup_adds_what_was_acknowledged_and_never_slows_down() {
    let mut cc = opened();
    let s = measured(&cc, 2 * SEG, 1_000_000);
    cc.cong_control(&at(2_100), &s);
    assert_eq!(cc.cwnd(), 12 * SEG);
    assert_eq!(cc.pacing_rate.as_bps(), 6_974_532);
}

#[test]
fn a_full_pipe_is_drained_and_sets_the_threshold() {
    let cc = filled(200 * SEG);
    assert_eq!(cc.state(), "DRAIN");
    // 10 Mbit/s over 48 ms and three segments.
    assert_eq!(cc.ssthresh(), 60_000 + 3 * SEG);
}

#[test]
fn the_cycle_begins_where_the_fixed_draws_say() {
    let mut cc = filled(10 * SEG);
    assert_eq!((cc.state(), cc.cycle_index), ("PROBE_BW", 0));
    let mut entered = vec![cc.cycle_index];
    for _ in 0..6 {
        cc.enter_probe_bw(Instant::ZERO);
        entered.push(cc.cycle_index);
    }
    assert_eq!(entered, [0, 6, 5, 3, 6, 6, 4]);
}

#[test]
fn the_window_follows_its_target_once_the_pipe_is_full() {
    let mut cc = filled(10 * SEG);
    let target = cc.inflight(2.0) + cc.extra_acked.most[0].max(cc.extra_acked.most[1]);
    for i in 0..50 {
        let s = measured(&cc, 2 * SEG, 10_000_000);
        let s = Sample {
            prior_delivered: 0,
            ..s
        };
        cc.cong_control(&at(2_300 + i), &s);
    }
    assert!(
        cc.cwnd().abs_diff(target) <= 4 * SEG,
        "{} {target}",
        cc.cwnd()
    );
}

/// Only in the phase that probes are two more segments allowed.
#[test]
fn two_more_segments_while_probing() {
    let mut cc = filled(10 * SEG);
    let probing = cc.inflight(1.0);
    cc.cycle_index = 3;
    assert_eq!(probing - cc.inflight(1.0), 2 * SEG);
}

/// One ACK of at least 4096 bytes starts an epoch anew, and so does the third of two segments.
#[test]
fn aggregation_is_what_a_few_acks_bring() {
    for (acked, acks, want) in [
        (SEG, 9, 2 * SEG),
        (2 * SEG, 9, 2 * SEG),
        (5 * SEG, 9, 5 * SEG),
    ] {
        let mut cc = opened();
        for i in 0..acks {
            let s = Sample {
                prior_delivered: 0,
                ..measured(&cc, acked, 10_000_000)
            };
            cc.delivered = s.delivered_total;
            cc.next_round_delivered = u64::MAX;
            cc.update_model(&at(2_100 + i), &s);
        }
        assert_eq!(cc.extra_acked.most[0], want, "{acked}");
    }
}

#[test]
fn recovery_conserves_packets_for_a_round_and_ends_at_the_threshold() {
    let mut cc = filled(100 * SEG);
    cc.window.cwnd = 126 * SEG;
    let f = Facts {
        inflight: 100 * SEG,
        delivered: SEG,
        ..at(2_500)
    };
    cc.state_set(&f, RecoveryPhase::Recovery);
    assert_eq!((cc.cwnd(), cc.prior_cwnd), (101 * SEG, 126 * SEG));
    let f = Facts {
        phase: RecoveryPhase::Recovery,
        ..f
    };
    assert_eq!(cc.ss_thresh(&f), cc.window.ssthresh);
    cc.complete_cwr(&f);
    assert_eq!(
        cc.cwnd(),
        126 * SEG,
        "the socket then sets it to the threshold"
    );
    assert!(!cc.packet_conservation);
}

#[test]
fn losses_and_what_becomes_of_them_cut_the_window() {
    let mut cc = filled(100 * SEG);
    cc.packet_conservation = false;
    cc.window.cwnd = 50 * SEG;
    let f = Facts {
        phase: RecoveryPhase::Recovery,
        ..at(2_400)
    };
    let s = Sample {
        lost_change: 3 * SEG,
        prior_delivered: 0,
        ..measured(&cc, SEG, 10_000_000)
    };
    cc.next_round_delivered = u64::MAX;
    cc.set_cwnd(&f, &s);
    assert_eq!(cc.cwnd(), 48 * SEG);
}

/// A recovery that ends before the pipe was full leaves the initial threshold as window, and the
/// 32-bit sum of the next ACK wraps.
#[test]
fn the_window_wraps() {
    let mut cc = opened();
    cc.window.cwnd = cc.window.ssthresh;
    let s = measured(&cc, SEG, 10_000_000);
    cc.delivered = 1 << 20;
    cc.set_cwnd(&at(2_100), &s);
    assert_eq!(
        cc.cwnd(),
        u64::from(u32::MAX),
        "below the target nothing is added"
    );
    cc.pipe_filled = true;
    cc.set_cwnd(&at(2_101), &s);
    assert_eq!(cc.cwnd(), 4 * SEG);
}

#[test]
fn an_expired_minimum_takes_the_present_rtt_and_probes() {
    let mut cc = filled(10 * SEG);
    let f = Facts {
        last_rtt: ms(90),
        inflight: 3 * SEG,
        ..at(12_300)
    };
    let s = measured(&cc, SEG, 10_000_000);
    cc.cong_control(&f, &s);
    assert_eq!(
        (cc.state(), cc.min_rtt, cc.cwnd()),
        ("PROBE_RTT", ms(90), 4 * SEG)
    );
    let later = |cc: &mut Ns3Bbr, now| {
        let s = measured(cc, SEG, 10_000_000);
        cc.cong_control(
            &Facts {
                now: at(now).now,
                ..f
            },
            &s,
        );
    };
    later(&mut cc, 12_400);
    assert_eq!(cc.state(), "PROBE_RTT");
    later(&mut cc, 12_501);
    assert_eq!(cc.state(), "PROBE_BW");
}

#[test]
fn a_timeout_is_followed_by_at_least_four_segments() {
    let mut cc = filled(100 * SEG);
    cc.on_rto(&crate::cc::ack_clock::rto(2_400, true));
    assert_eq!(cc.cwnd(), SEG);
    let s = measured(&cc, SEG, 10_000_000);
    cc.cong_control(&at(2_500), &s);
    assert_eq!(cc.cwnd(), 4 * SEG);
}
