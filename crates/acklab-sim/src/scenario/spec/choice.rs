//! A building block by name, with parameters: `"cubic"` or `{ name = "cubic", beta = 0.5 }`.

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

/// A parameter, or a table of parameters that belong together: `feedback = { every = 16 }` is the
/// parameter `feedback.every`.
enum Nested {
    One(Scalar),
    Several(Vec<(String, Scalar)>),
}

impl<'de> Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Nested;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a single value: a number, a text, true or false")
            }

            fn visit_bool<E>(self, b: bool) -> Result<Nested, E> {
                Ok(Nested::One(Scalar::Bool(b)))
            }

            fn visit_i64<E>(self, i: i64) -> Result<Nested, E> {
                Ok(Nested::One(Scalar::Int(i)))
            }

            fn visit_f64<E>(self, x: f64) -> Result<Nested, E> {
                Ok(Nested::One(Scalar::Float(x)))
            }

            fn visit_str<E>(self, t: &str) -> Result<Nested, E> {
                Ok(Nested::One(Scalar::Text(t.to_string())))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Nested, A::Error> {
                let mut params = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    params.push(entry);
                }
                Ok(Nested::Several(params))
            }
        }
        d.deserialize_any(V)
    }
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
                Ok(Choice {
                    name: name.to_string(),
                    params: Vec::new(),
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Choice, A::Error> {
                Err(de::Error::custom(with_hint(
                    "a list cannot stand here: there is room for one",
                    "write one name in double quotes, or one table { name = \"...\", ... }",
                )))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Choice, A::Error> {
                let mut name = None;
                let mut params = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "name" {
                        name = Some(map.next_value()?);
                        continue;
                    }
                    match map.next_value()? {
                        Nested::One(scalar) => params.push((key, scalar)),
                        Nested::Several(inner) => params.extend(
                            inner
                                .into_iter()
                                .map(|(name, scalar)| (format!("{key}.{name}"), scalar)),
                        ),
                    }
                }
                let name = name.ok_or_else(|| de::Error::missing_field("name"))?;
                Ok(Choice { name, params })
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
