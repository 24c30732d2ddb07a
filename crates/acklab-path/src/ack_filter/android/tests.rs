//! Packet by packet, against the driver's rules.

use super::super::testing::{ack, at, build, data, flagged, forwarded, lost, offer, sack};
use super::*;

fn driver() -> Box<dyn AckFilter> {
    build(&ENTRY, &[])
}

fn wake(filter: &mut dyn AckFilter, us: u64) -> Vec<u32> {
    let mut out = Vec::new();
    filter.on_wakeup(at(us), &mut out);
    forwarded(&out)
}

#[test]
fn the_third_goes_on_and_stands_for_three() {
    let mut f = driver();
    assert!(offer(&mut *f, 0, (1, 0), &ack(1000)).is_empty());
    let out = offer(&mut *f, 10, (2, 0), &ack(2000));
    assert_eq!((forwarded(&out), lost(&out)), (Vec::new(), Vec::from([1])));
    let out = offer(&mut *f, 20, (3, 0), &ack(3000));
    assert_eq!(
        (forwarded(&out), lost(&out)),
        (Vec::from([3]), Vec::from([2]))
    );
    assert_eq!(f.next_wakeup(), None);
    assert_eq!(f.stats().held, 0);
}

#[test]
fn the_timer_runs_from_the_first_and_lets_go_of_the_last() {
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &ack(1000));
    offer(&mut *f, 9_000, (2, 0), &ack(2000));
    assert_eq!(f.next_wakeup(), Some(at(10_000)));
    assert_eq!(wake(&mut *f, 9_999), []);
    assert_eq!(wake(&mut *f, 10_000), [2]);
    // The next one is a first one again, with a timer of its own.
    offer(&mut *f, 11_000, (3, 0), &ack(3000));
    assert_eq!(f.next_wakeup(), Some(at(21_000)));
}

#[test]
fn duplicates_are_counted_like_news() {
    let mut f = driver();
    let mut gone = Vec::new();
    for id in 0..9 {
        gone.extend(forwarded(&offer(&mut *f, id, (id as u32, 0), &ack(1000))));
    }
    assert_eq!(gone, [2, 5, 8]);
}

#[test]
fn a_lower_number_is_dropped_and_does_not_count() {
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &ack(1000));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &ack(999))), [2]);
    assert_eq!(forwarded(&offer(&mut *f, 2, (3, 0), &ack(1001))), []);
    assert_eq!(forwarded(&offer(&mut *f, 3, (4, 0), &ack(1002))), [4]);
}

#[test]
fn sack_blocks_are_not_looked_at_and_flags_are() {
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &sack(1000, &[(2000, 3000)]));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &ack(1000))), [1]);
    let ece = flagged(1000, Flags::ECE);
    assert_eq!(forwarded(&offer(&mut *f, 2, (3, 0), &ece)), [3]);
    assert_eq!(forwarded(&offer(&mut *f, 3, (4, 0), &data(1000))), [4]);
    // An overtaken acknowledgement still counts: this is the third.
    assert_eq!(forwarded(&offer(&mut *f, 4, (5, 0), &ack(2000))), [5]);
}

#[test]
fn what_passes_can_be_made_to_follow_what_is_held() {
    let mut f = build(&ENTRY, &[("others", Value::Choice("flush"))]);
    offer(&mut *f, 0, (1, 0), &ack(1000));
    assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &data(1000))), [1, 2]);
    offer(&mut *f, 2, (3, 0), &ack(2000));
    let fin = flagged(2000, Flags::FIN);
    assert_eq!(forwarded(&offer(&mut *f, 3, (4, 0), &fin)), [3, 4]);
}

#[test]
fn four_flows_have_a_place_and_a_fifth_passes() {
    let mut f = driver();
    for flow in 0..4 {
        assert!(offer(&mut *f, u64::from(flow), (flow, flow), &ack(1)).is_empty());
    }
    assert_eq!(forwarded(&offer(&mut *f, 5, (9, 9), &ack(1))), [9]);
    assert_eq!(wake(&mut *f, 10_001), [0, 1]);
    assert!(offer(&mut *f, 10_001, (10, 9), &ack(2)).is_empty());
}

#[test]
fn one_of_one_holds_nothing() {
    let mut f = build(&ENTRY, &[("ratio", Value::Int(1))]);
    for id in 0..5 {
        assert_eq!(forwarded(&offer(&mut *f, 0, (id, 0), &ack(id))), [id]);
    }
}

#[test]
fn newer_is_meant_in_the_arithmetic_of_sequence_numbers() {
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &ack(u32::MAX - 5));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &ack(5))), [1]);
}
