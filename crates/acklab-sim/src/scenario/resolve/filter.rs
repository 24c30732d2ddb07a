//! The ACK filters of one place: which, in which order, and whether they can stand together.

use super::super::choice::choose_or;
use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::{Choice, FiltersSpec};
use crate::plan::FilterPlan;
use acklab_path::ack_filter::chain::{Chain, Clash, Contradiction};

/// The word for no filter.
const NONE: &str = "none";

/// The filters in the table at `path`, in the order in which an ACK meets them.
pub(super) fn filters(
    spec: Option<&FiltersSpec>,
    path: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Vec<FilterPlan> {
    let at = path.key("ack_filter");
    match spec {
        None => Vec::new(),
        Some(FiltersSpec::One(one)) => filter(&one.0, &at, reg, report).into_iter().collect(),
        Some(FiltersSpec::Several(list)) => {
            if list.is_empty() {
                let hint = "write \"none\" for no filter".to_string();
                report.error(&at, "an empty list", hint);
            }
            let of_list = list.iter().enumerate();
            let found = of_list
                .filter_map(|(i, one)| Some((i, filter(&one.0, &at.index(i), reg, report)?)));
            let found: Vec<(usize, FilterPlan)> = found.collect();
            stand_together(&found, &at, report);
            found.into_iter().map(|(_, filter)| filter).collect()
        }
    }
}

/// The filter that `choice` names, if it is none of that name.
fn filter(
    choice: &Choice,
    at: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Option<FilterPlan> {
    if choice.name == NONE && choice.params.is_empty() {
        return None;
    }
    let (entry, params) = choose_or(reg.filter, &[NONE], "ACK filter", choice, at, report)?;
    Some(FilterPlan { entry, params })
}

/// Filters that contradict each other; found with their places in the list at `at`.
fn stand_together(found: &[(usize, FilterPlan)], at: &Path, report: &mut Report<'_>) {
    let built = found.iter().map(|(_, f)| (f.entry.build)(&f.params));
    let Err(Contradiction {
        upper,
        lower,
        clash,
    }) = Chain::new(built)
    else {
        return;
    };
    let [a, b] = [upper, lower].map(|i| found[i].1.entry.name);
    let (message, hint) = match clash {
        Clash::BothBefore => (
            format!(
                "`{a}` and `{b}` at one place: each keeps ACKs back by its own count or timer, and \
                 would wait for those that the other has"
            ),
            format!(
                "leave one of them out; you can combine one with a filter that looks into the queue: [\"{a}\", \"cake\"]"
            ),
        ),
        Clash::BothInside => (
            format!(
                "`{a}` and `{b}` at one place: each takes ACKs out of the same queue by its own rule \
                 of which one stays there"
            ),
            format!(
                "leave one of them out; you can combine one with a filter that decides before the queue: [\"tac\", \"{a}\"]"
            ),
        ),
        Clash::Upside => (
            format!(
                "`{b}` cannot stand below `{a}`, which looks into the queue: `{b}` would hold the ACKs, so \
                 they would not be in the queue"
            ),
            format!("write them in the order in which an ACK meets them: [\"{b}\", \"{a}\"]"),
        ),
    };
    report.error(&at.index(found[lower].0), message, hint);
}
