use super::super::*;
use super::world::*;
use crate::segment::Flags;
use crate::tcp::config::EcnMode;
use std::boxed::Box;
use std::sync::Arc;

#[test]
fn three_way_handshake_with_options() {
    let mut w = World::clean(&config(), 10);
    w.run(Span::from_millis(100));
    let kinds: std::vec::Vec<_> = w.log.iter().map(|l| l.seg.flags).collect();
    assert_eq!(kinds, [Flags::SYN, Flags::SYN.with(Flags::ACK), Flags::ACK]);
    assert_eq!(
        (w.a.state(), w.b.state()),
        (State::Established, State::Established)
    );
    let syn = w.log[0].seg;
    assert_eq!(syn.syn.mss, 1012);
    assert!(syn.syn.sack_permitted && syn.timestamps.is_some() && syn.syn.window_scale.is_some());
    assert_eq!(w.a.snapshot().srtt, Span::from_millis(20));
}

/// Linux's client acknowledges the SYN-ACK before its application can write, unless it has written before.
#[test]
fn an_ack_of_its_own_ends_the_handshake() {
    for early in [false, true] {
        let end = |role| {
            let cc = Box::new(Fixed::new(10 * MSS));
            Connection::new(role, Arc::new(config()), cc, Box::new(Every), 5)
        };
        let (mut a, mut b) = (end(Role::Active), end(Role::Passive));
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        a.open(at(0));
        if early {
            assert_eq!(a.write(100), 100);
        }
        b.on_segment(at(10), &a.poll_segment(at(0)).unwrap());
        a.on_segment(at(20), &b.poll_segment(at(10)).unwrap());
        assert_eq!(a.poll_event(), Some(Event::Connected));
        if !early {
            assert_eq!(a.write(100), 100);
        }
        let first = a.poll_segment(at(20)).unwrap();
        assert_eq!(first.len, if early { 100 } else { 0 });
        assert!(first.flags.contains(Flags::ACK));
        let second = a.poll_segment(at(20)).map(|s| s.len);
        assert_eq!(second, (!early).then_some(100));
    }
}

#[test]
fn a_lost_syn_is_repeated_every_second_at_first() {
    let script = Box::new(|way, n, _: &Segment| {
        if way == Way::Forward && n < 2 {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    let mut w = World::new(&config(), 10, script);
    w.run(Span::from_secs(5));
    let at: std::vec::Vec<_> = w
        .log
        .iter()
        .filter(|l| l.seg.flags == Flags::SYN)
        .map(|l| l.at.saturating_since(w.log[0].at).as_millis())
        .collect();
    // Linux 6.5 on: four repetitions without back-off. RFC 6298 doubles at once.
    // A timer of 250 ticks fires when a multiple of 8 of them begins: here 256 and 512 after the first began.
    assert_eq!(at, [0, 1016, 2040]);
    assert_eq!(w.a.state(), State::Established);
}

#[test]
fn a_lost_syn_ack_is_repeated() {
    let script = Box::new(|way, n, _: &Segment| {
        if way == Way::Back && n == 0 {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    let mut w = World::new(&config(), 10, script);
    w.run(Span::from_secs(5));
    assert_eq!(
        (w.a.state(), w.b.state()),
        (State::Established, State::Established)
    );
}

#[test]
fn a_lost_final_ack_is_made_good_by_data() {
    let script = Box::new(|way, n, _: &Segment| {
        if way == Way::Forward && n == 1 {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    let mut w = World::new(&config(), 10, script);
    w.send(5 * MSS);
    w.run(Span::from_secs(5));
    assert_eq!(w.read_b, 5 * MSS);
    assert_eq!(w.b.state(), State::Established);
}

#[test]
fn ends_that_differ_meet_at_what_both_can() {
    let plain = TcpConfig {
        sack: false,
        timestamps: false,
        window_scaling: false,
        ..config()
    };
    let mut w = World::clean(&config(), 10);
    w.b = Connection::new(
        Role::Passive,
        Arc::new(plain),
        Box::new(Fixed::new(1000)),
        Box::new(Every),
        5,
    );
    w.send(3 * MSS);
    w.run(Span::from_secs(1));
    let data = w.log.iter().find(|l| l.seg.len > 0).unwrap().seg;
    assert!(data.timestamps.is_none());
    assert_eq!(w.read_b, 3 * MSS);
}

#[test]
fn ecn_is_on_only_if_both_agree() {
    for (asks, accepts, expect) in [
        (EcnMode::On, EcnMode::Passive, true),
        (EcnMode::On, EcnMode::Off, false),
        (EcnMode::Passive, EcnMode::On, false),
    ] {
        let cfg = TcpConfig {
            ecn: asks,
            ..config()
        };
        let mut w = World::clean(&cfg, 10);
        let peer = TcpConfig {
            ecn: accepts,
            ..config()
        };
        w.b = Connection::new(
            Role::Passive,
            Arc::new(peer),
            Box::new(Fixed::new(1000)),
            Box::new(Every),
            5,
        );
        w.send(MSS);
        w.run(Span::from_secs(1));
        let data = w.log.iter().find(|l| l.seg.len > 0).unwrap().seg;
        assert_eq!(
            data.ecn == crate::segment::Ecn::Ect0,
            expect,
            "{asks:?} {accepts:?}"
        );
    }
}

#[test]
fn nobody_answers_and_the_connection_is_given_up() {
    let cfg = TcpConfig {
        max_retries: 3,
        ..config()
    };
    let mut w = World::new(&cfg, 10, Box::new(|_, _, _| Fate::Drop));
    w.run(Span::from_secs(60));
    assert_eq!(w.a.state(), State::Closed);
    assert_eq!(w.a.poll_event(), Some(Event::TimedOut));
    assert_eq!(w.log.len(), 4);
}
