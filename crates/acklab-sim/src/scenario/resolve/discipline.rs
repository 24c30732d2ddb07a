//! The queue discipline in front of a transmitter.

use super::super::choice::choose;
use super::super::diagnostics::{Report, suggest};
use super::super::path::{Path, Step};
use super::super::registries::Registries;
use super::super::spec::{DirectionSpec, Spec};
use super::flow::DraftFlow;
use super::link::place;
use super::topology::Net;
use crate::plan::DisciplinePlan;
use acklab_path::qdisc;
use acklab_path::qdisc::registry::{At, Build, Counts};
use acklab_proto::registry::{Entry, Kind, Named, Nested, Param, Params, find};
use acklab_units::{Bytes, Limit};

/// The words for drop-tail. A link computes it without asking a discipline.
const DROP_TAIL: [&str; 2] = ["pfifo", "bfifo"];

/// Most packets in a device.
pub(super) const MOST_IN_DEVICE: u32 = 65_535;

/// The discipline of the direction at `path`, if it is another than drop-tail. Reports keys that
/// contradict it.
pub(super) fn read(
    spec: &DirectionSpec,
    path: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Option<DisciplinePlan> {
    let choice = spec.qdisc.as_ref().map(|q| &q.0);
    let drop_tail =
        choice.is_none_or(|c| DROP_TAIL.contains(&c.name.as_str()) && c.params.is_empty());
    let device = device(spec, drop_tail, path, report);
    let choice = choice.filter(|_| !drop_tail)?;
    let at = place(path, "qdisc", report);
    let (entry, mut params) = choose(reg.qdisc, "queue discipline", choice, &at, report)?;
    settle(entry, &mut params, &at, reg, report);
    let limit = spec.queue.map(|q| q.0);
    if !counted(entry, limit, &place(path, "queue", report), report) {
        return None;
    }
    if spec.mark.is_some_and(|m| m.0.is_some()) {
        let has = |name: &str| entry.params.iter().any(|p| p.name == name);
        let message = format!(
            "`{}` marks by rules of its own, not from a length on",
            entry.name
        );
        let hint = match (has("ce_threshold"), has("ecn")) {
            (true, _) => "leave `mark` out, and give the discipline a `ce_threshold`",
            (false, true) => "leave `mark` out, and give the discipline `ecn = true`",
            (false, false) => "leave `mark` out",
        };
        let hint = hint.to_string();
        report.error(&place(path, "mark", report), message, hint);
    }
    Some(DisciplinePlan {
        entry,
        params,
        device,
    })
}

/// How much may wait by default in the drop-tail queue of the direction at `path`, if its name says so:
/// `pfifo` leaves it to the link. A limit that its name contradicts is reported.
pub(super) fn drop_tail_default(
    spec: &DirectionSpec,
    path: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Option<Limit> {
    let choice = &spec.qdisc.as_ref()?.0;
    let entry = find(reg.qdisc, &choice.name).filter(|e| e.build.counts == Counts::Bytes)?;
    let limit = spec.queue.map(|q| q.0);
    counted(entry, limit, &place(path, "queue", report), report).then(|| default_limit(entry))
}

/// Whether the discipline of this name has no limit of its own.
pub(super) fn has_no_limit(name: &str, reg: Registries<'_>) -> bool {
    find(reg.qdisc, name).is_some_and(|e| !e.build.counts.has_limit())
}

/// Checks what the discipline at `at` says about itself and about those inside it, and fills in the
/// limits of those.
pub(super) fn settle(
    entry: &Entry<Build>,
    params: &mut Params,
    at: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) {
    if let Some(mistake) = (entry.build.check)(params) {
        let step = |at: Path, step: &At| match step {
            At::Key(key) => at.key(key),
            At::Index(i) => at.index(*i),
        };
        let place = mistake.at.iter().fold(at.clone(), step);
        let place = if report.has(&place) { &place } else { at };
        report.error(place, mistake.message, mistake.hint);
    }
    settle_inside(params, at, reg, report);
}

fn settle_inside(params: &mut Params, at: &Path, reg: Registries<'_>, report: &mut Report<'_>) {
    for (key, nested) in params.nested_mut() {
        let at = at.key(key);
        match nested {
            Nested::Block(block) => {
                let Some(entry) = find(reg.qdisc, block.name) else {
                    continue;
                };
                let fits = counted(entry, block.limit, &at.key("queue"), report);
                let waits = entry.build.counts.has_limit();
                block.limit = block.limit.filter(|_| fits).or(Some(default_limit(entry)));
                block.limit = block.limit.filter(|_| waits);
                settle(entry, &mut block.params, &at, reg, report);
            }
            Nested::Tables(tables) => {
                for (i, table) in tables.iter_mut().enumerate() {
                    settle_inside(table, &at.index(i), reg, report);
                }
            }
            Nested::Names(..) => {}
        }
    }
}

/// Puts numbers to the names of flows and nodes in all disciplines. The name of flows with `count` becomes
/// those of each.
pub(super) fn number(net: &mut Net, spec: &Spec, flows: &[DraftFlow], report: &mut Report<'_>) {
    let groups = flows.iter().map(|f| group(spec, f)).collect();
    let flows: Vec<&str> = flows.iter().map(|f| f.plan.name.as_str()).collect();
    let nodes: Vec<&str> = net.nodes.iter().map(String::as_str).collect();
    let known = Known {
        flows,
        groups,
        nodes,
    };
    for link in &mut net.links {
        let at = place(&link.path, "qdisc", report);
        if let Some(discipline) = &mut link.plan.discipline {
            let specs = discipline.entry.params;
            known.number(specs, &mut discipline.params, &at, report);
        }
    }
    for network in &mut net.wifi {
        let at = network.path.key("qdisc");
        for (specs, params) in network.disciplines_mut() {
            known.number(specs, params, &at, report);
        }
    }
}

/// The keys that a discipline can have.
struct Known<'a> {
    flows: Vec<&'a str>,
    /// Of each flow the name that it shares with others.
    groups: Vec<Option<String>>,
    nodes: Vec<&'a str>,
}

impl Known<'_> {
    fn number(&self, specs: &[Param], params: &mut Params, at: &Path, report: &mut Report<'_>) {
        for (key, nested) in params.nested_mut() {
            let at = at.key(key);
            let kind = specs.iter().find(|p| p.name == key).map(|p| p.kind);
            match (nested, kind) {
                (Nested::Names(names, numbers), Some(Kind::Names(named))) => {
                    self.look_up(named, names, numbers, &at, report);
                }
                (Nested::Tables(tables), Some(Kind::Tables(specs))) => {
                    for (i, table) in tables.iter_mut().enumerate() {
                        self.number(specs, table, &at.index(i), report);
                    }
                }
                (Nested::Block(block), _) => {
                    let inner = find(qdisc::registry::DISCIPLINES, block.name);
                    let specs = inner.map_or(&[][..], |entry| entry.params);
                    self.number(specs, &mut block.params, &at, report);
                }
                _ => {}
            }
        }
    }

    fn look_up(
        &self,
        named: Named,
        names: &mut Vec<String>,
        numbers: &mut Vec<u32>,
        at: &Path,
        report: &mut Report<'_>,
    ) {
        let (known, what) = match named {
            Named::Flows => (&self.flows, "flow"),
            Named::Nodes => (&self.nodes, "node"),
            Named::Dscp => return,
        };
        numbers.clear();
        for name in std::mem::take(names) {
            let shared = |i: usize| {
                let group = self.groups.get(i).and_then(Option::as_ref);
                named == Named::Flows && group == Some(&name)
            };
            let before = numbers.len();
            for (i, own) in known.iter().enumerate() {
                if *own == name || shared(i) {
                    names.push((*own).to_string());
                    numbers.push(i as u32);
                }
            }
            if numbers.len() == before {
                let message = format!("there is no {what} called `{name}`");
                let hint = suggest(&name, known.iter().copied(), "the names are");
                let root = Path::root();
                report.error(if report.has(at) { at } else { &root }, message, hint);
            }
        }
    }
}

/// The name of the `[[flow]]` that a flow comes from, if it makes several.
fn group(spec: &Spec, flow: &DraftFlow) -> Option<String> {
    let Some(Step::Index(i)) = flow.path.0.last() else {
        return None;
    };
    let written = spec.flow.get(*i)?;
    written.count?;
    Some(written.name.clone().unwrap_or_else(|| format!("f{i}")))
}

/// Whether `entry` counts what `limit`, which stands at `path`, is in. Reports a unit that it does not count.
pub(super) fn counted(
    entry: &Entry<Build>,
    limit: Option<Limit>,
    path: &Path,
    report: &mut Report<'_>,
) -> bool {
    let (packets, bytes) = match entry.build.counts {
        Counts::Packets => (true, false),
        Counts::Bytes => (false, true),
        Counts::Either => (true, true),
        Counts::Inside | Counts::Memory => return no_limit(entry, limit, path, report),
    };
    let fits = match limit {
        None => true,
        Some(Limit::Packets(_)) => packets,
        Some(Limit::Bytes(_) | Limit::MicroBdp(_)) => bytes,
    };
    if !fits {
        let what = if packets { "packets" } else { "bytes" };
        let message = format!("`{}` counts {what}", entry.name);
        let example = default_limit(entry);
        let hint = format!("write a number of {what}, such as \"{example}\"");
        report.error(path, message, hint);
    }
    fits
}

fn no_limit(
    entry: &Entry<Build>,
    limit: Option<Limit>,
    path: &Path,
    report: &mut Report<'_>,
) -> bool {
    let name = entry.name;
    if limit.is_none() {
        return true;
    }
    if entry.build.counts == Counts::Memory {
        // A sweep over disciplines may give all of them the same queue.
        let message = format!(
            "has no effect: `{name}` limits the memory that packets take, not their number"
        );
        let hint = format!(
            "leave `queue` out, or write qdisc = {{ name = \"{name}\", memlimit = \"4 MB\" }}"
        );
        report.warn(path, message, hint);
        return true;
    }
    let message = format!("packets wait inside `{name}`, not in a queue of its own");
    let hint =
        "write `queue` in what is inside: child = { name = \"pfifo\", queue = \"50 packets\" }";
    report.error(path, message, hint.to_string());
    false
}

/// How much may wait in a discipline that is given no limit.
pub(super) fn default_limit(entry: &Entry<Build>) -> Limit {
    match entry.build.limit {
        qdisc::Limit::Packets(n) => Limit::Packets(n),
        qdisc::Limit::Bytes(n) => Limit::Bytes(Bytes(n)),
    }
}

fn device(spec: &DirectionSpec, drop_tail: bool, path: &Path, report: &mut Report<'_>) -> u32 {
    let packets = spec.device_queue.unwrap_or(0);
    let at = place(path, "device_queue", report);
    if packets > MOST_IN_DEVICE {
        let hint = format!("write a number of packets up to {MOST_IN_DEVICE}, such as 100");
        report.error(&at, "too many packets for the queue of a device", hint);
    } else if drop_tail && packets > 0 {
        let hint = "leave it out and make `queue` longer, or write another `qdisc`".to_string();
        report.error(
            &at,
            "two drop-tail queues in a row are one longer queue",
            hint,
        );
    }
    packets.min(MOST_IN_DEVICE)
}
