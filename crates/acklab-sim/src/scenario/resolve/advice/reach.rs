//! Stations in space over which nothing, or hardly anything, will arrive.

use super::super::super::diagnostics::Report;
use super::super::{Network, Way};
use super::{MAC_OVERHEAD, place};
use acklab_path::wifi::phy::{ErrorModel, Mode};
use acklab_path::wifi::propagation::Radio;

/// Warns about them.
pub(super) fn give(network: &Network, nodes: &[String], longest: u64, report: &mut Report<'_>) {
    unheard(network, nodes, report);
    shadowed(network, report);
    hopeless(network, nodes, longest, report);
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
    // Stations that are out of reach altogether have a message of their own.
    let margins = space.margins_db(&radios, modes(network));
    let stays = |i: usize| space.motions[i].is_still();
    // A moving station may come nearer.
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
