//! Named building blocks with named parameters.
//!
//! Congestion controllers, ACK policies, ACK filters and queue disciplines are chosen by name in a
//! scenario. One [`Entry`] says all that a scenario, a schema, `acklab list` and an error message
//! need to know about one of them; adding a building block means adding one entry.

use acklab_units::{Rate, Span};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A parameter's value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// On or off.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A length of time.
    Span(Span),
    /// A data rate.
    Rate(Rate),
    /// One of a fixed set of words.
    Choice(&'static str),
    /// Not set: the block decides.
    Auto,
}

/// What a parameter accepts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// On or off.
    Bool,
    /// A whole number in `[min, max]`.
    Int(i64, i64),
    /// A real number in `[min, max]`.
    Float(f64, f64),
    /// A length of time in `[min, max]`.
    Span(Span, Span),
    /// A length of time in `[min, max]`, or the word `none` ([`Value::Auto`]).
    OptSpan(Span, Span),
    /// A positive data rate.
    Rate,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One named parameter of a building block.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The key in a scenario, snake case.
    pub name: &'static str,
    /// One sentence for a user, with the unit and the source of the default.
    pub doc: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// What it is when the scenario does not say.
    pub default: Value,
}

/// A building block that can be chosen by name; `B` is its constructor.
#[derive(Debug)]
pub struct Entry<B: 'static> {
    /// The name in a scenario.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One sentence for a user.
    pub summary: &'static str,
    /// RFC, paper or file that defines it.
    pub source: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Makes one.
    pub build: B,
}

/// Why a parameter was refused.
#[derive(Clone, PartialEq, Debug)]
pub enum ParamError {
    /// The block has no parameter of that name; the names it has.
    Unknown(Vec<&'static str>),
    /// The value is of another kind or out of range; what would be right.
    Wrong(String),
}

/// The values of one block's parameters: the defaults, overridden where the user said so.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    values: Vec<(&'static str, Value)>,
}

impl Params {
    /// Every parameter at its default.
    pub fn defaults(params: &'static [Param]) -> Self {
        Self {
            values: params.iter().map(|p| (p.name, p.default)).collect(),
        }
    }

    /// Sets one parameter.
    ///
    /// # Errors
    /// If `specs` has no such name, or if the value does not fit the parameter's kind or range.
    pub fn set(
        &mut self,
        specs: &'static [Param],
        name: &str,
        value: Value,
    ) -> Result<(), ParamError> {
        let Some(i) = specs.iter().position(|p| p.name == name) else {
            return Err(ParamError::Unknown(specs.iter().map(|p| p.name).collect()));
        };
        let fitted = specs[i]
            .kind
            .fit(value)
            .ok_or_else(|| ParamError::Wrong(specs[i].kind.describe()))?;
        self.values[i].1 = fitted;
        Ok(())
    }

    /// Names and values in the order of the block's parameter list.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        self.values.iter().copied()
    }

    /// The value of `name`. Panics if the block has no such parameter: that is a bug in the block.
    pub fn value(&self, name: &str) -> Value {
        self.values
            .iter()
            .find(|(n, _)| *n == name)
            .unwrap_or_else(|| panic!("no parameter {name:?} declared"))
            .1
    }

    /// `name` as a flag.
    pub fn bool(&self, name: &str) -> bool {
        matches!(self.value(name), Value::Bool(true))
    }

    /// `name` as a whole number.
    pub fn int(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Int(i) => i,
            v => panic!("parameter {name:?} is {v:?}, not a whole number"),
        }
    }

    /// `name` as a real number.
    pub fn float(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Float(x) => x,
            v => panic!("parameter {name:?} is {v:?}, not a number"),
        }
    }

    /// `name` as a length of time; `None` for [`Value::Auto`].
    pub fn span(&self, name: &str) -> Option<Span> {
        match self.value(name) {
            Value::Span(s) => Some(s),
            Value::Auto => None,
            v => panic!("parameter {name:?} is {v:?}, not a length of time"),
        }
    }

    /// `name` as a rate; `None` for [`Value::Auto`].
    pub fn rate(&self, name: &str) -> Option<Rate> {
        match self.value(name) {
            Value::Rate(r) => Some(r),
            Value::Auto => None,
            v => panic!("parameter {name:?} is {v:?}, not a rate"),
        }
    }

    /// `name` as a word.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(c) => c,
            v => panic!("parameter {name:?} is {v:?}, not a word"),
        }
    }
}

impl Kind {
    /// `value` as this kind stores it, or `None` if it does not fit.
    fn fit(self, value: Value) -> Option<Value> {
        match (self, value) {
            (Self::Bool, Value::Bool(_)) | (Self::OptSpan(..), Value::Auto) => Some(value),
            (Self::Int(lo, hi), Value::Int(i)) => (lo..=hi).contains(&i).then_some(value),
            (Self::Float(lo, hi), Value::Int(i)) => (lo..=hi)
                .contains(&(i as f64))
                .then_some(Value::Float(i as f64)),
            (Self::Float(lo, hi), Value::Float(x)) => (lo..=hi).contains(&x).then_some(value),
            (Self::Span(lo, hi) | Self::OptSpan(lo, hi), Value::Span(s)) => {
                (lo..=hi).contains(&s).then_some(value)
            }
            (Self::Rate, Value::Rate(r)) => (r > Rate::ZERO).then_some(value),
            (Self::Choice(words), Value::Choice(w)) => words.contains(&w).then_some(value),
            _ => None,
        }
    }

    /// What would be right, for an error message.
    pub fn describe(self) -> String {
        match self {
            Self::Bool => "true or false".to_string(),
            Self::Int(lo, hi) => alloc::format!("a whole number from {lo} to {hi}"),
            Self::Float(lo, hi) => alloc::format!("a number from {lo} to {hi}"),
            Self::Span(lo, hi) => alloc::format!("a time from {lo:?} to {hi:?}, such as \"5 ms\""),
            Self::OptSpan(lo, hi) => {
                alloc::format!("a time from {lo:?} to {hi:?}, such as \"5 ms\", or \"none\"")
            }
            Self::Rate => "a rate above zero, such as \"10 Mbit/s\"".to_string(),
            Self::Choice(words) => alloc::format!("one of {}", words.join(", ")),
        }
    }
}

/// The entry called `name`, by name or alias.
pub fn find<'a, B>(entries: &'a [Entry<B>], name: &str) -> Option<&'a Entry<B>> {
    entries
        .iter()
        .find(|e| e.name == name || e.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param {
            name: "beta",
            doc: "",
            kind: Kind::Float(0.0, 1.0),
            default: Value::Float(0.7),
        },
        Param {
            name: "mode",
            doc: "",
            kind: Kind::Choice(&["a", "b"]),
            default: Value::Choice("a"),
        },
    ];

    #[test]
    fn defaults_hold_until_overridden() {
        let mut p = Params::defaults(PARAMS);
        assert_eq!(p.float("beta"), 0.7);
        p.set(PARAMS, "beta", Value::Int(1)).unwrap();
        p.set(PARAMS, "mode", Value::Choice("b")).unwrap();
        assert_eq!((p.float("beta"), p.choice("mode")), (1.0, "b"));
    }

    #[test]
    fn refusals_say_what_would_be_right() {
        let mut p = Params::defaults(PARAMS);
        assert_eq!(
            p.set(PARAMS, "betta", Value::Int(1)),
            Err(ParamError::Unknown(alloc::vec!["beta", "mode"]))
        );
        let Err(ParamError::Wrong(w)) = p.set(PARAMS, "beta", Value::Float(1.5)) else {
            panic!()
        };
        assert!(w.contains("from 0 to 1"), "{w}");
    }
}
