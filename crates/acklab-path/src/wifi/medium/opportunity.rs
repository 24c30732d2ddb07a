//! What a station sends when it may: a PSDU from its queue, more of it in the same transmission
//! opportunity (10.23.2.8), and what the other side has if it is let (10.29).

use super::exchange::Step;
use super::sending::Sending;
use super::{Medium, MediumDriver, PortId, StationId};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::{Content, PeerId};
use acklab_units::{Instant, Span};

/// An MPDU with an IP packet of 1500 bytes, and some more.
const USUAL: u32 = 1600;

impl Medium {
    /// Fills the PSDU of `station` with what it sends next; `left` is what remains of its
    /// transmission opportunity, zero if that is not limited.
    pub(super) fn load<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        left: Span,
        driver: &mut D,
    ) -> Option<PortId> {
        let s = usize::from(station.0);
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let queue = &mut self.stations[s].categories[usize::from(category)].queue;
        let peer = queue.select(now, on_drop);
        let port = peer.map(|p| self.routes[s][usize::from(p.0)]);
        let loaded = port.and_then(|port| self.load_for(now, port, category, left, driver));
        self.report_drops(now, driver);
        loaded
    }

    /// The same towards one port.
    pub(super) fn load_for<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        left: Span,
        driver: &mut D,
    ) -> Option<PortId> {
        let probe = self.choose_rate(now, port);
        let way = &self.ports[port.0 as usize];
        let (peer, from) = (PeerId(way.peer), way.from);
        let limits = way.sending.limits(left, self.phy.sifs(), probe);
        let station = &mut self.stations[usize::from(from.0)];
        let drops = &mut self.drops;
        let queue = &mut station.categories[usize::from(category)].queue;
        let psdu = &mut station.psdu;
        queue.build(now, peer, &limits, psdu, &mut |p, why| drops.push((p, why)));
        if psdu.is_empty() {
            return None;
        }
        for m in psdu.mpdus.iter().filter(|m| m.retries == 0) {
            for (packet, since) in queue.packets_of(peer, m.seq) {
                driver.on_left(now, packet, now - since);
            }
        }
        Some(port)
    }

    /// Asks the rate control of `port` for a mode. Says whether it only wants to try it.
    fn choose_rate(&mut self, now: Instant, port: PortId) -> bool {
        let way = &mut self.ports[port.0 as usize];
        let choice = way.rate.choose(now);
        if choice.mode != way.sending.mode {
            way.sending = Sending::new(&self.phy, choice.mode, &way.config);
            self.tell_rate(port);
        }
        choice.probe
    }

    /// Tells the queues of the station that `port` leaves how fast it sends there.
    pub(super) fn tell_rate(&mut self, port: PortId) {
        let way = &self.ports[port.0 as usize];
        let limits = way.sending.limits(Span::ZERO, Span::ZERO, false);
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
        let category = exchange.category;
        let receiver = &self.stations[usize::from(port.to.0)];
        let queue = &receiver.categories[usize::from(category)].queue;
        let peer = PeerId(self.ports[back.0 as usize].peer);
        if receiver.exchange.is_some() || !queue.has_frames_for(peer) {
            return false;
        }
        let loaded = self.load_for(now, back, category, Span::ZERO, driver);
        self.report_drops(now, driver);
        let Some(port) = loaded else {
            return false;
        };
        let exchange = self.exchange_mut(holder);
        (exchange.port, exchange.reversed) = (port, true);
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
        let exchange = self.exchange(holder);
        let start = now + self.phy.sifs();
        if exchange.reversed || start >= exchange.until {
            return false;
        }
        let left = exchange.until - start;
        let category = exchange.category;
        let queue = &self.stations[usize::from(holder.0)].categories[usize::from(category)].queue;
        if !queue.has_frames() || !self.fits_in(holder, left) {
            return false;
        }
        let Some(port) = self.load(now, holder, category, left, driver) else {
            return false;
        };
        self.exchange_mut(holder).port = port;
        self.after_sifs(now, holder, Step::Data);
        true
    }

    /// Whether any data of a usual size can be sent and answered within `left`.
    pub(super) fn fits_in(&self, holder: StationId, left: Span) -> bool {
        let exchange = self.exchange(holder);
        let sending = &self.ports[exchange.port.0 as usize].sending;
        let answer = sending.block_ack + self.phy.sifs();
        left.saturating_sub(answer) > sending.data(Content::Single, USUAL)
    }
}
