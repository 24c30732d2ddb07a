//! Filling the hardware queue of [`super::stations`].

use super::stations::{Ready, Stations};
use super::{OnDrop, TxQueue};
use crate::packet::{DropReason, Packet};
use crate::qdisc::slab::Waiting;
use crate::wifi::agreement::Allowed;
use crate::wifi::mac::PeerId;
use crate::wifi::mac::sizes::{self, Assembly, Limits};
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;

/// How much of an aggregate is filled. With A-MSDUs it is counted as if all were in one, so that
/// rather a packet too many waits below than an aggregate goes short.
#[derive(Clone, Copy, Default)]
struct Fill {
    assembly: Assembly,
    body: u32,
    packets: u32,
}

impl Fill {
    fn with(mut self, packet: &Packet, limits: &Limits) -> Option<Self> {
        let msdu = sizes::msdu(packet.size);
        self.packets += 1;
        if limits.amsdu > 0 {
            self.body = sizes::amsdu_with(self.body, msdu);
            let most = limits.ampdu.max(limits.amsdu).min(limits.max_psdu);
            return (self.packets == 1 || self.body <= most).then_some(self);
        }
        let allowed = if limits.ampdu > 0 { limits.window } else { 1 };
        if self.packets > u32::from(allowed) {
            return None;
        }
        self.assembly = self.assembly.with(limits.overhead + msdu, limits)?;
        Some(self)
    }
}

impl TxQueue {
    /// The facts about a peer before it is served: what may be sent to it, and the throughput that
    /// its rate control expects. Queues per station take aggregates of that length out of the
    /// flow queues in advance, and adapt CoDel and the airtime queue limit to the rate.
    pub fn on_rate(&mut self, peer: PeerId, limits: &Limits, rate: Rate) {
        self.know(peer);
        let i = usize::from(peer.0);
        self.peers[i].limit(limits);
        if let Some(s) = &mut self.stations {
            s.on_rate(i, rate);
            s.on_below(i, self.peers[i].below);
        }
    }

    /// `peer` has used so much airtime, sending or receiving. Only queues per station care. For an
    /// exchange the call comes before [`TxQueue::on_response`], which may choose whom to serve.
    pub fn spend_airtime(&mut self, peer: PeerId, airtime: Span) {
        if self.stations.is_none() {
            return;
        }
        self.know(peer);
        if let Some(s) = &mut self.stations {
            s.spend(usize::from(peer.0), airtime);
        }
    }

    /// Airtime that `peer` may still use in this round, in nanoseconds; `None` in a shared queue.
    pub fn airtime_deficit(&self, peer: PeerId) -> Option<i64> {
        let s = self.stations.as_ref()?;
        s.turns.get(usize::from(peer.0)).map(|t| t.deficit)
    }

    /// A packet joins the flow queues of its station.
    pub(super) fn enqueue_flow(
        &mut self,
        peer: PeerId,
        flow: u32,
        waiting: Waiting,
        on_drop: OnDrop<'_>,
    ) {
        self.with_stations(|queue, s| {
            s.flows.enqueue(u32::from(peer.0), flow, waiting);
            s.flows.overflow(&mut |packet, why| {
                queue.on_left_waiting(packet);
                queue.stats.dropped += 1;
                on_drop(packet, why);
            });
        });
    }

    /// Lets the layers below have what they have room for: the MAC's queue of a discipline above it, the
    /// hardware queue of flow queues.
    #[inline]
    pub(super) fn schedule(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        if self.above.is_some() {
            self.refill(now, None, on_drop);
        }
        if self.stations.is_some() {
            self.fill_places(now, on_drop);
        }
    }

    fn fill_places(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        self.with_stations(|queue, s| {
            let on_air = queue.is_any_on_air();
            let quantum = s.airtime_quantum();
            // A station that the airtime queue limit holds back has an aggregate below: there are
            // no more of them than places, and the queue is not empty without another.
            let mut patience = s.places();
            while s.has_place(on_air)
                && let Some(i) = s.round.first(&mut s.turns, quantum)
            {
                if !queue.wants_service(s, i as usize) {
                    s.round.dismiss(&mut s.turns);
                } else if let Some(ready) = queue.stage(now, s, i as usize, None, on_drop) {
                    s.push(ready);
                    s.on_staged();
                } else {
                    if patience == 0 {
                        break;
                    }
                    patience -= 1;
                    s.round.postpone(&mut s.turns);
                }
            }
            queue.stats.marked = s.flows.stats.marked;
        });
    }

    /// Calls `f` with the stations, if there are any.
    pub(super) fn with_stations(&mut self, f: impl FnOnce(&mut Self, &mut Box<Stations>)) {
        if let Some(mut s) = self.stations.take() {
            f(self, &mut s);
            self.stations = Some(s);
        }
    }

    /// Whether a station has something that no aggregate in the hardware queue covers.
    fn wants_service(&self, s: &Stations, i: usize) -> bool {
        let p = &self.peers[i];
        if p.kept.is_some() || p.allowed == Allowed::Nothing {
            return false;
        }
        let (ready, reserved) = s.ready_of(i);
        s.flows.packets(i as u32) > 0 || p.waiting_packets > reserved || {
            let on_air = self.is_on_air(PeerId(i as u16));
            p.has_repeats() && !on_air && ready == 0
        }
    }

    /// Puts an aggregate of a station together; `None` if it may not have one. Packets in flow queues that
    /// arrived before `deadline` are dropped on the way.
    pub(super) fn stage(
        &mut self,
        now: Instant,
        s: &mut Stations,
        i: usize,
        deadline: Option<Instant>,
        on_drop: OnDrop<'_>,
    ) -> Option<Ready> {
        let (ready, reserved) = s.ready_of(i);
        let on_air = self.is_on_air(PeerId(i as u16));
        let p = &self.peers[i];
        let repeats = p.has_repeats() && !on_air && ready == 0;
        let (limits, mut fill) = (p.limits, Fill::default());
        for left in self.slab.iter(&p.waiting).skip(reserved as usize) {
            match fill.with(&left.packet, &limits) {
                Some(with) => fill = with,
                None => return self.ready(i, fill, repeats),
            }
        }
        while let Some(head) = self.pull(now, s, i, deadline, on_drop) {
            match fill.with(&head.packet, &limits) {
                Some(with) => fill = with,
                None => break,
            }
        }
        self.ready(i, fill, repeats)
    }

    /// Takes the next packet of a station out of its flow queues, if it may have another below. What
    /// arrived before `deadline` is dropped on the way.
    pub(super) fn pull(
        &mut self,
        now: Instant,
        s: &mut Stations,
        i: usize,
        deadline: Option<Instant>,
        on_drop: OnDrop<'_>,
    ) -> Option<Waiting> {
        if !s.admits(i) {
            return None;
        }
        let codel = s.codel(i);
        let mut drop = |queue: &mut Self, packet, why| {
            queue.on_left_waiting(packet);
            queue.stats.dropped += 1;
            on_drop(packet, why);
        };
        let head = loop {
            let on_drop = &mut |packet, why| drop(self, packet, why);
            let head = s.flows.dequeue(i as u32, now, &codel, on_drop)?;
            if deadline.is_none_or(|deadline| head.since >= deadline) {
                break head;
            }
            drop(self, head.packet, DropReason::LifetimeExpired);
        };
        let p = &mut self.peers[i];
        p.push(&mut self.slab, head);
        s.on_below(i, p.below);
        Some(head)
    }

    fn ready(&self, i: usize, fill: Fill, repeats: bool) -> Option<Ready> {
        (fill.packets > 0 || repeats).then_some(Ready {
            peer: i as u16,
            packets: fill.packets,
        })
    }
}
