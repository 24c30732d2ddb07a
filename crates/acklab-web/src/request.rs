//! Requests of a page.

use acklab_sim::scenario::{self, Around, NotLoaded, Scenario};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One request.
#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub(crate) enum Request {
    /// Mistakes in a scenario, and its resolved form.
    Check(Text),
    /// Run it.
    Run(Run),
    /// The JSON Schema of the scenario language.
    Schema,
    /// All names that a scenario can use.
    Catalogue,
    /// The version of the core.
    Version,
    /// Fail with these words, so that a page can see what it does then.
    Fail { words: String },
}

/// A scenario and what is around its text.
#[derive(Debug, Deserialize)]
pub(crate) struct Text {
    /// The text.
    pub(crate) toml: String,
    /// Name of the text in messages.
    #[serde(default = "origin")]
    pub(crate) origin: String,
    /// Keys and values set before anything is checked.
    #[serde(default)]
    pub(crate) set: Vec<(String, String)>,
    /// The files that it can name.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
}

fn origin() -> String {
    "the scenario".to_owned()
}

/// A run and what is wanted of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    #[serde(flatten)]
    pub(crate) text: Text,
    /// In words, since a number in JavaScript has 53 bits.
    pub(crate) seed: String,
    /// Streams to record beside those that the scenario asks for.
    #[serde(default)]
    pub(crate) record: Vec<String>,
    /// Distance of samples.
    pub(crate) every: Option<String>,
    /// Names of tables; without it all of them.
    pub(crate) tables: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) captures: Captures,
}

/// Captures to make.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Captures {
    pub(crate) packets: Option<Snap>,
    #[serde(default)]
    pub(crate) channels: bool,
}

/// How much of a packet a capture has.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Snap {
    Headers,
    Whole,
}

impl Text {
    /// The scenario with these keys set beside those that the request sets.
    pub(crate) fn load(&self, also: &[(String, String)]) -> Result<Scenario, NotLoaded> {
        let files = |name: &str| {
            let found = self.files.get(name).cloned();
            found.ok_or_else(|| format!("there is no file `{name}` beside this scenario"))
        };
        let around = Around {
            files: &files,
            ..Around::default()
        };
        let set: Vec<_> = self.set.iter().chain(also).cloned().collect();
        scenario::load_toml_with(&self.toml, &self.origin, &set, &around)
    }
}
