//! Any filter, any parameters, any arrivals: each packet has one fate and is not changed, in order
//! (but for readings that let held or queued ones be overtaken), only acknowledgements are lost (and
//! the SYN-ACK, by the reading that wants it so), a place in the queue goes to a packet of its flow and
//! length, what was lost is said by the one that stands for it (see [`said`]), nobody waits for longer than
//! the options allow, and tables stay as small as they say.
//!
//! The first bytes choose filter and parameters; then some bytes for each arrival.

mod books;
mod said;

use crate::Bytes;
use crate::acks::{Options, Sources, value};
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::ack_filter::{AckFilter, Verdict};
use acklab_path::packet::{FlowId, Packet, PacketId};
use acklab_proto::registry::Params;
use acklab_proto::segment::{Ecn, Segment};
use acklab_units::{Instant, Span};
use books::{Books, Fate};
use std::collections::{BTreeMap, BTreeSet};

/// Since when something of each flow is held without any of it having left.
#[derive(Default)]
struct Waits(BTreeMap<FlowId, Instant>);

impl Waits {
    fn check(&mut self, now: Instant, books: &Books) {
        let held: BTreeSet<_> = held_flows(books).collect();
        self.0.retain(|flow, _| held.contains(flow));
        for flow in held {
            let since = *self.0.entry(flow).or_insert(now);
            let most = books.flow_waits.unwrap_or(Span::MAX);
            assert!(now - since <= most, "{flow:?} waited too long");
        }
    }
}

fn held_flows(books: &Books) -> impl Iterator<Item = FlowId> + '_ {
    let held = books.came.iter().filter(|c| c.fate == Fate::Held);
    held.map(|c| c.packet.flow)
}

/// The next arrival: at once, later, exactly when a timer runs out or just beside it, or much later.
fn later(now: Instant, spans: &[Span], filter: &dyn AckFilter, b: &mut Bytes<'_>) -> Instant {
    let nanos = now.as_nanos();
    let due = filter.next_wakeup().map_or(nanos, |t| t.as_nanos());
    let beside = |t: u64, k: u8| (t + u64::from(k % 3)).saturating_sub(1);
    let at = match b.u8() {
        0..64 => nanos,
        k @ 64..160 => nanos + u64::from(k - 63) * 20_000,
        k @ 160..192 => beside(due, k),
        k @ 192..224 if !spans.is_empty() => {
            let span = spans[usize::from(k) / 3 % spans.len()];
            beside(nanos + span.as_nanos(), k)
        }
        k @ 224..252 => nanos + u64::from(k - 223) * 1_000_000,
        // Hours.
        k => nanos + u64::from(k) * 60_000_000_000,
    };
    Instant::from_nanos(at.max(nanos))
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let entry = &FILTERS[usize::from(b.u8()) % FILTERS.len()];
    let mut params = Params::defaults(entry.params);
    for param in entry.params {
        // A value out of range leaves the default.
        let _ = params.set(entry.params, param.name, value(param, b.u8()));
    }
    let options = Options(entry.params, &params);
    let names = ["timeout", "max_hold", "delay"];
    let spans: Vec<_> = names.iter().filter_map(|n| options.span(n)).collect();
    let filter = (entry.build)(&params);
    let mut play = Play {
        books: Books::new(entry.name, &options),
        filter,
        waits: Waits::default(),
        out: Vec::new(),
    };
    let (mut sources, mut now) = (Sources::default(), Instant::ZERO);
    while !b.is_empty() {
        now = later(now, &spans, &*play.filter, &mut b);
        play.timers(now);
        let (flow, segment) = sources.next(&mut b);
        play.arrive(now, flow, segment);
        play.departs(b.u8());
    }
    play.timers(Instant::MAX);
    let sleeps = options.says("flush", "next");
    let forever = sleeps || (entry.name == "aggregate" && options.span("timeout").is_none());
    assert!(forever || play.filter.stats().held == 0, "held for ever");
}

struct Play {
    books: Books,
    filter: Box<dyn AckFilter>,
    waits: Waits,
    out: Vec<Verdict>,
}

impl Play {
    fn timers(&mut self, until: Instant) {
        while let Some(t) = self.filter.next_wakeup().filter(|t| *t <= until) {
            self.waits.check(t, &self.books);
            self.filter.on_wakeup(t, &mut self.out);
            assert!(self.filter.next_wakeup().is_none_or(|next| next > t));
            self.books.settle(t, None, &mut self.out);
            self.books.check(t, &*self.filter);
        }
        if until < Instant::MAX {
            self.waits.check(until, &self.books);
        }
    }

    fn arrive(&mut self, now: Instant, flow: u32, segment: Segment) {
        let id = PacketId(self.books.came.len() as u32);
        let options = 12 * u32::from(segment.timestamps.is_some());
        let packet = Packet {
            id,
            size: 40 + options + 8 * segment.sack.as_slice().len() as u32 + segment.len,
            flow: FlowId(flow),
            ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ce][segment.ack.0 as usize % 3],
        };
        self.books.arrive(now, packet, segment);
        self.filter.on_packet(now, packet, &segment, &mut self.out);
        let leaves = |v: &Verdict| matches!(v, Verdict::Forward(p, _) if p.flow == packet.flow);
        if self.out.iter().any(leaves) {
            self.waits.0.remove(&packet.flow);
        }
        self.books.settle(now, Some(id), &mut self.out);
        self.books.check(now, &*self.filter);
        self.waits.check(now, &self.books);
    }

    /// A packet leaves the queue behind, from its head or, as a queue may also drop, its end.
    fn departs(&mut self, byte: u8) {
        let queue = &mut self.books.queue;
        if queue.is_empty() || byte < 64 {
            return;
        }
        let at = if byte < 224 { 0 } else { queue.len() - 1 };
        let gone = queue.remove(at);
        self.filter.on_left_queue(gone.id, gone.flow);
    }
}
