//! A network whose driver has a clock that runs by itself, and is therefore always late.
//!
//! Whatever happens inside happens at the instant at which it was due: however late the driver *asks*,
//! links, queues, filters and channels see the same calls at the same instants, and he learns of what
//! arrives no later than he asks.
//!
//! Only what *enters* late is late, and that is another load. While lateness is shorter than the time
//! between any two things that happen (packets enter, services begin, timers run out, packets arrive), over
//! any number of wired hops the same are lost, in the same order, and none arrives later than by the lateness,
//! unless something is decided by the clock (a trace, a pause) or by how long something took (CoDel). Lateness
//! beyond that lets packets overtake each other where their ways meet: each drop-tail queue then adds the
//! transmission of those that got ahead, and no more. Over a radio channel lateness bounds what arrives only of a
//! sender that is alone on the air and sends packet by packet: they come later by the lateness and a slot at most.
//! Otherwise nothing follows from it: a nanosecond decides whether a packet is in the next A-MPDU, or whether two
//! stations collide.

use super::{Ends, Network, Store, Turn};
use crate::record::Observer;
use acklab_path::packet::{FlowId, Packet};
use acklab_units::Instant;
use std::collections::VecDeque;

/// A packet that has reached the end of its route.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrival<C> {
    /// When it was due there.
    pub at: Instant,
    /// Its flow and direction; it goes to host number `flow ^ 1`.
    pub flow: FlowId,
    /// Its content.
    pub content: C,
}

impl<S: Store, O: Observer> Ends<S, O> for VecDeque<Arrival<S::Taken>> {
    fn arrived(&mut self, network: &mut Network<S, O>, _from: usize, packet: Packet) {
        self.push_back(Arrival {
            at: network.now(),
            flow: packet.flow,
            content: network.take(packet),
        });
    }
}

impl<S: Store, O: Observer> Network<S, O> {
    /// A packet of that flow direction enters its route at `now`, after everything that was due by
    /// then. The arrivals are kept for [`Network::advance`]. An instant before one that the
    /// network has seen counts as that one.
    ///
    /// # Panics
    /// If there is no such flow, or if the driver has sources of its own.
    pub fn offer(&mut self, now: Instant, flow: FlowId, item: S::Item<'_>) {
        while self.step_alone(now) {}
        self.now = self.now.max(now);
        self.events.advance_to(self.now);
        self.enter(flow, item, None);
    }

    /// The next packet that has reached the end of its route, at or before `now`; to be called until `None`. In
    /// the order of the instants at which it was due.
    ///
    /// # Panics
    /// If the driver has sources of its own.
    pub fn advance(&mut self, now: Instant) -> Option<Arrival<S::Taken>> {
        while self.arrived.is_empty() && self.step_alone(now) {}
        self.arrived.pop_front()
    }

    /// When [`Network::advance`] must be called next: when the next event is due, or when something
    /// arrived that was not asked for yet, which may lie in the past.
    pub fn next_wakeup(&self) -> Option<Instant> {
        let event = self.events.peek().map(|(at, _)| at);
        Instant::earliest(self.arrived.front().map(|a| a.at), event)
    }

    /// Handles the next event that is due by `now`, if there is one.
    fn step_alone(&mut self, now: Instant) -> bool {
        let mut arrived = core::mem::take(&mut self.arrived);
        let turn = self.step(now, &mut arrived);
        self.arrived = arrived;
        match turn {
            None => false,
            Some(Turn::Network) => true,
            Some(Turn::Driver(i)) => panic!("source {i} of the driver asks to be stepped by event"),
        }
    }
}
