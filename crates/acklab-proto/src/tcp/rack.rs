//! RACK: time-based loss detection (RFC 8985 sections 5 to 6, Linux `tcp_recovery.c`).

use super::scoreboard::Record;
use acklab_units::{Instant, Span};

/// Recoveries for which a widened reordering window is kept (Linux `TCP_RACK_RECOVERY_THRESH`).
const RECOVERY_PERSIST: u8 = 16;

/// State of RFC 8985 section 5.
#[derive(Clone, Debug)]
pub struct Rack {
    /// Running number of the most recently sent segment among those delivered.
    ///
    /// RFC 8985 compares transmission times and breaks ties by end offset. Here a whole burst can
    /// leave in one instant, and a retransmission then looks older than new data that left before
    /// it; the running number is the order that time stands for.
    newest: u64,
    /// RTT of the segment processed last.
    rtt: Span,
    /// Something newer than before was delivered since losses were last looked for.
    advanced: bool,
    /// Reordering window in quarters of the minimum RTT.
    reo_wnd_steps: u8,
    reo_wnd_persist: u8,
    /// A DSACK arrived since the window was last adapted.
    dsack_seen: bool,
    /// `delivered` when the window was last adapted.
    last_delivered: u64,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            newest: 0,
            rtt: Span::ZERO,
            advanced: false,
            reo_wnd_steps: 1,
            reo_wnd_persist: 0,
            dsack_seen: false,
            last_delivered: 0,
        }
    }
}

/// The inputs of the reordering window besides RACK's own state.
#[derive(Clone, Copy, Debug)]
pub struct ReorderingContext {
    /// Reordering was ever observed on this connection.
    pub reordering_seen: bool,
    /// The sender is in Recovery or Loss.
    pub in_recovery: bool,
    /// Segments selectively acknowledged now.
    pub sacked_segments: u32,
    /// The duplicate-ACK threshold in force (Linux `tp->reordering`).
    pub dup_thresh: u32,
    /// Minimum RTT.
    pub min_rtt: Span,
    /// Smoothed RTT.
    pub srtt: Span,
}

/// The fate of one outstanding segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Sent after everything delivered so far: nothing can be said, of later ones neither.
    TooNew,
    /// Lost.
    Lost,
    /// Lost if it is not delivered within this time.
    Wait(Span),
}

impl Rack {
    /// A segment was delivered (RFC 8985 section 6.2 steps 1 and 2, Linux `tcp_rack_advance`).
    /// `spurious`: its timestamp echo shows that the original arrived, not the retransmission.
    pub fn on_delivered(&mut self, now: Instant, r: &Record, min_rtt: Span, spurious: bool) {
        let rtt = now.saturating_since(r.sent_at);
        if r.ever_retransmitted() && (spurious || (min_rtt != Span::MAX && rtt < min_rtt)) {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        self.newest = self.newest.max(r.serial);
    }

    /// The reordering window (RFC 8985 section 6.2 step 4): none while there is evidence of loss
    /// and none of reordering, else a quarter of the minimum RTT times the adapted steps, at most
    /// one smoothed RTT.
    pub fn reo_wnd(&self, c: &ReorderingContext) -> Span {
        if !c.reordering_seen && (c.in_recovery || c.sacked_segments >= c.dup_thresh) {
            return Span::ZERO;
        }
        if c.min_rtt == Span::MAX {
            return Span::ZERO;
        }
        (c.min_rtt / 4 * u64::from(self.reo_wnd_steps)).min(c.srtt)
    }

    /// Whether there is a reason to look for losses; resets it.
    pub fn take_advanced(&mut self) -> bool {
        core::mem::take(&mut self.advanced)
    }

    /// Makes the next ACK look for losses again (after an undo).
    pub fn rearm(&mut self) {
        self.advanced = true;
    }

    /// The verdict on `r`, given the reordering window (step 5).
    pub fn fate(&self, now: Instant, r: &Record, reo_wnd: Span) -> Fate {
        if r.serial >= self.newest {
            return Fate::TooNew;
        }
        let age = now.saturating_since(r.sent_at);
        let limit = self.rtt.saturating_add(reo_wnd);
        if age >= limit {
            Fate::Lost
        } else {
            Fate::Wait(limit - age)
        }
    }

    /// Whether `r` was sent at least one RTT of the last delivered segment ago (Linux
    /// `tcp_rack_skb_timeout` without window: which segments a timeout spares).
    pub fn older_than_rtt(&self, now: Instant, r: &Record) -> bool {
        now.saturating_since(r.sent_at) >= self.rtt
    }

    /// A DSACK arrived: some retransmission was superfluous.
    pub fn on_dsack(&mut self) {
        self.dsack_seen = true;
    }

    /// Adapts the window once per round (step 4, Linux `tcp_rack_update_reo_wnd`).
    /// `prior_delivered` is that of the ACK's rate sample.
    pub fn adapt(&mut self, prior_delivered: Option<u64>, delivered: u64) {
        let Some(prior) = prior_delivered else { return };
        if prior < self.last_delivered {
            self.dsack_seen = false;
        }
        if self.dsack_seen {
            self.reo_wnd_steps = self.reo_wnd_steps.saturating_add(1);
            self.dsack_seen = false;
            self.last_delivered = delivered;
            self.reo_wnd_persist = RECOVERY_PERSIST;
        } else if self.reo_wnd_persist == 0 {
            self.reo_wnd_steps = 1;
        }
    }

    /// A recovery ended (without undo).
    pub fn on_recovery_end(&mut self) {
        self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn seg(start: u64, sent_ms: u64) -> Record {
        let mut r = Record::new(start, 1000, at(sent_ms));
        r.serial = 1 + start / 1000;
        r
    }

    fn ctx(sacked: u32) -> ReorderingContext {
        ReorderingContext {
            reordering_seen: false,
            in_recovery: false,
            sacked_segments: sacked,
            dup_thresh: 3,
            min_rtt: Span::from_millis(40),
            srtt: Span::from_millis(50),
        }
    }

    #[test]
    fn three_sacked_segments_close_the_window() {
        let r = Rack::default();
        assert_eq!(r.reo_wnd(&ctx(2)), Span::from_millis(10));
        assert_eq!(r.reo_wnd(&ctx(3)), Span::ZERO);
        let seen = ReorderingContext {
            reordering_seen: true,
            ..ctx(3)
        };
        assert_eq!(r.reo_wnd(&seen), Span::from_millis(10));
    }

    #[test]
    fn a_segment_sent_before_a_delivered_one_is_lost_after_rtt_and_window() {
        let mut r = Rack::default();
        let (lost, delivered, newer) = (seg(0, 0), seg(1000, 1), seg(2000, 2));
        r.on_delivered(at(41), &delivered, Span::MAX, false);
        assert_eq!(r.fate(at(41), &lost, Span::ZERO), Fate::Lost);
        let w = Span::from_millis(10);
        assert_eq!(r.fate(at(41), &lost, w), Fate::Wait(Span::from_millis(9)));
        assert_eq!(r.fate(at(50), &lost, w), Fate::Lost);
        assert_eq!(r.fate(at(99), &newer, Span::ZERO), Fate::TooNew);
    }

    #[test]
    fn ties_in_time_are_broken_by_order_of_sending() {
        let mut r = Rack::default();
        r.on_delivered(at(40), &seg(1000, 0), Span::MAX, false);
        assert_eq!(r.fate(at(40), &seg(0, 0), Span::ZERO), Fate::Lost);
        assert_eq!(r.fate(at(40), &seg(2000, 0), Span::ZERO), Fate::TooNew);
        let mut resent_in_the_same_instant = seg(0, 0);
        resent_in_the_same_instant.serial = 9;
        assert_eq!(
            r.fate(at(40), &resent_in_the_same_instant, Span::ZERO),
            Fate::TooNew
        );
    }

    #[test]
    fn an_ack_too_early_for_the_retransmission_is_ignored() {
        let mut r = Rack::default();
        let mut x = seg(0, 100);
        x.mark_retransmitted();
        r.on_delivered(at(120), &x, Span::from_millis(40), false);
        assert!(!r.take_advanced());
        r.on_delivered(at(141), &x, Span::from_millis(40), false);
        assert!(r.take_advanced());
    }

    #[test]
    fn dsacks_widen_the_window_and_recoveries_narrow_it_again() {
        let mut r = Rack::default();
        let wide = ReorderingContext {
            reordering_seen: true,
            ..ctx(0)
        };
        r.on_dsack();
        r.adapt(Some(0), 10_000);
        assert_eq!(r.reo_wnd(&wide), Span::from_millis(20));
        r.on_dsack();
        r.adapt(Some(5_000), 12_000);
        assert_eq!(r.reo_wnd(&wide), Span::from_millis(20), "once per round");
        for _ in 0..16 {
            r.on_recovery_end();
        }
        r.adapt(Some(20_000), 30_000);
        assert_eq!(r.reo_wnd(&wide), Span::from_millis(10));
    }

    #[test]
    fn the_window_never_exceeds_the_smoothed_rtt() {
        let mut r = Rack::default();
        for i in 0..30u64 {
            r.on_dsack();
            r.adapt(Some(1000 * (i + 1)), 1000 * (i + 1));
        }
        let wide = ReorderingContext {
            reordering_seen: true,
            ..ctx(0)
        };
        assert_eq!(r.reo_wnd(&wide), Span::from_millis(50));
    }
}
