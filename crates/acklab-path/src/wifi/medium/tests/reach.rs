//! How far a radio reads: as far as it hears.

use super::radio::{at, ht_modes, in_space};
use super::*;
use crate::wifi::propagation::{Motion, Radio};

/// A pair `x` metres apart in MCS 0 without aggregation, with these radios: the access point's and the
/// station's.
fn pair(x: f64, radios: [Radio; 2]) -> MediumConfig {
    let mut config = cell(1, Aggregation::NONE);
    let slowest = RateConfig::Fixed(ht_modes()[0]);
    config
        .ports
        .iter_mut()
        .for_each(|p| p.rate = slowest.clone());
    let mut config = in_space(config, [0.0, x].map(|x| Motion::Still(at(x))).to_vec());
    let stations = config.radio.iter_mut().flat_map(|r| &mut r.stations);
    stations.zip(radios).for_each(|(s, radio)| s.1 = radio);
    config
}

fn listening(dbm: f64) -> [Radio; 2] {
    let radio = Radio {
        detects_dbm: dbm,
        ..Radio::default()
    };
    [radio; 2]
}

/// A pair after 40 packets each way.
fn after_forty(config: MediumConfig) -> (Rig, usize) {
    let mut rig = Rig::new(config, 3);
    for _ in 0..40 {
        rig.offer(0, 1460);
        rig.offer(1, 1460);
    }
    let arrived = rig.run(us(3_000_000)).len();
    (rig, arrived)
}

fn overlap(ppdus: &[Ppdu]) -> bool {
    let mut sorted = ppdus.to_vec();
    sorted.sort_by_key(|p| p.start);
    sorted
        .windows(2)
        .any(|w| w[0].end > w[1].start && w[0].start != w[1].start)
}

/// At 80 MHz the preamble has a quarter of the power in 20 MHz, and needs 6 dB more: up to 32.4 m, though
/// both hear each other's control frames up to 51 m.
#[test]
fn a_wide_ppdu_reaches_less_far() {
    let arrived = |x| {
        let mut config = pair(x, listening(-82.0));
        let wide = Mode::vht(0, 1, Width::Mhz80, Guard::Ns800).unwrap();
        let ports = config.ports.iter_mut();
        ports.for_each(|p| p.rate = RateConfig::Fixed(wide));
        after_forty(config)
    };
    assert_eq!(arrived(32.0).1, 80);
    let (far, none) = arrived(33.0);
    assert_eq!(none, 0);
    assert!(far.log.ppdus.iter().all(|p| p.lost || p.garbled));
}

/// -82 dBm are left of 16.02 after 46.7 dB for the first metre and 51.32 dB, a decade of distance for
/// 30: 51.4 m. MCS 0 could be read over twice that.
#[test]
fn nothing_arrives_from_beyond_hearing() {
    let (near, arrived) = after_forty(pair(51.0, listening(-82.0)));
    assert_eq!(arrived, 80);
    assert!(!overlap(&near.log.ppdus));
    let (far, arrived) = after_forty(pair(52.0, listening(-82.0)));
    assert_eq!(arrived, 0);
    assert!(far.log.ppdus.len() > 100);
    assert!(far.log.ppdus.iter().all(|p| p.lost && !p.garbled));
    assert_eq!(far.log.drops.len(), 80);
    for station in [0, 1] {
        let row = far.medium.station_airtime(StationId(station), far.now);
        let unread = [Use::Collision, Use::Others, Use::Sifs].map(|u| row.of(u));
        assert_eq!(unread, [Span::ZERO; 3]);
    }
}

/// A station that listens closer reads farther and defers to the other: collisions begin at the
/// same instant.
#[test]
fn who_listens_closer_reads_farther() {
    for x in [52.0, 60.0] {
        let (rig, arrived) = after_forty(pair(x, listening(-95.0)));
        assert_eq!(arrived, 80, "{x} m");
        assert!(!overlap(&rig.log.ppdus));
    }
    // 16.02 - 46.7 - 64.7 = -95.4 dBm.
    assert_eq!(after_forty(pair(143.0, listening(-95.0))).1, 0);
}

/// At 45 m 96.3 dB are lost: of 16.02 dBm arrive -80.3, of 10 dBm -86.3. The station's data arrive,
/// once each; nothing that the access point sends does, its answers included, so that all is repeated.
#[test]
fn who_is_weaker_answers_in_vain() {
    let weak = Radio {
        power_dbm: 10.0,
        ..Radio::default()
    };
    for rts in [None, Some(0)] {
        let mut config = pair(45.0, [weak, Radio::default()]);
        config.ports[0].rts_from = rts;
        let mut rig = Rig::new(config, 3);
        (0..10).for_each(|_| rig.offer(0, 1460));
        let arrived = rig.run(us(3_000_000)).len();
        let of = |kind| rig.log.ppdus.iter().filter(move |p| p.kind == kind);
        let (asks, answers) = match rts {
            None => (PpduKind::Data, PpduKind::Ack),
            Some(_) => (PpduKind::Rts, PpduKind::Cts),
        };
        assert!(of(asks).all(|p| !p.lost && !p.garbled));
        assert!(of(answers).all(|p| p.lost && !p.garbled));
        assert_eq!(of(asks).count(), of(answers).count());
        let all = of(asks).count() + of(answers).count();
        assert_eq!(all, rig.log.ppdus.len(), "no CTS lets data follow");
        let read = if rts.is_none() { 10 } else { 0 };
        assert_eq!((arrived, rig.log.drops.len()), (read, 10 - read));
        // Nothing was heard, so nothing could not be read: an AIFS of 43 us and slots, and no EIFS, which
        // is 60 us longer.
        let asked: Vec<_> = of(asks).collect();
        for w in asked.windows(2) {
            let gap = (w[1].start - w[0].end).as_micros();
            assert_eq!((gap - 43) % 9, 0, "{gap}");
        }
    }
    let mut rig = Rig::new(pair(45.0, [weak, Radio::default()]), 3);
    rig.offer(1, 1460);
    assert_eq!(rig.run(us(100_000)).len(), 0);
    assert!(rig.log.ppdus.iter().all(|p| p.kind == PpduKind::Data));
}

/// The timer of 45 us (SIFS, slot, aRxPHYStartDelay) ends 15 us before an ACK at 6 Mbit/s that is not
/// heard (SIFS and 44 us), which the exchange waits for, and 1 us after one at 24 Mbit/s.
#[test]
fn an_answer_that_is_not_heard_is_missed_when_its_timer_ends() {
    let first_gap = |mcs: usize, seed| {
        let mut config = cell(1, Aggregation::NONE);
        config.after_silence = AfterSilence::Timeout;
        config.ports[0].rate = RateConfig::Fixed(ht_modes()[mcs]);
        config.hears = Some(alloc::vec![
            alloc::vec![true, true],
            alloc::vec![false, true]
        ]);
        let mut rig = Rig::new(config, seed);
        rig.offer(0, 1460);
        rig.run(us(20_000));
        let data = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Data);
        let data: Vec<_> = data.collect();
        (data[1].start - data[0].end).as_micros()
    };
    for seed in 0..6 {
        assert_eq!((first_gap(0, seed) - 60 - 43) % 9, 0);
        assert_eq!((first_gap(7, seed) - 45 - 43) % 9, 0);
    }
}

/// A matrix of who hears whom says who reads whom, too, without any signal.
#[test]
fn who_does_not_hear_by_the_matrix_reads_nothing() {
    let mut config = cell(2, ampdu(65_535));
    let hears = |a: usize, b: usize| a == b || a + b != 1;
    config.hears = Some(
        (0..3)
            .map(|a| (0..3).map(|b| hears(a, b)).collect())
            .collect(),
    );
    let mut rig = Rig::new(config.clone(), 3);
    let bytes = rig.saturate(&[0, 2], 1460, 20, us(1_000_000));
    assert!(bytes[0] == 0 && bytes[1] > 1_000_000, "{bytes:?}");
    assert!(rig.log.ppdus.iter().any(|p| p.from == StationId(1)));
    let mut rig = Rig::new(config, 3);
    rig.offer(1, 1460);
    assert_eq!(rig.run(us(1_000_000)).len(), 0);
    rig.offer(3, 1460);
    assert_eq!(rig.run(us(2_000_000)).len(), 1);
}

/// PPDUs of a far station that sends in spite of all, as it hears nobody, are neither read nor a
/// collision, and spoil nothing.
#[test]
fn what_is_not_heard_does_not_collide() {
    let mut config = cell(2, ampdu(16_384));
    let slowest = RateConfig::Fixed(ht_modes()[0]);
    config
        .ports
        .iter_mut()
        .for_each(|p| p.rate = slowest.clone());
    let places = [0.0, 60.0, -5.0].map(|x| Motion::Still(at(x)));
    let mut rig = Rig::new(in_space(config, places.to_vec()), 3);
    let bytes = rig.saturate(&[0, 2], 1460, 20, us(1_000_000));
    assert!(bytes[0] == 0 && bytes[1] > 500_000, "{bytes:?}");
    assert!(overlap(&rig.log.ppdus));
    for p in &rig.log.ppdus {
        assert!(!p.garbled && p.spoilt.is_zero());
        assert_eq!(p.lost, p.from == StationId(1));
    }
}
