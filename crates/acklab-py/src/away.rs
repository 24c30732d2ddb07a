//! Work that takes long, on a thread of its own: signals are heard while it lasts.
//!
//! Work looks at a flag now and then, but not everywhere: one event may take arbitrarily long. So a
//! thread that does not end soon after the order to stop is left behind. It has nothing that anyone
//! else waits for, and ends with the process, or by itself.

use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often the calling thread looks for signals.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Longest wait for work that was ordered to stop.
pub(crate) const GRACE: Duration = Duration::from_millis(300);

/// As much as the main thread has, on which all of this could be done otherwise.
const STACK: usize = 8 << 20;

/// Does `work` with the interpreter released. When a signal's handler raises, the flag that `work` is
/// given is set, and what was raised is returned, whether or not `work` has ended by then.
pub(crate) fn away<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (tx, rx) = channel();
    let flag = Arc::clone(&stop);
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            // Nobody may be waiting any more.
            let _ = tx.send(catch_unwind(AssertUnwindSafe(|| work(&flag))));
        })?;
    let done = py.detach(move || wait(&rx, &stop))?;
    Ok(done.unwrap_or_else(|panic| resume_unwind(panic)))
}

fn wait<T>(rx: &Receiver<T>, stop: &AtomicBool) -> PyResult<T> {
    loop {
        match rx.recv_timeout(LOOK_EVERY) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
        }
        if let Err(raised) = Python::attach(|py| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            let _ = rx.recv_timeout(GRACE);
            return Err(raised);
        }
    }
}
