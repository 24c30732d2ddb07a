//! The next transmission (Linux `tcp_xmit_recovery` and `tcp_write_xmit`): retransmissions before new
//! data, both within window and pacing.

use super::Sender;
use super::digest::ts_clock;
use super::timers::Timer;
use crate::cc::{IdleRestart, RecoveryPhase, Sent};
use crate::stats::{RetransmitCause, Stats};
use crate::tcp::config::{LossDetection, TcpConfig};
use crate::tcp::scoreboard::{Id, Record};
use acklab_units::{Instant, Rate};

/// Linux `tcp_tso_autosize` through `sk_pacing_shift`: a burst lasts about a millisecond.
const PACING_SHIFT_PER_SECOND: u64 = 1024;
/// Linux `tcp_min_tso_segs`.
const MIN_TSO_SEGMENTS: u32 = 2;

/// Something that leaves without regard to window and pacing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Probe {
    /// The head, after a timeout.
    Head,
    /// The first lost segment, as recovery begins.
    Lost,
    /// The SYN, now with an acknowledgement.
    Syn,
    /// New data, as tail loss probe.
    NewData,
    /// The last segment again, as tail loss probe.
    Tail,
    /// An old octet, to learn whether the window has opened.
    ZeroWindow,
}

/// A segment that leaves; the connection adds the acknowledgement half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// Stream offset of the first byte (of the SYN on a SYN).
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// SYN.
    pub syn: bool,
    /// FIN.
    pub fin: bool,
    /// The last byte the application has handed over is in it.
    pub push: bool,
    /// It tells the peer that the window was reduced.
    pub cwr: bool,
    /// It is ECN-capable (RFC 3168: new data only).
    pub ect: bool,
    /// It was sent before, and why again.
    pub retransmission: Option<RetransmitCause>,
}

impl Outgoing {
    /// A segment without anything at `start`.
    pub(in crate::tcp) fn empty(start: u64) -> Self {
        Self {
            start,
            len: 0,
            syn: false,
            fin: false,
            push: false,
            cwr: false,
            ect: false,
            retransmission: None,
        }
    }
}

impl Sender {
    /// The next segment to leave, if any may leave now.
    #[inline]
    pub fn poll_transmit(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        if self.rests() {
            self.paced_until = None;
            self.note_starved();
            return None;
        }
        self.next_to_leave(now, cfg, stats)
    }

    /// Everything has been sent and acknowledged, and nothing is left to be noted of it. An end that
    /// only receives is polled after each packet.
    #[inline]
    fn rests(&self) -> bool {
        self.board.is_empty()
            && !self.has_new_data()
            && !self.validate_pending
            && self.probe.is_none()
            && !self.frto_new_data
            && self.pacer.is_between_bursts()
    }

    #[inline(never)]
    fn next_to_leave(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        if let Some(p) = self.probe.take()
            && let Some(out) = self.send_probe(now, cfg, p, stats)
        {
            return Some(out);
        }
        let rate = self.pacing_rate(cfg);
        self.paced_until = None;
        if let Some(at) = self.pacer.blocked_until(now).filter(|_| rate.is_some()) {
            let lost = self.board.lost.segments > self.board.retrans.segments;
            let waiting = self.window_open() && (lost || self.has_new_data());
            self.paced_until = waiting.then_some(at);
            self.nothing_to_send(now);
            return None;
        }
        let out = self
            .send_lost(now, cfg, stats)
            .or_else(|| self.send_new(now, cfg, false, stats))
            .or_else(|| self.repair_after_all(now, cfg, stats));
        match out {
            Some(o) => {
                if o.len > 0 {
                    let q = self.quantum(cfg, rate);
                    self.pacer.on_sent(now, o.len, rate, q, stats.data_segs_out);
                }
                Some(o)
            }
            None => {
                self.pacer.close_burst(rate, stats.data_segs_out);
                self.nothing_to_send(now);
                None
            }
        }
    }

    fn window_open(&self) -> bool {
        let occupied = self.occupied();
        occupied == 0 || occupied + u64::from(self.mss) <= self.cwnd()
    }

    /// Whether there is something that was never sent: data, SYN or FIN.
    pub(super) fn has_new_data(&self) -> bool {
        self.nxt < self.app_end + u64::from(self.fin_queued)
    }

    fn quantum(&self, cfg: &TcpConfig, rate: Option<Rate>) -> u32 {
        if cfg.pacing_quantum > 0 {
            return cfg.pacing_quantum;
        }
        let bytes = self
            .cc
            .send_quantum()
            .or_else(|| rate.map(|r| r.as_bps() / 8 / PACING_SHIFT_PER_SECOND));
        bytes.map_or(1, |b| {
            ((b / u64::from(self.mss)) as u32).max(MIN_TSO_SEGMENTS)
        })
    }

    #[cold]
    fn send_probe(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        p: Probe,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        match p {
            Probe::Head => {
                let id = self.board.head_id()?;
                Some(self.retransmit(now, id, RetransmitCause::Rto, stats))
            }
            Probe::Lost => {
                let id = self.board.next_lost()?;
                let cause = self.cause_of_repair(cfg);
                Some(self.retransmit(now, id, cause, stats))
            }
            Probe::NewData => self.send_new(now, cfg, true, stats),
            Probe::Tail => {
                let id = self.board.tail_id()?;
                Some(self.retransmit(now, id, RetransmitCause::Tlp, stats))
            }
            Probe::Syn => Some(Outgoing {
                syn: true,
                ..Outgoing::empty(0)
            }),
            Probe::ZeroWindow => Some(Outgoing::empty(self.nxt.saturating_sub(1))),
        }
    }

    #[cold]
    fn send_lost(&mut self, now: Instant, cfg: &TcpConfig, stats: &mut Stats) -> Option<Outgoing> {
        if self.board.lost.segments == 0
            || self.frto_new_data
            || self.inflated.is_some()
            || !matches!(self.phase, RecoveryPhase::Recovery | RecoveryPhase::Loss)
        {
            return None;
        }
        let id = self.board.next_lost()?;
        let len = u64::from(self.board.record(id)?.len);
        let inflight = self.board.inflight();
        if inflight > 0 && inflight + len > self.cwnd() {
            return None;
        }
        let cause = self.cause_of_repair(cfg);
        let head = Some(id) == self.board.head_id();
        let again = self.board.head().is_some_and(|h| h.ever_retransmitted());
        let out = self.retransmit(now, id, cause, stats);
        if (head || again) && !matches!(self.timer, Some((Timer::Reordering, _))) {
            self.arm_rto(now);
        }
        Some(out)
    }

    /// F-RTO wants new data, and none may leave (RFC 5682 section 2.1 step 2b). Once some has left,
    /// the next acknowledgement decides.
    fn repair_after_all(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        if !self.frto_new_data || self.nxt > self.high_seq {
            return None;
        }
        self.frto = false;
        self.frto_new_data = false;
        self.send_lost(now, cfg, stats)
    }

    /// The detector of the losses that are being repaired.
    fn cause_of_repair(&self, cfg: &TcpConfig) -> RetransmitCause {
        match (self.phase, cfg.loss_detection) {
            (RecoveryPhase::Loss, _) => RetransmitCause::Rto,
            (_, LossDetection::Rack) if self.sack => RetransmitCause::Rack,
            _ => RetransmitCause::DupAck,
        }
    }

    #[cold]
    fn retransmit(
        &mut self,
        now: Instant,
        id: Id,
        cause: RetransmitCause,
        stats: &mut Stats,
    ) -> Outgoing {
        let counted = cause != RetransmitCause::Tlp;
        let prior_inflight = self.board.inflight();
        let idle = self.board.is_empty();
        let stamp = self.stamp(now);
        let r = self.board.record_mut(id);
        r.sent_at = stamp;
        self.rates.stamp(r, idle);
        r.tx_in_flight = prior_inflight + u64::from(r.len);
        let (start, len, syn, fin) = (r.start, r.len, r.is_syn(), r.is_fin());
        self.board.retransmitted(id, counted);
        if self.undo.first_retrans_ts.is_none() && cause != RetransmitCause::Tlp {
            self.undo.first_retrans_ts = Some(ts_clock(now));
        }
        self.undo.retrans = self.undo.retrans.max(0) + 1;
        stats.on_sent(len, true);
        self.validate_pending = true;
        match cause {
            RetransmitCause::Rack => stats.retrans.rack += 1,
            RetransmitCause::DupAck => stats.retrans.dupack += 1,
            RetransmitCause::Tlp => stats.retrans.tlp += 1,
            RetransmitCause::Rto => stats.retrans.rto += 1,
        }
        if self.reducing() && counted {
            self.prr.on_sent(1);
        }
        self.tell_controller(now, len, prior_inflight, true, false);
        Outgoing {
            start,
            len,
            syn,
            fin,
            push: self.pushes(start, len),
            cwr: false,
            ect: false,
            retransmission: Some(cause),
        }
    }

    fn send_new(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        probe: bool,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        if !self.has_new_data() {
            return None;
        }
        let syn = self.nxt == 0;
        if !syn && self.una == 0 {
            return None; // nothing before the SYN is acknowledged
        }
        let len = self.next_len(cfg)?;
        self.restart_after_idle(now, cfg, len);
        let occupied = self.occupied();
        let open = occupied == 0 || occupied + u64::from(len) <= self.cwnd();
        if !probe && !syn && (!open || self.held_by_limited_transmit(cfg, len)) {
            self.cwnd_limited |= !open;
            return None;
        }
        Some(self.emit_new(now, cfg, len, syn, stats))
    }

    /// Whether the segment carries PSH: a write ended in it, or nothing follows.
    fn pushes(&mut self, start: u64, len: u32) -> bool {
        let end = start + u64::from(len);
        len > 0 && (end == self.app_end || self.buffer.ends_in(start, end))
    }

    /// Payload of the next new segment; `None` if window, send buffer or Nagle forbid it.
    fn next_len(&mut self, cfg: &TcpConfig) -> Option<u32> {
        if self.nxt == 0 {
            return Some(0);
        }
        let data = self.app_end.saturating_sub(self.nxt);
        let window = self.right_edge.saturating_sub(self.nxt);
        let full = u64::from(self.mss - self.reserve);
        if data == 0 {
            return (self.fin_queued && self.nxt == self.app_end).then_some(0);
        }
        let len = data.min(window).min(full);
        if len == 0 {
            return None;
        }
        // Sender's side of silly window avoidance (RFC 9293 section 3.8.6.2.1) and Nagle.
        let last = len == data;
        if len < full {
            let partial_out = self.partial_end > self.una;
            let held = !last && len < self.max_window / 2 && self.nxt > self.una;
            if held || (last && cfg.nagle && partial_out && !self.fin_queued) {
                return None;
            }
        }
        Some(len as u32)
    }

    /// Without limited transmit (RFC 3042) the first duplicates release nothing.
    fn held_by_limited_transmit(&self, cfg: &TcpConfig, len: u32) -> bool {
        !cfg.limited_transmit
            && self.phase == RecoveryPhase::Disorder
            && self.nxt - self.una + u64::from(len) > self.cc.cwnd()
    }

    #[cold]
    fn restart_after_idle(&mut self, now: Instant, cfg: &TcpConfig, len: u32) {
        if len == 0 || !self.board.is_empty() || self.nxt <= 1 {
            return;
        }
        let idle = now.saturating_since(self.last_sent);
        if cfg.idle_restart && idle > self.rto() && !self.cc.owns_recovery() {
            self.cc.on_idle_restart(&IdleRestart {
                now,
                idle,
                rto: self.rto(),
            });
        }
    }

    fn emit_new(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        len: u32,
        syn: bool,
        stats: &mut Stats,
    ) -> Outgoing {
        let start = self.nxt;
        let end = start + u64::from(len);
        let fin = !syn && self.fin_queued && end == self.app_end && self.right_edge > end;
        let fin = fin || (!syn && len == 0);
        let mut r = Record::new(start, len, self.stamp(now));
        if syn {
            r = r.with_syn();
        }
        if fin {
            r = r.with_fin();
        }
        let idle = self.board.is_empty();
        let prior_inflight = self.board.inflight();
        self.rates.stamp(&mut r, idle);
        r.tx_in_flight = prior_inflight + u64::from(len);
        self.nxt = r.end();
        self.board.push(r);
        if len > 0 && len < self.mss {
            self.partial_end = self.nxt;
        }
        stats.on_sent(len, false);
        self.validate_pending = true;
        self.sent_new = true;
        if self.reducing() {
            self.prr.on_sent(1);
        }
        self.arm_after_send(now, cfg);
        let restart = idle && len > 0 && start > 1 && self.rates.is_app_limited();
        self.tell_controller(now, len, prior_inflight, false, restart);
        let cwr = len > 0 && core::mem::take(&mut self.cwr_pending);
        self.last_sent = now;
        self.buffer.offer();
        Outgoing {
            start,
            len,
            syn,
            fin,
            push: self.pushes(start, len),
            cwr,
            ect: self.ecn && len > 0,
            retransmission: None,
        }
    }

    fn tell_controller(&mut self, now: Instant, len: u32, prior: u64, again: bool, restart: bool) {
        if len == 0 {
            return;
        }
        self.cc.on_sent(&Sent {
            now: self.stamp(now),
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

    /// Everything that may leave has left: note whether the window was the limit (Linux
    /// `tcp_cwnd_validate`), whether the application was, and whether the peer's window is shut.
    fn nothing_to_send(&mut self, now: Instant) {
        let limited = !self.window_open();
        // Linux looks only after it has sent something new, or if the window is the limit (`tcp_write_xmit`);
        // so does a sender that stamps as Linux does.
        let looks = if self.stamp_unit.is_zero() {
            self.validate_pending
        } else {
            self.sent_new || (limited && self.has_new_data())
        };
        self.validate_pending = false;
        self.sent_new = false;
        if looks {
            self.validate_window(limited);
        }
        if !limited && self.board.lost.segments <= self.board.retrans.segments {
            self.note_starved();
        }
        let shut = self.has_new_data() && self.nxt >= self.right_edge && self.una > 0;
        if shut && self.board.is_empty() && self.timer.is_none() {
            self.arm(now, Timer::Persist, self.rto());
        }
    }

    /// The path could take more, if the application had it.
    #[inline]
    fn note_starved(&mut self) {
        if !self.has_new_data() && self.una > 0 && !self.buffer.short_of_room {
            self.rates.on_app_limited(self.board.inflight());
        }
    }

    fn validate_window(&mut self, limited: bool) {
        let out = self.board.out.segments;
        if self.una >= self.usage_end
            || limited
            || (!self.cwnd_limited && out > self.max_outstanding)
        {
            self.cwnd_limited = limited;
            self.max_outstanding = out;
            self.usage_end = self.nxt;
        }
    }
}
