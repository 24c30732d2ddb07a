//! The transmissions of a station's turn: a PSDU from its queue, more of it in the same transmission
//! opportunity (10.23.2.8), and what the other side has if it is let (10.29).

use super::exchange::Step;
use super::sending::Room;
use super::station::Exchange;
use super::{Medium, MediumDriver, PortId, StationId};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::{Content, PeerId};
use crate::wifi::neighbour::Message;
use acklab_units::{Instant, Span};

impl Medium {
    /// Fills the PSDU of `station` with what it sends first in a transmission opportunity of length
    /// `txop`, zero if that is not limited.
    #[inline(always)]
    pub(super) fn load<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        txop: Span,
        driver: &mut D,
    ) -> Option<PortId> {
        let port = self.choose_port(now, station, category, driver)?;
        let room = Room {
            left: txop,
            gap: self.gap(),
            rts_from: self.ports[port.0 as usize].config.rts_from,
            first: true,
            probe: self.choose_rate(now, port),
        };
        self.fill(now, port, category, room, driver)
    }

    /// Fills it with what is sent next over `port`, if that is over by `until`, where `None` = any
    /// time.
    #[cold]
    fn load_more<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        until: Option<Instant>,
        driver: &mut D,
    ) -> Option<PortId> {
        let left = until.map(|end| end.saturating_since(now + self.phy.sifs()));
        let room = Room {
            left: left.unwrap_or(Span::ZERO),
            gap: self.gap(),
            rts_from: None,
            first: false,
            probe: self.choose_rate(now, port),
        };
        if left.is_some_and(|left| !self.fits(now, port, category, left)) {
            return None;
        }
        self.fill(now, port, category, room, driver)
    }

    /// Whether anything at all can be sent over `port` and answered within `left`.
    #[cold]
    fn fits(&self, now: Instant, port: PortId, category: u8, left: Span) -> bool {
        let way = &self.ports[port.0 as usize];
        let station = &self.stations[usize::from(way.from.0)];
        let queue = &station.categories[usize::from(category)].queue;
        let least = queue.least(now, PeerId(way.peer));
        least.is_some_and(|(content, bytes)| {
            way.sending.exchange(content, bytes, self.gap()) <= left
        })
    }

    /// From the end of a PPDU to the beginning of its answer, as its sender sees it.
    fn gap(&self) -> Span {
        self.phy.sifs() + self.config.propagation * 2
    }

    /// To whom `station` sends next.
    #[inline(always)]
    fn choose_port<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        driver: &mut D,
    ) -> Option<PortId> {
        let s = usize::from(station.0);
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let queue = &mut self.stations[s].categories[usize::from(category)].queue;
        let peer = queue.select(now, on_drop);
        self.report_drops(now, driver);
        self.await_discipline(now, station, category);
        peer.map(|p| self.routes[s][usize::from(p.0)])
    }

    #[inline(always)]
    fn fill<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        room: Room,
        driver: &mut D,
    ) -> Option<PortId> {
        let way = &self.ports[port.0 as usize];
        let (peer, from) = (PeerId(way.peer), way.from);
        let limits = way.sending.limits(room);
        let station = &mut self.stations[usize::from(from.0)];
        let drops = &mut self.drops;
        let queue = &mut station.categories[usize::from(category)].queue;
        let psdu = &mut station.psdu;
        queue.build(now, peer, &limits, psdu, &mut |p, why| drops.push((p, why)));
        for m in psdu.mpdus.iter().filter(|m| m.retries == 0) {
            for (packet, joined) in queue.packets_of(peer, m.seq) {
                if Message::of(packet).is_none() {
                    driver.on_left(now, packet, now - joined);
                }
            }
        }
        let empty = psdu.is_empty();
        self.report_drops(now, driver);
        self.await_discipline(now, from, category);
        (!empty).then_some(port)
    }

    /// Asks the rate control of `port` for a mode. Says whether it only wants to try it.
    #[inline(always)]
    pub(super) fn choose_rate(&mut self, now: Instant, port: PortId) -> bool {
        let way = &mut self.ports[port.0 as usize];
        let choice = way.rate.choose(now);
        if choice.mode != way.sending.mode {
            way.sending = way.sending.changed(&self.phy, choice.mode, &way.config);
            self.tell_rate(port);
        }
        choice.probe
    }

    /// Tells the queues of the station that `port` leaves how fast it sends there.
    pub(super) fn tell_rate(&mut self, port: PortId) {
        let way = &self.ports[port.0 as usize];
        let limits = way.sending.limits(Room::default());
        for edcaf in &mut self.stations[usize::from(way.from.0)].categories {
            let rate = way.sending.mode.rate();
            edcaf.queue.on_rate(PeerId(way.peer), &limits, rate);
        }
    }

    /// The receiver may send what it has for the holder, who asked for it in its data (10.29.3).
    pub(super) fn grant_reverse<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) -> bool {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let (Some(back), true) = (port.back, port.config.grants_reverse) else {
            return false;
        };
        let asked = &self.stations[usize::from(port.from.0)].psdu;
        if matches!(asked.content, Content::Action(_)) {
            return false;
        }
        let (category, responder) = (exchange.category, port.to);
        let peer = PeerId(self.ports[back.0 as usize].peer);
        let receiver = &mut self.stations[usize::from(responder.0)];
        if receiver.is_occupied() {
            return false;
        }
        let drops = &mut self.drops;
        let queue = &mut receiver.categories[usize::from(category)].queue;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        queue.bring_ahead(now, peer, 1, |_| true, on_drop);
        let any = queue.has_frames_for(peer);
        self.report_drops(now, driver);
        self.await_discipline(now, responder, category);
        if !any {
            return false;
        }
        let until = self.limit(holder);
        if self.load_more(now, back, category, until, driver).is_none() {
            return false;
        }
        self.stations[usize::from(responder.0)].in_reverse = true;
        self.air.ledger.engage(now, responder);
        let exchange = self.exchange_mut(holder);
        (exchange.port, exchange.reversed) = (back, true);
        self.after_sifs(now, holder, Step::Data);
        true
    }

    /// Sends more in the same transmission opportunity, if there is more and it fits.
    pub(super) fn carry_on<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) -> bool {
        let Exchange {
            reversed, category, ..
        } = self.exchange(holder);
        let until = self.limit(holder);
        if reversed || until.is_none_or(|end| now + self.phy.sifs() >= end) {
            return false;
        }
        let loaded = self
            .choose_port(now, holder, category, driver)
            .and_then(|port| self.load_more(now, port, category, until, driver));
        let Some(port) = loaded else {
            return false;
        };
        self.exchange_mut(holder).port = port;
        self.after_sifs(now, holder, Step::Data);
        true
    }

    /// When the transmission opportunity of the holder ends, if it is limited in time.
    fn limit(&self, holder: StationId) -> Option<Instant> {
        let exchange = self.exchange(holder);
        let station = &self.stations[usize::from(holder.0)];
        let txop = station.categories[usize::from(exchange.category)]
            .config
            .txop;
        (!txop.is_zero()).then_some(exchange.until)
    }
}
