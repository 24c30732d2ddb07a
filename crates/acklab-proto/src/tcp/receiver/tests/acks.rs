//! When ACKs leave.

use super::fixture::{Bench, Silent, edge};
use crate::ack::AckReason::{Control, OutOfOrder, Timer, Window};
use crate::ack::{AckReason, AckReason::ByteCount};
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::receiver::{Data, Verdict};
use acklab_units::{Instant, Span};
use std::boxed::Box;
use std::vec;

#[test]
fn every_second_segment_is_acknowledged() {
    let mut b = Bench::linux();
    assert_eq!(b.at(0).segment_and_read(0), None);
    assert_eq!(
        b.at(1200).segment_and_read(1),
        Some((ByteCount, edge(2), vec![]))
    );
    assert_eq!(b.at(2400).segment_and_read(2), None);
}

#[test]
fn a_single_segment_waits_for_the_timer() {
    let mut b = Bench::linux();
    b.at(100).segment_and_read(0);
    let due = Instant::ZERO + Span::from_micros(40_100);
    assert_eq!(b.receiver.next_timeout(), Some(due));
    assert_eq!(b.at(40_099).ack(), None);
    assert_eq!(b.at(40_100).ack(), Some((Timer, edge(1), vec![])));
    assert_eq!(b.receiver.next_timeout(), None);
}

#[test]
fn an_ack_on_data_cancels_the_wait() {
    let mut b = Bench::linux();
    b.segment_and_read(0);
    b.receiver.ack_fields();
    b.receiver.on_ack_sent(b.now, true);
    assert_eq!(b.receiver.next_timeout(), None);
    assert_eq!(b.at(50_000).ack(), None);
}

#[test]
fn a_duplicate_is_answered_even_by_a_silent_policy() {
    let mut b = Bench::new(&TcpConfig::default(), Box::new(Silent));
    b.segment(0);
    assert_eq!(b.ack(), None);
    assert_eq!(b.segment(0).verdict, Verdict::Duplicate);
    assert_eq!(
        b.ack(),
        Some((OutOfOrder, edge(1), vec![(edge(0), edge(1))]))
    );
}

#[test]
fn a_segment_beyond_the_window_is_answered_and_dropped() {
    let mut b = Bench::new(&TcpConfig::default(), Box::new(Silent));
    let edge = b.receiver.window_edge();
    let outcome = b.bytes(edge, edge + 100);
    assert_eq!(outcome.verdict, Verdict::OutOfWindow);
    assert!(outcome.taken.is_empty());
    assert_eq!(b.receiver.held(), 0);
    assert_eq!(b.ack(), Some((OutOfOrder, 1, vec![])));
}

#[test]
fn filling_the_gap_is_acknowledged_at_once() {
    let mut b = Bench::linux();
    b.segment_and_read(1);
    b.ack();
    let outcome = b.segment(0);
    assert_eq!(outcome.newly_readable, 2 * 1448);
    assert_eq!(b.ack(), Some((OutOfOrder, edge(2), vec![])));
}

#[test]
fn the_fin_is_acknowledged_at_once() {
    let mut b = Bench::new(&TcpConfig::default(), Box::new(Silent));
    let outcome = b.push(Data {
        offset: 1,
        len: 10,
        fin: true,
        ..Data::default()
    });
    assert!(outcome.fin_reached);
    assert_eq!(outcome.newly_readable, 10);
    assert_eq!(b.ack(), Some((Control, 12, vec![])));
}

#[test]
fn an_empty_segment_in_the_window_needs_no_answer() {
    let mut b = Bench::linux();
    assert_eq!(b.receiver.on_empty(b.now, 1, Some(5)), Verdict::Accepted);
    assert_eq!(b.ack(), None);
    b.at(10);
    assert_eq!(b.receiver.ack_fields().ts_ecr, 5);
}

/// A keep-alive lies one below the window. It is answered, but not more than twice a second.
#[test]
fn keepalives_are_answered_at_a_limited_rate() {
    let mut b = Bench::linux();
    b.receiver.on_empty(b.now, 0, None);
    assert_eq!(b.ack(), Some((OutOfOrder, 1, vec![])));
    b.at(499_999);
    b.receiver.on_empty(b.now, 0, None);
    assert_eq!(b.ack(), None);
    b.at(500_000);
    b.receiver.on_empty(b.now, 0, None);
    assert!(b.ack().is_some());
    b.receiver.request_challenge(b.now);
    assert_eq!(b.ack(), None);
}

#[test]
fn the_handshake_asks_for_its_ack() {
    let mut b = Bench::linux();
    b.receiver.request_ack(Control);
    b.receiver.request_ack(AckReason::Quick);
    assert_eq!(b.ack(), Some((Control, 1, vec![])));
}

#[test]
fn a_probe_of_a_closed_window_is_answered_as_such() {
    let mut cfg = TcpConfig::new(Profile::Ns3);
    cfg.recv_buffer.max = 10_000;
    cfg.recv_buffer.initial = 10_000;
    let mut b = Bench::new(&cfg, Box::new(Silent));
    b.bytes(1, 10_001);
    b.receiver.request_ack(Control);
    b.ack();
    assert_eq!(b.last.window, 0);
    assert_eq!(b.bytes(10_001, 10_002).verdict, Verdict::OutOfWindow);
    assert_eq!(b.ack(), Some((Window, 10_001, vec![])));
}
