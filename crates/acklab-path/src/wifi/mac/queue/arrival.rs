//! Packets that arrive at a queue, and whether there is room for them.

use super::peer::Peer;
use super::{Counts, Kind, OnDrop, TxQueue};
use crate::packet::{DropReason, Label, Packet};
use crate::qdisc::slab::Waiting;
use crate::wifi::mac::PeerId;
use acklab_units::Instant;

impl TxQueue {
    /// A packet for `peer` arrives. It, or others, may be dropped. Packets kept back for that peer
    /// are so no longer. `label` is of interest where [`TxQueue::reads_labels`].
    ///
    /// Says whether the packet joined: a discipline above may refuse it. What the queue of the MAC has no
    /// room for counts as joined and dropped at once.
    pub fn enqueue(
        &mut self,
        now: Instant,
        peer: PeerId,
        (packet, label): (Packet, Label),
        on_drop: OnDrop<'_>,
    ) -> bool {
        self.put(now, peer, (packet, label, false), on_drop)
    }

    /// Whether it matters what tells a packet from others.
    #[inline]
    pub fn reads_labels(&self) -> bool {
        self.stations.is_some() || self.above.is_some()
    }

    /// The same; with `keep` an answer to that peer may take the packet along
    /// ([`TxQueue::enqueue_kept`]).
    #[inline]
    pub(super) fn put(
        &mut self,
        now: Instant,
        peer: PeerId,
        (packet, label, keep): (Packet, Label, bool),
        on_drop: OnDrop<'_>,
    ) -> bool {
        if self.above.is_some() {
            return self.offer_above(now, peer, (packet, label, keep), on_drop);
        }
        self.know(peer);
        if !self.admits() {
            self.expire_first(now, on_drop);
        }
        if !self.admits() {
            self.stats.refused += 1;
            on_drop(packet, DropReason::QueueFull);
            return true;
        }
        self.count_joined(packet);
        let waiting = Waiting::new(now, packet);
        self.admit(now, peer, (waiting, label.flow, keep), on_drop);
        self.check();
        true
    }

    #[inline]
    pub(super) fn count_joined(&mut self, packet: Packet) {
        self.stats.enqueued += 1;
        self.waiting += 1;
        self.waiting_bytes += u64::from(packet.size);
    }

    /// A packet of `flow` joins the queue of the MAC, where there is room for it. Inlined, for each packet
    /// comes here by [`TxQueue::put`] where there is no discipline.
    #[inline(always)]
    pub(super) fn admit(
        &mut self,
        now: Instant,
        peer: PeerId,
        (waiting, flow, keep): (Waiting, u32, bool),
        on_drop: OnDrop<'_>,
    ) {
        let p = &mut self.peers[usize::from(peer.0)];
        let was_idle = p.is_idle();
        if was_idle {
            p.originator.unpark_bar();
        }
        let was_kept = p.kept.is_some();
        self.keep_or_not(now, peer, keep);
        let p = &mut self.peers[usize::from(peer.0)];
        if self.stations.is_some() {
            self.enqueue_flow(peer, flow, waiting, on_drop);
            self.rekey(peer);
            self.schedule(now, on_drop);
        } else {
            p.push(&mut self.slab, waiting);
            if was_idle || was_kept {
                self.rekey(peer);
            }
        }
    }

    #[inline]
    pub(super) fn know(&mut self, peer: PeerId) {
        let i = usize::from(peer.0);
        if i >= self.peers.len() {
            self.meet(i);
        }
    }

    #[cold]
    fn meet(&mut self, i: usize) {
        self.peers.resize_with(i + 1, Peer::default);
        if let Some(s) = &mut self.stations {
            s.know(i + 1);
        }
    }

    pub(super) fn admits(&self) -> bool {
        let Kind::Shared { limit, counts } = self.config.kind else {
            return true;
        };
        let unacknowledged = match counts {
            Counts::Waiting => 0,
            Counts::Unacknowledged => self.window_packets,
            Counts::Mpdus => self.window_mpdus,
        };
        self.waiting - self.held + unacknowledged < limit
    }
}
