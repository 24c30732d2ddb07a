//! How neighbours find out each other's addresses.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{ArpTable, Qty, WifiSpec};
use super::numbers;
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_units::Span;

/// Longer is a slip.
const MOST_JITTER: Span = Span::from_secs(1);

/// The scenario's settings, over ns-3's defaults; `None` = stations know each other's addresses.
pub(super) fn resolve(spec: &WifiSpec, path: &Path, report: &mut Report<'_>) -> Option<ArpConfig> {
    let ArpTable {
        jitter,
        wait_reply,
        retries,
        pending,
        alive,
        dead,
        learns,
    } = spec.arp?.0?;
    let at = path.key("arp");
    let default = ArpConfig::NS3;
    let mut time = |written: Option<Qty<Span>>, key: &str, default: Span| {
        numbers::time(written, default, &at.key(key), report)
    };
    Some(ArpConfig {
        wait_reply: time(wait_reply, "wait_reply", default.wait_reply),
        alive: time(alive, "alive", default.alive),
        dead: time(dead, "dead", default.dead),
        jitter_ms: jitter.map_or(default.jitter_ms, |j| {
            whole_ms(j.0, &at.key("jitter"), report)
        }),
        retries: numbers::count(
            retries,
            default.retries.into(),
            (0, 255),
            &at.key("retries"),
            report,
        ) as u8,
        pending: numbers::count(
            pending,
            default.pending.into(),
            (1, 65_535),
            &at.key("pending"),
            report,
        ) as u16,
        learns: learns.unwrap_or(default.learns),
        ..default
    })
}

fn whole_ms(jitter: Span, at: &Path, report: &mut Report<'_>) -> u16 {
    let ms = jitter.as_nanos() / 1_000_000;
    if Span::from_millis(ms) != jitter || jitter > MOST_JITTER {
        let hint =
            "write whole milliseconds, \"0 s\" to \"1 s\": ns-3 draws whole ones".to_string();
        report.error(at, "out of range", hint);
    }
    ms.min(1000) as u16
}
