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
            "with 13 ms between two TACKs (`interval.shortest`) and a round trip of 24 ms",
            "interval.shortest = \"13 ms\"",
            "write interval.shortest = \"6 ms\" at most",
        ],
    );
    assert_eq!(longest("6 ms"), "");
    has(
        &longest("5 ms"),
        &["`beta` has no effect", "interval.longest = \"5 ms\""],
    );
}

#[test]
fn a_round_trip_below_two_intervals_is_warned_of_by_default() {
    let short = ("topology.bottleneck.delay", "40 us");
    let near = ("topology.access.delay", "1 us");
    let told = warned(LINE, &[short, near]);
    has(
        &told,
        &[
            "with 1 ms, the default, between two TACKs (`interval.shortest`) and a round trip of 84 us",
            "`beta` has no effect",
            "transport",
            "write interval.shortest = \"21 us\" at most, which is `beta` = 4 in a round trip",
        ],
    );
    let shortest = ("flow.0.transport.interval.shortest", "21 us");
    assert_eq!(warned(LINE, &[short, near, shortest]), "");
    // A radio channel takes longer than its delay.
    assert_eq!(warned(CELL, &[("topology.wire.delay", "10 us")]), "");
    // Two in a round trip and more are fewer than `beta` asks for.
    let beta = ("flow.0.transport.beta", "32");
    has(
        &warned(LINE, &[beta]),
        &[
            "flow.0.transport.beta = 32",
            "`beta` has no effect: 1 ms, the default,",
            "write interval.shortest = \"750 us\" at most",
        ],
    );
    assert_eq!(warned(LINE, &[("flow.0.transport.beta", "24")]), "");
}

/// Keys and values.
type Sets = &'static [(&'static str, &'static str)];

/// The setting and its value, the others that leave it without effect, and the hint.
const IDLE: &[(&str, &str, Sets, &str)] = &[
    ("q", "8", &[], "write blocks = \"adaptive\""),
    (
        "iack_copies",
        "3",
        &[("iack", "false")],
        "write iack = true",
    ),
    (
        "settle",
        "always",
        &[("iack", "false"), ("unacked", "all"), ("start_up", "tamed")],
        "write iack = true or unacked = \"reported\" or start_up = \"per-packet\"",
    ),
    (
        "unacked",
        "all",
        &[("settle", "never")],
        "write settle = \"once-reordered\"",
    ),
    (
        "owd",
        "raw",
        &[("timing", "newest")],
        "write timing = \"advanced\"",
    ),
    (
        "owd_gain",
        "4",
        &[("timing", "legacy")],
        "write timing = \"advanced\"",
    ),
    (
        "owd_gain",
        "4",
        &[("owd", "raw")],
        "write owd = \"smoothed\"",
    ),
    (
        "start_up_packets",
        "50",
        &[("start_up", "tamed")],
        "write start_up = \"per-packet\"",
    ),
    (
        "theta",
        "5",
        &[("start_up", "tamed")],
        "write blocks = \"adaptive\" or",
    ),
    (
        "theta_unit",
        "interval",
        &[("start_up", "tamed")],
        "write blocks = \"adaptive\" or",
    ),
];

#[test]
fn settings_without_effect_are_warned_of() {
    for (key, value, others, right) in IDLE {
        let full = |key: &str| format!("flow.0.transport.{key}");
        let others: Vec<_> = others.iter().map(|(k, v)| (full(k), *v)).collect();
        let mut sets: Vec<_> = others.iter().map(|(k, v)| (k.as_str(), *v)).collect();
        assert_eq!(warned(LINE, &sets), "", "{key}");
        let own = full(key);
        sets.push((&own, value));
        let told = warned(LINE, &sets);
        let effect = format!("`{key}` has no effect with ");
        let leave = format!("or leave `{key}` out");
        has(&told, &[&effect, &own, value, right, &leave]);
        for (other, _) in &others {
            let name = other.rsplit('.').next().unwrap();
            has(&told, &[&format!("{name} = ")]);
            // Each of them alone gives the setting an effect.
            let without: Vec<_> = sets.iter().filter(|s| s.0 != *other).copied().collect();
            assert_eq!(warned(LINE, &without), "", "{key} without {other}");
        }
    }
}

#[test]
fn settings_that_a_controller_does_not_hear_of_are_warned_of() {
    for (key, value, cc) in [
        ("rate_samples", "sender", "cubic"),
        ("undo", "false", "bbr-tack"),
        ("initial_window", "20", "rate"),
    ] {
        let key = format!("flow.0.transport.{key}");
        let told = warned(LINE, &[(&key, value), ("flow.0.cc", cc)]);
        has(&told, &["has no effect with cc = ", cc, &key]);
        let other = if cc == "cubic" { "bbr1" } else { "cubic" };
        assert_eq!(warned(LINE, &[(&key, value), ("flow.0.cc", other)]), "");
    }
    let cc = ("flow.0.cc", "{ name = 'cubic', paced = false }");
    has(&warned(LINE, &[cc]), &["`paced` has no effect under TACK"]);
}

#[test]
fn a_wait_that_the_interval_always_ends_is_warned_of() {
    let thin = ("flow.0.transport.thin", "interval");
    let delayed = |value| ("flow.0.transport.delayed", value);
    let told = warned(LINE, &[thin, delayed("250 ms")]);
    has(
        &told,
        &[
            "`delayed` has no effect with thin = \"interval\"",
            "flow.0.transport.delayed = \"250 ms\"",
            "write thin = \"timer\", or less than \"250 ms\"",
        ],
    );
    assert_eq!(warned(LINE, &[thin, delayed("249 ms")]), "");
    assert_eq!(warned(LINE, &[delayed("250 ms")]), "");
}

#[test]
fn an_l_above_every_window_is_warned_of() {
    let l = |value| ("flow.0.transport.l", value);
    let buffer = ("flow.0.transport.recv_buffer", "20000");
    has(
        &warned(LINE, &[l("14"), buffer]),
        &[
            "14 packets of 1434 B (`l`) are more than `recv_buffer` holds, 20000 B",
            "flow.0.transport.l = 14",
            "write l = 13 at most",
        ],
    );
    assert_eq!(warned(LINE, &[l("13"), buffer]), "");
    let fixed = ("flow.0.cc", "{ name = 'fixed', window = 8 }");
    has(
        &warned(LINE, &[l("9"), fixed]),
        &["the controller's `window`"],
    );
    assert_eq!(warned(LINE, &[l("8"), fixed]), "");
}

#[test]
fn two_readings_of_eq_3_are_warned_of() {
    let cc = ("flow.0.cc", "bbr-tack");
    for key in ["beta", "l"] {
        let at = format!("flow.0.transport.{key}");
        let told = warned(LINE, &[cc, (&at, "8")]);
        has(
            &told,
            &[
                &format!("the transport has {key} = 8 and bbr-tack {key} = "),
                &format!("write cc = {{ name = \"bbr-tack\", {key} = 8 }}"),
            ],
        );
        let both = format!("{{ name = 'bbr-tack', {key} = 8 }}");
        assert_eq!(warned(LINE, &[("flow.0.cc", &both), (&at, "8")]), "");
    }
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
