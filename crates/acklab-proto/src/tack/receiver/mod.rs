//! The receiving half: it finds losses, measures rate and delay, and decides when to acknowledge.
//!
//! "TACK-based protocol design [...] compensates for sending fewer ACKs by integrating the
//! receiver-based loss detection, round-trip timing and send rate control" (TACK paper, section 1).

#[cfg(test)]
mod decisions;
mod feedback;
mod holes;
mod islands;
mod lists;
mod rate;
mod schedule;
#[cfg(test)]
mod tests;
mod timing;

pub use rate::WindowedMax;
pub use timing::{micros, span_micros};

use super::config::{Settle, TackConfig, Taming, ThetaUnit};
use super::frequency::{self, Ppm};
use super::wire::{Data, EcnCounts, IackReason, Sync};
use crate::ack::AckReason;
use crate::segment::Ecn;
use crate::stats::Stats;
use crate::transport::Estimates;
use acklab_units::{Instant, Rate, Span};
use alloc::vec::Vec;
use holes::{Arrived, Holes};
use islands::Islands;
use rate::DeliveryRate;
use schedule::Schedule;
use timing::Delays;

/// Round trips of the maximum filter cannot make it longer than this (ambiguity 7).
const LONGEST_THETA: Span = Span::from_secs(10);

/// Times that an opened window is told again, each after twice the wait of the one before: the peer's own
/// question, which has been backing off for as long as the window was shut, comes after that.
const REOPENINGS: u8 = 4;

/// Round trips after which data should have come through a window that was opened.
const REOPENING_WAIT: u64 = 2;

/// A window that was shut and was told to be open: told again until data come.
#[derive(Clone, Copy, Debug)]
struct Reopened {
    at: Instant,
    wait: Span,
    left: u8,
}

/// Loss events that are reported again at once.
#[derive(Clone, Debug, Default)]
struct Copies {
    left: u8,
    losses: Vec<(u64, u64)>,
}

/// The receiving half of a connection. Positions are stream offsets from 0.
#[derive(Debug)]
pub struct Receiver {
    holes: Holes,
    islands: Islands,
    schedule: Schedule,
    rate: DeliveryRate,
    delays: Delays,
    /// Bytes that the application has not read.
    readable: u64,
    buffer: u64,
    /// Offset behind the last byte that may be sent, as last told.
    edge: u64,
    /// Where the stream ends, once that is known: the offset behind its end.
    fin_end: Option<u64>,
    fin_told: bool,
    marks: EcnCounts,
    counts_marks: bool,
    last_was_ce: bool,
    /// IACKs that are due besides loss events.
    window_due: bool,
    reopened: Option<Reopened>,
    mark_due: bool,
    confirm_due: Option<(u32, Instant)>,
    /// The latest SYNC.
    sync: u64,
    rho_ack: Ppm,
    /// Counts at the last TACK, and the loss rate of the interval.
    told_expected: u64,
    told_lost: u64,
    rho: Ppm,
    mss: u64,
    /// Packets that have left for an event, without a TACK.
    iacks: u64,
    /// Percent of the buffer by which a window must open for an IACK.
    window_share: u64,
    /// Losses have IACKs.
    loss_iack: bool,
    copies: Copies,
}

impl Receiver {
    /// Nothing has arrived.
    pub fn new(cfg: &TackConfig) -> Self {
        Self {
            holes: Holes::new(1, cfg.most_gaps()),
            islands: Islands::new(cfg.most_gaps()),
            schedule: Schedule::new(cfg.taming, cfg.start_up, cfg.start_up_packets),
            rate: DeliveryRate::new(LONGEST_THETA),
            delays: Delays::new(cfg.timing, cfg.owd, cfg.owd_gain),
            readable: 0,
            buffer: cfg.recv_buffer,
            edge: cfg.recv_buffer,
            fin_end: None,
            fin_told: false,
            marks: EcnCounts::default(),
            counts_marks: false,
            last_was_ce: false,
            window_due: false,
            reopened: None,
            mark_due: false,
            confirm_due: None,
            sync: 0,
            rho_ack: 0,
            told_expected: 0,
            told_lost: 0,
            rho: 0,
            mss: u64::from(cfg.mss),
            iacks: 0,
            window_share: cfg.window_share.into(),
            loss_iack: cfg.loss_iack,
            copies: Copies::default(),
        }
    }

    /// Packets that have left for an event between two TACKs.
    pub const fn iacks(&self) -> u64 {
        self.iacks
    }

    /// Takes over the results of the handshake.
    pub fn agree(&mut self, cfg: &TackConfig, first: u64, taming: Taming, ecn: bool) {
        self.holes = Holes::new(first.max(1), cfg.most_gaps());
        self.schedule.agree(taming);
        self.counts_marks = ecn;
    }

    /// The minimum RTT of the handshake, until the peer knows better.
    pub fn set_rtt(&mut self, cfg: &TackConfig, rtt: Span) {
        if self.sync == 0 {
            self.take_rtt(cfg, rtt, None);
        }
    }

    fn take_rtt(&mut self, cfg: &TackConfig, rtt: Span, imposed: Option<Span>) {
        self.schedule.set_rtt(rtt, imposed);
        let unit = match cfg.theta_unit {
            ThetaUnit::Rtt => rtt,
            ThetaUnit::Interval => self.counted_interval(),
        };
        let theta = unit.saturating_mul(u64::from(cfg.theta));
        self.rate.set_theta(theta.min(LONGEST_THETA));
    }

    /// The time between two TACKs of Eq. 3, within its bounds.
    fn counted_interval(&self) -> Span {
        let t = self.schedule.taming();
        let counted = frequency::byte_counting(self.bw(), t.packets.into(), t.mss.into());
        let longest = t.longest.max(self.schedule.alpha());
        self.schedule.alpha().max(counted.interval().min(longest))
    }

    /// A SYNC arrived. An older one than the latest is ignored.
    pub fn on_sync(&mut self, cfg: &TackConfig, sync: &Sync) {
        if sync.number <= self.sync {
            return;
        }
        self.sync = sync.number;
        let micros = |us: u32| Span::from_micros(u64::from(us));
        let imposed = (sync.interval > 0).then(|| micros(sync.interval));
        self.take_rtt(cfg, micros(sync.rtt_min.max(1)), imposed);
        self.rho_ack = Ppm::from(sync.ack_loss_ppm);
    }

    /// The ACCEPT with this stamp is to be confirmed.
    pub fn confirm(&mut self, now: Instant, stamp: u32) {
        self.confirm_due = Some((stamp, now));
    }

    /// How long a gap may last.
    fn settle(&self, cfg: &TackConfig) -> Span {
        let waits = match cfg.settle {
            Settle::OnceReordered => self.holes.reordered(),
            Settle::Never => false,
            Settle::Always => true,
        };
        let rtt = self.schedule.rtt_min().unwrap_or(Span::ZERO);
        if waits { rtt / 4 } else { Span::ZERO }
    }

    /// A packet with a PKT.SEQ arrived; `data` is empty for a PING. Data without room are treated
    /// as if they had been lost.
    pub fn on_packet(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        number: u64,
        ecn: Ecn,
        data: Option<&Data>,
        stats: &mut Stats,
    ) {
        if data.is_some() {
            stats.data_segs_in += 1;
        }
        if !self.holes.is_new(number) {
            stats.duplicates_in += 1;
            return;
        }
        if data.is_some_and(|d| !self.can_keep(d)) {
            return;
        }
        self.reopened = None;
        let settle = self.settle(cfg);
        let arrived = self.holes.on_packet(now, number, settle);
        stats.out_of_order_in += u64::from(arrived == Arrived::Late);
        self.count_mark(ecn);
        let Some(d) = data else {
            self.schedule.on_packet(now, 0, true);
            return;
        };
        self.delays
            .on_packet(now, d.stamp, arrived == Arrived::Ahead);
        let placed = self.islands.place(d.seq, d.end(), number);
        if d.fin {
            self.fin_end = Some(d.end());
        }
        let fresh = placed.fresh.min(u64::from(d.len));
        self.rate.on_packet(now, fresh, d.app_limited);
        if placed.fresh == 0 {
            stats.duplicates_in += 1;
        }
        if placed.advanced > 0 {
            let end = u64::from(self.fin_end == Some(self.islands.next()));
            let bytes = placed.advanced - end;
            self.readable += bytes;
            stats.bytes_received += bytes;
        }
        // Duplicates are acknowledged at once: an acknowledgement was lost or is late.
        let at_once = d.now || placed.fresh == 0;
        self.schedule.on_packet(now, u64::from(d.len), at_once);
        // "When the receive buffer usage is full, an IACK may be generated to report a zero window"
        // (section 5.3).
        let full = self.islands.top() >= self.edge && placed.fresh > 0;
        self.window_due |= full && self.window_share > 0;
    }

    /// Whether the data lies inside the window, agrees with the stream's end, and finds room.
    fn can_keep(&self, d: &Data) -> bool {
        let end = d.end();
        let payload_end = d.seq + u64::from(d.len);
        if payload_end > self.edge {
            return false;
        }
        let ends_well = match self.fin_end {
            Some(fin) => end <= fin && (!d.fin || end == fin),
            None => !d.fin || end > self.islands.top(),
        };
        ends_well && self.islands.has_room(d.seq, end)
    }

    fn count_mark(&mut self, ecn: Ecn) {
        let ce = ecn == Ecn::Ce;
        match ecn {
            Ecn::NotEct => {}
            Ecn::Ect0 => self.marks.ect0 += 1,
            Ecn::Ect1 => self.marks.ect1 += 1,
            Ecn::Ce => self.marks.ce += 1,
        }
        self.mark_due |= self.counts_marks && ce && !self.last_was_ce;
        self.last_was_ce = ce;
    }

    /// The receive buffer has another size from now on. A smaller one takes back no window that the peer
    /// knows of: before the handshake it knows of none.
    pub fn set_buffer(&mut self, bytes: u64, known: bool) {
        self.buffer = bytes;
        if !known {
            self.edge = bytes;
        }
        self.open_window();
    }

    /// Takes up to `max` bytes that arrived in order.
    pub fn read(&mut self, max: u64) -> u64 {
        let taken = self.readable.min(max);
        self.readable -= taken;
        self.open_window();
        taken
    }

    /// "If a large volume of data has been released in the receive buffer, an IACK may also be sent
    /// to update the AWND" (section 5.3); the volume is left open (ambiguity 13). Here it must be at
    /// least two packets and a share of the buffer, a quarter by default, or half of it if that is
    /// less, and the sender must be near the end of what it may send: TACKs tell of the rest.
    fn open_window(&mut self) {
        if self.window_share == 0 {
            return;
        }
        let share = self.buffer * self.window_share / 100;
        let quarter = share.max(2 * self.mss).min(self.buffer / 2);
        let opened = self.free_edge().saturating_sub(self.edge);
        let left = self.edge.saturating_sub(self.islands.top());
        let was_shut = self.is_shut() && opened >= (2 * self.mss).min(self.buffer / 2);
        self.window_due |= was_shut || (opened >= quarter && left <= quarter);
    }

    /// Whether the peer may send less than a packet more.
    pub fn is_shut(&self) -> bool {
        self.edge.saturating_sub(self.islands.top()) < self.mss
    }

    /// A window is about to be told: one that opens only now is told again, in case this is lost.
    fn note_window(&mut self, now: Instant) {
        if !self.is_shut() || self.free_edge() <= self.edge {
            return;
        }
        let rtt = self.schedule.rtt_min().unwrap_or(Span::ZERO);
        let wait = (rtt * REOPENING_WAIT).saturating_add(self.schedule.alpha());
        self.reopened = Some(Reopened {
            at: now.saturating_add(wait),
            wait,
            left: REOPENINGS,
        });
    }

    /// No data have come through a window that was opened: it is to be told again.
    fn reopen(&mut self, now: Instant) {
        let Some(r) = self.reopened.filter(|r| r.at <= now) else {
            return;
        };
        self.window_due = true;
        let wait = r.wait * 2;
        let next = Reopened {
            at: now.saturating_add(wait),
            wait,
            left: r.left.saturating_sub(1),
        };
        self.reopened = (next.left > 0).then_some(next);
    }

    /// Offset behind the last byte for which there is room: it never goes back.
    fn free_edge(&self) -> u64 {
        let end = u64::from(self.finished());
        let free = self.buffer.saturating_sub(self.readable);
        self.edge.max(self.islands.next() - end + free)
    }

    /// Everything up to the end of the stream has arrived.
    pub fn finished(&self) -> bool {
        self.fin_end == Some(self.islands.next())
    }

    /// Whether the stream's end has just been reached.
    pub fn take_finished(&mut self) -> bool {
        let news = self.finished() && !self.fin_told;
        self.fin_told |= news;
        news
    }

    /// Bytes that wait to be read.
    pub const fn readable(&self) -> u64 {
        self.readable
    }

    /// The offset expected next.
    pub const fn next(&self) -> u64 {
        self.islands.next()
    }

    /// The PKT.SEQ expected next.
    pub const fn next_number(&self) -> u64 {
        self.holes.largest() + 1
    }

    /// Bytes that wait above a gap (Figure 5a).
    pub const fn blocked(&self) -> u64 {
        self.islands.held()
    }

    /// bw, the maximum delivery rate.
    pub fn bw(&self) -> Rate {
        self.rate.max()
    }

    /// rho, the loss rate of the data path in the latest TACK interval.
    pub const fn rho(&self) -> Ppm {
        self.rho
    }

    /// The interval between TACKs in force.
    pub fn interval(&self) -> Span {
        self.schedule.alpha()
    }

    /// Whether packets are still acknowledged as in start-up.
    pub const fn is_start_up(&self) -> bool {
        self.schedule.is_start_up()
    }

    /// Its estimates of the path.
    pub fn estimates(&self) -> Estimates {
        let (bw, rtt_min) = (self.bw(), self.schedule.rtt_min());
        let f = frequency::tack(self.schedule.taming(), bw, rtt_min.unwrap_or(Span::ZERO));
        Estimates {
            bw,
            rho_ppm: self.rho,
            rho_ack_ppm: self.rho_ack,
            rtt_min,
            interval: self.interval(),
            frequency_mhz: f.as_millihertz(),
            start_up: self.is_start_up(),
        }
    }

    /// When feedback is due, and why.
    pub fn due(&self) -> Option<(Instant, AckReason)> {
        let now = Instant::ZERO;
        let soon = [
            (self.confirm_due.is_some(), AckReason::IackConfirm),
            (self.mark_due, AckReason::IackMark),
            (self.window_due, AckReason::IackWindow),
            (self.copies.left > 0, AckReason::IackLoss),
        ];
        let urgent = soon.iter().find(|s| s.0).map(|s| (now, s.1));
        let loss = self.holes.next_due().map(|at| (at, AckReason::IackLoss));
        let earlier =
            |a: Option<(Instant, AckReason)>, b: Option<(Instant, AckReason)>| match (a, b) {
                (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
                (a, b) => a.or(b),
            };
        let again = self.reopened.map(|r| (r.at, AckReason::IackWindow));
        let tack = earlier(again, self.schedule.due());
        // A loss that no IACK tells of is no reason for the TACK that leaves then.
        let timed = if self.loss_iack {
            earlier(loss, tack)
        } else {
            earlier(tack, loss)
        };
        earlier(urgent, timed)
    }

    /// When [`Receiver::feedback`] has something to say, as far as time decides.
    pub fn next_timeout(&self) -> Option<Instant> {
        let again = self.reopened.map(|r| r.at);
        let loss = Instant::earliest(self.holes.next_due(), again);
        Instant::earliest(loss, self.schedule.due().map(|d| d.0))
    }

    /// Confirmation of the handshake for an IACK, if one is due.
    fn take_confirm(&mut self, now: Instant) -> Option<IackReason> {
        let (echo, since) = self.confirm_due.take()?;
        let hold = span_micros(now.saturating_since(since));
        Some(IackReason::Confirm { echo, hold })
    }
}
