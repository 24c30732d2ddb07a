//! Client and server against each other, and against those in between.

use super::*;
use crate::keys::{Identity, Keypair, Peer, SharedKey};
use acklab_units::{Instant, Span};
use proptest::prelude::*;
use std::net::SocketAddr;

const ID: Id = Id([1; 8]);
const SERVER_ID: Id = Id([2; 8]);

fn from() -> SocketAddr {
    "192.0.2.1:4000".parse().unwrap()
}

fn opening(peer: Peer, versions: &[u8]) -> Opening {
    let cipher = Cipher::preferred();
    Opening::new(peer, ID, versions, cipher, b"hello".to_vec()).unwrap()
}

fn door(identity: Identity, cfg: DoorConfig) -> Door {
    Door::new(identity, cfg, &[5; 32])
}

fn pinned() -> (Peer, Identity) {
    let keys = Keypair::generate();
    (Peer::Pinned(keys.public()), Identity::Keys(keys))
}

fn shared() -> (Peer, Identity) {
    let key = SharedKey::generate();
    (Peer::Shared(key.clone()), Identity::Shared(key))
}

fn knock(door: &mut Door, packet: &[u8], half_open: usize) -> Reply {
    door.on_initial(Instant::ZERO, from(), packet, half_open)
}

fn said(reply: Reply) -> Vec<u8> {
    match reply {
        Reply::Say(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

fn admitted(reply: Reply) -> Admitted {
    match reply {
        Reply::Admit(a) => *a,
        other => panic!("{other:?}"),
    }
}

fn opened(answer: Answer) -> (Agreed, Vec<u8>) {
    match answer {
        Answer::Open(agreed, accept) => (*agreed, accept),
        other => panic!("{other:?}"),
    }
}

fn same_key(a: &Secret, b: &Secret, cipher: Cipher) -> bool {
    let mut packet = [7u8; 40];
    a.key(cipher).seal(0, 1, 4, &mut packet);
    b.key(cipher).open(0, 1, 4, &mut packet)
}

#[test]
fn both_ends_agree_on_keys_under_either_pattern() {
    for (peer, identity) in [pinned(), shared()] {
        let mut client = opening(peer, VERSIONS);
        let mut server = door(identity, DoorConfig::default());
        let initial = client.packet();
        let a = admitted(knock(&mut server, &initial, 0));
        assert_eq!((a.id, &a.hello[..], a.proven), (ID, &b"hello"[..], false));
        let (answer, theirs) = a.responder.respond(SERVER_ID, b"accept").unwrap();
        assert!(answer.len() <= initial.len());
        let (ours, accept) = opened(client.on_packet(&answer));
        assert_eq!(accept, b"accept");
        assert_eq!((ours.remote, theirs.remote), (SERVER_ID, ID));
        assert_eq!(ours.cipher, theirs.cipher);
        assert!(same_key(&ours.sending, &theirs.receiving, ours.cipher));
        assert!(same_key(&theirs.sending, &ours.receiving, ours.cipher));
        assert!(!same_key(&ours.sending, &ours.receiving, ours.cipher));
    }
}

#[test]
fn a_wrong_key_is_refused_and_leaves_a_hint() {
    let others = [
        (pinned().0, pinned().1),
        (shared().0, shared().1),
        (pinned().0, shared().1),
        (shared().0, pinned().1),
    ];
    for (peer, identity) in others {
        let mut client = opening(peer, VERSIONS);
        let mut server = door(identity, DoorConfig::default());
        let refused = said(knock(&mut server, &client.packet(), 0));
        assert!(matches!(client.on_packet(&refused), Answer::Ignored));
        assert_eq!(client.hint(), Some(&Hint::Refused));
    }
}

#[test]
fn a_server_without_the_pinned_key_cannot_answer() {
    let (peer, identity) = pinned();
    let mut client = opening(peer, VERSIONS);
    let mut real = door(identity, DoorConfig::default());
    let (answer, _) = admitted(knock(&mut real, &client.packet(), 0))
        .responder
        .respond(SERVER_ID, b"accept")
        .unwrap();
    for at in 0..answer.len() {
        let mut forged = answer.clone();
        forged[at] ^= 0x40;
        assert!(
            matches!(client.on_packet(&forged), Answer::Ignored),
            "byte {at}"
        );
    }
    opened(client.on_packet(&answer));
}

#[test]
fn under_load_an_address_must_be_proven_first() {
    let (peer, identity) = pinned();
    let mut client = opening(peer, VERSIONS);
    let mut server = door(identity, DoorConfig::default());
    let busy = DoorConfig::default().cookies_above;
    let initial = client.packet();
    let retry = said(knock(&mut server, &initial, busy));
    assert!(retry.len() < 100, "a tenth of what was asked with");
    assert!(matches!(client.on_packet(&retry), Answer::SendAgain));
    assert!(
        matches!(client.on_packet(&retry), Answer::Ignored),
        "a copy moves nothing"
    );
    let again = client.packet();
    let elsewhere: SocketAddr = "192.0.2.9:4000".parse().unwrap();
    let reply = server.on_initial(Instant::ZERO, elsewhere, &again, busy);
    assert!(
        matches!(reply, Reply::Say(_)),
        "a cookie of another address"
    );
    let a = admitted(knock(&mut server, &again, busy));
    assert!(a.proven);
    let (answer, _) = a.responder.respond(SERVER_ID, b"accept").unwrap();
    opened(client.on_packet(&answer));
    // Even where all places are taken: the driver gives it that of the oldest.
    let most = DoorConfig::default().most_half_open;
    admitted(knock(&mut server, &again, most));
}

/// Each handshake costs a computation, whoever asks.
#[test]
fn cookies_do_not_buy_more_handshakes_than_a_second_has_room_for() {
    let (peer, identity) = shared();
    let cfg = DoorConfig {
        most_per_second: 300,
        ..DoorConfig::default()
    };
    let busy = cfg.cookies_above;
    let mut server = door(identity, cfg);
    let mut client = opening(peer.clone(), VERSIONS);
    let retry = said(knock(&mut server, &client.packet(), busy));
    client.on_packet(&retry);
    let proven = client.packet();
    // One machine gets half of them; the rest is for others.
    for _ in 0..150 {
        admitted(knock(&mut server, &proven, busy));
    }
    assert!(matches!(knock(&mut server, &proven, busy), Reply::Drop));
    let other: SocketAddr = "198.51.100.1:4000".parse().unwrap();
    let mut client = opening(peer, VERSIONS);
    let retry = said(server.on_initial(Instant::ZERO, other, &client.packet(), busy));
    client.on_packet(&retry);
    admitted(server.on_initial(Instant::ZERO, other, &client.packet(), busy));
    let later = Instant::ZERO + Span::from_secs(1);
    admitted(server.on_initial(later, from(), &proven, busy));
}

#[test]
fn a_flood_of_handshakes_meets_cookies_within_a_second() {
    let (peer, identity) = shared();
    let mut server = door(identity, DoorConfig::default());
    let rate = DoorConfig::default().cookies_above_rate;
    let initial = opening(peer, VERSIONS).packet();
    for _ in 0..rate {
        admitted(knock(&mut server, &initial, 0));
    }
    said(knock(&mut server, &initial, 0));
    let later = Instant::ZERO + Span::from_secs(1);
    admitted(server.on_initial(later, from(), &initial, 0));
}

#[test]
fn versions_are_negotiated_upwards_only() {
    let cfg = |versions: &[u8]| DoorConfig {
        versions: versions.to_vec(),
        ..DoorConfig::default()
    };
    // A server of version 1 and a client of both meet at 1.
    let (peer, identity) = pinned();
    let mut client = opening(peer.clone(), &[1, 2]);
    let mut server = door(identity.clone(), cfg(&[1]));
    let list = said(knock(&mut server, &client.packet(), 0));
    assert!(matches!(client.on_packet(&list), Answer::SendAgain));
    admitted(knock(&mut server, &client.packet(), 0));

    // Both speak 2, and somebody says that the server speaks 1 alone.
    let mut client = opening(peer.clone(), &[1, 2]);
    let mut server = door(identity.clone(), cfg(&[1, 2]));
    let forged = Message::Versions {
        id: ID,
        versions: &[1],
    };
    assert!(matches!(
        client.on_packet(&forged.encode()),
        Answer::SendAgain
    ));
    assert!(matches!(
        knock(&mut server, &client.packet(), 0),
        Reply::Drop
    ));

    // Nothing in common: a hint, and no end before the timer's.
    let mut client = opening(peer, &[1]);
    let mut server = door(identity, cfg(&[7]));
    let list = said(knock(&mut server, &client.packet(), 0));
    assert!(matches!(client.on_packet(&list), Answer::Ignored));
    assert_eq!(client.hint(), Some(&Hint::Versions(vec![7])));
}

#[test]
fn the_cipher_is_one_that_both_are_fast_at() {
    let offer = |ciphers, preferred: Cipher| Offer {
        versions: VERSIONS,
        ciphers,
        preferred: preferred.code(),
        hello: &[],
    };
    let (aes, chacha) = (Cipher::Aes128Gcm, Cipher::ChaCha20Poly1305);
    assert_eq!(offer(3, aes).choose(aes), Some(aes));
    assert_eq!(offer(3, chacha).choose(aes), Some(chacha));
    assert_eq!(offer(3, aes).choose(chacha), Some(chacha));
    assert_eq!(offer(1, aes).choose(chacha), Some(aes));
    assert_eq!(offer(0, aes).choose(chacha), None);
}

#[test]
fn a_first_message_of_garbage_costs_an_answer_shorter_than_itself() {
    let (_, identity) = pinned();
    let mut server = door(identity, DoorConfig::default());
    let mut packet = opening(pinned().0, VERSIONS).packet();
    for at in 0..200 {
        packet[at] = packet[at].wrapping_add(3);
        match knock(&mut server, &packet, 0) {
            Reply::Drop => {}
            Reply::Say(answer) => assert!(answer.len() * 10 < packet.len()),
            Reply::Admit(_) => panic!("byte {at}"),
        }
    }
}

proptest! {
    #[test]
    fn offers_and_choices_are_read_as_written(
        versions in prop::collection::vec(any::<u8>(), 0..=16),
        rest in prop::collection::vec(any::<u8>(), 0..60),
        (ciphers, preferred) in any::<(u8, u8)>(),
    ) {
        let offer = Offer { versions: &versions, ciphers, preferred, hello: &rest };
        let bytes = offer.encode();
        prop_assert_eq!(Offer::read(&bytes), Some(offer));
        let choice = Choice { cipher: ciphers, id: ID, accept: &rest };
        let bytes = choice.encode();
        prop_assert_eq!(Choice::read(&bytes), Some(choice));
    }

    #[test]
    fn any_bytes_are_answered_or_not(mut packet in prop::collection::vec(any::<u8>(), 0..1300), kind in 0u8..5) {
        if let Some(first) = packet.first_mut() {
            *first = 0xc0 | kind;
        }
        let (peer, identity) = shared();
        let mut client = opening(peer, VERSIONS);
        let mut server = door(identity, DoorConfig::default());
        prop_assert!(!matches!(client.on_packet(&packet), Answer::Open(..)));
        match knock(&mut server, &packet, 0) {
            Reply::Admit(_) => prop_assert!(false),
            Reply::Say(answer) => prop_assert!(answer.len() <= packet.len()),
            Reply::Drop => {}
        }
    }
}
