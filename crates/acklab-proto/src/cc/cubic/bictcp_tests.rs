use super::super::SlowStartExit;
use super::*;

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

/// `cnt` at a window of `cwnd`, `elapsed` jiffies into an epoch that began at 700.
fn cnt_at(last_max: u32, cwnd: u32, elapsed: u64) -> u32 {
    let fixed = Fixed::new(&Settings {
        tcp_friendliness: false,
        ..settings()
    });
    let mut bic = Bic {
        last_max_cwnd: last_max,
        ..Bic::default()
    };
    bic.update(&fixed, 700, 1, 1_000);
    if elapsed > 0 {
        bic.last_cwnd = 0;
        bic.update(&fixed, cwnd, 1, 1_000 + elapsed);
    }
    bic.cnt
}

#[test]
fn the_fixed_point_constants_are_the_kernels() {
    let f = Fixed::new(&settings());
    assert_eq!(f.beta, 717);
    assert_eq!(f.beta_scale, 15);
    assert_eq!(f.cube_rtt_scale, 410);
    assert_eq!(f.cube_factor, 2_681_735_677);
}

#[test]
fn the_cube_root_is_exact() {
    for a in [0, 1, 7, 8, 26, 27, 1 << 40, 999_999_999_999, u64::MAX] {
        let r = cubic_root(a);
        assert!(u128::from(r).pow(3) <= u128::from(a), "{a}");
        assert!(u128::from(r + 1).pow(3) > u128::from(a), "{a}");
    }
}

#[test]
fn growth_is_fast_then_flat_then_fast_again() {
    // W_max = 1000, K = 9.08 s = 2271 jiffies. At the time t the target is 1000 + 0.4 (t - K)^3.
    let at_start = cnt_at(1_000, 700, 250);
    // (9.083 - 1)^3 * 0.4004 = 211: target 789.
    assert_eq!(at_start, 700 / 89);
    // The target itself is reached: stand still.
    assert_eq!(cnt_at(1_000, 1_000, 2_250), 100_000);
    // Four seconds past K: 0.4004 * 64 = 25.
    assert_eq!(cnt_at(1_000, 1_000, 2_271 + 1_000), 1_000 / 25);
}

#[test]
fn growth_is_limited_to_a_segment_for_two_acknowledged() {
    assert_eq!(cnt_at(1_000, 700, 100_000), CNT_MIN);
}

#[test]
fn before_the_first_loss_a_segment_takes_at_most_twenty() {
    assert_eq!(cnt_at(0, 700, 0), INITIAL_CNT_MAX);
}

#[test]
fn an_epoch_of_hours_does_not_overflow() {
    assert_eq!(cnt_at(1_000, 700, 250 * 3600 * 24), CNT_MIN);
}

#[test]
fn the_cubic_function_is_worked_out_once_a_jiffy_and_after_28_ms_of_standstill() {
    let fixed = Fixed::new(&settings());
    let mut bic = Bic {
        last_max_cwnd: 1_000,
        ..Bic::default()
    };
    bic.update(&fixed, 700, 1, 1_000);
    bic.cnt = 77;
    // The same window within HZ / 32 = 7 jiffies keeps cnt, but the ACKs are counted.
    bic.update(&fixed, 700, 16, 1_007);
    assert_eq!((bic.cnt, bic.ack_cnt), (77, 17));
    bic.update(&fixed, 700, 16, 1_008);
    assert_ne!(bic.cnt, 77);
    // Another window in the same jiffy only looks at friendliness.
    bic.cnt = 78;
    bic.update(&fixed, 701, 1, 1_008);
    assert_eq!((bic.cnt, bic.last_cwnd), (78, 700));
}

#[test]
fn the_reno_friendly_window_grows_by_a_segment_per_fifteen_eighths_of_a_window() {
    let fixed = Fixed::new(&settings());
    let mut bic = Bic {
        last_max_cwnd: 100,
        ..Bic::default()
    };
    bic.update(&fixed, 80, 1, 1_000);
    bic.ack_cnt = 0;
    // 80 * 15 / 8 = 150; the 151st segment adds one.
    bic.update(&fixed, 80, 150, 1_010);
    assert_eq!(bic.tcp_cwnd, 80);
    bic.update(&fixed, 80, 1, 1_020);
    assert_eq!((bic.tcp_cwnd, bic.ack_cnt), (81, 1));
    assert!(bic.cnt <= 80);
}

#[test]
fn one_stretch_ack_advances_the_reno_friendly_window_as_far_as_single_ones() {
    let fixed = Fixed::new(&settings());
    let after = |stretch: u32| {
        let mut bic = Bic {
            last_max_cwnd: 100,
            ..Bic::default()
        };
        for i in 0..800 / stretch {
            // A new window each time keeps the 28 ms rule out of it.
            bic.update(&fixed, 80, stretch, 1_000 + u64::from(i * stretch));
            bic.last_cwnd = 0;
        }
        bic.tcp_cwnd
    };
    assert_eq!([1, 2, 16, 200].map(after), [85; 4]);
}
