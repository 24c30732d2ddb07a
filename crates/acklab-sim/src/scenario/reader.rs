//! A serde deserializer over the parsed tree.
//!
//! One thing differs from other formats: a tagged choice is a table with the key `kind`, or just the
//! word when nothing else is to be said: `app = "bulk"`.

use super::de::{ReadError, with_hint};
use super::doc::{Node, Value};
use super::path::Step;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer};
use std::sync::atomic::{AtomicBool, Ordering};

/// The key that names the variant of a tagged choice.
const TAG: &str = "kind";

/// A deserializer over the tree.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'de> {
    pub(crate) node: &'de Node,
    /// Looked at before each item of a list: once true, reading ends with an error.
    pub(crate) stop: &'de AtomicBool,
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Int(i) => visit_int(*i, visitor),
            Value::Float(x) => visitor.visit_f64(*x),
            Value::Text(t) => visitor.visit_borrowed_str(t),
            Value::List(list) => visitor.visit_seq(Items {
                list,
                next: 0,
                stop: self.stop,
            }),
            Value::Table(t) => visitor.visit_map(Entries::of(t, self.stop)),
        }
    }

    fn deserialize_option<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.node.value {
            // serde's derived code takes a list for the values of the fields in their order.
            Value::List(items) => Err(no_list(items, fields)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.node.value {
            Value::Text(word) => visitor.visit_enum(Tagged {
                word,
                rest: &[],
                stop: self.stop,
            }),
            Value::Table(rest) => visitor.visit_enum(Tagged {
                word: tag(rest)?,
                rest,
                stop: self.stop,
            }),
            // A choice of another kind than words reads it itself.
            _ if words.is_empty() => self.deserialize_any(visitor),
            other => Err(no_word(other, words)),
        }
    }

    fn deserialize_i64<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole(i64::MAX.into())?.deserialize_any(visitor)
    }

    fn deserialize_u32<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole(u64::MAX.into())?.deserialize_any(visitor)
    }

    fn deserialize_u64<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole(u64::MAX.into())?.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i128 u8 u16 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl Reader<'_> {
    /// Refuses numbers that a whole number up to `most` cannot be.
    fn whole(self, most: i128) -> Result<Self, ReadError> {
        /// Up to it each whole number is itself as a float.
        const EXACT: f64 = 9.0e15;
        /// Digits of the largest number that the text is read into; of what is longer, text is left.
        const DIGITS: usize = 38;
        let digits = |t: &str| t.len() > DIGITS && t.bytes().all(|b| b.is_ascii_digit());
        let (message, hint) = match self.node.value {
            Value::Text(ref t) if digits(t.trim_start_matches('-')) => return Err(too_large()),
            Value::Float(x) if x.fract() == 0.0 && x.abs() < EXACT => {
                (format!("{} has a point", self.node), format!("write {x}"))
            }
            Value::Float(x) if x.fract() == 0.0 => return Err(too_large()),
            Value::Float(_) => {
                let message = format!("{} is not a whole number", self.node);
                (message, "write a whole number, such as 4".to_string())
            }
            Value::Int(i) if i > most || i < i64::MIN.into() => return Err(too_large()),
            _ => return Ok(self),
        };
        Err(de::Error::custom(with_hint(message, hint)))
    }
}

fn too_large() -> ReadError {
    let hint = "write a smaller whole number";
    de::Error::custom(with_hint("the number is too large", hint))
}

/// A list stands where a table should, perhaps of the keys that are meant.
fn no_list(items: &[Node], fields: &[&str]) -> ReadError {
    let meant = items.iter().find_map(|item| match &item.value {
        Value::Text(word) => fields.iter().find(|f| *f == word),
        _ => None,
    });
    let hint = match (meant, fields) {
        (Some(key), _) => format!("write a table, such as {{ {key} = true }}"),
        (None, [first, second]) => format!("write a table: {{ {first} = ..., {second} = ... }}"),
        (None, _) => "write a table".to_string(),
    };
    de::Error::custom(with_hint("a list is not allowed here", hint))
}

/// Something stands where one of `words` should. A number that one of them begins with lost its unit,
/// or its quotes.
fn no_word(value: &Value, words: &[&str]) -> ReadError {
    let (what, number) = match value {
        Value::Bool(_) => ("true or false", None),
        Value::Int(i) => ("a number", Some(*i as f64)),
        Value::Float(x) => ("a number", Some(*x)),
        Value::List(_) => ("a list", None),
        _ => ("this", None),
    };
    let begins = |word: &&&str| {
        let first = word.split(' ').next().and_then(|w| w.parse::<f64>().ok());
        first.is_some() && first == number
    };
    let mut meant = words.iter().filter(begins);
    let hint = match (meant.next(), meant.next()) {
        (Some(one), None) => format!("did you mean \"{one}\"?"),
        _ => {
            let listed: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
            format!("write one of {}", listed.join(", "))
        }
    };
    de::Error::custom(with_hint(format!("{what} is not allowed here"), hint))
}

fn visit_int<'de, V: de::Visitor<'de>>(i: i128, visitor: V) -> Result<V::Value, ReadError> {
    if let Ok(small) = i64::try_from(i) {
        return visitor.visit_i64(small);
    }
    match u64::try_from(i) {
        Ok(large) => visitor.visit_u64(large),
        Err(_) => visitor.visit_f64(i as f64),
    }
}

fn tag(table: &[(String, Node)]) -> Result<&str, ReadError> {
    let Some((_, node)) = table.iter().find(|(k, _)| k == TAG) else {
        return Err(de::Error::missing_field(TAG));
    };
    match &node.value {
        Value::Text(word) => Ok(word),
        _ => {
            let told = with_hint(
                "the kind of something is a word",
                "write it in double quotes",
            );
            let error: ReadError = de::Error::custom(told);
            Err(error.inside(Step::Key(TAG.to_string())))
        }
    }
}

/// The items of a list.
struct Items<'de> {
    list: &'de [Node],
    next: usize,
    stop: &'de AtomicBool,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some(node) = self.list.get(self.next) else {
            return Ok(None);
        };
        if self.stop.load(Ordering::Relaxed) {
            return Err(ReadError::stopped());
        }
        let at = self.next;
        self.next += 1;
        let stop = self.stop;
        seed.deserialize(Reader { node, stop })
            .map(Some)
            .map_err(|e| e.inside(Step::Index(at)))
    }
}

/// The entries of a table, without those that are null and without the tag of a tagged choice.
struct Entries<'de> {
    table: &'de [(String, Node)],
    next: usize,
    skip_tag: bool,
    stop: &'de AtomicBool,
}

impl<'de> Entries<'de> {
    fn of(table: &'de [(String, Node)], stop: &'de AtomicBool) -> Self {
        Self {
            table,
            next: 0,
            skip_tag: false,
            stop,
        }
    }

    fn skips(&self, key: &str, node: &Node) -> bool {
        matches!(node.value, Value::Null) || (self.skip_tag && key == TAG)
    }
}

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        while let Some((key, node)) = self.table.get(self.next) {
            if !self.skips(key, node) {
                let key_reader: StrDeserializer<'_, ReadError> = key.as_str().into_deserializer();
                return seed
                    .deserialize(key_reader)
                    .map(Some)
                    .map_err(|e| e.inside(Step::Key(key.clone())));
            }
            self.next += 1;
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let (key, node) = &self.table[self.next];
        self.next += 1;
        let stop = self.stop;
        seed.deserialize(Reader { node, stop })
            .map_err(|e| e.inside(Step::Key(key.clone())))
    }
}

/// A tagged choice: the word, and the table it came from.
struct Tagged<'de> {
    word: &'de str,
    rest: &'de [(String, Node)],
    stop: &'de AtomicBool,
}

impl<'de> de::EnumAccess<'de> for Tagged<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let word: StrDeserializer<'_, ReadError> = self.word.into_deserializer();
        let in_table = !self.rest.is_empty();
        match seed.deserialize(word) {
            Ok(variant) => Ok((variant, self)),
            Err(e) if in_table => Err(e.inside(Step::Key(TAG.to_string()))),
            Err(e) => Err(e),
        }
    }
}

impl<'de> de::VariantAccess<'de> for Tagged<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.rest.iter().find(|(k, _)| k != TAG) {
            None => Ok(()),
            Some((key, _)) => {
                let error: ReadError = de::Error::unknown_field(key, &[]);
                Err(error.inside(Step::Key(key.clone())))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        let mut entries = Entries::of(self.rest, self.stop);
        entries.skip_tag = true;
        seed.deserialize(de::value::MapAccessDeserializer::new(entries))
    }

    fn tuple_variant<V: de::Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ReadError> {
        unreachable!("no choice of the scenario language is a tuple")
    }

    fn struct_variant<V: de::Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let mut entries = Entries::of(self.rest, self.stop);
        entries.skip_tag = true;
        visitor.visit_map(entries)
    }
}
