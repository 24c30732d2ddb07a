//! The reception of a part.

use super::super::overlap::Flight;
use super::super::{Event, Medium, Ppdu, PpduKind};
use super::AP;
use super::state::Ofdma;
use crate::wifi::mac::PeerId;
use crate::wifi::phy::ErrorModel;
use crate::wifi::phy::errors::Bits;
use acklab_units::Instant;

impl Ofdma {
    /// The receiver of a part, which ends `now`, reads what it can. Says whether that was anything.
    pub(super) fn read(&mut self, m: &mut Medium, now: Instant, i: usize, flight: &Flight) -> bool {
        match flight.ppdu.kind {
            PpduKind::Data => {
                while self.read_next(m, now, i, flight) {}
                self.users[i].reading.any
            }
            PpduKind::BlockAckRequest => {
                let intact = self.is_intact(m, i, &flight.ppdu);
                if intact {
                    let u = &self.users[i];
                    let way = &mut m.ports[u.port.0 as usize];
                    let recipient = &mut way.recipients[usize::from(u.category)];
                    recipient.on_bar(u.requests_from());
                    recipient.release(&mut m.out);
                }
                intact
            }
            _ => self.is_intact(m, i, &flight.ppdu),
        }
    }

    /// Whether a part that has one FCS is read.
    fn is_intact(&self, m: &mut Medium, i: usize, ppdu: &Ppdu) -> bool {
        let bits = self.bits(m, i, ppdu);
        m.is_intact(bits, ppdu.bytes)
    }

    /// The channel that the bits of a part meet. A station sends with all its power on its resource unit; the access
    /// point's is spread over all of them, so that each has the signal to noise ratio of the whole channel.
    fn bits(&self, m: &mut Medium, i: usize, ppdu: &Ppdu) -> Bits {
        let forth = self.users[i].port;
        let data = m.ports[forth.0 as usize].from == ppdu.from;
        let back = m.ports[forth.0 as usize].back;
        let way = if data { forth } else { back.unwrap_or(forth) };
        let errors = m.ports[way.0 as usize].config.errors;
        let whole = m.ports[forth.0 as usize].sending.mode;
        let Some(channel) = &mut m.channel else {
            return match errors {
                ErrorModel::Snr => ErrorModel::None.bits(ppdu.mode, 0.0),
                errors => errors.bits(ppdu.mode, 0.0),
            };
        };
        let (from, to) = (usize::from(ppdu.from.0), usize::from(ppdu.to.0));
        let of_noise = match ppdu.from == AP && ppdu.mode.is_partial() {
            true => whole,
            false => ppdu.mode,
        };
        let snr = channel.snr_db(ppdu.start, from, to, of_noise);
        if data && ppdu.kind == PpduKind::Data {
            let over_all = channel.snr_db(ppdu.start, from, to, whole);
            m.ports[forth.0 as usize].rate.on_snr(whole, over_all);
        }
        errors.bits(ppdu.mode, snr)
    }

    /// When the next MPDU of a part has arrived, if that is before its `end`.
    pub(super) fn end_of_next(&self, m: &Medium, i: usize, end: Instant) -> Option<Instant> {
        let u = &self.users[i];
        let next = u.reading.over.mpdus as usize;
        if next + 1 >= u.psdu.mpdus.len() {
            return None;
        }
        let bytes = u.psdu.mpdus[next].bytes;
        let over = u
            .reading
            .over
            .with(bytes, &u.limits)
            .expect("what is sent fits");
        let symbols = u.timing.symbols(over.bytes(&u.limits));
        let at = self.body + u.timing.symbol() * u64::from(symbols) + m.config.propagation;
        (at < end).then_some(at)
    }

    /// An MPDU of a part has arrived. The receiver does not read an MPDU that it has given up.
    pub(super) fn on_mpdu_end(
        &mut self,
        m: &mut Medium,
        now: Instant,
        (number, flight): (u32, &Flight),
    ) {
        let i = self.user_of(flight.ppdu.user);
        if flight.ppdu.garbled || !self.read_next(m, now, i, flight) {
            return;
        }
        if let Some(at) = self.end_of_next(m, i, flight.ppdu.end) {
            m.calendar.enter(at, Event::MpduEnds(number));
        }
    }

    /// Reads the next MPDU of a part, the last bit of which has arrived at `now`. Says whether there was one.
    fn read_next(&mut self, m: &mut Medium, now: Instant, i: usize, flight: &Flight) -> bool {
        let over = self.users[i].reading.over;
        let Some(mpdu) = self.users[i].psdu.mpdus.get(over.mpdus as usize).copied() else {
            return false;
        };
        let bits = match self.users[i].reading.bits {
            Some(bits) => bits,
            None => self.bits(m, i, &flight.ppdu),
        };
        let u = &mut self.users[i];
        u.reading.turn(now);
        let spoilt = flight.overlap.hits(u.reading.from, now);
        let intact = !spoilt && m.is_intact(bits, mpdu.bytes);
        if spoilt {
            u.reading.spoilt.insert(over.mpdus as u16);
        }
        u.reading.over = over.with(mpdu.bytes, &u.limits).expect("what is sent fits");
        u.reading.bits = Some(bits);
        u.reading.any |= intact;
        u.reading.read += u16::from(intact);
        if intact {
            let category = usize::from(u.category);
            let way = &mut m.ports[u.port.0 as usize];
            let sender = &mut m.stations[usize::from(flight.ppdu.from.0)];
            let queue = &mut sender.categories[category].queue;
            let packets = queue.hand_over(PeerId(way.peer), mpdu.seq);
            way.recipients[category].on_mpdu(mpdu.seq, packets);
            way.recipients[category].release(&mut m.out);
        }
        true
    }
}
