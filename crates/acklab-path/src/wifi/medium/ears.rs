//! How the stations of a ground react to frames for others: their NAV, and whether
//! they wait for an EIFS (10.3.2.3.7, 10.3.2.4).

use super::overlap::Part;
use super::{Ppdu, StationId};
use acklab_units::Instant;
use alloc::vec::Vec;

/// The signals that the stations of a ground hear.
#[derive(Clone, Debug, Default)]
pub(super) struct Ears {
    /// PPDUs.
    hears: u16,
    /// Number of the one that they read, which began when nothing else was heard, and until when
    /// that lasts which must be heard alone for its Duration to be read. `None` = it has ended.
    reads: Option<(u32, Instant)>,
    /// The transmission that it is a part of.
    part: Part,
    /// A PPDU that they heard since the air was last free could not be read.
    garbled: bool,
    /// All of them have sent since the air was last free: the only one has. Where there are several, who
    /// sent has no EIFS either if nothing is heard when its exchange ends in silence
    /// ([`super::AfterSilence`]); if something is, it shares that of the others.
    deaf: bool,
    /// Since when nothing is heard, if nothing is.
    pub quiet: Instant,
    /// When the latest PPDU began that is or was heard.
    started: Instant,
    /// End of the latest reservation.
    pub nav: Instant,
    /// Those that are not over.
    reservations: Vec<Reservation>,
}

/// The time that a readable frame asked others to leave to an exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    until: Instant,
    pub from: StationId,
    to: StationId,
}

impl Ears {
    /// Whether nothing is heard.
    pub fn is_quiet(&self) -> bool {
        self.hears == 0
    }

    /// The PPDU of that number begins to be heard now, and its first part that can be read for itself is over
    /// at `first`; `own`: nobody else is on this ground than who sends
    /// it. A station that reads another PPDU does not notice its preamble. Nor does a sender: what begins meanwhile
    /// is only energy, and what was being read is given up without an error. Parts of one transmission begin
    /// with the same preamble (27.3.10).
    pub fn begin(
        &mut self,
        (number, part): (u32, Part),
        (now, first): (Instant, Instant),
        own: bool,
    ) {
        self.hears += 1;
        self.deaf |= own;
        self.started = now;
        if self.hears == 1 {
            self.reads = Some((number, first));
            self.part = part;
        } else if !(part.is_one() && part.bundle == self.part.bundle) {
            self.garbled |= self.reads.is_some_and(|(_, first)| now < first);
        }
    }

    /// The PPDU of that number ends. If nothing is heard any more: whether what was read could not
    /// be, so that an EIFS follows. It follows a reception that ended with an error (10.3.2.3.7), which
    /// is not for those to have who have sent: ns-3's `ChannelAccessManager::NotifyTxStart` forgets one,
    /// and nothing else is read until the air is free.
    pub fn end(&mut self, number: u32, ppdu: &Ppdu) -> Option<bool> {
        self.hears -= 1;
        if self.reads.is_some_and(|(n, _)| n == number) {
            self.reads = None;
            if !self.garbled {
                self.reserve(ppdu);
            }
        }
        (self.hears == 0).then(|| {
            self.quiet = ppdu.end;
            core::mem::take(&mut self.garbled) & !core::mem::take(&mut self.deaf)
        })
    }

    /// Sets the NAV.
    fn reserve(&mut self, ppdu: &Ppdu) {
        self.nav = self.nav.max(ppdu.nav);
        self.reservations.retain(|r| r.until > ppdu.end);
        if ppdu.nav > ppdu.end {
            self.reservations.push(Reservation {
                until: ppdu.nav,
                from: ppdu.from,
                to: ppdu.to,
            });
        }
    }

    /// An RTS that ended at `end` reserved the air until `until`, and its answer and what that would
    /// have let follow are overdue: unless something has begun since, the NAV is what it would be
    /// without (10.3.2.4). Says whether that is less; it is not where the RTS could not be read.
    pub fn give_back(&mut self, from: StationId, end: Instant, until: Instant) -> bool {
        if self.started >= end {
            return false;
        }
        let (before, all) = (self.nav, self.reservations.len());
        self.reservations
            .retain(|r| (r.from, r.until) != (from, until));
        if self.reservations.len() == all {
            return false;
        }
        let rest = self.reservations.iter().map(|r| r.until);
        self.nav = rest.max().unwrap_or(end);
        self.nav < before
    }

    /// The reservation that binds `station` at `now`: it binds neither of those between whom it was made
    /// (10.3.2.4).
    pub fn binding(&self, now: Instant, station: StationId) -> impl Iterator<Item = &Reservation> {
        let binds = move |r: &&Reservation| r.until > now && r.from != station && r.to != station;
        self.reservations.iter().filter(binds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two RTSs collided that ended at different instants. Nobody has read either, so neither
    /// timeout gives anything back, though the later one's comes first.
    #[test]
    fn what_could_not_be_read_has_reserved_nothing() {
        let at = Instant::from_nanos;
        let mut ears = Ears::default();
        assert!(!ears.give_back(StationId(1), at(12), at(90)));
        assert!(!ears.give_back(StationId(2), at(10), at(80)));
        assert_eq!(ears.nav, Instant::ZERO);
        ears.nav = at(90);
        ears.reservations.push(Reservation {
            until: at(90),
            from: StationId(1),
            to: StationId(0),
        });
        assert!(ears.give_back(StationId(1), at(12), at(90)));
        assert_eq!(ears.nav, at(12));
    }
}
