//! How the mode of data is chosen, and among which.

use super::super::super::diagnostics::Report;
use super::super::super::spec::{Standard, WayKeys};
use super::chosen::Chosen;
use super::layers::Ways;
use super::mode;
use acklab_path::wifi::phy::{Mode, Phy};
use acklab_path::wifi::rate::registry::{Build, CONTROLS, Rule};

/// The rate control of a way.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rate {
    pub(crate) control: Chosen<Build>,
    /// The mode if it is fixed; otherwise the fastest.
    pub(crate) mode: Mode,
    /// The modes to choose from, if it is not fixed.
    pub(crate) modes: Vec<Mode>,
}

/// The scenario's choice: of a rate control and a mode the inner table's word counts.
pub(super) fn resolve(
    standard: Standard,
    phy: &Phy,
    ways: &Ways,
    report: &mut Report<'_>,
) -> Option<Rate> {
    let control = control(ways, report)?;
    if control.build() == Rule::Fixed {
        let mode = mode::resolve(standard, phy, ways, report)?;
        let modes = Vec::new();
        return Some(Rate {
            control,
            mode,
            modes,
        });
    }
    let modes = mode::all(standard, phy, ways, report)?;
    let mode = *modes.iter().max_by_key(|m| m.rate())?;
    Some(Rate {
        control,
        mode,
        modes,
    })
}

fn control(ways: &Ways, report: &mut Report<'_>) -> Option<Chosen<Build>> {
    let says = |k: &WayKeys| k.rate_control.is_some() || k.mcs.is_some() || k.rate.is_some();
    let innermost = ways.iter().find(|(k, _)| says(k));
    let Some((keys, path)) = innermost.filter(|(k, _)| k.rate_control.is_some()) else {
        let at = Default::default();
        return Some(Chosen::read(CONTROLS, "rate control", None, &at, report));
    };
    let choice = keys.rate_control.as_ref().map(|r| &r.0);
    let at = path.key("rate_control");
    let control = Chosen::read(CONTROLS, "rate control", choice, &at, report);
    if control.build() == Rule::Fixed {
        return Some(control);
    }
    for (key, written) in [("mcs", keys.mcs.is_some()), ("rate", keys.rate.is_some())] {
        if written {
            let message = format!("`{}` chooses the mode itself", control.name());
            let hint = "leave it out, or write rate_control = \"fixed\"".to_string();
            report.error(&path.key(key), message, hint);
            return None;
        }
    }
    Some(control)
}
