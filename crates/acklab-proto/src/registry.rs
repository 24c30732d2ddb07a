//! Named building blocks with named parameters.
//!
//! Congestion controllers, ACK policies, ACK filters and queue disciplines are chosen by name in a
//! scenario. One [`Entry`] says all that a scenario, a schema, `acklab list` and an error message
//! need to know about one of them; adding a building block means adding one entry.

use acklab_units::{Bytes, Limit, Rate, Span};
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
    /// A size.
    Size(Bytes),
    /// One of a fixed set of words.
    Choice(&'static str),
    /// Not set: the block decides.
    Auto,
}

/// The values that a parameter accepts.
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
    /// A positive data rate, or the word `none` ([`Value::Auto`]).
    OptRate,
    /// A size in `[min, max]`.
    Size(u64, u64),
    /// A size in `[min, max]`, or left to the block ([`Value::Auto`]).
    AutoSize(u64, u64),
    /// Another block of the same registry ([`Nested::Block`]).
    Block,
    /// A list of tables that have these parameters ([`Nested::Tables`]).
    Tables(&'static [Param]),
    /// A word of the user's own ([`Nested::Names`]).
    Name,
    /// One or more things that the scenario has ([`Nested::Names`]).
    Names(Named),
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The kind of things that names stand for, so that each is a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Flows: their place in the scenario, from 0.
    Flows,
    /// Nodes: their place in the scenario, from 0.
    Nodes,
    /// Differentiated-services codepoints: their value.
    Dscp,
}

/// The content of a parameter that is more than one value.
#[derive(Clone, PartialEq, Debug)]
pub enum Nested {
    /// Another block.
    Block(Block),
    /// Tables, in the order in which they are written.
    Tables(Vec<Params>),
    /// Names, and what they stand for once the scenario is known; a word of the user's own stands for
    /// nothing.
    Names(Vec<String>, Vec<u32>),
}

/// A block inside another one.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Its entry's name.
    pub name: &'static str,
    /// How much may wait in it, where it is one that counts.
    pub limit: Option<Limit>,
    /// Its parameters.
    pub params: Params,
}

/// One named parameter of a building block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Param {
    /// The key in a scenario, snake case.
    pub name: &'static str,
    /// One sentence for a user, with the unit and the source of the default.
    pub doc: &'static str,
    /// The values that it accepts.
    pub kind: Kind,
    /// The default.
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
    nested: Vec<(&'static str, Nested)>,
}

impl Params {
    /// Every parameter at its default.
    pub fn defaults(params: &'static [Param]) -> Self {
        Self {
            values: params.iter().map(|p| (p.name, p.default)).collect(),
            nested: Vec::new(),
        }
    }

    /// Sets what a parameter holds that is more than one value. It has to be of the parameter's kind.
    pub fn nest(&mut self, name: &'static str, nested: Nested) {
        self.nested.retain(|(n, _)| *n != name);
        self.nested.push((name, nested));
    }

    /// The content of a parameter that is more than one value, if it was set.
    pub fn nested(&self, name: &str) -> Option<&Nested> {
        let found = self.nested.iter().find(|(n, _)| *n == name);
        found.map(|(_, nested)| nested)
    }

    /// All that was set of them.
    pub fn nested_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Nested)> {
        self.nested.iter_mut().map(|(name, nested)| (*name, nested))
    }

    /// The block in `name`, if it was set.
    pub fn block(&self, name: &str) -> Option<&Block> {
        match self.nested(name)? {
            Nested::Block(block) => Some(block),
            other => panic!("parameter {name:?} is {other:?}, not a block"),
        }
    }

    /// The tables in `name`.
    pub fn tables(&self, name: &str) -> &[Self] {
        match self.nested(name) {
            None => &[],
            Some(Nested::Tables(tables)) => tables,
            Some(other) => panic!("parameter {name:?} is {other:?}, not a list of tables"),
        }
    }

    /// The names in `name`.
    pub fn names(&self, name: &str) -> &[String] {
        self.names_and_numbers(name).0
    }

    /// The numbers that the names in `name` stand for.
    pub fn numbers(&self, name: &str) -> &[u32] {
        self.names_and_numbers(name).1
    }

    fn names_and_numbers(&self, name: &str) -> (&[String], &[u32]) {
        match self.nested(name) {
            None => (&[], &[]),
            Some(Nested::Names(names, numbers)) => (names, numbers),
            Some(other) => panic!("parameter {name:?} is {other:?}, not names"),
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

    /// `name` as a size in bytes; `None` for [`Value::Auto`].
    pub fn size(&self, name: &str) -> Option<u64> {
        match self.value(name) {
            Value::Size(Bytes(n)) => Some(n),
            Value::Auto => None,
            v => panic!("parameter {name:?} is {v:?}, not a size"),
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

impl Named {
    /// A value that would be right, for an error message.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Flows => "the name of a flow in double quotes, or a list of them",
            Self::Nodes => "the name of a node in double quotes, or a list of them",
            Self::Dscp => {
                "a codepoint such as \"EF\", \"AF41\", \"CS1\" or \"46\", or a list of them"
            }
        }
    }
}

impl Kind {
    /// Whether values of this kind are [`Nested`].
    pub const fn is_nested(self) -> bool {
        matches!(
            self,
            Self::Block | Self::Tables(_) | Self::Name | Self::Names(_)
        )
    }

    /// `value` as this kind stores it, or `None` if it does not fit.
    fn fit(self, value: Value) -> Option<Value> {
        match (self, value) {
            (Self::Bool, Value::Bool(_))
            | (Self::OptSpan(..) | Self::OptRate | Self::AutoSize(..), Value::Auto) => Some(value),
            (Self::Int(lo, hi), Value::Int(i)) => (lo..=hi).contains(&i).then_some(value),
            (Self::Float(lo, hi), Value::Int(i)) => (lo..=hi)
                .contains(&(i as f64))
                .then_some(Value::Float(i as f64)),
            (Self::Float(lo, hi), Value::Float(x)) => (lo..=hi).contains(&x).then_some(value),
            (Self::Span(lo, hi) | Self::OptSpan(lo, hi), Value::Span(s)) => {
                (lo..=hi).contains(&s).then_some(value)
            }
            (Self::Rate | Self::OptRate, Value::Rate(r)) => (r > Rate::ZERO).then_some(value),
            (Self::Size(lo, hi) | Self::AutoSize(lo, hi), Value::Size(Bytes(n))) => {
                (lo..=hi).contains(&n).then_some(value)
            }
            (Self::Block | Self::Tables(_) | Self::Name | Self::Names(_), Value::Auto) => {
                Some(value)
            }
            (Self::Choice(words), Value::Choice(w)) => words.contains(&w).then_some(value),
            _ => None,
        }
    }

    /// A value that would be right, for an error message.
    pub fn describe(self) -> String {
        match self {
            Self::Bool => "true or false".to_string(),
            Self::Int(lo, hi) => alloc::format!("a whole number from {lo} to {hi}"),
            Self::Float(lo, hi) => alloc::format!("a number from {lo} to {hi}"),
            Self::Span(lo, hi) => alloc::format!("a time from {lo} to {hi}, such as \"5 ms\""),
            Self::OptSpan(lo, hi) => {
                alloc::format!("a time from {lo} to {hi}, such as \"5 ms\", or \"none\"")
            }
            Self::Rate => "a rate above zero, such as \"10 Mbit/s\"".to_string(),
            Self::OptRate => "a rate above zero, such as \"10 Mbit/s\", or \"none\"".to_string(),
            Self::Size(lo, hi) | Self::AutoSize(lo, hi) => {
                let (lo, hi) = (Bytes(lo), Bytes(hi));
                alloc::format!("a size from {lo} to {hi}, such as \"15 kB\"")
            }
            Self::Block => {
                "a name in double quotes, or a table { name = \"...\", ... }".to_string()
            }
            Self::Tables(params) => {
                let keys: Vec<_> = params.iter().map(|p| p.name).collect();
                alloc::format!("a list of tables with {}", keys.join(", "))
            }
            Self::Name => "a name of your own in double quotes".to_string(),
            Self::Names(named) => named.describe().to_string(),
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
