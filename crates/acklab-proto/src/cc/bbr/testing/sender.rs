//! The sender's treatment of an ACK: scoreboard, loss marking, rate sample.

use super::MSS;
use super::path::{Packet, Path};
use crate::cc::{
    Ack, CongestionControl, Loss, RateSample, RecoveryExit, RecoveryPhase, Rto, SegmentLost,
};
use acklab_units::Span;
use alloc::vec::Vec;

impl<C: CongestionControl> Path<C> {
    pub(super) fn receive_ack(&mut self) {
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
            exact: self.now,
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
            cc_rtt_samples: 1,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            cwnd: prior_inflight,
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

    pub(super) fn timeout(&mut self) {
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
