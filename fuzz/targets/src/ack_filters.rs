//! Any two filters that can stand at one place, any parameters, any arrivals, in front of a slow link:
//! each packet has one fate, only acknowledgements are lost for want of room or because another says as
//! much, each filter's counters say what became of them, a flow keeps its order (but for readings that let
//! packets be overtaken), and nothing stays but what waits for an arrival.
//! The link balances its books at every step.
//!
//! The first bytes choose the filters, their parameters and the link; then some bytes for each arrival.

use crate::Bytes;
use crate::acks::{Options, Sources, value};
use acklab_path::ack_filter::chain::Chain;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::ack_filter::{AckFilter, Build, FilterStats};
use acklab_path::impair::{ImpairConfig, LinkStreams};
use acklab_path::link::{Link, LinkConfig, LinkDriver, Queue};
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId, PacketStore};
use acklab_path::qdisc::pfifo::Limit;
use acklab_proto::datagram::Datagram;
use acklab_proto::registry::{Entry, Params};
use acklab_proto::segment::{Ecn, Segment};
use acklab_units::{Instant, Rate, Span};
use std::collections::BTreeMap;

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Inside,
    Arrived,
    Dropped,
}

#[derive(Default)]
struct Books {
    segments: Vec<Segment>,
    fate: Vec<Fate>,
    thinned: u64,
    thins_syn_acks: bool,
    overtakes: bool,
    last_arrived: BTreeMap<FlowId, PacketId>,
}

impl Books {
    fn decide(&mut self, id: PacketId, fate: Fate) {
        let entry = &mut self.fate[id.0 as usize];
        assert_eq!(*entry, Fate::Inside, "judged twice");
        *entry = fate;
    }

    fn arrive(&mut self, packet: Packet) {
        self.decide(packet.id, Fate::Arrived);
        let last = self.last_arrived.insert(packet.flow, packet.id);
        let in_order = last < Some(packet.id);
        assert!(in_order || self.overtakes, "overtaken within its flow");
    }
}

impl PacketStore for Books {
    fn datagram(&self, id: PacketId) -> Datagram {
        Datagram::Tcp(self.segments[id.0 as usize])
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        packet
    }
}

impl LinkDriver for Books {
    fn on_drop(&mut self, _: Instant, packet: Packet, reason: DropReason) {
        self.decide(packet.id, Fate::Dropped);
        let pure = self.segments[packet.id.0 as usize].is_pure_ack();
        if reason != DropReason::QueueFull {
            assert!(pure || self.thins_syn_acks, "lost something untouchable");
            self.thinned += 1;
        }
    }
}

/// A filter with its parameters, and whether it may drop SYN-ACKs, let packets be overtaken, or keep them until
/// the next arrival.
struct Built {
    filter: Box<dyn AckFilter>,
    thins_syn_acks: bool,
    overtakes: bool,
    sleeps: bool,
}

fn built(watches_queue: bool, b: &mut Bytes<'_>) -> Built {
    let looks = |e: &&'static Entry<Build>| (e.build)(&Params::defaults(e.params)).watches_queue();
    let of_kind: Vec<_> = FILTERS
        .iter()
        .filter(|e| looks(e) == watches_queue)
        .collect();
    let entry = of_kind[usize::from(b.u8()) % of_kind.len()];
    let mut params = Params::defaults(entry.params);
    for param in entry.params {
        // A value out of range leaves the default.
        let _ = params.set(entry.params, param.name, value(param, b.u8()));
    }
    let options = Options(entry.params, &params);
    let without_timer = entry.name == "aggregate" && options.span("timeout").is_none();
    Built {
        thins_syn_acks: options.says("handshake", "thin"),
        overtakes: options.says("older", "keep") || options.says("others", "overtake"),
        sleeps: options.says("flush", "next") || without_timer,
        filter: (entry.build)(&params),
    }
}

/// Lets what is due come out at the far end.
fn wake(link: &mut Link, books: &mut Books, until: Instant) {
    while let Some(at) = link.next_wakeup().filter(|at| *at <= until) {
        while let Some(packet) = link.advance(at, books) {
            books.arrive(packet);
        }
        assert!(
            link.next_wakeup().is_none_or(|next| next > at),
            "stuck at {at:?}"
        );
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let upper = built(false, &mut b);
    let lower = built(true, &mut b);
    let config = LinkConfig {
        rate: Rate::from_bps(10_000 * (1 + u64::from(b.u8()))),
        delay: Span::ZERO,
        overhead: 0,
        impair: ImpairConfig::default(),
    };
    let queue = Queue::Pfifo(Limit::Packets(1 + u32::from(b.u8())).into());
    let mut books = Books {
        thins_syn_acks: upper.thins_syn_acks,
        overtakes: upper.overtakes || lower.overtakes,
        ..Books::default()
    };
    let sleeps = upper.sleeps;
    let filters = Chain::new([upper.filter, lower.filter]).expect("one of each kind");
    let mut link = Link::new(&config, queue, filters, LinkStreams::new(1, "l"));
    let (mut sources, mut now) = (Sources::default(), 0);
    while !b.is_empty() {
        let id = books.fate.len();
        now += match b.u8() {
            k @ 0..250 => u64::from(k) * 20_000,
            // Up to hours.
            k => u64::from(k - 249) * u64::from(b.u16()) * 10_000_000,
        };
        let at = Instant::from_nanos(now);
        wake(&mut link, &mut books, at);
        let (flow, segment) = sources.next(&mut b);
        let packet = Packet {
            id: PacketId(id as u32),
            size: 52 + segment.len + 8 * segment.sack.as_slice().len() as u32,
            flow: FlowId(flow),
            ecn: Ecn::NotEct,
        };
        books.segments.push(segment);
        books.fate.push(Fate::Inside);
        link.offer(at, packet, &mut books);
        check(&link, &books);
    }
    wake(&mut link, &mut books, Instant::MAX);
    check(&link, &books);
    let inside = books.fate.iter().filter(|f| **f == Fate::Inside).count() as u64;
    assert_eq!(link.inside(), inside);
    assert!(sleeps || inside == 0, "{inside} stay for ever");
}

fn check(link: &Link, books: &Books) {
    let each: Vec<FilterStats> = link.filters().collect();
    let dropped: u64 = each.iter().map(|f| f.dropped).sum();
    assert_eq!(dropped, books.thinned);
    for f in each {
        assert_eq!(f.seen, f.forwarded + f.dropped + u64::from(f.held));
    }
    let f = link.filter_stats().expect("there are two");
    assert_eq!(f.seen, f.forwarded + f.dropped + u64::from(f.held));
}
