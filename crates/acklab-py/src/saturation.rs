//! Saturated sources as columns.

use crate::away::away;
use crate::scenario::Scenario;
use crate::table::table;
use acklab_sim::columns;
use acklab_sim::engine::saturation::{self, Load, Unsaturated};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Runs the radio channels of `scenario` with each of its flows a source that always has `waiting`
/// packets of `packet` bytes in its station; if the station takes fewer, that is an error if `all`. One row per flow that crosses a channel.
#[pyfunction]
pub(crate) fn saturate<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    seed: u64,
    packet: u32,
    waiting: u32,
    all: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let loaded = Arc::clone(&scenario.loaded);
    let load = Load {
        packet,
        waiting,
        all,
    };
    let all = away(py, move |stop| {
        saturation::saturate(&loaded.plan, load, seed, stop)
    })?;
    let plan = &scenario.loaded.plan;
    let all = all.map_err(|e| match e {
        Unsaturated::Interrupted(_) => PyKeyboardInterrupt::new_err(()),
        Unsaturated::Full { node, takes, flows } => {
            let station = &plan.nodes[node];
            PyValueError::new_err(too_much(station, takes, flows, waiting))
        }
    })?;
    table(py, columns::saturation(&all, plan))
}

/// A station does not take what is to be kept waiting there.
fn too_much(station: &str, takes: u32, flows: u32, waiting: u32) -> String {
    let (whose, wanted) = match flows {
        1 => ("its flow".to_string(), waiting),
        n => (format!("each of its {n} flows"), n * waiting),
    };
    format!(
        "waiting = {waiting}: the queue of `{station}` takes {takes} packets, and {whose} is to keep \
         {waiting} waiting there\n  help: write waiting={} at most, leave it out for as many as the \
         queue takes, or write [wifi] queue = \"{wanted} packets\"",
        (takes / flows).max(1)
    )
}
