//! Loading takes steps in proportion to the text, ends when it is stopped, and does not list one mistake
//! ten thousand times.

use super::super::diagnostics::MOST;
use super::super::{
    Around, Diagnostics, MOST_BYTES, NotLoaded, Scenario, load_json_with, load_toml_with, steps,
};
use super::blocks::REGISTRIES;
use super::{doc, load};
use std::cell::Cell;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

const DUMBBELL: &str = "duration = '1 s'\n[topology]\npreset = 'dumbbell'\n[topology.bottleneck]\n\
                        rate = '10 Mbit/s'\ndelay = '20 ms'\n";

fn loaded(text: &str) -> Result<Scenario, Diagnostics> {
    load(doc::parse_toml(text, "t").unwrap(), "t", &[], REGISTRIES)
}

fn flows(n: usize, each: &str) -> String {
    format!("{DUMBBELL}{}", format!("[[flow]]\n{each}").repeat(n))
}

/// `n` hosts at each of two routers, each with a flow across.
fn star(n: usize, more: &str) -> String {
    let mut text = "duration = '1 s'\n[[node]]\nname = 'l'\n[[node]]\nname = 'r'\n\
                    [[link]]\na = 'l'\nb = 'r'\nrate = '10 Mbit/s'\n"
        .to_string();
    for i in 0..n {
        write!(
            text,
            "[[node]]\nname = 's{i}'\n[[node]]\nname = 'd{i}'\n\
             [[link]]\na = 's{i}'\nb = 'l'\nack_filter = 'aggregate'\n[[link]]\na = 'r'\nb = 'd{i}'\n\
             [[flow]]\nfrom = 's{i}'\nto = 'd{i}'\n{more}"
        )
        .unwrap();
    }
    text
}

fn expectations(n: usize) -> String {
    let bounds = (0..n).map(|i| format!("[expect.flow.f{i}]\ntimeouts = {{ max = 9 }}\n"));
    flows(n, "") + &bounds.collect::<String>()
}

fn channels(n: usize) -> String {
    let mut text = "duration = '1 s'\n".to_string();
    for i in 0..n {
        write!(
            text,
            "[[node]]\nname = 's{i}'\n[[node]]\nname = 'a{i}'\n\
             [[wifi]]\nname = 'w{i}'\nap = 'a{i}'\nstations = ['s{i}']\n\
             [[flow]]\nfrom = 's{i}'\nto = 'a{i}'\n"
        )
        .unwrap();
    }
    text
}

fn mistakes(n: usize) -> String {
    flows(n, "from = 'nowhere'\ncc = 'nothing'\n")
}

#[test]
fn steps_grow_as_the_text_does() {
    let shapes: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("a star", &|n| star(n, "")),
        ("expectations", &expectations),
        ("channels", &channels),
        ("mistakes", &mistakes),
        ("strangers", &|n| {
            star(n, "[[flow]]\nfrom = 's'\nto = 'd'\n")
        }),
    ];
    for (name, text) in shapes {
        let of = |n| steps::of(|| loaded(&text(n)).is_ok()).0;
        let (one, four) = (of(250), of(1000));
        assert!(one > 0, "{name}: nothing is counted");
        assert!(
            four < 5 * one,
            "{name}: {one} steps, of four times as much {four}"
        );
    }
}

#[test]
fn more_flows_than_there_may_be_are_one_mistake() {
    let told = loaded(&flows(100_001, "")).unwrap_err();
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    let expect = "error: too many flows\n  in t, line 7: flow\n  help: write 100000 at most";
    assert_eq!(told, [expect]);
    assert!(loaded(&flows(100_000, "")).is_ok());
}

#[test]
fn one_mistake_made_many_times_is_not_told_as_often() {
    let told = loaded(&flows(5000, "start = '2 s'\n")).unwrap_err();
    assert_eq!(told.iter().count(), MOST + 1);
    let last = told.iter().last().unwrap();
    assert_eq!(last.message, "there are more than these 100 mistakes");
    let few = loaded(&flows(MOST, "start = '2 s'\n")).unwrap_err();
    assert_eq!(few.iter().count(), MOST, "and nothing about more");
}

#[test]
fn a_text_may_be_so_long() {
    let long = "#".repeat(MOST_BYTES as usize + 1);
    let told = loaded_with(&long);
    let expect = "error: the text is longer than 64 MiB\n  in t\n  help: write fewer flows, links or places; \
                  `count`, presets and traces say the same in less";
    assert_eq!(told.unwrap_err().to_string(), expect);
    // As long as may be, and wrong for another reason.
    let told = loaded_with(&long[1..]).unwrap_err().to_string();
    assert!(told.contains("`duration` is missing"), "{told}");
}

fn loaded_with(text: &str) -> Result<Scenario, NotLoaded> {
    load_toml_with(text, "t", &[], &Around::default())
}

#[test]
fn loading_ends_once_it_is_stopped() {
    let stop = AtomicBool::new(true);
    let around = Around {
        stop: &stop,
        ..Around::default()
    };
    let text = flows(1, "");
    let stopped = |r: Result<Scenario, NotLoaded>| assert_eq!(r.unwrap_err(), NotLoaded::Stopped);
    stopped(load_toml_with(&text, "t", &[], &around));
    stopped(load_json_with("{}", "t", &[], &around));
    stopped(load_toml_with("no scenario", "t", &[], &around));
}

/// While it reads the first of many traces somebody stops it: no other is read, with overrides neither.
#[test]
fn the_flag_is_looked_at_on_the_way() {
    let link = "[[link]]\na = 'l'\nb = 'r'\nrate = { trace = 'x' }\n";
    let text = "duration = '1 s'\n".to_string() + &link.repeat(50);
    let set = [("seed".to_string(), "7".to_string())];
    for overrides in [&[][..], &set] {
        let (stop, read) = (AtomicBool::new(false), Cell::new(0));
        let files = |_: &str| {
            read.set(read.get() + 1);
            stop.store(true, Ordering::Relaxed);
            Err("gone".to_string())
        };
        let around = Around {
            files: &files,
            stop: &stop,
            ..Around::default()
        };
        let ended = load_toml_with(&text, "t", overrides, &around);
        assert_eq!(ended.unwrap_err(), NotLoaded::Stopped);
        // Both directions of the link.
        assert_eq!(read.get(), 2);
    }
}
