//! The packets that a station has to send under one access category.
//!
//! A packet waits, gets into an MPDU with a sequence number (that is the window of its peer), and
//! leaves when the MPDU is acknowledged or given up. Its descriptor moves to the recipient as soon
//! as that has decoded the MPDU, so that each packet is in one place; what is left behind is an
//! MPDU of known length that may have to be sent again.
//!
//! Between a [`TxQueue::build`] that gave something and its [`TxQueue::on_response`] the queue has
//! an exchange on the air and must not be asked for another.

mod above;
mod agree;
mod arrival;
mod assemble;
mod config;
mod heap;
mod kept;
mod parts;
mod peer;
#[cfg(test)]
mod properties;
pub mod registry;
mod response;
mod staging;
#[cfg(test)]
mod station_tests;
mod stations;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use above::DEVICE;
pub use config::{Config, Counts, Kind, TxStats};
pub use response::HandOver;
pub use stations::{Aql, StationsConfig};

use super::PeerId;
use super::Psdu;
use super::originator::BarReason;
use crate::packet::{DropReason, Packet, PacketId};
use crate::qdisc::slab::Slab;
use above::Above;
use acklab_units::Instant;
use agree::Agreements;
use alloc::boxed::Box;
use alloc::vec::Vec;
use heap::Heap;
use peer::Peer;
use stations::Stations;

/// Told of each packet that is dropped.
pub type OnDrop<'a> = &'a mut dyn FnMut(Packet, DropReason);

/// The queue.
#[derive(Debug)]
pub struct TxQueue {
    config: Config,
    peers: Vec<Peer>,
    slab: Slab,
    /// Peers with something to send, by age of the oldest (shared queue).
    order: Heap,
    stations: Option<Box<Stations>>,
    above: Option<Box<Above>>,
    /// The agreements that A-MPDUs need first; `None` = nothing.
    agreements: Option<Box<Agreements>>,
    /// Packets that the discipline above has.
    held: u32,
    on_air: Option<PeerId>,
    /// Peers for whom a part of a transmission for several is on the air.
    parts: Vec<PeerId>,
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
        let stations = match config.kind {
            Kind::Shared { .. } => None,
            Kind::PerStation(config) => Some(Box::new(Stations::new(config))),
        };
        Self {
            config,
            peers: Vec::new(),
            slab: Slab::default(),
            order: Heap::default(),
            stations,
            above: None,
            agreements: None,
            held: 0,
            on_air: None,
            parts: Vec::new(),
            waiting: 0,
            waiting_bytes: 0,
            window_packets: 0,
            window_mpdus: 0,
            stats: TxStats::default(),
        }
    }

    /// Whether an A-MPDU without an answer is followed by a BlockAckReq.
    pub fn asks_after_silence(&self) -> bool {
        self.config.explicit_bar
    }

    /// Whether something could be sent now: packets that are not kept back, MPDUs again, a
    /// BlockAckReq, or what sets up an agreement. During an exchange what is on the air may count.
    #[inline]
    pub fn has_frames(&self) -> bool {
        let data = match &self.stations {
            None => !self.order.is_empty(),
            Some(s) => s.next_ready().is_some(),
        };
        data || self.has_actions()
    }

    /// The same for one peer, with what is kept back and without what waits in flow queues.
    #[inline]
    pub fn has_frames_for(&self, peer: PeerId) -> bool {
        let p = self.peers.get(usize::from(peer.0));
        p.is_some_and(|p| p.key(&self.slab).is_some()) || self.has_actions_for(peer)
    }

    /// The peer to serve next. Packets past their lifetime are dropped first.
    #[inline]
    pub fn select(&mut self, now: Instant, on_drop: OnDrop<'_>) -> Option<PeerId> {
        debug_assert_eq!(self.on_air, None, "an exchange is on the air");
        if self.has_actions() {
            self.expire_actions(now, on_drop);
        }
        self.expire_first(now, on_drop);
        match self.first_action() {
            None => self.first(),
            action => action,
        }
    }

    fn first(&self) -> Option<PeerId> {
        match &self.stations {
            None => self.order.first().map(PeerId),
            Some(s) => s.next_ready().map(|r| PeerId(r.peer)),
        }
    }

    /// Drops what has lived too long, as long as it is the first in the order.
    fn expire_first(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        let Some(deadline) = self.deadline(now) else {
            return;
        };
        // In a shared queue what is first is the oldest.
        let first = self.order.first_key();
        if first.is_some_and(|key| key > Peer::key_of(deadline)) {
            return;
        }
        while let Some(peer) = self.first()
            && !self.is_on_air(peer)
            && self.expire(peer, deadline, on_drop)
        {
            self.rekey(peer);
            self.schedule(now, on_drop);
        }
        self.check();
    }

    /// Drops packets for `peer` past their lifetime. Packets that move up from flow queues may
    /// be past theirs, too.
    fn expire_of(&mut self, now: Instant, peer: PeerId, on_drop: OnDrop<'_>) {
        let deadline = self.deadline(now).filter(|_| !self.is_on_air(peer));
        while deadline.is_some_and(|deadline| self.expire(peer, deadline, on_drop)) {
            self.rekey(peer);
            self.schedule(now, on_drop);
        }
    }

    /// Packets that arrived before that have expired: a packet lives as long as its lifetime, and
    /// dies after it.
    fn deadline(&self, now: Instant) -> Option<Instant> {
        let ago = now
            .as_nanos()
            .checked_sub(self.config.lifetime?.as_nanos())?;
        Some(Instant::from_nanos(ago))
    }

    /// Takes out a packet that was never sent (for an ACK filter that found it superfluous). What
    /// is in a hardware queue, or with the device below a discipline, stays there.
    pub fn remove(&mut self, id: PacketId) -> Option<Packet> {
        if self.above.is_some() {
            return self.remove_above(id);
        }
        let (peer, packet) = match &mut self.stations {
            Some(s) => s.flows.remove(id).map(|(i, p)| (i as usize, p)),
            None => self.remove_shared(id),
        }?;
        self.stats.removed += 1;
        self.on_left_waiting(packet);
        self.rekey(PeerId(peer as u16));
        self.check();
        Some(packet)
    }

    fn remove_shared(&mut self, id: PacketId) -> Option<(usize, Packet)> {
        let slab = &mut self.slab;
        self.peers.iter_mut().enumerate().find_map(|(i, p)| {
            let gone = slab.remove(&mut p.waiting, id)?;
            p.waiting_packets -= 1;
            p.below -= u64::from(gone.packet.size);
            Some((i, gone.packet))
        })
    }

    /// Lets `by`, which is as long and of the same flow, take the place of a packet that was never
    /// sent and is in no hardware queue, nor with the device below a discipline; that one comes out.
    pub fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        if self.above.is_some() {
            return self.replace_above(now, id, by);
        }
        let slab = &mut self.slab;
        let old = match &mut self.stations {
            Some(s) => s.flows.replace(now, id, by),
            None => {
                let mut peers = self.peers.iter();
                peers.find_map(|p| slab.replace(&p.waiting, id, now, by))
            }
        }?;
        debug_assert_eq!(old.size, by.size, "what takes a place is as long");
        self.stats.enqueued += 1;
        self.stats.removed += 1;
        self.check();
        Some(old)
    }

    fn on_left_waiting(&mut self, packet: Packet) {
        self.waiting -= 1;
        self.waiting_bytes -= u64::from(packet.size);
    }

    /// Puts `peer` where it belongs in the order.
    #[inline]
    fn rekey(&mut self, peer: PeerId) {
        let p = &self.peers[usize::from(peer.0)];
        match &mut self.stations {
            None => self.order.set(peer.0, p.due(&self.slab)),
            Some(s) => {
                s.on_below(usize::from(peer.0), p.below);
                if !p.has_repeats() {
                    s.take_back_empty(peer.0);
                }
                s.round.activate(&mut s.turns, u32::from(peer.0), None);
            }
        }
    }

    /// Packets that were never sent, those in a discipline above included.
    pub fn packets(&self) -> u32 {
        self.waiting
    }

    /// Packets for `peer` that were never sent, as far as the MAC knows of them.
    pub fn waiting_of(&self, peer: PeerId) -> u32 {
        let below = self.peers.get(usize::from(peer.0));
        let above = self.stations.as_ref();
        below.map_or(0, |p| p.waiting_packets)
            + above.map_or(0, |s| s.flows.packets(u32::from(peer.0)))
    }

    /// Whether there is more for `peer` than `psdu`, which was built last: never sent, or to be sent
    /// again.
    pub fn has_more_than(&self, peer: PeerId, psdu: &Psdu) -> bool {
        let p = self.peers.get(usize::from(peer.0));
        let left = p.is_some_and(|p| usize::from(p.originator.in_window()) > psdu.mpdus.len());
        left || self.waiting_of(peer) > 0
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
        let above = self.stations.as_ref().map_or(0, |s| s.flows.stats.packets);
        u64::from(self.slab.len() + above + self.held)
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
        debug_assert!(u64::from(self.waiting + self.window_packets) >= self.inside());
    }
}
