//! Opening and closing, in order and otherwise.

use super::world::{Channel, World};
use crate::endpoint::Event;
use crate::tack::config::TackConfig;
use crate::tack::endpoint::State;
use crate::transport::{Socket, Transport};
use acklab_units::{Instant, Span};

fn world(change: impl FnOnce(&mut TackConfig)) -> World {
    let mut cfg = TackConfig::default();
    change(&mut cfg);
    World::new(
        &cfg,
        "cubic",
        [Channel::clean(10, 100), Channel::clean(10, 100)],
        1,
    )
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

#[test]
fn the_first_byte_arrives_after_one_and_a_half_round_trips() {
    let mut w = world(|_| {});
    w.start(1000);
    w.run_until(at(31));
    assert_eq!(w.read[1], 1000);
    let rtt = w.ends[0].snapshot().srtt;
    assert!(
        rtt >= Span::from_millis(20) && rtt < Span::from_millis(21),
        "{rtt:?}"
    );
    // The passive end has its RTT from the confirmation.
    let rtt = w.ends[1].snapshot().srtt;
    assert!(
        rtt >= Span::from_millis(20) && rtt < Span::from_millis(21),
        "{rtt:?}"
    );
}

#[test]
fn a_lost_hello_is_said_again() {
    let mut w = world(|_| {});
    w.channels[0].loss = 1.0;
    w.start(1000);
    w.run_until(at(500));
    w.channels[0].loss = 0.0;
    assert!(w.finish(Span::from_secs(10)));
    assert_eq!(w.read[1], 1000);
}

#[test]
fn nobody_there_is_an_end_too() {
    let mut w = world(|_| {});
    w.channels[0].loss = 1.0;
    w.start(1000);
    while w.step() {}
    assert_eq!(w.ends[0].state(), State::Broken);
    assert_eq!(w.events[0], [Event::TimedOut]);
}

#[test]
fn a_peer_that_goes_silent_is_given_up() {
    let mut w = world(|c| c.max_retries = 4);
    w.start(50_000_000);
    w.run_until(at(200));
    for c in &mut w.channels {
        c.loss = 1.0;
    }
    w.run_for(Span::from_secs(600));
    assert!(w.events[0].contains(&Event::TimedOut));
    assert_eq!(w.ends[0].state(), State::Broken);
}

#[test]
fn one_direction_can_end_before_the_other() {
    let mut w = world(|_| {});
    w.closes = [true, false];
    w.start(10_000);
    w.run_until(at(200));
    assert!(w.events[1].contains(&Event::PeerClosed));
    assert_eq!(w.ends[1].state(), State::Established);
    w.to_write[1] = 300_000;
    w.serve(1);
    w.run_until(at(600));
    assert_eq!(w.read[0], 300_000);
    w.closes[1] = true;
    w.serve(1);
    assert!(w.finish(Span::from_secs(5)));
    w.run_for(Span::from_secs(60));
    assert_eq!(w.ends[0].state(), State::Closed);
    assert_eq!(w.ends[1].state(), State::Closed);
}

#[test]
fn close_spares_the_peer_its_wait() {
    let mut w = world(|_| {});
    w.start(10_000);
    assert!(w.finish(Span::from_secs(5)));
    let at_once = w.ends.iter().filter(|e| e.state() == State::Closed).count();
    w.run_for(Span::from_millis(25));
    let soon = w.ends.iter().filter(|e| e.state() == State::Closed).count();
    assert!(at_once + soon >= 1 && soon == 2, "{at_once} {soon}");
}

/// The CLOSE overtakes the last TACK, which finds nobody any more.
#[test]
fn what_only_a_close_acknowledges_is_counted() {
    for bytes in [1, 10_000, 1_000_000] {
        let mut w = world(|_| {});
        w.start(bytes);
        assert!(w.finish(Span::from_secs(5)));
        w.run_for(Span::from_millis(25));
        assert_eq!(w.read[1], bytes);
        assert_eq!(w.ends[0].stats().bytes_acked, bytes);
    }
}

#[test]
fn abort_breaks_off_at_both_ends() {
    let mut w = world(|_| {});
    w.start(50_000_000);
    w.run_until(at(300));
    w.ends[0].abort();
    w.serve(0);
    w.run_for(Span::from_secs(1));
    assert_eq!(w.ends[1].state(), State::Broken);
    assert!(w.events[1].contains(&Event::Reset));
    assert_eq!(w.ends[0].write(1), 0);
    while w.step() {}
}

/// The receiver's application does not read; when it does, the sender goes on at once, although all
/// that says so may be lost (persist).
#[test]
fn a_shut_window_opens_again() {
    for loses in [false, true] {
        let mut w = world(|c| c.recv_buffer = 100_000);
        w.deaf[1] = true;
        w.start(1_000_000);
        w.run_until(at(2000));
        assert_eq!(w.ends[1].receiver().readable(), 100_000);
        w.deaf[1] = false;
        if loses {
            w.channels[1].loss = 1.0;
            w.serve(1);
            w.channels[1].loss = 0.0;
        } else {
            w.serve(1);
        }
        let before = w.now;
        assert!(w.finish(Span::from_secs(20)), "{loses}");
        assert_eq!(w.read[1], 1_000_000);
        let took = w.now - before;
        assert!(
            took < Span::from_secs(if loses { 15 } else { 1 }),
            "{took:?}"
        );
    }
}

#[test]
fn keep_alive_finds_a_dead_peer_and_leaves_a_live_one_alone() {
    let mut w = world(|c| c.keep_alive = Some(Span::from_secs(10)));
    w.closes = [false; 2];
    w.start(1000);
    w.run_until(at(100_000));
    assert_eq!(w.ends[0].state(), State::Established);
    assert!(w.sent[0].data < 30, "{:?}", w.sent);
    w.channels[1].loss = 1.0;
    w.run_until(at(1_000_000));
    assert_eq!(w.ends[0].state(), State::Broken);
    assert!(w.events[0].contains(&Event::TimedOut));
}
