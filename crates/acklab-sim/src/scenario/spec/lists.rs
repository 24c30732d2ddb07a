//! Lists that say what belongs into them when something else stands there.

use super::{FlowSpec, LinkSpec, NodeSpec, Qty, WaypointSpec};
use acklab_units::Rate;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads a list; of anything else it says what to write.
struct Listed<T>(&'static str, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Listed<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}

/// Declares readers of lists by what is in them and what to write.
macro_rules! lists {
    ($($name:ident: $item:ty = $write:literal,)*) => {
        $(pub(super) fn $name<'de, D: Deserializer<'de>, L: From<Vec<$item>>>(d: D) -> Result<L, D::Error> {
            d.deserialize_seq(Listed($write, PhantomData)).map(L::from)
        })*
    };
}

lists! {
    place: f64 = "x, y and perhaps z in metres: [10, 0]",
    velocity: f64 = "metres per second along x, y and perhaps z: [1.5, 0]",
    waypoints: WaypointSpec = "places with their times: [{ at = \"0 s\", position = [10, 0] }, ...]",
    rates: Qty<Rate> = "a list of rates: [\"6 Mbit/s\", \"12 Mbit/s\"]",
    names: String = "a list of names of nodes: [\"laptop\", \"phone\"]",
    pairs: Pair = "a list of pairs of stations: [[\"laptop\", \"phone\"]]",
    nodes: NodeSpec = "a list of tables: [[node]] instead of [node]",
    links: LinkSpec = "a list of tables: [[link]] instead of [link]",
    flows: FlowSpec = "a list of tables: [[flow]] instead of [flow]",
}

/// Reads the tones of resource units.
pub(super) fn tones<'de, D: Deserializer<'de>, L: From<Vec<u32>>>(d: D) -> Result<L, D::Error> {
    let write = "tones of resource units in the order of their frequencies: [106, 26, 106]";
    let list = d.deserialize_seq(Listed(write, PhantomData))?;
    let tones = list.into_iter().map(|Tones(tones)| tones);
    Ok(L::from(tones.collect()))
}

/// The tones of one resource unit.
struct Tones(u32);

impl<'de> Deserialize<'de> for Tones {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(TonesVisitor)
    }
}

struct TonesVisitor;

impl Visitor<'_> for TonesVisitor {
    type Value = Tones;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers of tones, without quotes: 26, 52, 106, 242, 484, 996 or 1992")
    }

    /// Which numbers there are, and which fit, is told later.
    fn visit_u64<E>(self, tones: u64) -> Result<Tones, E> {
        Ok(Tones(u32::try_from(tones).unwrap_or(u32::MAX)))
    }

    fn visit_i64<E: Error>(self, tones: i64) -> Result<Tones, E> {
        match u64::try_from(tones) {
            Ok(tones) => self.visit_u64(tones),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(tones), &self)),
        }
    }
}

// The use of a pair stands where there is a list of them.
#[derive(schemars::JsonSchema, Clone, Debug)]
#[schemars(inline)]
pub(crate) struct Pair(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let write = "a pair of stations: [\"laptop\", \"phone\"]";
        d.deserialize_seq(Listed(write, PhantomData)).map(Self)
    }
}
