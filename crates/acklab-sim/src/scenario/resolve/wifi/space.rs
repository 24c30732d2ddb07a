//! Stations in space: their places, and what lies between them.

use super::super::super::diagnostics::{Report, suggest};
use super::super::super::path::Path;
use super::super::super::spec::{CaptureSpec, SpaceSpec};
use super::super::topology::{Net, incomplete};
use super::chosen::Chosen;
use super::place;
use acklab_path::wifi::medium::Capture;
use acklab_path::wifi::phy::{Band, Mode};
use acklab_path::wifi::propagation::registry::{BuildFading, BuildPathLoss, FADINGS, PATH_LOSSES};
use acklab_path::wifi::propagation::{
    Channel, ChannelConfig, ChannelStreams, Fading, Motion, Position, Radio,
};
use acklab_proto::rng;
use acklab_units::Instant;
use std::collections::HashSet;
use std::f64::consts::TAU;

/// AIDs of 802.11 (9.4.1.8); what lies between each two of more stations would fill the memory.
const MOST_IN_SPACE: usize = 2007;

/// Places and what is between them, with nothing left to defaults.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// The access point's first, then by station.
    pub(crate) motions: Vec<Motion>,
    pub(crate) path_loss: Chosen<BuildPathLoss>,
    pub(crate) frequency_mhz: f64,
    pub(crate) shadowing_db: f64,
    pub(crate) fading: Chosen<BuildFading>,
    pub(crate) capture: Option<Capture>,
}

impl Space {
    /// The paths between stations.
    pub(crate) fn channel(&self) -> ChannelConfig {
        ChannelConfig {
            frequency_hz: self.frequency_mhz * 1e6,
            path_loss: self.path_loss.build(),
            shadowing_db: self.shadowing_db,
            fading: self.fading.build(),
        }
    }

    /// Ways between stations and the access point over which nothing is heard at the beginning, but for
    /// shadowing and fading; of each station the worse one.
    pub(crate) fn unheard(
        &self,
        radios: &[Radio],
        mode: impl Fn(usize, bool) -> Mode,
    ) -> Vec<(usize, Arrival)> {
        let arrivals = self.arrivals(radios, mode).enumerate();
        arrivals.filter(|(_, a)| a.margin_db() < 0.0).collect()
    }

    /// By station, how much more arrives than is heard, in dB, on the worse of both ways between it and
    /// the access point, of what is sent there in `mode(station, up)`; at the beginning, but for
    /// shadowing and fading.
    pub(crate) fn margins_db(
        &self,
        radios: &[Radio],
        mode: impl Fn(usize, bool) -> Mode,
    ) -> impl Iterator<Item = f64> {
        self.arrivals(radios, mode).map(|a| a.margin_db())
    }

    /// The power that arrives over that way.
    fn arrivals(
        &self,
        radios: &[Radio],
        mode: impl Fn(usize, bool) -> Mode,
    ) -> impl Iterator<Item = Arrival> {
        (1..self.motions.len()).map(move |i| {
            let pair = self.with_access_point(i, radios);
            let over = |up: bool| {
                let (from, to) = if up { (1, 0) } else { (0, 1) };
                let radio = if up { radios[0] } else { radios[i] };
                Arrival {
                    up,
                    dbm: pair.mean_dbm(Instant::ZERO, from, to),
                    detects_dbm: radio.detects_dbm,
                    heard_from: radio.detects_from(mode(i - 1, up).width()),
                }
            };
            let (up, down) = (over(true), over(false));
            if down.margin_db() < up.margin_db() {
                down
            } else {
                up
            }
        })
    }

    /// Signal to noise in dB of what station `i` sends to the access point in `mode`, or what that sends
    /// to it if not `up`; at the beginning, but for shadowing and fading.
    pub(crate) fn snr_db(&self, radios: &[Radio], i: usize, up: bool, mode: Mode) -> f64 {
        let (from, to) = if up { (1, 0) } else { (0, 1) };
        let pair = self.with_access_point(i, radios);
        pair.mean_sinr_db(Instant::ZERO, from, to, mode, std::iter::empty())
    }

    /// The access point and station `i` without obstacles and fading. Nothing is drawn.
    fn with_access_point(&self, i: usize, radios: &[Radio]) -> Channel {
        let config = ChannelConfig {
            shadowing_db: 0.0,
            fading: Fading::None,
            ..self.channel()
        };
        let rng = || rng::stream(0, "clear");
        let streams = ChannelStreams {
            shadowing: rng(),
            fading: rng(),
        };
        let end = |i: usize| (self.motions[i].clone(), radios[i]);
        Channel::new(config, vec![end(0), end(i)], streams)
    }
}

/// The power that arrives over a way between a station and the access point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// From the station.
    pub(crate) up: bool,
    /// With this power.
    pub(crate) dbm: f64,
    /// The receiver's `carrier_sense_dbm`, and what that is for a PPDU as wide as this.
    pub(crate) detects_dbm: f64,
    pub(crate) heard_from: f64,
}

impl Arrival {
    fn margin_db(self) -> f64 {
        self.dbm - self.heard_from
    }
}

/// The scenario's places, checked. `None` if a station has no place, which is reported.
pub(super) fn resolve(
    spec: &SpaceSpec,
    path: &Path,
    (ap, stations): (usize, &[usize]),
    (band, net): (Band, &Net),
    report: &mut Report<'_>,
) -> Option<Space> {
    let number = |key: &str, value: Option<f64>, default, (low, high), report: &mut Report<'_>| {
        let value = value.unwrap_or(default);
        if !(low..=high).contains(&value) {
            let hint = format!("write a number from {low} to {high}");
            report.error(&path.key(key), "out of range", hint);
        }
        value
    };
    let frequency_mhz = number(
        "frequency_mhz",
        spec.frequency_mhz,
        first_channel(band),
        (1000.0, 100_000.0),
        report,
    );
    let (low, high) = edges(band);
    if (1000.0..=100_000.0).contains(&frequency_mhz) && !(low..=high).contains(&frequency_mhz) {
        let message = format!("{frequency_mhz} MHz are not in the band, {band}");
        let hint = format!("write {low} to {high}, or another `band`");
        report.error(&path.key("frequency_mhz"), message, hint);
    }
    let shadowing_db = number("shadowing_db", spec.shadowing_db, 0.0, (0.0, 30.0), report);
    let capture = match spec.capture_db {
        None | Some(CaptureSpec::Off) => None,
        Some(CaptureSpec::Mode) => Some(Capture::AsModeNeeds),
        Some(CaptureSpec::Ratio(db)) => {
            // Not a number is not within either.
            if !(db > 0.0 && db <= 100.0) {
                let hint = "write dB above 0 and up to 100, such as 10, \"mode\", or \"off\"";
                let message = "out of range: a captured signal must be stronger than the others";
                report.error(&path.key("capture_db"), message, hint.to_string());
            }
            Some(Capture::Ratio(db))
        }
    };
    let path_loss = spec.path_loss.as_ref().map(|p| &p.0);
    let fading = spec.fading.as_ref().map(|f| &f.0);
    Some(Space {
        path_loss: Chosen::read(
            PATH_LOSSES,
            "path loss",
            path_loss,
            &path.key("path_loss"),
            report,
        ),
        fading: Chosen::read(FADINGS, "fading", fading, &path.key("fading"), report),
        frequency_mhz,
        shadowing_db,
        capture,
        motions: motions(spec, path, (ap, stations), net, report)?,
    })
}

/// Centres of the first channels of the bands, as ns-3 uses them: 1, 36 and 1.
fn first_channel(band: Band) -> f64 {
    match band {
        Band::Ghz2_4 => 2412.0,
        Band::Ghz5 => 5180.0,
        Band::Ghz6 => 5955.0,
    }
}

/// Where the bands end in MHz (802.11-2020, annex E: operating classes; 802.11ax-2021 for 6 GHz).
fn edges(band: Band) -> (f64, f64) {
    match band {
        Band::Ghz2_4 => (2401.0, 2495.0),
        Band::Ghz5 => (4900.0, 5925.0),
        Band::Ghz6 => (5925.0, 7125.0),
    }
}

fn motions(
    spec: &SpaceSpec,
    path: &Path,
    (ap, stations): (usize, &[usize]),
    net: &Net,
    report: &mut Report<'_>,
) -> Option<Vec<Motion>> {
    if stations.len() > MOST_IN_SPACE {
        let message = format!("{} stations in space", stations.len());
        let hint = format!("an access point has {MOST_IN_SPACE} at most; leave `space` out");
        report.error(path, message, hint);
        return None;
    }
    let known = || {
        std::iter::once(&ap)
            .chain(stations)
            .map(|s| net.nodes[*s].as_str())
    };
    let on_channel: HashSet<&str> = known().collect();
    for name in spec.place.keys() {
        if !on_channel.contains(name.as_str()) && !incomplete(report) && report.goes_on() {
            let message = format!("`{name}` is not on this channel");
            let hint = suggest(name, known(), "on it are");
            report.error(&path.key("place").key(name), message, hint);
        }
    }
    let read = |node: usize, usual: Option<Position>, report: &mut Report<'_>| {
        let name = &net.nodes[node];
        let at = path.key("place").key(name);
        place::motion(spec.place.get(name), usual, &at, report)
    };
    let first = read(ap, Some(Position::default()), report);
    let centre = first
        .as_ref()
        .map_or(Position::default(), |m| m.at(Instant::ZERO));
    let usual = Pattern::read(spec, path, stations.len(), centre, report)?;
    let mut all = vec![first];
    for (i, station) in stations.iter().enumerate() {
        all.push(read(*station, usual.place(i), report));
    }
    if matches!(usual, Pattern::None) {
        nowhere(spec, path, (ap, stations), (&all[1..], net), report);
    }
    all.into_iter().collect()
}

/// Tells of stations that have no place at all.
fn nowhere(
    spec: &SpaceSpec,
    path: &Path,
    (ap, stations): (usize, &[usize]),
    (motions, net): (&[Option<Motion>], &Net),
    report: &mut Report<'_>,
) {
    let place = path.key("place");
    let all = std::iter::once(&ap).chain(stations);
    let all: HashSet<&str> = all.map(|s| net.nodes[*s].as_str()).collect();
    let on_channel = |name: &String| all.contains(name.as_str());
    // A word that is wrong may be the one that says where they are.
    if report.spoilt(path) || !spec.place.keys().all(on_channel) {
        return;
    }
    let missing = stations.iter().zip(motions).filter(|(_, m)| m.is_none());
    let missing = missing.map(|(s, _)| net.nodes[*s].as_str());
    // A mistake in a given place has been reported.
    let missing: Vec<&str> = missing
        .filter(|name| !report.any_within(&place.key(name)))
        .collect();
    let Some(first) = missing.first() else { return };
    let message = match missing.len() {
        1 => format!("`{first}` has no position"),
        n => format!("`{first}` and {} more have no position", n - 1),
    };
    let hint = format!("write place.{first} = [x, y] in metres, or `ring` or `line` for all");
    report.error(path, message, hint);
}

/// Where stations are that do not say it.
enum Pattern {
    None,
    Ring {
        radius: f64,
        n: usize,
        centre: Position,
    },
    Line {
        step: f64,
        centre: Position,
    },
}

impl Pattern {
    fn read(
        spec: &SpaceSpec,
        path: &Path,
        n: usize,
        centre: Position,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let pattern = match (spec.ring, spec.line) {
            (None, None) => return Some(Self::None),
            (Some(radius), None) => Self::Ring { radius, n, centre },
            (None, Some(step)) => Self::Line { step, centre },
            (Some(_), Some(_)) => {
                let hint = "leave one of them out".to_string();
                let message = "stations stand in a ring or in a line";
                report.error(&path.key("line"), message, hint);
                return None;
            }
        };
        let (key, metres, far) = match pattern {
            Self::Ring { radius, .. } => ("ring", radius, pattern.place(0)),
            Self::Line { step, .. } => ("line", step, pattern.place(n.saturating_sub(1))),
            Self::None => return Some(pattern),
        };
        // Not a number is not within either.
        if !(0.0..=f64::INFINITY).contains(&metres) || far.is_none() {
            let hint = "write metres, so that nobody is farther than 100000 from the origin";
            report.error(&path.key(key), "out of range", hint.to_string());
            return None;
        }
        Some(pattern)
    }

    /// The place of station `i`.
    fn place(&self, i: usize) -> Option<Position> {
        let (dx, dy, centre) = match *self {
            Self::None => return None,
            Self::Ring { radius, n, centre } => {
                let angle = TAU * i as f64 / n as f64;
                (radius * libm::cos(angle), radius * libm::sin(angle), centre)
            }
            Self::Line { step, centre } => (step * (i + 1) as f64, 0.0, centre),
        };
        let [x, y, z] = centre.xyz();
        Position::new(x + dx, y + dy, z).ok()
    }
}
