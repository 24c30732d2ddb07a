//! Timestamps and congestion marks as ACKs reflect them.

use super::fixture::{Bench, Delayed, MSS, edge, syn};
use crate::ack::AckReason;
use crate::segment::Ecn;
use crate::tcp::config::TcpConfig;
use crate::tcp::receiver::{Data, SynInfo};
use std::boxed::Box;

fn stamped(n: u64, ts_val: u32) -> Data {
    Data {
        offset: edge(n),
        len: MSS,
        ts_val: Some(ts_val),
        ..Data::default()
    }
}

fn marked(n: u64, ecn: Ecn, cwr: bool) -> Data {
    Data {
        ecn,
        cwr,
        ..stamped(n, 10)
    }
}

/// RFC 7323 section 4.3, case A: the RTT that the sender takes includes the delay.
#[test]
fn a_delayed_ack_echoes_the_first_segment_it_covers() {
    let mut b = Bench::linux();
    b.push(stamped(0, 10));
    b.push(stamped(1, 12));
    b.ack().unwrap();
    assert_eq!(b.last.ts_ecr, 10);
    b.push(stamped(2, 14));
    b.push(stamped(3, 16));
    b.ack().unwrap();
    assert_eq!(b.last.ts_ecr, 14);
}

/// RFC 7323 section 4.3, case B: above a gap the last in-order segment is echoed, then the filler.
#[test]
fn duplicate_acks_echo_the_last_segment_in_order() {
    let mut b = Bench::linux();
    b.push(stamped(0, 10));
    b.at(40_000).ack().unwrap();
    for (n, ts) in [(2, 12), (3, 13)] {
        b.push(stamped(n, ts));
        b.ack().unwrap();
        assert_eq!(b.last.ts_ecr, 10);
    }
    b.push(stamped(1, 60));
    b.ack().unwrap();
    assert_eq!((b.last.ts_ecr, b.last.ack), (60, edge(4)));
}

#[test]
fn the_syn_is_echoed_by_the_syn_ack() {
    let b = Bench::linux();
    let fields = b.receiver.syn_ack_fields();
    assert_eq!((fields.ack, fields.ts_ecr), (1, 1));
    assert_eq!(fields.window_field, 64_240);
}

#[test]
fn without_the_option_nothing_is_echoed() {
    let plain = SynInfo {
        timestamps: false,
        ..syn()
    };
    let mut b = Bench::with_syn(&TcpConfig::default(), Box::<Delayed>::default(), plain);
    b.push(stamped(0, 10));
    b.push(stamped(1, 2));
    b.ack().unwrap();
    assert_eq!((b.last.ts_ecr, b.last.ack), (0, edge(2)));
}

#[test]
fn ece_lasts_from_ce_to_cwr() {
    let mut b = Bench::linux();
    b.push(marked(0, Ecn::Ce, false));
    assert_eq!(b.ack().unwrap().0, AckReason::Ecn);
    assert!(b.last.ece);
    b.push(marked(1, Ecn::Ect0, false));
    b.push(marked(2, Ecn::Ect0, false));
    b.ack().unwrap();
    assert!(b.last.ece);
    b.push(marked(3, Ecn::Ect0, true));
    assert_eq!(b.ack().unwrap().0, AckReason::Ecn);
    assert!(!b.last.ece);
}

#[test]
fn without_agreement_marks_mean_nothing() {
    let plain = SynInfo {
        ecn: false,
        ..syn()
    };
    let mut b = Bench::with_syn(&TcpConfig::default(), Box::<Delayed>::default(), plain);
    b.push(marked(0, Ecn::Ce, false));
    assert_eq!(b.ack(), None);
    assert!(!b.receiver.ack_fields().ece);
}
