//! Parts of an answer.

use serde::Serialize;

/// A text, and what it refers to by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// JSON.
    pub text: String,
    /// Columns and captures.
    pub parts: Vec<Part>,
}

/// Numbers of one type, or bytes.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each holds what it is called")]
pub enum Part {
    Bytes(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F64(Vec<f64>),
}

impl Answer {
    /// One without parts.
    pub(crate) fn of(value: &impl Serialize) -> Self {
        Self::with(value, Vec::new())
    }

    /// One that refers to `parts`.
    pub(crate) fn with(value: &impl Serialize, parts: Vec<Part>) -> Self {
        let text = serde_json::to_string(value).expect("keys are strings");
        Self { text, parts }
    }
}

impl Part {
    /// Where it is, and how many bytes it has.
    pub fn place(&self) -> (*const u8, usize) {
        fn of<T>(values: &[T]) -> (*const u8, usize) {
            (values.as_ptr().cast(), size_of_val(values))
        }
        match self {
            Self::Bytes(v) => of(v),
            Self::U16(v) => of(v),
            Self::U32(v) => of(v),
            Self::I32(v) => of(v),
            Self::F64(v) => of(v),
        }
    }
}
