//! Any radio channel, any packets: each is delivered once, dropped, taken out or inside, ports keep
//! their order, time adds up, and nobody sends two frames at once.
//!
//! The first bytes choose the channel, each further group of four is a step.

use crate::Bytes;
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId};
use acklab_path::qdisc::codel;
use acklab_path::wifi::agreement::AddbaConfig;
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac;
use acklab_path::wifi::medium::{
    AccessCategory, AfterSilence, Aggregation, Answers, CarriedAcks, DownlinkOfdma, EdcaConfig,
    Medium, MediumConfig, MediumDriver, MediumStreams, MuEdca, OfdmaConfig, Poll, PortConfig,
    PortId, Ppdu, RandomAccess, RateConfig, Scheduler, StationConfig, StationId, UplinkOfdma, Use,
};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_path::wifi::phy::{
    Band, ErrorModel, Guard, Mode, Phy, PhyConfig, Ru, RuPlan, SigBMcs, Width,
};
use acklab_path::wifi::propagation::ChannelStreams;
use acklab_proto::rng;
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Span};

/// How long after the last step: longer than any packet waits for an address, which is 4 s, and then lives.
const REST: Span = Span::from_millis(5500);
/// More wakeups than that are not looked at: a channel that never rests is no failure.
const PATIENCE: u32 = 60_000;

fn bit(byte: u8, n: u8) -> bool {
    byte >> n & 1 == 1
}

fn edca(b: &mut Bytes<'_>) -> EdcaConfig {
    let (f, txop) = (b.u8(), b.u8());
    if bit(f, 7) {
        return EdcaConfig::standard(AccessCategory::ALL[usize::from(f % 4)]);
    }
    let cw_min = (1 << (f % 6)) - 1;
    EdcaConfig {
        aifsn: 1 + (f >> 3) % 8,
        cw_min,
        cw_max: cw_min * 4 + u16::from(f),
        txop: Span::from_micros(u64::from(txop) * 20),
    }
}

fn queue(b: &mut Bytes<'_>) -> mac::Config {
    let (f, limit) = (b.u8(), b.u8());
    let kind = if bit(f, 0) {
        mac::Kind::PerStation(mac::StationsConfig {
            limit: u32::from(limit),
            queues: 8,
            codel: codel::Params {
                ecn: bit(f, 1),
                ..mac::StationsConfig::LINUX.codel
            },
            hardware: 1 + u32::from(f >> 6),
            ..mac::StationsConfig::LINUX
        })
    } else {
        mac::Kind::Shared {
            limit: u32::from(limit),
            counts: mac::Counts::default(),
        }
    };
    mac::Config {
        kind,
        lifetime: Some(Span::from_millis(1 + u64::from(limit))),
        retry_limit: 1 + f % 8,
        agreement_retry_limit: bit(f, 3).then_some(1 + f % 5),
        explicit_bar: bit(f, 4),
        bar_limit: bit(f, 5).then_some(1 + f % 3),
    }
}

fn aggregation(b: &mut Bytes<'_>) -> Aggregation {
    let f = b.u8();
    Aggregation {
        ampdu: [0, 4095, 20_000, 65_535][usize::from(f % 4)],
        amsdu: [0, 0, 3839, 7935][usize::from(f / 4 % 4)],
        window: [1, 8, 64, 256][usize::from(f / 16 % 4)],
        spacing: Span::from_micros(u64::from(f / 64) * 4),
        ..Aggregation::NONE
    }
}

fn mode(byte: u8) -> Mode {
    let mode = match byte % 3 {
        0 => Mode::ht(byte / 3 % 8, Width::Mhz20, Guard::Ns800),
        1 => Mode::vht(byte / 3 % 8, 1, Width::Mhz40, Guard::Ns400),
        _ => Mode::he(byte / 3 % 8, 1, Width::Mhz20, Guard::Ns800),
    };
    mode.expect("it exists")
}

fn port(b: &mut Bytes<'_>, from: u16, to: u16) -> PortConfig {
    let (f, rts) = (b.u8(), b.u8());
    PortConfig {
        from: StationId(from),
        to: StationId(to),
        rate: RateConfig::Fixed(mode(b.u8())),
        aggregation: aggregation(b),
        rts_from: bit(f, 0).then_some(u32::from(rts) * 16),
        grants_reverse: bit(f, 1),
        errors: match f >> 2 & 3 {
            0 | 1 => ErrorModel::None,
            2 => ErrorModel::Ber(1e-5 * f64::from(rts)),
            _ => ErrorModel::Ber(2e-3),
        },
        carries_acks: bit(f, 4).then_some(CarriedAcks {
            bytes: u32::from(f >> 5),
            most: u16::from(rts),
            patience: Span::from_micros(u64::from(rts) * 50),
            reserve: rts % 2 == 0,
        }),
    }
}

fn ofdma(b: &mut Bytes<'_>) -> OfdmaConfig {
    let (f, g, h) = (b.u8(), b.u8(), b.u8());
    let random = bit(f, 4).then(|| RandomAccess {
        units: 1 + u16::from(g % 4),
        ocw_min: u16::from(g / 4 % 8),
        ocw_max: 31,
        for_data: bit(f, 5),
    });
    let mu_edca = bit(f, 6).then(|| MuEdca {
        aifsn: h % 4,
        cw_min: 15,
        cw_max: 63,
        timer: Span::from_micros(1 + 50 * u64::from(h)),
    });
    // Units for anybody are of one size.
    let units = [Ru::Tones106, Ru::Tones26, Ru::Tones106];
    let plan = RuPlan::of(Width::Mhz20, &units).ok();
    let plan = plan.filter(|_| h >= 192 && random.is_none());
    OfdmaConfig {
        downlink: bit(f, 0).then(|| DownlinkOfdma {
            answers: [Answers::Sequence, Answers::MuBar, Answers::Aggregated][usize::from(g % 3)],
            answer_mcs: h % 12,
        }),
        uplink: bit(f, 1).then_some(UplinkOfdma {
            poll: Poll {
                every: Span::from_millis(5 + u64::from(g)),
                always: bit(f, 2),
            },
            category: 0,
            random,
            mu_edca,
        }),
        scheduler: [
            Scheduler::RoundRobin,
            Scheduler::ProportionalFair,
            Scheduler::Backlog,
        ][usize::from(h % 3)],
        most_users: plan.map_or(1 + u16::from(h / 4 % 9), |_| 3),
        plan,
        guard: [Guard::Ns1600, Guard::Ns3200][usize::from(bit(f, 3))],
        sig_b: SigBMcs::new(h % 8),
        falls_back: bit(f, 7),
    }
}

/// A channel with one to four stations around another, and whether everybody hears everybody.
fn config(b: &mut Bytes<'_>) -> (MediumConfig, bool) {
    let (f, hears) = (b.u8(), b.u8());
    let n = u16::from(f % 4) + 1;
    let c = b.u8();
    let categories = 1 + c % 3;
    let station = |b: &mut Bytes<'_>| StationConfig {
        categories: (0..categories).map(|_| edca(b)).collect(),
        queue: queue(b),
    };
    let audible = |a: u16, c: u16| {
        let (low, high) = (a.min(c), a.max(c));
        low == 0 || low == high || bit(hears, ((low * 3 + high) % 8) as u8)
    };
    let row = |a: u16| (0..=n).map(|c| audible(a, c)).collect::<Vec<_>>();
    let matrix: Vec<_> = (0..=n).map(row).collect();
    let open = matrix.iter().flatten().all(|h| *h);
    let config = MediumConfig {
        phy: Phy::new(&PhyConfig::new(Band::Ghz5)).expect("it exists"),
        slots: [SlotRule::Edca, SlotRule::Dcf][usize::from(bit(f, 2))],
        stations: (0..=n).map(|_| station(b)).collect(),
        ports: (1..=n)
            .flat_map(|s| [(s, 0), (0, s)])
            .map(|(from, to)| port(b, from, to))
            .collect(),
        hears: Some(matrix),
        radio: None,
        eifs: bit(f, 3),
        after_silence: [
            AfterSilence::Quiet,
            AfterSilence::Timeout,
            AfterSilence::Everybody,
        ][usize::from(f >> 4 & 3) % 3],
        propagation: Span::from_nanos(u64::from(f >> 6) * 333),
        retry_limit: f >> 5,
        arp: bit(c, 7).then_some(ArpConfig {
            learns: bit(c, 6),
            ..ArpConfig::NS3
        }),
        addba: bit(c, 5).then(|| AddbaConfig {
            packets: 1 + u16::from(c % 4),
            response_timeout: Span::from_micros(1 + 20 * u64::from(f)),
            failed_timeout: Span::from_micros(1 + 200 * u64::from(hears)),
        }),
        ofdma: bit(c, 4).then(|| ofdma(b)),
    };
    (config, open)
}

#[derive(Default)]
struct Books {
    /// Port and category of each packet, and whether it has left the channel.
    packets: Vec<(u32, u8, bool)>,
    gone: u64,
    /// When the last frame of each station began and ended.
    sent: [(Instant, Instant); 5],
    /// Frames that have ended.
    ended: u64,
    /// The last transmission of several users of which a part could be read.
    parts: (Instant, Instant),
    /// Times on the air of what could be read.
    readable: Span,
}

impl Books {
    fn leave(&mut self, id: PacketId) {
        let gone = &mut self.packets[id.0 as usize].2;
        assert!(!*gone, "left twice");
        *gone = true;
        self.gone += 1;
    }
}

impl MediumDriver for Books {
    fn on_drop(&mut self, _: Instant, packet: Packet, _: DropReason) {
        self.leave(packet.id);
    }

    fn on_left(&mut self, _: Instant, packet: Packet, _: Span) {
        assert!(
            !self.packets[packet.id.0 as usize].2,
            "sent when it was gone"
        );
    }

    fn on_ppdu(&mut self, ppdu: &Ppdu) {
        let last = &mut self.sent[usize::from(ppdu.from.0)];
        self.ended += 1;
        // A PPDU to several stations at once counts for each.
        let span = (ppdu.start, ppdu.end);
        let part = ppdu.users > 1 && *last == span;
        assert!(part || last.1 <= ppdu.start, "two frames at once: {ppdu:?}");
        *last = span;
        let known = ppdu.users > 1 && self.parts == span;
        if !(ppdu.garbled || known) {
            if ppdu.users > 1 {
                self.parts = span;
            }
            self.readable += ppdu.end - ppdu.start;
        }
    }
}

struct Run {
    medium: Medium,
    books: Books,
    now: Instant,
    newest: Vec<Option<u32>>,
    wakeups: u32,
    stations: u16,
}

impl Run {
    /// Everything until `end`.
    fn until(&mut self, end: Instant) {
        loop {
            while let Some(packet) = self.medium.advance(self.now, &mut self.books) {
                self.books.leave(packet.id);
                let (port, category, _) = self.books.packets[packet.id.0 as usize];
                let newest = &mut self.newest[port as usize * 4 + usize::from(category)];
                assert!(*newest < Some(packet.id.0), "overtaken on its port");
                *newest = Some(packet.id.0);
            }
            let next = self.medium.next_wakeup().filter(|at| *at <= end);
            let Some(at) = next.filter(|_| self.wakeups < PATIENCE) else {
                break;
            };
            assert!(at >= self.now, "back in time");
            self.now = at;
            self.wakeups += 1;
        }
        if self.wakeups < PATIENCE {
            self.now = end;
        }
        let offered = self.books.packets.len() as u64;
        assert_eq!(self.books.gone + self.medium.inside(), offered);
        let air = self.medium.airtime(self.now);
        assert_eq!(Instant::ZERO + air.total(), self.now, "time got lost");
        for station in (0..self.stations).map(StationId) {
            let row = self.medium.station_airtime(station, self.now);
            assert_eq!(Instant::ZERO + row.total(), self.now, "{station:?}");
        }
    }

    fn offer(&mut self, port: u32, category: u8, size: u32) {
        let packet = Packet {
            id: PacketId(self.books.packets.len() as u32),
            size,
            flow: FlowId(port),
            ecn: Ecn::Ect0,
        };
        self.books.packets.push((port, category, false));
        let (port, books) = (PortId(port), &mut self.books);
        self.medium.offer(self.now, port, category, packet, books);
    }
}

/// Runs the target on `input`.
pub fn run(input: &[u8]) {
    let b = &mut Bytes(input);
    let seed = u64::from(b.u8());
    let (config, open) = config(b);
    let (ports, categories) = (config.ports.len(), config.stations[0].categories.len());
    let stations = config.stations.len() as u16;
    let stream = |what| rng::stream(seed, what);
    let streams = MediumStreams {
        backoff: stream("backoff"),
        errors: stream("errors"),
        rates: stream("rates"),
        channel: ChannelStreams {
            shadowing: stream("shadowing"),
            fading: stream("fading"),
        },
        neighbours: stream("neighbours"),
    };
    let mut run = Run {
        medium: Medium::new(config, streams),
        books: Books::default(),
        now: Instant::ZERO,
        newest: vec![None; ports * 4],
        wakeups: 0,
        stations,
    };
    while !b.is_empty() && run.wakeups < PATIENCE {
        let (what, gap, size, n) = (b.u8(), b.u8(), b.u8(), b.u8());
        run.until(run.now + Span::from_micros(u64::from(gap) * u64::from(what >> 6) * 8));
        let port = u32::from(what) % ports as u32;
        if what >> 4 & 3 == 3 {
            let id = PacketId((run.books.packets.len() as u32).wrapping_sub(1 + u32::from(n)));
            if let Some(packet) = run.medium.remove(PortId(port), id) {
                run.books.leave(packet.id);
            }
            continue;
        }
        let size = [u32::from(size), u32::from(size) * 12, 52, 65_535][usize::from(n >> 6)];
        (0..=n % 16)
            .for_each(|i| run.offer(port, (n >> 4 & 3) % categories as u8, size + u32::from(i)));
    }
    run.until(run.now + REST);
    // An access point that asks its stations never rests: up to where one of its frames has ended.
    let asks = run.medium.next_wakeup().is_some();
    while let Some(at) = run.medium.next_wakeup()
        && asks
        && run.wakeups < PATIENCE
    {
        let before = run.books.ended;
        run.until(at);
        if run.books.ended > before {
            break;
        }
    }
    if open && run.wakeups < PATIENCE {
        let air = run.medium.airtime(run.now);
        let unread = [Use::Idle, Use::Contention, Use::Sifs, Use::Collision];
        let unread: Span = unread.map(|u| air.of(u)).into_iter().sum();
        let (booked, readable) = (air.total() - unread, run.books.readable);
        assert_eq!(booked, readable, "every frame that could be read is booked");
    }
}
