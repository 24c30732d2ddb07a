//! Disciplines inside disciplines, through the whole pipeline.

use super::shaper_warnings::warned;
use super::{DUMBBELL, good, toml};
use crate::plan::DisciplinePlan;
use acklab_proto::registry::Params;
use acklab_units::Limit;

pub(super) fn with(qdisc: &str) -> String {
    DUMBBELL.replace("queue = \"40 packets\"", &format!("qdisc = {qdisc}"))
}

fn discipline(qdisc: &str) -> DisciplinePlan {
    let plan = good(&with(qdisc)).plan;
    let link = plan.links.iter().find(|l| l.name == "left->right").unwrap();
    link.discipline.clone().unwrap()
}

fn told(qdisc: &str) -> String {
    match toml(&with(qdisc)) {
        Ok(_) => panic!("{qdisc} was accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn a_child_has_a_limit_and_parameters_of_its_own() {
    let outer = discipline(
        "{ name = 'tbf', rate = '10 Mbit/s', child = { name = 'tbf', rate = '9 Mbit/s', \
         child = { name = 'fq_codel', queue = '77 packets', target = '7 ms' } } }",
    );
    let inner = outer.params.block("child").unwrap();
    assert_eq!((inner.name, inner.limit), ("tbf", None));
    let leaf = inner.params.block("child").unwrap();
    assert_eq!(
        (leaf.name, leaf.limit),
        ("fq-codel", Some(Limit::Packets(77)))
    );
    assert_eq!(leaf.params.span("target").unwrap().to_string(), "7 ms");
    // A name alone, with the limit that it has anywhere.
    let outer = discipline("{ name = 'tbf', rate = '10 Mbit/s', child = 'codel' }");
    let child = outer.params.block("child").unwrap();
    assert_eq!(
        (child.name, child.limit),
        ("codel", Some(Limit::Packets(1000)))
    );
}

const TREE: &str = "{ name = 'htb', classes = [\
    { name = 'all', rate = '10 Mbit/s' }, \
    { name = 'a', parent = 'all', rate = '4 Mbit/s', ceil = '10 Mbit/s', flow = ['f0', 'many'], child = 'pie' }, \
    { parent = 'all', rate = '1 Mbit/s', to = 'right', dscp = ['EF', 10] }, \
    { parent = 'all', rate = '5 Mbit/s' } ] }";

fn tree() -> String {
    with(TREE) + "[[flow]]\nname = 'many'\ncount = 2\ncc = 'cubic'\n"
}

#[test]
fn classes_name_flows_nodes_and_codepoints() {
    let plan = good(&tree()).plan;
    let link = plan.links.iter().find(|l| l.name == "left->right").unwrap();
    let params = &link.discipline.as_ref().unwrap().params;
    let classes: &[Params] = params.tables("classes");
    let number = |name: &str| plan.flows.iter().position(|f| f.name == name).unwrap() as u32;
    let expected = ["f0", "many-0", "many-1"].map(number);
    assert_eq!(classes[1].numbers("flow"), expected);
    assert_eq!(classes[1].names("flow"), ["f0", "many-0", "many-1"]);
    let right = plan.nodes.iter().position(|n| n == "right").unwrap() as u32;
    assert_eq!(classes[2].numbers("to"), [right]);
    assert_eq!(classes[2].numbers("dscp"), [46, 10]);
}

/// Limits, names and the order of classes survive being written out.
#[test]
fn the_resolved_form_is_a_fixed_point() {
    for text in [
        tree(),
        with("{ name = 'tbf', rate = '1 Mbit/s', child = 'bfifo' }"),
    ] {
        let resolved = good(&text).resolved;
        let again = good(&resolved);
        assert_eq!(again.resolved, resolved);
        assert!(!resolved.contains("4294967295"), "{resolved}");
    }
}

#[test]
fn mistakes_inside_are_named_where_they_are() {
    let cases = [
        ("{ name = 'tbf' }", "a shaper needs a rate"),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', child = 'blue' }",
            "qdisc.child = \"blue\"",
        ),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', child = { queue = '5 packets' } }",
            "write a name in double quotes, or a table",
        ),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', child = 5 }",
            "write a name in double quotes, or a table",
        ),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', child = { name = 'codel', queue = '5 kB' } }",
            "`codel` counts packets",
        ),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', child = { name = 'tbf', rate = '1 Mbit/s', queue = '5 packets' } }",
            "packets wait inside `tbf`",
        ),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', child = { name = 'pfifo', queue = '1 BDP' } }",
            "does not know the delay",
        ),
        (
            "{ name = 'tbf', rate = '5 Mbit/s', peakrate = '5 Mbit/s' }",
            "the peak rate is not above the rate",
        ),
        (
            "{ name = 'tbf', rate = '5 Mbit/s', latency = '5 ms', child = 'codel' }",
            "a child has a limit of its own",
        ),
        ("{ name = 'htb' }", "a tree without classes"),
        (
            "{ name = 'htb', classes = 'all' }",
            "write a list of tables with name, parent, rate",
        ),
        (
            "{ name = 'htb', classes = [{ rate = '1 Mbit/s', flow = 'nobody' }, { rate = '1 Mbit/s' }] }",
            "there is no flow called `nobody`",
        ),
        (
            "{ name = 'htb', classes = [{ rate = '1 Mbit/s', flow = 'f0' }] }",
            "nothing takes the packets that no class takes",
        ),
        (
            "{ name = 'htb', classes = [{ rate = '1 Mbit/s', prio = 8 }] }",
            "write a whole number from 0 to 7",
        ),
        (
            "{ name = 'queue-tree', queues = [{ limit_at = '1 Mbit/s' }] }",
            "a queue needs a limit",
        ),
        (
            "{ name = 'queue-tree', queues = [{ max_limit = '1 Mbit/s', limit_at = '2 Mbit/s' }] }",
            "this is above `max_limit`",
        ),
        (
            "{ name = 'codel', child = 'pfifo' }",
            "`codel` has no parameter `child`",
        ),
        (
            "{ name = 'red', min = '9 kB', max = '8 kB' }",
            "`min` is not below `max`",
        ),
        (
            "{ name = 'pie', alpha = 0, beta = 0 }",
            "nothing is ever dropped early",
        ),
    ];
    for (qdisc, expected) in cases {
        let text = told(qdisc);
        assert!(text.contains(expected), "{qdisc}\n{text}");
    }
    let text = toml(&with("'tbf'").replace("qdisc", "queue = '5 packets'\nqdisc"))
        .err()
        .unwrap();
    let text = text.to_string();
    assert!(
        text.contains("packets wait inside `tbf`, not in a queue of its own"),
        "{text}"
    );
}

/// A class without a condition before another leaf, also below another parent.
#[test]
fn classes_behind_one_that_takes_everything_are_refused() {
    for (qdisc, key, expected, hint) in [
        (
            "{ name = 'htb', classes = [{ name = 'catchall', rate = '2 Mbit/s' }, \
             { name = 'gold', rate = '8 Mbit/s', flow = 'f0' }, { name = 'rest', rate = '8 Mbit/s' }] }",
            "qdisc.classes.1",
            "class `gold` is never reached: class `catchall` comes before it, has no condition and takes every packet",
            "put class `catchall` last, or give it a condition: `flow`, `from`, `to` or `dscp`",
        ),
        (
            "{ name = 'queue-tree', queues = [{ max_limit = '2 Mbit/s' }, { max_limit = '8 Mbit/s' }] }",
            "qdisc.queues.1",
            "queue 2 is never reached: queue 1 comes before it",
            "put queue 1 last",
        ),
        (
            "{ name = 'htb', classes = [{ name = 'a', rate = '2 Mbit/s' }, { name = 'b', rate = '2 Mbit/s' }, \
             { name = 'a1', parent = 'a', rate = '1 Mbit/s' }, { name = 'b1', parent = 'b', rate = '1 Mbit/s' }] }",
            "qdisc.classes.3",
            "class `b1` is never reached: class `a1` comes before it",
            "put class `a1` last",
        ),
    ] {
        let text = told(qdisc);
        for part in [key, expected, hint] {
            assert!(text.contains(part), "{qdisc}\n{part}\n{text}");
        }
    }
    // Classes above leaves have no conditions, and a class that nothing is behind needs none.
    good(&tree());
}

/// tc's other parameters of CAKE say where they are, or why there are none; also inside another discipline.
#[test]
fn what_cake_has_in_tc_alone_says_what_to_write() {
    for (key, message, hint) in [
        (
            "ack_filter = true",
            "ack_filter",
            "it belongs to the link: write ack_filter = \"cake\" beside `qdisc`",
        ),
        (
            "ack-filter = 'aggressive'",
            "ack-filter",
            "mode = \"aggressive\"",
        ),
        (
            "nat = true",
            "nat",
            "leave it out, or write false as tc has it by default (nonat): no address is translated",
        ),
        (
            "split_gso = false",
            "split_gso",
            "leave it out, or write true as tc has it by default: there are no super-packets",
        ),
        (
            "no-split-gso = true",
            "no-split-gso",
            "there are no super-packets to keep whole, every packet is a single segment",
        ),
        (
            "wash = true",
            "wash",
            "leave it out, or write false as tc has it by default (nowash): packets keep their codepoint",
        ),
        (
            "besteffort = true",
            "besteffort",
            "write diffserv = \"besteffort\"",
        ),
        (
            "dual-srchost = true",
            "dual-srchost",
            "write isolation = \"dual-srchost\"",
        ),
        ("nowash = true", "nowash", "packets keep their codepoint"),
        ("nonat = true", "nonat", "no address is translated"),
        ("nat = 'no'", "nat", "no address is translated"),
        (
            "fwmark = 255",
            "fwmark",
            "leave it out: there are no firewall marks",
        ),
    ] {
        let cake = format!("{{ name = 'cake', {key} }}");
        let inner = format!("{{ name = 'tbf', rate = '1 Mbit/s', child = {cake} }}");
        for text in [told(&cake), told(&inner)] {
            assert!(
                text.contains(&format!("`cake` has no parameter `{message}`")),
                "{text}"
            );
            assert!(text.contains(hint), "{key}: {text}");
            assert!(!text.contains("its parameters are"), "{text}");
        }
    }
    let text = told("{ name = 'codel', ack_filter = true }");
    assert!(text.contains("its parameters are"), "{text}");
}

/// tc's defaults may be written: they say what is so in any case. They are no parameters.
#[test]
fn defaults_of_tc_that_are_so_in_any_case_are_accepted() {
    let plain = good(&with("{ name = 'cake', bandwidth = '5 Mbit/s' }")).resolved;
    for key in [
        "split_gso = true",
        "split-gso = true",
        "nat = false",
        "wash = false",
        "split_gso = true, nat = false, wash = false",
    ] {
        let text = with(&format!(
            "{{ name = 'cake', bandwidth = '5 Mbit/s', {key} }}"
        ));
        assert_eq!(good(&text).resolved, plain, "{key}");
        assert_eq!(warned(&text), "", "{key}");
        let inner = format!("child = {{ name = 'cake', {key} }}");
        good(&with(&format!(
            "{{ name = 'tbf', rate = '1 Mbit/s', {inner} }}"
        )));
    }
}

/// Keys that those try who know tc or RouterOS: each error names the key and says what to write.
#[test]
fn keys_of_tc_and_routeros_say_what_to_write() {
    let htb = "name = 'htb', classes = [{ rate = '1 Mbit/s' }]";
    let queues = |key: &str| {
        format!("{{ name = 'queue-tree', queues = [{{ max_limit = '1 Mbit/s', {key} }}] }}")
    };
    let bursts = "queues here have no burst limit. `bucket_size`";
    for (qdisc, named, hint) in [
        (
            format!("{{ {htb}, default = 10 }}"),
            "`htb` has no parameter `default`",
            "go to the last leaf class, so write that class last",
        ),
        (
            format!("{{ {htb}, r2q = 10 }}"),
            "`htb` has no parameter `r2q`",
            "write `quantum` in the classes",
        ),
        (
            "{ name = 'fq-codel', ce_threshold_selector = '0x01/0x03' }".to_string(),
            "`fq-codel` has no parameter `ce_threshold_selector`",
            "`ce_threshold` marks every ECN-capable packet",
        ),
        (
            "{ name = 'fq_codel', ce_threshold_mask = 3 }".to_string(),
            "`fq-codel` has no parameter `ce_threshold_mask`",
            "an htb class with `flow` or `dscp`",
        ),
        (
            queues("burst-limit = '2 Mbit/s'"),
            "there is no key `burst-limit` here",
            bursts,
        ),
        (
            queues("burst_limit = '2 Mbit/s'"),
            "there is no key `burst_limit` here",
            bursts,
        ),
        (
            queues("burst-threshold = '1 Mbit/s'"),
            "there is no key `burst-threshold` here",
            bursts,
        ),
        (
            queues("burst-time = '8 s'"),
            "there is no key `burst-time` here",
            bursts,
        ),
        (
            "{ name = 'queue-tree', queues = [{ max_limit = '1 Mbit/s' }], burst_time = '8 s' }"
                .to_string(),
            "`queue-tree` has no parameter `burst_time`",
            bursts,
        ),
    ] {
        let text = told(&qdisc);
        assert!(text.contains(named), "{qdisc}: {text}");
        assert!(text.contains(hint), "{qdisc}: {text}");
    }
}

/// A limit stands beside `qdisc`, in a discipline inside another one in its table; tc calls it `limit`.
#[test]
fn a_limit_in_the_table_of_a_discipline_says_where_it_belongs() {
    let beside = |example: &str| {
        format!("the limit stands beside `qdisc`, not in its table: write queue = \"{example}\"")
    };
    let child = |of: &str| format!("{{ name = 'tbf', rate = '1 Mbit/s', child = {{ {of} }} }}");
    for (qdisc, hint) in [
        (
            "{ name = 'pie', queue = 5 }".to_string(),
            beside("1000 packets"),
        ),
        (
            "{ name = 'pie', limit = 5 }".to_string(),
            beside("1000 packets"),
        ),
        (
            "{ name = 'fq_codel', limit = 5 }".to_string(),
            beside("10240 packets"),
        ),
        (
            "{ name = 'red', limit = '9 kB' }".to_string(),
            beside("400000 B"),
        ),
        (
            "{ name = 'cake', queue = 5 }".to_string(),
            "write memlimit = \"4 MB\"".to_string(),
        ),
        (
            "{ name = 'tbf', rate = '1 Mbit/s', limit = '9 kB' }".to_string(),
            "packets wait in a `child`: write child = ".to_string(),
        ),
        (
            "{ name = 'htb', classes = [{ rate = '1 Mbit/s', queue = '9 kB' }] }".to_string(),
            "packets wait in the class's `child`: write child = ".to_string(),
        ),
        (
            child("name = 'pie', limit = 5"),
            "the limit is called `queue`: write queue = \"1000 packets\"".to_string(),
        ),
    ] {
        let text = told(&qdisc);
        assert!(text.contains(&hint), "{qdisc}: {text}");
        assert!(!text.contains("its parameters are"), "{qdisc}: {text}");
    }
}

/// The name of a discipline is a value, and no key.
#[test]
fn the_name_of_a_discipline_as_a_key_says_what_to_write() {
    let name = "write the name as a value: qdisc = { name = \"pie\", ... }";
    let limit = "and the limit beside it: queue = \"40 packets\"";
    for of in [
        "{ pie = { queue = 5 } }",
        "{ pie = { limit = 5, ecn = true } }",
    ] {
        let text = told(of);
        assert!(text.contains("`name` is missing"), "{text}");
        assert!(text.contains(name) && text.contains(limit), "{text}");
    }
    let text = told("{ pie = { ecn = true } }");
    assert!(text.contains(name) && !text.contains(limit), "{text}");
    let text = told("{ ecn = true, pie = { queue = 5 } }");
    assert!(
        text.contains("write name = ...: it has no default"),
        "{text}"
    );
    for (line, hint) in [
        (
            "pie = { queue = 5 }",
            "a queue discipline is the value of `qdisc`: write qdisc = { name = \"pie\", ... }, and its limit",
        ),
        (
            "cake = { bandwidth = '5 Mbit/s' }",
            "a queue discipline is the value of `qdisc`: write qdisc = { name = \"cake\", ... }",
        ),
        (
            "queue = { pie = { queue = 5 } }",
            "a discipline with its parameters is the value of `qdisc`",
        ),
        ("queue.pie.queue = 5", "a table is not allowed here"),
    ] {
        let text = toml(&DUMBBELL.replace("queue = \"40 packets\"", line));
        let text = text.err().unwrap().to_string();
        assert!(text.contains(hint), "{line}: {text}");
    }
}
