//! Names that are taken or lead nowhere are reported together with everything else that is wrong.

use super::toml;

/// Message and key of each mistake.
fn mistakes(text: &str) -> Vec<(String, String)> {
    let all = toml(text).expect_err("it has mistakes");
    let told = all.iter();
    told.map(|d| (d.key.clone(), d.message.clone())).collect()
}

const TWO_NODES: &str = r#"
name = "names"
duration = "10 s"
node = [{ name = "a" }, { name = "b" }]
[[link]]
name = "l"
a = "a"
b = "b"
rate = "10 Mbit/s"
delay = "10 ms"
queue = "40 packets"
[[flow]]
name = "f"
from = "a"
to = "b"
cc = "cubic"
"#;

#[test]
fn names_are_judged_where_other_things_are_wrong() {
    let wrong = TWO_NODES
        .replace("{ name = \"b\" }", "{ name = \"b\" }, { name = \"a\" }")
        .replace("10 s", "10 parsecs")
        .replace("40 packets", "40 ducks")
        .replace("cubic", "cubik");
    let text = format!(
        "{wrong}\n[[link]]\nname = \"l\"\na = \"a\"\nb = \"nowhere\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"nirvana\"\n\
         [[flow]]\nname = \"g\"\ncount = 2\nfrom = \"a\"\nto = \"b\"\n\
         [[flow]]\nname = \"g-1\"\nfrom = \"a\"\nto = \"b\"\nack = \"none\"\n"
    );
    let told = mistakes(&text);
    let has = |key: &str, part: &str| told.iter().any(|(k, m)| k == key && m.contains(part));
    for (key, part) in [
        ("duration", "unit"),
        ("node.2.name", "already a node called `a`"),
        ("link.0.queue", "unit"),
        ("link.1.b", "no node called `nowhere`"),
        ("link.1.name", "already a link called `l`"),
        ("flow.0.cc", "cubik"),
        ("flow.1.name", "already a flow called `f`"),
        ("flow.1.to", "no node called `nirvana`"),
        ("flow.3.name", "already a flow called `g-1`"),
        ("flow.3.ack", "none"),
    ] {
        assert!(has(key, part), "{key}: {part} is not among {told:#?}");
    }
}

#[test]
fn a_node_that_a_mistake_took_away_is_not_missed() {
    for (good, bad) in [
        ("{ name = \"b\" }", "{ name = \"\" }"),
        ("{ name = \"b\" }", "{ nam = \"b\" }"),
        ("[{ name = \"a\" }, { name = \"b\" }]", "3"),
    ] {
        let told = mistakes(&TWO_NODES.replace(good, bad));
        assert!(
            !told.iter().any(|(key, _)| key.starts_with("flow")),
            "{bad}: {told:#?}"
        );
    }
}
