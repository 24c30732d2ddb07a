//! `kernel_units` where it does nothing, or little.

use super::super::flow::DraftFlow;
use crate::scenario::diagnostics::Report;
use crate::scenario::path::Path;
use acklab_proto::tcp::dialect::SenderRules;

/// The controllers that keep exact rates unless their source is Google's kernel.
const DRAFTS: [&str; 2] = ["bbr3", "bbr3-wifi"];

/// Warns once of a sender that has other units, and once of a BBRv3 that keeps exact rates.
pub(super) fn give(flows: &[DraftFlow], report: &mut Report<'_>) {
    let (mut other, mut exact) = (false, false);
    for flow in flows {
        let Some(tcp) = flow.plan.transport.tcp().filter(|t| t.config.kernel_units) else {
            continue;
        };
        let own = flow.path.key("tcp").key("kernel_units");
        let key = if report.has(&own) {
            own
        } else {
            Path::root().key("tcp").key("kernel_units")
        };
        let rules = tcp.config.profile.dialect().sender;
        if rules == SenderRules::Ns3 && !core::mem::replace(&mut other, true) {
            let message = "the sender of profile \"ns3\" has units of its own".to_string();
            let hint = "leave it out, or write profile = \"linux\"".to_string();
            report.warn(&key, message, hint);
        }
        let drafts = DRAFTS.contains(&tcp.cc.entry.name);
        if drafts
            && tcp.cc.params.choice("source") != "google"
            && !core::mem::replace(&mut exact, true)
        {
            let message = "BBRv3 as in the draft keeps exact rates".to_string();
            let hint =
                "for Linux's write cc = { name = \"bbr3\", source = \"google\" }".to_string();
            report.warn(&key, message, hint);
        }
    }
}
