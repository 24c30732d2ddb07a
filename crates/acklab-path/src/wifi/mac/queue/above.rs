//! A queue discipline above the queue of the MAC, as a network interface has one above its driver.
//!
//! Packets that the discipline has released are with the device: each waits there for its turn, is aggregated and
//! repeated, and can neither be judged nor taken out any more. The device takes packets as long as the
//! limit of its queue allows; under a queue per station, which drops by itself, it always does. Linux's
//! drivers stop the queue above in the same way, ath9k when an access category has 123 frames that are not
//! completed (`ATH_MAX_QDEPTH`, `ieee80211_stop_queue`), and so does ns-3's `WifiMacQueue`
//! (`WifiNetDevice::FlowControlConfig`).

use super::{OnDrop, TxQueue};
use crate::packet::{DropReason, Label, Packet, PacketId};
use crate::qdisc::classes::Row;
use crate::qdisc::slab::Waiting;
use crate::qdisc::{Enqueue, QueueDisc};
use crate::wifi::mac::PeerId;
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// MPDUs that ath9k takes under one access category before it stops the queue above
/// (`ATH_MAX_QDEPTH`, drivers/net/wireless/ath/ath9k/ath9k.h: 512 / 4 - 5).
pub const DEVICE: u32 = 123;

/// The facts about a packet since it came.
#[derive(Clone, Copy, Debug)]
struct Entered {
    at: Instant,
    peer: PeerId,
    flow: u32,
}

/// The discipline.
#[derive(Debug)]
pub(super) struct Above {
    discipline: Box<dyn QueueDisc>,
    /// By number of the packet.
    entered: Vec<Entered>,
    /// The same of a link layer's own packets, whose numbers are no places: few.
    own: Vec<(PacketId, Entered)>,
    /// When it will have something, if it had nothing at the last request and something waits.
    ready: Option<Instant>,
    /// When its timer runs out.
    timer: Option<Instant>,
    /// The packets that it dropped at the last call.
    dropped: Vec<(Packet, DropReason)>,
}

impl Above {
    pub fn new(discipline: Box<dyn QueueDisc>) -> Self {
        Self {
            discipline,
            entered: Vec::new(),
            own: Vec::new(),
            ready: None,
            timer: None,
            dropped: Vec::new(),
        }
    }

    fn note(&mut self, id: PacketId, entered: Entered) {
        if id.is_own() {
            self.own.retain(|(other, _)| *other != id);
            self.own.push((id, entered));
            return;
        }
        let i = id.0 as usize;
        if i >= self.entered.len() {
            self.entered.resize(i + 1, entered);
        }
        self.entered[i] = entered;
    }

    fn of(&self, id: PacketId) -> Entered {
        let own = self.own.iter().find(|(other, _)| *other == id);
        own.map_or_else(|| self.entered[id.0 as usize], |(_, entered)| *entered)
    }

    /// The next packet for the device.
    fn next(&mut self, now: Instant) -> Option<Packet> {
        let dropped = &mut self.dropped;
        let next = self
            .discipline
            .dequeue(now, &mut |p, why| dropped.push((p, why)));
        if next.is_none() {
            self.ready = self.discipline.next_ready().filter(|at| *at > now);
        }
        next
    }
}

impl TxQueue {
    /// Puts a discipline above this queue, which is the device's then.
    ///
    /// # Panics
    /// If something waits already.
    pub fn put_under(&mut self, discipline: Box<dyn QueueDisc>) {
        assert_eq!(self.inside(), 0, "packets are waiting");
        self.above = Some(Box::new(Above::new(discipline)));
    }

    /// The counters that the discipline above keeps of each of its tins or classes.
    pub fn classes(&self) -> Vec<Row> {
        let above = self.above.as_ref();
        above.map_or_else(Vec::new, |a| a.discipline.classes())
    }

    /// When the discipline above has something that it did not want to give before.
    #[inline]
    pub fn ready_at(&self) -> Option<Instant> {
        self.above.as_ref()?.ready
    }

    /// The discipline above has something now.
    pub fn on_ready(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        self.schedule(now, on_drop);
        self.check();
    }

    /// Offers a packet to the discipline. Says whether it took it.
    pub(super) fn offer_above(
        &mut self,
        now: Instant,
        peer: PeerId,
        (packet, label, keep): (Packet, Label, bool),
        on_drop: OnDrop<'_>,
    ) -> bool {
        self.know(peer);
        self.run_timers(now, on_drop);
        if !self.admits() {
            self.expire_first(now, on_drop);
        }
        let mut joins = false;
        self.with_above(|queue, a| {
            let entered = Entered {
                at: now,
                peer,
                flow: label.flow,
            };
            a.note(packet.id, entered);
            let fate = a.discipline.enqueue(now, packet, label);
            a.timer = a.discipline.next_wakeup();
            joins = !matches!(fate, Enqueue::Dropped(_));
            // A packet behind others does not make a shaper ready any sooner.
            if fate != Enqueue::Queued || a.discipline.quiet_until().is_none_or(|at| at <= now) {
                a.ready = None;
            }
            match fate {
                Enqueue::Queued => queue.on_joined_above(packet),
                Enqueue::Dropped(reason) => {
                    queue.stats.refused += 1;
                    on_drop(packet, reason);
                }
                Enqueue::Evicted(victim, reason) => {
                    queue.on_joined_above(packet);
                    queue.on_dropped_above(victim, reason, on_drop);
                }
            }
            while let Some((victim, reason)) = a.discipline.evicted() {
                a.ready = None;
                queue.on_dropped_above(victim, reason, on_drop);
            }
            queue.stats.marked_above = a.discipline.stats().marked;
        });
        self.refill(now, keep.then_some(packet.id), on_drop);
        self.check();
        joins
    }

    /// Lets the device have what it has room for. An answer may take `kept` along, if that is with it.
    pub(super) fn refill(&mut self, now: Instant, kept: Option<PacketId>, on_drop: OnDrop<'_>) {
        self.run_timers(now, on_drop);
        // It has said when it will have something, and nothing has joined since.
        if self.ready_at().is_some_and(|at| at > now) {
            return;
        }
        self.with_above(|queue, a| {
            a.ready = None;
            while queue.held > 0 && queue.admits() {
                let next = a.next(now);
                queue.take_dropped(a, on_drop);
                let Some(packet) = next else { break };
                let Entered { at, peer, flow } = a.of(packet.id);
                queue.held -= 1;
                let waiting = Waiting {
                    packet,
                    since: now,
                    joined: at,
                };
                queue.admit(now, peer, (waiting, flow, kept == Some(packet.id)), on_drop);
            }
            queue.stats.marked_above = a.discipline.stats().marked;
            let left = a.discipline.stats().packets;
            debug_assert_eq!(left, queue.held, "the discipline lost count");
        });
    }

    /// Runs the timers of the discipline that ran out up to `now`.
    #[inline]
    fn run_timers(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        let timer = self.above.as_ref().and_then(|a| a.timer);
        if timer.is_some_and(|at| at <= now) {
            self.run_timers_to(now, on_drop);
        }
    }

    #[cold]
    fn run_timers_to(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        self.with_above(|queue, a| {
            a.ready = None;
            while let Some(at) = a.timer
                && at <= now
            {
                let dropped = &mut a.dropped;
                a.discipline
                    .on_wakeup(at, &mut |p, why| dropped.push((p, why)));
                queue.take_dropped(a, on_drop);
                a.timer = a.discipline.next_wakeup();
                assert!(
                    a.timer.is_none_or(|next| next > at),
                    "timer of a queue discipline stuck at {at:?}"
                );
            }
        });
    }

    /// Takes a packet out of the discipline.
    #[cold]
    pub(super) fn remove_above(&mut self, id: PacketId) -> Option<Packet> {
        let above = self.above.as_mut()?;
        let packet = above.discipline.remove(id)?;
        above.ready = None;
        self.held -= 1;
        self.stats.removed += 1;
        self.on_left_waiting(packet);
        self.check();
        Some(packet)
    }

    /// Lets `by` take the place of a packet in the discipline, which comes out.
    #[cold]
    pub(super) fn replace_above(
        &mut self,
        now: Instant,
        id: PacketId,
        by: Packet,
    ) -> Option<Packet> {
        let above = self.above.as_mut()?;
        let old = above.discipline.replace(now, id, by)?;
        above.ready = None;
        debug_assert_eq!(old.size, by.size, "what takes a place is as long");
        let entered = Entered {
            at: now,
            ..above.of(id)
        };
        above.note(by.id, entered);
        self.stats.enqueued += 1;
        self.stats.removed += 1;
        self.check();
        Some(old)
    }

    fn with_above(&mut self, f: impl FnOnce(&mut Self, &mut Box<Above>)) {
        if let Some(mut above) = self.above.take() {
            f(self, &mut above);
            self.above = Some(above);
        }
    }

    fn take_dropped(&mut self, above: &mut Above, on_drop: OnDrop<'_>) {
        for (packet, reason) in above.dropped.drain(..) {
            self.on_dropped_above(packet, reason, on_drop);
        }
    }

    fn on_joined_above(&mut self, packet: Packet) {
        self.held += 1;
        self.count_joined(packet);
    }

    fn on_dropped_above(&mut self, packet: Packet, reason: DropReason, on_drop: OnDrop<'_>) {
        self.held -= 1;
        self.on_left_waiting(packet);
        self.stats.dropped += 1;
        on_drop(packet, reason);
    }
}
