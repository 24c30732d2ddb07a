//! A building block by name, with parameters: `"cubic"` or `{ name = "cubic", beta = 0.5 }`.

use crate::scenario::choice::elsewhere;
use crate::scenario::de::with_hint;
use crate::scenario::schema::{
    ack_schema, cc_schema, filter_schema, qdisc_schema, transport_schema,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A name and parameters. Whether they exist is for the registry to say.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Choice {
    pub(crate) name: String,
    pub(crate) params: Vec<(String, Scalar)>,
    /// Values with parts: other blocks, lists.
    pub(crate) nested: Vec<(String, Given)>,
}

/// The value of a parameter as it was written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a single value: a number, a text, true or false")
            }

            fn visit_bool<E>(self, b: bool) -> Result<Scalar, E> {
                Ok(Scalar::Bool(b))
            }

            fn visit_i64<E>(self, i: i64) -> Result<Scalar, E> {
                Ok(Scalar::Int(i))
            }

            fn visit_f64<E>(self, x: f64) -> Result<Scalar, E> {
                Ok(Scalar::Float(x))
            }

            fn visit_str<E>(self, t: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(t.to_string()))
            }
        }
        d.deserialize_any(V)
    }
}

/// A parameter as it was written: a value, a table, or a list.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Given {
    One(Scalar),
    Table(Vec<(String, Given)>),
    List(Vec<Given>),
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Given;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a single value: a number, a text, true or false")
            }

            fn visit_bool<E>(self, b: bool) -> Result<Given, E> {
                Ok(Given::One(Scalar::Bool(b)))
            }

            fn visit_i64<E>(self, i: i64) -> Result<Given, E> {
                Ok(Given::One(Scalar::Int(i)))
            }

            fn visit_f64<E>(self, x: f64) -> Result<Given, E> {
                Ok(Given::One(Scalar::Float(x)))
            }

            fn visit_str<E>(self, t: &str) -> Result<Given, E> {
                Ok(Given::One(Scalar::Text(t.to_string())))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Given::Table(entries))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Given, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Given::List(items))
            }
        }
        d.deserialize_any(V)
    }
}

impl Choice {
    /// A name alone.
    pub(crate) fn named(name: String) -> Self {
        Self {
            name,
            params: Vec::new(),
            nested: Vec::new(),
        }
    }

    /// A parameter. A table of values alone is of parameters that belong together: `feedback = { every = 16 }`
    /// is the parameter `feedback.every`.
    pub(crate) fn take(&mut self, key: String, given: Given) {
        match given {
            Given::One(scalar) => self.params.push((key, scalar)),
            Given::Table(entries) if !entries.is_empty() && entries.iter().all(is_value) => {
                let values = entries.into_iter().filter_map(|(name, given)| match given {
                    Given::One(scalar) => Some((format!("{key}.{name}"), scalar)),
                    _ => None,
                });
                self.params.extend(values);
            }
            other => self.nested.push((key, other)),
        }
    }
}

/// Whether an entry of a table is one value, and not the name of what the table stands for.
fn is_value((key, given): &(String, Given)) -> bool {
    key != "name" && matches!(given, Given::One(_))
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Choice;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name in double quotes, or a table { name = \"...\", ... }")
            }

            fn visit_str<E>(self, name: &str) -> Result<Choice, E> {
                Ok(Choice::named(name.to_string()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Choice, A::Error> {
                Err(de::Error::custom(with_hint(
                    "a list is not allowed here: there is room for one",
                    "write one name in double quotes, or one table { name = \"...\", ... }",
                )))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Choice, A::Error> {
                let mut name = None;
                let mut choice = Choice::named(String::new());
                while let Some(key) = map.next_key::<String>()? {
                    if key == "name" {
                        name = Some(map.next_value()?);
                        continue;
                    }
                    choice.take(key, map.next_value()?);
                }
                choice.name = name.ok_or_else(|| match elsewhere::nameless(&choice) {
                    Some(hint) => de::Error::custom(with_hint("`name` is missing", hint)),
                    None => de::Error::missing_field("name"),
                })?;
                Ok(choice)
            }
        }
        d.deserialize_any(V)
    }
}

/// Declares a [`Choice`] from one registry, so that the schema can list what the registry has.
macro_rules! choice_from {
    ($(#[$doc:meta])* $name:ident, $title:literal, $schema:path) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug, serde::Deserialize)]
        pub(crate) struct $name(pub(crate) Choice);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $title.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema()
            }
        }
    };
}

choice_from!(
    /// A congestion controller.
    CcSpec,
    "CongestionControl",
    cc_schema
);
choice_from!(
    /// A transport.
    TransportSpec,
    "Transport",
    transport_schema
);
choice_from!(
    /// An ACK policy.
    AckSpec,
    "AckPolicy",
    ack_schema
);
choice_from!(
    /// An ACK filter, or `none`.
    FilterSpec,
    "AckFilter",
    filter_schema
);
choice_from!(
    /// A queue discipline, or `pfifo`.
    QdiscSpec,
    "QueueDiscipline",
    qdisc_schema
);

/// ACK filters in the order in which an ACK meets them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum FiltersSpec {
    /// One, or `none`.
    One(FilterSpec),
    /// A list.
    Several(Vec<FilterSpec>),
}

impl<'de> Deserialize<'de> for FiltersSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = FiltersSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a name in double quotes, a table { name = \"...\", ... }, or a list of them",
                )
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<FiltersSpec, E> {
                let one = Choice::deserialize(de::value::StrDeserializer::new(name));
                one.map(|c| FiltersSpec::One(FilterSpec(c)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FiltersSpec, A::Error> {
                let one = Choice::deserialize(de::value::MapAccessDeserializer::new(map));
                one.map(|c| FiltersSpec::One(FilterSpec(c)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<FiltersSpec, A::Error> {
                let all = Vec::deserialize(de::value::SeqAccessDeserializer::new(seq));
                all.map(FiltersSpec::Several)
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for FiltersSpec {
    fn schema_name() -> Cow<'static, str> {
        "AckFilters".into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let one = g.subschema_for::<FilterSpec>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}
