//! One timer for retransmission, reordering, tail loss and zero-window probes, as in Linux
//! (`icsk_retransmit_timer`): at any time the connection waits for one of them only.

use super::Sender;
use super::transmit::Probe;
use crate::cc::RecoveryPhase;
use crate::stats::Stats;
use crate::tcp::config::TcpConfig;
use crate::tcp::prr::Progress;
use acklab_units::{Instant, Span};

/// The purpose of the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// Retransmission timeout (RFC 6298).
    Rto,
    /// RACK's reordering window (RFC 8985 section 6.3).
    Reordering,
    /// Tail loss probe (RFC 8985 section 7).
    Tlp,
    /// Zero-window probe (RFC 9293 section 3.8.6.1).
    Persist,
}

/// Linux `TCP_TIMEOUT_MIN_US`: added to the reordering timer and to the probe timeout.
const TIMEOUT_SLACK: Span = Span::from_millis(2);
/// Linux `tcp_syn_retries`: a SYN is repeated this often at most.
const SYN_RETRIES: u32 = 6;
/// Linux `tcp_syn_linear_timeouts` (6.5 on): so many repetitions of a SYN come without back-off.
const SYN_LINEAR: u32 = 4;

impl Sender {
    /// The timer expired, or pacing lets the next segment go (then there is nothing to do here).
    pub fn on_timeout(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        let Some((kind, at)) = self.timer else { return };
        if at > now {
            return;
        }
        self.timer = None;
        let now = self.stamp(now);
        match kind {
            Timer::Rto => self.on_rto(now, cfg, stats),
            Timer::Reordering => self.on_reordering(now, stats),
            Timer::Tlp => self.on_tlp(now, stats),
            Timer::Persist => self.on_persist(now),
        }
    }

    #[cold]
    fn on_rto(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        if self.board.is_empty() {
            return;
        }
        let syn = self.una == 0;
        let most = if syn {
            cfg.max_retries.min(SYN_RETRIES)
        } else {
            cfg.max_retries
        };
        if self.retries >= most {
            self.gave_up = true;
            return;
        }
        stats.rto_count += 1;
        if syn {
            // Nothing is known of the path yet: only the SYN is late, the controller has not begun.
            if let Some(id) = self.board.head_id() {
                self.mark_one(now, id, stats);
            }
        } else {
            self.enter_loss(now, cfg, stats);
        }
        // The head goes out whatever window and pacing say.
        self.probe = Some(Probe::Head);
        self.retries += 1;
        let linear = syn && cfg.dialect().linear_syn_timeouts && self.retries <= SYN_LINEAR;
        if !linear {
            self.backoff += 1;
            self.probe_backoff += 1;
        }
        self.arm_rto(now);
    }

    #[cold]
    fn on_reordering(&mut self, now: Instant, stats: &mut Stats) {
        let prior = self.board.inflight();
        let prior_lost = self.rates.lost;
        self.rack.rearm();
        let (any, _) = self.mark_by_rack(now, stats);
        if any {
            if self.phase != RecoveryPhase::Recovery {
                self.enter_recovery(now, prior, stats);
            }
            if self.reducing() {
                let lost = (self.rates.lost - prior_lost).div_ceil(u64::from(self.mss)) as u32;
                self.prr.on_ack(&Progress {
                    delivered: 1,
                    lost,
                    advanced: false,
                    inflight: self.board.inflight_segments(),
                    ssthresh: self.reduction_target(),
                });
            }
        }
        if self.timer.is_none() {
            self.arm_rto(now);
        }
    }

    #[cold]
    fn on_tlp(&mut self, now: Instant, stats: &mut Stats) {
        if self.board.is_empty() {
            return;
        }
        if self.tlp_high.is_none() {
            stats.tlp_count += 1;
            self.tlp_high = Some(self.nxt);
            let room = self.has_new_data() && self.nxt < self.right_edge;
            self.tlp_retransmitted = !room;
            self.probe = Some(if room { Probe::NewData } else { Probe::Tail });
        }
        self.arm_rto(now);
    }

    #[cold]
    fn on_persist(&mut self, now: Instant) {
        self.probe = Some(Probe::ZeroWindow);
        self.probe_backoff += 1;
        let doublings = self.backoff + self.probe_backoff;
        self.arm(now, Timer::Persist, self.rtt.rto_backed_off(doublings));
    }

    /// The timeout in force, backed off as it is (Linux `icsk_rto`).
    pub(super) fn rto(&self) -> Span {
        self.rtt.rto_backed_off(self.backoff)
    }

    /// The handshake is over: the SYN's timeout and its back-off are not those of data.
    #[cold]
    pub(super) fn begin_data(&mut self) {
        if self.rtt.fall_back() {
            self.backoff = 0;
        }
    }

    pub(super) fn arm(&mut self, now: Instant, kind: Timer, wait: Span) {
        self.timer = Some((kind, self.rtt.fires(now, wait)));
    }

    /// Waits a full timeout from now.
    pub(super) fn arm_rto(&mut self, now: Instant) {
        if self.board.is_empty() {
            self.timer = None;
        } else {
            self.arm(now, Timer::Rto, self.rto());
        }
    }

    /// Linux `tcp_rearm_rto`: after a probe or reordering timer the timeout still counts from the
    /// head's last transmission.
    fn rearm_rto(&mut self, now: Instant) {
        let replaced = matches!(self.timer, Some((Timer::Tlp | Timer::Reordering, _)));
        match self.board.head() {
            Some(head) if replaced => {
                let rest = (head.sent_at + self.rto()).saturating_since(now);
                self.arm(now, Timer::Rto, rest.min(self.rto()));
            }
            _ => self.arm_rto(now),
        }
    }

    pub(super) fn arm_reordering(&mut self, now: Instant, wait: Span) {
        self.reordering_armed = true;
        self.arm(now, Timer::Reordering, wait + TIMEOUT_SLACK);
    }

    /// Progress was made: wait for the next probe or timeout. A reordering timer that this very
    /// ACK has set stays.
    pub(super) fn rearm_after_ack(&mut self, now: Instant, cfg: &TcpConfig) {
        if self.reordering_armed {
            return;
        }
        if !self.arm_probe(now, cfg, true) {
            self.arm_rto(now);
        }
    }

    /// New data left: the probe or the timeout is set if none is waiting.
    pub(super) fn arm_after_send(&mut self, now: Instant, cfg: &TcpConfig) {
        if self.timer.is_none() || matches!(self.timer, Some((Timer::Tlp | Timer::Persist, _))) {
            self.rearm_rto(now);
        }
        self.arm_probe(now, cfg, false);
    }

    /// Linux `tcp_schedule_loss_probe`. `fresh`: the timeout would start from now, too. Inlined, for it is
    /// asked after each packet and each acknowledgement, and `fresh` is known there.
    #[inline(always)]
    fn arm_probe(&mut self, now: Instant, cfg: &TcpConfig, fresh: bool) -> bool {
        let open = matches!(self.phase, RecoveryPhase::Open | RecoveryPhase::Cwr);
        let reordering = matches!(self.timer, Some((Timer::Reordering, _)));
        if !cfg.tlp || !self.sack || !open || self.board.is_empty() || (reordering && !fresh) {
            return false;
        }
        if self.una == 0 {
            return false; // no probes for the SYN
        }
        let pto = if self.rtt.seen() {
            let slack = if self.board.out.segments == 1 {
                cfg.min_rto
            } else {
                TIMEOUT_SLACK
            };
            self.rtt.srtt() * 2 + slack + self.peer_delay
        } else {
            cfg.initial_rto
        };
        let since = match self.board.head() {
            Some(h) if !fresh => h.sent_at,
            _ => now,
        };
        let rto = (since + self.rto()).saturating_since(now);
        self.arm(now, Timer::Tlp, pto.min(rto));
        true
    }

    /// Linux `tcp_process_tlp_ack`.
    pub(super) fn end_of_probe(
        &mut self,
        now: Instant,
        ack: u64,
        dsack: bool,
        duplicate: bool,
        stats: &mut Stats,
    ) {
        let Some(high) = self.tlp_high else { return };
        if ack < high {
            return;
        }
        if !self.tlp_retransmitted || dsack {
            self.tlp_high = None;
        } else if ack > high {
            // Everything up to the probe and beyond arrived without a DSACK: the probe was needed.
            self.tlp_high = None;
            self.reduce_for_probe(now, stats);
        } else if duplicate {
            self.tlp_high = None;
        }
        if self.tlp_high.is_none() {
            self.tlp_retransmitted = false;
        }
    }

    /// Nothing is outstanding, so the only thing to wait for is an open window.
    pub(super) fn after_window_probe(&mut self) {
        if self.nxt < self.right_edge {
            self.probe_backoff = 0;
            if matches!(self.timer, Some((Timer::Persist, _))) {
                self.timer = None;
            }
        }
    }
}
