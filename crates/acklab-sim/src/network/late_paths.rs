//! A driver who asks late, on random paths of several hops: disciplines, ACK filters, jitter, a radio channel at
//! the end. Whatever is on the way, the same happens at the same instants, and he learns of it no later than he
//! asks. The effect of *offering* late is in `late_offers`.

use super::*;
use crate::plan::Plan;
use crate::record::{LinkFact, Records, Stimulus, Told};
use crate::scenario::load_toml;
use acklab_path::ack_filter::FilterStats;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::link::LinkStats;
use acklab_path::packet::{PacketId, PacketStore};
use acklab_path::wifi::medium::Ppdu;
use acklab_proto::datagram::Datagram;
use acklab_proto::segment::{Flags, Segment};
use acklab_proto::transport::Transport;
use acklab_units::{SeqNum, Span};
use proptest::prelude::*;

/// A packet that enters: when, in which flow direction, what.
pub(super) type Offer = (Instant, FlowId, Datagram);

/// An event at a link, with the number of its datagram.
pub(super) type Seen = (Instant, usize, u32, LinkFact);

/// All facts that were reported.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) links: Vec<Seen>,
    pub(super) air: Vec<(u32, Ppdu)>,
}

impl Observer for Watch {
    const ACTIVE: bool = true;

    fn on_sent(&mut self, _: Instant, _: Packet, _: Told<'_>, _: Option<AckReason>) {}

    fn on_arrived(&mut self, _: Instant, _: Packet, _: Told<'_>, _: &impl Transport) {}

    fn on_link(
        &mut self,
        at: Instant,
        link: usize,
        packet: Packet,
        store: &impl PacketStore,
        fact: LinkFact,
    ) {
        let number = number(&store.datagram(packet.id));
        self.links.push((at, link, number, fact));
    }

    fn on_copied(&mut self, _: PacketId, _: PacketId) {}

    fn on_transport(&mut self, _: Instant, _: usize, _: Stimulus, _: &impl Transport) {}

    fn on_ppdu(&mut self, medium: u32, ppdu: &Ppdu) {
        self.air.push((medium, *ppdu));
    }

    fn records(self) -> Records {
        Records::default()
    }
}

/// Bytes of a full segment.
pub(super) const FULL: u32 = 1448;

/// Data begin at an offset, and acknowledgements cover one, that is their number in full segments.
pub(super) fn number(datagram: &Datagram) -> u32 {
    match datagram {
        Datagram::Tcp(segment) => segment.seq.0.max(segment.ack.0) / FULL,
        Datagram::Opaque(opaque) => opaque.number as u32,
        Datagram::Tack(packet) => packet.header.number as u32,
    }
}

pub(super) fn datagram(number: u32, len: u32) -> Datagram {
    let at = SeqNum(number * FULL);
    let (seq, ack) = if len > 0 {
        (at, SeqNum(0))
    } else {
        (SeqNum(0), at)
    };
    Datagram::Tcp(Segment {
        seq,
        ack,
        len,
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    })
}

pub(super) type Net = Network<Arena, Watch>;

pub(super) fn network(plan: &Plan, seed: u64) -> Net {
    let arena = Arena::between(plan.flows.iter().flat_map(|f| [f.src, f.dst]));
    Network::of_plan(plan, seed, 0, arena, Watch::default())
}

pub(super) const FOREVER: Instant = Instant::from_nanos(1_000_000_000_000);

/// The result: arrivals with the instant at which the driver learned of each, and all books.
pub(super) struct Outcome {
    pub(super) arrivals: Vec<(Instant, Arrival<Datagram>)>,
    pub(super) stats: Vec<(LinkStats, Option<FilterStats>)>,
    pub(super) seen: Watch,
}

/// Drives a network so late: `late(n)` after the n-th instant that it names.
pub(super) fn drive(mut network: Net, offers: &[Offer], late: impl Fn(usize) -> Span) -> Outcome {
    let (mut arrivals, mut asked, mut now) = (Vec::new(), 0, Instant::ZERO);
    let mut run = |network: &mut Net, end: Instant| {
        while let Some(due) = network.next_wakeup() {
            let then = due + late(asked);
            if then > end {
                break;
            }
            asked += 1;
            now = now.max(then);
            arrivals.extend(core::iter::from_fn(|| network.advance(now)).map(|a| (now, a)));
        }
        now = end;
    };
    for (at, flow, datagram) in offers {
        run(&mut network, *at);
        network.offer(*at, *flow, datagram);
    }
    run(&mut network, FOREVER);
    network.check();
    let books = |l: &Link| (*l.stats(), l.filter_stats());
    let stats = network.links().iter().map(books).collect();
    let mut seen = network.into_observer();
    // A late report may come after later events; for one packet the order holds.
    seen.links.sort_by_key(|s| (s.0, s.1, s.2));
    Outcome {
        arrivals,
        stats,
        seen,
    }
}

pub(super) fn on_time(plan: &Plan, seed: u64, offers: &[Offer]) -> Outcome {
    drive(network(plan, seed), offers, |_| Span::ZERO)
}

/// One direction of a link as the scenario language has it.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) rate: u64,
    pub(super) delay: u64,
    pub(super) queue: u32,
    pub(super) words: Vec<String>,
}

impl Way {
    fn toml(&self) -> String {
        let Self {
            rate, delay, queue, ..
        } = self;
        let line = format!("rate = '{rate} kbit/s'\ndelay = '{delay} us'\n");
        format!(
            "{line}queue = '{queue} packets'\n{}\n",
            self.words.join("\n")
        )
    }
}

/// The optional parts of a way beside rate, delay and queue.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Only queues that keep the order.
    Plain,
    /// ACK filters and jitter, too.
    Timed,
    /// Disciplines as well.
    All,
}

pub(super) fn way(kind: Kind) -> impl Strategy<Value = Way> {
    let names: Vec<_> = FILTERS.iter().map(|f| f.name).collect();
    let filter = prop::sample::select(names).prop_map(|name| format!("ack_filter = '{name}'"));
    let jitter = (1u64..3000).prop_map(|us| format!("jitter = '{us} us'"));
    let qdisc = prop::sample::select(vec!["codel", "fq-codel"]).prop_map(|name| {
        format!("qdisc = {{ name = '{name}', target = '1 ms', interval = '9 ms' }}")
    });
    let maybe = |on: bool, word: BoxedStrategy<String>| match on {
        true => prop::option::weighted(0.4, word).boxed(),
        false => Just(None).boxed(),
    };
    let words = (
        maybe(kind != Kind::Plain, filter.boxed()),
        maybe(kind != Kind::Plain, jitter.boxed()),
        maybe(kind == Kind::All, qdisc.boxed()),
    )
        .prop_map(|(a, b, c)| [a, b, c].into_iter().flatten().collect());
    (300u64..20_000, 1000u64..20_000, 2u32..20, words).prop_map(|(rate, delay, queue, words)| Way {
        rate,
        delay,
        queue,
        words,
    })
}

/// Two senders whose ways meet, and go on over `hops` links to two receivers; what crosses there enters and
/// leaves on the way. At the end there may be a radio channel.
pub(super) fn paths(kind: Kind, radio: bool) -> impl Strategy<Value = Plan> {
    let hops = proptest::collection::vec((way(kind), way(kind)), 3..6);
    let air = prop_oneof![
        Just(""),
        Just("ampdu = 'off'"),
        Just("bit_error_rate = 1e-5\nlifetime = '20 ms'"),
        Just("[wifi.up]\nhack = true"),
        Just("[wifi.down]\nqdisc = 'fq-codel'\nack_filter = 'tac'"),
        Just("qdisc = 'per-station'\n[wifi.up]\nack_filter = 'cake'"),
        Just("arp = true\naddba = true"),
        Just("addba = true\nbit_error_rate = 1e-5\nlifetime = '20 ms'"),
        Just("rate_control = 'minstrel'\narp = true"),
        Just("qdisc = 'codel'\naddba = true\n[wifi.up]\nqdisc = 'fq-codel'"),
        Just("arp = true\nqdisc = 'pfifo'"),
    ];
    (hops, air).prop_map(move |(hops, air)| plan(&hops, radio.then_some(air)))
}

pub(super) fn plan(hops: &[(Way, Way)], air: Option<&str>) -> Plan {
    let last = hops.len() - 2;
    // The first two are the senders' own.
    let ends = |i: usize| match i {
        0 => ("a".to_string(), "m0".to_string()),
        1 => ("b".to_string(), "m0".to_string()),
        i => (format!("m{}", i - 2), format!("m{}", i - 1)),
    };
    let links = hops.iter().enumerate().map(|(i, (there, back))| {
        let (from, to) = ends(i);
        let (there, back) = (there.toml(), back.toml());
        format!("[[link]]\na = '{from}'\nb = '{to}'\n{there}[link.reverse]\n{back}")
    });
    let links: String = links.collect();
    let nodes: String = (0..=last)
        .map(|i| format!("m{i}"))
        .chain(["a", "b", "x", "y"].map(String::from))
        .map(|n| format!("[[node]]\nname = '{n}'\n"))
        .collect();
    let away = match air {
        Some(keys) => format!("[wifi]\nap = 'm{last}'\nstations = ['x', 'y']\n{keys}\n"),
        None => ["x", "y"]
            .map(|n| {
                format!("[[link]]\na = 'm{last}'\nb = '{n}'\nrate = '9 Mbit/s'\ndelay = '7 ms'\n")
            })
            .concat(),
    };
    let flows = [("a", "x"), ("b", "y"), ("m0", "m1"), ("y", "a")]
        .map(|(from, to)| format!("[[flow]]\nfrom = '{from}'\nto = '{to}'\n"))
        .concat();
    let text = format!("duration = '1 s'\n{nodes}{links}{away}{flows}");
    let loaded = load_toml(&text, "test", &[]);
    loaded.unwrap_or_else(|e| panic!("{e}\n{text}")).plan
}

/// Gaps, flow directions and lengths. Backwards there are acknowledgements alone.
pub(super) fn load(most: usize, gap: u64) -> impl Strategy<Value = Vec<Offer>> {
    let step = (prop_oneof![1..gap / 10, 1..gap], 0u32..8, 1u32..=FULL);
    proptest::collection::vec(step, 1..most).prop_map(|steps| {
        let mut at = Instant::ZERO;
        let steps = (1..).zip(steps).map(|(n, (gap, flow, len))| {
            at += Span::from_nanos(gap);
            let data = flow % 2 == 0;
            (at, FlowId(flow), datagram(n, if data { len } else { 0 }))
        });
        steps.collect()
    })
}

pub(super) fn lateness(most: u64) -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(prop_oneof![0..most / 20, 0..most], 1..20)
}

/// A driver who asks late: the same happens at the same instants, and he learns of it no later than he asks.
fn asks_late(plan: &Plan, offers: &[Offer], lateness: &[u64]) -> Result<(), TestCaseError> {
    let prompt = on_time(plan, 1, offers);
    let late = |n: usize| Span::from_nanos(lateness[n % lateness.len()]);
    let tardy = drive(network(plan, 1), offers, late);
    prop_assert_eq!(&prompt.seen.links, &tardy.seen.links);
    prop_assert_eq!(&prompt.seen.air, &tardy.seen.air);
    prop_assert_eq!(&prompt.stats, &tardy.stats);
    prop_assert_eq!(prompt.arrivals.len(), tardy.arrivals.len());
    let most = Span::from_nanos(*lateness.iter().max().unwrap());
    for ((now, due), (told, seen)) in prompt.arrivals.iter().zip(&tardy.arrivals) {
        prop_assert_eq!(due, seen);
        prop_assert_eq!(*now, due.at);
        prop_assert!(due.at <= *told && *told <= due.at + most);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn who_asks_late_changes_nothing_over_wires(
        plan in paths(Kind::All, false),
        offers in load(300, 2_000_000),
        lateness in lateness(20_000_000),
    ) {
        asks_late(&plan, &offers, &lateness)?;
    }

    #[test]
    fn who_asks_late_changes_nothing_over_a_radio(
        plan in paths(Kind::All, true),
        offers in load(300, 2_000_000),
        lateness in lateness(20_000_000),
    ) {
        asks_late(&plan, &offers, &lateness)?;
    }
}
