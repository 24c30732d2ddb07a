//! Samples that say nothing about the path because the controller held the sender back.

/// Marks the flow application-limited from inside the controller (`tp->app_limited` as ProbeRTT
/// sets it).
///
/// While ProbeRTT starves the path, and until everything sent in that time is acknowledged,
/// delivery-rate samples are low by design. A sample is recognised by the amount of data that was
/// delivered when its packet was sent.
#[derive(Clone, Debug)]
pub struct AppLimited {
    from: u64,
    until: u64,
}

impl Default for AppLimited {
    fn default() -> Self {
        Self { from: 1, until: 0 }
    }
}

impl AppLimited {
    /// Marks what is sent from now until `in_flight` more bytes are delivered. `delivered`: bytes
    /// delivered so far.
    pub fn mark(&mut self, delivered: u64, in_flight: u64) {
        if delivered > self.until || self.from > self.until {
            self.from = delivered;
        }
        self.until = delivered + in_flight;
    }

    /// Whether a packet sent when `prior_delivered` bytes were delivered is marked.
    pub fn covers(&self, prior_delivered: u64) -> bool {
        (self.from..=self.until).contains(&prior_delivered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_marked_at_first() {
        assert!(!AppLimited::default().covers(0));
        assert!(!AppLimited::default().covers(1));
    }

    #[test]
    fn covers_what_is_sent_until_the_flight_is_delivered() {
        let mut a = AppLimited::default();
        a.mark(10_000, 4_000);
        assert!(!a.covers(9_999), "sent before the mark");
        assert!(a.covers(10_000) && a.covers(14_000));
        assert!(!a.covers(14_001));
    }

    #[test]
    fn repeated_marks_extend_one_interval() {
        let mut a = AppLimited::default();
        a.mark(10_000, 4_000);
        a.mark(12_000, 4_000);
        assert!(a.covers(10_000) && a.covers(16_000));
        a.mark(50_000, 4_000);
        assert!(!a.covers(12_000) && a.covers(51_000));
    }
}
