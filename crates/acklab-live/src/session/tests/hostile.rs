//! Peers that have the keys, and others on the path, that do not keep to the rules.

use super::super::*;
use super::world::*;
use crate::handshake::{Door, DoorConfig, Reply};
use crate::keys::{Identity, Keypair};
use acklab_proto::tack::endpoint::State;
use acklab_proto::tack::wire::{self, Data, Iack, IackReason, Receipt};

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
    let beyond = w.cfg.tack.recv_buffer;
    for (n, at) in [beyond, 1 << 30, 1 << 31].into_iter().enumerate() {
        let mut packet = data(first + n as u64, at, 100);
        packet.header.space = Space::Data;
        let p = w.forge(&packet, &[], &[1; 100]);
        w.take(false, address(1), p);
    }
    assert_eq!(w.server.shared.recv().chunks.in_use(), 0);
    assert_eq!(w.server.endpoint.receiver().blocked(), 0);
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
