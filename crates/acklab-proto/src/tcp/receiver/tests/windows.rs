//! The window over time: autotuning ahead of a sender, closing, opening.

use super::fixture::{Bench, Delayed, MSS, edge};
use crate::ack::AckReason;
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::receiver::{Data, TimestampReply};
use acklab_units::{Rate, Span};
use std::boxed::Box;

/// A sender in slow start fills a path of `rate` and `rtt` until `most` segments are in flight;
/// what exceeds the path queues and takes longer. Returns the smallest ratio, in percent, of the
/// window to what the sender wants to have in flight in the next round.
fn headroom(rate: Rate, rtt: Span, most: u64) -> u64 {
    let mut b = Bench::linux();
    let gap = rate.serialisation(1500);
    let (mut n, mut flight, mut worst, mut start) = (0, 10, u64::MAX, rtt);
    for round in 1..=20 {
        let round_time = rtt.max(gap * flight);
        for i in 0..flight {
            b.at((start + gap * i).as_micros());
            b.push(Data {
                offset: edge(n),
                len: MSS,
                reply: Some(TimestampReply {
                    ecr: round,
                    age: round_time,
                }),
                ..Data::default()
            });
            b.receiver.read(b.now, u64::MAX);
            b.ack();
            n += 1;
        }
        start += round_time;
        flight = (2 * flight).min(most);
        worst = worst.min(b.last.window * 100 / (flight * u64::from(MSS)));
    }
    worst
}

/// 160 segments are what Linux reaches in slow start on this path with a buffer of one BDP.
#[test]
fn the_window_leaves_slow_start_room() {
    let rate = Rate::from_bps(10_000_000);
    let room = headroom(rate, Span::from_millis(48), 160);
    assert!(room >= 100, "{room} %");
    let rate = Rate::from_bps(1_000_000_000);
    let room = headroom(rate, Span::from_millis(20), 2000);
    assert!(room >= 100, "{room} %");
}

#[test]
fn the_window_grows_while_data_flows_and_says_so() {
    let mut b = Bench::linux();
    assert!(b.segment(0).window_grew);
    b.receiver.read(b.now, u64::MAX);
    let mut grew = 0;
    for n in 1..30 {
        grew += u32::from(b.segment(n).window_grew);
        b.receiver.read(b.now, u64::MAX);
        b.ack();
    }
    assert!((4..12).contains(&grew), "{grew}");
    // The limit stops one unread segment below the buffer, and is rounded up to 128 bytes.
    assert_eq!(b.last.window, (81_920u64 - 1448).div_ceil(128) * 128);
}

#[test]
fn without_a_reader_the_window_closes_and_a_read_reopens_it() {
    let mut b = Bench::linux();
    let mut n = 0;
    while b.receiver.window_edge() >= edge(n + 1) {
        b.segment(n);
        n += 1;
        b.ack();
    }
    b.at(1_000_000).ack();
    assert!(b.last.window < u64::from(MSS));
    let edge_before = b.receiver.window_edge();
    assert_eq!(b.receiver.read(b.now, 1000), 1000);
    assert_eq!(b.ack(), None);
    b.receiver.read(b.now, 20_000);
    assert_eq!(b.ack().unwrap().0, AckReason::Window);
    assert!(b.receiver.window_edge() > edge_before);
}

#[test]
fn a_prompt_reader_causes_no_window_updates() {
    for profile in [Profile::Linux, Profile::Ns3, Profile::Rfc] {
        let cfg = TcpConfig::new(profile);
        let mut b = Bench::new(&cfg, Box::<Delayed>::default());
        let mut updates = 0;
        for n in 0..2000 {
            let ack = b.at(n * 100).segment_and_read(n);
            updates += u32::from(ack.is_some_and(|a| a.0 == AckReason::Window));
        }
        assert_eq!(updates, 0, "{profile:?}");
    }
}

#[test]
fn a_fixed_window_waits_for_half_the_buffer() {
    let mut cfg = TcpConfig::new(Profile::Rfc);
    cfg.recv_buffer.initial = 20_000;
    cfg.recv_buffer.max = 20_000;
    let mut b = Bench::new(&cfg, Box::<Delayed>::default());
    for n in 0..13 {
        b.segment(n);
        b.ack();
    }
    b.bytes(edge(13), 20_001);
    b.at(1_000_000).ack();
    assert_eq!(b.last.window, 0);
    b.receiver.read(b.now, 1447);
    assert_eq!(b.ack(), None);
    b.receiver.read(b.now, 1);
    assert_eq!(b.ack().unwrap().0, AckReason::Window);
    assert_eq!(b.last.window, 1448);
    b.receiver.read(b.now, 1447);
    assert_eq!(b.ack(), None);
    b.receiver.read(b.now, 1);
    assert_eq!(b.ack().unwrap().0, AckReason::Window);
}
