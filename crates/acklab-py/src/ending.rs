//! The end of the command line when a signal came and Python does not get to hear it.
//!
//! Python runs the handler of a signal between two of its own steps, so a call into foreign code that
//! takes seconds (a plot, a Parquet file) holds it up as long. At the signal itself Python does one
//! thing more: it writes the signal's number to a socket. A thread that needs no interpreter reads
//! it, gives Python some time to end in its own way, and then does what Python would have done: what
//! is half written is removed, a line is said, the process ends with the signal's code.

use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// For how long a command may end by itself. It has [`crate::away::GRACE`] for its threads.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the end waits for folders that change places at this moment.
const SWAP: Duration = Duration::from_millis(400);
/// How long it waits for whoever should read its last line.
const READER: Duration = Duration::from_millis(100);
/// How often a folder is removed into which someone is still writing.
const TRIES: usize = 5;

/// The task at the end.
#[derive(Default)]
struct Left {
    /// Files and folders that are not complete.
    unfinished: BTreeSet<PathBuf>,
    /// Folders that were made for results, and go if there are none.
    made: BTreeSet<PathBuf>,
    /// Whether folders change places: what is in them must not be touched.
    swapping: bool,
    /// Whether the end has begun.
    ending: bool,
    /// The text after the name of the end; nothing once Python has said it.
    words: Option<String>,
}

static LEFT: LazyLock<Mutex<Left>> = LazyLock::new(Mutex::default);
static CHANGED: Condvar = Condvar::new();

fn left() -> MutexGuard<'static, Left> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that `path` is not complete: a file or folder, or, if `made`, a folder that goes if it is
/// empty.
#[pyfunction]
pub(crate) fn unfinished(path: PathBuf, made: bool) {
    let mut left = left();
    let paths = if made {
        &mut left.made
    } else {
        &mut left.unfinished
    };
    paths.insert(path);
}

/// Takes back [`unfinished`]: `path` is complete or gone.
#[pyfunction]
pub(crate) fn finished(path: PathBuf) {
    let mut left = left();
    left.unfinished.remove(&path);
    left.made.remove(&path);
}

/// Folders change places from now on until this is called with `false`; meanwhile nothing is removed.
/// Does not return once the end has begun.
#[pyfunction]
pub(crate) fn swapping(py: Python<'_>, begins: bool) {
    py.detach(|| {
        let left = left();
        let waited = CHANGED.wait_while(left, |l| begins && l.ending);
        waited.unwrap_or_else(PoisonError::into_inner).swapping = begins;
        CHANGED.notify_all();
    });
}

/// The text of the end after "terminated" or "interrupted"; `None` if it has been said.
#[pyfunction]
pub(crate) fn last_words(words: Option<String>) {
    left().words = words;
}

/// Begins to listen. Returns what to give to `signal.set_wakeup_fd`; -1 where there is no such thing.
#[pyfunction]
pub(crate) fn listen() -> PyResult<i32> {
    #[cfg(unix)]
    {
        use std::os::fd::IntoRawFd;
        use std::os::unix::net::UnixStream;
        let (mut hears, told) = UnixStream::pair()?;
        told.set_nonblocking(true)?;
        std::thread::Builder::new().spawn(move || {
            let mut number = [0];
            if hears.read_exact(&mut number).is_ok() {
                end(number[0]);
            }
        })?;
        // It stays open as long as the process lives.
        Ok(told.into_raw_fd())
    }
    #[cfg(not(unix))]
    Ok(-1)
}

#[cfg(unix)]
fn end(signal: u8) -> ! {
    #[expect(clippy::disallowed_methods, reason = "what is waited for is outside")]
    std::thread::sleep(PATIENCE);
    let mut left = left();
    left.ending = true;
    let waited = CHANGED.wait_timeout_while(left, SWAP, |l| l.swapping);
    let (mut left, _) = waited.unwrap_or_else(PoisonError::into_inner);
    if !left.swapping {
        clear(&left);
    }
    let words = left.words.take();
    // Whoever changes folders from now on waits for the end.
    drop(left);
    if let Some(words) = words {
        say(signal, words);
    }
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(128 + i32::from(signal)) }
}

fn clear(left: &Left) {
    for path in &left.unfinished {
        for _ in 0..TRIES {
            if remove(path) {
                break;
            }
        }
    }
    // A thing within another comes after it.
    for folder in left.made.iter().rev() {
        let _ = std::fs::remove_dir(folder);
    }
}

/// Whether `path` is gone.
#[expect(clippy::disallowed_methods, reason = "what was being written")]
fn remove(path: &Path) -> bool {
    let removed = if path.is_dir() {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    };
    removed.is_ok() || !path.exists()
}

#[cfg(unix)]
fn say(signal: u8, words: String) {
    let (done, said) = std::sync::mpsc::channel();
    let _ = std::thread::Builder::new().spawn(move || {
        let what = if i32::from(signal) == libc::SIGTERM {
            "terminated"
        } else {
            "interrupted"
        };
        let mut err = std::io::stderr();
        // A bar of progress has hidden the cursor and stands in the line.
        let shown = if err.is_terminal() { "\x1b[?25h\n" } else { "" };
        let _ = err.write_all(format!("{shown}{what}; {words}\n").as_bytes());
        let _ = done.send(());
    });
    let _ = said.recv_timeout(READER);
}
