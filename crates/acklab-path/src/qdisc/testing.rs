//! Disciplines on the bench.

use super::{Enqueue, Limit, QueueDisc, Stats};
use crate::packet::{DropReason, Label, Packet, PacketId};
use crate::qdisc::pfifo::Pfifo;
use acklab_units::{Instant, Span};
use std::vec::Vec;

/// Packets of which only the flow is known.
pub(crate) trait Plain: QueueDisc {
    /// Offers one.
    fn offer(&mut self, now: Instant, packet: Packet) -> Enqueue {
        self.enqueue(now, packet, Label::of(packet.flow))
    }
}

impl<Q: QueueDisc + ?Sized> Plain for Q {}

/// Drop-tail that gives a packet each `gap` and no sooner, and that drops the first of them at each
/// `tick` as long as one waits: a shaper with a timer.
#[derive(Debug)]
pub(crate) struct Paced {
    pub inner: Pfifo,
    pub gap: Span,
    pub tick: Option<Span>,
    /// Instants at which it was woken.
    pub woken: Vec<Instant>,
    ready: Instant,
    timer: Option<Instant>,
}

impl Paced {
    pub fn new(limit: u32, gap: Span, tick: Option<Span>) -> Self {
        Self {
            inner: Pfifo::new(Limit::Packets(limit)),
            gap,
            tick,
            woken: Vec::new(),
            ready: Instant::ZERO,
            timer: None,
        }
    }
}

impl QueueDisc for Paced {
    fn enqueue(&mut self, now: Instant, packet: Packet, label: Label) -> Enqueue {
        if self.timer.is_none() {
            self.timer = self.tick.map(|t| now + t);
        }
        self.inner.enqueue(now, packet, label)
    }

    fn dequeue(
        &mut self,
        now: Instant,
        dropped: &mut dyn FnMut(Packet, DropReason),
    ) -> Option<Packet> {
        if now < self.ready {
            return None;
        }
        let next = self.inner.dequeue(now, dropped)?;
        self.ready = now + self.gap;
        Some(next)
    }

    fn remove(&mut self, id: PacketId) -> Option<Packet> {
        self.inner.remove(id)
    }

    fn replace(&mut self, now: Instant, id: PacketId, by: Packet) -> Option<Packet> {
        self.inner.replace(now, id, by)
    }

    fn next_ready(&self) -> Option<Instant> {
        (self.inner.stats().packets > 0).then_some(self.ready)
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.timer
    }

    fn on_wakeup(&mut self, now: Instant, dropped: &mut dyn FnMut(Packet, DropReason)) {
        assert_eq!(
            self.timer,
            Some(now),
            "woken when the timer did not run out"
        );
        self.woken.push(now);
        let first = self.inner.first().and_then(|id| self.inner.remove(id));
        if let Some(first) = first {
            dropped(first, DropReason::Aqm);
        }
        let waits = self.inner.stats().packets > 0;
        self.timer = self.tick.filter(|_| waits).map(|t| now + t);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

/// All packets that `q` gives from `now` on to somebody who takes each as soon as it may be had.
pub(crate) fn serve(q: &mut dyn QueueDisc, mut now: Instant) -> Vec<(Instant, Packet)> {
    let mut sent = Vec::new();
    loop {
        match q.dequeue(now, &mut |_, _| ()) {
            Some(packet) => sent.push((now, packet)),
            None => match q.next_ready() {
                Some(at) => now = at.max(now),
                None => return sent,
            },
        }
    }
}
