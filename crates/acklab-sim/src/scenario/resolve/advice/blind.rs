//! ACK filters that never see an ACK: mostly they stand in the direction of the data.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::flow::DraftFlow;
use super::super::topology::Net;
use crate::plan::AppPlan;
use std::collections::BTreeMap;

/// Warns of filters that no flow's ACKs pass. A key that stands for many links is in order if one
/// of them has ACKs.
pub(super) fn give(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    let acked = acked(net.links.len(), flows);
    let mut sees: BTreeMap<String, (Path, bool)> = BTreeMap::new();
    for (at, link) in places(net, report) {
        let entry = sees.entry(at.to_string()).or_insert((at, false));
        entry.1 |= acked[link];
    }
    for (at, _) in sees.into_values().filter(|(_, sees)| !sees) {
        let message = "no flow's ACKs come this way: the filter never sees one";
        let hint = "ACKs go against their data: write it for the other direction";
        report.warn(&at, message.to_string(), hint.to_string());
    }
}

/// Of each link whether ACKs of data cross it.
fn acked(links: usize, flows: &[DraftFlow]) -> Vec<bool> {
    let mut acked = vec![false; links];
    for flow in flows {
        let both = matches!(flow.plan.app, AppPlan::RequestResponse { .. });
        let there = flow.plan.forward.iter().filter(|_| both);
        for link in flow.plan.reverse.iter().chain(there) {
            acked[*link] = true;
        }
    }
    acked
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
