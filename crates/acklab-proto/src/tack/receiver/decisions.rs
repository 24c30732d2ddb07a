//! The schedule against docs/concepts/tack.md: somebody who had read the page alone wrote its rules
//! again (tests/tack_decisions.py), and 100 random cases of theirs are in `decisions.txt`.

use super::schedule::Schedule;
use crate::ack::AckReason;
use crate::tack::config::{StartUp, Taming};
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// Numbers between blanks.
fn numbers(line: &str) -> Vec<u64> {
    line.split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect()
}

fn at(ns: u64) -> Instant {
    Instant::ZERO + Span::from_nanos(ns)
}

const fn word(reason: AckReason) -> &'static str {
    match reason {
        AckReason::TackNow => "tack_now",
        AckReason::TackStartUp => "tack_start_up",
        AckReason::TackByteCount => "tack_byte_count",
        AckReason::TackPeriodic => "tack_periodic",
        AckReason::TackDelayed => "tack_delayed",
        _ => "another",
    }
}

/// TACKs that leave before `until`, as `ns reason`.
fn leave(s: &mut Schedule, until: Instant, out: &mut Vec<alloc::string::String>) {
    while let Some((due, reason)) = s.due().filter(|d| d.0 < until) {
        out.push(alloc::format!("{} {}", due.as_nanos(), word(reason)));
        s.on_sent(due, acklab_units::Rate::ZERO);
    }
}

#[test]
fn the_schedule_does_what_the_page_says() {
    let text = include_str!("decisions.txt");
    let body = text.lines().filter(|l| !l.starts_with('#'));
    let lines: Vec<&str> = body.collect();
    let cases: Vec<_> = lines
        .split(|l| l.is_empty())
        .filter(|c| !c.is_empty())
        .collect();
    assert_eq!(cases.len(), 100);
    for case in cases {
        let p = numbers(case[0]);
        let taming = Taming {
            beta: p[0] as u16,
            packets: p[1] as u16,
            mss: p[2] as u32,
            shortest: Span::from_nanos(p[4]),
            longest: Span::from_nanos(p[5]),
            delayed: Span::from_nanos(p[6]),
            ..Taming::default()
        };
        let modes = [StartUp::Tamed, StartUp::PerPacket, StartUp::ByteCounting];
        let mut s = Schedule::new(taming, modes[p[7] as usize], p[8] as u32);
        s.set_rtt(Span::from_nanos(p[3]), None);
        let packets: Vec<_> = case[1].split(',').map(numbers).collect();
        let gaps = case[2].split(',').filter(|g| *g != "-").map(numbers);
        let mut gaps = gaps.peekable();
        let mut left = Vec::new();
        for packet in packets {
            leave(&mut s, at(packet[0]), &mut left);
            // A packet without payload brings no new byte, so the receiver asks for it.
            let at_once = packet[2] == 1 || packet[1] == 0;
            s.on_packet(at(packet[0]), packet[1], at_once);
            // The packet that shows a gap is still one of start-up.
            while let Some(gap) = gaps.next_if(|g| g[0] <= packet[0]) {
                s.on_gap(at(gap[0]), gap[1]);
            }
        }
        leave(&mut s, Instant::MAX, &mut left);
        assert_eq!(left, case[3..], "{}", case[0]);
    }
}
