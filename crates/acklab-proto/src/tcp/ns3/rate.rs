//! Delivery-rate samples as ns-3 takes them (`TcpRateLinux`).
//!
//! The draft takes the sample of the segment sent last among those an ACK delivers. ns-3 keeps the
//! sample from ACK to ACK and takes a new one only for a segment that was sent after *more* had
//! been delivered: of two segments sent upon the same ACK the second is measured over the interval
//! of the first, with one more segment delivered. The rate comes out too high by that segment.

use super::board::Item;
use crate::cc::ns3::Sample;
use acklab_units::{Instant, Rate, Span};

/// The note taken when a segment is sent (`RateInformation`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamp {
    first_sent: Instant,
    /// `None` once the segment was delivered.
    delivered_at: Option<Instant>,
    /// Bytes delivered by then.
    pub delivered: u64,
    app_limited: bool,
}

/// Counters of the connection and the sample that stays.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    /// Bytes delivered.
    pub delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    app_limited_until: u64,
    /// Rate and interval of the best sample so far, for application-limited ones.
    best: (u64, Span),
    held: Held,
}

/// The sample in the making.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    ack_elapsed: Span,
    send_elapsed: Span,
    prior_delivered: u64,
    timed: bool,
    app_limited: bool,
    rate: Rate,
}

/// The inputs of a sample besides timing.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckFacts {
    pub acked_sacked: u64,
    pub lost_change: u64,
    pub prior_inflight: u64,
    pub min_rtt: Span,
}

impl Rates {
    /// A segment leaves at `now`; `idle`: nothing was in flight.
    pub fn stamp(&mut self, now: Instant, idle: bool) -> Stamp {
        if idle {
            self.first_sent = now;
            self.delivered_at = now;
        }
        Stamp {
            first_sent: self.first_sent,
            delivered_at: Some(self.delivered_at),
            delivered: self.delivered,
            app_limited: self.app_limited_until > 0,
        }
    }

    /// A segment was acknowledged, either way, for the first time.
    pub fn on_delivered(&mut self, now: Instant, item: &mut Item) {
        let Some(since) = item.stamp.delivered_at.take() else {
            return;
        };
        let stamp = item.stamp;
        self.delivered += u64::from(item.len);
        self.delivered_at = now;
        let h = &mut self.held;
        if h.prior_delivered == 0 || stamp.delivered > h.prior_delivered {
            h.ack_elapsed = now.saturating_since(since);
            h.send_elapsed = item.sent_at.saturating_since(stamp.first_sent);
            h.prior_delivered = stamp.delivered;
            h.timed = true;
            h.app_limited = stamp.app_limited;
            self.first_sent = item.sent_at;
        }
    }

    /// The sample that goes with an ACK.
    pub fn sample(&mut self, f: &AckFacts) -> Sample {
        if self.app_limited_until > 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let mut h = self.held;
        let mut out = Sample {
            delivered_total: self.delivered,
            timed: h.timed,
            prior_delivered: h.prior_delivered,
            app_limited: h.app_limited,
            acked_sacked: f.acked_sacked,
            lost_change: f.lost_change,
            prior_inflight: f.prior_inflight,
            rate: h.rate,
            ..Sample::default()
        };
        if h.timed {
            out.delivered = self.delivered - h.prior_delivered;
            let interval = h.send_elapsed.max(h.ack_elapsed);
            if interval < f.min_rtt {
                h.timed = false;
            } else {
                out.interval = interval;
                h.rate = self.judge(&out);
            }
        }
        self.held = h;
        Sample {
            rate: h.rate,
            ..out
        }
    }

    /// The rate that counts now: that of the sample, unless it was application-limited and lower.
    fn judge(&mut self, s: &Sample) -> Rate {
        let (delivered, interval) = (u128::from(s.delivered), u128::from(s.interval.as_nanos()));
        let (b, t) = (u128::from(self.best.0), u128::from(self.best.1.as_nanos()));
        if s.app_limited && delivered * t < b * interval {
            return self.held.rate;
        }
        self.best = (s.delivered, s.interval);
        Rate::from_bytes_over(s.delivered, s.interval)
    }

    /// The latest rate, if there was a sample.
    pub fn rate(&self) -> Option<Rate> {
        Some(self.held.rate).filter(|r| *r > Rate::ZERO)
    }

    /// The application has run dry with `inflight` bytes in flight.
    pub fn on_app_limited(&mut self, inflight: u64) {
        self.app_limited_until = (self.delivered + inflight).max(1);
    }

    /// Whether the flow is application-limited now.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until > 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Flag;
    use super::*;

    const SEG: u32 = 1000;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn sent(r: &mut Rates, ms: u64, idle: bool) -> Item {
        Item {
            start: 0,
            len: SEG,
            flag: Flag::None,
            sacked: false,
            lost: false,
            retrans: false,
            sent_at: at(ms),
            stamp: r.stamp(at(ms), idle),
        }
    }

    fn facts(min_rtt_ms: u64) -> AckFacts {
        AckFacts {
            acked_sacked: u64::from(SEG),
            lost_change: 0,
            prior_inflight: 0,
            min_rtt: Span::from_millis(min_rtt_ms),
        }
    }

    /// Two segments sent upon the same ACK: the second is measured over the first one's interval.
    #[test]
    fn of_two_segments_sent_together_the_second_looks_faster() {
        let mut r = Rates::default();
        let mut first = sent(&mut r, 1, true);
        r.on_delivered(at(11), &mut first);
        r.sample(&facts(1));
        let mut pair = [sent(&mut r, 11, false), sent(&mut r, 11, false)];
        r.on_delivered(at(21), &mut pair[0]);
        let one = r.sample(&facts(1));
        r.on_delivered(at(22), &mut pair[1]);
        let two = r.sample(&facts(1));
        assert_eq!((one.delivered, one.interval), (1000, Span::from_millis(10)));
        assert_eq!((two.delivered, two.interval), (2000, Span::from_millis(10)));
        assert_eq!(two.rate.as_bps(), 2 * one.rate.as_bps());
    }

    #[test]
    fn an_interval_below_the_minimum_rtt_spoils_the_sample_until_the_next() {
        let mut r = Rates::default();
        let mut a = sent(&mut r, 1, true);
        r.on_delivered(at(11), &mut a);
        let good = r.sample(&facts(1));
        assert!(r.sample(&facts(20)).interval.is_zero());
        let spoilt = r.sample(&facts(1));
        assert!(!spoilt.timed && spoilt.interval.is_zero());
        assert_eq!(spoilt.rate, good.rate, "the rate stays");
    }

    #[test]
    fn a_segment_counts_once() {
        let mut r = Rates::default();
        let mut a = sent(&mut r, 0, true);
        r.on_delivered(at(10), &mut a);
        r.on_delivered(at(12), &mut a);
        assert_eq!(r.delivered, 1000);
    }

    #[test]
    fn a_slow_sample_of_an_idle_application_does_not_count() {
        let mut r = Rates::default();
        let mut a = sent(&mut r, 1, true);
        r.on_delivered(at(11), &mut a);
        let fast = r.sample(&facts(1)).rate;
        r.on_app_limited(1000);
        let mut b = sent(&mut r, 11, false);
        r.on_delivered(at(111), &mut b);
        let slow = r.sample(&facts(1));
        assert!(slow.app_limited);
        assert_eq!(slow.rate, fast);
    }
}
