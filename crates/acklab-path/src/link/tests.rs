//! Links against closed forms, and the two ways of computing against each other.

use super::*;
use crate::impair::{JitterConfig, LossConfig, LossPlace, PausesConfig};
use crate::packet::{FlowId, PacketId};
use acklab_proto::datagram::Datagram;
use acklab_proto::segment::{Ecn, Segment};
use proptest::prelude::*;
use std::vec::Vec;

/// A store that only counts.
#[derive(Default)]
struct Driver {
    /// Segment of each packet, for filters; all alike if there is none.
    segments: Vec<Segment>,
    plain: Segment,
    copies: u32,
    drops: Vec<(u64, u32, DropReason)>,
    /// Packets that arrived with a mark.
    marked: Vec<u32>,
}

impl PacketStore for Driver {
    fn datagram(&self, id: PacketId) -> Datagram {
        Datagram::Tcp(*self.segments.get(id.0 as usize).unwrap_or(&self.plain))
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        self.copies += 1;
        Packet {
            id: PacketId(1_000_000 + self.copies),
            ..packet
        }
    }
}

impl LinkDriver for Driver {
    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.drops.push((now.as_nanos(), packet.id.0, reason));
    }
}

fn packet(id: u32, size: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size,
        flow: FlowId(0),
        ecn: Ecn::Ect0,
    }
}

const PLAIN: LinkConfig = LinkConfig {
    rate: Rate::from_bps(10_000_000),
    delay: Span::from_millis(5),
    overhead: 2,
    impair: ImpairConfig {
        detour: None,
        loss: crate::impair::LossConfig::None,
        loss_place: LossPlace::BehindQueue,
        ce: 0.0,
        jitter: JitterConfig::None,
        pauses: None,
        reorder: 0.0,
        reorder_delay: Span::ZERO,
        duplicate: 0.0,
    },
};

fn streams() -> LinkStreams {
    LinkStreams::new(11, "l")
}

fn computed(config: &LinkConfig, queue: impl Into<pfifo::Config>) -> Link {
    let link = Link::new(config, Queue::Pfifo(queue.into()), None, streams());
    assert!(matches!(link.line, Line::Computed(_)) == config.impair.keeps_order());
    link
}

fn queued(config: &LinkConfig, queue: impl Into<pfifo::Config>) -> Link {
    let queue = Queue::Discipline(Box::new(pfifo::Pfifo::new(queue)));
    Link::new(config, queue, None, streams())
}

/// Offers `(time, size)` in order, waking the link when it asks for it. Returns deliveries.
fn drive(link: &mut Link, driver: &mut Driver, arrivals: &[(u64, u32)]) -> Vec<(u64, u32)> {
    let mut out = Vec::new();
    let mut wake = |link: &mut Link, driver: &mut Driver, until: Instant| {
        while let Some(at) = link.next_wakeup()
            && at <= until
        {
            while let Some(p) = link.advance(at, driver) {
                out.push((at.as_nanos(), p.id.0));
                if p.ecn == Ecn::Ce {
                    driver.marked.push(p.id.0);
                }
            }
            assert!(link.next_wakeup().is_none_or(|next| next > at));
        }
    };
    for (i, (at, size)) in arrivals.iter().enumerate() {
        wake(link, driver, Instant::from_nanos(*at));
        link.offer(Instant::from_nanos(*at), packet(i as u32, *size), driver);
    }
    wake(link, driver, Instant::from_nanos(u64::MAX - 1));
    out
}

/// The link looks late, but timers run at their instants, between the services before and after them.
#[test]
fn timers_of_a_discipline_run_in_their_order() {
    use crate::qdisc::testing::Paced;
    let ms = Span::from_millis;
    let paced = Paced::new(100, ms(7), Some(ms(3)));
    let queue = Queue::Discipline(Box::new(paced));
    let mut link = Link::new(&PLAIN, queue, None, streams());
    let mut driver = Driver::default();
    // Five at once: 0 goes at once, 1 and 2 fall at 3 and 6 ms, 3 goes at 7 ms, 4 falls at 9.
    let out = drive(&mut link, &mut driver, &[(0, 1500); 5]);
    let falls = [(3, 1), (6, 2), (9, 4)].map(|(at, id)| (at * 1_000_000, id, DropReason::Aqm));
    assert_eq!(driver.drops, falls);
    let on_the_way = 5_000_000 + 1_201_600;
    assert_eq!(out, [(on_the_way, 0), (7_000_000 + on_the_way, 3)]);
    assert_eq!(link.stats().dropped_for(DropReason::Aqm), 3);
}

#[test]
fn a_train_leaves_at_line_rate_and_arrives_after_the_delay() {
    // (1500 + 2) bytes at 10 Mbit/s take 1,201,600 ns.
    let mut link = computed(&PLAIN, pfifo::Limit::Packets(100));
    let out = drive(&mut link, &mut Driver::default(), &[(7, 1500); 4]);
    let expect: Vec<_> = (1..=4u64)
        .map(|n| (7 + n * 1_201_600 + 5_000_000, n as u32 - 1))
        .collect();
    assert_eq!(out, expect);
    assert_eq!(link.stats().sojourn_max, Span::from_nanos(3 * 1_201_600));
    assert_eq!(
        link.busy(Instant::from_nanos(7 + 1000)),
        Span::from_nanos(1000)
    );
}

#[test]
fn the_packet_in_service_does_not_count_against_the_limit() {
    let mut link = computed(&PLAIN, pfifo::Limit::Packets(3));
    let mut driver = Driver::default();
    let out = drive(&mut link, &mut driver, &[(0, 1500); 10]);
    assert_eq!(out.len(), 4);
    assert_eq!(driver.drops.len(), 6);
    assert_eq!(link.stats().dropped_for(DropReason::QueueFull), 6);
    assert_eq!(link.stats().max_waiting, 3);
}

#[test]
fn a_place_is_free_at_the_instant_at_which_a_service_begins() {
    let mut link = computed(&PLAIN, pfifo::Limit::Packets(1));
    let mut driver = Driver::default();
    let t = 1_201_600;
    let train = [(0, 1500), (0, 1500), (t - 1, 1500), (t, 1500)];
    let out = drive(&mut link, &mut driver, &train);
    assert_eq!(driver.drops, [(t - 1, 2, DropReason::QueueFull)]);
    assert_eq!(out.len(), 3);
}

#[test]
fn arrivals_can_come_before_the_service_that_makes_room() {
    let t = 1_201_600;
    let train = [(0, 1500), (0, 1500), (t, 1500), (t + 1, 1500)];
    let limit = pfifo::Limit::Packets(1);
    for link in [computed(&PLAIN, limit), queued(&PLAIN, limit)] {
        let mut driver = Driver::default();
        let out = drive(&mut link.with_arrivals_first(), &mut driver, &train);
        assert_eq!(driver.drops, [(t, 2, DropReason::QueueFull)]);
        assert_eq!(out.len(), 3);
    }
}

#[test]
fn latency_is_what_an_idle_link_takes() {
    let mut link = computed(&PLAIN, pfifo::Limit::Packets(1));
    assert_eq!(link.latency(1500), Span::from_nanos(6_201_600));
    let out = drive(&mut link, &mut Driver::default(), &[(0, 1500)]);
    assert_eq!(out, [(6_201_600, 0)]);
}

#[test]
fn a_lost_packet_has_occupied_the_line() {
    let mut config = PLAIN;
    config.impair.loss = crate::impair::LossConfig::Periodic(2);
    let mut driver = Driver::default();
    let mut link = computed(&config, pfifo::Limit::Packets(9));
    let out = drive(&mut link, &mut driver, &[(0, 1500); 3]);
    let arrival = |n: u64| n * 1_201_600 + 5_000_000;
    assert_eq!(out, [(arrival(1), 0), (arrival(3), 2)]);
    assert_eq!(driver.drops, [(arrival(2), 1, DropReason::RandomLoss)]);
}

/// A queue of two and ten packets at once, of which every second one is lost. Before the queue: of the five
/// left one is in service, two wait, two find no room. Behind it: of ten one is in service, two wait, seven
/// find no room, and of the three that crossed the second is lost, for which the line was busy.
#[test]
fn loss_before_the_queue_takes_neither_place_nor_time() {
    let arrival = |n: u64| n * 1_201_600 + 5_000_000;
    let cases = [
        (
            LossPlace::BeforeQueue,
            5,
            2,
            Vec::from([(arrival(1), 0), (arrival(2), 2), (arrival(3), 4)]),
        ),
        (
            LossPlace::BehindQueue,
            1,
            7,
            Vec::from([(arrival(1), 0), (arrival(3), 2)]),
        ),
    ];
    for (place, lost, full, expect) in cases {
        let mut config = PLAIN;
        config.impair.loss = LossConfig::Periodic(2);
        config.impair.loss_place = place;
        let limit = pfifo::Limit::Packets(2);
        for mut link in [computed(&config, limit), queued(&config, limit)] {
            let mut driver = Driver::default();
            let out = drive(&mut link, &mut driver, &[(0, 1500); 10]);
            assert_eq!(out, expect, "{place:?}");
            let s = link.stats();
            assert_eq!((s.offered, s.served), (10, 3));
            assert_eq!(s.dropped_for(DropReason::RandomLoss), lost, "{place:?}");
            assert_eq!(s.dropped_for(DropReason::QueueFull), full, "{place:?}");
            let end = Instant::from_nanos(arrival(9));
            assert_eq!(link.busy(end), Span::from_nanos(3 * 1_201_600));
        }
    }
}

/// Half of what comes at line rate is lost. Before the queue the line is busy for half of the time, behind it
/// for all of it, and the same packets are lost: the draws are those of one stream.
#[test]
fn loss_behind_the_queue_counts_for_the_line() {
    let arrivals: Vec<_> = (0..1000u64).map(|n| (n * 1_201_600, 1500)).collect();
    let [before, behind] = [LossPlace::BeforeQueue, LossPlace::BehindQueue].map(|place| {
        let mut config = PLAIN;
        config.impair.loss = LossConfig::Bernoulli(0.5);
        config.impair.loss_place = place;
        let mut link = computed(&config, pfifo::Limit::Packets(9));
        let mut driver = Driver::default();
        let out = drive(&mut link, &mut driver, &arrivals);
        let end = Instant::from_nanos(2_000_000_000);
        (out, link.stats().served, link.busy(end))
    });
    // Mean 500, standard deviation 16.
    assert!((437..=563).contains(&before.0.len()), "{}", before.0.len());
    assert_eq!(
        (before.0.clone(), before.1),
        (behind.0, before.0.len() as u64)
    );
    assert_eq!(before.2, Span::from_nanos(before.1 * 1_201_600));
    assert_eq!(
        (behind.1, behind.2),
        (1000, Span::from_nanos(1000 * 1_201_600))
    );
}

#[test]
fn a_link_without_limit_is_a_pure_delay() {
    let config = LinkConfig {
        rate: Rate::MAX,
        ..PLAIN
    };
    let mut link = computed(&config, pfifo::Limit::Packets(1));
    let out = drive(&mut link, &mut Driver::default(), &[(3, 1500); 50]);
    assert_eq!(out.len(), 50);
    assert!(out.iter().all(|(at, _)| *at == 5_000_003));
}

#[test]
fn a_dead_link_swallows_what_its_queue_holds_and_never_wakes() {
    let config = LinkConfig {
        rate: Rate::ZERO,
        ..PLAIN
    };
    for mut link in [
        computed(&config, pfifo::Limit::Packets(2)),
        queued(&config, pfifo::Limit::Packets(2)),
    ] {
        let mut driver = Driver::default();
        assert_eq!(drive(&mut link, &mut driver, &[(0, 1500); 5]), []);
        assert_eq!((driver.drops.len(), link.inside()), (2, 3));
    }
}

#[test]
fn pauses_hold_up_both_ends_and_not_the_transmitter() {
    let mut config = PLAIN;
    config.impair.pauses = Some(PausesConfig {
        length: Span::from_millis(5),
        gap: Span::from_millis(5),
    });
    let mut schedule = Pauses::new(config.impair.pauses.unwrap(), streams().pauses);
    let mut exits = schedule.clone();
    let mut link = computed(&config, pfifo::Limit::Packets(1000));
    let arrivals: Vec<_> = (0..500).map(|i| (i * 1_300_000, 1500)).collect();
    let out = drive(&mut link, &mut Driver::default(), &arrivals);
    let mut free = Instant::ZERO;
    for (&(at, _), (left, _)) in arrivals.iter().zip(out) {
        let enters = schedule.passes(Instant::from_nanos(at));
        free = free.max(enters) + Span::from_nanos(1_201_600);
        let expect = exits.passes(free + Span::from_millis(5));
        assert_eq!(left, expect.as_nanos());
    }
}

/// A packet that meets a pause is dropped at its end, and not counted before, with either queue.
#[test]
fn a_drop_at_the_end_of_a_pause_counts_then() {
    let mut config = PLAIN;
    config.impair.pauses = Some(PausesConfig {
        length: Span::from_millis(40),
        gap: Span::from_millis(5),
    });
    let limit = || pfifo::Limit::Packets(3);
    for mut link in [computed(&config, limit()), queued(&config, limit())] {
        let (mut driver, mut postponed) = (Driver::default(), 0);
        for id in 0..500 {
            let now = Instant::from_nanos(u64::from(id) * 1_300_000);
            if id % 2 == 0 {
                link.waiting(now, &mut driver);
            }
            while link.advance(now, &mut driver).is_some() {}
            link.offer(now, packet(id, 1500), &mut driver);
            let happened = driver.drops.iter().filter(|d| d.0 <= now.as_nanos());
            let happened = happened.count();
            assert_eq!(link.stats().dropped(), happened as u64);
            postponed += driver.drops.len() - happened;
            let inside = link.inside() + link.stats().dropped() + link.stats().delivered;
            assert_eq!(inside, u64::from(id) + 1);
        }
        assert!(postponed > 100, "{postponed}");
    }
}

#[test]
fn held_back_packets_are_overtaken() {
    let mut config = PLAIN;
    config.impair.reorder = 0.2;
    config.impair.reorder_delay = Span::from_micros(3000);
    let arrivals: Vec<_> = (0..5000u64).map(|i| (i * 1_300_000, 1500)).collect();
    let mut link = computed(&config, pfifo::Limit::Packets(9));
    let out = drive(&mut link, &mut Driver::default(), &arrivals);
    assert_eq!(out.len(), 5000);
    let held = out
        .iter()
        .filter(|(at, id)| at - arrivals[*id as usize].0 == 5_000_000 + 1_201_600 + 3_000_000)
        .count() as u64;
    assert_eq!(held, link.stats().reordered);
    // Mean 1000, standard deviation 28.
    assert!((887..=1113).contains(&held), "{held}");
    let late = out.windows(2).filter(|w| w[0].1 > w[1].1).count() as u64;
    assert!(late > held / 2 && late <= held, "{late} of {held}");
}

#[test]
fn copies_arrive_with_the_original() {
    let mut config = PLAIN;
    config.impair.duplicate = 1.0;
    let mut link = computed(&config, pfifo::Limit::Packets(9));
    let out = drive(&mut link, &mut Driver::default(), &[(0, 1500)]);
    assert_eq!(out, [(6_201_600, 0), (6_201_600, 1_000_001)]);
    assert_eq!(link.stats().duplicated, 1);
}

/// The algorithm of mahimahi (`LinkQueue::rationalize`), by opportunity: `(time, packet)` of each
/// delivery out of a drop-tail queue.
fn mahimahi(at_ms: &[u64], limit: pfifo::Limit, arrivals: &[(u64, u32)]) -> Vec<(u64, u32)> {
    let (mut out, mut queue) = (Vec::new(), std::collections::VecDeque::new());
    let mut transit: Option<(u32, u32)> = None;
    let mut next = 0;
    for round in 0u64.. {
        for ms in at_ms {
            let now = (round * at_ms.last().unwrap() + ms) * 1_000_000;
            while let Some((at, size)) = arrivals.get(next)
                && *at < now
            {
                let bytes = queue.iter().map(|(_, size)| u64::from(*size)).sum();
                if limit.admits(queue.len() as u32, bytes, *size) {
                    queue.push_back((next as u32, *size));
                }
                next += 1;
            }
            let mut left = 1504;
            while left > 0 {
                let Some((id, bytes)) = transit.take().or_else(|| {
                    let (id, size) = queue.pop_front()?;
                    Some((id, size + PLAIN.overhead))
                }) else {
                    break;
                };
                let sent = left.min(bytes);
                left -= sent;
                if sent < bytes {
                    transit = Some((id, bytes - sent));
                } else {
                    out.push((now + PLAIN.delay.as_nanos(), id));
                }
            }
        }
        if next == arrivals.len() && queue.is_empty() && transit.is_none() {
            return out;
        }
    }
    unreachable!("rounds do not end")
}

/// Behind a data packet of 1,201,600 ns: an ACK, data, and a newer ACK, which leaves where the first
/// one would have, after waiting for as long as it has been there.
#[test]
fn a_newer_ack_leaves_where_the_older_one_would_have() {
    use acklab_proto::registry::Params;
    use acklab_proto::segment::Flags;
    let entry = &crate::ack_filter::android::replace::ENTRY;
    let filter = (entry.build)(&Params::defaults(entry.params));
    let limit = pfifo::Limit::Packets(9).into();
    let mut link = Link::new(&PLAIN, Queue::Pfifo(limit), Some(filter), streams());
    let says = |ack, len| Segment {
        ack: acklab_units::SeqNum(ack),
        flags: Flags::ACK,
        len,
        ..Segment::default()
    };
    let mut driver = Driver {
        segments: [says(0, 1448), says(1, 0), says(1, 1448), says(2, 0)].into(),
        ..Driver::default()
    };
    let arrivals = [(0, 1500), (0, 52), (0, 1500), (700, 52)];
    let out = drive(&mut link, &mut driver, &arrivals);
    let (long, short, delay) = (1_201_600, 43_200, 5_000_000);
    let at = [long, long + short, 2 * long + short].map(|t| t + delay);
    assert_eq!(out, [(at[0], 0), (at[1], 3), (at[2], 2)]);
    assert_eq!(driver.drops, [(700, 1, DropReason::AckThinned)]);
    let waits = (long - 700) + (long + short);
    assert_eq!(link.stats().sojourn_total, Span::from_nanos(waits));
    let q = link.qdisc_stats().unwrap();
    assert_eq!((q.enqueued, q.dequeued, q.dropped_inside), (4, 3, 1));
    assert_eq!(link.filter_stats().unwrap().dropped, 1);
}

fn traffic() -> impl Strategy<Value = Vec<(u64, u32)>> {
    // Gaps around the serialisation time, many of them exactly zero or exactly one packet long.
    let gap = prop_oneof![Just(0u64), Just(1_201_600), 0u64..3_000_000];
    let size = prop_oneof![Just(1500u32), Just(52), 40u32..1500];
    proptest::collection::vec((gap, size), 1..300).prop_map(|steps| {
        steps
            .into_iter()
            .scan(0, |t, (gap, size)| {
                *t += gap;
                Some((*t, size))
            })
            .collect()
    })
}

fn limits() -> impl Strategy<Value = pfifo::Limit> {
    prop_oneof![
        (0u32..20).prop_map(pfifo::Limit::Packets),
        (0u64..20_000).prop_map(pfifo::Limit::Bytes),
    ]
}

proptest! {
    /// Same deliveries to the nanosecond, same drops at the same time, same counters.
    #[test]
    fn computed_departures_are_those_of_a_real_queue(
        arrivals in traffic(),
        limit in limits(),
        mark in proptest::option::of(limits()),
        loss in 0.0f64..0.2,
        before in proptest::bool::ANY,
        ce in 0.0f64..0.2,
        jitter_us in prop_oneof![Just(0u64), 1u64..5000],
        pauses_us in proptest::option::of((1u64..5000, 1u64..50_000)),
    ) {
        let mut config = PLAIN;
        config.impair.loss = crate::impair::LossConfig::Bernoulli(loss);
        if before {
            config.impair.loss_place = LossPlace::BeforeQueue;
        }
        config.impair.ce = ce;
        config.impair.jitter = JitterConfig::Uniform(Span::from_micros(jitter_us));
        config.impair.pauses = pauses_us.map(|(length, gap)| PausesConfig {
            length: Span::from_micros(length),
            gap: Span::from_micros(gap),
        });
        let queue = pfifo::Config { limit, mark };
        let (mut a, mut b) = (computed(&config, queue), queued(&config, queue));
        let (mut da, mut db) = (Driver::default(), Driver::default());
        prop_assert_eq!(drive(&mut a, &mut da, &arrivals), drive(&mut b, &mut db, &arrivals));
        prop_assert_eq!(da.marked, db.marked);
        prop_assert_eq!(da.drops, db.drops);
        // Packets that meet a pause are counted at its end, which may lie behind the last packet.
        a.look(Instant::MAX);
        b.look(Instant::MAX);
        prop_assert_eq!(a.stats(), b.stats());
        prop_assert_eq!(a.inside(), 0);
    }

    /// Looking at a link at any time changes nothing about it.
    #[test]
    fn looking_is_harmless(arrivals in traffic(), limit in limits(), look in 1usize..5) {
        let (mut a, mut b) = (queued(&PLAIN, limit), queued(&PLAIN, limit));
        let (mut da, mut db) = (Driver::default(), Driver::default());
        let mut seen = Vec::new();
        for (i, (at, size)) in arrivals.iter().enumerate() {
            let now = Instant::from_nanos(*at);
            for link in [&mut a, &mut b] {
                link.offer(now, packet(i as u32, *size), &mut da);
            }
            if i % look == 0 {
                a.waiting(now, &mut da);
            }
            while let Some(p) = a.advance(now, &mut da) {
                seen.push(p.id.0);
            }
        }
        let rest = drive(&mut a, &mut da, &[]);
        seen.extend(rest.iter().map(|(_, id)| *id));
        let all: Vec<_> = drive(&mut b, &mut db, &[]).iter().map(|(_, id)| *id).collect();
        prop_assert_eq!(seen, all);
    }
}

proptest! {
    /// A line along a trace against mahimahi's way of running it, in both ways of computing.
    #[test]
    fn a_trace_is_followed_as_mahimahi_does(
        gaps in proptest::collection::vec(prop_oneof![Just(0u64), 0u64..8], 1..60),
        arrivals in traffic(),
        on_the_grid in proptest::bool::ANY,
        limit in limits(),
    ) {
        let instants = gaps.iter().scan(0, |t, gap| { *t += gap; Some(*t) });
        let mut at_ms: Vec<u64> = instants.collect();
        at_ms.push(at_ms.last().unwrap() + 1);
        // Ties between packets and opportunities need arrivals at whole milliseconds.
        let round = |at: u64| if on_the_grid { at / 1_000_000 * 1_000_000 } else { at };
        let arrivals: Vec<_> = arrivals.iter().map(|(at, size)| (round(*at), *size)).collect();
        let text: std::string::String = at_ms.iter().map(|ms| std::format!("{ms}\n")).collect();
        let trace = Arc::new(text.parse::<Trace>().unwrap());
        let expect = mahimahi(&at_ms, limit, &arrivals);
        let (mut a, mut b) = (
            computed(&PLAIN, limit).with_trace(trace.clone()),
            queued(&PLAIN, limit).with_trace(trace),
        );
        let (mut da, mut db) = (Driver::default(), Driver::default());
        prop_assert_eq!(drive(&mut a, &mut da, &arrivals), &expect[..]);
        prop_assert_eq!(drive(&mut b, &mut db, &arrivals), &expect[..]);
        prop_assert_eq!(da.drops, db.drops);
        prop_assert_eq!(a.stats(), b.stats());
        let end = Instant::from_nanos(1_000_000_000_000);
        prop_assert_eq!(a.busy(end), b.busy(end));
    }

    /// ACKs through each filter, in front of a slow link. The link balances its books at every
    /// step; here nothing may be left behind in the end, and time must not run backwards.
    #[test]
    fn filters_neither_lose_nor_make_packets(
        gaps in proptest::collection::vec((0u64..400_000, 0u32..3), 1..300),
        limit in 1u32..30,
        bulk_rate in 1u64..20,
    ) {
        for entry in crate::ack_filter::registry::FILTERS {
            let filter = (entry.build)(&acklab_proto::registry::Params::defaults(entry.params));
            let config = LinkConfig {
                rate: Rate::from_bps(bulk_rate * 100_000),
                ..PLAIN
            };
            let queue = Queue::Pfifo(pfifo::Limit::Packets(limit).into());
            let mut link = Link::new(&config, queue, Some(filter), streams());
            let mut driver = Driver::default();
            let mut arrivals = Vec::new();
            let (mut at, mut ack) = (0, 0);
            for (gap, step) in &gaps {
                (at, ack) = (at + gap, ack + step * 1448);
                arrivals.push((at, 52));
                driver.segments.push(Segment {
                    ack: acklab_units::SeqNum(ack),
                    flags: acklab_proto::segment::Flags::ACK,
                    window: 1000,
                    ..Segment::default()
                });
            }
            let out = drive(&mut link, &mut driver, &arrivals);
            prop_assert_eq!(out.len() + driver.drops.len(), arrivals.len(), "{}", entry.name);
            prop_assert_eq!(link.inside(), 0, "{}", entry.name);
            prop_assert!(out.windows(2).all(|w| w[0].0 <= w[1].0));
            let stats = link.filter_stats().unwrap();
            prop_assert_eq!(stats.seen, arrivals.len() as u64);
            prop_assert_eq!(stats.seen, stats.forwarded + stats.dropped + u64::from(stats.held));
        }
    }
}
