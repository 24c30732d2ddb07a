//! Echoes of the receiver: timestamps (RFC 7323) and congestion marks (RFC 3168).

use crate::segment::Ecn;

/// The timestamp to echo, `TS.Recent` of RFC 7323.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimestampEcho {
    recent: Option<u32>,
    /// How far back a timestamp may go before the segment counts as old; `None` never rejects.
    tolerance: Option<u32>,
}

impl TimestampEcho {
    /// Rejects segments whose timestamp lies more than `tolerance` ticks back.
    pub const fn new(tolerance: Option<u32>) -> Self {
        Self {
            recent: None,
            tolerance,
        }
    }

    /// The peer's SYN carried `ts_val`: timestamps are in use.
    pub fn on_syn(&mut self, ts_val: u32) {
        self.recent = Some(ts_val);
    }

    /// Whether the option is in use.
    pub const fn is_enabled(&self) -> bool {
        self.recent.is_some()
    }

    /// The value to echo; 0 when timestamps are not in use.
    pub fn recent(&self) -> u32 {
        self.recent.unwrap_or(0)
    }

    /// PAWS (RFC 7323 section 5.3, R1): whether `ts_val` shows an old segment.
    pub fn is_old(&self, ts_val: Option<u32>) -> bool {
        match (self.recent, ts_val, self.tolerance) {
            (Some(recent), Some(val), Some(slack)) => {
                (recent.wrapping_sub(val) as i32) > slack as i32
            }
            _ => false,
        }
    }

    /// An acceptable segment began at `offset`. Its timestamp is echoed if it covers the point
    /// last acknowledged and is not older (RFC 7323 section 4.3 (2)). A delayed ACK therefore
    /// echoes the first segment that it acknowledges, so that the sender's RTT includes the delay.
    pub fn record(&mut self, offset: u64, ts_val: Option<u32>, last_ack_sent: u64) {
        if let (Some(recent), Some(val)) = (self.recent, ts_val)
            && offset <= last_ack_sent
            && val.wrapping_sub(recent) as i32 >= 0
        {
            self.recent = Some(val);
        }
    }
}

/// The ECN echo: set by a CE mark, cleared by CWR (RFC 3168 section 6.1.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct EcnEcho {
    enabled: bool,
    echoing: bool,
}

impl EcnEcho {
    /// The handshake agreed on ECN, or not.
    pub fn set_enabled(&mut self, enabled: bool) {
        self.enabled = enabled;
    }

    /// Whether ACKs carry ECE.
    pub const fn echoing(&self) -> bool {
        self.echoing
    }

    /// A data segment was accepted. Says whether the echo changed: a mark while not echoing, or
    /// CWR while echoing (even if the same segment is marked again).
    pub fn on_data(&mut self, ecn: Ecn, cwr: bool) -> bool {
        if !self.enabled {
            return false;
        }
        let answered = cwr && self.echoing;
        self.echoing &= !cwr;
        let marked = ecn == Ecn::Ce && !self.echoing;
        self.echoing |= marked;
        answered || marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_unacknowledged_segment_is_echoed() {
        let mut t = TimestampEcho::new(Some(0));
        t.on_syn(100);
        t.record(1, Some(110), 1);
        t.record(1001, Some(111), 1);
        assert_eq!(t.recent(), 110);
        t.record(2001, Some(112), 2001);
        assert_eq!(t.recent(), 112);
    }

    #[test]
    fn a_segment_above_a_gap_is_not_echoed_but_the_filler_is() {
        let mut t = TimestampEcho::new(Some(0));
        t.on_syn(100);
        t.record(1001, Some(120), 1);
        assert_eq!(t.recent(), 100);
        t.record(1, Some(150), 1);
        assert_eq!(t.recent(), 150);
    }

    #[test]
    fn timestamps_wrap() {
        let mut t = TimestampEcho::new(Some(0));
        t.on_syn(u32::MAX - 1);
        assert!(!t.is_old(Some(3)));
        t.record(1, Some(3), 1);
        assert_eq!(t.recent(), 3);
        assert!(t.is_old(Some(u32::MAX)));
        assert!(!t.is_old(None));
    }

    #[test]
    fn tolerance_is_counted_in_ticks() {
        let mut t = TimestampEcho::new(Some(1));
        t.on_syn(10);
        assert!(!t.is_old(Some(9)));
        assert!(t.is_old(Some(8)));
        let mut never = TimestampEcho::new(None);
        never.on_syn(10);
        assert!(!never.is_old(Some(0)));
    }

    #[test]
    fn ece_is_latched_until_cwr() {
        let mut e = EcnEcho::default();
        assert!(!e.on_data(Ecn::Ce, false));
        e.set_enabled(true);
        assert!(e.on_data(Ecn::Ce, false));
        assert!(!e.on_data(Ecn::Ce, false));
        assert!(!e.on_data(Ecn::Ect0, false));
        assert!(e.echoing());
        assert!(e.on_data(Ecn::Ect0, true));
        assert!(!e.echoing());
        assert!(!e.on_data(Ecn::Ect0, true));
    }

    #[test]
    fn a_marked_segment_with_cwr_starts_a_new_echo() {
        let mut e = EcnEcho::default();
        e.set_enabled(true);
        e.on_data(Ecn::Ce, false);
        assert!(e.on_data(Ecn::Ce, true));
        assert!(e.echoing());
    }
}
