//! Settings that are words.

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
