//! A table as columns: numbers of one type, words, lists.

/// A table, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table<'a>(Vec<(String, Column<'a>)>);

/// One column, a value per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column<'a> {
    /// Numbers.
    Numbers(Numbers),
    /// Words that the plan or the result has.
    Words(Vec<&'a str>),
    /// Words that nobody has kept.
    Texts(Vec<String>),
    /// Words from a small vocabulary.
    Coded {
        /// The words, each once, in the order of their first rows.
        words: Vec<String>,
        /// The word of each row; -1 = there is none.
        codes: Vec<i32>,
    },
    /// Lists of numbers, one behind the other.
    Lists {
        /// Their numbers.
        flat: Numbers,
        /// Where the list of each row ends.
        ends: Vec<i64>,
    },
}

/// Numbers in the type in which the core has them.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each holds what it is called")]
pub enum Numbers {
    Bool(Vec<bool>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
}

/// A type that a column of numbers can have.
pub(super) trait Number: Sized {
    /// The column.
    fn column(values: Vec<Self>) -> Numbers;
}

macro_rules! number {
    ($($type:ty => $variant:ident),*) => {$(
        impl Number for $type {
            fn column(values: Vec<Self>) -> Numbers {
                Numbers::$variant(values)
            }
        }
    )*};
}

number!(bool => Bool, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f64 => F64);

impl<'a> Table<'a> {
    /// Its columns with their names, in the order in which they were made.
    pub fn columns(&self) -> &[(String, Column<'a>)] {
        &self.0
    }

    /// The same, to be moved elsewhere.
    pub fn into_columns(self) -> impl Iterator<Item = (String, Column<'a>)> {
        self.0.into_iter()
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |(_, column)| column.rows())
    }

    pub(super) fn numbers<T: Number>(
        &mut self,
        name: &str,
        values: impl Iterator<Item = T>,
    ) -> &mut Self {
        self.add(name, Column::Numbers(T::column(values.collect())))
    }

    pub(super) fn words(&mut self, name: &str, values: impl Iterator<Item = &'a str>) -> &mut Self {
        self.add(name, Column::Words(values.collect()))
    }

    pub(super) fn texts(&mut self, name: &str, values: Vec<String>) -> &mut Self {
        self.add(name, Column::Texts(values))
    }

    /// Words from a small vocabulary, of which some may be missing.
    pub(super) fn coded<'b>(
        &mut self,
        name: &str,
        values: impl Iterator<Item = Option<&'b str>>,
    ) -> &mut Self {
        let mut words: Vec<String> = Vec::new();
        let codes = values.map(|word| {
            let Some(word) = word else { return -1 };
            let known = words.iter().position(|w| *w == word);
            known.unwrap_or_else(|| {
                words.push(word.to_owned());
                words.len() - 1
            }) as i32
        });
        let codes = codes.collect();
        self.add(name, Column::Coded { words, codes })
    }

    /// Lists of numbers, one behind the other, and where each ends.
    pub(super) fn lists<T: Number>(
        &mut self,
        name: &str,
        flat: Vec<T>,
        ends: Vec<i64>,
    ) -> &mut Self {
        let flat = T::column(flat);
        self.add(name, Column::Lists { flat, ends })
    }

    fn add(&mut self, name: &str, column: Column<'a>) -> &mut Self {
        debug_assert!(
            self.0
                .iter()
                .all(|(n, c)| n != name && c.rows() == column.rows()),
            "{name}"
        );
        self.0.push((name.to_owned(), column));
        self
    }
}

impl Column<'_> {
    /// How many values it has.
    pub fn rows(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Words(words) => words.len(),
            Self::Texts(texts) => texts.len(),
            Self::Coded { codes, .. } => codes.len(),
            Self::Lists { ends, .. } => ends.len(),
        }
    }
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(v) => v.len(),
            Self::U8(v) => v.len(),
            Self::U16(v) => v.len(),
            Self::U32(v) => v.len(),
            Self::U64(v) => v.len(),
            Self::F64(v) => v.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vocabulary_has_each_word_once_and_gaps_have_none() {
        let mut t = Table::default();
        let rows = [Some("b"), None, Some("a"), Some("b")];
        t.coded("what", rows.into_iter())
            .numbers("n", [1_u32, 2, 3, 4].into_iter());
        assert_eq!(t.rows(), 4);
        let Column::Coded { words, codes } = &t.columns()[0].1 else {
            panic!("{t:?}");
        };
        assert_eq!((words.join(" "), codes), ("b a".into(), &vec![0, -1, 1, 0]));
    }
}
