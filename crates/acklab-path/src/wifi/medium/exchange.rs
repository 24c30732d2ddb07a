//! Frame exchange sequences: RTS and CTS or a CTS to self, data, the answer, and what may follow in the same
//! transmission opportunity (10.3.2, 10.23.2, 10.29).

use super::ending::Ending;
use super::frames::capturing;
use super::overlap::{Flight, Overlap};
use super::station::{Exchange, Station};
use super::{Event, Frames, Medium, MediumDriver, Ppdu, PpduKind, StationId, Use, draw};
use crate::wifi::mac::{Content, Outcome};
use acklab_units::Instant;

/// The step that follows a SIFS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The receiver answers an RTS.
    Cts,
    /// The station that has the turn sends data.
    Data,
    /// The receiver answers data.
    Response,
    /// An exchange with several users goes on.
    Several,
}

impl Medium {
    /// Lets everybody transmit whose slot it is.
    #[inline(always)]
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
            } else if self.stations[usize::from(station.0)].is_occupied() {
                // Its radio is taken: the boundary passes without it.
                self.contention.back_off(now, *who, 1, true);
            } else if self.begin(now, station, category, driver) {
                last = Some(station);
            }
        }
        self.winners = winners;
    }

    /// A more urgent category of the same station won at the same boundary (10.23.2.4).
    #[cold]
    pub(super) fn collide_inside(&mut self, now: Instant, station: StationId, category: u8) {
        self.stats[usize::from(station.0)].internal_collisions += 1;
        let limit = self.config.retry_limit;
        let edcaf = &mut self.stations[usize::from(station.0)].categories[usize::from(category)];
        edcaf.on_failure(limit);
        let slots = draw(&mut self.rng.backoff, edcaf.cw);
        self.contention.back_off(now, edcaf.contender, slots, true);
    }

    /// Begins an exchange. Says whether there was anything to send.
    #[inline(always)]
    pub(super) fn begin<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        driver: &mut D,
    ) -> bool {
        let s = usize::from(station.0);
        let edcaf = &mut self.stations[s].categories[usize::from(category)];
        let (txop, contender) = (edcaf.config.txop, edcaf.contender);
        let delay = now.saturating_since(edcaf.wants_since);
        let until = now + txop;
        if self.ofdma.is_some() && self.begin_several(now, (station, category), driver) {
            return true;
        }
        let Some(port) = self.load(now, station, category, txop, driver) else {
            self.contention.back_off(now, contender, 0, false);
            self.note_rest(now, station);
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
        self.air.ledger.engage(now, station);
        if announced {
            self.send_rts(now, station);
        } else if let Some(cts) = self.protection(station) {
            self.send_cts_to_self(now, station, cts);
        } else {
            self.send_data(now, station, driver);
        }
        true
    }

    /// A PPDU has left the air.
    #[inline(always)]
    pub(super) fn on_ppdu_end<D: MediumDriver>(
        &mut self,
        now: Instant,
        number: u32,
        driver: &mut D,
    ) {
        let mut flight = self.air.take(number);
        if flight.part.is_one() {
            return self.on_part_end(now, (number, flight), driver);
        }
        let ppdu = &flight.ppdu;
        let heard = !flight.unheard;
        let binds = heard && ppdu.kind == PpduKind::Rts && {
            !(self.air.may_answer(now, ppdu) && self.is_free(ppdu.to))
        };
        let captures = capturing(now, self.channel.as_ref(), self.capture);
        let ended = (ppdu, flight.part);
        self.air.end(number, ended, &mut self.contention, captures);
        let read = heard && !ppdu.garbled && !binds && self.read(now, ppdu, &flight.overlap);
        if ppdu.garbled || flight.overlap.is_any() {
            self.note_spoilt(now, &mut flight, read);
        }
        if !(read || binds || flight.ppdu.garbled) {
            flight.ppdu.lost = true;
        }
        let ppdu = &flight.ppdu;
        self.book(ppdu);
        if D::WATCHES {
            driver.on_frames(ppdu, self.frames(ppdu));
        }
        driver.on_ppdu(ppdu);
        match ppdu.kind {
            PpduKind::Rts if read => self.after_sifs(now, ppdu.holder, Step::Cts),
            PpduKind::Cts if read => {
                self.exchange_mut(ppdu.holder).announced = false;
                self.after_sifs(now, ppdu.holder, Step::Data);
            }
            PpduKind::Data
            | PpduKind::BlockAckRequest
            | PpduKind::AddbaRequest
            | PpduKind::AddbaResponse
                if read =>
            {
                self.after_sifs(now, ppdu.holder, Step::Response);
            }
            PpduKind::Ack | PpduKind::BlockAck if read => {
                self.alight(now, ppdu, driver);
                self.on_response(now, ppdu.holder, driver);
            }
            PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck => {
                let carried = u64::from(ppdu.carried);
                self.stats[usize::from(ppdu.from.0)].acks_carried_in_vain += carried;
                if heard {
                    // A garbled answer was at least there: no need to wait for it.
                    self.on_failure(now, ppdu.holder, Ending::Unreadable, driver);
                } else {
                    let asked = ppdu.start - self.phy.sifs();
                    self.await_in_vain(now, asked, ppdu.holder);
                }
            }
            PpduKind::Rts
            | PpduKind::Data
            | PpduKind::BlockAckRequest
            | PpduKind::AddbaRequest
            | PpduKind::AddbaResponse => {
                self.await_in_vain(now, now, ppdu.holder);
            }
            PpduKind::Group => self.after_group(now, ppdu.holder, driver),
            // Nobody says whether it was read.
            PpduKind::CtsToSelf => self.after_sifs(now, ppdu.holder, Step::Data),
            PpduKind::Trigger | PpduKind::BufferStatus | PpduKind::MultiBlockAck => {
                unreachable!("part of a transmission of several users")
            }
        }
    }

    /// The parts that others have spoilt of the PPDU of `flight`, which ends `now`, and was `read` in part at least
    /// or not.
    #[cold]
    fn note_spoilt(&self, now: Instant, flight: &mut Flight, read: bool) {
        flight.ppdu.garbled |= !read;
        if matches!(flight.ppdu.kind, PpduKind::Data | PpduKind::Group) {
            let reading = &self.stations[usize::from(flight.ppdu.from.0)].reading;
            flight.ppdu.mpdus_spoilt = reading.spoilt_of(flight.ppdu.mpdus);
        }
        (flight.ppdu.spoilt, _) = flight.spent(now);
    }

    /// The content of a PPDU that has just ended.
    fn frames(&self, ppdu: &Ppdu) -> Frames<'_> {
        let Station { psdu, reading, .. } = &self.stations[usize::from(ppdu.from.0)];
        match (ppdu.kind, psdu.content) {
            (PpduKind::Data | PpduKind::Group, _) => Frames::Mpdus(&psdu.mpdus, reading.spoilt),
            (PpduKind::BlockAckRequest, Content::Bar(start)) => Frames::Request(start),
            (PpduKind::AddbaRequest | PpduKind::AddbaResponse, Content::Action(action)) => {
                Frames::Action(action, self.window_about(ppdu))
            }
            (PpduKind::BlockAck, _) => match self.outcome(ppdu.holder) {
                Outcome::BlockAck(start, bitmap) => Frames::BlockAck(start, bitmap),
                _ => Frames::Control,
            },
            _ => Frames::Control,
        }
    }

    /// The PPDU that ended when it `asked` for an answer gets none that is heard: this shows when
    /// nothing has begun in time. An answer that is sent in vain is part of the exchange, so that it
    /// cannot be over before: at 24 Mbit/s the timer runs 1 us longer than an ACK, at 6 Mbit/s a Block
    /// Ack lasts 39 us longer than the timer. Slots are counted from when the air became quiet all the
    /// same ([`super::AfterSilence::Quiet`]).
    #[cold]
    fn await_in_vain(&mut self, now: Instant, asked: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let content = self.stations[usize::from(port.from.0)].psdu.content;
        let wait = if exchange.announced {
            port.sending.cts_timeout
        } else {
            port.sending.timeout(content)
        };
        let timeout = Event::Timeout(holder.0, exchange.number);
        self.calendar.enter(now.max(asked + wait), timeout);
    }

    /// Whether the receiver of `ppdu`, which ends `now`, reads enough of it to go on; only that is
    /// drawn for which nobody else interferes.
    fn read(&mut self, now: Instant, ppdu: &Ppdu, overlap: &Overlap) -> bool {
        match ppdu.kind {
            PpduKind::Data
            | PpduKind::Group
            | PpduKind::BlockAckRequest
            | PpduKind::AddbaRequest
            | PpduKind::AddbaResponse => self.receive(now, ppdu, overlap),
            PpduKind::Rts | PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck => {
                self.survives(ppdu)
            }
            PpduKind::CtsToSelf => true,
            PpduKind::Trigger | PpduKind::BufferStatus | PpduKind::MultiBlockAck => {
                unreachable!("part of a transmission of several users")
            }
        }
    }

    #[inline(always)]
    pub(super) fn book(&mut self, ppdu: &Ppdu) {
        let span = ppdu.end - ppdu.start;
        let mut what = ppdu.use_of;
        if ppdu.lost {
            what = Use::Noise;
            self.account.correct(ppdu.start, ppdu.use_of, what);
        }
        let sent = &mut self.stats[usize::from(ppdu.from.0)].sent;
        sent.spend(Use::Collision, ppdu.spoilt);
        sent.spend(what, span - ppdu.spoilt);
        if matches!(ppdu.kind, PpduKind::Data | PpduKind::Group) {
            let port = self.exchange(ppdu.holder).port;
            self.ports[port.0 as usize].airtime += span;
        }
    }

    /// Whether `station` has no exchange under way.
    pub(super) fn is_free(&self, station: StationId) -> bool {
        !self.stations[usize::from(station.0)].is_occupied()
    }

    #[inline(always)]
    pub(super) fn after_sifs(&mut self, now: Instant, holder: StationId, step: Step) {
        self.exchange_mut(holder).next = step;
        self.in_sifs += 1;
        let port = &self.ports[self.exchange(holder).port.0 as usize];
        self.air.ledger.begin_gap(now, [port.from, port.to]);
        let at = now + self.phy.sifs();
        self.calendar.enter(at, Event::Continue(holder.0));
    }

    /// The SIFS is over.
    #[inline(always)]
    pub(super) fn go_on<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) {
        self.in_sifs -= 1;
        let Exchange { port, next, .. } = self.exchange(holder);
        if next == Step::Several {
            return self.go_on_with_several(now, driver);
        }
        let port = &self.ports[port.0 as usize];
        self.air.ledger.end_gap(now, [port.from, port.to]);
        let sender = match next {
            Step::Cts | Step::Response => port.to,
            Step::Data | Step::Several => port.from,
        };
        // It may not have heard what it was drawn into, and have begun something else.
        if self.air.is_sending(sender) {
            return self.await_in_vain(now, now, holder);
        }
        match next {
            Step::Cts => self.send_cts(now, holder),
            Step::Data => self.send_data(now, holder, driver),
            Step::Response => self.send_response(now, holder, driver),
            Step::Several => {}
        }
    }

    #[inline(always)]
    pub(super) fn exchange(&self, holder: StationId) -> Exchange {
        let exchange = self.stations[usize::from(holder.0)].exchange;
        exchange.expect("what goes on is under way")
    }

    #[inline(always)]
    pub(super) fn exchange_mut(&mut self, holder: StationId) -> &mut Exchange {
        let exchange = &mut self.stations[usize::from(holder.0)].exchange;
        exchange.as_mut().expect("what goes on is under way")
    }
}
