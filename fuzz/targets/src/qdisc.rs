//! Any discipline of the registry with any parameters, inside shapers or not, and any arrivals,
//! departures, timers and removals, of flows between a few hosts with any codepoints: each packet leaves
//! once, flows keep their order, the counters agree, those of tins and classes with them, and what waits
//! comes out in the end.
//!
//! The first bytes choose discipline and parameters, the next two of each flow its hosts and its
//! codepoint, and each further group of three is a step.

use crate::Bytes;
use acklab_path::packet::{FlowId, Label, Packet, PacketId};
use acklab_path::qdisc::classes;
use acklab_path::qdisc::registry::{Build, Counts, DISCIPLINES, Room};
use acklab_path::qdisc::{Enqueue, Limit, QueueDisc};
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Block, Entry, Kind, Nested, Param, Params, Value};
use acklab_proto::segment::Ecn;
use acklab_units::{Bytes as Size, Instant, Limit as Most, Rate, Span};

const FLOWS: u32 = 8;
/// Few enough that flows share them.
const HOSTS: u8 = 4;
const CODEPOINTS: u8 = 64;
/// Disciplines inside disciplines.
const DEEPEST: u32 = 3;

/// A value that the parameter accepts, mostly small.
fn value(b: &mut Bytes<'_>, kind: Kind) -> Value {
    let rate =
        |b: &mut Bytes<'_>| Value::Rate(Rate::from_bps(1 + (u64::from(b.u16()) << (b.u8() % 16))));
    match kind {
        Kind::Bool => Value::Bool(b.u8() & 1 == 1),
        Kind::Int(lo, hi) => Value::Int((lo + i64::from(b.u16())).min(hi)),
        Kind::Float(lo, hi) => Value::Float((lo + f64::from(b.u16()) / 4096.0).min(hi)),
        Kind::OptSpan(..) if b.u8() & 1 == 1 => Value::Auto,
        Kind::Span(lo, hi) | Kind::OptSpan(lo, hi) => {
            let span = lo + Span::from_micros(u64::from(b.u16()));
            Value::Span(span.min(hi))
        }
        Kind::OptRate if b.u8() & 1 == 1 => Value::Auto,
        Kind::Rate | Kind::OptRate => rate(b),
        Kind::AutoSize(..) if b.u8() & 1 == 1 => Value::Auto,
        Kind::Size(lo, hi) | Kind::AutoSize(lo, hi) => {
            Value::Size(Size((lo + u64::from(b.u16())).min(hi)))
        }
        Kind::Choice(words) => Value::Choice(words[usize::from(b.u8()) % words.len()]),
        Kind::Block | Kind::Tables(_) | Kind::Name | Kind::Names(_) => Value::Auto,
    }
}

fn params(b: &mut Bytes<'_>, specs: &'static [Param], depth: u32) -> Params {
    let mut params = Params::defaults(specs);
    for p in specs {
        match p.kind {
            Kind::Block if depth > 0 => {
                let child = block(b, depth - 1);
                params.nest(p.name, Nested::Block(child));
            }
            Kind::Tables(inner) => {
                let tables = (0..1 + b.u8() % 4)
                    .map(|i| table(b, inner, i, depth))
                    .collect();
                params.nest(p.name, Nested::Tables(tables));
            }
            kind if b.u8() & 1 == 1 || kind == Kind::Rate => {
                let value = value(b, kind);
                params
                    .set(specs, p.name, value)
                    .expect("it was made to fit");
            }
            _ => {}
        }
    }
    params
}

/// A class, below the first one or not; all but the root may choose a flow.
fn table(b: &mut Bytes<'_>, specs: &'static [Param], i: u8, depth: u32) -> Params {
    let mut class = params(b, specs, depth);
    let word = |w: String| Nested::Names(vec![w], Vec::new());
    class.nest("name", word(format!("{i}")));
    if i > 0 && b.u8() & 1 == 1 {
        class.nest("parent", word(format!("{}", b.u8() % i)));
    }
    if i > 0 && b.u8() & 1 == 1 {
        let (key, below) = [
            ("flow", FLOWS as u8),
            ("from", HOSTS),
            ("to", HOSTS),
            ("dscp", CODEPOINTS),
        ][usize::from(b.u8() % 4)];
        let number = u32::from(b.u8() % below);
        class.nest(key, Nested::Names(vec![String::new()], vec![number]));
    }
    class
}

fn entry(b: &mut Bytes<'_>) -> &'static Entry<Build> {
    &DISCIPLINES[usize::from(b.u8()) % DISCIPLINES.len()]
}

fn limit(b: &mut Bytes<'_>, counts: Counts) -> Limit {
    let n = 1 + u32::from(b.u8());
    match counts {
        Counts::Bytes => Limit::Bytes(u64::from(n) * 600),
        _ => Limit::Packets(n),
    }
}

fn block(b: &mut Bytes<'_>, depth: u32) -> Block {
    let entry = entry(b);
    let limit = match limit(b, entry.build.counts) {
        Limit::Packets(n) => Most::Packets(n),
        Limit::Bytes(n) => Most::Bytes(Size(n)),
    };
    Block {
        name: entry.name,
        limit: Some(limit),
        params: params(b, entry.params, depth),
    }
}

/// A discipline, and whether it is a CAKE.
fn discipline(b: &mut Bytes<'_>) -> Option<(Box<dyn QueueDisc>, bool)> {
    let entry = entry(b);
    let room = Room::new(limit(b, entry.build.counts), 1, "here")
        .before(Some(Rate::from_bps(1 << 20)), Some(1570));
    let params = params(b, entry.params, DEEPEST);
    // A discipline that a scenario may not have is not built.
    (entry.build.check)(&params)
        .is_none()
        .then(|| ((entry.build.make)(&params, room), entry.name == "cake"))
}

/// Hosts and codepoint of a flow, which stay as they are: else its packets might overtake each other.
fn label(b: &mut Bytes<'_>, flow: u32) -> Label {
    let hosts = b.u8();
    Label {
        flow,
        from: u32::from(hosts % HOSTS),
        to: u32::from(hosts / HOSTS % HOSTS),
        dscp: Dscp::new(b.u8() % CODEPOINTS).expect("it is small enough"),
    }
}

struct Bench {
    q: Box<dyn QueueDisc>,
    is_cake: bool,
    labels: Vec<Label>,
    now: Instant,
    /// Whether each packet has left.
    gone: Vec<bool>,
    newest: [Option<u32>; FLOWS as usize],
}

impl Bench {
    fn leave(gone: &mut [bool], packet: Packet) {
        let gone = &mut gone[packet.id.0 as usize];
        assert!(!*gone, "left twice");
        *gone = true;
    }

    /// Runs the timers that are due up to `now`.
    fn wait(&mut self, span: Span) {
        let then = self.now + span;
        let gone = &mut self.gone;
        while let Some(at) = self.q.next_wakeup().filter(|at| *at <= then) {
            self.q.on_wakeup(at, &mut |p, _| Self::leave(gone, p));
            assert!(self.q.next_wakeup().is_none_or(|next| next > at), "stuck");
        }
        self.now = then;
    }

    fn enqueue(&mut self, packet: Packet) {
        self.gone.push(false);
        let label = self.labels[packet.flow.0 as usize];
        match self.q.enqueue(self.now, packet, label) {
            Enqueue::Queued => {}
            Enqueue::Dropped(_) => Self::leave(&mut self.gone, packet),
            Enqueue::Evicted(victim, _) => Self::leave(&mut self.gone, victim),
        }
        while let Some((victim, _)) = self.q.evicted() {
            Self::leave(&mut self.gone, victim);
        }
    }

    /// Whether a packet left.
    fn dequeue(&mut self) -> bool {
        let gone = &mut self.gone;
        let head = self.q.dequeue(self.now, &mut |p, _| Self::leave(gone, p));
        let Some(head) = head else {
            return false;
        };
        Self::leave(gone, head);
        let newest = &mut self.newest[head.flow.0 as usize];
        assert!(*newest < Some(head.id.0), "overtaken within its flow");
        *newest = Some(head.id.0);
        true
    }

    fn check(&self) {
        let inside = self.gone.iter().filter(|g| !**g).count();
        let s = self.q.stats();
        assert_eq!(inside, s.packets as usize);
        let left = s.dequeued + s.dropped_inside;
        assert_eq!(s.enqueued - left, u64::from(s.packets));
        assert_eq!(s.bytes == 0, s.packets == 0);
        assert_eq!(s.enqueued + s.refused, self.gone.len() as u64);
    }

    /// Each CAKE in it counts as much as its tins together; one by itself counts what the discipline counts.
    fn check_rows(&self) {
        let rows = self.q.classes();
        for (i, row) in rows.iter().enumerate() {
            let classes::Counts::Whole(whole) = row.counts else {
                continue;
            };
            let mut sums = [0; 3];
            for row in &rows[i + 1..] {
                let classes::Counts::Tin(tin) = row.counts else {
                    break;
                };
                sums[0] += tin.drops + tin.ack_drops;
                sums[1] += tin.backlog;
                sums[2] += tin.packets;
            }
            let (bytes, waiting) = whole.backlog;
            let seen = whole.packets + whole.dropped + u64::from(waiting);
            assert_eq!(sums, [whole.dropped, bytes, seen], "{}", row.name);
            assert_eq!(whole.network_sizes.is_none(), seen == 0);
            if self.is_cake {
                let s = self.q.stats();
                assert_eq!(
                    (s.packets, s.bytes, s.dequeued),
                    (waiting, bytes, whole.packets)
                );
            }
        }
    }

    /// Takes everything out, as fast as it can be had.
    fn drain(&mut self) {
        for _ in 0..4 * self.gone.len() + 4 {
            if !self.dequeue() {
                let Some(at) = self.q.next_ready() else {
                    break;
                };
                assert!(at > self.now, "ready, and gives nothing");
                self.now = at;
            }
            self.check();
        }
        assert_eq!(self.q.stats().packets, 0, "something stayed");
        self.check_rows();
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let Some((q, is_cake)) = discipline(&mut b) else {
        return;
    };
    let mut bench = Bench {
        q,
        is_cake,
        labels: (0..FLOWS).map(|flow| label(&mut b, flow)).collect(),
        now: Instant::ZERO,
        gone: Vec::new(),
        newest: [None; FLOWS as usize],
    };
    while !b.is_empty() {
        let (what, n, size) = (b.u8(), b.u8(), b.u8());
        bench.wait(Span::from_micros(u64::from(n) * u64::from(what >> 3) * 4));
        match what & 7 {
            0..4 => bench.enqueue(Packet {
                id: PacketId(bench.gone.len() as u32),
                size: 40 + u32::from(size) * 6,
                flow: FlowId(u32::from(what >> 5)),
                ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][usize::from(what & 3)],
            }),
            4 => {
                if let Some(p) = bench.q.remove(PacketId(u32::from(size))) {
                    Bench::leave(&mut bench.gone, p);
                }
            }
            _ => (0..=n >> 5).for_each(|_| {
                bench.dequeue();
            }),
        }
        bench.check();
    }
    bench.check_rows();
    bench.drain();
}
