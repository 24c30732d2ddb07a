use super::*;
use crate::cc::RecoveryPhase;
use crate::cc::ack_clock::{self as clock, MSS, ack, at, init, segments};

const SEG: u64 = MSS as u64;

fn settings() -> Settings {
    Settings {
        fast_convergence: true,
        tcp_friendliness: true,
        hystart: SlowStartExit::HyStart,
        beta: 0.7,
        c: 0.4,
        paced: false,
    }
}

fn cubic() -> Ns3Cubic {
    Ns3Cubic::new(init(10), settings())
}

/// In congestion avoidance at `cwnd` segments after a loss at `last_max`.
fn avoiding(cwnd: u64, last_max: u32) -> Ns3Cubic {
    let mut cc = cubic();
    cc.window.reduce(cwnd * SEG);
    cc.last_max_cwnd = last_max;
    cc
}

/// An ACK at `us` with this smoothed RTT.
fn seen(us: u64, srtt_us: u64, una: u64, nxt: u64) -> Ack {
    Ack {
        now: Instant::from_nanos(us * 1_000),
        srtt: Span::from_micros(srtt_us),
        snd_una: una,
        snd_nxt: nxt,
        ..ack(0, 1)
    }
}

#[test]
fn slow_start_counts_every_segment_and_overshoots_the_threshold() {
    let mut cc = cubic();
    cc.window.ssthresh = 20 * SEG;
    cc.on_ack(&ack(0, 16));
    assert_eq!(segments(&cc), 26);
}

#[test]
fn congestion_avoidance_adds_one_segment_an_ack_at_most() {
    for stretch in [1, 2, 16, 200] {
        let mut cc = avoiding(100, 0);
        // cnt = 20 before the first loss.
        cc.cwnd_cnt = 19;
        cc.on_ack(&ack(1_000, stretch));
        assert_eq!(segments(&cc), 101, "stretch {stretch}");
        assert_eq!(cc.cwnd_cnt, stretch - 1);
    }
}

#[test]
fn credit_of_a_stretch_ack_is_paid_out_by_the_acks_that_follow() {
    let mut cc = avoiding(100, 0);
    cc.on_ack(&ack(1_000, 200));
    for _ in 0..9 {
        cc.on_ack(&ack(1_000, 1));
    }
    assert_eq!(segments(&cc), 110);
}

#[test]
fn k_is_the_time_to_climb_from_beta_to_the_maximum() {
    let mut cc = avoiding(700, 1_000);
    cc.on_ack(&ack(4_000, 1));
    assert!((cc.bic_k - libm::cbrt(300.0 / 0.4)).abs() < 1e-9);
    assert_eq!(cc.bic_origin_point, 1_000);
}

#[test]
fn the_target_is_cut_to_whole_segments() {
    let mut cc = avoiding(1_000, 1_000);
    cc.settings.tcp_friendliness = false;
    assert_eq!(cc.update(at(0), 1), 100 * 1_000);
    // 0.4 * 2^3 = 3.2: three segments above.
    assert_eq!(cc.update(at(2_000), 1), 333);
    assert_eq!(cc.update(at(1_000_000), 1), 2);
}

#[test]
fn the_time_ahead_is_the_smallest_smoothed_rtt() {
    let mut cc = avoiding(1_000, 1_000);
    cc.settings.tcp_friendliness = false;
    cc.update(at(0), 1);
    cc.delay_min = Some(Span::from_secs(2));
    assert_eq!(cc.update(at(0), 1), 333);
}

#[test]
fn a_loss_takes_beta_of_whole_segments_and_converges_fast() {
    let mut cc = avoiding(81, 0);
    cc.window.cwnd += 700;
    cc.on_loss(&clock::loss(0, 81));
    assert_eq!((segments(&cc), cc.last_max_cwnd), (56, 81));
    assert_eq!(cc.cwnd() % SEG, 0);
    cc.on_loss(&clock::loss(1, 56));
    assert_eq!((segments(&cc), cc.last_max_cwnd), (39, 47));
}

#[test]
fn a_timeout_keeps_the_last_maximum_and_the_credit() {
    let mut cc = avoiding(100, 0);
    cc.cwnd_cnt = 7;
    cc.train.found = true;
    cc.on_rto(&clock::rto(10, true));
    assert_eq!((segments(&cc), cc.ssthresh()), (1, 70 * SEG));
    assert_eq!((cc.last_max_cwnd, cc.cwnd_cnt), (100, 7));
    assert!(!cc.train.found && cc.delay_min.is_none());
}

#[test]
fn the_ack_train_must_last_a_whole_rtt() {
    let mut cc = cubic();
    cc.window.cwnd = 40 * SEG;
    let fired = (0..60).position(|i| {
        cc.on_ack(&seen(44_000 + i * 1_200, 44_000, 1, 10_000_000));
        cc.train.found
    });
    // Reset by the first ACK (after it was judged); 37 gaps of 1.2 ms exceed 44 ms.
    assert_eq!(fired, Some(37));
}

#[test]
fn a_slower_train_is_none_and_a_gap_breaks_it() {
    let mut cc = cubic();
    cc.window.cwnd = 40 * SEG;
    for i in 0..200 {
        cc.on_ack(&seen(44_000 + i * 2_400, 44_000, 1, 10_000_000));
    }
    assert!(!cc.train.found);
}

#[test]
fn the_delay_detector_waits_for_twice_the_smallest_rtt() {
    let fires = |srtt_us: u64| {
        let mut cc = cubic();
        cc.window.cwnd = 40 * SEG;
        cc.on_ack(&seen(0, 20_000, 0, 10));
        cc.train.begin_round(at(0), 10_000_000);
        for i in 1..20 {
            cc.on_ack(&seen(i * 5_000, srtt_us, 1, 10_000_000));
        }
        cc.train.found
    };
    assert!(!fires(40_000));
    assert!(fires(40_001));
}

#[test]
fn small_windows_are_left_alone() {
    let mut cc = cubic();
    cc.window.segment = SEG;
    let mut train = 0;
    for i in 0..5 {
        cc.on_ack(&Ack {
            may_grow: false,
            ..seen(i, 44_000, 0, 10)
        });
        train += cc.train.sample_cnt;
    }
    assert_eq!(train, 0);
}

#[test]
fn samples_just_after_the_epoch_began_are_ignored() {
    let mut cc = avoiding(100, 200);
    cc.on_ack(&seen(0, 50_000, 1, 2));
    cc.on_ack(&seen(9_999, 20_000, 1, 2));
    assert_eq!(cc.delay_min, Some(Span::from_millis(50)));
    cc.on_ack(&seen(10_000, 30_000, 1, 2));
    assert_eq!(cc.delay_min, Some(Span::from_millis(30)));
}

#[test]
fn nothing_grows_unless_the_window_is_the_limit_and_the_phase_is_open_or_loss() {
    let mut cc = cubic();
    cc.on_ack(&Ack {
        cwnd_limited: false,
        ..ack(0, 5)
    });
    cc.on_ack(&Ack {
        phase: RecoveryPhase::Recovery,
        ..ack(0, 5)
    });
    assert_eq!(segments(&cc), 10);
    cc.on_ack(&Ack {
        phase: RecoveryPhase::Loss,
        ..ack(0, 5)
    });
    assert_eq!(segments(&cc), 15);
}

#[test]
fn the_reno_friendly_window_uses_the_kernels_scale() {
    let mut cc = avoiding(80, 100);
    cc.tcp_cwnd = 80;
    cc.ack_cnt = 151;
    assert_eq!(cc.befriend(80, 1_000), 80);
    assert_eq!((cc.tcp_cwnd, cc.ack_cnt), (81, 1));
}

#[test]
fn hystart_plus_plus_can_be_chosen_here_too() {
    let mut cc = Ns3Cubic::new(
        init(10),
        Settings {
            hystart: SlowStartExit::PlusPlus,
            ..settings()
        },
    );
    cc.on_ack(&ack(0, 16));
    assert_eq!(segments(&cc), 18);
}
