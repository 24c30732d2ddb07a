//! The outcome of an exchange, and packets past their lifetime.

use super::{OnDrop, TxQueue};
use crate::packet::{DropReason, Packet};
use crate::qdisc::slab::{List, Slab, Waiting};
use crate::wifi::mac::PeerId;
use crate::wifi::mac::bitmap::Bitmap;
use crate::wifi::mac::originator::{BarReason, Originator};
use crate::wifi::mac::psdu::{Content, Outcome, Psdu};
use acklab_units::Instant;

/// The packets of an MPDU that was decoded: each that is drawn has left the queue.
#[derive(Debug)]
pub struct HandOver<'a> {
    slab: &'a mut Slab,
    packets: &'a mut List,
    handed_over: &'a mut u64,
}

impl Iterator for HandOver<'_> {
    type Item = Packet;

    #[inline]
    fn next(&mut self) -> Option<Packet> {
        let Waiting { packet, .. } = self.slab.pop(self.packets)?;
        *self.handed_over += 1;
        Some(packet)
    }
}

impl TxQueue {
    /// The packets of the MPDU of that number on its way to `peer`, for the recipient that has
    /// decoded it. There are none if the recipient has them already.
    #[inline]
    pub fn hand_over(&mut self, peer: PeerId, seq: u16) -> HandOver<'_> {
        let p = &mut self.peers[usize::from(peer.0)];
        debug_assert!(p.originator.is_pending(seq), "{seq} is not on its way");
        HandOver {
            slab: &mut self.slab,
            packets: &mut p.originator.slot_mut(seq).packets,
            handed_over: &mut self.stats.handed_over,
        }
    }

    /// The packets of the MPDU of that number that the recipient does not have, and when they joined
    /// the queue.
    pub fn packets_of(
        &self,
        peer: PeerId,
        seq: u16,
    ) -> impl Iterator<Item = (Packet, Instant)> + '_ {
        let slot = self.peers[usize::from(peer.0)].originator.slot(seq);
        self.slab.iter(&slot.packets).map(|w| (w.packet, w.joined))
    }

    /// The exchange is over: `psdu`, which was built for `peer`, was answered by `outcome`.
    pub fn on_response(
        &mut self,
        now: Instant,
        peer: PeerId,
        psdu: &Psdu,
        outcome: Outcome,
        on_drop: OnDrop<'_>,
    ) {
        debug_assert!(self.is_on_air(peer), "no exchange with {peer:?}");
        self.land(peer);
        match (psdu.content, outcome) {
            (Content::Action(action), outcome) => {
                self.on_action_over(now, (peer, action), outcome, on_drop);
            }
            (Content::Bar(_), Outcome::BlockAck(start, bitmap)) => {
                self.on_bar_answer(peer, start, bitmap, on_drop);
            }
            (Content::Bar(_), _) => self.on_bar_failure(peer, on_drop),
            (_, Outcome::BlockAck(start, bitmap)) => {
                for m in &psdu.mpdus {
                    if Originator::says_received(start, &bitmap, m.seq) {
                        self.acknowledge(peer, m.seq);
                    } else {
                        self.fail(peer, m.seq, true);
                        self.give_up_if_spent(peer, m.seq, on_drop);
                    }
                }
            }
            (_, Outcome::Ack) => {
                debug_assert_eq!(psdu.mpdus.len(), 1, "an ACK for an A-MPDU");
                psdu.mpdus
                    .iter()
                    .for_each(|m| self.acknowledge(peer, m.seq));
            }
            (_, Outcome::Unasked) => self.on_unasked(peer, psdu, on_drop),
            (_, Outcome::Nothing | Outcome::NotSent) => {
                let sent = outcome == Outcome::Nothing;
                for m in &psdu.mpdus {
                    self.fail(peer, m.seq, sent);
                }
                let asked = psdu.content == Content::Ampdu && sent;
                self.on_silence(peer, psdu, asked && self.config.explicit_bar, on_drop);
            }
        }
        let answered = matches!(outcome, Outcome::Ack | Outcome::BlockAck(..));
        self.conclude(peer, answered);
        self.schedule(now, on_drop);
        self.check();
    }

    /// The window moves on; a peer that answers is worth a request that was given up before.
    #[inline(always)]
    fn conclude(&mut self, peer: PeerId, answered: bool) {
        let p = &mut self.peers[usize::from(peer.0)];
        p.originator.slide(p.agreement());
        if answered {
            p.originator.unpark_bar();
        }
        self.rekey(peer);
    }

    /// A group-addressed packet is not sent again (10.3.6), whoever has read it.
    #[cold]
    fn on_unasked(&mut self, peer: PeerId, psdu: &Psdu, on_drop: OnDrop<'_>) {
        for m in &psdu.mpdus {
            let originator = &self.peers[usize::from(peer.0)].originator;
            if originator.slot(m.seq).packets.is_empty() {
                self.acknowledge(peer, m.seq);
            } else {
                self.give_up(peer, m.seq, DropReason::RetryLimit, on_drop);
            }
        }
    }

    /// No answer to data. With `ask` it stays open what arrived, until a BlockAckReq is answered.
    #[cold]
    fn on_silence(&mut self, peer: PeerId, psdu: &Psdu, ask: bool, on_drop: OnDrop<'_>) {
        if ask {
            let p = &mut self.peers[usize::from(peer.0)];
            return p.originator.on_missed();
        }
        for m in &psdu.mpdus {
            self.give_up_if_spent(peer, m.seq, on_drop);
        }
    }

    #[cold]
    fn on_bar_answer(&mut self, peer: PeerId, start: u16, bitmap: Bitmap, on_drop: OnDrop<'_>) {
        let originator = &mut self.peers[usize::from(peer.0)].originator;
        originator.on_bar_answered();
        for seq in originator.pending() {
            if Originator::says_received(start, &bitmap, seq) {
                self.acknowledge(peer, seq);
            } else {
                self.give_up_if_spent(peer, seq, on_drop);
            }
        }
    }

    /// A request without an answer. Given up, MPDUs count as lost, and a gap waits for better times.
    #[cold]
    fn on_bar_failure(&mut self, peer: PeerId, on_drop: OnDrop<'_>) {
        let p = &mut self.peers[usize::from(peer.0)];
        let originator = &mut p.originator;
        originator.bar_failures = originator.bar_failures.saturating_add(1);
        let spent = self
            .config
            .bar_limit
            .is_some_and(|most| originator.bar_failures >= most);
        let reason = originator.bar();
        let pointless = reason == Some(BarReason::Gap) && p.is_idle();
        if !spent && !pointless {
            return;
        }
        let originator = &mut p.originator;
        originator.give_up_bar();
        if reason == Some(BarReason::Missed) {
            for seq in originator.pending() {
                self.give_up_if_spent(peer, seq, on_drop);
            }
        }
    }

    #[inline]
    fn acknowledge(&mut self, peer: PeerId, seq: u16) {
        let p = &mut self.peers[usize::from(peer.0)];
        if !p.originator.is_pending(seq) {
            return;
        }
        p.originator.acknowledge(seq);
        let slot = p.originator.slot(seq);
        p.below -= u64::from(slot.ip_bytes);
        debug_assert!(
            slot.packets.is_empty(),
            "{seq} acknowledged and not handed over"
        );
        self.window_packets -= u32::from(slot.msdus);
        self.window_mpdus -= 1;
        self.stats.acknowledged += 1;
    }

    /// An MPDU was not acknowledged; `sent`: it was on the air.
    #[cold]
    fn fail(&mut self, peer: PeerId, seq: u16, sent: bool) {
        let slot = self.peers[usize::from(peer.0)].originator.slot_mut(seq);
        slot.retries = slot.retries.saturating_add(1);
        slot.sent |= sent;
    }

    #[cold]
    fn give_up_if_spent(&mut self, peer: PeerId, seq: u16, on_drop: OnDrop<'_>) {
        let p = &self.peers[usize::from(peer.0)];
        let limit = match p.agreement() {
            true => self.config.agreement_retry_limit,
            false => Some(self.config.retry_limit),
        };
        if limit.is_some_and(|most| p.originator.slot(seq).retries >= most) {
            self.give_up(peer, seq, DropReason::RetryLimit, on_drop);
        }
    }

    /// An MPDU is no longer sent. Packets that the recipient does not have are lost.
    #[cold]
    fn give_up(&mut self, peer: PeerId, seq: u16, reason: DropReason, on_drop: OnDrop<'_>) {
        let p = &mut self.peers[usize::from(peer.0)];
        p.originator.give_up(seq);
        let slot = p.originator.slot_mut(seq);
        p.below -= u64::from(slot.ip_bytes);
        self.window_packets -= u32::from(slot.msdus);
        self.window_mpdus -= 1;
        self.stats.given_up += 1;
        while let Some(lost) = self.slab.pop(&mut slot.packets) {
            self.stats.dropped += 1;
            on_drop(lost.packet, reason);
        }
    }

    /// Drops what `peer` has that arrived before `deadline`. Says whether anything was dropped.
    #[cold]
    pub(super) fn expire(&mut self, peer: PeerId, deadline: Instant, on_drop: OnDrop<'_>) -> bool {
        let i = usize::from(peer.0);
        let mut expired = false;
        while let Some(seq) = self.peers[i].originator.first_pending()
            && self.peers[i].originator.slot(seq).newest < deadline
        {
            self.give_up(peer, seq, DropReason::LifetimeExpired, on_drop);
            expired = true;
        }
        let p = &mut self.peers[i];
        if expired {
            p.originator.slide(p.agreement());
        }
        while let Some(first) = self.slab.front(&p.waiting)
            && first.since < deadline
        {
            self.slab.pop(&mut p.waiting);
            p.waiting_packets -= 1;
            p.below -= u64::from(first.packet.size);
            self.waiting -= 1;
            self.waiting_bytes -= u64::from(first.packet.size);
            self.stats.dropped += 1;
            on_drop(first.packet, DropReason::LifetimeExpired);
            expired = true;
        }
        if let Some(s) = &mut self.stations {
            s.on_lost(i, p.waiting_packets);
        }
        expired
    }
}
