//! Delivery-rate sampling (draft-cheng-iccrg-delivery-rate-estimation, Linux `tcp_rate.c`).
//!
//! Every transmission is stamped with what had been delivered by then. When the segment is
//! acknowledged, the stamp of the most recently sent one tells over which interval how much was
//! delivered: the longer of the send and the ACK interval, so that neither compressed ACKs nor
//! compressed sends inflate the rate.

use crate::cc::{RateSample, SegmentLost};
use acklab_units::{Instant, Span};

/// The note of a transmission, taken when it leaves and read when it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Running number of the transmission: a total order where times are equal.
    pub serial: u64,
    /// `C.first_sent_time`.
    pub first_sent_at: Instant,
    /// `C.delivered_time`.
    pub delivered_at: Instant,
    /// `C.delivered`.
    pub delivered: u64,
    /// Bytes lost before.
    pub lost_before: u64,
    /// Bytes delivered with a mark before.
    pub ce_before: u64,
    /// The flow was application-limited.
    pub app_limited: bool,
}

/// A transport's memory of something that it has sent.
pub trait Transmission {
    /// When it was last sent.
    fn sent_at(&self) -> Instant;

    /// Payload bytes.
    fn bytes(&self) -> u32;

    /// Bytes in flight just after it was last sent, itself included.
    fn tx_in_flight(&self) -> u64;

    /// Whether it was sent more than once.
    fn was_repeated(&self) -> bool;

    /// The stamp of the latest sending.
    fn stamp(&self) -> Stamp;

    /// Keeps the stamp of the latest sending.
    fn set_stamp(&mut self, stamp: Stamp);
}

/// Delivery counters of a connection and the sample in the making.
#[derive(Clone, Debug, Default)]
pub struct RateSampler {
    /// Bytes delivered (`C.delivered`).
    pub delivered: u64,
    /// When `delivered` last changed (`C.delivered_time`).
    pub delivered_at: Instant,
    /// Sending time of the segment most recently acknowledged (`C.first_sent_time`).
    first_sent_at: Instant,
    /// Bytes marked lost.
    pub lost: u64,
    /// Bytes delivered with a congestion mark echoed.
    pub delivered_ce: u64,
    /// The flow is application-limited until this much is delivered; 0 = it is not.
    app_limited_until: u64,
    candidate: Option<Candidate>,
    /// Segments stamped.
    transmissions: u64,
}

/// The stamp of the most recently sent segment that this ACK delivers.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    serial: u64,
    send_interval: Span,
    sample: RateSample,
    delivered_at: Instant,
    prior_lost: u64,
    prior_ce: u64,
}

impl RateSampler {
    /// Stamps `it`, which leaves at its `sent_at`. `idle`: nothing was in flight.
    #[inline]
    pub fn stamp(&mut self, it: &mut impl Transmission, idle: bool) {
        self.transmissions += 1;
        if idle {
            self.first_sent_at = it.sent_at();
            self.delivered_at = it.sent_at();
        }
        it.set_stamp(Stamp {
            serial: self.transmissions,
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost_before: self.lost,
            ce_before: self.delivered_ce,
            app_limited: self.app_limited_until > 0,
        });
    }

    /// The facts that a controller gets about `it`, which has just been marked lost.
    pub fn loss_of(&self, now: Instant, it: &impl Transmission, inflight: u64) -> SegmentLost {
        let stamp = it.stamp();
        SegmentLost {
            now,
            bytes: it.bytes(),
            tx_in_flight: it.tx_in_flight(),
            lost_since_sent: self.lost - stamp.lost_before,
            delivered_since_sent: self.delivered - stamp.delivered,
            prior_delivered: stamp.delivered,
            app_limited: stamp.app_limited,
            inflight,
        }
    }

    /// `it` was delivered (acknowledged for the first time, either way).
    #[inline]
    pub fn on_delivered(&mut self, it: &impl Transmission) {
        self.delivered += u64::from(it.bytes());
        let stamp = it.stamp();
        if let Some(c) = &self.candidate
            && stamp.serial <= c.serial
        {
            return;
        }
        self.first_sent_at = it.sent_at();
        self.candidate = Some(Candidate {
            serial: stamp.serial,
            send_interval: it.sent_at().saturating_since(stamp.first_sent_at),
            delivered_at: stamp.delivered_at,
            prior_lost: stamp.lost_before,
            prior_ce: stamp.ce_before,
            sample: RateSample {
                prior_delivered: stamp.delivered,
                is_app_limited: stamp.app_limited,
                is_retrans: it.was_repeated(),
                tx_in_flight: it.tx_in_flight(),
                ..RateSample::default()
            },
        });
    }

    /// The data that had been delivered when the most recently sent segment that this ACK delivers was sent
    /// (`rs.prior_delivered`); `None` if it delivers nothing.
    pub fn prior_delivered(&self) -> Option<u64> {
        self.candidate.as_ref().map(|c| c.sample.prior_delivered)
    }

    /// Finishes the sample of this ACK. `any` = it delivered something.
    pub fn finish(&mut self, now: Instant, any: bool, min_rtt: Span) -> RateSample {
        if self.app_limited_until > 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        if any {
            self.delivered_at = now;
        }
        let Some(c) = self.candidate.take() else {
            return RateSample::default();
        };
        let ack_interval = now.saturating_since(c.delivered_at);
        let interval = c.send_interval.max(ack_interval);
        // An interval below the minimum RTT cannot be right: a spurious retransmission was
        // acknowledged (tcp_rate_gen).
        let valid = min_rtt == Span::MAX || interval >= min_rtt;
        RateSample {
            delivered: self.delivered - c.sample.prior_delivered,
            interval: if valid { interval } else { Span::ZERO },
            send_interval: c.send_interval,
            ack_interval,
            lost: self.lost - c.prior_lost,
            delivered_ce: self.delivered_ce - c.prior_ce,
            ..c.sample
        }
    }

    /// The application has nothing to send while the window is open: samples until everything
    /// now in flight is delivered say little about the path.
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
    use super::*;
    use crate::tcp::scoreboard::Record;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn sent(s: &mut RateSampler, ms: u64, start: u64, idle: bool) -> Record {
        let mut r = Record::new(start, 1000, at(ms));
        s.stamp(&mut r, idle);
        r
    }

    /// Ten segments sent 1 ms apart and acknowledged 2 ms apart: the rate is the ACKs', whatever
    /// number of segments one ACK covers.
    #[test]
    fn stretch_acks_do_not_inflate_the_rate() {
        for stretch in [1usize, 2, 5, 10] {
            let mut s = RateSampler::default();
            let first: alloc::vec::Vec<_> =
                (0..10).map(|i| sent(&mut s, i, 1000 * i, i == 0)).collect();
            let mut now = 50;
            let mut second = alloc::vec::Vec::new();
            for (i, group) in first.chunks(stretch).enumerate() {
                now = 50 + 2 * (stretch * (i + 1)) as u64;
                group.iter().for_each(|r| s.on_delivered(r));
                s.finish(at(now), true, Span::from_millis(10));
                second.push(sent(&mut s, now, 10_000 + 1000 * i as u64, false));
            }
            // The next flight, acknowledged as a whole one RTT later: its stamp is the last ACK.
            let last = second.last().unwrap();
            s.on_delivered(last);
            let sample = s.finish(at(now + 60), true, Span::from_millis(10));
            assert_eq!(sample.prior_delivered, 10_000);
            assert_eq!(sample.delivered, 1000);
            assert_eq!(sample.ack_interval, Span::from_millis(60));
            assert!(sample.interval >= sample.ack_interval);
        }
    }

    #[test]
    fn compressed_acks_are_bounded_by_the_send_interval() {
        let mut s = RateSampler::default();
        let rs: alloc::vec::Vec<_> = (0..11)
            .map(|i| sent(&mut s, 5 * i, 1000 * i, i == 0))
            .collect();
        s.on_delivered(&rs[0]);
        s.finish(at(100), true, Span::MAX);
        // All ACKs of the rest arrive in one instant.
        for r in &rs[1..] {
            s.on_delivered(r);
        }
        let x = s.finish(at(101), true, Span::MAX);
        assert_eq!(x.send_interval, Span::from_millis(50));
        assert_eq!(x.interval, Span::from_millis(101));
        assert_eq!(x.delivered, 11_000);
    }

    #[test]
    fn an_interval_below_the_minimum_rtt_is_no_sample() {
        let mut s = RateSampler::default();
        let r = sent(&mut s, 0, 0, true);
        s.on_delivered(&r);
        assert!(
            s.finish(at(5), true, Span::from_millis(40))
                .rate()
                .is_none()
        );
    }

    #[test]
    fn app_limitation_ends_when_its_flight_is_delivered() {
        let mut s = RateSampler::default();
        s.on_app_limited(1000);
        let r = sent(&mut s, 0, 0, true);
        assert!(r.is_app_limited());
        s.on_delivered(&r);
        s.finish(at(40), true, Span::MAX);
        assert!(s.is_app_limited(), "the flight itself is still limited");
        let r2 = sent(&mut s, 41, 1000, true);
        s.on_delivered(&r2);
        s.finish(at(80), true, Span::MAX);
        assert!(!s.is_app_limited());
    }
}
