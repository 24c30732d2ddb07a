//! The lives of acknowledgements: sent for a reason, held, merged, dropped, released, received.
//!
//! Kept are the acknowledgements of a flow's data: those that travel from its receiver to its
//! sender.

use super::observer::LinkFact;
use crate::plan::Period;
use acklab_path::ack_filter::ForwardReason;
use acklab_path::packet::{DropReason, Packet};
use acklab_proto::ack::AckReason;
use acklab_proto::segment::{Flags, Segment};
use acklab_units::{Instant, SeqNum, Span};
use std::collections::VecDeque;

/// The fate of an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AckEvent {
    /// The receiver of the data sent it.
    Sent(Option<AckReason>),
    /// An ACK filter kept it.
    Held,
    /// An ACK filter dropped it, because another one says as much.
    Merged,
    /// It was lost, with nothing in its place.
    Dropped(DropReason),
    /// An ACK filter let it go on.
    Released(ForwardReason),
    /// It reached the sender of the data.
    Received,
}

impl AckEvent {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sent(_) => "sent",
            Self::Held => "held",
            Self::Merged => "merged",
            Self::Dropped(_) => "dropped",
            Self::Released(_) => "released",
            Self::Received => "received",
        }
    }

    /// The name of the reason, where there is one.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Sent(Some(reason)) => Some(reason.name()),
            Self::Merged => Some(DropReason::AckThinned.name()),
            Self::Dropped(reason) => Some(reason.name()),
            Self::Released(reason) => Some(reason.name()),
            Self::Sent(None) | Self::Held | Self::Received => None,
        }
    }
}

/// One moment in the life of an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckRecord {
    /// When.
    pub at: Instant,
    /// Number of the flow in the plan.
    pub flow: u32,
    /// The event.
    pub what: AckEvent,
    /// Number of the link in the plan; `None` at hosts.
    pub link: Option<u32>,
    /// Bytes of the stream that it acknowledges.
    pub ack: u64,
    /// Full segments that it newly acknowledges, the last of them perhaps not full. At a host, as
    /// against the acknowledgements that were sent or received before; zero at links.
    pub segments: u32,
    /// Sent: since the first of the bytes that it newly acknowledges came in order. Released,
    /// merged or dropped by a filter: since it came. Received: since it was sent. Otherwise `None`.
    pub delay: Option<Span>,
}

/// Which hosts of a flow send and acknowledge its data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Host that sends the data.
    pub(super) sender: u32,
    /// Payload bytes of a full segment.
    pub(super) segment: u32,
}

impl Ends {
    pub(super) const fn receiver(self) -> u32 {
        self.sender ^ 1
    }
}

/// A flow's data as its receiver has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    /// Number of the stream's first byte.
    origin: SeqNum,
    /// Bytes acknowledged by what was sent, and by what was received.
    pub(super) sent: u64,
    pub(super) received: u64,
    /// Bytes in order so far.
    in_order: u64,
    /// Bytes in order, each time that there were more, and when; acknowledged ones left out.
    arrivals: VecDeque<(u64, Instant)>,
}

impl Stream {
    fn acknowledged(&self, segment: &Segment, near: u64) -> u64 {
        segment.ack.expand(self.origin, near).unwrap_or(0)
    }

    /// How long the first byte that an acknowledgement of `ack` bytes covers has waited.
    pub(super) fn settle(&mut self, now: Instant, ack: u64) -> Option<Span> {
        let first = self.arrivals.front().filter(|_| ack > self.sent)?.1;
        while self.arrivals.front().is_some_and(|(end, _)| *end <= ack) {
            self.arrivals.pop_front();
        }
        Some(now - first)
    }
}

/// Keeps the records of all flows.
#[derive(Debug)]
pub(super) struct AckLog {
    pub(super) ends: Vec<Ends>,
    pub(super) streams: Vec<Stream>,
    pub(super) records: Kept,
}

/// The records of a part of the run.
#[derive(Debug)]
pub(super) struct Kept {
    within: Period,
    records: Vec<AckRecord>,
}

impl Kept {
    pub(super) fn push(&mut self, record: AckRecord) {
        if self.within.contains(record.at) {
            self.records.push(record);
        }
    }
}

impl AckLog {
    pub(super) fn new(ends: Vec<Ends>, within: Period) -> Self {
        Self {
            streams: vec![Stream::default(); ends.len()],
            ends,
            records: Kept {
                within,
                records: Vec::new(),
            },
        }
    }

    /// A host sent a segment. Returns the delay of the acknowledgement on it, if it says anything
    /// new.
    pub(super) fn on_sent(
        &mut self,
        now: Instant,
        packet: Packet,
        segment: &Segment,
        due: Option<AckReason>,
    ) -> Option<Span> {
        let flow = (packet.flow.0 / 2) as usize;
        let ends = self.ends[flow];
        let stream = &mut self.streams[flow];
        if packet.flow.0 == ends.sender {
            if segment.flags.contains(Flags::SYN) {
                stream.origin = segment.seq + 1;
            }
            return None;
        }
        if !segment.flags.contains(Flags::ACK) || segment.flags.contains(Flags::SYN) {
            return None;
        }
        let ack = stream.acknowledged(segment, stream.sent);
        let delay = stream.settle(now, ack);
        let news = ack.saturating_sub(stream.sent);
        stream.sent = stream.sent.max(ack);
        let reason = if segment.is_pure_ack() {
            due
        } else if news > 0 {
            Some(AckReason::Piggyback)
        } else {
            return None;
        };
        self.records.push(AckRecord {
            at: now,
            flow: flow as u32,
            what: AckEvent::Sent(reason),
            link: None,
            ack,
            segments: segments(news, ends),
            delay,
        });
        delay
    }

    /// A segment came to a host that now has `in_order` bytes.
    pub(super) fn on_data(&mut self, now: Instant, host: u32, in_order: u64) {
        let flow = (host / 2) as usize;
        let stream = &mut self.streams[flow];
        if host == self.ends[flow].receiver() && in_order > stream.in_order {
            stream.in_order = in_order;
            stream.arrivals.push_back((in_order, now));
        }
    }

    /// A pure acknowledgement reached a host, `age` after it was sent, if that is known.
    pub(super) fn on_received(
        &mut self,
        now: Instant,
        packet: Packet,
        seg: &Segment,
        age: Option<Span>,
    ) {
        let flow = (packet.flow.0 / 2) as usize;
        let ends = self.ends[flow];
        if packet.flow.0 != ends.receiver() || !seg.is_pure_ack() {
            return;
        }
        let stream = &mut self.streams[flow];
        let ack = stream.acknowledged(seg, stream.received);
        let news = ack.saturating_sub(stream.received);
        stream.received = stream.received.max(ack);
        self.records.push(AckRecord {
            at: now,
            flow: flow as u32,
            what: AckEvent::Received,
            link: None,
            ack,
            segments: segments(news, ends),
            delay: age,
        });
    }

    /// Something happened to a packet at a link, whose filter has held it for `held`.
    pub(super) fn on_link(
        &mut self,
        (now, link): (Instant, usize),
        packet: Packet,
        segment: &Segment,
        fact: LinkFact,
        held: Option<Span>,
    ) {
        let flow = (packet.flow.0 / 2) as usize;
        if packet.flow.0 != self.ends[flow].receiver() || !segment.is_pure_ack() {
            return;
        }
        let what = match fact {
            LinkFact::Held => AckEvent::Held,
            LinkFact::Dropped(DropReason::AckThinned) => AckEvent::Merged,
            LinkFact::Dropped(reason) => AckEvent::Dropped(reason),
            LinkFact::Released(ForwardReason::Passing | ForwardReason::Untouchable) => return,
            LinkFact::Released(reason) => AckEvent::Released(reason),
            LinkFact::Queued | LinkFact::Left(_) | LinkFact::Delivered => return,
        };
        let stream = &self.streams[flow];
        self.records.push(AckRecord {
            at: now,
            flow: flow as u32,
            what,
            link: Some(link as u32),
            ack: stream.acknowledged(segment, stream.received),
            segments: 0,
            delay: match what {
                AckEvent::Released(_) => Some(held.unwrap_or(Span::ZERO)),
                _ => held,
            },
        });
    }

    /// The records up to `end`, by time.
    pub(super) fn finish(self, end: Instant) -> Vec<AckRecord> {
        let mut records = self.records.records;
        records.retain(|r| r.at <= end);
        records.sort_by_key(|r| r.at);
        records
    }
}

pub(super) fn segments(bytes: u64, ends: Ends) -> u32 {
    bytes.div_ceil(u64::from(ends.segment.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_path::packet::{FlowId, PacketId};
    use acklab_proto::segment::Ecn;

    const ENDS: Ends = Ends {
        sender: 0,
        segment: 1000,
    };

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn packet(flow: u32) -> Packet {
        Packet {
            id: PacketId(0),
            size: 40,
            flow: FlowId(flow),
            ecn: Ecn::NotEct,
        }
    }

    fn ack(offset: u32) -> Segment {
        Segment {
            ack: SeqNum(u32::MAX) + 1 + offset,
            flags: Flags::ACK,
            ..Segment::default()
        }
    }

    fn log() -> AckLog {
        let mut log = AckLog::new(vec![ENDS], Period::WHOLE);
        let syn = Segment {
            seq: SeqNum(u32::MAX),
            flags: Flags::SYN,
            ..Segment::default()
        };
        log.on_sent(at(0), packet(0), &syn, None);
        log
    }

    #[test]
    fn the_delay_is_that_of_the_first_byte_acknowledged() {
        let mut log = log();
        log.on_data(at(1), 1, 1000);
        log.on_data(at(3), 1, 2000);
        log.on_data(at(4), 1, 3000);
        let why = Some(AckReason::ByteCount);
        let first = log.on_sent(at(5), packet(1), &ack(2000), why);
        assert_eq!(first, Some(Span::from_millis(4)));
        assert_eq!(log.on_sent(at(6), packet(1), &ack(2000), why), None);
        let next = log.on_sent(at(7), packet(1), &ack(3000), why);
        assert_eq!(next, Some(Span::from_millis(3)));
        let sent: Vec<_> = log.finish(at(9)).iter().map(|r| r.segments).collect();
        assert_eq!(sent, [2, 0, 1]);
    }

    #[test]
    fn a_filter_says_how_long_it_held() {
        let mut log = log();
        let link = |log: &mut AckLog, ms, fact, held| {
            log.on_link((at(ms), 3), packet(1), &ack(1500), fact, held);
        };
        link(&mut log, 1, LinkFact::Held, None);
        let held = Some(Span::from_millis(5));
        link(
            &mut log,
            6,
            LinkFact::Released(ForwardReason::Timeout),
            held,
        );
        link(&mut log, 6, LinkFact::Queued, held);
        log.on_received(at(8), packet(1), &ack(1500), Some(Span::from_millis(7)));
        let r = log.finish(at(7));
        assert_eq!(r.len(), 2, "what is after the end is left out");
        assert_eq!(
            (r[1].what.name(), r[1].what.reason()),
            ("released", Some("timeout"))
        );
        assert_eq!((r[1].link, r[1].ack, r[1].delay), (Some(3), 1500, held));
    }
}
