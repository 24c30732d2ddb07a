//! A window counted in whole segments, with the arithmetic that Linux's controllers share.
//!
//! Linux keeps `snd_cwnd`, `snd_ssthresh` and a credit `snd_cwnd_cnt` in segments. Reno, CUBIC and
//! Vegas differ in when they call the functions below, not in what these do, so they live here
//! once. Sources: `net/ipv4/tcp_cong.c`, `tcp_input.c` (undo), `tcp_output.c` (restart), 6.12-6.18.

use super::super::CcInit;
use acklab_units::Span;

/// Linux's `TCP_INFINITE_SSTHRESH`: no threshold known yet (segments).
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// Smallest slow-start threshold after a loss, in segments (RFC 5681 section 3.1, equation 4).
pub const MIN_SSTHRESH: u32 = 2;

/// The state that an undo restores (Linux `prior_cwnd`, `prior_ssthresh`).
#[derive(Clone, Copy, Debug)]
struct Prior {
    cwnd: u32,
    ssthresh: u32,
}

/// Congestion window, threshold and growth credit in segments.
#[derive(Clone, Debug)]
pub struct Window {
    mss: u32,
    initial: u32,
    /// Congestion window (segments), at least 1.
    pub snd_cwnd: u32,
    /// Slow-start threshold (segments).
    pub snd_ssthresh: u32,
    snd_cwnd_cnt: u32,
    prior: Option<Prior>,
}

impl Window {
    /// The window of a new connection.
    pub fn new(init: CcInit) -> Self {
        let initial = (init.initial_cwnd / u64::from(init.mss)).max(1) as u32;
        Self {
            mss: init.mss,
            initial,
            snd_cwnd: initial,
            snd_ssthresh: INFINITE_SSTHRESH,
            snd_cwnd_cnt: 0,
            prior: None,
        }
    }

    /// Payload bytes of a segment.
    pub fn mss(&self) -> u32 {
        self.mss
    }

    /// The window in bytes.
    pub fn cwnd_bytes(&self) -> u64 {
        u64::from(self.snd_cwnd) * u64::from(self.mss)
    }

    /// The threshold in bytes; `u64::MAX` while it is infinite.
    pub fn ssthresh_bytes(&self) -> u64 {
        if self.snd_ssthresh >= INFINITE_SSTHRESH {
            u64::MAX
        } else {
            u64::from(self.snd_ssthresh) * u64::from(self.mss)
        }
    }

    /// `tcp_in_slow_start`: strictly below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.snd_cwnd < self.snd_ssthresh
    }

    /// `slow_start` or `congestion_avoidance`, for traces.
    pub fn state(&self) -> &'static str {
        if self.in_slow_start() {
            "slow_start"
        } else {
            "congestion_avoidance"
        }
    }

    /// `tcp_slow_start`: one segment per segment acknowledged, however many one ACK covers, up to
    /// the threshold. The rest is for congestion avoidance.
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let cwnd = self.snd_cwnd.saturating_add(acked).min(self.snd_ssthresh);
        let left = acked - (cwnd - self.snd_cwnd);
        self.snd_cwnd = cwnd;
        left
    }

    /// `tcp_cong_avoid_ai`: one segment per `w` segments acknowledged.
    ///
    /// Credit that was saved up for a larger `w` is worth one segment only, so that a `w` that
    /// falls does not release a burst.
    pub fn cong_avoid_ai(&mut self, w: u32, acked: u32) {
        if self.snd_cwnd_cnt >= w {
            self.snd_cwnd_cnt = 0;
            self.snd_cwnd = self.snd_cwnd.saturating_add(1);
        }
        self.snd_cwnd_cnt += acked;
        if self.snd_cwnd_cnt >= w {
            let delta = self.snd_cwnd_cnt / w;
            self.snd_cwnd_cnt -= delta * w;
            self.snd_cwnd = self.snd_cwnd.saturating_add(delta);
        }
    }

    /// `tcp_reno_cong_avoid` for an ACK that found the flow limited by its window.
    pub fn reno_cong_avoid(&mut self, acked: u32) {
        let mut left = acked;
        if self.in_slow_start() {
            left = self.slow_start(left);
            if left == 0 {
                return;
            }
        }
        self.cong_avoid_ai(self.snd_cwnd, left);
    }

    /// `tcp_reno_ssthresh`: half the window, not half the flight.
    pub fn reno_ssthresh(&self) -> u32 {
        (self.snd_cwnd / 2).max(MIN_SSTHRESH)
    }

    /// `tcp_current_ssthresh` outside recovery: the threshold a restart begins with.
    pub fn current_ssthresh(&self) -> u32 {
        self.snd_ssthresh.max(self.snd_cwnd / 2 + self.snd_cwnd / 4)
    }

    /// `tcp_init_cwnd_reduction`: remembers what an undo restores and sets threshold and window to
    /// `ssthresh`. The sender approaches it by proportional rate reduction.
    pub fn reduce(&mut self, ssthresh: u32) {
        self.remember();
        self.snd_cwnd_cnt = 0;
        self.snd_ssthresh = ssthresh;
        self.snd_cwnd = ssthresh;
    }

    /// `tcp_enter_loss`: the threshold falls to `ssthresh` if there is one, the window to one
    /// segment more than the `inflight` bytes that loss marking spared.
    pub fn collapse(&mut self, ssthresh: Option<u32>, inflight: u64) {
        if let Some(ssthresh) = ssthresh {
            self.remember();
            self.snd_ssthresh = ssthresh;
        }
        self.snd_cwnd_cnt = 0;
        self.snd_cwnd = inflight.div_ceil(u64::from(self.mss)) as u32 + 1;
    }

    /// `tcp_undo_cwnd_reduction` with `tcp_reno_undo_cwnd`; a second undo does nothing.
    pub fn undo(&mut self) {
        if let Some(prior) = self.prior.take() {
            self.snd_cwnd = self.snd_cwnd.max(prior.cwnd);
            self.snd_ssthresh = self.snd_ssthresh.max(prior.ssthresh);
        }
    }

    /// `tcp_cwnd_restart`: half the window for each retransmission timeout of silence, not below
    /// the initial window.
    pub fn restart(&mut self, idle: Span, rto: Span) {
        self.snd_ssthresh = self.current_ssthresh();
        let floor = self.initial.min(self.snd_cwnd);
        let mut left = idle.saturating_sub(rto);
        while !left.is_zero() && self.snd_cwnd > floor {
            self.snd_cwnd /= 2;
            left = left.saturating_sub(rto);
        }
        self.snd_cwnd = self.snd_cwnd.max(floor);
    }

    fn remember(&mut self) {
        self.prior = Some(Prior {
            cwnd: self.snd_cwnd,
            ssthresh: self.current_ssthresh(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{MSS, init};

    fn window(cwnd: u32, ssthresh: u32) -> Window {
        let mut w = Window::new(init(10));
        (w.snd_cwnd, w.snd_ssthresh) = (cwnd, ssthresh);
        w
    }

    #[test]
    fn starts_with_the_initial_window_and_no_threshold() {
        let w = Window::new(init(10));
        assert_eq!(w.cwnd_bytes(), 10 * u64::from(MSS));
        assert_eq!(w.ssthresh_bytes(), u64::MAX);
        assert_eq!(w.state(), "slow_start");
    }

    #[test]
    fn slow_start_counts_every_segment_of_a_stretch_ack() {
        for stretch in [1, 2, 16, 200] {
            let mut w = window(10, INFINITE_SSTHRESH);
            for _ in 0..400 / stretch {
                assert_eq!(w.slow_start(stretch), 0);
            }
            assert_eq!(w.snd_cwnd, 410, "stretch {stretch}");
        }
    }

    #[test]
    fn slow_start_stops_at_the_threshold_and_hands_on_the_rest() {
        let mut w = window(95, 100);
        assert_eq!(w.slow_start(16), 11);
        assert_eq!(w.snd_cwnd, 100);
        assert_eq!(w.state(), "congestion_avoidance");
    }

    #[test]
    fn the_rest_of_a_stretch_ack_counts_for_congestion_avoidance() {
        let mut w = window(10, 12);
        w.reno_cong_avoid(15);
        // Two for slow start, thirteen at a window of twelve: one more, one credit.
        assert_eq!((w.snd_cwnd, w.snd_cwnd_cnt), (13, 1));
    }

    #[test]
    fn additive_increase_carries_over_what_does_not_fill_a_window() {
        let mut w = window(10, 10);
        w.cong_avoid_ai(10, 7);
        assert_eq!((w.snd_cwnd, w.snd_cwnd_cnt), (10, 7));
        w.cong_avoid_ai(10, 7);
        assert_eq!((w.snd_cwnd, w.snd_cwnd_cnt), (11, 4));
    }

    #[test]
    fn a_giant_ack_adds_as_many_segments_as_windows_it_covers() {
        let mut w = window(60, 60);
        w.cong_avoid_ai(60, 200);
        assert_eq!((w.snd_cwnd, w.snd_cwnd_cnt), (63, 20));
    }

    #[test]
    fn credit_for_a_larger_window_is_worth_one_segment() {
        let mut w = window(100, 100);
        w.cong_avoid_ai(100, 99);
        w.cong_avoid_ai(10, 1);
        // 99 credits at w = 10 would be nine segments; they count as one.
        assert_eq!((w.snd_cwnd, w.snd_cwnd_cnt), (101, 1));
    }

    #[test]
    fn growth_in_congestion_avoidance_does_not_depend_on_the_ack_ratio() {
        let grown = |stretch: u32| {
            let mut w = window(50, 50);
            for _ in 0..4000 / stretch {
                w.reno_cong_avoid(stretch);
            }
            w.snd_cwnd
        };
        let each = grown(1);
        for stretch in [2, 16, 200] {
            // A stretch ACK is counted at the window it met: up to a window's worth too early.
            assert!(grown(stretch).abs_diff(each) <= 2, "stretch {stretch}");
        }
    }

    #[test]
    fn reduction_halves_the_window_and_undo_restores_it() {
        let mut w = window(81, INFINITE_SSTHRESH);
        w.reduce(w.reno_ssthresh());
        assert_eq!((w.snd_cwnd, w.snd_ssthresh), (40, 40));
        w.undo();
        assert_eq!((w.snd_cwnd, w.snd_ssthresh), (81, INFINITE_SSTHRESH));
    }

    #[test]
    fn undo_never_shrinks_the_window_and_works_once() {
        let mut w = window(20, 20);
        w.reduce(10);
        w.snd_cwnd = 30;
        w.undo();
        assert_eq!(w.snd_cwnd, 30);
        w.snd_cwnd = 5;
        w.undo();
        assert_eq!(w.snd_cwnd, 5);
    }

    #[test]
    fn undo_after_congestion_avoidance_restores_at_least_three_quarters_as_threshold() {
        let mut w = window(80, 30);
        w.reduce(40);
        w.undo();
        assert_eq!((w.snd_cwnd, w.snd_ssthresh), (80, 60));
    }

    #[test]
    fn the_threshold_never_falls_below_two_segments() {
        assert_eq!(window(1, 2).reno_ssthresh(), 2);
        assert_eq!(window(3, 2).reno_ssthresh(), 2);
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_a_repeated_one_keeps_the_threshold() {
        let mut w = window(40, 60);
        w.collapse(Some(w.reno_ssthresh()), 0);
        assert_eq!((w.snd_cwnd, w.snd_ssthresh), (1, 20));
        w.collapse(None, 0);
        assert_eq!((w.snd_cwnd, w.snd_ssthresh), (1, 20));
        w.undo();
        assert_eq!((w.snd_cwnd, w.snd_ssthresh), (40, 60));
    }

    #[test]
    fn a_timeout_spares_what_is_still_in_flight() {
        let mut w = window(40, 60);
        w.collapse(None, 3 * u64::from(MSS) - 100);
        assert_eq!(w.snd_cwnd, 4);
    }

    #[test]
    fn silence_halves_the_window_once_a_timeout_down_to_the_initial_window() {
        let ms = Span::from_millis;
        let after = |idle| {
            let mut w = window(80, 40);
            w.restart(ms(idle), ms(200));
            (w.snd_cwnd, w.snd_ssthresh)
        };
        assert_eq!(after(200), (80, 60));
        assert_eq!(after(201), (40, 60));
        assert_eq!(after(401), (20, 60));
        assert_eq!(after(60_000), (10, 60));
    }

    #[test]
    fn a_restart_does_not_raise_a_small_window() {
        let mut w = window(4, 40);
        w.restart(Span::from_secs(9), Span::from_millis(200));
        assert_eq!(w.snd_cwnd, 4);
    }
}
