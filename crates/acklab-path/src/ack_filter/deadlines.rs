//! Deadlines that are all the same span ahead of the present when they are set.
//!
//! Later ones come later, so a plain queue keeps them in order. One that no longer holds stays where
//! it is until it reaches the front, or until half of the queue is of that kind: then all such go.

use acklab_units::Instant;
use alloc::collections::VecDeque;

/// Below so many entries nothing is tidied up.
const FEW: usize = 64;

/// The number of a deadline; zero is none, and no number is used twice.
pub(super) type Ticket = u64;

/// The deadlines of all rows of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadlines {
    queue: VecDeque<(Instant, usize, Ticket)>,
    last: Ticket,
    /// Entries at which it is tidied up.
    crowded: usize,
}

impl Deadlines {
    /// Sets one for a row, which keeps the ticket as long as it holds.
    pub fn set(&mut self, at: Instant, row: usize) -> Ticket {
        debug_assert!(self.queue.back().is_none_or(|(t, ..)| *t <= at));
        self.last += 1;
        self.queue.push_back((at, row, self.last));
        self.last
    }

    /// Forgets entries at the front that no longer hold, and all if they are many; to be called after
    /// each change. `ticket` tells which one a row has.
    pub fn tidy(&mut self, ticket: impl Fn(usize) -> Ticket) {
        while let Some(&(_, row, number)) = self.queue.front()
            && ticket(row) != number
        {
            self.queue.pop_front();
        }
        if self.queue.len() > self.crowded.max(FEW) {
            self.queue
                .retain(|(_, row, number)| ticket(*row) == *number);
            self.crowded = 2 * self.queue.len();
        }
    }

    /// Takes out the row whose deadline came first, if it has come. To be called when tidy.
    pub fn expired(&mut self, now: Instant) -> Option<usize> {
        if self.next()? > now {
            return None;
        }
        self.queue.pop_front().map(|(_, row, _)| row)
    }

    /// The first deadline. To be called when tidy.
    pub fn next(&self) -> Option<Instant> {
        self.queue.front().map(|(at, ..)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::at;
    use super::*;

    #[test]
    fn deadlines_that_no_longer_hold_are_skipped() {
        let (mut d, mut tickets) = (Deadlines::default(), [0; 3]);
        for (row, t) in [(0, 10), (1, 20), (0, 30), (2, 40)] {
            tickets[row] = d.set(at(t), row);
        }
        tickets[2] = 0;
        d.tidy(|row| tickets[row]);
        assert_eq!(d.next(), Some(at(20)), "row 0 was set anew");
        assert_eq!(d.expired(at(19)), None);
        assert_eq!(d.expired(at(35)), Some(1));
        assert_eq!(d.expired(at(35)), Some(0));
        d.tidy(|row| tickets[row]);
        assert_eq!(d.expired(at(99)), None);
    }

    /// One row whose deadline holds stays at the front while another's is set anew for ever, at
    /// the same instant, too.
    #[test]
    fn the_queue_stays_short() {
        let (mut d, mut tickets) = (Deadlines::default(), [0; 2]);
        tickets[0] = d.set(at(5), 0);
        for i in 0..10_000 {
            tickets[1] = d.set(at(6 + i / 100), 1);
            d.tidy(|row| tickets[row]);
            assert!(d.queue.len() <= FEW + 1);
        }
        assert_eq!(d.expired(at(1_000_000)), Some(0));
        d.tidy(|row| tickets[row]);
        assert_eq!(d.expired(at(1_000_000)), Some(1));
        assert_eq!(d.next(), None);
    }
}
