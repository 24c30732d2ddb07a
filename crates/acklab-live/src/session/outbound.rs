//! Packets that leave.

use super::path::PathFrame;
use super::watch::{self, Told};
use super::{Keys, Session, Stage, as_payload};
use crate::buffer::SendHalf;
use crate::error::Ended;
use crate::id::ID_LEN;
use crate::protect::{PATH_FIRST, Space, TAG};
use acklab_proto::datagram::Datagram;
use acklab_proto::endpoint::Endpoint;
use acklab_proto::segment::Ecn;
use acklab_proto::tack::endpoint::State;
use acklab_proto::tack::wire::{self, Packet, encode_with};
use acklab_proto::transport::Transport;
use acklab_units::Instant;
use std::net::SocketAddr;

/// A packet of the driver's own.
const PATH_HEADER: usize = 1 + ID_LEN + 8;
const PATH_LEN: usize = PATH_HEADER + PathFrame::LEN + TAG;
/// Bytes that the application must have left unsent, or the driver wants to hear of more.
const HUNGRY_BELOW: u64 = 256 * 1024;

/// Bytes that leave together, at most: those of the largest datagram that the kernel cuts up.
const MOST_BYTES: usize = 65_000;

/// A packet in a batch.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where it begins.
    pub start: usize,
    /// Its length.
    pub len: usize,
    /// Where it goes.
    pub to: SocketAddr,
    /// Its mark.
    pub ecn: Ecn,
    /// Whether it finds out what the path carries: it travels alone.
    pub probe: bool,
    /// How it is to be sealed.
    seal: Option<(Space, u64, usize)>,
}

/// Packets that leave together. Its memory is used again and again.
#[derive(Debug)]
pub struct Batch {
    bytes: Vec<u8>,
    used: usize,
    parts: Vec<Part>,
    /// Bytes of the longest packet.
    longest: usize,
    most: usize,
}

impl Batch {
    /// Room for `most` packets of at most `longest` bytes, and for as many bytes as the kernel takes at once.
    pub fn new(most: usize, longest: usize) -> Self {
        let longest = longest.max(crate::handshake::INITIAL_LEN + 256);
        Self {
            bytes: vec![0; (most * longest).min(MOST_BYTES.max(longest))],
            used: 0,
            parts: Vec::with_capacity(most),
            longest,
            most,
        }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.used = 0;
        self.parts.clear();
    }

    /// Whether another packet has no room.
    pub fn is_full(&self) -> bool {
        self.parts.len() >= self.most || self.used + self.longest > self.bytes.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The packets.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The bytes of neighbouring packets.
    pub fn bytes(&self, start: usize, len: usize) -> &[u8] {
        &self.bytes[start..start + len]
    }

    /// Appends a packet that is complete.
    pub fn push(&mut self, to: SocketAddr, packet: &[u8]) {
        self.bytes[self.used..self.used + packet.len()].copy_from_slice(packet);
        self.take(packet.len(), to, Ecn::NotEct, None);
    }

    fn take(&mut self, len: usize, to: SocketAddr, ecn: Ecn, seal: Option<(Space, u64, usize)>) {
        self.parts.push(Part {
            start: self.used,
            len,
            to,
            ecn,
            probe: false,
            seal,
        });
        self.used += len;
    }
}

impl Session {
    /// Fills `batch` with what may leave now.
    pub fn poll_transmit(&mut self, now: Instant, batch: &mut Batch) {
        let first = batch.parts.len();
        if self.is_half_open() && self.shared.send().aborted {
            self.end(Ended::Aborted);
        }
        match &self.stage {
            Stage::Over => {}
            Stage::Opening(opening) => {
                if self.due && !batch.is_full() {
                    self.due = false;
                    let packet = opening.packet();
                    batch.push(self.path.address(), &packet);
                    self.show_greeting(now, packet.len());
                }
                self.drop_greetings(now);
            }
            Stage::Answered { answer, .. } => {
                if self.due && !batch.is_full() {
                    self.due = false;
                    batch.push(self.path.address(), answer);
                    self.show_greeting(now, answer.len());
                }
                self.drop_greetings(now);
            }
            Stage::Open => self.poll_open(now, batch),
        }
        for part in &batch.parts[first..] {
            self.wire.packets_out += 1;
            self.wire.bytes_out += part.len as u64;
        }
        self.check_over();
    }

    /// Noise carries TACK's greetings: those that its endpoint repeats need not leave.
    fn drop_greetings(&mut self, now: Instant) {
        while self.endpoint.poll_transmit(now).is_some() {}
    }

    fn check_over(&mut self) {
        if matches!(self.endpoint.state(), State::Closed | State::Broken) {
            self.stage = Stage::Over;
        }
    }

    fn poll_open(&mut self, now: Instant, batch: &mut Batch) {
        let Some(mut keys) = self.keys.take() else {
            return;
        };
        let first = batch.parts.len();
        self.poll_path(now, &keys, batch);
        self.show(|watcher, is| watcher.before(now, is));
        self.take_read(now);
        let shared = self.shared.clone();
        let mut send = shared.send();
        self.take_written(now, &send);
        self.show(|watcher, is| watcher.on_timer(now, is));
        let mut watcher = shared.watcher().map(|w| watch::lock(w));
        loop {
            if batch.is_full() {
                break;
            }
            let due = watcher.as_ref().and_then(|_| self.endpoint.ack_due());
            let Some(Datagram::Tack(packet)) = self.endpoint.poll_transmit(now) else {
                break;
            };
            self.encode(&packet, &keys, &send, batch);
            if let Some(watcher) = &mut watcher {
                let told = Told::of(&packet, self.endpoint.attachment());
                watcher.on_sent(now, told, due, &self.endpoint);
            }
        }
        drop(watcher);
        let aborted = send.aborted;
        if self.release(&mut send) {
            shared.wake_sender(send);
        } else {
            drop(send);
        }
        if aborted {
            shared.end(Ended::Aborted);
        }
        for part in &batch.parts[first..] {
            if let Some((space, number, header)) = part.seal {
                let packet = &mut batch.bytes[part.start..part.start + part.len];
                keys.sealer.seal(space, number, header, packet);
            }
        }
        self.keys = Some(keys);
    }

    fn encode(&self, packet: &Packet, keys: &Keys, send: &SendHalf, batch: &mut Batch) {
        let seq = packet.data.map_or(0, |d| d.seq);
        let written = encode_with(
            packet,
            &keys.remote.0,
            self.endpoint.attachment(),
            |place| send.chunks.read(seq, place),
            &mut batch.bytes[batch.used..],
        );
        let Ok(len) = written else {
            debug_assert!(false, "the endpoint's packets fit: {written:?}");
            return;
        };
        let header = packet.header.wire_len() as usize;
        let space = match packet.header.space {
            wire::Space::Data => Space::Data,
            wire::Space::Feedback => Space::Feedback,
        };
        let seal = Some((space, packet.header.number, header));
        batch.take(len, self.path.address(), packet.ecn, seal);
    }

    fn poll_path(&mut self, now: Instant, keys: &Keys, batch: &mut Batch) {
        while !batch.is_full()
            && let Some((to, frame)) = self.path.poll(now, PATH_LEN)
        {
            self.put_frame(to, frame, PATH_LEN, keys, batch);
        }
        let to = self.path.address();
        if !batch.is_full()
            && let Some(size) = self.got.take()
        {
            self.put_frame(to, PathFrame::Got(size), PATH_LEN, keys, batch);
        }
        if !batch.is_full()
            && let Some(size) = self.mtu.poll(now)
        {
            let len = as_payload(size);
            self.put_frame(to, PathFrame::Probe(size), len, keys, batch);
            if let Some(part) = batch.parts.last_mut() {
                part.probe = true;
            }
        }
    }

    /// A packet of the driver's own with `len` bytes.
    fn put_frame(
        &mut self,
        to: SocketAddr,
        frame: PathFrame,
        len: usize,
        keys: &Keys,
        batch: &mut Batch,
    ) {
        let number = self.path_number;
        self.path_number += 1;
        let out = &mut batch.bytes[batch.used..batch.used + len];
        out[0] = PATH_FIRST;
        out[1..1 + ID_LEN].copy_from_slice(&keys.remote.0);
        out[1 + ID_LEN..PATH_HEADER].copy_from_slice(&number.to_be_bytes());
        out[PATH_HEADER..PATH_HEADER + PathFrame::LEN].copy_from_slice(&frame.encode());
        out[PATH_HEADER + PathFrame::LEN..].fill(0);
        let seal = Some((Space::Path, number, PATH_HEADER));
        batch.take(len, to, Ecn::NotEct, seal);
    }

    /// Acknowledged data make room; `true` if a writer is to be woken.
    fn release(&mut self, send: &mut SendHalf) -> bool {
        let sender = self.endpoint.sender();
        let una = sender.una().min(send.end);
        if una > send.start {
            send.start = una;
            send.chunks.release(una);
        }
        send.next = sender.nxt();
        send.hungry = send.unsent() < HUNGRY_BELOW;
        let waits = send.waiting > 0 || send.waker.is_some();
        waits && send.wakes_writer()
    }
}
