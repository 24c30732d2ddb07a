//! Keys that exist, but in another table: `capture_db` under `[wifi]` instead of `[wifi.space]`, `stations`
//! without the preset that has it.

use super::path::{Path, Step};
use super::spec::{
    EdcaSpec, FlowSpec, LinkSpec, PlaceTable, PresetLinkSpec, RadioSpec, RecordSpec, SpaceSpec,
    TcpSpec, TopologySpec, WifiSideSpec, WifiSpec, WifiStationSpec,
};
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::Cell;

/// Names of the keys of a table.
type Keys = &'static [&'static str];
/// How a table is written, and its keys.
type Table = (&'static str, fn() -> Keys);

/// Tables of a radio channel. Whoever looks for a key takes the first that has it.
const WIFI: &[Table] = &[
    (
        "[wifi], or for one station in [wifi.station.NAME]",
        keys::<WifiStationSpec>,
    ),
    ("[wifi]", keys::<WifiSpec>),
    ("[wifi.space]", keys::<SpaceSpec>),
    ("[wifi.radio]", keys::<RadioSpec>),
    ("[wifi.edca]", keys::<EdcaSpec>),
    ("[wifi.up] or [wifi.down]", keys::<WifiSideSpec>),
    ("[wifi.space.place]", keys::<PlaceTable>),
];

/// The keys of a preset beside its channel.
const PRESET: &[Table] = &[
    ("[topology], which needs a `preset`", keys::<TopologySpec>),
    (
        "the table of a link, such as [topology.bottleneck]",
        keys::<PresetLinkSpec>,
    ),
];

/// Other sections.
const OTHERS: &[Table] = &[
    ("[[link]]", keys::<LinkSpec>),
    ("[[flow]]", keys::<FlowSpec>),
    ("[tcp]", keys::<TcpSpec>),
    ("[record]", keys::<RecordSpec>),
];

/// Which table has the key that `path` ends in and that is unknown where it stands.
pub(super) fn belongs(path: &Path) -> Option<String> {
    let (Some(Step::Key(first)), Some(Step::Key(key))) = (path.0.first(), path.0.last()) else {
        return None;
    };
    match (first.as_str(), path.0.len()) {
        ("wifi", _) => of_channel(key).or_else(|| told(key, PRESET)),
        ("topology", 2) => told(key, &PRESET[1..]).or_else(|| of_channel(key)),
        (_, 1) => at_the_top(key),
        _ => None,
    }
}

fn of_channel(key: &str) -> Option<String> {
    let table = first(key, WIFI)?;
    if table == "[wifi.space.place]" {
        return Some(format!(
            "`{key}` belongs to a station: [wifi.space.place], NAME = {{ {key} = ... }}"
        ));
    }
    Some(format!("`{key}` belongs in {table}"))
}

/// Every kind of table that has it: there is nothing around it that says which is meant.
fn at_the_top(key: &str) -> Option<String> {
    let kinds = [&PRESET[..1], &WIFI[..2], OTHERS];
    let found = kinds.into_iter().flat_map(|kind| match kind.len() {
        // Of a channel the first.
        2 => Vec::from_iter(first(key, kind)),
        _ => all(key, kind).collect(),
    });
    let found: Vec<&str> = found.collect();
    (!found.is_empty()).then(|| format!("`{key}` belongs in {}", found.join(", or in ")))
}

fn told(key: &str, tables: &[Table]) -> Option<String> {
    Some(format!("`{key}` belongs in {}", first(key, tables)?))
}

fn first(key: &str, tables: &[Table]) -> Option<&'static str> {
    all(key, tables).next()
}

fn all<'a>(key: &'a str, tables: &'a [Table]) -> impl Iterator<Item = &'static str> + 'a {
    let has = tables.iter().filter(move |(_, keys)| keys().contains(&key));
    has.map(|(table, _)| *table)
}

/// The keys that serde reads `T` from.
fn keys<T: DeserializeOwned>() -> Keys {
    let found = Cell::new(&[] as Keys);
    // It refuses everything once it has seen the names.
    let _ = T::deserialize(Names(&found));
    found.get()
}

/// Reads nothing, and notes the names of the fields of the type.
struct Names<'a>(&'a Cell<Keys>);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a table"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: Keys,
        _: V,
    ) -> Result<V::Value, Error> {
        self.0.set(fields);
        Err(Error::custom("only its names"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_keys() {
        for (table, keys) in WIFI.iter().chain(PRESET).chain(OTHERS) {
            assert!(!keys().is_empty(), "{table}");
        }
    }

    #[test]
    fn a_key_is_found_where_it_belongs() {
        let of = |path| belongs(&Path::parse(path).unwrap());
        let cases = [
            ("wifi.capture_db", "`capture_db` belongs in [wifi.space]"),
            ("wifi.0.ring", "`ring` belongs in [wifi.space]"),
            (
                "wifi.space.power_dbm",
                "`power_dbm` belongs in [wifi.radio]",
            ),
            ("wifi.cw_min", "`cw_min` belongs in [wifi.edca]"),
            (
                "wifi.ack_filter",
                "`ack_filter` belongs in [wifi.up] or [wifi.down]",
            ),
            ("wifi.station.sta0.standard", "`standard` belongs in [wifi]"),
            (
                "wifi.station.sta0.up.queue",
                "`queue` belongs in [wifi], or for one station in [wifi.station.NAME]",
            ),
            (
                "wifi.space.velocity",
                "`velocity` belongs to a station: [wifi.space.place], NAME = { velocity = ... }",
            ),
            (
                "stations",
                "`stations` belongs in [topology], which needs a `preset`, or in [wifi]",
            ),
            ("ap", "`ap` belongs in [wifi]"),
            ("topology.ap", "`ap` belongs in [wifi]"),
            (
                "wifi.servers",
                "`servers` belongs in [topology], which needs a `preset`",
            ),
            (
                "topology.delay",
                "`delay` belongs in the table of a link, such as [topology.bottleneck]",
            ),
            ("segment", "`segment` belongs in [tcp]"),
        ];
        for (path, hint) in cases {
            assert_eq!(of(path).as_deref(), Some(hint), "{path}");
        }
        for unknown in ["wifi.nonsense", "flow.0.ring", "nonsense"] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }
}
