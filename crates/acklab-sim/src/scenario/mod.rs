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
pub(crate) mod choice;
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
mod steps;

#[cfg(test)]
mod tests;

pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use expect::{Expectation, Expectations, Metric, Subject};
pub use measure::{Verdict, of_all_flows};
pub use registries::{Around, Files, MOST_BYTES};
pub use schema::{schema, schema_text};

use crate::plan::Plan;
use diagnostics::Report;
use doc::Node;
use registries::Registries;
use std::fmt;
use std::sync::atomic::Ordering;

/// A scenario that can be run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The scenario's description; empty without one.
    pub description: String,
    /// Root of all random draws.
    pub seed: u64,
    /// The plan to run.
    pub plan: Plan,
    /// The expectations of a run.
    pub expect: Expectations,
    /// The whole scenario as TOML with all defaults visible. With `files` beside it, it loads to the
    /// same plan.
    pub resolved: String,
    /// Warnings about settings that are valid and hardly meant.
    pub warnings: Diagnostics,
    /// Name, as `resolved` has it, and text of each file that the scenario needs.
    pub files: Vec<(String, String)>,
}

/// Why there is no scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotLoaded {
    /// This is wrong with the text.
    Mistakes(Diagnostics),
    /// The stop flag of [`Around`] became true.
    Stopped,
}

impl NotLoaded {
    /// The mistakes in a text whose loading nobody stops.
    fn mistakes(self) -> Diagnostics {
        match self {
            Self::Mistakes(all) => all,
            Self::Stopped => unreachable!("nobody can stop this"),
        }
    }
}

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes(all) => all.fmt(f),
            Self::Stopped => f.write_str("loading was stopped"),
        }
    }
}

impl std::error::Error for NotLoaded {}

/// Keys and values set before anything is checked, such as `("topology.bottleneck.rate", "5 Mbit/s")`.
pub type Overrides = [(String, String)];

/// Loads a scenario from TOML that needs no files. `origin` names the text in messages.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go.
pub fn load_toml(text: &str, origin: &str, overrides: &Overrides) -> Result<Scenario, Diagnostics> {
    load_toml_with(text, origin, overrides, &Around::default()).map_err(NotLoaded::mistakes)
}

/// The same with other controllers than the built-in ones, with the files around the scenario, and with
/// somebody who may stop it. The parser of TOML does not look at the flag: it takes about a second for
/// 10 MB.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go; or that it was stopped.
pub fn load_toml_with(
    text: &str,
    origin: &str,
    overrides: &Overrides,
    around: &Around<'_>,
) -> Result<Scenario, NotLoaded> {
    let doc = not_too_long(text, origin).and_then(|text| doc::parse_toml(text, origin));
    load_parsed(doc, origin, overrides, Registries::with(around))
}

/// Loads a scenario from JSON text, in which it has the same keys and values as in TOML.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go.
pub fn load_json(text: &str, origin: &str, overrides: &Overrides) -> Result<Scenario, Diagnostics> {
    load_json_with(text, origin, overrides, &Around::default()).map_err(NotLoaded::mistakes)
}

/// The same with other controllers than the built-in ones, with the files around the scenario, and with
/// somebody who may stop it.
///
/// # Errors
/// Everything that is wrong with the text, as far as it can be told in one go; or that it was stopped.
pub fn load_json_with(
    text: &str,
    origin: &str,
    overrides: &Overrides,
    around: &Around<'_>,
) -> Result<Scenario, NotLoaded> {
    let doc = not_too_long(text, origin).and_then(|text| doc::parse_json(text, origin));
    load_parsed(doc, origin, overrides, Registries::with(around))
}

fn not_too_long<'a>(text: &'a str, origin: &str) -> Result<&'a str, Vec<Diagnostic>> {
    if text.len() as u64 <= MOST_BYTES {
        return Ok(text);
    }
    let message = format!("the text is longer than {} MiB", MOST_BYTES >> 20);
    let hint =
        "write fewer flows, links or places; `count`, presets and traces say the same in less";
    Err(vec![Diagnostic {
        hint: Some(hint.to_string()),
        ..Diagnostic::syntax(origin, None, message)
    }])
}

fn load_parsed(
    doc: Result<Node, Vec<Diagnostic>>,
    origin: &str,
    overrides: &Overrides,
    registries: Registries<'_>,
) -> Result<Scenario, NotLoaded> {
    let stopped = || registries.stop.load(Ordering::Relaxed);
    if stopped() {
        return Err(NotLoaded::Stopped);
    }
    let doc = doc.map_err(|all| NotLoaded::Mistakes(Diagnostics::new(all)))?;
    let loaded = load(doc, origin, overrides, registries);
    // The mistakes found until then may depend on parts that were not read.
    match stopped() {
        true => Err(NotLoaded::Stopped),
        false => loaded.map_err(NotLoaded::Mistakes),
    }
}

/// Once the flag is true, anything can come out.
fn load(
    doc: Node,
    origin: &str,
    overrides: &Overrides,
    registries: Registries<'_>,
) -> Result<Scenario, Diagnostics> {
    if overrides.is_empty() {
        return load_once(doc, origin, overrides, registries);
    }
    let with = |set: &Overrides| load_once(doc.clone(), origin, set, registries);
    with(overrides).map_err(|found| blame::blame(found, overrides, |set| with(set).err()))
}

fn load_once(
    mut doc: Node,
    origin: &str,
    overrides: &Overrides,
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
    let mut report = Report::new(origin, &doc, registries.stop);
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
