//! SACK compression: duplicate ACKs that may wait a moment and be merged.
//!
//! Linux sends the first three ACKs at each in-order edge at once, because the sender needs them
//! to detect a loss, and then lets one ACK speak for many.

use crate::tcp::config::SackCompression;
use acklab_units::{Instant, Span};

/// ACKs at one edge that leave at once (Linux `TCP_FASTRETRANS_THRESH`).
const UNCOMPRESSED: u8 = 3;

/// The treatment of an ACK that out-of-order data calls for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    /// Send it.
    Now,
    /// It waits for the timer, or for another reason to send.
    Held,
}

/// The ACKs being held and the timer that ends it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compression {
    config: Option<SackCompression>,
    /// The in-order edge that `sent_at_edge` counts for.
    edge: u64,
    sent_at_edge: u8,
    held: u32,
    deadline: Option<Instant>,
    /// When the last ACK was held.
    last: Option<Instant>,
    /// Another timer will end the wait.
    cut_short: bool,
}

impl Compression {
    /// Compresses as `config` says; `None` never does.
    pub const fn new(config: Option<SackCompression>) -> Self {
        Self {
            config,
            edge: 0,
            sent_at_edge: 0,
            held: 0,
            deadline: None,
            last: None,
            cut_short: false,
        }
    }

    /// Without SACK each duplicate ACK counts for the sender, so none is held.
    pub fn disable(&mut self) {
        self.config = None;
    }

    /// Out-of-order data arrived while `next` is the in-order edge.
    pub fn on_out_of_order(&mut self, now: Instant, next: u64, rtt: Option<Span>) -> Urgency {
        let Some(config) = self.config else {
            return Urgency::Now;
        };
        if self.held >= config.count {
            return Urgency::Now;
        }
        if self.edge != next {
            self.edge = next;
            self.sent_at_edge = 0;
        }
        if self.sent_at_edge < UNCOMPRESSED {
            self.sent_at_edge += 1;
            return Urgency::Now;
        }
        self.hold(now, config, rtt)
    }

    /// The timer fires at the end of its slack (`hrtimer_start_range_ns`): earlier only if another
    /// timer's interrupt comes within it, which a simulation does not have.
    fn hold(&mut self, now: Instant, config: SackCompression, rtt: Option<Span>) -> Urgency {
        let rtt = rtt.unwrap_or(Span::ZERO);
        let delay = config
            .delay
            .min(rtt.mul_div(config.rtt_percent.into(), 100));
        if delay.is_zero() {
            return Urgency::Now;
        }
        self.held += 1;
        self.last = Some(now);
        let at = now.saturating_add(delay).saturating_add(config.slack);
        self.deadline.get_or_insert(at);
        Urgency::Held
    }

    /// Another timer expires at `at` and ends the wait.
    pub fn end_by(&mut self, at: Instant) {
        if self.deadline.is_some_and(|deadline| at < deadline) {
            self.deadline = Some(at);
            self.cut_short = true;
        }
    }

    /// The time that the ACK of this timer carries in its timestamp, if not the present: Linux 6.12 does not
    /// look at the clock then (`tcp_compressed_ack_kick`), so it is that of the last arrival.
    pub fn clock(&self) -> Option<Instant> {
        let restamped = self.config.is_some_and(|c| c.restamp);
        self.last.filter(|_| !self.cut_short && !restamped)
    }

    /// ACKs held now.
    pub const fn held(&self) -> u32 {
        self.held
    }

    /// When the held ACK must leave.
    pub const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// An ACK left and spoke for those held.
    pub fn on_ack_sent(&mut self) {
        self.held = 0;
        self.deadline = None;
        self.last = None;
        self.cut_short = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: SackCompression = SackCompression {
        delay: Span::from_millis(1),
        rtt_percent: 5,
        slack: Span::from_micros(100),
        count: 44,
        restamp: false,
    };

    fn linux() -> Compression {
        Compression::new(Some(LINUX))
    }

    const RTT: Option<Span> = Some(Span::from_millis(10));

    #[test]
    fn the_first_three_at_an_edge_are_not_held() {
        let mut c = linux();
        let t = Instant::from_nanos(1000);
        for _ in 0..3 {
            assert_eq!(c.on_out_of_order(t, 5, RTT), Urgency::Now);
            c.on_ack_sent();
        }
        assert_eq!(c.on_out_of_order(t, 5, RTT), Urgency::Held);
        assert_eq!(c.deadline(), Some(t + Span::from_micros(500 + 100)));
        c.on_ack_sent();
        assert_eq!(c.on_out_of_order(t, 5, RTT), Urgency::Held);
        c.on_ack_sent();
        assert_eq!(c.on_out_of_order(t, 6, RTT), Urgency::Now);
    }

    #[test]
    fn the_delay_is_capped_and_not_renewed() {
        let mut c = linux();
        let t = Instant::ZERO;
        for _ in 0..3 {
            c.on_out_of_order(t, 5, RTT);
        }
        c.on_out_of_order(t, 5, Some(Span::from_millis(48)));
        c.on_out_of_order(t + Span::from_micros(900), 5, RTT);
        assert_eq!(c.deadline(), Some(t + Span::from_micros(1000 + 100)));
        assert_eq!(c.held(), 2);
    }

    /// Linux 7.3: `tcp_comp_sack_rtt_percent`, and a clock that its timer looks at.
    #[test]
    fn the_share_of_the_rtt_and_the_time_of_the_ack_are_settings() {
        let t = Instant::from_nanos(1000);
        for (rtt_percent, restamp, micros, clock) in
            [(5, false, 500, Some(t)), (33, true, 1000, None)]
        {
            let mut c = Compression::new(Some(SackCompression {
                rtt_percent,
                restamp,
                ..LINUX
            }));
            for _ in 0..4 {
                c.on_out_of_order(t, 5, RTT);
            }
            assert_eq!(c.deadline(), Some(t + Span::from_micros(micros + 100)));
            assert_eq!(c.clock(), clock);
        }
    }

    #[test]
    fn another_timer_can_only_shorten_the_wait() {
        let mut c = linux();
        c.end_by(Instant::from_nanos(5));
        assert_eq!(c.deadline(), None);
        for _ in 0..4 {
            c.on_out_of_order(Instant::ZERO, 5, RTT);
        }
        let micros = |n| Some(Instant::ZERO + Span::from_micros(n));
        c.end_by(Instant::ZERO + Span::from_micros(900));
        assert_eq!(c.deadline(), micros(600));
        c.end_by(Instant::ZERO + Span::from_micros(200));
        assert_eq!(c.deadline(), micros(200));
    }

    #[test]
    fn the_45th_ends_the_wait() {
        let mut c = linux();
        for _ in 0..3 + 44 {
            c.on_out_of_order(Instant::ZERO, 5, RTT);
        }
        assert_eq!(c.held(), 44);
        assert_eq!(c.on_out_of_order(Instant::ZERO, 5, RTT), Urgency::Now);
    }

    #[test]
    fn without_an_rtt_or_without_sack_nothing_is_held() {
        let mut c = linux();
        for _ in 0..10 {
            assert_eq!(c.on_out_of_order(Instant::ZERO, 5, None), Urgency::Now);
        }
        c.disable();
        assert_eq!(c.on_out_of_order(Instant::ZERO, 5, RTT), Urgency::Now);
    }
}
