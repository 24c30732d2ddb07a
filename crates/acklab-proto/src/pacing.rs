//! Pacing: when the next segment may leave (Linux's internal pacing, `tcp_update_skb_after_send`).

use acklab_units::{Instant, Rate, Span};

/// Segments that leave before pacing begins (Linux: the initial window is not paced).
pub const UNPACED_SEGMENTS: u64 = 10;

/// Time from the departure of `bytes` to the next one at `rate`. `kernel_units`: rounded down, as in
/// Linux, and not to the nearest nanosecond.
pub fn gap(rate: Rate, bytes: u64, kernel_units: bool) -> Span {
    if kernel_units {
        rate.spacing(bytes)
    } else {
        rate.serialisation(bytes)
    }
}

/// A quantum is never held back for longer than this (Linux `tcp_pacing_check` has no such bound,
/// but its rates are never zero).
const LONGEST_GAP: Span = Span::from_secs(60);

/// Earliest departure time of the next segment.
#[derive(Clone, Debug, Default)]
pub struct Pacer {
    /// Linux `tcp_wstamp_ns`.
    next: Instant,
    /// Payload bytes and segments of the quantum that is leaving now.
    burst_bytes: u64,
    burst_segments: u32,
    /// When its first segment left.
    burst_began: Instant,
    /// How times are rounded ([`gap`]).
    kernel_units: bool,
}

impl Pacer {
    /// A pacer that holds nothing back yet.
    pub fn new(kernel_units: bool) -> Self {
        Self {
            kernel_units,
            ..Self::default()
        }
    }

    /// Until when nothing may leave; `None` = now is fine.
    pub fn blocked_until(&self, now: Instant) -> Option<Instant> {
        (self.next > now).then_some(self.next)
    }

    /// Whether no quantum is leaving.
    #[inline]
    pub fn is_between_bursts(&self) -> bool {
        self.burst_segments == 0
    }

    /// A segment of `bytes` payload left. Once `quantum` segments have, the next departure moves
    /// away by what they take at `rate`, counted from the first: a driver that takes time to send them is
    /// not late by that.
    pub fn on_sent(
        &mut self,
        now: Instant,
        bytes: u32,
        rate: Option<Rate>,
        quantum: u32,
        sent: u64,
    ) {
        if self.burst_segments == 0 {
            self.burst_began = now;
        }
        self.burst_bytes += u64::from(bytes);
        self.burst_segments += 1;
        if self.burst_segments >= quantum {
            self.close_burst(rate, sent);
        }
    }

    /// The sender has nothing more to send now: a quantum that is not full ends here.
    pub fn close_burst(&mut self, rate: Option<Rate>, sent: u64) {
        if self.burst_segments == 0 {
            return;
        }
        let bytes = core::mem::take(&mut self.burst_bytes);
        self.burst_segments = 0;
        let prior = self.next;
        self.next = prior.max(self.burst_began);
        let Some(rate) = rate.filter(|_| sent >= UNPACED_SEGMENTS) else {
            return;
        };
        // A rate of zero would stop the flow for good.
        let len = gap(rate, bytes, self.kernel_units).min(LONGEST_GAP);
        // Credit for having been late, at most half of what the burst takes.
        let credit = self.next.saturating_since(prior).min(len / 2);
        self.next = self.next.saturating_add(len.saturating_sub(credit));
    }
}

/// Linux `tcp_update_pacing_rate`: the window over the smoothed RTT, faster in slow start.
pub fn rate_from_window(cwnd: u64, srtt: Span, percent: u32) -> Option<Rate> {
    (!srtt.is_zero()).then(|| Rate::from_bytes_over(cwnd, srtt).mul_div(u64::from(percent), 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Option<Rate> = Some(Rate::from_bps(8_000_000));

    fn at(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn segments_leave_one_serialisation_time_apart() {
        let mut p = Pacer::default();
        p.on_sent(at(0), 1000, RATE, 1, 10);
        for i in 1..50 {
            let due = at(1000 * i);
            assert_eq!(p.blocked_until(due - Span::from_nanos(1)), Some(due));
            p.on_sent(due, 1000, RATE, 1, 10 + i);
        }
    }

    /// A byte at 9 Mbit/s takes 888.9 ns.
    #[test]
    fn linux_rounds_down() {
        let rate = Rate::from_bps(9_000_000);
        assert_eq!(gap(rate, 1, true).as_nanos(), 888);
        assert_eq!(gap(rate, 1, false).as_nanos(), 889);
    }

    #[test]
    fn the_initial_window_is_not_paced() {
        let mut p = Pacer::default();
        for i in 1..10 {
            p.on_sent(at(0), 1000, RATE, 1, i);
            assert_eq!(p.blocked_until(at(0)), None);
        }
        p.on_sent(at(0), 1000, RATE, 1, 10);
        assert!(p.blocked_until(at(0)).is_some());
    }

    #[test]
    fn a_late_sender_gets_at_most_half_its_gap_back() {
        let mut p = Pacer::default();
        p.on_sent(at(0), 1000, RATE, 1, 10);
        p.on_sent(at(9000), 1000, RATE, 1, 11);
        assert_eq!(p.blocked_until(at(9000)), Some(at(9500)));
    }

    /// 4 ms are 4 segments at this rate: a sender that takes 3 of them to send the quantum keeps the rate.
    #[test]
    fn time_that_sending_takes_is_not_lateness() {
        let mut p = Pacer::default();
        let mut began = 0;
        for _ in 0..20 {
            for i in 0..4 {
                assert_eq!(p.blocked_until(at(began + 1000 * i)), None);
                p.on_sent(at(began + 1000 * i), 1000, RATE, 4, 10);
            }
            assert_eq!(p.blocked_until(at(began + 3000)), Some(at(began + 4000)));
            began += 4000;
        }
    }

    #[test]
    fn a_quantum_leaves_together_and_waits_together() {
        let mut p = Pacer::default();
        for i in 0..4 {
            assert_eq!(p.blocked_until(at(0)), None);
            p.on_sent(at(0), 1000, RATE, 4, 10 + i);
        }
        assert_eq!(p.blocked_until(at(0)), Some(at(4000)));
    }
}
