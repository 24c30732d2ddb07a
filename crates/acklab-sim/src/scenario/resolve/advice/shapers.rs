//! Shapers that never limit anything, because the link below them or the shaper around them is slower, or because they
//! have no rate; and one that begins with too little.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::link::place;
use super::super::topology::Net;
use super::super::{Network, Way};
use super::trees::{called, more_than_parent, more_than_there_is, parent, rates};
use acklab_path::qdisc::{cake::params as cake, shape};
use acklab_proto::registry::Params;
use acklab_units::Rate;

/// The smallest and the largest packet of a run.
pub(super) type Packets = (u32, u32);

/// Warns about each link whose discipline, or one inside it, shapes to more than gets there.
pub(super) fn give(net: &Net, packets: Packets, report: &mut Report<'_>) {
    for link in &net.links {
        let Some(of) = &link.plan.discipline else {
            continue;
        };
        let (rate, overhead) = (link.plan.rate, u64::from(link.plan.overhead));
        let bytes = |size| u64::from(size) + overhead;
        let bound = Bound {
            rate,
            bytes: &bytes,
            place: format!("on a link of {rate}"),
        };
        let around = Around {
            packets,
            bound: link.plan.trace.is_none().then_some(bound),
        };
        let at = place(&link.path, "qdisc", report);
        look((of.entry.name, &of.params), &around, &at, report);
    }
}

/// The same for the stations of a channel: of all that send equally fast, the first.
pub(super) fn on_air(network: &Network, packets: Packets, report: &mut Report<'_>) {
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
            let bound = Some(Bound {
                rate,
                bytes: &|size| u64::from(size),
                place: format!("on a radio channel of {rate} at most"),
            });
            let at = super::place(network, side, "qdisc", report);
            let around = Around { packets, bound };
            look((of.entry.name, &of.params), &around, &at, report);
        }
    }
}

/// Bytes that a packet of a size counts for.
type Bytes<'a> = &'a dyn Fn(u32) -> u64;

/// What stands around a discipline.
#[derive(Clone)]
struct Around<'a> {
    packets: Packets,
    /// What gets through at most, if that is known.
    bound: Option<Bound<'a>>,
}

/// What gets through at most, and in which place.
#[derive(Clone)]
struct Bound<'a> {
    rate: Rate,
    bytes: Bytes<'a>,
    place: String,
}

/// A shaper, and what a message calls it.
struct Shaper<'a> {
    name: &'a str,
    rate: Rate,
    bytes: Bytes<'a>,
}

impl Bound<'_> {
    /// Whether a packet of `size` bytes takes longer here than in the shaper.
    fn takes_longer(&self, size: u32, shaper: &Shaper<'_>) -> bool {
        let time = |bytes: u64, per: Rate| u128::from(bytes) * u128::from(per.as_bps());
        time((self.bytes)(size), shaper.rate) > time((shaper.bytes)(size), self.rate)
    }

    /// Whether each packet takes longer here than in the shaper, which then never limits anything. Cells and the
    /// least bytes of a frame weigh on some sizes more than on others.
    fn always_takes_longer(&self, (least, most): Packets, shaper: &Shaper<'_>) -> bool {
        self.takes_longer(most, shaper) && (least..most).all(|size| self.takes_longer(size, shaper))
    }
}

impl<'a> Around<'a> {
    /// The same inside a shaper.
    fn inside(&self, shaper: &Shaper<'a>) -> Self {
        let slower = |outer: &&Bound<'_>| outer.takes_longer(self.packets.1, shaper);
        let own = || Bound {
            rate: shaper.rate,
            bytes: shaper.bytes,
            place: format!("inside {} of {}", shaper.name, shaper.rate),
        };
        let outer = self.bound.as_ref().filter(slower).cloned();
        Self {
            packets: self.packets,
            bound: Some(outer.unwrap_or_else(own)),
        }
    }
}

/// Looks at the discipline at `at` and at those inside it.
fn look((name, p): (&str, &Params), around: &Around<'_>, at: &Path, report: &mut Report<'_>) {
    match name {
        // Autorate only begins with `bandwidth`.
        "cake" if p.bool("autorate_ingress") => begins_with_little(p, at, report),
        "cake" => match rate_of(p) {
            None => counts_for_nothing(p, at, report),
            Some(rate) => {
                let (name, bytes) = ("`cake`", &cake::bytes_of(p));
                warn(&Shaper { name, rate, bytes }, around, at, report);
            }
        },
        "tbf" => bucket(p, around, at, report),
        "htb" => tree((name, p, "classes"), around, at, report),
        "queue-tree" => tree((name, p, "queues"), around, at, report),
        _ => {}
    }
}

/// Looks at a TBF, which always has a rate.
fn bucket(p: &Params, around: &Around<'_>, at: &Path, report: &mut Report<'_>) {
    let (name, bytes) = ("`tbf`", &shape::bytes_of(p));
    let Some(rate) = p.rate("rate") else {
        return;
    };
    let shaper = Shaper { name, rate, bytes };
    warn(&shaper, around, at, report);
    match p.rate("peakrate") {
        Some(rate) => peak(&Shaper { rate, ..shaper }, around, at, report),
        None if p.size("mtu").is_some() => {
            let message =
                "`mtu` is the bucket of the peak rate, and there is no peak rate: it has no effect";
            let hint = "leave it out, or write a `peakrate`";
            report.warn(&at.key("mtu"), message.into(), hint.into());
        }
        None => {}
    }
    look_inside(p, Some(&Shaper { name, rate, bytes }), around, at, report);
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

/// Looks at the classes of a tree, which stand in `key`.
fn tree(
    (name, p, key): (&str, &Params, &str),
    around: &Around<'_>,
    at: &Path,
    report: &mut Report<'_>,
) {
    let (classes, bytes) = (p.tables(key), &shape::bytes_of(p));
    for (i, class) in classes.iter().enumerate() {
        let own = called(name, i, class);
        let (_, _, ceiling) = rates(name, class);
        let shaper = ceiling.map(|rate| Shaper {
            name: &own,
            rate,
            bytes,
        });
        let at = at.key(key).index(i);
        match (parent(classes, class), &shaper) {
            (None, Some(shaper)) => warn(shaper, around, &at, report),
            (Some(above), _) => more_than_parent(name, (&own, class), above, &at, report),
            (None, None) => {}
        }
        more_than_there_is(name, (&own, class), classes, &at, report);
        look_inside(class, shaper.as_ref(), around, &at, report);
    }
}

/// Looks at the discipline inside a shaper, or inside a class that shapes nothing.
fn look_inside(
    p: &Params,
    shaper: Option<&Shaper<'_>>,
    around: &Around<'_>,
    at: &Path,
    report: &mut Report<'_>,
) {
    let Some(child) = p.block("child") else {
        return;
    };
    let of = (child.name, &child.params);
    let at = at.key("child");
    match shaper {
        None => look(of, around, &at, report),
        Some(shaper) => look(of, &around.inside(shaper), &at, report),
    }
}

/// Warns of a shaper that never limits anything.
fn warn(shaper: &Shaper<'_>, around: &Around<'_>, at: &Path, report: &mut Report<'_>) {
    let packets @ (_, most) = around.packets;
    let bound = around.bound.as_ref();
    let Some(bound) = bound.filter(|b| b.always_takes_longer(packets, shaper)) else {
        return;
    };
    let (name, rate, place) = (shaper.name, shaper.rate, &bound.place);
    let (message, hint) = if rate > bound.rate {
        let least = bound.rate;
        (
            format!("{name} shapes to {rate} {place}: the shaper never limits anything"),
            format!("write a rate below {least}, or a discipline without a shaper"),
        )
    } else {
        let (counts, takes) = ((shaper.bytes)(most), (bound.bytes)(most));
        (
            format!(
                "{name} shapes to {rate} and counts {counts} bytes for a packet of {most}, which takes {takes} {place}: \
                 the shaper never limits anything"
            ),
            format!(
                "give the discipline an overhead of {} bytes more, or a lower rate",
                takes - counts
            ),
        )
    };
    report.warn(at, message, hint);
}

/// Warns of a peak rate that the line does not have.
fn peak(shaper: &Shaper<'_>, around: &Around<'_>, at: &Path, report: &mut Report<'_>) {
    let bound = around.bound.as_ref();
    let Some(bound) = bound.filter(|b| b.always_takes_longer(around.packets, shaper)) else {
        return;
    };
    let message = format!(
        "a burst cannot leave at {} {}: the peak rate never limits anything",
        shaper.rate, bound.place
    );
    let hint = format!("leave it out, or write a rate below {}", bound.rate);
    report.warn(&at.key("peakrate"), message, hint);
}
