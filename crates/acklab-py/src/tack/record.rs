//! Connections recorded as simulated runs are.

use super::TackConnection;
use crate::run::Run;
use crate::scenario::Scenario;
use acklab_live::Watch;
use acklab_live::recording::{RecordConfig, Recording};
use acklab_live::session::watch;
use acklab_units::Span;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;

/// Recorder for the connections of the endpoints that have it. Time zero is when it was made.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct TackRecord {
    config: RecordConfig,
}

#[pymethods]
impl TackRecord {
    /// Keeps what the scenario records, and at most so many packets of a connection. The scenario's first
    /// flow stands for each.
    #[new]
    fn new(scenario: PyRef<'_, Scenario>, most_packets: u64) -> Self {
        Self {
            config: RecordConfig {
                plan: Arc::new(scenario.loaded.plan.clone()),
                zero: now(),
                most_packets,
            },
        }
    }

    /// Seconds since time zero.
    fn passed(&self) -> f64 {
        now()
            .saturating_duration_since(self.config.zero)
            .as_secs_f64()
    }

    /// Records of a connection until `stop` seconds, as the first flow of `scenario`, whose data
    /// this end sent or received; and how many packets there was no room for. Once only.
    #[staticmethod]
    fn take(
        py: Python<'_>,
        connection: PyRef<'_, TackConnection>,
        scenario: PyRef<'_, Scenario>,
        sends: bool,
        stop: f64,
    ) -> PyResult<(Run, u64)> {
        let (inner, loaded) = (connection.inner().clone(), Arc::clone(&scenario.loaded));
        let taken = py.detach(|| {
            let report = inner.report()?;
            let Some(watcher) = inner.watcher() else {
                return Ok(None);
            };
            let mut watcher = watch::lock(watcher);
            let any: &mut dyn Any = &mut *watcher;
            Ok::<_, std::io::Error>(any.downcast_mut::<Recording>().map(|recording| {
                let stop = Span::from_secs_f64(stop);
                let result = recording.finish(&loaded.plan, &report, sends, stop);
                (result, recording.missed())
            }))
        })?;
        let (result, missed) =
            taken.ok_or_else(|| PyValueError::new_err("the connection was not recorded"))?;
        Ok((Run::new(loaded, result), missed))
    }
}

impl TackRecord {
    pub(super) fn watch(&self) -> Watch {
        self.config.clone().watch()
    }
}

#[expect(clippy::disallowed_methods, reason = "what is recorded is outside")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}
