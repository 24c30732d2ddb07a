//! Between any two stations of a channel: power, signal-to-noise ratio, delay.

use super::fading::Fader;
use super::path_loss::SPEED_OF_LIGHT;
use super::{Fading, Motion, PathLoss, Radio, add_dbm};
use crate::impair::normal;
use crate::wifi::phy::Mode;
use acklab_proto::rng::{Rng, RngCore};
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// The paths between stations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChannelConfig {
    /// Centre frequency in hertz.
    pub frequency_hz: f64,
    /// Loss over distance.
    pub path_loss: PathLoss,
    /// Standard deviation in dB of a loss that is drawn once for each pair of stations, log-normal
    /// (obstacles); zero for none.
    pub shadowing_db: f64,
    /// Changes around the mean.
    pub fading: Fading,
}

/// Where draws come from.
#[derive(Clone, Debug)]
pub struct ChannelStreams {
    /// Shadowing.
    pub shadowing: Rng,
    /// Fading.
    pub fading: Rng,
}

/// The path between two stations, the same in both directions.
#[derive(Clone, Copy, Debug)]
struct Pair {
    shadow_db: f64,
    /// Distance in metres and mean loss in dB with shadowing, if neither moves.
    still: Option<(f64, f64)>,
    fader: Fader,
}

/// Stations and what is between them. Stations are numbered in the order in which they were given.
#[derive(Clone, Debug)]
pub struct Channel {
    config: ChannelConfig,
    stations: Vec<(Motion, Radio)>,
    /// (1, 0), (2, 0), (2, 1), (3, 0), ...: stations added at the end move nobody's draws.
    pairs: Vec<Pair>,
}

impl Channel {
    /// A channel with these stations.
    pub fn new(
        config: ChannelConfig,
        stations: Vec<(Motion, Radio)>,
        mut streams: ChannelStreams,
    ) -> Self {
        let mut pairs = Vec::with_capacity(stations.len() * stations.len() / 2);
        for (j, (later, _)) in stations.iter().enumerate() {
            for (earlier, _) in &stations[..j] {
                let shadow_db = config.shadowing_db * normal(&mut streams.shadowing);
                let still = (earlier.is_still() && later.is_still()).then(|| {
                    let distance = earlier.at(Instant::ZERO).distance(later.at(Instant::ZERO));
                    let loss = config.path_loss.db(distance, config.frequency_hz);
                    (distance, loss + shadow_db)
                });
                let fader = Fader::new(config.fading, streams.fading.next_u64());
                pairs.push(Pair {
                    shadow_db,
                    still,
                    fader,
                });
            }
        }
        Self {
            config,
            stations,
            pairs,
        }
    }

    /// Index of the pair. A station has none with itself.
    fn pair(&self, a: usize, b: usize) -> usize {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        debug_assert!(low < high && high < self.stations.len());
        high * (high - 1) / 2 + low
    }

    /// Distance in metres and mean loss in dB.
    fn mean(&self, now: Instant, a: usize, b: usize) -> (f64, f64) {
        let pair = &self.pairs[self.pair(a, b)];
        pair.still.unwrap_or_else(|| {
            let position = |i: usize| self.stations[i].0.at(now);
            let distance = position(a).distance(position(b));
            let config = &self.config;
            let loss = config.path_loss.db(distance, config.frequency_hz);
            (distance, loss + pair.shadow_db)
        })
    }

    /// Whether anybody moves.
    pub fn moves(&self) -> bool {
        self.stations.iter().any(|(motion, _)| !motion.is_still())
    }

    /// Power in dBm at which `to` receives `from` on average: with shadowing, without fading. What
    /// decides who hears whom.
    pub fn mean_dbm(&self, now: Instant, from: usize, to: usize) -> f64 {
        let (sender, receiver) = (&self.stations[from].1, &self.stations[to].1);
        let (_, loss) = self.mean(now, from, to);
        sender.power_dbm + sender.antenna_db + receiver.antenna_db - loss
    }

    /// Power in dBm at which `to` receives `from` now.
    pub fn received_dbm(&mut self, now: Instant, from: usize, to: usize) -> f64 {
        let pair = self.pair(from, to);
        self.mean_dbm(now, from, to) + self.pairs[pair].fader.gain_db(now)
    }

    /// Whether `to` notices on average that `from` sends in `mode`, and defers.
    pub fn hears(&self, now: Instant, from: usize, to: usize, mode: Mode) -> bool {
        let threshold = self.stations[to].1.detects_from(mode.width());
        self.mean_dbm(now, from, to) >= threshold
    }

    /// Signal to noise in dB, per stream, of what `from` sends to `to`.
    pub fn snr_db(&mut self, now: Instant, from: usize, to: usize, mode: Mode) -> f64 {
        self.received_dbm(now, from, to) - split_db(mode) - self.stations[to].1.noise_dbm(mode)
    }

    /// How much stronger in dB `to` receives `from` on average than all of `others` together.
    pub fn over_others_db(
        &self,
        now: Instant,
        from: usize,
        to: usize,
        others: impl Iterator<Item = usize>,
    ) -> f64 {
        self.mean_dbm(now, from, to) - self.sum_dbm(now, to, f64::NEG_INFINITY, others)
    }

    /// Signal to noise and interference in dB per stream on average, while `others` send as well, all
    /// over the bandwidth of `mode`. `to` is not one of them.
    pub fn mean_sinr_db(
        &self,
        now: Instant,
        from: usize,
        to: usize,
        mode: Mode,
        others: impl Iterator<Item = usize>,
    ) -> f64 {
        let noise = self.stations[to].1.noise_dbm(mode);
        self.mean_dbm(now, from, to) - split_db(mode) - self.sum_dbm(now, to, noise, others)
    }

    /// The mean powers at which `to` receives `others`, and `noise`, together.
    fn sum_dbm(
        &self,
        now: Instant,
        to: usize,
        noise: f64,
        others: impl Iterator<Item = usize>,
    ) -> f64 {
        let powers = others.map(|i| self.mean_dbm(now, i, to));
        powers.fold(noise, add_dbm)
    }

    /// Propagation delay, rounded to the nearest nanosecond.
    pub fn delay(&self, now: Instant, a: usize, b: usize) -> Span {
        Span::from_secs_f64(self.mean(now, a, b).0 / SPEED_OF_LIGHT)
    }
}

/// How far the power of each spatial stream lies below that of all, in dB. The receiver is taken to have as
/// many antennas as there are streams and to tell them apart without loss, so that nothing is gained.
pub fn split_db(mode: Mode) -> f64 {
    10.0 * libm::log10(f64::from(mode.streams()))
}

#[cfg(test)]
mod tests {
    use super::super::Position;
    use super::*;
    use crate::wifi::phy::{Guard, Width};
    use acklab_proto::rng;
    use std::vec;

    const CONFIG: ChannelConfig = ChannelConfig {
        frequency_hz: 5.18e9,
        path_loss: PathLoss::NS3,
        shadowing_db: 0.0,
        fading: Fading::None,
    };

    fn still(x: f64) -> (Motion, Radio) {
        let position = Position::new(x, 0.0, 0.0).unwrap();
        (Motion::Still(position), Radio::default())
    }

    fn channel(config: ChannelConfig, stations: Vec<(Motion, Radio)>) -> Channel {
        let streams = ChannelStreams {
            shadowing: rng::stream(1, "shadowing"),
            fading: rng::stream(1, "fading"),
        };
        Channel::new(config, stations, streams)
    }

    fn mode(width: Width) -> Mode {
        Mode::he(0, 1, width, Guard::Ns800).unwrap()
    }

    const NOW: Instant = Instant::ZERO;

    /// At 10 m -60.657 dBm arrive (ns-3), over a noise of -93.965 dBm.
    #[test]
    fn signal_over_noise() {
        let mut c = channel(CONFIG, vec![still(0.0), still(10.0)]);
        assert!((c.snr_db(NOW, 0, 1, mode(Width::Mhz20)) - 33.308).abs() < 1e-3);
        assert!((c.snr_db(NOW, 1, 0, mode(Width::Mhz160)) - 33.308 + 9.031).abs() < 1e-3);
    }

    /// Equal powers from the same distance: a little below 0 dB for the noise. Two of them are 3 dB more.
    #[test]
    fn interference_adds_to_noise_and_to_itself() {
        let stations = vec![still(0.0), still(10.0), still(20.0), still(20.0)];
        let mut c = channel(CONFIG, stations);
        let mode = mode(Width::Mhz20);
        let sinr = |others: &[usize]| c.mean_sinr_db(NOW, 0, 1, mode, others.iter().copied());
        assert!((-0.01..0.0).contains(&sinr(&[2])), "{}", sinr(&[2]));
        assert!((sinr(&[2]) - sinr(&[2, 3]) - 3.01).abs() < 0.01);
        let over = |others: &[usize]| c.over_others_db(NOW, 0, 1, others.iter().copied());
        assert!(over(&[2]).abs() < 1e-9 && (over(&[2, 3]) + 3.0103).abs() < 1e-4);
        let alone = sinr(&[]);
        assert_eq!(alone, c.snr_db(NOW, 0, 1, mode));
    }

    /// Each of four streams has a quarter of the power.
    #[test]
    fn streams_share_the_power() {
        let mut c = channel(CONFIG, vec![still(0.0), still(10.0)]);
        let streams = |n| Mode::he(0, n, Width::Mhz20, Guard::Ns800).unwrap();
        let cost = c.snr_db(NOW, 0, 1, streams(1)) - c.snr_db(NOW, 0, 1, streams(4));
        assert!((cost - 6.0206).abs() < 1e-4, "{cost}");
    }

    /// -82 dBm are left after 16.02 + 82 - 46.68 = 51.34 dB beyond the first metre: 51.5 m.
    #[test]
    fn stations_hear_each_other_up_to_a_distance() {
        let c = channel(
            CONFIG,
            vec![still(0.0), still(51.0), still(102.0), still(-1.0)],
        );
        let hears = |from, to, width| c.hears(NOW, from, to, mode(width));
        assert!(hears(0, 1, Width::Mhz20) && hears(1, 2, Width::Mhz20));
        assert!(!hears(0, 2, Width::Mhz20) && !hears(3, 1, Width::Mhz20));
        assert!(!hears(0, 1, Width::Mhz40));
    }

    #[test]
    fn a_station_that_walks_away_fades() {
        let walker = Motion::Straight {
            from: Position::new(10.0, 0.0, 0.0).unwrap(),
            velocity: [9.0, 0.0, 0.0],
            start: NOW,
        };
        let mut c = channel(CONFIG, vec![still(0.0), (walker, Radio::default())]);
        let mode = mode(Width::Mhz20);
        let later = NOW + Span::from_secs(10);
        let lost = c.snr_db(NOW, 0, 1, mode) - c.snr_db(later, 0, 1, mode);
        // From 10 m to 100 m: a decade of exponent 3.
        assert!((lost - 30.0).abs() < 1e-9, "{lost}");
        // 100 m / c = 333.56 ns.
        assert_eq!(c.delay(later, 1, 0), Span::from_nanos(334));
    }

    #[test]
    fn shadowing_belongs_to_a_pair_and_stays() {
        let config = ChannelConfig {
            shadowing_db: 4.0,
            ..CONFIG
        };
        let stations: Vec<_> = (0..150).map(|i| still(f64::from(i))).collect();
        let c = channel(config, stations.clone());
        let clear = channel(CONFIG, stations.clone());
        let mut shadows = Vec::new();
        for (a, b) in (0..150).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert_eq!(c.mean_dbm(NOW, a, b), c.mean_dbm(NOW, b, a));
            shadows.push(clear.mean_dbm(NOW, a, b) - c.mean_dbm(NOW, a, b));
        }
        let n = shadows.len() as f64;
        let mean = shadows.iter().sum::<f64>() / n;
        let variance = shadows.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n;
        // 11,175 draws: standard errors 0.04 and 0.7 %.
        assert!(mean.abs() < 0.15 && (libm::sqrt(variance) - 4.0).abs() < 0.12);
        let fewer = channel(config, stations[..5].to_vec());
        assert_eq!(fewer.mean_dbm(NOW, 4, 3), c.mean_dbm(NOW, 4, 3));
    }

    #[test]
    fn fading_is_the_same_both_ways_and_another_for_each_pair() {
        let coherence = Span::from_millis(5);
        let fading = Fading::Rayleigh { coherence };
        let config = ChannelConfig { fading, ..CONFIG };
        let mut c = channel(config, vec![still(-10.0), still(0.0), still(10.0)]);
        let left = c.received_dbm(NOW, 0, 1);
        assert_eq!(left, c.received_dbm(NOW, 1, 0));
        assert_ne!(left, c.received_dbm(NOW, 2, 1));
        assert_eq!(c.mean_dbm(NOW, 0, 1), c.mean_dbm(NOW, 2, 1));
    }
}
