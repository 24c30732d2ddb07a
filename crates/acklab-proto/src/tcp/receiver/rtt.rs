//! The receiver's own RTT estimate (Linux `tcp_rcv_rtt_measure` and `tcp_rcv_rtt_measure_ts`).
//!
//! A pure receiver sends nothing whose acknowledgement it could time. It learns the RTT from
//! timestamps that come back on data, and an upper bound from the time a whole window takes.

use super::types::TimestampReply;
use acklab_units::{Instant, Span};

/// The RTT of an echo within one tick of the timestamp clock.
const ONE_TICK: Span = Span::from_millis(1);

/// Smoothed receiver-side RTT, and the RTT of the sending half where it has one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceiverRtt {
    /// Eight times the estimate, in nanoseconds; 0 = none yet.
    scaled: u64,
    last_ecr: Option<u32>,
    /// When and up to where the window now being filled was opened.
    window: Option<(Instant, u64)>,
    sender: Option<Span>,
}

impl ReceiverRtt {
    /// The receiver's estimate.
    pub const fn estimate(&self) -> Option<Span> {
        match self.scaled {
            0 => None,
            s => Some(Span::from_nanos(s / 8)),
        }
    }

    /// The lesser of the receiver's and the sending half's estimate; `None` until the receiver has
    /// one, as Linux times SACK compression.
    pub fn shortest(&self) -> Option<Span> {
        let own = self.estimate()?;
        Some(self.sender.map_or(own, |s| s.min(own)))
    }

    /// The estimate, or failing that the sending half's.
    pub fn best_known(&self) -> Option<Span> {
        self.shortest().or(self.sender)
    }

    /// The sending half's smoothed RTT is now `rtt`; zero means that it has none.
    pub fn on_sender_rtt(&mut self, rtt: Span) {
        self.sender = Some(rtt).filter(|r| !r.is_zero());
    }

    /// A segment of full size came with `reply`. A value echoed before says nothing new: the
    /// sender repeats it until it hears from us. `drained`: the reader had taken everything, so
    /// that the sample is not inflated by a sender that waits for window.
    pub fn on_reply(&mut self, reply: TimestampReply, full_sized: bool, drained: bool) {
        if self.last_ecr == Some(reply.ecr) {
            return;
        }
        self.last_ecr = Some(reply.ecr);
        if full_sized {
            let age = if reply.age.is_zero() {
                ONE_TICK
            } else {
                reply.age
            };
            self.smooth(age.as_nanos(), drained);
        }
    }

    /// The in-order edge is at `next`, and `window` more bytes are welcome. A window that has been
    /// filled took at least an RTT, so the shortest such time bounds it.
    pub fn on_edge(&mut self, now: Instant, next: u64, window: u64) {
        if let Some((opened, limit)) = self.window {
            if next < limit {
                return;
            }
            let sample = now.saturating_since(opened).as_nanos().max(1) * 8;
            if self.scaled == 0 || sample < self.scaled {
                self.scaled = sample;
            }
        }
        self.window = Some((now, next + window));
    }

    /// A shorter sample counts in full, a longer one for an eighth (Linux since 6.16).
    fn smooth(&mut self, sample: u64, drained: bool) {
        if self.scaled == 0 || sample * 8 < self.scaled {
            self.scaled = sample * 8;
        } else if drained {
            self.scaled = self.scaled - self.scaled / 8 + sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(ecr: u32, ms: u64) -> TimestampReply {
        TimestampReply {
            ecr,
            age: Span::from_millis(ms),
        }
    }

    #[test]
    fn longer_replies_count_for_an_eighth_and_shorter_ones_in_full() {
        let mut r = ReceiverRtt::default();
        r.on_reply(reply(1, 40), true, true);
        assert_eq!(r.estimate(), Some(Span::from_millis(40)));
        r.on_reply(reply(2, 48), true, true);
        assert_eq!(r.estimate(), Some(Span::from_millis(41)));
        r.on_reply(reply(3, 90), true, false);
        assert_eq!(r.estimate(), Some(Span::from_millis(41)));
        r.on_reply(reply(4, 20), true, false);
        assert_eq!(r.estimate(), Some(Span::from_millis(20)));
    }

    #[test]
    fn a_repeated_echo_and_a_small_segment_say_nothing() {
        let mut r = ReceiverRtt::default();
        r.on_reply(reply(1, 40), true, true);
        r.on_reply(reply(1, 90), true, true);
        r.on_reply(reply(2, 90), false, true);
        assert_eq!(r.estimate(), Some(Span::from_millis(40)));
    }

    #[test]
    fn an_echo_within_the_tick_counts_as_one_tick() {
        let mut r = ReceiverRtt::default();
        r.on_reply(reply(1, 0), true, true);
        assert_eq!(r.estimate(), Some(Span::from_millis(1)));
    }

    #[test]
    fn the_time_a_window_takes_is_an_upper_bound() {
        let mut r = ReceiverRtt::default();
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        r.on_edge(at(0), 1, 1000);
        r.on_edge(at(30), 1001, 1000);
        assert_eq!(r.estimate(), Some(Span::from_millis(30)));
        r.on_edge(at(90), 2001, 1000);
        assert_eq!(r.estimate(), Some(Span::from_millis(30)));
        r.on_edge(at(100), 3001, 1000);
        assert_eq!(r.estimate(), Some(Span::from_millis(10)));
    }

    #[test]
    fn compression_goes_by_the_shorter_rtt() {
        let mut r = ReceiverRtt::default();
        r.on_sender_rtt(Span::ZERO);
        assert_eq!(r.best_known(), None);
        r.on_sender_rtt(Span::from_millis(5));
        assert_eq!(r.shortest(), None);
        assert_eq!(r.best_known(), Some(Span::from_millis(5)));
        r.on_reply(reply(1, 8), true, true);
        assert_eq!(r.shortest(), Some(Span::from_millis(5)));
    }
}
