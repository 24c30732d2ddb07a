//! Both ends open at once (RFC 9293 section 3.5, figure 8).

use super::super::*;
use super::world::*;
use crate::segment::Flags;
use crate::tcp::config::{EcnMode, Profile};
use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

/// Both ends open, b this much after a.
fn crossing(cfg: &TcpConfig, after: Span, script: Script) -> World {
    let mut w = World::new(cfg, 10, script);
    w.b = Connection::new(
        Role::Active,
        Arc::new(cfg.clone()),
        Box::new(Fixed::new(10 * MSS)),
        Box::new(Every),
        77,
    );
    w.run(after);
    w.b.open(w.now);
    w.send(0);
    w
}

fn pass() -> Script {
    Box::new(|_, _, _| Fate::Pass)
}

fn flags(w: &World) -> Vec<(u64, Way, Flags)> {
    let start = w.log[0].at;
    w.log
        .iter()
        .map(|l| (l.at.saturating_since(start).as_millis(), l.way, l.seg.flags))
        .collect()
}

#[test]
fn syns_that_cross_open_one_connection() {
    for profile in [Profile::Linux, Profile::Rfc, Profile::Ns3] {
        let cfg = TcpConfig {
            segment: MSS as u32,
            ..TcpConfig::new(profile)
        };
        let mut w = crossing(&cfg, Span::ZERO, pass());
        w.run(Span::from_millis(100));
        let both = Flags::SYN.with(Flags::ACK);
        assert_eq!(
            flags(&w),
            [
                (0, Way::Forward, Flags::SYN),
                (0, Way::Back, Flags::SYN),
                (10, Way::Back, both),
                (10, Way::Forward, both),
            ],
            "{profile:?}"
        );
        for end in [&mut w.a, &mut w.b] {
            assert_eq!(end.state(), State::Established);
            assert_eq!(end.poll_event(), Some(Event::Connected));
            assert_eq!((end.stats().retrans_segs, end.stats().segs_out), (0, 2));
        }
        w.send(30 * MSS);
        w.run(Span::from_secs(1));
        assert_eq!(w.read_b, 30 * MSS, "{profile:?}");
    }
}

/// The offers of the SYNs hold as in a handshake of three, and the first SYN is timed.
#[test]
fn options_are_agreed_on_and_the_round_trip_is_timed() {
    let cfg = TcpConfig {
        ecn: EcnMode::On,
        ..config()
    };
    let mut w = crossing(&cfg, Span::from_millis(4), pass());
    w.run(Span::from_millis(100));
    assert_eq!(w.a.snapshot().srtt, Span::from_millis(20));
    assert_eq!(w.b.snapshot().srtt, Span::from_millis(20));
    w.send(MSS);
    w.run(Span::from_millis(100));
    let data = w.log.iter().find(|l| l.seg.len > 0).unwrap().seg;
    assert!(data.timestamps.is_some());
    assert_eq!(data.ecn, crate::segment::Ecn::Ect0);
    let last = w.log.last().unwrap().seg;
    assert!(
        last.window < u16::MAX / 2,
        "windows are scaled: {}",
        last.window
    );
}

#[test]
fn a_lost_answer_to_a_crossing_syn_is_repeated() {
    let script: Script = Box::new(|way, n, _| {
        if (way, n) == (Way::Back, 1) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    let mut w = crossing(&config(), Span::ZERO, script);
    w.run(Span::from_millis(500));
    assert_eq!(w.a.state(), State::SynReceived);
    assert_eq!(w.b.state(), State::Established);
    w.run(Span::from_secs(2));
    assert_eq!(w.a.state(), State::Established, "{}", w.dump());
    w.send(5 * MSS);
    w.run(Span::from_secs(1));
    assert_eq!(w.read_b, 5 * MSS);
}
