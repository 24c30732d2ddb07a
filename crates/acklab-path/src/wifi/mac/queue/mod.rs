//! What a station has to send under one access category.
//!
//! A packet waits, gets into an MPDU with a sequence number (that is the window of its peer), and
//! leaves when the MPDU is acknowledged or given up. Its descriptor moves to the recipient as soon
//! as that has decoded the MPDU, so that each packet is in one place; what is left behind is an
//! MPDU of known length that may have to be sent again.
//!
//! Between a [`TxQueue::build`] that gave something and its [`TxQueue::on_response`] the queue has
//! an exchange on the air and must not be asked for another.

mod assemble;
mod heap;
mod peer;
#[cfg(test)]
mod properties;
mod response;
#[cfg(test)]
mod tests;

pub use response::HandOver;

use super::PeerId;
use super::originator::BarReason;
use crate::packet::{DropReason, Packet, PacketId};
use crate::qdisc::slab::{Slab, Waiting};
use acklab_units::{Instant, Span};
use alloc::vec::Vec;
use heap::Heap;
use peer::Peer;

/// Told of each packet that is dropped.
pub type OnDrop<'a> = &'a mut dyn FnMut(Packet, DropReason);

/// What counts against the limit of a shared queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counts {
    /// Packets that were never sent.
    Waiting,
    /// Packets that are not acknowledged yet.
    Unacknowledged,
    /// Packets that were never sent and MPDUs that are not acknowledged, an A-MSDU as one: what
    /// ns-3's `WifiMacQueue` counts.
    #[default]
    Mpdus,
}

/// How packets wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One drop-tail queue for all peers. Next is the peer whose oldest packet is the oldest; a
    /// PSDU takes further packets of that peer out of the middle, as ns-3 does.
    Shared {
        /// What may be in the queue.
        limit: u32,
        /// What counts against it.
        counts: Counts,
    },
}

/// A queue as it is configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// How packets wait.
    pub kind: Kind,
    /// How long a packet may stay, sent or not (10.22.2.12, `dot11EDCATableMSDULifetime`).
    pub lifetime: Option<Span>,
    /// Transmissions of an MPDU without an agreement before it is given up
    /// (`dot11ShortRetryLimit`).
    pub retry_limit: u8,
    /// The same under an agreement; `None`: only the lifetime ends it (10.24.7.7, and ns-3 unless
    /// `IncrementRetryCountUnderBa`).
    pub agreement_retry_limit: Option<u8>,
    /// An A-MPDU without an answer is followed by a BlockAckReq instead of the same MPDUs (ns-3's
    /// `UseExplicitBarAfterMissedBlockAck`).
    pub explicit_bar: bool,
    /// BlockAckReqs in a row without an answer before that is given up; `None`: as long as there
    /// is something to ask for.
    pub bar_limit: Option<u8>,
}

impl Config {
    /// ns-3's defaults: 500 packets, 500 ms, 7 transmissions, BlockAckReq after a missed block ack.
    pub const NS3: Self = Self {
        kind: Kind::Shared {
            limit: 500,
            counts: Counts::Mpdus,
        },
        lifetime: Some(Span::from_millis(500)),
        retry_limit: 7,
        agreement_retry_limit: None,
        explicit_bar: true,
        bar_limit: None,
    };
}

/// Counters: `enqueued = handed_over + dropped + removed + inside`, in packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TxStats {
    /// Packets accepted.
    pub enqueued: u64,
    /// Packets refused on arrival.
    pub refused: u64,
    /// Packets that the recipient has.
    pub handed_over: u64,
    /// Packets dropped after they had been accepted.
    pub dropped: u64,
    /// Packets taken out by [`TxQueue::remove`].
    pub removed: u64,
    /// Packets marked with CE.
    pub marked: u64,
    /// MPDUs that were given a number.
    pub mpdus: u64,
    /// MPDUs acknowledged.
    pub acknowledged: u64,
    /// MPDUs given up.
    pub given_up: u64,
    /// Transmissions of MPDUs.
    pub sent: u64,
    /// BlockAckReqs.
    pub bars: u64,
}

/// The queue.
#[derive(Debug)]
pub struct TxQueue {
    config: Config,
    peers: Vec<Peer>,
    slab: Slab,
    /// Peers with something to send, by age of the oldest.
    order: Heap,
    on_air: Option<PeerId>,
    /// Packets never sent, and their bytes.
    waiting: u32,
    waiting_bytes: u64,
    /// Packets and MPDUs sent and not acknowledged.
    window_packets: u32,
    window_mpdus: u32,
    stats: TxStats,
}

impl TxQueue {
    /// An empty queue.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            peers: Vec::new(),
            slab: Slab::default(),
            order: Heap::default(),
            on_air: None,
            waiting: 0,
            waiting_bytes: 0,
            window_packets: 0,
            window_mpdus: 0,
            stats: TxStats::default(),
        }
    }

    /// A packet for `peer` arrives. It, or others, may be dropped.
    pub fn enqueue(&mut self, now: Instant, peer: PeerId, packet: Packet, on_drop: OnDrop<'_>) {
        self.know(peer);
        if !self.admits() {
            self.expire_first(now, on_drop);
        }
        if !self.admits() {
            self.stats.refused += 1;
            return on_drop(packet, DropReason::QueueFull);
        }
        self.stats.enqueued += 1;
        self.waiting += 1;
        self.waiting_bytes += u64::from(packet.size);
        let p = &mut self.peers[usize::from(peer.0)];
        let was_idle = p.is_idle();
        let since = now;
        self.slab.push(&mut p.waiting, Waiting { packet, since });
        if was_idle {
            p.originator.unpark_bar();
            self.rekey(peer);
        }
        self.check();
    }

    fn know(&mut self, peer: PeerId) {
        let i = usize::from(peer.0);
        if i >= self.peers.len() {
            self.peers.resize_with(i + 1, Peer::default);
        }
    }

    fn admits(&self) -> bool {
        let Kind::Shared { limit, counts } = self.config.kind;
        let unacknowledged = match counts {
            Counts::Waiting => 0,
            Counts::Unacknowledged => self.window_packets,
            Counts::Mpdus => self.window_mpdus,
        };
        self.waiting + unacknowledged < limit
    }

    /// Whether something could be sent now: packets, MPDUs again, or a BlockAckReq. During an
    /// exchange what is on the air counts.
    #[inline]
    pub fn has_frames(&self) -> bool {
        !self.order.is_empty()
    }

    /// The same for one peer.
    #[inline]
    pub fn has_frames_for(&self, peer: PeerId) -> bool {
        let p = self.peers.get(usize::from(peer.0));
        p.is_some_and(|p| p.key(&self.slab).is_some())
    }

    /// Whom to serve next. What has lived too long is dropped first.
    #[inline]
    pub fn select(&mut self, now: Instant, on_drop: OnDrop<'_>) -> Option<PeerId> {
        debug_assert_eq!(self.on_air, None, "an exchange is on the air");
        self.expire_first(now, on_drop);
        self.order.first().map(PeerId)
    }

    /// Drops what has lived too long, as long as it is the first in the order.
    fn expire_first(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        let Some(lifetime) = self.config.lifetime else {
            return;
        };
        // A packet lives as long as its lifetime, and dies after it.
        let Some(deadline) = now.as_nanos().checked_sub(lifetime.as_nanos()) else {
            return;
        };
        let deadline = Instant::from_nanos(deadline);
        while let Some(peer) = self.order.first().map(PeerId)
            && self.on_air != Some(peer)
            && self.expire(peer, deadline, on_drop)
        {
            self.rekey(peer);
        }
        self.check();
    }

    /// Takes out a packet that was never sent (for an ACK filter that found it superfluous).
    pub fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let slab = &mut self.slab;
        let found = self.peers.iter_mut().enumerate().find_map(|(i, p)| {
            let gone = slab.remove(&mut p.waiting, id)?;
            Some((i, gone.packet))
        });
        let (i, packet) = found?;
        self.stats.removed += 1;
        self.on_left_waiting(packet);
        self.rekey(PeerId(i as u16));
        self.check();
        Some(packet)
    }

    fn on_left_waiting(&mut self, packet: Packet) {
        self.waiting -= 1;
        self.waiting_bytes -= u64::from(packet.size);
    }

    /// Puts `peer` where it belongs in the order.
    #[inline]
    fn rekey(&mut self, peer: PeerId) {
        let key = self.peers[usize::from(peer.0)].key(&self.slab);
        self.order.set(peer.0, key);
    }

    /// Packets that were never sent.
    pub fn packets(&self) -> u32 {
        self.waiting
    }

    /// Bytes of the IP packets that were never sent.
    pub fn bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Packets in MPDUs that are neither acknowledged nor given up.
    pub fn unacknowledged(&self) -> u32 {
        self.window_packets
    }

    /// Why a BlockAckReq to `peer` is due, if one is.
    pub fn bar_due(&self, peer: PeerId) -> Option<BarReason> {
        self.peers.get(usize::from(peer.0))?.originator.bar()
    }

    /// Counters.
    pub fn stats(&self) -> &TxStats {
        &self.stats
    }

    /// Packets that are here and nowhere else.
    pub fn inside(&self) -> u64 {
        u64::from(self.slab.len())
    }

    /// Conservation: what came in was handed over, was dropped, or is inside; and so for MPDUs.
    #[inline]
    fn check(&self) {
        let s = &self.stats;
        debug_assert_eq!(
            s.enqueued,
            s.handed_over + s.dropped + s.removed + self.inside(),
            "packets appeared or vanished"
        );
        debug_assert_eq!(
            s.mpdus,
            s.acknowledged + s.given_up + u64::from(self.window_mpdus),
            "MPDUs appeared or vanished"
        );
        debug_assert!(self.waiting + self.window_packets >= self.slab.len());
    }
}
