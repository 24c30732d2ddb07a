//! The thread that drives the sessions of one socket: one reading of the clock per batch.

mod receive;
mod socket;
mod table;
mod timer;
mod wake;

pub use socket::Udp;
pub use wake::{Command, Key, Mailbox};

use crate::buffer::Shared;
use crate::clock::Clock;
use crate::config::Config;
use crate::connection::Tie;
use crate::endpoint::Arrivals;
use crate::error::Ended;
use crate::handshake::Door;
use crate::id::{ID_LEN, Id};
use crate::session::{Batch, Entropy, Opened, Report, Session};
use mio::{Events, Interest, Poll, Token};
use ring::rand::{SecureRandom, SystemRandom};
use socket::Arrived;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use table::Table;
use timer::Alarm;
use wake::SessionBell;

const SOCKET: Token = Token(0);
const MAIL: Token = Token(1);
const ALARM: Token = Token(2);

/// Calls that take packets before the sessions' turn comes.
const RECEIVE_ROUNDS: usize = 4;
/// Batches that leave before the socket's turn comes again.
const SEND_ROUNDS: usize = 4;

/// One socket and its sessions.
pub struct Driver {
    cfg: Config,
    clock: Clock,
    poll: Poll,
    udp: Udp,
    alarm: Alarm,
    mailbox: Arc<Mailbox>,
    door: Option<Door>,
    arrivals: Arc<Arrivals>,
    table: Table,
    batch: Batch,
    /// Packets of the batch that have left.
    sent: usize,
    /// The kernel takes no more for now.
    blocked: bool,
    /// The socket may have packets.
    readable: bool,
    arrived: Vec<Arrived>,
    opened: Vec<Opened>,
    rung: Vec<Key>,
    random: SystemRandom,
    finishing: bool,
}

impl Driver {
    /// A driver for a bound socket; a server has a door.
    ///
    /// # Errors
    /// The system's.
    pub fn new(
        cfg: Config,
        mut udp: Udp,
        door: Option<Door>,
        arrivals: Arc<Arrivals>,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let both = Interest::READABLE | Interest::WRITABLE;
        poll.registry().register(udp.source(), SOCKET, both)?;
        let alarm = Alarm::new(poll.registry(), ALARM)?;
        let mailbox = Arc::new(Mailbox::new(mio::Waker::new(poll.registry(), MAIL)?));
        let longest = cfg.largest() as usize;
        Ok(Self {
            batch: Batch::new(udp.segments().max(16), longest),
            cfg,
            clock: Clock::start(),
            poll,
            udp,
            alarm,
            mailbox,
            door,
            arrivals,
            table: Table::default(),
            sent: 0,
            blocked: false,
            readable: true,
            arrived: Vec::new(),
            opened: Vec::new(),
            rung: Vec::new(),
            random: SystemRandom::new(),
            finishing: false,
        })
    }

    /// Where applications leave their letters.
    pub const fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }

    /// Drives until a command ends it.
    ///
    /// # Errors
    /// If the system's poll fails.
    pub fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(16);
        loop {
            self.wait(&mut events)?;
            self.receive();
            if self.commands() || (self.finishing && self.table.len() == 0) {
                return Ok(());
            }
            self.rings();
            self.timers();
            self.transmit();
        }
    }

    /// Sleeps until something is to be done.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let busy = self.readable || (self.table.queued() > 0 && !self.blocked);
        let timeout = if busy {
            Some(Duration::ZERO)
        } else {
            self.alarm.set(self.clock.now(), self.table.next_timeout())
        };
        match self.poll.poll(events, timeout) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => return Err(e),
            _ => {}
        }
        for event in events.iter().filter(|e| e.token() == SOCKET) {
            self.readable |= event.is_readable();
            self.blocked &= !event.is_writable();
        }
        Ok(())
    }

    /// `true` if it is to end.
    fn commands(&mut self) -> bool {
        for command in self.mailbox.commands() {
            match command {
                Command::Connect {
                    server,
                    peer,
                    reply,
                } => {
                    let tie = self.connect(server, peer);
                    let _ = reply.send(tie);
                }
                Command::Report { key, reply } => {
                    let report = self.table.get(key).map(|t| Report::of(&t.session));
                    let _ = reply.send(report.map(Box::new));
                }
                Command::Finish => self.finishing = true,
                Command::Close => {
                    self.break_off();
                    return true;
                }
            }
        }
        false
    }

    fn break_off(&mut self) {
        for slot in self.table.slots() {
            if let Some(t) = self.table.at(slot) {
                t.session.shared().send().aborted = true;
            }
            self.table.enqueue(slot);
        }
        while self.table.queued() > 0 && !self.blocked {
            self.transmit();
        }
    }

    fn entropy(&self) -> Option<Entropy> {
        let mut bytes = [0; ID_LEN + 8];
        self.random.fill(&mut bytes).ok()?;
        let (id, seed) = bytes.split_first_chunk::<ID_LEN>()?;
        let seed = u64::from_be_bytes(seed.try_into().ok()?);
        Some(Entropy { id: Id(*id), seed })
    }

    fn tie(&self) -> (Key, Arc<SessionBell>, Tie) {
        let key = self.table.reserve();
        let bell = Arc::new(SessionBell::new(self.mailbox.clone(), key));
        let t = &self.cfg.tack;
        let shared = Shared::new(t.send_buffer, t.recv_buffer, bell.clone());
        let watch = self.cfg.watch.as_ref();
        let watcher = watch.map(|w| w.watcher(self.clock.origin()));
        let tie = Tie::new(key, shared.watched_by(watcher));
        (key, bell, tie)
    }

    fn connect(&mut self, server: std::net::SocketAddr, peer: crate::Peer) -> Result<Tie, Ended> {
        if self.table.len() >= self.cfg.most_connections {
            return Err(Ended::TooMany);
        }
        let entropy = self.entropy().ok_or(Ended::NoRandomNumbers)?;
        let now = self.clock.now();
        let (key, bell, mut tie) = self.tie();
        let shared = tie.shared.clone();
        let session = Session::connect(now, server, peer, &self.cfg, shared, entropy)
            .map_err(|_| Ended::NoRandomNumbers)?;
        tie.describe(&session);
        self.table.insert(key, session, bell, None, None);
        self.table.enqueue(key.slot);
        Ok(tie)
    }

    fn rings(&mut self) {
        let mut rung = std::mem::take(&mut self.rung);
        self.mailbox.rung(&mut rung);
        for key in rung.drain(..) {
            if let Some(t) = self.table.get(key) {
                t.bell.answer();
                self.table.enqueue(key.slot);
            }
        }
        self.rung = rung;
    }

    fn timers(&mut self) {
        let now = self.clock.now();
        while let Some(slot) = self.table.due(now) {
            if let Some(t) = self.table.at(slot) {
                t.session.on_timeout(now);
            }
            self.table.enqueue(slot);
        }
    }

    /// Lets the sessions fill batches, and sends them.
    fn transmit(&mut self) {
        if !self.flush() {
            return;
        }
        for _ in 0..SEND_ROUNDS {
            let turns = self.table.queued();
            if turns == 0 {
                return;
            }
            let now = self.clock.now();
            for _ in 0..turns {
                let Some(slot) = self.table.dequeue() else {
                    break;
                };
                self.ask(slot, now);
                if self.batch.is_full() && !self.flush() {
                    return;
                }
            }
            if !self.flush() {
                return;
            }
        }
    }

    /// Asks one session for packets.
    fn ask(&mut self, slot: u32, now: acklab_units::Instant) {
        let Some(t) = self.table.at(slot) else {
            return;
        };
        t.session.poll_transmit(now, &mut self.batch);
        if t.session.is_over() {
            self.remove(slot, Ended::Closed);
            return;
        }
        if self.batch.is_full() {
            self.table.enqueue(slot);
        } else {
            self.table.arm(slot);
        }
    }

    /// Sends what is in the batch; `false` if the kernel takes no more.
    fn flush(&mut self) -> bool {
        while self.sent < self.batch.parts().len() {
            if self.blocked {
                return false;
            }
            match self.udp.send(&self.batch, self.sent) {
                Ok(count) => self.sent += count,
                Err(_) => self.blocked = true,
            }
        }
        self.batch.clear();
        self.sent = 0;
        true
    }

    /// A session is over; `ended` counts if nothing better is known.
    fn remove(&mut self, slot: u32, ended: Ended) {
        if let Some(t) = self.table.remove(slot) {
            let shared = t.session.shared();
            shared.leave(Report::of(&t.session));
            shared.end(ended);
        }
    }
}

/// Whoever waits for a driver that ends, in whatever way, learns that.
impl Drop for Driver {
    fn drop(&mut self) {
        let ended = if std::thread::panicking() {
            Ended::DriverFailed
        } else {
            Ended::EndpointClosed
        };
        for slot in self.table.slots() {
            self.remove(slot, ended);
        }
        self.mailbox.close();
        self.arrivals.close();
    }
}
