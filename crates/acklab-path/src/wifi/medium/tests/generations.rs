//! One saturated station of each generation, in its fastest usual mode, against its cycle by hand. Packets
//! have 1500 bytes; an MPDU with QoS has 1500 + 8 + 30 = 1538, one of 802.11b and g 1500 + 8 + 28 = 1536.

use super::*;
use crate::wifi::mac::sizes::{DATA_HEADER, FCS};
use acklab_units::Rate;

/// Mbit/s of packets.
fn goodput(config: MediumConfig) -> f64 {
    let mut rig = Rig::new(config, 5);
    let bytes = rig.saturate(&[0], 1500, 1000, us(5_000_000))[0];
    bytes as f64 * 8.0 / 5e6
}

#[track_caller]
fn check(config: MediumConfig, packets: f64, cycle: f64) {
    let (found, expected) = (goodput(config), packets * 12_000.0 / cycle);
    let off = found / expected - 1.0;
    assert!(off.abs() < 0.005, "{found} against {expected} Mbit/s");
}

/// Stations that contend by DCF.
fn by_dcf(phy: PhyConfig, mbit: u64, cw_min: u16) -> MediumConfig {
    let overhead = DATA_HEADER + FCS;
    let without_qos = Aggregation {
        overhead,
        ..Aggregation::NONE
    };
    let mode = Mode::legacy(Rate::from_bps(mbit * 1_000_000)).unwrap();
    let mut config = in_mode(mode, phy, without_qos);
    config.slots = SlotRule::Dcf;
    for station in &mut config.stations {
        let dcf = EdcaConfig::DCF;
        station.categories = vec![EdcaConfig { cw_min, ..dcf }];
    }
    config
}

fn in_mode(mode: Mode, phy: PhyConfig, aggregation: Aggregation) -> MediumConfig {
    let mut config = cell(1, aggregation);
    config.phy = Phy::new(&phy).unwrap();
    for port in &mut config.ports {
        port.rate = RateConfig::Fixed(mode);
    }
    // The queue is too long to be a limit.
    for station in &mut config.stations {
        let counts = mac::Counts::Mpdus;
        station.queue.kind = mac::Kind::Shared {
            limit: 2000,
            counts,
        };
    }
    config
}

/// DIFS 50, 15.5 slots of 20 us, preamble 192, 12,288 bits at 11 Mbit/s, SIFS 10, ACK. J. Jun, P.
/// Peddabachagari and M. Sichitiu ("Theoretical maximum throughput of IEEE 802.11 and its applications", NCA 2003)
/// have 890.73 us + 0.72727 us per byte of the MSDU, where ACKs are at 1 Mbit/s, 304 us, and the MAC header has
/// 34 bytes instead of 28, and nothing is rounded.
#[test]
fn b_at_11_mbit() {
    let mut phy = PhyConfig {
        short_slot: false,
        ..PhyConfig::new(Band::Ghz2_4)
    };
    let data = 1118.0;
    let cycle = 50.0 + 310.0 + 192.0 + data + 10.0 + 203.0;
    check(by_dcf(phy, 11, 31), 1.0, cycle);
    let one = Rate::from_bps(1_000_000);
    phy.control = Mode::legacy(one).ok();
    let published = 890.73 + 8.0 / 11.0 * (1508.0 - 6.0);
    check(by_dcf(phy, 11, 31), 1.0, published);
}

/// With slots of 9 us and ACKs at 24 Mbit/s, and in a network with stations of 802.11b.
#[test]
fn g_at_54_mbit() {
    let phy = PhyConfig::new(Band::Ghz2_4);
    // 12,310 bits / 216 = 57 symbols; 20 + 228 + 6.
    let cycle = 28.0 + 67.5 + 254.0 + 10.0 + 34.0;
    check(by_dcf(phy, 54, 15), 1.0, cycle);
    let mixed = PhyConfig {
        short_slot: false,
        protection: Mode::legacy(Rate::from_bps(11_000_000)).ok(),
        ..phy
    };
    let cycle = 50.0 + 150.0 + 203.0 + 10.0 + 254.0 + 10.0 + 34.0;
    check(by_dcf(mixed, 54, 15), 1.0, cycle);
}

/// 40 MHz, two streams, short guard interval: 1080 bits in 3.6 us. 42 subframes of 1544 bytes, the last without
/// padding, are 64,846 bytes: 518,790 bits, 481 symbols, which last 433 long ones. Block ack at 24 Mbit/s.
#[test]
fn n_at_300_mbit() {
    let mode = Mode::ht(15, Width::Mhz40, Guard::Ns400).unwrap();
    assert_eq!(mode.rate(), Rate::from_bps(300_000_000));
    let phy = PhyConfig::new(Band::Ghz5);
    let cycle = 43.0 + 67.5 + 40.0 + 1732.0 + 16.0 + 32.0;
    check(in_mode(mode, phy, ampdu(65_535)), 42.0, cycle);
    // Without: 16 + 8 * 1538 + 6 = 12,326 bits, 12 symbols, 11 long ones; ACK.
    let cycle = 43.0 + 67.5 + 40.0 + 44.0 + 16.0 + 28.0;
    check(in_mode(mode, phy, ampdu(0)), 1.0, cycle);
    // A-MSDUs of two packets, of 3839 bytes at most: 1522 padded to 1524, and 1522; MPDUs of 3076, 21 subframes
    // of 3080 bytes are 64,680 bytes: 517,462 bits, 480 symbols, 432 long ones.
    let amsdu = Aggregation {
        amsdu: 3839,
        ..ampdu(65_535)
    };
    let cycle = 43.0 + 67.5 + 40.0 + 1728.0 + 16.0 + 32.0;
    check(in_mode(mode, phy, amsdu), 42.0, cycle);
}

/// 80 MHz, two streams, short guard interval: 3120 bits in 3.6 us, two encoders. 64 subframes of 1544 bytes, as
/// many as a block ack acknowledges, are 98,814 bytes: 790,540 bits, 254 symbols, 229 long ones.
#[test]
fn ac_at_867_mbit() {
    let mode = Mode::vht(9, 2, Width::Mhz80, Guard::Ns400).unwrap();
    assert_eq!(mode.rate(), Rate::from_bps(866_666_666));
    let phy = PhyConfig::new(Band::Ghz5);
    let one = in_mode(mode, phy, ampdu(1_048_575));
    let cycle = 43.0 + 67.5 + 44.0 + 916.0 + 16.0 + 32.0;
    check(one.clone(), 64.0, cycle);
    // Two of them in an opportunity of 2.528 ms, 1024 us or more after its beginning; nothing contends between.
    let mut twice = one;
    twice.stations[1].categories[0].txop = Span::from_micros(2_528);
    let cycle = 110.5 + 2.0 * (960.0 + 16.0 + 32.0) + 16.0;
    // 2528 - 2 * (1008 + 16) = 480 us are left: less than 480 - 48 - 44 = 388 us of data, 97 long symbols hold 107
    // short ones, 41,728 bytes: 27 subframes, 41,686 bytes, 107 symbols.
    check(twice, 155.0, cycle + 16.0 + 44.0 + 388.0 + 48.0);
    // A-MSDUs of seven packets in MPDUs of 11,454 bytes at most: 6 * 1524 + 1522 + 30 = 10,696, subframes of
    // 10,700. 5.484 ms hold 1360 long symbols, 1511 short ones, 589,287 bytes: 55 of them, 588,500 bytes, 4,708,028
    // bits, 1509 symbols, which last 1359 long ones.
    let longest = Aggregation {
        amsdu: 11_424,
        ..ampdu(1_048_575)
    };
    let cycle = 110.5 + 44.0 + 4.0 * 1359.0 + 16.0 + 32.0;
    check(in_mode(mode, phy, longest), 385.0, cycle);
}
