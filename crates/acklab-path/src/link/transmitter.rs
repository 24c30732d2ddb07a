//! The serialiser: one packet at a time, at a fixed rate.

use acklab_units::{Instant, Rate, Span};

/// When a packet occupies the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Service {
    /// Its first bit enters the line.
    pub start: Instant,
    /// Its last bit has entered the line.
    pub end: Instant,
}

#[derive(Debug)]
pub(super) struct Transmitter {
    rate: Rate,
    overhead: u32,
    busy_until: Instant,
    /// Serialisation time of the last packet and its size: traffic comes in one or two sizes, and
    /// a division costs more than a comparison.
    last: (u32, Span),
}

impl Transmitter {
    pub fn new(rate: Rate, overhead: u32) -> Self {
        Self {
            rate,
            overhead,
            busy_until: Instant::ZERO,
            last: (0, rate.serialisation(u64::from(overhead))),
        }
    }

    /// Books the line for a packet of `size` bytes, at `now` or as soon as the line is free.
    #[inline]
    pub fn book(&mut self, now: Instant, size: u32) -> Service {
        let start = now.max(self.busy_until);
        let end = start.saturating_add(self.serialisation(size));
        self.busy_until = end;
        Service { start, end }
    }

    pub fn busy_until(&self) -> Instant {
        self.busy_until
    }

    /// How long a packet of `size` bytes occupies the line.
    pub fn time_for(&self, size: u32) -> Span {
        let bytes = u64::from(size) + u64::from(self.overhead);
        self.rate.serialisation(bytes)
    }

    #[inline]
    fn serialisation(&mut self, size: u32) -> Span {
        if size != self.last.0 {
            self.last = (size, self.time_for(size));
        }
        self.last.1
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
        assert_eq!(tx.busy_until(), at(350));
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
