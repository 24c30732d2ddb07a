//! The bottleneck and the loop that drives it.

use super::MSS;
use crate::cc::{CongestionControl, RecoveryPhase, Sent};
use acklab_units::{Instant, Rate, Span};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) sent: Instant,
    pub(super) first_sent: Instant,
    pub(super) delivered: u64,
    pub(super) delivered_at: Instant,
    pub(super) lost: u64,
    pub(super) tx_in_flight: u64,
    pub(super) app_limited: bool,
    pub(super) ce: bool,
}

/// One flow over one bottleneck: drop-tail queue, serialiser, delay, an ACK for each
/// `ack_every`th packet. Lost data is sent again as new packets, as QUIC does.
#[derive(Debug)]
pub struct Path<C> {
    pub cc: C,
    pub now: Instant,
    /// Bottleneck rate.
    pub rate: Rate,
    /// Two-way propagation delay.
    pub delay: Span,
    /// Packets the queue holds.
    pub queue: u64,
    /// Packets per ACK.
    pub ack_every: usize,
    /// Time after which fewer are acknowledged.
    pub ack_timer: Span,
    /// Rate at which the application writes; unlimited if `None`.
    pub app_rate: Option<Rate>,
    /// Every `n`th packet is dropped; none if zero.
    pub drop_every: u64,
    /// Packets that arrive at more than this many queued are CE-marked.
    pub ce_above: u64,
    /// Counters.
    pub sent: u64,
    pub lost: u64,
    pub delivered: u64,
    pub drops: u64,
    /// Largest in-flight volume seen, in bytes.
    pub max_inflight: u64,
    pub(super) delivered_at: Instant,
    pub(super) first_sent: Instant,
    /// Bytes in flight.
    pub inflight: u64,
    pub(super) next_id: u64,
    pub(super) highest_acked: u64,
    pub(super) outstanding: BTreeMap<u64, Packet>,
    busy_until: Instant,
    arrived: Vec<(u64, Instant)>,
    pub(super) acks: VecDeque<(Instant, Vec<u64>)>,
    pub(super) next_send: Instant,
    pub(super) srtt: Span,
    pub(super) min_rtt: Span,
    app_credit: Instant,
    pub(super) app_limited_until: u64,
    pub(super) recovery_until: u64,
    pub(super) phase: RecoveryPhase,
    pub(super) cwnd_limited: bool,
    pub(super) round_end: u64,
    pub(super) round_limited: bool,
}

/// Retransmission timeout of [`Path`].
const RTO: Span = Span::from_millis(1500);

impl<C: CongestionControl> Path<C> {
    pub fn new(cc: C, rate: Rate, delay: Span, queue: u64) -> Self {
        Self {
            cc,
            now: Instant::ZERO,
            rate,
            delay,
            queue,
            ack_every: 2,
            ack_timer: Span::from_millis(100),
            app_rate: None,
            drop_every: 0,
            ce_above: u64::MAX,
            sent: 0,
            lost: 0,
            delivered: 0,
            drops: 0,
            max_inflight: 0,
            delivered_at: Instant::ZERO,
            first_sent: Instant::ZERO,
            inflight: 0,
            next_id: 1,
            highest_acked: 0,
            outstanding: BTreeMap::new(),
            busy_until: Instant::ZERO,
            arrived: Vec::new(),
            acks: VecDeque::new(),
            next_send: Instant::ZERO,
            srtt: Span::ZERO,
            min_rtt: Span::MAX,
            app_credit: Instant::ZERO,
            app_limited_until: 0,
            recovery_until: 0,
            phase: RecoveryPhase::Open,
            cwnd_limited: false,
            round_end: 0,
            round_limited: false,
        }
    }

    /// Runs for `span`.
    pub fn run(&mut self, span: Span) {
        let end = self.now + span;
        self.run_until(end, |_| false);
    }

    /// Runs until `done` holds after an event or `limit` is reached; returns whether it held.
    pub fn run_until(&mut self, limit: Instant, mut done: impl FnMut(&Self) -> bool) -> bool {
        loop {
            let send = self.send_time();
            let ack = self.ack_time();
            let (at, is_ack) = match (send, ack) {
                (Some(s), Some(a)) if s < a => (s, false),
                (Some(s), None) => (s, false),
                (_, Some(a)) => (a, true),
                (None, None) => (self.now + RTO, true),
            };
            if at > limit {
                self.now = limit;
                return done(self);
            }
            self.now = self.now.max(at);
            match (is_ack, ack) {
                (true, Some(_)) => self.receive_ack(),
                (true, None) => self.timeout(),
                (false, _) => self.send(),
            }
            if done(self) {
                return true;
            }
        }
    }

    fn send_time(&mut self) -> Option<Instant> {
        if self.inflight + MSS > self.cc.cwnd() {
            self.round_limited = true;
            return None;
        }
        let at = self.next_send.max(self.now);
        if self.app_rate.is_none() {
            return Some(at);
        }
        if self.app_credit > at {
            self.app_limited_until = (self.delivered + self.inflight).max(1);
        }
        Some(at.max(self.app_credit))
    }

    fn ack_time(&self) -> Option<Instant> {
        let pending = self
            .arrived
            .first()
            .map(|(_, t)| *t + self.ack_timer + self.delay);
        match (self.acks.front().map(|a| a.0), pending) {
            (Some(a), Some(p)) => Some(a.min(p)),
            (a, p) => a.or(p),
        }
    }

    fn send(&mut self) {
        let idle = self.inflight == 0;
        if idle {
            self.first_sent = self.now;
            self.delivered_at = self.now;
        }
        let app_limited = self.app_limited_until > 0;
        self.cc.on_sent(&Sent {
            now: self.now,
            exact: self.now,
            bytes: MSS as u32,
            prior_inflight: self.inflight,
            idle_restart: idle,
            app_limited,
            retransmission: false,
            snd_nxt: self.next_id * MSS,
            delivered: self.delivered,
        });
        self.inflight += MSS;
        self.max_inflight = self.max_inflight.max(self.inflight);
        let queued = self.queued();
        let packet = Packet {
            sent: self.now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            tx_in_flight: self.inflight,
            app_limited,
            ce: queued > self.ce_above,
        };
        let id = self.next_id;
        self.next_id += 1;
        self.sent += 1;
        self.outstanding.insert(id, packet);
        self.pace();
        let unlucky = self.drop_every > 0 && id.is_multiple_of(self.drop_every);
        if unlucky || queued > self.queue {
            self.drops += 1;
        } else {
            self.transit(id);
        }
    }

    /// Packets in the bottleneck, the one in service included.
    fn queued(&self) -> u64 {
        let backlog = self.busy_until.saturating_since(self.now).as_nanos();
        backlog.div_ceil(self.rate.serialisation(MSS).as_nanos())
    }

    fn pace(&mut self) {
        if let Some(rate) = self.cc.pacing_rate() {
            self.next_send = self.next_send.max(self.now) + rate.serialisation(MSS);
        }
        if let Some(rate) = self.app_rate {
            self.app_credit = self.app_credit.max(self.now) + rate.serialisation(MSS);
        }
    }

    fn transit(&mut self, id: u64) {
        self.busy_until = self.busy_until.max(self.now) + self.rate.serialisation(MSS);
        let at = self.busy_until;
        if self
            .arrived
            .first()
            .is_some_and(|(_, t)| *t + self.ack_timer < at)
        {
            self.flush();
        }
        self.arrived.push((id, at));
        if self.arrived.len() >= self.ack_every {
            let ids = self.arrived.drain(..).map(|(id, _)| id).collect();
            self.acks.push_back((at + self.delay, ids));
        }
    }

    pub(super) fn flush(&mut self) {
        if let Some((_, first)) = self.arrived.first().copied() {
            let ids = self.arrived.drain(..).map(|(id, _)| id).collect();
            self.acks
                .push_back((first + self.ack_timer + self.delay, ids));
        }
    }
}
