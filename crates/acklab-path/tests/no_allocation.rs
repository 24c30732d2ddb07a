//! ACK filters take no memory per packet once every flow has been seen.

use acklab_path::ack_filter::AckFilter;
use acklab_path::ack_filter::chain::Chain;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::ack_filter::{Build, Verdict};
use acklab_path::impair::{ImpairConfig, LinkStreams};
use acklab_path::link::{Link, LinkConfig, LinkDriver, Queue};
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId, PacketStore};
use acklab_path::qdisc::pfifo::Limit;
use acklab_proto::datagram::Datagram;
use acklab_proto::registry::{Entry, Kind, Params, Value};
use acklab_proto::segment::{Ecn, Flags, SackBlock, Segment};
use acklab_units::{Instant, Rate, SeqNum, Span};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::VecDeque;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting.
struct Counting;

// SAFETY: everything is left to the system's allocator; the counter is plain thread-local memory,
// which needs no allocation and no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FLOWS: u32 = 50;
/// Packets that wait in the queue behind the filter.
const WAITING: usize = 200;

/// A filter, and what is behind it.
struct Rig {
    filter: Box<dyn AckFilter>,
    queue: VecDeque<Packet>,
    verdicts: Vec<Verdict>,
    sent: u32,
}

impl Rig {
    fn new(filter: Box<dyn AckFilter>) -> Self {
        Self {
            filter,
            queue: VecDeque::with_capacity(2 * WAITING),
            verdicts: Vec::with_capacity(2 * WAITING),
            sent: 0,
        }
    }

    /// ACKs of all flows in turn, 10 us apart: news mostly, among them duplicates, SACKs and ECEs.
    fn run(&mut self, acks: u32) {
        for _ in 0..acks {
            self.sent += 1;
            let now = Instant::from_nanos(u64::from(self.sent) * 10_000);
            while let Some(at) = self.filter.next_wakeup().filter(|at| *at <= now) {
                self.filter.on_wakeup(at, &mut self.verdicts);
                self.carry_out();
            }
            let segment = segment(self.sent);
            let packet = Packet {
                id: PacketId(self.sent),
                size: 52 + 12 * segment.sack.as_slice().len() as u32,
                flow: FlowId(self.sent % FLOWS),
                ecn: Ecn::NotEct,
            };
            self.filter
                .on_packet(now, packet, &segment, &mut self.verdicts);
            self.carry_out();
        }
    }

    fn carry_out(&mut self) {
        for verdict in self.verdicts.drain(..) {
            let place = |q: &VecDeque<Packet>, id| q.iter().position(|p| p.id == id).unwrap();
            match verdict {
                Verdict::Forward(packet, _) => self.queue.push_back(packet),
                Verdict::Drop(..) => {}
                Verdict::DropQueued(id) => {
                    self.queue.remove(place(&self.queue, id));
                }
                Verdict::Replace { queued, by } => {
                    let at = place(&self.queue, queued);
                    self.queue[at] = by;
                }
            }
        }
        while self.queue.len() > WAITING {
            let gone = self.queue.pop_front().unwrap();
            self.filter.on_left_queue(gone.id, gone.flow);
        }
    }
}

fn segment(n: u32) -> Segment {
    let round = n / FLOWS;
    let mut s = Segment {
        ack: SeqNum((round - u32::from(round % 5 == 4)) * 1448),
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    };
    if round % 17 == 3 {
        s.flags = s.flags.with(Flags::ECE);
    }
    if round % 11 == 5 {
        let start = s.ack + 2896;
        s.sack.push(SackBlock {
            start,
            end: start + 1448,
        });
    }
    s
}

/// The defaults, and the defaults with each word that a parameter may have.
fn variants(entry: &'static Entry<Build>) -> Vec<(String, Params)> {
    let mut all = vec![(entry.name.to_string(), Params::defaults(entry.params))];
    for p in entry.params {
        let Kind::Choice(words) = p.kind else {
            continue;
        };
        for word in words {
            let mut params = Params::defaults(entry.params);
            params
                .set(entry.params, p.name, Value::Choice(word))
                .unwrap();
            all.push((format!("{}, {} = {word}", entry.name, p.name), params));
        }
    }
    all
}

#[test]
fn no_filter_allocates_per_packet() {
    for entry in FILTERS {
        for (name, params) in variants(entry) {
            let mut rig = Rig::new((entry.build)(&params));
            rig.run(100_000);
            let before = ALLOCATIONS.get();
            assert!(before > 0, "the allocator counts");
            rig.run(100_000);
            assert_eq!(ALLOCATIONS.get() - before, 0, "{name}");
        }
    }
}

/// A driver that keeps what is in the link.
struct Store {
    segments: Vec<Segment>,
    free: Vec<PacketId>,
}

impl Store {
    fn keep(&mut self, segment: Segment) -> PacketId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.segments.push(segment);
            PacketId(self.segments.len() as u32 - 1)
        });
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

/// Through two filters and a link that has time for half of what comes.
fn cross(link: &mut Link, store: &mut Store, acks: std::ops::Range<u32>) {
    for n in acks {
        let now = Instant::from_nanos(u64::from(n) * 10_000);
        while let Some(at) = link.next_wakeup().filter(|at| *at <= now) {
            while let Some(packet) = link.advance(at, store) {
                store.free.push(packet.id);
            }
        }
        let segment = segment(n);
        let packet = Packet {
            id: store.keep(segment),
            size: 52 + 12 * segment.sack.as_slice().len() as u32,
            flow: FlowId(n % FLOWS),
            ecn: Ecn::NotEct,
        };
        link.offer(now, packet, store);
    }
}

#[test]
fn two_filters_at_one_place_do_not_either() {
    let looks = |e: &&Entry<Build>| (e.build)(&Params::defaults(e.params)).watches_queue();
    let (inside, before): (Vec<_>, Vec<_>) = FILTERS.iter().partition(looks);
    for upper in before {
        for lower in &inside {
            let both = [upper, lower].map(|e| (e.build)(&Params::defaults(e.params)));
            let config = LinkConfig {
                rate: Rate::from_bps(20_000_000),
                delay: Span::ZERO,
                overhead: 0,
                impair: ImpairConfig::default(),
            };
            let queue = Queue::Pfifo(Limit::Packets(WAITING as u32).into());
            let streams = LinkStreams::new(1, "l");
            let mut link = Link::new(&config, queue, Chain::new(both).unwrap(), streams);
            let mut store = Store {
                segments: Vec::with_capacity(10 * WAITING),
                free: Vec::with_capacity(10 * WAITING),
            };
            cross(&mut link, &mut store, 1..100_000);
            let before = ALLOCATIONS.get();
            cross(&mut link, &mut store, 100_000..200_000);
            let taken = ALLOCATIONS.get() - before;
            let name = format!("{} above {}", upper.name, lower.name);
            assert_eq!(taken, 0, "{name}");
            assert!(link.stats().delivered > 1000, "{name}");
        }
    }
}
