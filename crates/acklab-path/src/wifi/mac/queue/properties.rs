//! Originator and recipient over a channel that loses anything: each packet is delivered once and
//! in order, or dropped with a reason.

use super::*;
use crate::packet::{FlowId, Label, PacketId};
use crate::qdisc::registry::{DISCIPLINES, Room};
use crate::qdisc::{Limit, QueueDisc};
use crate::wifi::mac::bitmap::distance;
use crate::wifi::mac::{Content, Limits, Outcome, Psdu, Recipient, Verdict};
use acklab_proto::registry::Params;
use acklab_proto::segment::Ecn;
use acklab_units::{Rate, Span};
use proptest::prelude::*;

const PEERS: u16 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Underway,
    Delivered,
    Dropped(DropReason),
}

/// One step.
#[derive(Clone, Debug)]
enum Step {
    /// So many packets of that size arrive for that peer.
    Arrive(u16, u8, u32),
    /// An exchange in which the MPDUs whose bits are set are lost, and perhaps the answer.
    Exchange { lost: u64, answer_lost: bool },
    /// The RTS is not answered.
    NoCts,
    /// Time passes.
    Wait(Span),
}

fn step() -> impl Strategy<Value = Step> {
    let size = prop_oneof![Just(40u32), Just(1500), 40u32..1500];
    prop_oneof![
        3 => (0..PEERS, 1u8..40, size).prop_map(|(p, n, s)| Step::Arrive(p, n, s)),
        4 => (any::<u64>(), any::<u64>(), prop::bool::weighted(0.3))
            .prop_map(|(a, b, answer_lost)| Step::Exchange { lost: a & b, answer_lost }),
        1 => (any::<bool>()).prop_map(|answer_lost| Step::Exchange { lost: u64::MAX, answer_lost }),
        1 => Just(Step::NoCts),
        1 => (0u64..400).prop_map(|ms| Step::Wait(Span::from_millis(ms))),
    ]
}

struct World {
    queue: TxQueue,
    recipients: Vec<Recipient>,
    limits: Limits,
    now: Instant,
    fates: Vec<(u16, Fate)>,
    newest: [Option<u32>; PEERS as usize],
    psdu: Psdu,
}

impl World {
    fn new(config: Config, above: Option<Box<dyn QueueDisc>>, limits: Limits) -> Self {
        let window = if limits.ampdu > 0 { limits.window } else { 0 };
        let mut queue = TxQueue::new(config);
        if let Some(discipline) = above {
            queue.put_under(discipline);
        }
        for peer in 0..PEERS {
            let rate = Rate::from_bps(2_000_000 << (3 * peer));
            queue.on_rate(PeerId(peer), &limits, rate);
        }
        Self {
            queue,
            recipients: (0..PEERS).map(|_| Recipient::new(window)).collect(),
            limits,
            now: Instant::ZERO,
            fates: Vec::new(),
            newest: [None; PEERS as usize],
            psdu: Psdu::default(),
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Arrive(peer, n, size) => (0..n).for_each(|_| self.arrive(peer, size)),
            Step::Exchange { lost, answer_lost } => self.exchange(lost, answer_lost, true),
            Step::NoCts => self.exchange(0, false, false),
            Step::Wait(span) => self.now += span,
        }
    }

    fn arrive(&mut self, peer: u16, size: u32) {
        let packet = Packet {
            id: PacketId(self.fates.len() as u32),
            size,
            // One flow for each peer: only within a flow is there an order.
            flow: FlowId(u32::from(peer)),
            ecn: Ecn::NotEct,
        };
        self.fates.push((peer, Fate::Underway));
        let fates = &mut self.fates;
        self.queue.enqueue(
            self.now,
            PeerId(peer),
            (packet, Label::of(packet.flow)),
            &mut |p, why| drop_it(fates, p, why),
        );
    }

    fn exchange(&mut self, lost: u64, answer_lost: bool, sent: bool) {
        self.now += Span::from_micros(500);
        let fates = &mut self.fates;
        let on_drop: OnDrop<'_> = &mut |p, why| drop_it(fates, p, why);
        let Some(peer) = self.queue.select(self.now, on_drop) else {
            assert!(!self.queue.has_frames());
            return;
        };
        let limits = &self.limits;
        self.queue
            .build(self.now, peer, limits, &mut self.psdu, on_drop);
        assert!(!self.psdu.is_empty(), "selected without anything to send");
        self.check_psdu();
        let outcome = match sent {
            true => self.transmit(peer, lost, answer_lost),
            false => Outcome::NotSent,
        };
        let airtime = Span::from_micros(100 + u64::from(self.psdu.bytes));
        self.queue.spend_airtime(peer, airtime);
        let fates = &mut self.fates;
        let on_drop: OnDrop<'_> = &mut |p, why| drop_it(fates, p, why);
        self.queue
            .on_response(self.now, peer, &self.psdu, outcome, on_drop);
        self.deliver(peer);
    }

    /// The window and the limits hold.
    fn check_psdu(&self) {
        let (psdu, limits) = (&self.psdu, &self.limits);
        if let [first, .., last] = psdu.mpdus[..] {
            assert!(
                distance(first.seq, last.seq) < limits.window,
                "window exceeded"
            );
            assert!(psdu.bytes <= limits.ampdu.min(limits.max_psdu));
        }
        assert!(
            psdu.mpdus
                .windows(2)
                .all(|m| distance(m[0].seq, m[1].seq) < 2048)
        );
        assert_eq!(psdu.content == Content::Ampdu, psdu.mpdus.len() > 1);
    }

    fn transmit(&mut self, peer: PeerId, lost: u64, answer_lost: bool) -> Outcome {
        let recipient = &mut self.recipients[usize::from(peer.0)];
        let mut arrived = false;
        if let Content::Bar(start) = self.psdu.content
            && lost & 1 == 0
        {
            recipient.on_bar(start);
            arrived = true;
        }
        for (i, m) in self.psdu.mpdus.iter().enumerate() {
            if lost >> (i % 64) & 1 == 1 {
                continue;
            }
            arrived = true;
            let owed = self.queue.packets_of(peer, m.seq).count();
            let verdict = recipient.on_mpdu(m.seq, self.queue.hand_over(peer, m.seq));
            // A packet is new to the recipient exactly if the queue still has it.
            assert_eq!(verdict == Verdict::New, owed > 0, "{m:?}");
        }
        match self.psdu.content {
            _ if !arrived || answer_lost => Outcome::Nothing,
            Content::Single => Outcome::Ack,
            _ => {
                let (start, bitmap) = recipient.block_ack();
                Outcome::BlockAck(start, bitmap)
            }
        }
    }

    fn deliver(&mut self, peer: PeerId) {
        let mut out = Vec::new();
        self.recipients[usize::from(peer.0)].release(&mut out);
        for p in out {
            let fate = &mut self.fates[p.id.0 as usize];
            assert_eq!(
                *fate,
                (peer.0, Fate::Underway),
                "delivered or dropped before"
            );
            fate.1 = Fate::Delivered;
            let newest = &mut self.newest[usize::from(peer.0)];
            assert!(*newest < Some(p.id.0), "out of order");
            *newest = Some(p.id.0);
        }
    }

    /// A perfect channel from now on: everything gets a fate.
    fn drain(&mut self) {
        for _ in 0..10_000 {
            if !self.queue.has_frames() {
                break;
            }
            self.exchange(0, false, true);
        }
        // A request that was given up is sent once there is something to send.
        for peer in 0..PEERS {
            self.arrive(peer, 40);
            self.exchange(0, false, true);
            self.exchange(0, false, true);
        }
        while self.queue.has_frames() {
            self.exchange(0, false, true);
        }
        assert_eq!((self.queue.inside(), self.queue.packets()), (0, 0));
        assert_eq!(self.queue.unacknowledged(), 0);
        assert!(self.recipients.iter().all(|r| r.inside() == 0));
        assert!(self.fates.iter().all(|f| f.1 != Fate::Underway));
    }
}

fn drop_it(fates: &mut [(u16, Fate)], packet: Packet, reason: DropReason) {
    let fate = &mut fates[packet.id.0 as usize].1;
    assert_eq!(*fate, Fate::Underway, "dropped after {fate:?}");
    *fate = Fate::Dropped(reason);
}

fn config() -> impl Strategy<Value = Config> {
    let counts = prop_oneof![
        Just(Counts::Waiting),
        Just(Counts::Unacknowledged),
        Just(Counts::Mpdus)
    ];
    let lifetime = prop::option::of((1u64..600).prop_map(Span::from_millis));
    let limits = (prop::option::of(1u8..8), prop::option::of(1u8..8));
    let shared = (1u32..300, counts).prop_map(|(limit, counts)| Kind::Shared { limit, counts });
    (
        prop_oneof![shared, per_station()],
        lifetime,
        1u8..8,
        limits,
        any::<bool>(),
    )
        .prop_map(
            |(kind, lifetime, retry_limit, (agreement_retry_limit, bar_limit), explicit_bar)| {
                Config {
                    kind,
                    lifetime,
                    retry_limit,
                    agreement_retry_limit,
                    explicit_bar,
                    bar_limit,
                }
            },
        )
}

/// One of the registered disciplines, with its defaults and little room, or none.
fn above() -> impl Strategy<Value = Option<(usize, u32)>> {
    prop::option::of((0..DISCIPLINES.len(), 1u32..40))
}

fn discipline((which, packets): (usize, u32)) -> Box<dyn QueueDisc> {
    let entry = &DISCIPLINES[which];
    let limit = match entry.build.counts {
        crate::qdisc::registry::Counts::Bytes => Limit::Bytes(u64::from(packets) * 1500),
        _ => Limit::Packets(packets),
    };
    let room = Room::new(limit, 1, "medium/wifi/ap/best-effort/qdisc");
    (entry.build.make)(&Params::defaults(entry.params), room)
}

fn per_station() -> impl Strategy<Value = Kind> {
    let aql = prop::option::of(Just(StationsConfig::LINUX.aql.unwrap()));
    let small = (1u32..300, 1u32..9, 40u32..2000, 1u32..40, 4000u32..400_000);
    (small, any::<bool>(), 1u64..5000, aql, 1u32..5).prop_map(
        |((limit, queues, quantum, drop_batch, memory), airtime_fairness, us, aql, hardware)| {
            Kind::PerStation(StationsConfig {
                limit,
                memory,
                queues,
                quantum,
                drop_batch,
                airtime_fairness,
                airtime_quantum: Span::from_micros(us),
                aql,
                hardware,
                ..StationsConfig::LINUX
            })
        },
    )
}

fn limits() -> impl Strategy<Value = Limits> {
    let ampdu = prop_oneof![Just(0u32), 2000u32..65_536];
    let amsdu = prop_oneof![Just(0u32), Just(3839), Just(7935)];
    let window = prop_oneof![Just(64u16), Just(256), 1u16..257];
    (ampdu, amsdu, window, 2000u32..65_536, 0u32..200).prop_map(
        |(ampdu, amsdu, window, max_psdu, spacing)| Limits {
            ampdu,
            amsdu,
            window,
            max_psdu,
            spacing,
            ..Limits::SINGLE
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn each_packet_has_one_fate(
        config in config(),
        above in above(),
        limits in limits(),
        before in prop_oneof![Just(0u16), 4000u16..4100],
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut world = World::new(config, above.map(discipline), limits);
        // Up to where the numbers wrap.
        for _ in 0..before {
            world.arrive(0, 40);
            world.exchange(0, false, true);
        }
        steps.iter().for_each(|s| world.step(s));
        world.drain();
    }
}
