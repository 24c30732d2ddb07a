//! A station's queue and two recipients over a channel that loses whatever the input says: each
//! packet is delivered once and in order or dropped with a reason, and the window holds.
//!
//! The first bytes choose queue and limits, each further byte is a step.

use crate::Bytes;
use acklab_path::packet::{DropReason, FlowId, Label, Packet, PacketId};
use acklab_path::wifi::mac::bitmap::distance;
use acklab_path::wifi::mac::{
    Config, Content, Counts, Kind, Limits, Outcome, PeerId, Psdu, Recipient, StationsConfig,
    TxQueue, Verdict,
};
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Rate, Span};

const PEERS: u16 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Underway,
    Delivered,
    Dropped(DropReason),
}

fn config(b: &mut Bytes<'_>) -> Config {
    let limit = 1 + u32::from(b.u8());
    let f = b.u8();
    let counts = [Counts::Waiting, Counts::Unacknowledged, Counts::Mpdus][usize::from(f % 3)];
    let kind = match f >> 7 {
        0 => Kind::Shared { limit, counts },
        _ => Kind::PerStation(StationsConfig {
            limit,
            queues: 1 + u32::from(f & 7),
            hardware: u32::from(f >> 3 & 3),
            ..StationsConfig::LINUX
        }),
    };
    let limits = b.u8();
    let some = |n: u8| (n > 0).then_some(n);
    Config {
        kind,
        lifetime: some(b.u8()).map(|n| Span::from_millis(u64::from(n) * 4)),
        retry_limit: 1 + (limits & 3),
        agreement_retry_limit: some(limits >> 2 & 3),
        explicit_bar: limits >> 7 == 0,
        bar_limit: some(limits >> 4 & 7),
    }
}

fn limits(b: &mut Bytes<'_>) -> Limits {
    let f = b.u8();
    Limits {
        max_psdu: 1000 + u32::from(b.u16()),
        ampdu: if f & 1 == 0 { 65_535 } else { 0 },
        amsdu: [0, 3839, 7935, 11_454][usize::from(f >> 1 & 3)],
        window: u16::from(b.u8()) + 1,
        spacing: u32::from(f >> 4),
        always_delimited: f & 8 == 8,
        ..Limits::SINGLE
    }
}

struct World {
    queue: TxQueue,
    recipients: Vec<Recipient>,
    limits: Limits,
    now: Instant,
    fates: Vec<Fate>,
    newest: [Option<u32>; PEERS as usize],
    psdu: Psdu,
}

fn drop_it(fates: &mut [Fate], packet: Packet, why: DropReason) {
    let fate = &mut fates[packet.id.0 as usize];
    assert_eq!(*fate, Fate::Underway);
    *fate = Fate::Dropped(why);
}

impl World {
    fn new(b: &mut Bytes<'_>) -> Self {
        let (config, limits) = (config(b), limits(b));
        let window = if limits.ampdu > 0 { limits.window } else { 0 };
        let mut queue = TxQueue::new(config);
        for peer in 0..PEERS {
            let rate = Rate::from_bps(1_000_000 * u64::from(b.u8()));
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

    fn step(&mut self, b: &mut Bytes<'_>) {
        let what = b.u8();
        match what % 8 {
            0 | 1 => {
                let size = 40 + u32::from(b.u8()) * 6;
                (0..what >> 3).for_each(|_| self.arrive(u16::from(what & 1), size));
            }
            2 => self.now += Span::from_millis(u64::from(what >> 3) * 10),
            3 => {
                let id = PacketId(u32::from(b.u8()));
                if self.queue.remove(id).is_some() {
                    self.fates[id.0 as usize] = Fate::Dropped(DropReason::AckThinned);
                }
            }
            4 => self.exchange(None),
            n => self.exchange(Some((b, n == 5, what >> 3))),
        }
    }

    fn arrive(&mut self, peer: u16, size: u32) {
        let packet = Packet {
            id: PacketId(self.fates.len() as u32),
            size,
            flow: FlowId(u32::from(peer)),
            ecn: Ecn::NotEct,
        };
        self.fates.push(Fate::Underway);
        let fates = &mut self.fates;
        self.queue.enqueue(
            self.now,
            PeerId(peer),
            (packet, Label::of(packet.flow)),
            &mut |p, why| {
                drop_it(fates, p, why);
            },
        );
    }

    /// An exchange over a channel: where losses come from, whether the answer is lost, and of how
    /// many MPDUs all arrive before the input decides; or without a CTS.
    fn exchange(&mut self, channel: Option<(&mut Bytes<'_>, bool, u8)>) {
        self.now += Span::from_micros(300);
        let fates = &mut self.fates;
        let on_drop: &mut dyn FnMut(_, _) = &mut |p, why| drop_it(fates, p, why);
        let Some(peer) = self.queue.select(self.now, on_drop) else {
            assert!(!self.queue.has_frames());
            return;
        };
        self.queue
            .build(self.now, peer, &self.limits, &mut self.psdu, on_drop);
        assert!(!self.psdu.is_empty());
        if let [first, .., last] = self.psdu.mpdus[..] {
            assert!(distance(first.seq, last.seq) < self.limits.window);
        }
        let outcome = match channel {
            None => Outcome::NotSent,
            Some((b, answer_lost, clean)) => self.transmit(peer, b, answer_lost, clean),
        };
        self.queue.spend_airtime(peer, Span::from_micros(300));
        let fates = &mut self.fates;
        self.queue
            .on_response(self.now, peer, &self.psdu, outcome, &mut |p, why| {
                drop_it(fates, p, why);
            });
        self.deliver(peer);
    }

    fn transmit(
        &mut self,
        peer: PeerId,
        b: &mut Bytes<'_>,
        answer_lost: bool,
        clean: u8,
    ) -> Outcome {
        let recipient = &mut self.recipients[usize::from(peer.0)];
        let mut arrived = false;
        if let Content::Bar(start) = self.psdu.content
            && clean > 0
        {
            recipient.on_bar(start);
            arrived = true;
        }
        let mut bits = 0;
        for (i, m) in self.psdu.mpdus.iter().enumerate() {
            bits = if i % 8 == 0 { b.u8() } else { bits >> 1 };
            if i >= usize::from(clean) && bits & 1 == 1 {
                continue;
            }
            arrived = true;
            let owed = self.queue.packets_of(peer, m.seq).count();
            let verdict = recipient.on_mpdu(m.seq, self.queue.hand_over(peer, m.seq));
            assert_eq!(verdict == Verdict::New, owed > 0);
        }
        match self.psdu.content {
            _ if !arrived || answer_lost => Outcome::Nothing,
            Content::Single | Content::Action(_) => Outcome::Ack,
            Content::Ampdu | Content::Bar(_) => {
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
            assert_eq!(*fate, Fate::Underway, "delivered or dropped before");
            *fate = Fate::Delivered;
            let newest = &mut self.newest[usize::from(peer.0)];
            assert!(*newest < Some(p.id.0), "out of order");
            *newest = Some(p.id.0);
        }
    }

    /// Without losses everything comes to an end.
    fn drain(&mut self) {
        let mut perfect = Bytes(&[]);
        for peer in 0..PEERS {
            self.arrive(peer, 40);
        }
        let most = self.fates.len() * 2 + 20;
        for _ in 0..most {
            self.exchange(Some((&mut perfect, false, 255)));
        }
        assert!(!self.queue.has_frames(), "still busy");
        assert_eq!((self.queue.inside(), self.queue.unacknowledged()), (0, 0));
        assert!(self.fates.iter().all(|f| *f != Fate::Underway));
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let mut world = World::new(&mut b);
    while !b.is_empty() {
        world.step(&mut b);
    }
    world.drain();
}
