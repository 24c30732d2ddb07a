//! "BBR Example Test Cases", the appendix of draft-ietf-ccwg-bbr, case by case.
//!
//! Cases about the path run on a simulated one; cases about a single decision feed the machine.

use super::feed::{Feed, INIT, MSS, RTT, mbit};
use super::{Machine, Profile, State};
use crate::cc::CongestionControl;
use crate::cc::bbr::Ratio;
use crate::cc::bbr::testing::{Path, ms};
use acklab_units::{Rate, Span};

const SECOND: Span = Span::from_secs(1);

fn path(rate: Rate, delay: Span, queue: u64) -> Path<Machine> {
    Path::new(
        Machine::new(Profile::draft(), INIT, "appendix"),
        rate,
        delay,
        queue,
    )
}

/// Runs until `state`, at most 30 s more.
fn reach(p: &mut Path<Machine>, state: State) {
    let limit = p.now + SECOND * 30;
    assert!(
        p.run_until(limit, |p| p.cc.state == state),
        "{state:?} was never reached"
    );
}

/// Goodput over the next `span` as a share of the bottleneck.
fn share(p: &mut Path<Machine>, span: Span) -> f64 {
    let before = p.delivered;
    p.run(span);
    let bits = (p.delivered - before) as f64 * 8.0;
    bits / span.as_secs_f64() / p.rate.as_bps() as f64
}

#[test]
fn exiting_startup_on_bandwidth_plateau() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    reach(&mut p, State::Drain);
    let error = p.cc.max_bw().as_bps() as f64 / 50e6 - 1.0;
    assert!(error.abs() < 0.02, "{error}");
    assert_eq!(p.cc.full_pipe.rounds, 3);
    assert!(p.cc.full_pipe.now && p.cc.full_pipe.reached);
}

#[test]
fn exiting_startup_on_loss_when_application_limited() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    p.app_rate = Some(mbit(20));
    p.run(SECOND * 3);
    assert_eq!(p.cc.state, State::Startup);
    p.drop_every = 10;
    let limit = p.now + SECOND;
    assert!(p.run_until(limit, |p| p.cc.state != State::Startup));
    assert!(p.cc.full_pipe.now && p.cc.full_pipe.reached);
}

#[test]
fn exiting_drain_based_on_inflight() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    reach(&mut p, State::Drain);
    assert_eq!(p.cc.pacing_gain(), Ratio::new(50, 100));
    let limit = p.now + SECOND;
    assert!(p.run_until(limit, |p| p.cc.state != State::Drain));
    assert!(p.cc.state.is_probe_bw());
    assert!(p.inflight <= p.cc.inflight_target(p.cc.bw(), Ratio::ONE));
}

#[test]
fn exiting_drain_based_on_time() {
    let mut feed = Feed::drain(Profile::draft(), mbit(50));
    let start = feed.cc.drain_start_round;
    feed.inflight = 1000;
    while feed.cc.state == State::Drain {
        feed.round(mbit(45));
    }
    assert_eq!(feed.cc.rounds.count(), start + 4, "more than three rounds");
    assert!(feed.cc.state.is_probe_bw());
}

#[test]
fn exiting_probe_up_on_bandwidth_plateau() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    reach(&mut p, State::ProbeBwUp);
    let start = p.cc.rounds.count();
    reach(&mut p, State::ProbeBwDown);
    assert!(p.cc.full_pipe.now);
    assert_eq!(p.cc.full_pipe.rounds, 3);
    assert!((3..=4).contains(&(p.cc.rounds.count() - start)));
    assert_eq!(p.drops, 0);
}

#[test]
fn exiting_probe_up_on_loss_when_application_limited() {
    let mut feed = Feed::up(Profile::draft(), mbit(10));
    feed.cc.long.inflight_hi = 100 * MSS;
    feed.app_limited = true;
    feed.lose(3);
    assert_eq!(feed.cc.state, State::ProbeBwDown);
    assert!(feed.cc.long.prev_probe_too_high);
    assert_eq!(
        feed.cc.long.inflight_hi,
        100 * MSS,
        "a limited flow did not probe the volume"
    );
}

#[test]
fn never_exiting_probe_up_or_startup_when_application_limited_with_no_loss() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    p.app_rate = Some(mbit(10));
    p.run(Span::from_millis(4500));
    assert_eq!(p.cc.state, State::Startup);
    let mut feed = Feed::up(Profile::draft(), mbit(10));
    feed.app_limited = true;
    for _ in 0..60 {
        feed.round(mbit(3));
        assert_eq!(feed.cc.state, State::ProbeBwUp);
    }
}

#[test]
fn exiting_probe_down_on_inflight() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    reach(&mut p, State::ProbeBwUp);
    reach(&mut p, State::ProbeBwDown);
    assert_eq!(p.cc.pacing_gain(), Ratio::new(90, 100));
    reach(&mut p, State::ProbeBwCruise);
    assert!(p.inflight <= p.cc.inflight_target(p.cc.max_bw(), Ratio::ONE));
}

#[test]
fn exiting_probe_down_after_max_time() {
    let mut feed = Feed::cruise(Profile::draft(), mbit(100));
    let ack = feed.last_ack();
    feed.cc.start_probe_bw_down(&ack);
    let (start, wait) = (feed.now, feed.cc.clock.wait);
    feed.inflight = 2000;
    while feed.cc.state == State::ProbeBwDown {
        feed.cc.clock.rounds = 0;
        feed.round(mbit(90));
    }
    assert_eq!(feed.cc.state, State::ProbeBwRefill, "cruising is skipped");
    let waited = feed.now - start;
    assert!(waited > wait && waited <= wait + RTT);
}

/// Two flows would keep a queue; one flow with a late extra delay stands in for the other.
#[test]
fn entering_and_exiting_probe_rtt() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    reach(&mut p, State::ProbeBwCruise);
    p.delay = Span::from_millis(45);
    let raised = p.now;
    reach(&mut p, State::ProbeRtt);
    let waited = (p.now - raised).as_secs_f64();
    assert!((4.0..5.2).contains(&waited), "{waited}");
    assert_eq!(p.cc.cwnd_gain(), Ratio::new(1, 2));
    let entered = p.now;
    let limit = p.now + SECOND;
    assert!(p.run_until(limit, |p| p.cc.state != State::ProbeRtt));
    assert!(p.now - entered > Span::from_millis(200));
    assert_eq!(p.cc.state, State::ProbeBwCruise);
    assert!(share(&mut p, SECOND * 3) > 0.9);
}

#[test]
fn skipping_probe_rtt_due_to_application_limited_sending() {
    let mut feed = Feed::cruise(Profile::draft(), mbit(10));
    feed.now += SECOND * 6;
    feed.restart_from_idle();
    assert!(feed.cc.idle_restart);
    feed.rtt = RTT * 2;
    feed.round(mbit(10));
    assert!(feed.cc.state.is_probe_bw());
}

#[test]
fn achieving_expected_startup_bandwidth_on_a_link_with_aggregation() {
    for n in [2, 16, 100, 200] {
        let mut p = path(mbit(100), Span::from_millis(40), 5000);
        p.ack_every = n;
        p.ack_timer = Span::from_millis(20);
        reach(&mut p, State::Drain);
        let found = p.cc.max_bw().as_bps() as f64 / 100e6;
        assert!((0.95..1.05).contains(&found), "one ACK per {n}: {found}");
        let bdp = p.cc.bdp(p.cc.max_bw(), Ratio::ONE);
        assert!(p.cc.cwnd() > 2 * bdp, "one ACK per {n}");
        assert!(
            p.cc.extra_acked.max() >= (n as u64).min(160) * MSS / 2,
            "one ACK per {n}"
        );
    }
}

#[test]
fn achieving_expected_cruise_bandwidth_on_a_link_with_aggregation() {
    for n in [2, 16, 100, 200] {
        let mut p = path(mbit(100), Span::from_millis(40), 5000);
        p.ack_every = n;
        p.ack_timer = Span::from_millis(20);
        reach(&mut p, State::ProbeBwCruise);
        let got = share(&mut p, SECOND * 5);
        assert!(got > 0.93, "one ACK per {n}: {got}");
        let burst = (n as u64).min(160) * MSS;
        assert!(p.cc.extra_acked.max() >= burst / 2, "one ACK per {n}");
    }
}

#[test]
fn correctly_managing_sub_packet_bdps() {
    let mut p = path(mbit(1), Span::from_millis(2), 50);
    reach(&mut p, State::ProbeBwDown);
    assert!(p.cc.cwnd() >= 4 * MSS);
    assert!(share(&mut p, SECOND * 30) > 0.9);
    let paced = p.cc.pacing_rate().unwrap().as_bps() as f64 / 1e6;
    assert!((0.85..1.3).contains(&paced), "{paced}");
}

#[test]
fn increasing_bandwidth_tenfold_and_ensuring_full_bandwidth_is_reached() {
    let mut p = path(mbit(10), Span::from_millis(40), 500);
    reach(&mut p, State::ProbeBwCruise);
    p.rate = mbit(100);
    let limit = p.now + SECOND * 20;
    assert!(
        p.run_until(limit, |p| p.cc.max_bw() > mbit(95)),
        "{:?}",
        p.cc.max_bw()
    );
}

#[test]
fn decreasing_bandwidth_tenfold_and_ensuring_max_bandwidth_adapts_down() {
    let mut p = path(mbit(100), Span::from_millis(40), 200);
    reach(&mut p, State::ProbeBwCruise);
    p.rate = mbit(10);
    let limit = p.now + SECOND * 3;
    assert!(
        p.run_until(limit, |p| p.cc.short.bw_lo < mbit(100)),
        "loss lowers bw_lo"
    );
    p.run(SECOND * 20);
    assert!(p.cc.max_bw() < mbit(12), "{:?}", p.cc.max_bw());
    assert!(share(&mut p, SECOND * 5) > 0.85);
}

/// A queue of two packets polices like a small bucket: what exceeds the rate is dropped.
#[test]
fn handling_token_bucket_policers() {
    let mut p = path(mbit(20), Span::from_millis(40), 200);
    reach(&mut p, State::ProbeBwCruise);
    p.queue = 2;
    p.rate = mbit(10);
    let limit = p.now + SECOND * 5;
    let reacts =
        |p: &Path<Machine>| p.cc.short.bw_lo < mbit(20) && p.cc.short.inflight_lo < u64::MAX;
    assert!(p.run_until(limit, reacts));
    p.run(SECOND * 10);
    let (drops, sent) = (p.drops, p.sent);
    assert!(share(&mut p, SECOND * 10) > 0.7);
    let rate = (p.drops - drops) as f64 / (p.sent - sent) as f64;
    assert!(rate < 0.02, "loss rate {rate}");
}

#[test]
fn handling_spurious_fast_recovery() {
    let mut feed = Feed::up(Profile::draft(), mbit(10));
    feed.lose(5);
    feed.enter_recovery();
    assert_eq!(feed.cc.state, State::ProbeBwDown);
    let spurious = crate::cc::Spurious {
        now: feed.now,
        inflight: 0,
        was_rto: false,
    };
    feed.cc.on_spurious(&spurious);
    assert_eq!(feed.cc.long.inflight_hi, u64::MAX);
    assert_eq!(feed.cc.short.bw_lo, Rate::MAX);
    feed.phase = crate::cc::RecoveryPhase::Open;
    feed.round(mbit(10));
    assert_eq!(feed.cc.state, State::ProbeBwUp, "by way of a refill");
}

#[test]
fn handling_spurious_rto_recovery() {
    let mut feed = Feed::up(Profile::draft(), mbit(10));
    let before = feed.cc.cwnd();
    feed.rto();
    feed.lose(41);
    assert_eq!(feed.cc.cwnd(), MSS);
    let spurious = crate::cc::Spurious {
        now: feed.now,
        inflight: 0,
        was_rto: true,
    };
    feed.cc.on_spurious(&spurious);
    assert_eq!(feed.cc.cwnd(), before);
    assert_eq!(feed.cc.long.inflight_hi, u64::MAX);
    feed.phase = crate::cc::RecoveryPhase::Open;
    feed.round(mbit(10));
    assert_eq!(feed.cc.state, State::ProbeBwUp);
}

#[test]
fn entering_and_exiting_probe_rtt_during_startup() {
    let mut p = path(mbit(50), Span::from_millis(40), 2000);
    p.app_rate = Some(mbit(10));
    reach(&mut p, State::ProbeRtt);
    let limit = p.now + SECOND;
    assert!(p.run_until(limit, |p| p.cc.state != State::ProbeRtt));
    assert_eq!(p.cc.state, State::Startup);
    assert!(p.now > ms(5000));
}

#[test]
fn handling_loss_during_probe_up_after_inflight_hi_is_set() {
    let mut feed = Feed::up(Profile::draft(), mbit(10));
    feed.cc.long.inflight_hi = 80 * MSS;
    feed.cc.cwnd = 80 * MSS;
    let target = feed.cc.target_inflight();
    feed.lose(5);
    assert_eq!(feed.cc.state, State::ProbeBwDown);
    let beta = super::short_term::BETA.of(target);
    let hi = feed.cc.long.inflight_hi;
    assert!(hi >= beta && hi < 80 * MSS, "{hi}");
}

#[test]
fn handling_application_limited_sending_during_probe_refill() {
    let mut feed = Feed::cruise(Profile::draft(), mbit(10));
    let ack = feed.last_ack();
    feed.cc.start_probe_bw_refill(&ack, 0);
    feed.app_limited = true;
    feed.same_round(mbit(1));
    feed.round(mbit(1));
    assert_eq!(feed.cc.max_bw(), mbit(10));
    assert_eq!(feed.cc.state, State::ProbeBwUp);
    feed.app_limited = false;
    for _ in 0..5 {
        feed.round(mbit(10));
    }
    assert_ne!(feed.cc.state, State::ProbeBwUp);
}
