//! Each branch of the flow chart, and each guard, packet by packet.

use super::super::testing::{ack, at, build, data, flagged, forwarded, lost, offer, sack};
use super::*;
use acklab_proto::segment::Timestamps;

fn guarded() -> Box<dyn AckFilter> {
    build(&ENTRY, &[])
}

fn paper() -> Box<dyn AckFilter> {
    build(&PAPER, &[])
}

fn wake(filter: &mut dyn AckFilter, us: u64) -> Vec<u32> {
    let mut out = Vec::new();
    filter.on_wakeup(at(us), &mut out);
    forwarded(&out)
}

#[test]
fn the_first_ack_is_held_until_nothing_newer_has_come_for_te() {
    for mut f in [guarded(), paper()] {
        assert!(offer(&mut *f, 100, (1, 0), &ack(1000)).is_empty());
        assert_eq!(f.next_wakeup(), Some(at(5100)));
        assert_eq!(wake(&mut *f, 5099), []);
        assert_eq!(wake(&mut *f, 5100), [1]);
        assert_eq!(f.next_wakeup(), None);
        assert_eq!(f.stats().timer_releases, 1);
    }
}

#[test]
fn a_newer_ack_takes_the_place_of_the_held_one_and_restarts_the_timer() {
    for mut f in [guarded(), paper()] {
        offer(&mut *f, 0, (1, 0), &ack(1000));
        let out = offer(&mut *f, 4000, (2, 0), &ack(2000));
        assert_eq!((forwarded(&out), lost(&out)), (Vec::new(), Vec::from([1])));
        assert_eq!(f.next_wakeup(), Some(at(9000)));
        assert_eq!(wake(&mut *f, 9000), [2]);
    }
}

#[test]
fn newer_is_meant_in_the_arithmetic_of_sequence_numbers() {
    let mut f = paper();
    offer(&mut *f, 0, (1, 0), &ack(u32::MAX - 10));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &ack(500))), [1]);
    assert_eq!(forwarded(&offer(&mut *f, 2, (3, 0), &ack(u32::MAX))), [3]);
}

#[test]
fn an_ack_that_is_not_newer_goes_on_at_once() {
    // In the chart past the held one, which stays and keeps its timer.
    let mut f = paper();
    offer(&mut *f, 0, (1, 0), &ack(1000));
    assert_eq!(forwarded(&offer(&mut *f, 1000, (2, 0), &ack(1000))), [2]);
    assert_eq!(forwarded(&offer(&mut *f, 2000, (3, 0), &ack(900))), [3]);
    assert_eq!(f.next_wakeup(), Some(at(5000)));
    assert_eq!(wake(&mut *f, 5000), [1]);
    // With the guard after it.
    let mut f = guarded();
    offer(&mut *f, 0, (1, 0), &ack(1000));
    assert_eq!(forwarded(&offer(&mut *f, 1000, (2, 0), &ack(1000))), [1, 2]);
    assert_eq!(f.next_wakeup(), None);
}

#[test]
fn three_duplicates_after_a_release_are_three_duplicates() {
    let release = |f: &mut dyn AckFilter| {
        offer(f, 0, (1, 0), &ack(1000));
        assert_eq!(wake(f, 5000), [1]);
    };
    // In the chart nothing is held, so each is a first one, as late as the timer.
    let mut f = paper();
    release(&mut *f);
    for id in 2..5 {
        let us = u64::from(id) * 10_000;
        assert!(offer(&mut *f, us, (id, 0), &ack(1000)).is_empty());
        assert_eq!(wake(&mut *f, us + 5000), [id]);
    }
    let mut f = guarded();
    release(&mut *f);
    for id in 2..5 {
        let us = u64::from(id) * 10_000;
        assert_eq!(forwarded(&offer(&mut *f, us, (id, 0), &ack(1000))), [id]);
    }
}

/// Three duplicates without SACK blocks, 1 ms apart, and the ACK that the repeated segment brings: a
/// held third one would be dropped for it.
#[test]
fn a_newer_ack_takes_the_place_of_no_duplicate() {
    let play = |f: &mut dyn AckFilter| {
        offer(f, 0, (1, 0), &ack(1000));
        let mut out = Vec::new();
        f.on_wakeup(at(5000), &mut out);
        for (id, us, number) in [
            (2, 6000, 1000),
            (3, 7000, 1000),
            (4, 8000, 1000),
            (5, 9000, 9000),
        ] {
            out.extend(offer(f, us, (id, 0), &ack(number)));
        }
        (forwarded(&out), lost(&out))
    };
    assert_eq!(play(&mut *guarded()), (Vec::from([1, 2, 3, 4]), Vec::new()));
    let held = ("duplicates", Value::Choice("hold"));
    let without = play(&mut *build(&ENTRY, &[held]));
    assert_eq!(without, (Vec::from([1, 2, 3]), Vec::from([4])));
    // The chart lets the second one past the first, which a newer ACK then takes the place of.
    assert_eq!(play(&mut *paper()), (Vec::from([1, 3, 4]), Vec::from([2])));
}

/// Data carry numbers, too, and a SYN begins to count anew.
#[test]
fn what_was_said_on_data_is_no_news_afterwards() {
    let mut f = guarded();
    offer(&mut *f, 0, (1, 0), &data(1000));
    assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &ack(1000))), [2]);
    assert_eq!(forwarded(&offer(&mut *f, 2, (3, 0), &ack(900))), [3]);
    offer(&mut *f, 3, (4, 0), &flagged(0, Flags::SYN));
    assert!(offer(&mut *f, 4, (5, 0), &ack(900)).is_empty());
    // Another flow's numbers are its own.
    assert!(offer(&mut *f, 5, (6, 1), &ack(10)).is_empty());
}

#[test]
fn a_burst_of_duplicates_loses_none() {
    for mut f in [guarded(), paper()] {
        let mut gone = Vec::new();
        for id in 0..4 {
            gone.extend(forwarded(&offer(
                &mut *f,
                100 + u64::from(id),
                (id, 0),
                &ack(1000),
            )));
        }
        gone.extend(wake(&mut *f, 99_000));
        gone.sort_unstable();
        assert_eq!(gone, [0, 1, 2, 3]);
    }
}

#[test]
fn acks_closer_than_te_are_held_for_ever_in_the_chart() {
    let mut f = paper();
    for id in 0..1000 {
        let us = u64::from(id) * 4000;
        assert_eq!(wake(&mut *f, us), []);
        assert_eq!(forwarded(&offer(&mut *f, us, (id, 0), &ack(id + 1))), []);
    }
    let mut f = guarded();
    let mut released = Vec::new();
    for id in 0..1000 {
        let us = u64::from(id) * 4000;
        while let Some(t) = f.next_wakeup().filter(|t| *t <= at(us)) {
            let mut out = Vec::new();
            f.on_wakeup(t, &mut out);
            released.extend(forwarded(&out));
        }
        offer(&mut *f, us, (id, 0), &ack(id + 1));
    }
    // The first came at 0 and 20 ms are up when the sixth comes; it finds an empty place.
    assert_eq!(released[..3], [4, 9, 14]);
    assert_eq!(released.len(), 199);
}

#[test]
fn flows_are_held_apart() {
    for mut f in [guarded(), paper()] {
        offer(&mut *f, 0, (1, 0), &ack(1000));
        assert!(offer(&mut *f, 1000, (2, 7), &ack(10)).is_empty());
        offer(&mut *f, 2000, (3, 0), &ack(1100));
        assert_eq!(wake(&mut *f, 6000), [2]);
        assert_eq!(wake(&mut *f, 7000), [3]);
    }
}

#[test]
fn everything_else_bypasses() {
    for segment in [
        data(500),
        flagged(2000, Flags::FIN),
        flagged(0, Flags::RST),
        flagged(1, Flags::SYN),
    ] {
        let mut f = paper();
        offer(&mut *f, 0, (1, 0), &ack(1000));
        assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &segment)), [2]);
        assert_eq!(f.stats().held, 1);
        let mut f = guarded();
        offer(&mut *f, 0, (1, 0), &ack(1000));
        assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &segment)), [1, 2]);
        assert_eq!(f.stats().held, 0);
    }
}

#[test]
fn what_a_higher_number_does_not_repeat_is_not_lost() {
    let plain = ack(1000);
    let mut closed = ack(2000);
    closed.window = 0;
    let open = Segment {
        window: 900,
        ..plain
    };
    let dsack = sack(2000, &[(500, 600)]);
    let cases = [
        (plain, sack(2000, &[(3000, 4000)])),
        (sack(1000, &[(3000, 4000)]), ack(4000)),
        (plain, dsack),
        (plain, flagged(2000, Flags::ECE)),
        (flagged(1000, Flags::ECE), ack(2000)),
        (open, closed),
    ];
    for (first, second) in cases {
        let mut f = guarded();
        offer(&mut *f, 0, (1, 0), &first);
        assert_eq!(
            forwarded(&offer(&mut *f, 1, (2, 0), &second)),
            [1, 2],
            "{second:?}"
        );
        let mut f = paper();
        offer(&mut *f, 0, (1, 0), &first);
        assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &second)), [1], "{second:?}");
    }
    // An ECE that stays set is no news.
    let mut f = guarded();
    offer(&mut *f, 0, (1, 0), &flagged(1000, Flags::ECE));
    assert_eq!(
        lost(&offer(&mut *f, 1, (2, 0), &flagged(2000, Flags::ECE))),
        [1]
    );
}

#[test]
fn timestamps_keep_acks_apart_if_asked() {
    let echo = |number, ecr| Segment {
        timestamps: Some(Timestamps { val: 1, ecr }),
        ..ack(number)
    };
    let mut f = guarded();
    offer(&mut *f, 0, (1, 0), &echo(1000, 5));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &echo(2000, 6))), [1]);
    let mut f = build(&ENTRY, &[("timestamps", Value::Choice("flush"))]);
    offer(&mut *f, 0, (1, 0), &echo(1000, 5));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &echo(2000, 5))), [1]);
    assert_eq!(
        forwarded(&offer(&mut *f, 2, (3, 0), &echo(3000, 6))),
        [2, 3]
    );
}

#[test]
fn without_a_timer_every_ack_goes_on() {
    let mut f = build(&PAPER, &[("timeout", Value::Span(Span::ZERO))]);
    for id in 0..5 {
        assert_eq!(forwarded(&offer(&mut *f, 1, (id, 0), &ack(id))), [id]);
    }
    assert_eq!(f.next_wakeup(), None);
}

#[test]
fn a_flow_that_finds_no_row_is_left_alone() {
    let mut f = build(&ENTRY, &[("flows", Value::Int(2))]);
    offer(&mut *f, 0, (1, 0), &ack(1));
    offer(&mut *f, 0, (2, 1), &ack(1));
    assert_eq!(forwarded(&offer(&mut *f, 1, (3, 2), &ack(1))), [3]);
    assert_eq!(lost(&offer(&mut *f, 2, (4, 1), &ack(2))), [2]);
    assert_eq!(wake(&mut *f, 5000), [1]);
    assert!(offer(&mut *f, 5001, (5, 2), &ack(2)).is_empty());
}

#[test]
fn an_ack_with_psh_goes_on_at_once_after_the_held_one() {
    let psh = |n| flagged(n, Flags::PSH);
    let mut f = guarded();
    assert_eq!(forwarded(&offer(&mut *f, 0, (1, 0), &psh(1000))), [1]);
    assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &ack(2000))), []);
    assert_eq!(forwarded(&offer(&mut *f, 2, (3, 0), &psh(3000))), [2, 3]);
    assert_eq!(f.next_wakeup(), None);
    // The chart does not look at it.
    let mut f = paper();
    assert_eq!(forwarded(&offer(&mut *f, 0, (1, 0), &psh(1000))), []);
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &psh(2000))), [1]);
}

#[test]
fn a_dsack_goes_on_at_once_though_the_held_one_has_the_same_blocks() {
    // Below the acknowledgement, a duplicate (RFC 2883 section 4): each report is news, even if it
    // reads like the one before.
    let report = |n| sack(n, &[(500, 600)]);
    let mut f = guarded();
    assert_eq!(forwarded(&offer(&mut *f, 0, (1, 0), &report(1000))), []);
    assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &report(2000))), [1, 2]);
    // The chart does not look at it.
    let mut f = paper();
    offer(&mut *f, 0, (1, 0), &report(1000));
    assert_eq!(lost(&offer(&mut *f, 1, (2, 0), &report(2000))), [1]);
}

/// Of more flows than there is room for the quietest is forgotten: its duplicate is then held.
#[test]
fn numbers_are_known_of_so_many_flows_only() {
    let mut f = build(&ENTRY, &[("flows", Value::Int(4))]);
    for flow in 0..5 {
        offer(&mut *f, 0, (flow, flow), &data(1000));
    }
    assert!(offer(&mut *f, 1, (10, 0), &ack(1000)).is_empty());
    assert_eq!(forwarded(&offer(&mut *f, 2, (11, 4), &ack(1000))), [11]);
}
