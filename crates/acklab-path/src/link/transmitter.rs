//! The serialiser: one packet at a time, at a fixed rate or along a trace.

use super::trace::Opportunities;
use acklab_units::{Instant, Rate, Span};
use alloc::boxed::Box;

/// When a packet occupies the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Service {
    /// Its first bit enters the line.
    pub start: Instant,
    /// Its last bit has entered the line.
    pub end: Instant,
}

#[derive(Debug)]
#[repr(C)]
pub(super) struct Transmitter {
    busy_until: Instant,
    /// Serialisation time of the last packet: traffic comes in one or two sizes, and a division
    /// costs more than a comparison.
    last_time: Span,
    /// The size of that packet.
    last_size: u32,
    overhead: u32,
    rate: Rate,
    /// Instead of the rate.
    trace: Option<Box<Opportunities>>,
}

impl Transmitter {
    pub fn new(rate: Rate, overhead: u32) -> Self {
        Self {
            busy_until: Instant::ZERO,
            last_time: rate.serialisation(u64::from(overhead)),
            last_size: 0,
            overhead,
            rate,
            trace: None,
        }
    }

    /// From now on the line follows a trace instead of a rate.
    pub fn follow(&mut self, trace: Opportunities) {
        self.trace = Some(Box::new(trace));
    }

    /// Whether the line follows a trace.
    pub fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    /// Books the line for a packet of `size` bytes that arrives at `now`, as soon as it is free.
    #[inline]
    pub fn book(&mut self, now: Instant, size: u32) -> Service {
        let start = self.free_at(now);
        self.serve(start, size)
    }

    /// When a packet begins that arrives at `now` and finds nothing waiting.
    #[inline]
    pub fn free_at(&mut self, now: Instant) -> Instant {
        match &mut self.trace {
            None => now.max(self.busy_until),
            Some(trace) => trace.free_at(now),
        }
    }

    /// When the next packet begins, if one waits.
    pub fn ready(&self) -> Instant {
        match &self.trace {
            None => self.busy_until,
            Some(trace) => trace.ready(),
        }
    }

    /// Serves a packet of `size` bytes from `start` on, an instant at which the line is free.
    #[inline]
    pub fn serve(&mut self, start: Instant, size: u32) -> Service {
        if let Some(trace) = &mut self.trace {
            trace.skip_to(start);
            return trace.take(size + self.overhead);
        }
        let end = start.saturating_add(self.serialisation(size));
        self.busy_until = end;
        Service { start, end }
    }

    /// How long the line has been busy up to `now`, if `booked` is the time of all transmissions.
    pub fn busy(&self, now: Instant, booked: Span) -> Span {
        match &self.trace {
            // The time booked beyond `now` has no gap in it.
            None => booked.saturating_sub(self.busy_until.saturating_since(now)),
            Some(trace) => trace.busy(now),
        }
    }

    /// How long a packet of `size` bytes occupies the line: an instant, if it follows a trace.
    pub fn time_for(&self, size: u32) -> Span {
        if self.is_traced() {
            return Span::ZERO;
        }
        let bytes = u64::from(size) + u64::from(self.overhead);
        self.rate.serialisation(bytes)
    }

    #[inline]
    fn serialisation(&mut self, size: u32) -> Span {
        if size != self.last_size {
            self.last_size = size;
            self.last_time = self.time_for(size);
        }
        self.last_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn packets_follow_each_other_without_a_gap() {
        let mut tx = Transmitter::new(Rate::from_bps(8_000_000), 2);
        let expect = |start, end| Service {
            start: at(start),
            end: at(end),
        };
        assert_eq!(tx.book(at(10), 98), expect(10, 110));
        assert_eq!(tx.book(at(20), 98), expect(110, 210));
        assert_eq!(tx.book(at(300), 48), expect(300, 350));
        assert_eq!(tx.ready(), at(350));
    }

    #[test]
    fn extreme_rates_do_not_overflow() {
        let mut free = Transmitter::new(Rate::MAX, 0);
        assert_eq!(free.book(at(5), 1500).end, at(5));
        let mut dead = Transmitter::new(Rate::ZERO, 0);
        assert_eq!(dead.book(at(5), 1500).end, Instant::MAX);
        assert_eq!(dead.book(at(6), 1500).start, Instant::MAX);
    }
}
