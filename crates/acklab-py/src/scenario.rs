//! Scenarios: from text to what can be run.

use crate::away::away;
use crate::controller::{self, Classes};
use crate::loading;
use crate::mistakes::InvalidScenario;
use crate::tack::live_settings;
use acklab_live::handshake::INITIAL_LEN;
use acklab_proto::tack::TackConfig;
use acklab_sim::plan::{Plan, TransportPlan};
use acklab_sim::scenario::{self, Around, Expectations};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A scenario and the Python classes that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) plan: Plan,
    pub(crate) expect: Expectations,
    pub(crate) classes: Arc<Classes>,
    description: String,
    seed: u64,
    resolved: String,
    files: Vec<(String, String)>,
    warnings: Vec<String>,
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

    /// Its description.
    #[getter]
    fn description(&self) -> &str {
        &self.loaded.description
    }

    /// The seed that it asks for.
    #[getter]
    fn seed(&self) -> u64 {
        self.loaded.seed
    }

    /// The records of its runs beside their summaries.
    #[getter]
    fn recorded(&self) -> Vec<&'static str> {
        self.loaded.plan.record.streams()
    }

    /// Names of its radio channels.
    #[getter]
    fn channels(&self) -> Vec<&str> {
        let media = self.loaded.plan.media.iter();
        media.map(|m| m.name.as_str()).collect()
    }

    /// The whole scenario as TOML, defaults filled in.
    #[getter]
    fn resolved(&self) -> &str {
        &self.loaded.resolved
    }

    /// Warnings about settings that are valid and hardly meant.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.clone()
    }

    /// The same with flows of TACK that have the settings of live endpoints, as in a twin run.
    fn as_live(&self) -> Self {
        let mut loaded = Loaded::clone(&self.loaded);
        for flow in &mut loaded.plan.flows {
            if let TransportPlan::Tack(tack) = &mut flow.transport {
                tack.config = Arc::new(TackConfig {
                    hello_len: INITIAL_LEN as u32,
                    ..live_settings(&tack.config)
                });
            }
        }
        Self {
            loaded: Arc::new(loaded),
        }
    }

    /// Name and text of each file that the resolved scenario needs beside it.
    #[getter]
    fn files(&self) -> Vec<(String, String)> {
        self.loaded.files.clone()
    }
}

/// Reads and checks a scenario. `form` is `toml` or `json`; `overrides` are pairs of key and value;
/// files that it names are in `folder`.
#[pyfunction]
pub(crate) fn load(
    py: Python<'_>,
    text: String,
    origin: String,
    form: String,
    overrides: Vec<(String, String)>,
    controllers: Classes,
    folder: PathBuf,
) -> PyResult<Scenario> {
    let registry = controller::registry(&controllers);
    let loaded = away(py, move |stop| {
        let files = loading::Files::new(folder, stop);
        let around = Around {
            controllers: registry,
            files: &|name| files.text(name),
            stop,
        };
        if form == "json" {
            scenario::load_json_with(&text, &origin, &overrides, &around)
        } else {
            scenario::load_toml_with(&text, &origin, &overrides, &around)
        }
    })?;
    let s = loaded.map_err(|why| InvalidScenario::new_err(why.to_string()))?;
    Ok(Scenario {
        loaded: Arc::new(Loaded {
            plan: s.plan,
            expect: s.expect,
            classes: Arc::new(controllers),
            description: s.description,
            seed: s.seed,
            resolved: s.resolved,
            files: s.files,
            warnings: s.warnings.iter().map(ToString::to_string).collect(),
        }),
    })
}
