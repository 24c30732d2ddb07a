//! Any filter, any parameters, any arrivals: each packet has one fate, in order (but for readings
//! that let held or queued ones be overtaken), only acknowledgements are lost (and the SYN-ACK, by
//! the reading that wants it so), and a place in the queue goes to a packet of its flow and length.
//!
//! The first bytes choose filter and parameters, each further group of six is an arrival.

use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::ack_filter::{AckFilter, Verdict};
use acklab_path::packet::{FlowId, Packet, PacketId};
use acklab_proto::registry::{Kind, Param, Params, Value};
use acklab_proto::segment::{Ecn, Flags, SackBlock, Segment};
use acklab_units::{Instant, SeqNum, Span};

const FLOWS: u32 = 4;
/// A byte for the filter, and one for each parameter of the filter that has most.
const HEAD: usize = 11;

/// A value of the parameter's kind, chosen by one byte.
pub(crate) fn value(param: &Param, byte: u8) -> Value {
    match param.kind {
        Kind::Choice(words) => Value::Choice(words[byte as usize % words.len()]),
        Kind::Int(lo, hi) => Value::Int((lo + i64::from(byte) % 20).min(hi)),
        Kind::Bool => Value::Bool(byte % 2 == 1),
        Kind::OptSpan(..) if byte.is_multiple_of(4) => Value::Auto,
        Kind::OptSpan(..) | Kind::Span(..) => Value::Span(Span::from_micros(u64::from(byte) * 40)),
        _ => param.default,
    }
}

pub(crate) fn segment(bytes: &[u8]) -> Segment {
    let number = SeqNum(u32::from(bytes[2]).wrapping_sub(128));
    let mut s = Segment {
        ack: number,
        flags: Flags::ACK.with(Flags(bytes[3] & bytes[4])),
        len: u32::from(bytes[3] == 0xff) * 100,
        window: u16::from(bytes[4]),
        ..Segment::default()
    };
    if bytes[5] & 1 == 1 {
        let start = SeqNum(u32::from(bytes[5]).wrapping_sub(128));
        let end = start + u32::from(bytes[4]);
        s.sack.push(SackBlock { start, end });
    }
    s
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Held,
    Forwarded,
    Lost,
}

/// What became of each packet that arrived.
#[derive(Default)]
struct Books {
    may_be_lost: Vec<bool>,
    fate: Vec<Fate>,
    last_forwarded: [Option<u32>; FLOWS as usize],
    queue: Vec<Packet>,
    /// Held packets, or queued ones, may be overtaken.
    overtakes: bool,
}

impl Books {
    fn settle(&mut self, verdicts: &mut Vec<Verdict>) {
        for v in verdicts.drain(..) {
            match v {
                Verdict::Forward(p, _) => {
                    self.decide(p.id, Fate::Held, Fate::Forwarded);
                    let last = &mut self.last_forwarded[p.flow.0 as usize];
                    let in_order = *last < Some(p.id.0);
                    assert!(in_order || self.overtakes, "overtaken within its flow");
                    *last = Some(p.id.0);
                    self.queue.push(p);
                }
                Verdict::Drop(p, _) => self.lose(p.id, Fate::Held),
                Verdict::DropQueued(id) => {
                    let at = self.queue.iter().position(|p| p.id == id);
                    self.queue.remove(at.expect("not in the queue"));
                    self.lose(id, Fate::Forwarded);
                }
                Verdict::Replace { queued, by } => {
                    self.decide(by.id, Fate::Held, Fate::Forwarded);
                    self.last_forwarded[by.flow.0 as usize] = Some(by.id.0);
                    let place = self.queue.iter_mut().find(|p| p.id == queued);
                    let place = place.expect("not in the queue");
                    assert_eq!((place.size, place.flow), (by.size, by.flow));
                    *place = by;
                    self.lose(queued, Fate::Forwarded);
                }
            }
        }
    }

    fn lose(&mut self, id: PacketId, before: Fate) {
        assert!(
            self.may_be_lost[id.0 as usize],
            "lost something untouchable"
        );
        self.decide(id, before, Fate::Lost);
    }

    fn decide(&mut self, id: PacketId, before: Fate, after: Fate) {
        let entry = &mut self.fate[id.0 as usize];
        assert_eq!(*entry, before, "judged twice");
        *entry = after;
    }

    fn check(&self, filter: &dyn AckFilter) {
        for flow in (0..FLOWS).filter(|_| !self.overtakes) {
            let of = self.queue.iter().filter(|p| p.flow.0 == flow).map(|p| p.id);
            assert!(of.is_sorted(), "overtaken in the queue");
        }
        let s = filter.stats();
        assert_eq!(s.seen, s.forwarded + s.dropped + u64::from(s.held));
        let held = self.fate.iter().filter(|f| **f == Fate::Held).count();
        assert_eq!(held, s.held as usize);
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((head, arrivals)) = bytes.split_at_checked(HEAD) else {
        return;
    };
    let entry = &FILTERS[head[0] as usize % FILTERS.len()];
    let mut params = Params::defaults(entry.params);
    for (param, byte) in entry.params.iter().zip(&head[1..]) {
        // A value out of range leaves the default.
        let _ = params.set(entry.params, param.name, value(param, *byte));
    }
    let mut filter = (entry.build)(&params);
    let says =
        |name, word| entry.params.iter().any(|p| p.name == name) && params.choice(name) == word;
    let overtakes = says("older", "keep") || says("others", "overtake");
    let thins_syn_acks = says("handshake", "thin");
    let (mut books, mut out) = (Books::default(), Vec::new());
    books.overtakes = overtakes;
    let mut now = 0u64;
    for (id, bytes) in arrivals.chunks_exact(6).enumerate() {
        now += u64::from(bytes[0]) * 20_000;
        while let Some(t) = filter.next_wakeup().filter(|t| t.as_nanos() <= now) {
            filter.on_wakeup(t, &mut out);
        }
        books.settle(&mut out);
        let segment = segment(bytes);
        let packet = Packet {
            id: PacketId(id as u32),
            size: 52 + 12 * segment.sack.as_slice().len() as u32,
            flow: FlowId(u32::from(bytes[1]) % FLOWS),
            ecn: Ecn::NotEct,
        };
        let syn_ack = segment.flags.contains(Flags::SYN.with(Flags::ACK)) && segment.len == 0;
        let may_be_lost = segment.is_pure_ack() || (thins_syn_acks && syn_ack);
        books.may_be_lost.push(may_be_lost);
        books.fate.push(Fate::Held);
        filter.on_packet(Instant::from_nanos(now), packet, &segment, &mut out);
        books.settle(&mut out);
        books.check(&*filter);
        if bytes[1] & 0x80 != 0 && !books.queue.is_empty() {
            let gone = books.queue.remove(0);
            filter.on_left_queue(gone.id, gone.flow);
        } else if bytes[1] & 0x40 != 0 && !books.queue.is_empty() {
            // A queue may also drop from its end.
            let gone = books.queue.remove(books.queue.len() - 1);
            filter.on_left_queue(gone.id, gone.flow);
        }
    }
}
