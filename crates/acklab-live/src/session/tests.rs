//! Two sessions against each other, and hostile peers that have the keys.

use super::*;
use crate::buffer::Bell;
use crate::handshake::{Door, DoorConfig, Reply};
use crate::keys::{Identity, Keypair};
use acklab_proto::segment::Ecn;
use acklab_proto::tack::endpoint::State;
use acklab_proto::tack::wire::{self, Data, Iack, IackReason, Receipt};

struct Deaf;

impl Bell for Deaf {
    fn ring(&self) {}
}

fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn shared(cfg: &Config) -> Arc<Shared> {
    let t = &cfg.tack;
    Arc::new(Shared::new(t.send_buffer, t.recv_buffer, Arc::new(Deaf)))
}

/// Two sessions and what is between them.
struct World {
    now: Instant,
    cfg: Config,
    client: Session,
    server: Session,
    client_at: SocketAddr,
    batch: Batch,
    scratch: Vec<Opened>,
}

const SERVER: u16 = 443;

fn entropy(n: u8) -> Entropy {
    Entropy {
        id: Id([n; ID_LEN]),
        seed: n.into(),
    }
}

impl World {
    fn open(cfg: Config) -> Self {
        let mut world = Self::unaccepted(cfg);
        world.server.shared.accept();
        world.step(Span::from_micros(200));
        world
    }

    fn unaccepted(cfg: Config) -> Self {
        let keys = Keypair::generate();
        let now = Instant::from_nanos(1_000_000_000);
        let peer = Peer::Pinned(keys.public());
        let mut door = Door::new(Identity::Keys(keys), DoorConfig::default(), &[1; 32]);
        let at = address(SERVER);
        let mut client = Session::connect(now, at, peer, &cfg, shared(&cfg), entropy(1)).unwrap();
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

    fn sent(&mut self, by_client: bool) -> Vec<(SocketAddr, Vec<u8>)> {
        let from = if by_client {
            &mut self.client
        } else {
            &mut self.server
        };
        self.batch.clear();
        from.poll_transmit(self.now, &mut self.batch);
        packets(&self.batch)
    }

    fn take(&mut self, by_client: bool, from: SocketAddr, mut packet: Vec<u8>) -> Verdict {
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
    fn step(&mut self, delay: Span) {
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

    fn write(&self, by_client: bool, bytes: &[u8]) {
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

    fn read(&self, by_client: bool) -> Vec<u8> {
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
    fn forge(&mut self, packet: &Packet, control: &[u8], payload: &[u8]) -> Vec<u8> {
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

    fn lie(&mut self, number: u64, frame: Frame<'_>) -> Vec<u8> {
        let mut control = Vec::new();
        frame.put(&mut control);
        let mut packet = greeting(&control);
        packet.header.number = number;
        self.forge(&packet, &control, &[])
    }
}

fn packets(batch: &Batch) -> Vec<(SocketAddr, Vec<u8>)> {
    let of = |p: &Part| (p.to, batch.bytes(p.start, p.len).to_vec());
    batch.parts().iter().map(of).collect()
}

#[test]
fn bytes_go_both_ways() {
    let mut w = World::open(Config::default());
    w.write(true, b"up");
    w.write(false, b"down");
    for _ in 0..10 {
        w.step(Span::from_millis(1));
    }
    assert_eq!(w.read(false), b"up");
    assert_eq!(w.read(true), b"down");
}

#[test]
fn keys_change_under_way() {
    let mut w = World::open(Config {
        packets_per_key: 20,
        ..Config::default()
    });
    let text: Vec<u8> = (0..400_000u32).map(|n| (n / 7) as u8).collect();
    w.write(true, &text);
    let mut got = Vec::new();
    for _ in 0..3000 {
        w.step(Span::from_millis(1));
        got.extend(w.read(false));
    }
    assert!(got == text);
    let (ours, _) = w.client.key_updates();
    assert!(ours > 5, "{ours}");
    assert_eq!(w.server.key_updates().1, ours);
    assert_eq!(w.server.wire.refused, 0);
}

/// Row "replay": a packet that arrives again changes nothing.
#[test]
fn a_replayed_packet_is_refused() {
    let mut w = World::open(Config::default());
    w.write(true, b"once");
    let sent = w.sent(true);
    let (_, p) = sent.last().expect("a packet").clone();
    assert_eq!(w.take(false, address(1), p.clone()), Verdict::Heard);
    let before = *w.server.endpoint.stats();
    for from in [1, 7] {
        assert_eq!(w.take(false, address(from), p.clone()), Verdict::Refused);
    }
    assert_eq!(*w.server.endpoint.stats(), before);
    assert_eq!(w.server.address(), address(1));
}

/// Row "injection": whoever knows ids and numbers, and not the keys, changes nothing.
#[test]
fn a_forged_packet_is_refused() {
    let mut w = World::open(Config::default());
    w.write(true, b"true words");
    let (_, good) = w.sent(true).pop().expect("a packet");
    let before = *w.server.endpoint.stats();
    for at in 9..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert_eq!(
            w.take(false, address(1), bad),
            Verdict::Refused,
            "byte {at}"
        );
    }
    assert_eq!(*w.server.endpoint.stats(), before);
    assert_eq!(w.take(false, address(1), good), Verdict::Heard);
}

fn receipt(cumulative: u64, largest: u64) -> Receipt {
    Receipt {
        cumulative,
        window: 1 << 20,
        largest,
        packets: 1,
        sync: 0,
    }
}

/// Row "optimistic acknowledgement": who acknowledges what was never sent is broken off.
#[test]
fn acknowledging_what_was_never_sent_ends_the_connection() {
    let mut w = World::open(Config::default());
    w.write(false, &[1; 5000]);
    w.sent(false);
    let first = w.client.endpoint.receiver().next_number();
    let frame = Frame::Iack(Iack {
        receipt: receipt(1 << 30, first),
        reason: IackReason::Window,
    });
    let lie = w.lie(500, frame);
    w.take(false, address(1), lie);
    assert_eq!(w.server.shared.send().ended, Some(Ended::Reset));
    let words = w.sent(false);
    assert_eq!(words.len(), 1, "a RESET, and nothing more");
    assert!(w.server.is_over());
}

/// Row "lying rate": a peer that claims any rate does not make this end faster than what it has sent.
#[test]
fn a_claimed_rate_is_no_more_than_what_was_sent() {
    let mut w = World::open(Config::default());
    w.write(false, &vec![1; 1 << 20]);
    let mut number = 1000;
    for _ in 0..200 {
        for (_, p) in w.sent(false) {
            w.take(true, address(SERVER), p);
        }
        w.now = w.now.saturating_add(Span::from_millis(10));
        w.sent(true);
        let receiver = w.client.endpoint.receiver();
        let head = wire::TackHead {
            receipt: Receipt {
                window: 4 << 20,
                // The truth, or the lie about it would end the connection, whatever the rate.
                packets: w.client.endpoint.stats().data_segs_in,
                ..receipt(receiver.next(), receiver.next_number() - 1)
            },
            settled: receiver.next_number() - 1,
            rate: u64::MAX >> 4,
            interval: 1000,
            ..wire::TackHead::default()
        };
        number += 1;
        let mut control = Vec::new();
        Frame::put_tack_head(&head, &mut control);
        wire::ListWriter::acked(&mut control, head.receipt.cumulative, 2);
        wire::ListWriter::unacked(&mut control, head.receipt.cumulative, 2);
        let mut packet = greeting(&control);
        packet.header.number = number;
        let lie = w.forge(&packet, &control, &[]);
        w.take(false, address(1), lie);
        w.read(true);
    }
    assert_eq!(w.server.endpoint.state(), State::Established);
    let rate = w.server.endpoint.snapshot().pacing_rate.expect("a rate");
    assert!(rate.as_bps() < 2_000_000_000, "{rate:?}");
}

/// Row "IACK flood": each one costs its reading, and makes this end send nothing.
#[test]
fn a_flood_of_iacks_is_not_answered() {
    let mut w = World::open(Config::default());
    w.write(false, &[1; 3000]);
    for _ in 0..20 {
        w.step(Span::from_millis(1));
    }
    w.sent(false);
    let (una, first) = (
        w.server.endpoint.sender().una(),
        w.client.endpoint.receiver().next_number(),
    );
    let before = w.server.wire.packets_out;
    for n in 0..10_000 {
        let frame = Frame::Iack(Iack {
            receipt: receipt(una, first - 1),
            reason: IackReason::Window,
        });
        let p = w.lie(2000 + n, frame);
        w.take(false, address(1), p);
    }
    w.sent(false);
    let answers = w.server.wire.packets_out - before;
    assert!(answers <= 1, "{answers}");
    assert_eq!(w.server.endpoint.state(), State::Established);
}

fn data(number: u64, seq: u64, len: u32) -> Packet {
    Packet {
        header: Header {
            number,
            number_len: 4,
            ..greeting(&[]).header
        },
        data: Some(Data {
            seq,
            len,
            ..Data::default()
        }),
        ..greeting(&[])
    }
}

/// Row "hole bombs": crumbs with holes between them cost a bounded list and the receive buffer.
#[test]
fn a_stream_of_holes_costs_no_more_than_the_buffer() {
    let mut w = World::open(Config::default());
    let first = w.server.endpoint.receiver().next_number();
    let capacity = w.cfg.tack.recv_buffer;
    for n in 0..20_000u64 {
        let mut packet = data(first + n * 2, 100 + n * 300, 1);
        packet.header.space = Space::Data;
        let p = w.forge(&packet, &[], &[1]);
        w.take(false, address(1), p);
    }
    let chunks = w.server.shared.recv().chunks.in_use() as u64;
    assert!(chunks * 65_536 <= capacity + 65_536, "{chunks}");
    // Each island has one byte: as many are kept as a list may have, of 20,000.
    let islands = w.server.endpoint.receiver().blocked();
    assert!(islands <= w.cfg.tack.most_gaps() as u64, "{islands}");
    let told = w.sent(false);
    assert!(told.iter().all(|(_, p)| p.len() <= 1472));
    assert!(told.len() <= 64);
}

/// Row "beyond the window": what lies outside the receive buffer is neither kept nor counted.
#[test]
fn bytes_beyond_the_window_are_dropped() {
    let mut w = World::open(Config::default());
    let first = w.server.endpoint.receiver().next_number();
    for (n, at) in [1u64 << 23, 1 << 30, 1 << 31].into_iter().enumerate() {
        let mut packet = data(first + n as u64, at, 100);
        packet.header.space = Space::Data;
        let p = w.forge(&packet, &[], &[1; 100]);
        w.take(false, address(1), p);
    }
    assert_eq!(w.server.shared.recv().chunks.in_use(), 0);
    assert_eq!(w.server.endpoint.receiver().blocked(), 0);
}

/// Row "slow readers": a peer whose application does not read holds up one buffer, not more.
#[test]
fn a_reader_that_does_not_read_stops_the_sender() {
    let mut cfg = Config::default();
    let tack = Arc::make_mut(&mut cfg.tack);
    (tack.recv_buffer, tack.send_buffer) = (200_000, 1 << 20);
    let mut w = World::open(cfg);
    w.write(true, &vec![3; 1_000_000]);
    for _ in 0..2000 {
        w.step(Span::from_millis(1));
    }
    let held = w.server.shared.recv().edge;
    assert!((150_000..=200_000).contains(&held), "{held}");
    let mut got = w.read(false).len();
    for _ in 0..4000 {
        w.step(Span::from_millis(1));
        got += w.read(false).len();
    }
    assert_eq!(got, 1_000_000);
}

/// Row "slow readers": before anybody has accepted it, a connection holds little.
#[test]
fn a_connection_that_nobody_has_accepted_holds_little() {
    let cfg = Config {
        unaccepted_buffer: 50_000,
        ..Config::default()
    };
    let whole = cfg.tack.recv_buffer;
    let mut w = World::unaccepted(cfg);
    w.write(true, &vec![3; 1_000_000]);
    for _ in 0..1000 {
        w.step(Span::from_millis(1));
    }
    let held = w.server.shared.recv().edge;
    assert!((40_000..=50_000).contains(&held), "{held}");
    w.server.shared.accept();
    for _ in 0..1000 {
        w.step(Span::from_millis(1));
    }
    assert!(whole > 1_000_000);
    assert_eq!(w.read(false).len(), 1_000_000);
}

/// An application that waits for room is limited by its buffer, not by itself: were its packets marked,
/// BBR would never leave its start-up.
#[test]
fn a_full_buffer_is_not_a_lazy_application() {
    let mut cfg = Config::default();
    Arc::make_mut(&mut cfg.tack).send_buffer = 200_000;
    for full in [true, false] {
        let mut w = World::open(cfg.clone());
        w.client.shared.send().full = full;
        w.write(true, &vec![4; 200_000]);
        let mut marked = 0;
        for _ in 0..400 {
            w.step(Span::from_millis(5));
            marked += u32::from(w.client.endpoint.sender().is_app_limited());
        }
        assert_eq!(w.read(false).len(), 200_000);
        // Before the first write the application was idle.
        assert_eq!(marked > 1, !full, "{marked} steps");
    }
}

/// Row "moved by somebody else": a connection moves only to who answers from there.
#[test]
fn a_copy_from_another_address_does_not_move_the_connection() {
    let mut w = World::open(Config::default());
    w.write(true, &[8; 500]);
    let (_, p) = w.sent(true).pop().expect("a packet");
    // Somebody on the path was faster, from another address.
    assert_eq!(w.take(false, address(66), p.clone()), Verdict::Heard);
    let out = w.sent(false);
    let there: usize = out
        .iter()
        .filter(|o| o.0 == address(66))
        .map(|o| o.1.len())
        .sum();
    assert!(there > 0 && there <= p.len(), "{there} of {}", p.len());
    for _ in 0..50 {
        w.step(Span::from_millis(100));
    }
    assert_eq!((w.server.address(), w.server.moves()), (address(1), 0));
}

#[test]
fn a_client_that_moves_is_followed_once_it_has_answered() {
    let mut w = World::open(Config::default());
    w.client_at = address(9);
    w.write(true, &[5; 20_000]);
    for _ in 0..400 {
        w.step(Span::from_millis(5));
    }
    assert_eq!((w.server.address(), w.server.moves()), (address(9), 1));
    assert_eq!(w.read(false).len(), 20_000);
}

#[test]
fn a_peer_that_is_gone_is_given_up_after_the_idle_timeout() {
    let mut w = World::open(Config::default());
    w.write(true, b"is anybody there?");
    let began = w.now;
    while !w.client.is_over() {
        let due = w.client.next_timeout().expect("a timer").max(w.now);
        w.now = due;
        w.client.on_timeout(w.now);
        w.sent(true);
    }
    assert_eq!(w.client.shared.send().ended, Some(Ended::TimedOut));
    let waited = w.now.saturating_since(began);
    assert!(waited <= w.cfg.idle_timeout.saturating_add(Span::from_secs(1)));
}

/// Row "amplification": before the client is heard, one answer leaves for each INITIAL, and none is
/// longer.
#[test]
fn a_server_that_hears_nothing_says_nothing_more() {
    let cfg = Config::default();
    let keys = Keypair::generate();
    let now = Instant::from_nanos(1_000_000_000);
    let peer = Peer::Pinned(keys.public());
    let mut door = Door::new(Identity::Keys(keys), DoorConfig::default(), &[1; 32]);
    let mut client =
        Session::connect(now, address(SERVER), peer, &cfg, shared(&cfg), entropy(1)).unwrap();
    let mut batch = Batch::new(64, 1500);
    client.poll_transmit(now, &mut batch);
    let initial = packets(&batch).remove(0).1;
    let Reply::Admit(a) = door.on_initial(now, address(1), &initial, 0) else {
        panic!("not admitted");
    };
    let mut server = Session::accept(
        now,
        address(1),
        *a,
        &initial,
        &cfg,
        shared(&cfg),
        entropy(2),
    )
    .unwrap();
    let (mut now, mut out, mut came) = (now, 0, initial.len());
    let mut copies = 3;
    while !server.is_over() {
        batch.clear();
        server.poll_transmit(now, &mut batch);
        out += packets(&batch).iter().map(|p| p.1.len()).sum::<usize>();
        assert!(out <= came, "{out} of {came}");
        now = server.next_timeout().expect("a timer").max(now);
        server.on_timeout(now);
        if copies > 0 {
            copies -= 1;
            came += initial.len();
            server.on_handshake(now, address(1), &cfg, &initial);
        }
    }
    assert!(out > 0);
    assert_eq!(server.shared.send().ended, Some(Ended::NoAnswer));
}

/// An idle connection holds no buffers: ten thousand of them stay below 100 MB.
#[test]
fn an_idle_connection_is_small() {
    let mut w = World::open(Config::default());
    w.write(true, &[1; 1000]);
    for _ in 0..40 {
        w.step(Span::from_millis(5));
    }
    assert_eq!(w.read(false).len(), 1000);
    // The questions of an idle connection.
    for _ in 0..40 {
        w.step(Span::from_secs(1));
    }
    assert_eq!(w.server.endpoint.state(), State::Established);
    assert_eq!(w.server.shared.recv().chunks.in_use(), 0);
    assert_eq!(w.client.shared.send().chunks.in_use(), 0);
    let fixed = size_of::<Session>() + size_of::<Keys>() + size_of::<Shared>();
    assert!(fixed < 9_000, "{fixed}");
}
