//! Transport ACKs that ride in the answers to data: TCP/HACK ([`super::CarriedAcks`]).
//!
//! They stay in their queue until an answer that carried them has arrived, so that they keep their
//! place whatever becomes of it. What the receiver learns from the next data of the sender, that
//! its answer was heard, is known here at once. As long as more data are promised, a station does not
//! contend for what it has for their sender, if that is nothing but ACKs; for others it does.

use super::calendar::Event;
use super::{Medium, MediumDriver, PortId, Ppdu, StationId};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::{PeerId, TxQueue};
use crate::wifi::neighbour::Message;
use acklab_units::Instant;

/// Longest IP packet without payload: two headers of 20 bytes and 40 bytes of TCP options.
pub(super) const LONGEST_ACK: u32 = 80;

impl Medium {
    /// Sees to it that somebody looks when patience with what is kept back on `port` ends.
    #[cold]
    pub(super) fn remind(&mut self, now: Instant, port: PortId, category: u8) {
        let way = &self.ports[port.0 as usize];
        let reminded = way.reminded[usize::from(category)];
        if let (false, Some(until)) = (reminded, self.patience_ends(port, category)) {
            self.ports[port.0 as usize].reminded[usize::from(category)] = true;
            let event = Event::KeptLong(port.0, category);
            self.calendar.enter(until.max(now), event);
        }
    }

    /// When what is kept back on `port` contends after all.
    fn patience_ends(&self, port: PortId, category: u8) -> Option<Instant> {
        let way = &self.ports[port.0 as usize];
        let station = &self.stations[usize::from(way.from.0)];
        let queue = &station.categories[usize::from(category)].queue;
        let since = queue.kept_since(PeerId(way.peer))?;
        let data = &self.ports[way.back?.0 as usize];
        Some(since + data.config.carries_acks?.patience)
    }

    /// ACKs have been kept back on `port` as long as they may, unless those that were have been
    /// carried: each ACK has its own time, and what other ways' answers carry does not renew it.
    #[cold]
    pub(super) fn lose_patience<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        driver: &mut D,
    ) {
        let way = &mut self.ports[port.0 as usize];
        let from = way.from;
        way.reminded[usize::from(category)] = false;
        match self.patience_ends(port, category) {
            Some(until) if until > now => self.remind(now, port, category),
            Some(_) => {
                self.stats[usize::from(from.0)].acks_kept_in_vain += 1;
                self.let_go(now, port, category, driver);
            }
            None => {}
        }
    }

    /// The packets kept back on `port` contend.
    #[cold]
    fn let_go<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        driver: &mut D,
    ) {
        let (from, peer) = self.end_of(port);
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let station = &mut self.stations[usize::from(from.0)];
        let edcaf = &mut station.categories[usize::from(category)];
        edcaf.queue.let_go(now, peer, on_drop);
        self.report_drops(now, driver);
        self.want(now, from, category);
        self.await_discipline(now, from, category);
    }

    /// The station that `port` leaves, and what it calls the other one.
    fn end_of(&self, port: PortId) -> (StationId, PeerId) {
        let way = &self.ports[port.0 as usize];
        (way.from, PeerId(way.peer))
    }

    /// The packets that the station of `port` has to send.
    fn queue_of(&mut self, port: PortId, category: u8) -> &mut TxQueue {
        let (from, _) = self.end_of(port);
        let station = &mut self.stations[usize::from(from.0)];
        &mut station.categories[usize::from(category)].queue
    }

    /// Puts ACKs into the answer to the data of `holder`'s exchange: how many.
    pub(super) fn board<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) -> u16 {
        let exchange = self.exchange(holder);
        let data = &self.ports[exchange.port.0 as usize];
        let (Some(carried), Some(back)) = (data.config.carries_acks, data.back) else {
            return 0;
        };
        let way = &self.ports[back.0 as usize];
        let category = usize::from(exchange.category);
        // A packet that is out of order there would be overtaken.
        let in_order = way.recipients[category].reordering() == 0;
        let (from, peer) = self.end_of(back);
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let station = &mut self.stations[usize::from(from.0)];
        station.aboard.clear();
        let queue = &mut station.categories[category].queue;
        let most = usize::from(carried.most);
        let is_ack = |p: &Packet| Message::of(*p).is_none() && driver.is_pure_ack(*p);
        if in_order {
            // One more, for it is the first that waits when these are gone.
            queue.bring_ahead(now, peer, most + 1, |p| is_ack(&p), on_drop);
            let acks = queue.ahead(peer).take_while(is_ack).take(most);
            station.aboard.extend(acks.map(|p| p.id));
        }
        let aboard = station.aboard.len() as u16;
        self.report_drops(now, driver);
        self.await_discipline(now, from, exchange.category);
        aboard
    }

    /// An answer has arrived, and the ACKs in it.
    pub(super) fn alight<D: MediumDriver>(&mut self, now: Instant, answer: &Ppdu, driver: &mut D) {
        let exchange = self.exchange(answer.holder);
        let data = &self.ports[exchange.port.0 as usize];
        let (Some(_), Some(back)) = (data.config.carries_acks, data.back) else {
            return;
        };
        if answer.carried > 0 {
            self.unload(now, answer, back, driver);
        }
        let (_, peer) = self.end_of(back);
        let kept = self.queue_of(back, exchange.category).kept_since(peer);
        if kept.is_some() && self.ports[back.0 as usize].promised.is_none() {
            self.let_go(now, back, exchange.category, driver);
        }
    }

    #[cold]
    fn unload<D: MediumDriver>(
        &mut self,
        now: Instant,
        answer: &Ppdu,
        back: PortId,
        driver: &mut D,
    ) {
        let category = self.exchange(answer.holder).category;
        let (from, peer) = self.end_of(back);
        let (s, drops) = (usize::from(from.0), &mut self.drops);
        let station = &mut self.stations[s];
        let edcaf = &mut station.categories[usize::from(category)];
        let (contender, queue) = (edcaf.contender, &mut edcaf.queue);
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        for id in &station.aboard {
            // It may have been taken out meanwhile.
            if queue.ahead(peer).next().map(|p| p.id) != Some(*id) {
                continue;
            }
            if let Some((packet, joined)) = queue.take_ahead(now, peer, on_drop) {
                driver.on_left(now, packet, answer.start - joined);
                self.out.push_back(packet);
                self.stats[s].acks_carried += 1;
            }
        }
        let left = queue.has_frames();
        self.report_drops(now, driver);
        self.await_discipline(now, from, category);
        if !left {
            self.contention.withdraw(contender);
            self.note_rest(now, from);
        }
    }
}
