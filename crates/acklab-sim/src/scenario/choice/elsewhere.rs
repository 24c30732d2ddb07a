//! Parameters that tc has and a block here has not: where they stand instead, or why there are none.

/// A block, its parameter in tc, and what to write.
const ELSEWHERE: [(&str, &str, &str); 5] = [
    (
        "cake",
        "ack_filter",
        "it belongs to the link: write ack_filter = \"cake\" beside `qdisc`, or \
         ack_filter = { name = \"cake\", mode = \"aggressive\" }",
    ),
    (
        "cake",
        "nat",
        "leave it out: no address is translated here, so that every node is a host of its own",
    ),
    (
        "cake",
        "split_gso",
        "leave it out: packets are single segments, as Linux's split-gso makes them",
    ),
    (
        "cake",
        "wash",
        "leave it out: packets keep their codepoint, which is the `dscp` of their flow",
    ),
    (
        "cake",
        "fwmark",
        "leave it out: there are no firewall marks, and tins go by the `dscp` of flows",
    ),
];

/// The parameters that tc has of the block called `name`, each with what to write here.
pub(crate) fn of(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = ELSEWHERE.iter().filter(move |(block, ..)| *block == name);
    own.map(|(_, key, hint)| (*key, *hint))
}

/// What to do about the parameter `key` that the block called `name` does not have; spelled as in tc or as here.
pub(super) fn hint(name: &str, key: &str) -> Option<&'static str> {
    let key = key.replace('-', "_");
    let key = key.strip_prefix("no_").unwrap_or(&key);
    let known = ELSEWHERE.iter().find(|(b, k, _)| *b == name && *k == key);
    known.map(|(_, _, hint)| *hint)
}
