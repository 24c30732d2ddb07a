//! Packets that arrive.

use super::path::PathFrame;
use super::watch::Told;
use super::{Session, Stage, as_ip, greeting};
use crate::buffer::RecvHalf;
use crate::config::Config;
use crate::error::Ended;
use crate::handshake::Answer;
use crate::protect::{Outer, Refused, Space, TAG};
use acklab_proto::datagram::Datagram;
use acklab_proto::endpoint::Endpoint;
use acklab_proto::segment::Ecn;
use acklab_proto::tack::wire::{Data, Frame, Frames, decode};
use acklab_proto::transport::Transport;
use acklab_units::Instant;
use ring::rand::{SecureRandom, SystemRandom};
use std::net::SocketAddr;

/// A packet that was opened: where it lies in its batch.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    start: usize,
    len: usize,
    space: Space,
    header: usize,
    number: u64,
}

/// Whether the peer was heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// At least one packet was the peer's.
    Heard,
    /// None was.
    Refused,
}

impl Session {
    /// A packet of the handshake arrived; a server's door has seen an INITIAL before.
    pub fn on_handshake(&mut self, now: Instant, from: SocketAddr, cfg: &Config, packet: &[u8]) {
        match &mut self.stage {
            Stage::Opening(opening) => match opening.on_packet(packet) {
                Answer::Ignored => {}
                Answer::SendAgain => self.due = true,
                Answer::Open(agreed, accept) => {
                    if !matches!(Frames::new(&accept).next(), Some(Frame::Accept(_))) {
                        return;
                    }
                    let it = greeting(&accept);
                    self.show(|watcher, is| watcher.before(now, is));
                    self.endpoint
                        .on_datagram_with(now, &Datagram::Tack(it), &accept);
                    self.show(|watcher, is| {
                        let told = Told {
                            packet: &it,
                            control: &accept,
                            size: as_ip(packet.len()),
                        };
                        watcher.on_arrived(now, told, is);
                    });
                    self.take_keys(cfg, *agreed);
                    self.search(now);
                    self.stage = Stage::Open;
                    self.due = false;
                    self.heard = now;
                    self.take_events();
                }
            },
            // One answer for each copy: never more bytes than the request had.
            Stage::Answered { initial, .. } if packet == initial && from == self.path.address() => {
                self.due = true;
            }
            _ => {}
        }
    }

    /// Sealed packets with this connection's id arrived together from one address: each has `stride`
    /// bytes, the last one maybe fewer. `opened` is scratch.
    pub fn on_packets(
        &mut self,
        now: Instant,
        from: SocketAddr,
        ecn: Ecn,
        packets: &mut [u8],
        stride: usize,
        opened: &mut Vec<Opened>,
    ) -> Verdict {
        opened.clear();
        if self.is_over() || self.keys.is_none() {
            return Verdict::Refused;
        }
        let mut start = 0;
        for packet in packets.chunks_mut(stride.max(1)) {
            match self.open(packet) {
                Ok(o) => opened.push(Opened { start, ..o }),
                Err(Refused::WornOut) => {
                    self.end(Ended::WornOut);
                    return Verdict::Refused;
                }
                Err(_) => self.wire.refused += 1,
            }
            start += packet.len();
        }
        if opened.is_empty() {
            return Verdict::Refused;
        }
        self.heard = now;
        if matches!(self.stage, Stage::Answered { .. }) {
            // Only the client can have sealed it: it hears us.
            self.search(now);
            self.stage = Stage::Open;
        }
        self.deliver_all(now, from, ecn, packets, opened);
        self.take_events();
        Verdict::Heard
    }

    fn open(&mut self, packet: &mut [u8]) -> Result<Opened, Refused> {
        let outer = Outer::read(packet).ok_or(Refused::Forged)?;
        let keys = self.keys.as_mut().ok_or(Refused::Forged)?;
        if outer.id != self.local {
            return Err(Refused::Forged);
        }
        let number = keys.opener.open(&outer, packet)?;
        self.wire.packets_in += 1;
        self.wire.bytes_in += packet.len() as u64;
        Ok(Opened {
            start: 0,
            len: packet.len(),
            space: outer.space,
            header: outer.header,
            number,
        })
    }

    fn deliver_all(
        &mut self,
        now: Instant,
        from: SocketAddr,
        ecn: Ecn,
        packets: &[u8],
        opened: &[Opened],
    ) {
        self.show(|watcher, is| watcher.before(now, is));
        let shared = self.shared.clone();
        let mut recv = shared.recv();
        let edge = recv.edge;
        for o in opened {
            let packet = &packets[o.start..o.start + o.len];
            if o.space == Space::Path {
                self.on_path(now, from, o.len, &packet[o.header..o.len - TAG]);
                continue;
            }
            if from != self.path.address() || self.path.is_asking() {
                self.on_address(now, from, o);
            }
            self.deliver(now, ecn, o, packet, &mut recv);
        }
        recv.edge = self.endpoint.stats().bytes_received;
        let ends = self.endpoint.receiver().finished() && !recv.finished;
        recv.finished |= ends;
        let advanced = recv.edge > edge;
        // Nobody will read what arrives: its sender is to know.
        let unwanted = recv.abandoned && advanced;
        drop(recv);
        self.readable |= advanced || ends;
        if unwanted {
            self.endpoint.abort();
        }
    }

    #[cold]
    fn on_address(&mut self, now: Instant, from: SocketAddr, o: &Opened) {
        let newest = self
            .keys
            .as_ref()
            .is_some_and(|k| k.opener.is_newest(o.space, o.number));
        if newest {
            self.path.on_newest(now, from, o.len, || {
                let mut secret = [0; super::path::CHALLENGE];
                let filled = SystemRandom::new().fill(&mut secret);
                filled.is_ok().then_some(secret)
            });
        }
    }

    #[cold]
    fn on_path(&mut self, now: Instant, from: SocketAddr, len: usize, frame: &[u8]) {
        match PathFrame::read(frame) {
            Some(PathFrame::Challenge(bytes)) => self.path.on_challenge(from, bytes),
            Some(PathFrame::Response(bytes)) => {
                if self.path.on_response(from, bytes) {
                    self.mtu.restart(now);
                    self.fit_packets(false);
                }
            }
            // The size that arrived counts, not the size that the peer states.
            Some(PathFrame::Probe(size)) if size == as_ip(len) => self.got = Some(size),
            Some(PathFrame::Got(size)) => {
                if self.mtu.on_answer(now, size) {
                    self.fit_packets(false);
                }
            }
            Some(PathFrame::Probe(_)) | None => self.wire.refused += 1,
        }
    }

    fn deliver(&mut self, now: Instant, ecn: Ecn, o: &Opened, packet: &[u8], recv: &mut RecvHalf) {
        let Ok(mut decoded) = decode(packet, &self.endpoint.shape()) else {
            self.wire.refused += 1;
            return;
        };
        // The number that the packet was opened with, whatever the endpoint would have guessed.
        decoded.packet.header.number = o.number;
        decoded.packet.ecn = ecn;
        if let Some(data) = &decoded.packet.data {
            place(recv, data, decoded.payload);
        }
        let datagram = Datagram::Tack(decoded.packet);
        self.endpoint
            .on_datagram_with(now, &datagram, decoded.control);
        self.show(|watcher, is| {
            let told = Told::of(&decoded.packet, decoded.control);
            watcher.on_arrived(now, told, is);
        });
    }
}

/// Puts a payload where it belongs in the stream, as far as it is new and there may be room for it. The
/// endpoint decides whether it counts.
fn place(recv: &mut RecvHalf, data: &Data, payload: &[u8]) {
    let end = data.seq + payload.len() as u64;
    let limit = recv.read + recv.capacity;
    if payload.is_empty() || end <= recv.edge || end > limit {
        return;
    }
    let known = recv.edge.saturating_sub(data.seq) as usize;
    recv.chunks
        .write(data.seq + known as u64, &payload[known..]);
}
