//! What a station sends when it may: a PSDU from its queue, more of it in the same transmission
//! opportunity (10.23.2.8), and what the other side has if it is let (10.29).

use super::exchange::Step;
use super::{Medium, MediumDriver, PortId, StationId};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::{Limits, PeerId, sizes};
use crate::wifi::phy::{Format, Mode};
use acklab_units::{Instant, Span};

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
    ) -> Option<(PortId, Mode)> {
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
    ) -> Option<(PortId, Mode)> {
        let way = &self.ports[port.0 as usize];
        let (peer, mode, from) = (PeerId(way.peer), way.config.mode, way.from);
        let limits = self.limits(port, mode, left);
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
        Some((port, mode))
    }

    pub(super) fn limits(&self, port: PortId, mode: Mode, left: Span) -> Limits {
        let config = &self.ports[port.0 as usize].config;
        let a = &config.aggregation;
        let longest = match (self.phy.max_time(mode), left) {
            (Some(most), Span::ZERO) => most,
            (None, Span::ZERO) => Span::from_secs(1),
            (most, left) => {
                let answer = self.phy.sifs() + self.response_time(mode, a.window);
                let left = left.saturating_sub(answer);
                most.map_or(left, |most| most.min(left))
            }
        };
        Limits {
            max_psdu: self.phy.max_psdu(mode, longest),
            ampdu: a.ampdu,
            amsdu: a.amsdu,
            max_mpdu: a.max_mpdu,
            window: a.window,
            spacing: bytes_in(mode, a.spacing),
            overhead: a.overhead,
            always_delimited: matches!(mode.format(), Format::Vht | Format::He),
        }
    }

    /// The longer of the answers to data.
    pub(super) fn response_time(&self, mode: Mode, window: u16) -> Span {
        let answer = self.phy.response_mode(mode);
        self.phy.duration(answer, sizes::block_ack(window)) + self.config.propagation
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
        let Some((port, mode)) = self.load_for(now, back, category, Span::ZERO, driver) else {
            return false;
        };
        self.report_drops(now, driver);
        let exchange = self.exchange_mut(holder);
        (exchange.port, exchange.mode, exchange.reversed) = (port, mode, true);
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
        let Some((port, mode)) = self.load(now, holder, category, left, driver) else {
            return false;
        };
        let exchange = self.exchange_mut(holder);
        (exchange.port, exchange.mode) = (port, mode);
        self.after_sifs(now, holder, Step::Data);
        true
    }

    /// Whether any data of a usual size can be sent and answered within `left`.
    pub(super) fn fits_in(&self, holder: StationId, left: Span) -> bool {
        let exchange = self.exchange(holder);
        let answer = self.response_time(exchange.mode, 64) + self.phy.sifs();
        left.saturating_sub(answer) > self.phy.duration(exchange.mode, 1600)
    }
}

/// Bytes that `mode` sends in `span`, rounded up.
fn bytes_in(mode: Mode, span: Span) -> u32 {
    let bits = u128::from(mode.rate().as_bps()) * u128::from(span.as_nanos());
    bits.div_ceil(8_000_000_000) as u32
}
