//! Properties with any options and any stream of packets.

use super::*;
use crate::ack_filter::testing::{self, at, build, packet};
use proptest::prelude::*;

const FLOWS: u32 = 3;

/// Flow, segment, whether the packet at the head leaves afterwards.
type Step = (u32, Segment, bool);

/// Packets that left, and dropped ones with those that took their places, by number; and
/// how many waited at most.
#[derive(Default)]
struct Played {
    left: Vec<u32>,
    dropped: Vec<(u32, u32)>,
    most_waiting: usize,
}

fn play(filter: &mut dyn AckFilter, steps: &[Step]) -> Played {
    let (mut played, mut queue) = (Played::default(), Vec::<Packet>::new());
    for (id, (flow, segment, departs)) in (0..).zip(steps) {
        let size = 52 + 12 * segment.sack.as_slice().len() as u32 + segment.len;
        let arrived = Packet {
            size,
            ..packet(id, *flow)
        };
        let mut out = Vec::new();
        filter.on_packet(at(u64::from(id)), arrived, segment, &mut out);
        match out[..] {
            [Verdict::Forward(p, _)] => queue.push(p),
            [Verdict::Replace { queued, by }] => {
                let place = queue.iter_mut().find(|p| p.id == queued);
                let place = place.expect("it replaces what waits");
                assert_eq!((place.size, place.flow), (by.size, by.flow));
                played.dropped.push((place.id.0, by.id.0));
                *place = by;
            }
            _ => panic!("{out:?}"),
        }
        played.most_waiting = played.most_waiting.max(queue.len());
        if *departs {
            let gone = queue.remove(0);
            filter.on_left_queue(gone.id, gone.flow);
            played.left.push(gone.id.0);
        }
    }
    played.left.extend(queue.iter().map(|p| p.id.0));
    played
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let one = |(gap, flow, segment)| (flow, segment, gap == 1);
    let all = testing::arrivals(0..2, FLOWS);
    all.prop_map(move |a| a.into_iter().map(one).collect())
}

fn with(others: &'static str, sack: &'static str, flows: i64) -> Box<dyn AckFilter> {
    build(
        &ENTRY,
        &[
            ("others", Value::Choice(others)),
            ("sack", Value::Choice(sack)),
            ("flows", Value::Int(flows)),
        ],
    )
}

fn others() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("overtake"), Just("keep")]
}

fn blocks() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("replace"), Just("keep")]
}

proptest! {
    /// Every packet leaves or is replaced, once; only plain acknowledgements are replaced, by one
    /// of their flow that acknowledges more.
    #[test]
    fn packets_are_conserved(
        others in others(),
        sack in blocks(),
        flows in 1i64..4,
        steps in steps(),
    ) {
        let mut f = with(others, sack, flows);
        let p = play(&mut *f, &steps);
        let mut all = p.left.clone();
        all.extend(p.dropped.iter().map(|(old, _)| *old));
        all.sort_unstable();
        prop_assert!(all.iter().copied().eq(0..steps.len() as u32));
        for (old, new) in &p.dropped {
            let ((a, old, _), (b, new, _)) = (&steps[*old as usize], &steps[*new as usize]);
            prop_assert_eq!(a, b);
            prop_assert!(old.is_pure_ack() && old.flags == Flags::ACK && new.flags == Flags::ACK);
            prop_assert!(old.ack.before(new.ack));
        }
        let s = f.stats();
        prop_assert_eq!(s.seen, s.forwarded + s.dropped);
        prop_assert_eq!(s.dropped, p.dropped.len() as u64);
    }

    /// The queue is never longer than without the filter.
    #[test]
    fn it_bounds_the_queue(steps in steps()) {
        let with_filter = play(&mut *with("overtake", "replace", 4), &steps).most_waiting;
        let departures = |upto: usize| steps[..upto].iter().filter(|s| s.2).count();
        let most = (0..steps.len()).map(|i| i + 1 - departures(i)).max();
        prop_assert!(with_filter <= most.unwrap_or(0));
    }

    /// With the guard packets of a flow leave in the order in which they came.
    #[test]
    fn nothing_is_overtaken_where_order_is_kept(sack in blocks(), steps in steps()) {
        let p = play(&mut *with("keep", sack, 4), &steps);
        for flow in 0..FLOWS {
            let order: Vec<_> =
                p.left.iter().filter(|id| steps[**id as usize].0 == flow).collect();
            prop_assert!(order.is_sorted(), "{:?}", order);
        }
    }

    /// With the guards what was dropped is said by the one that took its place: the number, each
    /// block, and no DSACK is lost.
    #[test]
    fn nothing_that_was_said_is_lost(steps in steps()) {
        let p = play(&mut *with("keep", "keep", 4), &steps);
        for (old, new) in &p.dropped {
            let (old, new) = (&steps[*old as usize].1, &steps[*new as usize].1);
            prop_assert!(!reports_duplicate(old));
            // Bytes of a block, and those before it from where another begins; none if it is inside out.
            let long = |b: &SackBlock| u32::try_from(b.end.distance(b.start)).unwrap_or(0);
            for block in old.sack.as_slice().iter().filter(|b| long(b) > 0) {
                let into = |n: &SackBlock| u64::from(block.start.0.wrapping_sub(n.start.0));
                let repeats = |n: &SackBlock| into(n) + u64::from(long(block)) <= u64::from(long(n));
                let again = new.sack.as_slice().iter().any(repeats);
                prop_assert!(again || !new.ack.before(block.end));
            }
        }
    }
}
