//! Two sessions against each other.

mod hostile;
mod matrix;
mod world;

use super::*;
use acklab_proto::tack::endpoint::State;
use world::*;

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

/// A handshake takes the machines' time as well as the path's: each end has measured another. The interval
/// of TACKs follows the path's, as the sender has it.
#[test]
fn the_receiver_learns_a_round_trip_shorter_than_its_handshake() {
    let mut w = World::open(Config::default());
    let rtt_min = |w: &World| w.server.endpoint.receiver().estimates().rtt_min;
    let own = |w: &World| w.client.endpoint.sender().rtt_min();
    // The first packet did not take any time in this world.
    assert_eq!(own(&w), Span::from_micros(200));
    assert_eq!(rtt_min(&w), Some(Span::from_micros(400)));
    w.write(true, &[1; 500_000]);
    for _ in 0..200 {
        w.step(Span::from_micros(200));
    }
    assert_eq!(own(&w), Span::from_micros(200));
    assert_eq!(rtt_min(&w), Some(Span::from_micros(200)));
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

/// The word that the window is open again is lost after half a minute in which the sender's own questions have
/// become rare: it is repeated.
#[test]
fn a_window_opens_soon_even_if_the_word_of_it_is_lost() {
    let mut cfg = Config::default();
    Arc::make_mut(&mut cfg.tack).recv_buffer = 200_000;
    let mut w = World::open(cfg);
    w.write(true, &vec![3; 1_000_000]);
    for _ in 0..30_000 {
        w.step(Span::from_millis(1));
    }
    let held = w.server.shared.recv().edge;
    assert!(w.server.shared.recv().shut);
    assert_eq!(w.read(false).len() as u64, held);
    assert_eq!(w.sent(false).len(), 1, "the word that is lost");
    for _ in 0..50 {
        w.step(Span::from_millis(1));
    }
    assert!(w.server.shared.recv().edge > held);
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
    for _ in 0..3000 {
        w.step(Span::from_millis(1));
        if w.server.shared.recv().edge == 1_000_000 {
            break;
        }
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

/// A path seems to carry only smaller packets, and those that left before arrive yet: each acknowledges
/// several of the smaller ones at once, which is no lie.
#[test]
fn larger_packets_that_arrive_after_smaller_ones_were_sent_count() {
    let mut w = World::open(Config::default());
    w.write(true, &[6; 40_000]);
    let large = w.sent(true);
    assert!(large.len() >= 5, "{}", large.len());
    w.client.endpoint.set_mss(300, true);
    let mut smaller = 0;
    while smaller < 3 * large.len() {
        w.now = w.client.next_timeout().expect("a timer").max(w.now);
        w.client.on_timeout(w.now);
        smaller += w.sent(true).len();
    }
    for (_, packet) in large {
        w.take(false, address(1), packet);
    }
    for _ in 0..400 {
        w.step(Span::from_millis(5));
    }
    assert_eq!(w.client.shared.send().ended, None);
    assert_eq!(w.read(false).len(), 40_000);
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
