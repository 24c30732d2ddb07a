use super::super::*;
use super::world::*;
use crate::tcp::config::{LossDetection, Profile};
use std::boxed::Box;
use std::vec::Vec;

#[test]
fn one_loss_is_repaired_by_rack_without_timeout() {
    let mut w = established(&config(), 10, drop_data(&[3]));
    w.send(30 * MSS);
    w.run(Span::from_secs(2));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 30 * MSS);
    assert_eq!(
        (s.retrans_segs, s.retrans.rack, s.rto_count, s.recoveries),
        (1, 1, 0, 1),
        "{}",
        w.dump()
    );
    let order = w.data_sent();
    assert_eq!(order.iter().filter(|x| **x == 3).count(), 2);
}

/// Karn's rule leaves an ACK of a retransmission without RTT; the timestamp gives one, to the
/// controller too (`tcp_ack_update_rtt`, from which HyStart learns during recovery).
#[test]
fn a_retransmission_is_timed_by_its_echo_for_the_controller_too() {
    let untimed = |timestamps| {
        let cfg = TcpConfig {
            timestamps,
            ..config()
        };
        let mut w = established(&cfg, 10, drop_data(&[3]));
        w.send(30 * MSS);
        w.run(Span::from_secs(2));
        let mut n = 0.0;
        w.a.controller().trace(&mut |_, v| n = v);
        n
    };
    assert_eq!((untimed(true), untimed(false)), (0.0, 1.0));
}

/// The third segment above the hole is enough, without any reordering time (RFC 8985 section 6.2
/// step 4: no window once three are SACKed and no reordering was seen).
#[test]
fn the_third_sack_triggers_the_retransmission() {
    let mut w = established(&config(), 10, drop_data(&[0]));
    w.send(4 * MSS);
    w.run(Span::from_secs(1));
    let t0 = w.log.iter().find(|l| l.seg.len > 0).unwrap().at;
    let again = w.log.iter().filter(|l| l.seg.len > 0).nth(4).unwrap();
    assert_eq!(again.at.saturating_since(t0), Span::from_millis(20));
    assert_eq!(w.a.stats().retrans.rack, 1);
}

/// With two SACKed the hole waits a quarter of the minimum RTT (5 ms) plus the timer's slack
/// (2 ms), two ticks when rounded up, and the timer fires when the third one begins, in 10 ms.
#[test]
fn two_sacks_wait_for_the_reordering_window() {
    let mut w = established(&config(), 10, drop_data(&[0]));
    w.send(3 * MSS);
    w.run(Span::from_secs(1));
    let t0 = w.log.iter().find(|l| l.seg.len > 0).unwrap().at;
    let again = w.log.iter().filter(|l| l.seg.len > 0).nth(3).unwrap();
    assert_eq!(again.at.saturating_since(t0), Span::from_millis(20 + 10));
    assert_eq!((w.a.stats().retrans.rack, w.a.stats().rto_count), (1, 0));
}

/// The last segment is lost: nothing above it can be SACKed, so a probe goes out after two
/// smoothed RTTs and 2 ms.
#[test]
fn a_lost_tail_is_probed() {
    let mut w = established(&config(), 10, drop_data(&[4]));
    w.send(5 * MSS);
    w.run(Span::from_secs(1));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 5 * MSS);
    assert_eq!((s.retrans.tlp, s.rto_count), (1, 0));
    // The probe's own ACK covers more than the probe's flight only if data followed; here it
    // repaired the loss, and RFC 8985 section 7.4.2 wants a reduction only beyond it.
    assert_eq!(s.tlp_count, 1);
}

#[test]
fn everything_lost_needs_the_timeout() {
    let cfg = TcpConfig {
        tlp: false,
        ..config()
    };
    let mut w = established(&cfg, 10, drop_data(&[0, 1, 2, 3, 4]));
    w.send(5 * MSS);
    w.run(Span::from_secs(3));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 5 * MSS);
    assert_eq!(s.rto_count, 1);
    let t0 = w.log.iter().find(|l| l.seg.len > 0).unwrap().at;
    let again = w.log.iter().filter(|l| l.seg.len > 0).nth(5).unwrap();
    // RTO = srtt + 200 ms, 55 ticks of 4 ms: when the 56th after the running one begins, which is half over.
    assert_eq!(again.at.saturating_since(t0), Span::from_millis(222));
}

#[test]
fn timeouts_back_off_exponentially() {
    let cfg = TcpConfig {
        tlp: false,
        ..config()
    };
    let mut w = established(&cfg, 1, drop_data(&[0, 1, 2, 3]));
    w.send(MSS);
    w.run(Span::from_secs(10));
    let at: Vec<_> = w
        .log
        .iter()
        .filter(|l| l.seg.len > 0)
        .map(|l| l.at)
        .collect();
    let gaps: Vec<_> = at.windows(2).map(|p| (p[1] - p[0]).as_millis()).collect();
    // Beyond 63 ticks of 4 ms at multiples of 8 of them, beyond 504 of 64.
    assert_eq!(gaps, [222, 456, 896, 1792]);
}

#[test]
fn a_lost_retransmission_is_found_lost_again() {
    // Data segments 0..10, then the retransmission of 3 (the 11th or so) is dropped as well.
    let mut seen = 0;
    let script: Script = Box::new(move |way, _, s| {
        if way == Way::Forward && s.len > 0 {
            let third = s.seq.distance(acklab_units::SeqNum(u32::MAX - 3000) + 1) as u64 == 3 * MSS;
            if third {
                seen += 1;
                return if seen <= 2 { Fate::Drop } else { Fate::Pass };
            }
        }
        Fate::Pass
    });
    let mut w = established(&config(), 10, script);
    w.send(60 * MSS);
    w.run(Span::from_secs(2));
    assert_eq!(w.read_b, 60 * MSS);
    assert_eq!((w.a.stats().rto_count, w.a.stats().retrans_segs), (0, 2));
}

/// Ten segments late by half an RTT overtake nothing but look lost: their retransmissions are
/// superfluous, the receiver says so by DSACK or timestamp, and the reduction is undone.
#[test]
fn reordering_is_recognised_and_undone() {
    let mut n = 0;
    let script: Script = Box::new(move |way, _, s| {
        if way == Way::Forward && s.len > 0 {
            n += 1;
            if n == 3 {
                return Fate::Late(Span::from_millis(15));
            }
        }
        Fate::Pass
    });
    let mut w = established(&config(), 10, script);
    w.send(60 * MSS);
    w.run(Span::from_secs(2));
    assert_eq!(w.read_b, 60 * MSS);
    assert_eq!((w.a.stats().undos, w.a.stats().rto_count), (1, 0));
}

/// A delay spike above the timeout: F-RTO sends new data, the late ACKs prove the timeout
/// spurious, and nothing beyond the head is resent.
#[test]
fn a_delay_spike_is_survived_by_f_rto() {
    let cfg = TcpConfig {
        tlp: false,
        ..config()
    };
    let mut w = established(
        &cfg,
        10,
        Box::new(|way, n, _| match (way, n) {
            // The ten segments after the handshake are held up, the head's repetition behind them.
            (Way::Forward, 2..12) => Fate::Late(Span::from_millis(400)),
            (Way::Forward, 12) => Fate::Late(Span::from_millis(190)),
            _ => Fate::Pass,
        }),
    );
    w.send(30 * MSS);
    w.run(Span::from_secs(3));
    let s = *w.a.stats();
    assert_eq!(w.read_b, 30 * MSS);
    assert_eq!((s.rto_count, s.undos), (1, 1), "{}", w.dump());
    assert!(s.retrans_segs <= 2, "{} retransmissions", s.retrans_segs);
}

#[test]
fn limited_transmit_sends_on_the_first_duplicates() {
    for (on, expect) in [(true, 12), (false, 10)] {
        let cfg = TcpConfig {
            limited_transmit: on,
            loss_detection: LossDetection::DupAck,
            tlp: false,
            ..config()
        };
        let mut n = 0;
        // Drop the first, let two pass, drop the rest of the window: two duplicates, no more.
        let script: Script = Box::new(move |way, _, s| {
            if way == Way::Forward && s.len > 0 {
                n += 1;
                if n == 1 || (4..=10).contains(&n) {
                    return Fate::Drop;
                }
            }
            Fate::Pass
        });
        let mut w = established(&cfg, 10, script);
        w.send(40 * MSS);
        w.run(Span::from_millis(25));
        assert_eq!(w.data_sent().len(), expect, "limited transmit {on}");
    }
}

/// Stretch ACKs: however many segments an ACK covers, the same data arrives and the RTT is that
/// of the oldest segment for the smoothed RTT and of the newest for the minimum.
#[test]
fn ack_loss_turns_acks_into_stretch_acks() {
    for keep in [2usize, 16, 200] {
        let script: Script = Box::new(move |way, n, s| {
            // The first ACKs open the window, which no SYN can offer beyond 64 KiB.
            if way == Way::Back && s.is_pure_ack() && n > 300 && !n.is_multiple_of(keep) {
                Fate::Drop
            } else {
                Fate::Pass
            }
        });
        // A receiver whose window does not have to grow by ACKs that never arrive.
        let cfg = TcpConfig {
            segment: MSS as u32,
            ..TcpConfig::new(Profile::Rfc)
        };
        let mut w = established(&cfg, 400, script);
        w.send(2000 * MSS);
        w.run(Span::from_secs(120));
        assert_eq!(w.read_b, 2000 * MSS, "one ACK in {keep}");
        assert_eq!(w.a.snapshot().inflight, 0);
    }
}

/// A path that keeps reordering is learned: after the first episode the reordering window is open,
/// and late segments are waited for.
#[test]
fn a_reordering_path_is_learned() {
    let mut n = 0;
    let script: Script = Box::new(move |way, _, s| {
        if way == Way::Forward && s.len > 0 {
            n += 1;
            if n % 40 == 7 {
                // Less than a quarter of the RTT.
                return Fate::Late(Span::from_millis(4));
            }
        }
        Fate::Pass
    });
    let mut w = established(&config(), 20, script);
    w.send(2000 * MSS);
    w.run(Span::from_secs(10));
    assert_eq!(w.read_b, 2000 * MSS);
    let s = *w.a.stats();
    assert!(s.retrans_segs <= 3, "{} retransmissions", s.retrans_segs);
}

/// Segments that the network doubles are reported by DSACK, but say nothing about what was resent:
/// real losses stay answered by real reductions.
#[test]
fn duplicates_of_the_network_undo_nothing() {
    let mut n = 0;
    let script: Script = Box::new(move |way, _, s| {
        if way == Way::Forward && s.len > 0 {
            n += 1;
            if n % 100 == 50 {
                return Fate::Drop;
            }
            if n % 10 == 3 {
                return Fate::Twice;
            }
        }
        Fate::Pass
    });
    let mut w = established(&config(), 20, script);
    w.send(2000 * MSS);
    w.run(Span::from_secs(20));
    assert_eq!(w.read_b, 2000 * MSS);
    let s = *w.a.stats();
    assert!(s.dsacks_in > 100, "{} DSACKs", s.dsacks_in);
    assert!(
        s.undos <= 2,
        "{} undos of {} recoveries",
        s.undos,
        s.recoveries
    );
}

/// The controller begins with the connection: a SYN that was late is no congestion of the path.
#[test]
fn a_lost_syn_costs_no_window() {
    let script: Script = Box::new(|way, n, _| {
        if way == Way::Forward && n == 0 {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    let mut w = World::new(&config(), 10, script);
    w.send(30 * MSS);
    w.run(Span::from_millis(1050));
    assert_eq!(w.data_sent().len(), 10, "{}", w.dump());
}
