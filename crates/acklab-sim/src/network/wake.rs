//! One event inside a network: packets go from link to link and over channels.

use super::air::Below;
use super::queue::Source;
use super::routes::Hop;
use super::{Air, Ends, Network, Store, Tap};
use crate::record::{LinkFact, Observer};
use acklab_path::packet::Packet;
use acklab_path::wifi::medium::PortId;

/// Lets link `$i` drive: with a tap if anyone watches, otherwise straight on the store, which is a
/// pointer less to pass about.
macro_rules! driven {
    ($network:ident, $i:expr, $driver:ident => $call:expr) => {
        if O::ACTIVE {
            let $driver = &mut Tap {
                store: &mut $network.store,
                observer: &mut $network.observer,
                link: $i,
            };
            $call
        } else {
            let $driver = &mut $network.store;
            $call
        }
    };
}

impl<S: Store, O: Observer> Network<S, O> {
    pub(super) fn wake_link<E: Ends<S, O>>(&mut self, i: usize, ends: &mut E) {
        let next = loop {
            let arrived = driven!(self, i, d => self.links[i].advance(self.now, d));
            let Some(packet) = arrived else {
                break self.links[i].next_wakeup();
            };
            self.forward(i, packet, ends);
            // Asking when is cheaper than asking what, and mostly the answer is "later".
            let next = self.links[i].next_wakeup();
            if next.is_none_or(|at| at > self.now) {
                break next;
            }
        };
        self.events.set(Source(i as u32), next);
        self.carry(i);
    }

    /// Inlined for the reason given at [`Network::step`].
    #[inline(always)]
    pub(super) fn wake_medium<E: Ends<S, O>>(&mut self, m: usize, ends: &mut E) {
        loop {
            let mut below = Below {
                store: &mut self.store,
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
            self.forward(link, packet, ends);
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
    fn with_medium(&mut self, m: u32, act: impl FnOnce(&mut Below<'_, S, O>, &mut Air)) {
        let below = &mut Below {
            store: &mut self.store,
            observer: &mut self.observer,
            links: &mut self.links,
            routes: &self.routes,
            medium: m,
        };
        act(below, &mut self.media[m as usize]);
        self.reschedule_medium(m as usize);
    }

    /// Inlined for the reason given at [`Network::step`].
    #[inline(always)]
    fn forward<E: Ends<S, O>>(&mut self, from: usize, packet: Packet, ends: &mut E) {
        self.hops += 1;
        if O::ACTIVE {
            let fact = LinkFact::Delivered;
            self.observer
                .on_link(self.now, from, packet, &self.store, fact);
        }
        let position = self.store.step(packet.id);
        match self.routes.hop(position) {
            Hop::Link(next) => self.offer_to_link(next as usize, packet),
            Hop::End => ends.arrived(self, from, packet),
            Hop::Gone => self.drain(packet),
        }
    }

    #[inline]
    pub(super) fn offer_to_link(&mut self, i: usize, packet: Packet) {
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
}
