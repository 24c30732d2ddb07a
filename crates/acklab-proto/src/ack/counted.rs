//! The engine of the counting policies: acknowledge when enough has come, or when time is up.
//!
//! `delayed` and `byte-counting` are this machine under two names and with two sets of parameters,
//! as the TACK paper has it: delayed ACK is byte counting with L = 2 and a timer.

use super::urgent::Urgent;
use super::{AckDecision, AckPolicy, AckReason, Arrival};
use acklab_units::{Instant, Span};

/// The unit that counts towards the next acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Segments of whatever size (ns-3 `DelAckCount`).
    Segments,
    /// Bytes, in units of the sender's full segment size (RFC 5681 section 4.2).
    Bytes,
}

/// Acknowledges every so many segments or full segments' worth of bytes, and no later than a
/// timeout after the first one that is owed.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    quota: u64,
    unit: Unit,
    timeout: Option<Span>,
    urgent: Urgent,
    /// Segments or bytes that came since the last acknowledgement, in any order.
    pending: u64,
    deadline: Option<Instant>,
    /// Nothing has arrived yet, and the first segment must not wait.
    eager: bool,
}

impl Counted {
    /// Acknowledges each `quota` segments (or their worth); `timeout` of `None` waits for ever.
    pub(super) fn new(quota: u64, unit: Unit, timeout: Option<Span>, urgent: Urgent) -> Self {
        Self {
            quota,
            unit,
            timeout,
            urgent,
            pending: 0,
            deadline: None,
            eager: false,
        }
    }

    /// The same, and the first segment of all is acknowledged at once if `eager`.
    pub(super) fn with_eager_start(self, eager: bool) -> Self {
        Self { eager, ..self }
    }

    /// From now on each `quota` segments, or their worth.
    pub(super) fn set_quota(&mut self, quota: u64) {
        self.quota = quota;
    }

    /// Everything that arrives counts, not only what is in order: with `out_of_order = "thin"` the
    /// segments above a gap must bring their acknowledgement about by themselves.
    fn reached(&mut self, arrival: &Arrival) -> bool {
        let (add, quota) = match self.unit {
            Unit::Segments => (1, self.quota),
            Unit::Bytes => (
                u64::from(arrival.len),
                self.quota * u64::from(arrival.rcv_mss),
            ),
        };
        self.pending += add;
        self.pending >= quota
    }

    /// The deadline belongs to the first segment owed, so later ones leave it alone (RFC 5681
    /// section 4.2: within 500 ms of the first unacknowledged packet).
    fn arm(&mut self, now: Instant) -> AckDecision {
        if self.deadline.is_some() {
            return AckDecision::Hold;
        }
        let Some(timeout) = self.timeout else {
            return AckDecision::Hold;
        };
        let at = now + timeout;
        self.deadline = Some(at);
        AckDecision::At(at)
    }
}

impl AckPolicy for Counted {
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        let first = core::mem::take(&mut self.eager);
        if let Some(reason) = self.urgent.reason(arrival) {
            return AckDecision::Now(reason);
        }
        if self.reached(arrival) || first {
            return AckDecision::Now(AckReason::ByteCount);
        }
        self.arm(arrival.now)
    }

    fn on_timeout(&mut self, now: Instant) -> Option<AckReason> {
        if self.deadline? > now {
            return None;
        }
        self.deadline = None;
        Some(AckReason::Timer)
    }

    fn on_ack_sent(&mut self, _: Instant) {
        self.pending = 0;
        self.deadline = None;
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::testing::{MSS, What, arrival};

    const PLAIN: Urgent = Urgent {
        out_of_order: false,
        push: false,
    };

    #[test]
    fn a_timer_called_early_does_nothing() {
        let mut p = Counted::new(2, Unit::Bytes, Some(Span::from_millis(1)), PLAIN);
        let AckDecision::At(at) = p.on_data(&arrival(What::Full)) else {
            panic!()
        };
        assert_eq!(p.on_timeout(Instant::ZERO), None);
        assert_eq!(p.next_timeout(), Some(at));
        assert_eq!(p.on_timeout(at), Some(AckReason::Timer));
        assert_eq!(p.next_timeout(), None);
    }

    #[test]
    fn bytes_and_segments_differ_for_short_segments() {
        let half = What::Small(MSS / 2);
        for (unit, acked_at) in [(Unit::Segments, 1), (Unit::Bytes, 3)] {
            let mut p = Counted::new(2, unit, None, PLAIN);
            let first = (0..8).find(|_| p.on_data(&arrival(half)) != AckDecision::Hold);
            assert_eq!(first, Some(acked_at), "{unit:?}");
        }
    }

    #[test]
    fn an_acknowledgement_sent_for_another_reason_starts_afresh() {
        let mut p = Counted::new(2, Unit::Bytes, Some(Span::from_millis(1)), PLAIN);
        p.on_data(&arrival(What::Full));
        p.on_ack_sent(Instant::ZERO);
        assert_eq!(p.next_timeout(), None);
        assert!(matches!(
            p.on_data(&arrival(What::Full)),
            AckDecision::At(_)
        ));
        assert_eq!(
            p.on_data(&arrival(What::Full)),
            AckDecision::Now(AckReason::ByteCount)
        );
    }
}
