//! Saturated sources as columns.

use crate::scenario::Scenario;
use crate::table::Table;
use acklab_sim::engine::saturation::{self, Load};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the radio channels of `scenario` with each of its flows a source that always has `waiting`
/// packets of `packet` bytes in its station. One row per flow that crosses a channel.
#[pyfunction]
pub(crate) fn saturate<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    seed: u64,
    packet: u32,
    waiting: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let loaded = Arc::clone(&scenario.loaded);
    let plan = &loaded.plan;
    let load = Load { packet, waiting };
    let run = || saturation::saturate(plan, load, seed, &AtomicBool::new(false));
    let all = py.detach(run);
    py.check_signals()?;
    let all = all.map_err(|_| PyKeyboardInterrupt::new_err(()))?;
    let seconds = (plan.stop - plan.measure_from).as_nanos() as f64 / 1e9;
    let t = Table::new(py);
    let rows = || all.iter();
    t.words("flow", rows().map(|s| plan.flows[s.flow].name.as_str()))?
        .words("medium", rows().map(|s| plan.media[s.medium].name.as_str()))?
        .words("station", rows().map(|s| plan.nodes[s.node].as_str()))?
        .numbers("packets", rows().map(|s| s.packets))?
        .numbers("packets_per_s", rows().map(|s| s.packets as f64 / seconds))?
        .numbers("accesses", rows().map(|s| s.accesses))?
        .numbers("failures", rows().map(|s| s.failures))?
        .numbers("internal_collisions", rows().map(|s| s.internal_collisions))?
        .numbers("data_ppdus", rows().map(|s| s.data_ppdus))?;
    Ok(t.finish())
}
