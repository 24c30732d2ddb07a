//! Saturation throughput.

use super::*;

/// One station, one frame per exchange: AIFS, half of 15 slots, data, SIFS, ACK.
#[test]
fn a_single_station_without_aggregation() {
    let mut rig = Rig::new(cell(1, Aggregation::NONE), 5);
    let bytes = rig.saturate(&[0], 1460, 4, us(5_000_000))[0];
    let cycle = 43.0 + 7.5 * 9.0 + 224.0 + 16.0 + 28.0;
    let model = 1460.0 / cycle;
    let rate = bytes as f64 / 5e6;
    assert!((rate / model - 1.0).abs() < 0.005, "{rate} against {model}");
}

/// The same with A-MPDUs of every size.
#[test]
fn efficiency_per_size_of_ampdu() {
    for limit in [4096u32, 8192, 16_384, 32_768, 65_535] {
        let mut rig = Rig::new(cell(1, ampdu(limit)), 5);
        let bytes = rig.saturate(&[0], 1460, 200, us(5_000_000))[0];
        // Subframes of 1504 bytes; the last has 1502. In 5.484 ms there is room for 1362 symbols,
        // 44,262 bytes, so that a limit of 65,535 is out of reach at this rate.
        let n = ((limit.min(44_262) + 2) / 1504).min(64);
        let psdu = n * 1504 - 2;
        let symbols = (16 + 8 * psdu + 6).div_ceil(260);
        let cycle = 43.0 + 67.5 + 36.0 + 4.0 * f64::from(symbols) + 16.0 + 32.0;
        let model = f64::from(1460 * n) / cycle;
        let rate = bytes as f64 / 5e6;
        assert!(
            (rate / model - 1.0).abs() < 0.005,
            "{limit}: {rate} against {model}"
        );
    }
}

/// Frames per second over `n` saturated stations, and the part of their transmissions that failed.
///
/// Two collide so seldom that it takes longer to count that.
fn saturated(n: u16, after_silence: AfterSilence) -> (f64, f64) {
    let seconds = if n == 2 { 200 } else { 40 };
    let mut config = cell(n, Aggregation::NONE);
    config.after_silence = after_silence;
    config.retry_limit = u8::MAX;
    config
        .stations
        .iter_mut()
        .for_each(|s| s.categories[0].aifsn = 2);
    let mut rig = Rig::new(config, 11);
    let ports: Vec<u32> = (0..u32::from(n)).map(|i| 2 * i).collect();
    let end = us(seconds * 1_000_000);
    let bytes: u64 = rig.saturate(&ports, 1460, 2, end).iter().sum();
    let stats = (1..=n).map(|s| rig.medium.station_stats(StationId(s)));
    let (sent, failed) = stats.fold((0, 0), |a, s| (a.0 + s.accesses, a.1 + s.failures));
    let rate = bytes as f64 / seconds as f64 / 1460.0;
    (rate, failed as f64 / sent as f64)
}

/// Bianchi 2000 assumes that everybody counts the same slots after a collision, and that each
/// transmission collides with the same probability whatever was before. Two stations are far from that:
/// theirs is the exact one of the Markov chain of both (`python/acklab/validate/models/pair.py`), where
/// his model has 0.1046.
#[test]
fn many_stations_against_bianchi() {
    for n in [1, 2, 5, 10, 20, 50] {
        let (rate, p) = saturated(n, AfterSilence::Everybody);
        let model = bianchi(f64::from(n));
        assert!(
            (rate / model.0 - 1.0).abs() < 0.02,
            "{n}: {rate} against {}",
            model.0
        );
        let expected = if n == 2 { 0.110_82 } else { model.1 };
        if n == 1 {
            assert_eq!(p, 0.0);
        } else {
            assert!(
                (p / expected - 1.0).abs() < 0.02,
                "{n}: {p} against {expected}"
            );
        }
    }
}

/// By the standard those who collided are not bound by the EIFS and begin again before the others.
#[test]
fn who_collided_comes_back_first() {
    for n in [5, 20, 50] {
        let model = bianchi(f64::from(n));
        for rule in [AfterSilence::Quiet, AfterSilence::Timeout] {
            let (rate, _) = saturated(n, rule);
            assert!(
                (1.0..1.06).contains(&(rate / model.0)),
                "{n}: {rate} against {}",
                model.0
            );
        }
    }
}

/// Frames per second and collision probability. Success: 224 + 16 + 28 + DIFS 34 us; collision:
/// 224 us and EIFS = 16 + 44 (an ACK at 6 Mbit/s) + 34.
fn bianchi(n: f64) -> (f64, f64) {
    let (w, m) = (16.0, 6.0);
    let tau = |p: f64| {
        2.0 * (1.0 - 2.0 * p)
            / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - libm::pow(2.0 * p, m)))
    };
    let (mut low, mut high) = (0.0, 0.999_999);
    for _ in 0..200 {
        let p = (low + high) / 2.0;
        if p < 1.0 - libm::pow(1.0 - tau(p), n - 1.0) {
            low = p;
        } else {
            high = p;
        }
    }
    let t = tau(low);
    let some = 1.0 - libm::pow(1.0 - t, n);
    let one = n * t * libm::pow(1.0 - t, n - 1.0);
    let cycle = (1.0 - some) * 9e-6 + one * 302e-6 + (some - one) * 318e-6;
    (one / cycle, low)
}

/// A smaller window for the AP wins it the medium more often (what DIFF of the TAC paper does).
#[test]
fn windows_set_priorities() {
    let mut config = cell(1, Aggregation::NONE);
    config.stations[0].categories[0].cw_min = 7;
    let mut rig = Rig::new(config, 2);
    let bytes = rig.saturate(&[0, 1], 1460, 2, us(3_000_000));
    let ratio = bytes[1] as f64 / bytes[0] as f64;
    assert!((1.7..2.6).contains(&ratio), "{ratio}");
}
