//! Which mode data are sent in.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{Standard, WayKeys};
use super::channel::{bands, listed};
use super::layers::Ways;
use super::legacy;
use acklab_path::wifi::phy::{Band, Format, Guard, Mode, ModeError, Phy, Width};
use acklab_path::wifi::rate::modes;
use acklab_units::{Rate, Span};

/// The MCS of whoever does not choose: the fastest that all of n, ac and ax have everywhere.
const DEFAULT_MCS: u32 = 7;
/// HT counts streams into the MCS.
const MCS_PER_STREAM: u8 = 8;

/// The mode, if it exists and the band has it.
pub(super) fn resolve(
    standard: Standard,
    phy: &Phy,
    ways: &Ways,
    report: &mut Report<'_>,
) -> Option<Mode> {
    let mode = if standard.format().is_legacy() {
        by_legacy_rate(standard, ways, report)?
    } else {
        by_mcs(standard, ways, report)?
    };
    admit(standard, phy, mode, ways, report)
}

/// Every mode of a way that a rate control may choose, in the order of [`modes`].
pub(super) fn all(
    standard: Standard,
    phy: &Phy,
    ways: &Ways,
    report: &mut Report<'_>,
) -> Option<Vec<Mode>> {
    let format = standard.format();
    let mut all = if format.is_legacy() {
        foreign_keys(standard, ways, report);
        modes(format, 1, Width::Mhz20, &[])
    } else {
        let parts = parts(standard, ways, report)?;
        // A mistake in streams, width or guard interval affects the slowest, too.
        if let Err(e) = parts.mode(0) {
            report.error(&place(ways, key_of(&e)), message_of(&e), e.hint());
            return None;
        }
        modes(
            format,
            parts.streams.unwrap_or(1),
            parts.width,
            &[parts.guard],
        )
    };
    let first = *all.first()?;
    all = all.iter().filter_map(|m| phy.admit(*m).ok()).collect();
    if all.is_empty() {
        admit(standard, phy, first, ways, report)?;
    }
    Some(all)
}

/// The mode, if the channel's band has room for its width: everything else about a mode is the standard's,
/// which has its bands.
fn admit(
    standard: Standard,
    phy: &Phy,
    mode: Mode,
    ways: &Ways,
    report: &mut Report<'_>,
) -> Option<Mode> {
    if let Ok(mode) = phy.admit(mode) {
        return Some(mode);
    }
    let (name, width, band) = (mode.format().name(), mode.width(), phy.band());
    let fits = |width: &&Width| **width <= Width::Mhz40;
    let narrow = mode.format().widths().iter().filter(fits);
    let others = bands(standard).iter().filter(|b| **b != Band::Ghz2_4);
    let message = format!("{name} does not have {width} at {band}");
    let hint = format!(
        "use {} there, or band = {}",
        listed(narrow.map(Width::to_string), "or"),
        listed(others.map(|b| format!("\"{b}\"")), "or")
    );
    report.error(&place(ways, "width"), message, hint);
    None
}

/// The keys that n, ac and ax have and b, a and g do not have.
fn foreign_keys(standard: Standard, ways: &Ways, report: &mut Report<'_>) {
    let word = standard.word();
    for (key, written) in foreign(ways) {
        if written {
            let at = ways.get(key, |k| has(k, key).then_some(())).1;
            let message = format!("802.11{word} does not have `{key}`");
            let hint = format!("write `rate`, or choose standard = \"n\" for `{key}`");
            report.error(&at, message, hint);
        }
    }
}

/// A rate of 802.11b, a or g.
fn by_legacy_rate(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> Option<Mode> {
    foreign_keys(standard, ways, report);
    let highest = if standard == Standard::B { 11 } else { 54 };
    let (rate, at) = ways.get("rate", |k| k.rate);
    let rate = rate.map_or(Rate::from_bps(highest * 1_000_000), |r| r.0);
    match legacy::data(standard, rate) {
        Ok(mode) => Some(mode),
        Err((message, hint)) => {
            report.error(&at, message, hint);
            None
        }
    }
}

/// Keys that only n, ac and ax have, and whether they are written.
fn foreign(ways: &Ways) -> [(&'static str, bool); 4] {
    ["mcs", "streams", "guard_interval", "width"]
        .map(|key| (key, ways.iter().any(|(k, _)| has(k, key))))
}

fn has(keys: &WayKeys, key: &str) -> bool {
    match key {
        "mcs" => keys.mcs.is_some(),
        "streams" => keys.streams.is_some(),
        "guard_interval" => keys.guard_interval.is_some(),
        _ => keys.width.is_some_and(|w| Width::from(w) != Width::Mhz20),
    }
}

/// The parts of a mode of n, ac and ax.
#[derive(Clone, Copy)]
struct Parts {
    format: Format,
    /// `None` = one, or what the MCS says.
    streams: Option<u8>,
    width: Width,
    guard: Guard,
}

impl Parts {
    fn mode(self, mcs: u8) -> Result<Mode, ModeError> {
        let (width, guard) = (self.width, self.guard);
        let streams = self.streams.unwrap_or(1);
        match self.format {
            Format::Ht => Mode::ht(self.ht_mcs(mcs)?, width, guard),
            Format::Vht => Mode::vht(mcs, streams, width, guard),
            _ => Mode::he(mcs, streams, width, guard),
        }
    }

    /// The MCS of HT with its streams counted in: 3 with two streams is 11.
    fn ht_mcs(self, mcs: u8) -> Result<u8, ModeError> {
        let format = self.format;
        match self.streams {
            None => Ok(mcs),
            Some(streams) if streams == 0 || streams > format.most_streams() => {
                Err(ModeError::Streams { format, streams })
            }
            Some(streams) if mcs < MCS_PER_STREAM => Ok(mcs + MCS_PER_STREAM * (streams - 1)),
            Some(_) => Ok(mcs),
        }
    }
}

fn parts(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> Option<Parts> {
    Some(Parts {
        format: standard.format(),
        streams: ways.get("streams", |k| k.streams).0.map(small),
        width: ways
            .get("width", |k| k.width)
            .0
            .map_or(Width::Mhz20, Into::into),
        guard: guard(ways, report)?,
    })
}

fn by_mcs(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> Option<Mode> {
    let parts = parts(standard, ways, report)?;
    // `mcs` and `rate` say the same thing: the inner table's word counts.
    let (which, _) = ways.get("mcs", |k| {
        (k.mcs.is_some() || k.rate.is_some()).then_some((k.mcs, k.rate))
    });
    let at = |key| place(ways, key);
    let mcs = match which {
        Some((Some(_), Some(_))) => {
            let hint = "leave one of them out".to_string();
            report.error(&at("rate"), "`mcs` and `rate` set the same thing", hint);
            return None;
        }
        Some((None, Some(rate))) => return by_rate(parts, rate.0, &at("rate"), report),
        Some((Some(mcs), None)) => mcs,
        Some((None, None)) | None => DEFAULT_MCS,
    };
    match parts.mode(small(mcs)) {
        Ok(mode) if parts.streams.is_some_and(|s| s != mode.streams()) => {
            let message = format!("MCS {mcs} of 802.11n has {} streams", mode.streams());
            let hint = format!("write streams = {}, or an MCS from 0 to 7", mode.streams());
            report.error(&place(ways, "streams"), message, hint);
            None
        }
        Ok(mode) => Some(mode),
        Err(e) => {
            report.error(&at(key_of(&e)), message_of(&e), e.hint());
            None
        }
    }
}

/// Where `key` counts.
fn place(ways: &Ways, key: &str) -> Path {
    let written = |k: &WayKeys| match key {
        "mcs" => k.mcs.is_some(),
        "rate" => k.rate.is_some(),
        "streams" => k.streams.is_some(),
        "guard_interval" => k.guard_interval.is_some(),
        _ => k.width.is_some(),
    };
    ways.get(key, |k| written(k).then_some(())).1
}

/// The key that has to change.
fn key_of(error: &ModeError) -> &'static str {
    match error {
        ModeError::Streams { .. } => "streams",
        ModeError::NotThisWide { .. } | ModeError::UnknownWidth { .. } => "width",
        ModeError::NotThisGuard { .. } | ModeError::UnknownGuard { .. } => "guard_interval",
        _ => "mcs",
    }
}

/// The mistake; the number that is too large is not the one that was written.
fn message_of(error: &ModeError) -> String {
    match error {
        ModeError::Mcs {
            format,
            mcs: u8::MAX,
            ..
        } => {
            format!("{} has no such MCS", format.name())
        }
        ModeError::Streams {
            format,
            streams: 0 | u8::MAX,
        } => {
            format!("{} has no such number of streams", format.name())
        }
        error => error.to_string(),
    }
}

/// Too large a number stays too large.
fn small(n: u32) -> u8 {
    u8::try_from(n).unwrap_or(u8::MAX)
}

fn guard(ways: &Ways, report: &mut Report<'_>) -> Option<Guard> {
    let (written, at) = ways.get("guard_interval", |k| k.guard_interval);
    let span = written.map_or(Span::from_nanos(800), |g| g.0.0);
    let nanos = u32::try_from(span.as_nanos()).unwrap_or(u32::MAX);
    match Guard::from_nanos(nanos) {
        Ok(guard) => Some(guard),
        Err(e) => {
            let message = format!("there is no guard interval of {span}");
            report.error(&at, message, e.hint());
            None
        }
    }
}

/// The mode with this rate, which is given as people do, to a tenth of a Mbit/s.
fn by_rate(parts: Parts, rate: Rate, at: &Path, report: &mut Report<'_>) -> Option<Mode> {
    let tenths = |r: Rate| (r.as_bps() + 50_000) / 100_000;
    let all = (0..=parts.format.highest_mcs()).filter_map(|mcs| parts.mode(mcs).ok());
    let all: Vec<Mode> = all.collect();
    let found = all.iter().find(|m| tenths(m.rate()) == tenths(rate));
    if found.is_none() {
        let (width, guard) = (parts.width, parts.guard);
        let streams = parts.streams.unwrap_or(1);
        let message = match all.is_empty() {
            true => format!("{} has no such mode", parts.format.name()),
            false => format!(
                "no MCS has {} at {width}, {streams}x, {guard}",
                legacy::named(rate)
            ),
        };
        let rates = all
            .iter()
            .map(|m| (tenths(m.rate()) as f64 / 10.0).to_string());
        let rates: Vec<String> = rates.collect();
        let hint = match all.is_empty() {
            true => "write an `mcs`".to_string(),
            false => format!("there are {} Mbit/s", rates.join(", ")),
        };
        report.error(at, message, hint);
    }
    found.copied()
}
