//! Faults of real networks, and the errors that an application gets.

mod common;

use acklab_live::{Config, Ended, Endpoint, Identity, Keypair, Peer, SharedKey};
use acklab_units::Span;
use common::{Faults, Middle, any, byte, ends, exchange, read_all, write_all};
use std::io::ErrorKind;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

fn hasty() -> Config {
    Config {
        idle_timeout: Span::from_secs(2),
        handshake_timeout: Span::from_secs(3),
        ..Config::default()
    }
}

fn why(e: &std::io::Error) -> Option<Ended> {
    e.get_ref()?.downcast_ref().copied()
}

#[test]
fn a_client_whose_address_changes_goes_on() {
    let e = ends(Config::default());
    let middle = Middle::new(e.server.local_addr(), Faults::default(), 1);
    let (client, server) = e.join(middle.address);
    let before = server.report().unwrap().address;
    std::thread::scope(|s| {
        // Long enough that a fast machine is not done before the first change.
        s.spawn(|| write_all(&client, 48 << 20));
        s.spawn(|| {
            for _ in 0..3 {
                std::thread::sleep(Duration::from_millis(5));
                middle.rebind();
            }
        });
        assert_eq!(read_all(&server), 48 << 20);
    });
    server.finish();
    let report = server.report().unwrap();
    assert!(report.moves > 0, "{report:?}");
    assert_ne!(report.address, before);
}

#[test]
fn a_silent_path_ends_in_a_timeout_and_a_shorter_silence_does_not() {
    let e = ends(hasty());
    let middle = Middle::new(e.server.local_addr(), Faults::default(), 1);
    let (client, server) = e.join(middle.address);
    client.write(&[byte(0), byte(1)]).unwrap();
    let mut two = [0; 2];
    assert_eq!(server.read(&mut two).unwrap(), 2);
    middle.silence(true);
    client.write(&[byte(2)]).unwrap();
    std::thread::sleep(Duration::from_millis(900));
    middle.silence(false);
    assert_eq!(server.read(&mut two).unwrap(), 1);
    middle.silence(true);
    let gone = server.read(&mut two).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::TimedOut);
    let gone = client.read(&mut two).unwrap_err();
    assert_eq!(why(&gone), Some(Ended::TimedOut));
}

#[test]
fn an_aborted_connection_tells_both_ends() {
    let e = ends(Config::default());
    let (client, server) = e.join(e.server.local_addr());
    client.abort();
    let told = server.read(&mut [0; 8]).unwrap_err();
    assert_eq!(told.kind(), ErrorKind::ConnectionReset);
    assert_eq!(
        why(&client.wait_closed().unwrap_err()),
        Some(Ended::Aborted)
    );
}

#[test]
fn an_endpoint_that_closes_breaks_its_connections_off() {
    let e = ends(Config::default());
    let (client, server) = e.join(e.server.local_addr());
    e.server.close();
    let told = client.read(&mut [0; 8]).unwrap_err();
    assert_eq!(told.kind(), ErrorKind::ConnectionReset);
    assert!(server.read(&mut [0; 8]).is_err());
    assert_eq!(
        why(&e.server.accept().unwrap_err()),
        Some(Ended::EndpointClosed)
    );
}

#[test]
fn a_wrong_key_a_wrong_version_and_nobody_are_told_apart() {
    let e = ends(hasty());
    let to = e.server.local_addr();
    let connect = |peer: Peer| why(&e.client.connect(to, peer).unwrap_err());
    let other = Peer::Pinned(Keypair::generate().public());
    assert_eq!(connect(other), Some(Ended::WrongKey));
    let shared = Peer::Shared(SharedKey::generate());
    assert_eq!(connect(shared), Some(Ended::WrongKey));

    let mut future = hasty();
    future.door.versions = vec![9];
    let later = Endpoint::server(any(), Identity::Keys(e.keys.clone()), future).unwrap();
    let told = e.client.connect(later.local_addr(), e.peer()).unwrap_err();
    assert_eq!(why(&told), Some(Ended::WrongVersion));

    let nobody = std::net::UdpSocket::bind(any()).unwrap();
    let told = e
        .client
        .connect(nobody.local_addr().unwrap(), e.peer())
        .unwrap_err();
    assert_eq!(why(&told), Some(Ended::NoAnswer));
}

#[test]
fn a_port_in_use_is_an_error_of_the_start() {
    let e = ends(Config::default());
    let again = Endpoint::server(
        e.server.local_addr(),
        Identity::Keys(e.keys.clone()),
        Config::default(),
    );
    assert_eq!(again.unwrap_err().kind(), ErrorKind::AddrInUse);
}

#[test]
fn shared_keys_work_as_well() {
    let key = SharedKey::generate();
    let cfg = Config::default();
    let server = Endpoint::server(any(), Identity::Shared(key.clone()), cfg.clone()).unwrap();
    let client = Endpoint::client(any(), cfg).unwrap();
    let c = client
        .connect(server.local_addr(), Peer::Shared(key))
        .unwrap();
    let s = server.accept().unwrap();
    exchange(&c, &s, 100_000);
}

/// Every packet arrives twice, the second time a second later, and from another address as well.
#[test]
fn recorded_packets_that_are_sent_again_change_nothing() {
    let e = ends(Config::default());
    let middle = Middle::new(e.server.local_addr(), Faults::default(), 1);
    let (client, server) = e.join(middle.address);
    std::thread::scope(|s| {
        s.spawn(|| write_all(&client, 300_000));
        assert_eq!(read_all(&server), 300_000);
    });
    // The client's own last packets (a probe of the path, a late retransmission) may come after the
    // last byte: only what the middle passed on may count.
    let passed = || {
        let seen = middle.seen.lock().unwrap();
        seen.iter().filter(|r| r.0).count() as u64
    };
    let passed_before = passed();
    std::thread::sleep(Duration::from_millis(300));
    let before = server.report().unwrap();
    let stranger = std::net::UdpSocket::bind(any()).unwrap();
    let recorded: Vec<_> = middle.seen.lock().unwrap().clone();
    let mut sent = 0;
    for (_, packet) in recorded.iter().filter(|r| r.0) {
        stranger.send_to(packet, e.server.local_addr()).unwrap();
        sent += 1;
    }
    assert!(sent > 200);
    std::thread::sleep(Duration::from_millis(300));
    let after = server.report().unwrap();
    assert_eq!(after.stats.bytes_received, before.stats.bytes_received);
    let counted = after.stats.segs_in - before.stats.segs_in;
    let own = passed() - passed_before;
    assert!(
        counted <= own && own < 10,
        "{counted} counted, {own} of them the client's own"
    );
    assert_eq!((after.address, after.moves), (before.address, 0));
    // The one INITIAL among them made a half-open connection that got one answer, and no more.
    stranger
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut answers = 0;
    while stranger.recv(&mut [0; 2000]).is_ok() {
        answers += 1;
    }
    assert!(answers <= 1, "{answers}");
}

/// Packets of garbage, of every kind of first byte, do not disturb a transfer.
#[test]
fn injected_packets_do_not_disturb() {
    let e = ends(Config::default());
    let mut n = 0u64;
    let tap = move |packet: &[u8], _: bool| {
        n += 1;
        let mut forged = packet.to_vec();
        let at = n as usize % forged.len();
        forged[at] ^= 1 << (n % 8);
        let noise: Vec<u8> = (0..n % 1400).map(|i| byte(i ^ n)).collect();
        vec![forged, packet.to_vec(), noise]
    };
    let middle = Middle::with_tap(e.server.local_addr(), Faults::default(), 1, Box::new(tap));
    let (client, server) = e.join(middle.address);
    exchange(&client, &server, 500_000);
    assert!(client.report().unwrap().wire.refused > 50);
}

/// Before the client has answered, a server sends no more than it got.
#[test]
fn a_handshake_that_is_never_answered_is_not_amplified() {
    let e = ends(hasty());
    // The server's packets are swallowed.
    let tap = |packet: &[u8], to_server: bool| match to_server {
        true => vec![packet.to_vec()],
        false => Vec::new(),
    };
    let middle = Middle::with_tap(e.server.local_addr(), Faults::default(), 1, Box::new(tap));
    let told = e.client.connect(middle.address, e.peer()).unwrap_err();
    assert_eq!(why(&told), Some(Ended::NoAnswer));
    let (up, down) = (middle.to_server.load(SeqCst), middle.to_client.load(SeqCst));
    assert!(up > 0 && down > 0 && down <= up, "{down} for {up}");
}

/// A thousand INITIALs at once: the server keeps at most what its door allows, and serves who returns
/// a cookie.
#[test]
fn a_flood_of_initials_leaves_the_door_open_for_others() {
    let e = ends(Config::default());
    let flood = std::net::UdpSocket::bind(any()).unwrap();
    let middle = Middle::new(e.server.local_addr(), Faults::default(), 1);
    let first = e.client.connect(middle.address, e.peer()).unwrap();
    let initial = middle.seen.lock().unwrap()[0].1.clone();
    assert_eq!(initial.len(), 1200);
    for n in 0..1000u64 {
        // Each has an id of its own: the server cannot read their messages, and has to try.
        let mut packet = initial.clone();
        packet[2..10].copy_from_slice(&n.to_be_bytes());
        flood.send_to(&packet, e.server.local_addr()).unwrap();
    }
    let (client, server) = {
        let server = e.server.accept().unwrap();
        (first, server)
    };
    exchange(&client, &server, 10_000);
    let (client, server) = e.join(e.server.local_addr());
    exchange(&client, &server, 10_000);
}
