//! Parameters of disciplines that Linux takes without a word and that hardly anybody means.

use super::{DUMBBELL, toml};

/// The warnings about a discipline at the bottleneck of 10 Mbit/s, which packets of 1500 bytes cross.
fn warned(qdisc: &str) -> String {
    behind("", qdisc)
}

fn behind(more: &str, qdisc: &str) -> String {
    let with = format!("{more}qdisc = {qdisc}");
    let text = DUMBBELL.replace("queue = \"40 packets\"", &with);
    match toml(&text) {
        Ok(loaded) => loaded.warnings.to_string(),
        Err(e) => panic!("{e}"),
    }
}

/// There is one warning, which begins so, is about that key and has that hint.
fn tells(told: &str, expected: &str, key: &str, hint: &str) {
    assert_eq!(told.matches("warning:").count(), 1, "{told}");
    assert!(told.contains(expected), "{told}");
    let at = format!(": topology.bottleneck.{key}");
    assert!(told.contains(&at), "{at}: {told}");
    assert!(told.contains(hint), "{hint}: {told}");
}

#[test]
fn a_rate_at_which_a_packet_takes_for_ever_is_warned_of() {
    for (qdisc, what, key) in [
        (
            "{ name = 'cake', bandwidth = 'RATE' }",
            "`cake`",
            "bandwidth",
        ),
        ("{ name = 'tbf', rate = 'RATE' }", "`tbf`", "rate"),
        (
            "{ name = 'htb', classes = [{ name = 'a', rate = 'RATE' }] }",
            "class `a` of `htb`",
            "classes.0.rate",
        ),
        (
            "{ name = 'queue-tree', queues = [{ max_limit = 'RATE' }] }",
            "queue 1 of `queue-tree`",
            "queues.0.max_limit",
        ),
        (
            "{ name = 'tbf', rate = '5 Mbit/s', child = { name = 'cake', bandwidth = 'RATE' } }",
            "`cake`",
            "child.bandwidth",
        ),
    ] {
        let told = warned(&qdisc.replace("RATE", "1 bit/s"));
        let expected = format!("at 1 bit/s {what} takes 12000.0 s for a packet of 1500 bytes");
        tells(
            &told,
            &expected,
            &format!("qdisc.{key}"),
            "from 12 kbit/s on",
        );
        // A second, which is no longer than TCP's first timer.
        assert_eq!(warned(&qdisc.replace("RATE", "12 kbit/s")), "", "{qdisc}");
    }
    // It only begins there.
    let follows = "{ name = 'cake', bandwidth = '1 bit/s', autorate_ingress = true }";
    assert_eq!(warned(follows), "");
    let slow = DUMBBELL.replace("10 Mbit/s", "10 bit/s");
    let told = toml(&slow).unwrap().warnings.to_string();
    tells(
        &told,
        "at 10 bit/s the link takes 1200.0 s",
        "rate",
        "10 Mbit/s",
    );
}

#[test]
fn a_target_as_long_as_the_interval_is_warned_of() {
    for name in ["codel", "fq-codel"] {
        let told = warned(&format!("{{ name = '{name}', target = '100 ms' }}"));
        let expected = format!("`{name}` has a target of 100 ms in an interval of 100 ms");
        tells(&told, &expected, "qdisc.target", "\"5 ms\" to \"10 ms\"");
        let told = warned(&format!("{{ name = '{name}', interval = '2 ms' }}"));
        let expected = format!("`{name}` has a target of 5 ms in an interval of 2 ms");
        tells(
            &told,
            &expected,
            "qdisc.interval",
            "\"100 us\" to \"200 us\"",
        );
        let slow = format!("{{ name = '{name}', target = '99 ms' }}");
        assert_eq!(warned(&slow), "");
    }
}

#[test]
fn thresholds_of_red_that_no_queue_reaches_are_warned_of() {
    let red = |more: &str| behind("queue = '60 kB'\n", &format!("{{ name = 'red', {more} }}"));
    let told = red("max = '60 kB'");
    let expected =
        "the queue holds 60000 bytes, so its average never gets to `max`, which is 60000";
    tells(&told, expected, "qdisc.max", "such as \"15000 B\"");
    assert_eq!(red("max = '59 kB'"), "");
    // As with tc, `max` is three times `min`.
    let told = red("min = '25 kB'");
    tells(
        &told,
        "`max`, which is 75000",
        "qdisc.min",
        "a longer `queue`",
    );
    let told = red("min = '15 kB', max = '45 kB', burst = 14");
    let expected =
        "a burst of 14 packets of 1000 bytes is shorter than `min`, which is 15000 bytes";
    tells(&told, expected, "qdisc.burst", "write burst = 15 or more");
    assert_eq!(red("min = '15 kB', max = '45 kB', burst = 15"), "");
}

#[test]
fn turns_of_less_than_a_packet_are_warned_of() {
    let told = warned("{ name = 'fq-codel', quantum = 255 }");
    let expected = "a flow sends 255 bytes in its turn; Linux has 256 at least";
    tells(&told, expected, "qdisc.quantum", "write 300");
    assert_eq!(warned("{ name = 'fq-codel', quantum = 256 }"), "");
    let htb = |quantum: &str| {
        warned(&format!(
            "{{ name = 'htb', classes = [{{ name = 'a', rate = '5 Mbit/s', quantum = '{quantum}' }}] }}"
        ))
    };
    let told = htb("1499 B");
    let expected = "class `a` of `htb` has a quantum of 1499 bytes, less than a packet of 1500";
    tells(&told, expected, "qdisc.classes.0.quantum", "\"1500 B\"");
    assert_eq!(htb("1500 B"), "");
}

/// `all` may reach 5 Mbit/s; `a` below it is sure of `rate` and may reach `ceil`.
fn tree(rate: &str, ceil: &str) -> String {
    warned(&format!(
        "{{ name = 'htb', classes = [{{ name = 'all', rate = '5 Mbit/s' }}, \
         {{ name = 'a', parent = 'all', rate = '{rate}', ceil = '{ceil}', flow = 'f0' }}, \
         {{ parent = 'all', rate = '1 Mbit/s', ceil = '5 Mbit/s' }}] }}"
    ))
}

#[test]
fn a_class_that_is_sure_of_more_than_its_parent_has_is_warned_of() {
    let expected = "class `a` of `htb` is sure of 8 Mbit/s, and its parent has 5 Mbit/s at most";
    let hint = "write 5 Mbit/s or less, or a higher one for the parent";
    tells(
        &tree("8 Mbit/s", "8 Mbit/s"),
        expected,
        "qdisc.classes.1.rate",
        hint,
    );
    let expected = "the classes below class `all` of `htb` are sure of 5.5 Mbit/s, and it has 5 Mbit/s at most";
    let told = tree("4.5 Mbit/s", "5 Mbit/s");
    tells(
        &told,
        expected,
        "qdisc.classes.0",
        "rates that sum to 5 Mbit/s or less",
    );
    assert_eq!(tree("4 Mbit/s", "5 Mbit/s"), "");
}

#[test]
fn a_ceiling_above_that_of_the_parent_is_warned_of() {
    let expected = "class `a` of `htb` may reach 6 Mbit/s, and its parent has 5 Mbit/s at most";
    let told = tree("4 Mbit/s", "6 Mbit/s");
    tells(
        &told,
        expected,
        "qdisc.classes.1.ceil",
        "write 5 Mbit/s or less",
    );
    let queues = |most: &str| {
        warned(&format!(
            "{{ name = 'queue-tree', queues = [{{ name = 'all', max_limit = '5 Mbit/s' }}, \
             {{ parent = 'all', limit_at = '1 Mbit/s', max_limit = '{most}' }}] }}"
        ))
    };
    let expected =
        "queue 2 of `queue-tree` may reach 9 Mbit/s, and its parent has 5 Mbit/s at most";
    tells(
        &queues("9 Mbit/s"),
        expected,
        "qdisc.queues.1.max_limit",
        "5 Mbit/s or less",
    );
    assert_eq!(queues("5 Mbit/s"), "");
}

#[test]
fn a_bucket_smaller_than_a_packet_is_warned_of() {
    let tbf = |more: &str| warned(&format!("{{ name = 'tbf', rate = '5 Mbit/s', {more} }}"));
    let told = tbf("burst = '100 B'");
    let expected = "`tbf` refuses packets of more than 100 bytes\n";
    tells(
        &told,
        expected,
        "qdisc.burst",
        "write burst = \"1500 B\" or more",
    );
    assert_eq!(tbf("burst = '1500 B'"), "");
    let told = tbf("burst = '1500 B', overhead = 18");
    let expected = "more than 1500 bytes, and one of 1500 counts for 1518";
    tells(&told, expected, "qdisc.burst", "\"1518 B\"");
    let told = tbf("peakrate = '6 Mbit/s', mtu = '1499 B'");
    tells(
        &told,
        "packets of more than 1499 bytes",
        "qdisc.mtu",
        "write mtu = \"1500 B\"",
    );
}

#[test]
fn a_target_in_an_interval_that_is_too_short_for_any_is_told_of_a_longer_one() {
    for name in ["codel", "fq-codel"] {
        let told = warned(&format!("{{ name = '{name}', interval = '1 us' }}"));
        tells(
            &told,
            "has a target of 5 ms in an interval of 1 us",
            "qdisc.interval",
            "write a longer interval, such as \"100 ms\"",
        );
    }
}

#[test]
fn updates_that_are_rarer_than_runs_are_warned_of() {
    let of = |tupdate: &str| {
        let qdisc = format!("qdisc = {{ name = 'pie', tupdate = '{tupdate}' }}");
        let text = DUMBBELL.replace("queue = \"40 packets\"", &qdisc);
        match toml(&text.replace("60 s", "500 ms")) {
            Ok(loaded) => loaded.warnings.to_string(),
            Err(e) => panic!("{e}"),
        }
    };
    let expected = "`pie` updates its drop probability every 1 s, and the run lasts 500 ms: it never drops early";
    tells(
        &of("1 s"),
        expected,
        "qdisc.tupdate",
        "write a shorter `tupdate`",
    );
    assert_eq!(of("30 ms"), "");
}
