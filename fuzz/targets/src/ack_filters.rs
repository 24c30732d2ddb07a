//! Any two filters that can stand at one place, any parameters, any arrivals, in front of a slow link:
//! each packet has one fate, only acknowledgements are lost for want of room or because another says as
//! much, each filter's counters say what became of them, and nothing stays but what waits for an arrival.
//! The link balances its books at every step.
//!
//! The first bytes choose the filters, their parameters and the link, each further group of six is
//! an arrival.

use crate::Bytes;
use crate::ack_filter::{segment, value};
use acklab_path::ack_filter::chain::Chain;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::ack_filter::{AckFilter, Build, FilterStats};
use acklab_path::impair::{ImpairConfig, LinkStreams};
use acklab_path::link::{Link, LinkConfig, LinkDriver, Queue};
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId, PacketStore};
use acklab_path::qdisc::pfifo::Limit;
use acklab_proto::registry::{Entry, Params};
use acklab_proto::segment::{Ecn, Segment};
use acklab_units::{Instant, Rate, Span};

/// A byte for each filter and for each parameter of the one that has most, and two for the link.
const HEAD: usize = 24;

/// What became of each packet.
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
}

impl Books {
    fn decide(&mut self, id: PacketId, fate: Fate) {
        let entry = &mut self.fate[id.0 as usize];
        assert_eq!(*entry, Fate::Inside, "judged twice");
        *entry = fate;
    }
}

impl PacketStore for Books {
    fn segment(&self, id: PacketId) -> Segment {
        self.segments[id.0 as usize]
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

/// A filter with its parameters, and whether it may drop SYN-ACKs or keep packets until the next arrival.
struct Built {
    filter: Box<dyn AckFilter>,
    thins_syn_acks: bool,
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
    let says =
        |name, word| entry.params.iter().any(|p| p.name == name) && params.choice(name) == word;
    let without_timer =
        entry.params.iter().any(|p| p.name == "timeout") && params.span("timeout").is_none();
    Built {
        thins_syn_acks: says("handshake", "thin"),
        sleeps: says("flush", "next") || without_timer,
        filter: (entry.build)(&params),
    }
}

/// Lets what is due come out at the far end.
fn wake(link: &mut Link, books: &mut Books, until: Instant) {
    while let Some(at) = link.next_wakeup().filter(|at| *at <= until) {
        while let Some(packet) = link.advance(at, books) {
            books.decide(packet.id, Fate::Arrived);
        }
        assert!(
            link.next_wakeup().is_none_or(|next| next > at),
            "stuck at {at:?}"
        );
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((head, arrivals)) = bytes.split_at_checked(HEAD) else {
        return;
    };
    let mut head = Bytes(head);
    let upper = built(false, &mut head);
    let lower = built(true, &mut head);
    let config = LinkConfig {
        rate: Rate::from_bps(10_000 * (1 + u64::from(head.u8()))),
        delay: Span::ZERO,
        overhead: 0,
        impair: ImpairConfig::default(),
    };
    let queue = Queue::Pfifo(Limit::Packets(1 + u32::from(head.u8())).into());
    let mut books = Books {
        thins_syn_acks: upper.thins_syn_acks,
        ..Books::default()
    };
    let sleeps = upper.sleeps;
    let filters = Chain::new([upper.filter, lower.filter]).expect("one of each kind");
    let mut link = Link::new(&config, queue, filters, LinkStreams::new(1, "l"));
    let mut now = 0;
    for (id, bytes) in arrivals.chunks_exact(6).enumerate() {
        now += u64::from(bytes[0]) * 20_000;
        let at = Instant::from_nanos(now);
        wake(&mut link, &mut books, at);
        let segment = segment(bytes);
        let packet = Packet {
            id: PacketId(id as u32),
            size: 52 + segment.len + 12 * segment.sack.as_slice().len() as u32,
            flow: FlowId(u32::from(bytes[1]) % 4),
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
