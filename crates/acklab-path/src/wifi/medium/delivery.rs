//! MPDUs are passed on as they arrive, and not all of them with the end of the PPDU.
//!
//! The PHY hands up octets as it decodes them (PHY-DATA.indication, 8.3.5.3), and an MPDU of an
//! A-MPDU whose FCS is right is complete whatever follows it (9.7.1). In a PPDU of 5 ms the first
//! segments are acknowledged by their transport while the last ones are still on the air.

use super::overlap::{Flight, Overlap};
use super::station::Station;
use super::{Event, Medium, Ppdu};
use crate::wifi::mac::sizes::Assembly;
use crate::wifi::mac::{Bitmap, PeerId};
use crate::wifi::phy::errors::Bits;
use acklab_units::Instant;

/// How much of a PSDU on the air has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// The MPDUs that are over.
    pub over: Assembly,
    /// When the last of them began and ended, and those that ended in the same symbol; before the
    /// first, the end of the preamble.
    pub from: Instant,
    until: Instant,
    /// The channel that each bit meets; `None` until something was read.
    pub bits: Option<Bits>,
    /// MPDUs that could not be read for another's sake, from 0 on.
    pub spoilt: Bitmap,
    /// Whether an MPDU was read.
    pub any: bool,
    /// MPDUs that were.
    pub read: u16,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            over: Assembly::default(),
            from: Instant::ZERO,
            until: Instant::ZERO,
            bits: None,
            spoilt: Bitmap::default(),
            any: false,
            read: 0,
        }
    }
}

impl Reading {
    /// MPDUs of a PSDU of `mpdus` that could not be read for another's sake, who may have ended the
    /// reading.
    pub fn spoilt_of(&self, mpdus: u16) -> u16 {
        self.spoilt.len() + mpdus.saturating_sub(self.over.mpdus as u16)
    }

    /// Whether all of so many MPDUs were read.
    pub fn lost_none(&self, mpdus: usize) -> bool {
        usize::from(self.read) == mpdus
    }

    /// Nothing of a PPDU was read whose data begin at `body`.
    pub fn from(body: Instant) -> Self {
        Self {
            from: body,
            until: body,
            ..Self::default()
        }
    }

    /// The next MPDU arrives up to `now`.
    pub fn turn(&mut self, now: Instant) {
        if now > self.until {
            (self.from, self.until) = (self.until, now);
        }
    }
}

impl Medium {
    /// The data PPDU of that number is on the air. Each MPDU is read when its last symbol has arrived,
    /// which for the last one is when the PPDU ends; none of them if the receiver does not hear it.
    pub(super) fn begin_reading(&mut self, number: u32) {
        let flight = self.air.flight(number);
        self.stations[usize::from(flight.ppdu.from.0)].reading = Reading::from(flight.body);
        if flight.is_parted() && !flight.unheard {
            self.calendar.enter(flight.first, Event::MpduEnds(number));
        }
    }

    /// When the MPDU after those that are `over` has arrived, if that is before the end of `ppdu`.
    #[inline(always)]
    pub(super) fn end_of_next(&self, ppdu: &Ppdu, over: Assembly) -> Option<Instant> {
        let port = self.exchange(ppdu.holder).port;
        let sending = &self.ports[port.0 as usize].sending;
        let psdu = &self.stations[usize::from(ppdu.from.0)].psdu;
        let next = over.mpdus as usize;
        if next + 1 >= psdu.mpdus.len() {
            return None;
        }
        let until = sending.length_with(over, psdu.mpdus[next].bytes);
        let at = ppdu.start + sending.data(psdu.content, until) + self.config.propagation;
        (at < ppdu.end).then_some(at)
    }

    /// An MPDU of the PPDU of that number has arrived. The receiver does not read an MPDU that it has given up.
    pub(super) fn on_mpdu_end(&mut self, now: Instant, number: u32) {
        let flight = *self.air.flight(number);
        if flight.part.is_one() {
            return self.on_mpdu_of_part(now, (number, flight));
        }
        let Flight { ppdu, overlap, .. } = flight;
        if ppdu.garbled || !self.read_next(now, &ppdu, &overlap) {
            return;
        }
        let over = self.stations[usize::from(ppdu.from.0)].reading.over;
        if let Some(at) = self.end_of_next(&ppdu, over) {
            self.calendar.enter(at, Event::MpduEnds(number));
        }
    }

    /// Reads the next MPDU of `ppdu`, the last bit of which has arrived at `now`. Says whether there
    /// was one.
    #[inline(always)]
    pub(super) fn read_next(&mut self, now: Instant, ppdu: &Ppdu, overlap: &Overlap) -> bool {
        let exchange = self.exchange(ppdu.holder);
        let (port, category) = (exchange.port.0 as usize, usize::from(exchange.category));
        let sender = usize::from(ppdu.from.0);
        let Station { psdu, reading, .. } = &self.stations[sender];
        let Some(mpdu) = psdu.mpdus.get(reading.over.mpdus as usize).copied() else {
            return false;
        };
        let bits = match reading.bits {
            Some(bits) => bits,
            None => self.bits(ppdu, port),
        };
        let reading = &mut self.stations[sender].reading;
        reading.turn(now);
        let spoilt = overlap.hits(reading.from, now);
        let intact = !spoilt && self.is_intact(bits, mpdu.bytes);
        let (way, station) = (&mut self.ports[port], &mut self.stations[sender]);
        let reading = &mut station.reading;
        if spoilt {
            reading.spoilt.insert(reading.over.mpdus as u16);
        }
        reading.over = way.sending.with(reading.over, mpdu.bytes);
        reading.bits = Some(bits);
        reading.any |= intact;
        if intact {
            let queue = &mut station.categories[category].queue;
            let packets = queue.hand_over(PeerId(way.peer), mpdu.seq);
            way.recipients[category].on_mpdu(mpdu.seq, packets);
            way.recipients[category].release(&mut self.out);
        }
        true
    }
}
