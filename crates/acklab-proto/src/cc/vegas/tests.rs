use super::*;
use crate::cc::ack_clock::{self as clock, AckClock, MSS, ack, init, segments};

const DEFAULT: Bounds = Bounds {
    alpha: 2,
    beta: 4,
    gamma: 1,
};

fn vegas() -> LinuxVegas {
    LinuxVegas::new(init(10), DEFAULT)
}

/// In congestion avoidance at `cwnd` segments with a base RTT of `base_us`.
fn avoiding(cwnd: u32, base_us: u64) -> LinuxVegas {
    let mut cc = vegas();
    (cc.window.snd_cwnd, cc.window.snd_ssthresh) = (cwnd, cwnd);
    cc.base_rtt = base_us;
    cc
}

/// A round of `n` ACKs with this RTT; the last ends it.
fn round(cc: &mut LinuxVegas, n: u64, rtt_us: u64) {
    let start = cc.beg_snd_nxt;
    for i in 1..=n {
        cc.on_ack(&Ack {
            cc_rtt: Some(Span::from_micros(rtt_us - 1)),
            snd_una: start + u64::from(i == n),
            snd_nxt: start + 1_000_000,
            ..ack(0, 1)
        });
    }
}

#[test]
fn the_window_grows_below_alpha_shrinks_above_beta_and_holds_between() {
    // 100 segments at a base of 10 ms: 100 us of queueing is one segment.
    for (queued, change) in [(0, 1), (1, 1), (2, 0), (3, 0), (4, 0), (5, -1), (40, -1)] {
        let mut cc = avoiding(100, 10_000);
        round(&mut cc, 5, 10_000 + 100 * queued);
        assert_eq!(
            segments(&cc) as i64,
            100 + change,
            "{queued} segments queued"
        );
    }
}

#[test]
fn the_smallest_rtt_of_the_round_counts() {
    let mut cc = avoiding(100, 10_000);
    let slow = Ack {
        cc_rtt: Some(Span::from_millis(30)),
        snd_una: 0,
        ..ack(0, 1)
    };
    cc.on_ack(&slow);
    cc.on_ack(&slow);
    round(&mut cc, 2, 10_000);
    assert_eq!(segments(&cc), 101);
}

#[test]
fn slow_start_ends_above_gamma_at_the_window_that_the_base_rtt_accounts_for() {
    let mut cc = vegas();
    cc.base_rtt = 10_000;
    cc.window.snd_cwnd = 40;
    round(&mut cc, 1, 10_000);
    // One ACK is Reno: slow start goes on.
    assert_eq!((segments(&cc), cc.state()), (41, "slow_start"));
    round(&mut cc, 3, 12_000);
    // Two more segments before the judgement at 43: 43 / 1.2 + 1.
    assert_eq!((segments(&cc), cc.state()), (36, "congestion_avoidance"));
}

#[test]
fn slow_start_doubles_every_round_with_stretch_acks_too() {
    let mut cc = vegas();
    cc.beg_snd_nxt = 1_000_000_000;
    for stretch in [2, 8, 20] {
        cc.on_ack(&ack(0, stretch));
    }
    assert_eq!(segments(&cc), 40);
}

#[test]
fn two_acks_a_round_make_it_reno() {
    let mut cc = avoiding(10, 10_000);
    // Far too much queue, but only two samples say so.
    for _ in 0..10 {
        round(&mut cc, 2, 90_000);
    }
    // Only the ACK that ends a round counts: ten credits for one segment.
    assert_eq!(segments(&cc), 11);
}

#[test]
fn reno_asks_whether_the_window_was_the_limit_and_vegas_does_not() {
    let unlimited = Ack {
        cwnd_limited: false,
        ..ack(0, 20)
    };
    let mut reno = avoiding(10, 10_000);
    reno.doing_vegas_now = false;
    reno.on_ack(&unlimited);
    assert_eq!(segments(&reno), 10);
    let mut cc = vegas();
    cc.beg_snd_nxt = 1_000_000_000;
    cc.on_ack(&unlimited);
    assert_eq!(segments(&cc), 30);
}

#[test]
fn disorder_stops_the_judgements_until_the_phase_is_open_again() {
    let mut cc = avoiding(100, 10_000);
    cc.on_ack(&Ack {
        phase: RecoveryPhase::Disorder,
        ..ack(0, 1)
    });
    assert!(!cc.doing_vegas_now);
    cc.on_ack(&Ack {
        snd_nxt: 777,
        snd_una: 1,
        ..ack(0, 1)
    });
    assert!(cc.doing_vegas_now);
    assert_eq!((cc.beg_snd_nxt, cc.cnt_rtt), (777, 0));
}

#[test]
fn a_loss_halves_and_recovery_begins_a_new_round() {
    let mut cc = avoiding(100, 10_000);
    cc.on_loss(&clock::loss(0, 100));
    assert_eq!((segments(&cc), cc.doing_vegas_now), (50, false));
    cc.on_ack(&Ack {
        snd_nxt: 5_000,
        snd_una: 1,
        ..ack(1, 1)
    });
    assert!(cc.doing_vegas_now);
    assert_eq!(cc.beg_snd_nxt, 5_000);
    assert_eq!(cc.base_rtt, 10_000);
}

#[test]
fn a_timeout_leaves_one_segment_and_an_undo_restores() {
    let mut cc = avoiding(100, 10_000);
    cc.on_rto(&clock::rto(0, true));
    assert_eq!(segments(&cc), 1);
    assert_eq!(cc.ssthresh(), 50 * u64::from(MSS));
    cc.on_spurious(&clock::spurious(0));
    assert_eq!(segments(&cc), 100);
}

#[test]
fn idle_time_forgets_the_base_rtt() {
    let mut cc = avoiding(100, 10_000);
    cc.on_sent(&clock::sent(0, 3, 10));
    assert_eq!(cc.base_rtt, 10_000);
    cc.on_sent(&clock::sent(0, 0, 11));
    assert_eq!(cc.base_rtt, NO_RTT);
    assert_eq!(cc.beg_snd_nxt, 10 * u64::from(MSS));
}

#[test]
fn the_window_never_falls_below_two() {
    let mut cc = avoiding(2, 10_000);
    cc.bounds.beta = 0;
    round(&mut cc, 3, 90_000);
    assert_eq!(segments(&cc), 2);
}

/// The law of the paper: the queue comes to rest between `alpha` and `beta` segments behind the
/// one in service. Whole numbers are compared, so almost one more may stand.
#[test]
fn the_queue_rests_between_alpha_and_beta() {
    for (alpha, beta) in [(2, 4), (1, 3), (10, 14)] {
        for (base_ms, service_us) in [(10, 300), (48, 1_200), (100, 1_200)] {
            let bounds = Bounds {
                alpha,
                beta,
                gamma: 1,
            };
            let mut run = AckClock::new(
                alloc::boxed::Box::new(LinuxVegas::new(init(10), bounds)),
                base_ms,
            );
            run.service = Span::from_micros(service_us);
            run.run(300_000);
            let queue = run.queue();
            assert!(
                (alpha as f64..beta as f64 + 2.0).contains(&queue),
                "alpha {alpha} beta {beta}, {base_ms} ms, {service_us} us: {queue}"
            );
        }
    }
}

/// A burst's last segment waits for the others, in the base RTT as in the round's: the queue that
/// Vegas does not see is one burst.
#[test]
fn stretch_acks_hide_a_burst_from_the_judgement() {
    let queue = |stretch| {
        let cc = LinuxVegas::new(init(10), DEFAULT);
        let mut run = AckClock::new(alloc::boxed::Box::new(cc), 48);
        run.service = Span::from_micros(1_200);
        (run.stretch, run.hold) = (stretch, Span::from_millis(20));
        run.run(100_000);
        run.queue()
    };
    let (one, four) = (queue(1), queue(4));
    assert!(four > one && four < one + 9.0, "{one} {four}");
}
