//! Frame exchange sequences: RTS and CTS, data, the answer, and what may follow in the same
//! transmission opportunity (10.3.2, 10.23.2, 10.29).

use super::station::Exchange;
use super::{
    AfterSilence, Event, Medium, MediumDriver, PortId, Ppdu, PpduKind, StationId, Use, draw,
};
use crate::packet::DropReason;
use crate::packet::Packet;
use crate::wifi::mac::{Content, Limits, Outcome, PeerId, sizes};
use crate::wifi::phy::{Format, Mode};
use acklab_units::{Instant, Span};

/// What follows a SIFS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The receiver answers an RTS.
    Cts,
    /// Whose turn it is sends data.
    Data,
    /// The receiver answers data.
    Response,
}

/// A frame about to be sent.
struct Frame {
    kind: PpduKind,
    from: StationId,
    to: StationId,
    mode: Mode,
    bytes: u32,
    mpdus: u16,
    /// How long the exchange lasts beyond it.
    reserves: Span,
    use_of: Use,
}

impl Medium {
    /// Lets everybody transmit whose slot it is.
    pub(super) fn grant<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        let mut winners = core::mem::take(&mut self.winners);
        winners.clear();
        self.contention.grant(now, &mut winners);
        // Those of one station follow each other, the most urgent first.
        let mut last = None;
        for who in &winners {
            let (station, category) = self.contenders[who.0 as usize];
            if last == Some(station) {
                self.collide_inside(now, station, category);
            } else if self.begin(now, station, category, driver) {
                last = Some(station);
            }
        }
        self.winners = winners;
    }

    /// A more urgent category of the same station won at the same boundary (10.23.2.4).
    fn collide_inside(&mut self, now: Instant, station: StationId, category: u8) {
        self.stats[usize::from(station.0)].internal_collisions += 1;
        let limit = self.config.retry_limit;
        let edcaf = &mut self.stations[usize::from(station.0)].categories[usize::from(category)];
        edcaf.on_failure(limit);
        let slots = draw(&mut self.rng.backoff, edcaf.cw);
        self.contention.back_off(now, edcaf.contender, slots, true);
    }

    /// Begins an exchange. Says whether there was anything to send.
    fn begin<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        driver: &mut D,
    ) -> bool {
        let edcaf = &self.stations[usize::from(station.0)].categories[usize::from(category)];
        let (txop, contender) = (edcaf.config.txop, edcaf.contender);
        let delay = now.saturating_since(edcaf.wants_since);
        let until = now + txop;
        let Some((port, mode)) = self.load(now, station, category, txop, driver) else {
            self.contention.back_off(now, contender, 0, false);
            return false;
        };
        self.exchanges += 1;
        self.under_way += 1;
        self.stats[usize::from(station.0)].on_access(delay);
        let psdu = &self.stations[usize::from(station.0)].psdu;
        let rts_from = self.ports[port.0 as usize].config.rts_from;
        let announced = rts_from.is_some_and(|least| psdu.bytes >= least);
        self.stations[usize::from(station.0)].exchange = Some(Exchange {
            category,
            port,
            mode,
            next: Step::Data,
            number: self.exchanges,
            announced,
            reversed: false,
            until,
        });
        if announced {
            self.send_rts(now, station);
        } else {
            self.send_data(now, station);
        }
        true
    }

    /// Fills the PSDU of `station` with what it sends next; `left` is what remains of its
    /// transmission opportunity, zero if that is not limited.
    fn load<D: MediumDriver>(
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
    fn load_for<D: MediumDriver>(
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

    fn limits(&self, port: PortId, mode: Mode, left: Span) -> Limits {
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
    fn response_time(&self, mode: Mode, window: u16) -> Span {
        let answer = self.phy.response_mode(mode);
        self.phy.duration(answer, sizes::block_ack(window)) + self.config.propagation
    }

    fn send_rts(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let (to, mode) = (port.to, self.phy.response_mode(exchange.mode));
        // Who hears nothing of what was announced need not wait for its end (10.3.2.4).
        let cts = self.phy.duration(mode, sizes::CTS);
        let reserves = self.phy.sifs() * 2 + cts + self.phy.slot() * 2;
        self.put_on_air(
            now,
            holder,
            Frame {
                kind: PpduKind::Rts,
                from: holder,
                to,
                mode,
                bytes: sizes::RTS,
                mpdus: 0,
                reserves,
                use_of: Use::Control,
            },
        );
    }

    fn send_cts(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let mode = self.phy.response_mode(exchange.mode);
        let bytes = self.stations[usize::from(holder.0)].psdu.bytes;
        let data = self.phy.duration(exchange.mode, bytes);
        let answer = self.response_time(exchange.mode, port.config.aggregation.window);
        let reserves = self.phy.sifs() * 2 + data + answer;
        self.put_on_air(
            now,
            holder,
            Frame {
                kind: PpduKind::Cts,
                from: port.to,
                to: holder,
                mode,
                bytes: sizes::CTS,
                mpdus: 0,
                reserves,
                use_of: Use::Control,
            },
        );
    }

    fn send_data(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let (from, to) = (port.from, port.to);
        let psdu = &self.stations[usize::from(from.0)].psdu;
        let (kind, mode) = match psdu.content {
            Content::Bar(_) => (
                PpduKind::BlockAckRequest,
                self.phy.response_mode(exchange.mode),
            ),
            Content::Single | Content::Ampdu => (PpduKind::Data, exchange.mode),
        };
        let mpdus = psdu.mpdus.len();
        let (_, answer_bytes) = answer_to(psdu.content, port.config.aggregation.window);
        let answer = self
            .phy
            .duration(self.phy.response_mode(mode), answer_bytes);
        let use_of = match psdu.content {
            Content::Bar(_) => Use::Control,
            _ if is_acks_only(psdu) => Use::TransportAck,
            _ => Use::Data,
        };
        let frame = Frame {
            kind,
            from,
            to,
            mode,
            bytes: psdu.bytes,
            mpdus: mpdus as u16,
            reserves: self.phy.sifs() + answer + self.config.propagation,
            use_of,
        };
        if mpdus > 0 {
            let retries = psdu.mpdus.iter().filter(|m| m.retries > 0).count();
            self.stats[usize::from(from.0)].on_data(mpdus, retries);
        }
        self.put_on_air(now, holder, frame);
    }

    fn send_response(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let content = self.stations[usize::from(port.from.0)].psdu.content;
        let (kind, bytes) = answer_to(content, port.config.aggregation.window);
        let asked = match content {
            Content::Bar(_) => self.phy.response_mode(exchange.mode),
            Content::Single | Content::Ampdu => exchange.mode,
        };
        self.put_on_air(
            now,
            holder,
            Frame {
                kind,
                from: port.to,
                to: port.from,
                mode: self.phy.response_mode(asked),
                bytes,
                mpdus: 0,
                reserves: Span::ZERO,
                use_of: Use::MacAck,
            },
        );
    }

    fn put_on_air(&mut self, now: Instant, holder: StationId, frame: Frame) {
        let duration = self.phy.duration(frame.mode, frame.bytes) + self.config.propagation;
        let end = now + duration;
        let number = self.air.begin(
            Ppdu {
                kind: frame.kind,
                from: frame.from,
                to: frame.to,
                holder,
                mode: frame.mode,
                start: now,
                end,
                nav: end + frame.reserves,
                bytes: frame.bytes,
                mpdus: frame.mpdus,
                use_of: frame.use_of,
                garbled: false,
            },
            &mut self.contention,
        );
        self.latest = frame.use_of;
        self.calendar.enter(end, Event::PpduEnds(number));
    }

    /// A PPDU has left the air.
    pub(super) fn on_ppdu_end<D: MediumDriver>(
        &mut self,
        now: Instant,
        number: u32,
        driver: &mut D,
    ) {
        let to = self.air.receiver(number);
        let reserved = self.air.is_reserved(now, to);
        let ppdu = self.air.end(number, &mut self.contention);
        self.book(&ppdu);
        driver.on_ppdu(&ppdu);
        let heard = !ppdu.garbled;
        match ppdu.kind {
            PpduKind::Rts if heard && !reserved && self.is_free(ppdu.to) => {
                self.after_sifs(now, ppdu.holder, Step::Cts);
            }
            PpduKind::Cts if heard => {
                self.exchange_mut(ppdu.holder).announced = false;
                self.after_sifs(now, ppdu.holder, Step::Data);
            }
            PpduKind::Data | PpduKind::BlockAckRequest if heard && self.receive(&ppdu) => {
                self.after_sifs(now, ppdu.holder, Step::Response);
            }
            PpduKind::Ack | PpduKind::BlockAck if heard && self.survives(&ppdu) => {
                self.on_response(now, ppdu.holder, driver);
            }
            // What was garbled was at least there: no need to wait for it.
            PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck => {
                self.on_silence(now, ppdu.holder, driver);
            }
            PpduKind::Rts | PpduKind::Data | PpduKind::BlockAckRequest => {
                let wait = self.phy.ack_timeout(self.phy.response_mode(ppdu.mode));
                let number = self.exchange(ppdu.holder).number;
                let timeout = Event::Timeout(ppdu.holder.0, number);
                self.calendar.enter(now + wait, timeout);
            }
        }
    }

    fn book(&mut self, ppdu: &Ppdu) {
        let span = ppdu.end - ppdu.start;
        let what = if ppdu.garbled {
            Use::Collision
        } else {
            ppdu.use_of
        };
        self.stats[usize::from(ppdu.from.0)]
            .airtime
            .spend(what, span);
        if ppdu.kind == PpduKind::Data {
            let port = self.exchange(ppdu.holder).port;
            self.ports[port.0 as usize].airtime += span;
        }
    }

    /// Whether `station` has no exchange of its own under way.
    fn is_free(&self, station: StationId) -> bool {
        self.stations[usize::from(station.0)].exchange.is_none()
    }

    fn after_sifs(&mut self, now: Instant, holder: StationId, step: Step) {
        self.exchange_mut(holder).next = step;
        self.in_sifs += 1;
        let at = now + self.phy.sifs();
        self.calendar.enter(at, Event::Continue(holder.0));
    }

    /// The SIFS is over.
    pub(super) fn go_on(&mut self, now: Instant, holder: StationId) {
        self.in_sifs -= 1;
        match self.exchange(holder).next {
            Step::Cts => self.send_cts(now, holder),
            Step::Data => self.send_data(now, holder),
            Step::Response => self.send_response(now, holder),
        }
    }

    pub(super) fn on_timeout<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        number: u32,
        driver: &mut D,
    ) {
        let exchange = self.stations[usize::from(holder.0)].exchange;
        if exchange.is_some_and(|e| e.number == number) {
            self.on_silence(now, holder, driver);
        }
    }

    /// The data of the exchange were answered.
    fn on_response<D: MediumDriver>(&mut self, now: Instant, holder: StationId, driver: &mut D) {
        let outcome = self.outcome(holder);
        self.settle(now, holder, outcome, driver);
        let exchange = self.exchange(holder);
        if !exchange.reversed {
            let limit = usize::from(exchange.category);
            self.stations[usize::from(holder.0)].categories[limit].on_success();
            if self.grant_reverse(now, holder, driver) {
                return;
            }
        }
        if self.carry_on(now, holder, driver) {
            return;
        }
        self.conclude(now, holder, true);
    }

    /// No answer, or one that could not be read.
    fn on_silence<D: MediumDriver>(&mut self, now: Instant, holder: StationId, driver: &mut D) {
        let exchange = self.exchange(holder);
        let outcome = if exchange.announced {
            Outcome::NotSent
        } else {
            Outcome::Nothing
        };
        self.settle(now, holder, outcome, driver);
        if exchange.reversed {
            return self.conclude(now, holder, true);
        }
        self.stats[usize::from(holder.0)].failures += 1;
        let limit = self.config.retry_limit;
        let station = &mut self.stations[usize::from(holder.0)];
        station.categories[usize::from(exchange.category)].on_failure(limit);
        self.conclude(now, holder, false);
    }

    /// Tells the queue that sent the data what became of them.
    fn settle<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        outcome: Outcome,
        driver: &mut D,
    ) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let (sender, peer) = (port.from, PeerId(port.peer));
        let station = &mut self.stations[usize::from(sender.0)];
        let drops = &mut self.drops;
        let queue = &mut station.categories[usize::from(exchange.category)].queue;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        queue.on_response(now, peer, &station.psdu, outcome, on_drop);
        self.report_drops(now, driver);
    }

    /// The receiver may send what it has for the holder, who asked for it in its data (10.29.3).
    fn grant_reverse<D: MediumDriver>(
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
    fn carry_on<D: MediumDriver>(
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
    fn fits_in(&self, holder: StationId, left: Span) -> bool {
        let exchange = self.exchange(holder);
        let answer = self.response_time(exchange.mode, 64) + self.phy.sifs();
        left.saturating_sub(answer) > self.phy.duration(exchange.mode, 1600)
    }

    /// The exchange is over: the station backs off, and contends if it has more.
    fn conclude(&mut self, now: Instant, holder: StationId, answered: bool) {
        let quiet = self.air.quiet_since(holder);
        let station = &mut self.stations[usize::from(holder.0)];
        let Some(exchange) = station.exchange.take() else {
            unreachable!("an exchange that ends is under way");
        };
        self.under_way -= 1;
        let edcaf = &mut station.categories[usize::from(exchange.category)];
        let wants = edcaf.queue.has_frames();
        if wants {
            edcaf.wants_since = now;
        }
        let slots = draw(&mut self.rng.backoff, edcaf.cw);
        if answered || !wants {
            self.contention.back_off(now, edcaf.contender, slots, wants);
        } else {
            let start = quiet + self.phy.aifs(edcaf.config.aifsn);
            self.contention
                .back_off_from(now, edcaf.contender, slots, start);
        }
        if exchange.reversed {
            self.refresh(now, exchange);
        }
    }

    /// Who was granted the reverse direction may have less to contend for, or nothing.
    fn refresh(&mut self, now: Instant, exchange: Exchange) {
        let sender = self.ports[exchange.port.0 as usize].from;
        let station = &self.stations[usize::from(sender.0)];
        let edcaf = &station.categories[usize::from(exchange.category)];
        if edcaf.queue.has_frames() {
            self.want(now, sender, exchange.category);
        } else {
            self.contention.withdraw(edcaf.contender);
        }
    }

    pub(super) fn exchange(&self, holder: StationId) -> Exchange {
        let exchange = self.stations[usize::from(holder.0)].exchange;
        exchange.expect("what goes on is under way")
    }

    fn exchange_mut(&mut self, holder: StationId) -> &mut Exchange {
        let exchange = &mut self.stations[usize::from(holder.0)].exchange;
        exchange.as_mut().expect("what goes on is under way")
    }
}

/// How data are answered, and with how many bytes.
fn answer_to(content: Content, window: u16) -> (PpduKind, u32) {
    match content {
        Content::Single => (PpduKind::Ack, sizes::ACK),
        Content::Ampdu | Content::Bar(_) => (PpduKind::BlockAck, sizes::block_ack(window)),
    }
}

/// Longest IP packet without payload: two headers of 20 bytes and 40 bytes of TCP options.
const LONGEST_ACK: u32 = 80;

/// Whether no packet is long enough to carry transport data.
fn is_acks_only(psdu: &crate::wifi::mac::Psdu) -> bool {
    let short = |m: &crate::wifi::mac::MpduRef| m.ip_bytes <= LONGEST_ACK * u32::from(m.msdus);
    psdu.mpdus.iter().all(short)
}

/// Bytes that `mode` sends in `span`, rounded up.
fn bytes_in(mode: Mode, span: Span) -> u32 {
    let bits = u128::from(mode.rate().as_bps()) * u128::from(span.as_nanos());
    bits.div_ceil(8_000_000_000) as u32
}
