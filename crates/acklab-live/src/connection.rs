//! A connection as an application sees it: one stream of bytes each way.

use crate::buffer::{RecvHalf, SendHalf, Shared};
use crate::driver::{Command, Key, Mailbox};
use crate::error::Ended;
use crate::id::Id;
use crate::session::{Report, Session, watch};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, MutexGuard};
use std::task::{Context, Poll};

/// A connection as the driver gives it to an application.
pub struct Tie {
    pub(crate) shared: Arc<Shared>,
    key: Key,
    id: Id,
    address: SocketAddr,
}

impl Tie {
    pub(crate) fn new(key: Key, shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
            key,
            id: Id::default(),
            address: (Ipv4Addr::UNSPECIFIED, 0).into(),
        }
    }

    pub(crate) fn describe(&mut self, session: &Session) {
        self.id = session.local();
        self.address = session.address();
    }
}

/// Tells the driver that nobody uses the endpoint any more.
pub(crate) struct Guard(pub Arc<Mailbox>);

impl Drop for Guard {
    fn drop(&mut self) {
        // A driver that has ended already needs no telling.
        let _ = self.0.send(Command::Finish);
    }
}

/// Outcome of a try to read.
enum Tried<'a> {
    /// So many bytes were there; zero is the end of the stream.
    Read(usize),
    /// There is nothing yet.
    Nothing(MutexGuard<'a, RecvHalf>),
}

struct Handle {
    tie: Tie,
    guard: Arc<Guard>,
}

impl Drop for Handle {
    /// Written data still arrive, as after closing a TCP socket; data that arrive from now on
    /// nobody reads, and their sender learns of it.
    fn drop(&mut self) {
        let shared = &self.tie.shared;
        shared.send().finished = true;
        let mut recv = shared.recv();
        recv.abandoned = true;
        drop(recv);
        shared.ring();
    }
}

/// One connection. Clones speak of the same one; it is closed in order when the last of them is gone.
///
/// [`Read`] and [`Write`] block; [`tokio::io::AsyncRead`] and [`tokio::io::AsyncWrite`] do not, under
/// any runtime.
#[derive(Clone)]
pub struct Connection {
    handle: Arc<Handle>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Connection({})", self.id())
    }
}

impl Connection {
    pub(crate) fn new(tie: Tie, guard: Arc<Guard>) -> Self {
        let handle = Arc::new(Handle { tie, guard });
        Self { handle }
    }

    fn shared(&self) -> &Shared {
        &self.handle.tie.shared
    }

    /// The id by which the peer's packets find it.
    pub fn id(&self) -> Id {
        self.handle.tie.id
    }

    /// Where the peer was when the connection was opened: [`Report::address`] says where it is.
    pub fn peer_addr(&self) -> SocketAddr {
        self.handle.tie.address
    }

    /// Waits until the handshake is over.
    pub(crate) fn wait_open(&self) -> io::Result<()> {
        let mut send = self.shared().send();
        loop {
            if let Some(ended) = send.ended {
                return Err(ended.into());
            }
            if send.open {
                return Ok(());
            }
            send = self.shared().wait_send(send);
        }
    }

    /// Writes what there is room for, at least a byte; waits for room if there is none.
    ///
    /// # Errors
    /// If the connection is over, or was finished here.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut send = self.shared().send();
        loop {
            if let Some(taken) = self.try_write(&mut send, bytes)? {
                return Ok(taken);
            }
            send = self.shared().wait_send(send);
        }
    }

    fn try_write(&self, send: &mut SendHalf, bytes: &[u8]) -> io::Result<Option<usize>> {
        if let Some(ended) = send.ended {
            return Err(ended.into());
        }
        if send.finished {
            return Err(io::Error::new(
                io::ErrorKind::BrokenPipe,
                "the stream was finished here: nothing more can be written",
            ));
        }
        let taken = bytes.len().min(send.room() as usize);
        send.full = taken < bytes.len();
        if taken == 0 {
            return Ok(None);
        }
        let at = send.end;
        send.chunks.write(at, &bytes[..taken]);
        send.end += taken as u64;
        if std::mem::take(&mut send.hungry) {
            self.shared().ring();
        }
        Ok(Some(taken))
    }

    /// Reads what there is, at least a byte; waits if there is nothing. Zero means that the peer has
    /// finished.
    ///
    /// # Errors
    /// If the connection ended before the peer had finished.
    pub fn read(&self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let mut recv = self.shared().recv();
        loop {
            recv = match self.try_read(recv, out)? {
                Tried::Read(taken) => return Ok(taken),
                Tried::Nothing(recv) => self.shared().wait_recv(recv),
            };
        }
    }

    fn try_read<'a>(
        &'a self,
        mut recv: MutexGuard<'a, RecvHalf>,
        out: &mut [u8],
    ) -> io::Result<Tried<'a>> {
        let there = (recv.edge - recv.read) as usize;
        let most = out.len().min(there);
        if most == 0 {
            return match (recv.finished, recv.ended) {
                (true, _) => Ok(Tried::Read(0)),
                (_, Some(ended)) => Err(ended.into()),
                _ => Ok(Tried::Nothing(recv)),
            };
        }
        let (from, edge) = (recv.read, recv.edge);
        let (whole, mut taken) = recv.chunks.take(from, edge, most);
        if taken == 0 {
            taken = most;
            recv.chunks.read(from, &mut out[..taken]);
        }
        recv.read += taken as u64;
        let read = recv.read;
        recv.chunks.release(read);
        let ring = recv.has_news();
        drop(recv);
        if ring {
            self.shared().ring();
        }
        // The driver goes on meanwhile: it writes into other chunks.
        whole.copy_to(out);
        let mut recv = self.shared().recv();
        recv.chunks.give_back(whole);
        if recv.finished && recv.read == recv.edge {
            recv.chunks.shrink();
        }
        Ok(Tried::Read(taken))
    }

    /// Nothing more will be written: what was arrives, and then the peer reads the end. Reading goes on.
    pub fn finish(&self) {
        self.shared().send().finished = true;
        self.shared().ring();
    }

    /// Breaks the connection off: both ends' reads and writes fail.
    pub fn abort(&self) {
        self.shared().send().aborted = true;
        self.shared().ring();
    }

    /// Waits until both ends have finished and have everything.
    ///
    /// # Errors
    /// If the connection ended otherwise.
    pub fn wait_closed(&self) -> io::Result<()> {
        let mut send = self.shared().send();
        loop {
            match send.ended {
                Some(Ended::Closed) => return Ok(()),
                Some(ended) => return Err(ended.into()),
                None => send = self.shared().wait_send(send),
            }
        }
    }

    /// Waits until the peer has everything that was written.
    ///
    /// # Errors
    /// If the connection ended before.
    pub fn wait_acknowledged(&self) -> io::Result<()> {
        let mut send = self.shared().send();
        loop {
            match send.ended {
                // Both ends have everything.
                Some(Ended::Closed) => return Ok(()),
                _ if send.start >= send.end => return Ok(()),
                Some(ended) => return Err(ended.into()),
                None => send = self.shared().wait_send(send),
            }
        }
    }

    /// The watcher, if its endpoint has one for its sessions.
    pub fn watcher(&self) -> Option<&watch::Shared> {
        self.shared().watcher()
    }

    /// How the connection ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.shared().send().ended
    }

    /// Its counters, and its state now or at its end.
    ///
    /// # Errors
    /// If the driver has ended without a word.
    pub fn report(&self) -> io::Result<Report> {
        let tie = &self.handle.tie;
        let (reply, answer) = sync_channel(1);
        let key = tie.key;
        let asked = self.handle.guard.0.send(Command::Report { key, reply });
        let live = asked.ok().and_then(|()| answer.recv().ok()).flatten();
        live.map(|r| *r)
            .or_else(|| tie.shared.left())
            .ok_or_else(|| Ended::DriverFailed.into())
    }
}

impl Read for Connection {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Self::read(self, out)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::write(self, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl tokio::io::AsyncRead for Connection {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let recv = self.shared().recv();
        match self.try_read(recv, out.initialize_unfilled())? {
            Tried::Read(taken) => {
                out.advance(taken);
                Poll::Ready(Ok(()))
            }
            Tried::Nothing(mut recv) => {
                recv.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl tokio::io::AsyncWrite for Connection {
    fn poll_write(
        self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut send = self.shared().send();
        match self.try_write(&mut send, bytes)? {
            Some(taken) => Poll::Ready(Ok(taken)),
            None if bytes.is_empty() => Poll::Ready(Ok(0)),
            None => {
                send.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn poll_flush(self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.finish();
        Poll::Ready(Ok(()))
    }
}
