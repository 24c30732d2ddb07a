//! Keys that exist, but in another table: `capture_db` under `[wifi]` instead of `[wifi.space]`.

use super::path::{Path, Step};
use super::spec::{
    EdcaSpec, PlaceTable, RadioSpec, SpaceSpec, WifiSideSpec, WifiSpec, WifiStationSpec,
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
const TABLES: &[Table] = &[
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

/// Which table has the key that `path` ends in and that is unknown where it stands.
pub(super) fn belongs(path: &Path) -> Option<String> {
    let (Some(Step::Key(first)), Some(Step::Key(key))) = (path.0.first(), path.0.last()) else {
        return None;
    };
    if first != "wifi" {
        return None;
    }
    let has = |(_, keys): &&Table| keys().contains(&key.as_str());
    let (table, _) = TABLES.iter().find(has)?;
    let what = match *table {
        "[wifi.space.place]" => {
            format!("`{key}` belongs to a station: [wifi.space.place], NAME = {{ {key} = ... }}")
        }
        table => format!("`{key}` belongs in {table}"),
    };
    Some(what)
}

/// The keys that serde reads `T` from.
fn keys<T: DeserializeOwned>() -> Keys {
    let found = Cell::new(&[] as Keys);
    // It refuses everything once it has seen the names.
    let _ = T::deserialize(Names(&found));
    found.get()
}

/// Reads nothing, and notes the names of the fields that are asked for.
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
        for (table, keys) in TABLES {
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
        ];
        for (path, hint) in cases {
            assert_eq!(of(path).as_deref(), Some(hint), "{path}");
        }
        assert_eq!(of("wifi.nonsense"), None);
        assert_eq!(of("flow.0.ring"), None);
    }
}
