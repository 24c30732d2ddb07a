//! How stations contend.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{EdcaDefaultsWord, EdcaParams, EdcaSpec, SideKeys, Standard};
use super::layers::Layers;
use super::waiting::Waiting;
use super::{Station, radio};
use acklab_path::wifi::medium::{AccessCategory, EdcaConfig};
use acklab_units::Span;

/// A window is doubled by a shift of 16 bits; the standard's largest is 32767 too (ECWmax 15).
const MOST_CW: u32 = 32_767;
/// 16 bits in units of 32 us (9.4.2.29).
const MOST_TXOP: Span = Span::from_micros(65_535 * 32);

/// The tables that say how a station queues, contends and transmits.
pub(super) type Sides = Layers<SideKeys>;

/// The scenario's settings, on top of the standard's defaults.
pub(super) fn resolve(
    (standard, edition): (Standard, EdcaDefaultsWord),
    own: AccessCategory,
    (in_space, waiting): (bool, Waiting),
    sides: &Sides,
    report: &mut Report<'_>,
) -> Station {
    Station {
        waiting,
        radio: radio::resolve(sides, in_space, report),
        edca: AccessCategory::ALL
            .map(|c| edca(defaults(standard, edition, c), c, c == own, sides, report)),
    }
}

/// 802.11-2012 table 8-105, or 802.11-2020 table 9-155: windows from aCWmin of the PHY, which is 31 for
/// 802.11b (16.3.4) and 15 for all others. Stations of b, a and g do not have access categories: their
/// data contend by DCF.
fn defaults(standard: Standard, edition: EdcaDefaultsWord, category: AccessCategory) -> EdcaConfig {
    let legacy = standard.format().is_legacy();
    let latest = edition == EdcaDefaultsWord::Of2020;
    let mut edca = match category {
        AccessCategory::BestEffort if legacy => EdcaConfig::DCF,
        category if latest => EdcaConfig::standard_2020(category),
        category => EdcaConfig::standard(category),
    };
    if standard == Standard::B {
        edca.cw_min = 2 * edca.cw_min + 1;
        edca.cw_max = match category {
            AccessCategory::Voice | AccessCategory::Video => 2 * edca.cw_max + 1,
            _ => edca.cw_max,
        };
        edca.txop = match category {
            AccessCategory::Voice => Span::from_micros(3_264),
            AccessCategory::Video => Span::from_micros(6_016),
            AccessCategory::Background if latest => Span::from_micros(3_264),
            _ => Span::ZERO,
        };
    }
    edca
}

fn edca(
    default: EdcaConfig,
    category: AccessCategory,
    own: bool,
    sides: &Sides,
    report: &mut Report<'_>,
) -> EdcaConfig {
    let get = |key: &str, of: fn(&EdcaParams) -> Option<u32>| {
        find(key, sides, category, own, &|p: &EdcaParams| of(p))
    };
    let (aifsn, aifsn_at) = get("aifsn", |p| p.aifsn);
    let (cw_min, cw_min_at) = get("cw_min", |p| p.cw_min);
    let (cw_max, cw_max_at) = get("cw_max", |p| p.cw_max);
    let (txop, txop_at) = find("txop", sides, category, own, &|p: &EdcaParams| p.txop);
    let aifsn = aifsn.unwrap_or(u32::from(default.aifsn));
    let cw_max = cw_max.unwrap_or(u32::from(default.cw_max));
    // A larger smallest window is meant to hold, whatever the default of the largest is.
    let cw_min = cw_min.unwrap_or(u32::from(default.cw_min).min(cw_max));
    let txop = txop.map_or(default.txop, |t| t.0);
    if !(1..=15).contains(&aifsn) {
        let hint = "write 1 to 15; the standard's are 2, 3 and 7".to_string();
        report.error(&aifsn_at, "out of range for AIFSN", hint);
    }
    if cw_max > MOST_CW {
        let hint = format!("write {MOST_CW} at most");
        report.error(&cw_max_at, "out of range", hint);
    }
    if cw_min > cw_max {
        let hint = format!("write cw_max, which is {cw_max}, at most");
        report.error(
            &cw_min_at,
            "the smallest window is larger than the largest",
            hint,
        );
    }
    if cw_min <= cw_max && cw_max <= MOST_CW {
        for (cw, at) in [(cw_min, &cw_min_at), (cw_max, &cw_max_at)] {
            window(cw, at, report);
        }
    }
    if txop > MOST_TXOP {
        let hint = format!("write \"{MOST_TXOP}\" at most");
        report.error(&txop_at, "too long for a transmission opportunity", hint);
    }
    EdcaConfig {
        aifsn: aifsn.min(15) as u8,
        cw_min: cw_min.min(MOST_CW) as u16,
        cw_max: cw_max.min(MOST_CW) as u16,
        txop,
    }
}

/// A station announces the exponent (ECWmin, ECWmax, 9.4.2.28).
pub(super) fn window(cw: u32, at: &Path, report: &mut Report<'_>) {
    if !(cw + 1).is_power_of_two() {
        let above = (cw + 1).next_power_of_two();
        let hint = format!("write {} or {}", above / 2 - 1, above - 1);
        report.error(at, "a contention window is a power of two less one", hint);
    }
}

/// A parameter of `category`, under its name or, of the channel's own, without one.
fn find<T>(
    key: &str,
    sides: &Sides,
    category: AccessCategory,
    own: bool,
    of: &dyn Fn(&EdcaParams) -> Option<T>,
) -> (Option<T>, Path) {
    let named = |e: &EdcaSpec| of(&e.of(category));
    let plain = |e: &EdcaSpec| own.then(|| of(&e.own())).flatten();
    for (keys, path) in sides.iter() {
        let Some(edca) = &keys.edca else { continue };
        let path = path.key("edca");
        if let Some(value) = named(edca) {
            return (Some(value), path.key(category.name()).key(key));
        }
        if let Some(value) = plain(edca) {
            return (Some(value), path.key(key));
        }
    }
    let last = sides.iter().last().map(|(_, p)| p.key("edca").key(key));
    (None, last.unwrap_or_default())
}
