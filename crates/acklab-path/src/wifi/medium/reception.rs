//! Arrivals: whether a PPDU can be answered, and what the sender learns.

use super::overlap::Overlap;
use super::station::Exchange;
use super::{Medium, Ppdu, StationId};
use crate::wifi::mac::bitmap::distance;
use crate::wifi::mac::{Content, Outcome, PeerId};
use crate::wifi::phy::ErrorModel;
use crate::wifi::phy::errors::Bits;
use acklab_proto::rng;
use acklab_units::Instant;

impl Medium {
    /// The receiver of `ppdu`, which ends `now`, reads what it can. Says whether that was enough to
    /// answer: of an A-MPDU one MPDU (10.25.6.5).
    #[inline(always)]
    pub(super) fn receive(&mut self, now: Instant, ppdu: &Ppdu, overlap: &Overlap) -> bool {
        let sender = usize::from(ppdu.from.0);
        match self.stations[sender].psdu.content {
            Content::Bar(start) => self.receive_request(ppdu, start),
            Content::Action(action) => self.receive_action(now, ppdu, action),
            Content::Single | Content::Ampdu => {
                while self.read_next(now, ppdu, overlap) {}
                let any = self.stations[sender].reading.any;
                if any {
                    self.note_promise(ppdu);
                }
                any
            }
        }
    }

    /// The data say whether there are more of them (More Data, 9.2.4.1.8), to who has read any.
    fn note_promise(&mut self, ppdu: &Ppdu) {
        let way = &self.ports[self.exchange(ppdu.holder).port.0 as usize];
        if let (Some(_), Some(back)) = (way.config.carries_acks, way.back) {
            let more = self.stations[usize::from(ppdu.from.0)].promises_more;
            self.ports[back.0 as usize].promised = more.then_some(ppdu.category);
        }
    }

    #[cold]
    fn receive_request(&mut self, ppdu: &Ppdu, start: u16) -> bool {
        let exchange = self.exchange(ppdu.holder);
        let port = exchange.port.0 as usize;
        let bits = self.bits(ppdu, port);
        let intact = self.is_intact(bits, ppdu.bytes);
        if intact {
            let recipient = &mut self.ports[port].recipients[usize::from(exchange.category)];
            recipient.on_bar(start);
            recipient.release(&mut self.out);
        }
        intact
    }

    /// Whether the answer can be read.
    #[inline(always)]
    pub(super) fn survives(&mut self, ppdu: &Ppdu) -> bool {
        let port = self.exchange(ppdu.holder).port.0 as usize;
        let bits = self.bits(ppdu, port);
        self.is_intact(bits, ppdu.bytes)
    }

    /// The answer of the receiver of the exchange's data.
    #[inline(always)]
    pub(super) fn outcome(&self, holder: StationId) -> Outcome {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        match self.stations[usize::from(port.from.0)].psdu.content {
            Content::Single | Content::Action(_) => Outcome::Ack,
            Content::Ampdu | Content::Bar(_) => {
                let recipient = &port.recipients[usize::from(exchange.category)];
                let (start, bitmap) = recipient.block_ack();
                Outcome::BlockAck(start, bitmap)
            }
        }
    }

    /// Errors of the bits of `ppdu`, which belongs to an exchange over `port`: those of the way
    /// that it goes, for an answer those of the way back. A sender that chooses a mode by the
    /// signal learns of it, as the receiver would report in its answers.
    #[inline(always)]
    pub(super) fn bits(&mut self, ppdu: &Ppdu, port: usize) -> Bits {
        let way = &self.ports[port];
        let (forth, back) = (ppdu.from == way.from, way.back);
        let errors = match back {
            Some(back) if !forth => self.ports[back.0 as usize].config.errors,
            _ => way.config.errors,
        };
        let way = &mut self.ports[port];
        let Some(channel) = &mut self.channel else {
            return match (errors, way.sending.bits) {
                (ErrorModel::Snr, _) => ErrorModel::None.bits(ppdu.mode, 0.0),
                (_, Some(steady)) if forth => steady,
                (errors, _) => errors.bits(ppdu.mode, 0.0),
            };
        };
        let (from, to) = (usize::from(ppdu.from.0), usize::from(ppdu.to.0));
        let snr = channel.snr_db(ppdu.start, from, to, ppdu.mode);
        if forth && ppdu.mode == way.sending.mode {
            way.rate.on_snr(ppdu.mode, snr);
        }
        match way.sending.bits {
            Some(steady) if forth => steady,
            _ => errors.bits(ppdu.mode, snr),
        }
    }

    /// Whether no bit of a frame of so many bytes is wrong.
    pub(super) fn is_intact(&mut self, bits: Bits, bytes: u32) -> bool {
        bits.are_certain() || rng::unit(&mut self.rng.errors) < bits.all_right(bytes)
    }

    /// Rate control and airtime scheduling see the outcome of what was sent over the port of
    /// `exchange`.
    #[inline(always)]
    pub(super) fn learn(&mut self, now: Instant, exchange: Exchange, outcome: &Outcome) {
        let port = &mut self.ports[exchange.port.0 as usize];
        let (from, to, peer, back) = (port.from, port.to, PeerId(port.peer), port.back);
        let psdu = &self.stations[usize::from(from.0)].psdu;
        let acked = match outcome {
            Outcome::Ack | Outcome::Unasked => psdu.mpdus.len(),
            Outcome::BlockAck(start, bitmap) => {
                let seqs = psdu.mpdus.iter().map(|m| m.seq);
                seqs.filter(|s| bitmap.contains(distance(*start, *s)))
                    .count()
            }
            Outcome::Nothing | Outcome::NotSent => 0,
        };
        let (content, sent) = (psdu.content, psdu.mpdus.len());
        let sending = &port.sending;
        let mut airtime = sending.data(content, psdu.bytes);
        match outcome {
            Outcome::NotSent => airtime = sending.rts,
            Outcome::Nothing | Outcome::Unasked => {}
            Outcome::Ack | Outcome::BlockAck(..) => airtime += sending.answer(content),
        }
        if sent > 0 && *outcome != Outcome::NotSent {
            let mode = sending.mode;
            port.rate.on_result(now, mode, sent as u32, acked as u32);
        }
        let category = usize::from(exchange.category);
        let queue = &mut self.stations[usize::from(from.0)].categories[category].queue;
        queue.spend_airtime(peer, airtime);
        if let Some(back) = back {
            let peer = PeerId(self.ports[back.0 as usize].peer);
            let queue = &mut self.stations[usize::from(to.0)].categories[category].queue;
            queue.spend_airtime(peer, airtime);
        }
    }
}
