//! Messages about mistakes of form: keys, kinds of values, syntax, overrides.

use super::errors::{set, told, wrong};
use super::{DUMBBELL, json, toml};

#[test]
fn an_unknown_key_is_told_with_its_place_and_the_near_miss() {
    assert_eq!(
        wrong("delay = \"20 ms\"", "dealy = \"20 ms\""),
        "error: unknown key `dealy`\n  \
           in test.toml, line 16: topology.bottleneck.dealy = \"20 ms\"\n  \
           help: did you mean `delay`?"
    );
    assert_eq!(
        wrong("name = \"wired-dumbbell\"", "zzz = 1"),
        "error: unknown key `zzz`\n  \
           in test.toml, line 2: zzz = 1\n  \
           help: the keys here are `name`, `description`, `duration`, `start`, `warmup`, \
           `sample_every`, `seed`, `topology`, `node`, `link`, `wifi`, `tcp`, `flow`, `record`, `expect`"
    );
}

#[test]
fn all_mistakes_are_told_at_once_in_the_order_of_the_text() {
    let text = DUMBBELL
        .replace("60 s", "0 s")
        .replace("delay = \"2 ms\"", "delay = \"-2 ms\"")
        .replace("10 Mbit/s", "10 Mbps")
        .replace("ratio = 4", "ration = 4")
        .replace("\"cubic\"", "\"cubik\"");
    assert_eq!(
        toml(&text).unwrap_err().to_string(),
        "error: the run takes no time at all\n  \
           in test.toml, line 3: duration = \"0 s\"\n  \
           help: write a time above zero, such as \"60 s\"\n\n\
         error: \"-2 ms\" is negative\n  \
           in test.toml, line 12: topology.access.delay = \"-2 ms\"\n  \
           help: write a time that is not below zero\n\n\
         error: the unit of \"10 Mbps\" is ambiguous\n  \
           in test.toml, line 15: topology.bottleneck.rate = \"10 Mbps\"\n  \
           help: write \"10 Mbit/s\" for bits or \"10 MB/s\" for bytes per second\n\n\
         error: `aggregate` has no parameter `ration`\n  \
           in test.toml, line 21: topology.bottleneck.reverse.ack_filter.ration = 4\n  \
           help: did you mean `ratio`?\n\n\
         error: there is no congestion controller called `cubik`\n  \
           in test.toml, line 24: flow.0.cc = \"cubik\"\n  \
           help: did you mean `cubic`?"
    );
}

#[test]
fn wrong_types_are_told_what_can_stand_there() {
    assert_eq!(
        told("topology.pairs", "two"),
        "a text is not allowed here|write a whole number"
    );
    assert_eq!(
        told("topology.bottleneck.delay", "20"),
        "\"20\" has no unit|write \"20 ms\", for example"
    );
    assert_eq!(
        told("topology.bottleneck.delay", "true"),
        "true or false is not allowed here|write a time, such as \"20 ms\""
    );
    assert_eq!(
        told("topology", "dumbbell"),
        "a text is not allowed here|write a table"
    );
    assert_eq!(
        told("flow", "{}"),
        "a table is not allowed here|write a list of tables: [[flow]] instead of [flow]"
    );
    assert_eq!(
        told("topology", "[1]"),
        "a list is not allowed here|write a table"
    );
    assert_eq!(
        told("record", "['ppdus']"),
        "a list is not allowed here|write a table, such as { ppdus = true }"
    );
    assert_eq!(
        told("flow.0.app", "bulky"),
        "`bulky` is not one of the allowed words|did you mean `bulk`?"
    );
    assert_eq!(
        told("flow.0.app.kind", "x"),
        "`x` is not one of the allowed words|write one of `bulk`, `on-off`, `request-response`, `video`"
    );
}

#[test]
fn what_is_missing_is_told() {
    assert_eq!(
        toml("").unwrap_err().to_string(),
        "error: `duration` is missing\n  in test.toml: duration\n  \
           help: say how long to measure: duration = \"60 s\""
    );
    let none = toml("duration = '1 s'").unwrap_err().to_string();
    assert!(none.starts_with("error: there is no network"), "{none}");
}

#[test]
fn one_mistake_is_told_once() {
    for (old, new) in [
        ("preset = \"dumbbell\"", "preset = \"dumbell\""),
        ("duration = \"60 s\"", "duration = \"60\""),
        ("duration = \"60 s\"", "duratoin = \"60 s\""),
        ("[topology.bottleneck]", "[topology.botleneck]"),
        ("pairs = 2", "pairs = 0"),
        ("cc = \"cubic\"", "from = \"s9\""),
    ] {
        let text = wrong(old, new);
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
    }
}

#[test]
fn syntax_errors_have_lines_too() {
    let text = toml("a = \n").unwrap_err().to_string();
    assert!(text.starts_with("error: not valid TOML: "), "{text}");
    assert!(text.contains("in test.toml, line 1"), "{text}");
    let text = toml("a = 1\n[b]\nc = 1\nc = 2\n").unwrap_err().to_string();
    assert_eq!(
        text,
        "error: not valid TOML: duplicate key c\n  in test.toml, line 4"
    );
    let text = json("{\n \"a\": }").unwrap_err().to_string();
    assert!(text.starts_with("error: not valid JSON: "), "{text}");
    assert!(text.contains("in test.json, line 2"), "{text}");
}

#[test]
fn a_list_of_names_is_told_that_there_is_room_for_one() {
    let text = wrong("cc = \"cubic\"", "cc = [\"cubic\", \"bbr3\"]");
    assert!(
        text.contains("a list is not allowed here: there is room for one"),
        "{text}"
    );
    assert!(text.contains("flow.0.cc"), "{text}");
    assert!(
        text.contains("help: write one name in double quotes"),
        "{text}"
    );
}

#[test]
fn a_bad_override_names_itself() {
    assert_eq!(
        set("flow.7.cc", "cubic"),
        "error: `flow` has 2 items, so there is no item 7\n  \
           in --set: flow.7.cc = cubic\n  \
           help: items count from 0; the number after the last appends one"
    );
}
