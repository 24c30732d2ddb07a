//! The scoreboard against a naive model.

use super::*;
use acklab_units::{Instant, Span};
use proptest::prelude::*;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

fn board(n: u64) -> Scoreboard {
    let mut s = Scoreboard::default();
    for i in 0..n {
        s.push(Record::new(1 + 1000 * i, 1000, at(i)));
    }
    s
}

fn id(s: &Scoreboard, i: u32) -> Id {
    s.head_id().unwrap().wrapping_add(i)
}

#[test]
fn in_flight_follows_every_mark() {
    let mut s = board(10);
    assert_eq!(s.inflight(), 10_000);
    s.sack(&[(3001, 5001)], |_| {});
    assert_eq!(
        (s.inflight(), s.sacked.segments, s.highest_sacked),
        (8000, 2, 5001)
    );
    let first = id(&s, 0);
    assert!(s.mark_lost(first));
    assert!(!s.mark_lost(first), "lost already");
    assert_eq!(s.inflight(), 7000);
    assert_eq!(s.next_lost(), Some(first));
    s.retransmitted(first, true);
    assert_eq!((s.inflight(), s.next_lost()), (8000, None));
    assert!(s.mark_lost(first), "the retransmission was lost, too");
    assert_eq!(s.inflight(), 7000);
    s.ack_to(10_001, |_| {});
    assert_eq!((s.inflight(), s.is_empty()), (0, true));
    s.check();
}

#[test]
fn repeated_blocks_are_no_news_and_extensions_are() {
    let mut s = board(10);
    let mut n = 0;
    s.sack(&[(2001, 4001)], |_| n += 1);
    s.sack(&[(2001, 4001)], |_| n += 1);
    assert_eq!(n, 2);
    s.sack(&[(2001, 6001), (8001, 9001)], |_| n += 1);
    assert_eq!(n, 5);
}

/// A buffer takes what follows it, not what stands before it, and the run behind a filled hole.
#[test]
fn neighbours_share_a_buffer_once_both_have_arrived() {
    let mut s = board(10);
    let mut merged = |blocks: &[(u64, u64)]| {
        s.sack(blocks, |_| {});
        s.merged
    };
    assert_eq!(merged(&[(2001, 4001)]), 1);
    assert_eq!(merged(&[(2001, 4001), (5001, 7001)]), 2);
    assert_eq!(merged(&[(2001, 7001)]), 4, "the hole and what is behind it");
    assert_eq!(merged(&[(1001, 7001)]), 4);
    s.ack_to(4001, |_| {});
    assert_eq!(s.merged, 3);
    s.ack_to(10_001, |_| {});
    assert_eq!(s.merged, 0);
}

#[test]
fn a_shorter_segment_keeps_its_buffer() {
    let mut s = board(2);
    s.push(Record::new(2001, 400, at(2)));
    s.push(Record::new(2401, 1000, at(3)));
    s.sack(&[(1, 3401)], |_| {});
    assert_eq!(s.merged, 1);
}

#[test]
fn transmission_order_moves_with_retransmissions() {
    let mut s = board(4);
    let a = id(&s, 0);
    s.mark_lost(a);
    s.retransmitted(a, true);
    let mut seen = alloc::vec::Vec::new();
    s.walk_by_time(|i, _| {
        seen.push(i.wrapping_sub(a));
        true
    });
    assert_eq!(seen, [1, 2, 3, 0]);
}

/// A tail loss probe may repeat what has arrived or is given up; it is in the order then.
#[test]
fn what_a_probe_repeats_is_judged_once() {
    let mut s = board(4);
    let [sacked, lost] = [2, 3].map(|i| id(&s, i));
    s.sack(&[(2001, 3001)], |_| {});
    s.mark_lost(lost);
    for probed in [sacked, lost] {
        s.retransmitted(probed, false);
    }
    let seen = |s: &Scoreboard| {
        let mut seen = alloc::vec::Vec::new();
        s.walk_by_time(|i, _| {
            seen.push(i.wrapping_sub(id(s, 0)));
            true
        });
        seen
    };
    assert_eq!(seen(&s), [0, 1, 2]);
    assert!(!s.mark_lost(sacked) && !s.mark_lost(lost));
    s.leave_order(sacked);
    assert_eq!(seen(&s), [0, 1]);
    s.check();
}

#[test]
fn the_duplicate_rule_wants_three_segments_above() {
    let mut s = board(8);
    s.sack(&[(3001, 5001)], |_| {});
    s.mark_by_dup_thresh(3, |_, _| panic!("two are not enough"));
    s.sack(&[(3001, 6001)], |_| {});
    let mut lost = alloc::vec::Vec::new();
    s.mark_by_dup_thresh(3, |_, r| lost.push(r.start));
    assert_eq!(lost, [1, 1001, 2001]);
}

#[test]
fn a_partly_acknowledged_segment_keeps_its_rest() {
    let mut s = board(2);
    s.ack_to(501, |_| panic!("no whole segment"));
    assert_eq!((s.inflight(), s.head().unwrap().start), (1500, 501));
    s.check();
}

#[derive(Clone, Debug)]
enum Op {
    Send,
    Ack(u8),
    Sack(u8, u8),
    Lose(u8),
    Retransmit,
    Unmark,
    Renege,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => Just(Op::Send),
        2 => any::<u8>().prop_map(Op::Ack),
        3 => (any::<u8>(), 0u8..6).prop_map(|(a, b)| Op::Sack(a, b)),
        3 => any::<u8>().prop_map(Op::Lose),
        3 => Just(Op::Retransmit),
        1 => Just(Op::Unmark),
        1 => Just(Op::Renege),
    ]
}

proptest! {
    /// Whatever happens, the counters agree with the marks, in-flight never goes negative, and
    /// the time list holds exactly the records that are neither SACKed nor waiting to be resent.
    #[test]
    fn counters_agree_with_marks(ops in proptest::collection::vec(op(), 1..200)) {
        let mut s = Scoreboard::default();
        let (mut nxt, mut una, mut t) = (1u64, 1u64, 0u64);
        for o in ops {
            t += 1;
            match o {
                Op::Send => {
                    s.push(Record::new(nxt, 1000, at(t)));
                    nxt += 1000;
                }
                Op::Ack(n) => {
                    una += 250 * (u64::from(n) % ((nxt - una) / 250 + 1));
                    s.ack_to(una, |_| {});
                }
                Op::Sack(a, n) if nxt > una + 1000 => {
                    let first = una.div_ceil(1000) * 1000 + 1;
                    let start = first + 1000 * (u64::from(a) % ((nxt - una) / 1000));
                    let end = (start + 1000 * u64::from(n)).min(nxt);
                    if start < end {
                        s.sack(&[(start, end)], |_| {});
                    }
                }
                Op::Lose(n) if !s.is_empty() => {
                    let k = u32::from(n) % s.out.segments;
                    let i = id(&s, k);
                    s.mark_lost(i);
                }
                Op::Retransmit => {
                    if let Some(i) = s.next_lost() {
                        s.record_mut(i).sent_at = at(t);
                        s.retransmitted(i, true);
                    }
                }
                Op::Unmark => s.unmark_lost(),
                Op::Renege => s.renege(),
                _ => {}
            }
            s.check();
            let mut listed = 0;
            s.walk_by_time(|_, r| { listed += 1; assert!(!r.is_sacked()); true });
            let expect = s.ids().filter(|&i| {
                let r = s.record(i).unwrap();
                !r.is_sacked() && (!r.is_lost() || r.is_retransmitted())
            }).count();
            prop_assert_eq!(listed, expect);
        }
    }
}
