//! The event engine: one value per run, nothing global.
//!
//! A run is a set of sources that wake at instants: links, hosts (a transport with its
//! application) and the recorder. The engine wakes the next one, moves packets from link to link
//! and to hosts, and asks whoever it touched when it wants to be woken again. The order of events
//! is that of [`queue`].
//!
//! A packet is a slot in the [`Arena`] and a descriptor of 16 bytes; nothing is allocated for it,
//! and nothing it meets is called through a pointer except filters and queue disciplines.

mod air;
mod arena;
mod build;
pub mod dumbbell;
#[cfg(test)]
mod duplicates_tests;
mod host;
#[cfg(test)]
mod marks_tests;
#[cfg(test)]
mod pairs_tests;
#[cfg(test)]
mod places_tests;
pub mod queue;
mod routes;
pub mod saturation;
mod tap;
mod tcp;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod watching;
pub mod window;
pub mod wlan;

pub use air::Air;
pub use arena::Arena;
pub use build::{End, FlowSeeds};
pub use host::Host;
pub use tap::Tap;

use crate::plan::Plan;
use crate::record::{
    LinkFact, MediumSummary, Nothing, Observer, Perf, Recorder, RunResult, Stimulus, Tape,
};
use crate::transport::Transport;
use acklab_path::link::Link;
use acklab_path::packet::{FlowId, Packet};
use acklab_path::wifi::medium::PortId;
use acklab_proto::ack::AckReason;
use acklab_proto::segment::Segment;
use acklab_units::Instant;
use air::Below;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use queue::{EventQueue, Source};
use routes::{Hop, Routes};

/// Events between two looks at the stop flag: well under a millisecond.
const EVENTS_PER_CHECK: u64 = 4096;

/// The run was stopped from outside before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted {
    /// Virtual time that had been reached.
    pub at: Instant,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted at {:?}", self.at)
    }
}

impl std::error::Error for Interrupted {}

/// Runs `plan` with TCP.
///
/// # Errors
/// If `stop` became true before the end.
pub fn run(plan: &Plan, seed: u64, stop: &AtomicBool) -> Result<RunResult, Interrupted> {
    run_with(plan, seed, stop, tcp::connection)
}

/// Runs `plan` with transports made by `make`, which is called for both ends of each flow.
///
/// # Errors
/// If `stop` became true before the end.
pub fn run_with<T: Transport>(
    plan: &Plan,
    seed: u64,
    stop: &AtomicBool,
    make: impl FnMut(End<'_>) -> T,
) -> Result<RunResult, Interrupted> {
    if plan.record.observes() {
        Engine::new(plan, seed, make, Tape::new(plan)).complete(plan, stop)
    } else {
        Engine::new(plan, seed, make, Nothing).complete(plan, stop)
    }
}

/// A run under way.
#[derive(Debug)]
pub struct Engine<T, O> {
    now: Instant,
    events: EventQueue,
    links: Vec<Link>,
    /// Radio channels.
    media: Vec<Air>,
    /// Of each link: the channel that it leads to. Empty without channels.
    ports: Vec<Option<(u32, PortId)>>,
    /// The source of flow f is number 2f, its destination 2f + 1: packets from host h are of flow
    /// direction h and go to host h ^ 1.
    hosts: Vec<Host<T>>,
    arena: Arena,
    routes: Routes,
    recorder: Recorder,
    observer: O,
    perf: Perf,
}

/// Lets link `$i` drive: with a tap if anyone watches, otherwise straight on the arena, which is a
/// pointer less to pass about.
macro_rules! driven {
    ($engine:ident, $i:expr, $driver:ident => $call:expr) => {
        if O::ACTIVE {
            let $driver = &mut Tap {
                arena: &mut $engine.arena,
                observer: &mut $engine.observer,
                link: $i,
            };
            $call
        } else {
            let $driver = &mut $engine.arena;
            $call
        }
    };
}

impl<T: Transport, O: Observer> Engine<T, O> {
    fn complete(mut self, plan: &Plan, stop: &AtomicBool) -> Result<RunResult, Interrupted> {
        self.run(plan.stop, stop)?;
        Ok(self.finish(plan))
    }

    /// Handles every event up to and including `end`.
    ///
    /// # Errors
    /// If `stop` became true before that.
    pub fn run(&mut self, end: Instant, stop: &AtomicBool) -> Result<(), Interrupted> {
        while let Some((at, source)) = self.events.peek()
            && at <= end
        {
            self.now = at;
            self.events.advance_to(at);
            self.wake(source);
            self.perf.events += 1;
            if self.perf.events.is_multiple_of(EVENTS_PER_CHECK) && stop.load(Ordering::Relaxed) {
                return Err(Interrupted { at });
            }
        }
        Ok(())
    }

    /// Draws up the results of a run that has reached its end.
    pub fn finish(mut self, plan: &Plan) -> RunResult {
        for air in &self.media {
            for (port, link) in air.ports() {
                self.links[link].on_port_busy(air.medium.port_airtime(port));
            }
        }
        let tap = Tap {
            arena: &mut self.arena,
            observer: &mut self.observer,
            link: 0,
        };
        let media = plan.media.iter().zip(&self.media);
        let media = media.map(|(m, air)| MediumSummary::new(plan, m, &air.medium, &self.links));
        let media = media.collect();
        let links = self.recorder.links(plan, &mut self.links, tap);
        let flows = self.recorder.flows(plan, &self.hosts, &mut self.observer);
        self.check();
        self.perf.data_packets = self.hosts.iter().map(|h| h.data_packets).sum();
        self.perf.peak_packets = self.arena.places() as u64;
        self.perf.bytes_per_flow = self.bytes() / (self.hosts.len() as u64 / 2).max(1);
        RunResult {
            flows,
            links,
            media,
            series: self.recorder.take_series(),
            records: self.observer.records(),
            perf: self.perf,
        }
    }

    #[inline]
    fn wake(&mut self, source: Source) {
        let links = self.links.len();
        let before_hosts = links + self.media.len();
        let i = source.0 as usize;
        if i < links {
            self.wake_link(i);
        } else if i < before_hosts {
            self.wake_medium(i - links);
        } else if i < before_hosts + self.hosts.len() {
            self.wake_host(i - before_hosts);
        } else {
            self.wake_recorder(source);
        }
    }

    fn wake_link(&mut self, i: usize) {
        let next = loop {
            let arrived = driven!(self, i, d => self.links[i].advance(self.now, d));
            let Some(packet) = arrived else {
                break self.links[i].next_wakeup();
            };
            self.forward(i, packet);
            // Asking when is cheaper than asking what, and mostly the answer is "later".
            let next = self.links[i].next_wakeup();
            if next.is_none_or(|at| at > self.now) {
                break next;
            }
        };
        self.events.set(Source(i as u32), next);
        self.carry(i);
    }

    fn wake_medium(&mut self, m: usize) {
        loop {
            let mut below = Below {
                arena: &mut self.arena,
                observer: &mut self.observer,
                links: &mut self.links,
                routes: &self.routes,
                medium: m as u32,
            };
            let arrived = self.media[m].medium.advance(self.now, &mut below);
            let Some(packet) = arrived else {
                break;
            };
            let link = below.link_of(packet);
            self.links[link].on_port_delivered(packet);
            self.forward(link, packet);
        }
        self.reschedule_medium(m);
    }

    fn reschedule_medium(&mut self, m: usize) {
        let source = Source((self.links.len() + m) as u32);
        self.events.set(source, self.media[m].medium.next_wakeup());
    }

    /// Hands to the channel what link `i` has for it, if the link leads to one.
    #[inline]
    fn carry(&mut self, i: usize) {
        if let Some(Some((m, port))) = self.ports.get(i) {
            self.carry_to(*m, i, *port);
        }
    }

    /// Hands to channel `m` what link `i` has for it, which leads there by `port`.
    #[inline(never)]
    fn carry_to(&mut self, m: u32, i: usize, port: PortId) {
        let now = self.now;
        self.with_medium(m, |below, air| below.carry(now, i, port, air));
    }

    /// Lets `act` do something with channel `m`, which may want to be woken at another time then.
    #[inline]
    fn with_medium(&mut self, m: u32, act: impl FnOnce(&mut Below<'_, O>, &mut Air)) {
        let below = &mut Below {
            arena: &mut self.arena,
            observer: &mut self.observer,
            links: &mut self.links,
            routes: &self.routes,
            medium: m,
        };
        act(below, &mut self.media[m as usize]);
        self.reschedule_medium(m as usize);
    }

    #[inline]
    fn forward(&mut self, from: usize, packet: Packet) {
        self.perf.hops += 1;
        if O::ACTIVE {
            let fact = LinkFact::Delivered;
            self.observer
                .on_link(self.now, from, packet, &self.arena, fact);
        }
        let position = self.arena.step(packet.id);
        match self.routes.hop(position) {
            Hop::Link(next) => self.offer(next as usize, packet),
            Hop::End => self.deliver(from, packet),
        }
    }

    fn wake_host(&mut self, i: usize) {
        if self.hosts[i].on_wakeup(self.now) {
            self.tell_transport(i, Stimulus::Timer);
            self.transmit(i);
        }
        let next = self.hosts[i].next_wakeup();
        self.events.set(self.host_source(i), next);
    }

    #[cold]
    fn wake_recorder(&mut self, source: Source) {
        for air in &self.media {
            for (port, link) in air.ports() {
                self.links[link].set_port_waiting(air.medium.waiting_in_all(port));
            }
        }
        let tap = Tap {
            arena: &mut self.arena,
            observer: &mut self.observer,
            link: 0,
        };
        self.recorder
            .on_wakeup(self.now, &self.hosts, &mut self.links, tap);
        let next = self.recorder.next_wakeup();
        self.events.set(source, next);
    }

    #[inline]
    fn offer(&mut self, i: usize, packet: Packet) {
        let link = &mut self.links[i];
        if link.passes_to_medium() {
            return self.offer_to_medium(i, packet);
        }
        if driven!(self, i, d => link.offer(self.now, packet, d)) {
            self.events.set(Source(i as u32), link.next_wakeup());
        }
        self.carry(i);
    }

    #[inline(never)]
    fn offer_to_medium(&mut self, i: usize, packet: Packet) {
        let Some((m, port)) = self.ports[i] else {
            unreachable!("a link that ends at a medium has a port there");
        };
        let from = (self.now, i);
        self.with_medium(m, |below, air| below.queue(from, port, packet, air));
    }

    fn deliver(&mut self, from: usize, packet: Packet) {
        let i = (packet.flow.0 ^ 1) as usize;
        if let Some(set) = self.hosts[i].transport.tied_timer(self.now)
            && set
                < self
                    .now
                    .saturating_sub(self.links[from].latency(packet.size))
        {
            self.hosts[i].on_wakeup(self.now);
            self.tell_transport(i, Stimulus::Timer);
            self.transmit(i);
        }
        let segment = self.arena.take(packet);
        self.hosts[i].on_segment(self.now, &segment);
        if O::ACTIVE {
            let is = &self.hosts[i].transport;
            self.observer.on_arrived(self.now, packet, &segment, is);
        }
        self.transmit(i);
        let next = self.hosts[i].next_wakeup();
        self.events.no_later_than(self.host_source(i), next);
    }

    /// Puts everything on the wire that host `i` has to send now.
    fn transmit(&mut self, i: usize) {
        loop {
            loop {
                let due = if O::ACTIVE {
                    self.hosts[i].transport.ack_due()
                } else {
                    None
                };
                // Read where it was written: moved at once, it would be waited for.
                let next = self.hosts[i].transport.poll_transmit(self.now);
                let Some(segment) = &next else { break };
                self.send(i, segment, due);
                self.tell_transport(i, Stimulus::Sending);
            }
            // Sending may raise events (room in the buffer), and they may lead to more to send.
            if !self.hosts[i].run_app(self.now) {
                break;
            }
        }
        self.hosts[i].note_window(self.now);
    }

    #[inline]
    fn send(&mut self, i: usize, segment: &Segment, ack_due: Option<AckReason>) {
        let size = segment.ip_len();
        self.hosts[i].note_sent(segment, size);
        let flow = FlowId(i as u32);
        let position = self.routes.start(flow);
        let Hop::Link(first) = self.routes.hop(position) else {
            unreachable!("a flow has at least one link in each direction");
        };
        let packet = Packet {
            size,
            ecn: segment.ecn,
            id: self.arena.insert(segment, position),
            flow,
        };
        if O::ACTIVE {
            self.observer.on_sent(self.now, packet, segment, ack_due);
        }
        self.offer(first as usize, packet);
    }

    #[inline]
    fn tell_transport(&mut self, i: usize, stimulus: Stimulus) {
        if O::ACTIVE {
            let is = &self.hosts[i].transport;
            self.observer.on_transport(self.now, i, stimulus, is);
        }
    }

    fn host_source(&self, i: usize) -> Source {
        Source((self.links.len() + self.media.len() + i) as u32)
    }

    /// Conservation over the whole network.
    fn check(&self) {
        if cfg!(debug_assertions) {
            self.arena.check();
            let inside: u64 = self.links.iter().map(Link::inside).sum();
            assert_eq!(self.arena.live(), inside, "packets outside of links");
            for air in &self.media {
                let at_ports = air.ports().map(|(_, link)| self.links[link].inside());
                let held = air
                    .ports()
                    .filter_map(|(_, l)| self.links[l].filter_stats());
                let held: u64 = held.map(|f| u64::from(f.held)).sum();
                assert_eq!(at_ports.sum::<u64>() - held, air.medium.inside());
            }
        }
    }

    fn bytes(&self) -> u64 {
        let hosts = self.hosts.capacity() * size_of::<Host<T>>();
        let links = self.links.capacity() * size_of::<Link>();
        (hosts + links + self.arena.bytes() + self.events.bytes()) as u64
    }
}
