//! Stations in space as TOML.

use super::super::{Text, quoted, since_start};
use crate::scenario::resolve::Space;
use acklab_path::wifi::medium::Capture;
use acklab_path::wifi::propagation::{Motion, Position, Radio};

/// Every field by name: a new one does not compile until it has a key here and in the spec.
pub(super) fn write(space: &Space, names: impl Iterator<Item = String>, out: &mut Text) {
    let Space {
        motions,
        path_loss,
        frequency_mhz,
        shadowing_db,
        fading,
        capture,
    } = space;
    out.section("[wifi.space]");
    out.raw("path_loss", path_loss.text());
    out.raw("frequency_mhz", format!("{frequency_mhz:?}"));
    out.raw("shadowing_db", format!("{shadowing_db:?}"));
    out.raw("fading", fading.text());
    match capture {
        Some(Capture::Ratio(db)) => out.raw("capture_db", format!("{db:?}")),
        Some(Capture::AsModeNeeds) => out.text("capture_db", "mode"),
        None => out.text("capture_db", "off"),
    }
    out.section("[wifi.space.place]");
    for (name, motion) in names.zip(motions) {
        out.raw(&name, place(motion));
    }
}

fn place(motion: &Motion) -> String {
    match motion {
        Motion::Still(position) => metres(*position),
        Motion::Straight {
            from,
            velocity,
            start,
        } => format!(
            "{{ position = {}, velocity = {velocity:?}, start = {} }}",
            metres(*from),
            quoted(since_start(*start))
        ),
        Motion::Waypoints(places) => {
            let each = places.iter().map(|(at, position)| {
                let (at, position) = (quoted(since_start(*at)), metres(*position));
                format!("{{ at = {at}, position = {position} }}")
            });
            let each = each.collect::<Vec<_>>().join(", ");
            format!("{{ waypoints = [{each}] }}")
        }
    }
}

fn metres(position: Position) -> String {
    format!("{:?}", position.xyz())
}

/// A radio as an inline table.
pub(super) fn radio(radio: Radio) -> String {
    let Radio {
        power_dbm,
        antenna_db,
        noise_figure_db,
        detects_dbm,
    } = radio;
    format!(
        "{{ power_dbm = {power_dbm:?}, antenna_db = {antenna_db:?}, \
         noise_figure_db = {noise_figure_db:?}, carrier_sense_dbm = {detects_dbm:?} }}"
    )
}
