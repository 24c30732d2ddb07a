//! What a scenario may say and will hardly mean.

mod blind;
mod windows;

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::flow::DraftFlow;
use super::link::DraftLink;
use super::queue;
use super::topology::Net;
use super::{Network, Way};
use crate::plan::FilterPlan;
use acklab_path::wifi::mac::sizes;
use acklab_path::wifi::phy::{ErrorModel, Mode};
use acklab_path::wifi::propagation::Radio;

/// Warns about what stands in the way of a result.
pub(super) fn give(net: &Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    for (i, link) in net.links.iter().enumerate() {
        let crossing = |f: &&DraftFlow| f.plan.forward.contains(&i) || f.plan.reverse.contains(&i);
        let windows = flows.iter().filter(crossing);
        let windows: Vec<u32> = windows.map(|f| f.plan.tcp.initial_window).collect();
        stalling_filter(link, &windows, report);
    }
    blind::give(net, flows, report);
    for (at, link) in blind::places(net, report) {
        idle_timer(&net.links[link], &at, report);
    }
    for network in &net.wifi {
        let longest = flows.iter().map(queue::full_packet).max();
        windows::give(network, net, flows, report);
        unheard(network, &net.nodes, report);
        shadowed(network, report);
        hopeless(network, &net.nodes, longest.unwrap_or(0), report);
        unlikely_channel(network, longest.unwrap_or(0), report);
    }
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

/// The mode in which a station sends, or is sent to.
fn modes(network: &Network) -> impl Fn(usize, bool) -> Mode + '_ {
    |station, up| {
        let ways = if up { &network.up } else { &network.down };
        ways[station].rate.mode
    }
}

/// Stations whose access point is too far away to be heard, or to hear them: it receives nothing, or they.
fn unheard(network: &Network, nodes: &[String], report: &mut Report<'_>) {
    let (Some(space), None) = (&network.channel.space, &network.channel.hidden) else {
        return;
    };
    let radios: Vec<Radio> = network.contenders.iter().map(|s| s.radio).collect();
    let unheard = space.unheard(&radios, modes(network));
    let stays = |i: usize| space.motions[0].is_still() && space.motions[i + 1].is_still();
    let (still, moving): (Vec<_>, Vec<_>) = unheard.into_iter().partition(|(i, _)| stays(*i));
    for (all, stay) in [(still, true), (moving, false)] {
        let Some((first, way)) = all.first() else {
            continue;
        };
        let (name, ap) = (&nodes[network.stations[*first]], &nodes[network.ap]);
        let (from, to) = if way.up { (name, ap) } else { (ap, name) };
        let power = format!(
            "what `{from}` sends arrives at `{to}` at {:.2} dBm, below its `carrier_sense_dbm` of {}",
            way.dbm, way.detects_dbm
        );
        let power = match way.heard_from == way.detects_dbm {
            true => power,
            false => format!("{power}, which is {} for PPDUs so wide", way.heard_from),
        };
        let (when, then) = match stay {
            true => ("", "nothing is received"),
            false => (
                "at the beginning ",
                "nothing is received until it comes nearer",
            ),
        };
        let more = match all.len() {
            1 => String::new(),
            n => format!(", and so for {} more stations", n - 1),
        };
        let hint = "shadowing not counted; bring them nearer, raise `power_dbm`, lower \
                    `carrier_sense_dbm`, or write `hidden`, which counts instead";
        report.warn(
            &network.path.key("space"),
            format!("{when}{power}: {then}{more}"),
            hint.to_string(),
        );
    }
}

/// Obstacles that will often put a station out of the access point's reach: which are drawn from the
/// seed, so that this can only say how likely it is.
fn shadowed(network: &Network, report: &mut Report<'_>) {
    /// From one station in twenty on.
    const OFTEN: f64 = 0.05;
    let (Some(space), None) = (&network.channel.space, &network.channel.hidden) else {
        return;
    };
    let radios: Vec<Radio> = network.contenders.iter().map(|s| s.radio).collect();
    let margins = space.margins_db(&radios, modes(network));
    let chances = margins
        .filter(|m| *m >= 0.0)
        .map(|m| above(m / space.shadowing_db));
    let expected: f64 = chances.filter(|c| *c >= OFTEN).sum();
    if space.shadowing_db > 0.0 && expected >= OFTEN {
        let message = format!(
            "obstacles of {} dB put {expected:.1} stations out of the access point's reach, on average over seeds",
            space.shadowing_db
        );
        let hint = "such a station neither hears the access point nor is heard; bring them nearer, raise \
                    `power_dbm`, or write `hidden`, which counts instead";
        report.warn(
            &network.path.key("space").key("shadowing_db"),
            message,
            hint.to_string(),
        );
    }
}

/// Probability that a standard normal variable is above `x`.
fn above(x: f64) -> f64 {
    0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
}

/// Fixed modes in which hardly anything arrives where stations stay.
fn hopeless(network: &Network, nodes: &[String], longest: u64, report: &mut Report<'_>) {
    let Some(space) = &network.channel.space else {
        return;
    };
    let radios: Vec<Radio> = network.contenders.iter().map(|s| s.radio).collect();
    // Of who is out of reach altogether something else is told.
    let margins = space.margins_db(&radios, modes(network));
    let stays = |i: usize| space.motions[i].is_still();
    // Who moves may come nearer.
    let reached = margins
        .enumerate()
        .map(|(i, m)| m >= 0.0 && stays(0) && stays(i + 1));
    let reached: Vec<bool> = reached.collect();
    let bytes = (longest + MAC_OVERHEAD) as u32;
    for (key, ways, up) in [("up", &network.up, true), ("down", &network.down, false)] {
        let fails = |(i, way): &(usize, &Way)| {
            let fixed = way.rate.modes.is_empty() && way.errors == ErrorModel::Snr && reached[*i];
            let snr = fixed.then(|| space.snr_db(&radios, i + 1, up, way.rate.mode));
            snr.is_some_and(|snr| way.errors.mpdu_success(way.rate.mode, snr, bytes) < 0.01)
        };
        let all: Vec<_> = ways.iter().enumerate().filter(fails).collect();
        let Some((first, way)) = all.first() else {
            continue;
        };
        let name = &nodes[network.stations[*first]];
        let more = match all.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let what = if up { "from" } else { "to" };
        let message = format!(
            "hardly any full packet arrives {what} `{name}`{more} in {}: the signal is too weak",
            way.rate.mode
        );
        let hint =
            "write a lower `mcs`, or rate_control = \"minstrel\"; or bring them nearer".to_string();
        let at = ["mcs", "rate"].map(|k| place(network, key, k, report));
        let at = at.iter().find(|at| report.has(at)).cloned();
        report.warn(
            &at.unwrap_or_else(|| network.path.key("space")),
            message,
            hint,
        );
    }
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

/// What is asked of a way that it can hardly give.
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
