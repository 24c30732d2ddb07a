//! `TcpCubic` as ns-3.44 has it.
//!
//! It follows Linux's structure with floating point and differs where it matters under thinning:
//! at most one segment of growth per ACK, a HyStart that sees the smoothed RTT, waits for a train
//! of a whole RTT and for a delay twice the smallest. Source:
//! `src/internet/model/tcp-cubic.cc`, and `tcp-socket-base.cc` for its input.

use super::super::newreno::ns3::ByteWindow;
use super::super::ns3::{Callbacks, Facts};
use super::super::{Ack, CcInit, CongestionControl, Loss, RecoveryExit, RecoveryPhase, Rto};
use super::hystartpp::HyStartPp;
use super::{Settings, SlowStartExit};
use acklab_units::{Instant, Span};

/// `HyStartLowWindow` (segments).
const LOW_WINDOW: u64 = 16;
/// `HyStartMinSamples`.
const MIN_SAMPLES: u32 = 8;
/// `HyStartAckDelta`.
const ACK_DELTA: Span = Span::from_millis(2);
/// `HyStartDelayMin`.
const DELAY_MIN: Span = Span::from_millis(4);
/// `HyStartDelayMax`.
const DELAY_MAX: Span = Span::from_millis(1_000);
/// `CubicDelta`: RTT samples this soon after an epoch began are ignored.
const CUBIC_DELTA: Span = Span::from_millis(10);
/// `CntClamp`: largest `cnt` before the first loss.
const CNT_CLAMP: u32 = 20;

/// ns-3's `TcpCubic`.
#[derive(Clone, Debug)]
pub struct Ns3Cubic {
    settings: Settings,
    window: ByteWindow,
    train: Train,
    plus_plus: Option<HyStartPp>,
    cwnd_cnt: u32,
    last_max_cwnd: u32,
    bic_origin_point: u32,
    /// Seconds.
    bic_k: f64,
    delay_min: Option<Span>,
    epoch_start: Option<Instant>,
    ack_cnt: u32,
    tcp_cwnd: u32,
}

/// `m_roundStart`, `m_lastAck`, `m_endSeq`, `m_currRtt`, `m_sampleCnt` and `m_found`.
#[derive(Clone, Debug, Default)]
struct Train {
    round_start: Instant,
    last_ack: Instant,
    end_seq: u64,
    curr_rtt: Option<Span>,
    sample_cnt: u32,
    found: bool,
}

impl Train {
    /// `HystartReset`.
    fn begin_round(&mut self, now: Instant, snd_nxt: u64) {
        *self = Self {
            round_start: now,
            last_ack: now,
            end_seq: snd_nxt,
            curr_rtt: None,
            sample_cnt: 0,
            found: self.found,
        };
    }

    /// `HystartUpdate`: whether slow start ends here.
    fn update(&mut self, now: Instant, delay: Span, delay_min: Span) -> bool {
        if self.found {
            return false;
        }
        let train = self.train(now, delay_min);
        let slower = self.slower(delay, delay_min);
        self.found = train || slower;
        self.found
    }

    fn train(&mut self, now: Instant, delay_min: Span) -> bool {
        if now - self.last_ack > ACK_DELTA {
            return false;
        }
        self.last_ack = now;
        now - self.round_start > delay_min
    }

    /// Only the first eight samples of a round count.
    fn slower(&mut self, delay: Span, delay_min: Span) -> bool {
        if self.sample_cnt < MIN_SAMPLES {
            self.sample_cnt += 1;
            self.curr_rtt = Some(self.curr_rtt.map_or(delay, |c| c.min(delay)));
            return false;
        }
        let allowance = delay_min.clamp(DELAY_MIN, DELAY_MAX);
        self.curr_rtt.is_some_and(|c| c > delay_min + allowance)
    }
}

impl Ns3Cubic {
    /// The controller of a new connection.
    pub fn new(init: CcInit, settings: Settings) -> Self {
        Self {
            settings,
            window: ByteWindow::new(init),
            train: Train::default(),
            plus_plus: (settings.hystart == SlowStartExit::PlusPlus)
                .then(|| HyStartPp::new(settings.paced)),
            cwnd_cnt: 0,
            last_max_cwnd: 0,
            bic_origin_point: 0,
            bic_k: 0.0,
            delay_min: None,
            epoch_start: None,
            ack_cnt: 0,
            tcp_cwnd: 0,
        }
    }

    fn hystart(&self) -> bool {
        self.settings.hystart == SlowStartExit::HyStart
    }

    /// `PktsAcked`, which ns-3 calls with the smoothed RTT.
    fn measure(&mut self, now: Instant, rtt: Span) {
        let fresh = |start| now.saturating_since(start) < CUBIC_DELTA;
        if rtt.is_zero() || self.epoch_start.is_some_and(fresh) {
            return;
        }
        let delay_min = self.delay_min.map_or(rtt, |d| d.min(rtt));
        self.delay_min = Some(delay_min);
        let w = &mut self.window;
        let eligible = w.cwnd <= w.ssthresh && w.cwnd >= LOW_WINDOW * w.segment;
        if self.settings.hystart == SlowStartExit::HyStart
            && eligible
            && self.train.update(now, rtt, delay_min)
        {
            w.ssthresh = w.cwnd;
        }
    }

    /// `IncreaseWindow`.
    fn increase(&mut self, now: Instant, una: u64, high_tx: u64, segments_acked: u32) {
        if self.window.in_slow_start() {
            if self.hystart() && una > self.train.end_seq {
                self.train.begin_round(now, high_tx);
            }
            self.slow_start(segments_acked);
        } else if segments_acked > 0 {
            self.avoid(now, segments_acked);
        }
    }

    /// All that the ACK covers, past the threshold if need be.
    fn slow_start(&mut self, segments_acked: u32) {
        let first = self.window.reported_ssthresh() == u64::MAX;
        let grown = match &mut self.plus_plus {
            Some(h) if first => h.growth(segments_acked),
            _ => segments_acked,
        };
        self.window.cwnd += u64::from(grown) * self.window.segment;
    }

    /// At most one segment per ACK, whatever the ACK covers; the credit stays.
    fn avoid(&mut self, now: Instant, segments_acked: u32) {
        self.cwnd_cnt += segments_acked;
        let cnt = self.update(now, segments_acked);
        if self.cwnd_cnt >= cnt {
            self.window.cwnd += self.window.segment;
            self.cwnd_cnt -= cnt;
        }
    }

    /// `Update`: segments to be acknowledged per segment of growth.
    fn update(&mut self, now: Instant, segments_acked: u32) -> u32 {
        let seg_cwnd = self.window.segments();
        self.ack_cnt += segments_acked;
        let start = match self.epoch_start {
            Some(start) => start,
            None => self.begin_epoch(now, segments_acked),
        };
        let ahead = now + self.delay_min.unwrap_or(Span::ZERO);
        let mut cnt = self.cubic_cnt(seg_cwnd, (ahead - start).as_secs_f64());
        if self.last_max_cwnd == 0 {
            cnt = cnt.min(CNT_CLAMP);
        }
        if self.settings.tcp_friendliness {
            cnt = self.befriend(seg_cwnd, cnt);
        }
        cnt.max(2)
    }

    fn begin_epoch(&mut self, now: Instant, segments_acked: u32) -> Instant {
        let seg_cwnd = self.window.segments();
        self.epoch_start = Some(now);
        self.ack_cnt = segments_acked;
        self.tcp_cwnd = seg_cwnd;
        if self.last_max_cwnd <= seg_cwnd {
            self.bic_k = 0.0;
            self.bic_origin_point = seg_cwnd;
        } else {
            let drop = f64::from(self.last_max_cwnd - seg_cwnd);
            self.bic_k = libm::pow(drop / self.settings.c, 1.0 / 3.0);
            self.bic_origin_point = self.last_max_cwnd;
        }
        now
    }

    fn cubic_cnt(&self, seg_cwnd: u32, t: f64) -> u32 {
        let offs = (t - self.bic_k).abs();
        // Cut to whole segments, as there.
        let delta = (self.settings.c * (offs * offs * offs)) as u32;
        let target = if t < self.bic_k {
            self.bic_origin_point.saturating_sub(delta)
        } else {
            self.bic_origin_point.saturating_add(delta)
        };
        if target > seg_cwnd {
            seg_cwnd / (target - seg_cwnd)
        } else {
            100 * seg_cwnd
        }
    }

    fn befriend(&mut self, seg_cwnd: u32, cnt: u32) -> u32 {
        let beta = self.settings.beta * 1024.0;
        let scale = (8.0 * (1024.0 + beta) / 3.0 / (1024.0 - beta)) as u32;
        let delta = ((seg_cwnd * scale) >> 3).max(1);
        while self.ack_cnt > delta {
            self.ack_cnt -= delta;
            self.tcp_cwnd += 1;
        }
        if self.tcp_cwnd > seg_cwnd {
            cnt.min(seg_cwnd / (self.tcp_cwnd - seg_cwnd))
        } else {
            cnt
        }
    }

    /// `GetSsThresh`.
    fn threshold(&mut self) -> u64 {
        let seg_cwnd = self.window.segments();
        let beta = self.settings.beta;
        self.last_max_cwnd = if seg_cwnd < self.last_max_cwnd && self.settings.fast_convergence {
            (f64::from(seg_cwnd) * (1.0 + beta) / 2.0) as u32
        } else {
            seg_cwnd
        };
        self.epoch_start = None;
        let segments = ((f64::from(seg_cwnd) * beta) as u64).max(2);
        segments * self.window.segment
    }

    /// `CubicReset`: neither the last maximum nor the growth credit is forgotten.
    fn reset(&mut self) {
        self.bic_origin_point = 0;
        self.bic_k = 0.0;
        self.ack_cnt = 0;
        self.tcp_cwnd = 0;
        self.delay_min = None;
        self.train.found = false;
    }
}

impl CongestionControl for Ns3Cubic {
    fn on_paced(&mut self) {
        if let Some(h) = &mut self.plus_plus {
            h.pace();
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.measure(ack.now, ack.srtt);
        if let Some(h) = &mut self.plus_plus
            && self.window.reported_ssthresh() == u64::MAX
            && h.sample(ack.cc_rtt, ack.cc_rtt_samples, ack.snd_una, ack.snd_nxt)
        {
            self.window.ssthresh = self.window.cwnd;
        }
        if let Some(segments) = self.window.segments_acked(ack)
            && ack.cwnd_limited
        {
            self.increase(ack.now, ack.snd_una, ack.snd_nxt, segments);
        }
    }

    fn on_loss(&mut self, _loss: &Loss) {
        let ssthresh = self.threshold();
        self.window.reduce(ssthresh);
    }

    fn on_rto(&mut self, rto: &Rto) {
        let ssthresh = rto.first.then(|| self.threshold());
        self.window.collapse(ssthresh, rto.snd_nxt);
        self.reset();
        self.train.begin_round(rto.now, rto.snd_nxt);
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
        out("last_max_cwnd", f64::from(self.last_max_cwnd));
        out("bic_origin_point", f64::from(self.bic_origin_point));
        out("bic_K", self.bic_k);
        out("tcp_cwnd", f64::from(self.tcp_cwnd));
    }
}

impl Callbacks for Ns3Cubic {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }

    fn pkts_acked(&mut self, facts: &Facts) {
        self.measure(facts.now, facts.srtt);
        if let Some(h) = &mut self.plus_plus
            && self.window.reported_ssthresh() == u64::MAX
            && h.sample(Some(facts.last_rtt), 1, facts.last_acked, facts.high_tx)
        {
            self.window.ssthresh = self.window.cwnd;
        }
    }

    fn increase_window(&mut self, facts: &Facts, segments: u32) {
        if facts.cwnd_limited {
            self.increase(facts.now, facts.last_acked, facts.high_tx, segments);
        }
    }

    fn state_set(&mut self, facts: &Facts, to: RecoveryPhase) {
        if to == RecoveryPhase::Loss {
            self.reset();
            self.train.begin_round(facts.now, facts.high_tx);
        }
    }

    fn ss_thresh(&mut self, _facts: &Facts) -> u64 {
        self.threshold()
    }
}

#[cfg(test)]
#[path = "ns3_tests.rs"]
mod tests;
