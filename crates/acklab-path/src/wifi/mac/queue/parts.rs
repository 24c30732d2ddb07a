//! Transmissions for several peers at once (HE MU PPDUs), and answers to a Trigger frame: parts that are on
//! the air beside each other, each with an outcome of its own.

use super::{OnDrop, TxQueue};
use crate::wifi::agreement::Allowed;
use crate::wifi::mac::PeerId;
use crate::wifi::mac::psdu::{Content, Psdu};
use crate::wifi::mac::sizes::Limits;
use acklab_units::Instant;

impl TxQueue {
    /// Whether something for `peer` is on the air.
    #[inline]
    pub(super) fn is_on_air(&self, peer: PeerId) -> bool {
        self.on_air == Some(peer) || self.parts.contains(&peer)
    }

    /// Whether something for anybody is.
    #[inline]
    pub(super) fn is_any_on_air(&self) -> bool {
        self.on_air.is_some() || !self.parts.is_empty()
    }

    /// The transmission to `peer` is over.
    #[inline]
    pub(super) fn land(&mut self, peer: PeerId) {
        if self.on_air == Some(peer) {
            self.on_air = None;
        } else {
            self.parts.retain(|p| *p != peer);
        }
    }

    /// Whether something for `peer` may be a part of a transmission for several: that needs a block ack agreement, and no
    /// management frame may have to go first.
    fn may_send_part(&self, now: Instant, peer: PeerId) -> bool {
        self.peers.get(usize::from(peer.0)).is_some_and(|p| {
            p.agreement()
                && p.allowed == Allowed::Everything
                && p.kept.is_none()
                && !self.is_on_air(peer)
                && (self.agreements.is_none() || self.next_action(now, peer).is_none())
        })
    }

    /// Whether there are data for `peer` that may be a part of a transmission for several. A BlockAckReq goes first.
    pub fn has_part_for(&self, now: Instant, peer: PeerId) -> bool {
        if !self.may_send_part(now, peer) {
            return false;
        }
        let p = &self.peers[usize::from(peer.0)];
        let fresh = || p.originator.room(p.window()) > 0 && self.waiting_of(peer) > 0;
        p.originator.bar().is_none() && (p.originator.first_pending().is_some() || fresh())
    }

    /// Whether a BlockAckReq to `peer` may be a part.
    pub fn has_request_for(&self, now: Instant, peer: PeerId) -> bool {
        self.may_send_part(now, peer) && self.bar_due(peer).is_some()
    }

    /// Bytes of IP packets that wait for `peer` or are in MPDUs that it has not acknowledged. What waits in
    /// flow queues counts at the mean size of what waits.
    pub fn backlog(&self, peer: PeerId) -> u64 {
        let Some(p) = self.peers.get(usize::from(peer.0)) else {
            return 0;
        };
        let flows = self.stations.as_ref();
        let above = flows.map_or(0, |s| s.flows.packets(u32::from(peer.0)));
        let mean = self.waiting_bytes / u64::from(self.waiting.max(1));
        p.below + u64::from(above) * mean
    }

    /// Bytes of IP packets that wait for anybody or are in MPDUs that are not acknowledged: what a station
    /// reports to its access point (9.2.4.5.6).
    pub fn backlog_of_all(&self) -> u64 {
        let below: u64 = self.peers.iter().map(|p| p.below).sum();
        let waiting: u64 = self
            .peers
            .iter()
            .map(|p| u64::from(p.waiting_packets))
            .sum();
        let mean = self.waiting_bytes / u64::from(self.waiting.max(1));
        below + (u64::from(self.waiting) - waiting) * mean
    }

    /// Fills `psdu` with data for `peer`, or with a BlockAckReq, beside what is on the air for others. It stays empty if
    /// there is nothing that fits. Silence is no reason for a BlockAckReq: the data are sent again.
    ///
    /// Only after [`TxQueue::has_part_for`] or [`TxQueue::has_request_for`].
    pub fn build_part(
        &mut self,
        now: Instant,
        peer: PeerId,
        limits: &Limits,
        psdu: &mut Psdu,
        on_drop: OnDrop<'_>,
    ) {
        psdu.clear();
        self.expire_of(now, peer, on_drop);
        if self.has_part_for(now, peer) || self.has_request_for(now, peer) {
            // An aggregate that is built in advance is for a transmission of its own.
            let alone = self.peers[usize::from(peer.0)].limits;
            self.assemble(now, peer, limits, psdu, on_drop);
            self.peers[usize::from(peer.0)].limits = alone;
        }
        if psdu.content == Content::Ampdu {
            psdu.content = Content::Single;
        }
        if !psdu.is_empty() {
            self.parts.push(peer);
        }
        self.rekey(peer);
        self.schedule(now, on_drop);
        self.check();
    }
}
