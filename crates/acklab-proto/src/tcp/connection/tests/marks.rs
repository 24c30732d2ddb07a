//! Congestion marks from the router to the window and back (RFC 3168 section 6.1).

use super::super::*;
use super::world::*;
use crate::segment::Flags;
use crate::tcp::config::EcnMode;
use std::vec::Vec;

/// Sends `n` segments in a window of ten; the data segments of these running numbers are marked.
fn marked(n: u64, which: &[usize]) -> World {
    let cfg = TcpConfig {
        ecn: EcnMode::On,
        ..config()
    };
    let mut w = World::new(&cfg, 10, befall_data(which, Fate::Mark));
    w.run(Span::from_millis(50));
    w.send(n * MSS);
    w.run(Span::from_secs(5));
    assert_eq!(w.read_b, n * MSS);
    assert_eq!(w.a.stats().retrans_segs, 0, "{}", w.dump());
    w
}

/// Running numbers of the data segments that carry CWR.
fn answers(w: &World) -> Vec<usize> {
    let data = w
        .log
        .iter()
        .filter(|l| l.way == Way::Forward && l.seg.len > 0);
    let cwr = data
        .enumerate()
        .filter(|(_, l)| l.seg.flags.contains(Flags::CWR));
    cwr.map(|(n, _)| n).collect()
}

/// Segments that each ACK with ECE acknowledges in all, counted from the first.
fn echoes(w: &World) -> Vec<u64> {
    let origin = w.log[0].seg.seq + 1;
    let acks = w
        .log
        .iter()
        .filter(|l| l.way == Way::Back && l.seg.is_pure_ack() && l.seg.flags.contains(Flags::ECE));
    acks.map(|l| l.seg.ack.distance(origin) as u64 / MSS)
        .collect()
}

/// Every segment is acknowledged at once. The fifth is marked: its ACK says so, and so does every
/// one until the sender's answer, which is the first segment sent after that ACK arrived: number
/// 14 in a window of ten, when 0 to 4 are acknowledged. Its own ACK says so no more.
#[test]
fn a_mark_is_echoed_until_it_is_answered_and_reduces_once() {
    let w = marked(40, &[4]);
    assert_eq!(answers(&w), [14], "{}", w.dump());
    assert_eq!(echoes(&w), (5..=14).collect::<Vec<_>>(), "{}", w.dump());
    assert_eq!(w.a.stats().ecn_reductions, 1);
}

/// Segments under way when the window was reduced may be marked too (section 6.1.2).
#[test]
fn marks_within_one_window_reduce_once() {
    for which in [
        &[4, 5][..],
        &[4, 8, 13],
        &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    ] {
        let w = marked(40, which);
        assert_eq!(w.a.stats().ecn_reductions, 1, "{which:?}: {}", w.dump());
        assert_eq!(answers(&w), [14]);
    }
}

/// The answer itself is marked: the echo goes on, and costs another reduction, a window later.
#[test]
fn a_marked_answer_reduces_again() {
    let w = marked(60, &[4, 14]);
    assert_eq!(w.a.stats().ecn_reductions, 2, "{}", w.dump());
    let answers = answers(&w);
    assert_eq!((answers.len(), answers[0]), (2, 14));
    assert!(answers[1] >= 24, "{answers:?}");
}

#[test]
fn without_agreement_nothing_can_be_marked() {
    let mut w = World::new(&config(), 10, befall_data(&[4], Fate::Mark));
    w.run(Span::from_millis(50));
    w.send(40 * MSS);
    w.run(Span::from_secs(5));
    assert_eq!((w.a.stats().ecn_reductions, echoes(&w).len()), (0, 0));
}
