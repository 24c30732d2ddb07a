//! Numbers and times of tables, within what they may be.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::Qty;
use acklab_units::Span;

/// Longer than any run.
const MOST_TIME: Span = Span::from_secs(86_400);

/// A whole number from `least` to `most`.
pub(super) fn count(
    written: Option<u32>,
    default: u32,
    (least, most): (u32, u32),
    at: &Path,
    report: &mut Report<'_>,
) -> u32 {
    let n = written.unwrap_or(default);
    if !(least..=most).contains(&n) {
        report.error(at, "out of range", format!("write {least} to {most}"));
    }
    n.clamp(least, most)
}

/// A time above zero.
pub(super) fn time(
    written: Option<Qty<Span>>,
    default: Span,
    at: &Path,
    report: &mut Report<'_>,
) -> Span {
    let time = written.map_or(default, |t| t.0);
    if time.is_zero() || time > MOST_TIME {
        let hint = format!("write a time above zero, \"{MOST_TIME}\" at most");
        report.error(at, "out of range", hint);
        return default;
    }
    time
}
