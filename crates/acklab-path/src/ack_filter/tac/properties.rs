//! Properties with any options and any stream of packets.

use super::super::testing::{self, Arrival, ack, at, packet};
use super::*;
use acklab_units::SeqNum;
use proptest::collection::vec;
use proptest::prelude::*;

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    testing::arrivals(0..4_000, 6)
}

prop_compose! {
    fn options()(
        timeout in 1u64..8_000,
        max_hold in proptest::option::of(1u64..20_000),
        flush in any::<[bool; 7]>(),
    ) -> Options {
        Options {
            timeout: Span::from_micros(timeout),
            max_hold: max_hold.map(Span::from_micros),
            flushes_for_older: flush[0],
            flushes_for_sack: flush[1],
            flushes_for_ecn: flush[2],
            flushes_for_window: flush[3],
            flushes_for_timestamps: flush[4],
            flushes_for_push: flush[5],
            passes_duplicates: flush[6],
        }
    }
}

/// Fates of the packets, by number: when they came, when and in which order they went on.
struct Played {
    filter: Tac,
    came: Vec<u64>,
    left: Vec<(u32, Instant)>,
    dropped: Vec<u32>,
    most_rows: u32,
}

fn play(options: Options, room: u32, arrivals: &[Arrival]) -> Played {
    let mut filter = Tac::new(&Params::defaults(&GUARDED));
    filter.options = options;
    filter.table = Table::new(room);
    let mut p = Played {
        filter,
        came: Vec::new(),
        left: Vec::new(),
        dropped: Vec::new(),
        most_rows: 0,
    };
    let mut now = 0;
    for (gap, flow, segment) in arrivals {
        now += gap;
        timers(&mut p, now);
        let id = p.came.len() as u32;
        p.came.push(now);
        let mut out = Vec::new();
        p.filter
            .on_packet(at(now), packet(id, *flow), segment, &mut out);
        note(&mut p, at(now), &out);
        p.most_rows = p.most_rows.max(p.filter.stats().held);
    }
    timers(&mut p, now + 100_000);
    p
}

fn timers(p: &mut Played, until: u64) {
    while let Some(t) = p.filter.next_wakeup().filter(|t| *t <= at(until)) {
        let mut out = Vec::new();
        p.filter.on_wakeup(t, &mut out);
        assert!(!out.is_empty(), "a timer for nothing");
        note(p, t, &out);
    }
}

fn note(p: &mut Played, now: Instant, out: &[Verdict]) {
    for v in out {
        match v {
            Verdict::Forward(packet, _) => p.left.push((packet.id.0, now)),
            Verdict::Drop(packet, _) => p.dropped.push(packet.id.0),
            Verdict::DropQueued(_) | Verdict::Replace { .. } => panic!("it looks into no queue"),
        }
    }
}

/// Whether `new` acknowledges more than `old` and says the same about all that is guarded. Field by
/// field and not by the filter's own rule.
fn says_as_much(guards: &Options, old: &Segment, new: &Segment) -> bool {
    let blocks = |s: &Segment| s.sack.as_slice().to_vec();
    let echo = |s: &Segment| [Flags::ECE, Flags::CWR].map(|f| s.flags.contains(f));
    let echoed = |s: &Segment| s.timestamps.map(|t| t.ecr);
    (new.ack.0.wrapping_sub(old.ack.0) as i32) > 0
        && (!guards.flushes_for_sack || blocks(old) == blocks(new))
        && (!guards.flushes_for_ecn || echo(old) == echo(new))
        && (!guards.flushes_for_window || (old.window > 0) == (new.window > 0))
        && (!guards.flushes_for_timestamps || echoed(old) == echoed(new))
}

proptest! {
    /// Every packet goes on or is dropped, once; only pure acknowledgements are dropped, and the
    /// table keeps to its size.
    #[test]
    fn packets_are_conserved(options in options(), room in 1u32..5, arrivals in arrivals()) {
        let p = play(options, room, &arrivals);
        let mut all: Vec<_> = p.left.iter().map(|(id, _)| *id).chain(p.dropped.iter().copied()).collect();
        all.sort_unstable();
        prop_assert!(all.iter().copied().eq(0..arrivals.len() as u32));
        prop_assert!(p.dropped.iter().all(|id| arrivals[*id as usize].2.is_pure_ack()));
        prop_assert!(p.most_rows <= room);
        prop_assert_eq!(p.filter.stats().held, 0);
    }

    /// A dropped acknowledgement is followed by one of its flow that went on, acknowledges more and
    /// repeats whatever the options guard.
    #[test]
    fn what_was_dropped_is_said_by_a_later_one(options in options(), arrivals in arrivals()) {
        let p = play(options, 9, &arrivals);
        for id in &p.dropped {
            let (_, flow, old) = arrivals[*id as usize];
            let said = p.left.iter().any(|(later, _)| {
                let (_, other, new) = arrivals[*later as usize];
                later > id && other == flow && new.is_pure_ack() && says_as_much(&options, &old, &new)
            });
            prop_assert!(said, "{id}");
            let pushed = old.flags.contains(Flags::PSH);
            prop_assert!(!(pushed && options.flushes_for_push), "{id} had PSH");
        }
    }

    /// With the guard packets of a flow leave in the order in which they came.
    #[test]
    fn nothing_is_overtaken(options in options(), arrivals in arrivals()) {
        let options = Options { flushes_for_older: true, ..options };
        let p = play(options, 3, &arrivals);
        for flow in 0..6 {
            let order: Vec<_> = p.left.iter().map(|(id, _)| *id)
                .filter(|id| arrivals[*id as usize].1 == flow).collect();
            prop_assert!(order.is_sorted(), "{order:?}");
        }
    }

    /// With the guard an acknowledgement that is not newer than all that its flow said before goes on
    /// at the instant at which it came.
    #[test]
    fn duplicates_go_on_at_once(options in options(), room in 1u32..9, arrivals in arrivals()) {
        let p = play(Options { passes_duplicates: true, ..options }, room, &arrivals);
        let mut highest = [None::<u32>; 6];
        for (id, (_, flow, segment)) in (0..).zip(&arrivals) {
            let highest = &mut highest[*flow as usize];
            if segment.flags.contains(Flags::SYN) {
                *highest = None;
                continue;
            }
            let newer = highest.is_none_or(|h| (segment.ack.0.wrapping_sub(h) as i32) > 0);
            if newer {
                *highest = Some(segment.ack.0);
            } else {
                let left = p.left.iter().find(|(left, _)| *left == id).map(|(_, left)| *left);
                prop_assert_eq!(left, Some(at(p.came[id as usize])));
            }
        }
    }

    /// Nobody waits for longer than the timer.
    #[test]
    fn everything_leaves_in_time(options in options(), arrivals in arrivals()) {
        let p = play(options, 9, &arrivals);
        let most = options.timeout.min(options.max_hold.unwrap_or(Span::MAX));
        for (id, left) in &p.left {
            prop_assert!(*left - at(p.came[*id as usize]) <= most);
        }
    }

    /// No flow waits for longer than the bound, though each that is held gives way to a newer one
    /// before its timer ends: whatever came, something of its flow leaves within the bound.
    #[test]
    fn no_flow_waits_for_longer_than_the_bound(
        gaps in vec(1u64..4_000, 30..200),
        max_hold in 1u64..20_000,
    ) {
        let chart = Params::defaults(&CHART);
        let options = Options {
            timeout: Span::from_millis(5),
            max_hold: Some(Span::from_micros(max_hold)),
            ..Options::new(&chart)
        };
        let arrivals: Vec<_> = (0..).zip(&gaps).map(|(n, gap)| (*gap, 0, ack(n))).collect();
        let p = play(options, 1, &arrivals);
        let bound = Span::from_micros(max_hold);
        for came in &p.came {
            let next = p.left.iter().map(|(_, left)| *left).find(|left| *left >= at(*came));
            let waited = next.map(|left| left - at(*came));
            prop_assert!(waited.is_some_and(|w| w <= bound), "{waited:?} of {bound:?}");
        }
    }

    /// One row of the table beside a plain model of the chart.
    #[test]
    fn one_flow_goes_through_the_chart(numbers in vec((0u64..9_000, 0u32..40), 1..100)) {
        let chart = Options {
            timeout: Span::from_millis(5),
            max_hold: None,
            flushes_for_older: false,
            flushes_for_sack: false,
            flushes_for_ecn: false,
            flushes_for_window: false,
            flushes_for_timestamps: false,
            flushes_for_push: false,
            passes_duplicates: false,
        };
        let arrivals: Vec<_> = numbers.iter().map(|(gap, n)| (*gap, 0, ack(*n))).collect();
        let p = play(chart, 1, &arrivals);
        let (mut now, mut expected) = (0, Vec::new());
        let mut held: Option<(u32, u32, u64)> = None;
        for (id, (gap, n)) in (0..).zip(&numbers) {
            now += gap;
            if let Some((old, _, since)) = held && since + 5_000 <= now {
                expected.push((old, at(since + 5_000)));
                held = None;
            }
            match held {
                Some((_, highest, _)) if !SeqNum(highest).before(SeqNum(*n)) => {
                    expected.push((id, at(now)));
                }
                _ => held = Some((id, *n, now)),
            }
        }
        if let Some((old, _, since)) = held {
            expected.push((old, at(since + 5_000)));
        }
        prop_assert_eq!(p.left, expected);
    }
}
