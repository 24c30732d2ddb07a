//! Settings of TACK, and of what is around it, that can be run and will hardly be meant.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::flow::DraftFlow;
use super::super::topology::Net;
use super::{idle, place};
use crate::plan::{TackPlan, TransportPlan};
use acklab_proto::tack::config::StartUp;
use acklab_units::Span;

/// Warns about each `[[flow]]` of TACK, and about answers that shall carry its feedback.
pub(super) fn give(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    let mut told: Option<&Path> = None;
    for flow in flows {
        let TransportPlan::Tack(plan) = &flow.plan.transport else {
            continue;
        };
        // All flows of a `count` say the same.
        if told == Some(&flow.path) {
            continue;
        }
        told = Some(&flow.path);
        let at = flow.path.key("transport");
        let ways = || flow.plan.forward.iter().chain(&flow.plan.reverse);
        // How long a radio channel takes, only a run can tell.
        let first_port = net.wifi.iter().map(|w| w.first_link).min();
        let wired = ways().all(|l| first_port.is_none_or(|port| *l < port));
        if wired {
            let rtt: Span = ways().map(|l| net.links[*l].plan.delay).sum();
            intervals(plan, rtt, &at, report);
        }
        large_l(plan, &at, report);
        idle::give(plan, flow, report);
        counting_controller(plan, &flow.path.key("cc"), report);
    }
    answers(net, flows, report);
}

/// Bounds of the interval that leave nothing of `beta`. `rtt` is that of the empty path.
fn intervals(plan: &TackPlan, rtt: Span, at: &Path, report: &mut Report<'_>) {
    let (taming, key) = (&plan.config.taming, at.key("interval"));
    let tamed = rtt / u64::from(taming.beta);
    if tamed.is_zero() {
        return;
    }
    let shortest = key.key("shortest");
    let (written, beta) = (report.has(&shortest), at.key("beta"));
    let default = if written { "" } else { ", the default," };
    if taming.shortest * 2 > rtt {
        let message = format!(
            "with {}{default} between two TACKs (`interval.shortest`) and a round trip of {rtt} there are \
             fewer than two in a round trip, and the sender stops and waits for each (TACK paper, appendix \
             B.1): `beta` has no effect",
            taming.shortest
        );
        let hint = format!(
            "write interval.shortest = \"{tamed}\" at most, which is `beta` = {} in a round trip",
            taming.beta
        );
        report.warn(if written { &shortest } else { at }, message, hint);
    } else if taming.shortest > tamed && report.has(&beta) {
        let message = format!(
            "`beta` has no effect: {}{default} between two TACKs (`interval.shortest`) is more than a \
             {}th of the round trip of {rtt}",
            taming.shortest, taming.beta
        );
        let hint = format!("write interval.shortest = \"{tamed}\" at most");
        report.warn(&beta, message, hint);
    }
    let longest = key.key("longest");
    if report.has(&longest) && taming.longest < tamed {
        let message = format!(
            "there is a TACK every {} at least, which is more often than `beta` = {} in a round trip \
             of {rtt}: `beta` has no effect",
            taming.longest, taming.beta
        );
        let hint = format!("write \"{tamed}\" or more");
        report.warn(&longest, message, hint);
    }
}

/// L packets that never come together: no window holds so many.
fn large_l(plan: &TackPlan, at: &Path, report: &mut Report<'_>) {
    let taming = &plan.config.taming;
    let (l, mss) = (u64::from(taming.packets), u64::from(taming.mss));
    let fixed = (plan.cc.entry.name == "fixed").then(|| plan.cc.params.int("window") as u64 * mss);
    let limits = [
        ("the controller's `window`", fixed),
        ("`send_buffer`", Some(plan.config.send_buffer)),
        ("`recv_buffer`", Some(plan.config.recv_buffer)),
    ];
    let smallest = limits
        .into_iter()
        .filter_map(|(name, limit)| Some((limit?, name)));
    let Some((limit, name)) = smallest.min_by_key(|(limit, _)| *limit) else {
        return;
    };
    if l * mss > limit {
        let message = format!(
            "{l} packets of {mss} B (`l`) are more than {name} holds, {limit} B: the {l}th never comes, \
             and each TACK waits for `delayed`, {}",
            taming.delayed
        );
        let hint = format!("write l = {} at most", (limit / mss).max(1));
        let key = at.key("l");
        let place = if report.has(&key) { &key } else { at };
        report.warn(place, message, hint);
    }
}

/// Controllers whose window grows by the number of ACKs, of which TACK sends a few in a round trip
/// whatever the window is: in congestion avoidance it grows by `beta / cwnd` packets in a round trip
/// where TCP's ACKs make it one.
fn counting_controller(plan: &TackPlan, at: &Path, report: &mut Report<'_>) {
    if plan.cc.entry.name != "newreno" {
        return;
    }
    let growth = plan.cc.params.choice("growth");
    let limited = plan.config.start_up == StartUp::Tamed;
    let message = match growth {
        "ns3" | "ns2" => format!(
            "with growth = \"{growth}\" the window grows by the number of ACKs, and TACK sends at most \
             {} in a round trip: it hardly grows",
            plan.config.taming.beta
        ),
        "abc" if limited => format!(
            "with growth = \"abc\" an ACK adds {} segments at most in slow start, and with start_up = \
             \"tamed\" TACK sends at most {} in a round trip: it hardly grows",
            plan.cc.params.int("abc_l"),
            plan.config.taming.beta
        ),
        _ => return,
    };
    let inner = at.key("growth");
    let place = if report.has(&inner) {
        inner
    } else {
        at.clone()
    };
    let hint = "write growth = \"linux\", which counts what an ACK delivers".to_string();
    report.warn(&place, message, hint);
}

/// Answers to data that shall carry ACKs (`hack`) where there is no feedback but TACK's.
fn answers(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    let mut carried = vec![(false, false); net.links.len()];
    for flow in flows {
        let tack = matches!(flow.plan.transport, TransportPlan::Tack(_));
        for link in &flow.plan.reverse {
            let (ours, others) = carried[*link];
            carried[*link] = (ours || tack, others || !tack);
        }
    }
    for network in &net.wifi {
        for (way, side) in ["up", "down"].into_iter().enumerate() {
            let ways = [&network.up, &network.down][way];
            // ACKs of the data of one way go the other.
            let back = |s: usize| network.first_link + 2 * s + 1 - way;
            let with = ways.iter().enumerate().filter(|(_, w)| w.hack.is_some());
            let all = with.map(|(s, _)| carried[back(s)]);
            let (ours, others) = all.fold((false, false), |a, b| (a.0 || b.0, a.1 || b.1));
            if ours && !others {
                let message = "the answers to these data carry ACKs of TCP, and only TACK's feedback \
                               waits for them";
                let hint = "leave it out, or let a flow with transport = \"tcp\" come this way";
                let at = place(network, side, "hack", report);
                report.warn(&at, message.to_string(), hint.to_string());
            }
        }
    }
}
