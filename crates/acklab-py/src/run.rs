//! Running: what goes in, and what comes out of a run.

use crate::away::away;
use crate::captures;
use crate::mistakes::{ControllerRaised, InternalError};
use crate::pool::{self, Job, Outcome, Reached};
use crate::scenario::{Loaded, Scenario};
use crate::table::table;
use acklab_sim::columns::{self, Which};
use acklab_sim::export::pcapng::Snap;
use acklab_sim::record::RunResult;

use pyo3::exceptions::{PyKeyError, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The result of one run.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct Run {
    loaded: Arc<Loaded>,
    result: RunResult,
}

impl Run {
    /// Result of a run of that scenario, wherever it ran.
    pub(crate) const fn new(loaded: Arc<Loaded>, result: RunResult) -> Self {
        Self { loaded, result }
    }

    fn table<'py>(&self, py: Python<'py>, which: Which) -> PyResult<Bound<'py, PyDict>> {
        table(py, which.of(&self.result, &self.loaded.plan))
    }
}

#[pymethods]
impl Run {
    /// One row per flow.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Flows)
    }

    /// One row per direction of a link.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Links)
    }

    /// Samples of the senders over time.
    fn flow_series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Series)
    }

    /// Samples of the queues over time.
    fn link_series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::LinkSeries)
    }

    /// The events of the senders.
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Events)
    }

    /// The lives of acknowledgements.
    fn acks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Acks)
    }

    /// The reports of TACK's receivers.
    fn reports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Reports)
    }

    /// The content of TACK's packets.
    fn tack_contents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::TackContents)
    }

    /// The events of packets.
    fn packets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Packets)
    }

    /// One row per station of a radio channel.
    fn stations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Stations)
    }

    /// The uses of the time of radio channels.
    fn airtime<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Airtime)
    }

    /// How many MPDUs were sent at once.
    fn ampdu_sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::AmpduSizes)
    }

    /// The counters of queue disciplines, by tin or class.
    fn queue_classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::QueueClasses)
    }

    /// The counters of CoDels and FQ-CoDels.
    fn queues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table(py, columns::queues(&self.result))
    }

    /// The PPDUs.
    fn ppdus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.table(py, Which::Ppdus)
    }

    /// Writes the recorded packets as pcapng; how many there are.
    fn write_pcapng(slf: Bound<'_, Self>, path: PathBuf, whole: bool) -> PyResult<u64> {
        let snap = if whole { Snap::Whole } else { Snap::Headers };
        let (py, run) = (slf.py(), slf.unbind());
        let written = away(py, move |_| {
            let run = run.get();
            captures::write(&path, &run.loaded.plan, &run.result.records.packets, snap)
        })?;
        Ok(written?)
    }

    /// Writes what was recorded of a radio channel as pcapng of a monitor; how many frames there are.
    fn write_monitor(slf: Bound<'_, Self>, path: PathBuf, channel: &str) -> PyResult<u64> {
        let plan = &slf.get().loaded.plan;
        let Some(medium) = plan.media.iter().position(|m| m.name == channel) else {
            let message = format!("there is no radio channel called {channel:?}");
            return Err(PyKeyError::new_err(message));
        };
        let (py, run) = (slf.py(), slf.unbind());
        let written = away(py, move |_| {
            let run = run.get();
            let seen = &run.result.records.frames;
            captures::write_monitor(&path, &run.loaded.plan, medium as u32, seen)
        })?;
        Ok(written?)
    }

    /// Names of the streams that were recorded.
    fn recorded(&self) -> Vec<&'static str> {
        self.loaded.plan.record.streams()
    }

    /// The cost of the run.
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
        let verdicts = self.loaded.expect.verdicts(&self.result);
        PyList::new(py, verdicts.map(|v| (v.met, v.text)).collect::<Vec<_>>())
    }
}

/// Runs pairs of scenario and seed on `threads` threads; results in their order. `on_done` is
/// called with the index of each run that has ended, `on_time` now and then with how many seconds all
/// runs together have simulated, and how many they will.
#[pyfunction]
#[pyo3(signature = (runs, threads, on_done=None, on_time=None))]
pub(crate) fn run_many(
    py: Python<'_>,
    runs: Vec<(Py<Scenario>, u64)>,
    threads: usize,
    on_done: Option<Py<PyAny>>,
    on_time: Option<Py<PyAny>>,
) -> PyResult<Vec<Run>> {
    let runs: Vec<Job> = runs.iter().map(job).collect();
    let outcomes = py.detach(|| in_parallel(&runs, threads, on_done.as_ref(), on_time.as_ref()))?;
    let mut done = Vec::with_capacity(runs.len());
    let mut interrupted = false;
    for ((loaded, _), outcome) in runs.into_iter().zip(outcomes) {
        match outcome {
            Some(outcome) => match finished(py, loaded, outcome)? {
                Some(run) => done.push(run),
                None => interrupted = true,
            },
            None => interrupted = true,
        }
    }
    if interrupted {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    Ok(done)
}

/// Runs the pairs of scenario and seed that the iterator `runs` gives, on `threads` threads, and
/// calls `on_run` with the number of each and its result, in the order in which they end. Only a few
/// are taken from the iterator ahead of time, and no result is kept.
#[pyfunction]
pub(crate) fn run_stream(
    py: Python<'_>,
    runs: Bound<'_, PyIterator>,
    threads: usize,
    on_run: Py<PyAny>,
) -> PyResult<()> {
    let runs = runs.unbind();
    py.detach(|| {
        let running = std::cell::RefCell::new(BTreeMap::new());
        let mut given = 0;
        let next = || {
            let next = Python::attach(|py| next_job(py, &runs))?;
            if let Some((loaded, _)) = &next {
                running.borrow_mut().insert(given, Arc::clone(loaded));
                given += 1;
            }
            Ok(next)
        };
        let ended = |i: usize, outcome| {
            let Some(loaded) = running.borrow_mut().remove(&i) else {
                return Ok(());
            };
            Python::attach(|py| match finished(py, loaded, outcome)? {
                Some(run) => on_run.call1(py, (i, run)).map(drop),
                None => Ok(()),
            })
        };
        pool::run_all(Reached::new(threads), next, ended, |_| Ok(()))
    })
}

fn next_job(py: Python<'_>, runs: &Py<PyIterator>) -> PyResult<Option<Job>> {
    let Some(given) = runs.bind(py).clone().next() else {
        return Ok(None);
    };
    Ok(Some(job(&given?.extract()?)))
}

fn job((scenario, seed): &(Py<Scenario>, u64)) -> Job {
    (Arc::clone(&scenario.get().loaded), *seed)
}

/// The result of a run, or nothing if it was interrupted.
fn finished(py: Python<'_>, loaded: Arc<Loaded>, outcome: Outcome) -> PyResult<Option<Run>> {
    match outcome {
        Outcome::Done(result) => Ok(Some(Run {
            loaded,
            result: *result,
        })),
        Outcome::Raised(cause) => Err(raised(py, cause)),
        Outcome::Panicked(text) => Err(InternalError::new_err(text)),
        Outcome::Interrupted => Ok(None),
    }
}

fn raised(py: Python<'_>, cause: PyErr) -> PyErr {
    let e = ControllerRaised::new_err("a controller raised");
    e.set_cause(py, Some(cause));
    e
}

fn in_parallel(
    runs: &[Job],
    threads: usize,
    on_done: Option<&Py<PyAny>>,
    on_time: Option<&Py<PyAny>>,
) -> PyResult<Vec<Option<Outcome>>> {
    let total: f64 = runs.iter().map(|(l, _)| l.plan.stop.as_secs_f64()).sum();
    let mut outcomes: Vec<Option<Outcome>> = runs.iter().map(|_| None).collect();
    let mut jobs = runs.iter();
    let next = || {
        Ok(jobs
            .next()
            .map(|(loaded, seed)| (Arc::clone(loaded), *seed)))
    };
    let ended = |i: usize, outcome| {
        outcomes[i] = Some(outcome);
        match on_done {
            Some(on_done) => Python::attach(|py| on_done.call1(py, (i,)).map(drop)),
            None => Ok(()),
        }
    };
    let looked = |reached: &Reached| match on_time {
        Some(on_time) => {
            let seconds = reached.nanos() as f64 / 1e9;
            Python::attach(|py| on_time.call1(py, (seconds, total)).map(drop))
        }
        None => Ok(()),
    };
    pool::run_all(Reached::new(threads.min(runs.len())), next, ended, looked)?;
    Ok(outcomes)
}
