//! Appropriate byte counting (RFC 3465): growth per byte acknowledged, limited per ACK.

use super::super::{Ack, CcInit, CongestionControl, IdleRestart, Loss, Rto, Spurious};

/// Limit per ACK in segments during slow start after a timeout (RFC 3465 section 2.3): a
/// cumulative ACK may then cover data that left the network long ago.
const L_AFTER_RTO: u64 = 1;

/// Reno that counts bytes (RFC 3465, RFC 5681). The window is kept in bytes.
#[derive(Clone, Debug)]
pub struct ByteCounting {
    smss: u64,
    /// `L` of RFC 3465, in segments.
    limit: u64,
    initial: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Bytes acknowledged since the window last grew (RFC 3465 section 2.1).
    bytes_acked: u64,
    /// In the slow start that follows a timeout.
    after_rto: bool,
    /// Window and threshold before the last reduction.
    prior: Option<(u64, u64)>,
}

impl ByteCounting {
    /// The controller of a new connection; `limit` is `L` in segments, at least 1.
    pub fn new(init: CcInit, limit: u64) -> Self {
        Self {
            smss: u64::from(init.mss),
            limit,
            initial: init.initial_cwnd,
            cwnd: init.initial_cwnd,
            ssthresh: u64::MAX,
            bytes_acked: 0,
            after_rto: false,
            prior: None,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// RFC 3465 section 2.2.
    fn slow_start(&mut self, bytes: u64) {
        let limit = if self.after_rto {
            L_AFTER_RTO
        } else {
            self.limit
        };
        self.cwnd += bytes.min(limit * self.smss);
    }

    /// RFC 3465 section 2.1: a segment for each window of bytes, however few ACKs it took.
    fn congestion_avoidance(&mut self, bytes: u64) {
        self.after_rto = false;
        self.bytes_acked += bytes;
        while self.bytes_acked >= self.cwnd {
            self.bytes_acked -= self.cwnd;
            self.cwnd += self.smss;
        }
    }

    /// RFC 5681 equation 4. Segments that limited transmit sent beyond the window do not count.
    fn halve(&mut self, outstanding: u64) {
        self.prior = Some((self.cwnd, self.ssthresh));
        self.ssthresh = (outstanding.min(self.cwnd) / 2).max(2 * self.smss);
        self.bytes_acked = 0;
    }
}

impl CongestionControl for ByteCounting {
    fn on_ack(&mut self, ack: &Ack) {
        if !ack.may_grow || !ack.cwnd_limited {
            return;
        }
        // Newly delivered rather than newly acknowledged: a filled hole is not worth the window.
        if self.in_slow_start() {
            self.slow_start(ack.newly_delivered);
        } else {
            self.congestion_avoidance(ack.newly_delivered);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.halve(loss.outstanding);
        self.cwnd = self.ssthresh;
        self.after_rto = false;
    }

    fn on_rto(&mut self, rto: &Rto) {
        if rto.first {
            self.halve(rto.outstanding);
        }
        self.cwnd = self.smss;
        self.bytes_acked = 0;
        self.after_rto = true;
    }

    fn on_spurious(&mut self, _spurious: &Spurious) {
        if let Some((cwnd, ssthresh)) = self.prior.take() {
            self.cwnd = self.cwnd.max(cwnd);
            self.ssthresh = self.ssthresh.max(ssthresh);
            self.after_rto = false;
        }
    }

    /// RFC 5681 section 4.1: the restart window is the initial window.
    fn on_idle_restart(&mut self, _restart: &IdleRestart) {
        self.cwnd = self.cwnd.min(self.initial);
        // Credit saved for a larger window would be worth several segments of this one.
        self.bytes_acked = self.bytes_acked.min(self.cwnd);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn state(&self) -> &'static str {
        if self.in_slow_start() {
            "slow_start"
        } else {
            "congestion_avoidance"
        }
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bytes_acked", self.bytes_acked as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{self as clock, MSS, ack, init, segments};

    fn abc(limit: u64) -> ByteCounting {
        ByteCounting::new(init(10), limit)
    }

    /// Congestion avoidance at `cwnd` segments.
    fn avoiding(cwnd: u64) -> ByteCounting {
        let mut cc = abc(2);
        cc.cwnd = cwnd * cc.smss;
        cc.ssthresh = cc.cwnd;
        cc
    }

    #[test]
    fn slow_start_takes_at_most_l_segments_from_one_ack() {
        for (limit, stretch, grown) in [(1, 2, 1), (2, 2, 2), (2, 16, 2), (8, 16, 8), (8, 4, 4)] {
            let mut cc = abc(limit);
            cc.on_ack(&ack(0, stretch));
            assert_eq!(segments(&cc), 10 + grown, "L = {limit}, {stretch} segments");
        }
    }

    #[test]
    fn congestion_avoidance_grows_by_a_segment_per_window_of_bytes_at_any_ack_ratio() {
        for stretch in [1, 2, 20] {
            let mut cc = avoiding(20);
            for _ in 0..20 / stretch {
                cc.on_ack(&ack(0, stretch));
            }
            assert_eq!(segments(&cc), 21, "stretch {stretch}");
        }
    }

    #[test]
    fn an_ack_of_many_windows_is_not_lost() {
        let mut cc = avoiding(50);
        cc.on_ack(&ack(0, 200));
        // 50 + 51 + 52 are used up, 47 remain.
        assert_eq!(segments(&cc), 53);
        assert_eq!(cc.bytes_acked, 47 * u64::from(MSS));
    }

    #[test]
    fn small_segments_count_by_their_bytes() {
        let mut cc = avoiding(10);
        for _ in 0..10 {
            cc.on_ack(&Ack {
                newly_delivered: 100,
                ..ack(0, 1)
            });
        }
        assert_eq!(segments(&cc), 10);
    }

    #[test]
    fn a_loss_halves_the_flight_but_counts_no_more_than_the_window() {
        let mut cc = avoiding(40);
        cc.on_loss(&clock::loss(0, 30));
        assert_eq!(segments(&cc), 15);
        let mut cc = avoiding(40);
        cc.on_loss(&clock::loss(0, 42));
        assert_eq!(segments(&cc), 20);
    }

    #[test]
    fn after_a_timeout_one_ack_is_worth_one_segment_until_the_threshold() {
        let mut cc = abc(8);
        cc.cwnd = 20 * cc.smss;
        cc.on_rto(&clock::rto(0, true));
        assert_eq!(segments(&cc), 1);
        for i in 0..9 {
            cc.on_ack(&ack(0, 8));
            assert_eq!(segments(&cc), 2 + i);
        }
        assert_eq!(cc.state(), "congestion_avoidance");
    }

    #[test]
    fn a_repeated_timeout_keeps_the_threshold() {
        let mut cc = avoiding(40);
        cc.on_rto(&clock::rto(0, true));
        let ssthresh = cc.ssthresh();
        cc.on_rto(&clock::rto(1, false));
        assert_eq!(cc.ssthresh(), ssthresh);
    }

    #[test]
    fn a_spurious_reduction_is_undone_once() {
        let mut cc = avoiding(40);
        cc.on_loss(&clock::loss(0, 40));
        cc.on_spurious(&clock::spurious(0));
        assert_eq!(segments(&cc), 40);
        cc.cwnd = 5 * cc.smss;
        cc.on_spurious(&clock::spurious(0));
        assert_eq!(segments(&cc), 5);
    }

    #[test]
    fn idle_time_leaves_the_initial_window() {
        let mut cc = avoiding(40);
        cc.on_idle_restart(&clock::idle(300, 200));
        assert_eq!(segments(&cc), 10);
    }
}
