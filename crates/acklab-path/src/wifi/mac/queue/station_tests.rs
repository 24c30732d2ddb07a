//! Queues per station: what the airtime scheduler, the hardware queue and CoDel do.

use super::testing::*;
use super::*;
use crate::packet::FlowId;
use crate::wifi::mac::bitmap::Bitmap;
use crate::wifi::mac::{Limits, Outcome};
use acklab_units::{Rate, Span};

const LINUX: Config = Config {
    kind: Kind::PerStation(StationsConfig::LINUX),
    lifetime: None,
    ..Config::NS3
};

fn bench(config: StationsConfig, rates: &[u64]) -> Bench {
    let kind = Kind::PerStation(config);
    let mut b = Bench::new(Config { kind, ..LINUX });
    for (i, bps) in rates.iter().enumerate() {
        b.queue.on_rate(PeerId(i as u16), &HT, Rate::from_bps(*bps));
    }
    b
}

/// Sends what is due at `now` without loss, each bit taking `rate` and each exchange 200 us more.
/// Says to whom, how many packets, and for how long.
fn exchange(b: &mut Bench, now: Instant, limits: &[Limits], rates: &[u64]) -> (usize, usize, Span) {
    let peer = b
        .queue
        .select(now, &mut |_, _| {})
        .expect("something waits");
    let i = usize::from(peer.0);
    b.build(now, &limits[i]);
    let seqs = b.seqs();
    let packets = b.decode(peer, &seqs).len();
    let sent = Rate::from_bps(rates[i]).serialisation(u64::from(b.psdu.bytes));
    let airtime = sent + Span::from_micros(200);
    b.queue.spend_airtime(peer, airtime);
    let outcome = match b.psdu.content {
        crate::wifi::mac::Content::Single => Outcome::Ack,
        _ => Outcome::BlockAck(seqs[0], Bitmap([u64::MAX; 4])),
    };
    b.respond(now + airtime, peer, outcome);
    (i, packets, airtime)
}

/// Each of three stations, the second at a tenth of the rate of the others and with short
/// aggregates, has something at all times. Returns shares of airtime, and exchanges.
fn saturated(config: StationsConfig) -> ([f64; 3], [u32; 3]) {
    let rates = [65_000_000, 6_500_000, 65_000_000];
    let mut b = bench(config, &rates);
    let mut exchanges = [0; 3];
    let short = Limits {
        max_psdu: 4000,
        ..HT
    };
    let (limits, mut used) = ([HT, short, HT], [Span::ZERO; 3]);
    let (mut now, mut id) = (at(0), 0);
    while now < at(5000) {
        // Each has a hundred packets at all times.
        for peer in (0..3u16)
            .filter(|p| b.queue.waiting_of(PeerId(*p)) < 100)
            .collect::<Vec<_>>()
        {
            for _ in 0..50 {
                b.arrive(now, PeerId(peer), packet(id, 1500));
                id += 1;
            }
        }
        let (i, _, airtime) = exchange(&mut b, now, &limits, &rates);
        now += airtime;
        used[i] += airtime;
        exchanges[i] += 1;
    }
    (used.map(|u| u.as_secs_f64() / now.as_secs_f64()), exchanges)
}

/// A station at a tenth of the rate gets the same airtime as two fast ones, however its aggregates
/// differ.
#[test]
fn airtime_is_shared_equally() {
    let (shares, _) = saturated(StationsConfig::LINUX);
    assert!(
        shares.iter().all(|s| (s - 1.0 / 3.0).abs() < 0.01),
        "{shares:?}"
    );
}

/// Without airtime fairness aggregates take turns, and the slow station holds the air for longer.
#[test]
fn without_airtime_fairness_aggregates_take_turns() {
    let (shares, exchanges) = saturated(StationsConfig {
        airtime_fairness: false,
        ..StationsConfig::LINUX
    });
    let (least, most) = (exchanges.iter().min(), exchanges.iter().max());
    assert!(most.unwrap() - least.unwrap() <= 3, "{exchanges:?}");
    assert!((shares[0] - shares[2]).abs() < 0.01, "{shares:?}");
    assert!((shares[0] - 1.0 / 3.0).abs() > 0.05, "{shares:?}");
}

/// A packet that arrives while an aggregate is formed does not join it.
#[test]
fn an_aggregate_is_closed_when_it_is_formed() {
    let mut b = bench(StationsConfig::LINUX, &[65_000_000]);
    (0..12).for_each(|id| b.arrive(at(0), OTHER, packet(id, 1500)));
    let sizes: Vec<_> = (0..3)
        .map(|_| exchange(&mut b, at(0), &[HT], &[65_000_000]).1)
        .collect();
    // The first packet found the hardware queue empty, and the second its last place.
    assert_eq!(sizes, [1, 1, 10]);
    assert!(!b.queue.has_frames());
}

/// 12 ms at 6.5 Mbit/s are 9750 bytes: the seventh packet of 1500 passes the limit. One of them is
/// in the aggregate ahead.
#[test]
fn the_airtime_queue_limit_bounds_what_is_below() {
    let rates = [6_500_000];
    let mut b = bench(StationsConfig::LINUX, &rates);
    (0..100).for_each(|id| b.arrive(at(0), OTHER, packet(id, 1500)));
    let mut most = 0;
    while b.queue.has_frames() {
        most = most.max(exchange(&mut b, at(0), &[HT], &rates).1);
    }
    assert_eq!(most, 6);
    let unlimited = StationsConfig {
        aql: None,
        ..StationsConfig::LINUX
    };
    let mut b = bench(unlimited, &rates);
    (0..100).for_each(|id| b.arrive(at(0), OTHER, packet(id, 1500)));
    let most = (0..4)
        .map(|_| exchange(&mut b, at(0), &[HT], &rates).1)
        .max();
    assert_eq!(most, Some(42));
}

/// A station that speaks up now and then does not wait for those that always have something.
#[test]
fn a_sparse_station_comes_first() {
    let rates = [65_000_000; 4];
    let mut b = bench(StationsConfig::LINUX, &rates);
    for id in 0..600 {
        b.arrive(at(0), PeerId(id as u16 % 3), packet(id, 1500));
    }
    let mut now = at(0);
    for _ in 0..4 {
        now += exchange(&mut b, now, &[HT; 4], &rates).2;
    }
    b.arrive(now, PeerId(3), packet(600, 100));
    let order: Vec<_> = (0..3)
        .map(|_| exchange(&mut b, now, &[HT; 4], &rates).0)
        .collect();
    // Behind the two aggregates that are ready.
    assert_eq!(order[2], 3, "{order:?}");
}

/// A queue that is longer than the target for longer than the interval loses packets to CoDel, and
/// flows of one station take turns.
#[test]
fn codel_and_turns_within_a_station() {
    let rates = [65_000_000];
    let mut b = bench(StationsConfig::LINUX, &rates);
    for id in 0..400 {
        let flow = FlowId(id % 2);
        b.arrive(
            at(0),
            OTHER,
            Packet {
                flow,
                ..packet(id, 1500)
            },
        );
    }
    let mut now = at(0);
    let mut sent = 0;
    while b.queue.has_frames() {
        now += Span::from_millis(20);
        sent += exchange(&mut b, now, &[HT], &rates).1;
    }
    assert_eq!(sent + b.dropped.len(), 400);
    assert!(!b.dropped.is_empty());
    assert!(b.dropped.iter().all(|d| d.1 == DropReason::Aqm));
}

/// Too many packets: half of those of the flow with most go, of 58 that are not in the hardware
/// queue.
#[test]
fn the_limit_is_common_to_all_stations() {
    let config = StationsConfig {
        limit: 60,
        ..StationsConfig::LINUX
    };
    let mut b = bench(config, &[65_000_000; 2]);
    (0..70).for_each(|id| b.arrive(at(0), PeerId(u16::from(id >= 60)), packet(id, 1500)));
    assert!(
        b.dropped
            .iter()
            .all(|d| d.0 < 60 && d.1 == DropReason::QueueFull)
    );
    assert_eq!(b.dropped.len(), 29);
    assert_eq!(b.queue.remove(PacketId(69)).map(|p| p.id.0), Some(69));
    assert_eq!(
        b.queue.remove(PacketId(0)),
        None,
        "it is in the hardware queue"
    );
}

/// A packet in a hardware queue keeps its place.
#[test]
fn places_are_taken_in_the_flow_queues_only() {
    let mut b = bench(StationsConfig::LINUX, &[65_000_000; 2]);
    (0..70).for_each(|id| b.arrive(at(0), PeerId(0), packet(id, 1500)));
    let by = packet(99, 1500);
    let replace = |b: &mut Bench, id| b.queue.replace(at(1), PacketId(id), by).map(|p| p.id.0);
    assert_eq!(replace(&mut b, 0), None);
    assert_eq!(replace(&mut b, 69), Some(69));
    assert_eq!((b.queue.packets(), b.queue.inside()), (70, 70));
}
