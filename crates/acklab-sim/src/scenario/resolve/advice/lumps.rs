//! `lump_burst` of `bbr3-wifi` where something else says how many packets leave at once.

use super::super::flow::DraftFlow;
use crate::plan::TransportPlan;
use crate::scenario::diagnostics::Report;

/// Warns of each flow whose `lump_burst` has no effect; once of flows that are written together.
pub(super) fn give(flows: &[DraftFlow], report: &mut Report<'_>) {
    let mut told = Vec::new();
    for flow in flows {
        let key = flow.path.key("cc").key("lump_burst");
        if let Some((message, hint)) = mistake(flow, report)
            && told.last() != Some(&key)
        {
            report.warn(&key, message, hint);
            told.push(key);
        }
    }
}

/// What is wrong, and what would be right.
fn mistake(flow: &DraftFlow, report: &Report<'_>) -> Option<(String, String)> {
    let (quantum, cc) = match &flow.plan.transport {
        TransportPlan::Tcp(tcp) => (Some(tcp.config.pacing_quantum), &tcp.cc),
        TransportPlan::Tack(tack) => (None, &tack.cc),
        TransportPlan::Cbr(_) | TransportPlan::Rtp(_) => return None,
    };
    if cc.entry.name != "bbr3-wifi" || cc.params.float("lump_burst") <= 0.0 {
        return None;
    }
    let Some(quantum) = quantum else {
        // `TackConfig::quantum` asks no controller.
        let message = "`lump_burst` has no effect: TACK sets how many packets leave at once by `pacing_horizon`";
        return Some((message.to_string(), "leave it out".to_string()));
    };
    let own = report.has(&flow.path.key("tcp").key("pacing_quantum"));
    let place = if own { "the flow's `tcp`" } else { "[tcp]" };
    let message = format!(
        "`lump_burst` has no effect: `pacing_quantum` is {quantum}, which sets how many packets leave at once"
    );
    let hint = format!("write pacing_quantum = 0 in {place}, or leave `lump_burst` out");
    (quantum > 0).then_some((message, hint))
}
