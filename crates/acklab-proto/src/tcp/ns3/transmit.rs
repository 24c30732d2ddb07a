//! The next transmission (`SendPendingData`, `SendDataPacket`).

use super::Sender;
use super::board::{Flag, Item, Next};
use crate::cc::RecoveryPhase;
use crate::stats::{RetransmitCause, Stats};
use crate::tcp::config::TcpConfig;
use crate::tcp::sender::Outgoing;
use acklab_units::{Instant, Span};

/// From a write to the sending loop (`TimeStep (1)`).
const STEP: Span = Span::from_nanos(1);

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
            return None;
        }
        self.next_to_leave(now, cfg, stats)
    }

    /// The sending loop has nothing to run for. An end that only receives is polled at each packet.
    #[inline]
    fn rests(&self) -> bool {
        !self.due && !self.wrote && self.step.is_none() && self.forced.is_empty() && self.nxt > 0
    }

    #[inline(never)]
    fn next_to_leave(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        if let Some(out) = self.forced.pop_front() {
            return Some(out);
        }
        if self.nxt == 0 {
            return Some(self.send_syn(now, stats));
        }
        if self.una == 0 || !self.is_due(now) {
            return None;
        }
        self.pacing_holds = false;
        let out = self.send_pending(now, cfg, stats);
        if out.is_none() && self.step.is_none() {
            (self.due, self.wrote) = (false, false);
        }
        out
    }

    /// Requests more of the writer before a segment is made of little; the loop goes on as soon
    /// as it has answered.
    fn ask_writer(&mut self, now: Instant) -> bool {
        let ask = self.released < self.una;
        if ask {
            self.released = self.una;
            self.step = Some(now + STEP);
        }
        ask
    }

    /// The loop runs after an ACK and when a timer says so; what the application writes at other
    /// times sets it off a little later, so that a series of writes makes full segments.
    fn is_due(&mut self, now: Instant) -> bool {
        if !self.due {
            if core::mem::take(&mut self.wrote) {
                self.step.get_or_insert(now + STEP);
            }
            self.due = self.step.is_some_and(|at| at <= now);
        }
        if self.due {
            self.step = None;
        }
        self.due
    }

    #[cold]
    fn send_syn(&mut self, now: Instant, stats: &mut Stats) -> Outgoing {
        let item = self.fresh(now, 0, 0, Flag::Syn);
        self.nxt = item.end();
        self.rtt.on_sent(now, 0, 0);
        self.board.push(item);
        self.arm_if_idle(now);
        stats.segs_out += 1;
        Outgoing {
            syn: true,
            ..Outgoing::empty(0)
        }
    }

    /// One turn of the sending loop.
    #[inline(always)]
    fn send_pending(
        &mut self,
        now: Instant,
        cfg: &TcpConfig,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        let pipe = self.pipe();
        let window = self.window().min(self.peer_window).saturating_sub(pipe);
        if window == 0 {
            return None;
        }
        if self.is_paced() && self.paced_until.is_some_and(|at| at > now) {
            self.pacing_holds = true;
            return None;
        }
        let unsent = self.app_end.saturating_sub(self.nxt);
        let any_hole = self.sack && self.phase == RecoveryPhase::Recovery;
        let asked = self.chosen.take();
        let next = asked.or_else(|| self.board.next(unsent, self.peer_window, any_hole));
        let segment = u64::from(self.mss);
        let (start, limit) = match next {
            Some(Next::Old(start)) => (start, segment),
            Some(Next::New(room)) => (self.nxt, room.min(segment)),
            None => return self.send_lone_fin(now, stats),
        };
        let available = self.app_end.saturating_sub(start);
        if asked.is_none() && available < window && self.ask_writer(now) {
            self.chosen = next;
            return None;
        }
        let silly = asked.is_none() && window < segment && available > window;
        let small = cfg.nagle && start == self.nxt && self.nxt > self.una && available < segment;
        if silly || small {
            return None;
        }
        if pipe == 0 {
            self.call(now, |c, f| c.tx_start(f));
        }
        let room = window.min(limit);
        let out = if start < self.nxt {
            self.emit_old(now, start, room as u32, stats)?
        } else {
            self.emit_new(now, room.min(unsent) as u32, stats)
        };
        self.next_tx = start + u64::from(out.len);
        Some(out)
    }

    /// The window in force, but a segment where nothing is outstanding: no ACK would ever raise it,
    /// and no timer runs. The reduction for a mark can leave less (`TcpPrrRecovery`), with which
    /// ns-3 itself waits for good.
    fn window(&self) -> u64 {
        if self.board.is_empty() {
            self.cwnd().max(u64::from(self.mss))
        } else {
            self.cwnd()
        }
    }

    /// A FIN that came too late to ride on data.
    #[cold]
    fn send_lone_fin(&mut self, now: Instant, stats: &mut Stats) -> Option<Outgoing> {
        let due = self.fin_queued && self.nxt == self.app_end;
        due.then(|| self.emit_new(now, 0, stats))
    }

    /// Pacing applies once more than the initial window has been sent.
    fn is_paced(&self) -> bool {
        self.nxt > self.initial_window && self.pacing_rate().is_some()
    }

    /// The pacing timer starts with a segment that leaves while it does not run. Only payload
    /// counts.
    fn start_pacing(&mut self, now: Instant, len: u32) {
        let running = self.paced_until.is_some_and(|at| at > now);
        if len == 0 || running || self.nxt <= self.initial_window {
            return;
        }
        if let Some(rate) = self.pacing_rate() {
            // A rate of zero would stop the flow for good; a minute is as good as never.
            let gap = rate.serialisation(u64::from(len)).min(Span::from_secs(60));
            self.paced_until = Some(now + gap);
            self.paced_since = now;
        }
    }

    fn fresh(&mut self, now: Instant, start: u64, len: u32, flag: Flag) -> Item {
        Item {
            start,
            len,
            flag,
            sacked: false,
            lost: false,
            retrans: false,
            sent_at: now,
            stamp: self.rates.stamp(now, self.board.pipe() == 0),
        }
    }

    /// `len` bytes of new data, with the FIN if they are the last.
    #[inline(always)]
    pub(super) fn emit_new(&mut self, now: Instant, len: u32, stats: &mut Stats) -> Outgoing {
        let end = self.nxt + u64::from(len);
        let fin = self.fin_queued && end == self.app_end;
        let flag = if fin { Flag::Fin } else { Flag::None };
        let prior = self.board.pipe();
        let item = self.fresh(now, self.nxt, len, flag);
        self.board.push(item.clone());
        self.rtt.on_sent(now, item.start, item.end());
        self.nxt = item.end();
        let cwr = len > 0 && core::mem::take(&mut self.cwr_pending);
        self.after_sending(now, &item, prior, None, stats);
        Outgoing {
            cwr,
            ect: self.ecn && len > 0,
            ..self.outgoing(&item)
        }
    }

    /// The outstanding segment at `start` again, at most `room` bytes of it.
    #[cold]
    pub(super) fn emit_old(
        &mut self,
        now: Instant,
        start: u64,
        room: u32,
        stats: &mut Stats,
    ) -> Option<Outgoing> {
        let prior = self.board.pipe();
        let stamp = self.rates.stamp(now, prior == 0);
        let item = self.board.retransmit(start, room)?;
        item.sent_at = now;
        item.stamp = stamp;
        let item = item.clone();
        self.rtt.on_resent(item.start, item.end());
        let cause = if self.phase == RecoveryPhase::Loss {
            RetransmitCause::Rto
        } else {
            RetransmitCause::DupAck
        };
        self.after_sending(now, &item, prior, Some(cause), stats);
        Some(Outgoing {
            retransmission: Some(cause),
            ..self.outgoing(&item)
        })
    }

    fn outgoing(&self, item: &Item) -> Outgoing {
        Outgoing {
            len: item.len,
            fin: item.flag == Flag::Fin,
            syn: item.flag == Flag::Syn,
            push: item.len > 0 && item.start + u64::from(item.len) == self.app_end,
            ..Outgoing::empty(item.start)
        }
    }

    #[inline(always)]
    fn after_sending(
        &mut self,
        now: Instant,
        item: &Item,
        prior: u64,
        again: Option<RetransmitCause>,
        stats: &mut Stats,
    ) {
        self.arm_if_idle(now);
        self.start_pacing(now, item.len);
        self.cwnd_limited = self.cwnd() < self.pipe() + u64::from(self.mss);
        if matches!(self.phase, RecoveryPhase::Recovery | RecoveryPhase::Cwr) {
            self.prr.on_sent(item.len);
        }
        self.tell_sent(now, item, prior, again.is_some());
        stats.segs_out += 1;
        if item.len > 0 {
            stats.data_segs_out += 1;
            stats.bytes_sent += u64::from(item.len);
        }
        if let Some(cause) = again {
            stats.retrans_segs += 1;
            stats.bytes_retrans += u64::from(item.len);
            match cause {
                RetransmitCause::Rto => stats.retrans.rto += 1,
                _ => stats.retrans.dupack += 1,
            }
        }
    }
}
