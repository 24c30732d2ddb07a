//! Packets that answers may take along to a peer, and that are kept back for it (TCP/HACK).
//!
//! A peer is kept back as a whole or not at all: as long as it has nothing but such packets, it has no
//! place among those that contend. Others of the same queue are served meanwhile.

use super::{OnDrop, TxQueue};
use crate::packet::{Label, Packet};
use crate::qdisc::slab::Waiting;
use crate::wifi::mac::PeerId;
use acklab_units::Instant;

impl TxQueue {
    /// A packet for `peer` arrives that an answer may take along. It is kept back if there is nothing
    /// else to send to that peer, until [`TxQueue::let_go`], or until something else has to be sent. One
    /// that a discipline above does not pass on at once is not: the promise may be old by then.
    pub fn enqueue_kept(
        &mut self,
        now: Instant,
        peer: PeerId,
        (packet, label): (Packet, Label),
        on_drop: OnDrop<'_>,
    ) -> bool {
        self.put(now, peer, (packet, label, true), on_drop)
    }

    /// A packet is about to join what waits for `peer`, and would be kept or not.
    #[inline]
    pub(super) fn keep_or_not(&mut self, now: Instant, peer: PeerId, keep: bool) {
        let above = self.above(peer);
        let p = &mut self.peers[usize::from(peer.0)];
        let alone = above == 0 && p.is_idle() && !p.has_repeats();
        // Those that were kept before may be gone, taken out by a filter.
        let since = if alone { Some(now) } else { p.kept };
        p.kept = since.filter(|_| keep);
    }

    /// Since when the first of the packets waits that are kept back for `peer`; `None` = none are.
    pub fn kept_since(&self, peer: PeerId) -> Option<Instant> {
        self.peers.get(usize::from(peer.0))?.kept
    }

    /// The packets kept back for `peer` contend like all others.
    pub fn let_go(&mut self, now: Instant, peer: PeerId, on_drop: OnDrop<'_>) {
        self.peers[usize::from(peer.0)].kept = None;
        self.rekey(peer);
        self.schedule(now, on_drop);
        self.check();
    }

    /// Prepares [`TxQueue::ahead`]: drops what has lived too long, and takes out of the flow queues of
    /// `peer`, if there are such, what is missing to `most` packets of which each `may` follow. As
    /// many bytes as may wait below them, and the first packet that may not ends it.
    pub fn bring_ahead(
        &mut self,
        now: Instant,
        peer: PeerId,
        most: usize,
        may: impl Fn(Packet) -> bool,
        on_drop: OnDrop<'_>,
    ) {
        if self.peers.len() <= usize::from(peer.0) || self.is_on_air(peer) {
            return;
        }
        self.with_stations(|queue, s| {
            let i = usize::from(peer.0);
            let below = queue.ahead(peer).take_while(|p| may(*p)).count();
            let mut open = below == queue.peers[i].waiting_packets as usize;
            for _ in below..most {
                let next = open.then(|| queue.pull(now, s, i, None, on_drop)).flatten();
                open = next.is_some_and(|next| may(next.packet));
            }
        });
        self.expire_of(now, peer, on_drop);
        self.note_first(now, peer);
        self.check();
    }

    /// The packets that would be sent to `peer` next and first, in order, as far as they are not in
    /// flow queues; none as long as an MPDU or a BlockAckReq must be sent before them.
    pub fn ahead(&self, peer: PeerId) -> impl Iterator<Item = Packet> + '_ {
        let p = self.peers.get(usize::from(peer.0));
        let free = p.filter(|p| !p.has_repeats() && !self.is_on_air(peer));
        let waiting = free.into_iter().flat_map(|p| self.slab.iter(&p.waiting));
        waiting.map(|w| w.packet)
    }

    /// Takes out the first of [`TxQueue::ahead`], with the instant at which it joined, because
    /// `peer` has got it otherwise.
    pub fn take_ahead(
        &mut self,
        now: Instant,
        peer: PeerId,
        on_drop: OnDrop<'_>,
    ) -> Option<(Packet, Instant)> {
        self.ahead(peer).next()?;
        let i = usize::from(peer.0);
        let p = &mut self.peers[i];
        let Waiting { packet, joined, .. } = self.slab.pop(&mut p.waiting)?;
        p.waiting_packets -= 1;
        p.below -= u64::from(packet.size);
        if let Some(s) = &mut self.stations {
            s.on_lost(i, p.waiting_packets);
        }
        self.stats.removed += 1;
        self.on_left_waiting(packet);
        self.note_first(now, peer);
        self.rekey(peer);
        self.schedule(now, on_drop);
        self.check();
        Some((packet, joined))
    }

    /// Some of the packets are gone that may be kept back for `peer`. Of those in flow queues it is
    /// not known which is the oldest: their time begins now.
    fn note_first(&mut self, now: Instant, peer: PeerId) {
        let above = self.above(peer);
        let p = &mut self.peers[usize::from(peer.0)];
        let first = self.slab.front(&p.waiting).map(|w| w.since);
        if p.kept.is_some() {
            p.kept = first.or_else(|| (above > 0).then_some(now));
        }
    }

    /// Packets for `peer` in flow queues.
    fn above(&self, peer: PeerId) -> u32 {
        let stations = self.stations.as_ref();
        stations.map_or(0, |s| s.flows.packets(u32::from(peer.0)))
    }
}
