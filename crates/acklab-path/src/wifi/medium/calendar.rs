//! The tasks of a medium at instants that are known: a few entries, in order.

use crate::wifi::agreement::Action;
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
    /// ACKs have been kept back for long on the way of that number, under that access category.
    KeptLong(u32, u8),
    /// The discipline above that access category of that station has something that it did not want to
    /// give before.
    Ready(u16, u8),
    /// The data that an RTS of that station announced, which ended at the first instant and
    /// reserved the air until the second, should have begun.
    NavTimeout(u16, Instant, Instant),
    /// The station that the port of that number leaves asks who is at its far end.
    Ask(u32),
    /// That station looks who has not answered its questions for addresses.
    WaitReply(u16),
    /// The station that received this ADDBA frame, over the way of that number and under that access
    /// category, has acknowledged it.
    Told(u32, u8, Action),
    /// The response to the ADDBA Request that went the way of that number, under that access category, should
    /// have come.
    NoResponse(u32, u8),
    /// The access point has asked nobody for its buffer status for long.
    Poll,
    /// The MU EDCA timer of that access category of that station may have run out.
    MuEdcaEnds(u16, u8),
}

impl Event {
    /// At the same instant PPDUs end before others begin, so that those which follow each other do
    /// not overlap, and who learns that its time is up can still begin with the others.
    fn rank(self) -> u8 {
        match self {
            Self::PpduEnds(_) | Self::MpduEnds(_) => 0,
            Self::Timeout(..)
            | Self::KeptLong(..)
            | Self::Ready(..)
            | Self::NavTimeout(..)
            | Self::Ask(_)
            | Self::WaitReply(_)
            | Self::Told(..)
            | Self::NoResponse(..)
            | Self::Poll
            | Self::MuEdcaEnds(..) => 1,
            Self::Continue(_) => 2,
        }
    }
}

/// Entries, the next one last. There are about as many as there are exchanges under way, so the
/// place of a new one is found by looking.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    entries: Vec<(Instant, Event)>,
}

impl Calendar {
    /// Events of the same kind and instant happen in the order of the
    /// calls.
    #[inline]
    pub fn enter(&mut self, at: Instant, event: Event) {
        let mut place = self.entries.len();
        let key = |at: Instant, event: Event| (at, event.rank());
        while place > 0
            && key(self.entries[place - 1].0, self.entries[place - 1].1) <= key(at, event)
        {
            place -= 1;
        }
        self.entries.insert(place, (at, event));
    }

    /// When the next entry is due.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        self.entries.last().map(|e| e.0)
    }

    /// Whether those whose turn it is at `now` begin before the next entry: it is later, or lets somebody
    /// transmit. Stations that begin at the very same instant do not hear each other before they begin.
    #[inline]
    pub fn lets_start(&self, now: Instant) -> bool {
        let next = self.entries.last();
        next.is_none_or(|(at, event)| *at > now || matches!(event, Event::Continue(_)))
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

    #[test]
    fn what_ends_makes_room_for_what_begins() {
        let mut c = Calendar::default();
        let at = Instant::from_nanos(5);
        let all = [Event::Continue(0), Event::Timeout(1, 0), Event::PpduEnds(2)];
        all.iter().for_each(|e| c.enter(at, *e));
        let order: Vec<_> = core::iter::from_fn(|| c.pop(at)).collect();
        assert_eq!(order, [all[2], all[1], all[0]]);
    }
}
