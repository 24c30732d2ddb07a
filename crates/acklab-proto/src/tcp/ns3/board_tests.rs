use super::*;
use proptest::prelude::*;
use std::vec::Vec;

const LEN: u32 = 1000;

/// `n` segments of 1000 bytes from offset 1.
fn board(n: u64) -> Board {
    let mut b = Board::default();
    for i in 0..n {
        b.push(Item {
            start: 1 + i * u64::from(LEN),
            len: LEN,
            flag: Flag::None,
            sacked: false,
            lost: false,
            retrans: false,
            sent_at: Instant::ZERO,
            stamp: Stamp::default(),
        });
    }
    b
}

/// Start of segment `n`, counted from 0.
fn at(n: u64) -> u64 {
    1 + n * u64::from(LEN)
}

fn sack(b: &mut Board, from: u64, to: u64) -> u64 {
    b.sack(&[(at(from), at(to))], |_| {})
}

fn lost(b: &Board) -> Vec<u64> {
    let lost = b.items.iter().filter(|t| t.lost);
    lost.map(|t| (t.start - 1) / u64::from(LEN)).collect()
}

#[test]
fn three_reports_above_make_a_loss_of_everything_below() {
    let mut b = board(10);
    assert_eq!(sack(&mut b, 5, 7), 2000);
    assert!(lost(&b).is_empty());
    sack(&mut b, 5, 8);
    assert_eq!(lost(&b), [0, 1, 2, 3, 4]);
    assert_eq!(b.pipe(), 2000);
    assert!(b.is_lost(at(0)) && !b.is_lost(at(8)));
}

#[test]
fn a_report_next_to_the_highest_from_below_takes_its_place() {
    let mut b = board(10);
    sack(&mut b, 9, 10);
    sack(&mut b, 7, 8);
    sack(&mut b, 8, 9);
    // Counting starts at segment 8 now: 8 and 7 are two, not three.
    assert!(lost(&b).is_empty());
    sack(&mut b, 5, 6);
    assert_eq!(lost(&b), [0, 1, 2, 3, 4]);
}

#[test]
fn a_segment_is_retransmitted_once() {
    let mut b = board(10);
    sack(&mut b, 1, 4);
    assert_eq!(b.next(0, u64::MAX, false), Some(Next::Old(at(0))));
    b.retransmit(at(0), LEN);
    assert_eq!(b.pipe(), 7000);
    sack(&mut b, 1, 10);
    assert_eq!(b.next(0, u64::MAX, true), None);
    assert_eq!(
        b.next(5, u64::MAX, true),
        Some(Next::New(u64::MAX - 10_000))
    );
}

#[test]
fn a_retransmission_that_is_reported_still_counts_as_in_flight() {
    let mut b = board(10);
    sack(&mut b, 4, 7);
    b.retransmit(at(0), LEN);
    b.retransmit(at(1), LEN);
    let before = b.pipe();
    b.sack(&[(at(1), at(2))], |_| {});
    assert_eq!(b.pipe(), before);
    b.discard(at(2), |_| {});
    assert_eq!(b.pipe(), before - 2000);
}

#[test]
fn entering_recovery_forgets_that_the_head_was_resent() {
    let mut b = board(3);
    b.retransmit(at(0), LEN);
    b.lose_head();
    assert_eq!(b.next(0, u64::MAX, false), Some(Next::Old(at(0))));
    assert_eq!(b.pipe(), 2000);
}

#[test]
fn what_lies_above_the_highest_report_waits_for_it_to_pass() {
    let mut b = board(6);
    sack(&mut b, 1, 2);
    b.lose_all();
    assert_eq!(b.pipe(), 0);
    assert_eq!(b.next(0, u64::MAX, false), Some(Next::Old(at(0))));
    b.retransmit(at(0), LEN);
    assert_eq!(b.next(9, u64::MAX, false), Some(Next::New(u64::MAX - 6000)));
    b.discard(at(2), |_| {});
    assert_eq!(b.next(9, u64::MAX, false), Some(Next::Old(at(2))));
}

#[test]
fn the_last_resort_is_a_hole_that_is_not_lost() {
    let mut b = board(4);
    sack(&mut b, 2, 3);
    assert_eq!(b.next(0, u64::MAX, false), None);
    assert_eq!(b.next(0, u64::MAX, true), Some(Next::Old(at(0))));
    assert_eq!(b.next(9, 4000, true), None, "the peer's window is full");
}

#[test]
fn segments_are_split_and_merged_to_the_size_asked_for() {
    let mut b = board(4);
    b.lose_all();
    assert_eq!(b.retransmit(at(0), 400).map(|t| t.len), Some(400));
    assert_eq!((b.items.len(), b.pipe()), (5, 400));
    // The remainder of 600 grows by 400 of its neighbour.
    assert_eq!(b.next(0, u64::MAX, false), Some(Next::Old(401)));
    assert_eq!(b.retransmit(401, LEN).map(|t| t.len), Some(1000));
    assert_eq!((b.items[2].start, b.items[2].len), (1401, 600));
    assert_eq!((b.sent, b.lost, b.retrans), (4000, 4000, 1400));
}

#[test]
fn an_ack_inside_a_segment_trims_it() {
    let mut b = board(2);
    b.lose_all();
    let mut whole = 0;
    b.discard(1501, |_| whole += 1);
    assert_eq!((whole, b.sent, b.lost), (1, 500, 500));
    assert_eq!(b.next(0, u64::MAX, false), Some(Next::Old(1501)));
}

#[test]
fn a_repair_is_recognised_by_where_it_ends() {
    let mut b = board(3);
    b.retransmit(at(1), LEN);
    assert!(b.retransmission_ends_at(at(2)));
    assert!(!b.retransmission_ends_at(at(1)));
    sack(&mut b, 1, 2);
    assert!(!b.retransmission_ends_at(at(2)));
}

#[test]
fn without_sack_duplicates_stand_for_the_segments_behind_the_head() {
    let mut b = board(5);
    b.sack_next();
    b.sack_next();
    b.lose_head();
    assert_eq!((b.pipe(), lost(&b)), (2000, std::vec![0]));
    b.unsack_all();
    assert_eq!(b.pipe(), 4000);
}

/// Duplicates for 1 and 2 were taken, but 1 is the next hole: what arrived was a later segment.
#[test]
fn a_guess_that_an_ack_refutes_moves_on() {
    let mut b = board(5);
    b.sack_next();
    b.sack_next();
    b.lose_head();
    b.retransmit(at(0), LEN);
    b.discard(at(1), |_| {});
    let sacked: Vec<_> = b.items.iter().map(|t| t.sacked).collect();
    assert_eq!(sacked, [false, true, true, false]);
    assert_eq!((b.pipe(), lost(&b)), (1000, std::vec![1]));
    assert_eq!(b.next(9000, u64::MAX, false), Some(Next::Old(at(1))));
}

/// The same in the middle of a segment, which is merged with the next for its repair.
#[test]
fn a_refuted_guess_leaves_nothing_behind() {
    let mut b = board(4);
    b.sack_next();
    b.discard(at(1) + 300, |_| {});
    b.retransmit(at(1) + 300, LEN);
    check(&b);
    b.discard(at(4), |_| {});
    assert_eq!((b.sent, b.pipe()), (0, 0));
}

/// The sums are those of the marks, and no segment is both here and there.
fn check(b: &Board) {
    let sum = |f: fn(&Item) -> bool| {
        b.items
            .iter()
            .filter(|t| f(t))
            .map(Item::bytes)
            .sum::<u64>()
    };
    assert_eq!(b.sent, sum(|_| true), "sent");
    assert_eq!(b.sacked, sum(|t| t.sacked), "reported");
    assert_eq!(b.lost, sum(|t| t.lost), "lost");
    assert_eq!(b.retrans, sum(|t| t.retrans), "retransmitted");
    assert!(b.items.iter().all(|t| !(t.sacked && t.lost)), "{b:?}");
    let ends = b.items.iter().zip(b.items.iter().skip(1));
    assert!(ends.into_iter().all(|(a, b)| a.end() == b.start), "{b:?}");
    assert!(b.items.front().is_none_or(|f| !f.sacked), "{b:?}");
}

/// The events of a board without SACK, sizes and places as shares of 255.
#[derive(Clone, Copy, Debug)]
enum Event {
    Push(u8),
    Duplicate,
    Head,
    Ack(u8),
    Resend(u8),
    Timeout,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1u8..).prop_map(Event::Push),
        4 => Just(Event::Duplicate),
        2 => Just(Event::Head),
        3 => (1u8..).prop_map(Event::Ack),
        4 => (1u8..).prop_map(Event::Resend),
        1 => Just(Event::Timeout),
    ]
}

fn happen(b: &mut Board, e: Event) {
    let (first, end) = match (b.items.front(), b.items.back()) {
        (Some(f), Some(l)) => (f.start, l.end()),
        _ => (b.hint.max(1), b.hint.max(1)),
    };
    let part = |of: u64, n: u8| (of * u64::from(n)).div_ceil(255);
    match e {
        Event::Push(n) => b.push(Item {
            start: end,
            len: part(u64::from(LEN), n) as u32,
            ..board(1).items[0].clone()
        }),
        Event::Duplicate => b.sack_next(),
        Event::Head => b.lose_head(),
        Event::Ack(n) => b.discard(first + part(end - first, n), |_| {}),
        Event::Resend(n) => {
            if let Some(Next::Old(start)) = b.next(0, u64::MAX, true) {
                b.retransmit(start, part(u64::from(LEN), n) as u32);
            }
        }
        Event::Timeout => {
            b.unsack_all();
            b.lose_all();
            let head = b.items.front().map(|f| Next::Old(f.start));
            assert_eq!(
                b.next(9, u64::MAX, false),
                head.or(Some(Next::New(u64::MAX)))
            );
        }
    }
}

proptest! {
    #[test]
    fn the_sums_hold_without_sack(events in prop::collection::vec(event(), 1..120)) {
        let mut b = Board::default();
        for e in events {
            happen(&mut b, e);
            check(&b);
        }
    }
}
