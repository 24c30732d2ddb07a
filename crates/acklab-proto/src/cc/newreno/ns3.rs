//! `TcpNewReno` and `TcpLinuxReno` as ns-3.44 has them, and the byte window its controllers share.
//!
//! ns-3 counts bytes, grows `TcpNewReno` once per ACK received whatever that ACK covers, and takes
//! half of the *flight* as threshold. Source: `src/internet/model/tcp-congestion-ops.cc`,
//! `tcp-linux-reno.cc`, and `tcp-socket-base.cc` for what it passes to them.

use super::super::ns3::{Callbacks, Facts};
use super::super::{Ack, CcInit, CongestionControl, Loss, RecoveryExit, RecoveryPhase, Rto};

/// `InitialSlowStartThreshold`, the largest 32-bit number (bytes).
pub const INITIAL_SSTHRESH: u64 = u32::MAX as u64;

/// `m_cWnd` and `m_ssThresh` of ns-3's `TcpSocketState`, in bytes.
#[derive(Clone, Debug)]
pub struct ByteWindow {
    /// `m_segmentSize` (bytes).
    pub segment: u64,
    /// `m_cWnd` (bytes).
    pub cwnd: u64,
    /// `m_ssThresh` (bytes).
    pub ssthresh: u64,
    /// The phase that the ACK about to be reported has ended.
    ended: Option<RecoveryPhase>,
    /// `m_recover`: offset behind the last byte sent when the last timeout struck.
    recover: u64,
}

impl ByteWindow {
    /// The window of a new connection.
    pub fn new(init: CcInit) -> Self {
        Self {
            segment: u64::from(init.mss),
            cwnd: init.initial_cwnd,
            ssthresh: INITIAL_SSTHRESH,
            ended: None,
            recover: 0,
        }
    }

    /// `GetCwndInSegments`: rounded down.
    pub fn segments(&self) -> u32 {
        (self.cwnd / self.segment) as u32
    }

    /// The threshold for the contract: `u64::MAX` while it is the initial one.
    pub fn reported_ssthresh(&self) -> u64 {
        if self.ssthresh >= INITIAL_SSTHRESH {
            u64::MAX
        } else {
            self.ssthresh
        }
    }

    /// Below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// `slow_start` or `congestion_avoidance`, for traces.
    pub fn state(&self) -> &'static str {
        if self.in_slow_start() {
            "slow_start"
        } else {
            "congestion_avoidance"
        }
    }

    /// The `segmentsAcked` with which ns-3 calls `IncreaseWindow`, or `None` where it does not
    /// call it: without new data acknowledged, and in every phase but Open and Loss.
    ///
    /// It is what the ACK newly delivered, except on the ACK that ends recovery (everything it
    /// covers) or a timeout (what it covers beyond the data outstanding at the timeout).
    pub fn segments_acked(&mut self, ack: &Ack) -> Option<u32> {
        let ended = self.ended.take();
        let growing = matches!(ack.phase, RecoveryPhase::Open | RecoveryPhase::Loss);
        if !ack.may_grow || !growing || ack.acked == 0 {
            return None;
        }
        Some(match ended {
            Some(RecoveryPhase::Recovery) => (ack.acked / self.segment) as u32,
            Some(RecoveryPhase::Loss) => {
                let beyond = ack.snd_una.saturating_sub(self.recover);
                (beyond.min(ack.acked) / self.segment) as u32
            }
            _ => ack.newly_delivered_segments,
        })
    }

    /// `TcpNewReno::SlowStart`: one segment per ACK.
    pub fn slow_start(&mut self, segments_acked: u32) -> u32 {
        if segments_acked == 0 {
            return 0;
        }
        self.cwnd += self.segment;
        segments_acked - 1
    }

    /// `TcpNewReno::IncreaseWindow`: slow start, then, once the threshold is reached, a segment's
    /// share of the window per ACK, at least one byte.
    pub fn new_reno_increase(&mut self, segments_acked: u32) {
        let mut left = segments_acked;
        if self.in_slow_start() {
            left = self.slow_start(left);
        }
        if !self.in_slow_start() && left > 0 {
            // A floating-point quotient there, cut to whole bytes: the integer quotient here.
            self.cwnd += (self.segment * self.segment / self.cwnd).max(1);
        }
    }

    /// Fast recovery or a congestion mark: threshold and target window.
    pub fn reduce(&mut self, ssthresh: u64) {
        self.ssthresh = ssthresh;
        self.cwnd = ssthresh;
    }

    /// `ReTxTimeout`: one segment; the threshold only if there is a new one.
    pub fn collapse(&mut self, ssthresh: Option<u64>, snd_nxt: u64) {
        if let Some(ssthresh) = ssthresh {
            self.ssthresh = ssthresh;
        }
        self.cwnd = self.segment;
        self.recover = snd_nxt;
    }

    /// Notes which phase ended, for [`Self::segments_acked`].
    pub fn leave(&mut self, exit: &RecoveryExit) {
        self.ended = Some(exit.from);
    }
}

/// Which of ns-3's two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// `TcpNewReno`: growth per ACK received, threshold from the flight.
    NewReno,
    /// `TcpLinuxReno`: growth per segment acknowledged, threshold from the window.
    LinuxReno,
}

/// ns-3's Reno.
#[derive(Clone, Debug)]
pub struct Ns3Reno {
    flavour: Flavour,
    window: ByteWindow,
    /// `m_cWndCnt` of `TcpLinuxReno` (segments).
    cwnd_cnt: u32,
}

impl Ns3Reno {
    /// The controller of a new connection.
    pub fn new(init: CcInit, flavour: Flavour) -> Self {
        Self {
            flavour,
            window: ByteWindow::new(init),
            cwnd_cnt: 0,
        }
    }

    /// `TcpLinuxReno::IncreaseWindow`: unlike Linux, what slow start leaves over is dropped, and
    /// only congestion avoidance asks whether the window was the limit.
    fn linux_reno_increase(&mut self, segments_acked: u32, cwnd_limited: bool) {
        let w = &mut self.window;
        if w.in_slow_start() {
            w.cwnd = (w.cwnd + u64::from(segments_acked) * w.segment).min(w.ssthresh);
        } else if cwnd_limited {
            self.linux_reno_avoid(segments_acked);
        }
    }

    fn linux_reno_avoid(&mut self, segments_acked: u32) {
        let w = self.window.segments().max(1);
        if self.cwnd_cnt >= w {
            self.cwnd_cnt = 0;
            self.window.cwnd += self.window.segment;
        }
        self.cwnd_cnt += segments_acked;
        self.window.cwnd += u64::from(self.cwnd_cnt / w) * self.window.segment;
        self.cwnd_cnt %= w;
    }

    fn increase(&mut self, segments_acked: u32, cwnd_limited: bool) {
        match self.flavour {
            Flavour::NewReno => self.window.new_reno_increase(segments_acked),
            Flavour::LinuxReno => self.linux_reno_increase(segments_acked, cwnd_limited),
        }
    }

    fn threshold(&self, bytes_in_flight: u64) -> u64 {
        let basis = match self.flavour {
            Flavour::NewReno => bytes_in_flight,
            Flavour::LinuxReno => self.window.cwnd,
        };
        (basis / 2).max(2 * self.window.segment)
    }
}

impl CongestionControl for Ns3Reno {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(segments) = self.window.segments_acked(ack) {
            self.increase(segments, ack.cwnd_limited);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.reduce(self.threshold(loss.inflight));
    }

    fn on_rto(&mut self, rto: &Rto) {
        let ssthresh = rto.first.then(|| self.threshold(rto.prior_inflight));
        self.window.collapse(ssthresh, rto.snd_nxt);
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
}

impl Callbacks for Ns3Reno {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }

    fn increase_window(&mut self, facts: &Facts, segments: u32) {
        self.increase(segments, facts.cwnd_limited);
    }

    fn ss_thresh(&mut self, facts: &Facts) -> u64 {
        self.threshold(facts.inflight)
    }
}

#[cfg(test)]
#[path = "ns3_tests.rs"]
mod tests;
