//! A world of two endpoints and two channels that lose, delay, reorder, copy and damage packets.
//!
//! Packets cross it as bytes: each is encoded by one end and decoded by the other, with truncated
//! numbers. Each end reads a clock of its own, which starts elsewhere and drifts. The active end's
//! address may change (a NAT forgets it): the peer learns the new one from the next packet that comes
//! from there, as RFC 9000 section 9.3 has it, and what goes to the old one until then is lost.

use crate::datagram::Datagram;
use crate::endpoint::{Endpoint, Event};
use crate::rng::{Rng, RngCore, stream, unit};
use crate::segment::Ecn;
use crate::tack::config::TackConfig;
use crate::tack::endpoint::{Role, State, TackEndpoint};
use crate::tack::wire::{Frame, Frames, Packet, Space, decode, encode};
use crate::tcp::config::CcChoice;
use crate::transport::{Socket, Transport};
use acklab_units::{Instant, Rate, Span};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// Properties of one direction of the path.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    pub delay: Span,
    /// Bottleneck; packets wait in a queue of `queue` bytes.
    pub rate: Rate,
    pub queue: u64,
    pub loss: f64,
    /// Chance of an extra delay of up to `jitter`, which reorders.
    pub reorder: f64,
    pub jitter: Span,
    pub copy: f64,
    pub damage: f64,
    pub mark: f64,
}

impl Channel {
    pub fn clean(delay_ms: u64, mbits: u64) -> Self {
        Self {
            delay: Span::from_millis(delay_ms),
            rate: Rate::from_bps(mbits * 1_000_000),
            queue: 1 << 30,
            loss: 0.0,
            reorder: 0.0,
            jitter: Span::ZERO,
            copy: 0.0,
            damage: 0.0,
            mark: 0.0,
        }
    }
}

/// A clock: where it stands at time zero, and by how many parts per million it runs fast.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    pub start: u64,
    pub ppm: i64,
}

impl Clock {
    fn local(self, t: Instant) -> Instant {
        let ns = t.as_nanos() as i128;
        let shown = ns + ns * i128::from(self.ppm) / 1_000_000 + i128::from(self.start);
        Instant::from_nanos(shown as u64)
    }

    /// The earliest time at which the clock shows at least `shown`.
    fn world(self, shown: Instant) -> Instant {
        let ns = i128::from(shown.as_nanos()) - i128::from(self.start);
        let t = ns * 1_000_000 / (1_000_000 + i128::from(self.ppm));
        let mut t = Instant::from_nanos(t.max(0) as u64);
        while self.local(t) < shown {
            t += Span::from_nanos(1);
        }
        t
    }
}

/// A packet under way.
#[derive(Clone, Debug)]
struct Flight {
    at: Instant,
    serial: u64,
    to: usize,
    bytes: Vec<u8>,
    ecn: Ecn,
    /// The active end's address that it comes from, or goes to.
    address: u32,
}

/// Counts of an end's packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    pub data: u64,
    pub feedback: u64,
}

/// When something happens, and to which packet or end.
type Next = Option<(Instant, usize)>;

/// The largest number of feedback, and blocks of acked lists.
type Heard = (Option<u64>, Vec<(u64, u64)>);

pub struct World {
    pub now: Instant,
    pub ends: [TackEndpoint; 2],
    pub channels: [Channel; 2],
    pub clocks: [Clock; 2],
    pub events: [Vec<Event>; 2],
    pub sent: [Sent; 2],
    /// Packets of each end that were lost or found no room.
    pub dropped: [u64; 2],
    /// Bytes that each end's application still wants to write, and whether it closes then.
    pub to_write: [u64; 2],
    pub closes: [bool; 2],
    pub read: [u64; 2],
    /// The application of an end does not read.
    pub deaf: [bool; 2],
    /// The active end's address, and the one that the passive end takes for it.
    address: u32,
    known_address: u32,
    /// Largest number of each end's packets that came from the address, by space.
    largest: [u64; 2],
    /// Of each end, the largest number of feedback that it has got, and what the acked lists up to it
    /// have said.
    heard: [Heard; 2],
    flights: Vec<Flight>,
    line_free: [Instant; 2],
    serial: u64,
    rng: Rng,
}

pub fn endpoint(role: Role, cfg: &TackConfig, cc: &str, seed: u64) -> TackEndpoint {
    let cc = CcChoice::named(cc).unwrap().build(crate::cc::CcInit {
        mss: cfg.mss,
        initial_cwnd: u64::from(cfg.initial_window * cfg.mss),
        seed,
        kernel_units: false,
    });
    TackEndpoint::new(role, Arc::new(cfg.clone()), cc, seed)
}

impl World {
    pub fn new(cfg: &TackConfig, cc: &str, channels: [Channel; 2], seed: u64) -> Self {
        Self {
            now: Instant::ZERO,
            ends: [
                endpoint(Role::Active, cfg, cc, seed),
                endpoint(Role::Passive, cfg, cc, seed + 1),
            ],
            channels,
            clocks: [Clock::default(); 2],
            events: [Vec::new(), Vec::new()],
            sent: [Sent::default(); 2],
            dropped: [0; 2],
            to_write: [0; 2],
            closes: [true; 2],
            read: [0; 2],
            deaf: [false; 2],
            address: 0,
            known_address: 0,
            largest: [0; 2],
            heard: [(None, Vec::new()), (None, Vec::new())],
            flights: Vec::new(),
            line_free: [Instant::ZERO; 2],
            serial: 0,
            rng: stream(seed, "world"),
        }
    }

    /// Opens and lets the active end send `bytes`.
    pub fn start(&mut self, bytes: u64) {
        self.to_write[0] = bytes;
        let now = self.clocks[0].local(self.now);
        self.ends[0].open(now);
        self.serve(0);
        self.serve(1);
    }

    /// The active end's address changes. An end that has everything falls silent: if its last word is
    /// lost then, the peer has nobody to ask, as in every protocol, and gives up.
    pub fn rebind(&mut self) {
        if matches!(self.ends[0].state(), State::HelloSent | State::Established) {
            self.address += 1;
        }
    }

    /// Retransmission timeouts of both ends, those of the handshake included.
    pub fn timeouts(&self) -> [u64; 2] {
        [0, 1].map(|i| self.ends[i].stats().rto_count)
    }

    fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && unit(&mut self.rng) < p
    }

    /// An end's packet enters its channel.
    fn launch(&mut self, from: usize, packet: &Packet, control: &[u8]) {
        let c = self.channels[from];
        let payload = vec![0xa5; packet.payload() as usize];
        let mut bytes = vec![0; packet.wire_len() as usize];
        let id = vec![7; packet.header.id_len.into()];
        let n = encode(packet, &id, control, &payload, &mut bytes).unwrap();
        assert_eq!(n, bytes.len());
        assert!(packet.ip_len() <= 1500, "{packet:?}");
        match packet.header.space {
            Space::Data => self.sent[from].data += 1,
            Space::Feedback => self.sent[from].feedback += 1,
        }
        let waits = self.line_free[from].saturating_since(self.now);
        if c.rate.bytes_in(waits) > c.queue || self.chance(c.loss) {
            self.dropped[from] += 1;
            return;
        }
        let begins = self.line_free[from].max(self.now);
        self.line_free[from] = begins + c.rate.serialisation(packet.ip_len().into());
        let copies = 1 + u64::from(self.chance(c.copy));
        for _ in 0..copies {
            let mut at = self.line_free[from] + c.delay;
            if self.chance(c.reorder) {
                at += c.jitter.mul_div(self.rng.next_u64() % 1000, 1000);
            }
            let mut bytes = bytes.clone();
            if self.chance(c.damage) {
                let i = self.rng.next_u64() as usize % bytes.len();
                bytes[i] ^= 1 << (self.rng.next_u64() % 8);
                // UDP's checksum (or the AEAD) finds it; the decoder must bear it all the same.
                let _ = decode(&bytes, &self.ends[1 - from].shape());
                continue;
            }
            let marked = packet.ecn != Ecn::NotEct && self.chance(c.mark);
            self.serial += 1;
            self.flights.push(Flight {
                at,
                serial: self.serial,
                to: 1 - from,
                bytes,
                ecn: if marked { Ecn::Ce } else { packet.ecn },
                address: [self.address, self.known_address][from],
            });
        }
    }

    /// Lets an end's application and the end itself do all that can be done now, timers included that
    /// are due at the very instant at which a packet came.
    pub fn serve(&mut self, i: usize) {
        let now = self.clocks[i].local(self.now);
        self.drain(i, now);
        if self.ends[i].next_timeout().is_some_and(|t| t <= now) {
            self.ends[i].on_timeout(now);
            self.drain(i, now);
        }
        let next = self.ends[i].next_timeout();
        assert!(
            next.is_none_or(|t| t > now),
            "{i}: a timer is due and nothing happens"
        );
    }

    fn drain(&mut self, i: usize, now: Instant) {
        loop {
            while let Some(e) = self.ends[i].poll_event() {
                self.events[i].push(e);
            }
            if !self.deaf[i] {
                self.read[i] += self.ends[i].read(now, u64::MAX);
            }
            let up = matches!(self.ends[i].state(), State::Established | State::HelloSent);
            if self.to_write[i] > 0 {
                self.to_write[i] -= self.ends[i].write(self.to_write[i]);
            }
            if self.to_write[i] == 0 && self.closes[i] && up {
                self.ends[i].close(now);
            }
            let una = self.ends[i].sender().una();
            let Some(Datagram::Tack(packet)) = self.ends[i].poll_transmit(now) else {
                break;
            };
            if let Some(d) = packet.data {
                assert!(d.end() > una, "sends what was acknowledged: {d:?} {una}");
                let known = |(start, end): &(u64, u64)| *start <= d.seq && d.end() <= *end;
                assert!(
                    !self.heard[i].1.iter().any(known),
                    "sends what a list had: {d:?}"
                );
            }
            let control = self.ends[i].attachment().to_vec();
            self.launch(i, &packet, &control);
        }
    }

    /// When the next packet arrives, and the next timer is due.
    fn next(&self) -> (Next, Next) {
        let flights = self.flights.iter().enumerate();
        let flight = flights.min_by_key(|(_, f)| (f.at, f.serial));
        let timer = |i: usize| {
            let t = self.ends[i].next_timeout()?;
            Some((self.clocks[i].world(t).max(self.now), i))
        };
        let timers = [timer(0), timer(1)];
        (
            flight.map(|(i, f)| (f.at, i)),
            timers.into_iter().flatten().min(),
        )
    }

    /// The next thing happens; `false` if nothing ever will.
    pub fn step(&mut self) -> bool {
        match self.next() {
            (Some((at, f)), t) if t.is_none_or(|t| at <= t.0) => {
                let f = self.flights.swap_remove(f);
                self.now = f.at;
                self.arrive(&f);
                self.serve(f.to);
            }
            (_, Some((at, i))) => {
                self.now = at;
                self.ends[i].on_timeout(self.clocks[i].local(at));
                self.serve(i);
            }
            _ => return false,
        }
        true
    }

    fn arrive(&mut self, f: &Flight) {
        if f.to == 0 && f.address != self.address {
            return;
        }
        let end = &mut self.ends[f.to];
        let read = decode(&f.bytes, &end.shape()).expect("an undamaged packet is read");
        let packet = Packet {
            ecn: f.ecn,
            ..read.packet
        };
        assert!(read.id.iter().all(|b| *b == 7), "another connection's");
        let now = self.clocks[f.to].local(self.now);
        end.on_datagram_with(now, &Datagram::Tack(packet), read.control);
        let number = packet.header.number;
        if f.to == 1 {
            // Only what is newer than all before says where the peer is.
            let largest = &mut self.largest[packet.header.space as usize];
            if number >= *largest {
                (*largest, self.known_address) = (number, f.address);
            }
        }
        if packet.header.space == Space::Feedback {
            let control = read.control.to_vec();
            self.remember_lists(f.to, number, &control);
        }
    }

    /// Data in an acked list are never sent again; an end may ignore feedback that is old.
    fn remember_lists(&mut self, to: usize, number: u64, control: &[u8]) {
        let (largest, blocks) = &mut self.heard[to];
        if largest.is_some_and(|l| number <= l) {
            return;
        }
        *largest = Some(number);
        for frame in Frames::new(control) {
            if let Frame::Tack(tack) = frame {
                blocks.retain(|b| b.1 > tack.head.receipt.cumulative);
                let new = tack.acked.map(|b| (b.start, b.end));
                let new: Vec<_> = new.filter(|b| !blocks.contains(b)).collect();
                blocks.extend(new);
            }
        }
    }

    pub fn run_until(&mut self, end: Instant) {
        let due = |w: &Self| {
            let (flight, timer) = w.next();
            let next = flight.map(|f| f.0).into_iter().chain(timer.map(|t| t.0));
            next.min().is_some_and(|at| at <= end)
        };
        while due(self) {
            self.step();
        }
        self.now = end;
    }

    pub fn run_for(&mut self, span: Span) {
        self.run_until(self.now + span);
    }

    /// Runs until both ends are closed; `false` if that takes longer than `limit` more.
    pub fn finish(&mut self, limit: Span) -> bool {
        let end = self.now + limit;
        while self.now < end {
            let over = |s| matches!(s, State::Closed | State::Lingering | State::Broken);
            if self.ends.iter().all(|e| over(e.state())) {
                return true;
            }
            if !self.step() {
                return false;
            }
        }
        false
    }
}
