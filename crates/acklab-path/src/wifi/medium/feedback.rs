//! How long the acknowledgements of each flow are on the air.
//!
//! A PPDU with nothing but acknowledgements is parted among the flows by the bytes of their packets.
//! The medium knows such packets by their length: no ACK of TCP is longer than [`LONGEST_ACK`], and
//! data are. A TACK may be as long as data, so where a transport has such feedback the driver is
//! asked.

use super::carried::LONGEST_ACK;
use super::{Medium, MediumDriver, PortId, StationId, Use};
use crate::packet::{FlowId, Packet};
use crate::wifi::mac::{MpduRef, PeerId, Psdu, TxQueue};
use crate::wifi::neighbour::Message;
use acklab_units::Span;
use alloc::vec::Vec;

/// Time on the air by flow and direction.
#[derive(Debug, Default)]
pub(super) struct FeedbackTime {
    /// By number of the flow's direction, as far as it has sent acknowledgements.
    by_flow: Vec<Span>,
    /// Feedback may be longer than [`LONGEST_ACK`].
    pub may_be_long: bool,
    /// Flow and bytes of each acknowledgement in the PPDU that is booked; its memory is used again.
    shares: Vec<(FlowId, u32)>,
}

impl FeedbackTime {
    fn spend(&mut self, flow: FlowId, span: Span) {
        let i = flow.0 as usize;
        if i >= self.by_flow.len() {
            self.by_flow.resize(i + 1, Span::ZERO);
        }
        self.by_flow[i] += span;
    }
}

impl Medium {
    /// Some transport has feedback that can be as long as data ([`MediumDriver::is_long_feedback`]).
    pub fn expect_long_feedback(&mut self) {
        self.feedback.may_be_long = true;
    }

    /// How long PPDUs with nothing but acknowledgements were on the air for those of `flow`, which is
    /// a direction, whatever became of them. A PPDU counts from its beginning on.
    pub fn feedback_airtime(&self, flow: FlowId) -> Span {
        let known = self.feedback.by_flow.get(flow.0 as usize);
        known.copied().unwrap_or(Span::ZERO)
    }

    /// The use that the time of the data in the PSDU of `holder`'s exchange is booked as.
    pub(super) fn use_of_data<D: MediumDriver>(&self, holder: StationId, driver: &D) -> Use {
        let exchange = self.exchange(holder);
        self.use_of(
            (exchange.port, exchange.category),
            self.psdu(holder),
            driver,
        )
    }

    /// The use that the time of the data in `psdu`, which go that way under that category, is booked as.
    pub(super) fn use_of<D: MediumDriver>(
        &self,
        way: (PortId, u8),
        psdu: &Psdu,
        driver: &D,
    ) -> Use {
        if psdu.mpdus.iter().all(|m| m.arp.is_some()) {
            return Use::Control;
        }
        let long = self.feedback.may_be_long;
        let mut all = psdu.mpdus.iter();
        if all.all(|m| is_short(m) || (long && self.is_feedback(way, m, driver))) {
            return Use::TransportAck;
        }
        Use::Data
    }

    /// Whether every packet in an MPDU is feedback. It is not known of one that its recipient has
    /// already, when the answer got lost; that counts as data.
    fn is_feedback<D: MediumDriver>(&self, way: (PortId, u8), m: &MpduRef, driver: &D) -> bool {
        let told = |p: Packet| p.size <= LONGEST_ACK || driver.is_long_feedback(p);
        let mut packets = self.packets_in(way, m).peekable();
        packets.peek().is_some() && packets.all(told)
    }

    /// The packets in an MPDU that goes that way under that category, and that its recipient does not have yet.
    fn packets_in(&self, way: (PortId, u8), m: &MpduRef) -> impl Iterator<Item = Packet> + '_ {
        let (queue, peer) = self.queue_on(way);
        queue.packets_of(peer, m.seq).map(|(packet, _)| packet)
    }

    /// Where packets wait that go that way under that category, and for whom.
    fn queue_on(&self, (port, category): (PortId, u8)) -> (&TxQueue, PeerId) {
        let port = &self.ports[port.0 as usize];
        let station = &self.stations[usize::from(port.from.0)];
        let queue = &station.categories[usize::from(category)].queue;
        (queue, PeerId(port.peer))
    }

    fn psdu(&self, holder: StationId) -> &Psdu {
        let from = self.port(holder).from;
        &self.stations[usize::from(from.0)].psdu
    }

    /// Books a PPDU that begins, has nothing but acknowledgements in it and lasts so long.
    #[cold]
    pub(super) fn book_feedback(&mut self, holder: StationId, lasts: Span) {
        let exchange = self.exchange(holder);
        let mut feedback = core::mem::take(&mut self.feedback);
        let way = (exchange.port, exchange.category);
        self.share_out(&mut feedback, way, self.psdu(holder), lasts);
        self.feedback = feedback;
    }

    /// The same of `psdu`, which goes that way under that category.
    #[cold]
    pub(super) fn book_feedback_of(&mut self, way: (PortId, u8), psdu: &Psdu, lasts: Span) {
        let mut feedback = core::mem::take(&mut self.feedback);
        self.share_out(&mut feedback, way, psdu, lasts);
        self.feedback = feedback;
    }

    fn share_out(&self, feedback: &mut FeedbackTime, way: (PortId, u8), psdu: &Psdu, lasts: Span) {
        let (queue, peer) = self.queue_on(way);
        let mut bytes = 0;
        feedback.shares.clear();
        for mpdu in &psdu.mpdus {
            for (packet, _) in queue.packets_of(peer, mpdu.seq) {
                if packet.size > 0 && Message::of(packet).is_none() {
                    bytes += u64::from(packet.size);
                    feedback.shares.push((packet.flow, packet.size));
                }
            }
        }
        let mut left = lasts;
        for i in 0..feedback.shares.len() {
            let (flow, size) = feedback.shares[i];
            // The rest divided by the rest, so that rounding loses nothing.
            let share = left.mul_div(u64::from(size), bytes);
            feedback.spend(flow, share);
            bytes -= u64::from(size);
            left -= share;
        }
    }
}

/// Whether no packet in an MPDU is long enough to carry transport data.
fn is_short(m: &MpduRef) -> bool {
    m.ip_bytes <= LONGEST_ACK * u32::from(m.msdus)
}
