//! Stations in space: where they are, how they move, what lies between them, and their radios.

use super::{FadingSpec, PathLossSpec, Qty};
use acklab_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Where stations are, and what is left of a signal between them. Lengths are in metres.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SpaceSpec {
    /// Stations stand around the access point at this distance in metres, evenly. Default: they do
    /// not.
    #[schemars(range(min = 0, max = 100_000))]
    pub(crate) ring: Option<f64>,
    /// Stations stand in a row along x: the first this many metres from the access point, each
    /// further one as far from the one before. Default: they do not.
    #[schemars(range(min = 0, max = 100_000))]
    pub(crate) line: Option<f64>,
    /// Places by name: of the access point (default: [0, 0, 0]), and of stations, in spite of `ring`
    /// and `line` or instead of them.
    pub(crate) place: BTreeMap<String, PlaceSpec>,
    /// Loss over distance. Default: "log-distance" with ns-3's parameters.
    pub(crate) path_loss: Option<PathLossSpec>,
    /// Centre frequency in MHz, which free space asks for. Default: 2412, 5180 or 5955 by the band.
    #[schemars(range(min = 1000, max = 100_000))]
    pub(crate) frequency_mhz: Option<f64>,
    /// Standard deviation in dB of a loss by obstacles that is drawn once for each pair of stations.
    /// Default: 0.
    #[schemars(range(min = 0, max = 30))]
    pub(crate) shadowing_db: Option<f64>,
    /// Changes of a signal around its mean. Default: "none".
    pub(crate) fading: Option<FadingSpec>,
    /// A signal that arrives this much stronger than all others together, in dB, can be read in spite
    /// of them; above 0; "mode": as strong over noise and all others as its mode needs; or "off".
    /// Default: "off".
    pub(crate) capture_db: Option<CaptureSpec>,
}

/// The signals that can be read in spite of others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum CaptureSpec {
    /// Nothing.
    Off,
    /// A signal so many dB stronger.
    Ratio(f64),
    /// A signal as strong as its mode needs.
    Mode,
}

/// Where a station is: a place, or a table for one that moves.
#[derive(Clone, Debug)]
pub(crate) enum PlaceSpec {
    /// Coordinates.
    Still(Vec<f64>),
    /// A table.
    Moving(PlaceTable),
}

/// Where a station is and goes.
#[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PlaceTable {
    /// Where it is at first: x, y and perhaps z in metres. Default: by `ring` or `line`.
    #[schemars(length(min = 2, max = 3), inner(range(min = -100_000, max = 100_000)))]
    #[serde(deserialize_with = "super::lists::place")]
    pub(crate) position: Option<Vec<f64>>,
    /// Metres per second along x, y and perhaps z. Default: it stays.
    #[schemars(length(min = 2, max = 3), inner(range(min = -1000, max = 1000)))]
    #[serde(deserialize_with = "super::lists::velocity")]
    pub(crate) velocity: Option<Vec<f64>>,
    /// When it sets off, from the beginning of the run. Default: "0 s".
    pub(crate) start: Option<Qty<Span>>,
    /// Places with their times, ascending, instead of `position` and `velocity`: it goes from one to
    /// the next at constant speed, and stays at the last.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "super::lists::waypoints")]
    pub(crate) waypoints: Option<Vec<WaypointSpec>>,
}

/// A place and when a station is there.
#[derive(Deserialize, JsonSchema, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaypointSpec {
    /// When, from the beginning of the run.
    pub(crate) at: Qty<Span>,
    /// Where: x, y and perhaps z in metres.
    #[schemars(length(min = 2, max = 3), inner(range(min = -100_000, max = 100_000)))]
    #[serde(deserialize_with = "super::lists::place")]
    pub(crate) position: Vec<f64>,
}

/// The radio of a station.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RadioSpec {
    /// Transmit power in dBm. Default: 16.0206, which is 40 mW (ns-3).
    #[schemars(range(min = -100, max = 100))]
    pub(crate) power_dbm: Option<f64>,
    /// Antenna gain in dB, sending and receiving. Default: 0.
    #[schemars(range(min = -100, max = 100))]
    pub(crate) antenna_db: Option<f64>,
    /// Noise that the receiver adds, in dB. Default: 7 (ns-3).
    #[schemars(range(min = 0, max = 100))]
    pub(crate) noise_figure_db: Option<f64>,
    /// From which power on the preamble of a PPDU is detected, in dBm over 20 MHz; below it the
    /// station neither defers nor receives anything. Default: -82 (17.3.10.6).
    #[schemars(range(min = -200, max = 100))]
    pub(crate) carrier_sense_dbm: Option<f64>,
}

impl<'de> Deserialize<'de> for PlaceSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = PlaceSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "metres, such as [10, 0], or a table such as \
                     { position = [10, 0], velocity = [1.5, 0] }",
                )
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<PlaceSpec, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(PlaceSpec::Still)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PlaceSpec, A::Error> {
                PlaceTable::deserialize(MapAccessDeserializer::new(map)).map(PlaceSpec::Moving)
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for PlaceSpec {
    fn schema_name() -> Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let table = g.subschema_for::<PlaceTable>();
        let metres = json_schema!({ "type": "number", "minimum": -100_000, "maximum": 100_000 });
        let still =
            json_schema!({ "type": "array", "items": metres, "minItems": 2, "maxItems": 3 });
        json_schema!({ "anyOf": [still, table] })
    }
}

impl<'de> Deserialize<'de> for CaptureSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = CaptureSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of dB, \"mode\", or \"off\"")
            }

            fn visit_i64<E>(self, db: i64) -> Result<CaptureSpec, E> {
                Ok(CaptureSpec::Ratio(db as f64))
            }

            fn visit_f64<E>(self, db: f64) -> Result<CaptureSpec, E> {
                Ok(CaptureSpec::Ratio(db))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<CaptureSpec, E> {
                match text {
                    "off" => Ok(CaptureSpec::Off),
                    "mode" => Ok(CaptureSpec::Mode),
                    _ => Err(E::invalid_type(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for CaptureSpec {
    fn schema_name() -> Cow<'static, str> {
        "Capture".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "enum": ["mode", "off"] },
            { "type": "number", "exclusiveMinimum": 0, "maximum": 100 },
        ] })
    }
}
