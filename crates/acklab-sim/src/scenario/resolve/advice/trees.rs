//! Classes of a tree that promise more than their parents have.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::steps;
use acklab_proto::registry::Params;
use acklab_units::Rate;

/// What a message calls the class `i` of a tree.
pub(super) fn called(name: &str, i: usize, class: &Params) -> String {
    let word = if name == "htb" { "class" } else { "queue" };
    let own = class.names("name").first();
    let own = own.map_or_else(|| (i + 1).to_string(), |own| format!("`{own}`"));
    format!("{word} {own} of `{name}`")
}

/// The class above.
pub(super) fn parent<'a>(classes: &'a [Params], class: &Params) -> Option<&'a Params> {
    let parent = class.names("parent").first()?;
    let mut all = classes.iter();
    all.find(|c| c.names("name").first() == Some(parent))
}

/// The key of the rate that a class is sure of in that tree, that rate, and its ceiling.
pub(super) fn rates(name: &str, class: &Params) -> (&'static str, Option<Rate>, Option<Rate>) {
    match name {
        "htb" => (
            "rate",
            class.rate("rate"),
            class.rate("ceil").or(class.rate("rate")),
        ),
        _ => ("limit_at", class.rate("limit_at"), class.rate("max_limit")),
    }
}

/// Nobody can give a class a rate of its own that its parent does not have, nor lend it more.
pub(super) fn more_than_parent(
    name: &str,
    (shaper, class): (&str, &Params),
    above: &Params,
    at: &Path,
    report: &mut Report<'_>,
) {
    let (key, own, ceiling) = rates(name, class);
    let (_, _, Some(most)) = rates(name, above) else {
        return;
    };
    let hint = format!("write {most} or less, or a higher one for the parent");
    if let Some(own) = own.filter(|own| *own > most) {
        let message = format!("{shaper} is sure of {own}, and its parent has {most} at most");
        report.warn(&at.key(key), message, hint);
    } else if let Some(ceiling) = ceiling.filter(|ceiling| *ceiling > most) {
        let message = format!("{shaper} may reach {ceiling}, and its parent has {most} at most");
        let key = if name == "htb" { "ceil" } else { "max_limit" };
        report.warn(&at.key(key), message, hint);
    }
}

/// Classes get what they are sure of even where their parent has less: it then exceeds its own ceiling.
pub(super) fn more_than_there_is(
    name: &str,
    (shaper, class): (&str, &Params),
    classes: &[Params],
    at: &Path,
    report: &mut Report<'_>,
) {
    let (Some(own), (_, _, Some(most))) = (class.names("name").first(), rates(name, class)) else {
        return;
    };
    let below = classes
        .iter()
        .filter(|c| c.names("parent").first() == Some(own));
    let sure: Vec<_> = below.filter_map(|c| rates(name, c).1).collect();
    steps::count(classes.len());
    let all = sure
        .iter()
        .fold(0_u64, |all, rate| all.saturating_add(rate.as_bps()));
    let alone = sure.iter().any(|rate| *rate > most);
    if all > most.as_bps() && !alone {
        let all = Rate::from_bps(all);
        let message =
            format!("the classes below {shaper} are sure of {all}, and it has {most} at most");
        let hint =
            format!("write rates that sum to {most} or less, or a higher one for this class");
        report.warn(at, message, hint);
    }
}
