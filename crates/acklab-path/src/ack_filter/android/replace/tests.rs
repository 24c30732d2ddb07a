//! Packet by packet, against the driver's rules.

use super::*;
use crate::ack_filter::testing::{ack, at, build, data, flagged, forwarded, offer, packet, sack};
use acklab_proto::segment::Timestamps;

type Filter = Box<dyn AckFilter>;

fn driver() -> Filter {
    build(&ENTRY, &[])
}

fn careful() -> Filter {
    let keep = Value::Choice("keep");
    build(&ENTRY, &[("others", keep), ("sack", keep)])
}

/// Content of the queue after all segments of one flow have come and none has left, by position.
fn queue(filter: &mut Filter, segments: &[Segment]) -> Vec<u32> {
    let mut queue = Vec::new();
    for (id, segment) in segments.iter().enumerate() {
        // SACK blocks make a header longer: 4 bytes and 8 for each, padded.
        let blocks = segment.sack.as_slice().len() as u32;
        let size = 52 + if blocks > 0 { 4 + 8 * blocks } else { 0 };
        let arrived = Packet {
            size,
            ..packet(id as u32, 0)
        };
        let mut out = Vec::new();
        filter.on_packet(at(id as u64), arrived, segment, &mut out);
        match out[..] {
            [Verdict::Replace { queued, by }] => {
                let place = queue.iter().position(|q| *q == queued.0).unwrap();
                queue[place] = by.id.0;
            }
            [Verdict::Forward(p, _)] => queue.push(p.id.0),
            _ => panic!("{out:?}"),
        }
    }
    queue
}

fn both(segments: &[Segment], as_driver: &[u32], as_careful: &[u32]) {
    assert_eq!(queue(&mut driver(), segments), as_driver, "driver");
    assert_eq!(queue(&mut careful(), segments), as_careful, "careful");
}

#[test]
fn a_newer_ack_takes_the_place_of_the_older_one() {
    both(&[ack(1), ack(2), ack(3)], &[2], &[2]);
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &ack(1));
    let out = offer(&mut *f, 5, (2, 0), &ack(2));
    let (queued, by) = (PacketId(1), packet(2, 0));
    assert_eq!(out, [Verdict::Replace { queued, by }]);
    let s = f.stats();
    assert_eq!((s.seen, s.forwarded, s.dropped, s.held), (2, 1, 1, 0));
    assert!(f.watches_queue() && f.next_wakeup().is_none());
}

#[test]
fn duplicates_and_window_updates_queue() {
    let update = Segment {
        window: 99,
        ..ack(1)
    };
    // The newer number then overtakes them, or waits its turn.
    both(&[ack(1), ack(1), update, ack(2)], &[3, 1, 2], &[0, 1, 3]);
}

#[test]
fn lower_numbers_queue() {
    both(&[ack(9), ack(5), ack(10)], &[2, 1], &[0, 2]);
}

#[test]
fn flags_and_payload_queue_and_are_overtaken_unless_order_is_kept() {
    for flag in [
        Flags::SYN,
        Flags::FIN,
        Flags::RST,
        Flags::PSH,
        Flags::URG,
        Flags::ECE,
        Flags::CWR,
    ] {
        let other = flagged(2, flag);
        both(&[ack(1), other, ack(3), ack(4)], &[3, 1], &[0, 1, 3]);
        both(&[other, other], &[0, 1], &[0, 1]);
    }
    both(&[ack(1), data(2), ack(3), ack(4)], &[3, 1], &[0, 1, 3]);
}

#[test]
fn only_headers_of_one_length_replace_each_other() {
    let (one, two) = (sack(5, &[(10, 20)]), sack(6, &[(30, 40), (10, 20)]));
    // The driver still knows the first and lets the last overtake the one between.
    both(&[ack(4), one, ack(7)], &[2, 1], &[0, 1, 2]);
    both(&[one, two, sack(7, &[(10, 40)])], &[2, 1], &[0, 1, 2]);
}

#[test]
fn sack_blocks_are_lost_unless_they_are_kept() {
    let old = sack(5, &[(10, 20)]);
    // Another block, of the same length.
    both(&[old, sack(6, &[(30, 40)])], &[1], &[0, 1]);
    // The same, and more of it.
    both(&[old, sack(6, &[(10, 25)])], &[1], &[1]);
    // Acknowledged meanwhile.
    both(&[old, sack(25, &[(30, 40)])], &[1], &[1]);
    // A duplicate is reported once.
    both(&[sack(5, &[(2, 4)]), sack(6, &[(10, 20)])], &[1], &[0, 1]);
}

/// It begins below the older one's block and ends above it, and is longer than half of all numbers.
#[test]
fn a_block_inside_out_repeats_nothing() {
    let far = 3 << 29;
    let (start, end) = (100u32.wrapping_sub(far), 120 + far);
    both(
        &[sack(5, &[(100, 120)]), sack(6, &[(start, end)])],
        &[1],
        &[0, 1],
    );
}

/// Almost half of all numbers, and a block that begins behind it.
#[test]
fn a_short_block_does_not_repeat_a_long_one() {
    let half = 1 << 31;
    let (long, short) = (sack(5, &[(10, half)]), sack(6, &[(half + 20, half + 24)]));
    both(&[long, short], &[1], &[0, 1]);
}

#[test]
fn timestamps_are_not_looked_at() {
    let stamped = |n, val| Segment {
        timestamps: Some(Timestamps { val, ecr: 7 }),
        ..ack(n)
    };
    both(&[stamped(1, 9), stamped(2, 5)], &[1], &[1]);
}

#[test]
fn newer_is_meant_in_the_arithmetic_of_sequence_numbers() {
    both(&[ack(u32::MAX - 5), ack(5)], &[1], &[1]);
}

#[test]
fn what_has_left_is_not_replaced() {
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &ack(1));
    offer(&mut *f, 0, (2, 0), &ack(1));
    f.on_left_queue(PacketId(1), FlowId(0));
    // The duplicate is not known, so this one is the next that is.
    assert_eq!(forwarded(&offer(&mut *f, 1, (3, 0), &ack(2))), [3]);
    f.on_left_queue(PacketId(2), FlowId(0));
    let out = offer(&mut *f, 2, (4, 0), &ack(3));
    assert!(matches!(
        out[..],
        [Verdict::Replace {
            queued: PacketId(3),
            ..
        }]
    ));
}

#[test]
fn four_flows_are_known_and_acks_of_a_fifth_queue() {
    let mut f = driver();
    for flow in 0..5 {
        offer(&mut *f, 0, (flow, flow), &ack(1));
    }
    let replaced = |out: &[Verdict]| matches!(out, [Verdict::Replace { .. }]);
    assert!(!replaced(&offer(&mut *f, 1, (10, 4), &ack(2))));
    assert!(replaced(&offer(&mut *f, 1, (11, 3), &ack(2))));
    f.on_left_queue(PacketId(0), FlowId(0));
    offer(&mut *f, 2, (12, 4), &ack(3));
    assert!(replaced(&offer(&mut *f, 2, (13, 4), &ack(4))));
}

#[test]
fn what_is_out_of_reach_was_not_dropped() {
    let mut f = driver();
    offer(&mut *f, 0, (1, 0), &ack(1));
    offer(&mut *f, 0, (2, 0), &ack(2));
    f.on_out_of_reach();
    assert_eq!((f.stats().forwarded, f.stats().dropped), (2, 0));
    // The newer one is in the queue all the same, and known.
    let out = offer(&mut *f, 0, (3, 0), &ack(3));
    assert!(matches!(
        out[..],
        [Verdict::Replace {
            queued: PacketId(2),
            ..
        }]
    ));
}
