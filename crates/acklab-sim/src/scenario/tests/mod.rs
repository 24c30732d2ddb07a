//! Whole scenarios through the whole pipeline.

mod blocks;
mod errors;
mod filters;
mod form_errors;
mod gallery;
mod given;
mod growth;
mod names;
mod nested_queues;
mod plans;
mod queue_laws;
mod robust;
mod shaper_warnings;
mod tack;
mod transports;
mod wifi;
mod wifi_blocks;
mod wifi_coexistence;
mod wifi_errors;
mod wifi_mode_errors;
mod wifi_ofdma;
mod wifi_rules;
mod wifi_space;

use super::{Diagnostics, Scenario, doc, load};

/// Loads TOML with the building blocks of [`blocks`].
fn toml(text: &str) -> Result<Scenario, Diagnostics> {
    toml_with(text, &[])
}

/// The same with overrides.
fn toml_with(text: &str, overrides: &[(&str, &str)]) -> Result<Scenario, Diagnostics> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .collect();
    let doc = doc::parse_toml(text, "test.toml").map_err(Diagnostics::new)?;
    load(doc, "test.toml", &overrides, blocks::REGISTRIES)
}

/// The same from JSON.
fn json(text: &str) -> Result<Scenario, Diagnostics> {
    let doc = doc::parse_json(text, "test.json").map_err(Diagnostics::new)?;
    load(doc, "test.json", &[], blocks::REGISTRIES)
}

/// A scenario that loads.
fn good(text: &str) -> Scenario {
    toml(text).unwrap_or_else(|e| panic!("{e}"))
}

const DUMBBELL: &str = r#"
name = "wired-dumbbell"
duration = "60 s"
start = "2 s"

[topology]
preset = "dumbbell"
pairs = 2

[topology.access]
rate = "100 Mbit/s"
delay = "2 ms"

[topology.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
queue = "40 packets"
overhead = "2 B"

[topology.bottleneck.reverse]
ack_filter = { name = "aggregate", ratio = 4 }

[[flow]]
cc = "cubic"

[[flow]]
cc = { name = "newreno", growth = "ns3" }
ack = { name = "delayed", count = 2 }
"#;
