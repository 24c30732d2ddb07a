//! Running: threads of their own, the interpreter released, Ctrl-C heard.

use crate::columns;
use crate::controller;
use crate::mistakes::{ControllerRaised, InternalError};
use crate::scenario::{Loaded, Scenario};
use acklab_sim::engine;
use acklab_sim::record::RunResult;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often the main thread looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The result of one run.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct Run {
    loaded: Arc<Loaded>,
    result: RunResult,
}

#[pymethods]
impl Run {
    /// One row per flow.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::flows(py, &self.result.flows)
    }

    /// One row per direction of a link.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::links(py, &self.result.links)
    }

    /// Samples of the senders over time.
    fn flow_series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::flow_series(py, &self.result.series.flows, &self.loaded.plan)
    }

    /// Samples of the queues over time.
    fn link_series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::link_series(py, &self.result.series.links, &self.loaded.plan)
    }

    /// What the run cost.
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let d = PyDict::new(py);
        let p = &self.result.perf;
        d.set_item("events", p.events)?;
        d.set_item("hops", p.hops)?;
        d.set_item("data_packets", p.data_packets)?;
        d.set_item("peak_packets", p.peak_packets)?;
        d.set_item("bytes_per_flow", p.bytes_per_flow)?;
        Ok(d)
    }

    /// For each expectation of the scenario, whether it was met, and a sentence.
    fn expectations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let measured = self.loaded.expect.measured(&self.result);
        let verdicts = measured.map(|(e, value)| match e.violation(value) {
            None => (
                true,
                format!("{e}; it is {}", e.metric.show(rounded(value))),
            ),
            Some(violation) => (false, violation),
        });
        PyList::new(py, verdicts.collect::<Vec<_>>())
    }
}

/// Four significant digits, for people.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// How one run ended.
enum Outcome {
    Done(Box<RunResult>),
    Interrupted,
    Raised(PyErr),
    Panicked(String),
}

/// Runs pairs of scenario and seed on `threads` threads; results in their order. `on_done` is
/// called with the index of each run that has ended.
#[pyfunction]
#[pyo3(signature = (runs, threads, on_done=None))]
pub(crate) fn run_many(
    py: Python<'_>,
    runs: Vec<(Py<Scenario>, u64)>,
    threads: usize,
    on_done: Option<Py<PyAny>>,
) -> PyResult<Vec<Run>> {
    let runs: Vec<(Arc<Loaded>, u64)> = runs
        .iter()
        .map(|(s, seed)| (Arc::clone(&s.get().loaded), *seed))
        .collect();
    let outcomes = py.detach(|| in_parallel(&runs, threads, on_done.as_ref()))?;
    let mut done = Vec::with_capacity(runs.len());
    let mut interrupted = false;
    for ((loaded, _), outcome) in runs.into_iter().zip(outcomes) {
        match outcome {
            Some(Outcome::Done(result)) => done.push(Run {
                loaded,
                result: *result,
            }),
            Some(Outcome::Raised(cause)) => return Err(raised(py, cause)),
            Some(Outcome::Panicked(text)) => return Err(InternalError::new_err(text)),
            Some(Outcome::Interrupted) | None => interrupted = true,
        }
    }
    if interrupted {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    Ok(done)
}

fn raised(py: Python<'_>, cause: PyErr) -> PyErr {
    let e = ControllerRaised::new_err("a controller raised");
    e.set_cause(py, Some(cause));
    e
}

fn in_parallel(
    runs: &[(Arc<Loaded>, u64)],
    threads: usize,
    on_done: Option<&Py<PyAny>>,
) -> PyResult<Vec<Option<Outcome>>> {
    let stop = Arc::new(AtomicBool::new(false));
    let next = AtomicUsize::new(0);
    let (tx, rx) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(runs.len()) {
            let (tx, stop, next) = (tx.clone(), &stop, &next);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed)
                    && let i = next.fetch_add(1, Ordering::Relaxed)
                    && let Some((loaded, seed)) = runs.get(i)
                {
                    // The receiver outlives the scope.
                    let _ = tx.send((i, one(loaded, *seed, stop)));
                }
            });
        }
        drop(tx);
        let collected = collect(&rx, runs.len(), on_done);
        if collected.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        collected
    })
}

fn collect(
    rx: &Receiver<(usize, Outcome)>,
    runs: usize,
    on_done: Option<&Py<PyAny>>,
) -> PyResult<Vec<Option<Outcome>>> {
    let mut outcomes: Vec<Option<Outcome>> = (0..runs).map(|_| None).collect();
    loop {
        let ended = match rx.recv_timeout(LOOK_EVERY) {
            Ok((i, outcome)) => {
                outcomes[i] = Some(outcome);
                Some(i)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(outcomes),
        };
        Python::attach(|py| {
            py.check_signals()?;
            if let (Some(i), Some(on_done)) = (ended, on_done) {
                on_done.call1(py, (i,))?;
            }
            Ok::<_, PyErr>(())
        })?;
    }
}

fn one(loaded: &Arc<Loaded>, seed: u64, stop: &Arc<AtomicBool>) -> Outcome {
    let (ran, raised) = controller::watched(&loaded.classes, stop, || {
        catch_unwind(AssertUnwindSafe(|| engine::run(&loaded.plan, seed, stop)))
    });
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
