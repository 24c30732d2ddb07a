//! Coexistence with 802.11b: preambles, slots, protection.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{Preamble, Protection, Standard, WifiSpec};
use super::channel::listed;
use super::legacy;
use acklab_path::wifi::phy::{Band, Mode};
use acklab_units::{Rate, Span};

/// aSlotTime of 802.11b (16.3.4), and of everybody else (17.4.4, 18.5.4).
const LONG_SLOT: Span = Span::from_micros(20);
const SHORT_SLOT: Span = Span::from_micros(9);

/// With nothing left to defaults.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Coexistence {
    pub(crate) short_preamble: bool,
    pub(crate) short_slot: bool,
    /// A CTS to self goes before OFDM at this rate; `None` = nothing does.
    pub(crate) protection: Option<Rate>,
}

impl Coexistence {
    /// aSlotTime.
    pub(crate) const fn slot(self) -> Span {
        match self.short_slot {
            true => SHORT_SLOT,
            false => LONG_SLOT,
        }
    }

    /// The defaults.
    pub(crate) fn usual(standard: Standard) -> Self {
        Self {
            short_preamble: false,
            short_slot: standard != Standard::B,
            protection: None,
        }
    }
}

pub(super) fn resolve(
    spec: &WifiSpec,
    (standard, band): (Standard, Band),
    basic: &[Rate],
    path: &Path,
    report: &mut Report<'_>,
) -> Coexistence {
    Coexistence {
        short_preamble: short_preamble(spec, band, &path.key("preamble"), report),
        short_slot: short_slot(spec, (standard, band), &path.key("slot_time"), report),
        protection: protection(spec, (standard, band), basic, path, report),
    }
}

/// There is nothing of 802.11b elsewhere.
fn short_preamble(spec: &WifiSpec, band: Band, at: &Path, report: &mut Report<'_>) -> bool {
    let short = spec.preamble.map(Preamble::from) == Some(Preamble::Short);
    if short && band != Band::Ghz2_4 {
        let message = format!("nothing at {band} has the preambles of 802.11b");
        report.error(at, message, "leave it out".to_string());
    }
    short && band == Band::Ghz2_4
}

fn short_slot(
    spec: &WifiSpec,
    (standard, band): (Standard, Band),
    at: &Path,
    report: &mut Report<'_>,
) -> bool {
    let usual = Coexistence::usual(standard);
    let written = spec.slot_time.map_or(usual.slot(), |s| s.0);
    let all: &[Span] = match (standard, band) {
        (Standard::B, _) => &[LONG_SLOT],
        (_, Band::Ghz2_4) => &[SHORT_SLOT, LONG_SLOT],
        _ => &[SHORT_SLOT],
    };
    if !all.contains(&written) {
        let word = standard.word();
        let message = format!("802.11{word} has no slots of {written} at {band}");
        let own = all.iter().map(|s| format!("\"{s}\""));
        let hint = format!("write {}, or leave it out", listed(own, "or"));
        report.error(at, message, hint);
        return usual.short_slot;
    }
    written == SHORT_SLOT
}

fn protection(
    spec: &WifiSpec,
    (standard, band): (Standard, Band),
    basic: &[Rate],
    path: &Path,
    report: &mut Report<'_>,
) -> Option<Rate> {
    let (at, rate_at) = (path.key("protection"), path.key("protection_rate"));
    if spec.protection.map(Protection::from) != Some(Protection::CtsToSelf) {
        if spec.protection_rate.is_some() {
            let hint = "write protection = \"cts-to-self\", or leave the rate out".to_string();
            report.error(&rate_at, "nothing is protected", hint);
        }
        return None;
    }
    if band != Band::Ghz2_4 {
        let message =
            format!("802.11b is not at {band}: there are no stations of 802.11b to protect from");
        report.error(&at, message, "leave it out".to_string());
        return None;
    }
    if standard == Standard::B {
        let message = "802.11b needs no protection from itself";
        let hint = "leave it out, or choose standard = \"g\" or \"n\"".to_string();
        report.error(&at, message, hint);
        return None;
    }
    let readable = |rate: &Rate| Mode::legacy(*rate).is_ok_and(|m| m.format().is_dsss());
    if let Some(rate) = spec.protection_rate.map(|r| r.0) {
        if !readable(&rate) {
            let named = legacy::named(rate);
            let message = format!("802.11b cannot read {named}");
            let hint = format!("write {}", legacy::known(Standard::B, band));
            report.error(&rate_at, message, hint);
            return None;
        }
        return Some(rate);
    }
    let fastest = basic.iter().copied().filter(readable).max();
    if fastest.is_none() {
        let message = "no basic rate is one that 802.11b can read";
        let hint = "add \"1 Mbit/s\" to basic_rates, or write a protection_rate".to_string();
        report.error(&at, message, hint);
    }
    fastest
}
