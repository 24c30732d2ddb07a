//! How neighbours find out each other's addresses.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{ArpTable, Qty, WifiSpec};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_units::Span;

/// Longer is a slip.
const MOST_JITTER: Span = Span::from_secs(1);
/// Longer than any run.
const MOST_TIME: Span = Span::from_secs(86_400);

/// What is written, over ns-3's defaults; `None` = everybody knows everybody.
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
        let time = written.map_or(default, |t| t.0);
        if time.is_zero() || time > MOST_TIME {
            let hint = format!("write a time above zero, \"{MOST_TIME}\" at most");
            report.error(&at.key(key), "out of range", hint);
        }
        time
    };
    Some(ArpConfig {
        wait_reply: time(wait_reply, "wait_reply", default.wait_reply),
        alive: time(alive, "alive", default.alive),
        dead: time(dead, "dead", default.dead),
        jitter_ms: jitter.map_or(default.jitter_ms, |j| {
            whole_ms(j.0, &at.key("jitter"), report)
        }),
        retries: count(
            retries,
            default.retries.into(),
            (0, 255),
            &at.key("retries"),
            report,
        ) as u8,
        pending: count(
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

fn count(
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
