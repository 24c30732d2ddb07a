//! How stations come to the block ack agreements that A-MPDUs need.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{AddbaTable, Qty, Standard, WifiSpec};
use acklab_path::wifi::agreement::AddbaConfig;
use acklab_units::Span;

/// Longer than any run.
const MOST_TIME: Span = Span::from_secs(86_400);

/// What is written, over ns-3's defaults for the standard; `None` = everybody has agreed.
pub(super) fn resolve(
    spec: &WifiSpec,
    standard: Standard,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<AddbaConfig> {
    let AddbaTable {
        packets,
        response_timeout,
        failed_timeout,
    } = spec.addba?.0?;
    let at = path.key("addba");
    if standard.format().is_legacy() {
        let word = standard.word();
        let hint = "leave it out, or write standard = \"n\", \"ac\" or \"ax\"".to_string();
        let message = format!("802.11{word} has no block ack agreements");
        report.error(&at, message, hint);
        return None;
    }
    let default = match standard {
        Standard::N => AddbaConfig::NS3_HT,
        _ => AddbaConfig::NS3_VHT,
    };
    let mut time = |written: Option<Qty<Span>>, key: &str, default: Span| {
        let time = written.map_or(default, |t| t.0);
        if time.is_zero() || time > MOST_TIME {
            let hint = format!("write a time above zero, \"{MOST_TIME}\" at most");
            report.error(&at.key(key), "out of range", hint);
        }
        time
    };
    let response_timeout = time(
        response_timeout,
        "response_timeout",
        default.response_timeout,
    );
    let failed_timeout = time(failed_timeout, "failed_timeout", default.failed_timeout);
    let packets = packets.unwrap_or(default.packets.into());
    if !(1..=65_535).contains(&packets) {
        report.error(
            &at.key("packets"),
            "out of range",
            "write 1 to 65535".to_string(),
        );
    }
    Some(AddbaConfig {
        packets: packets.min(65_535) as u16,
        response_timeout,
        failed_timeout,
    })
}
