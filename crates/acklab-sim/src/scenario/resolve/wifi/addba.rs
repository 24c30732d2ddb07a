//! How stations come to the block ack agreements that A-MPDUs need.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{AddbaTable, Qty, Standard, WifiSpec};
use super::numbers;
use acklab_path::wifi::agreement::AddbaConfig;
use acklab_units::Span;

/// The scenario's settings, over ns-3's defaults for the standard; `None` = everybody has agreed.
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
        numbers::time(written, default, &at.key(key), report)
    };
    let response_timeout = time(
        response_timeout,
        "response_timeout",
        default.response_timeout,
    );
    let failed_timeout = time(failed_timeout, "failed_timeout", default.failed_timeout);
    let packets = numbers::count(
        packets,
        default.packets.into(),
        (1, 65_535),
        &at.key("packets"),
        report,
    );
    Some(AddbaConfig {
        packets: packets as u16,
        response_timeout,
        failed_timeout,
    })
}
