//! MPDUs are passed on as they arrive, and not all of them with the end of the PPDU.
//!
//! The PHY hands up octets as it decodes them (PHY-DATA.indication, 8.3.5.3), and an MPDU of an
//! A-MPDU whose FCS is right is complete whatever follows it (9.7.1). In a PPDU of 5 ms the first
//! segments are acknowledged by their transport while the last ones are still on the air.

use super::station::Station;
use super::{Event, Medium, Ppdu};
use crate::wifi::mac::PeerId;
use crate::wifi::mac::sizes::Assembly;
use crate::wifi::phy::errors::Bits;

/// How much of a PSDU on the air has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// The MPDUs that are over.
    over: Assembly,
    /// What each bit goes through; `None` until something was read.
    bits: Option<Bits>,
    /// Whether an MPDU had no error.
    pub any: bool,
}

impl Medium {
    /// The data PPDU of that number is on the air.
    pub(super) fn begin_reading(&mut self, number: u32, ppdu: &Ppdu) {
        self.stations[usize::from(ppdu.from.0)].reading = Reading::default();
        self.await_mpdu(number, ppdu);
    }

    /// Sees to it that the next MPDU is read when its last symbol has arrived, which for the last
    /// one is when the PPDU ends.
    fn await_mpdu(&mut self, number: u32, ppdu: &Ppdu) {
        let port = self.exchange(ppdu.holder).port;
        let sending = &self.ports[port.0 as usize].sending;
        let Station { psdu, reading, .. } = &self.stations[usize::from(ppdu.from.0)];
        let next = reading.over.mpdus as usize;
        if next + 1 >= psdu.mpdus.len() {
            return;
        }
        let until = sending.length_with(reading.over, psdu.mpdus[next].bytes);
        let at = ppdu.start + sending.data(psdu.content, until) + self.config.propagation;
        if at < ppdu.end {
            self.calendar.enter(at, Event::MpduEnds(number));
        }
    }

    /// An MPDU of the PPDU of that number has arrived. Once another PPDU interferes nothing more is
    /// read.
    pub(super) fn on_mpdu_end(&mut self, number: u32) {
        let ppdu = self.air.ppdu(number);
        if !ppdu.garbled && self.read_next(&ppdu) {
            self.await_mpdu(number, &ppdu);
        }
    }

    /// Reads the next MPDU of `ppdu`. Says whether there was one.
    pub(super) fn read_next(&mut self, ppdu: &Ppdu) -> bool {
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
        let intact = self.is_intact(bits, mpdu.bytes);
        let (way, station) = (&mut self.ports[port], &mut self.stations[sender]);
        let reading = &mut station.reading;
        reading.over = way.sending.with(reading.over, mpdu.bytes);
        reading.bits = Some(bits);
        reading.any |= intact;
        if intact {
            let queue = &mut station.categories[category].queue;
            let packets = queue.hand_over(PeerId(way.peer), mpdu.seq);
            way.recipients[category].on_mpdu(mpdu.seq, packets);
            way.recipients[category].release(&mut self.released);
            self.out.extend(self.released.drain(..));
        }
        true
    }
}
