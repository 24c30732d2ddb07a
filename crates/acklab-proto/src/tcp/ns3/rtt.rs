//! RTT samples and timeout as ns-3 has them (`EstimateRtt`, `RttMeanDeviation`).

use crate::tcp::config::{RttEstimator, TcpConfig};
use crate::tcp::sender::ts_clock;
use acklab_units::{Instant, Span};
use alloc::collections::VecDeque;

/// The value in place of a sample of zero.
const LEAST: Span = Span::from_micros(1);

/// One transmission that waits for its acknowledgement (`RttHistory`).
#[derive(Clone, Copy, Debug)]
struct Sent {
    start: u64,
    end: u64,
    at: Instant,
    again: bool,
}

/// History, estimate and timeout.
#[derive(Clone, Debug)]
pub(super) struct Rtt {
    history: VecDeque<Sent>,
    /// Nanoseconds, rounded down at every step.
    srtt: i64,
    rttvar: i64,
    granularity: Span,
    min_rto: Span,
    max_rto: Span,
    rto: Span,
    last: Span,
    min: Span,
}

impl Rtt {
    pub fn new(cfg: &TcpConfig) -> Self {
        let granularity = match cfg.rtt_estimator {
            RttEstimator::Rfc6298 { granularity, .. } => granularity,
            RttEstimator::Linux => Span::ZERO,
        };
        Self {
            history: VecDeque::new(),
            srtt: 0,
            rttvar: 0,
            granularity,
            min_rto: cfg.min_rto,
            max_rto: cfg.max_rto,
            rto: cfg.initial_rto,
            last: Span::ZERO,
            min: Span::MAX,
        }
    }

    /// A segment left for the first time.
    pub fn on_sent(&mut self, now: Instant, start: u64, end: u64) {
        let sent = Sent {
            start,
            end,
            at: now,
            again: false,
        };
        self.history.push_back(sent);
    }

    /// The segment `[start, end)` left again.
    pub fn on_resent(&mut self, start: u64, end: u64) {
        let i = self.history.partition_point(|s| s.end <= start);
        if let Some(s) = self.history.get_mut(i).filter(|s| s.start <= start) {
            s.again = true;
            s.end = end;
        }
    }

    /// A timeout: nothing that is out now gives a sample.
    pub fn forget(&mut self) {
        self.history.clear();
    }

    /// An ACK arrived. It gives a sample if it covers the oldest transmission of the history.
    pub fn on_ack(&mut self, now: Instant, ack: u64, echo: Option<u32>) {
        let Some(oldest) = self.history.front().copied().filter(|s| s.end <= ack) else {
            return;
        };
        let mut newest = oldest;
        while let Some(s) = self.history.front().copied().filter(|s| s.end <= ack) {
            newest = s;
            self.history.pop_front();
        }
        if let Some(last) = sample(now, &newest, echo) {
            self.last = last;
        }
        if let Some(rtt) = sample(now, &oldest, echo) {
            self.measure(rtt);
        }
    }

    fn measure(&mut self, rtt: Span) {
        let m = rtt.as_nanos() as i64;
        if self.min == Span::MAX {
            (self.srtt, self.rttvar) = (m, m / 2);
        } else {
            let delta = m - self.srtt;
            self.srtt = (8 * self.srtt + delta) >> 3;
            self.rttvar = (4 * self.rttvar + delta.abs() - self.rttvar) >> 2;
        }
        self.min = self.min.min(self.srtt());
        self.renew();
    }

    /// The timeout follows from the estimate again, whatever back-off it had.
    pub fn renew(&mut self) {
        if self.seen() {
            let slack = Span::from_nanos(4 * self.rttvar as u64).max(self.granularity);
            self.rto = (self.srtt() + slack).max(self.min_rto);
        }
    }

    /// Doubles the timeout.
    pub fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(self.max_rto);
    }

    pub fn rto(&self) -> Span {
        self.rto
    }

    /// Smoothed RTT; zero before the first sample.
    pub fn srtt(&self) -> Span {
        Span::from_nanos(self.srtt as u64)
    }

    /// The latest sample: that of the newest transmission covered.
    pub fn last(&self) -> Span {
        self.last
    }

    /// Smallest smoothed RTT; [`Span::MAX`] before the first sample.
    pub fn min(&self) -> Span {
        self.min
    }

    pub fn seen(&self) -> bool {
        self.min != Span::MAX
    }
}

/// By the timestamps option in whole milliseconds, both ends rounded down, whether or not the
/// segment was retransmitted; without the option by the clock and Karn's rule.
fn sample(now: Instant, sent: &Sent, echo: Option<u32>) -> Option<Span> {
    let Some(echo) = echo else {
        return (!sent.again).then(|| now.saturating_since(sent.at));
    };
    let ms = ts_clock(now).saturating_sub(echo);
    Some(Span::from_millis(u64::from(ms)).max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::Profile;

    fn at(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    fn fresh() -> Rtt {
        Rtt::new(&TcpConfig::new(Profile::Ns3))
    }

    /// A segment `[n, n + 1)` sent at `sent` and acknowledged at `acked`.
    fn one(r: &mut Rtt, n: u64, sent: u64, acked: u64) {
        r.on_sent(at(sent), n, n + 1);
        r.on_ack(at(acked), n + 1, Some(ts_clock(at(sent))));
    }

    /// Samples and smoothed RTT of the first round of the reference run.
    #[test]
    fn the_first_estimates_are_those_of_ns3() {
        let mut r = fresh();
        one(&mut r, 0, 2_000_000, 2_048_111);
        assert_eq!(
            (r.last(), r.srtt()),
            (Span::from_millis(48), Span::from_millis(48))
        );
        let acks = [2_097_609, 2_098_811, 2_100_013, 2_101_214];
        let want = [48_125_000, 48_359_375, 48_814_453, 49_337_646];
        for (i, (ack, srtt)) in acks.into_iter().zip(want).enumerate() {
            one(&mut r, 1 + i as u64, 2_048_111, ack);
            assert_eq!(r.srtt().as_nanos(), srtt, "sample {i}");
        }
        assert_eq!(r.min(), Span::from_millis(48));
        assert_eq!(r.rto(), Span::from_secs(1));
    }

    #[test]
    fn only_an_ack_that_covers_the_oldest_gives_a_sample() {
        let mut r = fresh();
        r.on_sent(at(0), 0, 10);
        r.on_sent(at(1000), 10, 20);
        r.on_ack(at(50_000), 5, Some(ts_clock(at(0))));
        assert!(!r.seen());
        r.on_ack(at(50_000), 20, Some(ts_clock(at(0))));
        assert_eq!(r.srtt(), Span::from_millis(50));
        r.on_ack(at(60_000), 20, Some(ts_clock(at(0))));
        assert_eq!(
            r.srtt(),
            Span::from_millis(50),
            "a repeated ACK covers nothing"
        );
    }

    #[test]
    fn an_rtt_below_a_millisecond_is_a_microsecond() {
        let mut r = fresh();
        one(&mut r, 0, 100, 900);
        assert_eq!(r.last(), Span::from_micros(1));
    }

    #[test]
    fn a_timeout_ends_sampling_until_new_data_was_sent() {
        let mut r = fresh();
        one(&mut r, 0, 0, 50_000);
        r.on_sent(at(60_000), 1, 2);
        r.forget();
        r.back_off();
        assert_eq!(r.rto(), Span::from_secs(2));
        r.on_resent(1, 2);
        r.on_ack(at(900_000), 2, Some(1));
        assert_eq!(r.last(), Span::from_millis(50));
        assert_eq!(r.rto(), Span::from_secs(2), "the back-off stays");
        r.renew();
        assert_eq!(r.rto(), Span::from_secs(1));
    }

    #[test]
    fn the_variation_counts_from_a_quarter_second_on() {
        let mut r = fresh();
        for i in 0..50 {
            let rtt = if i % 2 == 0 { 100_000 } else { 900_000 };
            one(&mut r, i, i * 1_000_000, i * 1_000_000 + rtt);
        }
        assert!(r.rto() > Span::from_millis(1500), "{:?}", r.rto());
    }

    #[test]
    fn without_timestamps_karns_rule_holds() {
        let mut r = fresh();
        r.on_sent(at(0), 0, 10);
        r.on_resent(0, 10);
        r.on_ack(at(70_000), 10, None);
        assert!(!r.seen());
        r.on_sent(at(100_000), 10, 20);
        r.on_ack(at(170_300), 20, None);
        assert_eq!(r.srtt(), Span::from_micros(70_300));
    }
}
