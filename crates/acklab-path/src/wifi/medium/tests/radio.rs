//! Stations in space, rate control, and queues per station.

use super::*;
use crate::wifi::phy::Format;
use crate::wifi::propagation::{ChannelConfig, Fading, Motion, PathLoss, Position, Radio};
use crate::wifi::rate::modes;

pub(super) fn at(x: f64) -> Position {
    Position::new(x, 0.0, 0.0).unwrap()
}

pub(super) fn ht_modes() -> Vec<Mode> {
    modes(Format::Ht, 1, Width::Mhz20, &[Guard::Ns800])
}

/// Errors from the signal, for stations at these places along a line.
pub(super) fn in_space(mut config: MediumConfig, places: Vec<Motion>) -> MediumConfig {
    config.radio = Some(RadioConfig {
        channel: ChannelConfig {
            frequency_hz: 5.18e9,
            path_loss: PathLoss::LogDistance {
                exponent: 3.0,
                reference_m: 1.0,
                reference_db: 46.7,
            },
            shadowing_db: 0.0,
            fading: Fading::None,
        },
        stations: places.into_iter().map(|m| (m, Radio::default())).collect(),
        capture: None,
    });
    config
        .ports
        .iter_mut()
        .for_each(|p| p.errors = ErrorModel::Snr);
    config
}

fn with_rate(mut config: MediumConfig, rate: RateConfig) -> MediumConfig {
    config.ports.iter_mut().for_each(|p| p.rate = rate.clone());
    config
}

fn ideal() -> RateConfig {
    RateConfig::Ideal {
        modes: ht_modes(),
        bytes: 1500,
        loss: 0.1,
    }
}

/// Mbit/s of a saturated station at `x` metres.
fn goodput(rate: RateConfig, x: f64) -> f64 {
    let config = with_rate(cell(1, ampdu(65_535)), rate);
    let mut rig = Rig::new(
        in_space(config, vec![Motion::Still(at(0.0)), Motion::Still(at(x))]),
        4,
    );
    8.0 * rig.saturate(&[0], 1460, 150, us(2_000_000))[0] as f64 / 2e6
}

#[test]
fn farther_is_slower_and_rate_control_finds_what_is_left() {
    let mut last = f64::MAX;
    for x in [5.0, 30.0, 40.0, 45.0, 51.0] {
        let best = ht_modes()
            .into_iter()
            .map(|m| goodput(RateConfig::Fixed(m), x));
        let best = best.fold(0.0, f64::max);
        let (chosen, tried) = (
            goodput(ideal(), x),
            goodput(RateConfig::Minstrel { modes: ht_modes() }, x),
        );
        assert!(best <= last + 0.1, "{x} m: {best} after {last}");
        assert!(chosen > 0.9 * best, "{x} m: ideal {chosen} of {best}");
        assert!(tried > 0.8 * best, "{x} m: minstrel {tried} of {best}");
        last = best;
    }
    // 12 dB are left at the edge of hearing: MCS 2, 19.5 Mbit/s.
    assert!((15.0..19.5).contains(&last), "{last}");
}

#[test]
fn who_walks_away_slows_down() {
    let walk = Motion::Straight {
        from: at(5.0),
        velocity: [11.0, 0.0, 0.0],
        start: Instant::ZERO,
    };
    let config = with_rate(cell(1, ampdu(65_535)), ideal());
    let mut rig = Rig::new(in_space(config, vec![Motion::Still(at(0.0)), walk]), 4);
    rig.saturate(&[0], 1460, 150, us(4_000_000));
    let data = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Data);
    let rates: Vec<u64> = data.map(|p| p.mode.rate().as_bps()).skip(3).collect();
    assert!(rates.windows(2).all(|w| w[0] >= w[1]), "never faster again");
    assert!(
        rates[0] == 65_000_000 && *rates.last().unwrap() < 40_000_000,
        "{:?}",
        rates.last()
    );
}

/// Two stations that the AP hears, and that are too far from each other; one is next to the AP.
#[test]
fn the_nearer_of_two_is_captured() {
    let delivered = |capture| {
        let config = with_rate(cell(2, ampdu(8192)), RateConfig::Fixed(ht_modes()[0]));
        let places = [0.0, -5.0, 50.0].map(|x| Motion::Still(at(x)));
        let mut config = in_space(config, places.to_vec());
        if let Some(radio) = &mut config.radio {
            radio.capture = capture;
        }
        let mut rig = Rig::new(config, 8);
        rig.saturate(&[0, 2], 1460, 20, us(3_000_000))
    };
    let (without, with) = (delivered(None), delivered(Some(Capture::Ratio(10.0))));
    assert!(with[0] > 2 * without[0], "{with:?} {without:?}");
    // 30 dB apart: MCS 0 needs far less.
    assert_eq!(with, delivered(Some(Capture::AsModeNeeds)));
}

/// The far one sends an A-MPDU when the near one begins: a radio that can turns to the stronger signal
/// and has lost the other one, even what follows; one that cannot loses the MPDUs that are overlapped.
#[test]
fn who_turns_to_another_gives_up_what_it_read() {
    for capture in [None, Some(Capture::Ratio(10.0))] {
        let config = with_rate(cell(2, ampdu(8192)), RateConfig::Fixed(ht_modes()[0]));
        let places = [0.0, -5.0, 50.0].map(|x| Motion::Still(at(x)));
        let mut config = in_space(config, places.to_vec());
        config.radio.as_mut().unwrap().capture = capture;
        let mut rig = Rig::new(config, 8);
        (0..5).for_each(|_| rig.offer(2, 1460));
        rig.run(us(3000));
        rig.offer(0, 100);
        rig.run(us(9500));
        let [near, far] = [1, 2].map(|s| {
            let mut own = rig.log.ppdus.iter().filter(|p| p.from == StationId(s));
            own.find(|p| p.kind == PpduKind::Data).copied().unwrap()
        });
        assert!(near.start > far.start && near.end < far.end);
        if capture.is_some() {
            assert!(!near.garbled && far.garbled);
            assert_eq!(far.spoilt, far.end - far.start);
        } else {
            assert!(near.garbled && !far.garbled);
            assert_eq!((far.mpdus, far.mpdus_spoilt), (2, 1));
        }
    }
}

/// One station at 5 m and, hidden from it, two at 30 m: -51.6 dBm against -75 dBm each, -72 dBm
/// together, so that 20.3 dB are left of 23.3. MCS 7 needs 23.8 dB, MCS 5 some 20; MCS 3 13.6.
#[test]
fn what_interferes_is_summed_and_the_mode_decides() {
    let delivered = |mcs: usize, capture, far: u32| {
        let config = with_rate(
            cell(3, Aggregation::NONE),
            RateConfig::Fixed(ht_modes()[mcs]),
        );
        let places = [0.0, 5.0, -30.0, -30.0].map(|x| Motion::Still(at(x)));
        let mut config = in_space(config, places.to_vec());
        config.radio.as_mut().unwrap().capture = Some(capture);
        let near_alone = |a: usize, b: usize| a.min(b) == 1 && a.max(b) > 1;
        let row = |a| (0..4).map(|b| !near_alone(a, b)).collect();
        config.hears = Some((0..4).map(row).collect());
        let mut rig = Rig::new(config, 8);
        let ports: Vec<u32> = (0..=far).map(|i| 2 * i).collect();
        rig.saturate(&ports, 1460, 4, us(1_000_000));
        let own = rig.log.ppdus.iter().filter(|p| p.from == StationId(1));
        own.clone().filter(|p| p.garbled).count() as f64 / own.count() as f64
    };
    let by_mode = |mcs| delivered(mcs, Capture::AsModeNeeds, 2);
    assert!(by_mode(7) > 0.2, "{}", by_mode(7));
    assert_eq!(by_mode(3), 0.0);
    // A ratio does not know the mode. 22 dB are less than one of them leaves, and more than two.
    assert_eq!(delivered(7, Capture::Ratio(22.0), 1), 0.0);
    assert!(delivered(7, Capture::Ratio(22.0), 2) > 0.0);
}

/// A slow station and a fast one behind one AP: with one queue both get as many packets, with
/// queues per station as much airtime.
#[test]
fn airtime_is_shared_by_queues_per_station() {
    let deliver = |queue| {
        let mut config = cell(2, ampdu(65_535));
        config.stations[0].queue = queue;
        config.ports[3].rate = RateConfig::Fixed(ht_modes()[0]);
        let mut rig = Rig::new(config, 8);
        let bytes = rig.saturate(&[1, 3], 1460, 60, us(3_000_000));
        let air = [1, 3].map(|p| rig.medium.port_airtime(PortId(p)).as_secs_f64());
        (bytes[0] as f64 / bytes[1] as f64, air[0] / air[1])
    };
    let (packets, _) = deliver(mac::Config::NS3);
    // Packets that aggregates take out of turn favour the fast one somewhat.
    assert!((0.8..2.0).contains(&packets), "{packets}");
    let linux = mac::Config {
        kind: mac::Kind::PerStation(mac::StationsConfig::LINUX),
        ..mac::Config::NS3
    };
    let (packets, airtime) = deliver(linux);
    assert!((0.8..1.25).contains(&airtime), "{airtime}");
    assert!(packets > 5.0, "{packets}");
}

/// Mbit/s from 3 s to 5 s of two stations, one of which goes from `from` to 5 m beside the access
/// point on the other side of the first, within 2 s.
fn after_a_walk(from: f64) -> f64 {
    let walk = Motion::Waypoints(vec![(us(0), at(from)), (us(2_000_000), at(5.0))]);
    let config = with_rate(cell(2, ampdu(65_535)), RateConfig::Fixed(ht_modes()[7]));
    let places = vec![Motion::Still(at(0.0)), Motion::Still(at(-5.0)), walk];
    let mut rig = Rig::new(in_space(config, places), 4);
    rig.saturate(&[0, 2], 1460, 150, us(3_000_000));
    let mut bytes = 0;
    while let Some(packet) = rig.next(us(5_000_000)) {
        bytes += u64::from(packet.size);
        rig.offer(packet.flow.0, 1460);
        while let Some(port) = rig.log.lost.pop() {
            rig.offer(port, 1460);
        }
    }
    8.0 * bytes as f64 / 2e6
}

/// 200 m away nobody is heard (51.5 m); next to the access point a station is, and hears the other.
#[test]
fn who_comes_near_is_heard() {
    let (near, far) = (after_a_walk(5.0), after_a_walk(200.0));
    assert!(near > 40.0, "{near}");
    assert!((far / near - 1.0).abs() < 0.05, "{far} against {near}");
}

/// The hearing is the same whether it is found once or, because somebody far away moves, again
/// and again.
#[test]
fn looking_again_changes_nothing_for_those_who_stay() {
    let run = |third: Motion| {
        let config = with_rate(cell(3, ampdu(16_384)), RateConfig::Fixed(ht_modes()[7]));
        let places = [0.0, -30.0, 30.0].map(|x| Motion::Still(at(x)));
        let places = places.into_iter().chain([third]).collect();
        let mut rig = Rig::new(in_space(config, places), 4);
        rig.saturate(&[0, 2], 1460, 50, us(1_000_000));
        rig.log.ppdus
    };
    let still = run(Motion::Still(at(9_000.0)));
    let moving = run(Motion::Straight {
        from: at(9_000.0),
        velocity: [1.0, 0.0, 0.0],
        start: Instant::ZERO,
    });
    assert!(still.len() > 100);
    assert_eq!(still, moving);
}
