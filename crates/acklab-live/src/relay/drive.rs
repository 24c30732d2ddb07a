//! The relay's thread: receive, let the network go on, send what is due, wait.

use super::clock::{Clock, Reading};
use super::path::{Crossed, Envelope, Path, Way};
use super::report::{Entered, Report};
use super::sessions::{Door, Session, Sessions};
use super::socket::{Batch, Received, Socket};
use super::wait::{Patience, Waiter};
use acklab_sim::network::Content;
use acklab_sim::network::bytes::IpPacket;
use acklab_units::{Instant, Span};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

/// The longest wait: between two looks at sessions that have been silent.
const LOOK_EVERY: Span = Span::from_millis(500);
/// Limits of a driver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The processor is kept busy so long before anything is due.
    pub spin: Span,
    /// Clients at once.
    pub sessions: usize,
    /// Silence that ends a session.
    pub idle: Span,
    /// Whether entries are listed.
    pub list_entries: bool,
}

/// A datagram between its socket and the network.
#[derive(Debug)]
struct Entry {
    at: Instant,
    session: u32,
    way: Way,
    packet: IpPacket,
}

/// Everything that the relay's thread owns.
#[derive(Debug)]
pub(super) struct Driver {
    clock: Clock,
    limits: Limits,
    path: Path,
    doors: Vec<Door>,
    sessions: Sessions,
    waiter: Waiter,
    batch: Batch,
    entries: Vec<Entry>,
    ready: Vec<u32>,
    report: Report,
    looked: Instant,
}

impl Driver {
    /// A driver of `path` behind `doors`.
    pub fn new(path: Path, doors: Vec<Door>, limits: Limits) -> io::Result<Self> {
        let waiter = Waiter::new()?;
        for (door, name) in doors.iter().zip(0..) {
            waiter.add(&door.socket, name)?;
        }
        Ok(Self {
            clock: Clock::start(),
            limits,
            path,
            doors,
            sessions: Sessions::default(),
            waiter,
            batch: Batch::default(),
            entries: Vec::new(),
            ready: Vec::new(),
            report: Report::default(),
            looked: Instant::ZERO,
        })
    }

    /// A bell that ends a wait of the driver.
    pub fn bell(&self) -> super::wait::Bell {
        self.waiter.bell()
    }

    /// Relays until `stop`; the bell must be rung after it was set. Answers with a report whenever
    /// `asked` is sent something and the bell is rung.
    pub fn run(
        mut self,
        stop: &AtomicBool,
        asked: &Receiver<Sender<Report>>,
    ) -> io::Result<Report> {
        while !stop.load(Ordering::Relaxed) {
            let patience = self.patience();
            self.waiter.wait(patience, &mut self.ready)?;
            let reading = self.clock.read();
            let whole = self.receive(reading)?;
            self.depart(whole);
            if reading.now.saturating_since(self.looked) >= LOOK_EVERY {
                self.looked = reading.now;
                self.end_silent_sessions(reading.now);
            }
            for answer in asked.try_iter() {
                // The asker may have gone.
                let _ = answer.send(self.account());
            }
        }
        Ok(self.account())
    }

    /// How long nothing is due; shortly before something is, not at all.
    fn patience(&self) -> Patience {
        let Some(due) = self.path.next_wakeup() else {
            return Patience::Up(LOOK_EVERY);
        };
        let left = due.saturating_since(self.clock.now());
        match left.saturating_sub(self.limits.spin) {
            Span::ZERO => Patience::None,
            span => Patience::Up(span.min(LOOK_EVERY)),
        }
    }

    /// Takes in what has come, in the order in which it came. Returns the instant up to which everything
    /// has been taken in.
    fn receive(&mut self, reading: Reading) -> io::Result<Instant> {
        let mut whole = reading.now;
        let ready = core::mem::take(&mut self.ready);
        for name in &ready {
            let before = self.entries.len();
            if self.receive_from(*name, reading)? {
                let last = self.entries[before..].last();
                whole = last.map_or(whole, |e| e.at.min(whole));
            }
        }
        self.ready = ready;
        if !self.entries.is_sorted_by_key(|e| e.at) {
            // Stable, so that datagrams with one stamp keep their order.
            self.entries.sort_by_key(|e| e.at);
        }
        for entry in self.entries.drain(..) {
            let Some(session) = self.sessions.get_mut(entry.session) else {
                continue;
            };
            session.last = reading.now;
            let (flow, size) = (session.flow, entry.packet.size());
            let late = self.path.enter(entry.at, flow, entry.way, entry.packet);
            self.report.entered_late.push(late);
            if self.limits.list_entries {
                self.report.entries.push(Entered {
                    at: entry.at + late,
                    flow,
                    way: entry.way,
                    size,
                });
            }
        }
        Ok(whole)
    }

    /// Receives a batch from the socket of that name. Says whether there may be more.
    fn receive_from(&mut self, name: u32, reading: Reading) -> io::Result<bool> {
        let doors = self.doors.len() as u32;
        if name < doors {
            return self.receive_from_clients(name as usize, reading);
        }
        let number = name - doors;
        let Some(session) = self.sessions.get(number) else {
            return Ok(false);
        };
        let server = self.doors[session.door].server;
        let (path, entries) = (&mut self.path, &mut self.entries);
        let turned_away = &mut self.report.turned_away;
        session.socket.receive(&mut self.batch, |r| {
            let envelope = envelope(&r, session.client);
            let packet = (r.from == server).then(|| path.pack(&envelope, r.payload));
            match packet.flatten() {
                Some(packet) => entries.push(Entry {
                    at: reading.instant_of(r.stamp),
                    session: number,
                    way: Way::Back,
                    packet,
                }),
                None => *turned_away += 1,
            }
        })
    }

    fn receive_from_clients(&mut self, door: usize, reading: Reading) -> io::Result<bool> {
        let Self {
            doors,
            sessions,
            path,
            entries,
            report,
            waiter,
            limits,
            ..
        } = self;
        doors[door].socket.receive(&mut self.batch, |r| {
            let known = sessions.find(door, r.from);
            let session = known.or_else(|| {
                let number = sessions.next_number();
                if sessions.len() >= limits.sessions {
                    return None;
                }
                let socket = towards(doors[door].server).ok()?;
                waiter.add(&socket, doors.len() as u32 + number).ok()?;
                report.sessions += 1;
                sessions.add(Session {
                    door,
                    client: r.from,
                    socket,
                    flow: path.join(doors[door].like),
                    last: reading.now,
                });
                Some(number)
            });
            let envelope = envelope(&r, doors[door].server);
            let packet = session.and_then(|s| Some((s, path.pack(&envelope, r.payload)?)));
            match packet {
                Some((session, packet)) => entries.push(Entry {
                    at: reading.instant_of(r.stamp),
                    session,
                    way: Way::There,
                    packet,
                }),
                None => report.turned_away += 1,
            }
        })
    }

    /// Sends what was due by `whole`.
    fn depart(&mut self, whole: Instant) {
        while let Some(crossed) = self.path.leave(whole) {
            if !self.send(&crossed) {
                self.report.unsent += 1;
            }
            let late = self.clock.now().saturating_since(crossed.due);
            self.report.left_late.push(late);
            self.path.reuse(crossed);
        }
    }

    fn send(&self, crossed: &Crossed) -> bool {
        let Some(session) = self.sessions.of_flow(crossed.flow) else {
            return false;
        };
        let door = &self.doors[session.door];
        let (socket, to) = match crossed.way {
            Way::There => (&session.socket, door.server),
            Way::Back => (&door.socket, session.client),
        };
        socket.send(to, crossed.ecn(), crossed.payload())
    }

    fn end_silent_sessions(&mut self, now: Instant) {
        let (path, missed) = (&mut self.path, &mut self.report.missed);
        self.sessions.expire(now, self.limits.idle, |gone| {
            *missed += gone.socket.missed();
            path.part(gone.flow);
        });
    }

    /// The report as of now.
    fn account(&self) -> Report {
        let sockets = self.doors.iter().map(|d| &d.socket);
        let sockets = sockets.chain(self.sessions.iter().map(|s| &s.socket));
        let missed: u64 = sockets.map(Socket::missed).sum();
        Report {
            lasted: self.clock.now().saturating_since(Instant::ZERO),
            balance: self.path.balance(),
            missed: self.report.missed + missed,
            links: self.path.links().map(|(n, s)| (n.to_owned(), s)).collect(),
            ..self.report.clone()
        }
    }
}

/// A socket from which to speak to a server.
fn towards(server: SocketAddr) -> io::Result<Socket> {
    let any = match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    Socket::bind(any)
}

fn envelope(received: &Received<'_>, to: SocketAddr) -> Envelope {
    Envelope {
        from: received.from,
        to,
        ecn: received.ecn,
    }
}
