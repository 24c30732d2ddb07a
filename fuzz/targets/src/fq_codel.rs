//! Any FQ-CoDel, any arrivals and departures: each packet leaves once, flows keep their order, and
//! the counters agree.
//!
//! The first bytes choose parameters, each further group of three is a step.

use crate::Bytes;
use acklab_path::packet::{FlowId, Label, Packet, PacketId};
use acklab_path::qdisc::fq_codel::{Config, FqCodel};
use acklab_path::qdisc::{Enqueue, QueueDisc, codel};
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Span};

const FLOWS: u32 = 8;

fn config(b: &mut Bytes<'_>) -> Config {
    let f = b.u8();
    Config {
        codel: codel::Params {
            target: Span::from_micros(u64::from(b.u8()) * 40),
            interval: Span::from_micros(u64::from(b.u16()) * 4),
            ecn: f & 1 == 0,
            ce_threshold: (f & 2 == 2).then_some(Span::from_micros(u64::from(b.u8()) * 20)),
            mtu: u32::from(b.u8()) * 8,
            newton: f & 64 == 64,
        },
        limit: u32::from(b.u8()),
        quantum: u32::from(b.u16()),
        queues: u32::from(b.u8()),
        drop_batch: u32::from(f >> 2),
        perturbation: (!f.is_multiple_of(3)).then_some(u32::from(f)),
        mtu_of_all: f & 8 == 8,
        memory_limit: if f & 128 == 128 {
            u32::from(b.u8()) << 10
        } else {
            Config::DEFAULT.memory_limit
        },
    }
}

#[derive(Default)]
struct Books {
    /// Whether each packet has left.
    gone: Vec<bool>,
    newest: [Option<u32>; FLOWS as usize],
}

impl Books {
    fn leave(&mut self, packet: Packet) {
        let gone = &mut self.gone[packet.id.0 as usize];
        assert!(!*gone, "left twice");
        *gone = true;
    }

    fn sent(&mut self, packet: Packet) {
        self.leave(packet);
        let newest = &mut self.newest[packet.flow.0 as usize];
        assert!(*newest < Some(packet.id.0), "overtaken within its flow");
        *newest = Some(packet.id.0);
    }

    fn enqueue(&mut self, q: &mut FqCodel, now: Instant, packet: Packet) {
        self.gone.push(false);
        match q.enqueue(now, packet, Label::of(packet.flow)) {
            Enqueue::Queued => {}
            Enqueue::Dropped(_) => self.leave(packet),
            Enqueue::Evicted(victim, _) => self.leave(victim),
        }
        while let Some((victim, _)) = q.evicted() {
            self.leave(victim);
        }
    }

    fn dequeue(&mut self, q: &mut FqCodel, now: Instant) {
        let head = q.dequeue(now, &mut |p, _| self.leave(p));
        match head {
            Some(head) => self.sent(head),
            None => assert_eq!(q.stats().packets, 0, "something waits"),
        }
    }

    fn check(&self, q: &FqCodel) {
        let inside = self.gone.iter().filter(|g| !**g).count();
        let s = q.stats();
        assert_eq!(inside, s.packets as usize);
        assert_eq!(
            s.enqueued - s.dequeued - s.dropped_inside,
            u64::from(s.packets)
        );
        assert_eq!(s.bytes == 0, s.packets == 0);
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let mut q = FqCodel::new(config(&mut b));
    let mut books = Books::default();
    let mut now = Instant::ZERO;
    while !b.is_empty() {
        let (what, n, size) = (b.u8(), b.u8(), b.u8());
        now += Span::from_micros(u64::from(n) * u64::from(what >> 3) * 4);
        match what & 7 {
            0..4 => {
                let packet = Packet {
                    id: PacketId(books.gone.len() as u32),
                    size: 40 + u32::from(size) * 6,
                    flow: FlowId(u32::from(what >> 5)),
                    ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][usize::from(what & 3)],
                };
                books.enqueue(&mut q, now, packet);
            }
            4 => {
                if let Some(p) = q.remove(PacketId(u32::from(size))) {
                    books.leave(p);
                }
            }
            _ => (0..=n >> 5).for_each(|_| books.dequeue(&mut q, now)),
        }
        books.check(&q);
    }
    for _ in 0..=books.gone.len() {
        books.dequeue(&mut q, now);
    }
    assert!(books.gone.iter().all(|g| *g), "something stayed");
}
