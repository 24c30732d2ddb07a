//! Senders that ask for another acknowledgement rate, and receivers that honour it.

use super::super::*;
use super::world::*;
use crate::ack::request::{AckOption, Frequency};
use crate::registry::{Params, Value, find};
use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

/// An end with the policy `name` and a window of `cwnd` segments.
fn end(role: Role, name: &str, set: &[(&str, Value)], cwnd: u64) -> Connection {
    let entry = find(crate::ack::registry::POLICIES, name).unwrap();
    let mut params = Params::defaults(entry.params);
    for (key, value) in set {
        params.set(entry.params, key, *value).unwrap();
    }
    let cc = Box::new(Fixed::new(cwnd * MSS));
    Connection::new(role, Arc::new(config()), cc, (entry.build)(&params), 0)
}

/// Sends `segments` full segments between two ends with this policy.
fn transfer(name: &str, set: &[(&str, Value)], cwnd: u64, segments: u64, script: Script) -> World {
    let a = end(Role::Active, name, set, cwnd);
    let b = end(Role::Passive, name, set, cwnd);
    let mut w = World::between(a, b, script);
    w.run(Span::from_millis(50));
    w.send(segments * MSS);
    w.run(Span::from_secs(3));
    assert_eq!(w.read_b, segments * MSS, "{}", w.dump());
    w
}

fn passes() -> Script {
    Box::new(|_, _, _| Fate::Pass)
}

fn asked(w: &World) -> Vec<AckOption> {
    w.log.iter().filter_map(|l| l.seg.ask).collect()
}

fn pure_acks(w: &World) -> usize {
    let back = |l: &&Line| l.way == Way::Back && l.seg.is_pure_ack();
    w.log.iter().filter(back).count()
}

#[test]
fn both_syns_announce_and_the_first_data_asks() {
    let fixed = [("rule", Value::Choice("fixed")), ("r", Value::Int(8))];
    let w = transfer("tarr", &fixed, 32, 200, passes());
    let want = [
        AckOption::TarrPermitted,
        AckOption::TarrPermitted,
        AckOption::Tarr { rate: 8 },
    ];
    assert_eq!(asked(&w)[..3], want, "{}", w.dump());
    let acks = pure_acks(&w);
    assert!((24..=32).contains(&acks), "{acks} ACKs for 200 segments");
}

#[test]
fn a_request_makes_its_segment_shorter_not_its_packet_longer() {
    for name in ["tarr", "ack-frequency"] {
        let w = transfer(name, &[], 32, 100, passes());
        let full = config().full_packet();
        for line in w.log.iter().filter(|l| l.seg.ask.is_some()) {
            assert!(line.seg.ip_len() <= full, "{}", w.dump());
        }
    }
}

#[test]
fn the_window_rule_asks_for_so_many_acks_per_window() {
    let w = transfer("ack-frequency", &[], 32, 400, passes());
    let request = asked(&w).into_iter().find_map(|ask| match ask {
        AckOption::Frequency(f) => Some(f),
        _ => None,
    });
    // A window of 32 and four ACKs: one for 8, so seven may come without. A quarter of 20 ms.
    let Some(Frequency {
        threshold: 7,
        sequence: 1,
        reordering: 1,
        max_delay_us,
    }) = request
    else {
        panic!("{request:?}")
    };
    assert!((4_900..=5_600).contains(&max_delay_us), "{max_delay_us}");
}

#[test]
fn a_peer_that_has_announced_nothing_is_not_asked() {
    let a = end(Role::Active, "tarr", &[], 32);
    let mut w = World::between(a, end(Role::Passive, "delayed", &[], 32), passes());
    w.run(Span::from_millis(50));
    w.send(100 * MSS);
    w.run(Span::from_secs(2));
    assert_eq!(asked(&w), [AckOption::TarrPermitted]);
}

#[test]
fn a_lost_request_is_repeated() {
    let mut lost = false;
    let script: Script = Box::new(move |_, _, s| {
        if matches!(s.ask, Some(AckOption::Tarr { rate: 1.. })) && !lost {
            lost = true;
            return Fate::Drop;
        }
        Fate::Pass
    });
    let fixed = [("rule", Value::Choice("fixed")), ("r", Value::Int(8))];
    let w = transfer("tarr", &fixed, 32, 400, script);
    let asks = asked(&w);
    let again = asks.iter().filter(|a| **a == AckOption::Tarr { rate: 8 });
    assert_eq!(again.count(), 2, "{asks:?}");
}

#[test]
fn the_last_segment_before_silence_asks_for_an_ack_at_once() {
    for (name, want) in [
        ("tarr", AckOption::Tarr { rate: 0 }),
        ("ack-frequency", AckOption::Immediate),
    ] {
        let mut w = transfer(name, &[], 32, 100, passes());
        let before = w.now;
        w.send(MSS / 2);
        w.run(Span::from_millis(25));
        let last = w.log.iter().rfind(|l| l.seg.len > 0).unwrap();
        assert_eq!((last.seg.ask, last.seg.len), (Some(want), 500));
        let ack = w.log.iter().rfind(|l| l.way == Way::Back).unwrap();
        assert_eq!(ack.at, before + Span::from_millis(10), "{}", w.dump());
    }
}
