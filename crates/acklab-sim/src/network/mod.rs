//! A network without hosts: links, radio channels, routes, and the packets on their way.
//!
//! It has two kinds of drivers. The simulator steps by event: [`Network::step`] handles the next
//! one, tells [`Ends`] what reached the end of its route in that very event, and says so when the
//! event is one of the driver's own, for which the network's queue has room. A live driver, whose
//! clock runs by itself, calls [`Network::offer`] and [`Network::advance`] ([`live`]).
//!
//! At one instant links come before radio channels, both in the order of their numbers, and the
//! driver's sources last.

mod air;
mod arena;
mod build;
pub mod bytes;
mod flows;
#[cfg(test)]
mod late_offers;
#[cfg(test)]
mod late_paths;
#[cfg(test)]
mod late_tests;
pub mod live;
mod plan;
pub mod queue;
mod routes;
mod store;
mod tap;
mod wake;

pub use air::{Air, media, ports};
pub use arena::Arena;
pub use build::Parts;
pub use bytes::Bytes;
pub use live::Arrival;
pub use store::{Content, Store};
pub use tap::Tap;

use crate::record::{Observer, Scene};
use acklab_path::link::Link;
use acklab_path::packet::{FlowId, Packet};
use acklab_path::wifi::medium::PortId;
use acklab_proto::ack::AckReason;
use acklab_units::Instant;
use queue::{EventQueue, Source};
use routes::{Hop, Routes};
use std::collections::VecDeque;

/// Links, radio channels and routes, with what is on its way and what will happen to it.
#[derive(Debug)]
pub struct Network<S: Store, O> {
    now: Instant,
    events: EventQueue,
    links: Vec<Link>,
    /// Radio channels.
    media: Vec<Air>,
    /// Of each link: the channel that it leads to. Empty without channels.
    ports: Vec<Option<(u32, PortId)>>,
    store: S,
    routes: Routes,
    observer: O,
    /// Packets that links have handed over.
    hops: u64,
    /// Packets that have arrived after their flow had left.
    drained: u64,
    /// The arrivals that nobody has collected yet; only if it is driven live.
    arrived: VecDeque<Arrival<S::Taken>>,
}

/// The owner of the hosts of a network that is stepped by event.
pub trait Ends<S: Store, O> {
    /// `packet` has reached the end of its route over link number `from`, now. It is still in the
    /// network's store: [`Network::take`].
    fn arrived(&mut self, network: &mut Network<S, O>, from: usize, packet: Packet);
}

/// The owner of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The network's; it has been handled.
    Network,
    /// That of the driver's source of that number, who must handle it and say when the source is to be
    /// woken next ([`Network::wake_at`]).
    Driver(usize),
}

impl<S: Store, O: Observer> Network<S, O> {
    /// The instant of the event in hand.
    #[inline]
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Its links, by number.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Its radio channels, by number.
    pub fn media(&self) -> &[Air] {
        &self.media
    }

    /// The store of its packets.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The same, to be told what goes with the next packet.
    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// The observer.
    #[inline]
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// The observer, and the store of the packets.
    pub fn observer_and_store(&mut self) -> (&mut O, &S) {
        (&mut self.observer, &self.store)
    }

    /// The observer.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// Packets that links have handed over so far.
    pub fn hops(&self) -> u64 {
        self.hops
    }

    /// Wakes later than this cannot be told from none.
    pub fn horizon(&self) -> Instant {
        self.events.horizon()
    }

    /// Handles the next event if it is due at or before `end`. Its instant is then [`Network::now`].
    ///
    /// Inlined with all that an event passes through, for one loop calls it: each function on that way
    /// would save and restore registers for each event.
    #[inline(always)]
    pub fn step<E: Ends<S, O>>(&mut self, end: Instant, ends: &mut E) -> Option<Turn> {
        let (at, source) = self.events.peek()?;
        if at > end {
            return None;
        }
        self.now = at;
        self.events.advance_to(at);
        let links = self.links.len();
        let before_driver = links + self.media.len();
        let i = source.0 as usize;
        if i < links {
            self.wake_link(i, ends);
        } else if i < before_driver {
            self.wake_medium(i - links, ends);
        } else {
            return Some(Turn::Driver(i - before_driver));
        }
        Some(Turn::Network)
    }

    /// Source number `i` of the driver is to be woken at `at`, or not at all.
    ///
    /// # Panics
    /// If `at` lies in the past.
    #[inline]
    pub fn wake_at(&mut self, i: usize, at: Option<Instant>) {
        self.events.set(self.source(i), at);
    }

    /// Source number `i` of the driver is to be woken at `at` unless it will be before anyway.
    ///
    /// # Panics
    /// If `at` lies in the past.
    #[inline]
    pub fn wake_by(&mut self, i: usize, at: Option<Instant>) {
        self.events.no_later_than(self.source(i), at);
    }

    #[inline]
    fn source(&self, i: usize) -> Source {
        Source((self.links.len() + self.media.len() + i) as u32)
    }

    /// A packet of that flow direction enters its route, now. Returns its size.
    ///
    /// # Panics
    /// If there is no such flow.
    #[inline]
    pub fn enter(&mut self, flow: FlowId, item: S::Item<'_>, ack: Option<AckReason>) -> u32 {
        let position = self.routes.start(flow);
        let Hop::Link(first) = self.routes.hop(position) else {
            unreachable!("a flow has at least one link in each direction");
        };
        let (size, ecn) = (item.size(), item.datagram().ecn());
        let told = O::ACTIVE.then(|| *item.datagram());
        let packet = Packet {
            size,
            ecn,
            id: self.store.insert(item, position),
            flow,
        };
        if let Some(datagram) = told {
            let told = (&datagram, self.store.attachment(packet.id));
            self.observer.on_sent(self.now, packet, told, ack);
        }
        self.offer_to_link(first as usize, packet);
        size
    }

    /// Takes the content of a packet that has reached the end of its route.
    #[inline]
    pub fn take(&mut self, packet: Packet) -> S::Taken {
        self.store.take(packet)
    }

    /// Bytes of memory that links, packets and events occupy.
    pub fn bytes(&self) -> usize {
        let links = self.links.capacity() * size_of::<Link>();
        links + self.store.bytes() + self.events.bytes()
    }

    /// Books the airtime of each way over a radio channel to the link that it stands for: once, at the
    /// end.
    pub fn book_airtime(&mut self) {
        for air in &self.media {
            for (port, link) in air.ports() {
                self.links[link].on_port_busy(air.medium.port_airtime(port));
            }
        }
    }

    /// Conservation over the whole network, in debug builds.
    pub fn check(&self) {
        if cfg!(debug_assertions) {
            self.store.check();
            let kept = |l: &Link| l.inside() - l.doomed();
            let inside: u64 = self.links.iter().map(kept).sum();
            assert_eq!(self.store.live(), inside, "packets outside of links");
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
}

impl<S: Store, O: Observer> Scene for Network<S, O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn links(&self) -> usize {
        self.links.len()
    }

    fn look(&mut self, i: usize, now: Instant) -> (&Link, (u32, u64)) {
        let link = &mut self.links[i];
        if let Some(Some((m, port))) = self.ports.get(i) {
            link.set_port_waiting(self.media[*m as usize].medium.waiting_in_all(*port));
        }
        let tap = &mut Tap {
            store: &mut self.store,
            observer: &mut self.observer,
            link: i,
        };
        let waiting = link.waiting(now, tap);
        (link, waiting)
    }
}
