//! The threads that runs are done on: the interpreter released, Ctrl-C heard.

use crate::away::{GRACE, LOOK_EVERY};
use crate::controller;
use crate::scenario::Loaded;
use acklab_sim::engine::{self, Watch};
use acklab_sim::record::RunResult;
use acklab_units::Instant as Virtual;
use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Runs handed out per thread and not yet ended: one that it does and one to go on with.
const AHEAD: usize = 2;

/// A scenario and a seed.
pub(crate) type Job = (Arc<Loaded>, u64);

/// The virtual nanoseconds that the threads of a pool have simulated.
#[derive(Debug, Default)]
pub(crate) struct Reached(Box<[AtomicU64]>);

impl Reached {
    /// Of `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| AtomicU64::new(0)).collect())
    }

    /// The sum over all threads.
    pub(crate) fn nanos(&self) -> u64 {
        self.0.iter().map(|ns| ns.load(Ordering::Relaxed)).sum()
    }
}

/// A run on a thread that had simulated `before` nanoseconds.
#[derive(Debug)]
struct Watching<'a> {
    stop: &'a AtomicBool,
    reached: &'a AtomicU64,
    before: u64,
}

impl Watch for Watching<'_> {
    fn stops(&self, at: Virtual) -> bool {
        let reached = self.before.saturating_add(at.as_nanos());
        self.reached.store(reached, Ordering::Relaxed);
        self.stop.load(Ordering::Relaxed)
    }
}

/// How one run ended.
pub(crate) enum Outcome {
    Done(Box<RunResult>),
    Interrupted,
    Raised(PyErr),
    Panicked(String),
}

/// Does the jobs that `next` gives, on as many threads as `reached` counts for, and tells `ended` the
/// number of each (0, 1, ... in the order of `next`) and how it ended, in the order in which they end.
/// `looked` hears how far they are, at every end and at least every [`LOOK_EVERY`]. All three are
/// called on this thread. Returns early, with what is running stopped, when one of them fails, on
/// Ctrl-C, or once a controller raised; then some jobs have no outcome, and a thread that does not
/// look at its flag in time is left behind. After a signal finished jobs are reported nevertheless.
pub(crate) fn run_all(
    reached: Reached,
    next: impl FnMut() -> PyResult<Option<Job>>,
    mut ended: impl FnMut(usize, Outcome) -> PyResult<()>,
    looked: impl FnMut(&Reached) -> PyResult<()>,
) -> PyResult<()> {
    let (threads, reached) = (reached.0.len(), Arc::new(reached));
    let stop = Arc::new(AtomicBool::new(false));
    let (give, jobs) = channel();
    let jobs = Arc::new(Mutex::new(jobs));
    let (tx, outcomes) = channel();
    for i in 0..threads {
        let (tx, jobs, stop) = (tx.clone(), Arc::clone(&jobs), Arc::clone(&stop));
        let reached = Arc::clone(&reached);
        std::thread::Builder::new().spawn(move || work(&jobs, &tx, &stop, &reached.0[i]))?;
    }
    drop(tx);
    let mut looked = looked;
    let look = || looked(&reached);
    let result = drive(threads * AHEAD, next, &mut ended, look, &give, &outcomes);
    if result.is_err() {
        stop.store(true, Ordering::Relaxed);
    }
    // The threads end when no job can come any more.
    drop(give);
    let stopped = result.as_ref().is_err_and(of_signal);
    wind_up(
        &outcomes,
        |i, outcome| {
            if stopped { ended(i, outcome) } else { Ok(()) }
        },
    );
    result
}

/// Whether a signal's handler raised it, as Python's own for Ctrl-C does.
fn of_signal(e: &PyErr) -> bool {
    Python::attach(|py| {
        e.is_instance_of::<PyKeyboardInterrupt>(py) || e.is_instance_of::<PySystemExit>(py)
    })
}

/// Tells what has ended and was not told, until the threads have ended or their time is over.
#[expect(clippy::disallowed_methods, reason = "what is waited for is outside")]
fn wind_up(
    outcomes: &Receiver<(usize, Outcome)>,
    mut ended: impl FnMut(usize, Outcome) -> PyResult<()>,
) {
    let until = Instant::now() + GRACE;
    let mut told = true;
    let time = || until.saturating_duration_since(Instant::now());
    while let Ok((i, outcome)) = outcomes.recv_timeout(time()) {
        // A failure while things are stopped is not the first, which is the one to report.
        told = told && ended(i, outcome).is_ok();
    }
}

fn work(
    jobs: &Mutex<Receiver<(usize, Job)>>,
    tx: &Sender<(usize, Outcome)>,
    stop: &Arc<AtomicBool>,
    reached: &AtomicU64,
) {
    while !stop.load(Ordering::Relaxed) {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((i, (loaded, seed))) = job else { return };
        // Nobody may be waiting any more.
        let _ = tx.send((i, one(&loaded, seed, stop, reached)));
    }
}

fn drive(
    ahead: usize,
    mut next: impl FnMut() -> PyResult<Option<Job>>,
    mut ended: impl FnMut(usize, Outcome) -> PyResult<()>,
    mut look: impl FnMut() -> PyResult<()>,
    give: &Sender<(usize, Job)>,
    outcomes: &Receiver<(usize, Outcome)>,
) -> PyResult<()> {
    let (mut given, mut back, mut more) = (0, 0, true);
    loop {
        while more && given - back < ahead {
            let Some(job) = next()? else {
                more = false;
                break;
            };
            // The receiver outlives this function.
            let _ = give.send((given, job));
            given += 1;
        }
        if given == back {
            return Ok(());
        }
        match outcomes.recv_timeout(LOOK_EVERY) {
            Ok((i, outcome)) => {
                back += 1;
                ended(i, outcome)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        look()?;
        Python::attach(|py| py.check_signals())?;
    }
}

fn one(loaded: &Arc<Loaded>, seed: u64, stop: &Arc<AtomicBool>, reached: &AtomicU64) -> Outcome {
    let before = reached.load(Ordering::Relaxed);
    let watching = Watching {
        stop,
        reached,
        before,
    };
    let (ran, raised) = controller::watched(&loaded.classes, stop, || {
        catch_unwind(AssertUnwindSafe(|| {
            engine::run(&loaded.plan, seed, &watching)
        }))
    });
    let whole = before.saturating_add(loaded.plan.stop.as_nanos());
    reached.store(whole, Ordering::Relaxed);
    match (raised, ran) {
        (Some(e), _) => Outcome::Raised(e),
        (None, Ok(Ok(result))) => Outcome::Done(Box::new(result)),
        (None, Ok(Err(_))) => Outcome::Interrupted,
        (None, Err(panic)) => Outcome::Panicked(text_of(panic.as_ref())),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "the core panicked".to_owned())
}
