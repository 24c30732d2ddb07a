//! Shapers that never act, because the link below them or the shaper around them is slower, or because they have no
//! rate; and one that begins with too little.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::steps;
use super::super::link::place;
use super::super::topology::Net;
use super::super::{Network, Way};
use acklab_path::qdisc::{cake::params as cake, shape::tbf};
use acklab_proto::registry::Params;
use acklab_units::Rate;

/// The packet for which overheads are compared.
const FULL_PACKET: u32 = 1500;

/// Warns about each link whose discipline, or one inside it, shapes to more than gets there.
pub(super) fn give(net: &Net, report: &mut Report<'_>) {
    for link in &net.links {
        let Some(of) = &link.plan.discipline else {
            continue;
        };
        let rate = link.plan.rate;
        let known = link.plan.trace.is_none();
        let bound = known.then(|| Bound {
            overhead: link.plan.overhead,
            ..Bound::new(rate, format!("on a link of {rate}"))
        });
        let at = place(&link.path, "qdisc", report);
        look((of.entry.name, &of.params), bound.as_ref(), &at, report);
    }
}

/// The same for the stations of a channel: of all that send equally fast, the first.
pub(super) fn on_air(network: &Network, report: &mut Report<'_>) {
    /// Rates of modes are broken numbers: their bound is told in such steps.
    const STEP: u64 = 100_000;
    let fastest = |ways: &[Way]| {
        let rates = ways.iter().map(|way| way.rate.mode.rate().as_bps());
        rates
            .max()
            .map(|bps| Rate::from_bps(bps.next_multiple_of(STEP)))
    };
    let mut told = Vec::new();
    for (i, station) in network.contenders.iter().enumerate() {
        let (side, ways) = match i {
            0 => ("down", &network.down[..]),
            _ => ("up", &network.up[i - 1..i]),
        };
        let (Some(of), Some(rate)) = (station.waiting.discipline(), fastest(ways)) else {
            continue;
        };
        if !told.contains(&(side, rate)) {
            told.push((side, rate));
            let bound = Bound::new(rate, format!("on a radio channel of {rate} at most"));
            let at = super::place(network, side, "qdisc", report);
            look((of.entry.name, &of.params), Some(&bound), &at, report);
        }
    }
}

/// What gets through at most, and in which place.
#[derive(Clone)]
struct Bound {
    rate: Rate,
    /// Bytes that a packet takes there beside its own.
    overhead: u32,
    place: String,
}

impl Bound {
    fn new(rate: Rate, place: String) -> Self {
        Self {
            rate,
            overhead: 0,
            place,
        }
    }

    /// The bound inside a shaper to `rate`.
    fn inside(outer: Option<&Self>, rate: Rate, shaper: &str) -> Self {
        match outer {
            Some(outer) if outer.rate <= rate => outer.clone(),
            _ => Self::new(rate, format!("inside {shaper} of {rate}")),
        }
    }
}

/// Looks at the discipline at `at` and at those inside it.
fn look((name, p): (&str, &Params), bound: Option<&Bound>, at: &Path, report: &mut Report<'_>) {
    match name {
        // Autorate only begins with `bandwidth`.
        "cake" if p.bool("autorate_ingress") => begins_with_little(p, at, report),
        "cake" if rate_of(p).is_none() => counts_for_nothing(p, at, report),
        "cake" => {
            warn("`cake`", p.rate("bandwidth"), bound, at, report);
            let counts = cake::bytes_of(p, FULL_PACKET);
            counts_too_little("`cake`", (p.rate("bandwidth"), counts), bound, at, report);
        }
        "tbf" => {
            warn("`tbf`", p.rate("rate"), bound, at, report);
            let counts = tbf::bytes_of(p, FULL_PACKET);
            counts_too_little("`tbf`", (p.rate("rate"), counts), bound, at, report);
            peak(p.rate("peakrate"), bound, at, report);
            look_inside(p, "`tbf`", p.rate("rate"), bound, at, report);
        }
        "htb" => tree(
            (name, p.tables("classes")),
            &at.key("classes"),
            bound,
            report,
        ),
        "queue-tree" => tree((name, p.tables("queues")), &at.key("queues"), bound, report),
        _ => {}
    }
}

/// The rate to which a CAKE shapes, or begins to.
fn rate_of(cake: &Params) -> Option<Rate> {
    cake.rate("bandwidth").filter(|rate| !rate.is_unlimited())
}

/// A sender that has just started sends slowly. Autorate shapes to that, and the sender then cannot show more.
fn begins_with_little(p: &Params, at: &Path, report: &mut Report<'_>) {
    if rate_of(p).is_some() {
        return;
    }
    let message = "`autorate_ingress` has no `bandwidth` to start from, so it starts from the rate of the first \
                   packets, and may hold a flow that has just started to that rate";
    let hint = "write the rate that you expect as `bandwidth`";
    report.warn(&at.key("autorate_ingress"), message.into(), hint.into());
}

/// Bytes beside the IP packet are for the shaper (tc-cake(8)). Without one they still count in the turns of flows and
/// tins, as in `cake_dequeue`, and in the statistics.
fn counts_for_nothing(p: &Params, at: &Path, report: &mut Report<'_>) {
    const KEYS: [&str; 6] = [
        "framing",
        "ether_vlan",
        "overhead",
        "mpu",
        "cells",
        "ingress",
    ];
    let values = cake::ENTRY.params.iter().zip(p.iter());
    let changed = values.filter(|(spec, (_, value))| *value != spec.default);
    let changed: Vec<_> = changed.map(|(_, (key, _))| key).collect();
    let Some(key) = KEYS.into_iter().find(|key| changed.contains(key)) else {
        return;
    };
    let counts = match key {
        "ingress" => "the turns of flows",
        _ => "the turns of flows and in the statistics",
    };
    let message = format!(
        "`cake` has no `bandwidth`, so `{key}` delays no packet: it counts only in {counts}"
    );
    let hint = format!("write a `bandwidth` below the rate of the line, or leave `{key}` out");
    report.warn(&at.key(key), message, hint);
}

/// Looks at the classes of a tree.
fn tree(
    (name, classes): (&str, &[Params]),
    at: &Path,
    bound: Option<&Bound>,
    report: &mut Report<'_>,
) {
    for (i, class) in classes.iter().enumerate() {
        let (_, _, ceiling) = rates(name, class);
        let shaper = called(name, i, class);
        let at = at.index(i);
        match parent(classes, class) {
            None => warn(&shaper, ceiling, bound, &at, report),
            Some(above) => more_than_parent(name, (&shaper, class), above, &at, report),
        }
        more_than_there_is(name, (&shaper, class), classes, &at, report);
        look_inside(class, &shaper, ceiling, bound, &at, report);
    }
}

/// What a message calls the class `i` of a tree.
pub(super) fn called(name: &str, i: usize, class: &Params) -> String {
    let word = if name == "htb" { "class" } else { "queue" };
    let own = class.names("name").first();
    let own = own.map_or_else(|| (i + 1).to_string(), |own| format!("`{own}`"));
    format!("{word} {own} of `{name}`")
}

/// The class above.
fn parent<'a>(classes: &'a [Params], class: &Params) -> Option<&'a Params> {
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
fn more_than_parent(
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
fn more_than_there_is(
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

fn look_inside(
    p: &Params,
    shaper: &str,
    rate: Option<Rate>,
    outer: Option<&Bound>,
    at: &Path,
    report: &mut Report<'_>,
) {
    let Some(child) = p.block("child") else {
        return;
    };
    let bound = match rate {
        None => outer.cloned(),
        Some(rate) => Some(Bound::inside(outer, rate, shaper)),
    };
    let of = (child.name, &child.params);
    look(of, bound.as_ref(), &at.key("child"), report);
}

fn warn(
    shaper: &str,
    rate: Option<Rate>,
    bound: Option<&Bound>,
    at: &Path,
    report: &mut Report<'_>,
) {
    let (Some(rate), Some(bound)) = (rate, bound) else {
        return;
    };
    if rate > bound.rate {
        let (place, least) = (&bound.place, bound.rate);
        let message = format!("{shaper} shapes to {rate} {place}: it never acts");
        let hint = format!("write a rate below {least}, or a discipline without a shaper");
        report.warn(at, message, hint);
    }
}

/// A shaper below the line's rate, by which the line takes longer for a packet all the same: packets take more there
/// than the shaper counts.
fn counts_too_little(
    shaper: &str,
    (rate, counts): (Option<Rate>, u64),
    bound: Option<&Bound>,
    at: &Path,
    report: &mut Report<'_>,
) {
    let (Some(rate), Some(bound)) = (rate, bound) else {
        return;
    };
    let takes = u64::from(FULL_PACKET + bound.overhead);
    let (there, here) = (bound.rate.serialisation(takes), rate.serialisation(counts));
    if rate <= bound.rate && takes > counts && there > here {
        let message = format!(
            "{shaper} shapes to {rate} and counts {counts} bytes for a packet of {FULL_PACKET}, which takes {takes} \
             {}: it never acts",
            bound.place
        );
        let hint = format!(
            "give the discipline an overhead of {} bytes, too, or a lower rate",
            bound.overhead
        );
        report.warn(at, message, hint);
    }
}

/// A peak rate that the line does not have.
fn peak(peak: Option<Rate>, bound: Option<&Bound>, at: &Path, report: &mut Report<'_>) {
    let (Some(peak), Some(bound)) = (peak, bound) else {
        return;
    };
    if peak > bound.rate {
        let message = format!(
            "a burst cannot leave at {peak} {}: the peak rate never acts",
            bound.place
        );
        let hint = format!("leave it out, or write a rate below {}", bound.rate);
        report.warn(&at.key("peakrate"), message, hint);
    }
}
