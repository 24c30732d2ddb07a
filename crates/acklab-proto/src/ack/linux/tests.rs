//! Arrivals and what Linux answers.

use super::*;
use crate::ack::AckReason::{ByteCount, Ecn, OutOfOrder, Push, Quick, Timer};
use crate::ack::testing::{Bench, MSS, What, arrival, stream};
use alloc::vec::Vec;

static HERE: Entry<Build> = ENTRY;

/// Without quick acknowledgements at the start, to see the rest.
fn slow() -> Bench {
    Bench::new(&HERE, &[("quick", Value::Int(0))])
}

fn times(acks: &[(u64, AckReason)]) -> Vec<u64> {
    acks.iter().map(|a| a.0).collect()
}

#[test]
fn sixteen_quick_acks_then_every_second_segment() {
    let acks = Bench::new(&HERE, &[]).play(&stream(26, 1_200), 31_000);
    assert_eq!(acks.len(), 16 + 5);
    assert!(acks[..16].iter().all(|a| a.1 == Quick));
    assert!(acks[16..].iter().all(|a| a.1 == ByteCount));
    assert_eq!(acks[16].0, 17 * 1_200);
}

#[test]
fn a_growing_window_keeps_quickack_going() {
    let rows: Vec<_> = (0..100).map(|i| (i * 1_200, What::Grew)).collect();
    let acks = Bench::new(&HERE, &[]).play(&rows, 119_000);
    assert_eq!(acks.len(), 100);
    assert!(acks.iter().all(|a| a.1 == Quick));
}

#[test]
fn after_the_window_has_grown_sixteen_more_follow() {
    // 16 | 1 is 17: the last growing segment leaves 16 behind.
    let mut rows: Vec<_> = (0..5).map(|i| (i * 100, What::Grew)).collect();
    rows.extend((5..41).map(|i| (i * 100, What::Full)));
    let acks = Bench::new(&HERE, &[]).play(&rows, 4_050);
    assert_eq!(acks.iter().filter(|a| a.1 == Quick).count(), 5 + 16);
    assert_eq!(acks.iter().filter(|a| a.1 == ByteCount).count(), 10);
}

#[test]
fn a_transfer_has_as_many_acks_as_the_kernel_sent() {
    // Reference, 10 Mbit/s and CUBIC: 25 000 segments, 13 000 to 13 100 ACKs; the window grows
    // for some 550 segments.
    let mut rows = stream(25_000, 1_200);
    for row in &mut rows[..550] {
        row.1 = What::Grew;
    }
    let acks = Bench::new(&HERE, &[]).play(&rows, 30_000_000);
    assert!((12_700..=13_200).contains(&acks.len()), "{}", acks.len());
}

#[test]
fn one_segment_waits_40_to_44_ms_until_a_jiffy_begins() {
    // 104 ACKs of Linux 6.12.117 in virtual time left after 40.04 to 43.99 ms.
    assert_eq!(slow().play(&stream(1, 1), 100_000), [(44_000, Timer)]);
    let rows = [(7_500, What::Full)];
    assert_eq!(slow().play(&rows, 100_000), [(48_000, Timer)]);
}

#[test]
fn exactly_one_full_segment_is_not_more_than_one() {
    let reader = ("prompt_reader", Value::Bool(false));
    let rows = [
        (0, What::Small(724)),
        (10, What::Small(724)),
        (20, What::Small(1)),
    ];
    let acks = Bench::new(&HERE, &[("quick", Value::Int(0)), reader]).play(&rows, 30);
    assert_eq!(acks, [(20, ByteCount)]);
}

#[test]
fn a_stuck_window_waits_for_the_timer() {
    let rows = [(0, What::Stuck), (100, What::Stuck), (200, What::Stuck)];
    assert_eq!(slow().play(&rows, 100_000), [(44_000, Timer)]);
}

#[test]
fn the_end_of_a_write_is_acknowledged_when_it_is_read() {
    let rows = [
        (0, What::Push(1448)),
        (50_000, What::Small(100)),
        (90_000, What::Full),
    ];
    let acks = slow().play(&rows, 200_000);
    assert_eq!(acks[..2], [(0, Push), (50_000, Push)]);
    assert_eq!(acks[2].1, Timer);
    let late = Bench::new(
        &HERE,
        &[
            ("quick", Value::Int(0)),
            ("prompt_reader", Value::Bool(false)),
        ],
    );
    assert_eq!(late.play(&rows[..1], 200_000), [(44_000, Timer)]);
}

#[test]
fn disorder_and_duplicates_are_answered_at_once() {
    let rows = [
        (0, What::Early),
        (1, What::Early),
        (2, What::PartFill),
        (3, What::Fill),
    ];
    let acks = slow().play(&rows, 10);
    assert_eq!(acks, [0, 1, 2, 3].map(|t| (t, OutOfOrder)));
}

#[test]
fn a_duplicate_buys_sixteen_quick_acks() {
    let mut rows = stream(60, 1_000);
    rows[40].1 = What::Duplicate;
    let acks = Bench::new(&HERE, &[]).play(&rows, 60_000);
    let dup = acks.iter().position(|a| a.1 == OutOfOrder).unwrap();
    assert_eq!(acks[dup].0, 40_000);
    // The duplicate's own ACK is the first of the sixteen.
    assert!(acks[dup + 1..dup + 16].iter().all(|a| a.1 == Quick));
    assert_eq!(acks[dup + 16].1, ByteCount);
}

#[test]
fn a_pause_longer_than_the_rto_buys_sixteen_quick_acks() {
    let mut rows = stream(40, 1_000);
    rows.extend((0..4).map(|i| (2_000_000 + i * 1_000, What::Full)));
    let acks = Bench::new(&HERE, &[]).play(&rows, 2_003_500);
    let quick = acks.iter().filter(|a| a.0 >= 2_000_000 && a.1 == Quick);
    assert_eq!(quick.count(), 4);
}

#[test]
fn a_changed_ecn_echo_buys_two() {
    let rows = [
        (0, What::Ecn),
        (1, What::Full),
        (2, What::Full),
        (3, What::Full),
    ];
    let set = [("quick", Value::Int(2))];
    let mut warm = Bench::new(&HERE, &set);
    warm.rtt = Some(Span::from_millis(10));
    assert_eq!(warm.play(&rows, 10), [(0, Ecn), (1, Quick), (3, ByteCount)]);
}

#[test]
fn an_interactive_session_lets_acks_ride_on_data() {
    let rows = [
        (0, What::Full),         // quick
        (1_000, What::SendData), // a reply: pingpong
        (50_000, What::Push(200)),
        (51_000, What::SendData), // carries the ACK
        (100_000, What::Push(200)),
    ];
    let acks = Bench::new(&HERE, &[]).play(&rows, 400_000);
    assert_eq!(acks[0], (0, Quick));
    // Nothing until the reply fails to come; then the timer, and pingpong ends.
    assert_eq!(times(&acks)[1..], [144_000]);
    assert_eq!(acks[1].1, Timer);
}

#[test]
fn the_timer_backs_off_for_a_slow_sender() {
    // A segment each 300 ms: each ACK is the timer's, and it waits longer each time.
    let rows: Vec<_> = (0..5).map(|i| (i * 300_000, What::Full)).collect();
    let acks = slow().play(&rows, 1_500_000);
    let waits: Vec<u64> = acks.iter().zip(&rows).map(|(a, r)| a.0 - r.0).collect();
    assert_eq!(waits, [44_000, 84_000, 164_000, 204_000, 204_000]);
}

#[test]
fn the_shortest_timeout_of_one_jiffy_is_waited_for() {
    let one = [
        ("quick", Value::Int(0)),
        ("ato_min", Value::Span(Span::from_millis(3))),
        ("prompt_reader", Value::Bool(false)),
    ];
    // An odd count: the last one waits from 3 ms on. The jiffy after the next begins at 8 ms.
    let acks = Bench::new(&HERE, &one).play(&stream(31, 100), 100_000);
    assert_eq!(acks.last(), Some(&(8_000, Timer)));
}

/// An ACK leaves the timer of the one before it running, as long as no other is set.
#[test]
fn the_timer_of_what_is_acknowledged_runs_on() {
    let mut params = Params::defaults(HERE.params);
    params.set(HERE.params, "quick", Value::Int(0)).unwrap();
    let mut p = Linux::new(&params);
    let at = |ms: u64| Instant::ZERO + Span::from_millis(ms);
    let full = |ms| Arrival {
        now: at(ms),
        ..arrival(What::Full)
    };
    p.on_data(&full(1));
    assert_eq!((p.next_timeout(), p.idle_timer()), (Some(at(44)), None));
    p.on_ack_sent(at(2));
    assert_eq!((p.next_timeout(), p.idle_timer()), (None, Some(at(44))));
    // An ACK that is sent at once does not touch it; the next timer takes its place.
    p.on_ack_sent(at(3));
    assert_eq!(p.idle_timer(), Some(at(44)));
    p.on_data(&full(9));
    assert_eq!((p.next_timeout(), p.idle_timer()), (Some(at(52)), None));
}

/// If the ACK needs the room that the reader makes, it leaves when the reader runs (`tcp_cleanup_rbuf`):
/// after all that arrives at that instant.
#[test]
fn the_reader_acknowledges_after_all_that_arrives_at_its_instant() {
    let of = |segments, moves_unread| Arrival {
        unacked: segments * u64::from(MSS),
        moves_unread,
        ..arrival(What::Full)
    };
    let new = |late| {
        let mut params = Params::defaults(HERE.params);
        params.set(HERE.params, "quick", Value::Int(0)).unwrap();
        params
            .set(HERE.params, "late_reader", Value::Bool(late))
            .unwrap();
        (HERE.build)(&params)
    };
    let now = Instant::ZERO;
    let mut policy = new(true);
    for segments in [2, 3] {
        assert_eq!(policy.on_data(&of(segments, false)), AckDecision::At(now));
    }
    assert_eq!(policy.next_timeout(), Some(now));
    assert_eq!(policy.on_timeout(now), Some(ByteCount));
    policy.on_ack_sent(now);
    assert_eq!(policy.next_timeout(), None);
    // With room enough it does not wait for the reader.
    assert_eq!(new(true).on_data(&of(2, true)), AckDecision::Now(ByteCount));
    // Without the parameter the reader runs after each segment.
    assert_eq!(
        new(false).on_data(&of(2, false)),
        AckDecision::Now(ByteCount)
    );
}
