//! What orders and drops what waits in front of a transmitter.

use super::super::choice::choose_or;
use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::DirectionSpec;
use super::link::place;
use crate::plan::DisciplinePlan;
use acklab_units::Limit;

/// The word for drop-tail.
const DROP_TAIL: &str = "pfifo";

/// Most packets in a device.
const MOST_IN_DEVICE: u32 = 65_535;

/// The discipline of the direction at `path`, if it is another than drop-tail. What contradicts it is
/// reported.
pub(super) fn read(
    spec: &DirectionSpec,
    path: &Path,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Option<DisciplinePlan> {
    let choice = spec.qdisc.as_ref().map(|q| &q.0);
    let drop_tail = choice.is_none_or(|c| c.name == DROP_TAIL && c.params.is_empty());
    let device = device(spec, drop_tail, path, report);
    let choice = choice.filter(|_| !drop_tail)?;
    let at = place(path, "qdisc", report);
    let what = "queue discipline";
    let (entry, params) = choose_or(reg.qdisc, &[DROP_TAIL], what, choice, &at, report)?;
    let counts_packets = matches!(spec.queue.map(|q| q.0), None | Some(Limit::Packets(_)));
    if !counts_packets {
        let message = format!("`{}` counts packets", entry.name);
        let hint = format!(
            "write a number of packets, such as \"{} packets\"",
            entry.build.limit
        );
        report.error(&place(path, "queue", report), message, hint);
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
