//! Warnings of shapers that never limit anything, or otherwise than one expects.

use super::nested_queues::with;
use super::toml;
use acklab_units::Rate;

/// All warnings of a scenario that loads.
pub(super) fn warned(text: &str) -> String {
    match toml(text) {
        Ok(loaded) => loaded.warnings.to_string(),
        Err(e) => panic!("{e}"),
    }
}

/// The bottleneck carries 10 Mbit/s.
#[test]
fn a_shaper_that_never_limits_anything_is_warned_of() {
    for (name, of) in [
        ("cake", "bandwidth = '20 Mbit/s'"),
        ("tbf", "rate = '20 Mbit/s'"),
        (
            "htb",
            "classes = [{ name = 'a', rate = '1 Mbit/s', ceil = '20 Mbit/s' }]",
        ),
        ("queue-tree", "queues = [{ max_limit = '20 Mbit/s' }]"),
    ] {
        let told = warned(&with(&format!("{{ name = '{name}', {of} }}")));
        assert!(
            told.contains(
                "shapes to 20 Mbit/s on a link of 10 Mbit/s: the shaper never limits anything"
            ),
            "{name}: {told}"
        );
        assert!(told.contains("topology.bottleneck.qdisc"), "{name}: {told}");
        let acts = of.replace("20 Mbit/s", "9 Mbit/s");
        assert_eq!(
            warned(&with(&format!("{{ name = '{name}', {acts} }}"))),
            "",
            "{name}"
        );
    }
    assert_eq!(warned(&with("'cake'")), "");
    // `bandwidth` is where it begins.
    let follows = "{ name = 'cake', bandwidth = '20 Mbit/s', autorate_ingress = true }";
    assert_eq!(warned(&with(follows)), "");
}

/// At 11 Mbit/s a packet of 1500 bytes may count for 1650 before it takes as long as 1500 at 10 Mbit/s, and one of
/// 40 for 44.
#[test]
fn a_shaper_above_the_line_that_counts_more_is_not_warned_of() {
    let above = "the shaper never limits anything";
    let of = |keys: &str| warned(&with(&format!("{{ {keys} }}"))).contains(above);
    for (shaper, more) in [
        (
            "name = 'cake', bandwidth = '11 Mbit/s'",
            "framing = 'conservative'",
        ),
        (
            "name = 'cake', bandwidth = '10.1 Mbit/s'",
            "framing = 'docsis'",
        ),
        ("name = 'cake', bandwidth = '11 Mbit/s'", "mpu = 84"),
        (
            "name = 'tbf', rate = '11 Mbit/s'",
            "linklayer = 'atm', overhead = 48",
        ),
        (
            "name = 'htb', classes = [{ rate = '11 Mbit/s' }]",
            "linklayer = 'atm'",
        ),
        (
            "name = 'htb', classes = [{ rate = '10.1 Mbit/s' }]",
            "linklayer = 'ptm'",
        ),
        (
            "name = 'queue-tree', queues = [{ max_limit = '11 Mbit/s' }]",
            "overhead = 20",
        ),
    ] {
        assert!(of(shaper), "{shaper}");
        assert!(!of(&format!("{shaper}, {more}")), "{shaper}, {more}");
    }
    // It counts more, and still too little.
    assert!(of(
        "name = 'cake', bandwidth = '30 Mbit/s', framing = 'docsis'"
    ));
    // What it counts holds for the shaper inside it.
    let outer = |rate: &str| {
        of(&format!(
            "name = 'tbf', rate = '5 Mbit/s', linklayer = 'atm', child = {{ name = 'cake', bandwidth = '{rate}' }}"
        ))
    };
    assert!(outer("4.6 Mbit/s") && !outer("4.3 Mbit/s"));
}

/// Classes of a tree count as a CAKE does.
#[test]
fn a_tree_that_counts_too_little_is_warned_of() {
    let of = |more: &str| {
        let link = with(&format!(
            "{{ name = 'htb'{more}, classes = [{{ rate = '9.9 Mbit/s' }}] }}"
        ));
        warned(&link.replace("overhead = \"2 B\"", "overhead = \"100 B\""))
    };
    let expected = "class 1 of `htb` shapes to 9.9 Mbit/s and counts 1500 bytes for a packet of 1500, which takes 1600";
    assert!(of("").contains(expected), "{}", of(""));
    assert_eq!(of(", overhead = 100"), "");
}

#[test]
fn a_bucket_of_a_peak_rate_that_is_not_there_is_warned_of() {
    let of = |more: &str| {
        let keys = "name = 'tbf', rate = '8 Mbit/s', burst = '9 kB', mtu = '2 kB'";
        warned(&with(&format!("{{ {keys}{more} }}")))
    };
    let told = of("");
    assert!(
        told.contains("there is no peak rate: it has no effect"),
        "{told}"
    );
    assert!(told.contains("topology.bottleneck.qdisc.mtu"), "{told}");
    assert_eq!(of(", peakrate = '9 Mbit/s'"), "");
}

/// 1600 bytes at 10 Mbit/s take 1.28 ms, 1500 at 9.9 Mbit/s 1.21 ms.
#[test]
fn a_shaper_that_counts_too_little_is_warned_of() {
    let of = |keys: &str| {
        let link = with(&format!("{{ {keys} }}"));
        warned(&link.replace("overhead = \"2 B\"", "overhead = \"100 B\""))
    };
    for shaper in [
        "name = 'cake', bandwidth = '9.9 Mbit/s'",
        "name = 'tbf', rate = '9.9 Mbit/s'",
    ] {
        let told = of(shaper);
        let expected = "shapes to 9.9 Mbit/s and counts 1500 bytes for a packet of 1500, which takes 1600 on a link \
                        of 10 Mbit/s: the shaper never limits anything";
        assert!(told.contains(expected), "{told}");
        assert_eq!(of(&format!("{shaper}, overhead = 100")), "");
        assert_eq!(of(&shaper.replace("9.9", "9.3")), "");
    }
}

/// Linux's `cake_overhead` is for the shaper; the turns of flows and tins count it, too.
#[test]
fn bytes_beside_the_packet_without_a_shaper_are_warned_of() {
    for (key, value) in [
        ("framing", "'docsis'"),
        ("ether_vlan", "1"),
        ("overhead", "44"),
        ("mpu", "84"),
        ("cells", "'atm'"),
        ("ingress", "true"),
    ] {
        let of = |more: &str| {
            warned(&with(&format!(
                "{{ name = 'cake', {key} = {value}{more} }}"
            )))
        };
        let told = of("");
        let expected = format!("`cake` has no `bandwidth`, so `{key}` delays no packet");
        assert!(told.contains(&expected), "{told}");
        assert!(
            told.contains(&format!("topology.bottleneck.qdisc.{key}")),
            "{told}"
        );
        assert_eq!(told.matches("warning:").count(), 1, "{told}");
        assert!(of(", bandwidth = 'none'").contains(&expected));
        assert_eq!(of(", bandwidth = '9 Mbit/s'"), "");
        // It gets a rate from what arrives.
        assert!(!of(", autorate_ingress = true").contains("delays no packet"));
    }
    let raw = "{ name = 'cake', framing = 'raw', overhead = 0, cells = 'auto' }";
    assert_eq!(warned(&with(raw)), "");
    let several = warned(&with(
        "{ name = 'cake', framing = 'docsis', overhead = 44 }",
    ));
    assert_eq!(several.matches("warning:").count(), 1, "{several}");
    let inner = "{ name = 'tbf', rate = '1 Mbit/s', child = { name = 'cake', overhead = 44 } }";
    assert!(warned(&with(inner)).contains("qdisc.child.overhead"));
}

/// One CUBIC flow has 2.5 of 10 Mbit/s then, and 8.8 with `bandwidth = "10 Mbit/s"`.
#[test]
fn a_rate_that_starts_from_the_first_packets_is_warned_of() {
    let of = |more: &str| {
        warned(&with(&format!(
            "{{ name = 'cake', autorate_ingress = true{more} }}"
        )))
    };
    let told = of("");
    let expected = "`autorate_ingress` has no `bandwidth` to start from, so it starts from the rate of the first packets";
    assert!(told.contains(expected), "{told}");
    assert!(
        told.contains("topology.bottleneck.qdisc.autorate_ingress"),
        "{told}"
    );
    assert_eq!(of(", bandwidth = '9 Mbit/s'"), "");
}

#[test]
fn a_peak_rate_above_the_line_is_warned_of() {
    let of = |peak: &str| {
        let keys = "name = 'tbf', rate = '8 Mbit/s', burst = '9 kB'";
        warned(&with(&format!("{{ {keys}, peakrate = '{peak}' }}")))
    };
    let told = of("20 Mbit/s");
    assert!(
        told.contains("topology.bottleneck.qdisc.peakrate"),
        "{told}"
    );
    let expected = "a burst cannot leave at 20 Mbit/s on a link of 10 Mbit/s: the peak rate never limits anything";
    assert!(told.contains(expected), "{told}");
    assert_eq!(of("9.5 Mbit/s"), "");
}

/// A CAKE has no limit of packets.
#[test]
fn a_queue_beside_a_cake_has_no_effect() {
    for queue in ["100 packets", "64 kB", "1 BDP"] {
        let told = warned(&with(&format!("'cake'\nqueue = '{queue}'")));
        let expected =
            "has no effect: `cake` limits the memory that packets take, not their number";
        assert!(told.contains(expected), "{told}");
        assert!(told.contains("memlimit = \"4 MB\""), "{told}");
    }
}

/// Each class without a parent by itself, whatever the others shape to.
#[test]
fn a_slow_leaf_does_not_excuse_a_root_that_never_limits() {
    let tree = |root: &str, leaf: &str| {
        with(&format!(
            "{{ name = 'htb', classes = [{{ name = 'all', rate = '{root}' }}, \
             {{ name = 'a', parent = 'all', rate = '1 Mbit/s', ceil = '{leaf}', flow = 'f0' }}, \
             {{ parent = 'all', rate = '1 Mbit/s', ceil = '{root}' }}] }}"
        ))
    };
    let told = warned(&tree("100 Mbit/s", "5 Mbit/s"));
    let expected = "class `all` of `htb` shapes to 100 Mbit/s on a link of 10 Mbit/s: the shaper never limits anything";
    assert!(told.contains(expected), "{told}");
    assert_eq!(told.matches("never limits").count(), 1, "{told}");
    assert_eq!(warned(&tree("9 Mbit/s", "5 Mbit/s")), "");
    // Below a root that acts, a ceiling above the root's is another mistake.
    let told = warned(&tree("9 Mbit/s", "20 Mbit/s"));
    assert_eq!(told.matches("never limits").count(), 0, "{told}");
}

#[test]
fn a_shaper_inside_a_slower_one_is_warned_of() {
    let inside =
        |outer: &str| outer.replace("CAKE", "child = { name = 'cake', bandwidth = '6 Mbit/s' }");
    for (outer, bound) in [
        (
            "{ name = 'tbf', rate = '5 Mbit/s', CAKE }",
            "inside `tbf` of 5 Mbit/s",
        ),
        (
            "{ name = 'htb', classes = [{ name = 'dsl', rate = '5 Mbit/s', CAKE }] }",
            "inside class `dsl` of `htb` of 5 Mbit/s",
        ),
        (
            "{ name = 'queue-tree', queues = [{ max_limit = '5 Mbit/s', CAKE }] }",
            "inside queue 1 of `queue-tree` of 5 Mbit/s",
        ),
    ] {
        let told = warned(&with(&inside(outer)));
        let expected =
            format!("`cake` shapes to 6 Mbit/s {bound}: the shaper never limits anything");
        assert!(told.contains(&expected), "{outer}: {told}");
        assert!(told.contains("child"), "{told}");
        let acts = inside(outer)
            .replace("rate = '5", "rate = '7")
            .replace("limit = '5", "limit = '7");
        assert_eq!(warned(&with(&acts)), "", "{acts}");
    }
}

/// MCS 7 of 802.11ax with one stream in 20 MHz: 73.1 to 86.0 Mbit/s by guard interval (table 27-55).
#[test]
fn a_shaper_above_the_rate_of_its_station_is_warned_of() {
    let air = |side: &str, rate: &str| {
        warned(&format!(
            "name = 'air'\nduration = '1 s'\n[topology]\npreset = 'wlan'\nstations = 3\n\
             [wifi]\nstandard = 'ax'\n{side} = {{ qdisc = {{ name = 'cake', bandwidth = '{rate}' }} }}\n\
             [[flow]]\ncc = 'cubic'\n"
        ))
    };
    for side in ["down", "up"] {
        let told = air(side, "5 Gbit/s");
        let expected = "`cake` shapes to 5 Gbit/s on a radio channel of ";
        assert!(told.contains(expected), "{told}");
        let rate = told.split(expected).nth(1).unwrap();
        let rate: Rate = rate
            .split(" at most: the shaper never limits anything")
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((73_000_000..=86_100_000).contains(&rate.as_bps()), "{told}");
        // Three stations are alike.
        assert_eq!(told.matches("never limits").count(), 1, "{told}");
        assert!(told.contains(&format!("wifi.{side}.qdisc")), "{told}");
        let acts = air(side, "60 Mbit/s");
        assert!(!acts.contains("never limits"), "{acts}");
    }
}
