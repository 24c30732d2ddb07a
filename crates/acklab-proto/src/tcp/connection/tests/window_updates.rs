//! Which segment speaks for the peer's window (RFC 9293 section 3.10.7.4).

use super::super::*;
use super::world::*;
use crate::segment::{Flags, Timestamps};
use acklab_units::SeqNum;

/// A segment from b: where it stands (bytes after its SYN), its payload, what it acknowledges of
/// a's data, and the window.
fn from_b(w: &World, seq: u32, len: u32, ack: u32, window: u16) -> Segment {
    Segment {
        seq: SeqNum(78) + seq,
        ack: SeqNum(u32::MAX - 3000) + 1 + ack,
        len,
        flags: Flags::ACK,
        window,
        timestamps: Some(Timestamps {
            val: (w.now.as_nanos() / 1_000_000) as u32 + 1,
            ecr: 1,
        }),
        ..Segment::default()
    }
}

fn window_after(segments: &[(u32, u32, u32, u16)]) -> u64 {
    let cfg = TcpConfig {
        window_scaling: false,
        ..config()
    };
    let mut w = World::new(&cfg, 10, drop_data(&[0, 1, 2, 3, 4]));
    w.run(Span::from_millis(50));
    w.send(5 * MSS);
    for &(seq, len, ack, window) in segments {
        let seg = from_b(&w, seq, len, ack, window);
        w.a.on_segment(w.now, &seg);
    }
    w.a.snapshot().peer_window
}

#[test]
fn an_older_segment_that_comes_late_does_not_move_the_window() {
    // Data of b overtook earlier data of b, which has the window of before.
    assert_eq!(
        window_after(&[(1000, 1000, 0, 9000), (0, 1000, 0, 500)]),
        9000
    );
    assert_eq!(
        window_after(&[(0, 1000, 0, 500), (1000, 1000, 0, 9000)]),
        9000
    );
}

#[test]
fn of_segments_at_one_place_the_later_acknowledgement_speaks() {
    assert_eq!(window_after(&[(0, 0, 2000, 7000), (0, 0, 1000, 500)]), 7000);
    assert_eq!(window_after(&[(0, 0, 1000, 7000), (0, 0, 1000, 500)]), 500);
    assert_eq!(window_after(&[(0, 0, 1000, 7000), (0, 0, 2000, 500)]), 500);
}

/// Repeated data of b stands further back, but acknowledges more.
#[test]
fn what_acknowledges_more_speaks_wherever_it_stands() {
    let old_data = (0, 1000, 3000, 500);
    assert_eq!(window_after(&[(1000, 1000, 0, 9000), old_data]), 500);
}

/// A probe of the peer's stands one octet back and repeats old news.
#[test]
fn a_probe_does_not_speak_for_the_window() {
    assert_eq!(window_after(&[(1, 0, 0, 7000), (0, 1, 0, 500)]), 7000);
}
