//! One connection: a stream of bytes each way, for threads and for event loops.

use super::report;
use crate::away::{LOOK_EVERY, away};
use acklab_live::Connection;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct TackConnection {
    inner: Connection,
}

impl TackConnection {
    pub(super) const fn new(inner: Connection) -> Self {
        Self { inner }
    }

    pub(super) const fn inner(&self) -> &Connection {
        &self.inner
    }

    /// Reads or writes, and waits while that is not possible, the interpreter released and signals heard.
    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        mut act: impl FnMut(&mut Connection, &mut Context<'_>) -> Poll<io::Result<T>> + Send,
    ) -> PyResult<T> {
        let mut connection = self.inner.clone();
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        loop {
            let done = py.detach(|| {
                let mut context = Context::from_waker(&waker);
                let first = act(&mut connection, &mut context);
                if first.is_pending() {
                    std::thread::park_timeout(LOOK_EVERY);
                }
                first
            });
            match done {
                Poll::Ready(done) => return Ok(done?),
                Poll::Pending => py.check_signals()?,
            }
        }
    }
}

#[pymethods]
impl TackConnection {
    /// Where the peer was when the connection was opened: host and port.
    #[getter]
    fn peer(&self) -> (String, u16) {
        let at = self.inner.peer_addr();
        (at.ip().to_string(), at.port())
    }

    /// Fills the front of a buffer with what there is, at least a byte. 0 at the end.
    fn readinto(&self, py: Python<'_>, buffer: PyBuffer<u8>) -> PyResult<usize> {
        let room = Room::of(&buffer)?;
        self.wait(py, move |connection, context| {
            room.read(connection, context)
        })
    }

    /// Writes what there is room for, at least a byte.
    fn write(&self, py: Python<'_>, data: PyBuffer<u8>) -> PyResult<usize> {
        let text = Text::of(&data)?;
        self.wait(py, move |connection, context| {
            text.write(connection, context)
        })
    }

    /// The same as `readinto` without waiting. `None` if there is nothing: then `event`, an eventfd,
    /// becomes readable when it is worth another try.
    fn try_readinto(&self, buffer: PyBuffer<u8>, event: RawFd) -> PyResult<Option<usize>> {
        let room = Room::of(&buffer)?;
        let waker = ring(event)?;
        let mut context = Context::from_waker(&waker);
        at_once(room.read(&mut self.inner.clone(), &mut context))
    }

    /// The same as `write` without waiting; as `try_readinto`.
    fn try_write(&self, data: PyBuffer<u8>, event: RawFd) -> PyResult<Option<usize>> {
        let text = Text::of(&data)?;
        let waker = ring(event)?;
        let mut context = Context::from_waker(&waker);
        at_once(text.write(&mut self.inner.clone(), &mut context))
    }

    /// Nothing more will be written; the peer reads the end after what was.
    fn finish(&self) {
        self.inner.finish();
    }

    /// Breaks the connection off.
    fn abort(&self) {
        self.inner.abort();
    }

    /// Waits until both ends have finished and have everything.
    fn wait_closed(&self, py: Python<'_>) -> PyResult<()> {
        let connection = self.inner.clone();
        Ok(away(py, move |_| connection.wait_closed())??)
    }

    /// Waits until the peer has everything that was written.
    fn wait_acknowledged(&self, py: Python<'_>) -> PyResult<()> {
        let connection = self.inner.clone();
        Ok(away(py, move |_| connection.wait_acknowledged())??)
    }

    /// Its counters, and its present state.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = py.detach(|| self.inner.report())?;
        report::dict(py, &report)
    }
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Makes an eventfd readable.
struct Ring(OwnedFd);

impl Wake for Ring {
    fn wake(self: Arc<Self>) {
        // A full counter is readable anyway.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

fn ring(event: RawFd) -> PyResult<Waker> {
    // SAFETY: the caller has the descriptor open during this call; a copy is kept, not the number.
    let event = unsafe { BorrowedFd::borrow_raw(event) };
    Ok(Waker::from(Arc::new(Ring(event.try_clone_to_owned()?))))
}

fn at_once<T>(done: Poll<io::Result<T>>) -> PyResult<Option<T>> {
    match done {
        Poll::Ready(done) => Ok(Some(done?)),
        Poll::Pending => Ok(None),
    }
}

/// A buffer of Python's to read into. Python keeps it in place while the `PyBuffer` lives; as with its own
/// sockets, a thread that uses it meanwhile finds some of the bytes.
#[derive(Clone, Copy)]
struct Room {
    start: *mut u8,
    len: usize,
}

// SAFETY: the memory belongs to a `PyBuffer` that outlives each use, whatever the thread.
unsafe impl Send for Room {}

impl Room {
    fn of(buffer: &PyBuffer<u8>) -> PyResult<Self> {
        if buffer.readonly() || !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err(
                "a writable, contiguous buffer is needed",
            ));
        }
        Ok(Self {
            start: buffer.buf_ptr().cast(),
            len: buffer.len_bytes(),
        })
    }

    fn read(self, from: &mut Connection, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // SAFETY: `of` saw that so many bytes are there and may be written; bytes have no invalid values.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.start, self.len) };
        let mut room = ReadBuf::new(bytes);
        Pin::new(from)
            .poll_read(context, &mut room)
            .map_ok(|()| room.filled().len())
    }
}

/// A buffer of Python's to write from; as [`Room`].
#[derive(Clone, Copy)]
struct Text {
    start: *const u8,
    len: usize,
}

// SAFETY: as for `Room`.
unsafe impl Send for Text {}

impl Text {
    fn of(buffer: &PyBuffer<u8>) -> PyResult<Self> {
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("a contiguous buffer is needed"));
        }
        Ok(Self {
            start: buffer.buf_ptr().cast_const().cast(),
            len: buffer.len_bytes(),
        })
    }

    fn write(self, to: &mut Connection, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // SAFETY: as for `Room::read`, and nothing is written.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, self.len) };
        Pin::new(to).poll_write(context, bytes)
    }
}
