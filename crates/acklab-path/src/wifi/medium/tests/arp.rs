//! Questions for addresses, by hand.
//!
//! 802.11n at 5 GHz: SIFS 16, AIFS 43 us. An MPDU with an ARP packet has 26 + 8 + 28 + 4 = 66 bytes. At MCS 7
//! that is 16 + 528 + 6 bits in 260 a symbol: 36 + 3 * 4 = 48 us. At 6 Mbit/s, where questions for everybody
//! are, 550 bits in 24 a symbol: 20 + 23 * 4 = 112 us. An ACK at 24 Mbit/s takes 28 us, data of 1460 bytes 224 us.

use super::*;
use crate::wifi::neighbour::ArpConfig;

const SOON: ArpConfig = ArpConfig {
    jitter_ms: 0,
    ..ArpConfig::NS3
};

fn asking(n: u16, arp: ArpConfig) -> MediumConfig {
    MediumConfig {
        arp: Some(arp),
        ..cell(n, Aggregation::NONE)
    }
}

/// From, to and kind of each PPDU that is no ACK.
fn said(rig: &Rig) -> Vec<(u16, u16, &'static str)> {
    let all = rig.log.ppdus.iter();
    let all = all.filter(|p| p.kind != PpduKind::Ack);
    all.map(|p| (p.from.0, p.to.0, p.kind.name())).collect()
}

fn stats(rig: &Rig, station: u16) -> [u64; 4] {
    let s = rig.medium.station_stats(StationId(station));
    [s.arp_requests, s.arp_replies, s.arp_lost, s.unresolved]
}

/// The station asks its access point, which sends the question on to everybody, answers, and then gets
/// the packet. All but the first question come when the air is taken, and back off.
#[test]
fn a_station_asks_before_it_sends() {
    let mut rig = Rig::new(asking(1, SOON), 1);
    rig.offer(0, 1460);
    assert_eq!(
        (rig.medium.inside(), rig.medium.unresolved(PortId(0))),
        (1, 1)
    );
    let arrived = rig.run(us(5000));
    assert_eq!(arrived.len(), 1);
    let lengths = rig.log.ppdus.iter().map(|p| (p.end - p.start).as_micros());
    let lengths: Vec<_> = lengths.collect();
    assert_eq!(lengths, [48, 28, 112, 48, 28, 224, 28]);
    let kinds: Vec<_> = rig.timeline().iter().map(|t| t.1).collect();
    assert_eq!(
        kinds,
        ["data", "ack", "group", "data", "ack", "data", "ack"]
    );
    assert_eq!(
        said(&rig),
        [
            (1, 0, "data"),
            (0, 1, "group"),
            (0, 1, "data"),
            (1, 0, "data")
        ]
    );
    let starts: Vec<_> = rig.timeline().iter().map(|t| t.0).collect();
    // 43 + 48 = 91, and a SIFS.
    assert_eq!(starts[..2], [43, 107]);
    let slots = |from: u64, to: u64| {
        let waited = to - from - 43;
        assert!(waited.is_multiple_of(9) && waited <= 15 * 9, "{waited}");
    };
    slots(107 + 28, starts[2]);
    // A broadcast reserves nothing.
    slots(starts[2] + 112, starts[3]);
    slots(starts[3] + 48 + 16 + 28, starts[5]);
    assert_eq!(arrived[0].0, rig.log.ppdus[5].end);
    assert_eq!(
        (stats(&rig, 0), stats(&rig, 1)),
        ([0, 1, 0, 0], [1, 0, 0, 0])
    );
    let control = rig.medium.airtime(rig.now).of(Use::Control);
    assert_eq!(control, Span::from_micros(48 + 112 + 48));
}

/// The way back needs a question, too, unless the first question has taught it.
#[test]
fn the_access_point_asks_back_unless_it_learns() {
    for (learns, asked) in [(false, 1), (true, 0)] {
        let mut rig = Rig::new(asking(1, ArpConfig { learns, ..SOON }), 1);
        rig.offer(0, 1460);
        assert_eq!(rig.run(us(5000)).len(), 1);
        rig.offer(1, 1460);
        assert_eq!(rig.run(us(10_000)).len(), 1);
        assert_eq!(stats(&rig, 0)[0], asked);
        assert_eq!(stats(&rig, 1)[1], asked, "the station answers");
        let last = said(&rig);
        let back = [(0, 1, "group"), (1, 0, "data"), (0, 1, "data")];
        assert!(
            last.ends_with(if learns { &back[2..] } else { &back }),
            "{last:?}"
        );
    }
}

/// An answer holds: later packets wait for nothing.
#[test]
fn an_address_is_asked_for_once() {
    let mut rig = Rig::new(asking(2, SOON), 1);
    (0..3).for_each(|_| rig.offer(0, 1460));
    assert_eq!(rig.run(us(5000)).len(), 3);
    (0..5).for_each(|_| rig.offer(0, 1460));
    assert_eq!(rig.run(us(9000)).len(), 5);
    assert_eq!(stats(&rig, 1), [1, 0, 0, 0]);
    assert_eq!(rig.log.drops, []);
}

/// A fourth packet for the same neighbour is dropped; one for another waits.
#[test]
fn three_packets_wait_for_an_address() {
    let mut rig = Rig::new(asking(2, SOON), 1);
    (0..4).for_each(|_| rig.offer(1, 1460));
    rig.offer(3, 1460);
    assert_eq!(rig.log.drops, [(3, DropReason::Unresolved)]);
    let mut arrived: Vec<_> = rig.run(us(20_000)).into_iter().map(|(_, id)| id).collect();
    arrived.sort_unstable();
    assert_eq!(arrived, [0, 1, 2, 4]);
    assert_eq!(stats(&rig, 0), [2, 0, 0, 1]);
}

/// Nobody hears the access point: its group-addressed question is sent once and comes again each second,
/// three times; the packet is dropped after four.
#[test]
fn who_is_not_heard_asks_again_each_second() {
    let mut config = asking(1, SOON);
    config.hears = Some(vec![vec![true, true], vec![false, true]]);
    let mut rig = Rig::new(config, 1);
    rig.offer(1, 1460);
    assert_eq!(rig.run(us(3_999_999)), []);
    assert_eq!(said(&rig), [(0, 1, "group"); 4]);
    // The air is quiet from 155 us on: an AIFS later and every 9 us is a slot's boundary.
    let starts: Vec<_> = rig.timeline().iter().map(|t| t.0).collect();
    assert_eq!(starts[..2], [43, 155 + 43 + 9 * 111_090]);
    for (s, start) in (1..).zip(&starts[1..]) {
        assert!((0..9).contains(&(start - s * 1_000_000)), "{start}");
    }
    assert_eq!(rig.log.drops, []);
    rig.run(us(4_000_000));
    assert_eq!(rig.log.drops, [(0, DropReason::Unresolved)]);
    assert_eq!((stats(&rig, 0), rig.medium.inside()), ([4, 0, 4, 1], 0));
}

/// The question waits for whole milliseconds below ten, each as likely as the others.
#[test]
fn questions_jitter_by_whole_milliseconds() {
    let mut seen = [0; 10];
    for seed in 0..400 {
        let mut rig = Rig::new(asking(1, ArpConfig::NS3), seed);
        rig.offer(0, 1460);
        rig.run(us(11_000));
        let first = rig.timeline()[0].0;
        // At once, an AIFS being over, but at a slot's boundary.
        let late = first % 1000;
        assert!(late < 9 || first == 43, "{first}");
        seen[(first / 1000) as usize] += 1;
    }
    // 40 each, by a deviation of 6.
    assert!(seen.iter().all(|n| (20..=60).contains(n)), "{seen:?}");
}

/// Two questions of stations that do not hear each other collide and are repeated, as they are for the
/// access point; all is found out in the end.
#[test]
fn a_question_to_the_access_point_is_repeated() {
    let mut config = asking(2, SOON);
    let all = |a: usize| (0..3).map(|b| a == 0 || b == 0 || a == b).collect();
    config.hears = Some((0..3).map(all).collect());
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.offer(2, 1460);
    assert_eq!(rig.run(us(50_000)).len(), 2);
    assert!(rig.log.ppdus[0].garbled && rig.log.ppdus[1].garbled);
    assert_eq!(
        (stats(&rig, 1)[0], stats(&rig, 2)[0]),
        (1, 1),
        "by the MAC, not by ARP"
    );
}

/// Flow queues keep places of packets by number; messages have none.
#[test]
fn messages_wait_in_queues_per_station() {
    let mut config = asking(2, SOON);
    for station in &mut config.stations {
        station.queue.kind = mac::Kind::PerStation(mac::StationsConfig::LINUX);
    }
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.offer(1, 1460);
    rig.offer(3, 1460);
    // One of the access point's two questions collides, and is repeated after a second.
    assert_eq!(rig.run(us(990_000)).len(), 2);
    assert_eq!(stats(&rig, 0), [2, 1, 1, 0]);
    assert_eq!(rig.run(us(1_050_000)).len(), 1);
    assert_eq!((stats(&rig, 0), rig.medium.inside()), ([3, 1, 1, 0], 0));
}

/// A discipline above the radio keeps what it knows of packets by number, too.
#[test]
fn messages_wait_under_a_discipline() {
    use crate::qdisc::registry::{DISCIPLINES, Room};
    use acklab_proto::registry::Params;
    for entry in DISCIPLINES {
        let mut rig = Rig::new(asking(2, SOON), 1);
        for station in 0..3 {
            let params = Params::defaults(entry.params);
            let room = Room::new(entry.build.limit, 1, "here");
            let discipline = (entry.build.make)(&params, room);
            rig.medium.put_above(StationId(station), 0, discipline);
        }
        rig.offer(0, 1460);
        rig.offer(1, 1460);
        rig.offer(3, 1460);
        assert_eq!(rig.run(us(1_050_000)).len(), 3, "{}", entry.name);
        assert_eq!(rig.medium.inside(), 0, "{}", entry.name);
    }
}
