//! Every file of the gallery loads, reloads from its resolved form, and expects something.

use crate::engine;
use crate::scenario::registries::Registries;
use crate::scenario::{Around, Scenario, load_toml_with};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

#[expect(clippy::disallowed_methods, reason = "the files are what is tested")]
fn gallery() -> Vec<(String, String)> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let name = |p: &PathBuf| p.file_stem().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .map(|p| (name(p), fs::read_to_string(p).unwrap()))
        .collect()
}

fn load(name: &str, text: &str) -> Scenario {
    load_set(name, text, &[])
}

/// With the traces of the gallery, by the names of the folder and by those of a resolved scenario.
#[expect(clippy::disallowed_methods, reason = "the files are what is tested")]
fn load_set(name: &str, text: &str, overrides: &[(String, String)]) -> Scenario {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = |file: &str| fs::read_to_string(dir.join(file)).map_err(|e| e.to_string());
    let around = Around {
        files: &files,
        ..Around::default()
    };
    load_toml_with(text, name, overrides, &around).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_file_loads_and_reloads() {
    let gallery = gallery();
    assert!(gallery.len() >= 10);
    for (name, text) in gallery {
        let first = load(&name, &text);
        assert_eq!(
            first.plan.name, name,
            "the file is called after the scenario"
        );
        let again = load(&name, &first.resolved);
        assert!(first.resolved == again.resolved, "{name}");
        let same_plan = format!("{:?}", first.plan) == format!("{:?}", again.plan);
        assert!(same_plan, "{name}");
    }
}

#[test]
fn every_file_says_what_it_is_about_and_what_it_expects() {
    for (name, text) in gallery() {
        let scenario = load(&name, &text);
        assert!(!scenario.description.is_empty(), "{name}");
        assert!(!scenario.expect.0.is_empty(), "{name}");
    }
}

#[test]
fn every_run_keeps_to_what_its_file_expects() {
    let mut violations = Vec::new();
    for (name, text) in gallery() {
        let scenario = load(&name, &text);
        let run = engine::run(&scenario.plan, scenario.seed, &AtomicBool::new(false)).unwrap();
        let broken = scenario.expect.violations(&run);
        violations.extend(broken.into_iter().map(|v| format!("{name}: {v}")));
    }
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn every_building_block_is_written_out_and_read_back() {
    let (_, text) = gallery()
        .into_iter()
        .find(|(n, _)| n == "single-flow")
        .unwrap();
    let blocks = Registries::builtin();
    let cc = blocks.cc.iter().map(|e| ("flow.0.cc", e.name));
    let ack = blocks.ack.iter().map(|e| ("flow.0.ack", e.name));
    let key = "topology.bottleneck.reverse.ack_filter";
    let filter = blocks.filter.iter().map(|e| (key, e.name));
    for (key, name) in cc.chain(ack).chain(filter) {
        let set = [(key.to_string(), name.to_string())];
        let first = load_set(name, &text, &set);
        let again = load(name, &first.resolved);
        let same_plan = format!("{:?}", first.plan) == format!("{:?}", again.plan);
        assert!(same_plan, "{name}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the files are what is tested")]
fn the_example_in_the_reference_loads() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenario.md");
    let page = fs::read_to_string(page).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap();
    load("docs/scenario.md", example.split("```").next().unwrap());
}
