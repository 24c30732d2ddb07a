//! Proportional rate reduction (RFC 9937, Linux `tcp_cwnd_reduction`).
//!
//! Counts segments, as Linux does: the rounding to whole segments is part of the behaviour that
//! simulations are compared by.

/// State of one reduction.
#[derive(Clone, Debug, Default)]
pub struct Prr {
    /// Window when the reduction began, in segments (`RecoverFS` in Linux's reading).
    prior_cwnd: u32,
    /// Segments delivered since (`prr_delivered`).
    delivered: u32,
    /// Segments sent since (`prr_out`).
    out: u32,
    /// Window now, in segments.
    cwnd: u32,
}

/// The content of one ACK.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Segments newly delivered.
    pub delivered: u32,
    /// Segments newly marked lost.
    pub lost: u32,
    /// The cumulative point advanced.
    pub advanced: bool,
    /// Segments in flight after loss marking.
    pub inflight: u32,
    /// Target in segments.
    pub ssthresh: u32,
}

impl Prr {
    /// A reduction begins at a window of `cwnd` segments.
    pub fn start(&mut self, cwnd: u32) {
        *self = Self {
            prior_cwnd: cwnd.max(1),
            delivered: 0,
            out: 0,
            cwnd,
        };
    }

    /// An ACK arrived. Slow-start reduction bound when it made safe progress (cumulative, without
    /// new loss), conservative bound otherwise.
    pub fn on_ack(&mut self, p: &Progress) {
        if p.delivered == 0 {
            return;
        }
        self.delivered += p.delivered;
        let delta = i64::from(p.ssthresh) - i64::from(p.inflight);
        let mut send = if delta < 0 {
            let quota = (u64::from(p.ssthresh) * u64::from(self.delivered))
                .div_ceil(u64::from(self.prior_cwnd));
            quota as i64 - i64::from(self.out)
        } else {
            let mut n =
                (i64::from(self.delivered) - i64::from(self.out)).max(i64::from(p.delivered));
            if p.advanced && p.lost == 0 {
                n += 1;
            }
            n.min(delta)
        };
        // The first retransmission must always get out.
        send = send.max(i64::from(self.out == 0));
        self.cwnd = p.inflight + send as u32;
    }

    /// Segments were sent during the reduction.
    pub fn on_sent(&mut self, segments: u32) {
        self.out += segments;
    }

    /// The window in segments.
    pub fn cwnd(&self) -> u32 {
        self.cwnd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a recovery in which each ACK delivers `stretch` segments of a window of 20 with one
    /// loss; returns how many segments were sent.
    fn recovery(stretch: u32) -> u32 {
        let mut p = Prr::default();
        p.start(20);
        let (mut inflight, mut sent, mut left) = (19u32, 0u32, 19u32);
        while left > 0 {
            let n = stretch.min(left);
            left -= n;
            inflight -= n;
            p.on_ack(&Progress {
                delivered: n,
                lost: 0,
                advanced: false,
                inflight,
                ssthresh: 10,
            });
            let can = p.cwnd().saturating_sub(inflight);
            p.on_sent(can);
            inflight += can;
            sent += can;
        }
        sent
    }

    #[test]
    fn the_window_lands_on_the_target_whatever_an_ack_covers() {
        for stretch in [1, 2, 3, 7, 19] {
            let sent = recovery(stretch);
            assert!((9..=10).contains(&sent), "stretch {stretch} sent {sent}");
        }
    }

    #[test]
    fn the_first_retransmission_always_fits() {
        let mut p = Prr::default();
        p.start(4);
        p.on_ack(&Progress {
            delivered: 1,
            lost: 1,
            advanced: false,
            inflight: 10,
            ssthresh: 2,
        });
        assert_eq!(p.cwnd(), 11);
    }

    #[test]
    fn below_target_it_grows_by_slow_start_only_on_safe_progress() {
        let below = |advanced, lost| {
            let mut p = Prr::default();
            p.start(20);
            p.on_sent(5);
            p.on_ack(&Progress {
                delivered: 1,
                lost,
                advanced,
                inflight: 3,
                ssthresh: 10,
            });
            p.cwnd()
        };
        assert_eq!(below(true, 0), 5);
        assert_eq!(below(true, 1), 4);
        assert_eq!(below(false, 0), 4);
    }

    #[test]
    fn nothing_delivered_changes_nothing() {
        let mut p = Prr::default();
        p.start(9);
        p.on_ack(&Progress {
            delivered: 0,
            lost: 3,
            advanced: false,
            inflight: 0,
            ssthresh: 4,
        });
        assert_eq!(p.cwnd(), 9);
    }
}
