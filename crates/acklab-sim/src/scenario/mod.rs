//! Scenarios: from text to a [`Plan`], and every mistake with its place and a hint.
//!
//! ```text
//! TOML or JSON -> doc (a tree with lines) -> set (overrides) -> spec (what the user wrote)
//!              -> resolve (defaults, names, routes) -> Plan + Expectations
//! ```
//!
//! Each step consumes the previous value. The language is described in `docs/scenario.md`; its JSON
//! Schema is made by [`schema()`].

mod blame;
mod canonical;
mod choice;
mod de;
mod diagnostics;
mod doc;
mod elsewhere;
mod expect;
mod measure;
mod path;
mod reader;
mod registries;
mod resolve;
mod schema;
mod set;
mod shown;
mod spec;

#[cfg(test)]
mod tests;

pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use expect::{Expectation, Expectations, Metric, Subject};
pub use registries::Files;
pub use schema::{schema, schema_text};

use crate::plan::Plan;
use acklab_proto::cc::{self, registry::CONTROLLERS};
use acklab_proto::registry::Entry;
use diagnostics::Report;
use doc::Node;
use registries::Registries;

/// A scenario that can be run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What the scenario says it is about; empty if it does not say.
    pub description: String,
    /// Root of all random draws.
    pub seed: u64,
    /// What to run.
    pub plan: Plan,
    /// What a run must keep to.
    pub expect: Expectations,
    /// The whole scenario as TOML with all defaults visible. With `files` beside it, it loads to the
    /// same plan.
    pub resolved: String,
    /// What can be run and will hardly do what was meant.
    pub warnings: Diagnostics,
    /// Name, as `resolved` has it, and text of each file that the scenario needs.
    pub files: Vec<(String, String)>,
}

/// Loads a scenario from TOML that needs no files. `origin` names the text in messages; `overrides` are keys and values
/// set before anything is checked, such as `("topology.bottleneck.rate", "5 Mbit/s")`.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go.
pub fn load_toml(
    text: &str,
    origin: &str,
    overrides: &[(String, String)],
) -> Result<Scenario, Diagnostics> {
    load_toml_with(text, origin, overrides, CONTROLLERS, &registries::no_files)
}

/// The same with other controllers than the built-in ones, and with the files around the scenario.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go.
pub fn load_toml_with(
    text: &str,
    origin: &str,
    overrides: &[(String, String)],
    controllers: &'static [Entry<cc::Build>],
    files: &Files<'_>,
) -> Result<Scenario, Diagnostics> {
    let doc = doc::parse_toml(text, origin).map_err(Diagnostics::new)?;
    load(doc, origin, overrides, Registries::with(controllers, files))
}

/// Loads a scenario from JSON text, in which it has the same keys and values as in TOML.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go.
pub fn load_json(
    text: &str,
    origin: &str,
    overrides: &[(String, String)],
) -> Result<Scenario, Diagnostics> {
    load_json_with(text, origin, overrides, CONTROLLERS, &registries::no_files)
}

/// The same with other controllers than the built-in ones, and with the files around the scenario.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go.
pub fn load_json_with(
    text: &str,
    origin: &str,
    overrides: &[(String, String)],
    controllers: &'static [Entry<cc::Build>],
    files: &Files<'_>,
) -> Result<Scenario, Diagnostics> {
    let doc = doc::parse_json(text, origin).map_err(Diagnostics::new)?;
    load(doc, origin, overrides, Registries::with(controllers, files))
}

fn load(
    doc: Node,
    origin: &str,
    overrides: &[(String, String)],
    registries: Registries<'_>,
) -> Result<Scenario, Diagnostics> {
    let with = |set: &[(String, String)]| load_once(doc.clone(), origin, set, registries);
    with(overrides).map_err(|found| blame::blame(found, overrides, |set| with(set).err()))
}

fn load_once(
    mut doc: Node,
    origin: &str,
    overrides: &[(String, String)],
    registries: Registries<'_>,
) -> Result<Scenario, Diagnostics> {
    let refused: Vec<Diagnostic> = overrides
        .iter()
        .filter_map(|(key, value)| set::set(&mut doc, key, value).err())
        .map(|refusal| *refusal)
        .collect();
    if !refused.is_empty() {
        return Err(Diagnostics::new(refused));
    }
    let mut report = Report::new(origin, &doc);
    let spec = de::read(&doc, &mut report);
    let resolved = resolve::resolve(&spec, registries, &mut report);
    match resolved {
        Some(r) if report.is_clean() => Ok(Scenario {
            resolved: canonical::write(&r),
            warnings: report.warnings(),
            files: r.plan.traces(),
            description: r.description,
            seed: r.seed,
            plan: r.plan,
            expect: r.expect,
        }),
        _ => Err(report.finish()),
    }
}
