//! How packets wait in stations: in a queue of the MAC, or in a discipline above it.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::registries::Registries;
use super::super::super::spec::{Choice, Qty, SideKeys, Standard};
use super::super::discipline::{MOST_IN_DEVICE, counted, default_limit, settle};
use super::chosen::Chosen;
use super::contention::Sides;
use crate::plan::{DisciplinePlan, QueuePlan};
use acklab_path::qdisc;
use acklab_path::wifi::mac::queue::{DEVICE, registry};
use acklab_path::wifi::mac::{Counts, Kind, StationsConfig};
use acklab_path::wifi::phy::Format;
use acklab_proto::registry::{Value, find};
use acklab_units::{Bytes, Limit};

/// ns-3's `WifiMacQueue` for one.
const DEFAULT_QUEUE: u32 = 500;
/// The largest packet on Ethernet.
const FULL_PACKET: u64 = 1500;

/// Times of a queue per station of which the first is not longer than the second.
const ORDERED: [(&str, &str); 3] = [
    ("target", "interval"),
    ("slow_target", "slow_interval"),
    ("aql_low", "aql_high"),
];

/// Where the packets of a station wait.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Waiting {
    /// How much: in the discipline if there is one, otherwise in the queue of the MAC.
    pub(crate) limit: QueuePlan,
    pub(crate) queueing: Queueing,
}

/// The unit of that limit.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Queueing {
    /// The queue of the MAC, with nothing above it.
    Mac(Chosen<registry::Build>),
    /// A discipline above a queue of the MAC for so many packets.
    Above(Chosen<qdisc::registry::Build>, u32),
}

impl Queueing {
    /// Whether packets wait in a discipline that has no limit of its own.
    pub(crate) fn has_no_limit(&self) -> bool {
        matches!(self, Self::Above(chosen, _) if !chosen.entry().build.counts.has_limit())
    }
}

impl Waiting {
    /// Whether there is a queue for each receiver.
    pub(crate) fn is_per_station(&self) -> bool {
        matches!(&self.queueing, Queueing::Mac(queue) if queue.build().is_some())
    }

    /// The queue of the MAC; `counts` says what counts against its limit where receivers share it.
    pub(crate) fn kind(&self, counts: Counts) -> Kind {
        let queue = match &self.queueing {
            Queueing::Above(_, device) => {
                let limit = *device;
                return Kind::Shared { limit, counts };
            }
            Queueing::Mac(queue) => queue.build(),
        };
        let QueuePlan::Packets(limit) = self.limit else {
            unreachable!("the queue of the MAC counts packets");
        };
        match queue {
            None => Kind::Shared { limit, counts },
            Some(config) => Kind::PerStation(StationsConfig { limit, ..config }),
        }
    }

    /// The discipline above it.
    pub(crate) fn discipline(&self) -> Option<DisciplinePlan> {
        let Queueing::Above(chosen, device) = &self.queueing else {
            return None;
        };
        let (entry, params) = chosen.parts();
        Some(DisciplinePlan {
            entry,
            params,
            device: *device,
        })
    }
}

/// The settings of `sides`, and where they write a limit of the device, if they do.
pub(super) fn resolve(
    standard: Standard,
    sides: &Sides,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> (Waiting, Option<Path>) {
    let (choice, at) = sides.get("qdisc", |k| k.qdisc.as_ref().map(|q| q.0.clone()));
    let (device, device_at) = sides.get("device_queue", |k| k.device_queue);
    let written = device.map(|_| device_at.clone());
    let above = choice
        .as_ref()
        .filter(|c| find(reg.qdisc, &c.name).is_some());
    let waiting = match above {
        None => in_mac((standard, choice.as_ref(), &at), sides, reg, report),
        Some(_) => {
            let mut chosen = Chosen::read(reg.qdisc, "queue discipline", above, &at, report);
            settle(chosen.entry(), chosen.params_mut(), &at, reg, report);
            let device = room(device, &device_at, report);
            Waiting {
                limit: above_limit(&chosen, sides, report),
                queueing: Queueing::Above(chosen, device),
            }
        }
    };
    (waiting, written)
}

fn in_mac(
    (standard, choice, at): (Standard, Option<&Choice>, &Path),
    sides: &Sides,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) -> Waiting {
    let more: Vec<&'static str> = reg.qdisc.iter().map(|e| e.name).collect();
    let what = "way of queueing";
    let mut queue = Chosen::read_or(registry::QUEUES, &more, what, choice, at, report);
    if !matches!(standard.format(), Format::Vht | Format::He) {
        let memory = StationsConfig::MEMORY_BEFORE_VHT;
        queue.default(choice, "memory_limit", Value::Int(memory.into()));
    }
    let config = queue.build();
    if config.is_some() {
        for pair in ORDERED {
            queue.in_order(pair, at, report);
        }
    }
    let default = config.map_or(DEFAULT_QUEUE, |c| c.limit);
    Waiting {
        limit: QueuePlan::Packets(mac_limit(sides, default, report)),
        queueing: Queueing::Mac(queue),
    }
}

fn mac_limit(sides: &Sides, default: u32, report: &mut Report<'_>) -> u32 {
    match sides.get("queue", |k| k.queue) {
        (None, _) => default,
        (Some(Qty(Limit::Packets(0))), at) => {
            nothing(&at, report);
            default
        }
        (Some(Qty(Limit::Packets(n))), _) => n,
        (Some(_), at) => {
            let hint = "write a number of packets, such as \"500 packets\"".to_string();
            report.error(&at, "the queue of a station counts packets", hint);
            default
        }
    }
}

/// How much may wait in a discipline.
fn above_limit(
    chosen: &Chosen<qdisc::registry::Build>,
    sides: &Sides,
    report: &mut Report<'_>,
) -> QueuePlan {
    let (entry, _) = chosen.parts();
    let (limit, at) = sides.get("queue", |k| k.queue.map(|q| q.0));
    // Where the discipline has no limit of its own, the queue of a place further out is not for it.
    let limited = entry.build.counts.has_limit();
    let limit = limit.filter(|_| limited || !is_further_out(sides));
    let counts = counted(entry, limit, &at, report);
    match limit
        .filter(|_| counts && limited)
        .unwrap_or(default_limit(entry))
    {
        Limit::Packets(0) | Limit::Bytes(Bytes(0)) => {
            nothing(&at, report);
            QueuePlan::Packets(1)
        }
        Limit::Packets(n) => QueuePlan::Packets(n),
        Limit::Bytes(Bytes(n)) => {
            if n < FULL_PACKET {
                let message = format!("a packet of {FULL_PACKET} bytes never fits");
                let hint = format!("write at least \"{FULL_PACKET} B\", or a limit in packets");
                report.error(&at, message, hint);
            }
            QueuePlan::Bytes(n)
        }
        Limit::MicroBdp(_) => {
            let message =
                "the rate of a radio channel is not fixed, so it has no bandwidth-delay product";
            let hint = "write the limit in packets or bytes".to_string();
            report.error(&at, message, hint);
            QueuePlan::Packets(1)
        }
    }
}

/// Whether `queue` stands further out than `qdisc`.
fn is_further_out(sides: &Sides) -> bool {
    let place = |of: fn(&SideKeys) -> bool| sides.iter().position(|(keys, _)| of(keys));
    place(|k| k.queue.is_some()) > place(|k| k.qdisc.is_some())
}

fn nothing(at: &Path, report: &mut Report<'_>) {
    let hint = "write at least \"1 packet\"".to_string();
    report.error(at, "a queue of size 0 drops every packet", hint);
}

/// Packets that the device takes.
fn room(written: Option<u32>, at: &Path, report: &mut Report<'_>) -> u32 {
    let packets = written.unwrap_or(DEVICE);
    if packets == 0 {
        let hint =
            format!("write 1 to {MOST_IN_DEVICE} packets, or leave it out for {DEVICE} (ath9k's)");
        report.error(at, "a device without room sends nothing", hint);
    } else if packets > MOST_IN_DEVICE {
        let hint = format!("write a number of packets up to {MOST_IN_DEVICE}, such as 100");
        report.error(at, "too many packets for the queue of a device", hint);
    }
    packets.clamp(1, MOST_IN_DEVICE)
}

/// A limit of a device was written at these places, with something above the device or not. It has to
/// be of use to somebody.
pub(super) fn unused(devices: &[(Path, bool)], report: &mut Report<'_>) {
    let mut told: Vec<&Path> = Vec::new();
    for (at, _) in devices {
        let used = devices.iter().any(|(other, above)| *above && other == at);
        if !used && !told.contains(&at) {
            told.push(at);
            let message = "no discipline stands above the queue of the device";
            let hint = "leave it out and write `queue`, or write a `qdisc` such as \"fq-codel\"";
            report.error(at, message, hint.to_string());
        }
    }
}
