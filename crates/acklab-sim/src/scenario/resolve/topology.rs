//! Nodes and links, from a preset and from what is written one by one.

use super::super::diagnostics::{Report, suggest};
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::{LinkSpec, Spec};
use super::link::{DraftLink, HOST_QUEUE, Site, both_directions};
use super::preset;
use super::wifi::{self, Network};
use std::collections::HashMap;

/// More of anything is a slip, and would take the memory of the machine.
const MOST_LINKS: usize = 100_000;

/// The network while it is being built.
#[derive(Default)]
pub(crate) struct Net {
    pub(crate) nodes: Vec<String>,
    pub(crate) links: Vec<DraftLink>,
    /// Sender and receiver of the pairs of a preset, in order.
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) wifi: Vec<Network>,
    /// Access point and stations of a preset, until they are on their channel.
    pub(crate) cell: Option<(usize, Vec<usize>)>,
    index: HashMap<String, usize>,
}

impl Net {
    /// The index of the node called `name`.
    pub(crate) fn node(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Adds a node.
    pub(super) fn add(&mut self, name: String) -> usize {
        let i = self.nodes.len();
        self.index.insert(name.clone(), i);
        self.nodes.push(name);
        i
    }

    /// The node that `path` names, or a report of what is there instead.
    pub(crate) fn expect_node(
        &self,
        name: &str,
        path: &Path,
        report: &mut Report<'_>,
    ) -> Option<usize> {
        let found = self.node(name);
        if found.is_none() && !incomplete(report) {
            report.error(
                path,
                format!("there is no node called `{name}`"),
                self.instead_of(name),
            );
        }
        found
    }

    /// The names to write instead of a missing node's.
    fn instead_of(&self, name: &str) -> String {
        let near = suggest(name, self.nodes.iter().map(String::as_str), "the nodes are");
        let hint = near.unwrap_or_else(|| format!("write it: [[node]] name = \"{name}\""));
        // Those of a preset are there.
        match preset::of_node(name).filter(|_| self.pairs.is_empty()) {
            Some(of_preset) if !hint.starts_with("did") => format!("{hint}; {of_preset}"),
            _ => hint,
        }
    }
}

/// Whether the preset is wrong, so that what is not there may be what it should have.
pub(super) fn incomplete(report: &Report<'_>) -> bool {
    report.any_within(&Path::root().key("topology"))
}

/// Builds the network.
pub(crate) fn build(spec: &Spec, reg: Registries<'_>, report: &mut Report<'_>) -> Net {
    let mut net = Net::default();
    if let Some(topology) = &spec.topology {
        preset::add(topology, &mut net, reg, report);
    } else if spec.link.is_empty() && spec.wifi.is_none() && report.is_clean() {
        let hint =
            "choose a preset, [topology] preset = \"dumbbell\", or write [[node]]s and [[link]]s";
        report.error(
            &Path::root().key("topology"),
            "there is no network",
            hint.to_string(),
        );
    }
    nodes(spec, &mut net, report);
    if spec.link.len() > MOST_LINKS {
        let hint = format!("write {MOST_LINKS} at most");
        report.error(&Path::root().key("link"), "too many links", hint);
    }
    for (i, link) in spec.link.iter().enumerate().take(MOST_LINKS) {
        if !report.goes_on() {
            break;
        }
        explicit(
            link,
            &Path::root().key("link").index(i),
            &mut net,
            reg,
            report,
        );
    }
    wifi::build(spec, &mut net, reg, report);
    unique_links(&net, report);
    net
}

fn nodes(spec: &Spec, net: &mut Net, report: &mut Report<'_>) {
    for (i, node) in spec.node.iter().enumerate() {
        if !report.goes_on() {
            break;
        }
        let path = Path::root().key("node").index(i);
        match &node.name {
            None => report.missing(&path, "name", "every node has one: name = \"router\""),
            Some(name) if name.is_empty() => {
                let hint = "every node has one: name = \"router\"".to_string();
                report.error(&path.key("name"), "the name is empty", hint);
            }
            Some(name) if net.node(name).is_some() => {
                let hint = "names of nodes are unique, those of a preset included".to_string();
                report.error(
                    &path.key("name"),
                    format!("there is already a node called `{name}`"),
                    hint,
                );
            }
            Some(name) => {
                net.add(name.clone());
            }
        }
    }
}

fn explicit(
    link: &LinkSpec,
    path: &Path,
    net: &mut Net,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) {
    let mut end = |key: &str, name: &Option<String>| {
        let Some(name) = name else {
            report.missing(
                path,
                key,
                "a link joins two nodes: a = \"left\", b = \"right\"",
            );
            return None;
        };
        net.expect_node(name, &path.key(key), report)
    };
    let (a, b) = (end("a", &link.a), end("b", &link.b));
    if a.is_some() && a == b {
        let hint = "a link joins two different nodes".to_string();
        report.error(&path.key("b"), "both ends are the same node", hint);
    }
    // Index 0 stands for an end that was reported; the plan is not used then, but the name is.
    let site = Site {
        from: (a.unwrap_or(0), link.a.as_deref().unwrap_or_default()),
        to: (b.unwrap_or(0), link.b.as_deref().unwrap_or_default()),
        default_queue: HOST_QUEUE,
        path: path.clone(),
    };
    let both = both_directions(
        &link.forward(),
        &link.reverse,
        link.pauses,
        &site,
        reg,
        report,
    );
    if link.a.is_some() && link.b.is_some() && link.a != link.b {
        net.links.extend(both);
    }
}

fn unique_links(net: &Net, report: &mut Report<'_>) {
    let mut seen = HashMap::new();
    let wired = net.wifi.first().map_or(net.links.len(), |w| w.first_link);
    for (i, link) in net.links.iter().enumerate() {
        let name = link.plan.name.as_str();
        if name.is_empty() {
            let hint = "leave it out for a name made of the nodes' names".to_string();
            report.error(&link.path.key("name"), "the name is empty", hint);
        }
        if seen.insert(name, ()).is_some() {
            let hint = "give one of them another `name` (and its `reverse` too)".to_string();
            let message = format!("there is already a link called `{name}`");
            if i < wired {
                report.error(&link.path.key("name"), message, hint);
            } else {
                let hint = "ways of a radio channel are called after their nodes: give the other \
                            link a `name`, or leave the station out of one of the channels";
                report.error(&link.path, message, hint.to_string());
            }
        }
    }
}
