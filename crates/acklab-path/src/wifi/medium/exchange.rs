//! Frame exchange sequences: RTS and CTS, data, the answer, and what may follow in the same
//! transmission opportunity (10.3.2, 10.23.2, 10.29).

use super::station::Exchange;
use super::{AfterSilence, Event, Medium, MediumDriver, Ppdu, PpduKind, StationId, Use, draw};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::{Outcome, PeerId};
use acklab_units::Instant;

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
    pub(super) fn collide_inside(&mut self, now: Instant, station: StationId, category: u8) {
        self.stats[usize::from(station.0)].internal_collisions += 1;
        let limit = self.config.retry_limit;
        let edcaf = &mut self.stations[usize::from(station.0)].categories[usize::from(category)];
        edcaf.on_failure(limit);
        let slots = draw(&mut self.rng.backoff, edcaf.cw);
        self.contention.back_off(now, edcaf.contender, slots, true);
    }

    /// Begins an exchange. Says whether there was anything to send.
    pub(super) fn begin<D: MediumDriver>(
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
        let Some(port) = self.load(now, station, category, txop, driver) else {
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
                let exchange = self.exchange(ppdu.holder);
                let number = exchange.number;
                let wait = self.ports[exchange.port.0 as usize].timeout;
                let timeout = Event::Timeout(ppdu.holder.0, number);
                self.calendar.enter(now + wait, timeout);
            }
        }
    }

    pub(super) fn book(&mut self, ppdu: &Ppdu) {
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
    pub(super) fn is_free(&self, station: StationId) -> bool {
        self.stations[usize::from(station.0)].exchange.is_none()
    }

    pub(super) fn after_sifs(&mut self, now: Instant, holder: StationId, step: Step) {
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
    pub(super) fn on_response<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) {
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
    pub(super) fn on_silence<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) {
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
    pub(super) fn settle<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        outcome: Outcome,
        driver: &mut D,
    ) {
        let exchange = self.exchange(holder);
        self.learn(now, exchange, &outcome);
        let port = &self.ports[exchange.port.0 as usize];
        let (sender, peer) = (port.from, PeerId(port.peer));
        let station = &mut self.stations[usize::from(sender.0)];
        let drops = &mut self.drops;
        let queue = &mut station.categories[usize::from(exchange.category)].queue;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        queue.on_response(now, peer, &station.psdu, outcome, on_drop);
        self.report_drops(now, driver);
    }

    /// The exchange is over: the station backs off, and contends if it has more.
    pub(super) fn conclude(&mut self, now: Instant, holder: StationId, answered: bool) {
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
        let after = match self.config.after_silence {
            _ if answered || !wants => None,
            AfterSilence::Everybody => None,
            AfterSilence::Quiet => Some(quiet),
            AfterSilence::Timeout => Some(now),
        };
        if let Some(since) = after {
            let start = since + self.phy.aifs(edcaf.config.aifsn);
            let who = edcaf.contender;
            self.contention.back_off_from(now, who, slots, start);
        } else {
            self.contention.back_off(now, edcaf.contender, slots, wants);
        }
        if exchange.reversed {
            self.refresh(now, exchange);
        }
    }

    /// Who was granted the reverse direction may have less to contend for, or nothing.
    pub(super) fn refresh(&mut self, now: Instant, exchange: Exchange) {
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

    pub(super) fn exchange_mut(&mut self, holder: StationId) -> &mut Exchange {
        let exchange = &mut self.stations[usize::from(holder.0)].exchange;
        exchange.as_mut().expect("what goes on is under way")
    }
}
