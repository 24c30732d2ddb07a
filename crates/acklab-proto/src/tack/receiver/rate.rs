//! The delivery rate (TACK paper, section 5.4).
//!
//! "The receiver computes the average delivery rate per TACK interval as the ratio of data delivered
//! to time elapsed. At time t, the maximum delivery rate is a windowed max-filtered value of the
//! delivery rates, i.e., bw = max(delivery_rate_i), for all i in [t - theta_filter, t]."
//!
//! Time elapses here from the last arrival of one interval to the last of the next: a TACK that a
//! timer sent would else count time in which nothing was to arrive.

use acklab_units::{Instant, Rate, Span};

/// Parts that the filter's window is divided into.
const PARTS: usize = 10;

/// Maximum over a window of time whose length may change.
#[derive(Clone, Debug)]
pub struct WindowedMax {
    part: Span,
    began: Instant,
    max: [Rate; PARTS],
    at: usize,
}

impl WindowedMax {
    /// Over `window`.
    pub fn new(window: Span) -> Self {
        Self {
            part: window / PARTS as u64,
            began: Instant::ZERO,
            max: [Rate::ZERO; PARTS],
            at: 0,
        }
    }

    /// Changes the window; what was measured stays.
    pub fn set_window(&mut self, window: Span) {
        self.part = (window / PARTS as u64).max(Span::from_micros(1));
    }

    fn advance(&mut self, now: Instant) {
        let parts = now.saturating_since(self.began).as_nanos() / self.part.as_nanos().max(1);
        if parts == 0 {
            return;
        }
        for _ in 0..parts.min(PARTS as u64) {
            self.at = (self.at + 1) % PARTS;
            self.max[self.at] = Rate::ZERO;
        }
        self.began = self.began.saturating_add(self.part.saturating_mul(parts));
    }

    /// Takes a sample.
    pub fn update(&mut self, now: Instant, rate: Rate) {
        self.advance(now);
        self.max[self.at] = self.max[self.at].max(rate);
    }

    /// The maximum; zero before the first sample.
    pub fn max(&self) -> Rate {
        self.max.iter().copied().max().unwrap_or(Rate::ZERO)
    }
}

/// A sample as a TACK carries it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub rate: Rate,
    pub interval: Span,
    pub app_limited: bool,
}

/// Bytes as they arrive, in intervals.
#[derive(Clone, Debug)]
pub struct DeliveryRate {
    filter: WindowedMax,
    /// Last arrival of the interval before; `None` before the first packet.
    from: Option<Instant>,
    last: Instant,
    bytes: u64,
    app_limited: bool,
}

impl DeliveryRate {
    pub fn new(theta: Span) -> Self {
        Self {
            filter: WindowedMax::new(theta),
            from: None,
            last: Instant::ZERO,
            bytes: 0,
            app_limited: false,
        }
    }

    /// "theta_filter is recommended as 5~10 RTTs."
    pub fn set_theta(&mut self, theta: Span) {
        self.filter.set_window(theta);
    }

    /// `bytes` that had not been there before arrived.
    pub fn on_packet(&mut self, now: Instant, bytes: u64, app_limited: bool) {
        self.last = now;
        if self.from.is_none() {
            // The first packet opens the first interval; it is not part of it.
            self.from = Some(now);
            return;
        }
        self.bytes += bytes;
        self.app_limited |= app_limited;
    }

    /// Ends an interval with the TACK that leaves. One shorter than `least` goes on: two packets that
    /// arrived together say nothing about a rate, and in start-up each has its own TACK.
    pub fn take(&mut self, now: Instant, least: Span) -> Option<Sample> {
        let from = self.from?;
        let interval = self.last.saturating_since(from);
        if self.bytes == 0 || interval.is_zero() || interval < least {
            return None;
        }
        let sample = Sample {
            rate: Rate::from_bytes_over(self.bytes, interval),
            interval,
            app_limited: self.app_limited,
        };
        self.from = Some(self.last);
        self.bytes = 0;
        self.app_limited = false;
        // A sample that the application limits is a lower bound.
        if !sample.app_limited || sample.rate > self.filter.max() {
            self.filter.update(now, sample.rate);
        }
        Some(sample)
    }

    /// bw, the maximum delivery rate.
    pub fn max(&self) -> Rate {
        self.filter.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn the_rate_is_bytes_over_the_time_between_last_arrivals() {
        let mut r = DeliveryRate::new(Span::from_millis(100));
        for i in 0..=10 {
            r.on_packet(at(i), 1250, false);
        }
        // The timer sends late; that does not lower the rate.
        let s = r.take(at(15), Span::ZERO).unwrap();
        assert_eq!(
            (s.rate.as_bps(), s.interval),
            (10_000_000, Span::from_millis(10))
        );
        assert_eq!(r.take(at(16), Span::ZERO), None);
        assert_eq!(r.max(), s.rate);
    }

    #[test]
    fn a_short_interval_goes_on() {
        let mut r = DeliveryRate::new(Span::from_millis(100));
        r.on_packet(at(0), 1250, false);
        r.on_packet(at(1), 1250, false);
        assert_eq!(r.take(at(1), Span::from_millis(5)), None);
        r.on_packet(at(5), 1250, false);
        let s = r.take(at(5), Span::from_millis(5)).unwrap();
        assert_eq!(s.rate.as_bps(), 4_000_000);
    }

    #[test]
    fn what_the_application_limits_never_lowers_the_maximum() {
        let mut r = DeliveryRate::new(Span::from_millis(100));
        r.on_packet(at(0), 1250, false);
        r.on_packet(at(1), 1250, false);
        r.take(at(1), Span::ZERO);
        r.on_packet(at(11), 1250, true);
        assert!(r.take(at(11), Span::ZERO).unwrap().app_limited);
        assert_eq!(r.max().as_bps(), 10_000_000);
    }

    #[test]
    fn the_maximum_lasts_for_its_window() {
        let mut f = WindowedMax::new(Span::from_millis(100));
        f.update(at(1000), Rate::from_bps(9));
        f.update(at(1085), Rate::from_bps(3));
        assert_eq!(f.max().as_bps(), 9);
        f.update(at(1111), Rate::from_bps(2));
        assert_eq!(f.max().as_bps(), 3);
        f.update(at(5000), Rate::from_bps(1));
        assert_eq!(f.max().as_bps(), 1);
    }
}
