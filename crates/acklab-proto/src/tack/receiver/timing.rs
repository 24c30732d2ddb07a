//! One-way delays, and the fastest packet of a TACK interval (TACK paper, section 5.2).
//!
//! "The variation of one-way delay reflects the variation of RTT. The OWD estimation does not require
//! clock synchronization here as we use relative values." The clocks may drift, too: a drift of 100
//! parts per million moves a delay by 10 us in a tenth of a second, and delays are compared only
//! within one interval.

use crate::tack::config::{Owd, Timing};
use crate::tack::wire::Fastest;
use acklab_units::{Instant, Span};

/// Delays are kept in parts of a microsecond, as many as two to this.
const PARTS: u32 = 3;

/// Microseconds of a clock, as they stand in a packet.
pub const fn micros(now: Instant) -> u32 {
    (now.as_nanos() / 1_000) as u32
}

/// A span in microseconds, as far as 32 bits go.
pub fn span_micros(span: Span) -> u32 {
    u32::try_from(span.as_micros()).unwrap_or(u32::MAX)
}

/// A packet of the interval.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Compared value: a delay in eighths of a microsecond relative to the first packet's.
    delay: i64,
    stamp: u32,
    arrived: Instant,
}

/// One-way delays as they arrive.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    timing: Timing,
    owd: Owd,
    /// One over the gain of the moving average.
    gain: i64,
    /// Difference of the clocks and delay of the first packet, microseconds.
    base: Option<u32>,
    /// Smoothed delay against it, in eighths of a microsecond.
    smoothed: i64,
    best: Option<Candidate>,
    latest_arrival: Option<Instant>,
}

impl Delays {
    pub fn new(timing: Timing, owd: Owd, gain: u8) -> Self {
        Self {
            timing,
            owd,
            gain: i64::from(gain.max(1)),
            base: None,
            smoothed: 0,
            best: None,
            latest_arrival: None,
        }
    }

    /// A packet arrived that had left at `stamp`. "A relative OWD sample can be computed as OWD =
    /// t2 - t0." `ahead`: its number is the largest so far.
    pub fn on_packet(&mut self, now: Instant, stamp: u32, ahead: bool) {
        let raw = micros(now).wrapping_sub(stamp);
        let first = self.base.is_none();
        let base = *self.base.get_or_insert(raw);
        let delay = i64::from(raw.wrapping_sub(base) as i32) << PARTS;
        self.smoothed += if first {
            delay
        } else {
            (delay - self.smoothed).div_euclid(self.gain)
        };
        let compared = match self.owd {
            Owd::Smoothed => self.smoothed,
            Owd::Raw => delay,
        };
        if ahead {
            self.latest_arrival = Some(now);
        }
        let better = match self.timing {
            Timing::Advanced => self.best.is_none_or(|b| compared < b.delay),
            Timing::Newest | Timing::Legacy => true,
        };
        if better {
            self.best = Some(Candidate {
                delay: compared,
                stamp,
                arrived: now,
            });
        }
    }

    /// The packet that the TACK which leaves now tells of; a new interval begins.
    pub fn take(&mut self, now: Instant) -> Option<Fastest> {
        let best = self.best.take()?;
        let hold = match self.timing {
            Timing::Legacy => Span::ZERO,
            _ => now.saturating_since(best.arrived),
        };
        Some(Fastest {
            stamp: best.stamp,
            hold: span_micros(hold),
        })
    }

    /// Time since the packet with the largest number arrived.
    pub fn hold(&self, now: Instant) -> u32 {
        let since = self.latest_arrival.map(|at| now.saturating_since(at));
        since.map_or(0, span_micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Instant {
        Instant::ZERO + Span::from_micros(n)
    }

    /// Figure 4 (c): three packets in one interval, the second is the fastest.
    fn interval(timing: Timing, owd: Owd) -> Fastest {
        let mut d = Delays::new(timing, owd, 8);
        for (left, took) in [(0, 900), (100, 500), (200, 700)] {
            // The sender's clock is 7 ms ahead and about to wrap.
            let stamp = (u32::MAX - 6000).wrapping_add(7000 + left as u32);
            d.on_packet(us(10_000 + left + took), stamp, true);
        }
        d.take(us(12_000)).unwrap()
    }

    #[test]
    fn the_fastest_packet_of_the_interval_is_told_with_its_hold_time() {
        let stamp_of = |left: u32| (u32::MAX - 6000).wrapping_add(7000 + left);
        let f = interval(Timing::Advanced, Owd::Raw);
        assert_eq!((f.stamp, f.hold), (stamp_of(100), 12_000 - 10_600));
        // Smoothed: 0, -50, -68.75: the last.
        let f = interval(Timing::Advanced, Owd::Smoothed);
        assert_eq!((f.stamp, f.hold), (stamp_of(200), 12_000 - 10_900));
        let f = interval(Timing::Newest, Owd::Raw);
        assert_eq!((f.stamp, f.hold), (stamp_of(200), 1_100));
        let f = interval(Timing::Legacy, Owd::Raw);
        assert_eq!((f.stamp, f.hold), (stamp_of(200), 0));
    }

    #[test]
    fn an_interval_without_packets_tells_nothing() {
        let mut d = Delays::new(Timing::Advanced, Owd::Raw, 8);
        d.on_packet(us(50), 0, true);
        assert!(d.take(us(60)).is_some());
        assert!(d.take(us(70)).is_none());
        assert_eq!(d.hold(us(70)), 20);
    }
}
