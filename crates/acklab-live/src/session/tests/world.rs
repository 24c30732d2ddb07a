//! Two sessions and what is between them.

use super::super::*;
use crate::buffer::Bell;
use crate::handshake::{Door, DoorConfig, Reply};
use crate::keys::{Identity, Keypair};
use acklab_proto::segment::Ecn;
use acklab_proto::tack::endpoint::State;
use acklab_proto::tack::wire;

struct Deaf;

impl Bell for Deaf {
    fn ring(&self) {}
}

pub(super) fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

pub(super) fn shared(cfg: &Config) -> Arc<Shared> {
    let t = &cfg.tack;
    Arc::new(Shared::new(t.send_buffer, t.recv_buffer, Arc::new(Deaf)))
}

/// Two sessions and what is between them.
pub(super) struct World {
    pub(super) now: Instant,
    pub(super) cfg: Config,
    pub(super) client: Session,
    pub(super) server: Session,
    pub(super) client_at: SocketAddr,
    pub(super) batch: Batch,
    pub(super) scratch: Vec<Opened>,
}

pub(super) const SERVER: u16 = 443;

pub(super) fn entropy(n: u8) -> Entropy {
    Entropy {
        id: Id([n; ID_LEN]),
        seed: n.into(),
    }
}

impl World {
    pub(super) fn open(cfg: Config) -> Self {
        let mut world = Self::unaccepted(cfg);
        world.server.shared.accept();
        world.step(Span::from_micros(200));
        world
    }

    pub(super) fn unaccepted(cfg: Config) -> Self {
        Self::between(cfg.clone(), cfg)
    }

    /// A client with settings of its own.
    pub(super) fn between(client_cfg: Config, cfg: Config) -> Self {
        let keys = Keypair::generate();
        let now = Instant::from_nanos(1_000_000_000);
        let peer = Peer::Pinned(keys.public());
        let mut door = Door::new(Identity::Keys(keys), DoorConfig::default(), &[1; 32]);
        let at = address(SERVER);
        let mut client =
            Session::connect(now, at, peer, &client_cfg, shared(&client_cfg), entropy(1)).unwrap();
        let mut batch = Batch::new(64, 1500);
        client.poll_transmit(now, &mut batch);
        let initial = packets(&batch).remove(0).1;
        let Reply::Admit(admitted) = door.on_initial(now, address(1), &initial, 0) else {
            panic!("not admitted");
        };
        let server = Session::accept(
            now,
            address(1),
            *admitted,
            &initial,
            &cfg,
            shared(&cfg),
            entropy(2),
        );
        let mut world = Self {
            now,
            cfg,
            client,
            server: server.expect("a HELLO"),
            client_at: address(1),
            batch,
            scratch: Vec::new(),
        };
        for _ in 0..10 {
            world.step(Span::from_micros(200));
        }
        assert_eq!(world.client.endpoint.state(), State::Established);
        assert_eq!(world.server.endpoint.state(), State::Established);
        world
    }

    pub(super) fn sent(&mut self, by_client: bool) -> Vec<(SocketAddr, Vec<u8>)> {
        let from = if by_client {
            &mut self.client
        } else {
            &mut self.server
        };
        self.batch.clear();
        from.poll_transmit(self.now, &mut self.batch);
        packets(&self.batch)
    }

    pub(super) fn take(
        &mut self,
        by_client: bool,
        from: SocketAddr,
        mut packet: Vec<u8>,
    ) -> Verdict {
        let to = if by_client {
            &mut self.client
        } else {
            &mut self.server
        };
        if crate::handshake::is_handshake(&packet) {
            to.on_handshake(self.now, from, &self.cfg, &packet);
            return Verdict::Heard;
        }
        let len = packet.len();
        to.on_packets(
            self.now,
            from,
            Ecn::NotEct,
            &mut packet,
            len,
            &mut self.scratch,
        )
    }

    /// One way delay later.
    pub(super) fn step(&mut self, delay: Span) {
        for session in [&mut self.client, &mut self.server] {
            if session.next_timeout().is_some_and(|t| t <= self.now) {
                session.on_timeout(self.now);
            }
        }
        let up = self.sent(true);
        let down = self.sent(false);
        self.now = self.now.saturating_add(delay);
        for (to, p) in up {
            if to == address(SERVER) {
                self.take(false, self.client_at, p);
            }
        }
        for (to, p) in down {
            if to == self.client_at {
                self.take(true, address(SERVER), p);
            }
        }
    }

    pub(super) fn write(&self, by_client: bool, bytes: &[u8]) {
        let session = if by_client {
            &self.client
        } else {
            &self.server
        };
        let mut send = session.shared.send();
        let at = send.end;
        send.chunks.write(at, bytes);
        send.end += bytes.len() as u64;
    }

    pub(super) fn read(&self, by_client: bool) -> Vec<u8> {
        let session = if by_client {
            &self.client
        } else {
            &self.server
        };
        let mut recv = session.shared.recv();
        let mut out = vec![0; (recv.edge - recv.read) as usize];
        recv.chunks.read(recv.read, &mut out);
        recv.read = recv.edge;
        let read = recv.read;
        recv.chunks.release(read);
        out
    }

    /// A packet of the client's that its endpoint would never make, sealed with its keys.
    pub(super) fn forge(&mut self, packet: &Packet, control: &[u8], payload: &[u8]) -> Vec<u8> {
        let keys = self.client.keys.as_mut().expect("keys");
        let mut out = vec![0; 2000];
        let len = wire::encode(packet, &keys.remote.0, control, payload, &mut out).unwrap();
        out.truncate(len);
        let space = match packet.header.space {
            Space::Data => protect::Space::Data,
            Space::Feedback => protect::Space::Feedback,
        };
        let header = packet.header.wire_len() as usize;
        keys.sealer
            .seal(space, packet.header.number, header, &mut out);
        out
    }

    pub(super) fn lie(&mut self, number: u64, frame: Frame<'_>) -> Vec<u8> {
        let mut control = Vec::new();
        frame.put(&mut control);
        let mut packet = greeting(&control);
        packet.header.number = number;
        self.forge(&packet, &control, &[])
    }
}

pub(super) fn packets(batch: &Batch) -> Vec<(SocketAddr, Vec<u8>)> {
    let of = |p: &Part| (p.to, batch.bytes(p.start, p.len).to_vec());
    batch.parts().iter().map(of).collect()
}
