//! Radios of stations in space.

use super::super::super::diagnostics::Report;
use super::super::super::spec::RadioSpec;
use super::contention::Sides;
use acklab_path::wifi::propagation::Radio;

/// The scenario's settings, on top of ns-3's defaults.
pub(super) fn resolve(sides: &Sides, in_space: bool, report: &mut Report<'_>) -> Radio {
    let default = Radio::default();
    if !in_space {
        let (written, at) = sides.get("radio", |k| k.radio);
        if written.is_some() {
            let hint = "write where the stations are: [wifi.space] with `ring`, `line` or `place`";
            let message = "radio settings have no effect without positions of stations";
            report.error(&at, message, hint.to_string());
        }
        return default;
    }
    let mut get = |key: &str, (low, high), default, of: fn(&RadioSpec) -> Option<f64>| {
        let found = sides
            .iter()
            .find_map(|(k, path)| Some((of(k.radio.as_ref()?)?, path)));
        let Some((value, path)) = found else {
            return default;
        };
        if (low..=high).contains(&value) {
            return value;
        }
        let hint = format!("write a number from {low} to {high}");
        report.error(&path.key("radio").key(key), "out of range", hint);
        default
    };
    Radio {
        power_dbm: get("power_dbm", (-100.0, 100.0), default.power_dbm, |r| {
            r.power_dbm
        }),
        antenna_db: get("antenna_db", (-100.0, 100.0), default.antenna_db, |r| {
            r.antenna_db
        }),
        noise_figure_db: get(
            "noise_figure_db",
            (0.0, 100.0),
            default.noise_figure_db,
            |r| r.noise_figure_db,
        ),
        detects_dbm: get(
            "carrier_sense_dbm",
            (-200.0, 100.0),
            default.detects_dbm,
            |r| r.carrier_sense_dbm,
        ),
    }
}
