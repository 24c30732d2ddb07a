//! Closed forms: CUBIC's mean window under periodic loss.

use super::*;
use crate::cc::ack_clock::{AckClock, init, loss};

fn with(set: &[(&str, Value)], initial: u64) -> Box<dyn CongestionControl> {
    let mut params = Params::defaults(PARAMS);
    for &(name, value) in set {
        params.set(PARAMS, name, value).unwrap();
    }
    build(&params, init(initial))
}

/// The mean over 30 cycles that begin with a loss at `start` segments.
fn mean_from(start: f64, set: &[(&str, Value)], rtt_ms: u64, every: u64, stretch: u32) -> f64 {
    let mut cc = with(set, start as u64);
    cc.on_loss(&loss(0, start as u64));
    let mut run = AckClock::new(cc, rtt_ms);
    run.loss_every = Some(every);
    run.stretch = stretch;
    run.mean_window(every * 40)
}

/// The same from the peak of the sawtooth whose mean is `law`: (3 + beta) / 4 of the peak.
///
/// The law is a fixed point that attracts but slowly: at the plateau the cubic is flat, so that a
/// loss a little early or late hardly moves the next peak.
fn mean_on(law: f64, set: &[(&str, Value)], rtt_ms: u64, every: u64, stretch: u32) -> f64 {
    mean_from(law * 4.0 / 3.7, set, rtt_ms, every, stretch)
}

/// RFC 9438 section 5.1, equation 5: (C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4).
fn cubic_law(c: f64, rtt_ms: u64, every: u64) -> f64 {
    let factor = libm::pow(c * 3.7 / (4.0 * 0.3), 0.25);
    factor * libm::pow(rtt_ms as f64 / 1e3 * every as f64, 0.75)
}

/// RFC 9438 section 4.3: AIMD with alpha = 3 (1 - beta) / (1 + beta) has Reno's mean window.
fn reno_law(every: u64) -> f64 {
    libm::sqrt(1.5 * every as f64)
}

fn assert_near(got: f64, law: f64, tolerance: f64, what: &str) {
    assert!(
        (got / law - 1.0).abs() < tolerance,
        "{what}: {got} against {law}"
    );
}

#[test]
fn long_rtt_and_rare_loss_follow_the_cubic_law_at_any_ack_ratio() {
    for (rtt_ms, every) in [(100, 30_000), (200, 20_000), (100, 200_000)] {
        for stretch in [1, 2, 16, 200] {
            let law = cubic_law(0.4, rtt_ms, every);
            let got = mean_on(law, &[], rtt_ms, every, stretch);
            assert_near(got, law, 0.05, &alloc::format!("{rtt_ms} ms, {stretch}:1"));
        }
    }
}

#[test]
fn the_law_attracts_from_below_and_above() {
    let law = cubic_law(0.4, 100, 30_000);
    let low = mean_from(law * 0.6, &[], 100, 30_000, 1);
    let high = mean_from(law * 2.0, &[], 100, 30_000, 1);
    assert!(low > law * 0.85 && low < law, "{low} against {law}");
    assert!(high < law * 1.4 && high > law, "{high} against {law}");
}

#[test]
fn ns3_follows_the_cubic_law_with_an_ack_per_segment() {
    let law = cubic_law(0.4, 100, 30_000);
    let got = mean_on(law, &[("variant", Value::Choice("ns3"))], 100, 30_000, 1);
    assert_near(got, law, 0.05, "ns3");
}

#[test]
fn short_rtt_and_frequent_loss_follow_reno_in_the_friendly_region() {
    let (rtt_ms, every) = (10, 20_000);
    let law = reno_law(every);
    assert!(cubic_law(0.4, rtt_ms, every) < law / 2.0);
    for stretch in [1, 2, 16] {
        let got = mean_from(law, &[], rtt_ms, every, stretch);
        assert_near(got, law, 0.1, &alloc::format!("{stretch}:1"));
    }
}

#[test]
fn without_friendliness_the_same_loss_follows_the_cubic_law() {
    let off = [("tcp_friendliness", Value::Bool(false))];
    let law = cubic_law(0.4, 20, 20_000);
    assert_near(mean_on(law, &off, 20, 20_000, 1), law, 0.1, "not friendly");
}

#[test]
fn c_scales_the_mean_window_with_its_fourth_root() {
    for c in [0.2, 0.8, 2.0] {
        let law = cubic_law(c, 100, 100_000);
        let got = mean_on(law, &[("c", Value::Float(c))], 100, 100_000, 1);
        assert_near(got, law, 0.05, "C");
    }
}

#[test]
fn the_defaults_are_the_kernels() {
    let s = Settings::new(&Params::defaults(PARAMS));
    assert!(s.fast_convergence && s.tcp_friendliness && !s.paced);
    assert_eq!((s.beta, s.c), (0.7, 0.4));
    assert_eq!(s.hystart, SlowStartExit::HyStart);
}

/// One flow into a drop-free bottleneck of 10 Mbit/s and 48 ms: the kernel leaves slow start by
/// its ACK train near 60 segments with an ACK per segment, and not at all with thinned ACKs.
#[test]
fn thinning_defeats_the_ack_train() {
    let at_exit = |stretch| {
        let mut run = AckClock::new(with(&[], 10), 48);
        run.service = acklab_units::Span::from_micros(1_200);
        (run.stretch, run.hold) = (stretch, acklab_units::Span::from_millis(5));
        while run.cc.ssthresh() == u64::MAX && run.cc.cwnd() < 160 * 1448 {
            run.run(1);
        }
        run.cc.cwnd() / 1448
    };
    assert!((40..=70).contains(&at_exit(1)), "{}", at_exit(1));
    assert!(at_exit(2) >= 120, "{}", at_exit(2));
    assert!(at_exit(4) >= 120, "{}", at_exit(4));
}
