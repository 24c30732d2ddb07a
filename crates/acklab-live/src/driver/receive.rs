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
        // A client that cannot be let in must not cost a computation with curves.
        let room = !self.finishing
            && self.table.len() < self.cfg.most_connections
            && self.arrivals.has_room();
        let half_open = self.table.half_open();
        // The id is part of what the client has authenticated, and its address is not: one INITIAL that
        // somebody has recorded must not take all places, from as many ports.
        let busy = half_open >= self.cfg.door.cookies_above;
        if busy && self.table.knocks_of(id) >= MOST_KNOCKS {
            return;
        }
        // A cookie proves an address, and one machine has few: it must not take all places either.
        if busy && self.table.half_open_of(from) >= self.cfg.door.most_of_network {
            return;
        }
        let Some(door) = self.door.as_mut().filter(|_| room) else {
            return;
        };
        match door.on_initial(now, from, packet, half_open) {
            Reply::Drop => {}
            Reply::Say(answer) => self.say(from, &answer),
            Reply::Admit(admitted) => {
                // A flood must not keep others out: what has waited longest is the least likely to open.
                if half_open >= self.cfg.door.most_half_open
                    && let Some(oldest) = self.table.oldest_half_open()
                {
                    self.remove(oldest, crate::error::Ended::TooMany);
                }
                self.admit(now, from, *admitted, packet);
            }
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
    use crate::buffer::{Bell, Shared};
    use crate::config::Config;
    use crate::driver::Udp;
    use crate::endpoint::Arrivals;
    use crate::handshake::Door;
    use crate::keys::{Identity, Keypair, Peer};
    use crate::session::{Batch, Entropy};
    use std::net::UdpSocket;
    use std::sync::Arc;
    use std::time::Duration;

    struct Deaf;

    impl Bell for Deaf {
        fn ring(&self) {}
    }

    /// A driver that nothing drives, and what its clients pin.
    fn driver(cfg: Config) -> (Driver, Peer) {
        let keys = Keypair::generate();
        let peer = Peer::Pinned(keys.public());
        let door = Door::new(Identity::Keys(keys), cfg.door.clone(), &[5; 32]);
        let udp = Udp::bind("127.0.0.1:0".parse().unwrap(), 1 << 20).unwrap();
        let arrivals = Arc::new(Arrivals::new(cfg.backlog));
        (Driver::new(cfg, udp, Some(door), arrivals).unwrap(), peer)
    }

    /// A client at `socket` sends its INITIAL, and again with the cookie if one is needed. It never
    /// goes on after the server's answer.
    fn knock(driver: &mut Driver, socket: &UdpSocket, peer: &Peer, n: u16) {
        let (now, cfg) = (driver.clock.now(), driver.cfg.clone());
        let server = driver.udp.local_addr().unwrap();
        let mut id = [7; ID_LEN];
        id[..2].copy_from_slice(&n.to_be_bytes());
        let entropy = Entropy {
            id: Id(id),
            seed: n.into(),
        };
        let shared = Arc::new(Shared::new(1 << 16, 1 << 16, Arc::new(Deaf)));
        let client = Session::connect(now, server, peer.clone(), &cfg, shared, entropy);
        let mut client = client.unwrap();
        let busy = driver.table.half_open() >= cfg.door.cookies_above;
        let mut batch = Batch::new(4, 1500);
        for turn in 0..=usize::from(busy) {
            batch.clear();
            client.poll_transmit(now, &mut batch);
            let part = batch.parts()[0];
            let packet = batch.bytes(part.start, part.len).to_vec();
            driver.on_handshake(now, socket.local_addr().unwrap(), &packet);
            if turn == 0 && busy {
                let mut retry = [0; 1500];
                let Ok(len) = socket.recv(&mut retry) else {
                    return;
                };
                client.on_handshake(now, server, &cfg, &retry[..len]);
            }
        }
    }

    fn machine(ip: &str) -> UdpSocket {
        let socket = UdpSocket::bind((ip, 0)).unwrap();
        let patience = Some(Duration::from_millis(100));
        socket.set_read_timeout(patience).unwrap();
        socket
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn one_machine_does_not_take_all_places_and_the_oldest_makes_room() {
        let mut cfg = Config::default();
        (cfg.door.cookies_above, cfg.door.most_of_network) = (2, 5);
        cfg.door.most_half_open = 8;
        let (mut d, peer) = driver(cfg);
        let (first, second) = (machine("127.0.0.2"), machine("127.0.0.3"));
        for n in 0..10 {
            knock(&mut d, &first, &peer, n);
        }
        assert_eq!(d.table.half_open(), 5);
        for n in 10..14 {
            knock(&mut d, &second, &peer, n);
        }
        assert_eq!(d.table.half_open(), 8);
        let from = |s: &UdpSocket| s.local_addr().unwrap();
        let of = |d: &Driver, s: &UdpSocket| d.table.half_open_of(from(s));
        assert_eq!((of(&d, &first), of(&d, &second)), (4, 4));
        let gone = Id([0, 0, 7, 7, 7, 7, 7, 7]);
        assert!(d.table.by_knock(from(&first), gone).is_none(), "the oldest");
    }

    #[test]
    fn a_network_is_an_address_or_a_site() {
        let mut cfg = Config::default();
        cfg.door.cookies_above = usize::MAX;
        let (mut d, peer) = driver(cfg);
        let local = machine("127.0.0.1");
        knock(&mut d, &local, &peer, 1);
        let of = |a: &str| d.table.half_open_of(a.parse().unwrap());
        assert_eq!(of("127.0.0.1:1"), 1);
        assert_eq!(of("[::ffff:127.0.0.1]:1"), 1);
        assert_eq!(of("127.0.0.2:1"), 0);
        assert_eq!(of("[::7f00:1]:1"), 0);
    }

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
