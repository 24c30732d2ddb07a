//! Readable data, and the part taken of a segment.

use super::fixture::{Bench, Silent};
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::receiver::{Data, Extent, Verdict};
use std::boxed::Box;

const fn ext(start: u64, end: u64) -> Extent {
    Extent { start, end }
}

fn small(buffer: u64) -> Bench {
    let mut cfg = TcpConfig::new(Profile::Ns3);
    cfg.recv_buffer.initial = buffer;
    cfg.recv_buffer.max = buffer;
    Bench::new(&cfg, Box::new(Silent))
}

#[test]
fn order_is_restored() {
    let mut b = small(100_000);
    assert_eq!(b.bytes(101, 201).newly_readable, 0);
    assert_eq!(b.receiver.held(), 100);
    assert_eq!(b.bytes(1, 101).newly_readable, 200);
    assert_eq!(b.receiver.readable(), 200);
    assert_eq!(b.receiver.read(b.now, 150), 150);
    assert_eq!(b.receiver.read(b.now, 150), 50);
    assert_eq!(b.receiver.read(b.now, 150), 0);
}

#[test]
fn what_lies_outside_the_window_is_cut_off() {
    let mut b = small(1000);
    let outcome = b.bytes(901, 1101);
    assert_eq!(outcome.fresh, 100);
    assert_eq!(outcome.taken, ext(901, 1001));
    b.bytes(1, 401);
    let outcome = b.bytes(301, 501);
    assert_eq!((outcome.newly_readable, outcome.fresh), (100, 100));
    assert_eq!(outcome.taken, ext(401, 501));
}

#[test]
fn a_fin_that_is_cut_off_does_not_count() {
    let mut b = small(1000);
    let fin = Data {
        offset: 901,
        len: 100,
        fin: true,
        ..Data::default()
    };
    b.push(fin);
    assert!(!b.bytes(1, 901).fin_reached);
    assert_eq!(b.receiver.next_expected(), 1001);
    b.receiver.read(b.now, 1000);
    b.receiver.ack_fields();
    let outcome = b.push(fin);
    assert!(outcome.fin_reached);
    assert_eq!(outcome.newly_readable, 0);
}

#[test]
fn a_fin_may_come_before_the_data() {
    let mut b = small(100_000);
    let early = b.push(Data {
        offset: 101,
        fin: true,
        ..Data::default()
    });
    assert!(!early.fin_reached);
    let outcome = b.bytes(1, 101);
    assert!(outcome.fin_reached);
    assert_eq!(outcome.newly_readable, 100);
    assert_eq!(b.receiver.read(b.now, 1000), 100);
    assert_eq!(b.receiver.next_expected(), 102);
    assert_eq!(b.receiver.readable(), 0);
}

#[test]
fn data_behind_the_fin_is_ignored() {
    let mut b = small(100_000);
    b.push(Data {
        offset: 1,
        len: 10,
        fin: true,
        ..Data::default()
    });
    let outcome = b.bytes(5, 50);
    assert_eq!(outcome.newly_readable, 0);
    assert!(outcome.taken.is_empty());
    assert_eq!(b.receiver.next_expected(), 12);
}

#[test]
fn an_old_timestamp_keeps_a_segment_out() {
    let mut b = Bench::rfc();
    b.push(Data {
        offset: 1,
        len: 100,
        ts_val: Some(50),
        ..Data::default()
    });
    let late = b.push(Data {
        offset: 101,
        len: 100,
        ts_val: Some(49),
        ..Data::default()
    });
    assert_eq!(late.verdict, Verdict::OldTimestamp);
    assert_eq!(b.receiver.next_expected(), 101);
    assert!(b.ack().is_some());
}

#[test]
fn ns3_has_no_timestamp_test() {
    let mut b = small(100_000);
    for ts_val in [Some(50), Some(1)] {
        let outcome = b.push(Data {
            offset: b.receiver.next_expected(),
            len: 100,
            ts_val,
            ..Data::default()
        });
        assert_eq!(outcome.verdict, Verdict::Accepted);
    }
}
