//! The open-loop feed of the tests of versions 2 and 3: every number is the test's.

use super::{Machine, Profile, State};
use crate::cc::bbr::Ratio;
use crate::cc::bbr::testing::{ack, ms};
use crate::cc::{Ack, CcInit, CongestionControl, Loss, RecoveryPhase, Rto, SegmentLost, Sent};
use acklab_units::{Instant, Rate, Span};

pub use crate::cc::bbr::testing::MSS;

/// Round-trip time of the feed unless a test changes it.
pub const RTT: Span = Span::from_millis(48);

pub const INIT: CcInit = CcInit {
    mss: MSS as u32,
    initial_cwnd: 10 * MSS,
    seed: 7,
    kernel_units: false,
};

pub fn mbit(n: u64) -> Rate {
    Rate::from_bps(n * 1_000_000)
}

/// Feeds a machine with ACKs. Counts are packets.
pub struct Feed {
    pub cc: Machine,
    pub now: Instant,
    pub rtt: Span,
    /// Newly delivered by each ACK.
    pub packets: u64,
    /// In flight, before and after each ACK.
    pub inflight: u64,
    /// In flight when the newest acknowledged packet was sent; `inflight` if zero.
    pub tx_in_flight: u64,
    /// Delivered volume of each sample; a round's worth if zero.
    pub volume: u64,
    /// Marked lost by the next ACK.
    pub newly_lost: u64,
    /// Newly delivered with a mark.
    pub ce: u64,
    /// Share of each sample's volume that is marked.
    pub marked_share: Option<Ratio>,
    pub app_limited: bool,
    pub cwnd_limited: bool,
    pub phase: RecoveryPhase,
    delivered: u64,
    lost: u64,
    round_mark: u64,
    round_lost: u64,
}

impl Feed {
    pub fn new(profile: Profile) -> Self {
        Self {
            cc: Machine::new(profile, INIT, "test"),
            now: ms(1),
            rtt: RTT,
            packets: 2,
            inflight: 41,
            tx_in_flight: 0,
            volume: 0,
            newly_lost: 0,
            ce: 0,
            marked_share: None,
            app_limited: false,
            cwnd_limited: true,
            phase: RecoveryPhase::Open,
            delivered: 0,
            lost: 0,
            round_mark: 0,
            round_lost: 0,
        }
    }

    /// A feed that has just entered DRAIN at `rate`.
    pub fn drain(profile: Profile, rate: Rate) -> Self {
        Self::drain_at(profile, rate, RTT)
    }

    fn drain_at(profile: Profile, rate: Rate, rtt: Span) -> Self {
        let mut feed = Self::new(profile);
        feed.rtt = rtt;
        feed.inflight = 50_000;
        while feed.cc.state == State::Startup {
            feed.round(rate);
        }
        assert_eq!(feed.cc.state, State::Drain);
        feed
    }

    /// A feed that cruises at `rate`, its window where the model wants it.
    pub fn cruise(profile: Profile, rate: Rate) -> Self {
        Self::cruise_at(profile, rate, RTT)
    }

    /// The same with round-trip time `rtt`.
    pub fn cruise_at(profile: Profile, rate: Rate, rtt: Span) -> Self {
        let mut feed = Self::drain_at(profile, rate, rtt);
        feed.inflight = 4;
        feed.round(rate);
        feed.round(rate);
        assert_eq!(feed.cc.state, State::ProbeBwCruise);
        feed.cc.cwnd = feed.cc.max_inflight();
        feed.inflight = 41;
        feed
    }

    /// A feed that has just begun to probe at `rate`.
    pub fn up(profile: Profile, rate: Rate) -> Self {
        let mut feed = Self::cruise(profile, rate);
        feed.enter_up(rate);
        feed
    }

    pub fn enter_up(&mut self, rate: Rate) {
        let ack = self.last_ack();
        self.cc.start_probe_bw_refill(&ack, 0);
        self.round(rate);
        assert_eq!(self.cc.state, State::ProbeBwUp);
    }

    /// One ACK, one RTT later, that starts a round.
    pub fn round(&mut self, rate: Rate) {
        self.step(self.rtt, rate);
    }

    /// One ACK, `span` later, that starts a round.
    pub fn step(&mut self, span: Span, rate: Rate) {
        self.round_mark = self.delivered;
        self.step_same_round(span, rate);
        self.round_lost = self.lost;
    }

    /// One ACK at once that starts no round.
    pub fn same_round(&mut self, rate: Rate) {
        self.step_same_round(Span::ZERO, rate);
    }

    /// One ACK for the packets that `rate` delivers in the time since the last.
    pub fn paced_ack(&mut self, rate: Rate) {
        self.step(rate.serialisation(self.packets * MSS), rate);
    }

    pub fn step_same_round(&mut self, span: Span, rate: Rate) {
        self.now += span;
        self.delivered += self.packets * MSS;
        self.lost += self.newly_lost * MSS;
        let a = self.make_ack(rate);
        self.newly_lost = 0;
        self.cc.on_ack(&a);
        if self.cc.rounds.is_start() {
            // Until the next round, ACKs are for packets sent before this one.
            self.round_mark = self.delivered.saturating_sub(1);
        }
    }

    fn make_ack(&self, rate: Rate) -> Ack {
        let mut a = ack(self.now, self.packets, self.delivered, rate, self.rtt);
        let tx = if self.tx_in_flight == 0 {
            self.inflight
        } else {
            self.tx_in_flight
        };
        // A long interval makes the sample's rate exact; `volume` fixes its volume instead.
        let long = Span::from_secs(8);
        (a.rate.delivered, a.rate.interval) = if self.volume == 0 {
            (rate.bytes_in(self.rtt).max(1), self.rtt)
        } else {
            (self.volume * MSS, rate.serialisation(self.volume * MSS))
        };
        if self.volume == 0 && a.rate.rate() != Some(rate) {
            (a.rate.delivered, a.rate.interval) = (rate.bytes_in(long), long);
        }
        a.rate.prior_delivered = self.round_mark;
        a.rate.is_app_limited = self.app_limited;
        a.rate.tx_in_flight = tx * MSS;
        a.rate.lost = self.lost - self.round_lost;
        a.rate.delivered_ce = match self.marked_share {
            Some(share) => share.of(a.rate.delivered),
            None => self.ce * MSS,
        };
        a.newly_lost = self.newly_lost * MSS;
        a.lost = self.lost;
        a.newly_ce = self.ce * MSS;
        a.ece = self.ce > 0;
        a.inflight = self.inflight * MSS;
        a.prior_inflight = self.inflight * MSS;
        a.cwnd_limited = self.cwnd_limited;
        a.phase = self.phase;
        a
    }

    /// An ACK like the last one, for calling the machine directly.
    pub fn last_ack(&self) -> Ack {
        self.make_ack(self.cc.max_bw())
    }

    /// Marks `n` packets of the flight before the present one lost.
    pub fn lose(&mut self, n: u64) {
        for i in 0..n {
            self.lose_at(10_000 + 2 * i, i + 1);
        }
        self.newly_lost += n;
    }

    /// Marks one packet lost, sent as number `place`, the `nth` lost since it was sent.
    pub fn lose_at(&mut self, place: u64, nth: u64) {
        let tx_in_flight = self.inflight * MSS;
        let prior_delivered = place * MSS - tx_in_flight.min(place * MSS);
        let lost = SegmentLost {
            now: self.now,
            bytes: MSS as u32,
            tx_in_flight,
            lost_since_sent: nth * MSS,
            delivered_since_sent: 0,
            prior_delivered,
            app_limited: self.app_limited,
            inflight: self.inflight * MSS,
        };
        self.cc.on_segment_lost(&lost);
        // The place is made up, so put the loss round where the feed's own count is.
        self.cc.short.loss_round_delivered = self.delivered;
    }

    pub fn enter_recovery(&mut self) {
        self.phase = RecoveryPhase::Recovery;
        self.cc.on_loss(&Loss {
            now: self.now,
            inflight: self.inflight * MSS,
            prior_inflight: self.inflight * MSS,
            outstanding: self.inflight * MSS,
            snd_nxt: 0,
            delivered: self.delivered,
        });
    }

    pub fn rto(&mut self) {
        self.cc.on_rto(&Rto {
            now: self.now,
            prior_inflight: self.inflight * MSS,
            inflight: 0,
            outstanding: self.inflight * MSS,
            first: true,
            snd_nxt: 0,
            delivered: self.delivered,
        });
    }

    pub fn restart_from_idle(&mut self) {
        self.cc.on_sent(&Sent {
            now: self.now,
            exact: self.now,
            bytes: MSS as u32,
            prior_inflight: 0,
            idle_restart: true,
            app_limited: true,
            retransmission: false,
            snd_nxt: 0,
            delivered: self.delivered,
        });
    }
}
