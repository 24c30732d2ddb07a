//! Putting a PSDU together: what has to be sent again, then what is new, in the order of numbers.

use super::{OnDrop, Peer, TxQueue};
use crate::qdisc::slab::{List, Slab};
use crate::wifi::agreement::ACTION;
use crate::wifi::mac::PeerId;
use crate::wifi::mac::originator::Slot;
use crate::wifi::mac::psdu::{Content, MpduRef, Psdu};
use crate::wifi::mac::sizes::{self, Assembly, Limits};
use crate::wifi::neighbour::Message;
use acklab_units::Instant;

impl TxQueue {
    /// Fills `psdu` with what is sent to `peer` next; it stays empty if there is nothing.
    pub fn build(
        &mut self,
        now: Instant,
        peer: PeerId,
        limits: &Limits,
        psdu: &mut Psdu,
        on_drop: OnDrop<'_>,
    ) {
        debug_assert!(!self.is_any_on_air(), "an exchange is on the air");
        psdu.clear();
        if self.agreements.is_some() && self.build_action(now, peer, psdu, on_drop) {
            return;
        }
        self.assemble(now, peer, limits, psdu, on_drop);
        self.on_air = (!psdu.is_empty()).then_some(peer);
        self.rekey(peer);
        self.schedule(now, on_drop);
        self.check();
    }

    /// Fills `psdu`, which is empty, with a BlockAckReq or data for `peer`.
    #[inline(always)]
    pub(super) fn assemble(
        &mut self,
        now: Instant,
        peer: PeerId,
        limits: &Limits,
        psdu: &mut Psdu,
        on_drop: OnDrop<'_>,
    ) {
        let budget = self.take_ready(now, peer, on_drop);
        let p = &mut self.peers[usize::from(peer.0)];
        p.limit(limits);
        p.kept = None;
        if p.originator.bar().is_some() {
            psdu.content = Content::Bar(p.originator.start());
            psdu.bytes = sizes::BLOCK_ACK_REQ;
            self.stats.bars += 1;
        } else {
            let mut assembly = Assembly::default();
            if p.repeat(&mut assembly, psdu) {
                self.add_new(peer, budget, &mut assembly, psdu);
            }
            psdu.bytes = assembly.bytes(limits);
            psdu.content = match assembly.mpdus {
                0 | 1 => Content::Single,
                _ => Content::Ampdu,
            };
            self.stats.sent += u64::from(assembly.mpdus);
        }
    }

    /// The shortest PSDU that could be sent to `peer` next: what sets up an agreement, a BlockAckReq, or a
    /// single MPDU without further packets in it.
    pub fn least(&self, now: Instant, peer: PeerId) -> Option<(Content, u32)> {
        if self.agreements.is_some()
            && let Some(action) = self.next_action(now, peer)
        {
            return Some((Content::Action(action), ACTION));
        }
        let p = self.peers.get(usize::from(peer.0))?;
        if p.originator.bar().is_some() {
            let start = p.originator.start();
            return Some((Content::Bar(start), sizes::BLOCK_ACK_REQ));
        }
        let bytes = match p.originator.first_pending() {
            Some(seq) => p.originator.slot(seq).bytes,
            None => {
                let first = self.slab.front(&p.waiting)?;
                p.limits.overhead + sizes::msdu(first.packet.size)
            }
        };
        let alone = Assembly::default().with(bytes, &p.limits)?;
        Some((Content::Single, alone.bytes(&p.limits)))
    }

    /// Takes the next aggregate of `peer` out of the hardware queue and says how many new packets
    /// may be in it. One that is needed out of turn is put together now.
    fn take_ready(&mut self, now: Instant, peer: PeerId, on_drop: OnDrop<'_>) -> u32 {
        let mut budget = u32::MAX;
        let deadline = self.deadline(now);
        self.with_stations(|queue, s| {
            let i = usize::from(peer.0);
            let staged = s.take(peer.0);
            let ready = staged.or_else(|| queue.stage(now, s, i, deadline, on_drop));
            budget = ready.map_or(0, |r| r.packets);
        });
        budget
    }

    /// Adds MPDUs of up to `budget` packets that were never sent.
    #[inline]
    fn add_new(&mut self, peer: PeerId, mut budget: u32, assembly: &mut Assembly, psdu: &mut Psdu) {
        let p = &mut self.peers[usize::from(peer.0)];
        let window = p.window();
        while budget > 0
            && p.originator.room(window) > 0
            && let Some(slot) = form(&mut self.slab, &mut p.waiting, budget, assembly, &p.limits)
        {
            budget -= u32::from(slot.msdus);
            p.waiting_packets -= u32::from(slot.msdus);
            self.waiting -= u32::from(slot.msdus);
            self.waiting_bytes -= u64::from(slot.ip_bytes);
            self.window_packets += u32::from(slot.msdus);
            self.window_mpdus += 1;
            self.stats.mpdus += 1;
            let seq = p.originator.assign(slot, window);
            psdu.mpdus.push(reference(seq, &slot));
        }
    }
}

impl Peer {
    /// Adds the MPDUs that have to be sent again. Says whether new ones may follow.
    fn repeat(&self, assembly: &mut Assembly, psdu: &mut Psdu) -> bool {
        if self.originator.first_pending().is_none() {
            return true;
        }
        for seq in self.originator.pending() {
            let slot = self.originator.slot(seq);
            let Some(with) = assembly.with(slot.bytes, &self.limits) else {
                return false;
            };
            *assembly = with;
            psdu.mpdus.push(reference(seq, slot));
        }
        true
    }
}

fn reference(seq: u16, slot: &Slot) -> MpduRef {
    MpduRef {
        seq,
        retries: slot.retries,
        repeated: slot.sent,
        msdus: slot.msdus,
        bytes: slot.bytes,
        ip_bytes: slot.ip_bytes,
        arp: slot.arp,
    }
}

/// Forms an MPDU of the first packets, `most` at most, of `waiting`, and adds it to `assembly` if it fits. Several
/// packets become an A-MSDU, one stays an MSDU (10.12).
fn form(
    slab: &mut Slab,
    waiting: &mut List,
    most: u32,
    assembly: &mut Assembly,
    limits: &Limits,
) -> Option<Slot> {
    let first = slab.front(waiting)?;
    let msdu = sizes::msdu(first.packet.size);
    let mut slot = Slot {
        bytes: limits.overhead + msdu,
        oldest: first.since,
        arp: Message::of(first.packet).map(|m| m.kind),
        ..Slot::default()
    };
    let mut with = assembly.with(slot.bytes, limits)?;
    take(slab, waiting, &mut slot);
    let mut body = sizes::amsdu_with(0, msdu);
    while u32::from(slot.msdus) < most
        && let Some(next) = slab.front(waiting)
    {
        body = sizes::amsdu_with(body, sizes::msdu(next.packet.size));
        let bytes = limits.overhead + body;
        let alone = assembly.mpdus > 0 || Assembly::alone_within(bytes, limits);
        if body > limits.amsdu || bytes > limits.max_mpdu || !alone {
            break;
        }
        let Some(larger) = assembly.with(bytes, limits) else {
            break;
        };
        with = larger;
        slot.bytes = bytes;
        slot.arp = None;
        take(slab, waiting, &mut slot);
    }
    *assembly = with;
    Some(slot)
}

/// Moves the first packet of `waiting` into the MPDU.
fn take(slab: &mut Slab, waiting: &mut List, slot: &mut Slot) {
    if let Some(first) = slab.front(waiting) {
        slot.newest = first.since;
        slot.ip_bytes += first.packet.size;
        slot.msdus += 1;
        slab.shift(waiting, &mut slot.packets);
    }
}
