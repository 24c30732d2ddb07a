//! Properties with any parameters and any stream of packets.

use super::super::testing::{self, ack, at, build, data, packet};
use super::*;
use proptest::prelude::*;

proptest! {
    /// Each packet goes on or is dropped, once, within the delay and, with the guard, in the order
    /// of its flow; only acknowledgements without further flags are dropped, and overtaken.
    #[test]
    fn one_fate_each_in_order_and_in_time(
        ratio in 1i64..6,
        delay in 1u64..8_000,
        flows in 1i64..5,
        others in prop_oneof![Just("overtake"), Just("flush")],
        arrivals in testing::arrivals(0..4_000, 6),
    ) {
        let mut f = build(&ENTRY, &[
            ("ratio", Value::Int(ratio)),
            ("delay", Value::Span(Span::from_micros(delay))),
            ("flows", Value::Int(flows)),
            ("others", Value::Choice(others)),
        ]);
        let (mut left, mut dropped) = (Vec::new(), Vec::new());
        let (mut came, mut now) = (Vec::new(), 0);
        let end = [(1_000_000, 0, data(0))];
        for (id, (gap, flow, segment)) in arrivals.iter().chain(&end).enumerate() {
            now += gap;
            let mut out = Vec::new();
            while let Some(t) = f.next_wakeup().filter(|t| *t <= at(now)) {
                f.on_wakeup(t, &mut out);
                prop_assert!(f.next_wakeup().is_none_or(|next| next > t));
                for v in out.drain(..) {
                    if let Verdict::Forward(p, _) = v { left.push((p, t)); }
                }
            }
            came.push(at(now));
            f.on_packet(at(now), packet(id as u32, *flow), segment, &mut out);
            for v in out {
                match v {
                    Verdict::Forward(p, _) => left.push((p, at(now))),
                    Verdict::Drop(p, _) => dropped.push(p),
                    Verdict::DropQueued(_) | Verdict::Replace { .. } => prop_assert!(false, "it looks into no queue"),
                }
            }
            prop_assert!(f.stats().held <= flows as u32);
        }
        let mut all: Vec<_> = left.iter().map(|(p, _)| p.id.0).collect();
        all.extend(dropped.iter().map(|p| p.id.0));
        all.sort_unstable();
        prop_assert!(all.iter().copied().eq(0..=arrivals.len() as u32));
        prop_assert!(dropped.iter().all(|p| arrivals[p.id.0 as usize].2.flags == Flags::ACK));
        for flow in 0..6 {
            let order: Vec<_> = left.iter().filter(|(p, _)| p.flow.0 == flow).map(|(p, _)| p.id.0).collect();
            prop_assert!(order.is_sorted() || others == "overtake");
            for pair in order.windows(2).filter(|pair| pair[0] > pair[1]) {
                let late = &arrivals[pair[1] as usize].2;
                prop_assert!(late.is_pure_ack() && late.flags == Flags::ACK);
            }
        }
        for (p, t) in &left {
            prop_assert!(*t - came[p.id.0 as usize] <= Span::from_micros(delay));
        }
    }

    /// Of acknowledgements with rising numbers that come without a pause, every `ratio`-th goes on.
    #[test]
    fn rising_numbers_are_thinned_to_the_ratio(ratio in 1i64..20, n in 1u32..200) {
        let mut f = build(&ENTRY, &[("ratio", Value::Int(ratio))]);
        let mut out = Vec::new();
        for id in 0..n {
            f.on_packet(at(0), packet(id, 0), &ack(id + 1), &mut out);
        }
        let s = f.stats();
        prop_assert_eq!(s.forwarded, u64::from(n) / ratio as u64);
        prop_assert_eq!(s.seen, u64::from(n));
    }
}
