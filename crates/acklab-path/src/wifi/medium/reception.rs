//! What arrives: which MPDUs of a PPDU can be read, and where their packets go.

use super::{Medium, Ppdu, StationId};
use crate::wifi::mac::{Content, Outcome, PeerId};
use acklab_proto::rng;

impl Medium {
    /// The receiver of `ppdu` reads what it can. Says whether that was enough to answer.
    pub(super) fn receive(&mut self, ppdu: &Ppdu) -> bool {
        let exchange = self.exchange(ppdu.holder);
        let port = exchange.port.0 as usize;
        let category = usize::from(exchange.category);
        let sender = usize::from(ppdu.from.0);
        let psdu = core::mem::take(&mut self.stations[sender].psdu);
        let mut any = false;
        if let Content::Bar(start) = psdu.content {
            any = self.is_intact(port, ppdu.bytes);
            if any {
                self.ports[port].recipients[category].on_bar(start);
            }
        }
        for m in &psdu.mpdus {
            if self.is_intact(port, m.bytes) {
                any = true;
                let queue = &mut self.stations[sender].categories[category].queue;
                let way = &mut self.ports[port];
                let packets = queue.hand_over(PeerId(way.peer), m.seq);
                way.recipients[category].on_mpdu(m.seq, packets);
            }
        }
        self.stations[sender].psdu = psdu;
        self.ports[port].recipients[category].release(&mut self.released);
        self.out.extend(self.released.drain(..));
        any
    }

    /// Whether the answer can be read.
    pub(super) fn survives(&mut self, ppdu: &Ppdu) -> bool {
        let port = self.exchange(ppdu.holder).port.0 as usize;
        self.is_intact(port, ppdu.bytes)
    }

    /// What the receiver of the exchange's data has answered.
    pub(super) fn outcome(&self, holder: StationId) -> Outcome {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        match self.stations[usize::from(port.from.0)].psdu.content {
            Content::Single => Outcome::Ack,
            Content::Ampdu | Content::Bar(_) => {
                let recipient = &port.recipients[usize::from(exchange.category)];
                let (start, bitmap) = recipient.block_ack();
                Outcome::BlockAck(start, bitmap)
            }
        }
    }

    /// Whether no bit of a frame of so many bytes is wrong.
    fn is_intact(&mut self, port: usize, bytes: u32) -> bool {
        let ber = self.ports[port].config.bit_error_rate;
        if ber == 0.0 {
            return true;
        }
        let intact = libm::pow(1.0 - ber, f64::from(8 * bytes));
        rng::unit(&mut self.rng.errors) < intact
    }
}
