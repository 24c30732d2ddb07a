//! The two halves of a connection's stream, each behind a lock of its own.

use super::Chunks;
use crate::error::Ended;
use crate::session::{Report, watch};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// Bytes that an application may be ahead of the driver. What is under way needs the whole buffer; more that
/// waits only takes memory, and has left the processor's cache when its turn comes.
const AHEAD: u64 = 1 << 20;

/// Bytes that an application has read when a peer whose window is shut hears of it: for each packet's worth
/// there would be an acknowledgement as often as in TCP.
const SHUT_NEWS: u64 = 64 * 1024;

/// Wakes the driver for a connection.
pub trait Bell: Send + Sync {
    /// The application has changed something that the driver is to look at.
    fn ring(&self);
}

/// Everything that application and driver share.
pub struct Shared {
    send: Mutex<SendHalf>,
    recv: Mutex<RecvHalf>,
    writable: Condvar,
    readable: Condvar,
    bell: Arc<dyn Bell>,
    last: Mutex<Option<Box<Report>>>,
    watcher: Option<watch::Shared>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

/// Data that the application writes.
#[derive(Debug)]
pub struct SendHalf {
    /// The bytes from `start` on.
    pub chunks: Chunks,
    /// Everything below is acknowledged.
    pub start: u64,
    /// Everything below has been sent.
    pub next: u64,
    /// Behind the last byte that was written.
    pub end: u64,
    /// Bytes between the two, at most.
    pub capacity: u64,
    /// Nothing more will be written.
    pub finished: bool,
    /// The application breaks the connection off.
    pub aborted: bool,
    /// The handshake is complete.
    pub open: bool,
    /// The last write found less room than it had bytes: the application has more.
    pub full: bool,
    /// The driver has sent everything and wants to hear of more.
    pub hungry: bool,
    /// How the connection ended.
    pub ended: Option<Ended>,
    /// Threads that wait.
    pub waiting: u32,
    /// The task that waits.
    pub waker: Option<Waker>,
}

/// Data that the application reads.
#[derive(Debug)]
pub struct RecvHalf {
    /// The bytes from `read` on.
    pub chunks: Chunks,
    /// Everything below was taken by the application.
    pub read: u64,
    /// Everything below has arrived.
    pub edge: u64,
    /// Bytes that are held, at most.
    pub capacity: u64,
    /// Nothing follows behind `edge`.
    pub finished: bool,
    /// The driver's last value of `read`.
    pub told: u64,
    /// The peer may send nothing more until it hears of room.
    pub shut: bool,
    /// An application has the connection.
    pub accepted: bool,
    /// The application has let go of the connection.
    pub abandoned: bool,
    /// How the connection ended.
    pub ended: Option<Ended>,
    /// Threads that wait.
    pub waiting: u32,
    /// The task that waits.
    pub waker: Option<Waker>,
}

impl SendHalf {
    /// Bytes that the application may write.
    pub fn room(&self) -> u64 {
        self.free().min(AHEAD.saturating_sub(self.unsent()))
    }

    const fn free(&self) -> u64 {
        self.capacity.saturating_sub(self.end - self.start)
    }

    /// Bytes that have not been sent.
    pub const fn unsent(&self) -> u64 {
        self.end.saturating_sub(self.next)
    }

    /// Whether a writer that had found no room should try again: a third of the buffer is free, as in
    /// Linux (`sk_stream_is_writeable`) and in the simulator, and half of what may be unsent (Linux
    /// `sk_stream_memory_free` with `TCP_NOTSENT_LOWAT`).
    pub const fn wakes_writer(&self) -> bool {
        self.free() >= self.capacity.div_ceil(3) && self.unsent() <= AHEAD / 2
    }
}

impl RecvHalf {
    /// Whether the driver is to tell the peer of room now: of a quarter of the buffer at a time, and of less
    /// if the peer waits for it.
    pub fn has_news(&self) -> bool {
        let quarter = self.capacity / 4;
        let least = if self.shut {
            quarter.min(SHUT_NEWS)
        } else {
            quarter
        };
        self.read - self.told >= least
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in an application's thread must not take the driver along.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Buffers of these sizes.
    pub fn new(send: u64, recv: u64, bell: Arc<dyn Bell>) -> Self {
        Self {
            send: Mutex::new(SendHalf {
                chunks: Chunks::default(),
                start: 0,
                next: 0,
                end: 0,
                capacity: send,
                finished: false,
                aborted: false,
                open: false,
                full: false,
                hungry: true,
                ended: None,
                waiting: 0,
                waker: None,
            }),
            recv: Mutex::new(RecvHalf {
                chunks: Chunks::default(),
                read: 0,
                edge: 0,
                capacity: recv,
                finished: false,
                told: 0,
                shut: false,
                accepted: false,
                abandoned: false,
                ended: None,
                waiting: 0,
                waker: None,
            }),
            writable: Condvar::new(),
            readable: Condvar::new(),
            bell,
            last: Mutex::default(),
            watcher: None,
        }
    }

    /// The same, watched.
    pub fn watched_by(mut self, watcher: Option<watch::Shared>) -> Self {
        self.watcher = watcher;
        self
    }

    /// The connection's watcher.
    pub const fn watcher(&self) -> Option<&watch::Shared> {
        self.watcher.as_ref()
    }

    /// The sending half.
    pub fn send(&self) -> MutexGuard<'_, SendHalf> {
        lock(&self.send)
    }

    /// The receiving half.
    pub fn recv(&self) -> MutexGuard<'_, RecvHalf> {
        lock(&self.recv)
    }

    /// Wakes the driver.
    pub fn ring(&self) {
        self.bell.ring();
    }

    /// Waits until the sending half has changed.
    pub fn wait_send<'a>(&self, mut half: MutexGuard<'a, SendHalf>) -> MutexGuard<'a, SendHalf> {
        half.waiting += 1;
        let mut half = self
            .writable
            .wait(half)
            .unwrap_or_else(PoisonError::into_inner);
        half.waiting -= 1;
        half
    }

    /// Waits until the receiving half has changed.
    pub fn wait_recv<'a>(&self, mut half: MutexGuard<'a, RecvHalf>) -> MutexGuard<'a, RecvHalf> {
        half.waiting += 1;
        let mut half = self
            .readable
            .wait(half)
            .unwrap_or_else(PoisonError::into_inner);
        half.waiting -= 1;
        half
    }

    /// Wakes whoever waits for the sending half.
    pub fn wake_sender(&self, mut half: MutexGuard<'_, SendHalf>) {
        let (waiting, waker) = (half.waiting > 0, half.waker.take());
        drop(half);
        if waiting {
            self.writable.notify_all();
        }
        if let Some(w) = waker {
            w.wake();
        }
    }

    /// Wakes whoever waits for the receiving half.
    pub fn wake_receiver(&self, mut half: MutexGuard<'_, RecvHalf>) {
        let (waiting, waker) = (half.waiting > 0, half.waker.take());
        drop(half);
        if waiting {
            self.readable.notify_all();
        }
        if let Some(w) = waker {
            w.wake();
        }
    }

    /// An application takes the connection: from now on the whole receive buffer is its peer's.
    pub fn accept(&self) {
        self.recv().accepted = true;
        self.ring();
    }

    /// The driver has forgotten the connection: this is what it has counted.
    pub fn leave(&self, report: Report) {
        *lock(&self.last) = Some(Box::new(report));
    }

    /// The last report, which the driver has left.
    pub fn left(&self) -> Option<Report> {
        lock(&self.last).as_deref().copied()
    }

    /// The connection is over: whoever waits learns how.
    pub fn end(&self, ended: Ended) {
        let mut send = self.send();
        send.ended.get_or_insert(ended);
        send.chunks.shrink();
        self.wake_sender(send);
        let mut recv = self.recv();
        recv.ended.get_or_insert(ended);
        self.wake_receiver(recv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Deaf;

    impl Bell for Deaf {
        fn ring(&self) {}
    }

    #[test]
    fn a_peer_that_waits_hears_of_less_room() {
        let news = |capacity, shut, read| {
            let shared = Shared::new(1, capacity, Arc::new(Deaf));
            let mut recv = shared.recv();
            (recv.shut, recv.read) = (shut, read);
            recv.has_news()
        };
        assert!(!news(4 << 20, false, (1 << 20) - 1) && news(4 << 20, false, 1 << 20));
        assert!(!news(4 << 20, true, 65_535) && news(4 << 20, true, 65_536));
        assert!(!news(40_000, true, 9_999) && news(40_000, true, 10_000));
    }
}
