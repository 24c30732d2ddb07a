//! SACK blocks, duplicates and compression as they leave on the wire.

use super::fixture::{Bench, Delayed, Silent, edge, syn};
use crate::ack::AckReason::{ByteCount, OutOfOrder};
use crate::tcp::config::TcpConfig;
use crate::tcp::receiver::{Data, SynInfo, TimestampReply};
use acklab_units::{Instant, Span};
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

fn seg(from: u64, to: u64) -> (u64, u64) {
    (edge(from), edge(to))
}

/// A Linux receiver that knows an RTT of `ms`.
fn with_rtt(ms: u64) -> Bench {
    let mut b = Bench::linux();
    b.push(Data {
        offset: 1,
        len: 1448,
        reply: Some(TimestampReply {
            ecr: 7,
            age: Span::from_millis(ms),
        }),
        ..Data::default()
    });
    b.receiver.read(b.now, u64::MAX);
    b
}

fn blocks(b: &mut Bench) -> Vec<(u64, u64)> {
    b.ack().expect("an ACK must leave").2
}

#[test]
fn three_blocks_fit_beside_timestamps_and_four_without() {
    for (timestamps, room) in [(true, 3), (false, 4)] {
        let mut cfg = TcpConfig::new(crate::tcp::Profile::Rfc);
        cfg.timestamps = timestamps;
        let mut b = Bench::new(&cfg, Box::<Delayed>::default());
        let mut last = vec![];
        for n in [2, 4, 6, 8, 10] {
            b.segment(n);
            last = blocks(&mut b);
        }
        let newest = [seg(10, 11), seg(8, 9), seg(6, 7), seg(4, 5)];
        assert_eq!(last, newest[..room]);
    }
}

#[test]
fn without_sack_permitted_there_are_no_blocks() {
    let mut b = Bench::with_syn(
        &TcpConfig::default(),
        Box::<Delayed>::default(),
        SynInfo {
            sack: false,
            ..syn()
        },
    );
    b.segment(0);
    b.segment(0);
    assert_eq!(blocks(&mut b), []);
    for n in 2..20 {
        b.segment(n);
        assert_eq!(blocks(&mut b), []);
    }
}

/// RFC 2018 section 4: the block with the segment that triggered the ACK leads.
#[test]
fn the_block_that_grew_leads() {
    let mut b = Bench::rfc();
    b.segment(2);
    assert_eq!(blocks(&mut b), [seg(2, 3)]);
    b.segment(5);
    assert_eq!(blocks(&mut b), [seg(5, 6), seg(2, 3)]);
    b.segment(3);
    assert_eq!(blocks(&mut b), [seg(2, 4), seg(5, 6)]);
    b.segment(4);
    assert_eq!(blocks(&mut b), [seg(2, 6)]);
    b.segment(0);
    assert_eq!(b.ack(), Some((OutOfOrder, edge(1), vec![seg(2, 6)])));
    b.segment(1);
    assert_eq!(b.ack(), Some((OutOfOrder, edge(6), vec![])));
}

/// RFC 2883 section 4.1.1: a duplicate below the acknowledgement.
#[test]
fn a_duplicate_is_reported_once() {
    let mut b = Bench::rfc();
    b.segment(0);
    b.segment(0);
    assert_eq!(b.ack(), Some((OutOfOrder, edge(1), vec![seg(0, 1)])));
    b.segment(2);
    assert_eq!(blocks(&mut b), [seg(2, 3)]);
}

/// RFC 2883 section 4.1.3: a duplicate above the acknowledgement, then the block around it.
#[test]
fn a_duplicate_above_a_gap_comes_before_its_block() {
    let mut b = Bench::rfc();
    b.segment(2);
    b.segment(3);
    b.segment(6);
    b.ack();
    b.segment(3);
    assert_eq!(blocks(&mut b), [seg(3, 4), seg(2, 4), seg(6, 7)]);
    b.segment(8);
    assert_eq!(blocks(&mut b), [seg(8, 9), seg(2, 4), seg(6, 7)]);
}

/// RFC 2883 section 4.2: only the part that is a duplicate is reported.
#[test]
fn a_partial_duplicate_reports_its_part() {
    let mut b = Bench::rfc();
    b.bytes(1, 501);
    b.bytes(1001, 1501);
    b.ack();
    b.bytes(1251, 1751);
    assert_eq!(blocks(&mut b), [(1251, 1501), (1001, 1751)]);
    b.bytes(301, 801);
    assert_eq!(blocks(&mut b), [(301, 501), (1001, 1751)]);
}

#[test]
fn dsack_can_be_off() {
    let mut cfg = TcpConfig::new(crate::tcp::Profile::Ns3);
    cfg.dsack = false;
    let mut b = Bench::new(&cfg, Box::<Delayed>::default());
    b.segment(0);
    b.segment(0);
    assert_eq!(blocks(&mut b), []);
}

#[test]
fn from_the_fourth_duplicate_ack_on_they_are_merged() {
    let mut b = with_rtt(48);
    for n in 2..5 {
        b.at(n * 100).segment(n);
        assert_eq!(b.ack(), Some((OutOfOrder, edge(1), vec![seg(2, n + 1)])));
    }
    for n in 5..9 {
        b.at(n * 100).segment(n);
        assert_eq!(b.ack(), None);
    }
    assert_eq!(b.at(1599).ack(), None);
    assert_eq!(
        b.at(1600).ack(),
        Some((OutOfOrder, edge(1), vec![seg(2, 9)]))
    );
    assert_eq!(b.at(5000).ack(), None);
}

#[test]
fn the_filled_gap_is_not_held() {
    let mut b = with_rtt(48);
    for n in 2..7 {
        b.segment(n);
        b.ack();
    }
    b.segment(1);
    assert_eq!(b.ack(), Some((OutOfOrder, edge(7), vec![])));
    assert_eq!(b.receiver.next_timeout(), None);
}

/// A new in-order edge: the sender needs three ACKs for it again.
#[test]
fn a_partly_filled_gap_starts_the_count_anew() {
    let mut b = with_rtt(48);
    for n in [3, 4, 5, 6, 7] {
        b.segment(n);
        b.ack();
    }
    b.segment(1);
    assert_eq!(b.ack(), Some((OutOfOrder, edge(2), vec![seg(3, 8)])));
    for n in 8..10 {
        b.segment(n);
        assert!(b.ack().is_some());
    }
    b.segment(10);
    assert_eq!(b.ack(), None);
}

#[test]
fn the_45th_held_ack_leaves() {
    let mut b = with_rtt(48);
    let mut acks = 0;
    for n in 2..2 + 3 + 45 {
        b.segment(n);
        acks += u32::from(b.ack().is_some());
    }
    assert_eq!(acks, 4);
}

/// A third block must not be pushed out of sight while an ACK is held.
#[test]
fn a_far_block_ends_the_wait() {
    let mut b = with_rtt(48);
    for n in [2, 3, 4] {
        b.segment(n);
        b.ack();
    }
    b.segment(6);
    assert_eq!(b.ack(), None);
    b.segment(8);
    assert_eq!(blocks(&mut b), [seg(8, 9), seg(6, 7), seg(2, 5)]);
}

#[test]
fn any_ack_speaks_for_those_held() {
    let mut b = with_rtt(48);
    for n in 2..6 {
        b.segment(n);
        b.ack();
    }
    assert!(b.receiver.next_timeout().is_some());
    b.receiver.ack_fields();
    b.receiver.on_ack_sent(b.now, true);
    assert_eq!(b.receiver.next_timeout(), None);
}

#[test]
fn a_policy_that_holds_is_not_overruled() {
    let mut b = Bench::new(&TcpConfig::default(), Box::new(Silent));
    for n in [2, 4, 6, 8] {
        b.segment(n);
        assert_eq!(b.ack(), None);
    }
}

#[test]
fn in_order_data_is_never_compressed() {
    let mut b = with_rtt(48);
    b.segment(1);
    assert_eq!(b.ack(), Some((ByteCount, edge(2), vec![])));
}

/// Linux does not look at the clock when its timer sends the ACK that was held: the timestamp shows when the
/// last segment arrived.
#[test]
fn a_held_ack_carries_the_time_of_the_last_arrival() {
    let mut b = with_rtt(48);
    b.ack();
    for n in 2..5 {
        b.at(1_000).segment(n);
        blocks(&mut b);
        assert_eq!(b.last.clock, None);
    }
    b.at(2_000).segment(5);
    b.at(2_400).segment(6);
    assert_eq!(b.ack(), None);
    b.at(3_100);
    assert_eq!(blocks(&mut b), [seg(2, 7)]);
    assert_eq!(b.last.clock, Some(Instant::ZERO + Span::from_micros(2_400)));
    b.at(4_000).segment(1);
    b.ack();
    assert_eq!(b.last.clock, None);
}
