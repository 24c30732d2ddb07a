//! Queue limits and marking thresholds in packets and bytes, with bandwidth-delay products worked out.
//!
//! One BDP of a direction is the bottleneck rate of the flows that cross it in that direction, times
//! their two-way base delay (the propagation delays of all links there and back); of several flows
//! the largest product counts. The bottleneck rate is the least rate on the flow's way in that
//! direction. A direction that no flow crosses counts its own rate and twice its own delay. No queue
//! is smaller than one full packet, nor than the largest that crosses it.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::steps;
use super::flow::DraftFlow;
use super::link::{DraftLink, HOST_QUEUE_PLAN, place};
use super::topology::Net;
use crate::plan::{AppPlan, QueuePlan};
use acklab_units::{Limit, Rate, Span};

/// A packet on Ethernet, where no flow says how large its packets are.
const FULL_PACKET: u64 = 1500;

/// Fills in `queue` and `mark` of every link.
pub(crate) fn size(net: &mut Net, flows: &[DraftFlow], report: &mut Report<'_>) {
    let products = Product::of_all(&net.links, flows);
    for (link, product) in net.links.iter_mut().zip(products) {
        link.plan.queue = if link.limit_is_default && product.bytes.is_none() {
            HOST_QUEUE_PLAN
        } else {
            absolute(link.limit, "queue", link, product, report)
        };
        link.plan.mark = link
            .mark
            .map(|mark| absolute(mark, "mark", link, product, report));
        marks_before_it_drops(link, report);
    }
}

/// `limit`, which stands at `key`, in packets or bytes.
fn absolute(
    limit: Limit,
    key: &str,
    link: &DraftLink,
    product: Product,
    report: &mut Report<'_>,
) -> QueuePlan {
    let at = place(&link.path, key, report);
    match limit {
        Limit::Packets(n) => QueuePlan::Packets(n),
        Limit::Bytes(b) => {
            holds_a_packet(b.0, product.largest, key, &at, report);
            QueuePlan::Bytes(b.0)
        }
        Limit::MicroBdp(millionths) => in_bytes(product, millionths, &at, report),
    }
}

fn holds_a_packet(bytes: u64, largest: u64, key: &str, at: &Path, report: &mut Report<'_>) {
    let fate = if key == "mark" {
        "is always marked"
    } else {
        "never fits"
    };
    // One limit may hold for both directions.
    if bytes < largest && !report.any_within(at) {
        let message = format!("a packet of {largest} bytes crosses this queue and {fate}");
        let hint = format!("write at least \"{largest} B\", or a limit in packets");
        report.error(at, message, hint);
    }
}

/// A threshold that the queue cannot exceed is a slip where it is written for this direction. The one that
/// the way back has from the way there is left out: it says nothing about a queue of the way back's own, and
/// the canonical form, in which it would be written, could not be read again.
fn marks_before_it_drops(link: &mut DraftLink, report: &mut Report<'_>) {
    use QueuePlan::{Bytes, Packets};
    let never = match (link.plan.mark, link.plan.queue) {
        (Some(Packets(mark)), Packets(limit)) => mark >= limit,
        (Some(Bytes(mark)), Bytes(limit)) => mark >= limit,
        _ => false,
    };
    if !never {
        return;
    }
    let at = link.path.key("mark");
    if report.has(&at) {
        let limit = super::super::canonical::limit(&link.plan.queue);
        let hint = format!("write less than the queue holds, which is \"{limit}\"");
        report.error(
            &at,
            "the threshold is not below the queue's limit, so the queue would never mark",
            hint,
        );
    } else {
        link.plan.mark = None;
    }
}

/// Bytes of a full packet of the flow's data.
pub(super) fn full_packet(flow: &DraftFlow) -> u64 {
    u64::from(flow.plan.transport.full_packet())
}

/// The largest packet that crosses each of so many links; 0 where none does.
pub(super) fn largest(links: usize, flows: &[DraftFlow]) -> Vec<u32> {
    let mut all = vec![0; links];
    for (way, largest) in flows.iter().flat_map(ways) {
        steps::count(way.len());
        for l in way {
            all[*l] = largest.max(all[*l]);
        }
    }
    all.into_iter().map(|bytes| bytes as u32).collect()
}

/// Both ways of a flow, with the largest packet on each.
fn ways(flow: &DraftFlow) -> [(&Vec<usize>, u64); 2] {
    let packet = full_packet(flow);
    let answers = matches!(flow.plan.app, AppPlan::RequestResponse { .. });
    let back = if answers {
        packet
    } else {
        u64::from(flow.plan.transport.feedback_packet())
    };
    [(&flow.plan.forward, packet), (&flow.plan.reverse, back)]
}

fn in_bytes(product: Product, millionths: u64, at: &Path, report: &mut Report<'_>) -> QueuePlan {
    let Some(bdp) = product.bytes else {
        let hint = "write the limit in packets or bytes, or give a link on the way a rate";
        let message = "every link on the way is unlimited, so there is no bandwidth-delay product";
        report.error(at, message, hint.to_string());
        return QueuePlan::Packets(1);
    };
    let bytes = u128::from(bdp) * u128::from(millionths) / 1_000_000;
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    QueuePlan::Bytes(bytes.max(product.packet).max(product.largest))
}

/// The largest bandwidth-delay product of a direction and its largest packets.
#[derive(Clone, Copy)]
struct Product {
    /// `None` while every rate is unlimited.
    bytes: Option<u64>,
    /// A full packet of the flows, in whichever direction they send it.
    packet: u64,
    /// The largest packet that crosses in this direction.
    largest: u64,
}

impl Product {
    fn of_all(links: &[DraftLink], flows: &[DraftFlow]) -> Vec<Self> {
        let mut crossed: Vec<Option<Self>> = vec![None; links.len()];
        for flow in flows {
            let (forward, reverse) = (&flow.plan.forward, &flow.plan.reverse);
            let delay: Span = forward
                .iter()
                .chain(reverse)
                .fold(Span::ZERO, |d, l| d.saturating_add(links[*l].plan.delay));
            let packet = full_packet(flow);
            for (way, largest) in ways(flow) {
                let product = Self::new(least_rate(way, links), delay, packet, largest);
                for l in way {
                    crossed[*l] = Some(crossed[*l].map_or(product, |p| p.max(product)));
                }
            }
        }
        let idle = |l: &DraftLink| {
            let delay = l.plan.delay.saturating_mul(2);
            Self::new(l.plan.rate, delay, FULL_PACKET, 0)
        };
        let own = links.iter().zip(crossed);
        own.map(|(link, p)| p.unwrap_or_else(|| idle(link)))
            .collect()
    }

    fn new(rate: Rate, delay: Span, packet: u64, largest: u64) -> Self {
        Self {
            bytes: (!rate.is_unlimited()).then(|| rate.bytes_in(delay)),
            packet,
            largest,
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            packet: self.packet.max(other.packet),
            largest: self.largest.max(other.largest),
        }
    }
}

fn least_rate(way: &[usize], links: &[DraftLink]) -> Rate {
    way.iter()
        .map(|l| links[*l].plan.rate)
        .min()
        .unwrap_or(Rate::MAX)
}
