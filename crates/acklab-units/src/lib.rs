//! Quantities with their unit in the type: time, rate, size and TCP sequence numbers.
//!
//! Everything is an integer. Time counts nanoseconds, rates count bits per second, sizes count
//! bytes. Rounding happens in named places only: [`Rate::serialisation`] is the one function that
//! turns bytes into time, and [`Rate::from_bytes_over`] the one that turns bytes and time into a
//! rate.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod parse;
mod rate;
mod seq;
mod size;
mod spell;
mod time;
mod wide;

pub use parse::{Problem, QuantityError};
pub use rate::Rate;
pub use seq::SeqNum;
pub use size::{Bytes, Limit};
pub use time::{Instant, Span};
pub use wide::{mul_div, mul_div_ceil};
