//! What orders and drops what waits in front of a transmitter.

use super::super::choice::choose;
use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::DirectionSpec;
use super::link::place;
use crate::plan::DisciplinePlan;
use acklab_path::qdisc;
use acklab_path::qdisc::registry::{Build, Counts};
use acklab_proto::registry::{Entry, find};
use acklab_units::{Bytes, Limit};

/// The words for drop-tail. A link computes it without asking a discipline.
const DROP_TAIL: [&str; 2] = ["pfifo", "bfifo"];

/// Most packets in a device.
pub(super) const MOST_IN_DEVICE: u32 = 65_535;

/// The discipline of the direction at `path`, if it is another than drop-tail. What contradicts it is
/// reported.
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
    let (entry, params) = choose(reg.qdisc, "queue discipline", choice, &at, report)?;
    let limit = spec.queue.map(|q| q.0);
    if !counted(entry, limit, &place(path, "queue", report), report) {
        return None;
    }
    if spec.mark.is_some_and(|m| m.0.is_some()) {
        let message = format!("`{}` marks by time, not by length", entry.name);
        let hint = "leave `mark` out, and give the discipline a `ce_threshold`".to_string();
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

/// Whether `entry` counts what `limit`, which stands at `path`, is in. What it does not is reported.
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
        report.error(&at, "no device has room for so many packets", hint);
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
