//! A path of one bottleneck for closed-loop tests, and a plain ACK for open-loop ones.

use crate::cc::{
    Ack, CongestionControl, Loss, RateSample, RecoveryExit, RecoveryPhase, Rto, SegmentLost, Sent,
};
use acklab_units::{Instant, Rate, Span};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

/// Segment size of the tests in bytes.
pub const MSS: u64 = 1448;

/// `n` milliseconds after the start.
pub fn ms(n: u64) -> Instant {
    Instant::ZERO + Span::from_millis(n)
}

/// An ACK at `now` for `packets` packets, with a valid sample at `rate` and round-trip time `rtt`.
/// `delivered`: bytes delivered, this ACK included. The sample's packet was sent one round before.
pub fn ack(now: Instant, packets: u64, delivered: u64, rate: Rate, rtt: Span) -> Ack {
    let volume = rate.bytes_in(rtt).min(delivered);
    Ack {
        now,
        acked: packets * MSS,
        newly_delivered: packets * MSS,
        newly_delivered_segments: packets as u32,
        acked_segments: packets as u32,
        newly_lost: 0,
        delivered,
        lost: 0,
        newly_ce: 0,
        rtt: Some(rtt),
        cc_rtt: Some(rtt),
        srtt: rtt,
        min_rtt: rtt,
        inflight: volume,
        prior_inflight: volume + packets * MSS,
        rate: RateSample {
            delivered: volume.max(1),
            interval: rtt,
            send_interval: rtt,
            ack_interval: rtt,
            prior_delivered: delivered - volume,
            tx_in_flight: volume,
            ..RateSample::default()
        },
        cwnd_limited: true,
        may_grow: true,
        phase: RecoveryPhase::Open,
        ece: false,
        snd_una: delivered,
        snd_nxt: delivered + volume,
        app_limited: false,
        ack_delayed: false,
    }
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    sent: Instant,
    first_sent: Instant,
    delivered: u64,
    delivered_at: Instant,
    lost: u64,
    tx_in_flight: u64,
    app_limited: bool,
    ce: bool,
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
    delivered_at: Instant,
    first_sent: Instant,
    /// Bytes in flight.
    pub inflight: u64,
    next_id: u64,
    highest_acked: u64,
    outstanding: BTreeMap<u64, Packet>,
    busy_until: Instant,
    arrived: Vec<(u64, Instant)>,
    acks: VecDeque<(Instant, Vec<u64>)>,
    next_send: Instant,
    srtt: Span,
    min_rtt: Span,
    app_credit: Instant,
    app_limited_until: u64,
    recovery_until: u64,
    phase: RecoveryPhase,
    cwnd_limited: bool,
    round_end: u64,
    round_limited: bool,
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

    fn flush(&mut self) {
        if let Some((_, first)) = self.arrived.first().copied() {
            let ids = self.arrived.drain(..).map(|(id, _)| id).collect();
            self.acks
                .push_back((first + self.ack_timer + self.delay, ids));
        }
    }

    fn receive_ack(&mut self) {
        if self.acks.is_empty() {
            self.flush();
        }
        let Some((_, ids)) = self.acks.pop_front() else {
            return;
        };
        let prior_inflight = self.inflight;
        let mut newest: Option<Packet> = None;
        let (mut bytes, mut ce) = (0, 0);
        for id in ids {
            let Some(p) = self.outstanding.remove(&id) else {
                continue;
            };
            bytes += MSS;
            ce += if p.ce { MSS } else { 0 };
            self.highest_acked = self.highest_acked.max(id);
            newest = Some(p);
        }
        self.inflight -= bytes;
        self.delivered += bytes;
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let Some(p) = newest else { return };
        self.delivered_at = self.now;
        self.first_sent = p.sent;
        let rtt = self.now - p.sent;
        self.srtt = if self.srtt.is_zero() {
            rtt
        } else {
            (self.srtt * 7 + rtt) / 8
        };
        self.min_rtt = self.min_rtt.min(rtt);
        let newly_lost = self.mark_lost(prior_inflight);
        let ack = self.digest(&p, bytes, ce, rtt, prior_inflight, newly_lost);
        self.cc.on_ack(&ack);
    }

    fn mark_lost(&mut self, prior_inflight: u64) -> u64 {
        let before = self.lost;
        let threshold = self.highest_acked.saturating_sub(3);
        let ids: Vec<u64> = self
            .outstanding
            .range(..threshold)
            .map(|(id, _)| *id)
            .collect();
        for id in ids {
            let Some(p) = self.outstanding.remove(&id) else {
                continue;
            };
            self.lost += MSS;
            self.inflight -= MSS;
            self.cc.on_segment_lost(&SegmentLost {
                now: self.now,
                bytes: MSS as u32,
                tx_in_flight: p.tx_in_flight,
                lost_since_sent: self.lost - p.lost,
                delivered_since_sent: self.delivered - p.delivered,
                prior_delivered: p.delivered,
                app_limited: p.app_limited,
                inflight: self.inflight,
            });
        }
        let newly = self.lost - before;
        if newly > 0 && self.phase == RecoveryPhase::Open {
            self.phase = RecoveryPhase::Recovery;
            self.recovery_until = self.next_id;
            self.cc.on_loss(&Loss {
                now: self.now,
                inflight: self.inflight,
                prior_inflight,
                outstanding: self.inflight,
                snd_nxt: self.next_id * MSS,
                delivered: self.delivered,
            });
        } else if self.phase != RecoveryPhase::Open && self.highest_acked >= self.recovery_until {
            let from = self.phase;
            self.phase = RecoveryPhase::Open;
            let (now, inflight) = (self.now, self.inflight);
            self.cc.on_recovery_exit(&RecoveryExit {
                now,
                inflight,
                from,
            });
        }
        newly
    }

    fn digest(
        &mut self,
        p: &Packet,
        bytes: u64,
        ce: u64,
        rtt: Span,
        prior_inflight: u64,
        newly_lost: u64,
    ) -> Ack {
        if self.highest_acked >= self.round_end {
            self.round_end = self.next_id;
            self.cwnd_limited = self.round_limited;
            self.round_limited = false;
        }
        let send_interval = p.sent - p.first_sent;
        let ack_interval = self.now - p.delivered_at;
        Ack {
            now: self.now,
            acked: bytes,
            newly_delivered: bytes,
            newly_delivered_segments: (bytes / MSS) as u32,
            acked_segments: (bytes / MSS) as u32,
            newly_lost,
            delivered: self.delivered,
            lost: self.lost,
            newly_ce: ce,
            rtt: Some(rtt),
            cc_rtt: Some(rtt),
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            inflight: self.inflight,
            prior_inflight,
            rate: RateSample {
                delivered: self.delivered - p.delivered,
                interval: send_interval.max(ack_interval),
                send_interval,
                ack_interval,
                prior_delivered: p.delivered,
                is_app_limited: p.app_limited,
                is_retrans: false,
                tx_in_flight: p.tx_in_flight,
                lost: self.lost - p.lost,
                delivered_ce: ce,
            },
            cwnd_limited: self.cwnd_limited || self.round_limited,
            may_grow: true,
            phase: self.phase,
            ece: ce > 0,
            snd_una: self.highest_acked * MSS,
            snd_nxt: self.next_id * MSS,
            app_limited: self.app_limited_until > 0,
            ack_delayed: false,
        }
    }

    fn timeout(&mut self) {
        let prior_inflight = self.inflight;
        let gone = core::mem::take(&mut self.outstanding);
        self.lost += gone.len() as u64 * MSS;
        self.inflight = 0;
        self.phase = RecoveryPhase::Loss;
        self.recovery_until = self.next_id;
        self.next_send = self.now;
        self.cc.on_rto(&Rto {
            now: self.now,
            prior_inflight,
            inflight: 0,
            outstanding: prior_inflight,
            first: true,
            snd_nxt: self.next_id * MSS,
            delivered: self.delivered,
        });
    }
}
