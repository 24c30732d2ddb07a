//! The relay over real sockets: times come from the kernel's stamps, so that they do not depend on when a
//! test gets the processor, and bounds on them from the lateness that the relay reports.

use super::clock::Clock;
use super::path::{Envelope, Path, Way};
use super::socket::{Batch, Socket};
use super::*;
use acklab_path::packet::DropReason;
use acklab_proto::segment::Ecn;
use acklab_sim::scenario::load_toml;
use acklab_units::Instant;
use std::net::UdpSocket;
use std::time::Duration;

/// A single link between two nodes, with these keys.
fn plan(keys: &str) -> Plan {
    let text = format!(
        "duration = \"10 s\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\na = \"a\"\nb = \"b\"\n{keys}\n\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\n"
    );
    load_toml(&text, "test", &[])
        .unwrap_or_else(|e| panic!("{e}"))
        .plan
}

/// A relay, who sends into it, and who receives behind it.
struct Bench {
    relay: Relay,
    client: UdpSocket,
    server: Socket,
}

/// A datagram at the server: its number, and when the kernel got it.
type Seen = (u32, Instant);

impl Bench {
    fn new(plan: &Plan) -> Self {
        let server = Socket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let config = RelayConfig {
            doors: vec![door(server.address().unwrap())],
            seed: 7,
            list_entries: true,
            ..RelayConfig::default()
        };
        let relay = Relay::start(plan, &config).unwrap();
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(relay.doors()[0]).unwrap();
        Self {
            relay,
            client,
            server,
        }
    }

    /// Sends datagram number `n` of `size` bytes as an IP packet.
    fn send(&self, n: u32, size: usize) {
        let mut payload = vec![0; size - 28];
        payload[..4].copy_from_slice(&n.to_be_bytes());
        self.client.send(&payload).unwrap();
    }

    /// Receives datagrams until there was none for `silence`.
    fn receive(&self, clock: Clock, silence: Duration) -> Vec<Seen> {
        let mut batch = Batch::default();
        let mut seen = Vec::new();
        let mut last = std::time::Instant::now();
        while last.elapsed() < silence {
            let reading = clock.read();
            let before = seen.len();
            let take = |r: super::socket::Received<'_>| {
                let n = u32::from_be_bytes(*r.payload.first_chunk().unwrap());
                seen.push((n, reading.instant_of(r.stamp)));
            };
            self.server.receive(&mut batch, take).unwrap();
            if seen.len() > before {
                last = std::time::Instant::now();
            } else {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        seen
    }
}

fn door(server: SocketAddr) -> DoorConfig {
    DoorConfig {
        listen: "127.0.0.1:0".parse().unwrap(),
        server,
        flow: 0,
    }
}

/// Lets the entries of a relay cross the same path in virtual time.
fn replay(plan: &Plan, entries: &[Entered]) -> Path {
    let mut path = Path::new(plan, 7);
    let flow = path.join(0);
    let home: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let envelope = Envelope {
        from: home,
        to: home,
        ecn: Ecn::NotEct,
    };
    for e in entries {
        assert_eq!(e.flow, flow);
        let packet = path
            .pack(&envelope, &vec![0; e.size as usize - 28])
            .unwrap();
        let late = path.enter(e.at, flow, e.way, packet);
        assert!(late.is_zero(), "entries are in order");
    }
    while path.leave(Instant::from_nanos(u64::MAX / 4)).is_some() {}
    path
}

#[test]
fn a_stream_leaves_at_the_rate_of_the_link() {
    let plan = plan("rate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nqueue = \"500 packets\"");
    let bench = Bench::new(&plan);
    let clock = Clock::start();
    (0..300).for_each(|n| bench.send(n, 1500));
    let seen = bench.receive(clock, Duration::from_millis(300));
    let report = bench.relay.stop().unwrap();
    assert_eq!(
        seen.iter().map(|s| s.0).collect::<Vec<_>>(),
        (0..300).collect::<Vec<_>>()
    );
    // 1.2 ms each, from the end of the first to that of the last.
    let due = Span::from_micros(299 * 1200).as_nanos();
    let took = seen[299].1.saturating_since(seen[0].1).as_nanos();
    let late = report.left_late.max().as_nanos() + 200_000;
    assert!(
        took.abs_diff(due) <= late,
        "{took} ns for {due}, late by at most {late}"
    );
    assert_eq!(report.left_late.count(), 300);
    assert!(report.balance.holds() && report.missed == 0 && report.unsent == 0);
}

#[test]
fn the_delay_is_that_of_the_link() {
    let plan = plan("rate = \"1 Gbit/s\"\ndelay = \"30 ms\"\nqueue = \"500 packets\"");
    let bench = Bench::new(&plan);
    let clock = Clock::start();
    let sent: Vec<Instant> = (0..40)
        .map(|n| {
            std::thread::sleep(Duration::from_millis(3));
            let now = clock.now();
            bench.send(n, 100);
            now
        })
        .collect();
    let seen = bench.receive(clock, Duration::from_millis(300));
    let report = bench.relay.stop().unwrap();
    assert_eq!(seen.len(), 40);
    let delays = seen
        .iter()
        .map(|(n, at)| at.saturating_since(sent[*n as usize]));
    let delays: Vec<Span> = delays.collect();
    // 800 ns of serialisation and 30 ms; the two clocks are read one after the other.
    let least = delays.iter().min().unwrap().as_nanos();
    assert!(least >= 29_990_000, "{least}");
    assert!(
        least <= 30_010_000 + report.left_late.max().as_nanos() + 1_000_000,
        "{least}"
    );
}

#[test]
fn losses_and_drops_are_the_simulators_for_the_same_arrivals() {
    let links = [
        "rate = \"100 Mbit/s\"\ndelay = \"1 ms\"\nqueue = \"2000 packets\"\nloss = 0.1",
        "rate = \"20 Mbit/s\"\ndelay = \"1 ms\"\nqueue = \"20 packets\"",
        "rate = \"20 Mbit/s\"\ndelay = \"1 ms\"\nqueue = \"50 packets\"\nqdisc = \"codel\"",
    ];
    for (links, reason) in links.into_iter().zip([
        DropReason::RandomLoss,
        DropReason::QueueFull,
        DropReason::QueueFull,
    ]) {
        let plan = plan(links);
        let bench = Bench::new(&plan);
        let clock = Clock::start();
        for n in 0..1500 {
            bench.send(n, 600);
            if n % 100 == 99 {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        let seen = bench.receive(clock, Duration::from_millis(200));
        let report = bench.relay.stop().unwrap();
        assert_eq!(report.missed, 0);
        let simulated = replay(&plan, &report.entries);
        let (ours, theirs) = (&report.links[0].1, simulated.links().next().unwrap().1);
        assert_eq!(*ours, theirs, "{links}");
        assert_eq!(report.balance, simulated.balance());
        assert!(ours.dropped_for(reason) > 20, "{links}: {ours:?}");
        assert_eq!(seen.len() as u64, report.balance.crossed);
    }
}

#[test]
fn every_packet_is_accounted_for_on_a_path_that_copies_and_reorders() {
    let plan = plan(
        "rate = \"50 Mbit/s\"\ndelay = \"2 ms\"\nqueue = \"30 packets\"\nloss = 0.02\n\
         duplicate = 0.03\nreorder = { probability = 0.05, delay = \"3 ms\" }\njitter = \"1 ms\"",
    );
    let bench = Bench::new(&plan);
    let mut others: Vec<UdpSocket> = Vec::new();
    for n in 0..800 {
        bench.send(n, 1000);
        if n % 100 == 0 {
            let other = UdpSocket::bind("127.0.0.1:0").unwrap();
            other.send_to(&[0; 50], bench.relay.doors()[0]).unwrap();
            others.push(other);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let seen = bench.receive(Clock::start(), Duration::from_millis(200));
    let report = bench.relay.stop().unwrap();
    let balance = report.balance;
    assert!(balance.holds(), "{balance:?}");
    assert_eq!((balance.entered, report.sessions), (808, 9));
    assert!(balance.copied > 5 && balance.dropped > 20, "{balance:?}");
    assert_eq!(seen.len() as u64, balance.crossed - report.unsent);
    assert_eq!((balance.under_way, report.entered_late.count()), (0, 808));
}

#[test]
fn answers_find_their_clients_with_their_bytes_and_marks() {
    let plan = plan("rate = \"100 Mbit/s\"\ndelay = \"1 ms\"\nqueue = \"100 packets\"");
    let bench = Bench::new(&plan);
    let clients: Vec<UdpSocket> = (0..3)
        .map(|_| UdpSocket::bind("127.0.0.1:0").unwrap())
        .collect();
    for (client, n) in clients.iter().zip(0u32..) {
        client
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        client
            .send_to(&n.to_be_bytes(), bench.relay.doors()[0])
            .unwrap();
    }
    let mut batch = Batch::default();
    let mut answered = 0;
    while answered < 3 {
        let server = &bench.server;
        let take = |r: super::socket::Received<'_>| {
            answered += 1;
            let answer = [r.payload, b"!"].concat();
            assert!(server.send(r.from, Ecn::Ect1, &answer));
        };
        server.receive(&mut batch, take).unwrap();
    }
    for (client, n) in clients.iter().zip(0u32..) {
        let mut got = [0; 100];
        let (len, from) = client.recv_from(&mut got).unwrap();
        assert_eq!(&got[..len], [&n.to_be_bytes()[..], b"!"].concat());
        assert_eq!(from, bench.relay.doors()[0]);
    }
    let report = bench.relay.report().unwrap();
    let back = report.entries.iter().filter(|e| e.way == Way::Back);
    assert_eq!((report.sessions, back.count()), (3, 3));
}

#[test]
fn mistakes_are_told() {
    let plan = plan("rate = \"1 Mbit/s\"\ndelay = \"1 ms\"");
    let server = "127.0.0.1:9".parse().unwrap();
    let start = |doors| {
        let config = RelayConfig {
            doors,
            ..RelayConfig::default()
        };
        Relay::start(&plan, &config)
            .map(|r| r.doors()[0])
            .map_err(|e| e.to_string())
    };
    assert_eq!(
        start(vec![]).unwrap_err(),
        "a relay needs at least one door"
    );
    let flow = DoorConfig {
        flow: 3,
        ..door(server)
    };
    assert_eq!(
        start(vec![flow]).unwrap_err(),
        "there is no flow number 3: the scenario has 1, counted from 0"
    );
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap();
    let busy = DoorConfig {
        listen,
        ..door(server)
    };
    let port = listen.port();
    assert_eq!(
        start(vec![busy]).unwrap_err(),
        format!("UDP port {port} of 127.0.0.1 is in use")
    );
}
