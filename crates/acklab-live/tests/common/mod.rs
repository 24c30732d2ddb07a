//! Two endpoints on loopback, and somebody between them who does to packets what networks do.

#![allow(dead_code, reason = "each test file uses a part")]
use acklab_live::{Config, Connection, Endpoint, Identity, Keypair, Peer};
use acklab_proto::rng::{Rng, RngCore, stream, unit};
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub fn any() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// The byte at an offset of the test's stream.
pub fn byte(offset: u64) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// Faults that the middle makes.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    pub loss: f64,
    pub copies: f64,
    pub late: f64,
    pub changed: f64,
}

/// Packets, and whether each went to the server.
pub type Seen = Arc<Mutex<Vec<(bool, Vec<u8>)>>>;
type Tap = Box<dyn FnMut(&[u8], bool) -> Vec<Vec<u8>> + Send>;

/// A relay of one client and one server.
pub struct Middle {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    rebind: Arc<AtomicBool>,
    silent: Arc<AtomicBool>,
    pub seen: Seen,
    pub to_client: Arc<AtomicU64>,
    pub to_server: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Lane {
    front: UdpSocket,
    back: UdpSocket,
    client: Option<SocketAddr>,
    server: SocketAddr,
    rng: Rng,
    waiting: BTreeMap<(Instant, u64), (bool, Vec<u8>)>,
    count: u64,
}

fn socket() -> UdpSocket {
    let s = UdpSocket::bind(any()).unwrap();
    s.set_nonblocking(true).unwrap();
    s
}

impl Lane {
    fn forward(&self, to_server: bool, packet: &[u8]) {
        let _ = match (to_server, self.client) {
            (true, _) => self.back.send_to(packet, self.server),
            (false, Some(client)) => self.front.send_to(packet, client),
            _ => Ok(0),
        };
    }

    fn suffer(&mut self, faults: &Faults, to_server: bool, mut packet: Vec<u8>) {
        let mut chance = |p: f64| unit(&mut self.rng) < p;
        if chance(faults.loss) {
            return;
        }
        let twice = chance(faults.copies);
        let late = chance(faults.late);
        if chance(faults.changed) {
            let at = self.rng.next_u64() as usize % packet.len();
            packet[at] ^= 1 << (self.rng.next_u64() % 8);
        }
        if twice {
            self.forward(to_server, &packet);
        }
        if !late {
            self.forward(to_server, &packet);
            return;
        }
        let wait = Duration::from_micros(self.rng.next_u64() % 20_000);
        self.count += 1;
        self.waiting
            .insert((Instant::now() + wait, self.count), (to_server, packet));
    }
}

impl Middle {
    pub fn new(server: SocketAddr, faults: Faults, seed: u64) -> Self {
        Self::with_tap(server, faults, seed, Box::new(|p, _| vec![p.to_vec()]))
    }

    /// `tap` sees each packet (and whether it goes to the server), and says what is forwarded instead.
    pub fn with_tap(server: SocketAddr, faults: Faults, seed: u64, mut tap: Tap) -> Self {
        let (front, back) = (socket(), socket());
        let address = front.local_addr().unwrap();
        let flag = || Arc::new(AtomicBool::new(false));
        let (stop, rebind, silent) = (flag(), flag(), flag());
        let count = || Arc::new(AtomicU64::new(0));
        let (to_client, to_server) = (count(), count());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut lane = Lane {
            front,
            back,
            client: None,
            server,
            rng: stream(seed, "middle"),
            waiting: BTreeMap::new(),
            count: 0,
        };
        let shared = (stop.clone(), rebind.clone(), silent.clone());
        let counts = (to_client.clone(), to_server.clone());
        let log = seen.clone();
        let thread = std::thread::spawn(move || {
            let mut buffer = vec![0; 70_000];
            while !shared.0.load(SeqCst) {
                let mut idle = true;
                if shared.1.swap(false, SeqCst) {
                    lane.back = socket();
                }
                for to_server in [true, false] {
                    for _ in 0..32 {
                        let from = if to_server { &lane.front } else { &lane.back };
                        let Ok((len, address)) = from.recv_from(&mut buffer) else {
                            break;
                        };
                        idle = false;
                        if to_server {
                            lane.client = Some(address);
                        }
                        let count = if to_server { &counts.1 } else { &counts.0 };
                        count.fetch_add(len as u64, SeqCst);
                        if shared.2.load(SeqCst) {
                            continue;
                        }
                        let packet = buffer[..len].to_vec();
                        if log.lock().unwrap().len() < 10_000 {
                            log.lock().unwrap().push((to_server, packet.clone()));
                        }
                        for p in tap(&packet, to_server) {
                            lane.suffer(&faults, to_server, p);
                        }
                    }
                }
                let now = Instant::now();
                while let Some(entry) = lane.waiting.first_entry().filter(|e| e.key().0 <= now) {
                    let (to_server, packet) = entry.remove();
                    lane.forward(to_server, &packet);
                }
                if idle {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        });
        Self {
            address,
            stop,
            rebind,
            silent,
            seen,
            to_client,
            to_server,
            thread: Some(thread),
        }
    }

    /// The client seems to come from another port from now on.
    pub fn rebind(&self) {
        self.rebind.store(true, SeqCst);
    }

    /// Nothing passes from now on.
    pub fn silence(&self, silent: bool) {
        self.silent.store(silent, SeqCst);
    }
}

impl Drop for Middle {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        if let Some(t) = self.thread.take() {
            let _ = t.join();
        }
    }
}

pub struct Ends {
    pub keys: Keypair,
    pub server: Endpoint,
    pub client: Endpoint,
}

pub fn ends(cfg: Config) -> Ends {
    let keys = Keypair::generate();
    Ends {
        server: Endpoint::server(any(), Identity::Keys(keys.clone()), cfg.clone()).unwrap(),
        client: Endpoint::client(any(), cfg).unwrap(),
        keys,
    }
}

impl Ends {
    pub fn peer(&self) -> Peer {
        Peer::Pinned(self.keys.public())
    }

    /// A connection through `address`: the client's end, and the server's.
    pub fn join(&self, address: SocketAddr) -> (Connection, Connection) {
        let client = self.client.connect(address, self.peer()).unwrap();
        let server = self
            .server
            .accept_within(Duration::from_secs(10))
            .unwrap()
            .expect("a connection");
        (client, server)
    }
}

/// Writes `total` bytes of the test's stream and finishes.
pub fn write_all(c: &Connection, total: u64) {
    let mut at = 0;
    while at < total {
        let len = (total - at).min(40_000);
        let bytes: Vec<u8> = (at..at + len).map(byte).collect();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let taken = c.write(rest).unwrap();
            rest = &rest[taken..];
        }
        at += len;
    }
    c.finish();
}

/// Reads to the end and checks each byte; returns how many there were.
pub fn read_all(c: &Connection) -> u64 {
    let mut buffer = vec![0; 30_000];
    let mut at = 0;
    loop {
        let len = c.read(&mut buffer).unwrap();
        if len == 0 {
            return at;
        }
        for b in &buffer[..len] {
            assert_eq!(*b, byte(at), "offset {at}");
            at += 1;
        }
    }
}

/// Sends `total` bytes each way and ends the connection in order.
pub fn exchange(client: &Connection, server: &Connection, total: u64) {
    std::thread::scope(|s| {
        s.spawn(|| write_all(client, total));
        s.spawn(|| write_all(server, total));
        let far = s.spawn(|| read_all(server));
        assert_eq!(read_all(client), total);
        assert_eq!(far.join().unwrap(), total);
    });
    client.wait_closed().unwrap();
    server.wait_closed().unwrap();
}
