//! Warnings: settings that are valid and hardly meant.

mod blind;
mod idle;
mod laws;
mod lumps;
mod reach;
mod shapers;
mod tack;
mod trees;
mod units;
mod windows;

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::steps;
use super::flow::DraftFlow;
use super::link::DraftLink;
use super::queue;
use super::topology::Net;
use super::{Network, Way};
use crate::plan::FilterPlan;
use acklab_path::wifi::mac::sizes;
use acklab_path::wifi::phy::ErrorModel;
use acklab_units::Span;

/// Warns about what stands in the way of a result.
pub(super) fn give(net: &Net, flows: &[DraftFlow], run: Span, report: &mut Report<'_>) {
    for (link, windows) in net.links.iter().zip(windows_at_filters(net, flows)) {
        stalling_filter(link, &windows, report);
    }
    blind::give(net, flows, report);
    tack::give(net, flows, report);
    let packets = sizes(flows);
    shapers::give(net, packets, report);
    laws::give(net, flows, run, report);
    units::give(flows, report);
    lumps::give(flows, report);
    for (at, link) in blind::places(net, report) {
        idle_timer(&net.links[link], &at, report);
    }
    let longest = flows.iter().map(queue::full_packet).max().unwrap_or(0);
    for (network, used) in net.wifi.iter().zip(windows::used(net, flows)) {
        if !report.goes_on() {
            break;
        }
        windows::give(network, used, net, report);
        too_eager(network, &net.nodes, report);
        reach::give(network, &net.nodes, longest, report);
        unlikely_channel(network, longest, report);
        shapers::on_air(network, packets, report);
        laws::on_air(network, longest, run, report);
    }
}

/// The smallest packet of the run, no larger than a TCP header alone, and the largest.
fn sizes(flows: &[DraftFlow]) -> shapers::Packets {
    const LEAST: u32 = 40;
    const FULL: u32 = 1500;
    let full = flows.iter().map(|f| f.plan.transport.full_packet());
    let plain = flows.iter().map(|f| f.plan.transport.feedback_packet());
    let least = full.clone().chain(plain).fold(LEAST, u32::min);
    (least, full.max().unwrap_or(FULL).max(least))
}

/// Of each link with a filter the initial windows of the flows that cross it.
fn windows_at_filters(net: &Net, flows: &[DraftFlow]) -> Vec<Vec<u32>> {
    let mut windows: Vec<Vec<u32>> = vec![Vec::new(); net.links.len()];
    // A flow may cross a link there and back, and counts once.
    let mut last: Vec<Option<usize>> = vec![None; net.links.len()];
    for (f, flow) in flows.iter().enumerate() {
        steps::count(flow.plan.forward.len() + flow.plan.reverse.len());
        let Some(tcp) = flow.plan.transport.tcp() else {
            continue;
        };
        for &link in flow.plan.forward.iter().chain(&flow.plan.reverse) {
            if !net.links[link].plan.filters.is_empty() && last[link] != Some(f) {
                last[link] = Some(f);
                windows[link].push(tcp.config.initial_window);
            }
        }
    }
    windows
}

/// Channels that can be simulated and will hardly be meant.
fn unlikely_channel(network: &Network, longest: u64, report: &mut Report<'_>) {
    /// As many associate with an access point at most (AIDs of 802.11, 9.4.1.8).
    const MOST_ASSOCIATED: usize = 2007;
    /// Computing per simulated second and pair of stations, all of them with a greedy flow; measured
    /// with 1000 (0.03 s), 2500 (0.1 s) and 5000 (0.6 s).
    const SECONDS_PER_PAIR: f64 = 25e-9;
    let n = network.stations.len();
    if n > MOST_ASSOCIATED {
        let message =
            format!("{n} stations on one channel: an access point has {MOST_ASSOCIATED} at most");
        let seconds = SECONDS_PER_PAIR * (n * n) as f64;
        let hint = format!(
            "it can be run, at about {seconds:.1} s of computing per simulated second: begin with a \
             short `duration`"
        );
        let key = if report.has(&network.path.key("stations")) {
            network.path.key("stations")
        } else {
            Path::root().key("topology").key("stations")
        };
        report.warn(&key, message, hint);
    }
    if longest > LONGEST_PACKET {
        let message = format!(
            "packets of {longest} B: an MSDU of 802.11 holds {LONGEST_PACKET} B of IP at most"
        );
        let hint = format!(
            "they are sent all the same, each as one long MPDU; write a `segment` that is {} B shorter",
            longest - LONGEST_PACKET
        );
        let segment = Path::root().key("tcp").key("segment");
        let at = if report.has(&segment) {
            segment
        } else {
            network.path.clone()
        };
        report.warn(&at, message, hint);
    }
    for (key, ways) in [("up", &network.up), ("down", &network.down)] {
        for way in ways.iter().take(1) {
            unlikely_way(way, network, key, longest, report);
        }
    }
}

/// Stations that wait for less than a DIFS, as only an access point may (9.4.2.28: AIFSN of 2 or more).
fn too_eager(network: &Network, nodes: &[String], report: &mut Report<'_>) {
    let mut all = network.stations.iter().zip(&network.contenders[1..]);
    let Some((node, _)) = all.find(|(_, s)| s.edca.iter().any(|e| e.aifsn < 2)) else {
        return;
    };
    report.warn(
        &network.path,
        format!(
            "`{}` has an `aifsn` of 1, which the standard leaves to access points",
            nodes[*node]
        ),
        "write 2 or more for stations; `down.edca` is the access point's alone".to_string(),
    );
}

/// Where `key` of a side stands: there, or at the channel.
fn place(network: &Network, side: &str, key: &str, report: &Report<'_>) -> Path {
    let inner = network.path.key(side).key(key);
    if report.has(&inner) {
        inner
    } else {
        network.path.key(key)
    }
}

/// Requests to a path that it can hardly meet.
fn unlikely_way(way: &Way, network: &Network, side: &str, longest: u64, report: &mut Report<'_>) {
    let bits = 8 * (longest + MAC_OVERHEAD);
    let ber = match way.errors {
        ErrorModel::Ber(ber) => ber,
        ErrorModel::None | ErrorModel::Snr => 0.0,
    };
    let arrive = libm::pow(1.0 - ber, bits as f64);
    if arrive < 0.01 {
        let message = format!(
            "of a thousand full packets {:.0} arrive at the first attempt",
            1000.0 * arrive
        );
        let hint = "the rate is per bit: 1e-5 costs one full packet in nine".to_string();
        let at = place(network, side, "bit_error_rate", report);
        report.warn(&at, message, hint);
    }
    let full = longest + MAC_OVERHEAD + u64::from(sizes::DELIMITER);
    if way.ampdu > 0 && u64::from(way.ampdu) < full {
        let message = format!(
            "an A-MPDU of {} B at most does not hold one full packet, which takes {full} B and goes alone",
            way.ampdu
        );
        let hint = format!("write \"off\", or \"{} B\" for two", 2 * full);
        let at = place(network, side, "ampdu", report);
        report.warn(&at, message, hint);
    }
    let packet = sizes::msdu(longest as u32);
    let two = sizes::amsdu_with(sizes::amsdu_with(0, packet), packet);
    if way.amsdu > 0 && way.amsdu < two {
        let message = format!(
            "an A-MSDU of {} B at most does not join two full packets, which take {two} B",
            way.amsdu
        );
        let hint = format!("write \"off\", or \"{two} B\" at least");
        report.warn(&place(network, side, "amsdu", report), message, hint);
    }
    let least = way.rts_from.unwrap_or(0);
    let never = if way.ampdu > 0 {
        way.ampdu
    } else {
        way.max_mpdu
    };
    if least > never {
        let message = format!("no frame is longer than {never} B, so none is announced");
        let at = place(network, side, "rts", report);
        report.warn(&at, message, "write \"always\", or \"off\"".to_string());
    }
}

/// Longest IP packet in an MSDU of 2304 bytes.
const LONGEST_PACKET: u64 = 2304 - sizes::LLC_SNAP as u64;

/// Header and FCS of a QoS data frame, LLC and SNAP.
const MAC_OVERHEAD: u64 = 38;

/// A filter that waits for more ACKs than the windows behind it give, and for nothing else, holds
/// them until a retransmission timer fires.
fn stalling_filter(link: &DraftLink, windows: &[u32], report: &mut Report<'_>) {
    for (i, filter) in link.plan.filters.iter().enumerate() {
        let at = link.path.key("ack_filter");
        stalls(filter, windows, &one_of(&at, i, report), report);
    }
}

/// Where the `i`-th of the filters at `path` is written.
fn one_of(path: &Path, i: usize, report: &Report<'_>) -> Path {
    let of_several = path.index(i);
    if report.has(&of_several) {
        of_several
    } else {
        path.clone()
    }
}

fn stalls(filter: &FilterPlan, windows: &[u32], at: &Path, report: &mut Report<'_>) {
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
        report.warn(at, message, hint);
    }
}

/// A bound below the timer makes the timer one that never fires.
fn idle_timer(link: &DraftLink, at: &Path, report: &mut Report<'_>) {
    for (i, filter) in link.plan.filters.iter().enumerate() {
        never_ends(filter, &one_of(at, i, report), report);
    }
}

fn never_ends(filter: &FilterPlan, at: &Path, report: &mut Report<'_>) {
    let compresses = matches!(filter.entry.name, "tac" | "tac-paper");
    let span = |name| compresses.then(|| filter.params.span(name)).flatten();
    if let (Some(timeout), Some(most)) = (span("timeout"), span("max_hold"))
        && most < timeout
    {
        let message = format!(
            "an ACK goes on after {most} at the latest, so the timer of {timeout} never ends"
        );
        let hint = "write a longer `max_hold`, or \"none\"; or a shorter `timeout`".to_string();
        report.warn(at, message, hint);
    }
}
