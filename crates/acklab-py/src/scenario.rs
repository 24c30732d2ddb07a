//! Scenarios: from text to what can be run.

use crate::controller::{self, Classes};
use crate::mistakes::InvalidScenario;
use acklab_sim::plan::Plan;
use acklab_sim::scenario::{self, Expectations};
use pyo3::prelude::*;
use std::sync::Arc;

/// A scenario and the Python classes that it needs.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) plan: Plan,
    pub(crate) expect: Expectations,
    pub(crate) classes: Arc<Classes>,
    description: String,
    seed: u64,
    resolved: String,
}

/// A scenario that can be run.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) loaded: Arc<Loaded>,
}

#[pymethods]
impl Scenario {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.loaded.plan.name
    }

    /// What it says it is about.
    #[getter]
    fn description(&self) -> &str {
        &self.loaded.description
    }

    /// The seed that it asks for.
    #[getter]
    fn seed(&self) -> u64 {
        self.loaded.seed
    }

    /// The whole scenario as TOML, defaults filled in.
    #[getter]
    fn resolved(&self) -> &str {
        &self.loaded.resolved
    }
}

/// Reads and checks a scenario. `form` is `toml` or `json`; `overrides` are pairs of key and value.
#[pyfunction]
pub(crate) fn load(
    py: Python<'_>,
    text: &str,
    origin: &str,
    form: &str,
    overrides: Vec<(String, String)>,
    controllers: Classes,
) -> PyResult<Scenario> {
    let registry = controller::registry(&controllers);
    let loaded = py.detach(|| {
        if form == "json" {
            scenario::load_json_with(text, origin, &overrides, registry)
        } else {
            scenario::load_toml_with(text, origin, &overrides, registry)
        }
    });
    let s = loaded.map_err(|mistakes| InvalidScenario::new_err(mistakes.to_string()))?;
    Ok(Scenario {
        loaded: Arc::new(Loaded {
            plan: s.plan,
            expect: s.expect,
            classes: Arc::new(controllers),
            description: s.description,
            seed: s.seed,
            resolved: s.resolved,
        }),
    })
}
