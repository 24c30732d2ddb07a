//! A driver who is late, on random rings whose links lose, copy and overtake.

use super::late_offers::least_gap;
use super::*;
use crate::engine::tests::rings;
use crate::plan::Plan;
use crate::record::Nothing;
use acklab_path::link::LinkStats;
use acklab_proto::datagram::{Datagram, Opaque};
use acklab_proto::segment::Ecn;
use acklab_units::Span;
use proptest::prelude::*;

type Net = Network<Arena, Nothing>;

/// A packet that enters: when, in which flow direction, and how long it is.
type Offer = (Instant, FlowId, u32);

fn network(plan: &Plan) -> Net {
    let arena = Arena::between(plan.flows.iter().flat_map(|f| [f.src, f.dst]));
    Network::of_plan(plan, 1, 0, arena, Nothing)
}

fn opaque(n: usize, size: u32) -> Datagram {
    Datagram::Opaque(Opaque {
        size,
        len: Opaque::room(size),
        number: n as u64,
        ecn: Ecn::Ect0,
        ..Opaque::default()
    })
}

fn enter(network: &mut Net, n: usize, (at, flow, size): Offer) {
    network.offer(at, flow, &opaque(n, size));
}

fn offers(plan: &Plan, steps: &[(u64, u32, u32)]) -> Vec<Offer> {
    let directions = 2 * plan.flows.len() as u32;
    let mut at = Instant::ZERO;
    let steps = steps.iter().map(|(gap, flow, size)| {
        at += Span::from_nanos(*gap);
        (at, FlowId(flow % directions), *size)
    });
    steps.collect()
}

fn steps() -> impl Strategy<Value = Vec<(u64, u32, u32)>> {
    let gap = prop_oneof![0u64..200_000, 0u64..3_000_000];
    proptest::collection::vec((gap, 0u32..10, 40u32..1500), 1..200)
}

const FOREVER: Instant = Instant::from_nanos(1_000_000_000_000);

/// The result: the arrivals with the instant at which the driver learned of each, and the links'
/// books.
struct Outcome {
    arrivals: Vec<(Instant, Arrival<Datagram>)>,
    stats: Vec<LinkStats>,
}

/// Drives `network` so late: `late(n)` after the n-th instant that it names.
fn drive(mut network: Net, offers: &[Offer], late: impl Fn(usize) -> Span) -> Outcome {
    let (mut arrivals, mut asked, mut now) = (Vec::new(), 0, Instant::ZERO);
    let mut run = |network: &mut Net, end: Instant| {
        while let Some(due) = network.next_wakeup() {
            let then = due + late(asked);
            if then > end {
                break;
            }
            asked += 1;
            now = now.max(then);
            arrivals.extend(core::iter::from_fn(|| network.advance(now)).map(|a| (now, a)));
        }
        now = end;
    };
    for (n, offer) in offers.iter().enumerate() {
        run(&mut network, offer.0);
        enter(&mut network, n, *offer);
    }
    run(&mut network, FOREVER);
    network.check();
    let stats = network.links().iter().map(|l| *l.stats()).collect();
    Outcome { arrivals, stats }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// A driver who asks late changes nothing inside, and learns of what arrives no later than he asks.
    #[test]
    fn what_is_due_happens_at_its_instant(
        plan in rings(),
        steps in steps(),
        lateness in proptest::collection::vec(prop_oneof![0u64..1000, 0u64..20_000_000], 1..20),
    ) {
        let offers = offers(&plan, &steps);
        let on_time = drive(network(&plan), &offers, |_| Span::ZERO);
        let late = drive(network(&plan), &offers, |n| {
            Span::from_nanos(lateness[n % lateness.len()])
        });
        prop_assert_eq!(&on_time.stats, &late.stats);
        prop_assert_eq!(on_time.arrivals.len(), late.arrivals.len());
        let most = Span::from_nanos(*lateness.iter().max().unwrap());
        for ((now, due), (told, seen)) in on_time.arrivals.iter().zip(&late.arrivals) {
            prop_assert_eq!(due, seen);
            prop_assert_eq!(*now, due.at);
            prop_assert!(due.at <= *told && *told <= due.at + most);
        }
    }

    /// Packets that enter late, but by less than lies between any two events, arrive in the same order,
    /// no later than by as much, and the same are lost.
    #[test]
    fn lateness_below_the_gaps_changes_no_order_and_no_loss(
        mut plan in rings(),
        steps in proptest::collection::vec((1u64..3_000_000, 0u32..10, 40u32..1500), 1..60),
        shares in proptest::collection::vec(0u64..100, 1..20),
    ) {
        for link in &mut plan.links {
            // It begins and ends by the clock, whatever enters when.
            link.impair.pauses = None;
        }
        let offers = offers(&plan, &steps);
        let packets = offers.iter().enumerate();
        let packets: Vec<_> = packets.map(|(n, o)| (o.0, o.1, opaque(n, o.2))).collect();
        let gap = least_gap(&plan, &packets);
        prop_assume!(gap > 1);
        let most = gap - 1;
        let shifted: Vec<_> = offers.iter().enumerate().map(|(n, (at, flow, size))| {
            let late = most * shares[n % shares.len()] / 99;
            (*at + Span::from_nanos(late), *flow, *size)
        }).collect();
        let on_time = drive(network(&plan), &offers, |_| Span::ZERO);
        let late = drive(network(&plan), &shifted, |_| Span::ZERO);
        prop_assert_eq!(on_time.arrivals.len(), late.arrivals.len());
        for ((_, due), (_, seen)) in on_time.arrivals.iter().zip(&late.arrivals) {
            prop_assert_eq!((due.flow, &due.content), (seen.flow, &seen.content));
            prop_assert!(due.at <= seen.at && seen.at <= due.at + Span::from_nanos(most));
        }
        for (a, b) in on_time.stats.iter().zip(&late.stats) {
            let reasons = acklab_path::packet::DropReason::ALL;
            prop_assert_eq!(a.offered, b.offered);
            prop_assert_eq!(reasons.map(|r| a.dropped_for(r)), reasons.map(|r| b.dropped_for(r)));
        }
    }

    /// Flows leave and join while packets are on their way: none arrives of a flow that has left, each of
    /// the others arrives where it would have, and the books balance.
    #[test]
    fn flows_leave_and_join_under_way(
        plan in rings(),
        steps in steps(),
        leaves in proptest::collection::vec((0u32..5, 1usize..40), 1..8),
    ) {
        let (all, flows) = (offers(&plan, &steps), plan.flows.len() as u32);
        let mut network = network(&plan);
        let mut due: Vec<(usize, u32)> = Vec::new();
        let mut n = 0;
        for (flow, pause) in leaves {
            let flow = flow % flows;
            for (n, offer) in all.iter().enumerate().skip(n).take(pause) {
                enter(&mut network, n, *offer);
            }
            n = (n + pause).min(all.len());
            prop_assert!(network.remove_flow(flow));
            prop_assert!(!network.has_flow(FlowId(2 * flow)) && !network.remove_flow(flow));
            let way = &plan.flows[flow as usize];
            prop_assert_eq!(network.add_flow(&way.forward, &way.reverse), flow);
            // Packets that entered before this are of the flow that has left.
            due.push((n, flow));
        }
        for (n, offer) in all.iter().enumerate().skip(n) {
            enter(&mut network, n, *offer);
        }
        let mut arrived = 0;
        let mut seen_at = vec![Instant::ZERO; due.len()];
        for (when, (n, _)) in seen_at.iter_mut().zip(&due) {
            *when = n.checked_sub(1).map_or(Instant::ZERO, |last| all[last].0);
        }
        while let Some(a) = network.advance(FOREVER) {
            arrived += 1;
            let Datagram::Opaque(opaque) = a.content else { unreachable!() };
            for (left_at, (n, flow)) in seen_at.iter().zip(&due) {
                let of_before = a.flow.0 / 2 == *flow && (opaque.number as usize) < *n;
                prop_assert!(!of_before || a.at <= *left_at, "{a:?} of a flow that left at {left_at:?}");
            }
        }
        network.check();
        let dropped: u64 = network.links().iter().map(|l| l.stats().dropped()).sum();
        let copies: u64 = network.links().iter().map(|l| l.stats().duplicated).sum();
        prop_assert_eq!(arrived + dropped + network.drained(), all.len() as u64 + copies);
        prop_assert_eq!(network.store().live(), 0);
    }
}
