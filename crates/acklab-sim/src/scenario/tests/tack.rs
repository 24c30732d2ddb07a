//! Messages about TACK's settings and their surroundings.

use super::DUMBBELL;
use crate::scenario::load_toml;

const CELL: &str = "duration = '1 s'\n[topology]\npreset = 'wlan'\nstations = 2\n\
                    direction = 'down'\n[[flow]]\ntransport = { name = 'tack' }\ncount = 2\n";
/// A round trip of 24 ms, one flow.
const LINE: &str = "duration = '1 s'\n[topology]\npreset = 'dumbbell'\n[topology.bottleneck]\n\
                    rate = '10 Mbit/s'\ndelay = '10 ms'\n[topology.access]\ndelay = '1 ms'\n\
                    [[flow]]\ntransport = { name = 'tack' }\n";

fn said(text: &str, sets: &[(&str, &str)]) -> Result<String, String> {
    let owned = |(k, v): &(&str, &str)| ((*k).to_string(), (*v).to_string());
    let sets: Vec<_> = sets.iter().map(owned).collect();
    match load_toml(text, "t.toml", &sets) {
        Ok(loaded) => Ok(loaded.warnings.to_string()),
        Err(e) => Err(e.to_string()),
    }
}

fn warned(text: &str, sets: &[(&str, &str)]) -> String {
    said(text, sets).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(text: &str, sets: &[(&str, &str)]) -> String {
    said(text, sets).expect_err("a mistake")
}

fn has(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

#[test]
fn plain_tack_is_nothing_to_warn_of() {
    for text in [CELL, LINE] {
        assert_eq!(warned(text, &[]), "");
    }
}

#[test]
fn filters_that_only_tack_passes_are_warned_of() {
    let back = "topology.bottleneck.reverse.ack_filter";
    for filter in ["aggregate", "tac", "cake"] {
        let told = warned(LINE, &[(back, filter)]);
        let place = format!("in --set: {back} = \"{filter}\"");
        has(
            &told,
            &[
                "only feedback of \"tack\" comes this way",
                "the filter never sees one",
                &place,
                "write \"none\"",
            ],
        );
    }
    let there = warned(LINE, &[("topology.bottleneck.ack_filter", "cake")]);
    has(&there, &["write it for the other direction"]);
    let told = warned(CELL, &[("wifi.up.ack_filter", "tac")]);
    has(&told, &["in --set: wifi.up.ack_filter", "\"tack\""]);
    // One flow of TCP among them is enough.
    let policy = ("flow.1.ack", "delayed");
    let sets = [policy, (back, "aggregate"), ("flow.2.transport", "tack")];
    let mixed = format!("{DUMBBELL}\n[[flow]]\n");
    assert_eq!(warned(&mixed, &sets), "");
    let told = warned(LINE, &[(back, "cake"), ("flow.0.transport", "cbr")]);
    has(&told, &["only feedback of \"cbr\" comes this way"]);
}

#[test]
fn answers_that_would_carry_only_tack_are_warned_of() {
    let told = warned(CELL, &[("wifi.down.hack", "true")]);
    has(
        &told,
        &[
            "carry ACKs of TCP, and only TACK's feedback",
            "in --set: wifi.down.hack = true",
            "leave it out",
        ],
    );
    assert_eq!(warned(CELL, &[("wifi.up.hack", "true")]), "");
    let one = ("flow.0.count", "1");
    let beside = format!("{CELL}[[flow]]\n");
    assert_eq!(warned(&beside, &[one, ("wifi.down.hack", "true")]), "");
}

#[test]
fn an_ack_policy_is_not_tack_s() {
    let told = refused(LINE, &[("flow.0.ack", "per-packet")]);
    has(
        &told,
        &[
            "`ack` is TCP's, and this flow's transport is \"tack\"",
            "in --set: flow.0.ack = \"per-packet\"",
            "`beta`, `l` and `interval`",
        ],
    );
}

#[test]
fn what_is_out_of_range_is_refused_with_its_place() {
    for (key, value, right) in [
        ("beta", "1", "a whole number from 2 to 64"),
        ("l", "0", "a whole number from 1 to 255"),
        ("interval.shortest", "\"0 s\"", "\"1 us\""),
        ("interval.shortest", "\"2 s\"", "\"1 s\""),
        ("interval.longest", "\"11 s\"", "\"10 s\""),
        ("delayed", "\"0 ms\"", "\"1 us\""),
        ("interval.shortest", "2", "has no unit"),
    ] {
        let key = format!("flow.0.transport.{key}");
        let told = refused(LINE, &[(&key, value)]);
        has(&told, &[&format!("in --set: {key} = {value}"), right]);
    }
    let turned = ("flow.0.transport.interval.longest", "500 us");
    has(&said(LINE, &[turned]).unwrap_err(), &["interval.longest"]);
}

#[test]
fn intervals_that_leave_nothing_of_beta_are_warned_of() {
    let [shortest, longest] = ["shortest", "longest"].map(|k| {
        let key = format!("flow.0.transport.interval.{k}");
        move |value: &str| warned(LINE, &[(&key, value)])
    });
    assert_eq!(shortest("12 ms"), "");
    has(
        &shortest("13 ms"),
        &[
            "with 13 ms between two TACKs and a round trip of 24 ms",
            "interval.shortest = \"13 ms\"",
            "write \"6 ms\" at most",
        ],
    );
    assert_eq!(longest("6 ms"), "");
    has(
        &longest("5 ms"),
        &["`beta` has no effect", "interval.longest = \"5 ms\""],
    );
}

#[test]
fn settings_without_effect_are_warned_of() {
    let q = ("flow.0.transport.q", "8");
    has(
        &warned(LINE, &[q]),
        &["flow.0.transport.q = 8", "blocks = \"rich\""],
    );
    let adaptive = ("flow.0.transport.blocks", "adaptive");
    assert_eq!(warned(LINE, &[q, adaptive]), "");
}

#[test]
fn controllers_that_count_acks_are_warned_of() {
    for growth in ["ns2", "ns3"] {
        let cc = format!("{{ name = 'newreno', growth = '{growth}' }}");
        let told = warned(LINE, &[("flow.0.cc", &cc)]);
        has(
            &told,
            &[
                &format!("with growth = \"{growth}\""),
                "TACK sends at most 4 in a round trip",
                "flow.0.cc",
                "write growth = \"linux\"",
            ],
        );
    }
    let abc = ("flow.0.cc", "{ name = 'newreno', growth = 'abc' }");
    assert_eq!(warned(LINE, &[abc]), "");
    let tamed = ("flow.0.transport.start_up", "tamed");
    has(&warned(LINE, &[abc, tamed]), &["an ACK adds 2 segments"]);
    for cc in ["newreno", "cubic", "bbr1", "bbr3", "vegas"] {
        assert_eq!(warned(LINE, &[("flow.0.cc", cc), tamed]), "");
    }
}
