//! Where stations are, and where they go.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::shown::short;
use super::super::super::spec::{PlaceSpec, WaypointSpec};
use super::super::not_too_long;
use acklab_path::wifi::propagation::{Motion, Position};
use acklab_units::{Instant, Span};

/// Metres per second; nothing with a station on board is faster.
const FASTEST: f64 = 1000.0;

/// The way of a station that is at `usual` unless it says otherwise; `None` if that is nowhere, or if
/// something is wrong, which is reported.
pub(super) fn motion(
    spec: Option<&PlaceSpec>,
    usual: Option<Position>,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<Motion> {
    let table = match spec {
        None => return usual.map(Motion::Still),
        Some(PlaceSpec::Still(metres)) => {
            return position(metres, path, report).map(Motion::Still);
        }
        Some(PlaceSpec::Moving(table)) => table,
    };
    if let Some(places) = &table.waypoints {
        let others = [
            ("position", table.position.is_some()),
            ("velocity", table.velocity.is_some()),
            ("start", table.start.is_some()),
        ];
        for (key, written) in others {
            if written {
                let hint = "leave it out, or write `position` and `velocity` alone".to_string();
                let message = "has no effect beside `waypoints`";
                report.error(&path.key(key), message, hint);
            }
        }
        return waypoints(places, &path.key("waypoints"), report);
    }
    let from = match &table.position {
        Some(metres) => position(metres, &path.key("position"), report)?,
        None => usual?,
    };
    let start = table.start.map_or(Span::ZERO, |s| s.0);
    not_too_long(start, &path.key("start"), report);
    let Some(velocity) = &table.velocity else {
        return Some(Motion::Still(from));
    };
    let velocity = speed(velocity, &path.key("velocity"), report)?;
    Some(Motion::Straight {
        from,
        velocity,
        start: Instant::ZERO.saturating_add(start),
    })
}

fn waypoints(places: &[WaypointSpec], path: &Path, report: &mut Report<'_>) -> Option<Motion> {
    if places.is_empty() {
        let hint = "write [{ at = \"0 s\", position = [0, 0] }, ...]".to_string();
        report.error(path, "no waypoints", hint);
        return None;
    }
    let mut all: Vec<(Instant, Position)> = Vec::with_capacity(places.len());
    for (i, place) in places.iter().enumerate() {
        let path = path.index(i);
        not_too_long(place.at.0, &path.key("at"), report);
        let at = Instant::ZERO.saturating_add(place.at.0);
        if all.last().is_some_and(|(before, _)| *before >= at) {
            let hint = "write later times from place to place".to_string();
            report.error(
                &path.key("at"),
                "this time is not later than that of the previous waypoint",
                hint,
            );
            return None;
        }
        all.push((
            at,
            position(&place.position, &path.key("position"), report)?,
        ));
    }
    Some(Motion::Waypoints(all))
}

fn position(metres: &[f64], path: &Path, report: &mut Report<'_>) -> Option<Position> {
    let [x, y, z] = axes(metres, "a place", "[10, 0]", path, report)?;
    match Position::new(x, y, z) {
        Ok(position) => Some(position),
        Err(e) => {
            let message = format!("a coordinate of {} m is out of range", short(e.coordinate));
            report.error(path, message, e.hint());
            None
        }
    }
}

fn speed(velocity: &[f64], path: &Path, report: &mut Report<'_>) -> Option<[f64; 3]> {
    let velocity = axes(velocity, "a velocity", "[1.5, 0]", path, report)?;
    // Not a number is not within either.
    let strange = velocity.iter().find(|v| !(-FASTEST..=FASTEST).contains(*v));
    let Some(strange) = strange else {
        return Some(velocity);
    };
    let hint = format!("write metres per second from -{FASTEST} to {FASTEST}");
    let message = format!("no station has a speed of {} m/s", short(*strange));
    report.error(path, message, hint);
    None
}

fn axes(
    given: &[f64],
    what: &str,
    example: &str,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<[f64; 3]> {
    match *given {
        [x, y] => Some([x, y, 0.0]),
        [x, y, z] => Some([x, y, z]),
        _ => {
            let message = format!("{what} has two or three numbers, not {}", given.len());
            report.error(
                path,
                message,
                format!("write x, y and perhaps z: {example}"),
            );
            None
        }
    }
}
