//! A driver who offers late, on random paths of several hops: packets enter late, which is another load, and what
//! follows from it depends on the way.
//!
//! - As long as everything happens in the same order, the same packets are lost, and none arrives later than by the
//!   lateness: a queue that keeps the order and a timer that runs from an arrival add the longest of the delays
//!   before them. It does not hold where something is decided by the clock, or by how long something took.
//! - Once packets overtake each other where their ways meet, each queue adds the transmission of those that got
//!   ahead, and no more.
//! - Over a radio channel, where the next A-MPDU can be missed and stations can collide, lateness bounds nothing. One
//!   sender alone, without A-MPDUs, adds a slot to the lateness: that is proved where channels are.

use super::late_paths::*;
use super::*;
use crate::plan::Plan;
use crate::record::LinkFact;
use acklab_path::packet::DropReason;
use acklab_path::wifi::medium::PpduKind;
use acklab_units::Span;
use proptest::prelude::*;
use std::collections::HashMap;

/// The packets that entered so late, in the same order.
fn later(offers: &[Offer], late: impl Fn(usize) -> u64) -> Vec<Offer> {
    let mut last = Instant::ZERO;
    let offers = offers.iter().enumerate().map(|(n, (at, flow, what))| {
        last = last.max(*at + Span::from_nanos(late(n)));
        (last, *flow, *what)
    });
    offers.collect()
}

/// The instants at which something happens if each packet enters on time, by who does it: offers, wakes, and
/// services that begin. A wake that a later packet put off counts as well: with that packet late it happens.
fn instants(plan: &Plan, offers: &[Offer]) -> Vec<(Instant, usize)> {
    let mut network = network(plan, 1);
    let (mut all, mut ends) = (Vec::new(), VecDeque::new());
    let links = plan.links.len();
    let pending = |network: &Net| {
        let at = |link| network.events.pending(Source(link as u32));
        (0..links)
            .filter_map(|link| Some((at(link)?, link)))
            .collect::<Vec<_>>()
    };
    let mut run = |network: &mut Net, end: Instant| {
        while let Some((at, source)) = network.events.peek()
            && at <= end
        {
            network.step(end, &mut ends);
            all.push((at, source.0 as usize));
            all.extend(pending(network));
        }
    };
    for (at, flow, datagram) in offers {
        run(&mut network, *at);
        network.offer(*at, *flow, datagram);
    }
    run(&mut network, FOREVER);
    let began = |(at, link, _, fact): &Seen| match fact {
        LinkFact::Left(waited) if !waited.is_zero() => Some((*at, 1_000_000 + link)),
        _ => None,
    };
    all.extend(network.into_observer().links.iter().filter_map(began));
    all.extend((2_000_000..).zip(offers).map(|(n, offer)| (offer.0, n)));
    all.sort_unstable();
    // Two requests for one wake are one.
    all.dedup();
    all
}

/// The shortest time between two things that happen.
pub(super) fn least_gap(plan: &Plan, offers: &[Offer]) -> u64 {
    let all = instants(plan, offers);
    let gaps = all.windows(2).map(|w| (w[1].0 - w[0].0).as_nanos());
    gaps.min().unwrap_or(0)
}

/// Of each packet that link `link` served, by its number: when it joined the queue, when its service began, and
/// its place in the order of service.
fn services(of: &Outcome, link: usize) -> HashMap<u32, (Instant, Instant, usize)> {
    let facts = of.seen.links.iter().filter(|s| s.1 == link);
    let began = facts.filter_map(|(at, _, number, fact)| match fact {
        LinkFact::Left(waited) => Some((*number, (*at - *waited, *at))),
        _ => None,
    });
    let numbered = began.enumerate();
    numbered
        .map(|(place, (number, (joined, began)))| (number, (joined, began, place)))
        .collect()
}

/// Whether no service of any link comes later than what joined its queue late and what overtook explain; the
/// overtaking that there was.
fn explained(
    plan: &Plan,
    offers: &[Offer],
    prompt: &Outcome,
    late: &Outcome,
) -> Result<usize, TestCaseError> {
    let mut all = 0;
    let sizes: HashMap<u32, u32> = offers
        .iter()
        .map(|(_, _, d)| (number(d), d.ip_len()))
        .collect();
    for (i, link) in plan.links.iter().enumerate() {
        let takes = |n: &u32| link.rate.serialisation(u64::from(sizes[n] + link.overhead));
        let (before, after) = (services(prompt, i), services(late, i));
        let both = || {
            before
                .iter()
                .filter_map(|(n, b)| Some((n, b, after.get(n)?)))
        };
        let entered = both().map(|(_, b, a)| a.0.saturating_since(b.0)).max();
        let entered = entered.unwrap_or(Span::ZERO);
        for (number, (_, due, place), (_, began, now)) in both() {
            let ahead = after.iter().filter(|(n, other)| {
                other.2 < *now && before.get(n).is_none_or(|was| was.2 > *place)
            });
            let ahead: Vec<_> = ahead.map(|(n, _)| takes(n)).collect();
            all += ahead.len();
            let added = ahead.iter().fold(Span::ZERO, |sum, t| sum + *t);
            prop_assert!(
                *began <= *due + entered + added,
                "{number} at {}: {due:?} and {began:?}, {entered} late, overtaken for {added}",
                link.name
            );
        }
    }
    Ok(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Lateness below the time between any two things that happen, services that begin included, changes no
    /// order and no loss, over however many hops, and delays by no more.
    #[test]
    fn lateness_below_the_gaps_delays_by_no_more(
        plan in paths(Kind::Timed, false),
        offers in load(80, 1_000_000),
        shares in prop::collection::vec(0u64..100, 1..20),
    ) {
        let gap = least_gap(&plan, &offers);
        prop_assume!(gap > 1);
        let shifted = later(&offers, |n| (gap - 1) * shares[n % shares.len()] / 99);
        let (prompt, late) = (on_time(&plan, 1, &offers), on_time(&plan, 1, &shifted));
        let losses = |o: &Outcome| {
            let links = o.stats.iter().map(|(s, filter)| {
                (s.offered, DropReason::ALL.map(|r| s.dropped_for(r)), *filter)
            });
            links.collect::<Vec<_>>()
        };
        prop_assert_eq!(losses(&prompt), losses(&late));
        prop_assert_eq!(prompt.arrivals.len(), late.arrivals.len());
        for ((_, due), (_, seen)) in prompt.arrivals.iter().zip(&late.arrivals) {
            prop_assert_eq!((due.flow, &due.content), (seen.flow, &seen.content));
            prop_assert!(due.at <= seen.at && seen.at < due.at + Span::from_nanos(gap));
        }
    }

    /// However late packets enter, in whatever order they meet: a queue adds the transmission of those that got
    /// ahead of a packet there to how late packets reach the queue, and no more.
    #[test]
    fn what_overtakes_is_all_that_is_added(
        plan in paths(Kind::Plain, false),
        offers in load(150, 1_000_000),
        lateness in lateness(20_000_000),
    ) {
        let shifted = later(&offers, |n| lateness[n % lateness.len()]);
        let (prompt, late) = (on_time(&plan, 1, &offers), on_time(&plan, 1, &shifted));
        if explained(&plan, &offers, &prompt, &late)? == 0 {
            let due: HashMap<_, _> = prompt.arrivals.iter().map(|(_, a)| (number(&a.content), a.at)).collect();
            let most = offers.iter().zip(&shifted).map(|(a, b)| b.0 - a.0).max().unwrap();
            for (_, seen) in &late.arrivals {
                let due = due.get(&number(&seen.content));
                prop_assert!(due.is_none_or(|due| seen.at <= *due + most));
            }
        }
    }
}

/// One nanosecond decides whether a packet is in the A-MPDU that begins then, or waits until its answer has come.
#[test]
fn who_misses_an_aggregate_waits_for_the_next() {
    let wire = Way {
        rate: 200_000,
        delay: 1000,
        queue: 20,
        words: Vec::new(),
    };
    let plan = plan(&vec![(wire.clone(), wire); 3], Some(""));
    let up = |ns, n| (Instant::from_nanos(ns), FlowId(6), datagram(n, FULL));
    let arrives = |offers: &[Offer]| {
        let outcome = on_time(&plan, 1, offers);
        let last = outcome
            .arrivals
            .iter()
            .find(|(_, a)| number(&a.content) == 3);
        let data = outcome
            .seen
            .air
            .iter()
            .filter(|(_, p)| p.kind == PpduKind::Data);
        let data: Vec<_> = data.map(|(_, p)| (p.start, p.end, p.mpdus)).collect();
        (last.map(|(_, a)| a.at), data)
    };
    let two = [up(1_000_000, 1), up(1_010_000, 2)];
    let (start, end, _) = arrives(&two).1[1];
    let three = |ns| arrives(&[two[0], two[1], up(ns, 3)]);
    let (in_time, air) = three(start.as_nanos() - 1);
    assert_eq!(air[1].2, 2);
    let (missed, air) = three(start.as_nanos() + 1);
    assert_eq!((air[1].2, air[2].2), (1, 1));
    assert!(
        missed.unwrap() - in_time.unwrap() > Span::from_micros(50),
        "{missed:?} {in_time:?}"
    );
    assert!(air[2].0 > end, "after the exchange that it missed");
    // Any time before is in time.
    assert_eq!(three(start.as_nanos() - 100_000).0, in_time);
}
