//! One ACK filter or several at one place.

use super::DUMBBELL;
use crate::plan::{LinkPlan, Plan};
use crate::scenario::{Scenario, load_toml};

const KEY: &str = "topology.bottleneck.reverse.ack_filter";

fn with(sets: &[(&str, &str)]) -> Result<Scenario, String> {
    let policy = ("flow.1.ack", "delayed");
    let sets = sets.iter().chain([&policy]);
    let sets: Vec<_> = sets.map(|(k, v)| (k.to_string(), v.to_string())).collect();
    load_toml(DUMBBELL, "t", &sets).map_err(|e| e.to_string())
}

fn back(plan: &Plan) -> &LinkPlan {
    plan.links.iter().find(|l| l.name == "right->left").unwrap()
}

fn names(list: &str) -> Vec<&'static str> {
    let loaded = with(&[(KEY, list)]).unwrap_or_else(|e| panic!("{e}"));
    let again = load_toml(&loaded.resolved, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.resolved, loaded.resolved);
    let names = |l: &LinkPlan| l.filters.iter().map(|f| f.entry.name).collect::<Vec<_>>();
    let read = names(back(&loaded.plan));
    assert_eq!(names(back(&again.plan)), read);
    read
}

#[test]
fn one_name_a_table_or_a_list() {
    assert_eq!(names("'none'"), [""; 0]);
    assert_eq!(names("'cake'"), ["cake"]);
    assert_eq!(names("['cake']"), ["cake"]);
    assert_eq!(names("['tac', 'cake']"), ["tac", "cake"]);
    let tables = "[{ name = 'tac', timeout = '2 ms' }, { name = 'cake', mode = 'aggressive' }]";
    assert_eq!(names(tables), ["tac", "cake"]);
    // One place of the list without a filter, as a sweep may have it.
    assert_eq!(names("['none', 'cake']"), ["cake"]);
    assert_eq!(names("['tac', 'none']"), ["tac"]);
}

#[test]
fn a_parameter_of_one_of_several_is_set_by_its_place() {
    let list = (KEY, "[{ name = 'tac' }, { name = 'cake' }]");
    let mode = (&*format!("{KEY}.1.mode"), "aggressive");
    let loaded = with(&[list, mode]).unwrap_or_else(|e| panic!("{e}"));
    let cake = &back(&loaded.plan).filters[1];
    assert_eq!(cake.params.choice("mode"), "aggressive");
}

#[test]
fn filters_that_contradict_each_other_are_refused() {
    let told = |list: &str| with(&[(KEY, list)]).unwrap_err();
    assert_eq!(
        told("['tac', 'aggregate']"),
        format!(
            "error: `tac` and `aggregate` at one place: each keeps ACKs back by its own count or \
             timer, and would wait for those that the other has\n  \
             in --set: {KEY}.1 = \"aggregate\"\n  \
             help: leave one of them out; you can combine one with a filter that looks into the queue: \
             [\"tac\", \"cake\"]"
        )
    );
    assert_eq!(
        told("['cake', 'android-replace']"),
        format!(
            "error: `cake` and `android-replace` at one place: each takes ACKs out of the same \
             queue by its own rule of which one stays there\n  \
             in --set: {KEY}.1 = \"android-replace\"\n  \
             help: leave one of them out; you can combine one with a filter that decides before the queue: \
             [\"tac\", \"cake\"]"
        )
    );
    assert_eq!(
        told("['cake', 'none', 'tac']"),
        format!(
            "error: `tac` cannot stand below `cake`, which looks into the queue: `tac` would \
             hold the ACKs, so they would not be in the queue\n  \
             in --set: {KEY}.2 = \"tac\"\n  \
             help: write them in the order in which an ACK meets them: [\"tac\", \"cake\"]"
        )
    );
    let three = told("['tac', 'cake', 'cake']");
    assert!(three.contains("`cake` and `cake` at one place"), "{three}");
}

#[test]
fn a_list_has_filters_in_it() {
    let told = |list: &str| with(&[(KEY, list)]).unwrap_err();
    let empty = told("[]");
    assert!(empty.contains("an empty list"), "{empty}");
    assert!(empty.contains("write \"none\""), "{empty}");
    let number = told("[3]");
    assert!(number.contains(&format!("{KEY}.0")), "{number}");
    let nested = told("[['tac']]");
    assert!(nested.contains("a list is not allowed here"), "{nested}");
    let slip = told("['tac', 'cakes']");
    assert!(slip.contains("did you mean `cake`?"), "{slip}");
    assert!(slip.contains(&format!("{KEY}.1")), "{slip}");
    let other = told("true");
    assert!(other.contains("or a list of them"), "{other}");
}

#[test]
fn advice_names_the_one_of_several() {
    let list = "['none', { name = 'tac', timeout = '50 ms' }, 'cake']";
    let loaded = with(&[(KEY, list)]).unwrap_or_else(|e| panic!("{e}"));
    let told = loaded.warnings.to_string();
    assert!(told.contains("the timer of 50 ms never ends"), "{told}");
}
