//! When the next TACK leaves (Eq. 3).
//!
//! "TACK applies periodic ACK when bdp is large and falls back to byte-counting ACK when bdp is
//! small" (TACK paper, section 4.1): a TACK leaves once L full-sized packets have arrived *and* the
//! last one left alpha = RTT_min / beta ago. While packets arrive at a steady rate that is a frequency
//! of min(bw / (L MSS), beta / RTT_min), and no estimate of bw is needed for it.

use crate::ack::AckReason;
use crate::tack::config::{StartUp, Taming};
use acklab_units::{Instant, Rate, Span};

/// Growth that keeps a start-up going, in percent (BBR's test for a full pipe).
const GROWTH: u64 = 125;
/// Round trips without it that end the start-up.
const ROUNDS: u8 = 3;

/// The timer of the TACKs.
#[derive(Clone, Debug)]
pub struct Schedule {
    taming: Taming,
    start_up: StartUp,
    /// Packets that start-up may still acknowledge in its own way.
    left: u32,
    rtt_min: Option<Span>,
    /// The interval that the sender has asked for.
    imposed: Option<Span>,
    last: Option<Instant>,
    /// Bytes since the last TACK, and when the first of them arrived.
    pending: u64,
    since: Instant,
    due: Option<(Instant, AckReason)>,
    growing: bool,
    full_bw: Rate,
    stale_rounds: u8,
    round_end: Instant,
    /// When a single packet number was last found missing.
    single_gap: Option<Instant>,
}

impl Schedule {
    /// `packets`: those of start-up at most, 0 for no bound.
    pub fn new(taming: Taming, start_up: StartUp, packets: u32) -> Self {
        Self {
            taming,
            start_up,
            left: if packets == 0 { u32::MAX } else { packets },
            rtt_min: None,
            imposed: None,
            last: None,
            pending: 0,
            since: Instant::ZERO,
            due: None,
            growing: start_up != StartUp::Tamed,
            full_bw: Rate::ZERO,
            stale_rounds: 0,
            round_end: Instant::ZERO,
            single_gap: None,
        }
    }

    /// Takes over the taming that the ends agreed on.
    pub fn agree(&mut self, taming: Taming) {
        self.taming = taming;
    }

    pub const fn taming(&self) -> &Taming {
        &self.taming
    }

    /// The minimum RTT, from the handshake or from a SYNC, and the interval if the sender computes
    /// it.
    pub fn set_rtt(&mut self, rtt_min: Span, imposed: Option<Span>) {
        self.rtt_min = Some(rtt_min);
        self.imposed = imposed;
    }

    pub const fn rtt_min(&self) -> Option<Span> {
        self.rtt_min
    }

    /// alpha, the least time between two TACKs (Eq. 2), between floor and ceiling.
    pub fn alpha(&self) -> Span {
        let t = &self.taming;
        let rtt = self.rtt_min.unwrap_or(Span::ZERO);
        let alpha = self.imposed.unwrap_or(rtt / u64::from(t.beta.max(1)));
        t.bounded(alpha)
    }

    /// Whether the rate still grows, and may be told in the way of start-up.
    pub const fn is_start_up(&self) -> bool {
        self.growing && self.left > 0
    }

    /// `bytes` of payload arrived; `at_once`: the sender asks for a TACK.
    pub fn on_packet(&mut self, now: Instant, bytes: u64, at_once: bool) {
        if self.pending == 0 {
            self.since = now;
        }
        // A packet without payload counts, too: it waits for an answer.
        self.pending += bytes.max(1);
        let starts = self.is_start_up();
        self.left = self.left.saturating_sub(1);
        let counted = u64::from(self.taming.packets) * u64::from(self.taming.mss);
        let allowed = self.last.map_or(now, |l| l.saturating_add(self.alpha()));
        let each = starts && self.start_up == StartUp::PerPacket;
        let every_l = starts && self.start_up == StartUp::ByteCounting;
        // Even on request no more often than Eq. 2 allows: an application that writes packet by packet
        // would else have each acknowledged.
        let due = if at_once {
            (allowed.max(now), AckReason::TackNow)
        } else if each {
            (now, AckReason::TackStartUp)
        } else if self.pending >= counted && (every_l || allowed <= now) {
            (now, AckReason::TackByteCount)
        } else if self.pending >= counted {
            (allowed, AckReason::TackPeriodic)
        } else {
            // The timer of thin flows, never sooner than Eq. 2 allows.
            let thin = self.taming.patience(self.alpha());
            let thin = self.since.saturating_add(thin);
            (thin.max(allowed), AckReason::TackDelayed)
        };
        // A planned delayed TACK becomes a periodic one once enough has come.
        let grown = |d: (Instant, AckReason)| due.0 == d.0 && d.1 == AckReason::TackDelayed;
        if self.due.is_none_or(|d| due.0 < d.0 || grown(d)) {
            self.due = Some(due);
        }
    }

    /// When the next TACK is due, and why.
    pub const fn due(&self) -> Option<(Instant, AckReason)> {
        self.due
    }

    /// A TACK left. `bw`: the maximum delivery rate by then.
    pub fn on_sent(&mut self, now: Instant, bw: Rate) {
        self.last = Some(self.counts_from(now));
        self.pending = 0;
        self.due = None;
        if self.growing && now >= self.round_end {
            self.judge_growth(now, bw);
        }
    }

    /// From when on the next interval counts: a driver that wakes late sends late, and if the next
    /// interval began then, TACKs would be rarer than Eq. 3 asks by as much each time. Half an interval
    /// between two is the least.
    fn counts_from(&self, now: Instant) -> Instant {
        match self.due {
            Some((due, AckReason::TackPeriodic)) if now <= due.saturating_add(self.alpha() / 2) => {
                due.min(now)
            }
            _ => now,
        }
    }

    /// `missing` packet numbers in a row did not arrive. Packets that were lost say that the path is full.
    /// A single number can be one that the sender has skipped to catch a receiver that lies: only a second
    /// one within a round trip counts as a loss.
    pub fn on_gap(&mut self, now: Instant, missing: u64) {
        let rtt = self.rtt_min.unwrap_or(Span::ZERO);
        let soon = |at: Instant| now <= at.saturating_add(rtt);
        if missing > 1 || self.single_gap.is_some_and(soon) {
            self.growing = false;
        }
        self.single_gap = Some(now);
    }

    #[cold]
    fn judge_growth(&mut self, now: Instant, bw: Rate) {
        let Some(rtt) = self.rtt_min else { return };
        self.round_end = now.saturating_add(rtt);
        if bw > self.full_bw.mul_div(GROWTH, 100) || self.full_bw == Rate::ZERO {
            self.full_bw = bw;
            self.stale_rounds = 0;
        } else {
            self.stale_rounds += 1;
            self.growing = self.stale_rounds < ROUNDS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tack::frequency;
    use alloc::vec::Vec;

    const MSS: u64 = 1500;

    fn schedule(rtt: Span) -> Schedule {
        let taming = Taming {
            mss: MSS as u32,
            ..Taming::default()
        };
        let mut s = Schedule::new(taming, StartUp::Tamed, 0);
        s.set_rtt(rtt, None);
        s
    }

    /// Full-sized packets at `rate` for ten seconds: TACKs that leave.
    fn count(s: &mut Schedule, rate: Rate) -> u64 {
        let gap = rate.serialisation(MSS);
        let end = Instant::ZERO + Span::from_secs(10);
        let (mut now, mut sent) = (Instant::ZERO, 0);
        while now < end {
            s.on_packet(now, MSS, false);
            while let Some((due, _)) = s.due().filter(|d| d.0 < now + gap) {
                s.on_sent(due.max(now), rate);
                sent += 1;
            }
            now += gap;
        }
        sent
    }

    /// The schedule sends what Eq. 3 says, in both regimes and on either side of the pivot.
    #[test]
    fn tacks_leave_at_the_frequency_of_eq_3() {
        for rtt in [10, 80, 200] {
            for mbits in [2, 7, 26, 210, 590] {
                let rtt = Span::from_millis(rtt);
                let rate = Rate::from_bps(mbits * 1_000_000);
                let mut s = schedule(rtt);
                let sent = count(&mut s, rate);
                let f = frequency::tack(s.taming(), rate, rtt).as_millihertz();
                let expected = f / 100;
                let off = sent.abs_diff(expected);
                assert!(
                    off <= 1 + expected / 50,
                    "{mbits} {rtt:?}: {sent} {expected}"
                );
            }
        }
    }

    /// A driver that is always 1 ms late sends as often as one that never is.
    #[test]
    fn lateness_of_the_driver_does_not_add_up() {
        let mut s = schedule(Span::from_millis(40));
        let (late, gap) = (Span::from_millis(1), Span::from_micros(100));
        let (mut now, mut sent) = (Instant::ZERO, 0);
        while now < Instant::ZERO + Span::from_secs(10) {
            s.on_packet(now, MSS, false);
            if s.due().is_some_and(|d| d.0 + late <= now) {
                s.on_sent(now, Rate::ZERO);
                sent += 1;
            }
            now += gap;
        }
        assert!((999..=1001).contains(&sent), "{sent}");
        // As late as half an interval, the next one counts from then.
        s.on_packet(now, 2 * MSS, false);
        let due = s.due().unwrap().0;
        let much_later = due + Span::from_millis(6);
        s.on_sent(much_later, Rate::ZERO);
        s.on_packet(much_later, 2 * MSS, false);
        assert_eq!(s.due().unwrap().0, much_later + Span::from_millis(10));
    }

    #[test]
    fn floor_and_ceiling_hold() {
        let rate = Rate::from_bps(1_000_000_000);
        let lan = count(&mut schedule(Span::from_micros(100)), rate);
        assert!((9_900..=10_001).contains(&lan), "{lan}");
        let moon = count(&mut schedule(Span::from_secs(3)), rate);
        assert!((40..=42).contains(&moon), "{moon}");
    }

    #[test]
    fn a_lone_packet_waits_for_the_delayed_timer_and_no_longer() {
        let mut s = schedule(Span::from_millis(40));
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        s.on_packet(at(100), 100, false);
        assert_eq!(s.due(), Some((at(125), AckReason::TackDelayed)));
        s.on_sent(at(125), Rate::ZERO);
        s.on_packet(at(126), 100, true);
        assert_eq!(s.due(), Some((at(135), AckReason::TackNow)));
        s.on_sent(at(135), Rate::ZERO);
        s.on_packet(at(146), 100, true);
        assert_eq!(s.due(), Some((at(146), AckReason::TackNow)));
    }

    /// With the interval as the bound L says nothing on a thin path: a packet waits for alpha.
    #[test]
    fn a_lone_packet_may_wait_for_the_interval_only() {
        let mut s = schedule(Span::from_millis(40));
        s.taming.thin = crate::tack::config::Thin::Interval;
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        s.on_packet(at(100), 100, false);
        assert_eq!(s.due(), Some((at(110), AckReason::TackDelayed)));
        let slow = Rate::from_bps(1_000_000);
        let sent = |thin| {
            let mut s = schedule(Span::from_millis(20));
            s.taming.thin = thin;
            count(&mut s, slow)
        };
        let packets = 10 * 1_000_000 / 8 / MSS;
        let timer = sent(crate::tack::config::Thin::Timer);
        assert!(timer.abs_diff(packets / 2) <= 2, "{timer}");
        let interval = sent(crate::tack::config::Thin::Interval);
        assert!(interval.abs_diff(packets) <= 2, "{interval}");
    }

    #[test]
    fn a_delayed_tack_becomes_a_periodic_one_when_enough_has_come() {
        // Alpha is 50 ms, longer than the timer of thin flows.
        let mut s = schedule(Span::from_millis(200));
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        s.on_sent(at(100), Rate::ZERO);
        s.on_packet(at(101), MSS, false);
        assert_eq!(s.due(), Some((at(150), AckReason::TackDelayed)));
        s.on_packet(at(102), MSS, false);
        assert_eq!(s.due(), Some((at(150), AckReason::TackPeriodic)));
        s.on_sent(at(150), Rate::ZERO);
        s.on_packet(at(151), MSS, true);
        s.on_packet(at(152), MSS, false);
        assert_eq!(s.due(), Some((at(200), AckReason::TackNow)));
    }

    #[test]
    fn small_packets_are_counted_by_their_bytes() {
        let mut s = schedule(Span::from_millis(4));
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        for i in 0..29 {
            s.on_packet(at(0), 100, false);
            assert!(s.due().unwrap().0 > at(0), "{i}");
        }
        s.on_packet(at(0), 100, false);
        assert_eq!(s.due(), Some((at(0), AckReason::TackByteCount)));
    }

    #[test]
    fn start_up_ends_when_the_rate_stops_growing_or_a_packet_is_lost() {
        let start = |rtt| {
            let mut s = schedule(rtt);
            (s.start_up, s.growing) = (StartUp::PerPacket, true);
            s
        };
        let rtt = Span::from_millis(20);
        let at = |n| Instant::ZERO + rtt * n;
        let mut s = start(rtt);
        for (n, mbits) in [(1, 10), (2, 20), (3, 40), (4, 41), (5, 42)] {
            s.on_packet(at(n), MSS, false);
            assert_eq!(s.due(), Some((at(n), AckReason::TackStartUp)));
            s.on_sent(at(n), Rate::from_bps(mbits * 1_000_000));
            assert!(s.is_start_up());
        }
        s.on_sent(at(6), Rate::from_bps(42_000_000));
        assert!(!s.is_start_up());
        let mut s = start(rtt);
        s.on_gap(at(1), 2);
        assert!(!s.is_start_up());
    }

    #[test]
    fn start_up_ends_after_its_packets() {
        let mut s = schedule(Span::from_millis(20));
        (s.start_up, s.growing, s.left) = (StartUp::PerPacket, true, 2);
        let mut reasons = Vec::new();
        for i in 0..4 {
            let now = Instant::ZERO + Span::from_millis(30 * i);
            s.on_packet(now, MSS, false);
            let (due, why) = s.due().expect("a TACK");
            reasons.push(why);
            s.on_sent(due, Rate::ZERO);
        }
        let each = AckReason::TackStartUp;
        assert_eq!(
            reasons,
            [each, each, AckReason::TackDelayed, AckReason::TackDelayed]
        );
    }

    /// Senders skip a number now and then: that is no loss.
    #[test]
    fn a_number_that_was_skipped_does_not_end_the_start_up() {
        let rtt = Span::from_millis(20);
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        let mut s = schedule(rtt);
        (s.start_up, s.growing) = (StartUp::PerPacket, true);
        s.on_gap(at(0), 1);
        s.on_gap(at(21), 1);
        assert!(s.is_start_up());
        s.on_gap(at(30), 1);
        assert!(!s.is_start_up());
    }
}
