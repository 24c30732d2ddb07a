//! `TcpVegas` as ns-3.44 has it.
//!
//! It measures with the *smoothed* RTT, into which delayed and thinned ACKs put their waiting
//! time: with an ACK per segment it fills the link, with stretch ACKs it starves. Source:
//! `src/internet/model/tcp-vegas.cc`, and `tcp-socket-base.cc` for its input.

use super::super::newreno::ns3::ByteWindow;
use super::super::ns3::{Callbacks, Facts};
use super::super::{Ack, CcInit, CongestionControl, Loss, RecoveryExit, RecoveryPhase, Rto};
use super::{Bounds, FEW_SAMPLES};
use acklab_units::Span;

/// ns-3's `TcpVegas`, a `TcpNewReno` where it decides nothing.
#[derive(Clone, Debug)]
pub struct Ns3Vegas {
    bounds: Bounds,
    window: ByteWindow,
    phase: RecoveryPhase,
    doing_vegas_now: bool,
    beg_snd_nxt: u64,
    cnt_rtt: u32,
    min_rtt: Span,
    base_rtt: Span,
}

impl Ns3Vegas {
    /// The controller of a new connection.
    pub fn new(init: CcInit, bounds: Bounds) -> Self {
        Self {
            bounds,
            window: ByteWindow::new(init),
            phase: RecoveryPhase::Open,
            doing_vegas_now: true,
            beg_snd_nxt: 0,
            cnt_rtt: 0,
            min_rtt: Span::MAX,
            base_rtt: Span::MAX,
        }
    }

    /// `PktsAcked`.
    fn measure(&mut self, srtt: Span) {
        if srtt.is_zero() {
            return;
        }
        self.min_rtt = self.min_rtt.min(srtt);
        self.base_rtt = self.base_rtt.min(srtt);
        self.cnt_rtt += 1;
    }

    /// `CongestionStateSet`, which ns-3 does not call for window reductions by ECN.
    fn follow(&mut self, phase: RecoveryPhase, snd_nxt: u64) {
        if self.phase == phase || phase == RecoveryPhase::Cwr {
            return;
        }
        self.phase = phase;
        self.switch(phase, snd_nxt);
    }

    /// `EnableVegas`, `DisableVegas`.
    fn switch(&mut self, phase: RecoveryPhase, snd_nxt: u64) {
        self.doing_vegas_now = phase == RecoveryPhase::Open;
        if self.doing_vegas_now {
            self.beg_snd_nxt = snd_nxt;
            self.forget_round();
        }
    }

    fn forget_round(&mut self) {
        self.cnt_rtt = 0;
        self.min_rtt = Span::MAX;
    }

    /// `IncreaseWindow`.
    fn increase(&mut self, una: u64, nxt: u64, segments_acked: u32) {
        if !self.doing_vegas_now {
            self.window.new_reno_increase(segments_acked);
        } else if una >= self.beg_snd_nxt {
            self.beg_snd_nxt = nxt;
            if self.cnt_rtt <= FEW_SAMPLES {
                self.window.new_reno_increase(segments_acked);
            } else {
                self.judge(segments_acked);
            }
            self.forget_round();
        } else if self.window.in_slow_start() {
            self.window.slow_start(segments_acked);
        }
    }

    fn judge(&mut self, segments_acked: u32) {
        let seg_cwnd = self.window.segments();
        let ratio = self.base_rtt.as_secs_f64() / self.min_rtt.as_secs_f64();
        let target = (f64::from(seg_cwnd) * ratio) as u32;
        let diff = u64::from(seg_cwnd - target);
        if self.window.in_slow_start() {
            if diff > self.bounds.gamma {
                self.slow_down(seg_cwnd.min(target + 1));
            } else {
                self.window.slow_start(segments_acked);
            }
        } else if diff > self.bounds.beta {
            self.slow_down(seg_cwnd - 1);
        } else if diff < self.bounds.alpha {
            self.window.cwnd = u64::from(seg_cwnd + 1) * self.window.segment;
        }
        self.window.ssthresh = self.window.ssthresh.max(3 * self.window.cwnd / 4);
    }

    fn slow_down(&mut self, segments: u32) {
        self.window.cwnd = u64::from(segments) * self.window.segment;
        self.window.ssthresh = self.threshold();
    }

    /// `GetSsThresh`: a segment below the window, the same for a loss.
    fn threshold(&self) -> u64 {
        let w = &self.window;
        w.ssthresh
            .min(w.cwnd.saturating_sub(w.segment))
            .max(2 * w.segment)
    }
}

impl CongestionControl for Ns3Vegas {
    fn on_ack(&mut self, ack: &Ack) {
        self.measure(ack.srtt);
        self.follow(ack.phase, ack.snd_nxt);
        if let Some(segments) = self.window.segments_acked(ack) {
            self.increase(ack.snd_una, ack.snd_nxt, segments);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.reduce(self.threshold());
        self.follow(RecoveryPhase::Recovery, loss.snd_nxt);
    }

    fn on_rto(&mut self, rto: &Rto) {
        let ssthresh = rto.first.then(|| self.threshold());
        self.window.collapse(ssthresh, rto.snd_nxt);
        self.follow(RecoveryPhase::Loss, rto.snd_nxt);
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit) {
        self.window.leave(exit);
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.window.reported_ssthresh()
    }

    fn callbacks(&mut self) -> Option<&mut dyn Callbacks> {
        Some(self)
    }

    fn state(&self) -> &'static str {
        self.window.state()
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("baseRtt", self.base_rtt.as_secs_f64());
        out("minRtt", self.min_rtt.as_secs_f64());
        out("cntRtt", f64::from(self.cnt_rtt));
    }
}

impl Callbacks for Ns3Vegas {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }

    fn pkts_acked(&mut self, facts: &Facts) {
        self.measure(facts.srtt);
    }

    fn increase_window(&mut self, facts: &Facts, segments: u32) {
        self.increase(facts.last_acked, facts.next_tx, segments);
    }

    fn state_set(&mut self, facts: &Facts, to: RecoveryPhase) {
        self.switch(to, facts.next_tx);
    }

    fn ss_thresh(&mut self, _facts: &Facts) -> u64 {
        self.threshold()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::{self as clock, AckClock, MSS, ack, init, segments};

    const SEG: u64 = MSS as u64;

    fn avoiding(cwnd: u64, base_ms: u64) -> Ns3Vegas {
        let bounds = Bounds {
            alpha: 2,
            beta: 4,
            gamma: 1,
        };
        let mut cc = Ns3Vegas::new(init(10), bounds);
        cc.window.reduce(cwnd * SEG);
        cc.base_rtt = Span::from_millis(base_ms);
        cc
    }

    /// A round of `n` ACKs at this smoothed RTT.
    fn round(cc: &mut Ns3Vegas, n: u64, srtt_us: u64) {
        let end = cc.beg_snd_nxt;
        for i in 1..=n {
            cc.on_ack(&Ack {
                srtt: Span::from_micros(srtt_us),
                snd_una: if i == n { end } else { end - 1 },
                snd_nxt: end + 1_000,
                ..ack(0, 1)
            });
        }
    }

    #[test]
    fn the_difference_is_taken_from_the_cut_target() {
        // 100 segments: the target is cut to whole segments before the difference.
        for (srtt_us, change) in [
            (10_000, 1),
            (10_100, 1),
            (10_200, 0),
            (10_416, 0),
            (10_430, -1),
        ] {
            let mut cc = avoiding(100, 10);
            cc.beg_snd_nxt = 1;
            round(&mut cc, 4, srtt_us);
            assert_eq!(segments(&cc) as i64, 100 + change, "{srtt_us} us");
        }
    }

    #[test]
    fn reaching_the_mark_ends_a_round_where_linux_goes_past_it() {
        let mut cc = avoiding(100, 10);
        cc.beg_snd_nxt = 500;
        round(&mut cc, 3, 10_000);
        assert_eq!(cc.beg_snd_nxt, 1_500);
    }

    #[test]
    fn two_acks_a_round_make_it_new_reno() {
        let mut cc = avoiding(100, 10);
        cc.beg_snd_nxt = 1;
        round(&mut cc, 2, 90_000);
        assert_eq!(cc.cwnd(), 100 * SEG + SEG / 100);
    }

    #[test]
    fn slow_start_ends_at_the_target_plus_one() {
        let mut cc = avoiding(60, 10);
        cc.window.ssthresh = u64::from(u32::MAX);
        cc.beg_snd_nxt = 1;
        round(&mut cc, 3, 12_000);
        // Two ACKs before the end of the round: 62 / 1.2 = 51.
        assert_eq!(segments(&cc), 52);
        assert_eq!(cc.ssthresh(), 51 * SEG);
    }

    /// Window (segments), base and smallest RTT of the round (us), and the window that ns-3.44 was
    /// seen to choose, in slow start.
    #[test]
    fn slow_start_ends_where_ns3_was_seen_to_end_it() {
        for (seg, base_us, min_us, chosen) in [
            (37, 48_125, 52_486, 34),
            (22, 48_125, 55_031, 20),
            (20, 48_250, 51_509, 19),
            (19, 48_625, 52_569, 18),
            (16, 48_750, 52_505, 15),
            (19, 48_125, 48_359, 20),
        ] {
            let mut cc = avoiding(seg, 10);
            cc.window.ssthresh = u64::from(u32::MAX);
            cc.base_rtt = Span::from_micros(base_us);
            cc.min_rtt = Span::from_micros(min_us);
            cc.judge(1);
            assert_eq!(segments(&cc), chosen, "{seg} segments at {min_us} us");
        }
    }

    #[test]
    fn a_loss_costs_one_segment() {
        let mut cc = avoiding(40, 10);
        cc.on_loss(&clock::loss(0, 40));
        assert_eq!(segments(&cc), 39);
        assert!(!cc.doing_vegas_now);
    }

    #[test]
    fn the_judgements_begin_anew_after_recovery() {
        let mut cc = avoiding(40, 10);
        cc.on_loss(&clock::loss(0, 40));
        cc.on_recovery_exit(&clock::exit(1));
        cc.on_ack(&Ack {
            snd_nxt: 900_000,
            ..ack(1, 1)
        });
        assert!(cc.doing_vegas_now);
        assert_eq!((cc.beg_snd_nxt, cc.cnt_rtt), (900_000, 0));
    }

    #[test]
    fn a_timeout_leaves_one_segment() {
        let mut cc = avoiding(40, 10);
        cc.on_rto(&clock::rto(0, true));
        assert_eq!((segments(&cc), cc.ssthresh()), (1, 39 * SEG));
    }

    #[test]
    fn the_queue_rests_between_alpha_and_beta_with_an_ack_per_segment() {
        let mut run = AckClock::new(alloc::boxed::Box::new(avoiding(10, 48)), 48);
        run.service = Span::from_micros(1_200);
        run.run(100_000);
        assert!((1.0..=5.5).contains(&run.queue()), "{}", run.queue());
    }

    /// The waiting time of thinned ACKs looks like a queue: the link is left idle, the more the
    /// longer the wait.
    #[test]
    fn thinning_starves_it() {
        let goodput = |stretch| {
            let mut cc = avoiding(10, 48);
            cc.base_rtt = Span::MAX;
            let mut run = AckClock::new(alloc::boxed::Box::new(cc), 44);
            (run.service, run.stretch) = (Span::from_micros(1_200), stretch);
            run.hold = Span::from_millis(5);
            run.run(20_000);
            20_000.0 * 1.2e-3 / run.now.as_secs_f64()
        };
        let (one, two, four) = (goodput(1), goodput(2), goodput(4));
        assert!(one > 0.97, "{one}");
        assert!(two < one && four < two, "{one} {two} {four}");
    }
}
