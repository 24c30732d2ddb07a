//! A relay for UDP in real time: what arrives at one socket crosses the network of a scenario and leaves by another.
//!
//! ```text
//! client <-> door [socket] <-> links, queues, filters, channels <-> [socket of the session] <-> server
//! ```
//!
//! A door listens for clients and knows a server; its datagrams go the way of one flow of the scenario. The
//! network is the simulator's own ([`acklab_sim::network`]), driven by the clock on the wall. It
//! knows UDP and nothing above it, so any protocol over UDP can cross it.
//!
//! A relay is a process among others and therefore late at times. It measures how late, and says so in
//! its [`Report`]. Datagrams enter the network at the instant at which the kernel got them, so the network
//! decides as the simulator would; lateness shows where they leave.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a relay has clocks and sockets"
)]

mod clock;
mod drive;
mod lateness;
pub mod path;
mod report;
mod sessions;
mod socket;
#[cfg(test)]
mod tests;
mod wait;

pub use lateness::Lateness;
pub use path::Path;
pub use report::{Entered, Report};

use acklab_sim::plan::Plan;
use acklab_units::Span;
use drive::{Driver, Limits};
use sessions::Door;
use socket::Socket;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

/// One door of a relay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DoorConfig {
    /// Where it listens; port 0 = one that is free.
    pub listen: SocketAddr,
    /// The server behind it.
    pub server: SocketAddr,
    /// Number of the scenario's flow whose way its datagrams go: those of clients from its source to its
    /// destination, those of the server back.
    pub flow: usize,
}

/// How a relay works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelayConfig {
    /// Its doors.
    pub doors: Vec<DoorConfig>,
    /// Seed of what the network draws.
    pub seed: u64,
    /// The relay stops sleeping so long before anything is due and keeps the processor busy instead:
    /// the kernel wakes a sleeper late. Zero = it always sleeps; [`Span::MAX`] = it sleeps
    /// only while the network is empty.
    pub spin: Span,
    /// Clients at once; each has a socket and a flow.
    pub sessions: usize,
    /// Silence after which a client is forgotten.
    pub idle: Span,
    /// Whether the report lists everything that entered: 24 bytes for each datagram.
    pub list_entries: bool,
}

impl Default for RelayConfig {
    fn default() -> Self {
        Self {
            doors: Vec::new(),
            seed: 1,
            spin: Span::from_micros(100),
            sessions: 1024,
            idle: Span::from_secs(120),
            list_entries: false,
        }
    }
}

/// Why there is no relay, or none any more.
#[derive(Debug)]
pub enum RelayError {
    /// It was given no door.
    NoDoor,
    /// A door wants a flow that the scenario does not have.
    NoFlow {
        /// The number it names.
        asked: usize,
        /// How many flows there are.
        flows: usize,
    },
    /// Nothing can be received at that address.
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// A call to the kernel failed.
    Io(io::Error),
    /// The relay's thread panicked: a bug.
    Panicked,
}

impl fmt::Display for RelayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDoor => f.write_str("a relay needs at least one door"),
            Self::NoFlow { asked, flows } => write!(
                f,
                "there is no flow number {asked}: the scenario has {flows}, counted from 0"
            ),
            Self::Listen { address, error } if error.kind() == io::ErrorKind::AddrInUse => {
                write!(
                    f,
                    "UDP port {} of {} is in use",
                    address.port(),
                    address.ip()
                )
            }
            Self::Listen { address, error } => write!(f, "cannot listen at {address}: {error}"),
            Self::Io(error) => write!(f, "the relay ended: {error}"),
            Self::Panicked => f.write_str("the relay's thread panicked"),
        }
    }
}

impl std::error::Error for RelayError {}

/// A relay that runs on a thread of its own. Dropping it ends it.
#[derive(Debug)]
pub struct Relay {
    doors: Vec<SocketAddr>,
    stop: Arc<AtomicBool>,
    bell: wait::Bell,
    ask: Sender<Sender<Report>>,
    thread: Option<JoinHandle<io::Result<Report>>>,
}

impl Relay {
    /// Starts a relay over the network of `plan`. The network's time starts now.
    ///
    /// # Errors
    /// If a door cannot listen or names no flow, or if the kernel gives no timer or thread.
    pub fn start(plan: &Plan, config: &RelayConfig) -> Result<Self, RelayError> {
        let doors = doors(plan, config)?;
        let addresses = doors.iter().map(|d| d.socket.address());
        let addresses = addresses
            .collect::<io::Result<_>>()
            .map_err(RelayError::Io)?;
        let limits = Limits {
            spin: config.spin,
            sessions: config.sessions,
            idle: config.idle,
            list_entries: config.list_entries,
        };
        let path = Path::new(plan, config.seed);
        let driver = Driver::new(path, doors, limits).map_err(RelayError::Io)?;
        let bell = driver.bell();
        let stop = Arc::new(AtomicBool::new(false));
        let (ask, asked) = channel();
        let flag = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("relay".into())
            .spawn(move || driver.run(&flag, &asked))
            .map_err(RelayError::Io)?;
        Ok(Self {
            doors: addresses,
            stop,
            bell,
            ask,
            thread: Some(thread),
        })
    }

    /// Where each door listens.
    pub fn doors(&self) -> &[SocketAddr] {
        &self.doors
    }

    /// Its account so far.
    ///
    /// # Errors
    /// If it has ended by itself: [`Relay::stop`] says why.
    pub fn report(&self) -> Result<Report, RelayError> {
        let (answer, report) = channel();
        let ended = || RelayError::Io(io::ErrorKind::BrokenPipe.into());
        self.ask.send(answer).map_err(|_| ended())?;
        self.bell.ring();
        report.recv().map_err(|_| ended())
    }

    /// Ends it. Datagrams on the path are not delivered.
    ///
    /// # Errors
    /// If it had ended before.
    pub fn stop(mut self) -> Result<Report, RelayError> {
        let thread = self.end().ok_or(RelayError::Panicked)?;
        match thread.join() {
            Ok(report) => report.map_err(RelayError::Io),
            Err(_) => Err(RelayError::Panicked),
        }
    }

    fn end(&mut self) -> Option<JoinHandle<io::Result<Report>>> {
        self.stop.store(true, Ordering::Relaxed);
        self.bell.ring();
        self.thread.take()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if let Some(thread) = self.end() {
            // Its report has no reader.
            let _ = thread.join();
        }
    }
}

fn doors(plan: &Plan, config: &RelayConfig) -> Result<Vec<Door>, RelayError> {
    if config.doors.is_empty() {
        return Err(RelayError::NoDoor);
    }
    let flows = plan.flows.len();
    let doors = config.doors.iter().map(|d| {
        if d.flow >= flows {
            return Err(RelayError::NoFlow {
                asked: d.flow,
                flows,
            });
        }
        let listening = Socket::bind(d.listen);
        let socket = listening.map_err(|error| RelayError::Listen {
            address: d.listen,
            error,
        })?;
        Ok(Door {
            socket,
            server: d.server,
            like: d.flow,
        })
    });
    doors.collect()
}
