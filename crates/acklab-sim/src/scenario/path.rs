//! The place of a value in a scenario: `flow.0.cc`.

use std::borrow::Cow;
use std::fmt;

/// One step from a table or list to something inside it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list, counted from 0.
    Index(usize),
}

impl Step {
    /// Its name in a table.
    pub(crate) fn as_key(&self) -> Cow<'_, str> {
        match self {
            Self::Key(k) => Cow::Borrowed(k),
            Self::Index(i) => Cow::Owned(i.to_string()),
        }
    }
}

/// A place, from the outside in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Path(pub(crate) Vec<Step>);

impl Path {
    /// The whole scenario.
    pub(crate) fn root() -> Self {
        Self::default()
    }

    /// The place of `key` in the table here.
    pub(crate) fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.to_string()))
    }

    /// The place of the `i`-th item of the list here.
    pub(crate) fn index(&self, i: usize) -> Self {
        self.then(Step::Index(i))
    }

    fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The table or list around this place; `None` for the whole scenario.
    pub(crate) fn parent(&self) -> Option<Self> {
        let (_, outer) = self.0.split_last()?;
        Some(Self(outer.to_vec()))
    }

    /// Reads `flow.0.cc`. Keys that contain a dot stand in double quotes. `None` if a step is
    /// empty or a quote stays open.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text;
        loop {
            let (step, after) = first_step(rest)?;
            steps.push(step);
            match after.strip_prefix('.') {
                Some(more) => rest = more,
                None if after.is_empty() => return Some(Self(steps)),
                None => return None,
            }
        }
    }
}

fn first_step(text: &str) -> Option<(Step, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (key, after) = quoted.split_once('"')?;
        return Some((Step::Key(key.to_string()), after));
    }
    let end = text.find('.').unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    if word.is_empty() {
        return None;
    }
    let step = word
        .parse()
        .map_or_else(|_| Step::Key(word.to_string()), Step::Index);
    Some((step, after))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            match step {
                Step::Index(n) => write!(f, "{n}")?,
                Step::Key(k) if k.contains('.') => write!(f, "\"{k}\"")?,
                Step::Key(k) => f.write_str(k)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_back_as_they_are_printed() {
        let p = Path::root().key("flow").index(0).key("a.b");
        assert_eq!(p.to_string(), "flow.0.\"a.b\"");
        assert_eq!(Path::parse("flow.0.\"a.b\""), Some(p));
        for bad in ["", "a..b", "a.", ".a", "\"open"] {
            assert_eq!(Path::parse(bad), None, "{bad}");
        }
    }
}
