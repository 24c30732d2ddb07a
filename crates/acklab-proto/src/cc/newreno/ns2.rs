//! Reno as ns-2.35 has it, for `Agent/TCP/Newreno` and `Agent/TCP/Sack1` alike.
//!
//! ns-2 counts packets, of which its window may hold a fraction: it opens once per ACK, whatever
//! that covers, by one packet below the threshold and by its reciprocal from there on. Each timeout
//! halves the threshold again, also that of a repetition, where RFC 5681 section 3.1 holds it
//! constant. Source: `tcp/tcp.cc`, `TcpAgent::opencwnd` (`windowOption_` 1), `slowdown`, `windowd`.

use super::super::{Ack, CcInit, CongestionControl, EcnEcho, Loss, Rto};

/// ns-2's window. Packets are bytes here: a fraction of one is cut to whole bytes.
#[derive(Clone, Debug)]
pub struct Ns2Reno {
    segment: u64,
    cwnd: u64,
    ssthresh: u64,
}

impl Ns2Reno {
    /// The controller of a new connection.
    pub fn new(init: CcInit) -> Self {
        Self {
            segment: u64::from(init.mss),
            cwnd: init.initial_cwnd,
            ssthresh: u64::MAX,
        }
    }

    /// `opencwnd`: one or the other, never both for one ACK.
    fn open(&mut self) {
        self.cwnd += if self.cwnd < self.ssthresh {
            self.segment
        } else {
            (self.segment * self.segment / self.cwnd).max(1)
        };
    }

    /// `slowdown`: half of the window, or of what the receiver let out of it; the threshold in
    /// whole packets, at least two.
    fn halve(&mut self, outstanding: u64) -> u64 {
        let half = self.cwnd.min(outstanding) / 2;
        self.ssthresh = (half / self.segment).max(2) * self.segment;
        half
    }

    fn reduce(&mut self, outstanding: u64) {
        self.cwnd = self.halve(outstanding).max(self.segment);
    }
}

impl CongestionControl for Ns2Reno {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.may_grow && ack.acked > 0 {
            self.open();
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reduce(loss.outstanding);
    }

    fn on_ecn(&mut self, echo: &EcnEcho) {
        self.reduce(echo.outstanding);
    }

    fn on_rto(&mut self, rto: &Rto) {
        self.halve(rto.outstanding);
        self.cwnd = self.segment;
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn state(&self) -> &'static str {
        if self.cwnd < self.ssthresh {
            "slow_start"
        } else {
            "congestion_avoidance"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{MSS, ack, init};
    use acklab_units::Instant;

    fn timeout(cc: &mut Ns2Reno, outstanding: u64, first: bool) {
        cc.on_rto(&Rto {
            now: Instant::ZERO,
            prior_inflight: outstanding,
            inflight: 0,
            outstanding,
            first,
            snd_nxt: outstanding,
            delivered: 0,
        });
    }

    fn packets(bytes: u64) -> f64 {
        bytes as f64 / f64::from(MSS)
    }

    /// `cwnd_` of a run of ns-2.35 (`window_` 4, the timeouts of two lost flights): the ACK of the
    /// whole flight is worth one packet, those after it a share each.
    #[test]
    fn the_window_after_a_timeout_is_that_of_a_trace() {
        let mut cc = Ns2Reno::new(init(10));
        timeout(&mut cc, 4 * u64::from(MSS), true);
        timeout(&mut cc, 4 * u64::from(MSS), false);
        let trace = [2.0, 2.5, 2.9, 3.245, 3.553, 3.834, 4.095, 4.339];
        for (i, want) in trace.into_iter().enumerate() {
            cc.on_ack(&ack(0, if i == 0 { 4 } else { 1 + i as u32 % 2 }));
            let got = packets(cc.cwnd());
            assert!((got - want).abs() < 0.005, "ACK {i}: {got}, not {want}");
        }
    }

    #[test]
    fn every_timeout_halves_the_threshold_down_to_two_packets() {
        let mut cc = Ns2Reno::new(init(50));
        let mut thresholds = || {
            timeout(&mut cc, 50 * u64::from(MSS), false);
            packets(cc.ssthresh())
        };
        assert_eq!([thresholds(), thresholds()], [25.0, 2.0]);
    }

    /// `windowd` is at most the receiver's window, however far `cwnd_` has grown.
    #[test]
    fn a_window_that_the_receiver_limits_is_halved_from_there() {
        let mut cc = Ns2Reno::new(init(100));
        timeout(&mut cc, 9 * u64::from(MSS), true);
        assert_eq!(packets(cc.ssthresh()), 4.0);
    }
}
