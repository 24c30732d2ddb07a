//! Order of transmission: repairs before new data, both within window and pacing.

use super::Sender;
use crate::cc::{IdleRestart, RecoveryPhase, Sent};
use crate::stats::{RetransmitCause, Stats};
use crate::tack::config::TackConfig;
use crate::tack::receiver::micros;
use crate::tack::wire::Data;
use acklab_units::Instant;

/// Something that leaves without regard to window and pacing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Probe {
    /// New data if there is any, else the last segment again.
    Tail,
    /// The first segment that is missing.
    Head,
    /// Nothing but a question.
    Ping,
}

/// A packet that leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// Its PKT.SEQ.
    pub number: u64,
    /// The largest number below which the peer is known to wait for nothing.
    pub known: u64,
    /// Its payload; a PING has none.
    pub data: Option<Data>,
    /// It may be marked instead of dropped.
    pub ect: bool,
}

/// With a first packet counted as the eleventh, every packet is paced: TACK has no unpaced window.
const ALL_PACED: u64 = u64::MAX;

impl Sender {
    /// The next packet to leave, if any may leave now.
    pub fn poll_transmit(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        if !self.open || self.gave_up {
            return None;
        }
        if let Some(p) = self.probe.take()
            && let Some(out) = self.send_probe(now, p, stats)
        {
            return Some(out);
        }
        let rate = self.pacing_rate(cfg);
        self.paced_until = None;
        if let Some(at) = self.pacer.blocked_until(now).filter(|_| rate.is_some()) {
            let waiting =
                self.window_open() && (self.board.lost_segments() > 0 || self.next_len().is_some());
            self.paced_until = waiting.then_some(at);
            if !waiting {
                self.nothing_to_send(now, cfg);
            }
            return None;
        }
        let out = self
            .send_lost(now, stats)
            .or_else(|| self.send_new(now, stats));
        match out {
            Some(o) => {
                let len = o.data.map_or(0, |d| d.len);
                let quantum = cfg.quantum(rate);
                self.pacer.on_sent(now, len, rate, quantum, ALL_PACED);
                Some(o)
            }
            None => {
                self.pacer.close_burst(rate, ALL_PACED);
                self.nothing_to_send(now, cfg);
                None
            }
        }
    }

    fn window_open(&self) -> bool {
        let inflight = self.board.inflight();
        self.board.inflight_segments() == 0 || inflight + u64::from(self.mss) <= self.cwnd()
    }

    /// Whether there is something that was never sent: data or the end of the stream.
    pub(super) fn has_new_data(&self) -> bool {
        self.nxt < self.app_end + u64::from(self.fin_queued)
    }

    #[cold]
    fn send_probe(&mut self, now: Instant, p: Probe, stats: &mut Stats) -> Option<Outgoing> {
        match p {
            Probe::Ping => Some(self.ping(now, stats)),
            Probe::Head => {
                let id = self.board.next_repair()?;
                Some(self.retransmit(now, id, RetransmitCause::Rto, stats))
            }
            Probe::Tail => {
                stats.tlp_count += 1;
                if self.board.lost_segments() == 0
                    && let Some(len) = self.next_len()
                {
                    let mut out = self.emit_new(now, len, stats);
                    if let Some(d) = &mut out.data {
                        d.now = self.asks;
                    }
                    return Some(out);
                }
                let id = self.board.last_missing()?;
                Some(self.retransmit(now, id, RetransmitCause::Tlp, stats))
            }
        }
    }

    fn ping(&mut self, now: Instant, stats: &mut Stats) -> Outgoing {
        self.skip_numbers();
        let number = self.board.pass_number();
        stats.segs_out += 1;
        self.last_sent = now;
        Outgoing {
            number,
            known: self.board.oldest_number().min(number),
            data: None,
            ect: false,
        }
    }

    /// Leaves out the numbers that are to be skipped.
    fn skip_numbers(&mut self) {
        while self.claims.skips(self.board.next_number()) {
            self.board.pass_number();
        }
    }

    fn send_lost(&mut self, now: Instant, stats: &mut Stats) -> Option<Outgoing> {
        if self.board.lost_segments() == 0 {
            return None;
        }
        let id = self.board.next_repair()?;
        let len = u64::from(self.board.record(id)?.len());
        let inflight = self.board.inflight();
        // Lost data have left the network: a repair may take their place, even if a controller that
        // sets its own window in recovery has not heard of any delivery since. With a TACK every
        // quarter of a round trip, repairs would else wait for the next one.
        let replaces = self.cc.owns_recovery() && self.credit >= len;
        let fits = self.board.inflight_segments() == 0 || inflight + len <= self.cwnd();
        if !fits && !replaces {
            return None;
        }
        self.credit = self.credit.saturating_sub(len);
        let cause = match self.phase {
            RecoveryPhase::Loss => RetransmitCause::Rto,
            _ => RetransmitCause::DupAck,
        };
        Some(self.retransmit(now, id, cause, stats))
    }

    #[cold]
    fn retransmit(
        &mut self,
        now: Instant,
        id: u64,
        cause: RetransmitCause,
        stats: &mut Stats,
    ) -> Outgoing {
        self.skip_numbers();
        let prior = self.board.inflight();
        let known = self.board.oldest_number();
        let r = self.board.repeat(id, now);
        self.rates.stamp(r, prior == 0);
        let r = *r;
        stats.on_sent(r.len(), true);
        self.validate_pending = true;
        match cause {
            RetransmitCause::Rack => stats.retrans.rack += 1,
            RetransmitCause::DupAck => stats.retrans.dupack += 1,
            RetransmitCause::Tlp => stats.retrans.tlp += 1,
            RetransmitCause::Rto => stats.retrans.rto += 1,
        }
        if self.reducing() {
            self.prr.on_sent(1);
        }
        self.tell_controller(now, r.len(), prior, true, false);
        self.last_sent = now;
        if !matches!(cause, RetransmitCause::Tlp) {
            self.arm_after_send(now);
        }
        let asks = self.asks && matches!(cause, RetransmitCause::Tlp | RetransmitCause::Rto);
        Outgoing {
            number: r.number,
            known: known.min(r.number),
            data: Some(Data {
                seq: r.start,
                len: r.len(),
                stamp: micros(now),
                fin: r.is_fin(),
                now: asks || self.falls_silent(),
                app_limited: self.rates.is_app_limited(),
            }),
            ect: false,
        }
    }

    fn send_new(&mut self, now: Instant, stats: &mut Stats) -> Option<Outgoing> {
        let len = self.next_len()?;
        self.restart_after_idle(now, len);
        let inflight = self.board.inflight();
        let open = self.board.inflight_segments() == 0 || inflight + u64::from(len) <= self.cwnd();
        if !open {
            self.cwnd_limited = true;
            return None;
        }
        Some(self.emit_new(now, len, stats))
    }

    /// Payload of the next new packet; `None` if there is none, or the peer's window forbids it.
    fn next_len(&self) -> Option<u32> {
        let data = self.app_end.saturating_sub(self.nxt);
        if data == 0 {
            return (self.fin_queued && self.nxt == self.app_end).then_some(0);
        }
        let window = self.right_edge.saturating_sub(self.nxt);
        let full = u64::from(self.mss);
        let len = data.min(window).min(full);
        // Sender's side of silly window avoidance (RFC 9293 section 3.8.6.2.1).
        let held = len < full && len < data && len < self.max_window / 2 && self.nxt > self.una;
        (len > 0 && !held).then_some(len as u32)
    }

    #[cold]
    fn restart_after_idle(&mut self, now: Instant, len: u32) {
        if len == 0 || !self.board.is_empty() || self.nxt == 0 {
            return;
        }
        let idle = now.saturating_since(self.last_sent);
        let rto = self.rtt.rto();
        if idle > rto && !self.cc.owns_recovery() {
            self.cc.on_idle_restart(&IdleRestart { now, idle, rto });
        }
    }

    fn emit_new(&mut self, now: Instant, len: u32, stats: &mut Stats) -> Outgoing {
        self.skip_numbers();
        let start = self.nxt;
        let fin = self.fin_queued && start + u64::from(len) == self.app_end;
        let idle = self.board.is_empty();
        let prior = self.board.inflight();
        let known = self.board.oldest_number();
        let r = self.board.push(start, len, fin, now);
        self.rates.stamp(r, idle);
        let (number, end) = (r.number, r.end());
        self.nxt = end;
        stats.on_sent(len, start < self.highest);
        self.validate_pending = true;
        if self.reducing() {
            self.prr.on_sent(1);
        }
        self.arm_after_send(now);
        let restart = idle && len > 0 && start > 0 && self.rates.is_app_limited();
        self.tell_controller(now, len, prior, false, restart);
        self.last_sent = now;
        Outgoing {
            number,
            known: known.min(number),
            data: Some(Data {
                seq: start,
                len,
                stamp: micros(now),
                fin,
                now: (fin && self.asks) || self.falls_silent(),
                app_limited: self.rates.is_app_limited(),
            }),
            ect: self.ecn && len > 0,
        }
    }

    /// Whether nothing follows the packet that leaves: the application has no more, or the windows
    /// are shut and too few packets are under way for the receiver to count to L.
    fn falls_silent(&self) -> bool {
        if !self.asks || self.board.lost_segments() > 0 {
            return false;
        }
        if self.next_len().is_none() {
            return true;
        }
        let few = self.board.inflight_segments() <= u32::from(self.taming.packets);
        few && !self.window_open()
    }

    fn tell_controller(&mut self, now: Instant, len: u32, prior: u64, again: bool, restart: bool) {
        if len == 0 {
            return;
        }
        self.cc.on_sent(&Sent {
            now,
            exact: now,
            bytes: len,
            prior_inflight: prior,
            idle_restart: restart,
            app_limited: self.rates.is_app_limited(),
            retransmission: again,
            snd_nxt: self.nxt,
            delivered: self.rates.delivered,
        });
    }

    /// Everything that may leave has left: note whether the window was the limit, and whether the
    /// application was.
    fn nothing_to_send(&mut self, now: Instant, cfg: &TackConfig) {
        let limited = !self.window_open();
        if self.validate_pending {
            self.validate_pending = false;
            self.validate_window(limited);
        }
        let starved = !self.has_new_data() && !self.asleep;
        if starved && !limited && self.board.lost_segments() == 0 {
            self.rates.on_app_limited(self.board.inflight());
        }
        self.arm_while_idle(now, cfg);
    }

    /// Linux `tcp_cwnd_validate`.
    fn validate_window(&mut self, limited: bool) {
        let out = self.board.inflight_segments();
        let more = !self.cwnd_limited && out > self.max_outstanding;
        if self.una >= self.usage_end || limited || more {
            self.cwnd_limited = limited;
            self.max_outstanding = out;
            self.usage_end = self.nxt;
        }
    }
}
