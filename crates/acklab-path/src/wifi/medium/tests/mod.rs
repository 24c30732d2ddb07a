//! Exchanges by hand, saturation against closed forms, and what must hold whatever happens.

mod addba;
mod arp;
mod carried;
mod disciplines;
mod durations;
mod edca;
mod eifs;
mod feedback;
mod generations;
mod invariants;
mod late;
mod ns3;
mod ofdma;
mod protection;
mod radio;
mod reach;
mod rules;
mod saturation;
mod stations;

use super::*;
use crate::packet::FlowId;
use crate::wifi::contention::SlotRule;
use crate::wifi::mac;
use crate::wifi::phy::{Band, ErrorModel, Guard, Mode, PhyConfig, Width};
use acklab_proto::rng;
use acklab_proto::segment::Ecn;
use alloc::vec;

const AP: StationId = StationId(0);

/// 65 Mbit/s: 802.11n MCS 7, 20 MHz, one stream, long guard interval.
fn mcs7() -> Mode {
    Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap()
}

fn us(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

/// `n` stations that send to the AP and are sent to: port 2i leads from station i + 1 to the AP,
/// port 2i + 1 back.
fn cell(n: u16, aggregation: Aggregation) -> MediumConfig {
    let station = StationConfig {
        categories: vec![EdcaConfig::standard(AccessCategory::BestEffort)],
        queue: mac::Config::NS3,
    };
    let port = |from, to| PortConfig {
        from,
        to,
        rate: RateConfig::Fixed(mcs7()),
        aggregation,
        rts_from: None,
        grants_reverse: false,
        errors: ErrorModel::None,
        carries_acks: None,
    };
    let ports = (1..=n).map(StationId);
    MediumConfig {
        phy: Phy::new(&PhyConfig::new(Band::Ghz5)).unwrap(),
        slots: SlotRule::Edca,
        stations: vec![station; usize::from(n) + 1],
        ports: ports.flat_map(|s| [port(s, AP), port(AP, s)]).collect(),
        hears: None,
        radio: None,
        eifs: true,
        after_silence: AfterSilence::Quiet,
        propagation: Span::ZERO,
        retry_limit: 7,
        arp: None,
        addba: None,
        ofdma: None,
    }
}

fn ampdu(bytes: u32) -> Aggregation {
    Aggregation {
        ampdu: bytes,
        ..Aggregation::NONE
    }
}

/// Events of a run, as text.
#[derive(Debug, Default)]
struct Log {
    ppdus: Vec<Ppdu>,
    drops: Vec<(u32, DropReason)>,
    /// Ports of packets that were dropped.
    lost: Vec<u32>,
    left: Vec<(u32, Span)>,
    queued: Vec<u32>,
}

impl MediumDriver for Log {
    fn on_drop(&mut self, _: Instant, packet: Packet, reason: DropReason) {
        self.drops.push((packet.id.0, reason));
        self.lost.push(packet.flow.0);
    }

    fn on_queued(&mut self, _: Instant, packet: Packet) {
        self.queued.push(packet.id.0);
    }

    fn on_left(&mut self, _: Instant, packet: Packet, sojourn: Span) {
        self.left.push((packet.id.0, sojourn));
    }

    fn on_ppdu(&mut self, ppdu: &Ppdu) {
        self.ppdus.push(*ppdu);
    }
}

/// A medium with a clock.
struct Rig {
    medium: Medium,
    log: Log,
    now: Instant,
    packets: u32,
}

impl Rig {
    fn new(config: MediumConfig, seed: u64) -> Self {
        let streams = MediumStreams {
            backoff: rng::stream(seed, "backoff"),
            errors: rng::stream(seed, "errors"),
            rates: rng::stream(seed, "rates"),
            channel: ChannelStreams {
                shadowing: rng::stream(seed, "shadowing"),
                fading: rng::stream(seed, "fading"),
            },
            neighbours: rng::stream(seed, "neighbours"),
        };
        Self {
            medium: Medium::new(config, streams),
            log: Log::default(),
            now: Instant::ZERO,
            packets: 0,
        }
    }

    /// A packet of `size` bytes whose flow is the number of its port.
    fn offer(&mut self, port: u32, size: u32) {
        self.offer_as(port, size, 0);
    }

    /// The same under an access category.
    fn offer_as(&mut self, port: u32, size: u32, category: u8) {
        let packet = Packet {
            id: PacketId(self.packets),
            size,
            flow: FlowId(port),
            ecn: Ecn::NotEct,
        };
        self.packets += 1;
        self.medium
            .offer(self.now, PortId(port), category, packet, &mut self.log);
    }

    /// The next packet that arrives until `end`; the clock stands at its arrival, or at `end`.
    fn next(&mut self, end: Instant) -> Option<Packet> {
        loop {
            if let Some(packet) = self.medium.advance(self.now, &mut self.log) {
                return Some(packet);
            }
            let Some(at) = self.medium.next_wakeup().filter(|at| *at <= end) else {
                self.now = end;
                return None;
            };
            assert!(at >= self.now, "back to {at:?} from {:?}", self.now);
            self.now = at;
        }
    }

    /// Everything that arrives until `end`: when, and which packet.
    fn run(&mut self, end: Instant) -> Vec<(Instant, u32)> {
        let mut all = vec![];
        while let Some(packet) = self.next(end) {
            all.push((self.now, packet.id.0));
        }
        all
    }

    /// Keeps the queues of `ports` filled until `end`: bytes that arrived over each.
    fn saturate(&mut self, ports: &[u32], size: u32, depth: u32, end: Instant) -> Vec<u64> {
        let mut bytes = vec![0; ports.len()];
        for p in ports {
            (0..depth).for_each(|_| self.offer(*p, size));
        }
        while let Some(packet) = self.next(end) {
            let i = ports.iter().position(|p| *p == packet.flow.0).unwrap();
            bytes[i] += u64::from(packet.size);
            self.offer(packet.flow.0, size);
            // A packet that was given up leaves a place, too.
            while let Some(port) = self.log.lost.pop() {
                self.offer(port, size);
            }
        }
        bytes
    }

    /// Start and kind of each PPDU so far, and whether it could be read.
    fn timeline(&self) -> Vec<(u64, &'static str, bool)> {
        let all = self.log.ppdus.iter();
        all.map(|p| {
            (
                (p.start - Instant::ZERO).as_micros(),
                p.kind.name(),
                !p.garbled,
            )
        })
        .collect()
    }
}
