//! Paths that swallow large packets (RFC 8899).

mod common;

use acklab_live::{BASE_MTU, Config, Connection};
use common::{Faults, Middle, ends, exchange, read_all, write_all};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Bytes of the IP and UDP headers that go with a payload.
const HEADERS: usize = 28;

/// A path to `server` that carries IP packets of so many bytes, and where to change that.
fn narrow(server: std::net::SocketAddr, carries: usize) -> (Middle, Arc<AtomicUsize>) {
    let size = Arc::new(AtomicUsize::new(carries));
    let most = size.clone();
    let tap = move |packet: &[u8], _: bool| {
        let fits = packet.len() + HEADERS <= most.load(SeqCst);
        Vec::from_iter(fits.then(|| packet.to_vec()))
    };
    let none = Faults::default();
    (Middle::with_tap(server, none, 1, Box::new(tap)), size)
}

/// Waits until the connection's packets have a size that is right.
fn found(c: &Connection, right: impl Fn(u32) -> bool) -> u32 {
    let began = Instant::now();
    loop {
        let size = c.report().unwrap().packet_size;
        if right(size) || began.elapsed() > Duration::from_secs(60) {
            return size;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn largest(middle: &Middle) -> usize {
    let seen = middle.seen.lock().unwrap();
    seen.iter().map(|s| s.1.len()).max().unwrap_or(0) + HEADERS
}

#[test]
fn a_wide_path_is_found_to_be_wide() {
    let e = ends(Config::default());
    let (middle, _) = narrow(e.server.local_addr(), usize::MAX);
    let (client, server) = e.join(middle.address);
    assert_eq!(found(&client, |s| s == 1500), 1500);
    assert_eq!(found(&server, |s| s == 1500), 1500);
    exchange(&client, &server, 1 << 20);
    assert_eq!(largest(&middle), 1500);
}

#[test]
fn a_narrow_path_is_filled_and_everything_arrives() {
    let e = ends(Config::default());
    let (middle, _) = narrow(e.server.local_addr(), 1400);
    let (client, server) = e.join(middle.address);
    let right = |s| s > 1400 - 32 && s <= 1400;
    let (ours, theirs) = (found(&client, right), found(&server, right));
    assert!(right(ours) && right(theirs), "{ours} {theirs}");
    let lost = client.report().unwrap().stats.lost_segs;
    assert_eq!(lost, 0, "probes are not TACK's");
    exchange(&client, &server, 1 << 20);
}

#[test]
fn a_size_that_is_fixed_is_kept() {
    let e = ends(Config::default().with_mtu(1300));
    let (middle, _) = narrow(e.server.local_addr(), usize::MAX);
    let (client, server) = e.join(middle.address);
    exchange(&client, &server, 1 << 20);
    // Packet numbers have one to four bytes.
    assert!((1297..=1300).contains(&largest(&middle)));
}

/// A black hole: what is under way is too large, and so would each of its repetitions be.
#[test]
fn a_path_that_becomes_narrow_is_noticed() {
    let e = ends(Config::default());
    let (middle, carries) = narrow(e.server.local_addr(), usize::MAX);
    let (client, server) = e.join(middle.address);
    assert_eq!(found(&client, |s| s == 1500), 1500);
    let total = 8 << 20;
    std::thread::scope(|s| {
        s.spawn(|| write_all(&client, total));
        s.spawn(|| {
            std::thread::sleep(Duration::from_millis(5));
            carries.store(BASE_MTU as usize + 40, SeqCst);
        });
        assert_eq!(read_all(&server), total);
    });
    let size = client.report().unwrap().packet_size;
    assert!(size <= BASE_MTU + 40, "{size}");
    server.finish();
    client.wait_closed().unwrap();
}
