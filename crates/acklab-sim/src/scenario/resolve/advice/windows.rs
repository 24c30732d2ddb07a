//! Contention windows from which nothing is drawn.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::flow::DraftFlow;
use super::super::topology::Net;
use super::super::{Network, Station};
use acklab_path::wifi::medium::AccessCategory;

/// Warns of categories in which several stations of a channel always draw a backoff of 0.
pub(super) fn give(network: &Network, net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    for category in AccessCategory::ALL {
        if used(category, network, flows) {
            nothing_drawn(category, network, net, report);
        }
    }
}

/// Whether packets of a flow across the channel are of `category`.
fn used(category: AccessCategory, network: &Network, flows: &[DraftFlow]) -> bool {
    let links = network.first_link..network.first_link + 2 * network.stations.len();
    flows.iter().any(|f| {
        let mut way = f.plan.forward.iter().chain(&f.plan.reverse);
        f.category.unwrap_or(network.channel.category) == category && way.any(|l| links.contains(l))
    })
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
