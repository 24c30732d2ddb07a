//! A socket with its driver: opens connections, and lets them in.

use crate::config::Config;
use crate::connection::{Connection, Guard, Tie};
use crate::driver::{Command, Driver, Mailbox, Udp};
use crate::error::Ended;
use crate::handshake::Door;
use crate::keys::{Identity, Peer};
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Connections that wait to be accepted.
pub(crate) struct Arrivals {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    most: usize,
}

#[derive(Default)]
struct Waiting {
    ties: VecDeque<Tie>,
    closed: bool,
}

impl Arrivals {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            most,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has_room(&self) -> bool {
        self.lock().ties.len() < self.most
    }

    pub(crate) fn push(&self, tie: Tie) {
        self.lock().ties.push_back(tie);
        self.arrived.notify_one();
    }

    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn take(&self, patience: Option<Duration>) -> io::Result<Option<Tie>> {
        let mut waiting = self.lock();
        loop {
            if let Some(tie) = waiting.ties.pop_front() {
                tie.shared.accept();
                return Ok(Some(tie));
            }
            if waiting.closed {
                return Err(Ended::EndpointClosed.into());
            }
            let Some(patience) = patience else {
                waiting = self
                    .arrived
                    .wait(waiting)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let (again, result) = self
                .arrived
                .wait_timeout(waiting, patience)
                .unwrap_or_else(PoisonError::into_inner);
            waiting = again;
            if result.timed_out() && waiting.ties.is_empty() {
                return Ok(None);
            }
        }
    }
}

/// A socket with a thread that drives its connections. The thread ends when the endpoint and the last
/// of its connections are gone and everything that was written has arrived.
pub struct Endpoint {
    mailbox: Arc<Mailbox>,
    arrivals: Arc<Arrivals>,
    local: SocketAddr,
    guard: Arc<Guard>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Endpoint({})", self.local)
    }
}

impl Endpoint {
    /// An endpoint at `address` that lets connections in. It can open some, too.
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn server(address: SocketAddr, identity: Identity, cfg: Config) -> io::Result<Self> {
        let mut key = [0; 32];
        SystemRandom::new()
            .fill(&mut key)
            .map_err(|_| Ended::NoRandomNumbers)?;
        let door = Door::new(identity, cfg.door.clone(), &key);
        Self::start(address, cfg, Some(door))
    }

    /// An endpoint that opens connections, at `address`: port 0 is any.
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn client(address: SocketAddr, cfg: Config) -> io::Result<Self> {
        Self::start(address, cfg, None)
    }

    fn start(address: SocketAddr, cfg: Config, door: Option<Door>) -> io::Result<Self> {
        let udp = Udp::bind(address, cfg.socket_buffer)?;
        let local = udp.local_addr()?;
        let arrivals = Arc::new(Arrivals::new(cfg.backlog));
        let driver = Driver::new(cfg, udp, door, arrivals.clone())?;
        let mailbox = driver.mailbox().clone();
        std::thread::Builder::new()
            .name("acklab-live".into())
            .spawn(move || driver.run())?;
        Ok(Self {
            guard: Arc::new(Guard(mailbox.clone())),
            mailbox,
            arrivals,
            local,
        })
    }

    /// Where it is bound.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Opens a connection to `server` and waits until it is open.
    ///
    /// # Errors
    /// If nobody answers, or the server has another key or version: the error's inner [`Ended`] says which.
    pub fn connect(&self, server: SocketAddr, peer: Peer) -> io::Result<Connection> {
        let (reply, answer) = sync_channel(1);
        self.mailbox.send(Command::Connect {
            server,
            peer,
            reply,
        })?;
        let tie = answer.recv().map_err(|_| Ended::EndpointClosed)??;
        let connection = Connection::new(tie, self.guard.clone());
        connection.wait_open()?;
        Ok(connection)
    }

    /// The next connection that was opened to this endpoint; waits for it.
    ///
    /// # Errors
    /// If the endpoint was closed.
    pub fn accept(&self) -> io::Result<Connection> {
        let tie = self.arrivals.take(None)?;
        tie.map(|t| Connection::new(t, self.guard.clone()))
            .ok_or_else(|| Ended::EndpointClosed.into())
    }

    /// The same; `None` if none came within `patience`.
    ///
    /// # Errors
    /// If the endpoint was closed.
    pub fn accept_within(&self, patience: Duration) -> io::Result<Option<Connection>> {
        let tie = self.arrivals.take(Some(patience))?;
        Ok(tie.map(|t| Connection::new(t, self.guard.clone())))
    }

    /// Breaks every connection off.
    pub fn close(&self) {
        // A driver that has ended has no connections.
        let _ = self.mailbox.send(Command::Close);
    }
}
