//! Loss recovery without SACK: what duplicates and partial acknowledgements can tell.

use super::super::*;
use super::world::*;
use crate::tcp::config::{LossDetection, Profile, Reduction};
use std::boxed::Box;
use std::vec::Vec;

fn plain() -> TcpConfig {
    TcpConfig {
        sack: false,
        dsack: false,
        ..config()
    }
}

/// Without timestamps nothing but F-RTO can tell a spurious timeout.
fn untimed() -> TcpConfig {
    TcpConfig {
        timestamps: false,
        ..plain()
    }
}

/// RFC 5681 and 6582 to the letter.
fn classic() -> TcpConfig {
    TcpConfig {
        loss_detection: LossDetection::DupAck,
        reduction: Reduction::Classic,
        ..untimed()
    }
}

/// Times of the data segments, in milliseconds from the first, with their numbers.
fn timeline(w: &World) -> Vec<(u64, u64)> {
    let data: Vec<_> = w.log.iter().filter(|l| l.seg.len > 0).collect();
    data.iter()
        .map(|l| l.at.saturating_since(data[0].at).as_millis())
        .zip(w.data_sent())
        .collect()
}

#[test]
fn three_duplicates_and_partial_acks_repair() {
    let cfg = TcpConfig {
        tlp: false,
        ..TcpConfig::new(Profile::Rfc)
    };
    for reduction in [Reduction::Classic, Reduction::Prr] {
        let cfg = TcpConfig {
            segment: MSS as u32,
            sack: false,
            dsack: false,
            reduction,
            ..cfg.clone()
        };
        let mut w = established(&cfg, 10, drop_data(&[2, 5]));
        w.send(40 * MSS);
        w.run(Span::from_secs(4));
        let s = *w.a.stats();
        assert_eq!(w.read_b, 40 * MSS);
        assert_eq!(
            (s.retrans_segs, s.rto_count, s.recoveries),
            (2, 0, 1),
            "{}",
            w.dump()
        );
    }
}

/// One hole per round trip is found, and nothing else is repeated: a repetition for every loss,
/// although each acknowledgement in recovery moves the head on.
#[test]
fn every_loss_costs_one_repetition() {
    let mut w = established(&plain(), 20, drop_data(&[2, 4, 6, 8, 12, 16]));
    w.send(200 * MSS);
    w.run(Span::from_secs(4));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 200 * MSS);
    assert_eq!(
        (s.retrans_segs, s.rto_count, s.recoveries),
        (6, 0, 1),
        "{}",
        w.dump()
    );
}

/// RFC 6582 section 3.2 in numbers. The window of eleven is halved: 5 and 3 for the duplicates
/// that started it, one more for each of the five that follow, and new data leaves as soon as what
/// is outstanding fits. The full acknowledgement brings the window back to 5.
#[test]
fn the_classic_window_is_inflated_by_duplicates() {
    let mut w = World::controlled(&classic(), "newreno", drop_data(&[1]));
    w.send(18 * MSS);
    w.run(Span::from_millis(25));
    assert_eq!(w.a.snapshot().ssthresh, 5 * MSS);
    assert_eq!(w.a.snapshot().cwnd, (5 + 3 + 5) * MSS);
    w.run(Span::from_millis(20));
    assert_eq!(w.a.snapshot().cwnd, 5 * MSS);
    w.run(Span::from_secs(1));
    let first: Vec<_> = (0..10).map(|n| (0, n)).collect();
    assert_eq!(timeline(&w)[..10], first);
    let then = [
        // The window of eleven, limited transmit, the repetition; 13 are outstanding.
        (20, 10),
        (20, 11),
        (20, 12),
        (20, 13),
        (20, 1),
        // Each duplicate of these lets one more in.
        (40, 14),
        (40, 15),
        (40, 16),
        (40, 17),
    ];
    assert_eq!(timeline(&w)[10..], then, "{}", w.dump());
}

/// A partial acknowledgement of three segments takes three out of the window and gives one back.
#[test]
fn the_classic_window_is_deflated_by_a_partial_acknowledgement() {
    let mut w = World::controlled(&classic(), "newreno", drop_data(&[1, 4]));
    w.send(100 * MSS);
    w.run(Span::from_millis(25));
    assert_eq!(w.a.snapshot().cwnd, (5 + 3 + 4) * MSS);
    w.run(Span::from_millis(20));
    // Four more duplicates, then the acknowledgement of 1 to 3: 4 is repeated, and one more fits.
    assert_eq!(w.a.snapshot().cwnd, (12 + 4 - 3 + 1) * MSS);
    let then = [(40, 14), (40, 15), (40, 16), (40, 4), (40, 17)];
    assert_eq!(timeline(&w)[15..], then, "{}", w.dump());
    w.run(Span::from_secs(2));
    assert_eq!(w.a.stats().retrans_segs, 2);
}

/// A timeout that was spurious: originals come late, and their acknowledgements do not name the
/// repetition (RFC 5682 section 2.1).
#[test]
fn f_rto_tells_a_spurious_timeout() {
    let script: Script = Box::new(|way, n, _| match (way, n) {
        (Way::Forward, 2..12) => Fate::Late(Span::from_millis(400)),
        (Way::Forward, 12) => Fate::Late(Span::from_millis(190)),
        _ => Fate::Pass,
    });
    let mut w = established(&untimed(), 10, script);
    w.send(30 * MSS);
    w.run(Span::from_secs(3));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 30 * MSS);
    assert_eq!((s.rto_count, s.undos, s.retrans_segs), (1, 1, 1));
    // The first acknowledgement sends two new segments, the second proves it.
    let after: Vec<_> = timeline(&w)[10..13].to_vec();
    assert_eq!(after, [(222, 0), (420, 10), (420, 11)], "{}", w.dump());
}

/// Without F-RTO the same spike repeats the whole flight.
#[test]
fn without_f_rto_the_flight_is_repeated() {
    let cfg = TcpConfig {
        frto: false,
        ..untimed()
    };
    let script: Script = Box::new(|way, n, _| match (way, n) {
        (Way::Forward, 2..12) => Fate::Late(Span::from_millis(400)),
        (Way::Forward, 12) => Fate::Late(Span::from_millis(190)),
        _ => Fate::Pass,
    });
    let mut w = established(&cfg, 10, script);
    w.send(30 * MSS);
    w.run(Span::from_secs(3));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 30 * MSS);
    assert_eq!((s.rto_count, s.undos), (1, 0));
    assert!(s.retrans_segs > 5, "{} repetitions", s.retrans_segs);
    // The repetitions' duplicates start no recovery (RFC 6582 section 4.1).
    assert_eq!(s.recoveries, 0, "{}", w.dump());
}

/// A timeout that was not: F-RTO's new data brings duplicates, and the flight is repeated.
#[test]
fn f_rto_tells_a_real_timeout() {
    let lost: Vec<usize> = (0..10).collect();
    let mut w = established(&untimed(), 10, drop_data(&lost));
    w.send(30 * MSS);
    w.run(Span::from_secs(3));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 30 * MSS);
    assert_eq!((s.rto_count, s.undos, s.retrans_segs), (1, 0, 10));
    let after: Vec<_> = timeline(&w)[10..15].to_vec();
    let want = [(222, 0), (242, 10), (242, 11), (262, 1), (262, 2)];
    assert_eq!(after, want, "{}", w.dump());
}

/// The head and its repetition are lost, duplicates come, then silence: what they stood for is
/// forgotten. The repetitions of two timeouts are lost as well; the third gets through, and what
/// else is missing needs no further one.
#[test]
fn a_timeout_forgets_what_duplicates_stood_for() {
    let cfg = TcpConfig {
        sack: false,
        dsack: false,
        tlp: false,
        segment: MSS as u32,
        ..TcpConfig::new(Profile::Rfc)
    };
    // 18 and 19 are the repetitions after the first two timeouts.
    let script = drop_data(&[0, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    let mut w = established(&cfg, 10, script);
    w.send(100 * MSS);
    w.run(Span::from_secs(20));
    assert_eq!(w.read_b, 100 * MSS);
    assert_eq!(w.a.stats().rto_count, 3, "{}", w.dump());
}
