//! How application threads reach the driver's.

use crate::buffer::Bell;
use crate::connection::Tie;
use crate::error::Ended;
use crate::keys::Peer;
use crate::session::Report;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

/// A session's place in the driver's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// The slot.
    pub slot: u32,
    /// Which of the slot's tenants.
    pub tenant: u32,
}

/// Request of an application to the driver.
pub enum Command {
    /// Open a connection.
    Connect {
        /// Where to.
        server: SocketAddr,
        /// To whom.
        peer: Peer,
        /// For the connection.
        reply: SyncSender<Result<Tie, Ended>>,
    },
    /// Report a connection's counters and state.
    Report {
        /// Which.
        key: Key,
        /// For the answer.
        reply: SyncSender<Option<Box<Report>>>,
    },
    /// Break every connection off, and end.
    Close,
    /// End when every connection is over.
    Finish,
}

/// The driver's letter box.
pub struct Mailbox {
    waker: mio::Waker,
    /// `None` once the driver has ended.
    commands: Mutex<Option<Vec<Command>>>,
    rung: Mutex<Vec<Key>>,
}

impl Mailbox {
    /// An empty one.
    pub fn new(waker: mio::Waker) -> Self {
        Self {
            waker,
            commands: Mutex::new(Some(Vec::new())),
            rung: Mutex::default(),
        }
    }

    /// Leaves a command.
    ///
    /// # Errors
    /// If the driver has ended, or cannot be woken.
    pub fn send(&self, command: Command) -> io::Result<()> {
        match &mut *self.letters() {
            Some(commands) => commands.push(command),
            None => return Err(Ended::EndpointClosed.into()),
        }
        self.waker.wake()
    }

    fn letters(&self) -> std::sync::MutexGuard<'_, Option<Vec<Command>>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The commands that were left.
    pub fn commands(&self) -> Vec<Command> {
        self.letters()
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Nobody answers any more: who waits for an answer learns that.
    pub fn close(&self) {
        *self.letters() = None;
    }

    /// Swaps the sessions that rang into `out`, which is empty.
    pub fn rung(&self, out: &mut Vec<Key>) {
        std::mem::swap(
            out,
            &mut *self.rung.lock().unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn ring(&self, key: Key) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        rung.push(key);
        let first = rung.len() == 1;
        drop(rung);
        if first {
            // A driver that cannot be woken looks at its letters with the next packet or timer.
            let _ = self.waker.wake();
        }
    }
}

/// The bell of one session.
pub struct SessionBell {
    mailbox: Arc<Mailbox>,
    key: Key,
    rung: AtomicBool,
}

impl SessionBell {
    /// The bell of the session at `key`.
    pub const fn new(mailbox: Arc<Mailbox>, key: Key) -> Self {
        Self {
            mailbox,
            key,
            rung: AtomicBool::new(false),
        }
    }

    /// The driver is about to look.
    pub fn answer(&self) {
        self.rung.store(false, Ordering::SeqCst);
    }
}

impl Bell for SessionBell {
    fn ring(&self) {
        if !self.rung.swap(true, Ordering::SeqCst) {
            self.mailbox.ring(self.key);
        }
    }
}
