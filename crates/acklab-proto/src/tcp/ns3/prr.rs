//! Proportional rate reduction as ns-3 has it (`TcpPrrRecovery`), quirks included.
//!
//! In bytes, in 32-bit arithmetic: the product of what was delivered and the threshold wraps, so
//! that a long recovery stalls and resumes. Each duplicate ACK is counted with a segment too many.

/// State of one recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    delivered: u32,
    out: u32,
    flight: u32,
}

/// The inputs for setting the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Bytes that the ACK delivered.
    pub delivered: u64,
    /// It reported something selectively.
    pub duplicate: bool,
    /// It acknowledged a retransmission (ns-3's stand-in for "safe").
    pub repaired: bool,
    /// Bytes in flight.
    pub inflight: u64,
    /// Target.
    pub ssthresh: u64,
    /// Full segment.
    pub segment: u32,
}

impl Prr {
    /// Recovery begins with `flight` bytes in flight.
    pub fn start(&mut self, flight: u64) {
        *self = Self {
            delivered: 0,
            out: 0,
            flight: flight as u32,
        };
    }

    /// The window after an ACK; `None` leaves it.
    pub fn step(&mut self, s: &Step) -> Option<u64> {
        let mut delivered = s.delivered as u32;
        if s.duplicate && self.delivered < self.flight {
            delivered += s.segment;
        }
        if delivered == 0 {
            return None;
        }
        self.delivered = self.delivered.wrapping_add(delivered);
        let send = if s.inflight > s.ssthresh {
            self.proportional(s.ssthresh as u32)
        } else {
            self.bounded(delivered, s)
        };
        let least = if self.out > 0 {
            0
        } else {
            i64::from(s.segment)
        };
        Some((s.inflight as i64 + send.max(least)) as u64)
    }

    fn proportional(&self, ssthresh: u32) -> i64 {
        let product = u64::from(self.delivered.wrapping_mul(ssthresh));
        let quota = product.div_ceil(u64::from(self.flight.max(1)));
        quota as i64 - i64::from(self.out)
    }

    /// The difference is taken without a sign, so having sent more than was delivered looks like
    /// a huge allowance, and that becomes a negative one.
    fn bounded(&self, delivered: u32, s: &Step) -> i64 {
        let limit = self.delivered.wrapping_sub(self.out).max(delivered) as i32;
        let bonus = if s.repaired { s.segment as i32 } else { 0 };
        let room = (s.ssthresh - s.inflight) as i32;
        i64::from(limit.wrapping_add(bonus).min(room))
    }

    /// Payload was sent during recovery.
    pub fn on_sent(&mut self, bytes: u32) {
        self.out = self.out.wrapping_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEG: u32 = 1448;

    fn dupack(inflight: u64) -> Step {
        Step {
            delivered: u64::from(SEG),
            duplicate: true,
            repaired: false,
            inflight,
            ssthresh: 116_564,
            segment: SEG,
        }
    }

    /// The first recovery of `TcpNewReno` in the reference run: a segment leaves on each of twelve
    /// duplicate ACKs, then the product wraps and nothing does until the twenty-fifth, which
    /// leaves 401 bytes of room.
    #[test]
    fn the_product_wraps_where_ns3_was_seen_to_wrap() {
        let mut p = Prr::default();
        p.start(233_128);
        let room: std::vec::Vec<u64> = (1..=25)
            .map(|_| {
                let room = p.step(&dupack(233_128)).unwrap() - 233_128;
                p.on_sent((room / u64::from(SEG)) as u32 * SEG);
                room
            })
            .collect();
        assert!(room[..12].iter().all(|r| *r == u64::from(SEG)), "{room:?}");
        assert!(room[12..24].iter().all(|r| *r == 0), "{room:?}");
        assert_eq!(room[24], 401);
    }

    #[test]
    fn a_first_retransmission_always_fits() {
        let mut p = Prr::default();
        p.start(100_000);
        let s = Step {
            ssthresh: 2 * u64::from(SEG),
            ..dupack(50_000)
        };
        assert_eq!(p.step(&s), Some(50_000 + u64::from(SEG)));
    }

    #[test]
    fn below_the_target_a_repair_is_worth_a_segment_more() {
        let window = |repaired| {
            let mut p = Prr::default();
            p.start(100_000);
            p.on_sent(SEG);
            p.step(&Step {
                duplicate: false,
                repaired,
                ..dupack(50_000)
            })
        };
        assert_eq!(window(false), Some(50_000 + u64::from(SEG)));
        assert_eq!(window(true), Some(50_000 + 2 * u64::from(SEG)));
    }

    #[test]
    fn having_sent_too_much_stops_everything() {
        let mut p = Prr::default();
        p.start(100_000);
        p.on_sent(10 * SEG);
        assert_eq!(p.step(&dupack(50_000)), Some(50_000));
    }

    #[test]
    fn nothing_delivered_changes_nothing() {
        let mut p = Prr::default();
        p.start(1);
        let s = Step {
            delivered: 0,
            duplicate: false,
            ..dupack(50_000)
        };
        assert_eq!(p.step(&s), None);
    }
}
