//! The loss rate of the ACK path, and what the peer's receiving half must know.
//!
//! "The sender also computes the loss rate rho' on the ACK path [...]. rho' is the ratio of number of
//! lost TACKs to number of expected TACKs during a period of time" (TACK paper, section 5.4). Feedback
//! has numbers of its own, so both are counted (ambiguity 6).

use crate::tack::wire::Sync;
use acklab_units::{Instant, Span};

/// How far back a number is known to be a copy.
const MEMORY: u64 = 64;

/// Numbers of the peer's feedback.
#[derive(Clone, Debug)]
pub struct FeedbackPath {
    /// Numbers after which the loss rate is computed anew.
    period: u64,
    /// One more than the largest number.
    next: u64,
    /// Bit `i`: number `next - 1 - i` has arrived.
    recent: u64,
    started: bool,
    arrived: u64,
    period_next: u64,
    period_arrived: u64,
    loss_ppm: u32,
}

/// How a number relates to those before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freshness {
    /// The largest so far.
    Newest,
    /// An older one that had not arrived: what it says of arrivals still holds, its window does not.
    Older,
    /// A copy, or too old to tell.
    Copy,
}

impl FeedbackPath {
    /// Nothing has arrived; the loss rate is one of `period` numbers.
    pub fn new(period: u32) -> Self {
        Self {
            period: u64::from(period.max(1)),
            next: 0,
            recent: 0,
            started: false,
            arrived: 0,
            period_next: 0,
            period_arrived: 0,
            loss_ppm: 0,
        }
    }

    /// The number that is expected next.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Feedback with that number arrived.
    pub fn on_number(&mut self, number: u64) -> Freshness {
        if !self.started {
            self.started = true;
            self.next = number;
            self.period_next = number;
        }
        let freshness = if number >= self.next {
            let ahead = number - self.next + 1;
            self.recent = self.recent.checked_shl(ahead.min(64) as u32).unwrap_or(0) | 1;
            self.next = number + 1;
            Freshness::Newest
        } else {
            let back = self.next - 1 - number;
            if back >= MEMORY || self.recent & (1 << back) != 0 {
                return Freshness::Copy;
            }
            self.recent |= 1 << back;
            Freshness::Older
        };
        self.arrived += 1;
        if self.next - self.period_next >= self.period {
            self.end_period();
        }
        freshness
    }

    fn end_period(&mut self) {
        let expected = self.next - self.period_next;
        let arrived = self.arrived - self.period_arrived;
        let lost = expected.saturating_sub(arrived);
        self.loss_ppm = (u128::from(lost) * 1_000_000 / u128::from(expected.max(1))) as u32;
        self.period_next = self.next;
        self.period_arrived = self.arrived;
    }

    /// rho' of the latest full period, parts per million.
    pub const fn loss_ppm(&self) -> u32 {
        self.loss_ppm
    }
}

/// SYNCs: sent until the peer says that the latest has arrived.
#[derive(Clone, Debug, Default)]
pub struct Syncing {
    told: Sync,
    sent_at: Option<Instant>,
    heard: u64,
    due: bool,
}

/// Below this a change of the loss rate is not worth a packet: one percent.
const LEAST_LOSS: u32 = 10_000;

fn differs(a: u32, b: u32, percent: u32) -> bool {
    let (low, high) = (u64::from(a.min(b)), u64::from(a.max(b)));
    high * 100 >= low * u64::from(percent) && high > low
}

impl Syncing {
    /// Takes over the minimum RTT that the peer knows from the handshake.
    pub fn start(&mut self, rtt_min: u32) {
        self.told.rtt_min = rtt_min;
    }

    /// These are the values in force. `again`: how long to wait for the peer's word.
    pub fn update(
        &mut self,
        now: Instant,
        rtt_min: u32,
        interval: u32,
        loss: u32,
        percent: u32,
        again: Span,
    ) {
        let t = &self.told;
        let new = differs(t.rtt_min, rtt_min, percent)
            || (interval > 0 && differs(t.interval, interval, percent))
            || (differs(t.ack_loss_ppm, loss, 200) && t.ack_loss_ppm.abs_diff(loss) >= LEAST_LOSS);
        if new {
            self.told = Sync {
                number: t.number + 1,
                rtt_min,
                interval,
                ack_loss_ppm: loss,
            };
            self.due = true;
        } else if self.heard < self.told.number
            && self
                .sent_at
                .is_some_and(|at| now >= at.saturating_add(again))
        {
            self.due = true;
        }
    }

    /// The peer has the SYNC of that number.
    pub fn on_heard(&mut self, number: u64) {
        if number <= self.told.number {
            self.heard = self.heard.max(number);
        }
    }

    /// Whether one is due.
    pub const fn due(&self) -> bool {
        self.due
    }

    /// The SYNC that leaves now.
    pub fn take(&mut self, now: Instant) -> Option<Sync> {
        if !core::mem::take(&mut self.due) {
            return None;
        }
        self.sent_at = Some(now);
        Some(self.told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_once_and_losses_exactly() {
        let mut p = FeedbackPath::new(100);
        assert_eq!(p.on_number(10), Freshness::Newest);
        assert_eq!(p.on_number(12), Freshness::Newest);
        assert_eq!(p.on_number(11), Freshness::Older);
        assert_eq!(p.on_number(11), Freshness::Copy);
        assert_eq!(p.on_number(12), Freshness::Copy);
        assert_eq!(p.next(), 13);
        // Every tenth of the period's numbers is lost: 20, 30, ... 100.
        for n in (13..=109).filter(|n| n % 10 != 0) {
            p.on_number(n);
        }
        assert_eq!(p.loss_ppm(), 90_000);
        p.on_number(1000);
        assert_eq!(p.on_number(900), Freshness::Copy);
    }

    #[test]
    fn a_sync_leaves_for_a_change_and_again_until_it_is_heard() {
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        let again = Span::from_millis(50);
        let mut s = Syncing::default();
        s.start(20_000);
        s.update(at(0), 17_000, 0, 0, 125, again);
        assert!(!s.due());
        s.update(at(1), 15_000, 0, 0, 125, again);
        let sent = s.take(at(1)).unwrap();
        assert_eq!((sent.number, sent.rtt_min), (1, 15_000));
        s.update(at(40), 15_000, 0, 0, 125, again);
        assert_eq!(s.take(at(40)), None);
        s.update(at(51), 15_000, 0, 0, 125, again);
        assert_eq!(s.take(at(51)), Some(sent));
        s.on_heard(1);
        s.update(at(151), 15_000, 0, 5_000, 125, again);
        assert_eq!(s.take(at(151)), None);
        s.update(at(152), 15_000, 0, 50_000, 125, again);
        assert_eq!(s.take(at(152)).unwrap().number, 2);
    }
}
