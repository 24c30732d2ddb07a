use super::round_robin::Place;
use super::*;
use crate::packet::FlowId;
use crate::qdisc::testing::Plain;
use acklab_proto::segment::Ecn;
use acklab_units::Span;
use proptest::prelude::*;
use std::collections::VecDeque;

fn packet(id: u32, flow: u32, size: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size,
        flow: FlowId(flow),
        ecn: Ecn::NotEct,
    }
}

fn next(q: &mut FqCodel) -> Option<u32> {
    let never = &mut |_: Packet, _: DropReason| unreachable!();
    q.dequeue(Instant::ZERO, never).map(|p| p.flow.0)
}

/// ns-3's `FqCoDelQueueDiscDeficit`: quantum 90, packets of 120 bytes.
#[test]
fn deficits_of_ns3() {
    use Place::{Idle, New, Old};
    let mut q = FqCodel::new(Config {
        quantum: 90,
        ..Config::DEFAULT
    });
    let turns = |q: &mut FqCodel| [0, 1].map(|f| q.flows.turn_of(ALL, f));
    q.offer(Instant::ZERO, packet(0, 0, 120));
    assert_eq!(turns(&mut q)[0], (90, New));
    assert_eq!(next(&mut q), Some(0));
    assert_eq!(turns(&mut q)[0], (-30, New));
    for (id, flow) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
        q.offer(Instant::ZERO, packet(id, flow, 120));
    }
    assert_eq!(turns(&mut q), [(-30, New), (90, New)]);
    let expected = [
        (Some(1), [(60, Old), (-30, New)]),
        (Some(0), [(-60, Old), (60, Old)]),
        (Some(1), [(30, Old), (-60, Old)]),
        (Some(0), [(-90, Old), (30, Old)]),
        (None, [(90, Idle), (30, Idle)]),
    ];
    for (flow, after) in expected {
        assert_eq!((next(&mut q), turns(&mut q)), (flow, after));
    }
}

#[test]
fn a_full_queue_drops_from_the_head_of_the_fattest() {
    let mut q = FqCodel::new(Config {
        limit: 20,
        ..Config::DEFAULT
    });
    (0..20).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, u32::from(id >= 16), 100));
    });
    let first = q.offer(Instant::ZERO, packet(20, 2, 50));
    assert_eq!(
        first,
        Enqueue::Evicted(packet(0, 0, 100), DropReason::QueueFull)
    );
    let mut others = 0;
    while q.evicted().is_some() {
        others += 1;
    }
    // Half of the 1600 bytes.
    assert_eq!(
        (others, q.stats().packets, q.stats().dropped_inside),
        (7, 13, 8)
    );
    assert_eq!(q.remove(PacketId(20)), Some(packet(20, 2, 50)));
    assert_eq!(q.remove(PacketId(0)), None);
}

/// `SKB_TRUESIZE` of buffers that are a power of two: known from `ss -m` and `tc -s qdisc`.
#[test]
fn memory_is_counted_as_linux_does() {
    let all = [40, 52, 114, 115, 1500, 1650, 1651, 9000];
    let expected = [768, 768, 768, 1280, 2304, 2304, 4352, 16_640];
    assert_eq!(all.map(flows::truesize), expected);
}

#[test]
fn memory_ends_before_packets_do() {
    let mut q = FqCodel::new(Config {
        memory_limit: 10 * 2304,
        drop_batch: 1,
        ..Config::DEFAULT
    });
    (0..9).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, 0, 1500));
    });
    (9..12).for_each(|id| {
        let told = q.offer(Instant::ZERO, packet(id, 1, 40));
        assert_eq!(told, Enqueue::Queued);
    });
    assert_eq!(q.flows.memory(), 9 * 2304 + 3 * 768);
    let told = q.offer(Instant::ZERO, packet(12, 1, 40));
    let full = DropReason::QueueFull;
    assert_eq!(told, Enqueue::Evicted(packet(0, 0, 1500), full));
    assert_eq!((q.evicted(), q.stats().packets), (None, 12));
}

#[test]
fn a_place_in_a_flow_can_be_taken() {
    let mut q = FqCodel::new(Config::DEFAULT);
    for (id, flow) in [(0, 0), (1, 1), (2, 1)] {
        q.offer(Instant::ZERO, packet(id, flow, 50));
    }
    let now = Instant::from_nanos(1);
    let by = packet(9, 1, 50);
    assert_eq!(q.replace(now, PacketId(1), by), Some(packet(1, 1, 50)));
    assert_eq!(q.replace(now, PacketId(1), by), None);
    let s = q.stats();
    assert_eq!((s.enqueued, s.packets, s.dropped_inside), (4, 3, 1));
    let all = core::iter::from_fn(|| q.dequeue(now, &mut |_, _| unreachable!()));
    let order: Vec<_> = all.map(|p| p.id.0).collect();
    assert_eq!(order, [0, 9, 2]);
}

/// A flow with one packet now and then passes one that fills the queue.
#[test]
fn a_sparse_flow_does_not_wait() {
    let mut q = FqCodel::new(Config::DEFAULT);
    (0..50).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, 0, 1500));
    });
    (0..5).for_each(|_| assert_eq!(next(&mut q), Some(0)));
    q.offer(Instant::ZERO, packet(99, 7, 60));
    // The full flow may first finish its quantum of 1514 bytes: one packet of 1500 and one more.
    let waited = (0..).take_while(|_| next(&mut q) != Some(7)).count();
    assert!(waited <= 1, "{waited}");
}

/// The algorithm of RFC 8289 and RFC 8290 written down once more, with a list for everything, a
/// flow for each number, and the root in floating point.
#[derive(Default)]
struct Reference {
    flows: Vec<RefFlow>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    marked: u64,
    dropped: Vec<(u32, DropReason)>,
}

#[derive(Default, Clone)]
struct RefFlow {
    packets: VecDeque<(Packet, u64)>,
    deficit: i64,
    first_above: u64,
    drop_next: f64,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl RefFlow {
    fn bytes(&self) -> u64 {
        self.packets.iter().map(|p| u64::from(p.0.size)).sum()
    }
}

impl Reference {
    fn enqueue(&mut self, config: &Config, now: u64, packet: Packet) {
        let f = packet.flow.0 as usize;
        if self.flows.len() <= f {
            self.flows.resize(f + 1, RefFlow::default());
        }
        self.flows[f].packets.push_back((packet, now));
        if !self.new.contains(&f) && !self.old.contains(&f) {
            self.flows[f].deficit = i64::from(config.quantum);
            self.new.push_back(f);
        }
    }

    fn total(&self) -> usize {
        self.flows.iter().map(|f| f.packets.len()).sum()
    }

    fn dodequeue(&mut self, config: &Config, f: usize, now: u64) -> Option<(Packet, bool)> {
        let c = &config.codel;
        let all: u64 = self.flows.iter().map(RefFlow::bytes).sum();
        let flow = &mut self.flows[f];
        let Some((packet, since)) = flow.packets.pop_front() else {
            flow.first_above = 0;
            flow.dropping = false;
            return None;
        };
        let mut ok = false;
        let rest = all - u64::from(packet.size);
        let behind = if config.mtu_of_all {
            rest
        } else {
            flow.bytes()
        };
        if now - since < c.target.as_nanos() || behind <= u64::from(c.mtu) {
            flow.first_above = 0;
        } else if flow.first_above == 0 {
            flow.first_above = now + c.interval.as_nanos();
        } else if now >= flow.first_above {
            ok = true;
        }
        Some((packet, ok))
    }

    fn law(c: &codel::Params, t: f64, count: u32) -> f64 {
        (t + c.interval.as_nanos() as f64 / f64::from(count).sqrt()).floor()
    }

    fn marks(&mut self, c: &codel::Params, p: &mut Packet) -> bool {
        let marked = c.ecn && p.mark();
        self.marked += u64::from(marked);
        marked
    }

    fn codel(&mut self, config: &Config, f: usize, now: u64) -> Option<Packet> {
        let c = &config.codel;
        let (mut packet, ok) = self.dodequeue(config, f, now)?;
        if self.flows[f].dropping {
            if !ok {
                self.flows[f].dropping = false;
            }
            while self.flows[f].dropping && now as f64 >= self.flows[f].drop_next {
                self.flows[f].count += 1;
                let t = Self::law(c, self.flows[f].drop_next, self.flows[f].count);
                if self.marks(c, &mut packet) {
                    self.flows[f].drop_next = t;
                    break;
                }
                self.dropped.push((packet.id.0, DropReason::Aqm));
                let (p, ok) = self.dodequeue(config, f, now)?;
                packet = p;
                if ok {
                    self.flows[f].drop_next = t;
                } else {
                    self.flows[f].dropping = false;
                }
            }
        } else if ok {
            let mut left = Some(packet);
            if !self.marks(c, &mut packet) {
                self.dropped.push((packet.id.0, DropReason::Aqm));
                left = self.dodequeue(config, f, now).map(|x| x.0);
            } else {
                left = left.map(|_| packet);
            }
            let flow = &mut self.flows[f];
            flow.dropping = true;
            let delta = flow.count.wrapping_sub(flow.last_count);
            let recent = (now as f64) < flow.drop_next + 16.0 * c.interval.as_nanos() as f64;
            flow.count = if delta > 1 && recent { delta } else { 1 };
            flow.last_count = flow.count;
            flow.drop_next = Self::law(c, now as f64, flow.count);
            return left;
        }
        Some(packet)
    }

    fn dequeue(&mut self, config: &Config, now: u64) -> Option<Packet> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new {
                &mut self.new
            } else {
                &mut self.old
            };
            let f = list.pop_front()?;
            if self.flows[f].deficit <= 0 {
                self.flows[f].deficit += i64::from(config.quantum);
                self.old.push_back(f);
                continue;
            }
            match self.codel(config, f, now) {
                Some(p) => {
                    self.flows[f].deficit -= i64::from(p.size);
                    let list = if from_new {
                        &mut self.new
                    } else {
                        &mut self.old
                    };
                    list.push_front(f);
                    return Some(p);
                }
                None if from_new && !self.old.is_empty() => self.old.push_back(f),
                None => {}
            }
        }
    }
}

/// Flow, size, and whether it may be marked.
type Arrival = (u32, u32, bool);

/// Time in ms, arrivals and departures.
fn traffic() -> impl Strategy<Value = Vec<(u64, Vec<Arrival>, u8)>> {
    let arrival = (0u32..6, 40u32..1500, any::<bool>());
    let arrivals = prop::collection::vec(arrival, 0..12);
    prop::collection::vec((0u64..60, arrivals, 0u8..6), 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Packet for packet, drop for drop, mark for mark.
    #[test]
    fn the_reference_agrees(traffic in traffic(), quantum in 100u32..3000, ecn in any::<bool>(), mtu_of_all in any::<bool>()) {
        let codel = codel::Params { ecn, newton: false, ..codel::Params::DEFAULT };
        let config = Config { codel, quantum, mtu_of_all, queues: 1 << 20, ..Config::DEFAULT };
        let (mut q, mut reference) = (FqCodel::new(config), Reference::default());
        let (mut now, mut id, mut dropped) = (0, 0, Vec::new());
        for (wait, arrivals, departures) in traffic {
            now += wait * 1_000_000;
            let t = Instant::from_nanos(now);
            for (flow, size, ect) in arrivals {
                let ecn = if ect { Ecn::Ect0 } else { Ecn::NotEct };
                let p = Packet { ecn, ..packet(id, flow, size) };
                id += 1;
                prop_assert_eq!(q.offer(t, p), Enqueue::Queued);
                reference.enqueue(&config, now, p);
            }
            for _ in 0..departures {
                let ours = q.dequeue(t, &mut |p, why| dropped.push((p.id.0, why)));
                prop_assert_eq!(ours, reference.dequeue(&config, now));
            }
            prop_assert_eq!(&dropped, &reference.dropped);
            prop_assert_eq!(q.stats().marked, reference.marked);
            prop_assert_eq!(q.stats().packets as usize, reference.total());
        }
    }

    /// Whatever the limit, the queue and its books agree.
    #[test]
    fn nothing_gets_lost(traffic in traffic(), limit in 1u32..60, queues in 1u32..8, drop_batch in 1u32..70,
        memory_limit in 1u32..100_000) {
        let config = Config { limit, memory_limit, queues, drop_batch, ..Config::DEFAULT };
        let mut q = FqCodel::new(config);
        let (mut now, mut id, mut gone) = (Instant::ZERO, 0u32, 0u32);
        for (wait, arrivals, departures) in traffic {
            now += Span::from_millis(wait);
            for (flow, size, _) in arrivals {
                gone += u32::from(q.offer(now, packet(id, flow, size)) != Enqueue::Queued);
                while q.evicted().is_some() {
                    gone += 1;
                }
                id += 1;
                prop_assert!(q.stats().packets <= limit);
                prop_assert!(q.flows.memory() <= u64::from(memory_limit));
            }
            for _ in 0..departures {
                let head = q.dequeue(now, &mut |_, _| gone += 1);
                gone += u32::from(head.is_some());
            }
            prop_assert_eq!(id, gone + q.stats().packets);
            prop_assert_eq!(q.stats().packets == 0, q.flows.memory() == 0);
        }
    }
}

/// Bytes per flow that leave within `rounds` when flow `i` keeps `demand[i]` bytes a round coming; in a round
/// `capacity` bytes leave. Packets have sizes of their own flow. CoDel never acts.
fn served(demand: &[u32], size: &[u32], capacity: u32, rounds: u32) -> Vec<f64> {
    let codel = codel::Params {
        interval: Span::from_secs(3600),
        ..codel::Params::DEFAULT
    };
    let mut q = FqCodel::new(Config {
        codel,
        perturbation: None,
        limit: 1 << 30,
        memory_limit: u32::MAX,
        ..Config::DEFAULT
    });
    let mut id = 0;
    let (mut due, mut sent) = (std::vec![0u64; demand.len()], std::vec![0u64; demand.len()]);
    let (mut left, mut warm) = (0i64, Vec::new());
    for round in 0..rounds {
        for (flow, bytes) in demand.iter().enumerate() {
            due[flow] += u64::from(*bytes);
            while due[flow] >= u64::from(size[flow]) {
                due[flow] -= u64::from(size[flow]);
                q.offer(Instant::ZERO, packet(id, flow as u32, size[flow]));
                id += 1;
            }
        }
        left += i64::from(capacity);
        while left > 0
            && let Some(p) = q.dequeue(Instant::ZERO, &mut |_, _| unreachable!())
        {
            left -= i64::from(p.size);
            sent[p.flow.0 as usize] += u64::from(p.size);
        }
        if round == rounds / 4 {
            warm.clone_from(&sent);
        }
    }
    let measured = f64::from(rounds - rounds / 4 - 1);
    sent.iter()
        .zip(warm)
        .map(|(s, w)| (s - w) as f64 / measured)
        .collect()
}

/// Max-min fairness in closed form: water filling.
fn max_min(demand: &[u32], capacity: u32) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demand.len()).collect();
    order.sort_by_key(|i| demand[*i]);
    let (mut rest, mut share) = (f64::from(capacity), std::vec![0.0; demand.len()]);
    for (done, i) in order.iter().enumerate() {
        share[*i] = f64::from(demand[*i]).min(rest / (demand.len() - done) as f64);
        rest -= share[*i];
    }
    share
}

/// 1 to 32 flows against one that wants all of the line; packets of any size. The others want half of an
/// equal share, or twice as much, or one half of them each. A flow that wants nearly its share is not
/// in here: whenever its queue runs empty it comes back as a new one, with a quantum that none of the old
/// ones gets, and this lifts it by up to 4 %.
#[test]
fn shares_are_max_min() {
    let capacity = 60_000;
    for flows in [1u32, 2, 3, 5, 8, 13, 21, 32] {
        let half = capacity / (2 * (flows + 1));
        let size: Vec<u32> = (0..=flows).map(|i| 100 + 1400 * i / flows).collect();
        for greedy in [|_| false, |_| true, |i: u32| i.is_multiple_of(2)] {
            let demand = (0..flows).map(|i| if greedy(i) { 4 * half } else { half });
            let demand: Vec<u32> = demand.chain([capacity]).collect();
            let got = served(&demand, &size, capacity, 1000);
            for (got, due) in got.iter().zip(max_min(&demand, capacity)) {
                // A quantum and a packet at each end of 750 rounds.
                assert!(
                    (got - due).abs() < 0.005 * due.max(600.0),
                    "{flows}: {got} {due}"
                );
            }
        }
    }
}

/// Flows that share a queue share its turn: with as few queues as one all are one flow.
#[test]
fn flows_that_collide_share_a_turn() {
    let order = |queues, perturbation| {
        let mut q = FqCodel::new(Config {
            queues,
            perturbation,
            quantum: 100,
            ..Config::DEFAULT
        });
        for (id, flow) in [(0, 0), (1, 0), (2, 0), (3, 4), (4, 4)] {
            q.offer(Instant::ZERO, packet(id, flow, 100));
        }
        let all = core::iter::from_fn(|| q.dequeue(Instant::ZERO, &mut |_, _| unreachable!()));
        all.map(|p| p.id.0).collect::<Vec<_>>()
    };
    assert_eq!(order(1, Some(7)), [0, 1, 2, 3, 4]);
    assert_eq!(order(1, None), [0, 1, 2, 3, 4]);
    // Flows 0 and 4 are alike modulo 2 and 4, and have queues of their own all the same.
    for queues in [2, 4, 8] {
        assert_eq!(order(queues, None), [0, 3, 1, 4, 2]);
    }
}
