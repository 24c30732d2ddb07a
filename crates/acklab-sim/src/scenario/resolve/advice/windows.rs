//! Contention windows from which nothing is drawn.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::steps;
use super::super::flow::DraftFlow;
use super::super::topology::Net;
use super::super::{Network, Station};
use acklab_path::wifi::medium::AccessCategory;

/// Warns of categories in which several stations of a channel always draw a backoff of 0.
pub(super) fn give(network: &Network, used: Used, net: &Net, report: &mut Report<'_>) {
    for (category, used) in AccessCategory::ALL.into_iter().zip(used) {
        if used {
            nothing_drawn(category, network, net, report);
        }
    }
}

/// Of each access category whether packets of a flow across a channel are of it.
pub(super) type Used = [bool; AccessCategory::ALL.len()];

/// By channel.
pub(super) fn used(net: &Net, flows: &[DraftFlow]) -> Vec<Used> {
    let mut used = vec![Used::default(); net.wifi.len()];
    for flow in flows {
        steps::count(flow.plan.forward.len() + flow.plan.reverse.len());
        for link in flow.plan.forward.iter().chain(&flow.plan.reverse) {
            // Ports of channels come last, by channel.
            let after = net.wifi.partition_point(|w| w.first_link <= *link);
            if let Some(channel) = after.checked_sub(1) {
                let category = flow.category.unwrap_or(net.wifi[channel].channel.category);
                used[channel][category as usize] = true;
            }
        }
    }
    used
}

/// One station alone without a window goes first, which may be meant; of two the one meets the other
/// whenever both have something to send.
fn nothing_drawn(category: AccessCategory, network: &Network, net: &Net, report: &mut Report<'_>) {
    let edca = |s: &Station| s.edca[category as usize];
    let all = &network.contenders;
    let without: Vec<usize> = (0..all.len())
        .filter(|i| edca(&all[*i]).cw_min == 0)
        .collect();
    let [first, _, ..] = without.as_slice() else {
        return;
    };
    let grows = without.iter().any(|i| edca(&all[*i]).cw_max > 0);
    let again = if grows {
        "at the first attempt"
    } else {
        "at each attempt, for `cw_max` is 0, too"
    };
    let message = format!(
        "{} of {} on the channel draw from a window of 0 ({}): those that wait at the same time always \
         collide, {again}",
        without.len(),
        all.len(),
        category.name()
    );
    let hint =
        "leave it out for the standard's, such as 15; 0 goes for one station alone".to_string();
    report.warn(
        &place(*first, category, network, net, report),
        message,
        hint,
    );
}

/// Where the smallest window of contender `i` stands.
fn place(
    i: usize,
    category: AccessCategory,
    network: &Network,
    net: &Net,
    report: &Report<'_>,
) -> Path {
    let own = (i > 0).then(|| {
        let name = &net.nodes[network.stations[i - 1]];
        network.path.key("station").key(name)
    });
    let side = network.path.key(if i == 0 { "down" } else { "up" });
    let tables = own.into_iter().chain([side, network.path.clone()]);
    let mut places = tables.flat_map(|table| {
        let edca = table.key("edca");
        [edca.key(category.name()).key("cw_min"), edca.key("cw_min")]
    });
    places
        .find(|at| report.has(at))
        .unwrap_or_else(|| network.path.key("edca"))
}
