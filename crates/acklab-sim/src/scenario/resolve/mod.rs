//! From what the user wrote to what the engine runs: defaults filled in, names checked, routes
//! computed.
//!
//! Each part reports its own mistakes and goes on with something harmless, so that one pass finds
//! as many as possible. Settings that depend on several parts (routes, queues in bandwidth-delay products)
//! are only resolved when those parts are sound.

mod advice;
mod app;
mod discipline;
mod expect;
mod filter;
mod flow;
mod link;
mod name;
mod preset;
mod queue;
mod record;
mod request;
mod route;
mod tcp;
mod timeless;
mod topology;
mod trace;
mod wifi;

use super::diagnostics::Report;
use super::expect::Expectations;
use super::path::Path;
use super::registries::Registries;
use super::spec::Spec;
use crate::plan::Plan;
use acklab_path::wifi::medium::AccessCategory;
use acklab_units::{Instant, Span};

pub(crate) use wifi::{Channel, Coexistence, Network, Queueing, Space, Station, Waiting, Way};

/// The result of resolving a scenario.
pub(crate) struct Resolved {
    pub(crate) description: String,
    pub(crate) seed: u64,
    pub(crate) plan: Plan,
    pub(crate) expect: Expectations,
    /// The parts of the plan's media.
    pub(crate) wifi: Vec<Network>,
    /// Of each flow its access category, if it has its own.
    pub(crate) categories: Vec<Option<AccessCategory>>,
}

/// Resolves `spec`. `None` if there are mistakes; then `report` holds them.
pub(crate) fn resolve(
    spec: &Spec,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Option<Resolved> {
    let name = name::resolve(spec.name.as_deref(), report);
    let clock = Clock::of(spec, report);
    let mut net = topology::build(spec, reg, report);
    let drafts = flow::resolve_all(spec, &clock, reg, &net, report);
    let expect = expect::resolve(spec, &drafts, &net, report);
    let record = record::resolve(spec, clock.stop, &net, report);
    if !report.is_clean() {
        return None;
    }
    let mut flows = flow::expand(drafts);
    route::lay(&mut flows, &net, report);
    if report.is_clean() {
        timeless::refuse(&net, &flows, report);
    }
    if !report.is_clean() {
        return None;
    }
    discipline::number(&mut net, spec, &flows, report);
    queue::size(&mut net, &flows, report);
    trace::name(&mut net);
    advice::give(&net, &flows, clock.stop - clock.start, report);
    let sampled = flows.len() + net.links.len();
    record::few_samples((spec, &record), clock.stop, sampled, report);
    let media = net.wifi.iter().map(|w| wifi::medium::plan(w, &flows));
    let media = media.collect();
    let categories = flows.iter().map(|f| f.category).collect();
    report.is_clean().then(|| Resolved {
        description: spec.description.clone().unwrap_or_default(),
        seed: spec.seed.unwrap_or(DEFAULT_SEED),
        plan: Plan {
            name,
            nodes: net.nodes,
            links: net.links.into_iter().map(|l| l.plan).collect(),
            media,
            flows: flows.into_iter().map(|f| f.plan).collect(),
            stop: clock.stop,
            measure_from: clock.start,
            record,
            warmup: clock.warmup,
        },
        expect,
        wifi: net.wifi,
        categories,
    })
}

const DEFAULT_SEED: u64 = 1;

/// The longest time of any kind. Twice as long is what the event queue can count for the largest
/// network that can be written, and sums are far from overflow.
const LONGEST: Span = Span::from_secs(12 * 3600);

/// When things begin and end.
struct Clock {
    start: Instant,
    stop: Instant,
    warmup: Instant,
}

impl Clock {
    fn of(spec: &Spec, report: &mut Report<'_>) -> Self {
        let root = Path::root();
        let duration = spec.duration.map_or(Span::ZERO, |d| d.0);
        match spec.duration {
            Some(d) => not_zero(d.0, &root.key("duration"), "the run", report),
            None => report.missing(
                &root,
                "duration",
                "say how long to measure: duration = \"60 s\"",
            ),
        }
        let start = spec.start.map_or(Span::ZERO, |s| s.0);
        let warmup = spec.warmup.map_or(Span::ZERO, |w| w.0);
        for (key, value) in [("duration", duration), ("start", start), ("warmup", warmup)] {
            not_too_long(value, &root.key(key), report);
        }
        if warmup >= duration && !warmup.is_zero() && spec.duration.is_some() {
            let hint = format!("write less than the duration, which is {duration}");
            report.error(&root.key("warmup"), "the warm-up takes the whole run", hint);
        }
        let at = |s: Span| Instant::ZERO.saturating_add(s);
        Self {
            start: at(start),
            stop: at(start).saturating_add(duration),
            warmup: at(start).saturating_add(warmup),
        }
    }
}

fn not_zero(span: Span, path: &Path, whose: &str, report: &mut Report<'_>) {
    if span.is_zero() {
        let hint = "write a time above zero, such as \"60 s\"".to_string();
        report.error(path, format!("{whose} takes no time at all"), hint);
    }
}

fn not_too_long(span: Span, path: &Path, report: &mut Report<'_>) {
    if span > LONGEST {
        let hint = format!("write \"{LONGEST}\" (12 hours) at most");
        report.error(path, "too long", hint);
    }
}
