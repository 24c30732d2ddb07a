//! Losses by packet number.
//!
//! "PKT.SEQ directly encodes the transmission order. [...] PKT.SEQ removes the ambiguity about which
//! packet is lost when losses are detected" (TACK paper, section 5.1). A gap below the largest number
//! is a loss event, once it has lasted for the settle time; it is reported by one IACK with the
//! numbers on either side. A gap in PKT.SEQ never heals by retransmission, so reported gaps are
//! remembered only for packets that come late, and the oldest are forgotten.

use acklab_units::{Instant, Span};
use alloc::collections::VecDeque;

/// Kind of an arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrived {
    /// The number that was expected next, or one beyond it.
    Ahead,
    /// A number from a gap: the path reorders.
    Late,
    /// A number that was there before, or too old to tell.
    Known,
}

/// Numbers `start..end` that are missing.
#[derive(Clone, Copy, Debug)]
struct Hole {
    start: u64,
    end: u64,
}

/// The numbers that have arrived, as gaps below the next.
#[derive(Clone, Debug)]
pub struct Holes {
    first: u64,
    next: u64,
    holes: VecDeque<Hole>,
    /// When each of those at the back is reported. The others were: gaps are reported in their order.
    due: VecDeque<Instant>,
    /// Most gaps that are kept.
    limit: usize,
    packets: u64,
    reordered: bool,
}

impl Holes {
    /// Nothing has arrived; `first` is the first number that will.
    pub fn new(first: u64, limit: usize) -> Self {
        Self {
            first,
            next: first,
            holes: VecDeque::with_capacity(limit.min(8)),
            due: VecDeque::with_capacity(limit.min(8)),
            limit: limit.max(1),
            packets: 0,
            reordered: false,
        }
    }

    /// Whether the packet of that number has not arrived yet.
    pub fn is_new(&self, number: u64) -> bool {
        number >= self.next || self.find(number).is_some()
    }

    /// A packet arrived. A gap that it leaves is due `settle` from now.
    pub fn on_packet(&mut self, now: Instant, number: u64, settle: Span) -> Arrived {
        if number >= self.next {
            if number > self.next {
                self.holes.push_back(Hole {
                    start: self.next,
                    end: number,
                });
                self.due.push_back(now.saturating_add(settle));
                self.bound();
            }
            self.next = number + 1;
            self.packets += 1;
            return Arrived::Ahead;
        }
        let Some(i) = self.find(number) else {
            return Arrived::Known;
        };
        self.fill(i, number);
        self.packets += 1;
        self.reordered = true;
        Arrived::Late
    }

    fn find(&self, number: u64) -> Option<usize> {
        let i = self.holes.partition_point(|h| h.end <= number);
        (self.holes.get(i)?.start <= number).then_some(i)
    }

    /// So many gaps at the front were reported.
    fn reported(&self) -> usize {
        self.holes.len() - self.due.len()
    }

    /// Forgets the oldest gap where there are too many: what the list of the stream's gaps says of it
    /// remains.
    fn bound(&mut self) {
        if self.holes.len() > self.limit {
            self.holes.pop_front();
            let kept = self.holes.len();
            if self.due.len() > kept {
                self.due.pop_front();
            }
        }
    }

    fn fill(&mut self, i: usize, number: u64) {
        let h = self.holes[i];
        let pending = i.checked_sub(self.reported());
        if h.end - h.start == 1 {
            self.holes.remove(i);
            if let Some(i) = pending {
                self.due.remove(i);
            }
        } else if number == h.start {
            self.holes[i].start += 1;
        } else if number + 1 == h.end {
            self.holes[i].end -= 1;
        } else {
            self.holes[i].end = number;
            self.holes.insert(
                i + 1,
                Hole {
                    start: number + 1,
                    ..h
                },
            );
            if let Some(i) = pending {
                self.due.insert(i + 1, self.due[i]);
            }
            self.bound();
        }
    }

    /// The next loss event that is due: "the second largest PKT.SEQ and the largest", between which
    /// everything is missing.
    pub fn take_due(&mut self, now: Instant) -> Option<(u64, u64)> {
        self.due.front().filter(|due| **due <= now)?;
        let h = self.holes[self.reported()];
        self.due.pop_front();
        Some((h.start - 1, h.end))
    }

    /// When the next loss event is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.due.front().copied()
    }

    /// Everything missing up to this number was reported. "In order to avoid unnecessary
    /// retransmission, TACK only reports missing packets that have been reported by loss-event-driven
    /// IACKs" (section 5.1): a gap inside its settle time is not (ambiguity 3).
    pub fn settled(&self) -> u64 {
        let pending = self.holes.get(self.reported());
        pending.map_or(self.largest(), |h| h.start - 1)
    }

    /// The largest number that has arrived; one below the first if none has.
    pub const fn largest(&self) -> u64 {
        self.next - 1
    }

    /// Packets that have arrived, each counted once.
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Packets that should have arrived: all numbers up to the largest.
    pub const fn expected(&self) -> u64 {
        self.next - self.first
    }

    /// Whether a packet ever came late.
    pub const fn reordered(&self) -> bool {
        self.reordered
    }

    /// Gaps that are remembered.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.holes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn fed(numbers: &[u64], settle: Span) -> Holes {
        let mut h = Holes::new(1, 100);
        for &n in numbers {
            h.on_packet(at(0), n, settle);
        }
        h
    }

    /// The example of section 5.1: 1 and 3 arrive, 2 was dropped; its retransmission is 4, which is
    /// dropped again, and 5 tells.
    #[test]
    fn a_lost_retransmission_is_a_loss_event_of_its_own() {
        let mut h = fed(&[1, 3], Span::ZERO);
        assert_eq!(h.take_due(at(0)), Some((1, 3)));
        assert_eq!(h.take_due(at(0)), None);
        h.on_packet(at(1), 5, Span::ZERO);
        assert_eq!(h.take_due(at(1)), Some((3, 5)));
        assert_eq!((h.largest(), h.packets(), h.expected()), (5, 3, 5));
    }

    #[test]
    fn a_gap_that_fills_in_time_is_never_reported() {
        let mut h = fed(&[1, 4], Span::from_millis(5));
        assert_eq!((h.settled(), h.next_due()), (1, Some(at(5))));
        assert_eq!(h.take_due(at(4)), None);
        assert_eq!(h.on_packet(at(4), 3, Span::ZERO), Arrived::Late);
        assert_eq!(h.on_packet(at(4), 2, Span::ZERO), Arrived::Late);
        assert!(h.reordered());
        assert_eq!((h.take_due(at(9)), h.settled()), (None, 4));
    }

    #[test]
    fn a_second_copy_is_known() {
        let mut h = fed(&[1, 2, 5], Span::ZERO);
        assert_eq!(h.on_packet(at(0), 2, Span::ZERO), Arrived::Known);
        assert_eq!(h.on_packet(at(0), 5, Span::ZERO), Arrived::Known);
        assert_eq!(h.packets(), 3);
    }

    proptest! {
        /// Against a set of numbers: each is counted once, what is reported was missing, every gap is
        /// reported once, and memory is bounded.
        #[test]
        fn it_agrees_with_a_set(numbers in prop::collection::vec(1u64..200, 1..300), limit in 1usize..40) {
            let mut h = Holes::new(1, limit);
            let mut seen = BTreeSet::new();
            let mut told: Vec<u64> = Vec::new();
            let mut full = false;
            for (i, n) in numbers.iter().enumerate() {
                let fresh = h.is_new(*n);
                let arrived = h.on_packet(at(i as u64), *n, Span::from_millis(3));
                prop_assert_eq!(fresh, arrived != Arrived::Known);
                // With enough memory nothing new is taken for known.
                prop_assert!(!(fresh && seen.contains(n)));
                full |= h.len() == limit;
                prop_assert!(fresh || full || seen.contains(n));
                if fresh {
                    seen.insert(*n);
                }
                while let Some((second, largest)) = h.take_due(at(i as u64)) {
                    prop_assert!(largest > second + 1);
                    for missing in second + 1..largest {
                        prop_assert!(!seen.contains(&missing));
                        prop_assert!(!told.contains(&missing));
                        told.push(missing);
                    }
                }
                prop_assert!(h.len() <= limit);
                prop_assert_eq!(h.packets(), seen.len() as u64);
                prop_assert_eq!(h.largest(), seen.last().copied().unwrap_or(0));
                prop_assert!(h.settled() <= h.largest());
            }
        }
    }
}
