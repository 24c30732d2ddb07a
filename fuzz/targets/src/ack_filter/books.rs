//! Fate of each packet that arrived, and whether it is allowed.

use super::said::Guards;
use crate::acks::Options;
use acklab_path::ack_filter::{AckFilter, Verdict};
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId};
use acklab_proto::segment::{Flags, Segment};
use acklab_units::{Instant, Span};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Held,
    Forwarded,
    Lost,
}

/// A packet that arrived.
pub(super) struct Came {
    at: Instant,
    pub packet: Packet,
    segment: Segment,
    pub fate: Fate,
}

/// Fates of the packets that arrived, and the allowed ones.
pub(super) struct Books {
    guards: Guards,
    pub came: Vec<Came>,
    last_forwarded: BTreeMap<FlowId, PacketId>,
    pub queue: Vec<Packet>,
    /// Flows of which something was in the queue at a time, at most.
    most_queued: usize,
    /// Held packets, or queued ones, may be overtaken.
    overtakes: bool,
    thins_syn_acks: bool,
    /// Longest wait of a packet, and of a flow until one of its packets leaves.
    packet_waits: Option<Span>,
    pub flow_waits: Option<Span>,
    capacity: Option<usize>,
    /// Most rows of tables by flow, if an option says so.
    most_rows: Option<usize>,
}

impl Books {
    pub fn new(name: &str, options: &Options<'_>) -> Self {
        let timeout = options.span("timeout");
        let sleeps = options.says("flush", "next");
        let rearmed = options.says("timeout_from", "last");
        let (packet_waits, flow_waits) = match name {
            "tac" | "tac-paper" => (timeout, options.span("max_hold")),
            "aggregate" if sleeps || rearmed => (None, None),
            "aggregate" => (timeout, timeout),
            _ => (options.span("delay"), options.span("delay")),
        };
        Self {
            guards: Guards::new(name, options),
            came: Vec::new(),
            last_forwarded: BTreeMap::new(),
            queue: Vec::new(),
            most_queued: 0,
            overtakes: options.says("older", "keep") || options.says("others", "overtake"),
            thins_syn_acks: options.says("handshake", "thin"),
            packet_waits,
            flow_waits,
            capacity: options.int("capacity"),
            // TAC rounds up to sets of four.
            most_rows: options.int("flows").map(|most| most.next_multiple_of(4)),
        }
    }

    pub fn arrive(&mut self, at: Instant, packet: Packet, segment: Segment) {
        self.came.push(Came {
            at,
            packet,
            segment,
            fate: Fate::Held,
        });
    }

    fn of(&self, id: PacketId) -> &Came {
        &self.came[id.0 as usize]
    }

    /// Does what the filter decided at `now`, when `by` arrived or the timer ran out.
    pub fn settle(&mut self, now: Instant, by: Option<PacketId>, verdicts: &mut Vec<Verdict>) {
        let (mut lost, mut left) = (Vec::new(), Vec::new());
        for v in verdicts.drain(..) {
            match v {
                Verdict::Forward(p, _) => {
                    self.forward(now, p);
                    self.queue.push(p);
                    left.push(p.id);
                }
                Verdict::Drop(p, DropReason::FilterFull) => {
                    assert_eq!(Some(p.id), by, "no room for what is held");
                    let held = self.came.iter().filter(|c| c.fate == Fate::Held).count();
                    assert!(self.capacity.is_some_and(|c| held > c), "there was room");
                    self.lose(p.id, Fate::Held);
                }
                Verdict::Drop(p, reason) => {
                    assert_eq!(reason, DropReason::AckThinned);
                    self.lose(p.id, Fate::Held);
                    lost.push(p.id);
                }
                Verdict::DropQueued(id) => {
                    let at = self.place(id);
                    self.queue.remove(at);
                    self.lose(id, Fate::Forwarded);
                    self.check_next_in_queue(at, id, by);
                    lost.push(id);
                }
                Verdict::Replace { queued, by: new } => {
                    assert_eq!(Some(new.id), by);
                    self.forward(now, new);
                    let at = self.place(queued);
                    let place = &mut self.queue[at];
                    assert_eq!((place.size, place.flow), (new.size, new.flow));
                    *place = new;
                    self.lose(queued, Fate::Forwarded);
                    lost.push(queued);
                }
            }
        }
        for id in lost {
            self.check_said(id, by, &left);
        }
        let queued: BTreeSet<_> = self.queue.iter().map(|p| p.flow).collect();
        self.most_queued = self.most_queued.max(queued.len());
    }

    fn place(&self, id: PacketId) -> usize {
        let at = self.queue.iter().position(|p| p.id == id);
        at.expect("not in the queue")
    }

    fn forward(&mut self, now: Instant, p: Packet) {
        let came = self.of(p.id);
        assert_eq!(came.packet, p, "changed on its way");
        if let Some(most) = self.packet_waits {
            assert!(now - came.at <= most, "{:?} waited too long", p.id);
        }
        let replaces = came.segment.is_pure_ack() && self.overtakes;
        let last = self.last_forwarded.insert(p.flow, p.id);
        let in_order = last < Some(p.id);
        assert!(in_order || replaces, "overtaken within its flow");
        self.decide(p.id, Fate::Held, Fate::Forwarded);
    }

    fn lose(&mut self, id: PacketId, before: Fate) {
        let s = &self.of(id).segment;
        let syn_ack = s.flags.contains(Flags::SYN.with(Flags::ACK)) && s.len == 0;
        let may_be_lost = s.is_pure_ack() || (self.thins_syn_acks && syn_ack);
        assert!(may_be_lost, "lost something untouchable");
        self.decide(id, before, Fate::Lost);
    }

    fn decide(&mut self, id: PacketId, before: Fate, after: Fate) {
        let entry = &mut self.came[id.0 as usize].fate;
        assert_eq!(*entry, before, "judged twice");
        *entry = after;
    }

    /// The one that stands for a lost one is the one that just arrived, or the one of its flow that
    /// was held when that came; it may have left at once.
    fn check_said(&self, lost: PacketId, by: Option<PacketId>, left: &[PacketId]) {
        let by = by.expect("the timer drops nothing");
        let old = self.of(lost);
        let stands_for_it = if by == lost {
            let held = |c: &&Came| c.fate == Fate::Held || left.contains(&c.packet.id);
            let mut before = self.came[..lost.0 as usize].iter().filter(held);
            before.rfind(|c| c.packet.flow == old.packet.flow)
        } else {
            Some(self.of(by))
        };
        let new = stands_for_it.expect("nothing stands for it");
        if old.packet.flow != new.packet.flow {
            return assert!(self.guards.mixes_flows, "another flow stands for it");
        }
        let checked = self.guards.says_as_much(&old.segment, &new.segment);
        if let Err(what) = checked {
            panic!("lost {what}: {:?} by {:?}", old.segment, new.segment);
        }
    }

    /// The last of a run of equal ECE and CWR stays: what follows in the queue has the same.
    fn check_next_in_queue(&self, at: usize, lost: PacketId, by: Option<PacketId>) {
        let old = self.of(lost);
        let behind = self.queue[at..].iter().find(|p| p.flow == old.packet.flow);
        let next = behind.map(|p| p.id).or(by).expect("nothing follows");
        let echo = |s: &Segment| [Flags::ECE, Flags::CWR].map(|f| s.flags.contains(f));
        assert_eq!(echo(&old.segment), echo(&self.of(next).segment));
    }

    pub fn check(&self, now: Instant, filter: &dyn AckFilter) {
        let mut last = BTreeMap::new();
        for p in self.queue.iter().filter(|_| !self.overtakes) {
            let before = last.insert(p.flow, p.id);
            assert!(before < Some(p.id), "overtaken in the queue");
        }
        let s = filter.stats();
        assert_eq!(s.seen, s.forwarded + s.dropped + u64::from(s.held));
        let held = || self.came.iter().filter(|c| c.fate == Fate::Held);
        assert_eq!(held().count(), s.held as usize);
        assert!(self.capacity.is_none_or(|c| held().count() <= c));
        if let Some(most) = self.packet_waits {
            assert!(held().all(|c| now - c.at <= most));
        }
        let most_rows = self.most_rows.unwrap_or(self.most_queued);
        assert!(filter.rows() <= most_rows, "{} rows", filter.rows());
        let timed = self.packet_waits.is_some() && s.held > 0;
        assert!(!timed || filter.next_wakeup().is_some(), "no timer");
    }
}
