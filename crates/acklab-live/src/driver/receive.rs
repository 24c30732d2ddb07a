//! Packets that arrive: whose they are.

use super::{Driver, RECEIVE_ROUNDS};
use crate::handshake::{self, Reply};
use crate::id::{ID_LEN, Id};
use crate::session::{Session, Verdict};
use acklab_units::Instant;
use std::net::SocketAddr;

use super::socket::Arrived;

/// Half-open connections of one client under load: it may change its address while it opens one.
const MOST_KNOCKS: usize = 4;

/// The id of a sealed packet.
fn id_of(packet: &[u8]) -> Option<Id> {
    Id::read(packet.get(1..)?)
}

/// How many bytes from the front on are packets with the same id.
fn same_id(packets: &[u8], stride: usize) -> usize {
    let id = packets.get(1..=ID_LEN);
    let alike = |p: &&[u8]| p.get(1..=ID_LEN) == id;
    packets
        .chunks(stride)
        .take_while(alike)
        .map(<[u8]>::len)
        .sum()
}

impl Driver {
    pub(super) fn receive(&mut self) {
        for _ in 0..RECEIVE_ROUNDS {
            if !self.readable {
                return;
            }
            let mut arrived = std::mem::take(&mut self.arrived);
            match self.udp.recv(&mut arrived) {
                Ok(()) => {
                    let now = self.clock.now();
                    for a in &arrived {
                        self.on_arrived(now, a);
                    }
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => self.readable = false,
                // An error that an earlier packet has left, such as a port that nobody listens on.
                Err(_) => {}
            }
            self.arrived = arrived;
        }
    }

    fn on_arrived(&mut self, now: Instant, a: &Arrived) {
        let (mut start, end) = (a.start, a.start + a.len);
        while start < end {
            let packets = self.udp.bytes(start, end - start);
            if handshake::is_handshake(packets) {
                let len = a.stride.min(packets.len());
                let packet = packets[..len].to_vec();
                self.on_handshake(now, a.from, &packet);
                start += len;
                continue;
            }
            let len = same_id(packets, a.stride).max(1);
            if let Some(slot) = id_of(packets).and_then(|id| self.table.by_id(id)) {
                self.on_sealed(now, slot, Arrived { start, len, ..*a });
            }
            start += len;
        }
    }

    fn on_sealed(&mut self, now: Instant, slot: u32, a: Arrived) {
        let Some(t) = self.table.at(slot) else {
            return;
        };
        let packets = self.udp.bytes(a.start, a.len);
        let heard = t
            .session
            .on_packets(now, a.from, a.ecn, packets, a.stride, &mut self.opened);
        if heard == Verdict::Heard || t.session.is_over() {
            self.announce(slot);
            self.table.enqueue(slot);
        }
    }

    /// A server's session whose client was heard goes to the application.
    fn announce(&mut self, slot: u32) {
        let Some(t) = self.table.at(slot) else {
            return;
        };
        let announced = t.session.take_announcement();
        let knocked = t.knocked.is_some();
        if knocked && !t.session.is_half_open() {
            self.table.forget_knock(slot);
        }
        if announced && let Some(tie) = self.table.at(slot).and_then(|t| t.tie.take()) {
            self.arrivals.push(tie);
        }
    }

    #[cold]
    fn on_handshake(&mut self, now: Instant, from: SocketAddr, packet: &[u8]) {
        let Some(id) = packet.get(2..).and_then(Id::read) else {
            return;
        };
        let known = self
            .table
            .by_knock(from, id)
            .or_else(|| self.table.by_id(id));
        if let Some(slot) = known {
            if let Some(t) = self.table.at(slot) {
                t.session.on_handshake(now, from, &self.cfg, packet);
            }
            self.announce(slot);
            self.table.enqueue(slot);
            return;
        }
        // Who cannot be let in must not cost a computation with curves.
        let room = !self.finishing
            && self.table.len() < self.cfg.most_connections
            && self.arrivals.has_room();
        let half_open = self.table.half_open();
        // The id is part of what the client has authenticated, and its address is not: one INITIAL that
        // somebody has recorded must not take all places, from as many ports.
        if half_open >= self.cfg.door.cookies_above && self.table.knocks_of(id) >= MOST_KNOCKS {
            return;
        }
        let Some(door) = self.door.as_mut().filter(|_| room) else {
            return;
        };
        match door.on_initial(now, from, packet, half_open) {
            Reply::Drop => {}
            Reply::Say(answer) => self.say(from, &answer),
            Reply::Admit(admitted) => self.admit(now, from, *admitted, packet),
        }
    }

    /// Sends an answer that nothing remembers.
    fn say(&mut self, to: SocketAddr, answer: &[u8]) {
        if !self.flush() || self.batch.is_full() {
            return;
        }
        self.batch.push(to, answer);
        self.flush();
    }

    fn admit(
        &mut self,
        now: Instant,
        from: SocketAddr,
        admitted: handshake::Admitted,
        packet: &[u8],
    ) {
        let Some(entropy) = self.entropy() else {
            return;
        };
        let (key, bell, mut tie) = self.tie();
        let knocked = Some((from, admitted.id));
        let shared = tie.shared.clone();
        let session = Session::accept(now, from, admitted, packet, &self.cfg, shared, entropy);
        let Some(session) = session else {
            return;
        };
        tie.describe(&session);
        self.table.insert(key, session, bell, knocked, Some(tie));
        self.table.enqueue(key.slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_that_arrive_together_are_told_apart_by_id() {
        let packet = |id: u8, len: usize| {
            let mut p = vec![0x20; 1];
            p.extend([id; ID_LEN]);
            p.resize(len, 0);
            p
        };
        let together = [packet(1, 50), packet(1, 50), packet(2, 50), packet(2, 20)].concat();
        assert_eq!(same_id(&together, 50), 100);
        assert_eq!(same_id(&together[100..], 50), 70);
        assert_eq!(id_of(&together), Some(Id([1; ID_LEN])));
        assert_eq!(id_of(&together[..5]), None);
        // A tail too short for an id belongs to nobody.
        let odd = [packet(1, 50), vec![0x20; 4]].concat();
        assert_eq!(same_id(&odd, 50), 50);
        assert_eq!(same_id(&odd[50..], 50), 4);
    }
}
