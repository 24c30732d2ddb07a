//! What a scenario may say and will hardly mean.

use super::super::diagnostics::Report;
use super::flow::DraftFlow;
use super::link::DraftLink;
use super::topology::Net;

/// Warns about what stands in the way of a result.
pub(super) fn give(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    for (i, link) in net.links.iter().enumerate() {
        let crossing = |f: &&DraftFlow| f.plan.forward.contains(&i) || f.plan.reverse.contains(&i);
        let windows = flows.iter().filter(crossing);
        let windows: Vec<u32> = windows.map(|f| f.plan.tcp.initial_window).collect();
        stalling_filter(link, &windows, report);
    }
}

/// A filter that waits for more ACKs than the windows behind it give, and for nothing else, holds
/// them until a retransmission timer fires.
fn stalling_filter(link: &DraftLink, windows: &[u32], report: &mut Report<'_>) {
    let Some(filter) = &link.plan.filter else {
        return;
    };
    let waits = filter.entry.name == "aggregate" && filter.params.span("timeout").is_none();
    // One counter per flow, or one that all windows fill together.
    let window = match waits.then(|| filter.params.choice("scope")) {
        None => return,
        Some("queue") => windows.iter().map(|w| i64::from(*w)).sum(),
        Some(_) => windows
            .iter()
            .map(|w| i64::from(*w))
            .min()
            .unwrap_or(i64::MAX),
    };
    let ratio = filter.params.int("ratio");
    if ratio > window && !windows.is_empty() {
        let message = format!(
            "without a timer this filter waits for {ratio} ACKs, and a window begins with {window} \
             segments: nothing moves until a retransmission timer fires"
        );
        let hint = format!("write a `timeout`, or a ratio of {window} at most");
        report.warn(&link.path.key("ack_filter"), message, hint);
    }
}
