use super::*;
use crate::cc::ack_clock::{self as clock, MSS, ack, init, segments};

fn reno(flavour: Flavour) -> Ns3Reno {
    Ns3Reno::new(init(10), flavour)
}

/// In congestion avoidance at `cwnd` segments.
fn avoiding(flavour: Flavour, cwnd: u64) -> Ns3Reno {
    let mut cc = reno(flavour);
    cc.window.reduce(cwnd * u64::from(MSS));
    cc
}

#[test]
fn new_reno_grows_by_one_segment_an_ack_in_slow_start_whatever_it_covers() {
    for stretch in [1, 2, 16, 200] {
        let mut cc = reno(Flavour::NewReno);
        cc.on_ack(&ack(0, stretch));
        assert_eq!(segments(&cc), 11, "stretch {stretch}");
    }
}

#[test]
fn new_reno_grows_with_the_number_of_acks_in_congestion_avoidance() {
    let grown = |stretch: u32| {
        let mut cc = avoiding(Flavour::NewReno, 50);
        for _ in 0..50 / stretch {
            cc.on_ack(&ack(0, stretch));
        }
        cc.cwnd() - 50 * u64::from(MSS)
    };
    // A window of ACKs adds nearly a segment; half as many ACKs add half.
    assert!((1400..=u64::from(MSS)).contains(&grown(1)), "{}", grown(1));
    assert!(grown(2).abs_diff(grown(1) / 2) < 20, "{}", grown(2));
}

#[test]
fn new_reno_crosses_the_threshold_within_one_ack() {
    let mut cc = reno(Flavour::NewReno);
    cc.window.ssthresh = 11 * u64::from(MSS);
    cc.on_ack(&ack(0, 2));
    // One segment of slow start, and the second segment acknowledged adds a share.
    let mss = u64::from(MSS);
    assert_eq!(cc.cwnd(), 11 * mss + mss * mss / (11 * mss));
}

#[test]
fn congestion_avoidance_adds_at_least_one_byte() {
    let mut cc = avoiding(Flavour::NewReno, 5000);
    let before = cc.cwnd();
    cc.on_ack(&ack(0, 1));
    assert_eq!(cc.cwnd(), before + 1);
}

#[test]
fn new_reno_halves_the_flight_and_linux_reno_the_window() {
    let mss = u64::from(MSS);
    let loss = Loss {
        inflight: 33 * mss,
        ..clock::loss(0, 40)
    };
    let mut a = avoiding(Flavour::NewReno, 40);
    a.on_loss(&loss);
    assert_eq!(a.cwnd(), 33 * mss / 2);
    let mut b = avoiding(Flavour::LinuxReno, 40);
    b.on_loss(&loss);
    assert_eq!(b.cwnd(), 20 * mss);
    assert_eq!(b.ssthresh(), b.cwnd());
}

#[test]
fn the_threshold_never_falls_below_two_segments() {
    let mut cc = reno(Flavour::NewReno);
    cc.on_loss(&clock::loss(0, 1));
    assert_eq!(segments(&cc), 2);
}

#[test]
fn linux_reno_reaches_seven_segments_more_whether_each_or_every_second_is_acknowledged() {
    // ns-3's own test: slow start from two segments over seven ends at nine.
    for stretches in [&[1u32; 7][..], &[2, 2, 2, 1]] {
        let mut cc = Ns3Reno::new(init(2), Flavour::LinuxReno);
        for &s in stretches {
            cc.on_ack(&ack(0, s));
        }
        assert_eq!(segments(&cc), 9);
    }
}

#[test]
fn linux_reno_drops_what_slow_start_leaves_over() {
    let mut cc = reno(Flavour::LinuxReno);
    cc.window.ssthresh = 12 * u64::from(MSS);
    cc.on_ack(&ack(0, 200));
    assert_eq!((segments(&cc), cc.cwnd_cnt), (12, 0));
}

#[test]
fn linux_reno_carries_credit_over_in_congestion_avoidance() {
    let mut cc = avoiding(Flavour::LinuxReno, 20);
    cc.on_ack(&ack(0, 16));
    cc.on_ack(&ack(0, 16));
    assert_eq!((segments(&cc), cc.cwnd_cnt), (21, 12));
    cc.on_ack(&ack(0, 200));
    assert_eq!((segments(&cc), cc.cwnd_cnt), (31, 2));
}

#[test]
fn linux_reno_asks_for_the_limit_only_in_congestion_avoidance() {
    let unlimited = Ack {
        cwnd_limited: false,
        ..ack(0, 30)
    };
    let mut slow = reno(Flavour::LinuxReno);
    slow.on_ack(&unlimited);
    assert_eq!(segments(&slow), 40);
    let mut avoid = avoiding(Flavour::LinuxReno, 20);
    avoid.on_ack(&unlimited);
    assert_eq!(segments(&avoid), 20);
}

#[test]
fn nothing_grows_in_disorder_or_recovery_or_without_new_data() {
    let mut cc = reno(Flavour::NewReno);
    for phase in [
        RecoveryPhase::Disorder,
        RecoveryPhase::Recovery,
        RecoveryPhase::Cwr,
    ] {
        cc.on_ack(&Ack { phase, ..ack(0, 1) });
    }
    cc.on_ack(&Ack {
        acked: 0,
        ..ack(0, 1)
    });
    assert_eq!(segments(&cc), 10);
}

#[test]
fn the_ack_that_ends_recovery_counts_everything_it_covers() {
    let mut cc = avoiding(Flavour::LinuxReno, 20);
    cc.on_loss(&clock::loss(0, 20));
    cc.on_recovery_exit(&clock::exit(1));
    cc.on_ack(&Ack {
        newly_delivered_segments: 1,
        ..ack(1, 15)
    });
    assert_eq!((segments(&cc), cc.cwnd_cnt), (11, 5));
    // The next one counts as delivered again.
    cc.on_ack(&Ack {
        newly_delivered_segments: 1,
        ..ack(2, 15)
    });
    assert_eq!((segments(&cc), cc.cwnd_cnt), (11, 6));
}

#[test]
fn the_ack_that_ends_a_timeout_counts_what_lies_beyond() {
    let mss = u64::from(MSS);
    let mut cc = avoiding(Flavour::LinuxReno, 20);
    cc.on_rto(&Rto {
        snd_nxt: 100 * mss,
        ..clock::rto(0, true)
    });
    assert_eq!((segments(&cc), cc.ssthresh()), (1, 10 * mss));
    cc.on_recovery_exit(&RecoveryExit {
        from: RecoveryPhase::Loss,
        ..clock::exit(1)
    });
    cc.on_ack(&Ack {
        snd_una: 102 * mss,
        ..ack(1, 30)
    });
    assert_eq!(segments(&cc), 3);
}

#[test]
fn a_timeout_takes_the_flight_before_it() {
    let mss = u64::from(MSS);
    let mut cc = reno(Flavour::NewReno);
    cc.on_rto(&Rto {
        prior_inflight: 30 * mss,
        ..clock::rto(0, true)
    });
    assert_eq!((cc.cwnd(), cc.ssthresh()), (mss, 15 * mss));
    cc.on_rto(&Rto {
        prior_inflight: 1,
        ..clock::rto(0, false)
    });
    assert_eq!(cc.ssthresh(), 15 * mss);
}

#[test]
fn the_initial_threshold_is_reported_as_none() {
    assert_eq!(reno(Flavour::NewReno).ssthresh(), u64::MAX);
}
