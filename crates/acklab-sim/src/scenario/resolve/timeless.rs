//! Flows on whose way nothing takes time: virtual time would never pass.

use super::super::diagnostics::Report;
use super::flow::DraftFlow;
use super::topology::Net;
use crate::plan::{AppPlan, JitterPlan, LinkPlan};

/// Refuses flows without end that meet no rate and no delay, there and back.
pub(super) fn refuse(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    let ports: Vec<_> = net
        .wifi
        .iter()
        .map(|w| w.first_link..w.first_link + 2 * w.stations.len())
        .collect();
    let instant =
        |l: &usize| !ports.iter().any(|p| p.contains(l)) && takes_no_time(&net.links[*l].plan);
    let mut told = None;
    for flow in flows {
        let mut way = flow.plan.forward.iter().chain(&flow.plan.reverse);
        let waits = ends_by_itself(&flow.plan.app) || !flow.plan.transport.is_reliable();
        if told == Some(&flow.path) || waits || !way.all(instant) {
            continue;
        }
        // All flows of a `count` have the same mistake.
        told = Some(&flow.path);
        let message = format!(
            "nothing takes time on the way of `{}` and back: it would send without end at one instant",
            flow.plan.name
        );
        let hint = "give a link on its way a `rate` or a `delay`".to_string();
        report.error(&flow.path, message, hint);
    }
}

fn takes_no_time(link: &LinkPlan) -> bool {
    let still = link.trace.is_none() && link.impair.pauses.is_none();
    let even = link.impair.jitter == JitterPlan::None;
    link.rate.is_unlimited() && link.delay.is_zero() && still && even
}

/// Whether the application stops, or waits, whatever the network does.
fn ends_by_itself(app: &AppPlan) -> bool {
    match app {
        AppPlan::Bulk { bytes, .. } => bytes.is_some(),
        AppPlan::OnOff { .. } | AppPlan::Video(_) => true,
        AppPlan::RequestResponse { think, count, .. } => count.is_some() || !think.is_zero(),
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::load_toml;

    fn load(link: &str, flow: &str) -> Result<(), String> {
        let text = format!(
            "duration = '1 s'\n[[node]]\nname = 'a'\n[[node]]\nname = 'b'\n\
             [[link]]\na = 'a'\nb = 'b'\n{link}\n[[flow]]\nfrom = 'a'\nto = 'b'\n{flow}\n"
        );
        load_toml(&text, "t.toml", &[])
            .map(drop)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_flow_without_end_needs_something_that_takes_time() {
        let told = load("", "count = 3").unwrap_err();
        assert_eq!(told.matches("nothing takes time").count(), 1, "{told}");
        assert!(
            told.contains("`f0-0`") && told.contains("`delay`"),
            "{told}"
        );
        assert!(load("", "app = 'request-response'").is_err());
        assert!(load("", "transport = 'tack'").is_err());
        for link in [
            "rate = '1 Gbit/s'",
            "delay = '1 us'",
            "[link.reverse]\ndelay = '1 us'",
        ] {
            assert_eq!(load(link, ""), Ok(()), "{link}");
        }
    }

    #[test]
    fn what_ends_by_itself_may_take_no_time() {
        for app in [
            "{ kind = 'bulk', bytes = '1 MB' }",
            "{ kind = 'on-off' }",
            "{ kind = 'request-response', think = '1 ms' }",
        ] {
            assert_eq!(load("", &format!("app = {app}")), Ok(()), "{app}");
        }
        assert_eq!(load("", "transport = 'cbr'"), Ok(()));
    }
}
