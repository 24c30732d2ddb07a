//! HyStart++ (RFC 9406): on a delay increase, grow cautiously before leaving slow start.
//!
//! It has no ACK-train detector; a spurious exit is taken back when the delay falls again.

use acklab_units::Span;

/// `MIN_RTT_THRESH` (RFC 9406 section 4.3).
const MIN_RTT_THRESH: Span = Span::from_millis(4);
/// `MAX_RTT_THRESH` (section 4.3).
const MAX_RTT_THRESH: Span = Span::from_millis(16);
/// `MIN_RTT_DIVISOR` (section 4.3).
const MIN_RTT_DIVISOR: u64 = 8;
/// `N_RTT_SAMPLE`: RTT samples of a round before it is judged (section 4.3).
const N_RTT_SAMPLE: u32 = 8;
/// `CSS_GROWTH_DIVISOR`: conservative slow start grows by this fraction (section 4.3).
const CSS_GROWTH_DIVISOR: u32 = 4;
/// `CSS_ROUNDS`: rounds of conservative slow start before it is over (section 4.3).
const CSS_ROUNDS: u32 = 5;
/// `L` without pacing: most segments that one ACK adds (section 4.3).
const L_UNPACED: u32 = 8;

/// RFC 9406's variables.
#[derive(Clone, Debug)]
pub struct HyStartPp {
    /// `L`; infinite for a paced flow.
    l: u32,
    window_end: u64,
    last_round_min_rtt: Span,
    current_round_min_rtt: Span,
    rtt_sample_count: u32,
    css_baseline_min_rtt: Span,
    /// Rounds of conservative slow start that ended; `None` in standard slow start.
    css_rounds: Option<u32>,
    /// Segments that conservative slow start has not yet turned into a whole one.
    css_credit: u32,
}

impl HyStartPp {
    /// State before the first round; `paced` lifts the limit per ACK.
    pub fn new(paced: bool) -> Self {
        Self {
            l: if paced { u32::MAX } else { L_UNPACED },
            window_end: 0,
            last_round_min_rtt: Span::MAX,
            current_round_min_rtt: Span::MAX,
            rtt_sample_count: 0,
            css_baseline_min_rtt: Span::MAX,
            css_rounds: None,
            css_credit: 0,
        }
    }

    /// The transport paces the flow, whatever the settings say.
    pub fn pace(&mut self) {
        self.l = u32::MAX;
    }

    /// In conservative slow start.
    pub fn in_css(&self) -> bool {
        self.css_rounds.is_some()
    }

    /// Takes an ACK's RTT, the least of `samples` packets; whether slow start is over (the last round of
    /// conservative slow start has ended).
    pub fn sample(&mut self, rtt: Option<Span>, samples: u32, snd_una: u64, snd_nxt: u64) -> bool {
        if snd_una >= self.window_end && self.end_round(snd_nxt) {
            return true;
        }
        if let Some(rtt) = rtt {
            self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
            self.rtt_sample_count = self.rtt_sample_count.saturating_add(samples);
        }
        if self.rtt_sample_count >= N_RTT_SAMPLE {
            self.judge();
        }
        false
    }

    /// Segments by which the window grows when `acked` are acknowledged.
    pub fn growth(&mut self, acked: u32) -> u32 {
        let acked = acked.min(self.l);
        if !self.in_css() {
            return acked;
        }
        self.css_credit += acked;
        let whole = self.css_credit / CSS_GROWTH_DIVISOR;
        self.css_credit %= CSS_GROWTH_DIVISOR;
        whole
    }

    /// Closes a round; whether it was the last of conservative slow start. A round that was only
    /// partly conservative counts.
    fn end_round(&mut self, snd_nxt: u64) -> bool {
        self.window_end = snd_nxt;
        self.last_round_min_rtt = self.current_round_min_rtt;
        self.current_round_min_rtt = Span::MAX;
        self.rtt_sample_count = 0;
        let Some(rounds) = &mut self.css_rounds else {
            return false;
        };
        *rounds += 1;
        *rounds >= CSS_ROUNDS
    }

    fn judge(&mut self) {
        if self.in_css() {
            self.check_css_spurious();
        } else {
            self.check_delay_increase();
        }
    }

    fn check_delay_increase(&mut self) {
        let (last, current) = (self.last_round_min_rtt, self.current_round_min_rtt);
        if last == Span::MAX || current == Span::MAX {
            return;
        }
        let thresh = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
        if current >= last + thresh {
            self.css_baseline_min_rtt = current;
            self.css_rounds = Some(0);
            self.css_credit = 0;
        }
    }

    fn check_css_spurious(&mut self) {
        if self.current_round_min_rtt < self.css_baseline_min_rtt {
            self.css_baseline_min_rtt = Span::MAX;
            self.css_rounds = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Span = Span::from_millis;

    /// Rounds of `acks` ACKs with one RTT each; whether slow start ended, after each round.
    struct Rounds {
        h: HyStartPp,
        una: u64,
    }

    impl Rounds {
        fn new() -> Self {
            Self {
                h: HyStartPp::new(false),
                una: 0,
            }
        }

        fn round(&mut self, acks: u64, rtt: Span) -> bool {
            let end = self.una + acks;
            let mut over = false;
            for _ in 0..acks {
                self.una += 1;
                // The first ACK of a round covers the last byte of the one before.
                over |= self.h.sample(Some(rtt), 1, self.una, end + 1);
            }
            over
        }
    }

    #[test]
    fn a_delay_increase_leads_into_conservative_slow_start() {
        let mut r = Rounds::new();
        r.round(10, MS(40));
        r.round(10, MS(44));
        assert!(!r.h.in_css());
        r.round(10, MS(50));
        assert!(r.h.in_css());
    }

    #[test]
    fn the_threshold_is_an_eighth_between_4_and_16_ms() {
        let enters = |a: u64, b: u64| {
            let mut r = Rounds::new();
            r.round(10, MS(a));
            r.round(10, MS(b));
            r.h.in_css()
        };
        assert!(!enters(8, 11) && enters(8, 12));
        assert!(!enters(80, 89) && enters(80, 90));
        assert!(!enters(400, 415) && enters(400, 416));
    }

    #[test]
    fn fewer_than_eight_samples_are_not_judged() {
        let mut r = Rounds::new();
        r.round(10, MS(40));
        r.round(7, MS(90));
        assert!(!r.h.in_css());
    }

    #[test]
    fn five_conservative_rounds_end_slow_start_the_first_being_partial() {
        let mut r = Rounds::new();
        r.round(10, MS(40));
        r.round(10, MS(60));
        let ends: alloc::vec::Vec<bool> = (0..5).map(|_| r.round(10, MS(60))).collect();
        assert_eq!(ends, [false, false, false, false, true]);
    }

    #[test]
    fn slow_start_resumes_when_the_delay_falls_below_the_baseline() {
        let mut r = Rounds::new();
        r.round(10, MS(40));
        r.round(10, MS(60));
        assert!(r.h.in_css());
        r.round(10, MS(59));
        assert!(!r.h.in_css());
        assert_eq!(r.h.growth(4), 4);
    }

    #[test]
    fn the_least_rtt_of_several_packets_counts_for_each_of_them() {
        let enters = |samples| {
            let mut r = Rounds::new();
            r.round(10, MS(40));
            for _ in 0..4 {
                r.una += 1;
                r.h.sample(Some(MS(50)), samples, r.una, 1_000);
            }
            r.h.in_css()
        };
        assert!(!enters(1) && enters(2));
    }

    #[test]
    fn one_ack_adds_at_most_l_segments_without_pacing() {
        let mut unpaced = HyStartPp::new(false);
        let mut paced = HyStartPp::new(false);
        paced.pace();
        for (acked, most) in [(2, 2), (8, 8), (16, 8), (200, 8)] {
            assert_eq!(unpaced.growth(acked), most);
            assert_eq!(paced.growth(acked), acked);
        }
    }

    #[test]
    fn conservative_slow_start_grows_a_quarter_and_keeps_the_rest() {
        let mut r = Rounds::new();
        r.round(10, MS(40));
        r.round(10, MS(60));
        let grown: u32 = (0..40).map(|_| r.h.growth(1)).sum();
        assert_eq!(grown, 10);
        assert_eq!((r.h.growth(3), r.h.growth(3)), (0, 1));
        assert_eq!(r.h.growth(2), 1);
    }

    #[test]
    fn an_ack_without_an_rtt_is_no_sample() {
        let mut h = HyStartPp::new(false);
        for i in 1..20 {
            assert!(!h.sample(None, 1, i, 100));
        }
        assert_eq!(h.rtt_sample_count, 0);
    }
}
