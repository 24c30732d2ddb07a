//! Resource units of several sizes, by hand.

use super::*;
use crate::wifi::phy::{Ru, RuPlan};

/// 106, 26 and 106 tones of 20 MHz. MCS 7 carries 102 * 5, 24 * 5 and 102 * 5 bits a symbol there.
fn divided(config: OfdmaConfig) -> OfdmaConfig {
    let units = [Ru::Tones106, Ru::Tones26, Ru::Tones106];
    OfdmaConfig {
        plan: RuPlan::of(Width::Mhz20, &units).ok(),
        most_users: 3,
        ..config
    }
}

/// Some divisions of 20 MHz.
pub(super) fn plans() -> impl Strategy<Value = RuPlan> {
    use Ru::{Tones26, Tones52, Tones106, Tones242};
    let lists = [
        &[Tones106, Tones26, Tones106][..],
        &[Tones52, Tones52, Tones26, Tones106],
        &[
            Tones26, Tones26, Tones52, Tones26, Tones52, Tones26, Tones26,
        ],
        &[Tones106, Tones106],
        &[Tones242],
    ];
    prop::sample::select(lists.to_vec()).prop_map(|list| RuPlan::of(Width::Mhz20, list).unwrap())
}

/// One packet, four packets and two packets for three stations: the first gets the small unit.
fn offer(rig: &mut Rig, way: impl Fn(u32) -> u32) {
    for (station, packets) in [(0, 1), (1, 4), (2, 2)] {
        for _ in 0..packets {
            rig.offer(way(station), 1500);
        }
    }
}

fn tones(rig: &Rig, kind: &str) -> Vec<(u16, u32)> {
    let all = rig.log.ppdus.iter().filter(|p| p.kind.name() == kind);
    let station = |p: &Ppdu| p.from.0.max(p.to.0);
    all.map(|p| (station(p), p.mode.ru().unwrap().tones()))
        .collect()
}

#[test]
fn a_download_over_units_of_two_sizes_by_hand() {
    let mut rig = Rig::new(he_cell(3, divided(OFDMA)), 1);
    offer(&mut rig, |station| 2 * station + 1);
    let got = rig.run(us(5_000));
    // 20 + 4 + 8, HE-SIG-B of 18 + 3 * 21 + 2 * 10 = 101 bits -> 4 symbols of 4 us, 4, 7.2.
    let body = 43_000 + 59_200;
    // 1542 B, 12,358 bits on 26 tones -> 103 symbols of 13.6 us. The four packets have 4 * 1542 + 3 * 2 B, 49,414 bits
    // on 106 tones -> 97, the two 24,710 -> 49.
    let end = body + 103 * 13_600;
    let all = kinds(&rig);
    let data: Vec<_> = all[..3].iter().map(|k| (k.0, k.1, k.2, k.4)).collect();
    let expected = [2, 3, 1].map(|station| (43_000, end, "data", station));
    assert_eq!(data, expected);
    assert_eq!(tones(&rig, "data"), [(2, 106), (3, 106), (1, 26)]);
    // MU-BAR: 16 + 8 + 3 * 9 + 4 = 55 B, 462 bits -> 5 symbols of 4 us. Block Acks of 60 B, 502 bits: with MCS 5 on 26
    // tones 24 * 4 bits a symbol -> 6 of 14.4 us behind 48 us.
    let trigger = (end + 16_000, end + 56_000, "trigger");
    let answer = (end + 72_000, end + 72_000 + 48_000 + 86_400, "block_ack");
    let rest: Vec<_> = all[3..].iter().map(|k| (k.0, k.1, k.2)).collect();
    assert_eq!(rest, [[trigger; 3], [answer; 3]].concat());
    assert_eq!((got.len(), rig.medium.inside()), (7, 0));
}

#[test]
fn a_cycle_of_the_uplink_over_units_of_two_sizes_by_hand() {
    let config = OfdmaConfig {
        downlink: None,
        uplink: Some(UPLINK),
        ..OFDMA
    };
    let mut config = he_cell(3, divided(config));
    (1..4).for_each(|s| config.stations[s].categories[0].aifsn = 200);
    config.stations[0].categories[0].cw_min = 0;
    let mut rig = Rig::new(config, 1);
    rig.run(us(10_010));
    offer(&mut rig, |station| 2 * station);
    let got = rig.run(us(12_500));
    let all = &kinds(&rig);
    // BSRP: 16 + 8 + 3 * 5 + 4 = 43 B, 366 bits -> 4 symbols of 4 us. Reports: 326 bits on 26 tones -> 3 symbols of
    // 14.4 us. Basic: 46 B, 390 bits -> 5. What is told is 1536 B, with the overhead of two packets 13,030 bits on 26
    // tones -> 109 symbols; 6144 B and five packets on 106 tones are 50,974 bits -> 100. Multi-STA BlockAck: 28 B, 246
    // bits -> 3.
    let mut at = all[0].0;
    for (kind, lasts) in [
        ("trigger", 36_000),
        ("buffer_status", 48_000 + 3 * 14_400),
        ("trigger", 40_000),
        ("data", 48_000 + 109 * 14_400),
        ("multi_block_ack", 32_000),
    ] {
        let now: Vec<_> = all.iter().filter(|k| k.0 == at).collect();
        assert_eq!(now.len(), 3, "{kind} at {at}: {all:?}");
        for k in now {
            assert_eq!((k.1 - k.0, k.2), (lasts, kind), "{all:?} {got:?}");
        }
        at += lasts + 16_000;
    }
    assert_eq!(tones(&rig, "data")[..3], [(2, 106), (3, 106), (1, 26)]);
    assert_eq!(got.len(), 7);
}

/// Two stations use the two largest units. HE-SIG-B has a field for the third all the same.
#[test]
fn fewer_stations_than_units_leave_the_small_ones() {
    let mut rig = Rig::new(he_cell(2, divided(OFDMA)), 1);
    downloads(2).into_iter().for_each(|p| rig.offer(p, 1500));
    rig.run(us(5_000));
    assert_eq!(tones(&rig, "data"), [(1, 106), (2, 106)]);
    // 12,358 bits, 510 a symbol -> 25.
    let first = &kinds(&rig)[0];
    assert_eq!(first.1 - first.0, 59_200 + 25 * 13_600);
}

/// Four stations that always have something share three units, so that each is left out as often.
#[test]
fn all_have_their_turn() {
    let mut rig = Rig::new(he_cell(4, divided(OFDMA)), 1);
    for _ in 0..40 {
        downloads(4).into_iter().for_each(|p| rig.offer(p, 1500));
    }
    rig.run(us(2_000_000));
    assert_eq!(rig.medium.inside(), 0);
    let mut served = [0_u32; 4];
    let data = tones(&rig, "data");
    data.iter()
        .for_each(|(station, _)| served[usize::from(*station) - 1] += 1);
    let (least, most) = (served.iter().min().unwrap(), served.iter().max().unwrap());
    assert!(most - least <= 1, "{served:?}");
}
