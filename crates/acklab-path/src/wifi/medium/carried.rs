//! Transport ACKs that ride in the answers to data: TCP/HACK ([`CarriedAcks`]).
//!
//! They stay in their queue until an answer that carried them has arrived, so that they keep their
//! place whatever becomes of it. What the receiver learns from the next data of the sender, that
//! its answer was heard, is known here at once.

use super::calendar::Event;
use super::station::Edcaf;
use super::{CarriedAcks, Medium, MediumDriver, PortId, Ppdu, StationId};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::PeerId;
use acklab_units::Instant;

/// Longest IP packet without payload: two headers of 20 bytes and 40 bytes of TCP options.
pub(super) const LONGEST_ACK: u32 = 80;

impl Medium {
    /// Whether the station that `port` leaves keeps ACKs back.
    pub(super) fn keeps(&mut self, port: PortId, category: u8) -> bool {
        self.edcaf_of(port, category).keeps_until.is_some()
    }

    /// A packet has joined the queue of `port`, in which there were at most ACKs that are kept back;
    /// `carried` says how it may be carried, too. Without anything else, and with more data
    /// promised to it, the station does not contend.
    pub(super) fn keep_or_not(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        carried: Option<CarriedAcks>,
    ) {
        let edcaf = self.edcaf_of(port, category);
        let Some(carried) = carried else {
            edcaf.keeps_until = None;
            return;
        };
        let until = now + carried.patience;
        if edcaf.keeps_until.is_none() {
            edcaf.keepings = edcaf.keepings.wrapping_add(1);
        }
        edcaf.keeps_until = Some(edcaf.keeps_until.map_or(until, |known| known.min(until)));
        let keeping = edcaf.keepings;
        let kept = &mut self.ports[port.0 as usize].kept_until[usize::from(category)];
        // The first that waits there is the one that has patience.
        if kept.0 != keeping || kept.1.is_none() {
            *kept = (keeping, Some(until));
        }
        self.remind(port, category);
    }

    /// How ACKs that wait at `port` may be carried, if the other side has promised more data.
    pub(super) fn carried_on(&self, port: PortId) -> Option<CarriedAcks> {
        let data = &self.ports[self.ports[port.0 as usize].back?.0 as usize];
        data.config.carries_acks.filter(|_| data.promises_more)
    }

    fn edcaf_of(&mut self, port: PortId, category: u8) -> &mut Edcaf {
        let from = self.ports[port.0 as usize].from;
        &mut self.stations[usize::from(from.0)].categories[usize::from(category)]
    }

    /// Sees to it that somebody looks when patience ends.
    fn remind(&mut self, port: PortId, category: u8) {
        let edcaf = self.edcaf_of(port, category);
        let contender = edcaf.contender.0;
        if let (Some(until), false) = (edcaf.keeps_until, edcaf.reminded) {
            edcaf.reminded = true;
            self.calendar.enter(until, Event::KeptLong(contender));
        }
    }

    /// ACKs have been kept back as long as they may, unless those that were have been carried: what
    /// other ways' answers carry does not renew the patience of one. Whoever loses it takes all along,
    /// since it is the access category that contends.
    pub(super) fn lose_patience(&mut self, now: Instant, contender: u32) {
        let (station, category) = self.contenders[contender as usize];
        let s = usize::from(station.0);
        let edcaf = &mut self.stations[s].categories[usize::from(category)];
        edcaf.reminded = false;
        if edcaf.keeps_until.is_none() {
            return;
        }
        let keeping = edcaf.keepings;
        let kept = self.routes[s].iter().filter_map(|port| {
            let (of, until) = self.ports[port.0 as usize].kept_until[usize::from(category)];
            until.filter(|_| of == keeping)
        });
        let next = kept.min().filter(|until| *until > now);
        edcaf.keeps_until = next;
        if let Some(until) = next {
            edcaf.reminded = true;
            self.calendar.enter(until, Event::KeptLong(contender));
        } else {
            self.stats[s].acks_kept_in_vain += 1;
            self.want(now, station, category);
        }
    }

    /// Puts ACKs into the answer to the data of `holder`'s exchange: how many.
    pub(super) fn board<D: MediumDriver>(&mut self, holder: StationId, driver: &D) -> u16 {
        let exchange = self.exchange(holder);
        let data = &self.ports[exchange.port.0 as usize];
        let (Some(carried), Some(back)) = (data.config.carries_acks, data.back) else {
            return 0;
        };
        let way = &self.ports[back.0 as usize];
        let category = usize::from(exchange.category);
        // What is out of order there would be overtaken.
        let in_order = way.recipients[category].reordering() == 0;
        let station = &mut self.stations[usize::from(way.from.0)];
        let ahead = station.categories[category].queue.ahead(PeerId(way.peer));
        let acks = ahead.take_while(|p| in_order && driver.is_pure_ack(*p));
        station.aboard.clear();
        station
            .aboard
            .extend(acks.take(usize::from(carried.most)).map(|p| p.id));
        station.aboard.len() as u16
    }

    /// The ACKs in an answer have arrived with it.
    pub(super) fn alight<D: MediumDriver>(&mut self, now: Instant, answer: &Ppdu, driver: &mut D) {
        let exchange = self.exchange(answer.holder);
        let Some(back) = self.ports[exchange.port.0 as usize].back else {
            return;
        };
        if answer.carried == 0 {
            return;
        }
        let peer = PeerId(self.ports[back.0 as usize].peer);
        let (s, drops) = (usize::from(answer.from.0), &mut self.drops);
        let station = &mut self.stations[s];
        let edcaf = &mut station.categories[usize::from(exchange.category)];
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        for id in &station.aboard {
            // It may have been taken out meanwhile.
            if edcaf.queue.ahead(peer).next().map(|p| p.id) != Some(*id) {
                continue;
            }
            if let Some((packet, joined)) = edcaf.queue.take_ahead(now, peer, on_drop) {
                driver.on_left(now, packet, now - joined);
                self.out.push_back(packet);
                self.stats[s].acks_carried += 1;
            }
        }
        self.report_drops(now, driver);
        self.relax(now, back, exchange.category);
    }

    /// Some ACKs are gone from the queue of `port`: without others there is nothing to contend for,
    /// and those that wait there have their own time.
    fn relax(&mut self, now: Instant, port: PortId, category: u8) {
        let carried = self.carried_on(port);
        let edcaf = self.edcaf_of(port, category);
        let (contender, keeping) = (edcaf.contender, edcaf.keepings);
        if !edcaf.queue.has_frames() {
            edcaf.keeps_until = None;
            self.contention.withdraw(contender);
            let from = self.ports[port.0 as usize].from;
            self.note_rest(now, from);
        } else if edcaf.keeps_until.is_some() {
            let way = &self.ports[port.0 as usize];
            let edcaf = &self.stations[usize::from(way.from.0)].categories[usize::from(category)];
            let waits = edcaf.queue.has_frames_for(PeerId(way.peer));
            let until = carried.filter(|_| waits).map(|c| now + c.patience);
            self.ports[port.0 as usize].kept_until[usize::from(category)] = (keeping, until);
        }
    }
}
