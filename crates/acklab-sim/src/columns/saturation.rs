//! Saturated sources.

use super::Table;
use super::cells::seconds;
use crate::engine::saturation::Saturated;
use crate::plan::Plan;

/// One row per flow of `plan` that crosses a radio channel.
pub fn saturation<'a>(rows: &[Saturated], plan: &'a Plan) -> Table<'a> {
    let length = seconds(plan.stop - plan.measure_from);
    let r = || rows.iter();
    let mut t = Table::default();
    t.words("flow", r().map(|s| plan.flows[s.flow].name.as_str()))
        .words("medium", r().map(|s| plan.media[s.medium].name.as_str()))
        .words("station", r().map(|s| plan.nodes[s.node].as_str()))
        .numbers("packets", r().map(|s| s.packets))
        .numbers("packets_per_s", r().map(|s| s.packets as f64 / length))
        .numbers("accesses", r().map(|s| s.accesses))
        .numbers("failures", r().map(|s| s.failures))
        .numbers("internal_collisions", r().map(|s| s.internal_collisions))
        .numbers("data_ppdus", r().map(|s| s.data_ppdus));
    t
}
