//! A drop-tail queue and a line that keeps the order: everything is known on arrival.
//!
//! One ring holds each packet from arrival to delivery, in an order that is that of arrival, of
//! service and of delivery at once. Packets whose service has begun are a prefix of it.

use super::fifo::Fifo;
use super::transmitter::Transmitter;
use super::{LinkConfig, LinkDriver, LinkStats, pauses};
use crate::impair::{Jitter, LinkStreams, Pauses};
use crate::packet::Packet;
use crate::qdisc::pfifo;
use acklab_units::{Instant, Span};
use alloc::boxed::Box;

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: Instant,
    arrival: Instant,
    packet: Packet,
}

/// In the order of use: the ring is one cache line, what an arrival needs besides is the next.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Computed {
    ring: Fifo<Entry>,
    tx: Transmitter,
    delay: Span,
    queue: pfifo::Config,
    jitter: Option<Box<Jitter>>,
    exit: Option<Box<Pauses>>,
    /// Bytes of the packets whose service has not begun.
    waiting_bytes: u64,
    /// Length of the prefix known to have begun service.
    begun: u32,
    /// A packet that arrives when a service begins finds it not begun yet.
    pub arrivals_first: bool,
}

impl Computed {
    pub fn new(
        tx: Transmitter,
        queue: pfifo::Config,
        config: &LinkConfig,
        streams: LinkStreams,
    ) -> Self {
        Self {
            tx,
            queue,
            delay: config.delay,
            exit: pauses(&config.impair, &streams),
            jitter: Jitter::new(config.impair.jitter, config.impair.detour, streams.jitter)
                .map(Box::new),
            ring: Fifo::default(),
            begun: 0,
            waiting_bytes: 0,
            arrivals_first: false,
        }
    }

    pub fn latency(&self, size: u32) -> Span {
        self.tx.time_for(size) + self.delay
    }

    /// Takes the packet in, or says that the queue is full.
    #[inline(always)]
    pub fn offer(&mut self, now: Instant, mut packet: Packet, stats: &mut LinkStats) -> bool {
        let (packets, bytes) = self.found(now);
        if !self.queue.limit.admits(packets, bytes, packet.size) {
            return false;
        }
        stats.marked += u64::from(self.queue.mark(packets, bytes, &mut packet));
        let service = self.tx.book(now, packet.size);
        stats.on_served(service.start - now, service.end - service.start);
        if service.start > now {
            self.waiting_bytes += u64::from(packet.size);
            stats.on_waiting(packets + 1, self.waiting_bytes);
        } else {
            self.begun += 1;
        }
        let nominal = service.end.saturating_add(self.delay);
        let mut arrival = nominal;
        if let Some(jitter) = &mut self.jitter {
            arrival = jitter.arrival(arrival);
        }
        if let Some(exit) = &mut self.exit {
            arrival = exit.passes(arrival);
        }
        self.ring.push_back(Entry {
            start: service.start,
            arrival,
            packet,
        });
        true
    }

    /// Tells a driver that watches what was decided about the packet just taken in.
    #[inline]
    pub fn tell<D: LinkDriver>(&self, now: Instant, packet: Packet, driver: &mut D) {
        if D::WATCHES
            && let Some(last) = self.ring.back()
        {
            driver.on_queued(now, packet);
            driver.on_left(last.start, last.packet, last.start - now);
        }
    }

    /// The next packet that has arrived, and when.
    #[inline]
    pub fn pop(&mut self, now: Instant) -> Option<(Instant, Packet)> {
        let head = self.ring.front()?;
        if head.arrival > now || head.arrival == Instant::MAX {
            return None;
        }
        let (at, packet) = (head.arrival, head.packet);
        self.ring.drop_front();
        if self.begun > 0 {
            self.begun -= 1;
        } else {
            self.waiting_bytes -= u64::from(packet.size);
        }
        Some((at, packet))
    }

    #[inline]
    pub fn next_wakeup(&self) -> Option<Instant> {
        let at = self.ring.front()?.arrival;
        (at < Instant::MAX).then_some(at)
    }

    /// The backlog that a packet finds when it arrives at `now`.
    #[inline]
    fn found(&mut self, now: Instant) -> (u32, u64) {
        if !self.arrivals_first {
            return self.waiting(now);
        }
        let before = now.saturating_sub(Span::from_nanos(1));
        self.waiting(before)
    }

    /// Packets and bytes whose service begins after `now`.
    #[inline]
    pub fn waiting(&mut self, now: Instant) -> (u32, u64) {
        while let Some(e) = self.ring.get(self.begun as usize)
            && e.start <= now
        {
            self.waiting_bytes -= u64::from(e.packet.size);
            self.begun += 1;
        }
        (self.ring.len() as u32 - self.begun, self.waiting_bytes)
    }

    pub fn transmitter(&mut self) -> &mut Transmitter {
        &mut self.tx
    }

    pub fn busy(&self, now: Instant, booked: Span) -> Span {
        self.tx.busy(now, booked)
    }

    pub fn len(&self) -> usize {
        self.ring.len()
    }
}
