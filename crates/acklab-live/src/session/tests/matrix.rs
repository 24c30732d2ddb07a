//! Which ends understand each other: tables of versions, ciphers and settings.

use super::super::*;
use super::world::*;
use crate::handshake::{Answer, Door, DoorConfig, Reply};
use crate::keys::{Identity, Keypair};
use crate::protect::Cipher;
use acklab_proto::tack::endpoint::State;

/// The outcome of a handshake over a path that changes nothing.
#[derive(PartialEq, Eq, Debug)]
enum Met {
    /// Both have keys, and the server has said that it speaks one of the client's versions.
    Open(Cipher),
    /// The client was told of versions that it does not speak.
    Refused(Vec<u8>),
}

/// A client with these versions and this cipher, at a server with those.
fn meet(ours: &[u8], cipher: Cipher, theirs: &[u8]) -> (Met, u32) {
    let keys = Keypair::generate();
    let peer = Peer::Pinned(keys.public());
    let cfg = DoorConfig {
        versions: theirs.to_vec(),
        ..DoorConfig::default()
    };
    let mut door = Door::new(Identity::Keys(keys), cfg, &[1; 32]);
    let mut client = Opening::new(peer, Id([1; ID_LEN]), ours, cipher, b"hello".to_vec()).unwrap();
    let mut tries = 0;
    loop {
        tries += 1;
        assert!(tries <= 3, "no end");
        let packet = client.packet();
        match door.on_initial(Instant::ZERO, address(1), &packet, 0) {
            Reply::Say(list) => {
                if matches!(client.on_packet(&list), Answer::SendAgain) {
                    continue;
                }
                let Some(Hint::Versions(spoken)) = client.hint() else {
                    panic!("no hint");
                };
                return (Met::Refused(spoken.clone()), tries);
            }
            Reply::Admit(admitted) => {
                let id = Id([2; ID_LEN]);
                let (answer, agreed) = admitted.responder.respond(id, b"accept").unwrap();
                let Answer::Open(own, accept) = client.on_packet(&answer) else {
                    panic!("not opened");
                };
                assert_eq!((own.cipher, &*accept), (agreed.cipher, &b"accept"[..]));
                return (Met::Open(own.cipher), tries);
            }
            Reply::Drop => panic!("dropped"),
        }
    }
}

/// Each client at each server: the best version that both have, with one packet more if the client did not begin
/// with it, or a refusal that names the server's versions. Version 1 is the only one so far; 2, 3 and 7 stand for
/// those of later releases.
#[test]
fn ends_of_different_versions_meet_at_the_best_common_one_or_not_at_all() {
    let cipher = Cipher::preferred();
    let ends: [&[u8]; 6] = [&[1], &[2], &[1, 2], &[2, 3], &[1, 2, 3], &[7]];
    for ours in ends {
        for theirs in ends {
            let common = ours.iter().filter(|v| theirs.contains(v)).max();
            let first = ours.iter().max();
            let (met, tries) = meet(ours, cipher, theirs);
            let (expected, packets) = match common {
                Some(_) => (Met::Open(cipher), if common == first { 1 } else { 2 }),
                None => (Met::Refused(theirs.to_vec()), 1),
            };
            assert_eq!((met, tries), (expected, packets), "{ours:?} at {theirs:?}");
        }
    }
}

/// A client and a server with settings of their own.
type Change = fn(&mut Config);

fn tack(cfg: &mut Config) -> &mut acklab_proto::tack::TackConfig {
    Arc::make_mut(&mut cfg.tack)
}

const SETTINGS: &[(&str, Change)] = &[
    ("the usual", |_| {}),
    ("small packets", |c| *c = c.clone().with_mtu(600)),
    ("large packets", |c| *c = c.clone().with_mtu(1500)),
    ("frequent TACKs", |c| tack(c).taming.beta = 16),
    ("rare TACKs", |c| {
        (tack(c).taming.beta, tack(c).taming.packets) = (2, 32);
    }),
    ("short intervals", |c| {
        tack(c).taming.longest = Span::from_millis(5);
    }),
    ("a small buffer", |c| tack(c).recv_buffer = 20_000),
    ("ECN", |c| tack(c).ecn = true),
    ("another controller", |c| {
        c.controller = acklab_proto::tcp::config::CcChoice::named("cubic").unwrap();
    }),
    ("keys that wear out", |c| c.packets_per_key = 10),
];

/// Whatever the settings of either end, they agree, and every byte arrives both ways.
#[test]
fn ends_with_different_settings_understand_each_other() {
    let text: Vec<u8> = (0..60_000u32).map(|n| (n / 5) as u8).collect();
    for (ours, at_client) in SETTINGS {
        for (theirs, at_server) in SETTINGS {
            let (mut client, mut server) = (Config::default(), Config::default());
            at_client(&mut client);
            at_server(&mut server);
            let of = |c: &Config| (c.tack.mss, c.tack.taming);
            let (a, b) = (of(&client), of(&server));
            let mut w = World::between(client, server);
            w.server.shared.accept();
            let told = |s: &Session| s.endpoint.sender().agreed_mss();
            let mss = a.0.min(b.0);
            assert_eq!((told(&w.client), told(&w.server)), (mss, mss));
            w.write(true, &text);
            w.write(false, &text);
            let (mut up, mut down) = (Vec::new(), Vec::new());
            for _ in 0..4000 {
                w.step(Span::from_millis(1));
                up.extend(w.read(false));
                down.extend(w.read(true));
                if up.len() == text.len() && down.len() == text.len() {
                    break;
                }
            }
            assert!(up == text && down == text, "{ours} at {theirs}");
            for s in [&w.client, &w.server] {
                assert_eq!(s.endpoint.state(), State::Established);
                // Neither gets less feedback than it asks for.
                let longest = a.1.longest.min(b.1.longest);
                assert!(s.endpoint.receiver().interval() <= longest);
            }
        }
    }
}
