//! Shapers that never act, because the link below them is slower.

use super::super::super::diagnostics::Report;
use super::super::link::place;
use super::super::topology::Net;
use crate::plan::DisciplinePlan;
use acklab_proto::registry::Params;
use acklab_units::Rate;

/// Warns about each link whose discipline shapes to more than the link carries.
pub(super) fn give(net: &Net, report: &mut Report<'_>) {
    for link in &net.links {
        let Some(of) = &link.plan.discipline else {
            continue;
        };
        let (rate, name) = (link.plan.rate, of.entry.name);
        let Some(shaped) = slowest(of).filter(|s| *s > rate && link.plan.trace.is_none()) else {
            continue;
        };
        let message = format!("`{name}` shapes to {shaped} on a link of {rate}: it never acts");
        let hint = format!("write a rate below {rate}, or a discipline without a shaper");
        report.warn(&place(&link.path, "qdisc", report), message, hint);
    }
}

/// The lowest rate to which it limits anything; none where it limits nothing.
fn slowest(of: &DisciplinePlan) -> Option<Rate> {
    let p = &of.params;
    let least =
        |table: &str, of: fn(&Params) -> Option<Rate>| p.tables(table).iter().filter_map(of).min();
    match of.entry.name {
        "cake" => p.rate("bandwidth"),
        "tbf" => p.rate("rate"),
        "htb" => least("classes", |c| c.rate("ceil").or(c.rate("rate"))),
        "queue-tree" => least("queues", |q| q.rate("max_limit")),
        _ => None,
    }
}
