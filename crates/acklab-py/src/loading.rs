//! Files that a scenario names: regular ones of a sane length, read so that a stop is heard.

use acklab_sim::scenario::MOST_BYTES;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::FileType;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes read between two looks at the stop flag.
const CHUNK: usize = 1 << 16;

/// The files in a scenario's folder. Each is read once, however many links name it: a pipe, which a
/// shell passes for the output of a command, gives what is in it only once.
pub(crate) struct Files<'a> {
    folder: PathBuf,
    stop: &'a AtomicBool,
    known: RefCell<BTreeMap<String, Result<String, String>>>,
}

impl<'a> Files<'a> {
    /// Those in `folder`, nothing of them read yet.
    pub(crate) fn new(folder: PathBuf, stop: &'a AtomicBool) -> Self {
        Self {
            folder,
            stop,
            known: RefCell::default(),
        }
    }

    /// The text of the file `name`, or why there is none.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        let mut known = self.known.borrow_mut();
        if let Some(text) = known.get(name) {
            return text.clone();
        }
        let text = read(&self.folder.join(name), self.stop);
        known.insert(name.to_owned(), text.clone());
        text
    }
}

/// The text of a file that a scenario names, or why there is none.
fn read(path: &Path, stop: &AtomicBool) -> Result<String, String> {
    let told = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let found = path.metadata().map_err(|e| told(&e))?;
    if let Some(kind) = no_file(found.file_type()).filter(|_| !is_open(path)) {
        return Err(told(&format!("it is {kind}, not a regular file")));
    }
    let mut text = Vec::new();
    chunks(path, stop, &mut text).map_err(|e| told(&e))?;
    if text.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(told(&format!("it is longer than {most} MiB")));
    }
    String::from_utf8(text).map_err(|_| told(&"it is not UTF-8 text"))
}

/// Reads until there is nothing more, more than there may be, or nobody who wants it.
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files that a scenario names"
)]
fn chunks(path: &Path, stop: &AtomicBool, text: &mut Vec<u8>) -> std::io::Result<()> {
    let mut file = std::fs::File::open(path)?;
    let mut chunk = vec![0; CHUNK];
    while text.len() as u64 <= MOST_BYTES && !stop.load(Ordering::Relaxed) {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => text.extend_from_slice(&chunk[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Its kind if it is no file: a pipe without a writer never opens, and some devices never end.
fn no_file(kind: FileType) -> Option<&'static str> {
    match kind {
        _ if kind.is_file() => None,
        _ if kind.is_dir() => Some("a folder"),
        _ => Some("a pipe or a device"),
    }
}

/// Whether it is what the process has open already, as a shell passes the output of a command: `<(...)`.
fn is_open(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"];
    path == Path::new("/dev/stdin") || folders.iter().any(|f| path.parent() == Some(Path::new(f)))
}
