//! Cost of an ACK in each ACK filter, by the number of flows.
//!
//! `cargo run --release -p acklab-benches --bin filter [runs] [filter ...]`
//!
//! Each flow's ACKs come every 2 ms on average, with rising numbers; whose is next is drawn, so that
//! with many flows each finds its rows cold. Timers run as a link runs them. Forwarded ACKs
//! wait in a queue with room for two ACKs of each flow, so that filters that look into it find
//! something there. The row `(none)` is all that without a filter: take it off.
//!
//! Then the same in front of a link that has time for half of the ACKs: queue and all. There also
//! two filters at a time, as `tac+cake`.

use acklab_benches::{in_turns, ns_per};
use acklab_path::ack_filter::chain::Chain;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::ack_filter::{AckFilter, FilterStats, ForwardReason, Verdict};
use acklab_path::impair::{ImpairConfig, LinkStreams};
use acklab_path::link::{Link, LinkConfig, LinkDriver, Queue as LinkQueue};
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId, PacketStore};
use acklab_path::qdisc::pfifo::{Limit, Pfifo};
use acklab_proto::datagram::Datagram;
use acklab_proto::registry::{Entry, Params, Value};
use acklab_proto::rng::{self, RngCore};
use acklab_proto::segment::{Ecn, Flags, Segment};
use acklab_units::{Instant, Rate, SeqNum, Span};
use std::cell::RefCell;

const FLOWS: [u32; 3] = [1, 100, 10_000];
/// ACKs of a run, after as many that are not measured.
const ACKS: u64 = 1_000_000;
/// Between two ACKs of a flow, on average.
const GAP_NS: u64 = 2_000_000;
const ACK_BYTES: u32 = 52;

type Build<'a> = dyn Fn() -> Box<dyn AckFilter> + 'a;

fn main() {
    let mut args = std::env::args().skip(1);
    let runs = args.next().and_then(|n| n.parse().ok()).unwrap_or(5);
    let names: Vec<_> = args.collect();
    let chosen = |e: &&Entry<_>| names.is_empty() || names.iter().any(|n| n == e.name);
    for behind_it in [alone, before_a_link] {
        behind_it("(none)", runs, &|| Box::new(Through::default()));
        for entry in FILTERS.iter().filter(chosen) {
            behind_it(entry.name, runs, &|| (entry.build)(&params(entry)));
        }
    }
    for (upper, lower) in two(&names) {
        let name = format!("{}+{}", upper.name, lower.name);
        let build = || {
            let both = [upper, lower].map(|e| (e.build)(&params(e)));
            Chain::new(both).expect("one before the queue, one inside")
        };
        chain_before_a_link(&name, runs, &build);
    }
}

type Filter = &'static Entry<acklab_path::ack_filter::Build>;

/// Pairs that can stand together; without names those of `tac`.
fn two(names: &[String]) -> Vec<(Filter, Filter)> {
    let looks = |e: &Filter| (e.build)(&params(e)).watches_queue();
    let (inside, before): (Vec<Filter>, Vec<Filter>) = FILTERS.iter().partition(looks);
    let pairs = before.iter().flat_map(|a| inside.iter().map(|b| (*a, *b)));
    let chosen = |(a, b): &(Filter, Filter)| {
        let asked = names.iter().any(|n| *n == format!("{}+{}", a.name, b.name));
        asked || (names.is_empty() && a.name == "tac")
    };
    pairs.filter(chosen).collect()
}

/// The defaults, with room for all flows where the default is a telephone's.
fn params<B>(entry: &Entry<B>) -> Params {
    let mut params = Params::defaults(entry.params);
    if entry.params.iter().any(|p| p.name == "flows") {
        let all = Value::Int(i64::from(FLOWS[2]));
        let set = params.set(entry.params, "flows", all);
        assert!(set.is_ok(), "room for all flows");
    }
    params
}

fn alone(name: &str, runs: usize, build: &Build<'_>) {
    let benches = FLOWS.map(|n| Bench::new(n, build()));
    row(name, "ns per ACK", runs, benches, Bench::run);
}

fn before_a_link(name: &str, runs: usize, build: &Build<'_>) {
    chain_before_a_link(name, runs, &|| Some(build()).into());
}

fn chain_before_a_link(name: &str, runs: usize, build: &dyn Fn() -> Chain) {
    let benches = FLOWS.map(|n| Behind::new(n, build()));
    row(
        name,
        "ns per ACK, a link behind it",
        runs,
        benches,
        Behind::run,
    );
}

fn row<B>(name: &str, what: &str, runs: usize, mut benches: [B; 3], run: impl Fn(&mut B)) {
    if name == "(none)" {
        println!("filter              1 flow  100 flows  10,000 flows   ({what})");
    }
    benches.iter_mut().for_each(&run);
    let cells = benches.map(RefCell::new);
    let best = in_turns(runs, &cells, |bench| run(&mut bench.borrow_mut()));
    let ns: Vec<_> = best.iter().map(|t| ns_per(*t, ACKS)).collect();
    println!("{name:<18} {:>7.1} {:>10.1} {:>13.1}", ns[0], ns[1], ns[2]);
}

/// ACKs of many flows, one after the other.
struct Acks {
    order: Vec<u32>,
    /// Number that each flow has acknowledged.
    acked: Vec<u32>,
    now: u64,
    sent: u64,
}

impl Acks {
    fn new(flows: u32) -> Self {
        Self {
            order: order(flows),
            acked: vec![0; flows as usize],
            now: 0,
            sent: 0,
        }
    }

    /// Flow and segment of the next one; the time has advanced to its arrival.
    fn next(&mut self) -> (FlowId, Segment) {
        self.now += GAP_NS / self.acked.len() as u64;
        let flow = self.order[self.sent as usize % self.order.len()];
        self.sent += 1;
        let acked = &mut self.acked[flow as usize];
        *acked = acked.wrapping_add(2896);
        let segment = Segment {
            ack: SeqNum(*acked),
            flags: Flags::ACK,
            window: 1000,
            ..Segment::default()
        };
        (FlowId(flow), segment)
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now)
    }
}

fn packet(id: PacketId, flow: FlowId) -> Packet {
    Packet {
        id,
        size: ACK_BYTES,
        flow,
        ecn: Ecn::NotEct,
    }
}

/// A filter before a link.
struct Behind {
    acks: Acks,
    link: Link,
    store: Store,
}

impl Behind {
    fn new(flows: u32, filters: Chain) -> Self {
        let half = u64::from(ACK_BYTES) * 8 * 500_000_000 / (GAP_NS / u64::from(flows));
        let config = LinkConfig {
            rate: Rate::from_bps(half),
            delay: Span::ZERO,
            overhead: 0,
            impair: ImpairConfig::default(),
        };
        let queue = Pfifo::new(Limit::Packets(4 * flows));
        let queue = LinkQueue::Discipline(Box::new(queue));
        let streams = LinkStreams::new(1, "filter");
        Self {
            acks: Acks::new(flows),
            link: Link::new(&config, queue, filters, streams),
            store: Store::default(),
        }
    }

    fn run(&mut self) {
        for _ in 0..ACKS {
            let (flow, segment) = self.acks.next();
            let now = self.acks.now();
            while let Some(at) = self.link.next_wakeup().filter(|at| *at <= now) {
                while let Some(gone) = self.link.advance(at, &mut self.store) {
                    self.store.free.push(gone.id);
                }
            }
            let id = self.store.keep(segment);
            self.link.offer(now, packet(id, flow), &mut self.store);
        }
    }
}

/// Segments of packets that are in the link.
#[derive(Default)]
struct Store {
    segments: Vec<Segment>,
    free: Vec<PacketId>,
}

impl Store {
    fn keep(&mut self, segment: Segment) -> PacketId {
        let Some(id) = self.free.pop() else {
            self.segments.push(segment);
            return PacketId(self.segments.len() as u32 - 1);
        };
        self.segments[id.0 as usize] = segment;
        id
    }
}

impl PacketStore for Store {
    fn datagram(&self, id: PacketId) -> Datagram {
        Datagram::Tcp(self.segments[id.0 as usize])
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        packet
    }
}

impl LinkDriver for Store {
    fn on_drop(&mut self, _: Instant, packet: Packet, _: DropReason) {
        self.free.push(packet.id);
    }
}

/// A filter with ACKs before it and a queue behind it.
struct Bench {
    acks: Acks,
    filter: Box<dyn AckFilter>,
    watches: bool,
    queue: Queue,
    verdicts: Vec<Verdict>,
}

impl Bench {
    fn new(flows: u32, filter: Box<dyn AckFilter>) -> Self {
        Self {
            acks: Acks::new(flows),
            watches: filter.watches_queue(),
            filter,
            queue: Queue::new(flows),
            verdicts: Vec::new(),
        }
    }

    fn run(&mut self) {
        for _ in 0..ACKS {
            let (flow, segment) = self.acks.next();
            self.timers();
            let packet = packet(self.queue.fresh(), flow);
            let now = self.acks.now();
            self.filter
                .on_packet(now, packet, &segment, &mut self.verdicts);
            self.carry_out();
        }
    }

    fn timers(&mut self) {
        while let Some(at) = self.filter.next_wakeup()
            && at <= self.acks.now()
        {
            self.filter.on_wakeup(at, &mut self.verdicts);
            self.carry_out();
        }
    }

    fn carry_out(&mut self) {
        for verdict in self.verdicts.drain(..) {
            match verdict {
                Verdict::Forward(packet, _) => self.queue.push(packet),
                Verdict::Drop(packet, _) => self.queue.free(packet.id),
                Verdict::DropQueued(id) => self.queue.remove(id),
                Verdict::Replace { queued, by } => self.queue.replace(queued, by),
            }
        }
        while let Some(gone) = self.queue.overdue() {
            if self.watches {
                self.filter.on_left_queue(gone.id, gone.flow);
            }
        }
    }
}

/// Whose ACK comes next, drawn once.
fn order(flows: u32) -> Vec<u32> {
    let mut rng = rng::stream(1, "filter");
    (0..1 << 17)
        .map(|_| (rng.next_u64() % u64::from(flows)) as u32)
        .collect()
}

/// First in, first out, in which a packet is found by its number.
struct Queue {
    ring: Vec<Option<Packet>>,
    head: usize,
    tail: usize,
    /// Where each packet waits.
    place: Vec<usize>,
    /// Numbers that are free.
    free: Vec<PacketId>,
    most: usize,
}

impl Queue {
    fn new(flows: u32) -> Self {
        Self {
            ring: vec![None; (4 * flows as usize).next_power_of_two().max(64)],
            head: 0,
            tail: 0,
            place: Vec::new(),
            free: Vec::new(),
            most: 2 * flows as usize,
        }
    }

    fn fresh(&mut self) -> PacketId {
        self.free.pop().unwrap_or_else(|| {
            self.place.push(0);
            PacketId(self.place.len() as u32 - 1)
        })
    }

    fn free(&mut self, id: PacketId) {
        self.free.push(id);
    }

    fn slot(&mut self, at: usize) -> &mut Option<Packet> {
        let mask = self.ring.len() - 1;
        &mut self.ring[at & mask]
    }

    fn push(&mut self, packet: Packet) {
        let at = self.tail;
        self.place[packet.id.0 as usize] = at;
        *self.slot(at) = Some(packet);
        self.tail += 1;
    }

    fn remove(&mut self, id: PacketId) {
        let at = self.place[id.0 as usize];
        *self.slot(at) = None;
        self.free(id);
    }

    fn replace(&mut self, id: PacketId, by: Packet) {
        let at = self.place[id.0 as usize];
        self.place[by.id.0 as usize] = at;
        *self.slot(at) = Some(by);
        self.free(id);
    }

    /// The packet at the head, if more places are taken than there should be.
    fn overdue(&mut self) -> Option<Packet> {
        while self.tail - self.head > self.most {
            let head = self.head;
            self.head += 1;
            if let Some(packet) = self.slot(head).take() {
                self.free(packet.id);
                return Some(packet);
            }
        }
        None
    }
}

/// No filter.
#[derive(Debug, Default)]
struct Through(FilterStats);

impl AckFilter for Through {
    fn on_packet(&mut self, _: Instant, packet: Packet, _: &Segment, out: &mut Vec<Verdict>) {
        self.0.seen += 1;
        out.push(Verdict::Forward(packet, ForwardReason::Passing));
    }
    fn on_wakeup(&mut self, _: Instant, _: &mut Vec<Verdict>) {}
    fn next_wakeup(&self) -> Option<Instant> {
        None
    }
    fn stats(&self) -> FilterStats {
        self.0
    }
    fn rows(&self) -> usize {
        0
    }
}
