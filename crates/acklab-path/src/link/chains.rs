//! Two filters at one place: what became of each packet, when, and by whom.

use super::*;
use crate::ack_filter::registry::FILTERS;
use crate::ack_filter::{AckFilter, Build, aggregate, android, cake, tac};
use crate::packet::{FlowId, PacketId};
use acklab_proto::datagram::Datagram;
use acklab_proto::registry::{Entry, Kind, Params, Value};
use acklab_proto::segment::{Ecn, Flags, SackBlock, Segment};
use acklab_units::SeqNum;
use proptest::collection::vec;
use proptest::prelude::*;
use std::vec::Vec;

/// A driver's events of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Heard {
    Held,
    Released(ForwardReason),
    Queued,
    Dropped(DropReason),
}

/// A store that writes down what it hears: when (us), of whom, what.
#[derive(Default)]
struct Driver {
    segments: Vec<Segment>,
    heard: Vec<(u64, u32, Heard)>,
}

impl Driver {
    fn hear(&mut self, now: Instant, packet: Packet, what: Heard) {
        self.heard.push((now.as_nanos() / 1000, packet.id.0, what));
    }
}

impl PacketStore for Driver {
    fn datagram(&self, id: PacketId) -> Datagram {
        Datagram::Tcp(self.segments[id.0 as usize])
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        packet
    }
}

impl LinkDriver for Driver {
    const WATCHES: bool = true;

    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.hear(now, packet, Heard::Dropped(reason));
    }

    fn on_queued(&mut self, now: Instant, packet: Packet) {
        self.hear(now, packet, Heard::Queued);
    }

    fn on_held(&mut self, now: Instant, packet: Packet) {
        self.hear(now, packet, Heard::Held);
    }

    fn on_released(&mut self, now: Instant, packet: Packet, reason: ForwardReason) {
        self.hear(now, packet, Heard::Released(reason));
    }
}

/// When (us), of which flow, what.
type Arrival = (u64, u32, Segment);

fn ack(number: u32) -> Segment {
    Segment {
        ack: SeqNum(number),
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    }
}

fn packet(id: u32, flow: u32, segment: &Segment) -> Packet {
    Packet {
        id: PacketId(id),
        size: 52 + segment.len + 12 * segment.sack.as_slice().len() as u32,
        flow: FlowId(flow),
        ecn: Ecn::NotEct,
    }
}

/// The filter with another of its words for some of its parameters: which, `words` says bit by bit.
/// One stays as it is: what `flush = "next"` lets go never leaves if nothing else comes.
fn build(entry: &Entry<Build>, words: u32) -> Box<dyn AckFilter> {
    let mut params = Params::defaults(entry.params);
    for (i, p) in entry.params.iter().enumerate() {
        if let Kind::Choice(of) = p.kind
            && p.name != "flush"
        {
            let word = of[(words >> i & 1) as usize % of.len()];
            params
                .set(entry.params, p.name, Value::Choice(word))
                .unwrap();
        }
    }
    (entry.build)(&params)
}

/// A link of so many kbit/s without delay.
fn link(kbps: u64, room: u32, filters: impl Into<Chain>) -> Link {
    link_of(Rate::from_bps(kbps * 1000), room, filters)
}

/// A filter and nothing behind it that takes time.
fn through(filter: Box<dyn AckFilter>) -> Link {
    link_of(Rate::MAX, 9999, Some(filter))
}

fn link_of(rate: Rate, room: u32, filters: impl Into<Chain>) -> Link {
    let config = LinkConfig {
        rate,
        delay: Span::ZERO,
        overhead: 0,
        impair: ImpairConfig::default(),
    };
    let queue = Queue::Pfifo(pfifo::Limit::Packets(room).into());
    Link::new(&config, queue, filters, LinkStreams::new(11, "l"))
}

fn chain(filters: Vec<Box<dyn AckFilter>>) -> Chain {
    Chain::new(filters).unwrap()
}

/// Drives links in a row. Returns when (ns) and who came out at the end.
fn drive(links: &mut [Link], driver: &mut Driver, arrivals: &[Arrival]) -> Vec<(u64, u32)> {
    driver.segments = arrivals.iter().map(|a| a.2).collect();
    let mut out = Vec::new();
    for (id, (us, flow, segment)) in (0..).zip(arrivals) {
        let now = Instant::from_nanos(us * 1000);
        wake(links, driver, now, &mut out);
        links[0].offer(now, packet(id, *flow, segment), driver);
    }
    wake(links, driver, Instant::from_nanos(u64::MAX - 1), &mut out);
    out
}

fn wake(links: &mut [Link], driver: &mut Driver, until: Instant, out: &mut Vec<(u64, u32)>) {
    let next = |links: &[Link]| links.iter().filter_map(Link::next_wakeup).min();
    while let Some(at) = next(links).filter(|at| *at <= until) {
        for i in 0..links.len() {
            while let Some(p) = links[i].advance(at, driver) {
                match links.get_mut(i + 1) {
                    Some(next) => {
                        next.offer(at, p, driver);
                    }
                    None => out.push((at.as_nanos(), p.id.0)),
                }
            }
        }
    }
}

/// The line is busy for 25 ms with data, and behind it four ACKs come, two of them closer than TAC's
/// timer: (what the driver heard of ACKs, who came out, counters of each filter).
type Told = (Vec<(u64, u32, Heard)>, Vec<u32>, Vec<FilterStats>);

fn four_acks(lower: &'static Entry<Build>) -> Told {
    let filters = Vec::from([build(&tac::ENTRY, 0), build(lower, 0)]);
    let mut links = [link(480, 99, chain(filters))];
    let data = Segment {
        len: 1448,
        ..ack(0)
    };
    let arrivals = [
        (0, data),
        (1000, ack(1)),
        (2000, ack(2)),
        (8000, ack(3)),
        (14_000, ack(4)),
    ];
    let mut driver = Driver::default();
    let arrivals = arrivals.map(|(us, s)| (us, 0, s));
    let out = drive(&mut links, &mut driver, &arrivals);
    driver.heard.retain(|h| h.1 > 0);
    let stats = links[0].filters().collect();
    (driver.heard, out.iter().map(|o| o.1).collect(), stats)
}

const BY_TIMER: Heard = Heard::Released(ForwardReason::Timeout);
const PAST: Heard = Heard::Released(ForwardReason::Passing);
const INTO_A_PLACE: Heard = Heard::Released(ForwardReason::Replacing);
const THINNED: Heard = Heard::Dropped(DropReason::AckThinned);

/// An ACK that TAC releases meets CAKE when it joins the queue: the third one finds two that it betters.
#[test]
fn tac_above_cake_packet_by_packet() {
    let (heard, out, stats) = four_acks(&cake::ENTRY);
    let expect = [
        (1000, 1, Heard::Held),
        (2000, 2, Heard::Held),
        (2000, 1, THINNED),
        (7000, 2, BY_TIMER),
        (7000, 2, PAST),
        (7000, 2, Heard::Queued),
        (8000, 3, Heard::Held),
        (13_000, 3, BY_TIMER),
        (13_000, 3, PAST),
        (13_000, 3, Heard::Queued),
        (14_000, 4, Heard::Held),
        (19_000, 4, BY_TIMER),
        (19_000, 2, THINNED),
        (19_000, 4, PAST),
        (19_000, 4, Heard::Queued),
    ];
    assert_eq!(heard, expect);
    assert_eq!(out, [0, 3, 4]);
    let [tac, cake] = stats[..] else { panic!() };
    assert_eq!((tac.seen, tac.dropped, tac.forwarded), (4, 1, 3));
    assert_eq!((tac.timer_releases, tac.dropped_queued), (3, 0));
    assert_eq!((cake.seen, cake.dropped, cake.forwarded), (3, 1, 2));
    assert_eq!((cake.timer_releases, cake.dropped_queued), (0, 1));
}

/// Here each that TAC lets go is written over the one that waits.
#[test]
fn tac_above_what_replaces_packet_by_packet() {
    let (heard, out, stats) = four_acks(&android::replace::ENTRY);
    let expect = [
        (7000, 2, BY_TIMER),
        (7000, 2, PAST),
        (7000, 2, Heard::Queued),
        (8000, 3, Heard::Held),
        (13_000, 3, BY_TIMER),
        (13_000, 3, INTO_A_PLACE),
        (13_000, 2, THINNED),
        (13_000, 3, Heard::Queued),
        (14_000, 4, Heard::Held),
        (19_000, 4, BY_TIMER),
        (19_000, 4, INTO_A_PLACE),
        (19_000, 3, THINNED),
        (19_000, 4, Heard::Queued),
    ];
    assert_eq!(heard[3..], expect);
    assert_eq!(out, [0, 4]);
    assert_eq!((stats[0].dropped, stats[1].dropped), (1, 2));
}

/// One that looks into the queue is in order alone, and one that decides before it: a chain of one is
/// that filter.
#[test]
fn a_chain_of_one_is_the_filter() {
    let arrivals: Vec<Arrival> = (0..400)
        .map(|n| (u64::from(n) * 700, n % 3, ack(n)))
        .collect();
    for entry in FILTERS {
        let alone = Some(build(entry, 0));
        let listed = chain(Vec::from([build(entry, 0)]));
        let (mut a, mut b) = ([link(200, 50, alone)], [link(200, 50, listed)]);
        let (mut da, mut db) = (Driver::default(), Driver::default());
        let out = drive(&mut a, &mut da, &arrivals);
        assert_eq!(out, drive(&mut b, &mut db, &arrivals));
        assert_eq!(da.heard, db.heard, "{}", entry.name);
        assert_eq!(a[0].filter_stats(), b[0].filter_stats());
    }
}

const BEFORE: [&Entry<Build>; 4] = [&tac::ENTRY, &tac::PAPER, &aggregate::ENTRY, &android::ENTRY];
const INSIDE: [&Entry<Build>; 2] = [&cake::ENTRY, &android::replace::ENTRY];

#[test]
fn every_filter_is_before_the_queue_or_inside() {
    assert_eq!(BEFORE.len() + INSIDE.len(), FILTERS.len());
    assert!(BEFORE.iter().all(|e| !build(e, 0).watches_queue()));
    assert!(INSIDE.iter().all(|e| build(e, 0).watches_queue()));
}

fn segment() -> impl Strategy<Value = Segment> {
    (0u32..300, 0u8..16).prop_map(|(n, what)| {
        let mut s = ack(n);
        match what {
            0 => s.len = 400,
            1 => s.flags = s.flags.with(Flags::ECE),
            2 => s.flags = s.flags.with(Flags::FIN),
            3 => s.window = 0,
            4 | 5 => s.sack.push(SackBlock {
                start: SeqNum(n + 10),
                end: SeqNum(n + 20),
            }),
            _ => {}
        }
        s
    })
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    vec((0u64..3_000, 0u32..4, segment()), 1..200).prop_map(|steps| {
        let at = |t: &mut u64, (gap, flow, s)| {
            *t += gap;
            Some((*t, flow, s))
        };
        steps.into_iter().scan(0, at).collect()
    })
}

/// Which two, and other words for their parameters.
fn two() -> impl Strategy<Value = (usize, usize, u32, u32)> {
    (0..BEFORE.len(), 0..INSIDE.len(), any::<u32>(), any::<u32>())
}

fn built((before, inside, a, b): (usize, usize, u32, u32)) -> [Box<dyn AckFilter>; 2] {
    [build(BEFORE[before], a), build(INSIDE[inside], b)]
}

/// Settings by which ACKs are overtaken or SYN-ACKs thinned on purpose.
fn keeps_order([before, inside, a, b]: [usize; 4]) -> bool {
    let says = |entry: &Entry<Build>, words: usize, name, word: &str| {
        let i = entry.params.iter().position(|p| p.name == name);
        i.is_some_and(|i| match entry.params[i].kind {
            Kind::Choice(of) => of[(words >> i & 1) % of.len()] == word,
            _ => false,
        })
    };
    let (before, inside) = (BEFORE[before], INSIDE[inside]);
    !says(before, a, "older", "keep")
        && !says(before, a, "others", "overtake")
        && !says(inside, b, "others", "overtake")
}

proptest! {
    /// Two filters at one place are two places in a row, the first without a queue: the same packets
    /// at the same nanosecond, the same drops, the same counters of each.
    #[test]
    fn a_chain_is_two_places_in_a_row(which in two(), room in 1u32..40, arrivals in arrivals()) {
        let mut one = [link(150, room, chain(built(which).into()))];
        let [before, inside] = built(which);
        let mut row = [through(before), link(150, room, Some(inside))];
        let (mut d1, mut d2) = (Driver::default(), Driver::default());
        let out = drive(&mut one, &mut d1, &arrivals);
        prop_assert_eq!(out, drive(&mut row, &mut d2, &arrivals));
        let drops = |d: &Driver| -> Vec<_> {
            d.heard.iter().copied().filter(|h| matches!(h.2, Heard::Dropped(_))).collect()
        };
        prop_assert_eq!(drops(&d1), drops(&d2));
        let each: Vec<_> = row.iter().filter_map(Link::filter_stats).collect();
        prop_assert_eq!(one[0].filters().collect::<Vec<_>>(), each);
    }

    /// Each packet arrives or is dropped, once; only pure ACKs are thinned; each filter's counters
    /// say how many it dropped, and nothing stays.
    #[test]
    fn packets_are_conserved(which in two(), room in 1u32..40, arrivals in arrivals()) {
        let mut links = [link(150, room, chain(built(which).into()))];
        let mut driver = Driver::default();
        let out = drive(&mut links, &mut driver, &arrivals);
        let thinned: Vec<u32> =
            driver.heard.iter().filter(|h| h.2 == THINNED).map(|h| h.1).collect();
        let dropped = driver.heard.iter().filter(|h| matches!(h.2, Heard::Dropped(_)));
        let mut all: Vec<u32> = out.iter().map(|o| o.1).chain(dropped.map(|h| h.1)).collect();
        all.sort_unstable();
        prop_assert!(all.iter().copied().eq(0..arrivals.len() as u32));
        prop_assert!(thinned.iter().all(|id| arrivals[*id as usize].2.is_pure_ack()));
        prop_assert_eq!(links[0].inside(), 0);

        let [before, inside] = links[0].filters().collect::<Vec<_>>()[..] else { panic!() };
        let queued = |id: u32| driver.heard.iter().any(|h| h.1 == id && h.2 == Heard::Queued);
        let from_queue = thinned.iter().filter(|id| queued(**id)).count() as u64;
        prop_assert_eq!(inside.dropped, from_queue);
        prop_assert_eq!(before.dropped, thinned.len() as u64 - from_queue);
        prop_assert_eq!(before.forwarded, inside.seen);
        let s = links[0].filter_stats().unwrap();
        prop_assert_eq!(s.seen, s.forwarded + s.dropped);
        prop_assert_eq!((s.dropped_queued, s.held), (from_queue, 0));
    }

    /// Unless a word says so on purpose, packets of a flow leave in the order in which they came.
    #[test]
    fn nothing_is_overtaken(which in two(), room in 1u32..40, arrivals in arrivals()) {
        let (before, inside, a, b) = which;
        prop_assume!(keeps_order([before, inside, a as usize, b as usize]));
        let mut links = [link(150, room, chain(built(which).into()))];
        let out = drive(&mut links, &mut Driver::default(), &arrivals);
        for flow in 0..4 {
            let order: Vec<_> =
                out.iter().map(|o| o.1).filter(|id| arrivals[*id as usize].1 == flow).collect();
            prop_assert!(order.is_sorted(), "{:?}", order);
        }
    }

    /// A held ACK is released or dropped within the bound of the one that holds, whatever is below.
    #[test]
    fn nothing_is_held_for_longer_than_alone(inside in 0..INSIDE.len(), arrivals in arrivals()) {
        let filters = Vec::from([build(&tac::ENTRY, 0), build(INSIDE[inside], 0)]);
        let mut links = [link(150, 99, chain(filters))];
        let mut driver = Driver::default();
        drive(&mut links, &mut driver, &arrivals);
        for (i, (at, id, _)) in driver.heard.iter().enumerate().filter(|h| h.1.2 == Heard::Held) {
            let end = driver.heard[i + 1..].iter().find(|h| h.1 == *id && h.2 != Heard::Held);
            prop_assert!(end.is_some_and(|e| e.0 - at <= 5_000), "{} {:?}", id, end);
        }
    }
}
