//! Radio channels in the network: links lead into them, and they drive its packets.

use super::plan;
use super::routes::{Hop, Routes};
use super::{Store, Tap};
use crate::plan::{MediumPlan, Plan, StationDisciplinePlan, TransportPlan};
use crate::record::Observer;
use acklab_path::link::{Link, PortCall};
use acklab_path::packet::{DropReason, FlowId, Label, Packet};
use acklab_path::qdisc::registry::Room;
use acklab_path::wifi::medium::{Frames, Medium, MediumDriver, MediumStreams, PortId, Ppdu};
use acklab_path::wifi::propagation::ChannelStreams;
use acklab_proto::datagram::Datagram;
use acklab_proto::rng;
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Span};

/// A radio channel of a run.
#[derive(Debug)]
pub struct Air {
    /// The channel.
    pub medium: Medium,
    /// The link that each port is the end of.
    links: Vec<u32>,
    /// Access category of the packets of each flow direction.
    categories: Vec<u8>,
}

impl Air {
    fn new(plan: &MediumPlan, of: &Plan, seed: u64) -> Self {
        let stream = |what| rng::stream(seed, &format!("medium/{}/{what}", plan.name));
        let streams = MediumStreams {
            backoff: stream("backoff"),
            errors: stream("errors"),
            rates: stream("rates"),
            channel: ChannelStreams {
                shadowing: stream("shadowing"),
                fading: stream("fading"),
            },
            neighbours: stream("neighbours"),
        };
        let mut medium = Medium::new(plan.config.clone(), streams);
        for d in &plan.disciplines {
            put_above(&mut medium, d, plan, of, seed);
        }
        if of
            .flows
            .iter()
            .any(|f| matches!(f.transport, TransportPlan::Tack(_)))
        {
            medium.expect_long_feedback();
        }
        Self {
            medium,
            links: plan.links.iter().map(|l| *l as u32).collect(),
            categories: plan.categories.clone(),
        }
    }

    /// The ports with the links that end there.
    pub fn ports(&self) -> impl Iterator<Item = (PortId, usize)> + '_ {
        (0..)
            .map(PortId)
            .zip(self.links.iter().map(|l| *l as usize))
    }

    /// Access category of the packet.
    pub fn category(&self, packet: Packet) -> u8 {
        self.category_of(packet.flow)
    }

    /// Access category of the packets of that flow direction.
    pub(super) fn category_of(&self, flow: FlowId) -> u8 {
        self.categories[flow.0 as usize]
    }

    /// Packets of flow direction `flow` have access category number `category` from now on.
    pub(super) fn categorise(&mut self, flow: FlowId, category: u8) {
        let i = flow.0 as usize;
        if i >= self.categories.len() {
            self.categories.resize(i + 1, 0);
        }
        self.categories[i] = category;
    }
}

/// Puts a discipline above the queue of each access category of its station. Each has a stream of random
/// numbers of its own.
fn put_above(
    medium: &mut Medium,
    of: &StationDisciplinePlan,
    plan: &MediumPlan,
    whole: &Plan,
    seed: u64,
) {
    let node = &whole.nodes[plan.nodes[usize::from(of.station.0)]];
    let ports = plan.config.ports.iter().zip(&plan.links);
    let ports = ports.filter(|(port, _)| port.from == of.station);
    let links: Vec<usize> = ports.map(|(_, link)| *link).collect();
    for (category, access) in (0..).zip(&plan.access) {
        let path = format!("medium/{}/{node}/{}/qdisc", plan.name, access.name());
        let room = Room::new(plan::limit(of.queue), seed, path);
        let above = plan::discipline(&of.discipline, whole, &links, room);
        medium.put_above(of.station, category, above);
    }
}

/// The channels of `plan`.
pub fn media(plan: &Plan, seed: u64) -> Vec<Air> {
    plan.media.iter().map(|m| Air::new(m, plan, seed)).collect()
}

/// For each link the channel and the port that it leads to, if it does; empty without channels.
pub fn ports(plan: &Plan) -> Vec<Option<(u32, PortId)>> {
    if plan.media.is_empty() {
        return Vec::new();
    }
    let mut ports = vec![None; plan.links.len()];
    for (m, medium) in (0..).zip(&plan.media) {
        for (p, link) in (0..).map(PortId).zip(&medium.links) {
            ports[*link] = Some((m, p));
        }
    }
    ports
}

/// The network as the driver of a channel.
pub(super) struct Below<'a, S, O> {
    /// The packets under way.
    pub store: &'a mut S,
    /// The observer.
    pub observer: &'a mut O,
    /// All links.
    pub links: &'a mut [Link],
    /// All routes.
    pub routes: &'a Routes,
    /// Number of the channel.
    pub medium: u32,
}

impl<S: Store, O: Observer> Below<'_, S, O> {
    /// Number of the link on which `packet` is.
    pub fn link_of(&self, packet: Packet) -> usize {
        let Hop::Link(link) = self.routes.hop(self.store.position(packet.id)) else {
            unreachable!("a packet on a channel is on its way over a link");
        };
        link as usize
    }

    fn at<R>(&mut self, packet: Packet, act: impl FnOnce(&mut Link, &mut Tap<'_, S, O>) -> R) -> R {
        let link = self.link_of(packet);
        let tap = &mut Tap {
            store: self.store,
            observer: self.observer,
            link,
        };
        act(&mut self.links[link], tap)
    }

    /// Does what link `from` asks of the channel that it leads to.
    pub fn carry(&mut self, now: Instant, from: usize, port: PortId, air: &mut Air) {
        while let Some(call) = self.links[from].poll_port() {
            match call {
                PortCall::Queue(packet) => self.queue((now, from), port, packet, air),
                PortCall::Remove(id) => match air.medium.remove(port, id) {
                    Some(packet) => self.removed(now, packet),
                    None => self.links[from].on_port_kept(),
                },
                PortCall::Replace(id, by) => match air.medium.replace(now, port, id, by) {
                    Some(old) => {
                        self.removed(now, old);
                        self.on_queued(now, by);
                    }
                    None => {
                        self.links[from].on_port_kept();
                        self.queue((now, from), port, by, air);
                    }
                },
            }
        }
    }

    /// Puts `packet`, which has come over link `from`, into the queue that it leads to.
    #[inline(always)]
    pub fn queue(
        &mut self,
        (now, from): (Instant, usize),
        port: PortId,
        packet: Packet,
        air: &mut Air,
    ) {
        if packet.ecn == Ecn::Ce {
            self.store.note_mark(packet.id);
        }
        let category = air.category(packet);
        air.medium.offer(now, port, category, packet, self);
        let (packets, bytes) = air.medium.waiting(port, category);
        self.links[from].on_port_waiting(packets, bytes);
    }

    /// Whether `packet` is TACK's, which no answer can carry: only headers of TCP can be compressed
    /// against what their receiver knows.
    fn is_tack(&self, packet: Packet) -> bool {
        matches!(self.store.datagram(packet.id), Datagram::Tack(_))
    }

    fn removed(&mut self, now: Instant, packet: Packet) {
        self.at(packet, |link, tap| link.on_port_removed(now, packet, tap));
    }
}

impl<S: Store, O: Observer> MediumDriver for Below<'_, S, O> {
    const WATCHES: bool = O::ACTIVE;

    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.at(packet, |link, tap| {
            link.on_port_dropped(now, packet, reason, tap);
        });
    }

    fn on_queued(&mut self, now: Instant, packet: Packet) {
        if O::ACTIVE {
            use acklab_path::link::LinkDriver;
            self.at(packet, |_, tap| tap.on_queued(now, packet));
        }
    }

    fn on_left(&mut self, now: Instant, packet: Packet, sojourn: Span) {
        if packet.ecn == Ecn::Ce && !self.store.is_marked(packet.id) {
            self.at(packet, |link, _| link.on_port_marked());
        }
        self.at(packet, |link, tap| {
            link.on_port_left(now, packet, sojourn, tap);
        });
    }

    fn on_ppdu(&mut self, ppdu: &Ppdu) {
        if O::ACTIVE {
            self.observer.on_ppdu(self.medium, ppdu);
        }
    }

    fn on_frames(&mut self, ppdu: &Ppdu, frames: Frames<'_>) {
        self.observer.on_frames(self.medium, ppdu, frames);
    }

    fn label(&self, packet: Packet) -> Label {
        self.store.label(packet)
    }

    fn is_pure_ack(&self, packet: Packet) -> bool {
        self.store.is_pure_ack(packet.id) && !self.is_tack(packet)
    }

    fn is_long_feedback(&self, packet: Packet) -> bool {
        self.is_tack(packet) && self.store.is_pure_ack(packet.id)
    }
}
