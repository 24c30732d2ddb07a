//! Saturated sources on radio channels: senders without a transport that always have another
//! packet, as Bianchi's model and its kin suppose them, and as a UDP flow above its share is one.
//!
//! The flows of a plan say who sends over which way and under which access category. Nothing else
//! of them counts, and nothing but the channel: each flow's packets begin at the radio hop of its
//! way there, and end behind it.

use super::{EVENTS_PER_CHECK, Interrupted};
use crate::network::{self, Air};
use crate::plan::{FlowPlan, Plan};
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId};
use acklab_path::wifi::medium::{MediumDriver, PortId, StationId, StationStats};
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Span};
use core::sync::atomic::{AtomicBool, Ordering};

/// The packets that each source keeps waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Bytes of an IP packet.
    pub packet: u32,
    /// Packets of each flow in its station, sent or not.
    pub waiting: u32,
    /// It is an error if a station does not take as many; otherwise each flow keeps what it takes.
    pub all: bool,
}

/// Why there is nothing to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsaturated {
    /// It was stopped.
    Interrupted(Interrupted),
    /// A station does not take what is to be kept waiting.
    Full {
        /// The node.
        node: usize,
        /// Packets that it takes.
        takes: u32,
        /// Flows that it sends.
        flows: u32,
    },
}

/// The result of a saturated source between `measure_from` and `stop` of its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saturated {
    /// The flow, by number.
    pub flow: usize,
    /// The channel, by number.
    pub medium: usize,
    /// The node that sends.
    pub node: usize,
    /// Packets that arrived.
    pub packets: u64,
    /// Times that the station won the medium, for whichever of its flows.
    pub accesses: u64,
    /// Those that were not answered.
    pub failures: u64,
    /// Times that two access categories of the station won at once.
    pub internal_collisions: u64,
    /// PPDUs with data that the station sent.
    pub data_ppdus: u64,
}

/// A flow over a channel.
#[derive(Clone, Copy, Debug)]
struct Source {
    flow: usize,
    port: PortId,
    station: StationId,
}

/// Counts what is lost, so that its place is filled.
#[derive(Debug, Default)]
struct Losses {
    /// Flows and directions.
    flows: Vec<FlowId>,
    /// Flow and direction of each packet that did not fit.
    full: Vec<FlowId>,
}

impl MediumDriver for Losses {
    fn on_drop(&mut self, _: Instant, packet: Packet, reason: DropReason) {
        // A packet that does not fit will not fit the next time either.
        match reason {
            DropReason::QueueFull => self.full.push(packet.flow),
            _ => self.flows.push(packet.flow),
        }
    }

    fn on_left(&mut self, _: Instant, _: Packet, _: Span) {}
}

/// Runs the channels of `plan` with every flow that crosses one a saturated source.
///
/// # Errors
/// If `stop` became true before the end; or, if `load` says so, if a station does not take the load.
pub fn saturate(
    plan: &Plan,
    load: Load,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Vec<Saturated>, Unsaturated> {
    let mut all = Vec::new();
    for (m, mut air) in network::media(plan, seed).into_iter().enumerate() {
        let sources = sources(plan, m);
        let mut cell = Cell::new(plan.flows.len());
        let full = cell.fill(&mut air, &sources, load);
        if let Some((station, takes, flows)) = full.filter(|_| load.all) {
            let node = plan.media[m].nodes[usize::from(station.0)];
            return Err(Unsaturated::Full { node, takes, flows });
        }
        let before = cell.drive(&mut air, &sources, load, plan, stop);
        let before = before.map_err(Unsaturated::Interrupted)?;
        for (s, before) in sources.iter().zip(before) {
            let after = air.medium.station_stats(s.station);
            all.push(Saturated {
                flow: s.flow,
                medium: m,
                node: plan.media[m].nodes[usize::from(s.station.0)],
                packets: cell.arrived[s.flow],
                accesses: after.accesses - before.accesses,
                failures: after.failures - before.failures,
                internal_collisions: after.internal_collisions - before.internal_collisions,
                data_ppdus: after.data_ppdus - before.data_ppdus,
            });
        }
    }
    Ok(all)
}

/// The flows that cross channel `m` on their way there, each at its first hop over it.
fn sources(plan: &Plan, m: usize) -> Vec<Source> {
    let medium = &plan.media[m];
    let hop = |flow: &FlowPlan| {
        let mut ports = flow.forward.iter().filter_map(|link| {
            let port = medium.links.iter().position(|l| l == link)?;
            Some(PortId(port as u32))
        });
        ports.next()
    };
    let flows = plan.flows.iter().enumerate();
    let found = flows.filter_map(|(i, flow)| {
        let port = hop(flow)?;
        let station = medium.config.ports[port.0 as usize].from;
        Some(Source {
            flow: i,
            port,
            station,
        })
    });
    found.collect()
}

/// A channel under way.
#[derive(Debug)]
struct Cell {
    now: Instant,
    packets: u32,
    /// By flow, since averages are taken.
    arrived: Vec<u64>,
    /// By flow.
    ports: Vec<Option<PortId>>,
}

impl Cell {
    fn new(flows: usize) -> Self {
        Self {
            now: Instant::ZERO,
            packets: 0,
            arrived: vec![0; flows],
            ports: vec![None; flows],
        }
    }

    /// Gives every source its packets. The first station that does not take them all, with what it
    /// takes and the number of its flows.
    fn fill(
        &mut self,
        air: &mut Air,
        sources: &[Source],
        load: Load,
    ) -> Option<(StationId, u32, u32)> {
        let mut losses = Losses::default();
        for s in sources {
            self.ports[s.flow] = Some(s.port);
        }
        // In turn, so that none has everything where there is not room for all.
        for _ in 0..load.waiting {
            for s in sources {
                self.offer(air, s.flow, load, &mut losses);
            }
        }
        let first = losses.full.first()?.0 as usize / 2;
        let station = sources.iter().find(|s| s.flow == first)?.station;
        let of_station = |flow: usize| {
            let mut all = sources.iter();
            all.any(|s| s.flow == flow && s.station == station)
        };
        let refused = losses.full.iter().filter(|f| of_station(f.0 as usize / 2));
        let refused = refused.count() as u32;
        let flows = sources.iter().filter(|s| s.station == station).count() as u32;
        Some((
            station,
            (flows * load.waiting).saturating_sub(refused),
            flows,
        ))
    }

    /// The counters of the sources' stations when averages begin.
    fn drive(
        &mut self,
        air: &mut Air,
        sources: &[Source],
        load: Load,
        plan: &Plan,
        stop: &AtomicBool,
    ) -> Result<Vec<StationStats>, Interrupted> {
        let mut losses = Losses::default();
        let read = |air: &Air| -> Vec<StationStats> {
            let stats = sources.iter().map(|s| air.medium.station_stats(s.station));
            stats.cloned().collect()
        };
        let (mut before, mut events) = (None, 0_u64);
        loop {
            self.catch_up(air, load, plan.measure_from, &mut losses);
            let next = air.medium.next_wakeup().filter(|at| *at <= plan.stop);
            if next.is_none_or(|at| at >= plan.measure_from) && before.is_none() {
                before = Some(read(air));
            }
            let Some(at) = next else { break };
            self.now = at;
            events += 1;
            if events.is_multiple_of(EVENTS_PER_CHECK) && stop.load(Ordering::Relaxed) {
                return Err(Interrupted { at });
            }
        }
        Ok(before.unwrap_or_default())
    }

    /// Everything that happens now; for each packet that is gone there is another.
    fn catch_up(&mut self, air: &mut Air, load: Load, from: Instant, losses: &mut Losses) {
        loop {
            let arrived = air.medium.advance(self.now, losses);
            if let Some(packet) = arrived {
                let flow = packet.flow.0 as usize / 2;
                self.arrived[flow] += u64::from(self.now >= from);
                self.offer(air, flow, load, losses);
            }
            let lost = core::mem::take(&mut losses.flows);
            for flow in &lost {
                self.offer(air, flow.0 as usize / 2, load, losses);
            }
            if arrived.is_none() && lost.is_empty() {
                return;
            }
        }
    }

    fn offer(&mut self, air: &mut Air, flow: usize, load: Load, losses: &mut Losses) {
        let Some(port) = self.ports[flow] else {
            return;
        };
        let packet = Packet {
            id: PacketId(self.packets),
            size: load.packet,
            flow: FlowId(2 * flow as u32),
            ecn: Ecn::NotEct,
        };
        self.packets = self.packets.wrapping_add(1);
        let category = air.category(packet);
        air.medium.offer(self.now, port, category, packet, losses);
    }
}

#[cfg(test)]
mod tests;
