//! One link as written becomes two directions.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::{
    DetourSpec, DirectionSpec, GilbertElliottSpec, JitterSpec, LossModel, LossSpec, OutageSpec,
    PausesSpec, Probability, Qty, QuantilesSpec, RateSpec,
};
use super::{LONGEST, discipline, filter, not_too_long, trace};
use crate::plan::{ImpairPlan, JitterPlan, LinkPlan, LossPlan, PausesPlan, QueuePlan, TracePlan};
use acklab_path::impair::{Detour, LossPlace};
use acklab_path::link::trace::TUN_HEADER;
use acklab_units::{Bytes, Instant, Limit, Rate, Span};

/// A direction whose queue may still be given relative to the path.
#[derive(Debug)]
pub(crate) struct DraftLink {
    pub(crate) plan: LinkPlan,
    pub(crate) limit: Limit,
    pub(crate) mark: Option<Limit>,
    /// The limit is a default, not the user's.
    pub(crate) limit_is_default: bool,
    /// Where its keys stand.
    pub(crate) path: Path,
}

/// Where a direction runs, and where it is written.
#[derive(Clone)]
pub(crate) struct Site<'a> {
    /// Index and name of the node it leaves.
    pub(crate) from: (usize, &'a str),
    /// Index and name of the node it enters.
    pub(crate) to: (usize, &'a str),
    pub(crate) default_queue: Limit,
    /// Where its keys stand.
    pub(crate) path: Path,
}

impl Site<'_> {
    /// The way back.
    fn reverse(&self) -> Self {
        Self {
            from: self.to,
            to: self.from,
            default_queue: self.default_queue,
            path: self.path.key("reverse"),
        }
    }
}

/// Linux's default `txqueuelen`.
const TXQUEUELEN: u32 = 1000;
pub(crate) const HOST_QUEUE: Limit = Limit::Packets(TXQUEUELEN);
pub(crate) const HOST_QUEUE_PLAN: QueuePlan = QueuePlan::Packets(TXQUEUELEN);
/// The queue of a preset's bottleneck.
pub(crate) const BOTTLENECK_QUEUE: Limit = Limit::MicroBdp(1_000_000);

/// Most link-layer bytes per packet.
const MOST_OVERHEAD: u64 = 65_535;

/// Both directions of a link.
pub(crate) fn both_directions(
    forward: &DirectionSpec,
    reverse: &DirectionSpec,
    stops: Option<PausesSpec>,
    site: &Site<'_>,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> [DraftLink; 2] {
    let back = inherit(forward, reverse, reg);
    let mut both = [
        direction(forward, site, reg, report),
        direction(&back, &site.reverse(), reg, report),
    ];
    let of = both[0].plan.name.clone();
    let pauses = stops.and_then(|p| pauses(p, of, &site.path.key("pauses"), report));
    for link in &mut both {
        link.plan.impair.pauses.clone_from(&pauses);
    }
    both
}

fn pauses(
    spec: PausesSpec,
    of: String,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<PausesPlan> {
    let (length, gap) = (spec.length.0, spec.gap.0);
    not_too_long(length, &path.key("length"), report);
    not_too_long(gap, &path.key("gap"), report);
    if gap.is_zero() {
        let hint = "write the mean time between two pauses, such as \"60 ms\"".to_string();
        report.error(
            &path.key("gap"),
            "the link never resumes between pauses",
            hint,
        );
    }
    (!length.is_zero()).then_some(PausesPlan { length, gap, of })
}

/// The way back: what describes the line is shared, what befalls packets is not.
fn inherit(forward: &DirectionSpec, reverse: &DirectionSpec, reg: Registries<'_>) -> DirectionSpec {
    let name = forward.name.as_ref().map(|n| format!("{n}/reverse"));
    DirectionSpec {
        name: reverse.name.clone().or(name),
        rate: reverse.rate.clone().or_else(|| forward.rate.clone()),
        delay: reverse.delay.or(forward.delay),
        // A discipline in which nothing waits has no use for the queue of the way there.
        queue: match &reverse.qdisc {
            Some(own) if discipline::has_no_limit(&own.0.name, reg) => reverse.queue,
            _ => reverse.queue.or(forward.queue),
        },
        qdisc: reverse.qdisc.clone().or_else(|| forward.qdisc.clone()),
        // It belongs to the discipline that it is below.
        device_queue: match &reverse.qdisc {
            None => reverse.device_queue.or(forward.device_queue),
            Some(_) => reverse.device_queue,
        },
        mark: reverse.mark.or(forward.mark),
        overhead: reverse.overhead.or(forward.overhead),
        ..reverse.clone()
    }
}

/// Where `key` stands that holds for the direction at `path`: the way back may have it from the
/// way there.
pub(crate) fn place(path: &Path, key: &str, report: &Report<'_>) -> Path {
    let own = path.key(key);
    match path.parent() {
        Some(there) if !report.has(&own) && *path == there.key("reverse") => there.key(key),
        _ => own,
    }
}

fn direction(
    spec: &DirectionSpec,
    site: &Site<'_>,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> DraftLink {
    let path = &site.path;
    let default_name = format!("{}->{}", site.from.1, site.to.1);
    let (rate, trace) = rate(spec, path, reg, report);
    let overhead = overhead(spec, trace.is_some(), path, report);
    let delay = spec.delay.map_or(Span::ZERO, |d| d.0);
    not_too_long(delay, &place(path, "delay", report), report);
    let discipline = discipline::read(spec, path, reg, report);
    let named = match &discipline {
        None => discipline::drop_tail_default(spec, path, reg, report),
        Some(d) => Some(discipline::default_limit(d.entry)),
    };
    let default = named.unwrap_or(site.default_queue);
    let limited = discipline
        .as_ref()
        .is_none_or(|d| d.entry.build.counts.has_limit());
    let written = spec.queue.filter(|_| limited);
    let limit = written.map_or(default, |q| q.0);
    let nothing = "a queue of size 0 drops every packet";
    check_limit(limit, nothing, &place(path, "queue", report), report);
    let mark = spec.mark.and_then(|m| m.0);
    if let Some(mark) = mark {
        let nothing = "a threshold of nothing marks everything";
        check_limit(mark, nothing, &place(path, "mark", report), report);
    }
    let limit_is_default = spec.queue.is_none() && named.is_none();
    DraftLink {
        plan: LinkPlan {
            name: spec.name.clone().unwrap_or(default_name),
            from: site.from.0,
            to: site.to.0,
            rate,
            trace,
            delay,
            overhead,
            queue: QueuePlan::Packets(0),
            discipline,
            mark: None,
            filters: filter::filters(spec.ack_filter.as_ref(), path, reg, report),
            impair: impair(spec, path, report),
        },
        limit,
        mark,
        limit_is_default,
        path: path.clone(),
    }
}

/// The rate, and what it is the mean of.
fn rate(
    spec: &DirectionSpec,
    path: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> (Rate, Option<TracePlan>) {
    match &spec.rate {
        None => (Rate::MAX, None),
        Some(RateSpec::Constant(rate)) => (constant(rate.0, path, report), None),
        Some(RateSpec::Trace(t)) => {
            let at = place(path, "rate", report);
            match trace::read(&t.trace, reg.files, &at.key("trace"), report) {
                Some(plan) => (plan.trace.mean_rate(), Some(plan)),
                None => (Rate::MAX, None),
            }
        }
    }
}

fn constant(rate: Rate, path: &Path, report: &mut Report<'_>) -> Rate {
    if rate == Rate::ZERO {
        let hint = "write a rate above zero, such as \"10 Mbit/s\", or \"unlimited\"".to_string();
        report.error(
            &place(path, "rate", report),
            "nothing gets through at this rate",
            hint,
        );
    }
    rate
}

fn overhead(spec: &DirectionSpec, traced: bool, path: &Path, report: &mut Report<'_>) -> u32 {
    let default = if traced { TUN_HEADER } else { 0 };
    let Bytes(bytes) = spec.overhead.map_or(Bytes(u64::from(default)), |o| o.0);
    if bytes > MOST_OVERHEAD {
        let hint = "write the link-layer bytes of one packet: 2 for PPP, 14 for Ethernet";
        report.error(
            &place(path, "overhead", report),
            "more than any link adds",
            hint.to_string(),
        );
        return 0;
    }
    bytes as u32
}

fn check_limit(limit: Limit, nothing: &str, path: &Path, report: &mut Report<'_>) {
    let zero = matches!(
        limit,
        Limit::Packets(0) | Limit::Bytes(Bytes(0)) | Limit::MicroBdp(0)
    );
    if zero {
        let least = match limit {
            Limit::Bytes(_) => "1500 B\", one full packet",
            _ => "1 packet\"",
        };
        let hint = format!("write at least \"{least}; the packet in transmission does not count");
        report.error(path, nothing, hint);
    }
}

fn impair(spec: &DirectionSpec, path: &Path, report: &mut Report<'_>) -> ImpairPlan {
    let jitter_path = path.key("jitter");
    let jitter = spec
        .jitter
        .map_or(JitterPlan::None, |j| jitter(j, &jitter_path, report));
    let detour_path = path.key("detour");
    let detour = spec.detour.and_then(|d| detour(d, &detour_path, report));
    let (reorder, reorder_delay) = spec
        .reorder
        .map_or((0.0, Span::ZERO), |r| (r.probability.0, r.delay.0));
    let reorder_path = path.key("reorder").key("delay");
    not_too_long(reorder_delay, &reorder_path, report);
    if reorder > 0.0 && reorder_delay.is_zero() {
        let hint = "write for how long packets are held back, such as \"5 ms\"".to_string();
        report.error(
            &reorder_path,
            "without a delay no packet overtakes another",
            hint,
        );
    }
    ImpairPlan {
        loss: spec
            .loss
            .as_ref()
            .map_or(LossPlan::None, |l| loss(l, path, report)),
        loss_place: spec.loss.as_ref().map_or(LossPlace::default(), loss_place),
        ce: spec.ce.map_or(0.0, |p| p.0),
        jitter,
        detour,
        pauses: None,
        reorder,
        reorder_delay,
        duplicate: spec.duplicate.map_or(0.0, |p| p.0),
    }
}

fn jitter(spec: JitterSpec, path: &Path, report: &mut Report<'_>) -> JitterPlan {
    match spec {
        JitterSpec::Uniform(Qty(Span::ZERO)) => JitterPlan::None,
        JitterSpec::Uniform(Qty(span)) => {
            not_too_long(span, path, report);
            JitterPlan::Uniform(span)
        }
        JitterSpec::Quantiles(q) => quantiles(q, path, report),
    }
}

fn detour(spec: DetourSpec, path: &Path, report: &mut Report<'_>) -> Option<Detour> {
    let length = spec.length.map_or(LONGEST, |l| l.0);
    for (key, span) in [
        ("from", spec.from.0),
        ("length", length),
        ("delay", spec.delay.0),
    ] {
        not_too_long(span, &path.key(key), report);
    }
    let from = Instant::ZERO.saturating_add(spec.from.0);
    (!length.is_zero() && !spec.delay.0.is_zero()).then_some(Detour {
        from,
        until: from.saturating_add(length),
        extra: spec.delay.0,
    })
}

fn quantiles(q: QuantilesSpec, path: &Path, report: &mut Report<'_>) -> JitterPlan {
    let (median, p99, max) = (q.median.0, q.p99.0, q.max.map_or(LONGEST, |m| m.0));
    let at = |key: &str| path.key(key);
    not_too_long(p99, &at("p99"), report);
    not_too_long(max, &at("max"), report);
    if median.is_zero() {
        let hint = "write a time above zero, or one time alone for a uniform delay".to_string();
        report.error(&at("median"), "a log-normal delay is never zero", hint);
    } else if p99 <= median {
        let hint = format!("write more than the median, which is {median}");
        report.error(&at("p99"), "p99 must be above the median", hint);
    } else if max < p99 {
        let hint = format!("write at least p99, which is {p99}, or leave it out");
        report.error(
            &at("max"),
            "this cuts more than one delay in a hundred",
            hint,
        );
    }
    JitterPlan::LogNormal { median, p99, max }
}

fn loss(LossSpec(model): &LossSpec, path: &Path, report: &mut Report<'_>) -> LossPlan {
    match model {
        LossModel::None => LossPlan::None,
        LossModel::Bernoulli(b) if b.p.0 == 0.0 => LossPlan::None,
        LossModel::Bernoulli(b) => LossPlan::Bernoulli(b.p.0),
        LossModel::GilbertElliott(g) => gilbert_elliott(g),
        LossModel::Outage(o) => outage(o, &path.key("loss"), report),
        LossModel::Periodic(p) => {
            if p.every < 2 {
                let hint = "write at least 2: every second packet".to_string();
                let at = path.key("loss").key("every");
                report.error(&at, "this loses every packet", hint);
            }
            LossPlan::Periodic(p.every)
        }
    }
}

/// Where nothing is lost it makes no difference.
fn loss_place(LossSpec(model): &LossSpec) -> LossPlace {
    let written = match model {
        LossModel::Bernoulli(b) if b.p.0 == 0.0 => None,
        LossModel::None => None,
        LossModel::Bernoulli(b) => b.r#where,
        LossModel::Periodic(p) => p.r#where,
        LossModel::GilbertElliott(g) => g.r#where,
        LossModel::Outage(o) if o.length.0.is_zero() => None,
        LossModel::Outage(o) => o.r#where,
    };
    written.map_or(LossPlace::default(), Into::into)
}

fn outage(o: &OutageSpec, path: &Path, report: &mut Report<'_>) -> LossPlan {
    not_too_long(o.from.0, &path.key("from"), report);
    not_too_long(o.length.0, &path.key("length"), report);
    if o.length.0.is_zero() {
        return LossPlan::None;
    }
    let from = Instant::ZERO.saturating_add(o.from.0);
    let until = from.saturating_add(o.length.0);
    let every = o.every.map(|e| e.0);
    if let Some(span) = every {
        not_too_long(span, &path.key("every"), report);
        if span <= o.length.0 {
            let hint = format!("write more than the length, which is {}", o.length.0);
            report.error(&path.key("every"), "this outage never ends", hint);
        }
    }
    LossPlan::Outage { from, until, every }
}

fn gilbert_elliott(g: &GilbertElliottSpec) -> LossPlan {
    let or = |p: Option<Probability>, default: f64| p.map_or(default, |p| p.0);
    LossPlan::GilbertElliott {
        p: g.p.0,
        r: g.r.0,
        loss_good: or(g.loss_good, 0.0),
        loss_bad: or(g.loss_bad, 1.0),
    }
}
