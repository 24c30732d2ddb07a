//! An observer sees exactly what happened, and changes nothing.

use super::tests::{bulk, chain, mbit, ms, rings, run, run_seed};
use super::window::WindowConfig;
use crate::plan::{Period, Plan, RecordPlan, TapPlan};
use crate::record::FlowSummary;
use crate::record::RunResult;
use crate::record::packets::{PacketEvent, TapPoint};
use acklab_units::Instant;
use proptest::prelude::*;

/// Everything that can be recorded.
fn everything(plan: &Plan) -> RecordPlan {
    RecordPlan {
        every: Some(ms(10)),
        events: true,
        acks: true,
        delays: true,
        queues: true,
        ppdus: true,
        frames: true,
        within: Period::WHOLE,
        packets: Some(TapPlan {
            nodes: vec![true; plan.nodes.len()],
            links: vec![true; plan.links.len()],
        }),
    }
}

#[test]
fn one_packet_is_seen_at_every_point_of_its_way() {
    let mut plan = chain(&[(mbit(10), ms(5)), (mbit(10), ms(5))], bulk(1000));
    plan.record = everything(&plan);
    plan.warmup = Instant::ZERO;
    let r = run(&plan, WindowConfig::default());
    let data = r
        .records
        .packets
        .iter()
        .filter(|p| p.datagram.carries_data());
    let way: Vec<_> = data.map(|p| (p.point, p.what)).collect();
    use PacketEvent::{Delivered, Left, Queued, Sent};
    let [a, b] = [0, 1].map(|l| TapPoint::Link(plan.flows[0].forward[l] as u32));
    let told = [
        (TapPoint::Host(0), Sent),
        (a, Queued),
        (a, Left),
        (a, Delivered),
        (b, Queued),
        (b, Left),
        (b, Delivered),
        (TapPoint::Host(1), Delivered),
    ];
    assert_eq!(way, told);
    let owd = r.flows[0].delays.unwrap().owd;
    let took = r.flows[0].completion.unwrap();
    assert!(owd.mean <= took && owd.mean >= ms(10));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A run is the same whether it is recorded or not, and what is recorded is in order.
    #[test]
    fn recording_changes_nothing(plan in rings(), seed in 0u64..1000) {
        let mut recorded = plan.clone();
        recorded.record = everything(&plan);
        let (bare, full) = (run_seed(&plan, WindowConfig::default(), seed),
                            run_seed(&recorded, WindowConfig::default(), seed));
        for (a, b) in bare.flows.iter().zip(&full.flows) {
            let b = FlowSummary { delays: None, ack_delay_mean: None, ..b.clone() };
            prop_assert_eq!(a, &b);
        }
        for (a, b) in bare.links.iter().zip(&full.links) {
            prop_assert_eq!(a.stats, b.stats);
        }
        prop_assert!(bare.records.packets.is_empty());
        let packets = &full.records.packets;
        prop_assert!(packets.iter().is_sorted_by_key(|p| p.at));
        prop_assert!(packets.iter().all(|p| p.at <= plan.stop));
        for (i, link) in full.links.iter().enumerate() {
            let count = |what| packets.iter()
                .filter(|p| p.point == TapPoint::Link(i as u32) && p.what == what)
                .count() as u64;
            prop_assert_eq!(count(PacketEvent::Delivered), link.stats.delivered);
            prop_assert_eq!(count(PacketEvent::Dropped), link.stats.dropped());
        }
    }

    /// The records of a part of a run are those of the whole run that lie in the part.
    #[test]
    fn a_part_is_cut_out_of_the_whole(plan in rings(), seed in 0u64..1000, from in 0u64..1500, length in 1u64..1500) {
        let mut whole = plan.clone();
        whole.record = everything(&plan);
        let mut part = whole.clone();
        let begin = Instant::ZERO + ms(from);
        part.record.within = Period { from: begin, until: begin + ms(length) };
        let inside = |at| part.record.within.contains(at);
        let (all, cut) = (run_seed(&whole, WindowConfig::default(), seed),
                          run_seed(&part, WindowConfig::default(), seed));
        for (a, b) in all.flows.iter().zip(&cut.flows) {
            prop_assert_eq!(a, b);
        }
        prop_assert_eq!(&all.series, &cut.series);
        // All but their numbers, which count from the first that was seen. Where something was told in
        // advance before the part, records of one instant may stand in another order.
        let seen = |r: &RunResult| -> Vec<_> {
            let records = r.records.packets.iter().filter(|p| inside(p.at));
            let mut seen: Vec<_> = records
                .map(|p| (p.at, format!("{:?}", (p.point, p.what, p.reason, p.flow, p.datagram, p.ecn, p.size))))
                .collect();
            seen.sort();
            seen
        };
        prop_assert_eq!(seen(&all), seen(&cut));
        prop_assert!(cut.records.packets.iter().all(|p| inside(p.at)));
        let events = all.records.events.iter().filter(|e| inside(e.at)).copied();
        prop_assert_eq!(events.collect::<Vec<_>>(), cut.records.events);
        let acks = all.records.acks.iter().filter(|a| inside(a.at)).copied();
        prop_assert_eq!(acks.collect::<Vec<_>>(), cut.records.acks);
    }
}
