//! How long a doubled timeout stays doubled (Karn 1987; RFC 6298 sections 3 and 5).

use super::super::*;
use super::world::*;
use std::vec::Vec;

/// Nothing but the timer repairs, one segment at a time.
fn alone(timestamps: bool) -> TcpConfig {
    TcpConfig {
        timestamps,
        tlp: false,
        undo: false,
        frto: false,
        jiffy: Span::ZERO,
        ..config()
    }
}

/// Milliseconds from each transmission of the `n`-th segment to the next.
fn waits(w: &World, n: u64) -> Vec<u64> {
    let sent = w.log.iter().filter(|l| l.seg.len > 0).zip(w.data_sent());
    let at: Vec<_> = sent.filter(|s| s.1 == n).map(|(l, _)| l.at).collect();
    at.windows(2).map(|p| (p[1] - p[0]).as_millis()).collect()
}

/// The first segment arrives at its third transmission, the second at its second, the third at
/// once, the fourth at its second.
fn unlucky(cfg: &TcpConfig) -> World {
    let mut w = established(cfg, 1, drop_data(&[0, 1, 3, 6]));
    for _ in 0..4 {
        w.send(MSS);
        w.run(Span::from_secs(3));
    }
    assert_eq!(w.read_b, 4 * MSS, "{}", w.dump());
    w
}

/// An ACK of what was repeated advances, but tells no RTT: the timeout of the next segment is the
/// doubled one (Linux `tcp_ack_update_rtt`: "only reset backoff on valid RTT measurement").
#[test]
fn progress_without_a_measurement_leaves_the_timeout_backed_off() {
    let w = unlucky(&alone(false));
    assert_eq!(waits(&w, 0), [220, 440]);
    assert_eq!(waits(&w, 1), [880]);
    // The third was not repeated: its RTT is known, and the fourth's timeout is the plain one.
    assert_eq!(waits(&w, 3), [220]);
}

/// A timestamp tells which transmission was acknowledged (RFC 7323 section 4).
#[test]
fn an_echo_measures_a_repetition_and_ends_the_back_off() {
    let w = unlucky(&alone(true));
    assert_eq!(waits(&w, 0), [220, 440]);
    assert_eq!(waits(&w, 1), [220]);
    assert_eq!(waits(&w, 3), [220]);
}

/// A row of timeouts without progress gives a connection up (Linux `icsk_retransmits`),
/// not the back-off.
#[test]
fn a_backed_off_timeout_does_not_count_as_retries() {
    let cfg = TcpConfig {
        max_retries: 2,
        ..alone(false)
    };
    let w = unlucky(&cfg);
    assert_eq!(
        (w.a.stats().rto_count, w.a.state()),
        (4, State::Established)
    );
}

/// The peer's segments while nothing is outstanding end the doubling of window probes, not of the
/// timeout (Linux `tcp_ack_probe`).
#[test]
fn an_open_window_does_not_end_the_back_off_of_the_timeout() {
    let mut w = established(&alone(false), 1, drop_data(&[0, 1, 3]));
    w.send(MSS);
    w.run(Span::from_secs(3));
    // The peer repeats itself while nothing is outstanding.
    let again = *w.log.iter().rfind(|l| l.way == Way::Back).unwrap();
    w.a.on_segment(w.now, &again.seg);
    w.send(MSS);
    w.run(Span::from_secs(3));
    assert_eq!(waits(&w, 1), [880]);
}

/// RFC 6298 section 5.7: data begins with a timeout of 3 s if the SYN was repeated and told no RTT.
#[test]
fn after_a_lost_syn_the_timeout_of_data_is_three_seconds() {
    let lost = |timestamps| {
        let mut sent = 0;
        let script = std::boxed::Box::new(move |way, n, seg: &crate::segment::Segment| {
            sent += u32::from(seg.len > 0);
            let hit = way == Way::Forward && (n == 0 || (seg.len > 0 && sent == 1));
            if hit { Fate::Drop } else { Fate::Pass }
        });
        let mut w = World::new(&alone(timestamps), 1, script);
        w.run(Span::from_secs(2));
        w.send(MSS);
        w.run(Span::from_secs(8));
        assert_eq!(w.read_b, MSS, "{}", w.dump());
        waits(&w, 0)
    };
    assert_eq!(lost(false), [3000]);
    assert_eq!(lost(true), [220]);
}
