//! Radio channels in numbers, and what was on the air one by one.

use crate::plan::{MediumPlan, Plan};
use acklab_path::link::Link;
use acklab_path::packet::DropReason;
use acklab_path::wifi::agreement::AgreementStats;
use acklab_path::wifi::medium::{Airtime, Medium, Ppdu, StationId, StationStats};

/// A radio channel.
#[derive(Clone, Debug, PartialEq)]
pub struct MediumSummary {
    /// Name of the channel.
    pub name: String,
    /// The uses of its time; sums to the length of the run.
    pub airtime: Airtime,
    /// Its stations, by number; the access point is the first.
    pub stations: Vec<StationSummary>,
}

/// A station on a radio channel.
#[derive(Clone, Debug, PartialEq)]
pub struct StationSummary {
    /// Number of its node.
    pub node: usize,
    /// The uses of its time; sums to the length of the run.
    pub airtime: Airtime,
    /// Counters.
    pub stats: StationStats,
    /// Block ack agreements that it has asked for.
    pub agreements: AgreementStats,
    /// Packets that were dropped before they left it, by number of the reason.
    pub drops: [u64; DropReason::ALL.len()],
}

/// A PPDU that was on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PpduRecord {
    /// Number of the channel in the plan.
    pub medium: u32,
    /// The PPDU.
    pub ppdu: Ppdu,
}

impl MediumSummary {
    /// The channel at the end of the run.
    pub(crate) fn new(plan: &Plan, of: &MediumPlan, medium: &Medium, links: &[Link]) -> Self {
        let drops = drops(plan, of, links);
        let station = |((id, node), drops): ((StationId, &usize), _)| StationSummary {
            node: *node,
            airtime: medium.station_airtime(id, plan.stop),
            stats: medium.station_stats(id).clone(),
            agreements: medium.agreements(id),
            drops,
        };
        let stations = (0..).map(StationId).zip(&of.nodes).zip(drops);
        Self {
            name: of.name.clone(),
            airtime: medium.airtime(plan.stop),
            stations: stations.map(station).collect(),
        }
    }
}

/// By station and reason, over all ways that begin there.
fn drops(plan: &Plan, of: &MediumPlan, links: &[Link]) -> Vec<[u64; DropReason::ALL.len()]> {
    let mut drops = vec![[0; DropReason::ALL.len()]; of.nodes.len()];
    for (way, link) in of.config.ports.iter().zip(&of.links) {
        debug_assert_eq!(plan.links[*link].from, of.nodes[usize::from(way.from.0)]);
        let stats = links[*link].stats();
        for (sum, why) in drops[usize::from(way.from.0)]
            .iter_mut()
            .zip(DropReason::ALL)
        {
            *sum += stats.dropped_for(why);
        }
    }
    drops
}
