//! The handshake on real networks: any bytes as any of its packets, before a client and a server.
//!
//! Packets that are read are written as they were. Nobody without the keys gets in, a client
//! opens to nobody, and no answer is longer than what it answers.

use acklab_live::handshake::{Answer, Door, DoorConfig, Opening, Reply, VERSIONS, decode};
use acklab_live::protect::Cipher;
use acklab_live::{Id, Identity, Peer, SharedKey};
use acklab_units::Instant;
use std::net::SocketAddr;

const ID: Id = Id([7; 8]);

/// Runs one input: the first byte says how many connections are half open, the rest is the packet.
pub fn run(bytes: &[u8]) {
    let Some((&busy, packet)) = bytes.split_first() else {
        return;
    };
    if let Some(message) = decode(packet) {
        let again = message.encode();
        assert_eq!(decode(&again), Some(message));
    }
    let from = SocketAddr::from(([192, 0, 2, 1], 1));
    let ours = SharedKey::new([1; 32]);
    let identity = Identity::Shared(ours);
    let mut door = Door::new(identity, DoorConfig::default(), &[2; 32]);
    let half_open = usize::from(busy) * 8;
    match door.on_initial(Instant::ZERO, from, packet, half_open) {
        Reply::Drop => {}
        Reply::Say(answer) => {
            assert!(answer.len() <= packet.len());
            assert!(decode(&answer).is_some());
        }
        Reply::Admit(_) => panic!("let in without a key"),
    }
    let peer = Peer::Shared(SharedKey::new([3; 32]));
    let cipher = Cipher::ChaCha20Poly1305;
    let opening = Opening::new(peer, ID, VERSIONS, cipher, vec![1; 40]);
    let Ok(mut opening) = opening else {
        return;
    };
    let before = opening.packet().len();
    match opening.on_packet(packet) {
        Answer::Open(..) => panic!("open to nobody"),
        Answer::Ignored | Answer::SendAgain => assert_eq!(opening.packet().len(), before),
    }
}
