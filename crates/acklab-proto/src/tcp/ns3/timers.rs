//! Retransmission timeout and zero-window probes (`NewAck`, `ReTxTimeout`, `PersistTimeout`).

use super::Sender;
use crate::stats::Stats;
use crate::tcp::config::TcpConfig;
use crate::tcp::sender::Outgoing;
use acklab_units::{Instant, Span};

/// First interval of zero-window probes (`PersistTimeout`).
pub(super) const PERSIST: Span = Span::from_secs(6);
/// Longest interval of zero-window probes.
const PERSIST_MAX: Span = Span::from_secs(60);

/// The purpose of the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timer {
    Rto,
    Persist,
}

impl Sender {
    /// A timer expired, or pacing lets the next segment go.
    pub fn on_timeout(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        self.due |= self.pacing_holds && self.paced_until.is_some_and(|at| at <= now);
        let Some((kind, _)) = self.timer.filter(|t| t.1 <= now) else {
            return;
        };
        self.timer = None;
        match kind {
            Timer::Rto if self.una == 0 => self.on_syn_timeout(now, cfg, stats),
            Timer::Rto => self.on_rto(now, cfg, stats),
            Timer::Persist => self.on_persist(now),
        }
    }

    /// An ACK made progress (`NewAck`).
    pub(super) fn on_progress(&mut self, now: Instant, restart: bool) {
        self.retries = 0;
        self.released = self.una;
        if restart && self.peer_window > 0 {
            self.rtt.renew();
            self.timer = Some((Timer::Rto, now + self.rtt.rto()));
        }
        self.next_tx = self.next_tx.max(self.una);
        let idle = self.board.is_empty() && !self.has_new_data();
        if idle && matches!(self.timer, Some((Timer::Rto, _))) {
            self.timer = None;
        }
    }

    /// Data left: the timer runs if it did not.
    pub(super) fn arm_if_idle(&mut self, now: Instant) {
        if self.timer.is_none() {
            self.timer = Some((Timer::Rto, now + self.rtt.rto()));
        }
    }

    #[cold]
    fn on_rto(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        if self.board.is_empty() {
            return;
        }
        if self.retries >= cfg.max_retries {
            self.gave_up = true;
            return;
        }
        self.due = true;
        self.chosen = None;
        self.retries += 1;
        stats.rto_count += 1;
        let prior = self.pipe();
        self.dup_acks = 0;
        if !self.sack {
            self.board.unsack_all();
        }
        self.board.lose_all();
        self.recover = self.nxt;
        self.recover_active = true;
        self.rtt.back_off();
        self.rtt.forget();
        self.collapse(now, prior);
        self.paced_until = None;
        self.forced.clear();
    }

    #[cold]
    fn on_syn_timeout(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) {
        if self.retries >= cfg.max_retries {
            self.gave_up = true;
            return;
        }
        self.retries += 1;
        stats.rto_count += 1;
        self.rtt.back_off();
        self.rtt.on_resent(0, 0);
        self.timer = Some((Timer::Rto, now + self.rtt.rto()));
        stats.segs_out += 1;
        stats.retrans_segs += 1;
        stats.retrans.rto += 1;
        self.forced.push_back(Outgoing {
            syn: true,
            retransmission: Some(crate::stats::RetransmitCause::Rto),
            ..Outgoing::empty(0)
        });
    }

    /// A window that closes or opens switches between timeout and probes.
    pub(super) fn watch_zero_window(&mut self, now: Instant) {
        let probing = matches!(self.timer, Some((Timer::Persist, _)));
        if self.peer_window == 0 && !probing {
            self.timer = Some((Timer::Persist, now + self.persist));
        } else if self.peer_window > 0 && probing {
            self.persist = PERSIST;
            self.timer = None;
            if !self.board.is_empty() {
                self.arm_if_idle(now);
            }
        }
    }

    /// An old octet, which the peer answers with its window.
    #[cold]
    fn on_persist(&mut self, now: Instant) {
        self.persist = (self.persist * 2).min(PERSIST_MAX);
        self.timer = Some((Timer::Persist, now + self.persist));
        let probe = Outgoing::empty(self.nxt.saturating_sub(1));
        self.forced.push_back(probe);
    }
}
