//! Transport ACKs in the answers to data.

use super::*;

const STATION: StationId = StationId(1);

/// One station that is sent to over port 1, whose ACKs wait at port 0.
fn hack(aggregation: Aggregation, carried: CarriedAcks) -> MediumConfig {
    let mut config = cell(1, aggregation);
    config.ports[1].carries_acks = Some(carried);
    config
}

/// Four packets without aggregation, and after the first the station has an ACK of 52 bytes for
/// each. An ACK at 24 Mbit/s with `n` times 4 bytes: 20 + 4 * ceil((16 + 112 + 32 n + 6) / 96) us:
/// 28 us with none, and with one 166 bits in two symbols as well; with two, 198 bits, 32 us.
#[test]
fn acks_ride_in_the_answers() {
    let mut rig = Rig::new(hack(Aggregation::NONE, CarriedAcks::HACK), 1);
    (0..4).for_each(|_| rig.offer(1, 1460));
    let first = rig.run(us(43 + 224));
    assert_eq!(first, [(us(267), 0)]);
    rig.offer(0, 52);
    assert_eq!(rig.medium.next_wakeup(), Some(us(267 + 16)));
    // It rides at once: the answer had not begun.
    assert_eq!(rig.run(us(267 + 16 + 28)), [(us(311), 4)]);
    rig.offer(0, 52);
    rig.offer(0, 60);
    let all: Vec<_> = rig.run(us(5000)).iter().map(|a| a.1).collect();
    assert_eq!(all, [1, 5, 6, 2, 3]);
    let answers = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Ack);
    let answers: Vec<_> = answers
        .map(|p| (p.carried, p.bytes, (p.end - p.start).as_micros()))
        .collect();
    assert_eq!(
        answers,
        [(1, 18, 28), (2, 22, 32), (0, 14, 28), (0, 14, 28)]
    );
    let stats = rig.medium.station_stats(STATION);
    assert_eq!((stats.acks_carried, stats.acks_carried_in_vain), (3, 0));
    assert_eq!(stats.accesses, 0, "no access of its own");
    let left: Vec<_> = rig.log.left.iter().map(|l| l.0).collect();
    assert_eq!(left, [0, 4, 1, 5, 6, 2, 3], "each leaves once");
}

/// Without a promise of more data ACKs contend; with one that is not kept they do after a while.
#[test]
fn acks_wait_only_for_what_was_promised() {
    let config = || hack(Aggregation::NONE, CarriedAcks::HACK);
    let mut rig = Rig::new(config(), 1);
    rig.offer(1, 1460);
    rig.run(us(311));
    rig.offer(0, 52);
    rig.run(us(1000));
    assert_eq!(rig.log.ppdus.last().map(|p| p.start < us(600)), Some(true));
    let mut rig = Rig::new(config(), 1);
    rig.offer(1, 1460);
    rig.offer(1, 1460);
    rig.run(us(311));
    assert!(rig.medium.remove(PortId(1), PacketId(1)).is_some());
    rig.offer(0, 52);
    let patience = CarriedAcks::HACK.patience;
    assert_eq!(rig.run(us(311) + patience), []);
    assert_eq!(rig.medium.station_stats(STATION).acks_kept_in_vain, 1);
    assert_eq!(rig.run(us(20_000)).len(), 1);
}

/// Two stations have promised more data; the first sends on, and its answers carry its ACKs. Those of
/// the second, which has nothing after all, do not wait for that to end.
#[test]
fn patience_is_not_renewed_by_what_others_send() {
    let mut config = cell(2, Aggregation::NONE);
    for up in [0, 2] {
        config.ports[up].carries_acks = Some(CarriedAcks::HACK);
    }
    let mut rig = Rig::new(config, 1);
    (0..2).for_each(|_| rig.offer(2, 1460));
    rig.run(us(311));
    assert!(rig.medium.remove(PortId(2), PacketId(1)).is_some());
    (0..2).for_each(|_| rig.offer(0, 1460));
    let (mut waits, mut carried) = (None, 0);
    while let Some(packet) = rig.next(us(60_000)) {
        match packet.flow.0 {
            // As long as there are always two, each answer has an ACK to carry.
            0 => {
                rig.offer(0, 1460);
                rig.offer(1, 52);
                if waits.is_none() {
                    waits = Some(rig.now);
                    rig.offer(3, 52);
                }
            }
            1 => carried += 1,
            _ => {
                let patience = CarriedAcks::HACK.patience;
                let waited = rig.now - waits.unwrap();
                assert!(
                    waited > patience && waited < patience + Span::from_millis(2),
                    "{waited:?}"
                );
                assert!(carried > 20);
                return;
            }
        }
    }
    panic!("it never arrives");
}

/// Data for the stations of `ways`, the first of two packets of each; the answers promise that ACKs may
/// ride in the next. The others behind them are gone, so that nothing can carry what is kept.
fn promised(config: MediumConfig, ways: &[u32]) -> Rig {
    let mut rig = Rig::new(config, 1);
    for way in ways {
        (0..2).for_each(|_| rig.offer(*way, 1460));
    }
    let second = |i: usize| PacketId(2 * i as u32 + 1);
    let mut first = 0;
    while first < ways.len() {
        let packet = rig.next(us(20_000)).unwrap();
        // The second ones come after the last answer.
        assert!(packet.id.0.is_multiple_of(2), "{packet:?}");
        first += 1;
    }
    for (i, way) in ways.iter().enumerate() {
        assert!(rig.medium.remove(PortId(*way), second(i)).is_some());
    }
    rig.run(rig.now + Span::from_micros(16 + 28));
    rig
}

/// An access point with ACKs for three stations, two of which have promised more data. Those for the
/// third go at once, and take no others along; each of the others waits as long as it may.
#[test]
fn who_may_not_wait_takes_nobody_along() {
    let mut config = cell(3, Aggregation::NONE);
    for up in [0, 2, 4] {
        config.ports[up].carries_acks = Some(CarriedAcks::HACK);
    }
    let mut rig = promised(config, &[0, 2]);
    let begin = rig.now;
    rig.offer(1, 52);
    rig.run(begin + Span::from_micros(2000));
    rig.offer(3, 52);
    rig.offer(5, 52);
    let mut arrived = vec![];
    while let Some(packet) = rig.next(begin + Span::from_millis(30)) {
        arrived.push((packet.flow.0, rig.now - begin));
    }
    let patience = CarriedAcks::HACK.patience;
    let waits = [
        (5, Span::from_micros(2000)),
        (1, patience),
        (3, Span::from_micros(2000) + patience),
    ];
    assert_eq!(arrived.len(), waits.len());
    for ((flow, at), (expected, least)) in arrived.iter().zip(waits) {
        assert_eq!(*flow, expected);
        assert!(
            *at > least && *at < least + Span::from_micros(500),
            "{flow}: {at:?}"
        );
    }
    assert_eq!(rig.medium.station_stats(AP).acks_kept_in_vain, 2);
}

/// An expired packet is not taken along, and leaves with its reason.
#[test]
fn nothing_rides_that_has_lived_too_long() {
    let mut config = hack(
        Aggregation::NONE,
        CarriedAcks {
            patience: Span::from_millis(100),
            ..CarriedAcks::HACK
        },
    );
    let lifetime = Span::from_millis(5);
    config.stations[1].queue.lifetime = Some(lifetime);
    let mut rig = promised(config, &[1]);
    let begin = rig.now;
    rig.offer(0, 52);
    rig.run(begin + Span::from_micros(4000));
    rig.offer(0, 52);
    rig.run(begin + Span::from_micros(5500));
    rig.offer(1, 1460);
    let all: Vec<_> = rig.run(us(50_000)).iter().map(|a| a.1).collect();
    assert_eq!(all, [4, 3]);
    assert_eq!(rig.log.drops, [(2, DropReason::LifetimeExpired)]);
    assert_eq!(rig.medium.station_stats(STATION).acks_carried, 1);
}

/// Data without a promise are the last: their answer takes along what it may, and what is left
/// contends at once.
#[test]
fn the_last_answer_ends_the_waiting() {
    let carried = CarriedAcks {
        most: 1,
        patience: Span::from_millis(100),
        ..CarriedAcks::HACK
    };
    let mut rig = promised(hack(Aggregation::NONE, carried), &[1]);
    (0..3).for_each(|_| rig.offer(0, 52));
    rig.offer(1, 1460);
    let all = rig.run(rig.now + Span::from_millis(3));
    let ids: Vec<_> = all.iter().map(|a| a.1).collect();
    assert_eq!(ids, [5, 2, 3, 4]);
    let stats = rig.medium.station_stats(STATION);
    assert_eq!((stats.acks_carried, stats.acks_kept_in_vain), (1, 0));
}

/// In queues per station ACKs wait in the flow queues until an answer takes them along.
#[test]
fn acks_ride_from_flow_queues() {
    let mut config = hack(Aggregation::NONE, CarriedAcks::HACK);
    for station in &mut config.stations {
        station.queue.kind = mac::Kind::PerStation(mac::StationsConfig::LINUX);
    }
    let mut rig = Rig::new(config, 1);
    (0..20).for_each(|_| rig.offer(1, 1460));
    let mut acks = 0;
    while let Some(packet) = rig.next(us(20_000)) {
        if packet.flow.0 == 1 && packet.id.0.is_multiple_of(2) && packet.id.0 < 18 {
            (0..3).for_each(|_| rig.offer(0, 52));
            acks += 3;
        }
    }
    let stats = rig.medium.station_stats(STATION);
    assert_eq!((acks, stats.acks_carried, stats.accesses), (27, 27, 0));
    assert_eq!(rig.medium.inside(), 0);
}

/// A packet that is no ACK contends at once, and takes the ACKs before it along.
#[test]
fn data_do_not_wait() {
    let mut rig = Rig::new(hack(Aggregation::NONE, CarriedAcks::HACK), 1);
    (0..50).for_each(|_| rig.offer(1, 1460));
    rig.run(us(320));
    rig.offer(0, 52);
    rig.offer(0, 900);
    rig.offer(0, 52);
    let all = rig.run(us(50_000));
    let back: Vec<_> = all.iter().map(|a| a.1).filter(|id| *id >= 50).collect();
    assert_eq!(back, [50, 51, 52]);
    let long = rig
        .log
        .ppdus
        .iter()
        .filter(|p| p.from == STATION && p.kind == PpduKind::Data);
    assert!(long.count() >= 1);
}

/// An answer that is lost is as if it had not carried anything.
#[test]
fn acks_stay_until_an_answer_arrives() {
    let mut config = hack(ampdu(16_384), CarriedAcks::HACK);
    for port in &mut config.ports {
        port.errors = ErrorModel::Ber(1e-3);
    }
    let mut rig = Rig::new(config, 2);
    (0..400).for_each(|_| rig.offer(1, 60));
    let mut back = 0;
    for i in 1..400u64 {
        let all = rig.run(us(300 * i));
        (0..all.iter().filter(|a| a.1 < 400).count()).for_each(|_| {
            rig.offer(0, 52);
            back += 1;
        });
    }
    rig.run(us(2_000_000));
    let stats = rig.medium.station_stats(STATION);
    assert!(
        stats.acks_carried > 100 && stats.acks_carried_in_vain > 20,
        "{stats:?}"
    );
    assert_eq!(rig.medium.inside(), 0);
    assert!(back > 300);
}

/// Downlink with an ACK for every second packet: what the paper is about. Without, each run of
/// ACKs costs an access; with, the data get that time.
#[test]
fn carried_acks_leave_more_air_to_data() {
    let rate = |carried| {
        let mut config = cell(1, ampdu(16_384));
        config.ports[1].carries_acks = carried;
        let mut rig = Rig::new(config, 5);
        (0..60).for_each(|_| rig.offer(1, 1460));
        let (mut data, mut odd) = (0, false);
        while let Some(packet) = rig.next(us(1_000_000)) {
            if packet.flow.0 == 1 {
                rig.offer(1, 1460);
                data += 1;
                odd = !odd;
                if odd {
                    rig.offer(0, 52);
                }
            }
        }
        data
    };
    let (without, with) = (rate(None), rate(Some(CarriedAcks::HACK)));
    assert!(
        f64::from(with) > 1.04 * f64::from(without),
        "{with} {without}"
    );
}
