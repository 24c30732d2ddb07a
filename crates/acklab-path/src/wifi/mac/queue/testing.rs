//! A queue on the bench, for the tests of this folder.

use super::*;
use crate::packet::{FlowId, Label};
use crate::wifi::mac::bitmap::Bitmap;
use crate::wifi::mac::{Limits, Outcome, Psdu};
use acklab_proto::segment::Ecn;
use acklab_units::Span;

pub(super) const STA: PeerId = PeerId(1);
pub(super) const OTHER: PeerId = PeerId(0);

/// 802.11n, as in ns-3's examples.
pub(super) const HT: Limits = Limits {
    ampdu: 65_535,
    window: 64,
    ..Limits::SINGLE
};

pub(super) fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

pub(super) fn packet(id: u32, size: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size,
        flow: FlowId(0),
        ecn: Ecn::NotEct,
    }
}

/// A queue, and what it dropped.
pub(super) struct Bench {
    pub queue: TxQueue,
    pub psdu: Psdu,
    pub dropped: Vec<(u32, DropReason)>,
}

impl Bench {
    pub fn new(config: Config) -> Self {
        Self {
            queue: TxQueue::new(config),
            psdu: Psdu::default(),
            dropped: Vec::new(),
        }
    }

    pub fn with_packets(config: Config, n: u32, size: u32) -> Self {
        let mut b = Self::new(config);
        (0..n).for_each(|id| b.arrive(at(0), STA, packet(id, size)));
        b
    }

    pub fn arrive(&mut self, now: Instant, peer: PeerId, packet: Packet) {
        let dropped = &mut self.dropped;
        self.queue.enqueue(
            now,
            peer,
            (packet, Label::of(packet.flow)),
            &mut |p, why| {
                dropped.push((p.id.0, why));
            },
        );
    }

    pub fn build(&mut self, now: Instant, limits: &Limits) -> Option<PeerId> {
        let dropped = &mut self.dropped;
        let on_drop: OnDrop<'_> = &mut |p, why| dropped.push((p.id.0, why));
        let peer = self.queue.select(now, on_drop)?;
        self.queue.build(now, peer, limits, &mut self.psdu, on_drop);
        Some(peer)
    }

    pub fn respond(&mut self, now: Instant, peer: PeerId, outcome: Outcome) {
        let dropped = &mut self.dropped;
        let on_drop: OnDrop<'_> = &mut |p, why| dropped.push((p.id.0, why));
        self.queue
            .on_response(now, peer, &self.psdu, outcome, on_drop);
    }

    /// The recipient decodes the MPDUs of these numbers.
    pub fn decode(&mut self, peer: PeerId, seqs: &[u16]) -> Vec<u32> {
        let mut ids = Vec::new();
        for seq in seqs {
            ids.extend(self.queue.hand_over(peer, *seq).map(|p| p.id.0));
        }
        ids
    }

    pub fn seqs(&self) -> Vec<u16> {
        self.psdu.mpdus.iter().map(|m| m.seq).collect()
    }
}

pub(super) fn block_ack(start: u16, bits: u64) -> Outcome {
    Outcome::BlockAck(start, Bitmap([bits, 0, 0, 0]))
}
