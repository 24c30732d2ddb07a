//! ACK filters that never see an ACK: mostly they stand in the direction of the data, or what comes
//! their way is not TCP's.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::flow::DraftFlow;
use super::super::topology::Net;
use crate::plan::AppPlan;
use std::collections::BTreeMap;

/// The feedback that comes along a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Seen {
    /// None.
    Nothing,
    /// That of transports whose ACKs nobody on the way can read.
    Sealed(&'static str),
    /// ACKs of TCP.
    Acks,
}

/// Warns of filters that no flow's ACKs pass. A key that stands for many links is in order if one
/// of them has ACKs.
pub(super) fn give(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    let seen = seen(net.links.len(), flows);
    let mut sees: BTreeMap<String, (Path, Seen)> = BTreeMap::new();
    for (at, link) in places(net, report) {
        let entry = sees.entry(at.to_string()).or_insert((at, Seen::Nothing));
        entry.1 = entry.1.max(seen[link]);
    }
    for (at, seen) in sees.into_values() {
        let (message, hint) = match seen {
            Seen::Acks => continue,
            Seen::Nothing => (
                "no flow's ACKs come this way: the filter never sees one".to_string(),
                "ACKs go against their data: write it for the other direction",
            ),
            Seen::Sealed(name) => (
                format!(
                    "only feedback of \"{name}\" comes this way, and filters read ACKs of TCP: the \
                     filter never sees one"
                ),
                "write \"none\", or let a flow with transport = \"tcp\" come this way",
            ),
        };
        report.warn(&at, message, hint.to_string());
    }
}

/// Of each link what of feedback crosses it.
fn seen(links: usize, flows: &[DraftFlow]) -> Vec<Seen> {
    let mut seen = vec![Seen::Nothing; links];
    for flow in flows {
        let transport = &flow.plan.transport;
        let own = match transport.tcp() {
            Some(_) => Seen::Acks,
            None => Seen::Sealed(transport.name()),
        };
        let both = matches!(flow.plan.app, AppPlan::RequestResponse { .. });
        let there = flow.plan.forward.iter().filter(|_| both);
        for link in flow.plan.reverse.iter().chain(there) {
            seen[*link] = seen[*link].max(own);
        }
    }
    seen
}

/// The links that have a filter, and where it is written.
pub(super) fn places(net: &Net, report: &Report<'_>) -> Vec<(Path, usize)> {
    let filtered = |i: &usize| !net.links[*i].plan.filters.is_empty();
    let mut of_ports = vec![None; net.links.len()];
    for network in &net.wifi {
        for (s, station) in network.stations.iter().enumerate() {
            for (way, side) in ["up", "down"].into_iter().enumerate() {
                let own = network
                    .path
                    .key("station")
                    .key(&net.nodes[*station])
                    .key(side);
                let own = own.key("ack_filter");
                let common = network.path.key(side).key("ack_filter");
                let at = if report.has(&own) { own } else { common };
                of_ports[network.first_link + 2 * s + way] = Some(at);
            }
        }
    }
    let place = |i: usize| {
        let port = of_ports[i].take();
        (
            port.unwrap_or_else(|| net.links[i].path.key("ack_filter")),
            i,
        )
    };
    (0..net.links.len()).filter(filtered).map(place).collect()
}
