//! The grammar shared by all quantities: a decimal number, a unit, and errors that say what to write.
//!
//! Arithmetic is exact: `0.1 s` is 100 000 000 ns because the decimal is scaled as an integer.
//! A value between two representable ones rounds to the nearest.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

/// Digits after the point that are looked at; further ones are below every resolution.
const FRACTION_DIGITS: usize = 15;

/// Why a text is not a quantity. [`fmt::Display`] says what is wrong, [`QuantityError::hint`] what
/// to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuantityError {
    /// The expectation: `a rate`, `a time`, ...
    pub expected: &'static str,
    /// The text found.
    pub found: String,
    /// The mistake in it.
    pub problem: Problem,
    hint: String,
}

/// The kind of mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// There is no number at the start.
    NotANumber,
    /// A number without a unit.
    NoUnit,
    /// The unit does not exist.
    UnknownUnit,
    /// The unit means different things to different people.
    Ambiguous,
    /// Below zero.
    Negative,
    /// Too large to be represented.
    TooLarge,
    /// Not zero, but smaller than the smallest representable value.
    TooSmall,
    /// A part of what has no parts.
    Fraction,
}

impl QuantityError {
    /// A text that would be right.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The same mistake with better advice, from whoever knows what the quantity is for.
    pub fn advising(self, hint: String) -> Self {
        Self { hint, ..self }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            expected, found, ..
        } = self;
        match self.problem {
            Problem::NotANumber => write!(f, "\"{found}\" is not {expected}"),
            Problem::NoUnit => write!(f, "\"{found}\" has no unit"),
            Problem::UnknownUnit => write!(f, "\"{found}\" does not end in a unit of {expected}"),
            Problem::Ambiguous => write!(f, "the unit of \"{found}\" is ambiguous"),
            Problem::Negative => write!(f, "\"{found}\" is negative"),
            Problem::TooLarge => write!(f, "\"{found}\" is too large"),
            Problem::TooSmall => write!(f, "\"{found}\" is too small to tell from zero"),
            Problem::Fraction => write!(f, "\"{found}\" is not a whole number"),
        }
    }
}

impl core::error::Error for QuantityError {}

/// A kind of quantity: its name, an example, and its units.
pub(crate) struct Grammar {
    /// With its article, for messages.
    pub(crate) name: &'static str,
    /// A whole example.
    pub(crate) example: &'static str,
    /// The unit to suggest when there is none.
    pub(crate) usual_unit: &'static str,
    /// The value of a unit.
    pub(crate) unit: fn(&str) -> Unit,
}

/// The value of a spelling of a unit.
pub(crate) enum Unit {
    /// This many base units.
    Is(u64),
    /// Two readings; the units to write for the first and for the second, with what they mean.
    Ambiguous([(&'static str, &'static str); 2]),
    /// Nothing.
    Unknown,
}

/// A decimal number: `mantissa * 10^exponent`.
#[derive(Clone, Copy)]
struct Decimal {
    mantissa: u128,
    exponent: i32,
}

impl Grammar {
    /// Parses `text` into base units.
    pub(crate) fn parse(&self, text: &str) -> Result<u64, QuantityError> {
        let (number, unit) = split(text);
        let (decimal, negative) = self.decimal(text, number)?;
        let scale = self.scale(text, number, unit)?;
        if negative && decimal.mantissa != 0 {
            let hint = format!("write {} that is not below zero", self.name);
            return Err(self.error(text, Problem::Negative, hint));
        }
        decimal
            .scaled(scale)
            .map_err(|p| self.error(text, p, self.such_as()))
    }

    /// As [`Grammar::parse`], for what has no parts: half a kilobyte is a size, half a packet none.
    pub(crate) fn parse_whole(&self, text: &str) -> Result<u64, QuantityError> {
        let value = self.parse(text)?;
        let (number, unit) = split(text);
        let (decimal, _) = self.decimal(text, number)?;
        match ((self.unit)(unit), decimal.between()) {
            (Unit::Is(1), Some(below)) => {
                let above = below.saturating_add(1);
                let hint = match below {
                    0 => format!("write \"{above} {unit}\""),
                    _ => format!("write \"{below} {unit}\" or \"{above} {unit}\""),
                };
                Err(self.error(text, Problem::Fraction, hint))
            }
            _ => Ok(value),
        }
    }

    fn decimal(&self, text: &str, number: &str) -> Result<(Decimal, bool), QuantityError> {
        let (digits, negative) = match number.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (number, false),
        };
        if !digits.bytes().any(|b| b.is_ascii_digit()) {
            return Err(self.error(text, Problem::NotANumber, self.such_as()));
        }
        Decimal::parse(digits)
            .map(|d| (d, negative))
            .map_err(|p| self.error(text, p, format!("write \"{}\", for example", self.example)))
    }

    fn scale(&self, text: &str, number: &str, unit: &str) -> Result<u64, QuantityError> {
        match (self.unit)(unit) {
            Unit::Is(scale) => Ok(scale),
            Unit::Ambiguous([(a, a_means), (b, b_means)]) => {
                let hint = format!(
                    "write \"{number} {a}\" for {a_means} or \"{number} {b}\" for {b_means}"
                );
                Err(self.error(text, Problem::Ambiguous, hint))
            }
            Unit::Unknown if unit.is_empty() => {
                // No quantity is below zero.
                let number = number.trim_start_matches('-');
                let hint = format!("write \"{number} {}\", for example", self.usual_unit);
                Err(self.error(text, Problem::NoUnit, hint))
            }
            Unit::Unknown => Err(self.error(text, Problem::UnknownUnit, self.such_as())),
        }
    }

    /// The error for a value that only this kind of quantity finds too large.
    pub(crate) fn too_large(&self, text: &str) -> QuantityError {
        self.error(text, Problem::TooLarge, self.such_as())
    }

    fn such_as(&self) -> String {
        format!("write {}, such as \"{}\"", self.name, self.example)
    }

    fn error(&self, text: &str, problem: Problem, hint: String) -> QuantityError {
        QuantityError {
            expected: self.name,
            found: text.trim().to_string(),
            problem,
            hint,
        }
    }
}

/// Number and unit, both trimmed. The number is everything up to the first character that cannot
/// be part of one; an `e` is part of it only if digits follow.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    while end < bytes.len() && matches!(bytes[end], b'0'..=b'9' | b'.' | b'_') {
        end += 1;
    }
    end += exponent_len(&bytes[end..]);
    (&text[..end], text[end..].trim_start())
}

fn exponent_len(rest: &[u8]) -> usize {
    if !matches!(rest.first(), Some(b'e' | b'E')) {
        return 0;
    }
    let sign = usize::from(matches!(rest.get(1), Some(b'+' | b'-')));
    let digits = rest[1 + sign..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    if digits == 0 { 0 } else { 1 + sign + digits }
}

impl Decimal {
    fn parse(number: &str) -> Result<Self, Problem> {
        let (number, exponent) = match number.find(['e', 'E']) {
            Some(at) => (&number[..at], number[at + 1..].parse::<i16>()),
            None => (number, Ok(0)),
        };
        let exponent = i32::from(exponent.map_err(|_| Problem::TooLarge)?);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') {
            return Err(Problem::NotANumber);
        }
        let mut digits = Digits::default();
        digits.push_all(whole, usize::MAX)?;
        let after_point = digits.push_all(fraction, FRACTION_DIGITS)?;
        Ok(Self {
            mantissa: digits.0,
            exponent: exponent - after_point,
        })
    }

    /// The whole number below, unless it is whole itself.
    fn between(self) -> Option<u128> {
        if self.exponent >= 0 || self.mantissa == 0 {
            return None;
        }
        match 10u128.checked_pow(self.exponent.unsigned_abs()) {
            Some(power) => (!self.mantissa.is_multiple_of(power)).then_some(self.mantissa / power),
            None => Some(0),
        }
    }

    /// `self * scale`, rounded to the nearest whole number.
    fn scaled(self, scale: u64) -> Result<u64, Problem> {
        let product = self
            .mantissa
            .checked_mul(u128::from(scale))
            .ok_or(Problem::TooLarge)?;
        let power = 10u128.checked_pow(self.exponent.unsigned_abs());
        let value = match (self.exponent >= 0, power) {
            (true, Some(p)) => product.checked_mul(p).ok_or(Problem::TooLarge)?,
            (true, None) if product != 0 => return Err(Problem::TooLarge),
            (false, Some(p)) => product / p + u128::from(product % p >= p.div_ceil(2)),
            (_, None) => 0,
        };
        if value == 0 && self.mantissa != 0 {
            return Err(Problem::TooSmall);
        }
        u64::try_from(value)
            .ok()
            .filter(|v| *v != u64::MAX)
            .ok_or(Problem::TooLarge)
    }
}

/// Decimal digits collected into a number.
#[derive(Default)]
struct Digits(u128);

impl Digits {
    /// Appends up to `limit` digits of `text`, skipping underscores; returns how many.
    fn push_all(&mut self, text: &str, limit: usize) -> Result<i32, Problem> {
        let mut taken = 0;
        for b in text.bytes().filter(|b| *b != b'_').take(limit) {
            self.0 = self
                .0
                .checked_mul(10)
                .and_then(|v| v.checked_add(u128::from(b - b'0')))
                .ok_or(Problem::TooLarge)?;
            taken += 1;
        }
        Ok(taken)
    }
}

/// Writes `value / scale` exactly, without trailing zeros. `scale` is a power of ten.
pub(crate) fn write_decimal(f: &mut fmt::Formatter<'_>, value: u64, scale: u64) -> fmt::Result {
    write!(f, "{}", value / scale)?;
    let rest = value % scale;
    if rest == 0 {
        return Ok(());
    }
    let width = scale.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

/// Writes `value` in the largest of `units` (name, base units; descending, ending in 1) in which
/// it is at least one and needs at most three digits after the point.
pub(crate) fn write_in_units(
    f: &mut fmt::Formatter<'_>,
    value: u64,
    units: &[(&str, u64)],
) -> fmt::Result {
    let fits = |scale: u64| value >= scale && (scale == 1 || value.is_multiple_of(scale / 1000));
    let fallback = if value == 0 { 0 } else { units.len() - 1 };
    let i = units.iter().position(|(_, s)| fits(*s)).unwrap_or(fallback);
    let (name, scale) = units[i];
    write_decimal(f, value, scale)?;
    write!(f, " {name}")
}
