//! A connection on real networks before a peer that has the keys and says what the input says.
//!
//! Packets are sealed as they should be, and their contents are the input's; some are changed after
//! that, some come twice, some from another address. Whatever comes, the session keeps its bounds of
//! memory and of packet lengths, sends nobody more than the path takes, and its timers lead on.

use acklab_live::Peer;
use acklab_live::buffer::{Bell, Shared};
use acklab_live::handshake::{Agreed, Answer, Door, DoorConfig, Opening, Reply, VERSIONS};
use acklab_live::protect::{Cipher, PATH_FIRST, Sealer, Space, TAG};
use acklab_live::session::{Batch, Entropy, Session};
use acklab_live::{Config, Id, Identity, SharedKey};
use acklab_proto::segment::Ecn;
use acklab_proto::tack::wire::{Frame, Hello, Offer};
use acklab_units::{Instant, Span};
use std::net::SocketAddr;
use std::sync::Arc;

const BUFFER: u64 = 200_000;
const MTU: usize = 1500;
const FIRST: u64 = 1000;

struct Deaf;

impl Bell for Deaf {
    fn ring(&self) {}
}

struct Hostile {
    sealer: Sealer,
    remote: Id,
    numbers: [u64; 3],
}

fn address(port: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 1000 + u16::from(port)))
}

fn config() -> Config {
    let mut tack = Config::tack_defaults();
    (tack.send_buffer, tack.recv_buffer) = (BUFFER, BUFFER);
    Config {
        tack: Arc::new(tack),
        packets_per_key: 50,
        ..Config::default()
    }
}

fn hello() -> Vec<u8> {
    let offer = Offer {
        first_number: FIRST,
        window: BUFFER,
        mss: 1400,
        beta: 4,
        packets: 2,
        shortest: 1000,
        longest: 250_000,
        ecn: false,
    };
    let mut out = Vec::new();
    Frame::Hello(Hello { offer, stamp: 0 }).put(&mut out);
    out
}

/// A server's session, and a client that has its keys.
fn meet(now: Instant, cfg: &Config) -> Option<(Session, Hostile)> {
    let key = SharedKey::new([1; 32]);
    let peer = Peer::Shared(key.clone());
    let cipher = Cipher::ChaCha20Poly1305;
    let mut client = Opening::new(peer, Id([5; 8]), VERSIONS, cipher, hello()).ok()?;
    let mut door = Door::new(Identity::Shared(key), DoorConfig::default(), &[2; 32]);
    let initial = client.packet();
    let Reply::Admit(admitted) = door.on_initial(now, address(0), &initial, 0) else {
        panic!("not let in");
    };
    let shared = Arc::new(Shared::new(BUFFER, BUFFER, Arc::new(Deaf)));
    let entropy = Entropy {
        id: Id([9; 8]),
        seed: 4,
    };
    let from = address(0);
    let mut server = Session::accept(now, from, *admitted, &initial, cfg, shared, entropy)?;
    let mut batch = Batch::new(4, MTU);
    server.poll_transmit(now, &mut batch);
    let part = batch.parts().first()?;
    let Answer::Open(agreed, _) = client.on_packet(batch.bytes(part.start, part.len)) else {
        panic!("no answer");
    };
    let Agreed {
        cipher,
        sending,
        remote,
        ..
    } = *agreed;
    let hostile = Hostile {
        sealer: Sealer::new(cipher, sending),
        remote,
        numbers: [FIRST, 1, 0],
    };
    Some((server, hostile))
}

impl Hostile {
    /// A packet with that content, sealed.
    fn packet(&mut self, kind: u8, skip: u8, body: &[u8]) -> Vec<u8> {
        let space = match kind % 4 {
            0 | 1 => Space::Data,
            2 => Space::Feedback,
            _ => Space::Path,
        };
        let number = self.numbers[space as usize] + u64::from(skip);
        self.numbers[space as usize] = number + 1;
        let first = match space {
            Space::Data => 0x28,
            Space::Feedback => 0x38,
            Space::Path => PATH_FIRST,
        };
        let mut out = vec![first];
        out.extend(self.remote.0);
        out.extend(number.to_be_bytes());
        let header = out.len();
        out.extend(body);
        out.extend([0; TAG]);
        self.sealer.seal(space, number, header, &mut out);
        out
    }
}

fn check(session: &mut Session, now: Instant, batch: &mut Batch) {
    batch.clear();
    session.poll_transmit(now, batch);
    for part in batch.parts() {
        assert!(part.len <= MTU, "{part:?}");
    }
    let recv = session.shared().recv();
    assert!(recv.read <= recv.edge && recv.edge - recv.read <= recv.capacity);
    let most = BUFFER as usize / 65_536 + 2;
    assert!(recv.chunks.in_use() <= most);
    drop(recv);
    let at = session.next_timeout();
    assert!(at.is_some() || session.is_over());
}

/// Runs one input: packets of a kind, a skip, a delay, a fate, a length and as many bytes.
pub fn run(bytes: &[u8]) {
    let cfg = config();
    let mut now = Instant::from_nanos(1_000_000_000);
    let Some((mut session, mut hostile)) = meet(now, &cfg) else {
        return;
    };
    {
        let mut send = session.shared().send();
        send.chunks.write(0, &[3; 60_000]);
        send.end = 60_000;
    }
    let (mut batch, mut scratch) = (Batch::new(64, MTU), Vec::new());
    let mut rest = bytes;
    while let Some((&[kind, skip, delay, fate, len], more)) = rest.split_first_chunk() {
        let (body, more) = more.split_at(usize::from(len).min(more.len()));
        rest = more;
        if body.is_empty() {
            continue;
        }
        now = now.saturating_add(Span::from_micros(u64::from(delay) * u64::from(delay) * 10));
        if session.next_timeout().is_some_and(|t| t <= now) {
            session.on_timeout(now);
        }
        let mut packet = hostile.packet(kind, skip / 64, body);
        if fate & 0x0f == 1 {
            let at = usize::from(skip) % packet.len();
            packet[at] ^= 1 << (delay % 8);
        }
        let from = address(u8::from(fate & 0x30 == 0x10));
        for _ in 0..1 + u8::from(fate & 0xc0 == 0x40) {
            let len = packet.len();
            let mut copy = packet.clone();
            session.on_packets(now, from, Ecn::NotEct, &mut copy, len, &mut scratch);
        }
        check(&mut session, now, &mut batch);
        // The application reads what there is.
        let mut recv = session.shared().recv();
        let mut out = vec![0; (recv.edge - recv.read) as usize];
        let at = recv.read;
        recv.chunks.read(at, &mut out);
        recv.read = recv.edge;
        let read = recv.read;
        recv.chunks.release(read);
    }
}
