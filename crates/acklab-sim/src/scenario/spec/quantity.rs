//! Building blocks of the language: quantities, probabilities, one-or-many.

use crate::scenario::choice::codepoint;
use crate::scenario::de::with_hint;
use crate::scenario::shown::short;
use acklab_proto::datagram::Dscp;
use acklab_units::{Bytes, Limit, Problem, QuantityError, Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// A quantity that is written as text with its unit.
pub(crate) trait Quantity: FromStr<Err = QuantityError> {
    /// Name in the schema.
    const NAME: &'static str;
    /// The right form, with an example.
    const WRITE: &'static str;
    /// Examples for the schema.
    const EXAMPLES: &'static [&'static str];
    /// The part that a schema can check: a number and a unit.
    const PATTERN: &'static str;
    /// What to write in place of a table, where a table means something else.
    const NO_TABLE: Option<&'static str> = None;
}

impl Quantity for Rate {
    const NAME: &'static str = "Rate";
    const WRITE: &'static str = "a rate, such as \"10 Mbit/s\"";
    const EXAMPLES: &'static [&'static str] = &["10 Mbit/s", "1.25 MB/s", "10mbit", "unlimited"];
    const PATTERN: &'static str = r"^\s*(unlimited|[0-9._]+([eE][-+]?[0-9]+)?\s*([kKmMgGtT]?i?[bB]it[s]?(/s)?|[kMG]?i?B/s))\s*$";
}

impl Quantity for Span {
    const NAME: &'static str = "Time";
    const WRITE: &'static str = "a time, such as \"20 ms\"";
    const EXAMPLES: &'static [&'static str] = &["20 ms", "1.5 s", "100 us", "5 min"];
    const PATTERN: &'static str = r"^\s*[0-9._]+([eE][-+]?[0-9]+)?\s*(ns|us|µs|μs|ms|s|min|h|[num]?secs?|mins|seconds?|minutes?|hours?)\s*$";
}

/// A guard interval: a time that everybody gives in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct GuardTime(pub(crate) Span);

impl FromStr for GuardTime {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        text.parse()
            .map(Self)
            .map_err(|e: QuantityError| match e.problem {
                Problem::NoUnit => {
                    let number = e.found.trim_start_matches('-').to_string();
                    e.advising(format!("write \"{number} ns\", for example"))
                }
                _ => e,
            })
    }
}

impl Quantity for GuardTime {
    const NAME: &'static str = "GuardInterval";
    const WRITE: &'static str = "a guard interval, such as \"800 ns\"";
    const EXAMPLES: &'static [&'static str] = &["400 ns", "800 ns", "1600 ns", "3.2 us"];
    const PATTERN: &'static str = <Span as Quantity>::PATTERN;
}

impl Quantity for Bytes {
    const NAME: &'static str = "Size";
    const WRITE: &'static str = "a size, such as \"64 KiB\"";
    const EXAMPLES: &'static [&'static str] = &["1448 B", "64 KiB", "10 MB", "64k"];
    const PATTERN: &'static str =
        r"^\s*[0-9._]+([eE][-+]?[0-9]+)?\s*([kMG]?B|[KMG]iB|[kmg]ib|[kmg]?b|[kmg]|bytes?)\s*$";
}

impl Quantity for Limit {
    const NAME: &'static str = "QueueLimit";
    const WRITE: &'static str = "a queue limit, such as \"40 packets\", \"64 KiB\" or \"1 BDP\"";
    const EXAMPLES: &'static [&'static str] = &["40 packets", "40p", "64 KiB", "1 BDP"];
    const NO_TABLE: Option<&'static str> = Some(
        "write a queue limit, such as \"40 packets\"; a discipline with its parameters is the value of `qdisc`: \
         qdisc = { name = \"pie\", ... }",
    );
    const PATTERN: &'static str = r"^\s*[0-9._]+([eE][-+]?[0-9]+)?\s*(p|pkts?|packets?|[bB][dD][pP]|[kMG]?B|[KMG]iB|[kmg]ib|[kmg]?b|[kmg]|bytes?)\s*$";
}

/// A quantity with its unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Qty<T>(pub(crate) T);

struct QtyVisitor<T>(PhantomData<T>);

impl<'de, T: Quantity> Visitor<'de> for QtyVisitor<T> {
    type Value = Qty<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WRITE)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Qty<T>, E> {
        text.parse()
            .map(Qty)
            .map_err(|e: QuantityError| E::custom(with_hint(&e, e.hint())))
    }

    // A number is a quantity that lost its unit: parsing it as text says so.
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Qty<T>, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Qty<T>, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Qty<T>, E> {
        self.visit_str(&short(n))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Qty<T>, A::Error> {
        Err(match T::NO_TABLE {
            Some(hint) => de::Error::custom(with_hint("a table is not allowed here", hint)),
            None => de::Error::invalid_type(de::Unexpected::Map, &self),
        })
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Qty<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(QtyVisitor(PhantomData))
    }
}

impl<T: Quantity> JsonSchema for Qty<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": format!("Write {}.", T::WRITE),
            "pattern": T::PATTERN,
            "examples": T::EXAMPLES,
        })
    }
}

/// A differentiated-services codepoint, by name or number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DscpSpec(pub(crate) Dscp);

struct DscpVisitor;

impl Visitor<'_> for DscpVisitor {
    type Value = DscpSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DscpSpec::WRITE)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<DscpSpec, E> {
        let unknown = || format!("there is no codepoint called `{text}`");
        codepoint(text)
            .map(DscpSpec)
            .ok_or_else(|| E::custom(with_hint(unknown(), format!("write {}", DscpSpec::WRITE))))
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<DscpSpec, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<DscpSpec, E> {
        self.visit_str(&n.to_string())
    }
}

impl DscpSpec {
    const WRITE: &'static str = "a codepoint such as \"EF\", \"AF41\", \"CS1\" or 46";
}

impl<'de> Deserialize<'de> for DscpSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(DscpVisitor)
    }
}

impl JsonSchema for DscpSpec {
    fn schema_name() -> Cow<'static, str> {
        "Dscp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": format!("Write {}.", Self::WRITE),
            "anyOf": [
                {
                    "type": "string",
                    "pattern": "^([bB][eE]|[dD][fF]|[lL][eE]|[eE][fF]|[vV][aA]|[cC][sS][0-7]|[aA][fF][1-4][1-3]|[0-5]?[0-9]|6[0-3])$",
                    "examples": ["EF", "AF41", "CS1", "LE"],
                },
                { "type": "integer", "minimum": 0, "maximum": 63 },
            ],
        })
    }
}

/// Declares a quantity that a word can stand for the absence of.
macro_rules! or_word {
    ($(#[$doc:meta])* $name:ident, $word:literal, $suffix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub(crate) struct $name<T>(pub(crate) Option<T>);

        impl<'de, T: Quantity> Deserialize<'de> for $name<T> {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(OrWord { word: $word, quantity: PhantomData })
                    .map(Self)
            }
        }

        impl<T: Quantity> JsonSchema for $name<T> {
            fn schema_name() -> Cow<'static, str> {
                format!(concat!("{}", $suffix), T::NAME).into()
            }

            fn json_schema(g: &mut SchemaGenerator) -> Schema {
                let quantity = g.subschema_for::<Qty<T>>();
                json_schema!({ "anyOf": [{ "const": $word }, quantity] })
            }
        }
    };
}

or_word! {
    /// A quantity, or the word `off`.
    OrOff, "off", "OrOff"
}

or_word! {
    /// A quantity, or the word `none`.
    OrNone, "none", "OrNone"
}

/// Reads a quantity; `None` stands for the word.
struct OrWord<T> {
    word: &'static str,
    quantity: PhantomData<T>,
}

impl<T: Quantity> Visitor<'_> for OrWord<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, or \"{}\"", T::WRITE, self.word)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<T>, E> {
        if text == self.word {
            return Ok(None);
        }
        let other_word = text.starts_with(char::is_alphabetic);
        text.parse()
            .map(Some)
            .map_err(|e: QuantityError| match (other_word, e.hint()) {
                (true, hint) => E::custom(with_hint(&e, format!("{hint}, or \"{}\"", self.word))),
                (false, hint) => E::custom(with_hint(&e, hint)),
            })
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Option<T>, E> {
        QtyVisitor(PhantomData).visit_i64(n).map(|q| Some(q.0))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Option<T>, E> {
        QtyVisitor(PhantomData).visit_u64(n).map(|q| Some(q.0))
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Option<T>, E> {
        QtyVisitor(PhantomData).visit_f64(n).map(|q| Some(q.0))
    }
}

/// A probability.
#[derive(Clone, Copy, PartialEq, Debug, JsonSchema)]
pub(crate) struct Probability(#[schemars(range(min = 0, max = 1))] pub(crate) f64);

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let p = f64::deserialize(d)?;
        if (0.0..=1.0).contains(&p) {
            return Ok(Self(p));
        }
        let hint = "write a number from 0 to 1: 0.01 is one packet in a hundred";
        Err(de::Error::custom(with_hint(
            format!("{} is not a probability", short(p)),
            hint,
        )))
    }
}

/// A table, or a list of tables.
#[derive(Clone, Debug)]
pub(crate) enum OneOrMany<T> {
    /// The same for all.
    One(T),
    /// One for each.
    Many(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, or a list of tables")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMany<T>, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(OneOrMany::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OneOrMany<T>, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(OneOrMany::Many)
            }
        }
        d.deserialize_any(V(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let one = g.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}
