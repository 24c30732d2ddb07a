//! TACK's endpoint: two of them over a wire that does what the input says, or one before a peer that
//! says what the input says.
//!
//! Over the wire everything that was written arrives, once and in order. Whatever a peer says, an
//! endpoint keeps its bounds of memory and of packet lengths, writes packets that can be read, and
//! time goes on.

use crate::{Bytes, controller};
use acklab_proto::datagram::Datagram;
use acklab_proto::endpoint::{Endpoint, Event};
use acklab_proto::segment::Ecn;
use acklab_proto::tack::config::{Settle, Unacked};
use acklab_proto::tack::endpoint::{Role, State};
use acklab_proto::tack::wire::{
    Accept, Frame, Frames, Header, Offer, Packet, Space, VERSION, decode, encode,
};
use acklab_proto::tack::{TackConfig, TackEndpoint};
use acklab_proto::transport::{Socket, Transport};
use acklab_units::{Instant, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

const DELAY: Span = Span::from_millis(5);
/// Each byte of the longest input may cost a timeout of two minutes.
const PATIENCE: Span = Span::from_secs(4_000_000);
const MTU: u32 = 1500;
const BUFFER: u64 = 100_000;

fn config(b: &mut Bytes<'_>) -> Arc<TackConfig> {
    let flags = b.u8();
    Arc::new(TackConfig {
        send_buffer: BUFFER,
        recv_buffer: BUFFER,
        ecn: flags & 1 != 0,
        loss_iack: flags & 2 == 0,
        settle: choose(flags, 4, Settle::OnceReordered, Settle::Never),
        unacked: choose(flags, 8, Unacked::Reported, Unacked::All),
        iack_copies: choose(flags, 16, 1, 3),
        ack_now: flags & 32 == 0,
        undo: flags & 64 == 0,
        window_share: choose(flags, 128, 25, 0),
        ..TackConfig::default()
    })
}

fn choose<T>(flags: u8, bit: u8, clear: T, set: T) -> T {
    if flags & bit == 0 { clear } else { set }
}

/// A packet as bytes; it is no longer than the path takes, and the codec can write it.
fn written(end: &TackEndpoint, packet: &Packet) -> Vec<u8> {
    assert!(packet.ip_len() <= MTU, "{packet:?}");
    let mut out = vec![0; packet.wire_len() as usize];
    let (id, payload) = (
        vec![7; packet.header.id_len.into()],
        vec![0; packet.payload() as usize],
    );
    encode(packet, &id, end.attachment(), &payload, &mut out).unwrap_or_else(|e| panic!("{e}"));
    out
}

/// Hands bytes to an endpoint as its driver does: what cannot be read is dropped.
fn deliver(end: &mut TackEndpoint, now: Instant, bytes: &[u8], ecn: Ecn) {
    let shape = end.shape();
    if let Ok(read) = decode(bytes, &shape) {
        let packet = Packet { ecn, ..read.packet };
        end.on_datagram_with(now, &Datagram::Tack(packet), read.control);
    }
}

/// Checks the invariants, which must hold whatever was said.
fn check(end: &TackEndpoint) {
    let receiver = end.receiver();
    assert!(receiver.readable() + receiver.blocked() <= BUFFER);
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    if b.u8() & 1 == 0 {
        Wire::new(b).run();
    } else {
        Hostile::new(b).run();
    }
}

struct Wire<'a> {
    now: Instant,
    ends: [TackEndpoint; 2],
    wire: BTreeMap<(Instant, u64), (usize, Vec<u8>, Ecn)>,
    serial: u64,
    faults: Bytes<'a>,
    all: u64,
    unwritten: u64,
    read: u64,
    timed_out: bool,
}

impl<'a> Wire<'a> {
    fn new(mut b: Bytes<'a>) -> Self {
        let cfg = config(&mut b);
        let seed = u64::from(b.u16());
        let mut end = |role, seed| TackEndpoint::new(role, cfg.clone(), controller(b.u8()), seed);
        let ends = [end(Role::Active, seed), end(Role::Passive, seed + 1)];
        let all = 1 + u64::from(b.u16()) * 3;
        Self {
            now: Instant::ZERO + Span::from_secs(1),
            ends,
            wire: BTreeMap::new(),
            serial: 0,
            faults: b,
            all,
            unwritten: all,
            read: 0,
            timed_out: false,
        }
    }

    /// The fate of one packet: it arrives, is lost, is late, is there twice, or is marked.
    fn put(&mut self, to: usize, bytes: &[u8], ecn: Ecn) {
        let f = self.faults.u8();
        let copies: &[u64] = match f {
            160..=199 => &[],
            200..=229 => &[1 + (f as u64 & 7) * 3],
            230..=239 => &[0, 4],
            _ => &[0],
        };
        let marked = f >= 240 && ecn != Ecn::NotEct;
        for late in copies {
            self.serial += 1;
            let at = self.now + DELAY + Span::from_millis(*late);
            let ecn = if marked { Ecn::Ce } else { ecn };
            self.wire
                .insert((at, self.serial), (to, bytes.to_vec(), ecn));
        }
    }

    fn flush(&mut self) {
        for i in 0..2 {
            while let Some(event) = self.ends[i].poll_event() {
                assert_ne!(event, Event::Reset, "nobody lied");
                self.timed_out |= event == Event::TimedOut;
            }
        }
        loop {
            if self.unwritten > 0 {
                self.unwritten -= self.ends[0].write(self.unwritten);
                if self.unwritten == 0 {
                    self.ends[0].close(self.now);
                }
            }
            self.read += self.ends[1].read(self.now, u64::MAX);
            if self.ends[1].receiver().finished() {
                self.ends[1].close(self.now);
            }
            self.ends.iter().for_each(check);
            let next = (0..2).find_map(|i| self.ends[i].poll_transmit(self.now).map(|d| (i, d)));
            let Some((from, Datagram::Tack(packet))) = next else {
                return;
            };
            let bytes = written(&self.ends[from], &packet);
            self.put(1 - from, &bytes, packet.ecn);
        }
    }

    fn step(&mut self) -> bool {
        let timers = self.ends.iter().filter_map(Endpoint::next_timeout);
        let Some(next) = timers.chain(self.wire.keys().next().map(|k| k.0)).min() else {
            return false;
        };
        self.now = self.now.max(next);
        while let Some(k) = self.wire.keys().next().copied().filter(|k| k.0 <= self.now) {
            let (to, bytes, ecn) = self.wire.remove(&k).expect("just seen");
            deliver(&mut self.ends[to], self.now, &bytes, ecn);
            self.flush();
        }
        for end in &mut self.ends {
            end.on_timeout(self.now);
        }
        self.flush();
        true
    }

    fn run(mut self) {
        let start = self.now;
        self.ends[0].open(self.now);
        self.flush();
        let (mut still, mut last) = (0, self.now);
        while self.step() {
            still = if self.now == last { still + 1 } else { 0 };
            last = self.now;
            let states = [self.ends[0].state(), self.ends[1].state()];
            assert!(still < 10_000, "time stands still: {states:?}");
            assert!(self.now < start + PATIENCE, "no end: {states:?}");
            assert!(self.read <= self.all);
        }
        // An end that gets no answer for long enough gives up.
        let given_up = self.timed_out || self.ends.iter().any(|e| e.state() == State::Broken);
        assert!(
            given_up || self.read == self.all,
            "{} of {}",
            self.read,
            self.all
        );
    }
}

struct Hostile<'a> {
    end: TackEndpoint,
    now: Instant,
    said: Bytes<'a>,
    number: u64,
    read: u64,
}

impl<'a> Hostile<'a> {
    fn new(mut b: Bytes<'a>) -> Self {
        let cfg = config(&mut b);
        let end = TackEndpoint::new(Role::Active, cfg, controller(b.u8()), 5);
        Self {
            end,
            now: Instant::ZERO + Span::from_millis(20),
            said: b,
            number: 0,
            read: 0,
        }
    }

    /// Opens as an honest peer would: what comes before has little to say.
    fn open(&mut self) {
        let start = Instant::ZERO;
        self.end.write(BUFFER);
        self.end.open(start);
        assert!(self.end.poll_transmit(start).is_some());
        let Some(Frame::Hello(hello)) = Frames::new(self.end.attachment()).next() else {
            panic!("no HELLO")
        };
        let mut control = Vec::new();
        let offer = Offer {
            first_number: 1,
            ..hello.offer
        };
        Frame::Accept(Accept {
            offer,
            stamp: 0,
            echo: hello.stamp,
            hold: 0,
        })
        .put(&mut control);
        self.feedback(&control);
    }

    fn feedback(&mut self, control: &[u8]) {
        let packet = Packet {
            header: Header {
                number: self.number,
                number_len: 4,
                space: Space::Feedback,
                id_len: 8,
                tag_len: 16,
            },
            control: control.len() as u16,
            data: None,
            ecn: Ecn::NotEct,
        };
        self.number += 1;
        let mut out = vec![0; packet.wire_len() as usize];
        encode(&packet, &[7; 8], control, &[], &mut out).expect("room for all");
        deliver(&mut self.end, self.now, &out, Ecn::NotEct);
    }

    fn take(&mut self, most: u8) -> Vec<u8> {
        (0..self.said.u8() % most).map(|_| self.said.u8()).collect()
    }

    /// DATA with numbers and offsets near what is expected, or far from it.
    fn data(&mut self) {
        let shape = self.end.shape();
        let (back, seq) = (u64::from(self.said.u8()), u64::from(self.said.u16()));
        let packet = Packet {
            header: Header {
                number: (shape.next_data + back).saturating_sub(64),
                number_len: 4,
                space: Space::Data,
                id_len: 8,
                tag_len: 16,
            },
            control: 0,
            data: Some(acklab_proto::tack::wire::Data {
                seq: (shape.next_seq + seq).saturating_sub(1 << 12),
                len: 1 + u32::from(self.said.u16() % 1434),
                stamp: self.said.u32(),
                fin: self.said.u8() == 1,
                now: back % 2 == 0,
                app_limited: back % 3 == 0,
            }),
            ecn: Ecn::NotEct,
        };
        let mut out = vec![0; packet.wire_len() as usize];
        let payload = vec![0; packet.payload() as usize];
        encode(&packet, &[7; 8], &[], &payload, &mut out).expect("room for all");
        let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][usize::from(self.said.u8() & 3)];
        deliver(&mut self.end, self.now, &out, ecn);
    }

    fn wait(&mut self, span: Span) {
        let until = self.now + span;
        let mut still = 0;
        while let Some(t) = self.end.next_timeout().filter(|t| *t <= until) {
            still = if t > self.now { 0 } else { still + 1 };
            assert!(still < 10_000, "time stands still");
            self.now = self.now.max(t);
            self.end.on_timeout(self.now);
            self.drain();
        }
        self.now = until;
    }

    fn drain(&mut self) {
        let mut packets = 0;
        while let Some(Datagram::Tack(packet)) = self.end.poll_transmit(self.now) {
            packets += 1;
            assert!(packets < 10_000, "no end of packets");
            let bytes = written(&self.end, &packet);
            assert_eq!(bytes[0] >> 5, VERSION);
        }
        while self.end.poll_event().is_some() {}
        check(&self.end);
    }

    fn run(mut self) {
        self.open();
        while !self.said.is_empty() {
            match self.said.u8() {
                0..=79 => {
                    let mut control = self.take(60);
                    // The type of a frame that says something, more often than not.
                    if let Some(kind) = control.first_mut() {
                        *kind = if *kind & 8 == 0 { 3 + *kind % 6 } else { *kind };
                    }
                    self.feedback(&control);
                }
                80..=89 => {
                    let bytes = self.take(200);
                    deliver(&mut self.end, self.now, &bytes, Ecn::NotEct);
                }
                90..=179 => self.data(),
                180..=229 => {
                    let span = Span::from_micros(1 << (self.said.u8() % 24));
                    self.wait(span);
                }
                230..=239 => {
                    self.end.write(BUFFER);
                }
                _ => {
                    let most = u64::from(self.said.u16());
                    self.read += self.end.read(self.now, most);
                }
            }
            self.drain();
        }
        // Data that were read had come in order, and no more than that.
        assert!(self.read + self.end.receiver().readable() <= self.end.receiver().next());
        self.end.close(self.now);
        self.wait(Span::from_secs(10_000));
        assert_eq!(
            self.end.stats().bytes_received,
            self.read + self.end.receiver().readable()
        );
    }
}
