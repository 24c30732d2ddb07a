//! One exchange at a time.

use super::*;
use acklab_units::Rate;

/// A packet of 1460 bytes: MPDU 1460 + 8 + 30 = 1498 bytes, 16 + 8 * 1498 + 6 = 12,006 bits in
/// symbols of 260: 47 symbols of 4 us behind a preamble of 36 us = 224 us. ACK at 24 Mbit/s:
/// 20 + 4 * ceil((16 + 112 + 6) / 96) = 28 us. AIFS = 16 + 3 * 9 = 43 us.
#[test]
fn data_and_ack() {
    let mut rig = Rig::new(cell(1, Aggregation::NONE), 1);
    rig.offer(0, 1460);
    assert_eq!(rig.run(us(1000)), [(us(43 + 224), 0)]);
    let expected = [(43, "data", true), (43 + 224 + 16, "ack", true)];
    assert_eq!(rig.timeline(), expected);
    let air = rig.medium.airtime(us(1000));
    let spent = Use::OF_MEDIUM.map(|u| air.of(u).as_micros());
    assert_eq!(spent, [1000 - 311, 43, 16, 224, 0, 28, 0, 0, 0]);
    assert_eq!(rig.log.left, [(0, Span::from_micros(43))]);
}

/// RTS at 24 Mbit/s: 20 + 4 * ceil((16 + 160 + 6) / 96) = 28 us; CTS as long as an ACK.
#[test]
fn rts_and_cts() {
    let mut config = cell(1, Aggregation::NONE);
    config.ports[0].rts_from = Some(1000);
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.offer(0, 400);
    let all = rig.run(us(2000));
    assert_eq!(all[0], (us(43 + 28 + 16 + 28 + 16 + 224), 0));
    let kinds: Vec<_> = rig.timeline().iter().map(|t| t.1).collect();
    assert_eq!(kinds, ["rts", "cts", "data", "ack", "data", "ack"]);
    // Every announcement reserves up to the end of what it announces.
    let ends: Vec<_> = rig.log.ppdus[..3].iter().map(|p| p.nav).collect();
    assert_eq!(ends, [rig.log.ppdus[3].end; 3]);
}

/// RTS at 6 Mbit/s: 20 + 4 * ceil((16 + 160 + 6) / 24) = 52 us; its CTS 20 + 4 * ceil((16 + 112 + 6) /
/// 24) = 44 us. Data and ACK as above, the ACK at 24 Mbit/s.
#[test]
fn a_slow_rts_is_answered_by_a_slow_cts() {
    let mut rig = Rig::new(slow_rts(), 1);
    rig.offer(0, 1460);
    let data = 43 + 52 + 16 + 44 + 16;
    assert_eq!(rig.run(us(2000)), [(us(data + 224), 0)]);
    let times = [
        (43, "rts", true),
        (43 + 52 + 16, "cts", true),
        (data, "data", true),
        (data + 224 + 16, "ack", true),
    ];
    assert_eq!(rig.timeline(), times);
    let rates = rig
        .log
        .ppdus
        .iter()
        .map(|p| p.mode.rate().as_bps() / 1_000_000);
    assert_eq!(rates.collect::<Vec<_>>(), [6, 6, 65, 24]);
    // Every announcement reserves up to the end of what it announces.
    let ends: Vec<_> = rig.log.ppdus[..3].iter().map(|p| p.nav).collect();
    assert_eq!(ends, [us(data + 224 + 16 + 28); 3]);
}

/// Packets of 1400 bytes in subframes of 1444 bytes in an opportunity of 900 us. Beside RTS and CTS at 24
/// Mbit/s, block ack and SIFSs, 28 + 28 + 32 + 3 * 16 = 136 us, 764 us are left: (764 - 36) / 4 = 182 symbols
/// hold 5912 bytes, four packets (5774 bytes). At 6 Mbit/s, 52 + 44 instead of 28 + 28, they are 724 us,
/// 172 symbols, 5587 bytes: three.
#[test]
fn a_slow_rts_leaves_less_of_an_opportunity() {
    let sent = |phy: Phy| {
        let mut config = slow_rts();
        (config.phy, config.ports[0].aggregation) = (phy, ampdu(65_535));
        config.stations[1].categories[0].txop = Span::from_micros(900);
        let mut rig = Rig::new(config, 1);
        (0..8).for_each(|_| rig.offer(0, 1400));
        rig.run(us(1000));
        let data = rig.log.ppdus.iter().find(|p| p.kind == PpduKind::Data);
        data.map(|p| p.mpdus)
    };
    let usual = Phy::new(&PhyConfig::new(Band::Ghz5)).unwrap();
    assert_eq!((sent(usual), sent(slow_rts().phy)), (Some(4), Some(3)));
}

/// At 5 GHz, everything announced by RTS at 6 Mbit/s.
fn slow_rts() -> MediumConfig {
    let six = Mode::legacy(Rate::from_bps(6_000_000)).unwrap();
    let mut config = cell(1, Aggregation::NONE);
    let phy = PhyConfig {
        rts: Some(six),
        ..PhyConfig::new(Band::Ghz5)
    };
    (config.phy, config.ports[0].rts_from) = (Phy::new(&phy).unwrap(), Some(0));
    config
}

/// Five packets of 1460 bytes: subframes of 4 + 1498 + 2 bytes, the last without padding, together
/// 7518 bytes, 60,166 bits, 232 symbols: 36 + 928 us. Block ack of 32 bytes at 24 Mbit/s:
/// 20 + 4 * ceil((16 + 256 + 6) / 96) = 32 us. The i-th of them ends with byte 1504 i + 1502, in symbol
/// ceil((16 + 8 (1504 i + 1502) + 6) / 260) = 47, 93, 139, 186, 232.
#[test]
fn ampdu_and_block_ack() {
    let mut rig = Rig::new(cell(1, ampdu(65_535)), 1);
    (0..5).for_each(|_| rig.offer(0, 1460));
    let all = rig.run(us(3000));
    let ends = [(47, 0), (93, 1), (139, 2), (186, 3), (232, 4)];
    assert_eq!(all, ends.map(|(n, i)| (us(43 + 36 + 4 * n), i)));
    assert_eq!(
        rig.timeline(),
        [(43, "data", true), (43 + 964 + 16, "block_ack", true)]
    );
    assert_eq!(rig.log.ppdus[0].bytes, 7518);
    assert_eq!(
        (rig.log.ppdus[1].end - Instant::ZERO).as_micros(),
        1023 + 32
    );
}

/// Two stations that hear the AP and not each other, the first with five packets.
fn two_apart(aggregation: Aggregation) -> Rig {
    let mut config = cell(2, aggregation);
    let (hears, not) = (vec![true; 3], |s| (0..3).map(|i| i != s).collect());
    config.hears = Some(vec![hears, not(2), not(1)]);
    let mut rig = Rig::new(config, 1);
    (0..5).for_each(|_| rig.offer(0, 1460));
    rig
}

/// The same beside a hidden station that sends from 502 us to 726 us. MPDUs end at 267, 451, 635, 823
/// and 1007 us: it takes the third and the fourth, and its own is lost. The others are acknowledged,
/// the fifth waits for these two, which are sent again, and each is passed on once.
#[test]
fn another_takes_the_mpdus_that_it_overlaps() {
    let mut rig = two_apart(ampdu(65_535));
    let mut all = rig.run(us(500));
    assert_eq!(all, [(us(267), 0), (us(451), 1)]);
    rig.offer(2, 1460);
    assert_eq!(rig.run(us(1022)), []);
    let air = rig.medium.airtime(rig.now);
    assert_eq!(air.of(Use::Collision), Span::from_micros(224));
    assert_eq!(rig.run(us(1071)), []);
    let [hidden, data, answer] = rig.log.ppdus[..3] else {
        panic!("three PPDUs");
    };
    assert_eq!((hidden.start, hidden.end), (us(502), us(726)));
    assert!(hidden.garbled && hidden.spoilt == hidden.end - hidden.start);
    assert_eq!((hidden.mpdus_spoilt, data.mpdus_spoilt), (1, 2));
    assert!(!data.garbled && data.spoilt == Span::from_micros(224));
    assert_eq!((answer.kind, answer.to), (PpduKind::BlockAck, StationId(1)));
    let row = rig.medium.station_airtime(StationId(1), rig.now);
    assert_eq!(row.of(Use::Collision), Span::from_micros(224));
    assert_eq!(row.of(Use::Data), Span::from_micros(964 - 224));
    all.extend(rig.run(us(50_000)));
    let of_first: Vec<_> = all.iter().map(|a| a.1).filter(|i| *i < 5).collect();
    assert_eq!((of_first, all.len()), (vec![0, 1, 2, 3, 4], 6));
    let again = rig.log.ppdus[3..].iter().find(|p| p.from == StationId(1));
    assert_eq!(again.map(|p| p.mpdus), Some(2));
}

/// A PPDU with one FCS for all of it, or one hit in its preamble, is gone, and not answered. The
/// second one's last microseconds have no preamble: nobody reads them.
#[test]
fn another_takes_all_of_what_cannot_be_parted() {
    for (aggregation, from, mpdus) in [(Aggregation::NONE, 200, 1), (ampdu(65_535), 60, 5)] {
        let mut rig = two_apart(aggregation);
        assert_eq!(rig.run(us(from)), []);
        rig.offer(2, 1460);
        assert_eq!(rig.run(us(1040)).len(), 0, "{mpdus} MPDUs");
        let early = rig.log.ppdus.iter().filter(|p| p.start < us(300));
        let all: Vec<_> = early.collect();
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|p| p.garbled && p.mpdus_spoilt == p.mpdus));
        assert_eq!(all.iter().map(|p| p.mpdus).max(), Some(mpdus));
    }
}

/// A whole queue that fits into the limit of 4095 bytes two packets at a time.
#[test]
fn an_ampdu_stays_within_its_limit() {
    let mut rig = Rig::new(cell(1, ampdu(4095)), 1);
    (0..6).for_each(|_| rig.offer(0, 1460));
    assert_eq!(rig.run(us(9000)).len(), 6);
    let data = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Data);
    assert!(data.clone().count() == 3 && data.clone().all(|p| p.mpdus == 2));
}

/// An opportunity of 3008 us holds several exchanges, a SIFS apart.
#[test]
fn an_opportunity_is_used_up_but_not_exceeded() {
    let mut config = cell(1, Aggregation::NONE);
    config.stations[1].categories[0] = EdcaConfig::standard(AccessCategory::Video);
    let mut rig = Rig::new(config, 1);
    (0..40).for_each(|_| rig.offer(0, 1460));
    rig.run(us(50_000));
    // AIFS 34 us; an exchange takes 224 + 16 + 28 us, and 16 us lie between two.
    let starts: Vec<_> = rig
        .timeline()
        .iter()
        .filter(|t| t.1 == "data")
        .map(|t| t.0)
        .collect();
    let first: Vec<_> = (0..10).map(|i| 34 + i * 284).collect();
    assert_eq!(starts[..10], first);
    let whole = |n: u64| n * 284 - 16;
    assert!(whole(10) <= 3008 && whole(11) > 3008);
    assert!(starts[10] > 34 + 10 * 284 + 16, "a new access");
}

/// The AP answers the data with what it has for the station, without contending.
#[test]
fn the_reverse_direction_is_granted() {
    let mut config = cell(1, ampdu(65_535));
    config.ports[0].grants_reverse = true;
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.offer(0, 1460);
    (0..3).for_each(|_| rig.offer(1, 52));
    rig.medium.contention.withdraw(Contender(0));
    rig.medium.note_rest(rig.now, AP);
    let all: Vec<_> = rig.run(us(3000)).iter().map(|a| a.1).collect();
    assert_eq!(all, [0, 1, 2, 3, 4]);
    let kinds: Vec<_> = rig.timeline().iter().map(|t| t.1).collect();
    assert_eq!(kinds, ["data", "block_ack", "data", "block_ack"]);
    let ends: Vec<_> = rig.log.ppdus.iter().map(|p| p.end).collect();
    assert_eq!(rig.log.ppdus[2].start, ends[1] + Span::from_micros(16));
    assert_eq!(rig.medium.airtime(us(3000)).of(Use::Collision), Span::ZERO);
}

/// Both at the first boundary: nobody can read anything, and it takes a timeout to notice.
#[test]
fn a_collision_costs_both_their_transmission() {
    let mut rig = Rig::new(cell(2, Aggregation::NONE), 3);
    rig.offer(0, 1460);
    rig.offer(2, 700);
    let arrived = rig.run(us(20_000));
    assert_eq!(arrived.len(), 2);
    let timeline = rig.timeline();
    assert_eq!(timeline[..2].iter().filter(|t| t.2).count(), 0);
    assert!(timeline[2..].iter().all(|t| t.2), "{timeline:?}");
    // Until 267 us the longer one; SIFS, slot and 20 us later it is missed.
    assert!(timeline[2].0 > 267 + 43);
    assert_eq!(
        rig.medium.airtime(us(20_000)).of(Use::Collision),
        Span::from_micros(224)
    );
}
