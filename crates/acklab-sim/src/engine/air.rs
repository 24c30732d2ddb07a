//! Radio channels in the engine: links lead into them, and they drive the engine's packets.

use super::routes::{Hop, Routes};
use super::{Arena, Tap};
use crate::plan::{MediumPlan, Plan};
use crate::record::Observer;
use acklab_path::link::{Link, PortCall};
use acklab_path::packet::{DropReason, Packet};
use acklab_path::wifi::medium::{Frames, Medium, MediumDriver, MediumStreams, PortId, Ppdu};
use acklab_path::wifi::propagation::ChannelStreams;
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
    fn new(plan: &MediumPlan, seed: u64) -> Self {
        let stream = |what| rng::stream(seed, &format!("medium/{}/{what}", plan.name));
        let streams = MediumStreams {
            backoff: stream("backoff"),
            errors: stream("errors"),
            rates: stream("rates"),
            channel: ChannelStreams {
                shadowing: stream("shadowing"),
                fading: stream("fading"),
            },
        };
        Self {
            medium: Medium::new(plan.config.clone(), streams),
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
        self.categories[packet.flow.0 as usize]
    }
}

/// The channels of `plan`.
pub fn media(plan: &Plan, seed: u64) -> Vec<Air> {
    plan.media.iter().map(|m| Air::new(m, seed)).collect()
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

/// The engine as the driver of a channel.
pub struct Below<'a, O> {
    /// The packets under way.
    pub arena: &'a mut Arena,
    /// Who watches.
    pub observer: &'a mut O,
    /// All links.
    pub links: &'a mut [Link],
    /// All routes.
    pub routes: &'a Routes,
    /// Number of the channel.
    pub medium: u32,
}

impl<O: Observer> Below<'_, O> {
    /// Number of the link on which `packet` is.
    pub fn link_of(&self, packet: Packet) -> usize {
        let Hop::Link(link) = self.routes.hop(self.arena.position(packet.id)) else {
            unreachable!("a packet on a channel is on its way over a link");
        };
        link as usize
    }

    fn at<R>(&mut self, packet: Packet, act: impl FnOnce(&mut Link, &mut Tap<'_, O>) -> R) -> R {
        let link = self.link_of(packet);
        let tap = &mut Tap {
            arena: self.arena,
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
            self.arena.note_mark(packet.id);
        }
        let category = air.category(packet);
        air.medium.offer(now, port, category, packet, self);
        let (packets, bytes) = air.medium.waiting(port, category);
        self.links[from].on_port_waiting(packets, bytes);
    }

    fn removed(&mut self, now: Instant, packet: Packet) {
        self.at(packet, |link, tap| link.on_port_removed(now, packet, tap));
    }
}

impl<O: Observer> MediumDriver for Below<'_, O> {
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
        if packet.ecn == Ecn::Ce && !self.arena.is_marked(packet.id) {
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

    fn is_pure_ack(&self, packet: Packet) -> bool {
        self.arena.is_pure_ack(packet.id)
    }
}
