//! What a medium has to do at instants that are known: a few entries, in order.

use acklab_units::Instant;
use alloc::vec::Vec;

/// Something to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The PPDU of that number leaves the air.
    PpduEnds(u32),
    /// An MPDU has arrived that is not the last one of the PPDU of that number.
    MpduEnds(u32),
    /// The SIFS is over after which the exchange of that station goes on.
    Continue(u16),
    /// The response that the station's exchange waits for has not begun. The number tells exchanges apart.
    Timeout(u16, u32),
}

/// Entries, the next one last. There are about as many as there are exchanges under way, so the
/// place of a new one is found by looking.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    entries: Vec<(Instant, Event)>,
}

impl Calendar {
    /// What is entered for the same instant happens in the order of the entries.
    #[inline]
    pub fn enter(&mut self, at: Instant, event: Event) {
        let mut place = self.entries.len();
        while place > 0 && self.entries[place - 1].0 <= at {
            place -= 1;
        }
        self.entries.insert(place, (at, event));
    }

    /// When the next entry is due.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        self.entries.last().map(|e| e.0)
    }

    /// Takes out the next entry if it is due at `now`.
    #[inline]
    pub fn pop(&mut self, now: Instant) -> Option<Event> {
        let due = self.next()? <= now;
        due.then(|| self.entries.pop().map(|e| e.1)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_out_by_time_and_then_by_entry() {
        let mut c = Calendar::default();
        let at = Instant::from_nanos;
        for (t, n) in [(5, 0), (3, 1), (5, 2), (4, 3), (3, 4)] {
            c.enter(at(t), Event::PpduEnds(n));
        }
        assert_eq!((c.next(), c.pop(at(2))), (Some(at(3)), None));
        let mut order = alloc::vec![];
        while let Some(Event::PpduEnds(n)) = c.pop(at(9)) {
            order.push(n);
        }
        assert_eq!(order, [1, 4, 3, 0, 2]);
    }
}
