//! Block ack agreements, by hand.
//!
//! 802.11n at 5 GHz: SIFS 16, AIFS 43 us. An ADDBA frame has 24 + 9 + 4 = 37 bytes. At 6 Mbit/s that is 16 + 296 + 6
//! bits in 24 a symbol: 20 + 14 * 4 = 76 us. Its ACK takes 20 + 6 * 4 = 44 us.

use super::*;
use crate::wifi::agreement::{AddbaConfig, AgreementStats};

const HT: AddbaConfig = AddbaConfig::NS3_HT;

fn negotiating(n: u16, addba: AddbaConfig) -> MediumConfig {
    MediumConfig {
        addba: Some(addba),
        ..cell(n, ampdu(65_535))
    }
}

/// Nobody but the access point hears the others.
fn hidden(mut config: MediumConfig) -> MediumConfig {
    let n = config.stations.len();
    let row = |a| (0..n).map(|b| a == 0 || b == 0 || a == b).collect();
    config.hears = Some((0..n).map(row).collect());
    config
}

fn kinds(rig: &Rig) -> Vec<&'static str> {
    rig.timeline().iter().map(|t| t.1).collect()
}

fn starts(rig: &Rig) -> Vec<u64> {
    rig.timeline().iter().map(|t| t.0).collect()
}

/// Requests, agreements, failures.
fn counts(rig: &Rig, station: u16) -> [u64; 3] {
    let s = rig.medium.agreements(StationId(station));
    [s.requests, s.agreed, s.failed]
}

/// The request, its ACK; an AIFS later the response, its ACK; and then everything at once.
#[test]
fn an_agreement_comes_before_aggregates() {
    let mut rig = Rig::new(negotiating(1, HT), 1);
    (0..3).for_each(|_| rig.offer(0, 1460));
    let arrived = rig.run(us(5000));
    assert_eq!(arrived.len(), 3);
    assert_eq!(
        kinds(&rig),
        [
            "addba_request",
            "ack",
            "addba_response",
            "ack",
            "data",
            "block_ack"
        ]
    );
    let request = 43;
    let ack = request + 76 + 16;
    let response = ack + 44 + 43;
    let last = response + 76 + 16;
    assert_eq!(starts(&rig)[..4], [request, ack, response, last]);
    // A backoff runs since the first ACK.
    let data = starts(&rig)[4] - (last + 44 + 43);
    assert!(data.is_multiple_of(9) && data <= 15 * 9, "{data}");
    let ppdus = &rig.log.ppdus;
    assert_eq!(ppdus[4].mpdus, 3);
    let lengths: Vec<_> = ppdus[..4]
        .iter()
        .map(|p| (p.end - p.start).as_micros())
        .collect();
    assert_eq!(lengths, [76, 44, 76, 44]);
    let bytes: Vec<_> = ppdus[..4].iter().map(|p| p.bytes).collect();
    assert_eq!(bytes, [37, 14, 37, 14]);
    assert!(
        ppdus[..4]
            .iter()
            .all(|p| p.mode == rig.medium.phy.slowest())
    );
    assert_eq!(ppdus[0].nav, us(last - 76 - 16 - 43));
    let agreed = us(last + 44);
    let expected = AgreementStats {
        requests: 1,
        agreed: 1,
        failed: 0,
        first: Some(agreed),
        last: Some(agreed),
    };
    assert_eq!(rig.medium.agreements(StationId(1)), expected);
    assert_eq!(counts(&rig, 0), [0; 3], "nobody has asked the other way");
    let control = rig.medium.airtime(rig.now).of(Use::Control);
    assert_eq!(control, Span::from_micros(76 + 76));
    let sent = rig.medium.station_stats(StationId(1));
    assert_eq!((sent.data_ppdus, sent.mpdus), (1, 3), "ADDBA is no data");
}

/// Later packets find the agreement; the way back needs its own.
#[test]
fn an_agreement_is_asked_for_once_each_way() {
    let mut rig = Rig::new(negotiating(1, HT), 1);
    for round in 1..4 {
        (0..4).for_each(|_| rig.offer(0, 1460));
        assert_eq!(rig.run(us(5000 * round)).len(), 4);
    }
    assert_eq!((counts(&rig, 1), counts(&rig, 0)), ([1, 1, 0], [0; 3]));
    (0..4).for_each(|_| rig.offer(1, 1460));
    assert_eq!(rig.run(us(25_000)).len(), 4);
    assert_eq!((counts(&rig, 1), counts(&rig, 0)), ([1, 1, 0], [1, 1, 0]));
}

/// A packet alone needs no agreement with HT, and one with VHT.
#[test]
fn one_packet_is_worth_an_agreement_or_not() {
    for (addba, asked) in [(HT, 0), (AddbaConfig::NS3_VHT, 1)] {
        let mut rig = Rig::new(negotiating(1, addba), 1);
        rig.offer(0, 1460);
        assert_eq!(rig.run(us(5000)).len(), 1);
        assert_eq!(counts(&rig, 1), [asked, asked, 0]);
        assert!(kinds(&rig).ends_with(&["data", "ack"]));
    }
}

/// A station that sends no A-MPDUs, or that cannot be answered, asks for no agreement.
#[test]
fn what_needs_no_agreement_has_none() {
    let mut config = negotiating(1, HT);
    config
        .ports
        .iter_mut()
        .for_each(|p| p.aggregation.ampdu = 0);
    let mut rig = Rig::new(config, 1);
    (0..3).for_each(|_| rig.offer(0, 1460));
    assert_eq!(rig.run(us(5000)).len(), 3);
    assert_eq!(kinds(&rig), ["data", "ack"].repeat(3));
    let mut config = negotiating(1, HT);
    config.ports.truncate(1);
    let mut rig = Rig::new(config, 1);
    (0..3).for_each(|_| rig.offer(0, 1460));
    assert_eq!(rig.run(us(5000)).len(), 3);
    assert_eq!(kinds(&rig), ["data", "block_ack"]);
}

/// A response that comes after its time is one all the same; until then MPDUs go singly.
#[test]
fn data_go_singly_until_a_late_response() {
    let hasty = AddbaConfig {
        response_timeout: Span::from_micros(10),
        ..HT
    };
    let mut rig = Rig::new(negotiating(1, hasty), 1);
    // The access point has its own to send before.
    (0..40).for_each(|_| rig.offer(0, 1460));
    let arrived = rig.run(us(100_000));
    assert_eq!(arrived.len(), 40);
    assert_eq!(counts(&rig, 1), [1, 1, 1]);
    let told = rig
        .log
        .ppdus
        .iter()
        .position(|p| p.kind == PpduKind::AddbaResponse);
    let (before, after) = rig.log.ppdus.split_at(told.unwrap());
    assert!(before.iter().all(|p| p.mpdus <= 1));
    assert!(after.iter().any(|p| p.mpdus > 1));
}

/// A station that hears nobody learns of no answer: each attempt is seven requests, and 200 ms later comes the
/// next one. In between MPDUs go singly, again and again.
#[test]
fn who_is_not_heard_tries_again() {
    let mut config = negotiating(1, HT);
    config.hears = Some(vec![vec![true, true], vec![false, true]]);
    for s in &mut config.stations {
        s.queue.lifetime = None;
    }
    let mut rig = Rig::new(config, 1);
    (0..400).for_each(|_| rig.offer(0, 1460));
    rig.run(us(1_000_000));
    let [requests, agreed, failed] = counts(&rig, 1);
    assert_eq!((requests, agreed, failed), (5, 0, 5));
    let sent = |kind| rig.log.ppdus.iter().filter(move |p| p.kind == kind);
    assert_eq!(sent(PpduKind::AddbaRequest).count(), 5 * 7);
    assert!(sent(PpduKind::Data).all(|p| p.mpdus == 1));
    assert!(sent(PpduKind::Data).count() > 100);
    let first: Vec<_> = sent(PpduKind::AddbaRequest).map(|p| p.start).collect();
    let gap = first[7] - first[6];
    assert!(gap >= HT.failed_timeout, "{gap:?}");
    // Timers do not cut off what lives long.
    assert!(gap < HT.failed_timeout + Span::from_millis(30), "{gap:?}");
}

/// A request that has waited for longer than packets live is given up, and asked again.
#[test]
fn a_request_does_not_outlive_packets() {
    let mut config = negotiating(1, HT);
    config.hears = Some(vec![vec![true, true], vec![false, true]]);
    for s in &mut config.stations {
        s.queue.lifetime = Some(Span::from_millis(1));
    }
    let mut rig = Rig::new(config, 1);
    (0..50).for_each(|_| rig.offer(0, 1460));
    rig.run(us(50_000));
    rig.offer(0, 1460);
    rig.run(us(60_000));
    assert_eq!(counts(&rig, 1), [1, 0, 1]);
    let requests = kinds(&rig)
        .iter()
        .filter(|k| **k == "addba_request")
        .count();
    assert!((2..7).contains(&requests), "{requests}");
    assert!(
        rig.log
            .drops
            .iter()
            .all(|d| d.1 == DropReason::LifetimeExpired)
    );
    assert_eq!(rig.medium.inside(), 0);
}

/// Twelve hidden stations that send as much as they can: attempts fail, some agree soon and some after
/// seconds, and nobody sends an A-MPDU before.
#[test]
fn hidden_stations_agree_after_a_while() {
    let mut rig = Rig::new(hidden(negotiating(12, HT)), 3);
    let ports: Vec<_> = (0..12).map(|s| 2 * s).collect();
    rig.saturate(&ports, 1460, 50, us(6_000_000));
    let all: Vec<_> = (1..=12)
        .map(|s| rig.medium.agreements(StationId(s)))
        .collect();
    let failed: u64 = all.iter().map(|s| s.failed).sum();
    let agreed: u64 = all.iter().map(|s| s.agreed).sum();
    assert!(failed >= 2, "{all:?}");
    assert!((6..=12).contains(&agreed), "{all:?}");
    for (s, stats) in (1..).map(StationId).zip(&all) {
        assert!(stats.requests >= stats.failed, "{stats:?}");
        let own = rig.log.ppdus.iter().filter(|p| p.from == s && p.mpdus > 1);
        let first = own.map(|p| p.start).min();
        assert_eq!(first.is_some(), stats.agreed > 0, "{s:?} {stats:?}");
        assert!(first.is_none() || first > stats.first, "{s:?} {stats:?}");
    }
    let last = all.iter().filter_map(|s| s.last).max();
    assert!(last > Some(us(200_000)), "{last:?}");
    // Stations that hear the others wait once for too long, as all begin at once, and agree.
    let mut open = Rig::new(negotiating(12, HT), 3);
    open.saturate(&ports, 1460, 50, us(1_000_000));
    let open: Vec<_> = (1..=12).map(|s| counts(&open, s)).collect();
    assert!(open.iter().all(|[_, agreed, _]| *agreed == 1), "{open:?}");
    let failed_open: u64 = open.iter().map(|[_, _, failed]| failed).sum();
    assert!(2 * failed_open < failed, "{failed_open} {failed}");
}

/// With a queue per station, packets that wait for an agreement keep nobody else waiting.
#[test]
fn others_are_served_while_a_response_is_awaited() {
    let mut config = negotiating(3, HT);
    for s in &mut config.stations {
        s.queue.kind = mac::Kind::PerStation(mac::StationsConfig::LINUX);
    }
    // The first station cannot be heard.
    let mut hears = vec![vec![true; 4]; 4];
    hears[1] = vec![false, true, false, false];
    config.hears = Some(hears);
    let mut rig = Rig::new(config, 1);
    for _ in 0..30 {
        [1, 3, 5].iter().for_each(|p| rig.offer(*p, 1460));
    }
    let arrived = rig.run(us(100_000));
    let of = |port: u32| {
        arrived
            .iter()
            .filter(|(_, id)| id % 3 == (port - 1) / 2)
            .count()
    };
    assert_eq!((of(3), of(5)), (30, 30));
    assert!(counts(&rig, 0)[1] >= 2, "{:?}", counts(&rig, 0));
}

/// Addresses come first, in single MPDUs, and then agreements.
#[test]
fn addresses_are_asked_for_before_agreements() {
    use crate::wifi::neighbour::ArpConfig;
    let config = MediumConfig {
        arp: Some(ArpConfig {
            jitter_ms: 0,
            ..ArpConfig::NS3
        }),
        ..negotiating(1, HT)
    };
    let mut rig = Rig::new(config, 1);
    (0..3).for_each(|_| rig.offer(0, 1460));
    assert_eq!(rig.run(us(8000)).len(), 3);
    let all = kinds(&rig);
    let first = |kind| all.iter().position(|k| *k == kind).unwrap();
    assert!(first("group") < first("addba_request"), "{all:?}");
    assert!(
        all.ends_with(&["addba_response", "ack", "data", "block_ack"]),
        "{all:?}"
    );
}
