//! Settings that are words, and counts.

use crate::scenario::de::with_hint;
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// A count of which zero is none. Any whole number is read: the rule of the key, which is about zero
/// too, then says the same of what is below zero or beyond 32 bits.
pub(super) fn count<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u32>, D::Error> {
    let n = i64::deserialize(d)?;
    Ok(Some(n.clamp(0, i64::from(u32::MAX)) as u32))
}

/// A count that may be 0, so that a negative one must not become 0.
pub(super) fn from_zero<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u32>, D::Error> {
    let n = i64::deserialize(d)?;
    if n < 0 {
        let hint = "write a whole number, 0 or more";
        return Err(de::Error::custom(with_hint("out of range", hint)));
    }
    Ok(Some(n.min(i64::from(u32::MAX)) as u32))
}

/// Declares the words of a setting, once for reading, printing and the schema.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident for $target:ident { $($(#[$vdoc:meta])* $word:literal = $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
        pub(crate) enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)*
        }

        impl From<$name> for $target {
            fn from(word: $name) -> Self {
                match word {
                    $($name::$variant => Self::$variant,)*
                }
            }
        }

        impl $name {
            /// The word for a value.
            pub(crate) fn of(value: $target) -> &'static str {
                match value {
                    $($target::$variant => $word,)*
                }
            }
        }
    };
}
