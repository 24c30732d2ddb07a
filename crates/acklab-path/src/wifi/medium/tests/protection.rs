//! A CTS that its sender addresses to itself, before what stations of 802.11b cannot read.

use super::*;
use acklab_units::Rate;

fn legacy(mbit: u64) -> Mode {
    Mode::legacy(Rate::from_bps(mbit * 1_000_000)).unwrap()
}

/// 802.11g with stations of 802.11b: slots of 20 us, a CTS at 11 Mbit/s before data at 54 Mbit/s.
fn mixed(n: u16) -> MediumConfig {
    let mut config = cell(n, Aggregation::NONE);
    config.phy = phy();
    config.slots = SlotRule::Dcf;
    for station in &mut config.stations {
        station.categories = vec![EdcaConfig::DCF];
    }
    for port in &mut config.ports {
        port.rate = RateConfig::Fixed(legacy(54));
    }
    config
}

/// Everything that 802.11b cannot read is protected by a CTS at 11 Mbit/s.
pub(super) fn phy() -> Phy {
    let config = PhyConfig {
        short_slot: false,
        protection: Some(legacy(11)),
        ..PhyConfig::new(Band::Ghz2_4)
    };
    Phy::new(&config).unwrap()
}

/// DIFS 10 + 2 * 20; CTS at 11 Mbit/s 192 + ceil(112 / 11) = 203; SIFS 10; 1460 + 8 + 30 = 1498 bytes:
/// 12,006 bits in symbols of 216: 56, 20 + 224 + 6 = 250; SIFS 10; ACK at 24 Mbit/s 28 + 6.
#[test]
fn a_cts_to_self_reserves_up_to_the_end_of_the_answer() {
    let mut rig = Rig::new(mixed(1), 1);
    rig.offer(0, 1460);
    assert_eq!(rig.run(us(1000)), [(us(50 + 203 + 10 + 250), 0)]);
    let times = [
        (50, "cts_to_self", true),
        (263, "data", true),
        (523, "ack", true),
    ];
    assert_eq!(rig.timeline(), times);
    let ends: Vec<_> = rig.log.ppdus[..2].iter().map(|p| p.nav).collect();
    assert_eq!(ends, [us(557); 2]);
    assert_eq!(rig.log.ppdus[0].mode, legacy(11));
    let air = rig.medium.airtime(us(1000));
    let spent = Use::OF_MEDIUM.map(|u| air.of(u).as_micros());
    assert_eq!(spent, [1000 - 557, 50, 20, 250, 0, 34, 203, 0, 0]);
}

/// Everybody reads data at 11 Mbit/s, and an RTS at 11 Mbit/s: neither needs a CTS to self.
#[test]
fn what_everybody_reads_is_not_protected() {
    let kinds = |change: &dyn Fn(&mut MediumConfig)| {
        let mut config = mixed(1);
        change(&mut config);
        let mut rig = Rig::new(config, 1);
        rig.offer(0, 1460);
        rig.run(us(3000));
        let rate = |p: &Ppdu| p.mode.rate().as_bps() / 1_000_000;
        let all = rig.log.ppdus.iter().map(|p| (p.kind.name(), rate(p)));
        all.collect::<Vec<_>>()
    };
    let slow = kinds(&|c| c.ports[0].rate = RateConfig::Fixed(legacy(11)));
    assert_eq!(slow, [("data", 11), ("ack", 11)]);
    let announced = kinds(&|c| c.ports[0].rts_from = Some(0));
    let exchange = [("rts", 11), ("cts", 11), ("data", 54), ("ack", 24)];
    assert_eq!(announced, exchange);
}

/// Two stations without backoff: nobody answers the CTSs, so that data follow them and collide, too.
/// The timeout of the answer: SIFS, a slot, and the 20 us until an OFDM header is read.
#[test]
fn a_cts_to_self_that_collides_is_not_noticed() {
    let mut config = mixed(2);
    for station in &mut config.stations {
        (station.categories[0].cw_min, station.categories[0].cw_max) = (0, 0);
    }
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.offer(2, 1460);
    assert_eq!(rig.run(us(513)), []);
    let both = [(50, "cts_to_self", false), (263, "data", false)];
    let seen = rig.timeline();
    assert_eq!(seen, [both[0], both[0], both[1], both[1]]);
    let air = rig.medium.airtime(us(513));
    assert_eq!(air.of(Use::Collision).as_micros(), 203 + 250);
    assert_eq!(air.of(Use::Sifs).as_micros(), 10);
}

/// Packets of 1400 bytes in subframes of 1444 bytes at 65 Mbit/s, in an opportunity of 900 us. Without protection
/// 900 - 10 - 38 (block ack at 24 Mbit/s, 32 + 6) = 852 us are left, (852 - 42) / 4 = 202 symbols, 6562 bytes: four
/// packets. Beside a CTS of 203 us and another SIFS they are 639 us, 149 symbols, 4839 bytes: three.
/// The next PPDU of the same opportunity is not protected again: both CTSs are alone in theirs.
#[test]
fn a_cts_to_self_takes_its_part_of_an_opportunity() {
    let sent = |protection| {
        let mut config = cell(1, ampdu(65_535));
        let phy = PhyConfig {
            protection,
            ..PhyConfig::new(Band::Ghz2_4)
        };
        config.phy = Phy::new(&phy).unwrap();
        config.stations[1].categories[0].txop = Span::from_micros(900);
        let mut rig = Rig::new(config, 1);
        (0..4).for_each(|_| rig.offer(0, 1400));
        rig.run(us(5000));
        let data = rig.log.ppdus.iter().find(|p| p.kind == PpduKind::Data);
        let end = data.map(|p| p.nav.as_nanos() - rig.log.ppdus[0].start.as_nanos());
        assert!(end.unwrap() <= 900_000);
        data.map(|p| p.mpdus)
    };
    assert_eq!((sent(None), sent(Some(legacy(11)))), (Some(4), Some(3)));
}

/// Nobody repeats it for those who do not hear its sender, as a CTS after an RTS does: what a hidden station
/// sends at 300 us meets the data, which last from 263 to 513 us.
#[test]
fn who_does_not_hear_it_is_not_bound() {
    let garbled = |rts| {
        let mut config = mixed(2);
        config.hears = Some(vec![
            vec![true; 3],
            vec![true, true, false],
            vec![true, false, true],
        ]);
        config.ports[0].rts_from = rts;
        for station in &mut config.stations {
            station.categories[0].cw_min = 0;
        }
        let mut rig = Rig::new(config, 1);
        rig.offer(0, 1460);
        rig.run(us(300));
        rig.offer(2, 100);
        rig.run(us(2000));
        rig.log.ppdus.iter().any(|p| p.garbled)
    };
    assert_eq!((garbled(None), garbled(Some(0))), (true, false));
}

/// A cycle without collisions: DIFS, half of 15 slots of 20 us, CTS, SIFS, data, SIFS, ACK.
#[test]
fn saturation_of_one_protected_station() {
    let mut rig = Rig::new(mixed(1), 5);
    let bytes = rig.saturate(&[0], 1460, 4, us(5_000_000))[0];
    let cycle = 50.0 + 7.5 * 20.0 + 203.0 + 10.0 + 250.0 + 10.0 + 34.0;
    let model = 1460.0 / cycle;
    let rate = bytes as f64 / 5e6;
    assert!((rate / model - 1.0).abs() < 0.005, "{rate} against {model}");
}
