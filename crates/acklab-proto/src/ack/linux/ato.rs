//! The delayed-ACK timeout ("ato") of Linux and how it adapts, in jiffies.
//!
//! The timeout tracks the gaps between data segments, so that an acknowledgement waits about as
//! long as the next segment takes, between 40 ms and a cap. Facts from `tcp_event_data_recv`,
//! `tcp_send_delayed_ack` and `tcp_delack_timer_handler` of Linux 6.12 to 6.18.

use acklab_units::{Instant, Span};

/// Longest delay of an acknowledgement that is not capped by anything else (`HZ / 2`).
const MAX_QUIET: Span = Span::from_millis(500);

/// Shortest retransmission timeout of Linux (`TCP_RTO_MIN`).
const RTO_MIN: Span = Span::from_millis(200);

/// Retransmission timeout without an RTT sample (RFC 6298 section 2.1).
const RTO_INITIAL: Span = Span::from_secs(1);

/// [`Ato::on_segment`]'s finding about the gap since the segment before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gap {
    /// There was no segment before.
    First,
    /// An ordinary gap.
    Usual,
    /// Longer than a retransmission timeout: the sender has restarted from a small window.
    Restart,
}

/// The timer's granularity and its limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Length of a jiffy.
    pub(super) tick: Span,
    /// Smallest ato, `TCP_ATO_MIN`.
    pub(super) min: Span,
    /// Longest delay, `TCP_DELACK_MAX`.
    pub(super) max: Span,
}

/// The adaptive timeout.
#[derive(Clone, Debug)]
pub(super) struct Ato {
    limits: Limits,
    /// The smallest timeout in jiffies.
    min: u64,
    /// Current timeout in jiffies; `None` before the first segment.
    ato: Option<u64>,
    last_segment: u64,
}

impl Ato {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            min: ticks(limits.min, limits.tick),
            ato: None,
            last_segment: 0,
        }
    }

    /// The jiffy that `now` falls into.
    #[inline]
    pub(super) fn jiffies(&self, now: Instant) -> u64 {
        // Mostly that of the last segment or the next one: a product then saves the division.
        let (tick, last) = (self.limits.tick.as_nanos(), self.last_segment);
        match now.as_nanos().checked_sub(last * tick) {
            Some(since) if since < tick => last,
            Some(since) if since < 2 * tick => last + 1,
            _ => now.as_nanos() / tick,
        }
    }

    /// When a timer fires that is set for `jiffy`: at the beginning of the next one, so that it is never
    /// early (Linux `calc_index`).
    pub(super) fn instant(&self, jiffy: u64) -> Instant {
        Instant::from_nanos((jiffy + 1) * self.limits.tick.as_nanos())
    }

    /// A length of time in jiffies, rounded up, at least one.
    fn ticks(&self, span: Span) -> u64 {
        ticks(span, self.limits.tick)
    }

    /// An in-order segment arrived: the timeout moves towards the gap since the last one.
    pub(super) fn on_segment(&mut self, now: Instant, rtt: Option<Span>) -> Gap {
        let here = self.jiffies(now);
        let gap = here - self.last_segment;
        self.last_segment = here;
        let Some(ato) = self.ato else {
            self.ato = Some(self.min);
            return Gap::First;
        };
        let half_min = self.min / 2;
        if gap <= half_min {
            // A timer set to the jiffy that runs fires with the next one.
            self.ato = Some((ato / 2 + half_min).max(1));
            return Gap::Usual;
        }
        let rto = self.ticks(rto(rtt));
        if gap < ato {
            self.ato = Some((ato / 2 + gap).min(rto));
        } else if gap > rto {
            return Gap::Restart;
        }
        Gap::Usual
    }

    /// Back to the minimum (quickack entered or used up).
    pub(super) fn reset(&mut self) {
        self.ato = Some(self.min);
    }

    /// The timer had to fire: the peer is slower than assumed.
    pub(super) fn on_timer(&mut self, rtt: Option<Span>) {
        let rto = self.ticks(rto(rtt));
        self.ato = Some((self.ato.unwrap_or(self.min) * 2).min(rto));
    }

    /// How long an acknowledgement may wait now, in jiffies. `brief` (interactive session, or the
    /// sender pushed) lowers the cap; so does a known RTT.
    pub(super) fn delay(&self, brief: bool, rtt: Option<Span>) -> u64 {
        let floor = self.min;
        let ato = self.ato.unwrap_or(floor);
        if ato <= floor {
            return ato;
        }
        let quiet = if brief { self.limits.max } else { MAX_QUIET };
        let by_rtt = rtt.map_or(u64::MAX, |r| self.ticks(r).max(floor));
        ato.min(self.ticks(quiet))
            .min(by_rtt)
            .min(self.ticks(self.limits.max))
    }

    /// The timeout itself in jiffies, for the test whether this end answered "in time".
    pub(super) fn current(&self) -> u64 {
        self.ato.unwrap_or(0)
    }

    /// The jiffy of the last in-order segment.
    pub(super) fn last_segment(&self) -> u64 {
        self.last_segment
    }
}

/// A length of time in jiffies of `tick`, rounded up, at least one.
fn ticks(span: Span, tick: Span) -> u64 {
    span.as_nanos().div_ceil(tick.as_nanos()).max(1)
}

/// The retransmission timeout of an end whose only RTT sample is the handshake's: the RTT plus a
/// deviation of twice the RTT, floored at the minimum.
fn rto(rtt: Option<Span>) -> Span {
    rtt.map_or(RTO_INITIAL, |r| r + (r * 2).max(RTO_MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn ato() -> Ato {
        Ato::new(Limits {
            tick: Span::from_millis(4),
            min: Span::from_millis(40),
            max: Span::from_millis(200),
        })
    }

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * MS)
    }

    #[test]
    fn dense_data_keeps_the_minimum() {
        let mut a = ato();
        assert_eq!(a.on_segment(at(0), None), Gap::First);
        for i in 1..50 {
            assert_eq!(a.on_segment(at(i), None), Gap::Usual);
        }
        assert_eq!(a.delay(false, None), 10, "40 ms in jiffies of 4 ms");
    }

    #[test]
    fn the_timeout_follows_the_gap() {
        // (gap in ms, ato in jiffies afterwards) from an ato of 10 jiffies.
        for (gap, want) in [(4, 10), (20, 10), (24, 11), (36, 14), (40, 10), (400, 10)] {
            let mut a = ato();
            a.on_segment(at(0), None);
            assert_eq!(a.on_segment(at(gap), None), Gap::Usual);
            assert_eq!(a.current(), want, "gap {gap} ms");
        }
    }

    #[test]
    fn a_gap_beyond_the_rto_is_a_restart() {
        let mut a = ato();
        a.on_segment(at(0), None);
        assert_eq!(a.on_segment(at(1_004), None), Gap::Restart);
        let rtt = Some(Span::from_millis(10));
        assert_eq!(a.on_segment(at(1_204), rtt), Gap::Usual, "rto is 210 ms");
        assert_eq!(a.on_segment(at(1_420), rtt), Gap::Restart);
    }

    #[test]
    fn the_timer_doubles_it_within_bounds() {
        let mut a = ato();
        a.on_segment(at(0), None);
        let mut delays = std::vec::Vec::new();
        for _ in 0..4 {
            a.on_timer(None);
            delays.push(a.delay(false, None));
        }
        assert_eq!(delays, [20, 40, 50, 50], "80, 160 ms, then the cap of 200");
        assert_eq!(a.delay(false, Some(Span::from_millis(60))), 15, "one RTT");
        assert_eq!(a.delay(false, Some(Span::from_millis(1))), 10, "40 ms");
        a.reset();
        assert_eq!(a.delay(false, None), 10);
    }

    #[test]
    fn jiffies_round_down_and_spans_up() {
        let a = ato();
        assert_eq!(a.jiffies(Instant::from_nanos(8 * MS - 1)), 1);
        assert_eq!(a.instant(2), at(12));
        assert_eq!(a.ticks(Span::from_micros(4_001)), 2);
    }
}
