//! From the core's integers to the units that tables show: Mbit/s, ms, s. Not-a-number stands for
//! "there is none".

use acklab_units::{Instant, Rate, Span};

pub(super) fn mbps(bps: f64) -> f64 {
    bps / 1e6
}

pub(super) fn ms(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

pub(super) fn seconds(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e9
}

/// Seconds since the beginning of the run.
pub(super) fn at(instant: Instant) -> f64 {
    instant.as_nanos() as f64 / 1e9
}

/// Zero stands for "not yet".
pub(super) fn known_ms(span: Span) -> f64 {
    if span.is_zero() { f64::NAN } else { ms(span) }
}

pub(super) fn known_mbps(rate: Option<Rate>) -> f64 {
    let known = rate.filter(|r| r.as_bps() > 0);
    known.map_or(f64::NAN, |r| mbps(r.as_bps() as f64))
}

pub(super) fn maybe_ms(span: Option<Span>) -> f64 {
    span.map_or(f64::NAN, ms)
}

pub(super) fn maybe(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}
