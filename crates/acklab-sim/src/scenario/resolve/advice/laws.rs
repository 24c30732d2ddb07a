//! Parameters of disciplines that Linux takes without a word and that hardly anybody means: control laws turned
//! upside down, thresholds that no queue reaches, rates at which a packet takes for ever.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::steps;
use super::super::Network;
use super::super::flow::DraftFlow;
use super::super::link::place;
use super::super::queue;
use super::super::topology::Net;
use super::trees;
use crate::plan::QueuePlan;
use acklab_path::qdisc::{codel, fq_codel, red, shape};
use acklab_proto::registry::Params;
use acklab_units::{Limit, Rate, Span};
use std::collections::HashMap;

/// Warns about the links, and about the discipline on each.
pub(super) fn give(net: &Net, flows: &[DraftFlow], run: Span, report: &mut Report<'_>) {
    let crossing = queue::largest(net.links.len(), flows);
    // One key may speak of both directions: of data, and of its acknowledgements.
    let mut largest = HashMap::<Path, u32>::new();
    for (link, crossing) in net.links.iter().zip(crossing) {
        for key in ["rate", "qdisc"] {
            let most = largest.entry(place(&link.path, key, report)).or_default();
            *most = crossing.max(*most);
        }
    }
    for link in &net.links {
        steps::count(1);
        if link.plan.trace.is_none() {
            let at = place(&link.path, "rate", report);
            too_slow("the link", Some(link.plan.rate), largest[&at], &at, report);
        }
        if let Some(of) = &link.plan.discipline {
            let at = place(&link.path, "qdisc", report);
            let room = Room {
                limit: bytes(link.plan.queue),
                largest: largest[&at],
                run,
            };
            look((of.entry.name, &of.params), room, &at, report);
        }
    }
}

/// The same for the stations of a channel, which all have the access point's discipline or that of their side.
pub(super) fn on_air(network: &Network, longest: u64, run: Span, report: &mut Report<'_>) {
    let sides = network.contenders.iter().enumerate();
    for (i, station) in sides {
        if let Some(of) = station.waiting.discipline() {
            let side = if i == 0 { "down" } else { "up" };
            let at = super::place(network, side, "qdisc", report);
            let room = Room {
                limit: bytes(station.waiting.limit),
                largest: longest as u32,
                run,
            };
            look((of.entry.name, &of.params), room, &at, report);
        }
    }
}

/// What a discipline has around it.
#[derive(Clone, Copy)]
struct Room {
    /// Bytes that may wait, if it counts bytes.
    limit: Option<u64>,
    /// Bytes of the largest packet that comes; 0 where no flow does.
    largest: u32,
    /// How long the run is.
    run: Span,
}

fn bytes(limit: QueuePlan) -> Option<u64> {
    match limit {
        QueuePlan::Bytes(bytes) => Some(bytes),
        QueuePlan::Packets(_) => None,
    }
}

fn look((name, p): (&str, &Params), room: Room, at: &Path, report: &mut Report<'_>) {
    match name {
        "codel" => target(name, p, at, report),
        "fq-codel" => {
            target(name, p, at, report);
            small_turn(p, at, report);
        }
        "pie" => rare_updates(p, room.run, at, report),
        "red" => {
            if let Some(limit) = room.limit {
                thresholds(p, limit, at, report);
            }
        }
        // Autorate only begins with `bandwidth`.
        "cake" if !p.bool("autorate_ingress") => {
            let at = at.key("bandwidth");
            too_slow("`cake`", p.rate("bandwidth"), room.largest, &at, report);
        }
        "tbf" => {
            too_slow(
                "`tbf`",
                p.rate("rate"),
                room.largest,
                &at.key("rate"),
                report,
            );
            small_buckets(p, room.largest, at, report);
            inside(p, room, at, report);
        }
        "htb" => tree(
            (name, p.tables("classes")),
            &at.key("classes"),
            room,
            report,
        ),
        "queue-tree" => tree((name, p.tables("queues")), &at.key("queues"), room, report),
        _ => {}
    }
}

fn inside(p: &Params, room: Room, at: &Path, report: &mut Report<'_>) {
    if let Some(child) = p.block("child") {
        let limit = match child.limit {
            Some(Limit::Bytes(bytes)) => Some(bytes.0),
            _ => None,
        };
        let room = Room { limit, ..room };
        look((child.name, &child.params), room, &at.key("child"), report);
    }
}

/// A packet that is larger than a bucket never leaves it (tc-tbf(8)).
fn small_buckets(p: &Params, largest: u32, at: &Path, report: &mut Report<'_>) {
    let counts = shape::bytes_of(p)(largest);
    for key in ["burst", "mtu"] {
        let used = key == "burst" || p.rate("peakrate").is_some();
        let Some(holds) = p.size(key).filter(|holds| used && *holds < counts) else {
            continue;
        };
        let framed = match counts == u64::from(largest) {
            true => String::new(),
            false => format!(", and one of {largest} counts for {counts}"),
        };
        let message = format!("`tbf` refuses packets of more than {holds} bytes{framed}");
        let hint = format!("write {key} = \"{counts} B\" or more, or leave it out");
        report.warn(&at.key(key), message, hint);
    }
}

/// A class may be sure of next to nothing; how far it gets is what counts.
fn tree((name, classes): (&str, &[Params]), at: &Path, room: Room, report: &mut Report<'_>) {
    for (i, class) in classes.iter().enumerate() {
        let at = at.index(i);
        let what = trees::called(name, i, class);
        let (_, _, most) = trees::rates(name, class);
        let key = ["max_limit", "ceil", "rate"].map(|key| at.key(key));
        let written = key.iter().find(|at| report.has(at)).unwrap_or(&at).clone();
        too_slow(&what, most, room.largest, &written, report);
        if name == "htb" {
            less_than_a_packet(&what, class.size("quantum"), room.largest, &at, report);
        }
        inside(class, room, &at, report);
    }
}

/// A class owes what it sent beyond its turn, and pays a quantum each round (`htb_dequeue_tree`).
fn less_than_a_packet(
    what: &str,
    quantum: Option<u64>,
    largest: u32,
    at: &Path,
    report: &mut Report<'_>,
) {
    let largest = u64::from(largest);
    if let Some(quantum) = quantum.filter(|quantum| *quantum < largest) {
        let message = format!(
            "{what} has a quantum of {quantum} bytes, less than a packet of {largest}: it sends a packet in \
             each turn all the same"
        );
        let hint = format!("write quantum = \"{largest} B\" or more (tc-htb(8)), or leave it out");
        report.warn(&at.key("quantum"), message, hint);
    }
}

/// CoDel drops when packets have waited for longer than the target for as long as an interval, which is to be a
/// round trip. RFC 8289 section 4.3 has the target at 5 to 10 % of it.
fn target(name: &str, p: &Params, at: &Path, report: &mut Report<'_>) {
    let (Some(target), Some(interval)) = (p.span("target"), p.span("interval")) else {
        return;
    };
    if target < interval {
        return;
    }
    let message = format!(
        "`{name}` has a target of {target} in an interval of {interval}: it lets as much wait as a whole \
         round trip brings"
    );
    let (least, most) = (interval / 20, interval / 10);
    let hint = if least < codel::LEAST_TIME {
        "write a longer interval, such as \"100 ms\", and a target of 5 to 10 % of it (RFC 8289 section 4.3)"
            .to_string()
    } else {
        format!(
            "write a target of 5 to 10 % of the interval, \"{least}\" to \"{most}\" (RFC 8289 section 4.3), or a \
             longer interval"
        )
    };
    let keys = ["target", "interval"].map(|key| at.key(key));
    let written = keys.iter().find(|at| report.has(at)).unwrap_or(at).clone();
    report.warn(&written, message, hint);
}

/// PIE's probability is 0 until the first update.
fn rare_updates(p: &Params, run: Span, at: &Path, report: &mut Report<'_>) {
    let Some(tupdate) = p.span("tupdate").filter(|tupdate| *tupdate >= run) else {
        return;
    };
    let message = format!(
        "`pie` updates its drop probability every {tupdate}, and the run lasts {run}: it never drops early"
    );
    let hint = "write a shorter `tupdate`, or leave it out for 15 ms".to_string();
    report.warn(&at.key("tupdate"), message, hint);
}

/// Linux raises a smaller quantum (`fq_codel_change`).
fn small_turn(p: &Params, at: &Path, report: &mut Report<'_>) {
    let quantum = p.int("quantum");
    if quantum < fq_codel::LINUX_LEAST_QUANTUM {
        let message = format!(
            "a flow sends {quantum} bytes in its turn; Linux has {} at least",
            fq_codel::LINUX_LEAST_QUANTUM
        );
        let hint =
            "write 300 where small packets are to go first, or leave it out for one full packet";
        report.warn(&at.key("quantum"), message, hint.to_string());
    }
}

/// Linux takes an upper threshold above the limit; `tc_red_eval_ewma` refuses a burst that does not reach `min`.
fn thresholds(p: &Params, limit: u64, at: &Path, report: &mut Report<'_>) {
    let (min, max) = red::thresholds(p, limit as f64);
    if max >= limit as f64 {
        let message = format!(
            "the queue holds {limit} bytes, so its average never gets to `max`, which is {max:.0}: packets are \
             dropped where they do not fit"
        );
        let hint = format!(
            "write `max` below the queue's limit by a burst or more, such as \"{} B\"; or a longer `queue`",
            limit / 4
        );
        let keys = ["max", "min"].map(|key| at.key(key));
        let written = keys.iter().find(|at| report.has(at)).unwrap_or(at).clone();
        report.warn(&written, message, hint);
    }
    let (burst, avpkt) = (p.int("burst"), p.int("avpkt") as f64);
    if burst > 0 && (burst as f64) < min / avpkt {
        let message = format!(
            "a burst of {burst} packets of {avpkt} bytes is shorter than `min`, which is {min:.0} bytes: no \
             weight lets it pass, and tc refuses it"
        );
        let hint = format!("write burst = {} or more (tc-red(8))", (min / avpkt).ceil());
        report.warn(&at.key("burst"), message, hint);
    }
}

/// RFC 6298 section 2.1: before it has measured a round trip, TCP repeats what is not acknowledged so long.
const FIRST_TIMER: Span = Span::from_secs(1);

fn too_slow(what: &str, rate: Option<Rate>, largest: u32, at: &Path, report: &mut Report<'_>) {
    let Some(rate) = rate else {
        return;
    };
    let takes = rate.serialisation(u64::from(largest));
    if takes <= FIRST_TIMER {
        return;
    }
    let message = format!(
        "at {rate} {what} takes {:.1} s for a packet of {largest} bytes: senders repeat it before it is there",
        takes.as_secs_f64()
    );
    let least = Rate::from_bps(u64::from(largest) * 8);
    let hint = format!(
        "write the rate with its unit, such as \"10 Mbit/s\"; from {least} on the packet takes a second at most"
    );
    report.warn(at, message, hint);
}
