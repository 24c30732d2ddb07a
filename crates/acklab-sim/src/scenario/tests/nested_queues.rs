//! Disciplines inside disciplines, through the whole pipeline.

use super::{DUMBBELL, good, toml};
use crate::plan::DisciplinePlan;
use acklab_proto::registry::Params;
use acklab_units::Limit;

fn with(qdisc: &str) -> String {
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

/// The bottleneck carries 10 Mbit/s.
#[test]
fn a_shaper_that_never_acts_is_warned_of() {
    let warned = |qdisc: &str| match toml(&with(qdisc)) {
        Ok(loaded) => loaded.warnings.to_string(),
        Err(e) => panic!("{e}"),
    };
    for (name, of) in [
        ("cake", "bandwidth = '20 Mbit/s'"),
        ("tbf", "rate = '20 Mbit/s'"),
        (
            "htb",
            "classes = [{ name = 'a', rate = '1 Mbit/s', ceil = '20 Mbit/s' }]",
        ),
        ("queue-tree", "queues = [{ max_limit = '20 Mbit/s' }]"),
    ] {
        let told = warned(&format!("{{ name = '{name}', {of} }}"));
        assert!(
            told.contains("shapes to 20 Mbit/s on a link of 10 Mbit/s: it never acts"),
            "{name}: {told}"
        );
        assert!(told.contains("topology.bottleneck.qdisc"), "{name}: {told}");
        let acts = of.replace("20 Mbit/s", "9 Mbit/s");
        assert_eq!(
            warned(&format!("{{ name = '{name}', {acts} }}")),
            "",
            "{name}"
        );
    }
    assert_eq!(warned("'cake'"), "");
}
