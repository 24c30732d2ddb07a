//! Timers that the paper leaves out (ambiguity 15): probe timeout, retransmission timeout, persist
//! and keep-alive.
//!
//! A report may be late by the peer's interval, and by its delayed timer where fewer than L packets
//! are under way, so each timeout is longer by that. "The last resort in the case of ACK loss"
//! (TACK paper, section 4.4) is the next TACK; these are for when none comes.

use super::Sender;
use super::digest::Digest;
use super::transmit::Probe;
use crate::stats::Stats;
use crate::tack::config::TackConfig;
use acklab_units::{Instant, Span};

/// Purpose of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// Nothing was heard of what is under way: ask.
    Probe,
    /// The question was not answered either.
    Rto,
    /// The peer's window is shut: ask for it.
    Persist,
    /// Nothing was heard for long.
    KeepAlive,
}

/// Unanswered keep-alives before the peer is given up.
const MOST_PINGS: u32 = 9;

impl Sender {
    /// How late the peer may be with a report of what is under way.
    fn peer_delay(&self) -> Span {
        let few = u64::from(self.board.inflight_segments()) < u64::from(self.taming.packets);
        let interval = self.peer_interval();
        let thin = if few {
            self.taming.patience(interval)
        } else {
            Span::ZERO
        };
        interval.saturating_add(thin)
    }

    /// Twice the smoothed RTT (RFC 8985 section 7.2), and what the peer may be late by.
    fn probe_timeout(&self) -> Span {
        if !self.rtt.seen() {
            return self.rtt.rto();
        }
        let twice = self.rtt.srtt() * 2;
        twice
            .max(Span::from_millis(10))
            .saturating_add(self.peer_delay())
    }

    fn retransmission_timeout(&self) -> Span {
        self.rtt
            .rto_backed_off(self.backoff)
            .saturating_add(self.peer_delay())
    }

    fn arm(&mut self, timer: Timer, after: Span, now: Instant) {
        self.timer = Some((timer, now.saturating_add(after)));
    }

    /// Something that must be acknowledged left.
    pub(super) fn arm_after_send(&mut self, now: Instant) {
        if self.probed || self.backoff > 0 {
            let rto = self.retransmission_timeout();
            self.arm(Timer::Rto, rto, now);
        } else {
            let after = self.probe_timeout();
            self.arm(Timer::Probe, after, now);
        }
    }

    /// A report arrived: progress begins the timeouts anew.
    pub(super) fn rearm_after_report(&mut self, now: Instant, d: &Digest) {
        if d.advanced || d.delivered > 0 {
            self.retries = 0;
            self.probed = false;
        }
        if self.board.is_empty() {
            self.timer = None;
            self.backoff = 0;
        } else if d.advanced || d.delivered > 0 {
            self.arm_after_send(now);
        }
    }

    /// There is nothing to send: what is waited for instead.
    pub(super) fn arm_while_idle(&mut self, now: Instant, cfg: &TackConfig) {
        let waits = self.timer.is_some_and(|t| t.0 != Timer::KeepAlive);
        if waits || !self.board.is_empty() || !self.open {
            return;
        }
        if self.has_new_data() && self.nxt >= self.right_edge {
            let after = self.retransmission_timeout();
            self.arm(Timer::Persist, after, now);
        } else if let (Some(silence), None) = (cfg.keep_alive, self.timer) {
            let due = match self.pings {
                0 => self.last_heard.saturating_add(silence),
                // Each twice as late as the one before: the peer may be known by another address now, and
                // be found only when its own timer, which doubles as well, makes it speak.
                n => now.saturating_add((silence * (1 << n)).min(cfg.rtt.max_rto)),
            };
            let due = due.max(now.saturating_add(self.retransmission_timeout()));
            self.timer = Some((Timer::KeepAlive, due));
        }
    }

    /// A timer expired, or pacing lets the next packet go.
    pub fn on_timeout(&mut self, now: Instant, cfg: &TackConfig, stats: &mut Stats) {
        let Some((timer, _)) = self.timer.filter(|t| t.1 <= now) else {
            return;
        };
        self.timer = None;
        match timer {
            Timer::Probe => {
                self.probed = true;
                self.probe = Some(Probe::Tail);
                let rto = self.retransmission_timeout();
                self.arm(Timer::Rto, rto, now);
            }
            Timer::Rto => self.expire(now, cfg, stats),
            Timer::Persist => {
                self.backoff = (self.backoff + 1).min(16);
                self.probe = Some(Probe::Ping);
            }
            Timer::KeepAlive => self.ask(now, cfg),
        }
    }

    #[cold]
    fn expire(&mut self, now: Instant, cfg: &TackConfig, stats: &mut Stats) {
        if self.board.is_empty() {
            return;
        }
        if self.retries >= cfg.max_retries {
            self.gave_up = true;
            return;
        }
        stats.rto_count += 1;
        self.enter_loss(now, stats);
        self.retries += 1;
        self.backoff = (self.backoff + 1).min(16);
        self.probed = true;
        self.probe = Some(Probe::Head);
        let rto = self.retransmission_timeout();
        self.arm(Timer::Rto, rto, now);
    }

    #[cold]
    fn ask(&mut self, now: Instant, cfg: &TackConfig) {
        let Some(silence) = cfg.keep_alive else {
            return;
        };
        // Heard in the meantime: not idle for so long yet.
        if now < self.last_heard.saturating_add(silence) {
            return;
        }
        if self.pings >= MOST_PINGS {
            self.gave_up = true;
            return;
        }
        self.pings += 1;
        self.probe = Some(Probe::Ping);
    }
}
