//! Autorate: the rate of the shaper follows what arrives (`autorate-ingress` of tc-cake(8)).
//!
//! For the arriving side of a line whose rate changes: CAKE stands behind the true bottleneck, sees how
//! fast packets come through it, and shapes to 15/16 of that. Rules of `cake_enqueue` in Linux's
//! `net/sched/sch_cake.c`.

use super::ewma;
use acklab_units::{Instant, Rate, Span};

const SECOND: u64 = 1_000_000_000;
/// Least time between two changes of the rate.
const REST: Span = Span::from_millis(250);

/// The estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Autorate {
    last_packet: Instant,
    window_began: Instant,
    /// Mean time between packets, in nanoseconds.
    gap: u64,
    window_bytes: u64,
    /// Bytes per second.
    peak: u64,
    changed: Instant,
}

impl Autorate {
    /// Starts from that rate.
    pub fn new(rate: Option<Rate>) -> Self {
        Self {
            last_packet: Instant::ZERO,
            window_began: Instant::ZERO,
            gap: 0,
            window_bytes: 0,
            peak: rate.map_or(0, |r| r.as_bps() / 8),
            changed: Instant::ZERO,
        }
    }

    /// The estimated rate of the line.
    pub fn capacity(&self) -> Rate {
        Rate::from_bps(self.peak.saturating_mul(8))
    }

    /// A packet came. The new rate, if it is time for one.
    pub fn on_arrival(&mut self, now: Instant, bytes: u32) -> Option<Rate> {
        self.window_bytes += u64::from(bytes);
        let gap = now
            .saturating_since(self.last_packet)
            .as_nanos()
            .min(SECOND);
        // Bursts, for example Wi-Fi's, do not count.
        self.gap = ewma(self.gap, gap, if gap > self.gap { 2 } else { 8 });
        self.last_packet = now;
        if gap <= self.gap {
            return None;
        }
        let window = now.saturating_since(self.window_began).as_nanos().max(1);
        let rate = (u128::from(self.window_bytes) * u128::from(SECOND) / u128::from(window)) as u64;
        self.peak = ewma(self.peak, rate, if rate > self.peak { 2 } else { 8 });
        self.window_bytes = 0;
        self.window_began = now;
        if now.saturating_since(self.changed) <= REST {
            return None;
        }
        self.changed = now;
        let shaped = self.capacity().mul_div(15, 16);
        (shaped > Rate::ZERO).then_some(shaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets at an even pace, but for a hair: windows end where a gap is longer than the mean.
    #[test]
    fn it_shapes_to_fifteen_sixteenths_of_what_arrives() {
        let mut auto = Autorate::new(None);
        let (mut now, mut last) = (Instant::ZERO, None);
        for i in 0..50_000u64 {
            now += Span::from_micros(1200 + if i % 10 == 0 { 10 } else { 0 });
            last = auto.on_arrival(now, 1500).or(last);
        }
        // 1500 bytes in 1201 us are 9.99 Mbit/s.
        let (rate, capacity) = (
            last.unwrap().as_bps() as f64,
            auto.capacity().as_bps() as f64,
        );
        assert!((capacity / 9.992e6 - 1.0).abs() < 0.01, "{capacity}");
        assert!(
            (rate / (9.992e6 * 15.0 / 16.0) - 1.0).abs() < 0.01,
            "{rate}"
        );
    }
}
