//! One test per parameter, and the cases that the module's text promises.

use super::super::testing::{ack, at, build, data, flagged, forwarded, lost, offer, sack};
use super::*;
use ForwardReason::{Duplicate, Flush, Ratio, Timeout, Untouchable};
use acklab_proto::segment::Flags;

static HERE: Entry<Build> = ENTRY;

const BURST: (&str, Value) = ("release", Value::Choice("burst"));
const FROM_LAST: (&str, Value) = ("timeout_from", Value::Choice("last"));
const PASS_DUPLICATES: (&str, Value) = ("duplicates", Value::Choice("pass"));
const PASS_SACK: (&str, Value) = ("sack", Value::Choice("pass"));
const WHOLE_QUEUE: (&str, Value) = ("scope", Value::Choice("queue"));
const NO_TIMER: (&str, Value) = ("timeout", Value::Auto);

fn ratio(n: i64) -> (&'static str, Value) {
    ("ratio", Value::Int(n))
}

/// Offers acknowledgements `first..=last` of flow 0, one each microsecond, and gathers verdicts.
fn run(filter: &mut dyn AckFilter, first: u32, last: u32) -> Vec<Verdict> {
    (first..=last)
        .flat_map(|i| offer(filter, u64::from(i), (i, 0), &ack(i * 100)))
        .collect()
}

fn wake(filter: &mut dyn AckFilter, us: u64) -> Vec<Verdict> {
    let mut out = Vec::new();
    filter.on_wakeup(at(us), &mut out);
    out
}

fn reasons(verdicts: &[Verdict]) -> Vec<(u32, ForwardReason)> {
    let one = |v: &Verdict| match v {
        Verdict::Forward(p, why) => Some((p.id.0, *why)),
        _ => None,
    };
    verdicts.iter().filter_map(one).collect()
}

#[test]
fn every_nth_goes_on_and_stands_for_the_others() {
    for n in [2u32, 4, 8, 16] {
        let mut f = build(&HERE, &[ratio(i64::from(n)), NO_TIMER]);
        let out = run(&mut *f, 1, 64);
        let want: Vec<u32> = (1..=64).filter(|i| i % n == 0).collect();
        assert_eq!(forwarded(&out), want, "{n}:1");
        assert_eq!(lost(&out).len() as u32, 64 - 64 / n);
        assert_eq!(f.next_wakeup(), None);
    }
}

#[test]
fn ratio_1_is_transparent() {
    for release in ["last", "burst"] {
        let mut f = build(&HERE, &[ratio(1), ("release", Value::Choice(release))]);
        let out = run(&mut *f, 1, 9);
        assert_eq!(forwarded(&out), (1..=9).collect::<Vec<_>>());
        assert!(lost(&out).is_empty() && f.next_wakeup().is_none());
    }
}

#[test]
fn the_timer_runs_from_the_first_held() {
    let mut f = build(&HERE, &[ratio(8)]);
    run(&mut *f, 1, 3);
    assert_eq!(f.next_wakeup(), Some(at(5_001)));
    assert!(wake(&mut *f, 5_000).is_empty(), "called early");
    assert_eq!(reasons(&wake(&mut *f, 5_001)), [(3, Timeout)]);
    assert_eq!((f.next_wakeup(), f.stats().timer_releases), (None, 1));
    // The count starts anew.
    assert!(forwarded(&run(&mut *f, 6_000, 6_006)).is_empty());
    assert_eq!(forwarded(&run(&mut *f, 6_007, 6_007)), [6_007]);
}

#[test]
fn the_timer_may_run_from_the_last_held() {
    let mut f = build(&HERE, &[ratio(8), FROM_LAST]);
    run(&mut *f, 1, 3);
    assert_eq!(f.next_wakeup(), Some(at(5_003)));
    assert_eq!(forwarded(&wake(&mut *f, 5_003)), [3]);
}

#[test]
fn without_a_timer_the_rest_waits_for_ever() {
    let mut f = build(&HERE, &[ratio(8), NO_TIMER]);
    run(&mut *f, 1, 7);
    assert_eq!(f.next_wakeup(), None);
    assert!(wake(&mut *f, 10_000_000).is_empty());
    assert_eq!(f.stats().held, 1);
}

#[test]
fn a_burst_lets_all_go_in_order() {
    let mut f = build(&HERE, &[ratio(4), BURST]);
    let out = run(&mut *f, 1, 6);
    assert_eq!(reasons(&out), [1, 2, 3, 4].map(|i| (i, Ratio)));
    assert_eq!(f.stats().held, 2);
    assert_eq!(reasons(&wake(&mut *f, 6_000)), [(5, Timeout), (6, Timeout)]);
    assert_eq!((f.stats().dropped, f.stats().timer_releases), (0, 1));
}

#[test]
fn data_flushes_what_is_held_and_passes() {
    let mut f = build(&HERE, &[ratio(8)]);
    run(&mut *f, 1, 2);
    let out = offer(&mut *f, 3, (3, 0), &data(300));
    assert_eq!(reasons(&out), [(2, Flush), (3, Untouchable)]);
    assert_eq!(f.next_wakeup(), None, "the timer went with the batch");
    assert_eq!(f.stats().seen, 2, "data is not counted");
}

#[test]
fn connection_control_passes_in_order() {
    for flag in [Flags::SYN, Flags::FIN, Flags::RST] {
        let mut f = build(&HERE, &[ratio(8)]);
        run(&mut *f, 1, 1);
        let out = offer(&mut *f, 2, (2, 0), &flagged(100, flag));
        assert_eq!(reasons(&out), [(1, Flush), (2, Untouchable)], "{flag:?}");
    }
}

#[test]
fn of_a_run_of_ece_the_ends_pass() {
    let mut f = build(&HERE, &[ratio(4), NO_TIMER]);
    let mut out = run(&mut *f, 1, 2);
    for i in 3..=8 {
        out.extend(offer(&mut *f, 0, (i, 0), &flagged(i * 100, Flags::ECE)));
    }
    out.extend(offer(&mut *f, 0, (9, 0), &ack(900)));
    assert_eq!(
        reasons(&out),
        [
            (2, Flush),
            (3, Untouchable), // ECE on
            (7, Ratio),       // four more with ECE
            (8, Flush),
            (9, Untouchable), // ECE off
        ]
    );
}

#[test]
fn duplicates_are_thinned_or_pass() {
    let dups = [(1, 100), (2, 100), (3, 100), (4, 100)];
    let play = |f: &mut dyn AckFilter| -> Vec<Verdict> {
        let one = |&(id, n): &(u32, u32)| offer(f, 0, (id, 0), &ack(n));
        dups.iter().flat_map(one).collect()
    };
    let mut thin = build(&HERE, &[ratio(4)]);
    assert_eq!(forwarded(&play(&mut *thin)), [4]);
    let mut pass = build(&HERE, &[ratio(4), PASS_DUPLICATES]);
    let want = [(1, Flush), (2, Duplicate), (3, Duplicate), (4, Duplicate)];
    assert_eq!(reasons(&play(&mut *pass)), want);
    assert_eq!(pass.stats().forwarded, 4);
}

#[test]
fn sack_changes_are_thinned_or_pass() {
    let blocks = [sack(10, &[]), sack(10, &[(20, 30)]), sack(10, &[(20, 40)])];
    let play = |f: &mut dyn AckFilter| -> Vec<Verdict> {
        (0..3)
            .flat_map(|i| offer(f, 0, (i, 0), &blocks[i as usize]))
            .collect()
    };
    let mut thin = build(&HERE, &[ratio(3)]);
    assert_eq!(forwarded(&play(&mut *thin)), [2]);
    let mut pass = build(&HERE, &[ratio(3), PASS_SACK]);
    let want = [(0, Flush), (1, Untouchable), (2, Untouchable)];
    assert_eq!(reasons(&play(&mut *pass)), want);
}

#[test]
fn flows_have_their_own_counters() {
    let mut f = build(&HERE, &[ratio(2), NO_TIMER]);
    let flows = [0, 3, 0, 3, 0];
    let out: Vec<Verdict> = (0..5u32)
        .flat_map(|i| offer(&mut *f, 0, (i, flows[i as usize]), &ack(i)))
        .collect();
    assert_eq!(forwarded(&out), [2, 3]);
    assert_eq!(lost(&out), [0, 1]);
}

#[test]
fn a_shared_counter_starves_the_flow_whose_turn_it_never_is() {
    let mut f = build(&HERE, &[ratio(2), WHOLE_QUEUE]);
    let out: Vec<Verdict> = (0..100u32)
        .flat_map(|i| offer(&mut *f, 0, (i, i % 2), &ack(i)))
        .collect();
    assert!(forwarded(&out).iter().all(|i| i % 2 == 1));
    assert_eq!(lost(&out).len(), 50, "every ACK of flow 0");
}

#[test]
fn a_shared_burst_is_flushed_whole() {
    let mut f = build(&HERE, &[ratio(8), WHOLE_QUEUE, BURST]);
    offer(&mut *f, 0, (1, 0), &ack(1));
    offer(&mut *f, 0, (2, 1), &ack(1));
    let out = offer(&mut *f, 0, (3, 1), &data(1));
    assert_eq!(reasons(&out), [(1, Flush), (2, Flush), (3, Untouchable)]);
}

#[test]
fn a_full_buffer_refuses_the_newcomer() {
    let mut f = build(&HERE, &[ratio(8), BURST, ("capacity", Value::Int(3))]);
    let out = run(&mut *f, 1, 5);
    assert_eq!(lost(&out), [4, 5]);
    assert!(
        out.iter()
            .all(|v| matches!(v, Verdict::Drop(_, DropReason::FilterFull)))
    );
    assert_eq!(forwarded(&wake(&mut *f, 9_000)), [1, 2, 3]);
    // The one that completes the ratio needs no room.
    let mut f = build(&HERE, &[ratio(4), BURST, ("capacity", Value::Int(3))]);
    assert_eq!(forwarded(&run(&mut *f, 1, 4)), [1, 2, 3, 4]);
}

#[test]
fn an_overtaken_ack_counts_but_does_not_win() {
    let mut f = build(&HERE, &[ratio(3)]);
    let numbers = [200, 100, 150];
    let out: Vec<Verdict> = (0..3)
        .flat_map(|i| offer(&mut *f, 0, (i, 0), &ack(numbers[i as usize])))
        .collect();
    assert_eq!(
        (forwarded(&out), lost(&out)),
        (alloc::vec![0], alloc::vec![1, 2])
    );
}

#[test]
fn a_window_update_arrives_with_the_newest() {
    let mut f = build(&HERE, &[ratio(2)]);
    offer(&mut *f, 0, (1, 0), &ack(100));
    let update = Segment {
        window: 9_000,
        ..ack(100)
    };
    assert_eq!(forwarded(&offer(&mut *f, 1, (2, 0), &update)), [2]);
}

/// Number of ACKs that a 16:1 thinner with the 5 ms timer forwards, if one comes each `gap` us.
fn thinned_by_the_timer(gap: u64, acks: u32) -> usize {
    let mut f = build(&HERE, &[ratio(16)]);
    let mut out = Vec::new();
    for i in 0..acks {
        let now = u64::from(i) * gap;
        while let Some(t) = f.next_wakeup().filter(|t| *t <= at(now)) {
            f.on_wakeup(t, &mut out);
        }
        out.extend(offer(&mut *f, now, (i, 0), &ack(i)));
    }
    out.extend(wake(&mut *f, 10_000_000));
    forwarded(&out).len()
}

#[test]
fn at_10_mbit_the_timer_caps_the_ratio_as_in_the_references() {
    // Kernel reference: an ACK each two segments of 1.2 ms, about 3:1.
    assert_eq!(thinned_by_the_timer(2_400, 3_000), 1_000);
    // ns-3 reference: an ACK per segment, near 5:1.
    assert_eq!(thinned_by_the_timer(1_202, 3_000), 600);
}

#[test]
fn a_syn_ack_passes_unless_it_is_thinned() {
    let syn = flagged(1, Flags::SYN);
    let mut f = build(&HERE, &[ratio(2)]);
    assert_eq!(
        reasons(&offer(&mut *f, 1, (1, 0), &syn)),
        [(1, Untouchable)]
    );
    let mut f = build(
        &HERE,
        &[ratio(2), ("handshake", Value::Choice("thin")), NO_TIMER],
    );
    assert!(offer(&mut *f, 1, (1, 0), &syn).is_empty());
    let out = offer(&mut *f, 3_000_001, (2, 0), &syn);
    assert_eq!(
        (forwarded(&out), lost(&out)),
        (alloc::vec![2], alloc::vec![1])
    );
}

#[test]
fn a_flush_may_wait_for_the_next_arrival() {
    let mut f = build(&HERE, &[ratio(8), ("flush", Value::Choice("next"))]);
    run(&mut *f, 1, 3);
    assert!(wake(&mut *f, 5_001).is_empty());
    assert_eq!((f.stats().held, f.stats().timer_releases), (1, 1));
    // The next one is held itself, in a batch of its own.
    assert_eq!(reasons(&run(&mut *f, 6_000, 6_000)), [(3, Timeout)]);
    assert_eq!(f.stats().held, 1);
    assert_eq!(f.next_wakeup(), Some(at(11_000)));
}

#[test]
fn memory_follows_from_the_flows_that_are_remembered() {
    let mut f = build(&HERE, &[ratio(9), ("flows", Value::Int(4))]);
    // Four flows of which something is held leave no room for a fifth.
    for flow in 0..4 {
        assert_eq!(offer(&mut *f, 0, (flow, flow), &ack(1)), []);
    }
    let out = offer(&mut *f, 1, (4, 4), &ack(1));
    assert_eq!(reasons(&out), [(4, ForwardReason::Passing)]);
    wake(&mut *f, 5_000);
    for flow in 0..100_000u32 {
        let out = offer(&mut *f, 6_000, (flow, flow << 8), &data(1));
        assert_eq!(forwarded(&out), [flow]);
    }
    assert_eq!(f.rows(), 4);
}

#[test]
fn of_the_flows_the_quietest_is_forgotten() {
    let mut f = build(
        &HERE,
        &[ratio(9), PASS_DUPLICATES, ("flows", Value::Int(4))],
    );
    for flow in [0, 1, 2, 3, 0, 2, 3] {
        offer(&mut *f, 0, (flow, flow), &data(7));
    }
    offer(&mut *f, 1, (9, 9), &data(7));
    let is_known = |f: &mut dyn AckFilter, flow| {
        let out = offer(f, 2, (20 + flow, flow), &ack(7));
        reasons(&out) == [(20 + flow, Duplicate)]
    };
    assert!([0, 2, 3, 9].iter().all(|flow| is_known(&mut *f, *flow)));
    assert!(!is_known(&mut *f, 1));
}
