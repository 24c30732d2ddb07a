//! The lives of TACKs and IACKs: what [`AckLog`] keeps of feedback that stands in control frames.
//!
//! A packet of feedback can have several frames. It is one acknowledgement here, with the reason of
//! its first IACK, or else of its TACK. Packets without either (SYNC, CLOSE) are none.

use super::acks::{AckEvent, AckLog, AckRecord, segments};
use acklab_path::packet::{DropReason, Packet};
use acklab_proto::ack::AckReason;
use acklab_proto::tack::wire::{Frame, Frames, IackReason};
use acklab_units::{Instant, Span};

/// The data that a packet of feedback acknowledges: every offset below, and why, if an IACK says so.
pub(super) fn told(control: &[u8]) -> Option<(u64, Option<AckReason>)> {
    let mut upto = None;
    let mut why = None;
    for frame in Frames::new(control) {
        let receipt = match frame {
            Frame::Tack(tack) => tack.head.receipt,
            Frame::Iack(iack) => {
                why = why.or(Some(match iack.reason {
                    IackReason::Loss { .. } => AckReason::IackLoss,
                    IackReason::Window => AckReason::IackWindow,
                    IackReason::Confirm { .. } => AckReason::IackConfirm,
                    IackReason::Mark(_) => AckReason::IackMark,
                }));
                iack.receipt
            }
            _ => continue,
        };
        upto = upto.max(Some(receipt.cumulative));
    }
    upto.map(|ack| (ack, why))
}

impl AckLog {
    /// The content of `control`, if it goes from a flow's receiver to its sender.
    fn tamed(&self, packet: Packet, control: &[u8]) -> Option<(usize, u64, Option<AckReason>)> {
        let flow = (packet.flow.0 / 2) as usize;
        if packet.flow.0 != self.ends[flow].receiver() {
            return None;
        }
        told(control).map(|(ack, why)| (flow, ack, why))
    }

    /// A host sent a packet with these control frames; `due` is why a TACK was. Returns the delay of
    /// the acknowledgement, if it says anything new.
    pub(super) fn on_tamed_sent(
        &mut self,
        now: Instant,
        packet: Packet,
        control: &[u8],
        due: Option<AckReason>,
    ) -> Option<Span> {
        let (flow, ack, why) = self.tamed(packet, control)?;
        let stream = &mut self.streams[flow];
        let delay = stream.settle(now, ack);
        let news = ack.saturating_sub(stream.sent);
        stream.sent = stream.sent.max(ack);
        self.records.push(AckRecord {
            at: now,
            flow: flow as u32,
            what: AckEvent::Sent(why.or(due)),
            link: None,
            ack,
            segments: segments(news, self.ends[flow]),
            delay,
        });
        delay
    }

    /// A packet with these control frames reached a host, `age` after it was sent, if that is known.
    pub(super) fn on_tamed_received(
        &mut self,
        now: Instant,
        packet: Packet,
        control: &[u8],
        age: Option<Span>,
    ) {
        let Some((flow, ack, _)) = self.tamed(packet, control) else {
            return;
        };
        let stream = &mut self.streams[flow];
        let news = ack.saturating_sub(stream.received);
        stream.received = stream.received.max(ack);
        self.records.push(AckRecord {
            at: now,
            flow: flow as u32,
            what: AckEvent::Received,
            link: None,
            ack,
            segments: segments(news, self.ends[flow]),
            delay: age,
        });
    }

    /// A packet with these control frames was lost at a link. No filter holds any back.
    pub(super) fn on_tamed_dropped(
        &mut self,
        (now, link): (Instant, usize),
        packet: Packet,
        control: &[u8],
        reason: DropReason,
    ) {
        let Some((flow, ack, _)) = self.tamed(packet, control) else {
            return;
        };
        self.records.push(AckRecord {
            at: now,
            flow: flow as u32,
            what: AckEvent::Dropped(reason),
            link: Some(link as u32),
            ack,
            segments: 0,
            delay: None,
        });
    }
}
