//! Queues, arrivals and what CAKE takes out.

use super::super::testing::{ack, build, data, flagged, lost, offer, sack};
use super::*;
use crate::packet::FlowId;
use acklab_proto::segment::Timestamps;

static HERE: Entry<Build> = ENTRY;

fn filter(mode: &'static str) -> Box<dyn AckFilter> {
    build(&HERE, &[("mode", Value::Choice(mode))])
}

/// Queues all segments of one flow and lists the packets taken out, by position.
fn dropped(mode: &'static str, queue: &[Segment]) -> Vec<u32> {
    let mut f = filter(mode);
    let all = queue.iter().enumerate();
    all.flat_map(|(i, s)| lost(&offer(&mut *f, 0, (i as u32, 0), s)))
        .collect()
}

fn both(queue: &[Segment], conservative: &[u32], aggressive: &[u32]) {
    assert_eq!(dropped("conservative", queue), conservative, "conservative");
    assert_eq!(dropped("aggressive", queue), aggressive, "aggressive");
}

#[test]
fn conservative_leaves_one_superfluous_ack_aggressive_none() {
    let queue = [ack(1), ack(2), ack(3), ack(4), ack(5)];
    both(&queue, &[0, 1, 2], &[0, 1, 2, 3]);
}

#[test]
fn duplicates_are_kept() {
    both(&[ack(1), ack(1), ack(1), ack(1)], &[], &[]);
}

#[test]
fn an_ack_of_a_lower_number_drops_nothing() {
    both(&[ack(5), ack(6), ack(4)], &[], &[0]);
}

#[test]
fn data_between_keeps_the_single_candidate() {
    both(&[ack(1), data(1), ack(2)], &[], &[]);
    both(&[ack(1), ack(2), data(2), ack(3)], &[0], &[0]);
}

#[test]
fn data_that_follows_acks_makes_them_superfluous_too() {
    both(&[ack(1), ack(2), data(3)], &[0], &[0, 1]);
}

#[test]
fn each_run_of_ece_keeps_its_last() {
    let ece = |n| flagged(n, Flags::ECE);
    both(&[ack(1), ece(2), ece(3)], &[], &[1]);
    both(
        &[ack(1), ack(2), ece(3), ece(4), ece(5)],
        &[0, 2],
        &[0, 2, 3],
    );
    both(&[ack(1), ece(2), ack(3)], &[], &[]);
}

#[test]
fn other_flags_forbid_the_drop_and_a_syn_triggers_none() {
    for f in [Flags::PSH, Flags::FIN, Flags::RST, Flags::URG] {
        both(&[flagged(1, f), flagged(2, f), ack(3), ack(4)], &[], &[2]);
    }
    both(&[ack(1), ack(2), flagged(3, Flags::SYN)], &[], &[0]);
    let no_ack = Segment {
        flags: Flags::RST,
        ..ack(9)
    };
    both(&[ack(1), no_ack], &[], &[]);
}

#[test]
fn sack_blocks_must_be_repeated() {
    let one = sack(10, &[(20, 30)]);
    let grown = sack(10, &[(20, 40)]);
    let more = sack(10, &[(20, 50)]);
    both(&[one, grown, more], &[0], &[0, 1]);
    both(&[one, one, one], &[], &[]);
    both(&[one, ack(15)], &[], &[]);
    // The hole is filled: the blocks are below the number and no longer repeated.
    both(&[one, grown, ack(40)], &[], &[0]);
}

#[test]
fn a_dsack_is_kept() {
    both(&[sack(10, &[(5, 8)]), ack(11), ack(12)], &[], &[1]);
}

#[test]
fn timestamps_must_not_go_back() {
    let stamped = |n, val, ecr| Segment {
        timestamps: Some(Timestamps { val, ecr }),
        ..ack(n)
    };
    both(&[stamped(1, 5, 5), stamped(2, 5, 5)], &[], &[0]);
    both(&[stamped(1, 6, 5), stamped(2, 5, 5)], &[], &[]);
    both(&[stamped(1, 5, 6), stamped(2, 5, 5)], &[], &[]);
    // No option on the new one counts as zero.
    both(&[stamped(1, 5, 5), ack(2)], &[], &[]);
}

#[test]
fn numbers_and_timestamps_wrap() {
    both(&[ack(u32::MAX - 1), ack(u32::MAX), ack(3)], &[0], &[0, 1]);
}

#[test]
fn flows_do_not_see_each_other() {
    let mut f = filter("aggressive");
    for i in 0..4 {
        assert_eq!(lost(&offer(&mut *f, 0, (i, i), &ack(i))), []);
    }
    assert_eq!(lost(&offer(&mut *f, 0, (9, 2), &ack(9))), [2]);
}

#[test]
fn what_has_left_the_queue_cannot_be_dropped() {
    let mut f = filter("aggressive");
    offer(&mut *f, 0, (1, 0), &ack(1));
    f.on_left_queue(PacketId(1), FlowId(0));
    assert_eq!(lost(&offer(&mut *f, 0, (2, 0), &ack(2))), []);
    // A packet that is not known (it was dropped on our word) is nothing to worry about.
    f.on_left_queue(PacketId(77), FlowId(0));
    f.on_left_queue(PacketId(77), FlowId(5));
    assert_eq!(lost(&offer(&mut *f, 0, (3, 0), &ack(3))), [2]);
}

#[test]
fn the_victim_makes_room_before_the_newcomer() {
    let mut f = filter("aggressive");
    offer(&mut *f, 0, (1, 0), &ack(1));
    let out = offer(&mut *f, 0, (2, 0), &ack(2));
    assert!(matches!(
        out[..],
        [
            Verdict::DropQueued(PacketId(1)),
            Verdict::Forward(_, ForwardReason::Passing)
        ]
    ));
}

#[test]
fn the_counters_add_up() {
    let mut f = filter("conservative");
    for i in 0..10 {
        offer(&mut *f, 0, (i, 0), &ack(i));
    }
    offer(&mut *f, 0, (10, 0), &data(10));
    let s = f.stats();
    assert_eq!((s.seen, s.dropped), (10, 9), "the data, too, displaced one");
    assert_eq!(s.seen, s.forwarded + s.dropped);
    assert!(f.watches_queue() && f.next_wakeup().is_none());
}

mod properties {
    use super::super::super::testing::forwarded;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        /// The last packet of a flow stays, at most one goes per arrival, only plain ACKs go, and
        /// each that went is covered by one that is still there or has left by the front.
        #[test]
        fn what_goes_is_superfluous(
            steps in vec((0u32..4, 0u8..8, any::<bool>()), 1..100),
            aggressive in any::<bool>(),
        ) {
            let mut f = filter(if aggressive { "aggressive" } else { "conservative" });
            let mut queue: Vec<(u32, Segment)> = Vec::new();
            let mut number = u32::MAX - 20;
            for (i, (advance, what, depart)) in steps.into_iter().enumerate() {
                number = number.wrapping_add(advance);
                let segment = match what {
                    0 => data(number),
                    1 => flagged(number, Flags::ECE),
                    2 => sack(number, &[(number.wrapping_add(5), number.wrapping_add(9))]),
                    _ => ack(number),
                };
                let out = offer(&mut *f, 0, (i as u32, 0), &segment);
                prop_assert_eq!(forwarded(&out), [i as u32]);
                prop_assert!(lost(&out).len() <= 1);
                for id in lost(&out) {
                    let at = queue.iter().position(|q| q.0 == id);
                    prop_assert!(at.is_some(), "not in the queue");
                    let (_, gone) = queue.remove(at.unwrap());
                    prop_assert!(gone.is_pure_ack() && !segment.ack.before(gone.ack));
                }
                queue.push((i as u32, segment));
                if depart {
                    let (id, _) = queue.remove(0);
                    f.on_left_queue(PacketId(id), FlowId(0));
                }
            }
        }
    }
}
